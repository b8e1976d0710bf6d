//! Beginning an attempt and finishing it: with a person signed in, confirmed, or joined.

use super::{
    attempt::{Attempt, Begun, LIFETIME, Purpose},
    provider::{Provider, ProviderError, Question},
    token::{Expected, Person},
};
use crate::{
    Honnin,
    access::CommandLine,
    people::{
        PeopleError,
        accept_invitation::{AcceptError, accept_linked},
        client_network::client_network,
        console_session,
        known_browser::Client,
        links, normalised,
        pending_sign_in::{self, AfterFirstFactor, FirstFactor, PendingSignIn},
        try_counter::{WINDOW, counter_name},
        visit::{self, Entrance},
    },
    runtime::token,
};
use domain::{audit::AuditAction, audit_detail::DetailWord, ids::UserId, time::Timestamp};
use std::net::IpAddr;
use store::{
    StoreError, Tx, audit,
    people::{
        provider_accounts::{self, ProviderIdentity},
        second_factors, try_counters,
        users::{self, UserRow},
    },
};
use url::Url;

/// Failures from one network in a window, and of one person who is signed in: each asks the provider something.
const FAILURE_LIMIT: i64 = 30;
/// Where the provider sends the browser back, below the base URL. It is registered there.
const REDIRECT_PATH: &str = "admin/sign-in/openid/callback";

/// What the provider sends back with the browser.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The state of the attempt.
    pub state: String,
    /// The code, if the person signed in.
    pub code: Option<String>,
    /// Why there is none.
    pub error: Option<String>,
    /// The issuer (RFC 9207).
    pub issuer: Option<String>,
}

/// The end of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finished {
    /// They are signed in.
    SignedIn {
        /// Who.
        entrance: Entrance,
        /// When they proved to the provider who they are, if it told: it may have known them from earlier.
        proved_at: Option<Timestamp>,
        /// Where to continue.
        next: String,
    },
    /// They have a second factor here, which comes next.
    SecondFactor {
        /// Who, so far.
        pending: PendingSignIn,
        /// Where to continue.
        next: String,
    },
    /// The person who is signed in has proved again who they are.
    Confirmed {
        /// Who.
        user: UserId,
        /// When they proved it to the provider.
        proved_at: Timestamp,
        /// Where to continue.
        next: String,
    },
}

/// Why an attempt failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OpenIdError {
    /// The installation has no provider.
    #[error("there is no provider")]
    Off,
    /// The provider does not answer, or not as it should. Logged.
    #[error("the provider cannot be reached")]
    Unreachable,
    /// The attempt is not this browser's, is too old, or was finished before.
    #[error("the attempt is not valid")]
    Closed,
    /// The person or the provider did not agree.
    #[error("the provider did not sign the person in")]
    Denied,
    /// The provider's answer was not accepted. Logged.
    #[error("the provider's answer was refused")]
    Refused,
    /// Nobody here has been invited with a verified e-mail address of this person, or the account is disabled.
    #[error("there is no account for this person")]
    Unknown,
    /// The account belongs to another person at the provider, or another person was to confirm.
    #[error("another person")]
    Other,
    /// The person has a second factor here, with which they confirm instead.
    #[error("the second factor is required here")]
    SecondFactor,
    /// The invitation is used, revoked or expired, or its address has an account.
    #[error("the invitation is not valid")]
    Invitation,
    /// Rate limited.
    #[error("too many attempts")]
    Throttled,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn provider(honnin: &Honnin) -> Result<&Provider, OpenIdError> {
    honnin.provider.as_deref().ok_or(OpenIdError::Off)
}

fn redirect_uri(honnin: &Honnin) -> String {
    format!("{}{REDIRECT_PATH}", honnin.base_url())
}

fn failed(error: ProviderError) -> OpenIdError {
    match error {
        ProviderError::Unreachable(reason) => {
            tracing::error!(reason, "the OpenID provider did not give a valid response");
            OpenIdError::Unreachable
        }
        ProviderError::Code | ProviderError::Token(_) => {
            tracing::warn!(%error, "a response of the OpenID provider was not accepted");
            OpenIdError::Refused
        }
    }
}

