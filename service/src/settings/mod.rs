//! A tenant's settings, changed section by section: within their bounds, only by those who may, and never overwriting a
//! concurrent change.

pub mod api_keys;
mod audit_details;
pub mod callbacks;
pub mod create_tenant;
pub mod logo;
pub mod preview;

use crate::{
    Honnin,
    access::{Admin, Developer, Forbidden, Operator, Staff},
    people::is_still,
    runtime::clock_trust::ClockReading,
    session::retention,
    webhook::sender::receiver_url::UrlFault,
};
use audit_details::details;
use domain::{
    audit::AuditAction,
    cursor,
    ids::TenantId,
    tenant::{BadSetting, Change, ChangedBy, TenantSettings, Weakening, tenant_name_fault},
    time::{Millis, Timestamp},
};
pub use store::settings::tenants::TenantActivity;
use store::{
    StoreError, Tx, audit,
    settings::tenants::{self, TenantRow},
};

fn check_rank(change: &Change, staff: &Staff) -> Result<(), Forbidden> {
    if change.section().is_for_admins() {
        Admin::of(staff).map(drop)
    } else {
        Developer::of(staff).map(drop)
    }
}

/// Whether the person who changes settings has confirmed what that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// Not yet: a change that weakens something is refused.
    Missing,
    /// They have seen the preview and proved again who they are.
    Given,
}

/// Puts a change into a tenant.
fn apply(change: &Change, tenant: &mut TenantRow, staff: &Staff, now: Timestamp) {
    let settings = tenant.settings.get_or_insert_default();
    let by = match Admin::of(staff) {
        Ok(_) => ChangedBy::Admin,
        Err(_) => ChangedBy::Developer,
    };
    change.apply(&mut tenant.name, settings, by, now);
}

