//! Second factors: an authenticator app (TOTP, RFC 6238), recovery codes, and passkeys. People who have one are asked for it after the
//! password, and again before sensitive actions. A passkey that verifies the person also signs in without a password.

#[cfg(test)]
mod fuzz;
pub mod passkeys;
pub mod webauthn;

use crate::{
    Honnin,
    access::{Admin, CommandLine, Staff},
    people::{
        PeopleError, check_may_act_on,
        client_network::client_network,
        console_session, is_unchanged,
        known_browser::Client,
        links, normalised,
        pending_sign_in::{self, PendingSignIn},
        provider_link, sign_in,
        try_counter::{after_count, counter_name},
        visit::{self, Entrance},
    },
};
use domain::{
    audit::AuditAction,
    audit_detail::DetailWord,
    half_width::half_width,
    ids::UserId,
    secret::Secret,
    time::{Millis, Timestamp},
};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use store::{
    StoreError, Tx, audit,
    people::{
        second_factors::{self, PasskeyRow},
        try_counters,
        users::{self, UserRow},
    },
    settings::tenants,
};
use totp_rs::{Builder, Totp};

/// Length of an authenticator's secret: RFC 4226, section 4, recommends 160 bits.
const SECRET_BYTES: usize = 20;
/// Length of a time step (RFC 6238, section 4).
const STEP: Millis = Millis::seconds(30);
/// Time steps before and after the current one whose codes are accepted: for a phone whose clock is off.
const TOTP_SKEW_STEPS: u16 = 1;
/// Recovery codes given out together.
const RECOVERY_CODES: usize = 10;
/// How long after its start the set-up of an authenticator app can be finished.
const ENROLMENT_LIFETIME: Millis = Millis::hours(1);
/// Bytes of a recovery code: with 112 bits or more, a plain hash of them is enough (OWASP ASVS 5.0, 6.5.2).
const RECOVERY_BYTES: usize = 15;
/// Wrong codes for one person from one network in a window. Those at sign-in and those of somebody who is signed in are counted
/// separately: somebody who has only the password locks out nobody who is signed in or signs in from elsewhere.
const CODE_LIMIT: i64 = 5;
/// Wrong codes for one person in a window, from anywhere. Three of a million codes are valid at any time, so that somebody with the password
/// and many networks needs a hundred days to guess one. They can delay a person who enters a code, but not one who uses a passkey.
const CODE_LIMIT_ANYWHERE: i64 = 30;
/// Name under which an authenticator's secret is encrypted.
const SECRET_NAME: &str = "authenticator";
/// Shown by authenticator apps.
const ISSUER: &str = "Honnin";

/// The encrypted secret of a person's authenticator app, encrypted with the newest master key.
pub(crate) fn sealed_anew(honnin: &Honnin, user: &UserId, sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
    let plain = honnin.vault.open_secret(user.as_str(), SECRET_NAME, sealed)?;
    honnin
        .vault
        .seal_secret_anew(user.as_str(), SECRET_NAME, plain.expose())
}

