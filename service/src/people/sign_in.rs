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
        pending_sign_in::{self, AfterFirstFactor, FirstFactor},
        try_counter::{after_count, counter_name},
        visit,
    },
};
use domain::{audit::AuditAction, audit_detail::DetailWord, secret::Secret, time::Timestamp};
use std::net::IpAddr;
use store::{
    StoreError, Tx, audit,
    people::{
        pending_sign_ins::PendingSignInRow,
        try_counters,
        users::{self, UserRow},
    },
};

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

/// Failures for one account from one network in a window.
const PAIR_LIMIT: i64 = 5;
/// Failures from one network in a window, for any account: somebody who tries one password on many accounts.
const ADDRESS_LIMIT: i64 = 30;
/// Failures for one account in a window, from anywhere: generous, so that nobody can easily lock somebody else out.
const ACCOUNT_LIMIT: i64 = 100;

/// The counters of one caller for one account. The caller's own counter comes first: an endless attack creates no more rows,
/// and fills no one else's counters.
struct Counters {
    /// None for somebody who is signed in: they can guess at no account but their own.
    address: Option<Vec<u8>>,
    pair: Vec<u8>,
    account: Vec<u8>,
}

impl Counters {
    fn of_sign_in(email: &str, address: IpAddr) -> Self {
        let home = client_network(address).to_string();
        Self {
            address: Some(counter_name("address", [&home, ""])),
            pair: counter_name("pair", [email, &home]),
            account: counter_name("account", [email, ""]),
        }
    }

    /// Counted separately from sign-ins, so that failed sign-ins, from anywhere, do not lock out somebody who is signed in.
    fn of_confirmation(staff: &Staff) -> Self {
        let (user, home) = (staff.user().as_str(), client_network(staff.address()).to_string());
        Self {
            address: None,
            pair: counter_name("confirmation", [user, &home]),
            account: counter_name("confirmation", [user, ""]),
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
    let counters = Counters::of_sign_in(&email, address);
    let refusal = move |user: Option<&UserRow>, now| visit::refusal(user, now, address);
    let right = check(honnin, email, password, counters, refusal).await?;
    let (client, now) = (client.clone(), honnin.now());
    let signed_in = visit::entry_by(&right.user, now, AuditAction::PersonSignIn).from_address(address);
    let unit = honnin.db.write(async move |tx| -> Result<_, SignInError> {
        right.check_still(tx).await?;
        let first = FirstFactor {
            counted_at: Some(right.counted_at),
            to_link: None,
        };
        let entered = pending_sign_in::enter(tx, &right.user, &signed_in, &client, &first).await?;
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
    counters: Counters,
    /// When it was counted as an attempt. To hash it took a while, in which another window may have begun.
    counted_at: Timestamp,
}

/// Checks the password of the account with this address. The entry of `refusal` is recorded if it is wrong: the tenant's people see the attempt in
/// the audit log; the caller does not learn whether the account exists.
async fn check(
    honnin: &Honnin,
    email: String,
    password: Secret<String>,
    counters: Counters,
    refusal: impl Fn(Option<&UserRow>, Timestamp) -> audit::Entry + Send + 'static,
) -> Result<Right, SignInError> {
    if !honnin.allows_local_sign_in() {
        return Err(SignInError::Off);
    }
    let now = honnin.now();
    let (limits, system) = (counters.limits(), honnin.clone());
    // Counted tries are recorded even if their client hangs up: nobody locks an account without a trace.
    let work = async move { compare(&system, email, password, counters, now, refusal).await };
    after_count(honnin, limits, now, SignInError::Throttled, work).await
}

/// Compares the password of an attempt that was counted at `now`.
async fn compare(
    honnin: &Honnin,
    email: String,
    password: Secret<String>,
    counters: Counters,
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
            counters,
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
        let found = visit::lock_active(tx, &self.user.id).await?;
        if found.is_none_or(|user| user.password != self.user.password) {
            return Err(SignInError::Wrong);
        }
        Ok(())
    }

    async fn take_back(&self, tx: &mut Tx) -> Result<(), StoreError> {
        self.counters.take_back(tx, self.counted_at).await
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
    Counters::of_sign_in(&user.email, address)
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
    let counters = Counters::of_confirmation(staff);
    let right = check(honnin, staff.email().to_owned(), password, counters, refusal).await?;
    if right.user.id != *staff.user() {
        return Err(SignInError::Wrong);
    }
    Ok(right)
}
