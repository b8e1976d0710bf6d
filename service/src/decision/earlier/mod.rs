//! Finds sessions that the tenant approved before with the same document or face, and stores what recognises this session
//! later. A document number is stored as an HMAC under a key of the tenant; the identity of the other session's person is read
//! from that session itself, so that no personal data outlives the erasure of its session.

pub(crate) mod faces;

use crate::{
    Honnin,
    capture::{
        findings::findings_of_document,
        progress::{AttemptState, gather},
    },
    decision::input::{self, DecisionInput},
    fingerprints::tenant_key,
    runtime::sealed_json::open_column,
};
use domain::{
    decision::{Earlier, Person, Policy, document_identity},
    findings::{DocumentFindings, Face, take_superseded},
    ids::{SessionId, TenantId},
    outcome::Verdict,
    secret::Personal,
    session::Step,
    time::{Millis, SKEW, Timestamp},
    user_input::UserInput,
};
use store::{
    StoreError, Tx,
    decision::identities::{self, IdentityRow},
    session::sessions,
    settings::tenants,
    vault::{SealedValue, SessionKey},
};

/// Earlier sessions with the same document that are compared, the latest first: more are not needed for a finding.
const MAX_HOLDERS: u32 = 20;
/// The clocks of nodes may differ by this much, so that a face which is approved during a search may bear a time before it.
const SHORTLY: Millis = SKEW;

/// What was found, and what will recognise this session later.
#[derive(Clone)]
pub(crate) struct EarlierSessions {
    /// What was found in earlier sessions.
    pub(crate) earlier: Earlier,
    /// What recognises this session later; counts once it is approved.
    identity: IdentityRow,
    /// The sessions that were approved with the same document.
    seen: Vec<SessionId>,
    /// The sessions whose faces had been approved shortly before the search.
    seen_faces: Vec<SessionId>,
    /// Since when faces were approved shortly before it.
    faces_since: Timestamp,
}

/// What to do about an earlier session whose version of the master key is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingKey {
    /// Fail: the decision is tried again, and the key may be there by then.
    Waits,
    /// Treat the session as one that is damaged.
    IsLost,
}

/// Looks for earlier sessions of a session that is about to be decided.
///
/// # Errors
/// If a database does not respond, or a key is missing and [`MissingKey::Waits`].
pub(crate) async fn find_earlier(
    honnin: &Honnin,
    attempt: &AttemptState,
    key: &SessionKey,
    found: &DecisionInput,
    policy: &Policy,
    missing_key: MissingKey,
) -> Result<EarlierSessions, StoreError> {
    let (session, tenant) = (&attempt.row.session.id, &attempt.row.session.tenant);
    let document = fingerprint(honnin, attempt, found).await?;
    let seen = match document {
        Some(document) => sessions_with(honnin, tenant, document, session).await?,
        None => Vec::new(),
    };
    let mut holders = Vec::new();
    for id in &seen {
        holders.extend(holder(honnin, id, missing_key).await?);
    }
    let face = found.selfie.as_ref().and_then(|selfie| selfie.face.as_ref());
    let agreed = policy.find_duplicates && attempt.answers.face_search == Some(true);
    let searched = face.filter(|_| agreed);
    let faces_since = honnin.now().minus(SHORTLY);
    let seen_faces = match searched {
        Some(_) => faces_approved_since(honnin, tenant, faces_since).await?,
        None => Vec::new(),
    };
    let faces = match searched {
        Some(face) => faces::search(honnin, tenant, session, face).await?,
        None => faces::without(attempt.plan().has(Step::Selfie), policy),
    };
    let sealed = searched.map(|face| faces::seal(key, &attempt.row, face));
    Ok(EarlierSessions {
        earlier: Earlier {
            holders,
            faces,
            noted: Vec::new(),
        },
        identity: IdentityRow {
            session: session.clone(),
            tenant: tenant.clone(),
            document,
            face: sealed.transpose()?,
            face_engine: face.map(|face| face.engine.name.clone()).unwrap_or_default(),
            approved_at: None,
        },
        seen,
        seen_faces,
        faces_since,
    })
}

impl EarlierSessions {
    /// Stores what recognises the session, in the unit that stores its decision: effective immediately if it is approved,
    /// pending if a person decides, not at all if it is rejected.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if another session was approved with the document, or another face, in the meantime; or if this one would be approved
    /// while a reviewer can still undo an approval with the document: the decision is made once that is settled.
    pub(crate) async fn keep(&self, tx: &mut Tx, verdict: Verdict, now: Timestamp) -> Result<(), StoreError> {
        let row = &self.identity;
        let approved_at = match verdict {
            Verdict::Approved => Some(now),
            Verdict::NeedsReview => None,
            Verdict::Rejected => return Ok(()),
        };
        if row.document.is_none() && row.face.is_none() {
            return Ok(());
        }
        if !self.is_complete(tx, verdict).await? {
            return Err(StoreError::Conflict);
        }
        let row = IdentityRow {
            approved_at,
            ..row.clone()
        };
        identities::save(tx, &row).await
    }

