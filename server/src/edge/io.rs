//! A connection that does not wait for ever: not for a request's head, not between two requests, not for a client that takes no
//! bytes. Time for a body is in [`super::body`], since only there is known how much of it came.
//!
//! And one that does not end in a client's face: where something that the client sent, or is sending, was left unread, closing would
//! make the operating system reset the connection, and the reset overtakes the answer. So it is closed in one direction, and what
//! still comes is read and thrown away until the client has closed the other.

use futures::task::AtomicWaker;
use std::{
    future::Future as _,
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, Ordering},
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
const READING: u8 = 3;
const CLOSING: u8 = 4;
const GIVEN_UP: u8 = 5;

/// How long what was left unread is read and thrown away, and how long without a byte of it: nginx's `lingering_time` and
/// `lingering_timeout`, but for the first, which must be over before a node that stops cuts connections off.
const LINGER: Duration = Duration::from_secs(20);
const LINGER_GAP: Duration = Duration::from_secs(5);

/// What a connection is doing; shared between its bytes and its requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phase(Arc<State>);

#[derive(Debug, Default)]
struct State {
    phase: AtomicU8,
    /// Something of a request is left unread, and the connection ends with its answer.
    unread: AtomicBool,
    /// Whoever waits for bytes while a request runs, without a deadline: when it is over, there is one.
    reader: AtomicWaker,
}

impl Phase {
    /// A request's head is complete.
    pub(super) fn busy(&self) {
        self.go(BUSY);
    }

    /// The body is waited for, and nothing is done yet.
    pub(super) fn reading(&self) {
        self.go(READING);
    }

    /// An answer's last byte was handed over.
    pub(super) fn idle(&self) {
        self.go(IDLE);
        self.0.reader.wake();
    }

    /// The connection ends with this answer, and something of the request was not read.
    pub(super) fn leave_unread(&self) {
        self.0.unread.store(true, Ordering::Release);
    }

    /// Ends a connection that does nothing; tells whether it did nothing.
    pub(super) fn give_up_rest(&self) -> bool {
        [IDLE, HEAD, CLOSING].into_iter().any(|rest| self.give_up(rest))
    }

    /// Ends a connection whose request waits for its body; tells whether it did.
    pub(super) fn give_up_reading(&self) -> bool {
        self.give_up(READING)
    }

    fn give_up(&self, from: u8) -> bool {
        let given_up = self
            .0
            .phase
            .compare_exchange(from, GIVEN_UP, Ordering::AcqRel, Ordering::Acquire);
        given_up.is_ok()
    }

    fn now(&self) -> u8 {
        self.0.phase.load(Ordering::Acquire)
    }

    /// One that was given up stays so.
    fn go(&self, next: u8) {
        let not_given_up = |now| (now != GIVEN_UP).then_some(next);
        let _ = self
            .0
            .phase
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, not_given_up);
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
    /// Something of a head came that is not complete.
    in_head: bool,
    closing: Option<Closing>,
}

/// Our direction is closed.
struct Closing {
    /// Until when the other one is read; `None` where there is nothing more to read.
    ends: Option<Pin<Box<Sleep>>>,
    latest: Instant,
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
            in_head: false,
            closing: None,
        }
    }

    /// Sets the deadline anew where the phase changed.
    fn follow(&mut self) {
        let now = self.phase.now();
        if now != self.seen {
            self.seen = now;
            self.in_head = now == HEAD;
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
                me.in_head |= me.seen == HEAD && buf.filled().len() > before;
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

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Timed<S> {
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
        let me = &mut *self;
        if me.closing.is_none() {
            let outcome = Pin::new(&mut me.inner).poll_shutdown(cx);
            ready!(me.wrote(cx, outcome))?;
            let head_failed = me.in_head && me.phase.now() == HEAD;
            let unread = head_failed || me.phase.0.unread.load(Ordering::Acquire);
            let now = Instant::now();
            me.closing = Some(Closing {
                ends: unread.then(|| Box::pin(tokio::time::sleep_until(now + LINGER_GAP))),
                latest: now + LINGER,
            });
            me.phase.go(CLOSING);
        }
        me.throw_away(cx).map(Ok)
    }
}

impl<S: AsyncRead + Unpin> Timed<S> {
    /// Reads what the client still sends, until it has closed its direction too or time is up.
    fn throw_away(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(Closing {
            ends: Some(ends),
            latest,
        }) = &mut self.closing
        else {
            return Poll::Ready(());
        };
        let mut waste = [0; 8 * 1024];
        loop {
            let mut buffer = ReadBuf::new(&mut waste);
            match Pin::new(&mut self.inner).poll_read(cx, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    ends.as_mut().reset((Instant::now() + LINGER_GAP).min(*latest));
                    if *latest <= Instant::now() {
                        return Poll::Ready(());
                    }
                }
                // It has closed its direction, or is gone.
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return ends.as_mut().poll(cx),
            }
        }
    }
}
