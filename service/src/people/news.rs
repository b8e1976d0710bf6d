//! What has happened since a person's last visit that they should know of: new keys, receivers and people, and changes to their own
//! account. Whoever sees something there that nobody meant to do can act on it.

use crate::{
    Honnin,
    access::{Admin, Developer, Staff},
};
use domain::{audit::AuditAction, ids::UserId, time::Timestamp};
use store::{
    StoreError,
    audit::{self, Recorded},
    people::users,
};

/// Entries that are looked at.
const MOST: u32 = 50;
/// What changes a person's own account.
const OWN: [AuditAction; 5] = [
    AuditAction::FactorAdd,
    AuditAction::FactorRemove,
    AuditAction::RecoveryCodesIssue,
    AuditAction::PersonResetPassword,
    AuditAction::PersonLinkAccount,
];
/// What developers look after.
const TECHNICAL: [AuditAction; 3] = [
    AuditAction::KeyIssue,
    AuditAction::SettingsChange,
    AuditAction::WebhookSecretIssue,
];
/// What admins look after.
const PEOPLE: [AuditAction; 2] = [AuditAction::PersonJoin, AuditAction::PersonGrantOperator];

/// What has happened since the last visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// The last visit before this one.
    pub since: Timestamp,
    /// The address it came from, if it is known.
    pub from: Option<String>,
    /// Newest first.
    pub entries: Vec<Recorded>,
}

/// What has happened since the last visit of `staff`. `None` at their first one.
///
/// # Errors
/// If the database does not respond.
pub async fn news(honnin: &Honnin, staff: &Staff) -> Result<Option<News>, StoreError> {
    let mut actions = OWN.to_vec();
    if Developer::of(staff).is_ok() {
        actions.extend(TECHNICAL);
    }
    if Admin::of(staff).is_ok() {
        actions.extend(PEOPLE);
    }
    let staff = staff.clone();
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let Some(visit) = users::find_visit_before(tx, staff.user()).await? else {
            return Ok(None);
        };
        let found = audit::list_after(tx, staff.tenant(), visit.entry, &actions, MOST).await?;
        let me = staff.user();
        let is_own = |one: &Recorded| OWN.iter().any(|own| one.entry.action == *own);
        Ok(Some(News {
            since: visit.at,
            from: visit.from,
            entries: found
                .into_iter()
                .filter(|one| {
                    if is_own(one) {
                        concerns(one, me)
                    } else {
                        is_news(one, me)
                    }
                })
                .collect(),
        }))
    });
    unit.await
}

/// What colleagues did; of the settings, where results are sent.
fn is_news(one: &Recorded, me: &UserId) -> bool {
    let is_receiver = one.entry.action != AuditAction::SettingsChange
        || one
            .entry
            .detail
            .as_deref()
            .is_some_and(|detail| detail.starts_with("webhook:"));
    is_receiver && one.entry.actor != me.as_str()
}

/// What was done to one's own account, whoever did it.
fn concerns(one: &Recorded, me: &UserId) -> bool {
    one.entry.actor == me.as_str() || one.entry.subject.as_deref() == Some(me.as_str())
}
