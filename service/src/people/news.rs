//! What has happened since a person's last visit that they should know of: new keys, receivers and people, and changes to their own
//! account. Whoever sees something there that nobody meant to do can act on it.

use crate::{
    Honnin,
    access::{Admin, Developer, Staff},
};
use domain::{audit::AuditAction, ids::UserId, time::Timestamp};
use store::{
    StoreError, Tx,
    audit::{self, Filter, Recorded},
    people::users,
};

/// Entries of one kind that are shown.
const MOST: u32 = 5;

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
    let mut of_others = Vec::new();
    if Developer::of(staff).is_ok() {
        of_others.extend([
            AuditAction::KeyIssue,
            AuditAction::SettingsChange,
            AuditAction::WebhookSecretIssue,
        ]);
    }
    if Admin::of(staff).is_ok() {
        of_others.extend([AuditAction::PersonJoin, AuditAction::PersonGrantOperator]);
    }
    let staff = staff.clone();
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let Some(since) = users::find_visit_before(tx, staff.user()).await? else {
            return Ok(None);
        };
        let mut entries = Vec::new();
        for action in &of_others {
            let found = find(tx, &staff, *action, since).await?;
            entries.extend(found.into_iter().filter(|one| is_news(one, staff.user())));
        }
        for action in [
            AuditAction::FactorAdd,
            AuditAction::FactorRemove,
            AuditAction::RecoveryCodesIssue,
            AuditAction::PersonResetPassword,
        ] {
            let found = find(tx, &staff, action, since).await?;
            entries.extend(found.into_iter().filter(|one| concerns(one, staff.user())));
        }
        entries.sort_by_key(|one| std::cmp::Reverse(one.number));
        let signed_in = Filter {
            actor: Some(staff.user().to_string()),
            action: Some(AuditAction::PersonSignIn),
            until: Some(Timestamp::from_millis(since.as_millis() + 1)),
            ..Filter::default()
        };
        let last = audit::search(tx, staff.tenant(), &signed_in, None, 1).await?.pop();
        Ok(Some(News {
            since,
            from: last.and_then(|last| last.entry.address),
            entries,
        }))
    });
    unit.await
}

async fn find(tx: &mut Tx, staff: &Staff, action: AuditAction, since: Timestamp) -> Result<Vec<Recorded>, StoreError> {
    let filter = Filter {
        action: Some(action),
        from: Some(since),
        ..Filter::default()
    };
    audit::search(tx, staff.tenant(), &filter, None, MOST).await
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