/// Why settings were not changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SettingsError {
    /// The change weakens something and needs a confirmation.
    #[error("the change weakens something and needs a confirmation")]
    NeedsConfirmation,
    /// The role does not allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The settings were changed since they were shown.
    #[error("somebody else has changed the settings in the meantime")]
    Stale,
    /// Out of bounds.
    #[error("a setting is out of its bounds")]
    Faults(Vec<BadSetting>),
    /// The receiver of webhooks is not acceptable.
    #[error("the receiver {0}")]
    Receiver(#[from] UrlFault),
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

/// The tenant with its settings and their version.
///
/// # Errors
/// If the database does not respond.
pub async fn load(honnin: &Honnin, staff: &Staff) -> Result<TenantRow, StoreError> {
    let tenant = staff.tenant().clone();
    honnin.db.read(async move |tx| tenants::load(tx, &tenant).await).await
}

/// Changes a section of the settings that were shown with `version`.
///
/// # Errors
/// [`SettingsError`].
pub async fn change(
    honnin: &Honnin,
    staff: &Staff,
    version: i64,
    change: &Change,
    confirmation: Confirmation,
) -> Result<(), SettingsError> {
    check_rank(change, staff)?;
    if let Change::Webhook { url: Some(url), .. } = change {
        // Resolves the name, so it happens before the unit of work. The sender checks again at each connection.
        honnin.sender.check_receiver_url(staff.tenant(), url).await?;
    }
    // Whether somebody is shut out follows from the audit log, which need not be read in the unit of work.
    if confirmation == Confirmation::Missing && preview::weakens(honnin, staff, change).await? {
        // One that would be refused anyway is not worth it.
        check(honnin, staff, version, change).await?;
        return Err(SettingsError::NeedsConfirmation);
    }
    let proposal = Proposal {
        staff: staff.clone(),
        version,
        change: change.clone(),
        confirmation,
    };
    let at = honnin.read_clock();
    honnin.db.write(async move |tx| proposal.save(tx, at).await).await
}

/// Whether a change is current and within bounds. Nothing is changed, and a receiver's name is not resolved.
///
/// # Errors
/// [`SettingsError`].
pub async fn check(honnin: &Honnin, staff: &Staff, version: i64, change: &Change) -> Result<(), SettingsError> {
    check_rank(change, staff)?;
    let mut tenant = load(honnin, staff).await?;
    if tenant.version != version {
        return Err(SettingsError::Stale);
    }
    let before = tenant.settings_or_default().into_owned();
    apply(change, &mut tenant, staff, honnin.now());
    refuse_faults(&before, &tenant)
}

/// Refuses a tenant whose settings were `before` and are out of their bounds now.
fn refuse_faults(before: &TenantSettings, tenant: &TenantRow) -> Result<(), SettingsError> {
    let mut faults = match &tenant.settings {
        Some(settings) => settings.faults_after(before),
        None => Vec::new(),
    };
    faults.extend(tenant_name_fault(&tenant.name));
    if faults.is_empty() {
        Ok(())
    } else {
        Err(SettingsError::Faults(faults))
    }
}

/// A change that somebody wants saved.
struct Proposal {
    staff: Staff,
    /// Of the settings that it was made from.
    version: i64,
    change: Change,
    confirmation: Confirmation,
}

impl Proposal {
    async fn save(&self, tx: &mut Tx, at: ClockReading) -> Result<(), SettingsError> {
        let Self { staff, change, .. } = self;
        let now = at.now;
        // The tenant first, as those do who shut somebody out.
        tenants::lock(tx, staff.tenant()).await?;
        // A receiver's name server chooses how long it takes to answer, and they may have been shut out since they asked.
        if !is_still(tx, staff).await? {
            return Err(Forbidden.into());
        }
        let before = tenants::load(tx, staff.tenant()).await?;
        if before.version != self.version {
            return Err(SettingsError::Stale);
        }
        let mut tenant = before.clone();
        apply(change, &mut tenant, staff, now);
        let (was, is) = (before.settings_or_default(), tenant.settings_or_default());
        refuse_faults(&was, &tenant)?;
        if tenant == before {
            return Ok(());
        }
        let weakenings = was.weakenings(&is);
        if self.confirmation == Confirmation::Missing && !weakenings.is_empty() {
            return Err(SettingsError::NeedsConfirmation);
        }
        tenants::save(tx, &tenant).await?;
        if weakenings.contains(&Weakening::RetentionShortened) {
            retention::schedule_shortening(tx, &tenant.id, at).await?;
        }
        let entry = staff.entry(now, AuditAction::SettingsChange).about(&tenant.id);
        for detail in details(change.section(), &preview::differences(&before, &tenant)) {
            audit::record(tx, &entry.clone().with_detail(detail)).await?;
        }
        Ok(())
    }
}

/// The span in which [`list_activity`] counts sessions.
const ACTIVE_SPAN: Millis = Millis::days(30);

/// Most tenants that a list shows.
pub const MAX_TENANTS: u32 = 100;

/// The first [`MAX_TENANTS`] by name of the tenants that were looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Tenants<T> {
    /// The tenants.
    pub listed: Vec<T>,
    /// Whether there are more.
    pub more: bool,
}

impl<T> Tenants<T> {
    /// Of rows that were read with a limit of one more than is shown.
    fn of(rows: Vec<T>) -> Self {
        let (listed, more) = cursor::page_of(rows, MAX_TENANTS);
        Self { listed, more }
    }
}

/// Tenants whose name contains `part`, with what happens in them. Counts and times only: operators read no tenant's data.
///
/// # Errors
/// If the database does not respond.
pub async fn list_activity(
    honnin: &Honnin,
    _operator: &Operator,
    part: &str,
) -> Result<Tenants<TenantActivity>, StoreError> {
    let (from, part) = (honnin.now().minus(ACTIVE_SPAN), part.to_owned());
    let unit = honnin
        .db
        .read(async move |tx| tenants::list_activity(tx, &part, from, MAX_TENANTS + 1).await);
    Ok(Tenants::of(unit.await?))
}

/// Ids and names of tenants, for an operator to choose from.
///
/// # Errors
/// If the database does not respond.
pub async fn list_tenants(honnin: &Honnin, _operator: &Operator) -> Result<Tenants<(TenantId, String)>, StoreError> {
    let unit = honnin
        .db
        .read(async |tx| tenants::list_names(tx, MAX_TENANTS + 1).await);
    Ok(Tenants::of(unit.await?))
}