/// Why a code was not accepted.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CodeError {
    /// Wrong, used before, for a person without second factors, or for one whose session has ended meanwhile.
    #[error("the code is wrong")]
    Wrong,
    /// Rate limited; the code was not checked.
    #[error("too many attempts")]
    Throttled,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why an authenticator app was not set up.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AuthenticatorError {
    /// There is one already.
    #[error("there is an authenticator app already")]
    Exists,
    /// The code is wrong, or the set-up was not started or was started too long ago.
    #[error(transparent)]
    Code(CodeError),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why recovery codes were not renewed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RenewCodesError {
    /// The person has no second factor that the codes could replace.
    #[error("there is no second factor")]
    NoFactor,
    /// Their sessions were ended meanwhile: the password was reset, for example.
    #[error("the session has ended")]
    Ended,
    /// The codes have changed: the same form was sent before, or one of them was used.
    #[error("the recovery codes have changed meanwhile")]
    Repeated,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A person's second factors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Factors {
    /// Since when they have had an authenticator app.
    pub authenticator: Option<Timestamp>,
    /// Their passkeys, oldest first.
    pub passkeys: Vec<PasskeyRow>,
    /// Recovery codes left.
    pub recovery_codes: i64,
    /// Identifies this set of codes: it changes as soon as one of them is used, or they are replaced. It reveals none of them.
    pub recovery_mark: String,
    /// When a code from the app or a passkey was last used.
    pub last_used_at: Option<Timestamp>,
}

impl Factors {
    /// Whether the person is asked for one.
    #[must_use]
    pub const fn any(&self) -> bool {
        self.authenticator.is_some() || !self.passkeys.is_empty()
    }
}

/// What an authenticator app is set up with.
#[derive(Clone, Debug)]
pub struct Enrolment {
    /// `otpauth://`, for a QR code.
    pub url: Secret<String>,
    /// The secret in base 32, for typing it.
    pub secret: Secret<String>,
}

/// A person's second factors.
///
/// # Errors
/// If the database does not respond.
pub async fn list_factors(honnin: &Honnin, user: &UserId) -> Result<Factors, StoreError> {
    let user = user.clone();
    honnin.db.read(async move |tx| factors_of(tx, &user).await).await
}

async fn factors_of(tx: &mut Tx, user: &UserId) -> Result<Factors, StoreError> {
    let authenticator = second_factors::find_authenticator(tx, user).await?;
    let authenticator = authenticator.filter(|row| row.confirmed_at.is_some());
    let passkeys = second_factors::list_passkeys(tx, user).await?;
    let codes = second_factors::list_recovery_codes(tx, user).await?;
    let code_used_at = authenticator
        .as_ref()
        .map(|row| Timestamp::from_millis(row.last_step * STEP.0));
    let used = passkeys.iter().filter_map(|key| key.last_used_at);
    Ok(Factors {
        authenticator: authenticator.and_then(|row| row.confirmed_at),
        last_used_at: used.chain(code_used_at).max(),
        passkeys,
        recovery_codes: i64::try_from(codes.len()).unwrap_or(i64::MAX),
        recovery_mark: mark_of(&codes),
    })
}

/// The name of the recovery codes with these hashes.
fn mark_of(hashes: &[Vec<u8>]) -> String {
    hex::encode(Sha256::digest(hashes.concat()))
}

/// The second factors of a colleague, which an admin may remove, and whose they are.
///
/// # Errors
/// [`PeopleError`].
pub async fn list_factors_of(honnin: &Honnin, admin: &Admin, id: &UserId) -> Result<(UserRow, Factors), PeopleError> {
    let (staff, id) = (admin.staff().clone(), id.clone());
    let unit = honnin.db.read(async move |tx| -> Result<_, PeopleError> {
        let user = users::find(tx, &id).await?.ok_or(PeopleError::NotFound)?;
        check_may_act_on(&staff, &user)?;
        let factors = factors_of(tx, &id).await?;
        Ok((user, factors))
    });
    unit.await
}

/// Begins the set-up of an authenticator app; it counts once [`confirm_authenticator`] has seen a code from it.
///
/// # Errors
/// [`AuthenticatorError::Exists`], [`AuthenticatorError::Code`] if their sessions were ended meanwhile, or storage.
pub async fn begin_authenticator(honnin: &Honnin, staff: &Staff) -> Result<Enrolment, AuthenticatorError> {
    let secret = honnin.random_bytes::<SECRET_BYTES>();
    let sealed = honnin.vault.seal_secret(staff.user().as_str(), SECRET_NAME, &secret);
    let sealed = sealed.await?;
    let (caller, now) = (staff.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| -> Result<_, AuthenticatorError> {
        if !console_session::goes_on(tx, &caller).await? {
            return Err(AuthenticatorError::Code(CodeError::Wrong));
        }
        Ok(second_factors::put_authenticator(tx, caller.user(), &sealed, now).await?)
    });
    match unit.await {
        Err(AuthenticatorError::Store(StoreError::Duplicate)) => return Err(AuthenticatorError::Exists),
        other => other?,
    }
    enrolment(&secret, staff.email())
}

/// The set-up that was begun, to be shown again: after a typing error, or when somebody had to confirm in between. Only for an hour, so that
/// nobody finishes one whose key somebody else has seen long ago.
///
/// # Errors
/// [`AuthenticatorError::Exists`] if it is confirmed, [`AuthenticatorError::Code`] if none was begun within the hour, or storage.
pub async fn begun_authenticator(honnin: &Honnin, staff: &Staff) -> Result<Enrolment, AuthenticatorError> {
    let user = staff.user().clone();
    let unit = honnin
        .db
        .read(async move |tx| second_factors::find_authenticator(tx, &user).await);
    let row = unit.await?.ok_or(AuthenticatorError::Code(CodeError::Wrong))?;
    if row.confirmed_at.is_some() {
        return Err(AuthenticatorError::Exists);
    }
    if !row.created_at.is_within(ENROLMENT_LIFETIME, honnin.now()) {
        return Err(AuthenticatorError::Code(CodeError::Wrong));
    }
    let secret = honnin
        .vault
        .open_secret(staff.user().as_str(), SECRET_NAME, &row.secret)?;
    enrolment(secret.expose(), staff.email())
}

fn totp(secret: &[u8], account: &str) -> Result<Totp, StoreError> {
    let built = Builder::new()
        .with_secret(secret)
        .with_skew(TOTP_SKEW_STEPS)
        .with_issuer(Some(ISSUER))
        // Not part of any e-mail address that can be written without quotes.
        .with_account_name(account.replace(':', ""))
        .build();
    built.map_err(|_| StoreError::Corrupt("an authenticator's secret of a wrong length"))
}

fn enrolment(secret: &[u8], account: &str) -> Result<Enrolment, AuthenticatorError> {
    let totp = totp(secret, account)?;
    let url = totp
        .to_url()
        .map_err(|_| StoreError::Corrupt("an account name that fits no URL"))?;
    Ok(Enrolment {
        url: Secret::new(url),
        secret: Secret::new(totp.secret().to_base32()),
    })
}

/// Finishes the set-up with a code from the app. Returns recovery codes if the person had none.
///
/// # Errors
/// [`AuthenticatorError`].
pub async fn confirm_authenticator(
    honnin: &Honnin,
    staff: &Staff,
    code: &str,
) -> Result<Option<Vec<Secret<String>>>, AuthenticatorError> {
    begun_authenticator(honnin, staff).await?;
    let attempt = Attempt::of(honnin, staff.user(), Occasion::StepUp, staff.address(), code);
    let throttled = AuthenticatorError::Code(CodeError::Throttled);
    let (limits, now, system, staff) = (attempt.limits(), attempt.at, honnin.clone(), staff.clone());
    let work = async move { finish_set_up(&system, &staff, attempt).await };
    after_count(honnin, limits, now, throttled, work).await
}

async fn finish_set_up(
    honnin: &Honnin,
    staff: &Staff,
    attempt: Attempt,
) -> Result<Option<Vec<Secret<String>>>, AuthenticatorError> {
    let checked = attempt.check(honnin, Accepts::Begun).await;
    let checked = checked.map_err(AuthenticatorError::Code)?;
    let entry = staff
        .own_entry(honnin.now(), AuditAction::FactorAdd)
        .about(staff.user())
        .with_detail(DetailWord::AuthenticatorApp);
    let (codes, hashes) = draw_recovery_codes(honnin);
    let staff = staff.clone();
    // The app counts together with what goes with it: nobody is asked for a factor whose recovery codes they never got.
    let unit = honnin.db.write(async move |tx| -> Result<_, CodeError> {
        if !console_session::goes_on(tx, &staff).await? {
            return Err(CodeError::Wrong);
        }
        checked.use_up(tx).await?;
        audit::record(tx, &entry).await?;
        Ok(give_first_codes(tx, &checked.user, &hashes).await?)
    });
    let is_first = unit.await.map_err(|error| match error {
        CodeError::Store(error) => AuthenticatorError::Store(error),
        refused => AuthenticatorError::Code(refused),
    })?;
    Ok(is_first.then_some(codes))
}

/// Stores recovery codes for a person who has none. Returns whether they were stored.
async fn give_first_codes(tx: &mut Tx, user: &UserId, hashes: &[Vec<u8>]) -> Result<bool, StoreError> {
    // Of two first factors at the same time, one brings the codes.
    users::lock(tx, user).await?;
    let none = second_factors::count_recovery_codes(tx, user).await? == 0;
    if none {
        second_factors::replace_recovery_codes(tx, user, hashes).await?;
    }
    Ok(none)
}

/// Removes the authenticator app. Without any second factor left, the recovery codes go as well. Nothing is removed in a session that has ended:
/// somebody else may have it, who has the password as well.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_authenticator(honnin: &Honnin, staff: &Staff) -> Result<(), StoreError> {
    let entry = staff
        .own_entry(honnin.now(), AuditAction::FactorRemove)
        .about(staff.user())
        .with_detail(DetailWord::AuthenticatorApp);
    let staff = staff.clone();
    let unit = honnin.db.write(async move |tx| -> Result<_, StoreError> {
        // This locks the person as well: somebody who adds another factor at this moment relies on the existing codes.
        if !console_session::goes_on(tx, &staff).await? {
            return Ok(());
        }
        if second_factors::remove_authenticator(tx, staff.user()).await? {
            audit::record(tx, &entry).await?;
        }
        drop_idle_codes(tx, staff.user()).await
    });
    unit.await
}

