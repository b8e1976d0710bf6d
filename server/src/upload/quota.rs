//! A resource of the process that uploads share, in MiB: among networks, and among tenants.

use crate::edge::{Exhausted, FairPool, Network, Permit};
use domain::ids::{SessionId, TenantId};
use std::sync::Arc;

/// Whose upload it is.
#[derive(Clone, Debug)]
pub(super) struct Uploader {
    pub(super) network: Network,
    pub(super) tenant: TenantId,
    pub(super) session: SessionId,
}

/// The resource.
#[derive(Debug)]
pub(super) struct Quota {
    by_network: Arc<FairPool>,
    by_tenant: Arc<FairPool<TenantId>>,
}

/// What an upload holds of it, released when dropped.
#[derive(Debug)]
pub(super) struct Portion {
    _of_network: Permit,
    _of_tenant: Permit<TenantId>,
}

impl Quota {
    pub(super) fn new(all: usize) -> Self {
        Self {
            by_network: FairPool::new(all),
            by_tenant: FairPool::new(all),
        }
    }

    pub(super) fn take(&self, uploader: &Uploader, size: usize) -> Result<Portion, Exhausted> {
        Ok(Portion {
            _of_network: self.by_network.take(uploader.network, size, 0)?,
            _of_tenant: self.by_tenant.take(uploader.tenant.clone(), size, 0)?,
        })
    }
}
