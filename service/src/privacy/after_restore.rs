//! Erasing again what was erased after a backup was made. Its keys are gone, so that nothing of it can be read; this empties the
//! columns and removes the pictures as well, and makes the session say that it was erased.

use super::erase_now::end_early;
use crate::{
    Honnin,
    session::{self, retention::schedule_erasure_at},
};
use domain::{audit::AuditAction, ids::SessionId};
use store::{StoreError, audit, session::sessions, settings::tenants};

/// Sessions looked at in one unit of work.
const BATCH: u32 = 500;

/// Schedules the erasure of every session whose key is gone; returns how many there are. Only for an installation that was just
/// restored and serves nobody: a session that is being created has its key already, but one that is being erased has none.
///
/// # Errors
/// If a database does not respond.
pub async fn erase_again(honnin: &Honnin) -> Result<u64, StoreError> {
    let (mut erased, mut after) = (0, None);
    loop {
        let seen: Option<SessionId> = after.clone();
        let batch = honnin
            .db
            .read(async move |tx| sessions::list_keys(tx, seen.as_ref(), BATCH).await)
            .await?;
        let Some((last, _)) = batch.last() else {
            return Ok(erased);
        };
        after = Some(last.clone());
        let keys: Vec<_> = batch.iter().map(|(_, key)| key.clone()).collect();
        let destroyed = honnin.vault.find_destroyed(&keys).await?;
        for (id, _) in batch.iter().filter(|(_, key)| destroyed.contains(key)) {
            erase(honnin, id).await?;
            erased += 1;
        }
    }
}

async fn erase(honnin: &Honnin, id: &SessionId) -> Result<(), StoreError> {
    let (id, at, event) = (id.clone(), honnin.moment(), honnin.event_id());
    let unit = honnin.db.write(async move |tx| {
        let row = sessions::find_any(tx, &id).await?;
        let Some(mut row) = row.filter(|row| row.session.purged_at.is_none()) else {
            return Ok(());
        };
        let owner = tenants::load(tx, &row.session.tenant).await?;
        // A reprocess before the job has run would collect data under a destroyed key.
        row.session.erasure_requested_at.get_or_insert(at.now);
        sessions::save(tx, &mut row).await?;
        end_early(tx, &event, &owner, &mut row, at).await?;
        schedule_erasure_at(tx, (&id, row.session.attempt), at.at_once()).await?;
        let entry = session::audit_entry(&row, at.now, AuditAction::SessionEraseNow)
            .with_detail("erased before the backup was restored");
        audit::record(tx, &entry).await
    });
    unit.await
}