/// Begins an attempt. Stores nothing.
///
/// # Errors
/// [`OpenIdError::Off`] or [`OpenIdError::Unreachable`].
pub async fn begin(honnin: &Honnin, purpose: Purpose, next: &str) -> Result<Begun, OpenIdError> {
    let provider = provider(honnin)?;
    let attempt = Attempt::new(honnin, purpose, next);
    let question = Question {
        redirect_uri: &redirect_uri(honnin),
        state: &attempt.state(),
        nonce: &attempt.nonce(),
        code_challenge: &attempt.code_challenge(),
        again: matches!(attempt.purpose, Purpose::Confirm(_)),
    };
    let location = provider.ask(honnin.now(), question).await.map_err(failed)?;
    let cookie = attempt.seal(honnin).await?;
    Ok(Begun { location, cookie })
}

/// Finishes the attempt of the browser with `cookie`.
///
/// # Errors
/// [`OpenIdError`].
pub async fn finish(
    honnin: &Honnin,
    cookie: Option<&str>,
    answer: &Answer,
    client: &Client,
) -> Result<Finished, OpenIdError> {
    let address = client.address;
    let provider = provider(honnin)?;
    let attempt = cookie.and_then(|cookie| Attempt::open(honnin, cookie, &answer.state));
    let attempt = attempt.ok_or(OpenIdError::Closed)?;
    let tries = counter_of(&attempt, address);
    take_state(honnin, &attempt, &tries).await?;
    let person = match ask_who(honnin, provider, &attempt, answer).await {
        Ok(person) => person,
        Err(error) => {
            let failed = failed(error);
            if matches!(failed, OpenIdError::Refused) {
                let user = confirming(&attempt).cloned();
                record_refusal(honnin, user, DetailWord::OpenIdRefused, address).await?;
            }
            return Err(failed);
        }
    };
    let person = person.ok_or(OpenIdError::Denied)?;
    let finished = admit(honnin, provider, attempt, person, client).await?;
    let (tries, now) = (tries, honnin.now());
    let unit = honnin
        .db
        .write(async move |tx| try_counters::take_back(tx, &tries, now).await);
    unit.await?;
    Ok(finished)
}

const fn confirming(attempt: &Attempt) -> Option<&UserId> {
    match &attempt.purpose {
        Purpose::Confirm(user) => Some(user),
        Purpose::SignIn | Purpose::Join(_) => None,
    }
}

/// The counter of an attempt. Somebody who is signed in has a separate one: failed sign-ins from the same network keep nobody from confirming.
fn counter_of(attempt: &Attempt, address: IpAddr) -> Vec<u8> {
    let home = client_network(address).to_string();
    match confirming(attempt) {
        Some(user) => counter_name("openid signed in", [user.as_str(), &home]),
        None => counter_name("openid", [home.as_str()]),
    }
}

/// Uses up the attempt, and counts it. Failures only are kept.
async fn take_state(honnin: &Honnin, attempt: &Attempt, tries: &[u8]) -> Result<(), OpenIdError> {
    let (state, ends) = (token::hash(&attempt.state()), attempt.begun_at.plus(LIFETIME));
    let (tries, now) = (tries.to_vec(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        if try_counters::count(tx, &tries, now, WINDOW).await? > FAILURE_LIMIT {
            return Err(OpenIdError::Throttled);
        }
        if provider_accounts::use_response(tx, &state, ends).await? {
            Ok(())
        } else {
            Err(OpenIdError::Closed)
        }
    });
    unit.await
}

