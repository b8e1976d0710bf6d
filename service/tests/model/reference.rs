//! The reference model: one session as defined by the contract's table and the product's transitions, single-threaded, without
//! a database. It shares vocabulary with the program (statuses, answers, times) and none of its rules.

#![expect(clippy::unit_arg, reason = "what cannot be refused stands in a row with what can")]

use crate::model::operation::{Answer, Caller, Op, Seen, SeenOutcome, Step, Which};
use domain::document::DocumentType;
use domain::sandbox::SandboxOutcome;
use domain::session::Status::{self, Collecting, Completed, Created, Deciding, Expired, Failed, Reviewing};
use domain::time::{Millis, Timestamp};
use testkit::analyser::Look;

const SESSION: Millis = Millis::days(7);
const LINK: Millis = Millis::hours(48);
const RETENTION: Millis = Millis::days(90);
const COOKIE: (Millis, Millis) = (Millis::minutes(30), Millis::hours(4));
const RESERVATION: Millis = Millis::minutes(15);
const UNDO: Millis = Millis::seconds(10);
const TRIES: usize = 5;

/// A one-time link. A replaced one ends immediately.
pub(crate) struct Link {
    pub(crate) ends: Timestamp,
    pub(crate) used_by: Option<Which>,
}

/// The phone, the link, when it was created, when it was seen.
type Cookie = (Which, usize, Timestamp, Timestamp);

/// What the user did in this attempt; pictures by what they show.
#[derive(Default)]
struct Progress {
    consent: bool,
    chosen: Option<DocumentType>,
    photographs: Vec<Photograph>,
    typed: bool,
    selfie: Option<Look>,
    /// How many were taken.
    selfies: usize,
}

/// A photograph of a document's only side.
#[derive(Clone, Copy)]
struct Photograph {
    of: DocumentType,
    look: Look,
    kept: bool,
    discarded: bool,
}

impl Progress {
    /// The last photograph of the kind chosen now.
    fn last(&self) -> Option<Photograph> {
        let fits = |photograph: &&Photograph| Some(photograph.of) == self.chosen;
        self.photographs.iter().rfind(fits).copied()
    }

    fn keep(&mut self) {
        let fits = |photograph: &&mut Photograph| Some(photograph.of) == self.chosen;
        if let Some(last) = self.photographs.iter_mut().rfind(fits) {
            last.kept = true;
        }
    }

    fn is_exhausted(&self) -> bool {
        self.photographs.len() == TRIES
    }

    /// Chooses a document: of another kind, or if new photographs are wanted, those there are do not count, while there are tries.
    fn choose(&mut self, kind: DocumentType, again: bool) {
        let same = self.chosen == Some(kind);
        if (again || !same) && !self.is_exhausted() {
            self.photographs
                .iter_mut()
                .for_each(|photograph| photograph.discarded = true);
        }
        (self.chosen, self.typed) = (Some(kind), self.typed && same);
    }
}

pub(crate) struct Session {
    pub(crate) now: Timestamp,
    /// Whether the plan has each step, and whether the tenant is a sandbox.
    document: bool,
    selfie: bool,
    sandbox: bool,
    /// Whether the pictures were analysed or replaced by test data: otherwise the session cannot be approved.
    looked_at: bool,
    /// Status as stored, and everything else as seen; [`Session::sees`] is what a reader sees.
    tells: Seen,
    pub(crate) links: Vec<Link>,
    cookie: Option<Cookie>,
    progress: Progress,
    reservation: Option<(Which, Timestamp)>,
    /// A decision that can be undone: who made it, approval or not, with a note or not, and when.
    pending: Option<(Which, bool, bool, Timestamp)>,
    /// The decision by which the session last left the queue, if it was one.
    ruling: Option<(Which, Timestamp)>,
    erase_at: Timestamp,
    /// Somebody wants it erased, and was told that it will be.
    erasure_requested: bool,
}

impl Session {
    pub(crate) fn new(now: Timestamp, [document, selfie, sandbox]: [bool; 3], metadata: &str) -> Self {
        let mut new = Self {
            now,
            document,
            selfie,
            sandbox,
            looked_at: false,
            tells: Seen::fresh(now, now.plus(SESSION), metadata),
            links: Vec::new(),
            cookie: None,
            progress: Progress::default(),
            reservation: None,
            pending: None,
            ruling: None,
            erase_at: now,
            erasure_requested: false,
        };
        new.give_link();
        new
    }