/// Removes the recovery codes of a person who has no second factor and is locked ([`users::lock`]).
async fn drop_idle_codes(tx: &mut Tx, user: &UserId) -> Result<(), StoreError> {
    if second_factors::has_any(tx, user).await? {
        return Ok(());
    }
    second_factors::replace_recovery_codes(tx, user, &[]).await
}

/// New recovery codes in place of those there were, shown once. With `seen`, the [mark](Factors::recovery_mark) of the codes that the caller knew of,
/// there are none if the person has others by now: those who send the form twice would lose the codes that they were shown first.
///
/// # Errors
/// [`RenewCodesError`].
pub async fn renew_recovery_codes(
    honnin: &Honnin,
    staff: &Staff,
    seen: Option<&str>,
) -> Result<Vec<Secret<String>>, RenewCodesError> {
    let (codes, hashes) = draw_recovery_codes(honnin);
    let entry = staff
        .own_entry(honnin.now(), AuditAction::RecoveryCodesIssue)
        .about(staff.user());
    let (staff, seen) = (staff.clone(), seen.map(str::to_owned));
    let unit = honnin.db.write(async move |tx| {
        // This locks the person as well: of two sets at the same time, the second replaces the first.
        if !console_session::goes_on(tx, &staff).await? {
            return Err(RenewCodesError::Ended);
        }
        if !second_factors::has_any(tx, staff.user()).await? {
            return Err(RenewCodesError::NoFactor);
        }
        if let Some(seen) = &seen
            && mark_of(&second_factors::list_recovery_codes(tx, staff.user()).await?) != *seen
        {
            return Err(RenewCodesError::Repeated);
        }
        second_factors::replace_recovery_codes(tx, staff.user(), &hashes).await?;
        audit::record(tx, &entry).await?;
        Ok(())
    });
    unit.await?;
    Ok(codes)
}

