//! A tenant's settings, changed section by section: within their bounds, only by those who may, and never overwriting a
//! concurrent change.

pub mod api_keys;
pub mod create_tenant;
pub mod preview;

use crate::{
    Honnin,
    access::{Admin, Developer, Forbidden, Staff},
    session::retention,
    webhook::sender::receiver_url::UrlFault,
};
use domain::{
    audit::AuditAction,
    decision::Policy,
    event::EventType,
    session::Step,
    tenant::{BadSetting, TenantSettings, Weakening, tenant_name_fault},
    time::{Millis, Timestamp},
};
use ipnet::IpNet;
use store::{
    StoreError, Tx, audit,
    settings::tenants::{self, TenantRow},
};

/// One section of the settings with its new values.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// How end users see the tenant.
    Look {
        /// The name.
        name: String,
        /// `#rrggbb`.
        accent: Option<String>,
    },
    /// The steps of new sessions.
    Steps {
        /// Enabled steps.
        steps: Vec<Step>,
        /// Tries per step.
        tries: u8,
    },
    /// Lifetimes.
    Lifetimes {
        /// Lifetime of a link.
        link: Millis,
        /// Lifetime of a session.
        session: Millis,
        /// Retention of personal data after the end.
        retention: Millis,
    },
    /// The decision policy.
    Decision(Policy),
    /// The callback URL allow-list.
    Callbacks(Vec<String>),
    /// The IP allow-list of the API.
    Addresses(Vec<IpNet>),
    /// The receiver and the event types.
    Webhook {
        /// The receiver.
        url: Option<String>,
        /// The events sent.
        event_types: Vec<EventType>,
    },
}

impl Change {
    const fn name(&self) -> &'static str {
        match self {
            Self::Look { .. } => "look",
            Self::Steps { .. } => "steps",
            Self::Lifetimes { .. } => "lifetimes",
            Self::Decision(_) => "decision",
            Self::Callbacks(_) => "callbacks",
            Self::Addresses(_) => "addresses",
            Self::Webhook { .. } => "webhook",
        }
    }

    fn check_rank(&self, staff: &Staff) -> Result<(), Forbidden> {
        match self {
            Self::Callbacks(_) | Self::Addresses(_) | Self::Webhook { .. } => Developer::of(staff).map(drop),
            Self::Look { .. } | Self::Steps { .. } | Self::Lifetimes { .. } | Self::Decision(_) => {
                Admin::of(staff).map(drop)
            }
        }
    }

    fn apply(&self, tenant: &mut TenantRow, staff: &Staff, now: Timestamp) {
        let settings = tenant.settings.get_or_insert_with(TenantSettings::default);
        match self {
            Self::Look { name, accent } => {
                tenant.name.clone_from(name);
                settings.accent.clone_from(accent);
            }
            Self::Steps { steps, tries } => {
                settings.steps.clone_from(steps);
                settings.tries = *tries;
            }
            Self::Lifetimes {
                link,
                session,
                retention,
            } => {
                settings.link_lifetime = *link;
                settings.session_lifetime = *session;
                settings.retention = *retention;
            }
            Self::Decision(policy) => settings.policy.clone_from(policy),
            Self::Callbacks(urls) => settings.callback_urls.clone_from(urls),
            Self::Addresses(networks) => settings.ip_allow_list.clone_from(networks),
            Self::Webhook { url, event_types } => {
                if settings.webhook_url != *url {
                    settings.webhook_url.clone_from(url);
                    settings.webhook_url_set_at = Some(now);
                    settings.webhook_url_is_vouched = false;
                }
                settings.webhook_url_is_vouched |= Admin::of(staff).is_ok();
                settings.event_types.clone_from(event_types);
            }
        }
    }
}

/// Whether the person who changes settings has seen what that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Not yet: a change that weakens something is refused.
    First,
    /// They have seen the preview and proved again who they are.
    Second,
}

/// Why settings were not changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SettingsError {
    /// The change weakens something and needs a second look.
    #[error("the change weakens something and needs a second look")]
    LookAgain,
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
pub async fn change(
    honnin: &Honnin,
    staff: &Staff,
    version: i64,
    change: &Change,
    look: Look,
) -> Result<(), SettingsError> {
    change.check_rank(staff)?;
    if let Change::Look { name, .. } = change
        && let Some(message) = tenant_name_fault(name)
    {
        return Err(fault("name", message));
    }
    if let Change::Webhook { url: Some(url), .. } = change {
        // Resolves the name, so it happens before the unit of work. The sender checks again at each connection.
        let check = honnin.sender.check_receiver_url(url).await;
        check.map_err(|bad: UrlFault| fault("webhook_url", bad.to_string()))?;
    }
    let (staff, now, change) = (staff.clone(), honnin.now(), change.clone());
    // Whether somebody is shut out follows from the audit log, which need not be read in the unit of work.
    if look == Look::First && !preview::preview(honnin, &staff, &change).await?.weakenings.is_empty() {
        check_worth(honnin, &staff, version, &change).await?;
        return Err(SettingsError::LookAgain);
    }
    let unit = honnin
        .db
        .write(async move |tx| save(tx, &staff, version, &change, look, now).await);
    unit.await
}

/// A change that would be refused anyway is not worth a second look.
async fn check_worth(honnin: &Honnin, staff: &Staff, version: i64, change: &Change) -> Result<(), SettingsError> {
    let mut tenant = load(honnin, staff).await?;
    if tenant.version != version {
        return Err(SettingsError::Stale);
    }
    change.apply(&mut tenant, staff, honnin.now());
    refuse_faults(&tenant)
}

fn refuse_faults(tenant: &TenantRow) -> Result<(), SettingsError> {
    let faults = tenant.settings.as_ref().map(TenantSettings::faults).unwrap_or_default();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(SettingsError::Faults(faults))
    }
}

async fn save(
    tx: &mut Tx,
    staff: &Staff,
    version: i64,
    change: &Change,
    look: Look,
    now: Timestamp,
) -> Result<(), SettingsError> {
    let found = tenants::find(tx, staff.tenant()).await?;
    let before = found.ok_or(StoreError::Corrupt("a tenant is missing"))?;
    if before.version != version {
        return Err(SettingsError::Stale);
    }
    let mut tenant = before.clone();
    change.apply(&mut tenant, staff, now);
    refuse_faults(&tenant)?;
    let was = before.settings.clone().unwrap_or_default();
    let is = tenant.settings.clone().unwrap_or_default();
    let weakenings = was.weakenings(&is);
    if look == Look::First && !weakenings.is_empty() {
        return Err(SettingsError::LookAgain);
    }
    tenants::save(tx, &tenant).await?;
    if weakenings.contains(&Weakening::RetentionShortened) {
        retention::schedule_shortening(tx, &tenant.id, now).await?;
    }
    let mut entry = staff.entry(now, AuditAction::SettingsChange, Some(tenant.id.to_string()));
    let mut changes = preview::differences(&was, &is);
    if before.name != tenant.name {
        changes.push(("name".to_owned(), before.name, tenant.name));
    }
    let changes: Vec<String> = changes
        .iter()
        .map(|(name, old, new)| format!("{name} {old} → {new}"))
        .collect();
    entry.detail = Some(format!("{}: {}", change.name(), changes.join("; ")));
    audit::record(tx, &entry).await?;
    Ok(())
}

/// Every tenant, for an operator to choose from.
///
/// # Errors
/// If the database does not respond.
pub async fn list_tenants(honnin: &Honnin, _operator: &crate::access::Operator) -> Result<Vec<TenantRow>, StoreError> {
    honnin.db.read(async move |tx| tenants::list(tx).await).await
}
