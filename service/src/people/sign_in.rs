//! Signing in to the console. Attempts are counted before hashing, and an unknown account takes as long as a known one. Only failures count: a
//! successful attempt is taken back. Counting it first keeps concurrent attempts within the limits. Where a second factor is required, an attempt
//! counts as successful only after it: somebody who has only the password cannot start one sign-in after another.

use crate::{
    Honnin,
    access::Staff,
    people::{
        client_network::client_network,
        known_browser::Client,
        normalised, password,
        pending_sign_in::{self, AfterFirstFactor},
        visit,
    },
    runtime::to_completion::to_completion,
};
use domain::{
    audit::AuditAction,
    audit_detail::DetailWord,
    secret::Secret,
    time::{Millis, Timestamp},
};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use store::{
    StoreError, Tx, audit,
    people::{
        pending_sign_ins::PendingSignInRow,
        try_counters,
        users::{self, UserRow},
    },
};
use tokio::sync::Semaphore;

/// Why nobody was signed in.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SignInError {
    /// Unknown account, wrong password, or disabled, without saying which.
    #[error("the e-mail address or password is incorrect")]
    Wrong,
    /// People sign in with the provider only.
    #[error("password sign-in is disabled")]
    Off,
    /// Rate limited; the password was not checked.
    #[error("too many attempts")]
    Throttled,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The window in which attempts are counted.
pub const WINDOW: Millis = Millis::minutes(15);
/// Failures for one account from one network in a window.
const PAIR_LIMIT: i64 = 5;
/// Failures from one network in a window, for any account: somebody who tries one password on many accounts.
const ADDRESS_LIMIT: i64 = 30;
/// Failures for one account in a window, from anywhere: generous, so that nobody can easily lock somebody else out.
const ACCOUNT_LIMIT: i64 = 100;

/// Attempts that are counted at a time in [`after_count`]: each goes on without its client, and none is over its limit yet.
static COUNTED_AT_ONCE: Semaphore = Semaphore::const_new(64);

/// The name of a counter.
pub(super) fn bucket(kind: &str, parts: [&str; 2]) -> Vec<u8> {
    Sha256::digest(format!("{kind}\n{}\n{}", parts[0], parts[1])).to_vec()
}

/// The counters of one caller for one account. The caller's own counter comes first: an endless attack creates no more rows,
/// and fills no one else's counters.
struct Buckets {
    /// None for somebody who is signed in: they can guess at no account but their own.
    address: Option<Vec<u8>>,
    pair: Vec<u8>,
    account: Vec<u8>,
}

impl Buckets {
    fn of_sign_in(email: &str, address: IpAddr) -> Self {
        let home = client_network(address).to_string();
        Self {
            address: Some(bucket("address", [&home, ""])),
            pair: bucket("pair", [email, &home]),
            account: bucket("account", [email, ""]),
        }
    }

    /// Counted separately from sign-ins, so that failed sign-ins, from anywhere, do not lock out somebody who is signed in.
    fn of_confirmation(staff: &Staff) -> Self {
        let (user, home) = (staff.user().as_str(), client_network(staff.address()).to_string());
        Self {
            address: None,
            pair: bucket("confirmation", [user, &home]),
            account: bucket("confirmation", [user, ""]),
        }
    }

    /// Takes back an attempt that was counted at `counted_at` and was successful, and clears the failures of its pair: they were typing errors.
    async fn take_back(&self, tx: &mut Tx, counted_at: Timestamp) -> Result<(), StoreError> {
        if let Some(address) = &self.address {
            try_counters::take_back(tx, address, counted_at).await?;
        }
        try_counters::forget(tx, &self.pair).await?;
        try_counters::take_back(tx, &self.account, counted_at).await
    }

    fn limits(&self) -> Vec<(Vec<u8>, i64)> {
        let address = self.address.clone().map(|address| (address, ADDRESS_LIMIT));
        let own = [(self.pair.clone(), PAIR_LIMIT), (self.account.clone(), ACCOUNT_LIMIT)];
        address.into_iter().chain(own).collect()
    }
}

/// Counts an attempt, up to the first counter that is over its limit, and returns whether it may proceed.
pub(super) async fn count(honnin: &Honnin, buckets: Vec<(Vec<u8>, i64)>, now: Timestamp) -> Result<bool, StoreError> {
    let unit = honnin.db.write(async move |tx| {
        for (bucket, limit) in &buckets {
            if try_counters::count(tx, bucket, now, WINDOW).await? > *limit {
                return Ok(false);
            }
        }
        Ok(true)
    });
    unit.await
}

/// Counts an attempt as [`count`] does, and does the `work` that is to follow unless it is over a limit, or else fails as `throttled`. If its client hangs
/// up, also while it is counted, both are done: what is counted would otherwise be neither recorded nor taken back.
pub(super) async fn after_count<T, E>(
    honnin: &Honnin,
    buckets: Vec<(Vec<u8>, i64)>,
    now: Timestamp,
    throttled: E,
    work: impl Future<Output = Result<T, E>> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let turn = COUNTED_AT_ONCE.acquire().await.map_err(StoreError::unavailable)?;
    let honnin = honnin.clone();
    to_completion(async move {
        let may_proceed = count(&honnin, buckets, now).await?;
        drop(turn);
        if may_proceed { work.await } else { Err(throttled) }
    })
    .await
}

