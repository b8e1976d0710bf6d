//! The words of the audit log: who did something, and what. When and from where is in the entry.

use crate::{
    ids::{ApiKeyId, UserId},
    named::vocabulary,
};
use std::fmt;

vocabulary! {
    /// What was done, as `subject.verb`. Stored entries keep their names, so a name is never given another meaning.
    AuditAction {
        /// Created a session.
        SessionCreate = "session.create",
        /// Read a session's personal data.
        SessionRead = "session.read",
        /// Looked for the sessions of a person.
        SessionSearch = "session.search",
        /// Began another attempt.
        SessionReprocess = "session.reprocess",
        /// Cancelled a session before it was submitted.
        SessionCancel = "session.cancel",
        /// The applicant agreed.
        SessionConsent = "session.consent",
        /// The applicant did not agree.
        SessionDecline = "session.decline",
        /// The applicant submitted.
        SessionSubmit = "session.submit",
        /// The automatic decision.
        SessionDecide = "session.decide",
        /// The deadline passed.
        SessionExpire = "session.expire",
        /// The personal data was erased.
        SessionErase = "session.erase",
        /// Asked for the erasure before the retention period was over.
        SessionEraseNow = "session.erase_now",
        /// Completed with made-up data.
        SessionCompleteInSandbox = "session.complete_in_sandbox",
        /// Moved a session to a later time.
        SessionAdvanceInSandbox = "session.advance_in_sandbox",
        /// Made a new link.
        SessionReissueLink = "session.reissue_link",
        /// The applicant opened the link.
        LinkOpen = "link.open",
        /// The applicant made a link for another device.
        LinkSwitchDevice = "link.hand_over",
        /// Opened a case.
        CaseOpen = "case.open",
        /// Assigned a case.
        CaseAssign = "case.assign",
        /// Ruled.
        CaseRule = "case.rule",
        /// Took a ruling back before it took effect.
        CaseUndo = "case.undo",
        /// Had the applicant asked again.
        CaseAskAgain = "case.ask_again",
        /// Looked at a picture.
        PictureView = "picture.view",
        /// Issued an API key.
        KeyIssue = "key.issue",
        /// Revoked an API key.
        KeyRevoke = "key.revoke",
        /// Changed settings.
        SettingsChange = "settings.change",
        /// Downloaded the list of sessions.
        SessionExport = "session.export",
        /// Uploaded a logo.
        LogoSet = "logo.set",
        /// Removed the logo.
        LogoRemove = "logo.remove",
        /// Added a person; written by earlier versions.
        PersonAdd = "person.add",
        /// Invited a person.
        PersonInvite = "person.invite",
        /// Revoked an invitation.
        PersonRevokeInvitation = "person.revoke_invitation",
        /// Accepted an invitation.
        PersonJoin = "person.join",
        /// Issued a password reset link.
        PersonIssueReset = "person.issue_reset",
        /// Chose a new password by a link.
        PersonResetPassword = "person.reset_password",
        /// Made a person an operator.
        PersonGrantOperator = "person.grant_operator",
        /// Took a person's operator rights away.
        PersonRevokeOperator = "person.revoke_operator",
        /// Freed a person's e-mail address for somebody else.
        PersonReleaseAddress = "person.release_address",
        /// Changed a person.
        PersonChange = "person.change",
        /// Signed in.
        PersonSignIn = "person.sign_in",
        /// Failed to sign in.
        PersonSignInRefused = "person.sign_in_refused",
        /// Linked their account to one at the OpenID provider.
        PersonLinkAccount = "person.link_account",
        /// Removed such a link.
        PersonUnlinkAccount = "person.unlink_account",
        /// Changed their own password.
        PersonChangePassword = "person.change_password",
        /// Added a second factor.
        FactorAdd = "factor.add",
        /// Removed a second factor, or all of a colleague's.
        FactorRemove = "factor.remove",
        /// Made new recovery codes.
        RecoveryCodesIssue = "recovery_codes.issue",
        /// Ended one of their browser sessions.
        PersonEndSession = "person.end_session",
        /// Had one of their browsers forgotten.
        PersonForgetBrowser = "person.forget_browser",
        /// Ended all their browser sessions.
        PersonSignOutEverywhere = "person.sign_out_everywhere",
        /// Became the first person.
        InstallationSetUp = "installation.set_up",
        /// Made a tenant.
        TenantCreate = "tenant.create",
        /// Looked at a tenant's people, sessions or audit log, as an operator from elsewhere.
        TenantView = "tenant.view",
        /// Issued a signing secret.
        WebhookSecretIssue = "webhook_secret.issue",
        /// Disabled a signing secret.
        WebhookSecretDisable = "webhook_secret.disable",
        /// Replaced the master key.
        MasterKeyRotate = "master_key.rotate",
        /// Exported the audit log.
        AuditExport = "audit.export",
        /// Removed entries of the audit log because of their age.
        AuditTrim = "audit.trim",
        /// Had an event sent again.
        WebhookSendAgain = "webhook.send_again",
        /// Had a range of events sent again.
        WebhookSendRangeAgain = "webhook.send_range_again",
        /// Sent a test event.
        WebhookTest = "webhook.test",
    }
}

impl AuditAction {
    /// Whether it is the applicant who does it.
    #[must_use]
    pub const fn is_of_applicant(self) -> bool {
        matches!(
            self,
            Self::LinkOpen | Self::LinkSwitchDevice | Self::SessionConsent | Self::SessionDecline | Self::SessionSubmit
        )
    }
}

/// Who did something. Stored by its text, which the chain of entries covers: what was written once is read and written again byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// A person of the console, who is signed in or has just proved who they are.
    Person(UserId),
    /// A customer's server, by the API key that it used.
    ApiKey(ApiKeyId),
    /// Nobody who has an account here: an automatic action, a command on the machine, the applicant of a session, or a guest of the
    /// sign-in page.
    System,
    /// A name that this version does not write.
    Other(String),
}

impl Actor {
    /// The text of [`Actor::System`].
    const SYSTEM: &'static str = "system";

    /// Reads a stored text, or what somebody typed.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text == Self::SYSTEM {
            return Self::System;
        }
        let person = UserId::parse(text).map(Self::Person);
        let actor = person.or_else(|| ApiKeyId::parse(text).map(Self::ApiKey));
        actor.unwrap_or_else(|| Self::Other(text.to_owned()))
    }

    /// The text as it is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Person(id) => id.as_str(),
            Self::ApiKey(id) => id.as_str(),
            Self::System => Self::SYSTEM,
            Self::Other(text) => text,
        }
    }

    /// The person of the console, if it is one.
    #[must_use]
    pub const fn person(&self) -> Option<&UserId> {
        match self {
            Self::Person(id) => Some(id),
            Self::ApiKey(_) | Self::System | Self::Other(_) => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_is_read_and_written_byte_for_byte() {
        let hex = "0123456789abcdef0123456789abcdef";
        let [person, key] = [format!("usr_{hex}"), format!("key_{hex}")];
        let cases = [
            (person.as_str(), UserId::parse(&person).map(Actor::Person)),
            (&key, ApiKeyId::parse(&key).map(Actor::ApiKey)),
            ("system", Some(Actor::System)),
        ];
        for (text, actor) in cases {
            assert_eq!(Some(Actor::parse(text)), actor);
            assert_eq!(Actor::parse(text).as_str(), text);
        }
        for other in ["", "usr_1", "SYSTEM", "system ", "Rita Example"] {
            assert_eq!(Actor::parse(other), Actor::Other(other.to_owned()));
            assert_eq!(Actor::parse(other).as_str(), other);
        }
    }
}
