//! The one-time link. Viewing it changes nothing, so that a link preview cannot use it up; the tap on Start opens it and ties
//! the browser to the session.

use super::{
    branding::{self, Branding},
    progress::{self, Next},
};
use crate::{
    Honnin,
    runtime::{token, wake_up::poll_until},
    session::{self, create::idempotency},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    audit::AuditAction,
    ids::SessionId,
    secret::Secret,
    session::{Plan, Status},
    tenant::Mode,
    time::{Millis, Timestamp},
};
use sha2::{Digest, Sha256};
use std::time::Duration;
use store::{
    StoreError, Tx, audit,
    capture::capture_cookies::{self, CookieRow},
    session::{links, sessions},
    settings::tenants,
};

/// What the start page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// How the tenant presents itself.
    pub branding: Branding,
    /// The session's plan.
    pub plan: Plan,
    /// The retention period.
    pub retention: Millis,
    /// Whether the tenant verifies people or is a sandbox.
    pub mode: Mode,
    /// The step with which it continues if the link takes over a session that was begun elsewhere.
    pub next: Option<Next>,
}

/// A link that was opened.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The value of the capture cookie.
    pub cookie: Secret<String>,
}

/// Why a link cannot be opened.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OpenLinkError {
    /// Unknown, used, replaced, expired, or its session has ended: all alike, so that it reveals nothing to someone guessing.
    #[error("the link cannot be used")]
    NotUsable,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The start page of a link that can still be opened.
///
/// # Errors
/// [`OpenLinkError`].
pub async fn view_link(honnin: &Honnin, token: &str) -> Result<Start, OpenLinkError> {
    let (hash, now) = (token::hash(token), honnin.now());
    let unit = honnin.db.read(async move |tx| {
        let link = links::find(tx, &hash).await?.filter(|link| link.is_open(now));
        let link = link.ok_or(OpenLinkError::NotUsable)?;
        let row = sessions::find_any(tx, &link.session)
            .await?
            .ok_or(OpenLinkError::NotUsable)?;
        let can_start = matches!(row.session.status_at(now), Status::Created | Status::Collecting);
        let tenant = tenants::find(tx, &row.session.tenant).await?.filter(|_| can_start);
        let tenant = tenant.ok_or(OpenLinkError::NotUsable)?;
        let plan = row.session.plan.clone();
        let next = match row.session.status_at(now) {
            Status::Collecting => Some(progress::gather(tx, row).await?.next(now)),
            _ => None,
        };
        Ok(Start {
            branding: branding::load(tx, &tenant).await?,
            plan,
            retention: tenant.settings.unwrap_or_default().retention,
            mode: tenant.mode,
            // Until somebody has agreed, nothing is there with which to continue.
            next: next.filter(|next| *next != Next::Consent),
        })
    });
    unit.await
}

/// The session a link was made for, open or not: a browser that has its cookie continues where it left off.
///
/// # Errors
/// If the database does not respond.
pub async fn session_of_link(honnin: &Honnin, token: &str) -> Result<Option<SessionId>, StoreError> {
    let hash = token::hash(token);
    let unit = honnin
        .db
        .read(async move |tx| Ok::<_, StoreError>(links::find(tx, &hash).await?.map(|link| link.session)));
    unit.await
}

/// Waits until a link can no longer be opened, at most for `wait_at_most`, and returns whether that is so. Used, replaced, expired
/// and unknown links are alike: it reveals no more than the start page does.
///
/// # Errors
/// If the database does not respond.
pub async fn closed_within(honnin: &Honnin, token: &str, wait_at_most: Duration) -> Result<bool, StoreError> {
    let Some(session) = session_of_link(honnin, token).await? else {
        return Ok(true);
    };
    let look = || async {
        match view_link(honnin, token).await {
            Ok(_) => Ok(false),
            Err(OpenLinkError::NotUsable) => Ok(true),
            Err(OpenLinkError::Store(error)) => Err(error),
        }
    };
    poll_until(honnin, &session, wait_at_most, |closed| *closed, look).await
}

/// A random value for the browser that views a start page; it is not stored. See [`open_link`].
#[must_use]
pub fn browser_mark(honnin: &Honnin) -> Secret<String> {
    token::generate(&*honnin.random)
}

/// Opens a link: of several concurrent requests, one wins. The cookie is derived from the token and the browser's mark, so that
/// the same browser gets the same cookie again if it taps twice or loses the response.
///
/// # Errors
/// [`OpenLinkError`].
pub async fn open_link(honnin: &Honnin, token: &str, mark: Option<&str>) -> Result<Opened, OpenLinkError> {
    let mark = mark.filter(|mark| token::is_well_formed(mark));
    let mark = mark.map_or_else(|| browser_mark(honnin), |mark| Secret::new(mark.to_owned()));
    let cookie = cookie_of(token, mark.expose());
    let (link, hash, now) = (token::hash(token), token::hash(cookie.expose()), honnin.now());
    let unit = honnin.db.write(async move |tx| use_link(tx, &link, &hash, now).await);
    honnin.wake_ups.notify(&unit.await?);
    Ok(Opened { cookie })
}

fn cookie_of(token: &str, mark: &str) -> Secret<String> {
    let mut hasher = Sha256::new();
    for part in ["honnin/capture-cookie/1", token, mark] {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    Secret::new(URL_SAFE_NO_PAD.encode(hasher.finalize()))
}

/// Returns the session that was opened.
async fn use_link(tx: &mut Tx, hash: &[u8], cookie: &[u8], now: Timestamp) -> Result<SessionId, OpenLinkError> {
    let link = links::find(tx, hash).await?.ok_or(OpenLinkError::NotUsable)?;
    // Of two taps at the same moment, the second waits here, and then finds the cookie of the first. An operation that replaces links locks
    // the session first as well.
    sessions::lock(tx, &link.session).await?;
    let mut row = sessions::find_any(tx, &link.session)
        .await?
        .ok_or(OpenLinkError::NotUsable)?;
    let started = row.session.start(now).map_err(|_| OpenLinkError::NotUsable)?;
    if let Some(known) = capture_cookies::find(tx, cookie).await? {
        let same = known.ended_at.is_none() && known.session == link.session && known.attempt == started.attempt;
        return if same {
            Ok(link.session)
        } else {
            Err(OpenLinkError::NotUsable)
        };
    }
    if !links::use_once(tx, hash, now).await? {
        return Err(OpenLinkError::NotUsable);
    }
    let id = link.session;
    capture_cookies::end_all(tx, &id, now).await?;
    let cookie = CookieRow {
        hash: cookie.to_vec(),
        session: id.clone(),
        attempt: started.attempt,
        created_at: now,
        seen_at: now,
        ended_at: None,
    };
    capture_cookies::insert(tx, &cookie).await?;
    idempotency::forget_link(tx, &id).await?;
    audit::record(tx, &session::audit_entry(&row, now, AuditAction::LinkOpen)).await?;
    if row.session.status != started.status {
        tx.count_session(started.status);
    }
    row.session = started;
    sessions::save(tx, &mut row).await?;
    Ok(id)
}
