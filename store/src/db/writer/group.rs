//! One group: the units that share a transaction, from BEGIN to their answers.

use crate::{
    StoreError,
    db::{
        Tx,
        unit::{self, Unit},
    },
};
use prometheus_client::metrics::counter::Counter;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Limits how long the first unit of a group waits for the last.
const GROUP: usize = 128;

/// Units that wait for one commit.
#[derive(Default)]
pub(super) struct Group {
    members: Vec<Box<dyn Unit>>,
    /// Each unit has a savepoint.
    savepoints: bool,
    /// A unit failed.
    failed: bool,
}

/// The result of a group.
#[derive(Default)]
pub(super) struct Committed {
    /// How long the commit itself took.
    pub(super) took: Duration,
    /// What the committed units count.
    pub(super) counted: Vec<Counter>,
    /// Whether one of them enqueued a job.
    pub(super) enqueued: bool,
}

impl Group {
    /// The group that `first` begins. If a unit of the last group failed, this one uses savepoints from the start.
    pub(super) fn after(last: &Self, first: Box<dyn Unit>) -> Self {
        Self {
            members: vec![first],
            savepoints: last.failed,
            failed: false,
        }
    }

    /// How many units it has.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Answers every caller: with the unit's own result, or with the group's failure.
    pub(super) fn answer(&mut self, failure: Option<&StoreError>) {
        for mut member in self.members.drain(..) {
            if let Some(error) = failure
                && !member.has_failed()
            {
                member.fail(error.clone());
            }
            member.answer();
        }
    }

    /// Runs the waiting units, and those that arrive in the meantime, in one transaction.
    pub(super) async fn run(
        &mut self,
        tx: &mut Tx,
        inbox: &mut mpsc::Receiver<Box<dyn Unit>>,
    ) -> Result<Committed, StoreError> {
        let mut committed = begin(tx, self.savepoints).await?;
        let mut at = 0;
        while let Some(member) = self.members.get_mut(at) {
            let keep = unit::run(member.as_mut(), tx).await;
            if keep {
                committed.enqueued |= tx.enqueued;
                committed.counted.append(&mut tx.counted);
            } else {
                self.failed = true;
                if !self.savepoints {
                    self.savepoints = true;
                    // It may be gone already: the database aborts a transaction when the disk is full. BEGIN will report it.
                    drop(tx.command("ROLLBACK").await);
                    committed = begin(tx, self.savepoints).await?;
                    at = 0;
                    continue;
                }
                tx.command("ROLLBACK TO unit").await?;
            }
            at += 1;
            if at == self.members.len()
                && at < GROUP
                && let Some(next) = next_waiting(inbox)
            {
                self.members.push(next);
            }
            // If the database has aborted the transaction, this fails, and with it the whole group, including the next unit.
            if keep && self.savepoints && at < self.members.len() {
                tx.command("RELEASE unit; SAVEPOINT unit").await?;
            }
        }
        let began = Instant::now();
        tx.command("COMMIT").await?;
        committed.took = began.elapsed();
        Ok(committed)
    }
}

/// Each call costs two thread switches, so the first savepoint comes with BEGIN, each further one with the end of the previous
/// unit, and the last one ends with COMMIT.
async fn begin(tx: &mut Tx, savepoints: bool) -> Result<Committed, StoreError> {
    let begin = if savepoints {
        "BEGIN IMMEDIATE; SAVEPOINT unit"
    } else {
        "BEGIN IMMEDIATE"
    };
    tx.command(begin).await?;
    Ok(Committed::default())
}

/// The next unit, if one is waiting.
fn next_waiting(inbox: &mut mpsc::Receiver<Box<dyn Unit>>) -> Option<Box<dyn Unit>> {
    loop {
        let waiting = inbox.try_recv().ok()?;
        if !waiting.is_abandoned() {
            return Some(waiting);
        }
    }
}
