//! What recognises a document or a frame in another session of the tenant and tells nobody else anything: HMACs under a key of the tenant.

use crate::Honnin;
use domain::ids::TenantId;
use store::{StoreError, decision::identities, vault::SessionKey};

/// The key of a tenant's fingerprints, created when first needed. If it is lost with the database of keys, its fingerprints are
/// lost too, and a new one is created.
///
/// # Errors
/// If a database does not respond.
pub(crate) async fn tenant_key(honnin: &Honnin, tenant: &TenantId) -> Result<SessionKey, StoreError> {
    let wanted = tenant.clone();
    let find = honnin.db.read(async move |tx| identities::find_key(tx, &wanted).await);
    let known = find.await?;
    if let Some(id) = &known {
        match honnin.vault.open(id).await {
            Err(StoreError::Erased) => {}
            opened => return opened,
        }
    }
    let (fresh, tenant) = (honnin.vault.take().await?, tenant.clone());
    let id = fresh.id().clone();
    let give = honnin
        .db
        .write(async move |tx| identities::give_key(tx, &tenant, &id, known.as_ref()).await);
    honnin.vault.open(&give.await?).await
}
