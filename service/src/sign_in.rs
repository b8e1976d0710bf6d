//! Signing in to the console: counted before anything is hashed, and as slow for an account that is not there as for one that is.

use crate::{Honnin, access::Staff, home_network::home_network, password, people::normalised};
use domain::{
    ids::UserId,
    secret::Secret,
    time::{Millis, Timestamp},
};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use store::{StoreError, audit, users};

/// Why nobody was signed in.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SignInError {
    /// No such account, another password, or shut out; never said which.
    #[error("the e-mail address or the password is not right")]
    Wrong,
    /// Too many tries; the password was not looked at.
    #[error("too many tries")]
    Throttled,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How long tries are counted together.
pub(crate) const WINDOW: Millis = Millis::minutes(15);
/// Tries for one account from one caller's network in a window.
const PAIR_LIMIT: i64 = 5;
/// Tries from one caller's network in a window, whatever the account.
const ADDRESS_LIMIT: i64 = 30;
/// Tries for one account in a window, wherever from: generous, so that nobody can easily lock somebody else out.
const ACCOUNT_LIMIT: i64 = 100;

fn bucket(kind: &str, parts: [&str; 2]) -> Vec<u8> {
    Sha256::digest(format!("{kind}\n{}\n{}", parts[0], parts[1])).to_vec()
}

/// Counts a try in the buckets it belongs to, up to the first that is over its limit, and returns whether it may go on. The caller's
/// own bucket comes first: whoever tries without end makes no more rows, and fills nobody else's buckets.
async fn count(honnin: &Honnin, email: &str, address: IpAddr, now: Timestamp) -> Result<bool, StoreError> {
    let home = home_network(address).to_string();
    let buckets = [
        (bucket("address", [&home, ""]), ADDRESS_LIMIT),
        (bucket("pair", [email, &home]), PAIR_LIMIT),
        (bucket("account", [email, ""]), ACCOUNT_LIMIT),
    ];
    let unit = honnin.db.write::<_, StoreError, _>(move |tx| {
        let buckets = buckets.clone();
        Box::pin(async move {
            for (bucket, limit) in &buckets {
                if users::count_try(tx, bucket, now, WINDOW).await? > *limit {
                    return Ok(false);
                }
            }
            Ok(true)
        })
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
    if !count(honnin, &email, address, now).await? {
        return Err(SignInError::Throttled);
    }
    let wanted = email.clone();
    let find = honnin.db.read::<_, StoreError, _>(move |tx| {
        let wanted = wanted.clone();
        Box::pin(async move { users::find_by_email(tx, &wanted).await })
    });
    let user = find.await?;
    let right = password::verify(password, user.as_ref().map(|user| user.password.clone())).await;
    let entry = |action: &str, actor: String| audit::Entry {
        at: now,
        tenant: user.as_ref().and_then(|user| Some(user.place.as_ref()?.0.clone())),
        actor,
        action: action.to_owned(),
        subject: None,
        detail: None,
        address: Some(address.to_string()),
    };
    let Some(user) = user.as_ref().filter(|user| right && user.disabled_at.is_none()) else {
        // The people of the account's tenant see that somebody tried; the caller is not told whether there is such an account.
        let mut refused = entry("person.sign_in_refused", audit::SYSTEM.to_owned());
        refused.subject = user.as_ref().map(|user| user.id.to_string());
        record(honnin, refused, None).await?;
        return Err(SignInError::Wrong);
    };
    let forget = bucket("pair", [&email, &home_network(address).to_string()]);
    record(honnin, entry("person.sign_in", user.id.to_string()), Some(forget)).await?;
    Ok(user.id.clone())
}

async fn record(honnin: &Honnin, entry: audit::Entry, forget: Option<Vec<u8>>) -> Result<(), StoreError> {
    let unit = honnin.db.write::<_, StoreError, _>(move |tx| {
        let (entry, forget) = (entry.clone(), forget.clone());
        Box::pin(async move {
            if let Some(bucket) = &forget {
                users::forget_tries(tx, bucket).await?;
            }
            audit::record(tx, &entry).await
        })
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
