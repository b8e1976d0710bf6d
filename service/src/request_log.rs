//! The request log of a tenant's developers. Requests are collected in memory and written in batches, so that they cost an
//! operation no commit and cannot make it fail: what a crash or an unavailable database loses is a second of the log.

use crate::{Honnin, access::Developer, runtime::to_completion::to_completion};
use domain::{
    ids::TenantId,
    time::{Millis, Timestamp},
};
use std::{
    collections::HashMap,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use store::{
    StoreError,
    request_log::{self, Entry, Filter, Logged, MAX_AT_ONCE, Operation},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How often a process writes what it has collected, unless there is enough for a batch before.
const EVERY: Duration = Duration::from_secs(1);
/// Entries that may wait to be written; more are dropped. About 3 MB.
const ROOM: usize = 10_000;
/// After this many entries of a tenant, its oldest ones are removed: the number kept is exceeded by as many at most, unless it was lowered.
const TRIM_AFTER: u32 = 1_000;
/// How many are removed then at most: more than were added, and few enough that nobody waits for it. The sweep removes the rest.
const TRIMMED: u32 = 2 * TRIM_AFTER;

/// How much is kept for each tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The newest entries; 0 if nothing is logged.
    pub most: u32,
    /// And of these, those that are not older.
    pub age: Millis,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            most: 10_000,
            age: Millis::days(7),
        }
    }
}

/// What this process has still to write.
#[derive(Debug, Default)]
pub(crate) struct RequestLog {
    state: Mutex<State>,
    full_batch: Notify,
    /// Held while entries are written, so that a later reader finds what was collected before.
    writing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Entry>,
    dropped: u64,
    /// By tenant: entries written since its oldest were removed.
    since_trim: HashMap<TenantId, u32>,
}

impl RequestLog {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an entry, if there is room for it.
    fn push(&self, entry: Entry) {
        let waiting = {
            let mut state = self.state();
            if state.waiting.len() < ROOM {
                state.waiting.push(entry);
            } else {
                state.dropped += 1;
            }
            state.waiting.len()
        };
        // Only when there is enough: what could not be written is tried again each second, not with every request.
        if waiting == MAX_AT_ONCE {
            self.full_batch.notify_one();
        }
    }

    /// What is waiting, and how many there was no room for.
    fn take(&self) -> (Vec<Entry>, u64) {
        let mut state = self.state();
        (mem::take(&mut state.waiting), mem::take(&mut state.dropped))
    }

    /// Puts entries back that could not be written, before those that have come since. The oldest are dropped if there is no room.
    fn put_back(&self, mut entries: Vec<Entry>) {
        let mut state = self.state();
        let room = ROOM.saturating_sub(state.waiting.len());
        let excess = entries.len().saturating_sub(room);
        drop(entries.drain(..excess));
        state.dropped += excess as u64;
        entries.append(&mut state.waiting);
        state.waiting = entries;
    }

    /// By tenant: entries that will have been written since the oldest were removed, once this batch is.
    fn count(&self, batch: &[Entry]) -> HashMap<TenantId, u32> {
        let state = self.state();
        let mut counts = HashMap::new();
        for entry in batch {
            let before = || state.since_trim.get(&entry.tenant).copied().unwrap_or_default();
            *counts.entry(entry.tenant.clone()).or_insert_with(before) += 1;
        }
        counts
    }
}

/// Notes a request that was answered. Returns at once.
pub fn note(honnin: &Honnin, entry: Entry) {
    if honnin.config.retention.requests.most == 0 {
        return;
    }
    honnin.request_log.push(entry);
}

/// Writes what this process has collected, even if the caller goes away meanwhile: others' requests are part of it.
///
/// # Errors
/// If storage fails. What could not be written is collected again, as far as there is room.
pub async fn write(honnin: &Honnin) -> Result<(), StoreError> {
    let honnin = honnin.clone();
    to_completion(async move { write_collected(&honnin).await }).await
}

async fn write_collected(honnin: &Honnin) -> Result<(), StoreError> {
    let log = &honnin.request_log;
    let _one_at_a_time = log.writing.lock().await;
    let (mut entries, dropped) = log.take();
    if dropped > 0 {
        tracing::warn!(
            dropped,
            "the request log has gaps: the database is too slow for it, or refuses it"
        );
    }
    while !entries.is_empty() {
        let rest = entries.split_off(entries.len().min(MAX_AT_ONCE));
        match write_batch(honnin, &entries).await {
            Ok(()) => entries = rest,
            // It would be refused again.
            Err(error @ (StoreError::Refused(_) | StoreError::Duplicate)) => {
                log.state().dropped += entries.len() as u64;
                log.put_back(rest);
                return Err(error);
            }
            Err(error) => {
                entries.extend(rest);
                log.put_back(entries);
                return Err(error);
            }
        }
    }
    Ok(())
}

