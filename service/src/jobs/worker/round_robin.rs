//! Claiming pictures and decisions: the tenants take turns, so that none waits for another's backlog.

use super::{Claimed, Worker, claim_up_to};
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};
use store::{
    StoreError,
    jobs::{self, Job, Moment},
};

/// The tenant whose turn was last in this process.
#[derive(Debug, Default)]
pub(super) struct LastTurn(Mutex<String>);

impl LastTurn {
    /// These tenants in the order of their turns: first those that come after the last one.
    fn rotate(&self, mut tenants: Vec<String>) -> VecDeque<String> {
        tenants.sort_unstable();
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = tenants.partition_point(|tenant| *tenant <= *last);
        tenants.rotate_left(next);
        tenants.into()
    }

    fn was_of(&self, tenant: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = tenant;
    }
}

impl Worker {
    /// Claims up to `free` pictures and decisions, one of each tenant in turn.
    pub(super) async fn claim_round_robin(&self, free: usize, at: Moment) -> Result<Vec<Claimed>, StoreError> {
        // Most polls find nothing; only those that do need the writer.
        let due = self
            .honnin
            .db
            .ask(async move |tx| jobs::list_tenants_round_robin(tx, at).await);
        let turns = self.last_turn.rotate(due.await?);
        if turns.is_empty() {
            return Ok(Vec::new());
        }
        let name = self.name.clone();
        let unit = self.honnin.db.write(async move |tx| {
            let (mut waiting, mut claimed, mut last) = (turns.clone(), Vec::<Job>::new(), None);
            while claimed.len() < free
                && let Some(tenant) = waiting.pop_front()
            {
                // A tenant that waits alone takes all that is free.
                let most = if waiting.is_empty() { free - claimed.len() } else { 1 };
                let jobs = jobs::claim_round_robin(tx, &tenant, claim_up_to(most, &name, at)).await?;
                if jobs.is_empty() {
                    continue;
                }
                claimed.extend(jobs);
                last = Some(tenant.clone());
                waiting.push_back(tenant);
            }
            Ok::<_, StoreError>((claimed, last))
        });
        let (claimed, last) = unit.await?;
        if let Some(tenant) = last {
            self.last_turn.was_of(tenant);
        }
        Ok(claimed.into_iter().map(|job| self.in_a_slot(job)).collect())
    }
}
