//! The memory of pictures that are being sent. A picture is decrypted as a whole, and its request's slot is free once its head is written: a client
//! that reads slowly would otherwise hold any number of them.

use super::{
    Network,
    fair_pool::{Exhausted, FairPool, Permit},
};
use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http_body::{Body as _, Frame, SizeHint};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

/// Most bytes of a picture that are handed over at a time.
const PIECE: usize = 64 * 1024;

/// The memory, shared among networks. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sending(Arc<FairPool>);

impl Sending {
    /// For pictures of this many bytes in total.
    pub(crate) fn new(bytes: usize) -> Self {
        Self(FairPool::new(bytes))
    }

    /// The response, which holds its memory until its client has read it, if it is a picture.
    ///
    /// # Errors
    /// If the network has used its share, or there is none left.
    pub(crate) fn hold(&self, network: Network, response: Response) -> Result<Response, Exhausted> {
        let size = response.body().size_hint().exact().filter(|_| is_picture(&response));
        let Some(size) = size.and_then(|size| usize::try_from(size).ok()) else {
            return Ok(response);
        };
        let permit = self.0.take(network, size, 0)?;
        Ok(response.map(|body| {
            Body::new(Held {
                inner: body,
                here: Bytes::new(),
                permit: Arc::new(permit),
            })
        }))
    }
}

fn is_picture(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"image/"))
}

/// A body in pieces, with its permit for the memory.
struct Held {
    inner: Body,
    /// What of the last frame has not been handed over.
    here: Bytes,
    permit: Arc<Permit>,
}

/// A frame with the memory that it is in. Its pieces are in the same memory, and may wait to be written when the body is gone.
struct Counted {
    frame: Bytes,
    _permit: Arc<Permit>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.frame
    }
}

impl http_body::Body for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let me = &mut *self;
        if me.here.is_empty() {
            match ready!(Pin::new(&mut me.inner).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(frame) => {
                        let permit = Arc::clone(&me.permit);
                        me.here = Bytes::from_owner(Counted { frame, _permit: permit });
                    }
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
        }
        let piece = me.here.split_to(PIECE.min(me.here.len()));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.here.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let here = self.here.len() as u64;
        let rest = self.inner.size_hint().exact();
        rest.map_or_else(SizeHint::new, |rest| SizeHint::with_exact(here + rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse as _;
    use http_body_util::BodyExt as _;

    const MIB: usize = 1024 * 1024;

    fn picture(size: usize) -> Response {
        ([(CONTENT_TYPE, "image/jpeg")], vec![1; size]).into_response()
    }

    fn network(number: u8) -> Network {
        Network::of([127, number, 0, 1].into())
    }

    #[tokio::test]
    async fn a_picture_holds_its_memory_until_it_is_read_and_is_handed_over_in_pieces() {
        let sending = Sending::new(4 * MIB);
        let first = sending.hold(network(1), picture(2 * MIB)).unwrap();
        assert_eq!(sending.hold(network(1), picture(1)).unwrap_err(), Exhausted::Share);
        assert_eq!(sending.hold(network(2), picture(3 * MIB)).unwrap_err(), Exhausted::All);
        let others = sending.hold(network(2), picture(MIB)).unwrap();
        let mut body = first.into_body();
        assert_eq!(body.size_hint().exact(), Some(2 * MIB as u64));
        let mut read = 0;
        while let Some(frame) = body.frame().await {
            let piece = frame.unwrap().into_data().unwrap();
            assert!(piece.len() <= PIECE, "{}", piece.len());
            read += piece.len();
        }
        assert_eq!((read, body.size_hint().exact()), (2 * MIB, Some(0)));
        drop(body);
        assert!(sending.hold(network(1), picture(3 * MIB)).is_ok());
        drop(others);
    }

    /// A picture is in one piece of memory, however many pieces of it are handed over.
    #[tokio::test]
    async fn the_memory_is_held_until_the_last_piece_is_written() {
        let sending = Sending::new(MIB);
        let mut body = sending.hold(network(1), picture(MIB)).unwrap().into_body();
        let mut last = Bytes::new();
        while let Some(frame) = body.frame().await {
            last = frame.unwrap().into_data().unwrap();
        }
        drop(body);
        assert!(!last.is_empty());
        assert_eq!(sending.hold(network(2), picture(1)).unwrap_err(), Exhausted::All);
        drop(last);
        assert!(sending.hold(network(2), picture(MIB)).is_ok());
    }

    #[tokio::test]
    async fn what_is_no_picture_holds_nothing() {
        let sending = Sending::new(1);
        let page = || "a page".into_response();
        let kept = [(); 2].map(|()| sending.hold(network(1), page()).unwrap());
        assert!(sending.hold(network(1), picture(1)).is_ok());
        drop(kept);
    }
}
