//! Erasing again what was erased after a backup was made. Its keys are gone, so that nothing of it can be read; this empties the
//! columns and removes the pictures as well, and makes the session say that it was erased.
//!
//! And the other way round: the keys are newer than the data, so some may be of sessions that only newer copies have. This installation does
//! not know these people and cannot erase them; while their keys are copied along, the newer copies of them can be read.

use super::erase_now::end_early;
use crate::{
    Honnin,
    session::{self, retention::schedule_erasure_at},
};
use domain::{audit::AuditAction, ids::SessionId};
use std::collections::BTreeSet;
use store::{
    StoreError, audit, capture::captures, decision::identities, session::sessions, settings::tenants, vault::DataKeyId,
};

/// Sessions looked at in one unit of work.
const BATCH: u32 = 500;

/// Sessions that were not erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// How many there are.
    pub sessions: u64,
    /// How many of them have no key.
    pub without_key: u64,
}

/// Counts the sessions that were not erased, and those of them whose key is gone. Changes nothing.
///
/// # Errors
/// If a database does not respond.
pub async fn count_without_key(honnin: &Honnin) -> Result<Found, StoreError> {
    let (mut found, mut batches) = (Found::default(), Batches::default());
    while let Some(batch) = batches.next(honnin).await? {
        found.sessions += batch.sessions;
        found.without_key += batch.without_key.len() as u64;
    }
    Ok(found)
}

/// Schedules the erasure of every session whose key is gone; returns how many there are. Only for an installation that was just
/// restored and serves nobody: a session that is being created has its key already, but one that is being erased has none.
///
/// # Errors
/// If a database does not respond.
pub async fn erase_again(honnin: &Honnin) -> Result<u64, StoreError> {
    let (mut erased, mut batches) = (0, Batches::default());
    while let Some(batch) = batches.next(honnin).await? {
        for id in &batch.without_key {
            erase(honnin, id).await?;
            erased += 1;
        }
    }
    Ok(erased)
}

/// Lets captures forget the pictures that were deleted while the copy was made, each by its session and its name: the rows were copied before.
///
/// # Errors
/// If the database does not respond.
pub async fn forget_deleted(honnin: &Honnin, pictures: &[(SessionId, String)]) -> Result<(), StoreError> {
    for (session, object) in pictures.iter().cloned() {
        let unit = honnin.db.write(async move |tx| {
            for capture in captures::list_all(tx, &session).await? {
                if capture.frames.iter().any(|frame| frame.object == object) {
                    captures::forget_frames(tx, &capture.id).await?;
                }
            }
            Ok::<_, StoreError>(())
        });
        unit.await?;
    }
    Ok(())
}

/// Counts the keys that neither a session nor a tenant here has: those of sessions that only newer copies have, and some that were made in
/// advance by the nodes that are lost, from which nothing tells them apart. Changes nothing.
///
/// # Errors
/// If a database does not respond.
pub async fn count_unknown_keys(honnin: &Honnin) -> Result<u64, StoreError> {
    Ok(find_unknown_keys(honnin).await?.len() as u64)
}

/// Destroys those keys; returns how many there were. Only for an installation that was just restored and serves nobody: a node that is running
/// has keys in advance.
///
/// # Errors
/// If a database does not respond.
pub async fn forget_unknown_keys(honnin: &Honnin) -> Result<u64, StoreError> {
    let unknown = find_unknown_keys(honnin).await?;
    // What a reader has kept of them is gone once the database is closed.
    honnin.vault.destroy_many(&unknown).await?;
    Ok(unknown.len() as u64)
}

async fn find_unknown_keys(honnin: &Honnin) -> Result<Vec<DataKeyId>, StoreError> {
    let of_tenants = honnin.db.read(async |tx| identities::list_keys(tx).await).await?;
    let mut named: BTreeSet<DataKeyId> = of_tenants.into_iter().collect();
    let mut batches = Batches::default();
    while let Some(listed) = batches.list(honnin).await? {
        named.extend(listed.into_iter().map(|(_, key)| key));
    }
    honnin.vault.find_unnamed(&named).await
}

/// Sessions that were not erased, some at a time.
#[derive(Default)]
struct Batches {
    /// The last one that was looked at.
    last: Option<SessionId>,
}

/// Some of them.
struct Batch {
    sessions: u64,
    without_key: Vec<SessionId>,
}

impl Batches {
    /// The next ones, with their keys.
    async fn list(&mut self, honnin: &Honnin) -> Result<Option<Vec<(SessionId, DataKeyId)>>, StoreError> {
        let after = self.last.clone();
        let listed = honnin
            .db
            .read(async move |tx| sessions::list_keys(tx, after.as_ref(), BATCH).await)
            .await?;
        let Some((last, _)) = listed.last() else {
            return Ok(None);
        };
        self.last = Some(last.clone());
        Ok(Some(listed))
    }

    async fn next(&mut self, honnin: &Honnin) -> Result<Option<Batch>, StoreError> {
        let Some(listed) = self.list(honnin).await? else {
            return Ok(None);
        };
        let keys: Vec<_> = listed.iter().map(|(_, key)| key.clone()).collect();
        let destroyed = honnin.vault.find_destroyed(&keys).await?;
        let sessions = listed.len() as u64;
        let without = listed.into_iter().filter(|(_, key)| destroyed.contains(key));
        Ok(Some(Batch {
            sessions,
            without_key: without.map(|(id, _)| id).collect(),
        }))
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
