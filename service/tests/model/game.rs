//! One sequence, played on both sides: after each operation, the answers and everything a tenant can see must be equal.

use crate::model::{
    operation::{Caller, Move, Op, Span, Which},
    real::{Handle, METADATA, Real},
    reference::Session,
};
use domain::{
    session::Status,
    time::{Millis, Timestamp},
};
use std::ops::Range;
use testkit::analyser::Look;

/// More would only make sequences longer.
const SESSIONS: usize = 3;

struct Game<'a> {
    real: &'a mut Real,
    place: usize,
    sessions: Vec<(Handle, Session, usize)>,
}

/// Plays `moves` in the place with that number, and then lets time run out.
pub(crate) async fn play(real: &mut Real, place: usize, moves: &[Move]) -> Result<(), String> {
    real.reset().await;
    let sessions = Vec::new();
    let mut game = Game { real, place, sessions };
    game.create().await;
    for (number, (session, op)) in moves.iter().enumerate() {
        let played = game.play(session % game.sessions.len(), *op).await;
        played.map_err(|difference| format!("{op:?}, move {number}: {difference}"))?;
    }
    game.end().await
}

impl Game<'_> {
    async fn create(&mut self) {
        let handle = self.real.create(self.place).await;
        let place = &self.real.places[self.place];
        let plan = [place.document, place.selfie, place.sandbox];
        let session = Session::new(self.now(), plan, METADATA);
        self.sessions.push((handle, session, 0));
    }

    fn now(&self) -> Timestamp {
        self.real.harness.honnin.now()
    }

    async fn play(&mut self, session: usize, op: Op) -> Result<(), String> {
        match op {
            Op::Create if self.sessions.len() == SESSIONS => {}
            Op::Create => self.create().await,
            Op::Wait(span) => self.wait(self.length(session, span)),
            Op::Crash => {
                self.real.crash().await?;
                self.wait(Millis::seconds(60));
            }
            Op::Onward(phone, look, times) => {
                for _ in 0..times {
                    let Some(next) = next(&self.sessions[session].1, phone, look) else {
                        break;
                    };
                    self.do_both(session, next)
                        .await
                        .map_err(|difference| format!("{next:?}: {difference}"))?;
                }
            }
            Op::Work => self.do_both(session, op).await?,
            // An operation on one session is compared immediately in that one, and in the others when all of them are compared.
            op => {
                self.do_both(session, op).await?;
                return self.compare(session..session + 1).await;
            }
        }
        self.compare(0..self.sessions.len()).await
    }

    /// One operation on both sides.
    async fn do_both(&mut self, session: usize, op: Op) -> Result<(), String> {
        let (handle, reference, reads) = &mut self.sessions[session];
        let before = reference.sees();
        let real = self.real.apply(self.place, handle, op).await;
        let expected = reference.apply(op);
        if real != expected {
            return Err(format!("answered {real:?}, expected {expected:?}, at {before:?}"));
        }
        *reads += usize::from(matches!(op, Op::Read(Caller::Owner)));
        if matches!(op, Op::Work) {
            for (at, (_, other, _)) in self.sessions.iter_mut().enumerate() {
                if at != session {
                    other.apply(op);
                }
            }
        }
        Ok(())
    }

    fn length(&self, session: usize, span: Span) -> Millis {
        let (_, reference, _) = &self.sessions[session];
        let to = |end: Timestamp, before: i64| Millis((end.as_millis() - before - self.now().as_millis()).max(1_000));
        match span {
            Span::For(length) => length,
            Span::Deadline(before) => to(reference.sees().expires_at, before),
            Span::Link(before) => to(reference.links[reference.links.len() - 1].ends, before),
        }
    }

    fn wait(&mut self, length: Millis) {
        self.real.harness.clock.advance(length);
        let now = self.now();
        self.sessions
            .iter_mut()
            .for_each(|(_, reference, _)| reference.now = now);
    }

    async fn compare(&mut self, which: Range<usize>) -> Result<(), String> {
        for (handle, reference, reads) in &mut self.sessions[which] {
            let (mut seen, mut expected) = (self.real.sees(self.place, handle).await?, reference.sees());
            // Events of the same millisecond have no order.
            seen.events.sort();
            expected.events.sort();
            *reads += 1;
            if seen != expected {
                return Err(format!("\n    is        {seen:?}\n    should be {expected:?}"));
            }
        }
        Ok(())
    }

    /// Everything unfinished comes to its end, except for what waits for a person; no job is left, and every read is recorded.
    async fn end(&mut self) -> Result<(), String> {
        for _ in 0..2 {
            self.wait(Millis::days(100));
            self.do_both(0, Op::Work).await?;
        }
        self.compare(0..self.sessions.len())
            .await
            .map_err(|difference| format!("at the end: {difference}"))?;
        let jobs = self.real.harness.open_jobs().await;
        if !jobs.is_empty() {
            return Err(format!("jobs are left: {jobs:?}"));
        }
        for (handle, _, reads) in &self.sessions {
            let recorded = self.real.reads_on_record(self.place, handle).await;
            if recorded != *reads {
                return Err(format!("{reads} reads, {recorded} of them on record"));
            }
        }
        Ok(())
    }
}

/// What a cooperative user would do next; `None` if nothing is left to do.
fn next(session: &Session, phone: Which, look: Look) -> Option<Op> {
    let link = &session.links[session.links.len() - 1];
    match session.sees().status {
        Status::Created | Status::Collecting if session.has_cookie(phone) => {
            Some(Op::Take(phone, session.next_step(look)))
        }
        Status::Created | Status::Collecting if link.used_by.is_none() && session.now < link.ends => {
            Some(Op::Open(phone, 0))
        }
        Status::Created | Status::Collecting => Some(Op::Reissue(phone)),
        Status::Deciding => Some(Op::Work),
        Status::Reviewing | Status::Completed | Status::Expired | Status::Failed => None,
    }
}
