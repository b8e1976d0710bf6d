//! A connection that does not wait forever: not for a request's head, not between two requests, not for a client that does not
//! read, or reads next to nothing. The time-out for a body is in [`super::body`], since only that knows how much has arrived.
//!
//! It also closes gracefully (lingering close): if something that the client sent, or is sending, was left unread, closing
//! would make the operating system reset the connection, and the reset could overtake the response. So it closes only the write
//! direction, and discards what still arrives until the client has closed the other.

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
    sync::Notify,
    time::{Instant, Sleep},
};

/// What a connection is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Stage {
    /// The connection is new, or part of a head has arrived.
    Head,
    /// A request is at work.
    Busy,
    /// The last response is written, and nothing of the next head has arrived.
    Idle,
    /// A request waits for its body.
    Reading,
    /// Nothing more is written; what still arrives is discarded.
    Closing,
    /// The connection ends in favour of another one.
    GivenUp,
    /// A response was handed over and is not written yet.
    Writing,
    /// The same, and part of the next head has arrived.
    WritingAhead,
}

impl Stage {
    /// Each at the place of its number.
    const ALL: [Self; 8] = [
        Self::Head,
        Self::Busy,
        Self::Idle,
        Self::Reading,
        Self::Closing,
        Self::GivenUp,
        Self::Writing,
        Self::WritingAhead,
    ];

    /// How it is stored where it is shared.
    const fn number(self) -> u8 {
        self as u8
    }

    /// The stage with this number.
    fn of(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// A stage that is shared.
#[derive(Debug)]
struct SharedStage(AtomicU8);

impl Default for SharedStage {
    fn default() -> Self {
        Self(AtomicU8::new(Stage::Head.number()))
    }
}

impl SharedStage {
    fn now(&self) -> Stage {
        // Only numbers of stages are stored. Of any other, the safe reading is a connection that ends.
        Stage::of(self.0.load(Ordering::Acquire)).unwrap_or(Stage::GivenUp)
    }

    /// Goes from one stage to another; returns whether it was in that stage.
    fn change(&self, from: Stage, to: Stage) -> bool {
        let changed = self
            .0
            .compare_exchange(from.number(), to.number(), Ordering::AcqRel, Ordering::Acquire);
        changed.is_ok()
    }

    /// Goes to `next` from any stage but `unless`.
    fn go(&self, next: Stage, unless: Stage) {
        let stored = |now: u8| (now != unless.number()).then_some(next.number());
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, stored);
    }
}

/// How long unread data is discarded, and how long without a byte of it: nginx's `lingering_time` and `lingering_timeout`,
/// except that the first must be over before a node that stops cuts connections off.
const LINGER: Duration = Duration::from_secs(20);
const LINGER_GAP: Duration = Duration::from_secs(5);

/// Minimum average rate at which a client sends a picture or reads a response, in bytes a second: the worst mobile network that still gets a
/// picture through within the deadline. Of a response, only time counts in which something is ready to be read.
pub(crate) const LEAST_RATE: u64 = 16 * 1024;

/// Most bytes of a read: one less than hyper's first buffer. Whenever a read fills its buffer, hyper doubles it, up to 64 KiB here, and keeps
/// it while the request runs: of a thousand uploads that wait, these buffers would be half of the memory.
const READ: usize = 8 * 1024 - 1;

/// The phase of a connection, shared between its I/O and its requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phase(Arc<State>);

#[derive(Debug, Default)]
struct State {
    stage: SharedStage,
    /// Part of a request is left unread, and the connection ends with its response.
    unread: AtomicBool,
    /// Wakes the reader that waits without a deadline while a request runs: once it is over, there is one.
    reader: AtomicWaker,
    /// Notified whenever the connection could be closed for a new one.
    closable: Arc<Notify>,
}

impl Phase {
    /// The phase of a new connection, which notifies `closable` whenever the connection could be closed for another.
    pub(super) fn telling(closable: &Arc<Notify>) -> Self {
        Self(Arc::new(State {
            closable: Arc::clone(closable),
            ..State::default()
        }))
    }

    /// Whether no request is at work: none has come yet, or the last one is answered. Part of a head may have arrived.
    pub(super) fn is_at_rest(&self) -> bool {
        matches!(self.0.stage.now(), Stage::Head | Stage::Idle)
    }

    /// A request's head is complete.
    pub(super) fn busy(&self) {
        self.go(Stage::Busy);
    }

