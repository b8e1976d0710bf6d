//! Creating a session: parse, check against the tenant's settings, encrypt, and store with its link and deadline in one unit.

pub(crate) mod idempotency;

use crate::{
    Honnin,
    access::Tenant,
    runtime::{clock_trust::ClockReading, fresh_key::FreshKey, sealed_json::seal_json, token},
    session::{blind_index::hashes, reissue_link::new_link, undated},
};
use domain::{
    audit::AuditAction,
    blind_index::of_session,
    callback::CallbackUrl,
    ids::SessionId,
    request::{CreationRequest, Issue},
    secret::{Personal, Secret},
    session::{Session, Status},
    tenant::{NotReady, TenantSettings},
    time::Timestamp,
};
use idempotency::Attempt;
use store::{
    StoreError, Tx,
    jobs::{self, JobKind, NewJob},
    session::{
        creations::{self, Creation},
        sessions::SessionRow,
    },
    vault::{SealedValue, SessionKey},
};

/// A session just created. The URL is shown only once.
#[derive(Clone, Debug)]
pub struct Created {
    /// Its id.
    pub id: SessionId,
    /// `created`.
    pub status: Status,
    /// Opens the capture pages once.
    pub verification_url: Secret<String>,
    /// Until when the URL can be opened.
    pub verification_url_expires_at: Timestamp,
    /// The session's deadline.
    pub expires_at: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
}

/// What became of a form that may be sent again.
#[derive(Clone, Debug)]
pub enum FormOutcome {
    /// A session.
    Created(Created),
    /// Nothing: this session was made when the form was sent before, and its link was shown then.
    Repeated(SessionId),
}

/// Why no session was created.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CreateSessionError {
    /// The body is invalid.
    #[error("the body does not match the API description")]
    Decode(Vec<Issue>),
    /// The callback URL is not on the allow-list, not https, or has a query or fragment.
    #[error("the callback URL is not allowed")]
    CallbackUrlNotAllowed(String),
    /// The tenant's settings do not allow sessions.
    #[error("the tenant's settings do not allow sessions")]
    NotReady(NotReady),
    /// The tenant exceeds its rate limit.
    #[error("the session-creation limit is reached")]
    RateLimited,
    /// The Idempotency-Key was used with another body, or its session has been erased.
    #[error("the Idempotency-Key was used with another body, or its session has been erased")]
    IdempotencyConflict,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Creates a session from a request body.
///
/// # Errors
/// [`CreateSessionError`]; then nothing is stored.
pub async fn create_session(honnin: &Honnin, tenant: &Tenant, body: &[u8]) -> Result<Created, CreateSessionError> {
    let request = CreationRequest::parse(body).map_err(CreateSessionError::Decode)?;
    let created = create(honnin, tenant, &request, None).await?;
    // Only a creation that may be repeated can have been overtaken by itself.
    created.ok_or(CreateSessionError::Store(StoreError::Duplicate))
}

/// Creates a session from a request body, or returns the first response if `key` was used with this body before.
///
/// # Errors
/// [`CreateSessionError`]; then nothing is stored.
pub async fn create_session_once(
    honnin: &Honnin,
    tenant: &Tenant,
    key: &str,
    body: &[u8],
) -> Result<Created, CreateSessionError> {
    let request = CreationRequest::parse(body).map_err(CreateSessionError::Decode)?;
    let attempt = Attempt::new(key, body);
    loop {
        if let Some(first) = attempt.replay(honnin, tenant).await? {
            return Ok(first);
        }
        // `None` if another request with the same key was faster: its response is there now.
        if let Some(created) = create(honnin, tenant, &request, Some(&attempt)).await? {
            return Ok(created);
        }
    }
}

/// Whether a creation with `key` has succeeded, so that another one with it takes nothing from the rate limit.
///
/// # Errors
/// If storage fails.
pub async fn was_created(honnin: &Honnin, tenant: &Tenant, key: &str) -> Result<bool, StoreError> {
    // By the key alone: with another body, it is a conflict and no creation either.
    let made = Attempt::new(key, b"").made(honnin, tenant).await?;
    Ok(made.is_some())
}

/// The id of a form that a page offers.
#[must_use]
pub fn draft_form(honnin: &Honnin) -> String {
    hex::encode(honnin.random_bytes::<16>())
}

/// Creates a session from the body of a form with an id from [`draft_form`]. Sending the form again within a day creates no other session.
///
/// # Errors
/// [`CreateSessionError`]; then nothing is stored.
pub async fn create_session_by_form(
    honnin: &Honnin,
    tenant: &Tenant,
    form: &str,
    body: &[u8],
) -> Result<FormOutcome, CreateSessionError> {
    let request = CreationRequest::parse(body).map_err(CreateSessionError::Decode)?;
    let attempt = Attempt::of_form(form, body);
    loop {
        if let Some(session) = attempt.made(honnin, tenant).await? {
            return Ok(FormOutcome::Repeated(session));
        }
        // `None` if the same form was faster.
        if let Some(created) = create(honnin, tenant, &request, Some(&attempt)).await? {
            return Ok(FormOutcome::Created(created));
        }
    }
}

