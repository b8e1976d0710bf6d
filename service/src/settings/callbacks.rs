//! The allow-list of callback URLs, from the command line.

use super::{SettingsError, detail, preview::differences, refuse_faults};
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
        let settings = row.settings.get_or_insert_default();
        if CallbackUrl::allowed(&url, &settings.callback_urls).is_some() {
            return Ok(());
        }
        let was = settings.clone();
        settings.callback_urls.push(url.clone());
        let changes = differences(&was, settings);
        refuse_faults(&row)?;
        tenants::save(tx, &row).await?;
        let entry = here
            .entry(now, AuditAction::SettingsChange)
            .in_tenant(tenant.clone())
            .about(&tenant)
            .with_detail(detail(Section::Callbacks, &changes));
        audit::record(tx, &entry).await?;
        Ok(())
    });
    unit.await
}
