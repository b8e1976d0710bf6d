//! A request's body, which must keep a minimum rate, and a response's body, which reports when it is done.

use super::io::Phase;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::{
    error::Error,
    future::Future as _,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Instant, Sleep};

/// Minimum average rate of a body once its grace period is over: a phone on a bad mobile network reaches it; a client that
/// drips bytes to hold a slot does not.
const BYTES_PER_SECOND: u64 = 4096;

/// The body fell below the minimum rate.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the request body arrived too slowly")]
pub struct TooSlow;

/// The body is announced as longer than anything that is accepted for its path.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the request body is too long")]
pub struct TooLong;

/// Whether an error of type `E` is, or has caused, this one.
pub(crate) fn caused_by<E: Error + 'static>(error: &(dyn Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| (*error).source()).any(|error| error.is::<E>())
}

/// A request body with a minimum rate, measured from the first read: until then it is the server that is slow. One that is announced as
/// too long fails at its first read, before the client is asked for it; whoever reads on gets what arrives.
pub(super) struct Paced<B> {
    inner: B,
    /// The largest length that may be announced, until it was compared.
    largest: Option<u64>,
    /// The grace period, in which a body may arrive at any speed.
    grace: Duration,
    received: u64,
    pace: Option<Pace>,
}

struct Pace {
    grace_ends: Instant,
    deadline: Pin<Box<Sleep>>,
}

impl Pace {
    fn begin(grace: Duration) -> Self {
        let grace_ends = Instant::now() + grace;
        Self {
            grace_ends,
            deadline: Box::pin(tokio::time::sleep_until(grace_ends)),
        }
    }
}

impl<B> Paced<B> {
    pub(super) const fn new(inner: B, grace: Duration, largest: u64) -> Self {
        Self {
            inner,
            largest: Some(largest),
            grace,
            received: 0,
            pace: None,
        }
    }
}

impl<B> Body for Paced<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let me = &mut *self;
        if let Some(largest) = me.largest.take()
            && me.inner.size_hint().lower() > largest
        {
            return Poll::Ready(Some(Err(TooLong.into())));
        }
        let grace = me.grace;
        let pace = me.pace.get_or_insert_with(|| Pace::begin(grace));
        if let Poll::Ready(frame) = Pin::new(&mut me.inner).poll_frame(cx) {
            if let Some(Ok(frame)) = &frame {
                me.received += frame.data_ref().map_or(0, |data| data.len() as u64);
                let earned = Duration::from_secs(me.received / BYTES_PER_SECOND);
                pace.deadline.as_mut().reset(pace.grace_ends + earned);
                if pace.deadline.deadline() <= Instant::now() {
                    return Poll::Ready(Some(Err(TooSlow.into())));
                }
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        ready!(pace.deadline.as_mut().poll(cx));
        Poll::Ready(Some(Err(TooSlow.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// A response's body that tells when hyper has taken the last of it, or dropped it.
pub(super) struct Watched<B> {
    inner: B,
    phase: Phase,
}

impl<B> Watched<B> {
    pub(super) const fn new(inner: B, phase: Phase) -> Self {
        Self { inner, phase }
    }
}

impl<B> Drop for Watched<B> {
    fn drop(&mut self) {
        self.phase.handed_over();
    }
}

impl<B: Body + Unpin> Body for Watched<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
