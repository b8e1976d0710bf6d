//! The vocabulary of the details in audit entries. The words are stored in English and never change: the hash chain covers them, exports contain
//! them, and searches compare them. The console shows them in the reader's language.

use crate::stored_vocabulary;
use std::fmt::Display;

stored_vocabulary! {
    /// A part of a detail that says everything by itself.
    DetailWord {
        /// All second factors.
        All = "all",
        /// The page of the audit log.
        AuditLog = "audit log",
        /// What was typed in place of an id, and could be anything.
        InvalidId = "an invalid id",
        /// An authenticator app.
        AuthenticatorApp = "authenticator app",
        /// A code. In a sign-in, the first factor was right.
        Code = "code",
        /// Asked again, the person entered a wrong code.
        ConfirmationCode = "confirmation: code",
        /// Asked again, the person showed a wrong passkey.
        ConfirmationPasskey = "confirmation: passkey",
        /// Asked again, the person entered a wrong password.
        ConfirmationPassword = "confirmation: password",
        /// The person may not sign in any more.
        Disabled = "disabled",
        /// The person may sign in again.
        Enabled = "enabled",
        /// No filter.
        Everything = "everything",
        /// A filter by metadata.
        MetadataSearch = "metadata search",
        /// A filter by name.
        NameSearch = "name search",
        /// A filter by date of birth.
        BirthDateSearch = "date of birth search",
        /// The backup was older than the erasure.
        ErasedBeforeRestore = "erased before the backup was restored",
        /// A sign-in with a link in place of the password.
        CommandLineLink = "link from the command line",
        /// A sign-in from a network that the person had not used lately.
        NewNetwork = "new network",
        /// The case is assigned to nobody.
        Nobody = "nobody",
        /// The OpenID provider.
        OpenId = "openid",
        /// The provider confirmed somebody else.
        OpenIdOther = "openid: another person confirmed",
        /// The provider's person has no account.
        OpenIdUnknown = "openid: no account for the provider's person",
        /// The provider's answer was not valid.
        OpenIdRefused = "openid: the provider's answer was refused",
        /// The rights of an operator.
        Operator = "operator",
        /// A passkey; in a refused sign-in, one without a password before.
        Passkey = "passkey",
        /// The page of a tenant's people.
        People = "people",
        /// The pages of a tenant's sessions.
        Sessions = "sessions",
        /// In a refused sign-in, the first factor was right and the passkey was not.
        SecondPasskey = "passkey as the second factor",
        /// In a refused sign-in, the first factor was right, and no second one came.
        Stopped = "stopped before the second factor",
    }
}

stored_vocabulary! {
    /// A part of a detail that contains a value, at `{}`. Where a text could be two of them, the one that is listed first is meant.
    DetailPhrase {
        /// A sign-in with a browser that the person had not used before, of this name.
        NewBrowser = "new browser: {}",
        /// A passkey of this name.
        Passkey = "passkey {}",
        /// The reviewer's note in the webhook of this event.
        NoteIn = "note in {}",
        /// A search that found more sessions than this.
        MoreByNameAndBirthDate = "by name and date of birth: more than {} found",
        /// A search that found more sessions than this.
        MoreByName = "by name: more than {} found",
        /// A search that found more sessions than this.
        MoreByBirthDate = "by date of birth: more than {} found",
        /// A search that found as many sessions.
        ByNameAndBirthDate = "by name and date of birth: {} found",
        /// A search that found as many sessions.
        ByName = "by name: {} found",
        /// A search that found as many sessions.
        ByBirthDate = "by date of birth: {} found",
        /// As many events that had not been sent.
        UnsentEvents = "{} unsent events",
        /// As many events.
        Events = "{} events",
        /// The size of a file.
        Bytes = "{} bytes",
        /// An export of the audit log, from this position on.
        AgainFrom = "again from position {}",
        /// A filter: this action.
        Action = "action {}",
        /// A filter: what this person or key did.
        By = "by {}",
        /// A filter: what was done to whatever has this id.
        About = "about {}",
        /// A filter: at this time or later.
        From = "from {}",
        /// A filter: before this time.
        Until = "until {}",
        /// A filter: after this event, with which the last page ended.
        After = "after {}",
        /// A filter: deliveries in this state.
        State = "state {}",
        /// A filter: events of this type.
        Type = "type {}",
        /// A filter: this session.
        Session = "session {}",
        /// A filter: sessions whose id begins like this.
        IdPrefix = "id prefix {}",
        /// A filter: sessions with this status.
        Status = "status {}",
        /// A filter: sessions with this verdict.
        Verdict = "verdict {}",
        /// A filter: sessions with this reason.
        Reason = "reason {}",
        /// A filter: sessions with this kind of document.
        Document = "document {}",
        /// A filter: sessions that were abandoned after this step.
        LastStep = "last step {}",
    }
}

stored_vocabulary! {
    /// What stands between the parts of the detail of an issued key, in this order.
    KeyClause {
        /// The networks from which the key may be used come next.
        From = " from ",
        /// It may be used from more networks, which other entries name.
        AndOthers = ", and others",
        /// It never expires.
        NeverExpires = "; does not expire",
        /// The time when it expires comes next.
        Expires = "; expires ",
        /// The key that it replaces comes next.
        InPlaceOf = "; in place of ",
        /// The same in older entries, which do not say when the new key expires.
        InPlaceOfWithoutExpiry = " in place of ",
        /// The time when the replaced key expires comes next.
        ReplacedExpires = ", which expires at ",
    }
}

/// Stands between the number of removed entries and the time before which they were written.
pub const ENTRIES_BEFORE: &str = " entries from before ";

impl DetailPhrase {
    /// The phrase with a value.
    #[must_use]
    pub fn with(self, value: impl Display) -> String {
        let (before, after) = self.around();
        format!("{before}{value}{after}")
    }

    /// The phrase that a text consists of, and its value.
    #[must_use]
    pub fn read(text: &str) -> Option<(Self, &str)> {
        Self::ALL.iter().find_map(|phrase| {
            let (before, after) = phrase.around();
            let value = text.strip_prefix(before)?.strip_suffix(after)?;
            Some((*phrase, value))
        })
    }

    /// What stands before the value, by which a detail with this phrase is found.
    #[must_use]
    pub fn beginning(self) -> &'static str {
        self.around().0
    }

    /// What stands before the value, and after it.
    fn around(self) -> (&'static str, &'static str) {
        self.as_str().split_once("{}").unwrap_or((self.as_str(), ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_read_as_it_was_written() {
        for phrase in DetailPhrase::ALL {
            assert!(phrase.as_str().contains("{}"), "{phrase}");
            for value in ["7", "Chrome on Windows", "evt_1", ""] {
                assert_eq!(DetailPhrase::read(&phrase.with(value)), Some((*phrase, value)));
            }
        }
        assert_eq!(DetailPhrase::read("what a later version says"), None);
    }
}
