//! A request's body before and after its handler. Before: a small body is read as a whole while the request holds nothing but the memory of
//! what has arrived, so that a client that announces a body and does not send it blocks nobody. The edge does not wait for a body that is
//! announced as too long. After: what a handler did not read is read to its end if that is near, so that the connection can be reused;
//! otherwise the response has to announce that the connection closes.

use super::{
    Network, TooLong, TooSlow, caused_by,
    fair_pool::{Exhausted, FairPool, Permit},
};
use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt as _;
use std::{
    future::Future as _,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep, timeout};

/// The largest body that is buffered: as large as the largest form of the console. Handlers that accept less refuse it
/// themselves.
pub(super) const SMALL: usize = 256 * 1024;
/// How long to wait for what a handler left unread.
const DRAIN: Duration = Duration::from_secs(2);
/// How long what follows [`SMALL`] bytes may take, however fast it arrives: its request holds a slot meanwhile. A logo of 1 MB comes by a connection
/// of 150 kbit/s.
const REST: Duration = Duration::from_secs(60);
/// Initial memory of a body.
const FIRST: usize = 4 * 1024;

type Fault = Box<dyn std::error::Error + Send + Sync>;

/// There is no memory for the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoRoom;

/// Reads a body until its end, an error, or more than [`SMALL`] bytes of it. The returned body gives a handler all of that
/// without waiting; the memory is held as long as the body.
///
/// # Errors
/// If the network has used its share of `room`, or there is none left.
pub(super) async fn gathered(
    mut body: Body,
    room: &Arc<FairPool>,
    network: Network,
    rest: &Rest,
) -> Result<Body, NoRoom> {
    if body.is_end_stream() {
        return Ok(body);
    }
    let mut bytes = Vec::new();
    let mut held: Option<Permit> = None;
    let end = loop {
        match body.frame().await {
            None => break End::Whole,
            Some(Err(fault)) => {
                if caused_by::<TooLong>(&fault) {
                    rest.keep(body);
                }
                break End::Fault(Some(fault.into()));
            }
            // Trailers are ignored.
            Some(Ok(frame)) => {
                let data = frame.into_data().unwrap_or_default();
                if hold(&mut held, room, network, data.len()).is_err() {
                    rest.unread();
                    return Err(NoRoom);
                }
                if bytes.is_empty() {
                    bytes.reserve(data.len().max(FIRST));
                }
                // Copied: a piece would keep the whole buffer that it arrived in.
                bytes.extend_from_slice(&data);
            }
        }
        if bytes.len() > SMALL {
            break End::More(Box::pin(sleep(REST)), body);
        }
    };
    if !matches!(end, End::Whole) {
        rest.unread();
    }
    Ok(Body::new(Gathered {
        bytes: bytes.into(),
        end,
        _held: held,
    }))
}

fn hold(held: &mut Option<Permit>, room: &Arc<FairPool>, network: Network, more: usize) -> Result<(), Exhausted> {
    match held {
        Some(held) => held.grow(more),
        None => {
            *held = Some(room.take(network, more, 0)?);
            Ok(())
        }
    }
}

/// How a buffered body ends.
enum End {
    Whole,
    Fault(Option<Fault>),
    /// The rest, and until when it has to arrive.
    More(Pin<Box<Sleep>>, Body),
}

/// A body of which at least the beginning is here.
struct Gathered {
    bytes: Bytes,
    end: End,
    _held: Option<Permit>,
}

impl http_body::Body for Gathered {
    type Data = Bytes;
    type Error = Fault;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        if !self.bytes.is_empty() {
            let bytes = std::mem::take(&mut self.bytes);
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        match &mut self.end {
            End::Whole => Poll::Ready(None),
            End::Fault(fault) => Poll::Ready(fault.take().map(Err)),
            End::More(late, body) => match Pin::new(body).poll_frame(cx) {
                Poll::Pending if late.as_mut().poll(cx).is_ready() => Poll::Ready(Some(Err(TooSlow.into()))),
                Poll::Ready(Some(_)) if late.deadline() <= Instant::now() => Poll::Ready(Some(Err(TooSlow.into()))),
                polled => polled.map_err(Into::into),
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty() && matches!(self.end, End::Whole | End::Fault(None))
    }

    fn size_hint(&self) -> SizeHint {
        let here = self.bytes.len() as u64;
        match &self.end {
            End::Whole => SizeHint::with_exact(here),
            End::Fault(_) | End::More(..) => {
                let mut hint = SizeHint::new();
                hint.set_lower(here);
                hint
            }
        }
    }
}

/// What a handler has not read of a body that was lent to it.
#[derive(Clone, Default)]
pub(super) struct Rest(Arc<Mutex<Left>>);

#[derive(Default)]
struct Left {
    unread: bool,
    body: Option<Body>,
}

impl Rest {
    /// The body for a handler that reads it itself.
    pub(super) fn lend(&self, body: Body) -> Body {
        if body.is_end_stream() {
            return body;
        }
        Body::new(Lent {
            body,
            ended: false,
            failed: false,
            rest: self.clone(),
        })
    }

    /// Reads the rest if it is near its end. Returns whether the request was read completely; `may_wait` is false if the client
    /// waits for `100 Continue`.
    pub(super) async fn drained(&self, may_wait: bool) -> bool {
        let Left { unread, body } = std::mem::take(&mut *self.lock());
        match body {
            None => !unread,
            Some(_) if !may_wait => false,
            Some(body) => timeout(DRAIN, to_its_end(body)).await.unwrap_or(false),
        }
    }

    fn unread(&self) {
        self.lock().unread = true;
    }

    /// A body that nobody will read.
    fn keep(&self, body: Body) {
        self.lock().body = Some(body);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Left> {
        // Nothing under the lock can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether it ended within the limit for small bodies.
async fn to_its_end(mut body: Body) -> bool {
    if body.size_hint().lower() > SMALL as u64 {
        return false;
    }
    let mut read = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        read += frame.data_ref().map_or(0, Bytes::len);
        if read > SMALL {
            return false;
        }
    }
    true
}

/// A body that is handed back when its handler drops it before the end.
struct Lent {
    body: Body,
    ended: bool,
    failed: bool,
    rest: Rest,
}

impl http_body::Body for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        match &polled {
            Poll::Ready(None) => self.ended = true,
            Poll::Ready(Some(Err(_))) => self.failed = true,
            Poll::Ready(Some(Ok(_))) | Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if self.ended || self.body.is_end_stream() {
            return;
        }
        let body = std::mem::take(&mut self.body);
        let mut left = self.rest.lock();
        left.unread = true;
        left.body = (!self.failed).then_some(body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{StreamExt as _, stream};

    /// It would otherwise hold its slot for as long as the bytes come.
    #[tokio::test]
    async fn what_follows_a_large_beginning_has_a_deadline() {
        let dripping = stream::once(async { Ok::<_, Fault>(Bytes::from_static(b"a")) });
        for (rest, arrives) in [
            (Body::from_stream(dripping.boxed()), true),
            (Body::from_stream(stream::pending::<Result<Bytes, Fault>>()), false),
        ] {
            let mut body = Gathered {
                bytes: Bytes::from_static(b"beginning"),
                end: End::More(Box::pin(sleep(Duration::ZERO)), rest),
                _held: None,
            };
            assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "beginning");
            let late = body.frame().await.unwrap().unwrap_err();
            assert!(late.is::<TooSlow>(), "{late}, {arrives}");
        }
    }
}