/// New recovery codes, to be shown, and their hashes, to be stored. Each has 24 letters and digits in groups of four, none of which can be mistaken
/// for another.
fn draw_recovery_codes(honnin: &Honnin) -> (Vec<Secret<String>>, Vec<Vec<u8>>) {
    const DIGITS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";
    let code = || {
        let bits = u128::from_be_bytes(honnin.random_bytes()) >> (128 - RECOVERY_BYTES * 8);
        let mut code = String::new();
        for digit in 0..RECOVERY_BYTES * 8 / 5 {
            if digit > 0 && digit % 4 == 0 {
                code.push('-');
            }
            code.push(char::from(DIGITS[(bits >> (digit * 5)) as usize & 31]));
        }
        Secret::new(code)
    };
    let codes: Vec<_> = std::iter::repeat_with(code).take(RECOVERY_CODES).collect();
    let hashes = codes.iter().map(|code| recovery_hash(code.expose())).collect();
    (codes, hashes)
}

/// The hash of a recovery code, however its groups were separated.
fn recovery_hash(code: &str) -> Vec<u8> {
    let plain: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
    Sha256::digest(plain.to_lowercase()).to_vec()
}

/// Which authenticator's code is accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accepts {
    /// A confirmed one, or a recovery code.
    Confirmed,
    /// One that is being set up.
    Begun,
}

