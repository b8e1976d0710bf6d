//! Searches for the face of a waiting case among those approved since the case went to review: two cases of one person may wait at the same time, and
//! neither was approved when the other was decided.

use crate::{
    Honnin,
    decision::earlier::{
        faces::{self, MAX_FACES},
        find_face,
    },
};
use domain::{
    decision::Policy,
    ids::{SessionId, TenantId},
    outcome::Outcome,
    session::Status,
    time::{SKEW, Timestamp},
};
use std::collections::BTreeSet;
use store::{
    StoreError, Tx,
    decision::identities,
    session::sessions::{self, SessionRow},
    settings::tenants,
};

/// What a search found.
#[derive(Clone, Debug, Default)]
pub(super) struct SameFace {
    /// The sessions whose faces were compared.
    compared: BTreeSet<SessionId>,
    /// Those of them with the same face, by id.
    pub(super) sessions: Vec<SessionId>,
}

/// Which approvals count, and by what policy.
struct Scope {
    since: Timestamp,
    policy: Policy,
}

/// What a face is compared with.
struct Sought {
    others: Vec<SessionId>,
    policy: Policy,
}

/// The time since which approvals are shown to the reviewer of a case with this outcome. The clocks of nodes may differ, so that what was approved
/// after the case went to review may bear a time before it.
pub(super) fn approved_since(outcome: &Outcome) -> Timestamp {
    outcome.decided_at.minus(SKEW)
}

/// Compares the face of a waiting case with those that were approved since it was decided. Nothing is compared where the tenant does not search for
/// faces, or the user did not agree to it; nor if there are more of them than a decision searches.
///
/// # Errors
/// If a database does not respond, or a version of the master key is missing: a face that cannot be decrypted may be the same.
pub(super) async fn find(honnin: &Honnin, tenant: &TenantId, id: &SessionId) -> Result<SameFace, StoreError> {
    let (of, case) = (tenant.clone(), id.clone());
    let unit = honnin
        .db
        .read(async move |tx| match sessions::find(tx, &of, &case).await? {
            Some(row) => find_sought(tx, &row).await,
            None => Ok(None),
        });
    let Some(Sought { others, policy }) = unit.await? else {
        return Ok(SameFace::default());
    };
    let sessions = match find_face(honnin, id).await? {
        Some(face) => faces::find_same(honnin, tenant, &face, &others, policy.duplicate_from).await?,
        None => Vec::new(),
    };
    let compared = others.into_iter().collect();
    Ok(SameFace { compared, sessions })
}

/// `None` if no case is waiting, or its tenant does not search for faces.
async fn find_scope(tx: &mut Tx, row: &SessionRow) -> Result<Option<Scope>, StoreError> {
    let Some(outcome) = row.outcome.as_ref().filter(|_| row.session.status == Status::Reviewing) else {
        return Ok(None);
    };
    let since = approved_since(outcome);
    let tenant = tenants::find(tx, &row.session.tenant).await?;
    let policy = tenant.map(|tenant| tenant.settings_or_default().policy.clone());
    let policy = policy.filter(|policy| policy.find_duplicates);
    Ok(policy.map(|policy| Scope { since, policy }))
}

/// `None` if there is nothing to compare with, or too much.
async fn find_sought(tx: &mut Tx, row: &SessionRow) -> Result<Option<Sought>, StoreError> {
    let Some(Scope { since, policy }) = find_scope(tx, row).await? else {
        return Ok(None);
    };
    let others = identities::list_faces_approved_after(tx, &row.session.id, since, MAX_FACES + 1).await?;
    let is_searched = !others.is_empty() && !is_too_many(&others);
    Ok(is_searched.then_some(Sought { others, policy }))
}

const fn is_too_many(others: &[SessionId]) -> bool {
    others.len() > MAX_FACES as usize
}

impl SameFace {
    /// Whether every face was compared that has been approved since the case was decided, or there are too many. While the tenant is locked, no other
    /// is approved.
    pub(super) async fn is_complete(&self, tx: &mut Tx, row: &SessionRow) -> Result<bool, StoreError> {
        let Some(Scope { since, .. }) = find_scope(tx, row).await? else {
            return Ok(true);
        };
        let others = identities::list_faces_approved_after(tx, &row.session.id, since, MAX_FACES + 1).await?;
        Ok(is_too_many(&others) || others.iter().all(|other| self.compared.contains(other)))
    }
}