    /// Waiting for the body; no work has been done yet.
    pub(super) fn reading(&self) {
        self.go(Stage::Reading);
        self.0.closable.notify_one();
    }

    /// The last byte of a response was handed over. Until it is written, the connection is at work: a client may read slowly.
    pub(super) fn handed_over(&self) {
        self.go(Stage::Writing);
    }

    /// Everything that was handed over is written. Returns whether the response ends with it.
    fn written(&self) -> bool {
        let ended =
            self.0.stage.change(Stage::Writing, Stage::Idle) || self.0.stage.change(Stage::WritingAhead, Stage::Head);
        if ended {
            self.0.reader.wake();
            self.0.closable.notify_one();
        }
        ended
    }

    /// A response was handed over and written.
    #[cfg(test)]
    pub(super) fn idle(&self) {
        self.handed_over();
        self.written();
    }

    /// The connection ends with this response, and part of the request was not read.
    pub(super) fn leave_unread(&self) {
        self.0.unread.store(true, Ordering::Release);
    }

    /// Ends an idle connection; returns whether it was idle.
    pub(super) fn give_up_rest(&self) -> bool {
        let at_rest = [Stage::Idle, Stage::Head, Stage::Closing];
        at_rest.into_iter().any(|rest| self.give_up(rest))
    }

    /// Ends a connection whose request is waiting for its body; returns whether it was.
    pub(super) fn give_up_reading(&self) -> bool {
        self.give_up(Stage::Reading)
    }

    fn give_up(&self, from: Stage) -> bool {
        self.0.stage.change(from, Stage::GivenUp)
    }

    /// A connection that was given up stays so.
    fn go(&self, next: Stage) {
        self.0.stage.go(next, Stage::GivenUp);
    }
}

/// How long a client may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimits {
    /// For a request's head, from its first byte.
    pub(super) head: Duration,
    /// Between requests.
    pub(super) idle: Duration,
    /// Without reading anything of what is written; and in total, besides the time that the minimum rate allows.
    pub(super) write: Duration,
}

/// The I/O of a connection, with the time-outs.
pub(super) struct Timed<S> {
    inner: S,
    phase: Phase,
    /// The stage for which the read deadline was set.
    seen: Stage,
    limits: TimeLimits,
    reading: Option<Pin<Box<Sleep>>>,
    writing: Option<Waiting>,
    taken: Taken,
    /// Part of a head has arrived.
    in_head: bool,
    closing: Option<Closing>,
}

/// For a client to take what is ready.
struct Waiting {
    since: Instant,
    deadline: Pin<Box<Sleep>>,
}

/// How a client takes a response.
#[derive(Debug, Default)]
struct Taken {
    bytes: u64,
    /// How long it was waited for.
    within: Duration,
}

impl Taken {
    /// For how long it may still be waited for, if it may take nothing for as long as `grace`.
    fn left(&self, grace: Duration) -> Duration {
        let earned = Duration::from_secs(self.bytes / LEAST_RATE);
        grace.min((grace + earned).saturating_sub(self.within))
    }
}

/// Our direction is closed.
struct Closing {
    /// Until when the other direction is read; `None` if there is nothing more to read.
    ends: Option<Pin<Box<Sleep>>>,
    latest: Instant,
}

impl<S> Timed<S> {
    /// The first head must be complete at `first_head`.
    pub(super) fn new(inner: S, phase: Phase, first_head: Instant, limits: TimeLimits) -> Self {
        Self {
            inner,
            phase,
            seen: Stage::Head,
            limits,
            reading: Some(Box::pin(tokio::time::sleep_until(first_head))),
            writing: None,
            taken: Taken::default(),
            in_head: false,
            closing: None,
        }
    }

    /// Resets the deadline if the stage changed.
    fn follow(&mut self) {
        let now = self.phase.0.stage.now();
        if now != self.seen {
            self.seen = now;
            self.in_head = now == Stage::Head;
            self.reading = match now {
                Stage::Head => Some(Box::pin(tokio::time::sleep(self.limits.head))),
                Stage::Idle => Some(Box::pin(tokio::time::sleep(self.limits.idle))),
                Stage::Busy
                | Stage::Reading
                | Stage::Closing
                | Stage::GivenUp
                | Stage::Writing
                | Stage::WritingAhead => None,
            };
        }
    }

