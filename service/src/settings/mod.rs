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
    decision::Policy,
    event::EventType,
    session::Step,
    tenant::{BadSetting, TenantSettings, tenant_name_fault},
    time::{Millis, Timestamp},
};
use ipnet::IpNet;
use store::{
    StoreError, audit,
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
    change.check_rank(staff)?;
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
        change.apply(&mut tenant, &staff, now);
        let faults = tenant.settings.as_ref().map(TenantSettings::faults).unwrap_or_default();
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