    pub(crate) fn sees(&self) -> Seen {
        let mut seen = self.tells.clone();
        if matches!(seen.status, Created | Collecting) && self.now >= seen.expires_at {
            seen.status = Expired;
        }
        seen
    }

    fn is_open(&self) -> bool {
        matches!(self.sees().status, Created | Collecting)
    }

    /// Does `op`, which is about this session.
    pub(crate) fn apply(&mut self, op: Op) -> Answer {
        let done = match op {
            Op::Read(Caller::Owner) => Ok(()),
            Op::Read(Caller::Stranger)
            | Op::Reprocess(Caller::Stranger)
            | Op::Cancel(Caller::Stranger)
            | Op::Erase(Caller::Stranger) => Err(Answer::NotFound),
            Op::Cancel(Caller::Owner) if !self.is_open() => Err(Answer::CancelNotAllowed),
            Op::Cancel(Caller::Owner) => Ok(self.end(Failed, self.now, "verification.failed")),
            Op::Reprocess(Caller::Owner) => self.reprocess().ok_or(Answer::ReprocessNotAllowed),
            Op::Complete(Caller::Owner, outcome) if self.sandbox => self.complete(outcome),
            Op::Complete(..) => Err(Answer::NotFound),
            Op::Open(phone, back) => self.open(phone, back),
            Op::Take(phone, step) => self.visit(phone).and_then(|()| self.take(step)),
            Op::OpenCase(who) => return Answer::Case(self.open_case(who)),
            Op::Rule(who, approve, note) => self.may_rule(who).and_then(|()| self.rule(who, approve, note)),
            Op::Undo(who) => self.undo(who),
            Op::AskAgain(who) => self.may_rule(who).and_then(|()| self.start_over(who)),
            Op::Reopen(who) if self.tells.status == Reviewing => return self.apply(Op::AskAgain(who)),
            Op::Reopen(who) => self.start_over(who),
            Op::Reissue(_) if !self.is_open() => Err(Answer::NoLinkWhile(self.sees().status)),
            Op::Reissue(_) => Ok(self.give_link()),
            Op::EraseNow | Op::Erase(Caller::Owner) => Ok(self.erase_now()),
            Op::Work => Ok(self.work()),
            Op::Create | Op::Wait(_) | Op::Crash | Op::Onward(..) => unreachable!("not one session's"),
        };
        done.err().unwrap_or(Answer::Ok)
    }

    fn reprocess(&mut self) -> Option<()> {
        if !matches!(self.tells.status, Completed | Failed | Reviewing) || self.erasure_requested {
            return None;
        }
        let tells = &mut self.tells;
        (tells.status, tells.attempt) = (Collecting, tells.attempt + 1);
        tells.expires_at = self.now.plus(SESSION);
        (tells.completed_at, tells.outcome, tells.typed, tells.ocr) = (None, None, false, false);
        self.kill_links();
        (self.reservation, self.ruling, self.pending) = (None, None, None);
        self.progress = Progress::default();
        Some(())
    }

    fn complete(&mut self, outcome: SandboxOutcome) -> Result<(), Answer> {
        if !self.is_open() {
            return Err(Answer::CannotComplete);
        }
        let cookie = self.cookie;
        self.kill_links();
        self.cookie = cookie;
        match outcome {
            SandboxOutcome::Failed => self.end(Failed, self.now, "verification.failed"),
            SandboxOutcome::Expired => {
                self.tells.expires_at = self.now;
                self.expire();
            }
            verdict => {
                (self.tells.typed, self.tells.ocr) = (self.document, self.document);
                (self.looked_at, self.ruling) = (true, None);
                self.decide(verdict.as_str(), None);
            }
        }
        Ok(())
    }

    fn kill_links(&mut self) {
        self.cookie = None;
        for link in &mut self.links {
            link.ends = link.ends.min(self.now);
        }
    }

    fn give_link(&mut self) {
        self.kill_links();
        let ends = self.now.plus(LINK).min(self.tells.expires_at);
        self.links.push(Link { ends, used_by: None });
    }

    fn open(&mut self, phone: Which, back: usize) -> Result<(), Answer> {
        let index = self.links.len().checked_sub(back + 1).ok_or(Answer::Nothing)?;
        // The same phone tapping twice gets its cookie again.
        let again = |cookie: Cookie| (cookie.0, cookie.1) == (phone, index);
        if self.is_open() && self.cookie.is_some_and(again) {
            return Ok(());
        }
        let link = &self.links[index];
        if !self.is_open() || link.used_by.is_some() || self.now >= link.ends {
            return Err(Answer::LinkNotUsable);
        }
        self.links[index].used_by = Some(phone);
        self.tells.status = Collecting;
        self.cookie = Some((phone, index, self.now, self.now));
        Ok(())
    }

