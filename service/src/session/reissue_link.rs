//! A new one-time link for an open session: the old link and the browser that holds the session are cut off.

use crate::{
    Honnin,
    access::{Forbidden, Reviewer, capture_cookie},
    people::is_still,
    runtime::{clock_trust::ClockReading, token},
    session::undated,
};
use domain::{
    audit::AuditAction,
    ids::SessionId,
    secret::Secret,
    session::{Session, Status},
    time::{Millis, Timestamp},
};
use store::{
    StoreError, Tx, audit,
    capture::capture_cookies,
    session::{
        links::{self, LinkRow},
        sessions::{self, SessionRow},
    },
    settings::tenants::{self, TenantRow},
};

/// A link just created. The URL is shown only once.
#[derive(Clone, Debug)]
pub struct Reissued {
    /// Opens the capture pages once.
    pub url: Secret<String>,
    /// Until when.
    pub expires_at: Timestamp,
}

impl Reissued {
    /// The link with this token.
    pub(crate) fn of(honnin: &Honnin, token: &Secret<String>, expires_at: Timestamp) -> Self {
        Self {
            url: honnin.link_url(token.expose()),
            expires_at,
        }
    }
}

/// Why there is no new link.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReissueError {
    /// No such session in this tenant.
    #[error("no such session")]
    NotFound,
    /// Only a session in `created` or `collecting` can use a link.
    #[error("the session is {0}; a new link would not work")]
    Status(Status),
    /// It has a newer link than those that were known, which was shown when it was made.
    #[error("the session has a new link already")]
    Repeated,
    /// The caller has lost the role that allows this, or has been signed out.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whether a new link would take a session from its user, who is in the middle of it: a browser can go on with it. The link that the browser opened
/// need not be the last one, as where the user has just made one for another device.
///
/// # Errors
/// If the database does not respond.
pub async fn interrupts(honnin: &Honnin, reviewer: &Reviewer, id: &SessionId) -> Result<bool, StoreError> {
    let (tenant, id, now) = (reviewer.staff().tenant().clone(), id.clone(), honnin.now());
    let unit = honnin.db.read(async move |tx| {
        let Some(row) = sessions::find(tx, &tenant, &id).await? else {
            return Ok(false);
        };
        match row.session.status_at(now) {
            Status::Created | Status::Collecting => capture_cookie::is_held(tx, &row.session, now).await,
            _ => Ok(false),
        }
    });
    unit.await
}

/// Creates a new link for a session in `created` or `collecting`. With `links_seen`, the number of links that the caller knew of, none is
/// made if there are more: the same form was sent before, or somebody else was faster.
///
/// # Errors
/// [`ReissueError`].
pub async fn reissue_link(
    honnin: &Honnin,
    reviewer: &Reviewer,
    id: &SessionId,
    links_seen: Option<usize>,
) -> Result<Reissued, ReissueError> {
    let token = token::generate(&*honnin.random);
    let hash = token::hash(token.expose());
    let (staff, id, at) = (reviewer.staff().clone(), id.clone(), honnin.read_clock());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        // Of two at the same time, the second invalidates the link of the first.
        sessions::lock(tx, &id).await?;
        // It opens the session: a person who has just lost access must not get one. The session before the account, as where a case is assigned.
        if !is_still(tx, &staff).await? {
            return Err(ReissueError::from(Forbidden));
        }
        let row = sessions::find(tx, staff.tenant(), &id)
            .await?
            .ok_or(ReissueError::NotFound)?;
        match row.session.status_at(now) {
            Status::Created | Status::Collecting => {}
            other => return Err(ReissueError::Status(other)),
        }
        if let Some(seen) = links_seen
            && links::list(tx, &id).await?.len() > seen
        {
            return Err(ReissueError::Repeated);
        }
        let owner = tenants::find(tx, staff.tenant()).await?.ok_or(ReissueError::NotFound)?;
        let expires_at = replace_link(tx, &owner, &row, &hash, at).await?;
        audit::record(tx, &staff.entry(now, AuditAction::SessionReissueLink).about(&id)).await?;
        Ok::<_, ReissueError>(expires_at)
    });
    Ok(Reissued::of(honnin, &token, unit.await?))
}

/// Invalidates what opened the session before and stores the new link, in the caller's unit.
pub(crate) async fn replace_link(
    tx: &mut Tx,
    owner: &TenantRow,
    row: &SessionRow,
    hash: &[u8],
    at: ClockReading,
) -> Result<Timestamp, StoreError> {
    let id = &row.session.id;
    links::kill_all(tx, id, at.now).await?;
    capture_cookies::end_all(tx, id, at.now).await?;
    let lifetime = owner.settings_or_default().link_lifetime;
    store_link(tx, row, hash, at, lifetime).await
}

/// A link with this hash, valid for `lifetime`, but no longer than its session.
pub(super) fn new_link(session: &Session, hash: Vec<u8>, now: Timestamp, lifetime: Millis) -> LinkRow {
    LinkRow {
        hash,
        session: session.id.clone(),
        created_at: now,
        expires_at: now.plus(lifetime).min(session.expires_at),
        used_at: None,
        killed_at: None,
    }
}

/// Stores a link valid for `lifetime`, but no longer than its session. Returns until when. If the clock has just jumped, the link is dated again
/// once the clock is right: by one that was behind, it would have expired already.
pub(crate) async fn store_link(
    tx: &mut Tx,
    row: &SessionRow,
    hash: &[u8],
    at: ClockReading,
    lifetime: Millis,
) -> Result<Timestamp, StoreError> {
    let link = new_link(&row.session, hash.to_vec(), at.now, lifetime);
    links::insert(tx, &link).await?;
    if !at.is_steady {
        undated::schedule(tx, &row.session.id).await?;
    }
    Ok(link.expires_at)
}