/// On what a code is entered.
#[derive(Clone, Copy)]
enum Occasion {
    /// After the first factor.
    SignIn,
    /// By somebody who is signed in.
    StepUp,
}

/// The counters of codes for one person: from the caller's network, and from anywhere.
#[derive(Clone)]
struct Tries {
    network: Vec<u8>,
    anywhere: Vec<u8>,
}

impl Tries {
    fn of(user: &UserId, occasion: Occasion, address: IpAddr) -> Self {
        let kind = match occasion {
            Occasion::SignIn => "code",
            Occasion::StepUp => "step-up",
        };
        let home = client_network(address).to_string();
        Self {
            network: counter_name(kind, [user.as_str(), &home]),
            anywhere: counter_name(kind, [user.as_str(), ""]),
        }
    }
}

/// A code that somebody has entered. It is counted first, with [`after_count`], and failures only are kept, so that concurrent attempts stay within
/// the limits, and nobody who hangs up uses them up without a trace.
struct Attempt {
    user: UserId,
    code: Secret<String>,
    tries: Tries,
    /// When it is counted.
    at: Timestamp,
}

/// A code that was counted as an attempt and compared, and has yet to be used up.
struct Checked {
    user: UserId,
    /// The time step whose code of the app it is, and the encrypted secret of the app, which may be another one before the code is used up.
    step: Option<(i64, Vec<u8>)>,
    /// Of the recovery code that it may be.
    recovery: Option<Vec<u8>>,
    tries: Tries,
    at: Timestamp,
}

impl Checked {
    /// Uses the code up, which is good once, and takes the attempt back.
    async fn use_up(&self, tx: &mut Tx) -> Result<(), CodeError> {
        let is_good = match (&self.step, &self.recovery) {
            (Some((step, secret)), _) => second_factors::use_step(tx, &self.user, secret, *step, self.at).await?,
            (None, Some(hash)) => second_factors::use_recovery_code(tx, &self.user, hash).await?,
            (None, None) => false,
        };
        if !is_good {
            return Err(CodeError::Wrong);
        }
        for tries in [&self.tries.network, &self.tries.anywhere] {
            try_counters::take_back(tx, tries, self.at).await?;
        }
        Ok(())
    }
}

impl Attempt {
    fn of(honnin: &Honnin, user: &UserId, occasion: Occasion, address: IpAddr, code: &str) -> Self {
        Self {
            user: user.clone(),
            code: Secret::new(code.to_owned()),
            tries: Tries::of(user, occasion, address),
            at: honnin.now(),
        }
    }

    fn limits(&self) -> Vec<(Vec<u8>, i64)> {
        vec![
            (self.tries.network.clone(), CODE_LIMIT),
            (self.tries.anywhere.clone(), CODE_LIMIT_ANYWHERE),
        ]
    }

    /// Compares the code, once it is counted.
    async fn check(self, honnin: &Honnin, accepts: Accepts) -> Result<Checked, CodeError> {
        let wanted = self.user.clone();
        let find = honnin
            .db
            .read(async move |tx| second_factors::find_authenticator(tx, &wanted).await);
        let row = find
            .await?
            .filter(|row| row.confirmed_at.is_some() == (accepts == Accepts::Confirmed));
        let code: String = half_width(self.code.expose())
            .chars()
            .filter(|c| !c.is_whitespace())
            .collect();
        let mut step = None;
        if let Some(row) = row {
            let secret = honnin.vault.open_secret(self.user.as_str(), SECRET_NAME, &row.secret)?;
            let seconds = u64::try_from(self.at.as_seconds()).unwrap_or_default();
            let found = totp(secret.expose(), "")?.check(&code, seconds);
            step = found
                .and_then(|step| i64::try_from(step).ok())
                .map(|step| (step, row.secret));
        }
        Ok(Checked {
            user: self.user,
            step,
            recovery: (accepts == Accepts::Confirmed).then(|| recovery_hash(&code)),
            tries: self.tries,
            at: self.at,
        })
    }