    pub(crate) fn has_cookie(&self, phone: Which) -> bool {
        self.cookie.is_some_and(|(owner, _, made, seen)| {
            let ends = seen.plus(COOKIE.0).min(made.plus(COOKIE.1));
            owner == phone && self.now < ends && self.tells.purged_at.is_none()
        })
    }

    fn visit(&mut self, phone: Which) -> Result<(), Answer> {
        match self.sees().status {
            _ if !self.links.iter().any(|link| link.used_by == Some(phone)) => return Err(Answer::Nothing),
            _ if !self.has_cookie(phone) => return Err(Answer::CookieOver),
            Expired => return Err(Answer::SessionExpired),
            _ => self.cookie.iter_mut().for_each(|cookie| cookie.3 = self.now),
        }
        Ok(())
    }

    /// The user's next step.
    pub(crate) fn next_step(&self, look: Look) -> Step {
        let progress = &self.progress;
        let exhausted = progress.is_exhausted();
        let photograph = progress.last().filter(|photograph| !photograph.discarded);
        match (progress.chosen, photograph) {
            _ if !progress.consent => Step::Consent,
            (None, _) if self.document => Step::Choose(DocumentType::Passport, false),
            // Without a try left, it goes on without.
            (Some(kind), None) if self.document && !exhausted => Step::Photograph(kind, look),
            (_, Some(Photograph { kept: false, .. })) if self.document => Step::Keep,
            _ if self.document && !progress.typed => Step::TypeIn,
            _ if self.selfie && progress.selfie.is_none() => Step::Selfie(look),
            _ => Step::Submit,
        }
    }

    fn take(&mut self, step: Step) -> Result<(), Answer> {
        let next = self.next_step(Look::Genuine);
        let progress = &mut self.progress;
        // Until the submit, any step of the document may be redone, except that a photograph which was kept stays.
        let in_turn = match step {
            Step::Consent | Step::Decline => true,
            Step::Choose(..) => progress.consent && self.document,
            Step::Photograph(kind, _) => {
                let stays = progress
                    .last()
                    .is_some_and(|photograph| photograph.kept && !photograph.discarded);
                progress.consent && progress.chosen == Some(kind) && (!stays || progress.is_exhausted())
            }
            Step::Keep => matches!(next, Step::Keep),
            Step::TypeIn => self.document && matches!(next, Step::TypeIn | Step::Selfie(_) | Step::Submit),
            Step::Selfie(_) => matches!(next, Step::Selfie(_)),
            Step::RetakeSelfie => self.selfie && matches!(next, Step::Submit) && progress.selfies < TRIES,
            Step::Submit => matches!(next, Step::Submit),
        };
        if !in_turn || self.tells.status != Collecting {
            return Err(Answer::OutOfTurn);
        }
        match step {
            Step::Consent => progress.consent = true,
            Step::Decline => self.end(Failed, self.now, "verification.failed"),
            Step::Choose(kind, again) => progress.choose(kind, again),
            Step::Photograph(..) if progress.is_exhausted() => return Err(Answer::NoTryLeft),
            Step::Photograph(of, look) => progress.photographs.push(Photograph {
                of,
                look,
                kept: false,
                discarded: false,
            }),
            Step::Keep => progress.keep(),
            Step::TypeIn => progress.typed = true,
            Step::Selfie(look) => (progress.selfie, progress.selfies) = (Some(look), progress.selfies + 1),
            Step::RetakeSelfie => progress.selfie = None,
            Step::Submit => (self.tells.status, self.tells.typed) = (Deciding, self.document),
        }
        Ok(())
    }

    /// Whether the case is reserved for the reviewer now.
    fn open_case(&mut self, who: Which) -> bool {
        let mine = self.may_rule(who).is_ok();
        if mine {
            self.reservation = Some((who, self.now.plus(RESERVATION)));
        }
        mine
    }

