//! The allow-list of callback URLs, from the command line.

use super::{SettingsError, audit_details::details, preview::differences, refuse_faults};
use crate::{Honnin, access::CommandLine};
use domain::{audit::AuditAction, callback::CallbackUrl, ids::TenantId, tenant::Section};
use store::{audit, settings::tenants};

/// Adds a URL to a tenant's allow-list, unless it is there.
///
/// # Errors
/// [`SettingsError::Faults`] if it is no callback URL; [`SettingsError::Store`].
pub async fn allow_callback_from_here(
    honnin: &Honnin,
    here: CommandLine,
    tenant: TenantId,
    url: &str,
) -> Result<(), SettingsError> {
    let (now, url) = (honnin.now(), url.to_owned());
    let unit = honnin.db.write(async move |tx| {
        let mut row = tenants::load(tx, &tenant).await?;
        let was = row.clone();
        let allowed = &mut row.settings.get_or_insert_default().callback_urls;
        if CallbackUrl::allowed(&url, allowed).is_some() {
            return Ok(());
        }
        allowed.push(url.clone());
        let changes = differences(&was, &row);
        refuse_faults(&was.settings_or_default(), &row)?;
        tenants::save(tx, &row).await?;
        let entry = here
            .entry(now, AuditAction::SettingsChange)
            .in_tenant(tenant.clone())
            .about(&tenant);
        for detail in details(Section::Callbacks, &changes) {
            audit::record(tx, &entry.clone().with_detail(detail)).await?;
        }
        Ok(())
    });
    unit.await
}
