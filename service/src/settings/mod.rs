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
    people::is_still,
    runtime::clock_trust::ClockReading,
    session::retention,
    webhook::sender::receiver_url::UrlFault,
};
use domain::{
    audit::AuditAction,
    cursor,
    ids::TenantId,
    tenant::{BadSetting, Change, ChangedBy, Section, TenantSettings, Weakening, tenant_name_fault},
    time::{Millis, Timestamp},
};
use preview::{Difference, Value};
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
    look: Look,
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
        if self.look == Look::First && !weakenings.is_empty() {
            return Err(SettingsError::LookAgain);
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

/// The changes of a section for the audit log: name, old and new value of each. If that is too long for an entry, of a list only what was added to it
/// and removed from it, in as many entries as it takes: nobody must be able to hide a change in what an entry leaves out.
fn details(section: Section, changes: &[Difference]) -> Vec<String> {
    let all: Vec<String> = changes.iter().map(old_and_new).collect();
    let whole = format!("{section}: {}", all.join("; "));
    if whole.len() <= audit::MAX_DETAIL {
        return vec![whole];
    }
    let room = audit::MAX_DETAIL - format!("{section}: ").len();
    let mut details: Vec<String> = Vec::new();
    for part in changes.iter().flat_map(|change| parts(change, room)) {
        match details.last_mut() {
            Some(detail) if detail.len() + "; ".len() + part.len() <= audit::MAX_DETAIL => {
                detail.push_str(&format!("; {part}"));
            }
            _ => details.push(format!("{section}: {part}")),
        }
    }
    details
}

fn old_and_new((setting, old, new): &Difference) -> String {
    format!("{setting} {} → {}", unmistakable(old), unmistakable(new))
}

/// A change in parts of at most `room` bytes each: of a list, and of a text that is too long for one part, what was added and what was removed.
fn parts(change: &Difference, room: usize) -> Vec<String> {
    let (setting, old, new) = change;
    let (old, new) = match (old.items(), new.items()) {
        (Some(old), Some(new)) => (old.to_vec(), new.to_vec()),
        _ => {
            let whole = old_and_new(change);
            if whole.len() <= room {
                return vec![whole];
            }
            let items = |value: &Value| {
                value
                    .items()
                    .map_or_else(|| vec![value.to_string()], <[String]>::to_vec)
            };
            (items(old), items(new))
        }
    };
    let only_in = |these: &[String], others: &[String]| {
        let items = these.iter().filter(|item| !others.contains(item)).cloned();
        items.collect::<Vec<String>>()
    };
    let (added, removed) = (only_in(&new, &old), only_in(&old, &new));
    let json = |items: &[String]| without_signs(&serde_json::Value::from(items));
    let whole = format!("{setting} added {}, removed {}", json(&added), json(&removed));
    if whole.len() <= room {
        return vec![whole];
    }
    let some = |what: &str, items: &[String]| -> Vec<String> {
        let head = format!("{setting} {what} ");
        let lists = lists(items, room - head.len()).into_iter();
        lists.map(|list| format!("{head}{list}")).collect()
    };
    [some("added", &added), some("removed", &removed)].concat()
}

/// Items as JSON lists of at most `room` bytes each.
fn lists(items: &[String], room: usize) -> Vec<String> {
    let mut lists: Vec<String> = Vec::new();
    // Between brackets.
    let strings = items.iter().flat_map(|item| strings(item, room - 2));
    for string in strings {
        match lists.last_mut() {
            Some(list) if list.len() + ",]".len() + string.len() <= room => list.push_str(&format!(",{string}")),
            _ => lists.push(format!("[{string}")),
        }
    }
    lists.into_iter().map(|list| list + "]").collect()
}

/// A text as JSON strings of at most `room` bytes each. What continues the one before begins with `…`, as no URL and no network does.
fn strings(text: &str, room: usize) -> Vec<String> {
    /// Of a character in JSON: `\u003b`.
    const LONGEST: usize = 6;
    let whole = without_signs(&text.into());
    if whole.len() <= room {
        return vec![whole];
    }
    let characters: Vec<char> = text.chars().collect();
    let most = (room - "\"…\"".len()) / LONGEST;
    let string = |(number, part): (usize, &[char])| {
        let before = if number == 0 { "" } else { "…" };
        let part: String = part.iter().collect();
        without_signs(&format!("{before}{part}").into())
    };
    characters.chunks(most).enumerate().map(string).collect()
}

/// A value among changes. A text that could be taken for the end of one and another one is written as a JSON string without such signs:
/// nobody must be able to write a change into the audit log that never happened.
fn unmistakable(value: &Value) -> String {
    let written = value.to_string();
    if !matches!(value, Value::Text(_) | Value::List(_)) || !written.contains([';', '→', '"']) {
        return written;
    }
    without_signs(&serde_json::Value::from(written))
}

/// As JSON without the signs that stand between changes.
fn without_signs(value: &serde_json::Value) -> String {
    value.to_string().replace(';', r"\u003b").replace('→', r"\u2192")
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

#[cfg(test)]
mod tests {
    use super::*;
    use domain::setting::Setting;

    #[test]
    fn no_text_can_be_taken_for_a_change_that_never_happened() {
        let change = |old: &str, new: &str| {
            let [old, new] = [old, new].map(|text| Value::Text(text.to_owned()));
            details(Section::Look, &[(Setting::Name, old, new)]).concat()
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
    fn of_a_list_that_is_too_long_for_an_entry_what_was_added_and_removed_is_recorded() {
        let url = |number: usize| format!("https://shop.example/{number}/{}", "a".repeat(100));
        let with = |urls: Vec<String>| TenantSettings {
            callback_urls: urls,
            ..TenantSettings::default()
        };
        let before = with((0..100).map(url).collect());
        let mut urls: Vec<String> = (1..100).map(url).collect();
        urls.insert(50, "https://evil.example/;→".to_owned());
        let after = with(urls);
        let recorded = |before: &TenantSettings, after: &TenantSettings| {
            details(Section::Callbacks, &preview::differences_of_settings(before, after))
        };
        let wanted = format!(
            r#"callbacks: callback_urls added ["https://evil.example/\u003b\u2192"], removed ["{}"]"#,
            url(0)
        );
        assert_eq!(recorded(&before, &after), [wanted]);
        let few = recorded(&with(Vec::new()), &with(vec![url(7)]));
        assert_eq!(few, [format!("callbacks: callback_urls none → {}", url(7))]);
    }

    #[test]
    fn what_is_added_is_never_left_out_however_long_the_rest_is() {
        let url = |number: usize| format!("https://shop.example/{number}/{}", "a".repeat(1_967));
        let evil = "https://evil.example/done".to_owned();
        let semicolons = format!("https://shop.example/{}", ";".repeat(1_979));
        let with = |callback_urls: Vec<String>| TenantSettings {
            callback_urls,
            ..TenantSettings::default()
        };
        let recorded = |before: &TenantSettings, after: &TenantSettings| {
            let details = details(Section::Callbacks, &preview::differences_of_settings(before, after));
            let fit = |detail: &String| detail.len() <= audit::MAX_DETAIL && detail.starts_with("callbacks: ");
            assert!(details.len() > 1 && details.iter().all(fit), "{details:?}");
            details
        };
        let long = with(vec![url(0), url(1), evil.clone(), url(3), url(4), url(5)]);
        for (before, after, what) in [(&with(vec![]), &long, "added"), (&long, &with(vec![]), "removed")] {
            let details = recorded(before, after);
            let lists = details.iter().map(|detail| {
                let list = detail.strip_prefix(&format!("callbacks: callback_urls {what} "));
                serde_json::from_str::<Vec<String>>(list.unwrap()).unwrap()
            });
            assert_eq!(lists.collect::<Vec<_>>().concat(), long.callback_urls);
        }
        // In JSON, one of these alone is longer than an entry.
        let details = recorded(&with(vec![]), &with(vec![semicolons.clone(), evil.clone()]));
        assert!(details.concat().contains(&format!(r#""{evil}""#)), "{details:?}");
        assert_eq!(details.concat().matches(r"\u003b").count(), 1_979);
        assert_eq!(details.concat().matches('…').count(), 1, "{details:?}");
        // So is a receiver's URL, which is no list.
        let receiver = |url: String| TenantSettings {
            webhook_url: Some(url),
            ..TenantSettings::default()
        };
        let details = recorded(&receiver(semicolons), &receiver(evil.clone()));
        let added = format!(r#"webhook_url added ["{evil}"]"#);
        assert!(details.concat().contains(&added), "{details:?}");
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
        let recorded = details(Section::Look, &preview::differences_of_settings(&before, &after)).concat();
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