async fn write_batch(honnin: &Honnin, batch: &[Entry]) -> Result<(), StoreError> {
    let log = &honnin.request_log;
    let mut counts = log.count(batch);
    let due: Vec<TenantId> = counts
        .extract_if(|_, count| *count >= TRIM_AFTER)
        .map(|(tenant, _)| tenant)
        .collect();
    let (rows, full, most) = (batch.to_vec(), due.clone(), honnin.config.retention.requests.most);
    let unit = honnin.db.write(async move |tx| {
        request_log::insert_all(tx, &rows).await?;
        for tenant in &full {
            request_log::keep_newest(tx, tenant, most, TRIMMED).await?;
        }
        Ok(())
    });
    unit.await?;
    // Only now: what is not written is written again, and counted again.
    let mut state = log.state();
    state.since_trim.extend(counts);
    state.since_trim.extend(due.into_iter().map(|tenant| (tenant, 0)));
    Ok(())
}

/// Writes every second, or when there is enough for a batch, until `stop`; then once more.
pub async fn run(honnin: Honnin, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = honnin.request_log.full_batch.notified() => {}
            () = stop.cancelled() => {}
        }
        let stopping = stop.is_cancelled();
        if let Err(error) = write(&honnin).await {
            tracing::warn!(%error, "cannot write the request log");
        }
        if stopping {
            return;
        }
    }
}

/// The tenant's requests that match, newest first, before number `before`. Those that this process has just answered are
/// among them.
///
/// # Errors
/// If storage fails.
pub async fn list(
    honnin: &Honnin,
    developer: &Developer,
    filter: Filter,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Logged>, StoreError> {
    write(honnin).await?;
    let tenant = developer.staff().tenant().clone();
    let unit = honnin
        .db
        .read(async move |tx| request_log::list(tx, &tenant, &filter, before, limit).await);
    unit.await
}

/// The operations in the tenant's log.
///
/// # Errors
/// If storage fails.
pub async fn operations(honnin: &Honnin, developer: &Developer) -> Result<Vec<Operation>, StoreError> {
    let tenant = developer.staff().tenant().clone();
    let unit = honnin
        .db
        .read(async move |tx| request_log::operations(tx, &tenant).await);
    unit.await
}

/// How much of the log is kept.
#[must_use]
pub fn kept(honnin: &Honnin) -> Kept {
    honnin.config.retention.requests
}

/// Entries from before this time are removed.
pub(crate) fn oldest(honnin: &Honnin, now: Timestamp) -> Timestamp {
    now.minus(kept(honnin).age)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{ApiKeyId, RequestId};
    use futures::FutureExt as _;

    fn entry(number: i64) -> Entry {
        Entry {
            tenant: TenantId::from_random([1; 16]),
            key: ApiKeyId::from_random([1; 16]),
            at: Timestamp::from_millis(number),
            request: RequestId::from_random([1; 16]),
            method: "GET".into(),
            route: "/v1/events".into(),
            status: 200,
            error: None,
            duration_ms: 1,
            address: "192.0.2.1".into(),
        }
    }

    #[test]
    fn what_could_not_be_written_comes_first_again_and_the_oldest_make_room() {
        let log = RequestLog::default();
        let room = ROOM as i64;
        log.state().waiting = (3..=room).map(entry).collect();
        log.put_back((0..3).map(entry).collect());
        let (waiting, dropped) = log.take();
        assert!(waiting.iter().map(|entry| entry.at.as_millis()).eq(1..=room));
        assert_eq!(dropped, 1);
    }

    #[test]
    fn a_full_batch_is_written_at_once_and_one_that_could_not_be_written_is_left_for_later() {
        let log = RequestLog::default();
        let is_due = |log: &RequestLog| log.full_batch.notified().now_or_never().is_some();
        for _ in 1..MAX_AT_ONCE {
            log.push(entry(0));
        }
        assert!(!is_due(&log));
        log.push(entry(0));
        assert!(is_due(&log));
        let (refused, _) = log.take();
        log.put_back(refused);
        for _ in 0..MAX_AT_ONCE {
            log.push(entry(0));
            assert!(!is_due(&log), "each request would lead to another attempt");
        }
    }
}