/// The person who signed in at the provider; `None` if nobody did.
async fn ask_who(
    honnin: &Honnin,
    provider: &Provider,
    attempt: &Attempt,
    answer: &Answer,
) -> Result<Option<Person>, ProviderError> {
    let now = honnin.now();
    provider.check_answer(now, answer.issuer.as_deref()).await?;
    let Some(code) = answer.code.as_deref().filter(|_| answer.error.is_none()) else {
        return Ok(None);
    };
    let expected = Expected {
        issuer: &provider.config().issuer,
        client: &provider.config().client_id,
        nonce: &attempt.nonce(),
        now,
        authenticated_since: confirming(attempt).map(|_| attempt.begun_at),
    };
    let (verifier, redirect_uri) = (attempt.verifier(), redirect_uri(honnin));
    let person = provider.redeem(code, &verifier, &redirect_uri, expected);
    person.await.map(Some)
}

async fn admit(
    honnin: &Honnin,
    provider: &Provider,
    attempt: Attempt,
    person: Person,
    client: &Client,
) -> Result<Finished, OpenIdError> {
    let address = client.address;
    let issuer = &provider.config().issuer;
    let next = attempt.next;
    match attempt.purpose {
        Purpose::SignIn => {
            let found = find_account(honnin, provider, &person).await;
            let entered = match found {
                Ok(found) => sign_in(honnin, found, (issuer, person), next, client).await,
                Err(error) => Err(error),
            };
            if matches!(entered, Err(OpenIdError::Unknown | OpenIdError::Other)) {
                record_refusal(honnin, None, DetailWord::OpenIdUnknown, address).await?;
            }
            entered
        }
        Purpose::Confirm(user) => {
            let checked = may_confirm(honnin, issuer, &person.subject, &user).await;
            if matches!(checked, Err(OpenIdError::Other)) {
                record_refusal(honnin, Some(user.clone()), DetailWord::OpenIdOther, address).await?;
            }
            checked?;
            // A token that does not tell was refused.
            let proved_at = person.authenticated_at.ok_or(OpenIdError::Refused)?;
            Ok(Finished::Confirmed {
                user,
                proved_at: proved_at.min(honnin.now()),
                next,
            })
        }
        Purpose::Join(token) => {
            let account = (issuer.clone(), person.subject.clone());
            let accepted = accept_linked(honnin, &token, account, address).await;
            let user = accepted.map_err(why_not_joined)?;
            sign_in(honnin, Found::Linked(user), (issuer, person), next, client).await
        }
    }
}

fn why_not_joined(error: AcceptError) -> OpenIdError {
    match error {
        AcceptError::Store(StoreError::Duplicate) => OpenIdError::Other,
        AcceptError::Store(error) => error.into(),
        AcceptError::Closed | AcceptError::Taken | AcceptError::Bad(_) => OpenIdError::Invitation,
    }
}

/// Whether a person at the provider is `user`, who has no second factor here: they may have set one up since the attempt began.
async fn may_confirm(honnin: &Honnin, issuer: &str, subject: &str, user: &UserId) -> Result<(), OpenIdError> {
    let (issuer, subject, user) = (issuer.to_owned(), subject.to_owned(), user.clone());
    let unit = honnin.db.read(async move |tx| {
        if provider_accounts::find_user(tx, &issuer, &subject).await?.as_ref() != Some(&user) {
            return Err(OpenIdError::Other);
        }
        if second_factors::has_any(tx, &user).await? {
            return Err(OpenIdError::SecondFactor);
        }
        Ok(())
    });
    unit.await
}

async fn find_linked(honnin: &Honnin, issuer: &str, subject: &str) -> Result<Option<UserId>, StoreError> {
    let (issuer, subject) = (issuer.to_owned(), subject.to_owned());
    let unit = honnin
        .db
        .read(async move |tx| provider_accounts::find_user(tx, &issuer, &subject).await);
    unit.await
}

/// By what the account of a person at the provider was found.
enum Found {
    /// It is linked to theirs.
    Linked(UserId),
    /// Theirs is not linked: the account with their verified e-mail address, unless that is linked to another one. It is linked then.
    ByAddress(String),
}

