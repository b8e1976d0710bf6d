//! Interrupts SQLite reads whose caller has gone away or whose time is up. A statement runs on a thread of the driver, where dropping a future has no
//! effect; but SQLite calls a progress handler every so many steps, which can stop it.

use super::unit::Waiting;
use crate::StoreError;
use sqlx::SqliteConnection;
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::oneshot::error::TryRecvError;

/// The longest that anything reads, on either database. Most takes milliseconds; counting what the overview shows takes a minute with millions
/// of sessions.
pub(super) const LONGEST: Duration = Duration::from_secs(120);
/// Steps of SQLite's virtual machine between two questions: some ten rows, or much less than a millisecond.
const STEPS: i32 = 1_000;

/// Where a connection checks whether to continue.
#[derive(Clone)]
pub(super) struct Interrupt {
    bounds: Arc<Mutex<Option<Bounds>>>,
    /// Of all connections: what is still read is given up.
    given_up: Arc<AtomicBool>,
}

/// For whom, and until when.
struct Bounds {
    caller: Waiting,
    end: Instant,
}

impl Interrupt {
    /// The interrupt of `connection`, disarmed. Once `given_up` is set, it interrupts whatever it is armed for.
    pub(super) async fn of(connection: &mut SqliteConnection, given_up: Arc<AtomicBool>) -> Result<Self, StoreError> {
        let interrupt = Self {
            bounds: Arc::default(),
            given_up,
        };
        let asked = interrupt.clone();
        let handle = connection.lock_handle().await;
        let mut handle = handle.map_err(|error| StoreError::from_sql(&error))?;
        handle.set_progress_handler(STEPS, move || asked.goes_on());
        Ok(interrupt)
    }

    /// From now on, a statement is interrupted when its `caller` does not wait any more, and after `longest` in all.
    pub(super) fn arm(&self, caller: Waiting, longest: Duration) {
        let end = Instant::now() + longest;
        *self.bounds() = Some(Bounds { caller, end });
    }

    /// From now on, nothing is interrupted.
    pub(super) fn disarm(&self) {
        *self.bounds() = None;
    }

    fn goes_on(&self) -> bool {
        let mut bounds = self.bounds();
        let is_wanted = |bounds: &mut Bounds| {
            !self.given_up.load(Ordering::Relaxed)
                && bounds.caller.try_recv() == Err(TryRecvError::Empty)
                && Instant::now() < bounds.end
        };
        bounds.as_mut().is_none_or(is_wanted)
    }

    fn bounds(&self) -> MutexGuard<'_, Option<Bounds>> {
        self.bounds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
