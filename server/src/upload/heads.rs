//! A limit for the heads of a form's parts. The parser buffers everything until a head is complete, and searches all of it again with
//! every piece: an endless head would take memory that nobody reserved, and time that grows with the square of its length.

use axum::{Error, body::Body};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

/// A head, with what stands before the first part, has to end within so many bytes. Browsers send a few hundred.
const LONGEST: usize = 16 * 1024;
/// The parser takes all there is before it looks for the end of a head, and looks for the first boundary before it takes any more.
const PAUSES: u8 = 2;
/// In place of a number of bytes: the content of a part is read.
const CONTENT: usize = usize::MAX;

/// How many bytes the parser got since it began to look for a head, or [`CONTENT`].
#[derive(Debug, Default)]
pub(super) struct Heads(Arc<AtomicUsize>);

impl Heads {
    /// The body, which fails where a head is too long.
    pub(super) fn limit(&self, body: Body) -> Body {
        Body::new(Limited {
            body,
            read: Arc::clone(&self.0),
            pauses: 0,
        })
    }

    /// Waits for `next`, which looks for a head.
    pub(super) async fn within<T>(&self, next: impl Future<Output = T>) -> T {
        self.0.store(0, Ordering::Relaxed);
        let found = next.await;
        self.0.store(CONTENT, Ordering::Relaxed);
        found
    }
}

struct Limited {
    body: Body,
    read: Arc<AtomicUsize>,
    /// How many more times it says that nothing more has arrived yet.
    pauses: u8,
}

impl http_body::Body for Limited {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let me = &mut *self;
        let read = me.read.load(Ordering::Relaxed);
        if read == CONTENT {
            return Pin::new(&mut me.body).poll_frame(cx);
        }
        if me.pauses > 0 {
            me.pauses -= 1;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if read >= LONGEST {
            return Poll::Ready(Some(Err(Error::new("the head of a part is too long"))));
        }
        let frame = ready!(Pin::new(&mut me.body).poll_frame(cx));
        if let Some(Ok(frame)) = &frame {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            me.read.fetch_add(bytes, Ordering::Relaxed);
            me.pauses = PAUSES;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Part, UploadFault,
        form::{discard, read},
    };
    use super::*;
    use axum::extract::Request;
    use futures::{StreamExt as _, stream};
    use std::{convert::Infallible, time::Duration};

    const LIMIT: usize = 1024 * 1024;
    /// Far longer than a test takes.
    const LONG: Duration = Duration::from_secs(600);
    const PIECE: usize = 1024;

    /// A form that arrives in these pieces, not all at once.
    fn form(pieces: impl futures::Stream<Item = Bytes> + Send + 'static) -> Request {
        let pieces = pieces.then(|piece| async {
            tokio::task::yield_now().await;
            Ok::<_, Infallible>(piece)
        });
        Request::post("/")
            .header("content-type", "multipart/form-data; boundary=b")
            .body(Body::from_stream(pieces))
            .unwrap()
    }

    #[tokio::test]
    async fn of_a_head_without_an_end_no_more_is_kept_than_a_head_may_have() {
        for begin in ["--b\r\ncontent-disposition: form-data; name=\"", "no boundary"] {
            for is_too_large in [false, true] {
                let taken = Arc::new(AtomicUsize::new(0));
                let counted = Arc::clone(&taken);
                let endless = stream::repeat(Bytes::from(vec![b'x'; PIECE])).inspect(move |piece| {
                    counted.fetch_add(piece.len(), Ordering::Relaxed);
                });
                let request = form(stream::iter([Bytes::from(begin)]).chain(endless));
                let fault = if is_too_large {
                    discard(request, LONG).await
                } else {
                    read(request, LIMIT, LONG).await.unwrap_err()
                };
                assert_eq!(fault, UploadFault::Broken, "{begin:?}");
                let taken = taken.load(Ordering::Relaxed);
                assert!(taken <= LONGEST + PIECE, "{begin:?}: {taken}");
            }
        }
    }

    #[tokio::test]
    async fn a_form_is_read_in_whatever_pieces_it_arrives_and_each_of_its_heads_may_be_long() {
        let head = format!(
            "content-disposition: form-data; name=\"frame\"; filename=\"{}\"",
            "n".repeat(6000)
        );
        let part = |content: &str| format!("--b\r\n{head}\r\n\r\n{content}\r\n");
        let whole = part("one") + &part("two\r\n--") + &part("") + &part("four") + "--b--\r\n";
        assert!(whole.len() > LONGEST);
        for size in [7, 5000, whole.len()] {
            let pieces: Vec<Bytes> = whole.as_bytes().chunks(size).map(Bytes::copy_from_slice).collect();
            let parts = read(form(stream::iter(pieces)), LIMIT, LONG).await.unwrap();
            let files: Vec<_> = parts
                .iter()
                .map(|(name, part)| match part {
                    Part::File(bytes) => (name.as_str(), bytes.as_slice()),
                    other => panic!("{other:?}"),
                })
                .collect();
            let wanted = [&b"one"[..], b"two\r\n--", b"", b"four"].map(|content| ("frame", content));
            assert_eq!(files, wanted, "{size}");
        }
    }

    #[tokio::test]
    async fn a_form_with_a_boundary_longer_than_the_standard_allows_is_refused() {
        for (length, is_read) in [(70, true), (1000, false)] {
            let boundary = "b".repeat(length);
            let mut request = form(stream::iter([Bytes::from(format!("--{boundary}--\r\n"))]));
            let kind = format!("multipart/form-data; boundary={boundary}");
            request.headers_mut().insert("content-type", kind.parse().unwrap());
            let read = read(request, LIMIT, LONG).await;
            assert_eq!(read.is_ok(), is_read, "{length}");
        }
    }
}
