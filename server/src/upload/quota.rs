//! A resource of the process that uploads share, in MiB: among networks, and among tenants.

use crate::edge::{Network, Part, Shares, Short};
use domain::ids::{SessionId, TenantId};
use std::sync::Arc;

/// Whose upload it is.
#[derive(Clone, Debug)]
pub(super) struct Guest {
    pub(super) network: Network,
    pub(super) tenant: TenantId,
    pub(super) session: SessionId,
}

/// The resource.
#[derive(Debug)]
pub(super) struct Quota {
    by_network: Arc<Shares>,
    by_tenant: Arc<Shares<TenantId>>,
}

/// What an upload holds of it, released when dropped.
#[derive(Debug)]
pub(super) struct Portion {
    _of_network: Part,
    _of_tenant: Part<TenantId>,
}

impl Quota {
    pub(super) fn new(all: usize) -> Self {
        Self {
            by_network: Shares::new(all),
            by_tenant: Shares::new(all),
        }
    }

    pub(super) fn take(&self, guest: &Guest, size: usize) -> Result<Portion, Short> {
        Ok(Portion {
            _of_network: self.by_network.take(guest.network, size, 0)?,
            _of_tenant: self.by_tenant.take(guest.tenant.clone(), size, 0)?,
        })
    }
}