async fn find_account(honnin: &Honnin, provider: &Provider, person: &Person) -> Result<Found, OpenIdError> {
    let config = provider.config();
    if let Some(user) = find_linked(honnin, &config.issuer, &person.subject).await? {
        return Ok(Found::Linked(user));
    }
    let email = person
        .email
        .as_deref()
        .filter(|_| person.email_verified || config.trusts_emails);
    Ok(Found::ByAddress(normalised(email.ok_or(OpenIdError::Unknown)?)))
}

/// The account with an address to which one at the provider may be linked, locked.
async fn lock_unlinked(tx: &mut Tx, email: &str, issuer: &str) -> Result<UserRow, OpenIdError> {
    let found = users::find_by_email(tx, email).await?.ok_or(OpenIdError::Unknown)?;
    // By now the address may be released, and the person invited elsewhere: a link to the account before would keep them from that one.
    let active = visit::lock_active(tx, &found.id).await?;
    let user = active.filter(|user| user.email == email).ok_or(OpenIdError::Unknown)?;
    if provider_accounts::is_linked(tx, issuer, &user.id).await? {
        return Err(OpenIdError::Other);
    }
    Ok(user)
}

/// Signs a person in, unless they have a second factor: it is asked for here whatever the provider asked for. Nobody is in whose account was
/// disabled, or unlinked from the one at the provider, since it was found.
async fn enter(
    tx: &mut Tx,
    found: &Found,
    account: &ProviderIdentity,
    now: Timestamp,
    client: &Client,
) -> Result<AfterFirstFactor, OpenIdError> {
    let (user, to_link) = match found {
        Found::Linked(id) => {
            let user = visit::lock_active(tx, id).await?.ok_or(OpenIdError::Unknown)?;
            let owner = provider_accounts::find_user(tx, &account.issuer, &account.subject).await?;
            if owner.as_ref() != Some(id) {
                return Err(OpenIdError::Unknown);
            }
            (user, None)
        }
        Found::ByAddress(email) => (lock_unlinked(tx, email, &account.issuer).await?, Some(account.clone())),
    };
    let entry = visit::entry_by(&user, now, AuditAction::PersonSignIn)
        .with_detail(DetailWord::OpenId)
        .from_address(client.address);
    let first = FirstFactor {
        counted_at: None,
        to_link,
    };
    Ok(pending_sign_in::enter(tx, &user, &entry, client, &first).await?)
}

async fn sign_in(
    honnin: &Honnin,
    found: Found,
    (issuer, person): (&str, Person),
    next: String,
    client: &Client,
) -> Result<Finished, OpenIdError> {
    let (client, now) = (client.clone(), honnin.now());
    let account = ProviderIdentity {
        issuer: issuer.to_owned(),
        subject: person.subject,
    };
    let unit = honnin
        .db
        .write(async move |tx| enter(tx, &found, &account, now, &client).await);
    let entered = unit.await.map_err(|error| match error {
        OpenIdError::Store(StoreError::Duplicate) => OpenIdError::Other,
        other => other,
    });
    Ok(match entered? {
        AfterFirstFactor::SecondFactor(pending) => Finished::SecondFactor { pending, next },
        AfterFirstFactor::SignedIn(entrance) => Finished::SignedIn {
            entrance,
            proved_at: person.authenticated_at.map(|at| at.min(honnin.now())),
            next,
        },
    })
}

/// Notes a failure: of `user`, who is signed in and should prove again who they are, or of somebody unknown.
async fn record_refusal(
    honnin: &Honnin,
    user: Option<UserId>,
    reason: DetailWord,
    address: IpAddr,
) -> Result<(), StoreError> {
    let now = honnin.now();
    let unit = honnin.db.write(async move |tx| {
        let row = match &user {
            Some(user) => users::find(tx, user).await?,
            None => None,
        };
        let entry = match &row {
            Some(user) => visit::entry_by(user, now, AuditAction::PersonSignInRefused)
                .about(&user.id)
                .from_address(address),
            None => visit::refusal(None, now, address),
        };
        audit::record(tx, &entry.with_detail(reason)).await
    });
    unit.await
}

