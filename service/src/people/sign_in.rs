//! Signing in to the console: counted before anything is hashed, and as slow for an account that is not there as for one that is.
//! What counts are failures: a try that succeeds is taken back. That it is counted first keeps many at once within the bounds.

use crate::{
    Honnin,
    access::Staff,
    people::{client_network::client_network, normalised, password},
};
use domain::{
    audit::AuditAction,
    ids::UserId,
    secret::Secret,
    time::{Millis, Timestamp},
};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use store::{StoreError, audit, people::users};

/// Why nobody was signed in.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SignInError {
    /// No such account, another password, or shut out; never said which.
    #[error("the e-mail address or password is incorrect")]
    Wrong,
    /// Too many tries; the password was not looked at.
    #[error("too many attempts")]
    Throttled,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How long tries are counted together.
pub(crate) const WINDOW: Millis = Millis::minutes(15);
/// Failures for one account from one caller's network in a window.
const PAIR_LIMIT: i64 = 5;
/// Failures from one caller's network in a window, whatever the account: somebody who tries one password on many.
const ADDRESS_LIMIT: i64 = 30;
/// Failures for one account in a window, wherever from: generous, so that nobody can easily lock somebody else out.
const ACCOUNT_LIMIT: i64 = 100;

fn bucket(kind: &str, parts: [&str; 2]) -> Vec<u8> {
    Sha256::digest(format!("{kind}\n{}\n{}", parts[0], parts[1])).to_vec()
}

/// What the tries of one caller for one account are counted in. The caller's own bucket comes first: whoever tries without end makes
/// no more rows, and fills nobody else's buckets.
struct Buckets {
    address: Vec<u8>,
    pair: Vec<u8>,
    account: Vec<u8>,
}

impl Buckets {
    fn of(email: &str, address: IpAddr) -> Self {
        let home = client_network(address).to_string();
        Self {
            address: bucket("address", [&home, ""]),
            pair: bucket("pair", [email, &home]),
            account: bucket("account", [email, ""]),
        }
    }
}

/// Counts a try, up to the first bucket that is over its limit, and returns whether it may go on.
async fn count(honnin: &Honnin, buckets: &Buckets, now: Timestamp) -> Result<bool, StoreError> {
    let buckets = [
        (buckets.address.clone(), ADDRESS_LIMIT),
        (buckets.pair.clone(), PAIR_LIMIT),
        (buckets.account.clone(), ACCOUNT_LIMIT),
    ];
    let unit = honnin.db.write(async move |tx| {
        for (bucket, limit) in &buckets {
            if users::count_try(tx, bucket, now, WINDOW).await? > *limit {
                return Ok(false);
            }
        }
        Ok(true)
    });
    unit.await
}

/// Signs somebody in.
///
/// # Errors
/// [`SignInError`].
pub async fn sign_in(
    honnin: &Honnin,
    email: &str,
    password: Secret<String>,
    address: IpAddr,
) -> Result<UserId, SignInError> {
    let (email, now) = (normalised(email), honnin.now());
    let buckets = Buckets::of(&email, address);
    if !count(honnin, &buckets, now).await? {
        return Err(SignInError::Throttled);
    }
    let wanted = email.clone();
    let find = honnin.db.read(async move |tx| users::find_by_email(tx, &wanted).await);
    let user = find.await?;
    let right = password::verify(password, user.as_ref().map(|user| user.password.clone())).await;
    let entry = |action: AuditAction, actor: String| audit::Entry {
        at: now,
        tenant: user.as_ref().and_then(|user| Some(user.place.as_ref()?.0.clone())),
        actor,
        action: action.into(),
        subject: None,
        detail: None,
        address: Some(address.to_string()),
    };
    let Some(user) = user.as_ref().filter(|user| right && user.disabled_at.is_none()) else {
        // The people of the account's tenant see that somebody tried; the caller is not told whether there is such an account.
        let mut refused = entry(AuditAction::PersonSignInRefused, audit::SYSTEM.to_owned());
        refused.subject = user.as_ref().map(|user| user.id.to_string());
        record(honnin, refused, None).await?;
        return Err(SignInError::Wrong);
    };
    record(
        honnin,
        entry(AuditAction::PersonSignIn, user.id.to_string()),
        Some(buckets),
    )
    .await?;
    Ok(user.id.clone())
}

/// Writes down what came of a try. One that succeeded is taken back from its buckets, and its pair's failures are forgotten: that
/// was somebody who mistyped.
async fn record(honnin: &Honnin, entry: audit::Entry, succeeded: Option<Buckets>) -> Result<(), StoreError> {
    let unit = honnin.db.write(async move |tx| {
        if let Some(buckets) = &succeeded {
            users::take_back_try(tx, &buckets.address, entry.at).await?;
            users::forget_tries(tx, &buckets.pair).await?;
            users::take_back_try(tx, &buckets.account, entry.at).await?;
        }
        audit::record(tx, &entry).await
    });
    unit.await
}

/// Asks somebody signed in for their password once more, before something that cannot be taken back.
///
/// # Errors
/// [`SignInError`].
pub async fn confirm_password(honnin: &Honnin, staff: &Staff, password: Secret<String>) -> Result<(), SignInError> {
    let same = sign_in(honnin, staff.email(), password, staff.address()).await?;
    if same == *staff.user() {
        Ok(())
    } else {
        Err(SignInError::Wrong)
    }
}
