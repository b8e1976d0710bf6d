//! Passkeys: registering one, and using one as proof of who a person is: after the password, instead of it, or again before a sensitive
//! action. A challenge is stored as a hash, lives for five minutes, and is answered once.

use super::{
    Factors, Shown, draw_recovery_codes, drop_idle_codes, find, give_first_codes, let_in, list_factors, record_refusal,
    record_refused_proof, sign_in_entry,
    webauthn::{Invalid, Purpose, RelyingParty},
};
use crate::{
    Honnin,
    access::Staff,
    people::{
        client_network::client_network,
        console_session,
        known_browser::Client,
        pending_sign_in::PendingSignIn,
        try_counter::{WINDOW, counter_name},
        visit::{self, Entrance},
    },
    runtime::token,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    audit::AuditAction,
    audit_detail::{DetailPhrase, DetailWord},
    ids::UserId,
    secret::Secret,
    time::Millis,
};
use serde::Deserialize;
use std::net::IpAddr;
use store::{
    StoreError, audit,
    people::{
        second_factors::{self, PasskeyRow},
        try_counters,
    },
};

/// How long a challenge can be answered.
const CHALLENGE_LIFETIME: Millis = Millis::minutes(5);
/// Challenges in a window that were not answered rightly, of each [`Answerer`]: each is a row.
const CHALLENGE_LIMIT: i64 = 100;
/// Most passkeys of one person.
pub const MAX_PASSKEYS: usize = 20;
/// Longest name of a passkey, in characters.
pub const NAME_LIMIT: usize = 60;

/// Why a passkey was not accepted.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PasskeyError {
    /// Unknown, or of another or disabled person; the challenge is unknown, old or answered; the response is wrong; or the session of the
    /// person who adds it has ended meanwhile.
    #[error("the passkey was not accepted")]
    Refused,
    /// It is registered already.
    #[error("this passkey is registered already")]
    Exists,
    /// The name is empty or too long.
    #[error("the name must have 1 to 60 characters")]
    BadName,
    /// The person has as many as are allowed.
    #[error("there are too many passkeys")]
    TooMany,
    /// Rate limited.
    #[error("too many attempts")]
    Throttled,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Invalid> for PasskeyError {
    fn from(invalid: Invalid) -> Self {
        tracing::warn!(%invalid, "a passkey was not accepted");
        Self::Refused
    }
}

/// What a browser needs to ask an authenticator.
#[derive(Clone, Debug)]
pub struct Challenge {
    /// The challenge, base64url.
    pub challenge: Secret<String>,
    /// The relying party id.
    pub party: String,
    /// The credential ids of the person's passkeys, base64url; empty if the person is not known.
    pub credentials: Vec<String>,
}

/// A response as our script sends it; every value is base64url.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    id: String,
    client_data: String,
    #[serde(default)]
    attestation: String,
    #[serde(default)]
    authenticator_data: String,
    #[serde(default)]
    signature: String,
}

fn parse(json: &str) -> Result<Response, PasskeyError> {
    serde_json::from_str(json).map_err(|_| PasskeyError::Refused)
}

fn decode(text: &str) -> Result<Vec<u8>, PasskeyError> {
    URL_SAFE_NO_PAD.decode(text).map_err(|_| PasskeyError::Refused)
}

/// A passkey's id as written in addresses and scripts.
#[must_use]
pub fn id_text(key: &PasskeyRow) -> String {
    URL_SAFE_NO_PAD.encode(&key.id)
}

fn party(honnin: &Honnin) -> RelyingParty {
    RelyingParty::at(honnin.base_url())
}

/// Who answers a challenge. Each is counted apart: guests behind the same address keep nobody from their passkey whose first factor was right or
/// who is signed in, and somebody who has only the first factor cannot prevent it for a person who is signed in.
#[derive(Clone, Copy, Debug)]
pub enum Answerer<'a> {
    /// Anybody with this address, who signs in with a passkey alone.
    Guest(IpAddr),
    /// This person, whose first factor was right, with this address.
    Pending(&'a UserId, IpAddr),
    /// This person, who is signed in.
    SignedIn(&'a UserId),
}

impl<'a> Answerer<'a> {
    /// Somebody who signs in: after the first factor, or with a passkey alone.
    #[must_use]
    pub const fn of_sign_in(pending: Option<&'a PendingSignIn>, address: IpAddr) -> Self {
        match pending {
            Some(pending) => Self::Pending(&pending.user, address),
            None => Self::Guest(address),
        }
    }

    const fn user(self) -> Option<&'a UserId> {
        match self {
            Self::Guest(_) => None,
            Self::Pending(user, _) | Self::SignedIn(user) => Some(user),
        }
    }

    /// The name of the counter of their challenges.
    fn counter(self) -> Vec<u8> {
        match self {
            Self::Guest(address) => counter_name("passkey", [client_network(address).to_string().as_str()]),
            Self::Pending(user, address) => {
                // The word is stored, as a hash: another one would start a new count.
                counter_name("passkey halfway", [user.as_str(), &client_network(address).to_string()])
            }
            Self::SignedIn(user) => counter_name("passkey signed in", [user.as_str(), ""]),
        }
    }
}

