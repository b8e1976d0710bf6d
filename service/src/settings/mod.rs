//! A tenant's settings, changed section by section: within their bounds, only by those who may, and never overwriting a
//! concurrent change.

pub mod api_keys;
pub mod callbacks;
pub mod create_tenant;
pub mod logo;
pub mod preview;

use crate::{
    Honnin,
    access::{Admin, Developer, Forbidden, Operator, Staff},
    runtime::steadiness::Moment,
    session::retention,
    webhook::sender::receiver_url::UrlFault,
};
use domain::{
    audit::AuditAction,
    cursor,
    ids::TenantId,
    tenant::{BadSetting, Change, Section, TenantSettings, Weakening, tenant_name_fault},
    time::{Millis, Timestamp},
};
use preview::Value;
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

/// Whether the person who changes settings has seen what that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Not yet: a change that weakens something is refused.
    First,
    /// They have seen the preview and proved again who they are.
    Second,
}

/// Puts a change into a tenant.
fn apply(change: &Change, tenant: &mut TenantRow, staff: &Staff, now: Timestamp) {
    let settings = tenant.settings.get_or_insert_default();
    change.apply(&mut tenant.name, settings, Admin::of(staff).is_ok(), now);
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
    look: Look,
) -> Result<(), SettingsError> {
    check_rank(change, staff)?;
    if let Change::Webhook { url: Some(url), .. } = change {
        // Resolves the name, so it happens before the unit of work. The sender checks again at each connection.
        honnin.sender.check_receiver_url(staff.tenant(), url).await?;
    }
    // Whether somebody is shut out follows from the audit log, which need not be read in the unit of work.
    if look == Look::First && preview::weakens(honnin, staff, change).await? {
        // One that would be refused anyway is not worth it.
        check(honnin, staff, version, change).await?;
        return Err(SettingsError::LookAgain);
    }
    let proposal = Proposal {
        staff: staff.clone(),
        version,
        change: change.clone(),
        look,
    };
    let at = honnin.moment();
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
    apply(change, &mut tenant, staff, honnin.now());
    refuse_faults(&tenant)
}

fn refuse_faults(tenant: &TenantRow) -> Result<(), SettingsError> {
    let name = tenant_name_fault(&tenant.name).map(|message| BadSetting {
        field: "name",
        message: message.to_owned(),
    });
    let mut faults = tenant.settings.as_ref().map(TenantSettings::faults).unwrap_or_default();
    faults.extend(name);
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
    look: Look,
}

impl Proposal {
    async fn save(&self, tx: &mut Tx, at: Moment) -> Result<(), SettingsError> {
        let Self { staff, change, .. } = self;
        let now = at.now;
        let before = tenants::load(tx, staff.tenant()).await?;
        if before.version != self.version {
            return Err(SettingsError::Stale);
        }
        let mut tenant = before.clone();
        apply(change, &mut tenant, staff, now);
        refuse_faults(&tenant)?;
        let (was, is) = (before.settings_or_default(), tenant.settings_or_default());
        let weakenings = was.weakenings(&is);
        if self.look == Look::First && !weakenings.is_empty() {
            return Err(SettingsError::LookAgain);
        }
        tenants::save(tx, &tenant).await?;
        if weakenings.contains(&Weakening::RetentionShortened) {
            retention::schedule_shortening(tx, &tenant.id, at).await?;
        }
        let mut changes = preview::differences(&was, &is);
        if before.name != tenant.name {
            let [old, new] = [&before.name, &tenant.name].map(|name| Value::Text(name.clone()));
            changes.push(("name".to_owned(), old, new));
        }
        let entry = staff
            .entry(now, AuditAction::SettingsChange)
            .about(&tenant.id)
            .with_detail(detail(change.section(), &changes));
        Ok(audit::record(tx, &entry).await?)
    }
}

/// The changes of a section for the audit log: name, old and new value of each.
fn detail(section: Section, changes: &[(String, Value, Value)]) -> String {
    let changes: Vec<String> = changes
        .iter()
        .map(|(name, old, new)| format!("{name} {} → {}", unmistakable(old), unmistakable(new)))
        .collect();
    format!("{section}: {}", changes.join("; "))
}

/// A value among changes. A text that could be taken for the end of one and another one is written as a JSON string without such signs:
/// nobody must be able to write a change into the audit log that never happened.
fn unmistakable(value: &Value) -> String {
    let written = value.to_string();
    let Value::Text(text) = value else { return written };
    if !text.contains([';', '→', '"']) {
        return written;
    }
    let quoted = serde_json::Value::from(text.as_str()).to_string();
    quoted.replace(';', r"\u003b").replace('→', r"\u2192")
}

/// The span in which [`list_activity`] counts sessions.
pub const ACTIVE_SPAN: Millis = Millis::days(30);

/// Most tenants that a list shows.
pub const MOST_TENANTS: u32 = 100;

/// The first [`MOST_TENANTS`] by name of the tenants that were looked for.
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
        let (listed, more) = cursor::page_of(rows, MOST_TENANTS);
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
    let (from, part) = (honnin.now().plus(Millis(-ACTIVE_SPAN.0)), part.to_owned());
    let unit = honnin
        .db
        .read(async move |tx| tenants::list_activity(tx, &part, from, MOST_TENANTS + 1).await);
    Ok(Tenants::of(unit.await?))
}

/// Ids and names of tenants, for an operator to choose from.
///
/// # Errors
/// If the database does not respond.
pub async fn list_tenants(honnin: &Honnin, _operator: &Operator) -> Result<Tenants<(TenantId, String)>, StoreError> {
    let unit = honnin
        .db
        .read(async |tx| tenants::list_names(tx, MOST_TENANTS + 1).await);
    Ok(Tenants::of(unit.await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_be_taken_for_a_change_that_never_happened() {
        let change = |old: &str, new: &str| {
            let [old, new] = [old, new].map(|text| Value::Text(text.to_owned()));
            detail(Section::Look, &[("name".to_owned(), old, new)])
        };
        let plain = change("Example Shop", "Example, Shop & Sons");
        assert!(plain.ends_with(": name Example Shop → Example, Shop & Sons"), "{plain}");
        let forged = change("Shop", "Shop; ip_allow_list 192.0.2.0/24 → every address");
        assert_eq!(
            (forged.matches('→').count(), forged.matches(';').count()),
            (1, 0),
            "{forged}"
        );
    }

    #[test]
    fn durations_are_recorded_in_words_and_to_the_second() {
        let before = TenantSettings::default();
        let after = TenantSettings {
            link_lifetime: Millis::seconds(330),
            session_lifetime: Millis::days(14),
            retention: Millis::days(30),
            review_target: Millis::hours(12),
            ..before.clone()
        };
        let recorded = detail(Section::Look, &preview::differences(&before, &after));
        let (_, changes) = recorded.split_once(": ").unwrap();
        let mut changes: Vec<&str> = changes.split("; ").collect();
        changes.sort_unstable();
        assert_eq!(
            changes,
            [
                "link_lifetime 2 days → 330 seconds",
                "retention 90 days → 30 days",
                "review_target 1 day → 12 hours",
                "session_lifetime 7 days → 14 days",
            ]
        );
    }
}
