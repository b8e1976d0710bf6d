//! Counters of attempts that are limited: what they are stored under, the window in which they count, and counting an attempt on several.

use crate::{Honnin, runtime::to_completion::to_completion};
use domain::time::{Millis, Timestamp};
use sha2::{Digest, Sha256};
use store::{StoreError, people::try_counters};
use tokio::sync::Semaphore;

/// The window in which attempts are counted.
pub const WINDOW: Millis = Millis::minutes(15);

/// Attempts that are counted at a time in [`after_count`]: each goes on without its client, and none is over its limit yet.
static COUNTED_AT_ONCE: Semaphore = Semaphore::const_new(64);

/// The name under which the counter of these `parts` is stored. `kind` keeps it apart from those that count something else.
pub(crate) fn counter_name<const N: usize>(kind: &str, parts: [&str; N]) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(kind);
    for part in parts {
        hash.update("\n");
        hash.update(part);
    }
    hash.finalize().to_vec()
}

/// Counts an attempt on counters with their limits, up to the first one that is over its limit, and returns whether it may proceed.
async fn count(honnin: &Honnin, counters: Vec<(Vec<u8>, i64)>, now: Timestamp) -> Result<bool, StoreError> {
    let unit = honnin.db.write(async move |tx| {
        for (counter, limit) in &counters {
            if try_counters::count(tx, counter, now, WINDOW).await? > *limit {
                return Ok(false);
            }
        }
        Ok(true)
    });
    unit.await
}

/// Counts an attempt as [`count`] does, and does the `work` that is to follow unless it is over a limit, or else fails as `throttled`. If its client hangs
/// up, also while it is counted, both are done: what is counted would otherwise be neither recorded nor taken back.
pub(super) async fn after_count<T, E>(
    honnin: &Honnin,
    counters: Vec<(Vec<u8>, i64)>,
    now: Timestamp,
    throttled: E,
    work: impl Future<Output = Result<T, E>> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let turn = COUNTED_AT_ONCE.acquire().await.map_err(StoreError::unavailable)?;
    let honnin = honnin.clone();
    to_completion(async move {
        let may_proceed = count(&honnin, counters, now).await?;
        drop(turn);
        if may_proceed { work.await } else { Err(throttled) }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_keep_the_names_under_which_earlier_versions_stored_them() {
        let stored = |text: &str| Sha256::digest(text).to_vec();
        assert_eq!(
            counter_name("pair", ["a@b.example", "192.0.2.1"]),
            stored("pair\na@b.example\n192.0.2.1")
        );
        assert_eq!(
            counter_name("account", ["a@b.example", ""]),
            stored("account\na@b.example\n")
        );
        assert_eq!(counter_name("openid", ["192.0.2.1"]), stored("openid\n192.0.2.1"));
    }
}
