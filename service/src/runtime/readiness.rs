//! Whether what the verbs stand on can be read and written. A disk that is full still answers whoever reads; so each part is asked to
//! make something durable.

use crate::Honnin;
use domain::time::{Millis, Timestamp};
use futures::future::join3;
use std::time::Duration;
use store::{StoreError, people::users, write_checks};
use tokio::{sync::Mutex, time::timeout};

/// Whoever asks sooner gets the last answer: a check costs each part a sync of its disk, and anybody may ask.
const PERIOD: Millis = Millis::seconds(5);
/// A part that takes longer does not answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What can be read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// The main database.
    pub database: bool,
    /// The database of the keys.
    pub keys: bool,
    /// The store of pictures.
    pub pictures: bool,
}

impl Readiness {
    /// Whether everything can be.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.database && self.keys && self.pictures
    }
}

/// What the last check found, and when it began.
pub(crate) type LastCheck = Mutex<Option<(Timestamp, Readiness)>>;

/// What the last check found, where it is young enough; else what a new one finds.
pub async fn readiness(honnin: &Honnin) -> Readiness {
    let honnin = honnin.clone();
    // In a task of its own: callers that leave could else begin one check after the other.
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
    })
}

async fn check(honnin: &Honnin) -> Readiness {
    let (database, keys, pictures) = join3(
        works("database", check_database(honnin)),
        works("keys", honnin.vault.check()),
        works("pictures", honnin.pictures.check()),
    )
    .await;
    Readiness {
        database,
        keys,
        pictures,
    }
}

async fn check_database(honnin: &Honnin) -> Result<(), StoreError> {
    let read = honnin.db.ask(async |tx| users::exist(tx).await);
    read.await?;
    honnin.db.write(async |tx| write_checks::write(tx).await).await
}

/// Whether `check` ends well in time. The reason why not is for the log: whoever asks need not know it.
async fn works(part: &'static str, check: impl Future<Output = Result<(), StoreError>>) -> bool {
    match timeout(TIMEOUT, check).await {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => tracing::warn!(part, %error, "not ready"),
        Err(_) => tracing::warn!(part, "not ready: no answer in time"),
    }
    false
}
