//! What the job that erases a session names.

use domain::{
    ids::SessionId,
    session::{AttemptNumber, Session},
};
use std::fmt;

/// The subject of a session's erasure, in SQL over `sessions`: what [`ErasureSubject`] is written as.
macro_rules! erasure_subject {
    () => {
        "sessions.id || '#' || sessions.attempt"
    };
}
pub(crate) use erasure_subject;

/// The subject of the job that erases a session: the session, and the attempt in which it ended. A later attempt has a job of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureSubject {
    /// The session.
    pub session: SessionId,
    /// The attempt in which it ended.
    pub attempt: AttemptNumber,
}

impl ErasureSubject {
    /// The subject for the end of a session in its present attempt.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        Self {
            session: session.id.clone(),
            attempt: session.attempt,
        }
    }

    /// Parses a stored subject.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (session, attempt) = text.split_once('#')?;
        Some(Self {
            session: SessionId::parse(session)?,
            attempt: AttemptNumber::new(attempt.parse().ok()?),
        })
    }
}

impl fmt::Display for ErasureSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.session, self.attempt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_read_as_it_was_written() {
        let session = SessionId::from_random([0xab; 16]);
        for attempt in [1, 2, 10, i64::MAX] {
            let subject = ErasureSubject {
                session: session.clone(),
                attempt: AttemptNumber::new(attempt),
            };
            let stored = subject.to_string();
            // Nodes of other versions read it as well.
            assert_eq!(stored, format!("vs_{}#{attempt}", "ab".repeat(16)));
            assert_eq!(ErasureSubject::parse(&stored), Some(subject));
        }
    }

    #[test]
    fn what_is_no_subject_of_an_erasure_is_refused() {
        let id = SessionId::from_random([0xab; 16]);
        for bad in [
            String::new(),
            "#".to_owned(),
            id.to_string(),
            format!("{id}#"),
            format!("{id}#x"),
            format!("{id}#1#2"),
            "#1".to_owned(),
            "vs_1#1".to_owned(),
        ] {
            assert_eq!(ErasureSubject::parse(&bad), None, "{bad:?}");
        }
    }
}
