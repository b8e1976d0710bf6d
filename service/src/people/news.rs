//! What has happened since a person's last visit with the same browser that they should know of: new keys, receivers and people, changes to their own
//! account, and attempts to sign in to it. If they did not do it themselves, they can act on it: what was done in their name is among it, since
//! somebody else may have used their session.

use crate::{
    Honnin,
    access::{Admin, Developer, Staff},
    people::visit::Since,
};
use domain::{audit::AuditAction, time::Timestamp};
use store::{
    StoreError,
    audit::{self, Concerns, Recorded, RefusedSignIns},
};

/// Entries that are shown at most.
const MAX_ENTRIES: u32 = 50;
/// What concerns a person's own account, whoever did it. Of the sign-ins, those from a new network.
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
/// What somebody else may have done to people in their name. Nobody can join for them, and only the command line makes operators.
const IN_THEIR_NAME: &[AuditAction] = &[AuditAction::PersonChange];

/// What has happened since the last visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// The last visit with this browser before this one, or how far back the news goes if there was none.
    pub since: Timestamp,
    /// The address it came from; `None` if there was none.
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

/// What `staff` should know of that has happened `since`, in whose session it is kept. `None` at their first visit.
///
/// # Errors
/// If the database does not respond.
pub async fn news(honnin: &Honnin, staff: &Staff, since: Option<&Since>) -> Result<Option<News>, StoreError> {
    let Some(since) = since.cloned() else { return Ok(None) };
    let mut by_others = Vec::new();
    if Developer::of(staff).is_ok() {
        by_others.extend(TECHNICAL);
    }
    if Admin::of(staff).is_ok() {
        by_others.extend(PEOPLE);
    }
    // Whatever they may do by now.
    let by_them = [TECHNICAL, IN_THEIR_NAME].concat();
    let staff = staff.clone();
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let concerns = Concerns {
            user: staff.user(),
            home: staff.home(),
            own: OWN,
            to_them: TO_THEM,
            by_them: &by_them,
            by_others: &by_others,
        };
        Ok(Some(News {
            since: since.at,
            from: since.from.clone(),
            entries: audit::list_news(tx, staff.tenant(), since.entry, concerns, MAX_ENTRIES).await?,
            refused: audit::find_refused_sign_ins(tx, since.entry, staff.user()).await?,
        }))
    });
    unit.await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_people_are_told_of_is_in_the_index() {
        for action in [OWN, TO_THEM, TECHNICAL, PEOPLE, IN_THEIR_NAME].concat() {
            let name = format!("'{}'", action.as_str());
            assert!(audit::NEWS.contains(&name), "{name}");
        }
    }
}