    /// Compares the code of a second factor, once it is counted, and uses it up.
    async fn take(self, honnin: &Honnin) -> Result<(), CodeError> {
        let checked = self.check(honnin, Accepts::Confirmed).await?;
        honnin.db.write(async move |tx| checked.use_up(tx).await).await
    }
}

/// Signs in a person whose password was right, with a code.
///
/// # Errors
/// [`CodeError`].
pub async fn sign_in_with_code(
    honnin: &Honnin,
    pending: &PendingSignIn,
    code: &str,
    client: &Client,
) -> Result<Entrance, CodeError> {
    let attempt = Attempt::of(honnin, &pending.user, Occasion::SignIn, client.address, code);
    let (limits, now, system) = (attempt.limits(), attempt.at, honnin.clone());
    let (pending, client) = (pending.clone(), client.clone());
    let work = async move { enter(&system, &pending, attempt, &client).await };
    after_count(honnin, limits, now, CodeError::Throttled, work).await
}

async fn enter(
    honnin: &Honnin,
    pending: &PendingSignIn,
    attempt: Attempt,
    client: &Client,
) -> Result<Entrance, CodeError> {
    let checked = match attempt.take(honnin).await {
        Err(error @ (CodeError::Throttled | CodeError::Store(_))) => return Err(error),
        checked => checked,
    };
    let user = find(honnin, &pending.user)
        .await?
        .filter(|user| user.disabled_at.is_none());
    let user = user.ok_or(CodeError::Wrong)?;
    let now = honnin.now();
    if let Err(refused) = checked {
        let entry = visit::refusal(Some(&user), now, client.address).with_detail(DetailWord::Code);
        record_refusal(honnin, Some(pending), entry).await?;
        return Err(refused);
    }
    let entry = sign_in_entry(&user, now, client.address).with_detail(DetailWord::Code);
    let shown = Shown {
        pending: Some(pending),
        passkey: None,
    };
    let entrance = let_in(honnin, &user.id, shown, entry, client).await?;
    entrance.ok_or(CodeError::Wrong)
}

/// Asks a signed-in person for a code (step-up), before a sensitive action.
///
/// # Errors
/// [`CodeError`].
pub async fn confirm_code(honnin: &Honnin, staff: &Staff, code: &str) -> Result<(), CodeError> {
    let attempt = Attempt::of(honnin, staff.user(), Occasion::StepUp, staff.address(), code);
    let (limits, now, system, staff) = (attempt.limits(), attempt.at, honnin.clone(), staff.clone());
    let work = async move {
        let taken = attempt.take(&system).await;
        if matches!(taken, Err(CodeError::Wrong)) {
            record_refused_proof(&system, &staff, DetailWord::ConfirmationCode).await?;
        }
        taken
    };
    after_count(honnin, limits, now, CodeError::Throttled, work).await
}

/// Records that a signed-in person could not prove who they are with what `confirmation` names.
async fn record_refused_proof(honnin: &Honnin, staff: &Staff, confirmation: DetailWord) -> Result<(), StoreError> {
    let entry = visit::refused_proof(staff, honnin.now(), confirmation);
    honnin.db.write(async move |tx| audit::record(tx, &entry).await).await
}

async fn find(honnin: &Honnin, user: &UserId) -> Result<Option<UserRow>, StoreError> {
    let user = user.clone();
    honnin.db.read(async move |tx| users::find(tx, &user).await).await
}

/// The entry for somebody who has signed in.
fn sign_in_entry(user: &UserRow, at: Timestamp, address: IpAddr) -> audit::Entry {
    visit::entry_by(user, at, AuditAction::PersonSignIn).from_address(address)
}

