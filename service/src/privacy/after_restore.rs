//! Erasing again what was erased after a backup was made. Its keys are gone, so that nothing of it can be read; this empties the columns and
//! removes the pictures as well, and marks the session as erased. A session that was erased after the keys were copied has its key again, and has
//! to be erased by somebody who knows about it.
//!
//! And the other way round: the keys are newer than the data, so some may be of sessions that only newer copies have. This installation does
//! not know these people and cannot erase them; while their keys are copied along, the newer copies of them can be read.

use super::erase_now::end_early;
use crate::{
    Honnin,
    session::{self, retention::schedule_erasure_at},
};
use domain::{audit::AuditAction, audit_detail::DetailWord, ids::SessionId};
use std::collections::BTreeSet;
use store::{
    StoreError, audit, capture::captures, decision::identities, jobs::ErasureSubject, session::sessions,
    settings::tenants, vault::DataKeyId, webhook::deliveries,
};

/// Sessions looked at in one unit of work.
const BATCH: u32 = 500;
/// The newest sessions by which every start judges whether the keys are theirs.
const LOOKED_AT: u32 = 10_000;

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

/// Whether there are sessions, and the database of keys has the key of none of the newest ones: then it is not theirs, but for example a new one,
/// since its disk is not mounted. Everybody would count as erased. Sessions that are about to be erased do not count: their keys may be gone.
///
/// # Errors
/// If a database does not respond.
pub async fn lacks_all_keys(honnin: &Honnin) -> Result<bool, StoreError> {
    let find = honnin
        .db
        .ask(async |tx| sessions::list_newest_keys(tx, LOOKED_AT).await);
    let newest = find.await?;
    for some in newest.chunks(BATCH as usize) {
        let keys: Vec<_> = some.iter().map(|(_, key)| key.clone()).collect();
        if honnin.vault.list_destroyed(&keys).await?.len() < keys.len() {
            return Ok(false);
        }
    }
    let unit = honnin.db.read(async move |tx| {
        for (id, _) in &newest {
            let row = sessions::find_any(tx, id).await?;
            if row.is_some_and(|row| row.session.may_be_revived()) {
                return Ok(true);
            }
        }
        Ok(false)
    });
    unit.await
}

/// Whether there are keys, but no tenant that could have made them: then the database is not theirs, but for example a new one, since its file is
/// gone.
///
/// # Errors
/// If a database does not respond.
pub async fn has_only_keys(honnin: &Honnin) -> Result<bool, StoreError> {
    // At nearly every start there is a tenant.
    if has_tenant(honnin).await? || honnin.vault.list_versions().await?.is_empty() {
        return Ok(false);
    }
    // Once more after the keys: the tenant was there before them. Another node may be making both.
    Ok(!has_tenant(honnin).await?)
}

async fn has_tenant(honnin: &Honnin) -> Result<bool, StoreError> {
    let oldest = honnin.db.ask(async |tx| tenants::find_oldest(tx).await);
    Ok(oldest.await?.is_some())
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

/// Schedules the erasure of these sessions: they were erased after the keys were copied, so that their keys are back as well. Returns how many of
/// them are here and were not erased.
///
/// # Errors
/// If the database does not respond.
pub async fn erase_listed(honnin: &Honnin, listed: &BTreeSet<SessionId>) -> Result<u64, StoreError> {
    let mut erased = 0;
    for id in listed {
        erased += u64::from(erase(honnin, id).await?);
    }
    Ok(erased)
}

/// Lets every event that the copy has not delivered, or had no receiver for, count as sent: the lost installation may have delivered it since.
/// So if its session is erased before this installation sends it, it goes without the session's metadata, like any event that is sent again.
///
/// # Errors
/// If the database does not respond.
pub async fn note_sent(honnin: &Honnin) -> Result<(), StoreError> {
    for tenant in honnin.db.read(async |tx| tenants::list(tx).await).await? {
        let id = tenant.id;
        let unit = honnin
            .db
            .write(async move |tx| deliveries::note_sent_of_undelivered(tx, &id).await);
        unit.await?;
    }
    Ok(())
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
    Ok(list_unknown_keys(honnin).await?.len() as u64)
}

/// Destroys those keys; returns how many there were. Only for an installation that was just restored and serves nobody: a node that is running
/// has keys in advance.
///
/// # Errors
/// If a database does not respond.
pub async fn forget_unknown_keys(honnin: &Honnin) -> Result<u64, StoreError> {
    let unknown = list_unknown_keys(honnin).await?;
    // What a reader has kept of them is gone once the database is closed.
    honnin.vault.destroy_many(&unknown).await?;
    Ok(unknown.len() as u64)
}

async fn list_unknown_keys(honnin: &Honnin) -> Result<Vec<DataKeyId>, StoreError> {
    let of_tenants = honnin.db.read(async |tx| identities::list_keys(tx).await).await?;
    let mut named: BTreeSet<DataKeyId> = of_tenants.into_iter().collect();
    let mut batches = Batches::default();
    while let Some(listed) = batches.list(honnin).await? {
        named.extend(listed.into_iter().map(|(_, key)| key));
    }
    honnin.vault.list_unnamed(&named).await
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
        let destroyed = honnin.vault.list_destroyed(&keys).await?;
        let sessions = listed.len() as u64;
        let without = listed.into_iter().filter(|(_, key)| destroyed.contains(key));
        Ok(Some(Batch {
            sessions,
            without_key: without.map(|(id, _)| id).collect(),
        }))
    }
}

/// Schedules the erasure of a session. Returns whether it is here and was not erased.
async fn erase(honnin: &Honnin, id: &SessionId) -> Result<bool, StoreError> {
    let (id, at, event) = (id.clone(), honnin.read_clock(), honnin.event_id());
    let unit = honnin.db.write(async move |tx| {
        let row = sessions::find_any(tx, &id).await?;
        let Some(mut row) = row.filter(|row| row.session.purged_at.is_none()) else {
            return Ok(false);
        };
        let owner = tenants::load_pinned(tx, &row.session.tenant).await?;
        // A reprocess before the job has run would collect data under a destroyed key.
        row.session.erasure_requested_at.get_or_insert(at.now);
        sessions::save(tx, &mut row).await?;
        // The copy does not know what was sent after it.
        deliveries::note_sent_of_session(tx, &id).await?;
        end_early(tx, &event, &owner, &mut row, at).await?;
        schedule_erasure_at(tx, &ErasureSubject::of(&row.session), at.at_once()).await?;
        let entry = session::audit_entry(&row, at.now, AuditAction::SessionEraseNow)
            .with_detail(DetailWord::ErasedBeforeRestore);
        audit::record(tx, &entry).await?;
        Ok(true)
    });
    unit.await
}
