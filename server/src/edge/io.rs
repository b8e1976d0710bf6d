//! A connection that does not wait for ever: not for a request's head, not between two requests, not for a client that takes no
//! bytes. Time for a body is in [`super::body`], since only there is known how much of it came.

use futures::task::AtomicWaker;
use std::{
    future::Future as _,
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

const HEAD: u8 = 0;
const BUSY: u8 = 1;
const IDLE: u8 = 2;

/// What a connection is doing; shared between its bytes and its requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Phase(Arc<State>);

#[derive(Debug, Default)]
struct State {
    phase: AtomicU8,
    /// Whoever waits for bytes while a request runs, without a deadline: when it is over, there is one.
    reader: AtomicWaker,
}

impl Phase {
    /// A request's head is complete.
    pub(super) fn busy(&self) {
        self.0.phase.store(BUSY, Ordering::Release);
    }

    /// An answer's last byte was handed over.
    pub(super) fn idle(&self) {
        self.0.phase.store(IDLE, Ordering::Release);
        self.0.reader.wake();
    }
}

/// Bytes of a connection, under the time-outs.
pub(super) struct Timed<S> {
    inner: S,
    phase: Phase,
    /// The phase the reading deadline was set for.
    seen: u8,
    head: Duration,
    idle: Duration,
    write: Duration,
    reading: Option<Pin<Box<Sleep>>>,
    writing: Option<Pin<Box<Sleep>>>,
}

impl<S> Timed<S> {
    /// The first head has to be there at `first_head`, each further one `head` after it has begun.
    pub(super) fn new(
        inner: S,
        phase: Phase,
        first_head: Instant,
        head: Duration,
        idle: Duration,
        write: Duration,
    ) -> Self {
        Self {
            inner,
            phase,
            seen: HEAD,
            head,
            idle,
            write,
            reading: Some(Box::pin(tokio::time::sleep_until(first_head))),
            writing: None,
        }
    }

    /// Sets the deadline anew where the phase changed.
    fn follow(&mut self) {
        let now = self.phase.0.phase.load(Ordering::Acquire);
        if now != self.seen {
            self.seen = now;
            self.reading = match now {
                HEAD => Some(Box::pin(tokio::time::sleep(self.head))),
                IDLE => Some(Box::pin(tokio::time::sleep(self.idle))),
                _ => None,
            };
        }
    }

    /// Ends a write: its time-out is counted from the moment the client stops taking bytes.
    fn wrote<T>(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.writing = None;
            return outcome;
        }
        let write = self.write;
        let deadline = self.writing.get_or_insert_with(|| Box::pin(tokio::time::sleep(write)));
        ready!(deadline.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let me = &mut *self;
        // Registered before looking, so that no change is missed.
        me.phase.0.reader.register(cx.waker());
        me.follow();
        // Looked at before reading, so that a trickle of bytes does not hold a connection open.
        if me
            .reading
            .as_ref()
            .is_some_and(|deadline| deadline.deadline() <= Instant::now())
        {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let before = buf.filled().len();
        match Pin::new(&mut me.inner).poll_read(cx, buf) {
            Poll::Ready(outcome) => {
                if me.seen == IDLE && buf.filled().len() > before {
                    // The next head has begun. A request that became busy meanwhile is left alone.
                    let _ = me
                        .phase
                        .0
                        .phase
                        .compare_exchange(IDLE, HEAD, Ordering::AcqRel, Ordering::Acquire);
                }
                Poll::Ready(outcome)
            }
            Poll::Pending => match &mut me.reading {
                None => Poll::Pending,
                Some(deadline) => {
                    ready!(deadline.as_mut().poll(cx));
                    Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
                }
            },
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.wrote(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.wrote(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_flush(cx);
        self.wrote(cx, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.wrote(cx, outcome)
    }
}