/// What somebody who signs in has shown.
#[derive(Clone, Copy)]
struct Shown<'a> {
    /// The first factor, unless the passkey is the only one.
    pending: Option<&'a PendingSignIn>,
    /// A passkey instead of a code.
    passkey: Option<&'a PasskeyRow>,
}

/// Signs a person in and records it, unless the pending sign-in has ended meanwhile, as their sessions have, the passkey was removed, or the
/// account was disabled. `None` if they are not in.
async fn let_in(
    honnin: &Honnin,
    user: &UserId,
    shown: Shown<'_>,
    entry: audit::Entry,
    client: &Client,
) -> Result<Option<Entrance>, StoreError> {
    let (user, pending, client) = (user.clone(), shown.pending.cloned(), client.clone());
    let passkey = shown.passkey.map(|key| key.id.clone());
    let unit = honnin.db.write(async move |tx| {
        let Some(active) = visit::lock_active(tx, &user).await? else {
            return Ok(None);
        };
        if let Some(passkey) = &passkey
            && second_factors::find_passkey(tx, passkey).await?.is_none()
        {
            return Ok(None);
        }
        if let Some(pending) = &pending {
            let Some(ended) = pending_sign_in::end(tx, pending).await? else {
                return Ok(None);
            };
            sign_in::take_back(tx, &active, &ended).await?;
            if let Some(account) = &ended.to_link
                && !provider_link::add_late(tx, &active, account, entry.at, client.address).await?
            {
                return Ok(None);
            }
        }
        visit::record(tx, &user, entry.clone(), &client).await.map(Some)
    });
    unit.await
}

/// Records that a second factor was refused. The pending sign-in stays open.
async fn record_refusal(
    honnin: &Honnin,
    pending: Option<&PendingSignIn>,
    entry: audit::Entry,
) -> Result<(), StoreError> {
    let pending = pending.cloned();
    let unit = honnin.db.write(async move |tx| {
        if let Some(pending) = &pending {
            pending_sign_in::refuse(tx, pending).await?;
        }
        audit::record(tx, &entry).await
    });
    unit.await
}

/// Removes every second factor of a colleague who has lost theirs, and ends their sessions. They sign in with their password then.
///
/// # Errors
/// [`PeopleError`].
pub async fn remove_of(honnin: &Honnin, admin: &Admin, id: &UserId) -> Result<(), PeopleError> {
    let (staff, id, now) = (admin.staff().clone(), id.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        // As in `change_person`: two who remove each other's do not wait for each other.
        tenants::lock(tx, staff.tenant()).await?;
        if !is_unchanged(&staff, users::find(tx, staff.user()).await?.as_ref()) {
            return Err(PeopleError::Forbidden);
        }
        let user = users::find(tx, &id).await?.ok_or(PeopleError::NotFound)?;
        check_may_act_on(&staff, &user)?;
        let entry = staff.entry(now, AuditAction::FactorRemove).about(&id);
        Ok(remove_all(tx, &user, entry).await?)
    });
    unit.await
}

/// The same on the command line, for the person who signs in with `email`.
///
/// # Errors
/// [`PeopleError::NotFound`] if there is no such account, or storage.
pub async fn remove_from_here(honnin: &Honnin, here: CommandLine, email: &str) -> Result<UserId, PeopleError> {
    let (email, now) = (normalised(email), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let user = users::find_by_email(tx, &email).await?.ok_or(PeopleError::NotFound)?;
        links::lock(tx, user.tenant()).await?;
        let tenant = user.tenant().cloned();
        let entry = here
            .entry(now, AuditAction::FactorRemove)
            .in_tenant(tenant)
            .about(&user.id);
        remove_all(tx, &user, entry).await?;
        Ok(user.id)
    });
    unit.await
}

async fn remove_all(tx: &mut Tx, user: &UserRow, entry: audit::Entry) -> Result<(), StoreError> {
    // First, since it locks the person: a factor that is being added stays away, or is there to be removed.
    console_session::end_all(tx, &user.id, entry.at).await?;
    second_factors::remove_all(tx, &user.id).await?;
    audit::record(tx, &entry.with_detail(DetailWord::All)).await
}
