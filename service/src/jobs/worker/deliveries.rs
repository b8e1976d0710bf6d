//! Claiming deliveries: tenant by tenant, as many for each as its receiver has permits.

use super::{Claimed, Worker, claim_up_to};
use store::{
    StoreError,
    jobs::{self, Job, Moment},
};

impl Worker {
    /// Claims up to `free` deliveries. A receiver's backlog beyond its permits is neither read nor written, however large it
    /// is.
    pub(super) async fn claim_deliveries(&self, free: usize, at: Moment) -> Result<Vec<Claimed>, StoreError> {
        let due = self.honnin.db.ask(async move |tx| jobs::list_tenants_due(tx, at).await);
        let pacing = &self.honnin.sender.pacing;
        let mut rooms = pacing.rooms(due.await?, self.slots);
        rooms.truncate(free);
        if rooms.is_empty() {
            return Ok(Vec::new());
        }
        let claimed = self.claim_of_tenants(rooms, free, at).await?;
        Ok(claimed
            .into_iter()
            .map(|(tenant, job)| Claimed {
                job,
                permit: Some(pacing.enter(&tenant)),
                slots: [None, None],
            })
            .collect())
    }

    async fn claim_of_tenants(
        &self,
        rooms: Vec<(String, usize)>,
        free: usize,
        at: Moment,
    ) -> Result<Vec<(String, Job)>, StoreError> {
        let name = self.name.clone();
        let unit = self.honnin.db.write(async move |tx| {
            let mut claimed = Vec::new();
            for (tenant, room) in &rooms {
                let most = (*room).min(free.saturating_sub(claimed.len()));
                if most == 0 {
                    break;
                }
                let jobs = jobs::claim_of_tenant(tx, tenant, claim_up_to(most, &name, at)).await?;
                claimed.extend(jobs.into_iter().map(|job| (tenant.clone(), job)));
            }
            Ok(claimed)
        });
        unit.await
    }
}
