//! What has happened since a person's last visit that they should know of: new keys, receivers and people, changes to their own
//! account, and attempts to sign in to it. Whoever sees something there that nobody meant to do can act on it.

use crate::{
    Honnin,
    access::{Admin, Developer, Staff},
};
use domain::{audit::AuditAction, time::Timestamp};
use store::{
    StoreError,
    audit::{self, Concerns, Recorded, RefusedSignIns},
    people::users,
};

/// Entries that are shown at most.
const MOST: u32 = 50;
/// What concerns a person's own account, whoever did it. Of sign-ins, those from a new network.
const OWN: &[AuditAction] = &[
    AuditAction::FactorAdd,
    AuditAction::FactorRemove,
    AuditAction::RecoveryCodesIssue,
    AuditAction::PersonChangePassword,
    AuditAction::PersonResetPassword,
    AuditAction::PersonLinkAccount,
    AuditAction::PersonUnlinkAccount,
    AuditAction::PersonSignIn,
];
/// What colleagues and operators do to it.
const TO_THEM: &[AuditAction] = &[AuditAction::PersonIssueReset, AuditAction::PersonChange];
/// What developers look after. Of the settings, where results are sent.
const TECHNICAL: &[AuditAction] = &[
    AuditAction::KeyIssue,
    AuditAction::SettingsChange,
    AuditAction::WebhookSecretIssue,
    AuditAction::WebhookSecretDisable,
];
/// What admins look after. Of changes, who became an admin.
const PEOPLE: &[AuditAction] = &[
    AuditAction::PersonJoin,
    AuditAction::PersonGrantOperator,
    AuditAction::PersonChange,
];

/// What has happened since the last visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// The last visit before this one.
    pub since: Timestamp,
    /// The address it came from, if it is known.
    pub from: Option<String>,
    /// Newest first.
    pub entries: Vec<Recorded>,
    /// Refused attempts to sign in to their account, their own ones included.
    pub refused: Option<RefusedSignIns>,
}

impl News {
    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.refused.is_none()
    }
}

/// What has happened since the last visit of `staff`. `None` at their first one.
///
/// # Errors
/// If the database does not respond.
pub async fn news(honnin: &Honnin, staff: &Staff) -> Result<Option<News>, StoreError> {
    let mut by_others = Vec::new();
    if Developer::of(staff).is_ok() {
        by_others.extend(TECHNICAL);
    }
    if Admin::of(staff).is_ok() {
        by_others.extend(PEOPLE);
    }
    let staff = staff.clone();
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let Some(visit) = users::find_visit_before(tx, staff.user()).await? else {
            return Ok(None);
        };
        let concerns = Concerns {
            user: staff.user(),
            own: OWN,
            to_them: TO_THEM,
            by_others: &by_others,
        };
        Ok(Some(News {
            since: visit.at,
            from: visit.from,
            entries: audit::list_news(tx, staff.tenant(), visit.entry, concerns, MOST).await?,
            refused: audit::find_refused_sign_ins(tx, staff.tenant(), visit.entry, staff.user()).await?,
        }))
    });
    unit.await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_people_are_told_of_is_in_the_index() {
        for action in [OWN, TO_THEM, TECHNICAL, PEOPLE].concat() {
            let name = format!("'{}'", action.as_str());
            assert!(audit::NEWS.contains(&name), "{name}");
        }
    }
}
