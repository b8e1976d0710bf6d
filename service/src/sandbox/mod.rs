//! Completing a session of a sandbox tenant in place of its end user, with test data and a chosen outcome. Nothing is analysed;
//! states, events, deliveries, review, reprocess and erasure are real.

pub mod clock;

use crate::{
    Honnin,
    access::{Applicant, Tenant},
    decision::record::{self, Grounds, SealedDecision},
    runtime::{clock_trust::ClockReading, sealed_json::seal_json},
    session::{self, blind_index::hashes, end::Ending, id_in_path},
};
use domain::{
    audit::AuditAction,
    blind_index::of_session,
    decision::FaceSearch,
    document::DocumentType,
    ids::{EventId, SessionId},
    outcome::Verdict,
    request::PreRegistered,
    sandbox::{SandboxOutcome, make_up},
    session::{FailureReason, Refused, Session, Status},
    time::Timestamp,
};
use store::{
    StoreError, Tx, audit,
    capture::attempts,
    session::{
        links,
        sessions::{self, SessionRow},
    },
    settings::tenants::{self, TenantRow},
    vault::SealedValue,
};

/// A session just completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Its id.
    pub id: SessionId,
    /// `completed`, `reviewing`, `failed` or `expired`.
    pub status: Status,
}

/// Why a session was not completed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CompleteError {
    /// Unknown, malformed, another tenant's, or any session of a live tenant: alike.
    #[error("no such session")]
    NotFound,
    /// It is past `created` and `collecting`, or a concurrent operation came first.
    #[error("the session cannot be completed")]
    NotAllowed,
    /// Storage.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for CompleteError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict | StoreError::Duplicate | StoreError::Erased => Self::NotAllowed,
            other => Self::Store(other),
        }
    }
}

impl From<Refused> for CompleteError {
    fn from(_: Refused) -> Self {
        Self::NotAllowed
    }
}

/// Completes a session of `tenant` by its id, well-formed or not.
///
/// # Errors
/// [`CompleteError`].
pub async fn complete_in_sandbox(
    honnin: &Honnin,
    tenant: &Tenant,
    id: &str,
    outcome: SandboxOutcome,
) -> Result<Completed, CompleteError> {
    let id = id_in_path(id);
    complete(honnin, Who::Tenant(tenant.clone(), id), outcome).await
}

/// Completes the user's own session, as chosen on its start page.
///
/// # Errors
/// [`CompleteError`].
pub async fn complete_as_applicant(
    honnin: &Honnin,
    applicant: &Applicant,
    outcome: SandboxOutcome,
) -> Result<Completed, CompleteError> {
    complete(honnin, Who::Applicant(applicant.clone()), outcome).await
}

/// The caller and the session.
#[derive(Clone)]
enum Who {
    Tenant(Tenant, SessionId),
    Applicant(Applicant),
}

impl Who {
    /// The session with its tenant, if the caller may complete it and it belongs to a sandbox.
    async fn find(&self, tx: &mut Tx) -> Result<(TenantRow, SessionRow), CompleteError> {
        let row = match self {
            Self::Tenant(tenant, id) => sessions::find(tx, tenant.id(), id).await?,
            Self::Applicant(applicant) => sessions::find_any(tx, applicant.session())
                .await?
                .filter(|row| row.session.attempt == applicant.attempt()),
        };
        let row = row.ok_or(CompleteError::NotFound)?;
        let tenant = tenants::find(tx, &row.session.tenant).await?;
        let tenant = tenant.filter(|tenant| tenant.mode.is_sandbox());
        Ok((tenant.ok_or(CompleteError::NotFound)?, row))
    }

    /// Writes the audit entry.
    async fn record(&self, tx: &mut Tx, row: &SessionRow, now: Timestamp) -> Result<(), StoreError> {
        const ACTION: AuditAction = AuditAction::SessionCompleteInSandbox;
        let entry = match self {
            Self::Tenant(tenant, id) => {
                tenant.mark_key_used(tx, now).await?;
                tenant.audit_entry(now, ACTION, id)
            }
            Self::Applicant(_) => session::audit_entry(row, now, ACTION),
        };
        audit::record(tx, &entry.with_detail(row.session.status)).await
    }
}

/// A session after all its transitions, with what is stored at its end.
struct Ended {
    session: Session,
    end: End,
}

