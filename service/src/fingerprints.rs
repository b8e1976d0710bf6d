//! Fingerprints by which a document or a frame is recognised in another session of the same tenant, and which reveal nothing to anybody else: HMACs
//! under a key of the tenant.

use crate::{Honnin, runtime::fresh_key::FreshKey};
use domain::ids::TenantId;
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};
use store::{
    StoreError,
    decision::identities,
    vault::{DataKeyId, SessionKey},
};

/// Tenants whose key's name is remembered.
const REMEMBERED: usize = 1024;

/// Which key is a tenant's, as this process has last read it: a creation must not ask for it each time. Only names are kept here. The keys
/// are the vault's, which notices within half a minute that one was destroyed; the name is forgotten then.
#[derive(Default)]
pub(crate) struct KeyNames(Mutex<HashMap<TenantId, DataKeyId>>);

impl KeyNames {
    fn find(&self, tenant: &TenantId) -> Option<DataKeyId> {
        self.names().get(tenant).cloned()
    }

    fn remember(&self, tenant: &TenantId, key: &DataKeyId) {
        let mut names = self.names();
        if names.len() >= REMEMBERED {
            names.clear();
        }
        names.insert(tenant.clone(), key.clone());
    }

    fn forget(&self, tenant: &TenantId) {
        self.names().remove(tenant);
    }

    fn names(&self) -> MutexGuard<'_, HashMap<TenantId, DataKeyId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key of a tenant's fingerprints, created when first needed. If it is lost with the database of keys, its fingerprints are
/// lost too, and a new one is created.
///
/// # Errors
/// If a database does not respond.
pub(crate) async fn tenant_key(honnin: &Honnin, tenant: &TenantId) -> Result<SessionKey, StoreError> {
    if let Some(name) = honnin.key_names.find(tenant) {
        match honnin.vault.open(&name).await {
            Err(StoreError::Erased) => honnin.key_names.forget(tenant),
            opened => return opened,
        }
    }
    let key = stored_or_new(honnin, tenant).await?;
    honnin.key_names.remember(tenant, key.id());
    Ok(key)
}

async fn stored_or_new(honnin: &Honnin, tenant: &TenantId) -> Result<SessionKey, StoreError> {
    let wanted = tenant.clone();
    let find = honnin.db.ask(async move |tx| identities::find_key(tx, &wanted).await);
    let known = find.await?;
    if let Some(id) = &known {
        match honnin.vault.open(id).await {
            Err(StoreError::Erased) => {}
            opened => return opened,
        }
    }
    let (mut fresh, tenant) = (FreshKey::take(&honnin.vault).await?, tenant.clone());
    let give = honnin.db.write(async move |tx| {
        fresh.mark_unnamed();
        let id = identities::give_key(tx, &tenant, fresh.id(), known.as_ref()).await?;
        // Somebody else may have been faster.
        if id == *fresh.id() {
            fresh.mark_named();
        }
        Ok::<_, StoreError>(id)
    });
    honnin.vault.open(&give.await?).await
}
