//! The search for the face of a waiting case among those that were approved since the case was decided: two cases of one person may wait at once, and
//! neither was approved when the other was decided.

use crate::{
    Honnin,
    decision::earlier::{faces, find_face},
};
use domain::{
    decision::Policy,
    ids::{SessionId, TenantId},
    session::Status,
};
use store::{
    StoreError, Tx,
    decision::identities::{self, SealedFace},
    session::sessions::{self, SessionRow},
    settings::tenants,
};

/// What a search found.
#[derive(Clone, Debug, Default)]
pub(super) struct SameFace {
    /// The sessions whose faces were compared.
    compared: Vec<SessionId>,
    /// Those of them with the same face, by id.
    pub(super) sessions: Vec<SessionId>,
}

/// What a face is compared with.
struct Sought {
    others: Vec<SealedFace>,
    policy: Policy,
}

/// Compares the face of a waiting case with those that were approved since it was decided. Nothing is compared where the tenant does not search for
/// faces, or the user did not agree to it.
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
    let compared = others.into_iter().map(|other| other.session).collect();
    Ok(SameFace { compared, sessions })
}

/// `None` if there is nothing to compare with.
async fn find_sought(tx: &mut Tx, row: &SessionRow) -> Result<Option<Sought>, StoreError> {
    let Some(outcome) = row.outcome.as_ref().filter(|_| row.session.status == Status::Reviewing) else {
        return Ok(None);
    };
    let tenant = tenants::find(tx, &row.session.tenant).await?;
    let policy = tenant.map(|tenant| tenant.settings_or_default().policy.clone());
    let Some(policy) = policy.filter(|policy| policy.find_duplicates) else {
        return Ok(None);
    };
    let others = identities::list_faces_approved_after(tx, &row.session.id, outcome.decided_at).await?;
    Ok((!others.is_empty()).then_some(Sought { others, policy }))
}

impl SameFace {
    /// Whether every face was compared that has been approved since the case was decided. While the tenant is locked, no other is.
    pub(super) async fn is_complete(&self, tx: &mut Tx, row: &SessionRow) -> Result<bool, StoreError> {
        let sought = find_sought(tx, row).await?;
        let mut others = sought.iter().flat_map(|sought| &sought.others);
        Ok(others.all(|other| self.compared.contains(&other.session)))
    }
}