    /// Ends a write: its time-out counts from the moment the client stops reading.
    fn wrote<T>(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            if let Some(waiting) = self.writing.take() {
                self.taken.within += waiting.since.elapsed();
            }
            return outcome;
        }
        let left = self.taken.left(self.limits.write);
        let waiting = self.writing.get_or_insert_with(|| Waiting {
            since: Instant::now(),
            deadline: Box::pin(tokio::time::sleep(left)),
        });
        ready!(waiting.deadline.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// The same for a part of a response.
    fn took(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = outcome {
            self.taken.bytes += bytes as u64;
        }
        self.wrote(cx, outcome)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let me = &mut *self;
        // Registered before checking, so that no change is missed.
        me.phase.0.reader.register(cx.waker());
        me.follow();
        // Checked before reading, so that a trickle of bytes does not hold a connection open.
        if me
            .reading
            .as_ref()
            .is_some_and(|deadline| deadline.deadline() <= Instant::now())
        {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let size = READ.min(buf.remaining());
        let mut piece = ReadBuf::new(buf.initialize_unfilled_to(size));
        match Pin::new(&mut me.inner).poll_read(cx, &mut piece) {
            Poll::Ready(outcome) => {
                let read = piece.filled().len();
                buf.advance(read);
                me.in_head |= me.seen == Stage::Head && read > 0;
                if read > 0 {
                    // The next head has begun. A request that became busy meanwhile is left alone.
                    let stage = &me.phase.0.stage;
                    let _ = stage.change(Stage::Idle, Stage::Head) || stage.change(Stage::Writing, Stage::WritingAhead);
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
        self.took(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.took(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_flush(cx);
        // hyper flushes once it has written all it holds.
        let ended = matches!(outcome, Poll::Ready(Ok(()))) && self.phase.written();
        let outcome = self.wrote(cx, outcome);
        if ended {
            self.taken = Taken::default();
        }
        outcome
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let me = &mut *self;
        if me.closing.is_none() {
            let outcome = Pin::new(&mut me.inner).poll_shutdown(cx);
            ready!(me.wrote(cx, outcome))?;
            let head_failed = me.in_head && me.phase.0.stage.now() == Stage::Head;
            let unread = head_failed || me.phase.0.unread.load(Ordering::Acquire);
            let now = Instant::now();
            me.closing = Some(Closing {
                ends: unread.then(|| Box::pin(tokio::time::sleep_until(now + LINGER_GAP))),
                latest: now + LINGER,
            });
            me.phase.go(Stage::Closing);
        }
        me.discard(cx).map(Ok)
    }
}

impl<S: AsyncRead + Unpin> Timed<S> {
    /// Discards what the client still sends, until it has closed its direction too or time is up.
    fn discard(&mut self, cx: &mut Context<'_>) -> Poll<()> {
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
                // The client has closed its direction, or is gone.
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return ends.as_mut().poll(cx),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_is_stored_by_a_number_of_its_own_and_no_other_number_is_one() {
        for (place, stage) in Stage::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(stage.number()), place, "{stage:?}");
            let shared = SharedStage::default();
            shared.go(stage, Stage::GivenUp);
            assert_eq!(shared.now(), stage);
        }
        assert_eq!(Stage::of(8), None);
    }

    #[test]
    fn a_connection_that_was_given_up_stays_so_and_one_at_work_is_not_given_up() {
        let phase = Phase::default();
        assert!(phase.is_at_rest());
        phase.busy();
        assert!(!phase.is_at_rest() && !phase.give_up_rest() && !phase.give_up_reading());
        phase.reading();
        assert!(phase.give_up_reading());
        phase.busy();
        phase.handed_over();
        assert!(!phase.written(), "nothing of it is left to be written");
        assert_eq!(phase.0.stage.now(), Stage::GivenUp);
    }

    #[test]
    fn what_a_client_takes_earns_it_time_and_no_pause_is_longer_than_the_first() {
        let grace = Duration::from_secs(20);
        for (bytes, within, expected) in [
            (0, 0, 20),
            (0, 15, 5),
            (1_000, 20, 0),
            (16 * 1024, 15, 6),
            (16 * 1024, 22, 0),
            (1_600 * 1024, 60, 20),
            (1_600 * 1024, 119, 1),
        ] {
            let within = Duration::from_secs(within);
            let left = Taken { bytes, within }.left(grace);
            assert_eq!(left, Duration::from_secs(expected), "{bytes} bytes in {within:?}");
        }
    }
}