    /// Whether nobody was approved since the search, or is about to be, whom it should have found. From here on nobody is until the unit is done.
    /// A reviewer is shown approvals that can still be undone, and those that come later.
    async fn is_complete(&self, tx: &mut Tx, verdict: Verdict) -> Result<bool, StoreError> {
        let row = &self.identity;
        tenants::lock(tx, &row.tenant).await?;
        if let Some(document) = row.document {
            let (tenant, session) = (&row.tenant, &row.session);
            if identities::list_by_document(tx, tenant, &document, session, MAX_HOLDERS).await? != self.seen
                || (verdict == Verdict::Approved
                    && identities::is_approval_pending(tx, tenant, &document, session).await?)
            {
                return Ok(false);
            }
        }
        Ok(row.face.is_none()
            || identities::list_faces_since(tx, &row.tenant, self.faces_since).await? == self.seen_faces)
    }
}

async fn faces_approved_since(
    honnin: &Honnin,
    tenant: &TenantId,
    since: Timestamp,
) -> Result<Vec<SessionId>, StoreError> {
    let tenant = tenant.clone();
    let unit = honnin
        .db
        .read(async move |tx| identities::list_faces_since(tx, &tenant, since).await);
    unit.await
}

async fn fingerprint(
    honnin: &Honnin,
    attempt: &AttemptState,
    found: &DecisionInput,
) -> Result<Option<[u8; 32]>, StoreError> {
    let kind = attempt.row.document_type.filter(|_| attempt.plan().has(Step::Document));
    let Some(identity) = kind.and_then(|kind| document_identity(kind, &found.document)) else {
        return Ok(None);
    };
    let key = tenant_key(honnin, &attempt.row.session.tenant).await?;
    Ok(Some(key.fingerprint(&identity.each_ref().map(String::as_str))))
}

async fn sessions_with(
    honnin: &Honnin,
    tenant: &TenantId,
    document: [u8; 32],
    but: &SessionId,
) -> Result<Vec<SessionId>, StoreError> {
    let (tenant, but) = (tenant.clone(), but.clone());
    let unit = honnin
        .db
        .read(async move |tx| identities::list_by_document(tx, &tenant, &document, &but, MAX_HOLDERS).await);
    unit.await
}

/// Who was approved in a session; `None` if it is erased and can no longer be compared. With damaged data it is somebody of whom nothing is
/// known: then a reviewer compares them.
async fn holder(honnin: &Honnin, session: &SessionId, missing_key: MissingKey) -> Result<Option<Person>, StoreError> {
    let error = match read_holder(honnin, session).await {
        Err(error @ StoreError::MasterKeyMissing) if missing_key == MissingKey::Waits => return Err(error),
        Err(error @ (StoreError::Corrupt(_) | StoreError::MasterKeyMissing)) => error,
        read => return read,
    };
    tracing::error!(%session, %error, "the data of an approved session cannot be read");
    Ok(Some(Person::default()))
}

/// The face of a session's selfie; `None` if it is erased or has none.
///
/// # Errors
/// If a database does not respond, or what was found cannot be read.
pub(crate) async fn find_face(honnin: &Honnin, session: &SessionId) -> Result<Option<Face>, StoreError> {
    Ok(read_holder(honnin, session).await?.and_then(|person| person.face))
}

async fn read_holder(honnin: &Honnin, session: &SessionId) -> Result<Option<Person>, StoreError> {
    let session = session.clone();
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        match sessions::find_any(tx, &session).await? {
            Some(row) if row.session.purged_at.is_none() => gather(tx, row).await.map(Some),
            _ => Ok(None),
        }
    });
    let Some(attempt) = unit.await? else { return Ok(None) };
    let key = match honnin.vault.open(&attempt.row.data_key).await {
        Err(StoreError::Erased) => return Ok(None),
        key => key?,
    };
    let mut document: Vec<DocumentFindings> = findings_of_document(&attempt, &key)?
        .into_iter()
        .filter_map(|(_, found)| Some(found?.into_exposed()))
        .collect();
    // A name that was replaced is no other person's.
    take_superseded(&mut document);
    let associated_data = attempt.row.associated_data(SealedValue::Typed);
    let typed: Option<Personal<UserInput>> = open_column(&key, &associated_data, attempt.row.typed.as_ref())?;
    let selfie = input::selfie(&attempt, &key)?;
    Ok(Some(Person {
        fields: document.into_iter().flat_map(|side| side.fields).collect(),
        typed: typed.map(Personal::into_exposed),
        face: selfie.and_then(|selfie| selfie.face),
    }))
}