/// `None` if another request of the same `attempt` was faster.
async fn create(
    honnin: &Honnin,
    tenant: &Tenant,
    request: &CreationRequest,
    attempt: Option<&Attempt>,
) -> Result<Option<Created>, CreateSessionError> {
    let callback = allowed_callback(tenant, request)?;
    let settings = tenant.settings();
    let settings = settings.ok_or(CreateSessionError::NotReady(NotReady::SettingsMissing))?;
    let at = honnin.read_clock();
    let now = at.now;
    let session = planned(honnin, tenant, settings, now)?;
    let mut key = FreshKey::take(&honnin.vault).await?;
    let row = seal(session, &key, request, callback.as_ref())?;
    let token = link_token(honnin, now);
    let hash = token::hash(token.expose());
    let link = new_link(&row.session, hash, now, settings.link_lifetime);
    let created = Created {
        id: row.session.id.clone(),
        status: row.session.status,
        verification_url: honnin.link_url(token.expose()),
        verification_url_expires_at: link.expires_at,
        expires_at: row.session.expires_at,
        created_at: now,
    };
    let known = request.pre_registered.as_ref().map(Personal::expose);
    let terms = hashes(honnin, tenant.id(), &of_session(known, None, &[])).await?;
    let kept = attempt
        .map(|attempt| attempt.keep(tenant, &created, &key))
        .transpose()?;
    let (caller, token_request) = (tenant.clone(), honnin.config.creation_rate.token_request(now));
    let entry = tenant.audit_entry(now, AuditAction::SessionCreate, &row.session.id);
    let unit = honnin.db.write(async move |tx| -> Result<_, CreateSessionError> {
        key.mark_unnamed();
        if let Some(kept) = &kept
            && !idempotency::store(tx, kept, at).await?
        {
            return Ok(false);
        }
        caller.mark_key_used(tx, now).await?;
        let new = Creation {
            session: &row,
            link: &link,
            entry: &entry,
            terms: &terms,
            expiry: expiry(&row.session, at),
            token_request: token_request.as_ref(),
        };
        // Late: on Postgres, the tenant's other creations wait for its bucket until the commit.
        if !creations::insert(tx, &new).await? {
            return Err(CreateSessionError::RateLimited);
        }
        key.mark_named();
        Ok(true)
    });
    Ok(unit.await?.then_some(created))
}

/// The token of a first link. Nodes that share a database may be of an earlier version, which would not find a dated one.
fn link_token(honnin: &Honnin, now: Timestamp) -> Secret<String> {
    if honnin.db.is_shared() {
        token::generate(&*honnin.random)
    } else {
        token::generate_dated(&*honnin.random, now)
    }
}

/// A session with the steps that the tenant's `settings` ask for.
fn planned(
    honnin: &Honnin,
    tenant: &Tenant,
    settings: &TenantSettings,
    now: Timestamp,
) -> Result<Session, CreateSessionError> {
    let plan = settings.plan().map_err(CreateSessionError::NotReady)?;
    let (id, tenant) = (honnin.session_id(), tenant.id().clone());
    Ok(Session::new(id, tenant, plan, now, settings.session_lifetime))
}

/// Where the user returns to, if the tenant allows what the request names.
fn allowed_callback(tenant: &Tenant, request: &CreationRequest) -> Result<Option<CallbackUrl>, CreateSessionError> {
    let Some(text) = &request.callback_url else {
        return Ok(None);
    };
    let allow_list = tenant.settings().map_or(&[][..], |settings| &settings.callback_urls);
    let allowed = CallbackUrl::allowed(text, allow_list);
    allowed
        .map(Some)
        .ok_or_else(|| CreateSessionError::CallbackUrlNotAllowed(text.clone()))
}

/// The job that expires `session` at its deadline. A reprocess adds another one for the new deadline.
pub(crate) async fn enqueue_expiry(tx: &mut Tx, session: &Session, planned: ClockReading) -> Result<(), StoreError> {
    jobs::enqueue(tx, expiry(session, planned)).await.map(drop)
}

/// A deadline that was set by a clock that has just jumped is set again before anybody may expire the session.
fn expiry(session: &Session, planned: ClockReading) -> NewJob<'_> {
    if !planned.is_steady {
        return undated::job(&session.id);
    }
    NewJob {
        kind: JobKind::Expire,
        subject: session.id.as_str(),
        run_at: session.expires_at,
        dedup_key: None,
    }
}

fn seal(
    session: Session,
    key: &SessionKey,
    request: &CreationRequest,
    callback: Option<&CallbackUrl>,
) -> Result<SessionRow, StoreError> {
    let mut row = SessionRow {
        metadata: request.metadata.clone(),
        callback_url: callback.map(|url| url.as_str().to_owned()),
        ..SessionRow::new(session, key.id().clone())
    };
    if let Some(state) = &request.state {
        row.state = Some(key.seal(&row.associated_data(SealedValue::State), state.as_bytes())?);
    }
    if let Some(known) = &request.pre_registered {
        let associated_data = row.associated_data(SealedValue::Known);
        row.known = Some(seal_json(key, &associated_data, known.expose())?);
    }
    Ok(row)
}