enum End {
    Decided(Box<Decided>),
    Failed,
    Expired,
}

struct Decided {
    document_type: Option<DocumentType>,
    typed: Option<Vec<u8>>,
    sealed: SealedDecision,
}

async fn complete(honnin: &Honnin, who: Who, outcome: SandboxOutcome) -> Result<Completed, CompleteError> {
    let looking = who.clone();
    let find = honnin
        .db
        .read(async move |tx| Ok::<_, CompleteError>(looking.find(tx).await?.1));
    let row = find.await?;
    let at = honnin.read_clock();
    let ended = end(honnin, &row, outcome, at.now).await?;
    let event = honnin.event_id();
    let unit = honnin
        .db
        .write(async move |tx| store(tx, &who, &ended, &event, at).await);
    let completed = unit.await?;
    honnin.wake_ups.notify(&completed.id);
    Ok(completed)
}

/// Performs all of the user's steps.
async fn end(
    honnin: &Honnin,
    row: &SessionRow,
    outcome: SandboxOutcome,
    now: Timestamp,
) -> Result<Ended, CompleteError> {
    let session = &row.session;
    let (session, end) = match (outcome, outcome.verdict()) {
        (SandboxOutcome::Expired, _) => (session.expire_early(now)?, End::Expired),
        (_, None) => (session.start(now)?.fail(now)?, End::Failed),
        (_, Some(verdict)) => (
            session.start(now)?.submit(now)?.decide(verdict, now)?,
            End::Decided(Box::new(decide(honnin, row, verdict, now).await?)),
        ),
    };
    Ok(Ended { session, end })
}

/// Invents the data and encrypts it.
async fn decide(honnin: &Honnin, row: &SessionRow, verdict: Verdict, now: Timestamp) -> Result<Decided, StoreError> {
    let key = honnin.vault.open(&row.data_key).await?;
    let known = crate::runtime::sealed_json::open_column::<PreRegistered>(
        &key,
        &row.associated_data(SealedValue::Known),
        row.known.as_ref(),
    )?;
    let known = known.as_ref().map(|known| known.expose());
    let made_up = make_up(&row.session.plan, known, verdict, now.date());
    let terms = of_session(known, made_up.typed.as_ref(), &made_up.fields);
    let terms = hashes(honnin, &row.session.tenant, &terms).await?;
    let typed = made_up
        .typed
        .map(|typed| seal_json(&key, &row.associated_data(SealedValue::Typed), &typed))
        .transpose()?;
    let grounds = Grounds {
        policy: made_up.policy,
        models: Vec::new(),
        captures: Vec::new(),
        fields: made_up.document_type.map(|_| made_up.fields),
        terms,
        faces: FaceSearch::NotWanted,
    };
    Ok(Decided {
        document_type: made_up.document_type,
        typed,
        sealed: SealedDecision::seal(row, &key, made_up.decision, grounds, now)?,
    })
}

/// Stores state, outcome, event, delivery and audit entry in one unit, if the session has not changed since it was read.
async fn store(
    tx: &mut Tx,
    who: &Who,
    ended: &Ended,
    event: &EventId,
    at: ClockReading,
) -> Result<Completed, CompleteError> {
    let now = at.now;
    let (tenant, mut row) = who.find(tx).await?;
    let tenant = tenants::load_pinned(tx, &tenant.id).await?;
    if row.session.version != ended.session.version {
        return Err(CompleteError::NotAllowed);
    }
    row.session = ended.session.clone();
    let ending = Ending {
        event,
        tenant: &tenant,
        row: &mut row,
        at,
    };
    match &ended.end {
        End::Expired => ending.expire(tx).await?,
        End::Failed => ending.fail(tx, FailureReason::ProcessingError).await?,
        End::Decided(decided) => {
            let session = &ending.row.session;
            let mut answers = attempts::load(tx, &session.id, session.attempt).await?;
            answers.submitted_at = Some(now);
            attempts::save(tx, &mut answers).await?;
            ending.row.typed.clone_from(&decided.typed);
            ending.row.document_type = decided.document_type;
            record::record(tx, ending, &decided.sealed).await?;
        }
    }
    // A user who had come this far would have used it.
    links::kill_all(tx, &row.session.id, now).await?;
    who.record(tx, &row, now).await?;
    Ok(Completed {
        id: row.session.id,
        status: row.session.status,
    })
}