/// Whether a person's account is linked to one at the provider. `false` without a provider.
///
/// # Errors
/// If the database does not respond.
pub async fn is_linked(honnin: &Honnin, user: &UserId) -> Result<bool, StoreError> {
    let Some(provider) = &honnin.provider else {
        return Ok(false);
    };
    let (issuer, user) = (provider.config().issuer.clone(), user.clone());
    let unit = honnin
        .db
        .read(async move |tx| provider_accounts::is_linked(tx, &issuer, &user).await);
    unit.await
}

/// Where a person signs out of the provider as well; it sends them back to the sign-in page.
pub async fn sign_out_address(honnin: &Honnin) -> Option<Url> {
    let back = format!("{}admin/sign-in", honnin.base_url());
    honnin.provider.as_ref()?.sign_out(honnin.now(), &back).await
}

/// Removes the link between an account here and one at the provider, on the command line: for somebody who got a new account there.
/// Their next sign-in links the new one. Returns their name.
///
/// # Errors
/// [`PeopleError::NotFound`] if there is no such account, or it is not linked.
pub async fn unlink_from_here(honnin: &Honnin, here: CommandLine, email: &str) -> Result<String, PeopleError> {
    let (email, now) = (normalised(email), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let user = users::find_by_email(tx, &email).await?.ok_or(PeopleError::NotFound)?;
        links::lock(tx, user.tenant()).await?;
        // The person is locked before what belongs to them, as at sign-in.
        users::lock(tx, &user.id).await?;
        if !provider_accounts::remove_of(tx, &user.id).await? {
            return Err(PeopleError::NotFound);
        }
        console_session::end_all(tx, &user.id, now).await?;
        let entry = here
            .entry(now, AuditAction::PersonUnlinkAccount)
            .in_tenant(user.tenant().cloned())
            .about(&user.id);
        audit::record(tx, &entry).await?;
        Ok(user.name)
    });
    unit.await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::known_browser::Browser;
    use domain::secret::Secret;
    use testkit::databases::{postgres, postgres_server};

    const EMAIL: &str = "bob@bank.example";

    /// Detects if the account is what it was before the unit waited.
    #[tokio::test]
    async fn no_account_is_linked_whose_address_is_being_released_or_that_is_being_disabled() {
        let Some(server) = postgres_server() else {
            return;
        };
        let (database, now) = (postgres(&server).await, Timestamp::from_millis(1));
        let bob = UserRow {
            id: UserId::from_random([7; 16]),
            membership: None,
            email: EMAIL.into(),
            name: "Bob".into(),
            operator: true,
            password: None,
            created_at: now,
            disabled_at: None,
            session_epoch: 0,
        };
        let row = bob.clone();
        let added = database.db.write(async move |tx| users::insert(tx, &row).await);
        added.await.unwrap();
        for change in ["email = 'released@invalid'", "disabled_at = 1"] {
            let account = ProviderIdentity {
                issuer: "https://login.example".to_owned(),
                subject: "bob".to_owned(),
            };
            let found = Found::ByAddress(EMAIL.to_owned());
            let client = Client {
                address: [127, 0, 0, 1].into(),
                browser: Browser {
                    agent: String::new(),
                    token: Secret::new(String::new()),
                },
            };
            let unit = database
                .db
                .write(async move |tx| enter(tx, &found, &account, now, &client).await);
            let change = format!("UPDATE users SET {change} WHERE id = '{}'", bob.id);
            let linked = database.beside(&change, unit).await;
            assert!(matches!(linked, Err(OpenIdError::Unknown)), "{change}: {linked:?}");
            database
                .run("UPDATE users SET email = 'bob@bank.example', disabled_at = NULL")
                .await;
        }
        let links = database.number("SELECT COUNT(*) FROM provider_accounts").await;
        assert_eq!(links, 0);
    }
}