    fn may_rule(&self, who: Which) -> Result<(), Answer> {
        match self.reservation.filter(|(_, until)| *until > self.now) {
            _ if self.tells.status != Reviewing => Err(Answer::DecidedAlready(self.ruling)),
            _ if self.pending.is_some() => Err(Answer::JustDecided),
            Some((holder, until)) if holder != who => Err(Answer::HeldUntil(until)),
            _ => Ok(()),
        }
    }

    fn rule(&mut self, who: Which, approve: bool, note: bool) -> Result<(), Answer> {
        if approve && !self.looked_at {
            return Err(Answer::NotPerformed);
        }
        self.pending = Some((who, approve, note, self.now));
        Ok(())
    }

    fn undo(&mut self, who: Which) -> Result<(), Answer> {
        let mine = self.pending.is_some_and(|(by, ..)| by == who);
        if !mine {
            return Err(Answer::TooLateToUndo);
        }
        (self.pending, self.reservation) = (None, Some((who, self.now.plus(RESERVATION))));
        Ok(())
    }

    fn start_over(&mut self, who: Which) -> Result<(), Answer> {
        let waited = self.tells.status == Reviewing;
        self.reprocess().ok_or(Answer::NotRepeatable)?;
        self.ruling = waited.then_some((who, self.now));
        Ok(self.give_link())
    }

    fn erase_now(&mut self) {
        match self.sees().status {
            Created | Collecting | Deciding | Reviewing => {
                (self.tells.outcome, self.reservation, self.pending) = (None, None, None);
                self.end(Failed, self.now, "verification.failed");
            }
            Expired if self.tells.status != Expired => self.expire(),
            Completed | Expired | Failed => {}
        }
        (self.erase_at, self.erasure_requested) = (self.now, true);
    }

    fn expire(&mut self) {
        self.end(Expired, self.tells.expires_at, "verification.expired");
    }

    fn work(&mut self) {
        if self.tells.status == Deciding {
            // Photographs of another kind than the one chosen last say nothing.
            let has_document = self.document && self.progress.last().is_some();
            self.tells.ocr = has_document;
            (self.ruling, self.looked_at) = (None, !self.sandbox && has_document == self.document);
            let photograph = self.progress.last().map(|photograph| (photograph.of, photograph.look));
            let verdict = match (photograph, self.progress.selfie) {
                _ if !self.looked_at => "needs_review",
                // A card has no zone that proves it, nor one by which it could be rejected.
                (Some((DocumentType::MyNumberCard, _) | (_, Look::Doubtful)), _) => "needs_review",
                (Some((_, Look::OutOfDate)), _) => "rejected",
                (None, _) if self.document => "needs_review",
                (_, Some(Look::Doubtful | Look::OutOfDate)) => "needs_review",
                _ => "approved",
            };
            self.decide(verdict, None);
        }
        if self.sees().status == Expired && self.tells.status != Expired {
            self.expire();
        }
        if let Some((who, approve, note, at)) = self.pending.filter(|(.., at)| at.plus(UNDO) <= self.now) {
            (self.pending, self.ruling, self.reservation) = (None, Some((who, at)), None);
            self.decide(if approve { "approved" } else { "rejected" }, Some((note, at)));
        }
        let over = matches!(self.tells.status, Completed | Expired | Failed);
        if over && self.tells.purged_at.is_none() && self.erase_at <= self.now {
            let tells = &mut self.tells;
            (tells.purged_at, self.erasure_requested) = (Some(self.now), true);
            (tells.known, tells.typed, tells.ocr) = (false, false, false);
            tells.outcome.iter_mut().for_each(|outcome| outcome.note = false);
        }
    }

    fn decide(&mut self, verdict: &str, reviewed: Option<(bool, Timestamp)>) {
        self.tells.outcome = Some(SeenOutcome {
            verdict: verdict.into(),
            source: if reviewed.is_some() {
                "manual_review"
            } else {
                "automatic"
            }
            .into(),
            decided_at: self.now,
            reviewed_at: reviewed.map(|(_, at)| at),
            note: reviewed.is_some_and(|(note, _)| note),
        });
        let waits = verdict == "needs_review";
        self.tells.completed_at = (!waits).then_some(self.now);
        let status = if waits { Reviewing } else { Completed };
        self.end(status, self.now, &format!("verification.{verdict}"));
    }

    fn end(&mut self, status: Status, at: Timestamp, event: &str) {
        (self.tells.status, self.erase_at) = (status, at.plus(RETENTION));
        if status != Completed {
            // No reviewer ended it.
            self.ruling = None;
        }
        self.tells.events.push((event.into(), self.now));
    }
}