/// Signs a person in with their password, or begins to if they have a second factor.
///
/// # Errors
/// [`SignInError`].
pub async fn sign_in(
    honnin: &Honnin,
    email: &str,
    password: Secret<String>,
    client: &Client,
) -> Result<AfterFirstFactor, SignInError> {
    let address = client.address;
    let email = normalised(email);
    let buckets = Buckets::of_sign_in(&email, address);
    let refusal = move |user: Option<&UserRow>, now| visit::refusal(user, now, address);
    let right = check(honnin, email, password, buckets, refusal).await?;
    let (client, now) = (client.clone(), honnin.now());
    let signed_in = visit::entry_by(&right.user, now, AuditAction::PersonSignIn).from_address(address);
    let unit = honnin.db.write(async move |tx| -> Result<_, SignInError> {
        right.check_still(tx).await?;
        let counted_at = Some(right.counted_at);
        let entered = pending_sign_in::enter(tx, &right.user.id, &signed_in, &client, counted_at).await?;
        if matches!(entered, AfterFirstFactor::SignedIn(_)) {
            right.take_back(tx).await?;
        }
        Ok(entered)
    });
    unit.await
}

/// A password that was right when it was checked.
pub(super) struct Right {
    user: UserRow,
    buckets: Buckets,
    /// When it was counted as an attempt. To hash it took a while, in which another window may have begun.
    counted_at: Timestamp,
}

/// Checks the password of the account with this address. The entry of `refusal` is recorded if it is wrong: the tenant's people see the attempt in
/// the audit log; the caller does not learn whether the account exists.
async fn check(
    honnin: &Honnin,
    email: String,
    password: Secret<String>,
    buckets: Buckets,
    refusal: impl Fn(Option<&UserRow>, Timestamp) -> audit::Entry + Send + 'static,
) -> Result<Right, SignInError> {
    if !honnin.allows_local_sign_in() {
        return Err(SignInError::Off);
    }
    let now = honnin.now();
    let (limits, system) = (buckets.limits(), honnin.clone());
    // Counted tries are recorded even if their client hangs up: nobody locks an account without a trace.
    let work = async move { compare(&system, email, password, buckets, now, refusal).await };
    after_count(honnin, limits, now, SignInError::Throttled, work).await
}

/// Compares the password of an attempt that was counted at `now`.
async fn compare(
    honnin: &Honnin,
    email: String,
    password: Secret<String>,
    buckets: Buckets,
    now: Timestamp,
    refusal: impl Fn(Option<&UserRow>, Timestamp) -> audit::Entry + Send,
) -> Result<Right, SignInError> {
    let find = honnin.db.read(async move |tx| users::find_by_email(tx, &email).await);
    let user = find.await?;
    // Without a password, it takes as long.
    let stored = user.as_ref().and_then(|user| user.password.clone());
    let right = password::verify(password, stored).await?;
    match user {
        Some(user) if right && user.disabled_at.is_none() => Ok(Right {
            user,
            buckets,
            counted_at: now,
        }),
        user => {
            let refused = refusal(user.as_ref(), now);
            let unit = honnin.db.write(async move |tx| audit::record(tx, &refused).await);
            unit.await?;
            Err(SignInError::Wrong)
        }
    }
}

impl Right {
    /// Nobody succeeds whose account was disabled, or whose password was changed, while the one they entered was hashed.
    async fn check_still(&self, tx: &mut Tx) -> Result<(), SignInError> {
        let found = visit::find_active(tx, &self.user.id).await?;
        if found.is_none_or(|user| user.password != self.user.password) {
            return Err(SignInError::Wrong);
        }
        Ok(())
    }

    async fn take_back(&self, tx: &mut Tx) -> Result<(), StoreError> {
        self.buckets.take_back(tx, self.counted_at).await
    }

    /// The same, and takes the attempt back.
    pub(super) async fn settle(&self, tx: &mut Tx) -> Result<(), SignInError> {
        self.check_still(tx).await?;
        Ok(self.take_back(tx).await?)
    }
}

/// Takes back the attempt of somebody whose second factor has come, if they entered their password before.
pub(super) async fn take_back(tx: &mut Tx, user: &UserRow, pending: &PendingSignInRow) -> Result<(), StoreError> {
    let (Some(counted_at), Ok(address)) = (pending.counted_at, pending.address.parse()) else {
        return Ok(());
    };
    Buckets::of_sign_in(&user.email, address)
        .take_back(tx, counted_at)
        .await
}

/// Asks a signed-in person for their password again (step-up), before a sensitive action. It does not count as a visit.
///
/// # Errors
/// [`SignInError`].
pub async fn confirm_password(honnin: &Honnin, staff: &Staff, password: Secret<String>) -> Result<(), SignInError> {
    let right = check_own(honnin, staff, password).await?;
    honnin.db.write(async move |tx| right.settle(tx).await).await
}

/// Checks the password of a signed-in person. The caller settles it in the unit that it is for.
pub(super) async fn check_own(honnin: &Honnin, staff: &Staff, password: Secret<String>) -> Result<Right, SignInError> {
    let caller = staff.clone();
    let refusal = move |_: Option<&UserRow>, now| visit::refused_proof(&caller, now, DetailWord::ConfirmationPassword);
    let buckets = Buckets::of_confirmation(staff);
    let right = check(honnin, staff.email().to_owned(), password, buckets, refusal).await?;
    if right.user.id != *staff.user() {
        return Err(SignInError::Wrong);
    }
    Ok(right)
}
