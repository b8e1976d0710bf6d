//! Lists that are read page by page while they are sent: one page is in memory, however long the list is.

use futures::{Stream, stream::try_unfold};
use store::StoreError;

/// The pages of up to `limit` entries, each read when the one before it is sent. `fetch` reads the page beyond a cursor, at first the one at the
/// beginning of the list; `cursor` is that of an entry.
pub(crate) fn pages<T, P, F, R>(
    limit: u32,
    cursor: fn(&T) -> P,
    fetch: F,
) -> impl Stream<Item = Result<Vec<T>, StoreError>> + Send
where
    T: Send,
    P: Send,
    F: Fn(Option<P>) -> R + Send,
    R: Future<Output = Result<Vec<T>, StoreError>> + Send,
{
    try_unfold((fetch, None, false), move |(fetch, beyond, is_over)| async move {
        if is_over {
            return Ok(None);
        }
        let page = fetch(beyond).await?;
        let (last, is_over) = (page.last().map(cursor), page.len() < limit as usize);
        Ok(Some((page, (fetch, last, is_over))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{TryStreamExt as _, executor::block_on};

    #[test]
    fn every_entry_comes_once_and_a_failure_ends_the_list() {
        let read = |most: u32, fails_at: u32| {
            let fetch = move |beyond: Option<u32>| async move {
                let first = beyond.map_or(0, |last| last + 1);
                if first >= fails_at {
                    return Err(StoreError::Conflict);
                }
                Ok((first..most.min(first + 3)).collect::<Vec<_>>())
            };
            block_on(pages(3, |entry| *entry, fetch).try_concat())
        };
        for most in 0..8 {
            assert_eq!(read(most, 100).unwrap(), (0..most).collect::<Vec<_>>());
        }
        assert!(matches!(read(8, 6), Err(StoreError::Conflict)));
    }
}