/// A new challenge.
///
/// # Errors
/// [`PasskeyError::Throttled`], or storage.
pub async fn issue_challenge(honnin: &Honnin, answerer: Answerer<'_>) -> Result<Challenge, PasskeyError> {
    let text = token::generate(&*honnin.random);
    let (hash, now) = (token::hash(text.expose()), honnin.now());
    let (tries, user) = (answerer.counter(), answerer.user());
    let owner = user.cloned();
    let unit = honnin.db.write(async move |tx| {
        if try_counters::count(tx, &tries, now, WINDOW).await? > CHALLENGE_LIMIT {
            return Ok(false);
        }
        let ends = now.plus(CHALLENGE_LIFETIME);
        second_factors::insert_challenge(tx, &hash, owner.as_ref(), ends).await?;
        Ok::<_, StoreError>(true)
    });
    if !unit.await? {
        return Err(PasskeyError::Throttled);
    }
    let known = match user {
        Some(user) => list_factors(honnin, user).await?,
        None => Factors::default(),
    };
    Ok(Challenge {
        challenge: text,
        party: party(honnin).id().to_owned(),
        credentials: known.passkeys.iter().map(id_text).collect(),
    })
}

/// Uses up the challenge that a response answers.
async fn take_challenge(
    honnin: &Honnin,
    client_data: &[u8],
    purpose: Purpose,
    user: Option<&UserId>,
) -> Result<(), PasskeyError> {
    let answered = URL_SAFE_NO_PAD.encode(party(honnin).challenge(client_data, purpose)?);
    let (hash, user, now) = (token::hash(&answered), user.cloned(), honnin.now());
    let unit = honnin
        .db
        .write(async move |tx| second_factors::take_challenge(tx, &hash, user.as_ref(), now).await);
    if unit.await? {
        Ok(())
    } else {
        Err(PasskeyError::Refused)
    }
}

/// Registers a passkey under `name`. Returns recovery codes if the person had none.
///
/// # Errors
/// [`PasskeyError`].
pub async fn register(
    honnin: &Honnin,
    staff: &Staff,
    name: &str,
    response: &str,
) -> Result<Option<Vec<Secret<String>>>, PasskeyError> {
    let name = name.trim();
    if !domain::name::is_acceptable(name, NAME_LIMIT) {
        return Err(PasskeyError::BadName);
    }
    let response = parse(response)?;
    let client_data = decode(&response.client_data)?;
    let taken = take_challenge(honnin, &client_data, Purpose::Register, Some(staff.user())).await;
    if matches!(taken, Err(PasskeyError::Refused)) && has_passkey(honnin, staff.user(), &response.id).await? {
        // The form was sent a second time: by reloading the page with the recovery codes, for example.
        return Err(PasskeyError::Exists);
    }
    taken?;
    let made = party(honnin).register(&decode(&response.attestation)?)?;
    let key = PasskeyRow {
        id: made.id,
        user: staff.user().clone(),
        name: name.to_owned(),
        public_key: made.public_key,
        counter: made.counter.into(),
        created_at: honnin.now(),
        last_used_at: None,
    };
    let (codes, hashes) = draw_recovery_codes(honnin);
    let entry = staff
        .own_entry(honnin.now(), AuditAction::FactorAdd)
        .about(staff.user())
        .with_detail(DetailPhrase::Passkey.with(&key.name));
    let (tries, staff) = (Answerer::SignedIn(staff.user()).counter(), staff.clone());
    let unit = honnin.db.write(async move |tx| {
        if !console_session::goes_on(tx, &staff).await? {
            return Err(PasskeyError::Refused);
        }
        if second_factors::list_passkeys(tx, &key.user).await?.len() >= MAX_PASSKEYS {
            return Err(PasskeyError::TooMany);
        }
        second_factors::insert_passkey(tx, &key).await?;
        try_counters::take_back(tx, &tries, key.created_at).await?;
        audit::record(tx, &entry).await?;
        Ok(give_first_codes(tx, &key.user, &hashes).await?)
    });
    match unit.await {
        Err(PasskeyError::Store(StoreError::Duplicate)) => Err(PasskeyError::Exists),
        other => Ok(other?.then_some(codes)),
    }
}

/// Whether a person has the passkey of this credential id.
async fn has_passkey(honnin: &Honnin, user: &UserId, id: &str) -> Result<bool, PasskeyError> {
    let id = decode(id)?;
    let unit = honnin
        .db
        .read(async move |tx| second_factors::find_passkey(tx, &id).await);
    Ok(unit.await?.is_some_and(|key| key.user == *user))
}

