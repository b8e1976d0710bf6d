//! The errors of the store. They contain no values from rows, so they may be logged.

use std::{borrow::Cow, sync::Arc};

/// Why the store could not do what was requested.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The row was changed in the meantime.
    #[error("the row was changed by somebody else")]
    Conflict,
    /// The worker no longer holds the job, so the effect must not be kept.
    #[error("the lease on the job was lost")]
    LeaseLost,
    /// A row with this unique value exists already.
    #[error("a row with this unique value already exists")]
    Duplicate,
    /// The key of this data was destroyed: it can no longer be read.
    #[error("the key was destroyed")]
    Erased,
    /// What is stored cannot be parsed, or was tampered with.
    #[error("stored data is corrupt: {0}")]
    Corrupt(&'static str),
    /// This process lacks the version of the master key that encrypted the data. It may have it once it is restarted, so a caller that needs the
    /// data tries again.
    #[error("encrypted with a version of the master key that this process does not have")]
    MasterKeyMissing,
    /// The master key cannot be used: it is missing, cannot be read, or is not the one of the stored data.
    #[error("{0}")]
    Locked(Cow<'static, str>),
    /// The database refused the statement: a constraint, or a write in a read unit. A bug in the program.
    #[error("refused by the database: {0}")]
    Refused(Arc<str>),
    /// The unit of work panicked and was rolled back.
    #[error("the unit of work panicked")]
    Panicked,
    /// The database, the disk or the object store does not respond.
    #[error("storage is unavailable: {0}")]
    Unavailable(Arc<str>),
}

impl StoreError {
    /// Whether the same may succeed soon without anybody's doing: storage that does not respond, or a version of the master key that this process
    /// does not have yet.
    #[must_use]
    pub const fn is_temporary(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::MasterKeyMissing)
    }

    /// Unavailable storage, with the reason for the log.
    #[must_use]
    pub fn unavailable(reason: impl std::fmt::Display) -> Self {
        Self::Unavailable(reason.to_string().into())
    }

    /// A bug in the program, with the reason for the log.
    pub(crate) fn refused(reason: impl std::fmt::Display) -> Self {
        Self::Refused(reason.to_string().into())
    }

    /// Converts a driver's error. Only its message is kept: the details of a database error can quote the row.
    pub(crate) fn from_sql(error: &sqlx::Error) -> Self {
        match error {
            sqlx::Error::Database(inner) if inner.is_unique_violation() => Self::Duplicate,
            sqlx::Error::Database(inner) if is_refusal(&**inner) => Self::refused(inner.message()),
            sqlx::Error::RowNotFound => Self::Corrupt("a row that must be there is missing"),
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) | sqlx::Error::ColumnNotFound(_) => {
                Self::Corrupt("a column does not hold what it should")
            }
            other => Self::unavailable(other),
        }
    }
}

/// Constraints, writes in a read-only transaction, values that PostgreSQL cannot take (class 22, such as a text with a NUL), and statements that make
/// no sense (class 42, but not a missing permission, which is for the operator to give).
fn is_refusal(error: &dyn sqlx::error::DatabaseError) -> bool {
    const READ_ONLY_SQL_TRANSACTION: &str = "25006";
    const DATA_EXCEPTION: &str = "22";
    const SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION: &str = "42";
    const INSUFFICIENT_PRIVILEGE: &str = "42501";
    const SQLITE_ERROR: &str = "1";
    const SQLITE_READONLY: &str = "8";
    let code = error.code();
    let code = code.as_deref().unwrap_or_default();
    // SQLite's codes are shorter.
    let is_of_class = |class| code.len() == 5 && code.starts_with(class);
    matches!(code, READ_ONLY_SQL_TRANSACTION | SQLITE_ERROR | SQLITE_READONLY)
        || is_of_class(DATA_EXCEPTION)
        || is_of_class(SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION) && code != INSUFFICIENT_PRIVILEGE
        || !matches!(error.kind(), sqlx::error::ErrorKind::Other)
}

/// The database can only be read: a server that is a standby now, or a disk that was mounted again. Or the transaction was begun for reading.
pub(crate) fn is_read_only(error: &sqlx::Error) -> bool {
    const SQLITE_READONLY: u32 = 8;
    let sqlx::Error::Database(inner) = error else {
        return false;
    };
    let code = inner.code();
    match code.as_deref() {
        Some("25006") => true,
        // SQLite's codes are shorter. The last eight bits say what is wrong, those before them in which way.
        Some(code) if code.len() < 5 => code.parse::<u32>().is_ok_and(|code| code & 0xff == SQLITE_READONLY),
        _ => false,
    }
}

/// Two transactions conflicted and one must run again: serialization failure, deadlock.
pub(crate) fn is_serialization_failure(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(inner) if matches!(inner.code().as_deref(), Some("40001" | "40P01")))
}
