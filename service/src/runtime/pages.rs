//! Lists that are read page by page while they are sent: one page is in memory, however long the list is.

use futures::{Stream, stream::try_unfold};
use store::StoreError;

/// A part of a list, which may be empty.
pub(crate) struct Part<T, P> {
    pub(crate) entries: Vec<T>,
    /// Where the next one begins; `None` on the last one.
    pub(crate) next: Option<P>,
}

impl<T, P> Part<T, P> {
    /// Up to `limit` entries. If they are as many, the next part begins beyond the last one, whose cursor is `cursor`; otherwise at `rest`.
    pub(crate) fn of(entries: Vec<T>, limit: u32, cursor: fn(&T) -> P, rest: Option<P>) -> Self {
        let last = entries.last().filter(|_| entries.len() >= limit as usize);
        Self {
            next: last.map(cursor).or(rest),
            entries,
        }
    }
}

/// The parts of a list, each read when the one before it is sent. `fetch` reads the part that begins at a cursor, at first the one at the
/// beginning of the list.
pub(crate) fn pages<T, P, F, R>(fetch: F) -> impl Stream<Item = Result<Vec<T>, StoreError>> + Send
where
    T: Send,
    P: Send,
    F: Fn(Option<P>) -> R + Send,
    R: Future<Output = Result<Part<T, P>, StoreError>> + Send,
{
    try_unfold((fetch, Some(None)), move |(fetch, begin)| async move {
        let Some(begin) = begin else { return Ok(None) };
        let Part { entries, next } = fetch(begin).await?;
        Ok(Some((entries, (fetch, next.map(Some)))))
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
                let entries: Vec<u32> = (first..most.min(first + 3)).collect();
                Ok(Part::of(entries, 3, |entry| *entry, None))
            };
            block_on(pages(fetch).try_concat())
        };
        for most in 0..8 {
            assert_eq!(read(most, 100).unwrap(), (0..most).collect::<Vec<_>>());
        }
        assert!(matches!(read(8, 6), Err(StoreError::Conflict)));
    }

    #[test]
    fn a_list_goes_on_beyond_an_empty_part() {
        let fetch = |begin: Option<u32>| async move {
            let begin = begin.unwrap_or_default();
            let found = if begin == 2 { vec![7] } else { Vec::new() };
            Ok(Part::of(
                found,
                3,
                |entry| *entry,
                Some(begin + 1).filter(|next| *next < 4),
            ))
        };
        let parts: Vec<Vec<u32>> = block_on(pages(fetch).try_collect()).unwrap();
        assert_eq!(parts, [vec![], vec![], vec![7], vec![]]);
    }
}