/// Removes a person's own passkey. Returns whether there was one; in a session that has ended, there is none.
///
/// # Errors
/// If the database does not respond.
pub async fn remove(honnin: &Honnin, staff: &Staff, id: &str) -> Result<bool, StoreError> {
    let Ok(id) = decode(id) else { return Ok(false) };
    let entry = staff
        .own_entry(honnin.now(), AuditAction::FactorRemove)
        .about(staff.user());
    let staff = staff.clone();
    let unit = honnin.db.write(async move |tx| -> Result<_, StoreError> {
        // This locks the person as well.
        if !console_session::goes_on(tx, &staff).await? {
            return Ok(false);
        }
        let user = staff.user();
        let Some(key) = second_factors::find_passkey(tx, &id)
            .await?
            .filter(|key| key.user == *user)
        else {
            return Ok(false);
        };
        second_factors::remove_passkey(tx, user, &id).await?;
        let entry = entry.clone().with_detail(DetailPhrase::Passkey.with(&key.name));
        audit::record(tx, &entry).await?;
        drop_idle_codes(tx, user).await?;
        Ok(true)
    });
    unit.await
}

/// A response to a challenge that was open.
struct Answer {
    response: Response,
    client_data: Vec<u8>,
    /// The passkey that it claims to come from.
    key: Option<PasskeyRow>,
}

/// Uses up the challenge for `user`, or for anybody, that a response answers.
async fn take_answer(honnin: &Honnin, user: Option<&UserId>, response: &str) -> Result<Answer, PasskeyError> {
    let response = parse(response)?;
    let client_data = decode(&response.client_data)?;
    let id = decode(&response.id)?;
    take_challenge(honnin, &client_data, Purpose::SignIn, user).await?;
    let find = honnin
        .db
        .read(async move |tx| second_factors::find_passkey(tx, &id).await);
    Ok(Answer {
        key: find.await?,
        response,
        client_data,
    })
}

/// Whether the passkey has given this answer: that of a person who is known, or of anybody. Returns whose it is.
async fn verify(honnin: &Honnin, answerer: Answerer<'_>, answer: &Answer) -> Result<UserId, PasskeyError> {
    let (key, user) = (answer.key.as_ref(), answerer.user());
    let key = key.filter(|key| user.is_none_or(|user| key.user == *user));
    let key = key.ok_or(PasskeyError::Refused)?;
    let before = u32::try_from(key.counter).map_err(|_| StoreError::Corrupt("a counter out of its range"))?;
    let counter = party(honnin).sign_in(
        &answer.client_data,
        &decode(&answer.response.authenticator_data)?,
        &decode(&answer.response.signature)?,
        (&key.public_key, before),
    )?;
    let (id, counters, now) = (key.id.clone(), (key.counter, i64::from(counter)), honnin.now());
    let tries = answerer.counter();
    let unit = honnin.db.write(async move |tx| -> Result<_, StoreError> {
        let is_used = second_factors::use_passkey(tx, &id, counters, now).await?;
        if is_used {
            try_counters::take_back(tx, &tries, now).await?;
        }
        Ok(is_used)
    });
    if unit.await? {
        Ok(key.user.clone())
    } else {
        Err(PasskeyError::Refused)
    }
}

/// Signs a person in with a passkey: the one whose password was correct, or the owner of the passkey. A wrong answer to an open
/// challenge is recorded as a refused attempt at the account of that person, or of the passkey's owner.
///
/// # Errors
/// [`PasskeyError`].
pub async fn sign_in(
    honnin: &Honnin,
    pending: Option<&PendingSignIn>,
    response: &str,
    client: &Client,
) -> Result<Entrance, PasskeyError> {
    if pending.is_none() && !honnin.allows_local_sign_in() {
        return Err(PasskeyError::Refused);
    }
    let answerer = Answerer::of_sign_in(pending, client.address);
    let user = answerer.user();
    let answer = take_answer(honnin, user, response).await?;
    let account = user.or(answer.key.as_ref().map(|key| &key.user));
    let account = find(honnin, account.ok_or(PasskeyError::Refused)?).await?;
    let account = account.ok_or(PasskeyError::Refused)?;
    let verified = verify(honnin, answerer, &answer).await;
    if let Err(PasskeyError::Store(error)) = verified {
        return Err(error.into());
    }
    let now = honnin.now();
    if verified.is_ok() && account.disabled_at.is_none() {
        let entry = sign_in_entry(&account, now, client.address).with_detail(DetailWord::Passkey);
        let shown = Shown {
            pending,
            passkey: answer.key.as_ref(),
        };
        let entrance = let_in(honnin, &account.id, shown, entry, client).await?;
        return entrance.ok_or(PasskeyError::Refused);
    }
    let detail = match pending {
        Some(_) => DetailWord::SecondPasskey,
        None => DetailWord::Passkey,
    };
    let refused = visit::refusal(Some(&account), now, client.address).with_detail(detail);
    record_refusal(honnin, pending, refused).await?;
    Err(PasskeyError::Refused)
}

/// Asks a signed-in person for a passkey (step-up), before a sensitive action.
///
/// # Errors
/// [`PasskeyError`].
pub async fn confirm(honnin: &Honnin, staff: &Staff, response: &str) -> Result<(), PasskeyError> {
    let answer = take_answer(honnin, Some(staff.user()), response).await?;
    let verified = verify(honnin, Answerer::SignedIn(staff.user()), &answer).await;
    if matches!(verified, Err(PasskeyError::Refused)) {
        record_refused_proof(honnin, staff, DetailWord::ConfirmationPasskey).await?;
    }
    verified.map(drop)
}
