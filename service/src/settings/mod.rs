//! A tenant's settings, changed section by section: within their bounds, only by those who may, and never overwriting a
//! concurrent change.

pub mod api_keys;
pub mod create_tenant;

use crate::{
    Honnin,
    access::{Admin, Developer, Forbidden, Staff},
    webhook::sender::receiver_url::UrlFault,
};
use domain::{
    audit::AuditAction,
    tenant::{BadSetting, Change, tenant_name_fault},
};
use store::{
    StoreError, audit,
    settings::tenants::{self, TenantRow},
};

fn check_rank(change: &Change, staff: &Staff) -> Result<(), Forbidden> {
    match change {
        Change::Callbacks(_) | Change::Addresses(_) | Change::Webhook { .. } => Developer::of(staff).map(drop),
        Change::Look { .. } | Change::Steps { .. } | Change::Lifetimes { .. } | Change::Decision(_) => {
            Admin::of(staff).map(drop)
        }
    }
}

/// Why settings were not changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SettingsError {
    /// The role does not allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The settings were changed since they were shown.
    #[error("somebody else has changed the settings in the meantime")]
    Stale,
    /// Out of bounds.
    #[error("a setting is out of its bounds")]
    Faults(Vec<BadSetting>),
    /// Storage.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for SettingsError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict => Self::Stale,
            other => Self::Store(other),
        }
    }
}

fn fault(field: &'static str, message: impl Into<String>) -> SettingsError {
    SettingsError::Faults(vec![BadSetting {
        field,
        message: message.into(),
    }])
}

/// The tenant with its settings and their version.
///
/// # Errors
/// If the database does not respond.
pub async fn load(honnin: &Honnin, staff: &Staff) -> Result<TenantRow, StoreError> {
    let tenant = staff.tenant().clone();
    let unit = honnin.db.read(async move |tx| {
        tenants::find(tx, &tenant)
            .await?
            .ok_or(StoreError::Corrupt("a tenant is missing"))
    });
    unit.await
}

/// Changes a section of the settings that were shown with `version`.
///
/// # Errors
/// [`SettingsError`].
pub async fn change(honnin: &Honnin, staff: &Staff, version: i64, change: Change) -> Result<(), SettingsError> {
    check_rank(&change, staff)?;
    if let Change::Look { name, .. } = &change
        && let Some(message) = tenant_name_fault(name)
    {
        return Err(fault("name", message));
    }
    if let Change::Webhook { url: Some(url), .. } = &change {
        // Resolves the name, so it happens before the unit of work. The sender checks again at each connection.
        let check = honnin.sender.check_receiver_url(url).await;
        check.map_err(|bad: UrlFault| fault("webhook_url", bad.to_string()))?;
    }
    let (staff, now) = (staff.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let found = tenants::find(tx, staff.tenant()).await?;
        let mut tenant = found.ok_or(StoreError::Corrupt("a tenant is missing"))?;
        if tenant.version != version {
            return Err(SettingsError::Stale);
        }
        let section = change.name();
        let settings = tenant.settings.get_or_insert_default();
        change.apply(&mut tenant.name, settings, Admin::of(&staff).is_ok(), now);
        let faults = settings.faults();
        if !faults.is_empty() {
            return Err(SettingsError::Faults(faults));
        }
        tenants::save(tx, &tenant).await?;
        let mut entry = staff.entry(now, AuditAction::SettingsChange, Some(tenant.id.to_string()));
        entry.detail = Some(section.to_owned());
        audit::record(tx, &entry).await?;
        Ok(())
    });
    unit.await
}

/// Every tenant, for an operator to choose from.
///
/// # Errors
/// If the database does not respond.
pub async fn list_tenants(honnin: &Honnin, _operator: &crate::access::Operator) -> Result<Vec<TenantRow>, StoreError> {
    honnin.db.read(async move |tx| tenants::list(tx).await).await
}
