//! Whether storage can be read and written. A full disk can still be read, so each part is checked by writing something durably.

use crate::{Honnin, runtime::master_key};
use domain::time::{Millis, Timestamp};
use futures::future::join4;
use std::time::Duration;
use store::{StoreError, people::users, write_checks};
use tokio::{sync::Mutex, time::timeout};

/// More frequent requests get the last result: a check costs each part a disk sync, and anyone may ask.
const PERIOD: Millis = Millis::seconds(5);
/// A part that takes longer counts as not responding.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Which parts can be read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// The main database.
    pub database: bool,
    /// The database of keys.
    pub keys: bool,
    /// The picture store.
    pub pictures: bool,
    /// False if a version of the master key that encrypts something is known to be missing. What the others encrypt can be read.
    pub master_key: bool,
}

impl Readiness {
    /// Whether all parts are ready. A missing version of the master key does not count: what the others encrypt is served.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.database && self.keys && self.pictures
    }
}

/// The result and start time of the last check.
pub(crate) type LastCheck = Mutex<Option<(Timestamp, Readiness)>>;

/// The result of the last check if it is recent enough, otherwise of a new one.
pub async fn readiness(honnin: &Honnin) -> Readiness {
    let honnin = honnin.clone();
    // In a separate task: callers that disconnect could otherwise start one check after another.
    let found = tokio::spawn(async move {
        let mut last = honnin.last_check.lock().await;
        let now = honnin.now();
        if let Some((at, found)) = *last
            && (at..at.plus(PERIOD)).contains(&now)
        {
            return found;
        }
        let found = check(&honnin).await;
        *last = Some((now, found));
        found
    });
    found.await.unwrap_or(Readiness {
        database: false,
        keys: false,
        pictures: false,
        master_key: true,
    })
}

async fn check(honnin: &Honnin) -> Readiness {
    let (database, keys, pictures, master_key) = join4(
        works("database", check_database(honnin)),
        works("keys", honnin.vault.check()),
        works("pictures", honnin.pictures.check()),
        has_master_key(honnin),
    )
    .await;
    Readiness {
        database,
        keys,
        pictures,
        master_key,
    }
}

/// Whether no version of the master key is known to be missing. A database that does not answer says nothing of it.
async fn has_master_key(honnin: &Honnin) -> bool {
    let found = timeout(TIMEOUT, master_key::list_missing(honnin)).await;
    !matches!(found, Ok(Ok(missing)) if !missing.is_empty())
}

async fn check_database(honnin: &Honnin) -> Result<(), StoreError> {
    let read = honnin.db.ask(async |tx| users::exist(tx).await);
    read.await?;
    honnin.db.write(async |tx| write_checks::write(tx).await).await
}

/// Whether `check` succeeds in time. The reason for a failure goes to the log only.
async fn works(part: &'static str, check: impl Future<Output = Result<(), StoreError>>) -> bool {
    match timeout(TIMEOUT, check).await {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => tracing::warn!(part, %error, "not ready"),
        Err(_) => tracing::warn!(part, "not ready: timed out"),
    }
    false
}
