//! Everything that can be done to a session, and how a random sequence is drawn.

use domain::{
    document::DocumentType,
    sandbox::SandboxOutcome,
    session::Status,
    time::{Millis, Timestamp},
};
use proptest::{collection::vec, prelude::*, sample::select};
use testkit::analyser::Look;

/// Who calls the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    Owner,
    /// Another tenant, with its own valid key.
    Stranger,
}

/// One of two phones, or one of two reviewers.
pub(crate) type Which = usize;

/// What an end user can do once the link is open.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Consent,
    Decline,
    /// Chooses a kind of document; whether new photos are wanted.
    Choose(DocumentType, bool),
    /// From the page for this kind.
    Photograph(DocumentType, Look),
    /// Uses the photo just taken.
    Keep,
    TypeIn,
    Selfie(Look),
    /// Discards the selfie for another one.
    RetakeSelfie,
    Submit,
}

/// Kinds of documents, each with one side.
const KINDS: [DocumentType; 2] = [DocumentType::Passport, DocumentType::MyNumberCard];

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// The API: another session.
    Create,
    Read(Caller),
    Reprocess(Caller),
    Cancel(Caller),
    Erase(Caller),
    /// Completes it as an integrator's test would; only in a sandbox.
    Complete(Caller, SandboxOutcome),
    /// The user: opens the newest link, or the one before it.
    Open(Which, usize),
    Take(Which, Step),
    /// Does the next steps, this many: otherwise hardly any sequence would reach a decision.
    Onward(Which, Look, usize),
    /// The console.
    OpenCase(Which),
    /// Approves or rejects, with a note or without.
    Rule(Which, bool, bool),
    /// Takes one's decision back.
    Undo(Which),
    AskAgain(Which),
    Reopen(Which),
    Reissue(Which),
    EraseNow,
    /// Advances the clock, and nothing else.
    Wait(Span),
    /// Runs every job that is due.
    Work,
    /// A worker claims every due job and dies; the jobs are free again a minute later.
    Crash,
}

/// How long to wait.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Span {
    For(Millis),
    /// To one millisecond before the session's deadline, or to it; a second if that has passed.
    Deadline(i64),
    /// To one millisecond before the newest link's end, or to it.
    Link(i64),
}

/// The answer, on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Ok,
    /// The sequence used something that does not exist, such as a second link: nothing was done.
    Nothing,
    /// The API.
    NotFound,
    ReprocessNotAllowed,
    CancelNotAllowed,
    CannotComplete,
    /// The user.
    LinkNotUsable,
    CookieOver,
    SessionExpired,
    OutOfTurn,
    NoTryLeft,
    /// The console.
    /// Whether it is the reviewer's now.
    Case(bool),
    NoLinkWhile(Status),
    DecidedAlready(Option<(Which, Timestamp)>),
    HeldUntil(Timestamp),
    NotPerformed,
    NotRepeatable,
    /// Decided, which has not taken effect yet.
    JustDecided,
    TooLateToUndo,
    /// Never answered by the model.
    Fault(String),
}

/// What a tenant can see of a session, and its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) status: Status,
    pub(crate) attempt: i64,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Timestamp,
    pub(crate) completed_at: Option<Timestamp>,
    pub(crate) purged_at: Option<Timestamp>,
    pub(crate) metadata: Option<String>,
    /// Which items of personal data are not null.
    pub(crate) known: bool,
    pub(crate) typed: bool,
    pub(crate) ocr: bool,
    pub(crate) outcome: Option<SeenOutcome>,
    /// Type and time of each event.
    pub(crate) events: Vec<(String, Timestamp)>,
}

impl Seen {
    /// Of a session just created.
    pub(crate) fn fresh(now: Timestamp, expires_at: Timestamp, metadata: &str) -> Self {
        Self {
            status: Status::Created,
            attempt: 1,
            created_at: now,
            expires_at,
            completed_at: None,
            purged_at: None,
            metadata: Some(metadata.to_owned()),
            known: true,
            typed: false,
            ocr: false,
            outcome: None,
            events: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeenOutcome {
    pub(crate) verdict: String,
    pub(crate) source: String,
    pub(crate) decided_at: Timestamp,
    pub(crate) reviewed_at: Option<Timestamp>,
    pub(crate) note: bool,
}

/// The path into each state, and from there each operation once; afterwards a cooperative user continues.
pub(crate) fn grid() -> Vec<Vec<Move>> {
    let onward = |look, times| Op::Onward(0, look, times);
    let ways = [
        vec![],
        vec![onward(Look::Genuine, 1)],
        // The photograph is used; and then another kind is chosen.
        vec![onward(Look::Genuine, 5)],
        vec![
            onward(Look::Genuine, 5),
            Op::Take(0, Step::Choose(DocumentType::MyNumberCard, false)),
        ],
        // All tries are used up; then another kind is chosen, submitted without a photograph, and decided.
        [
            vec![onward(Look::Genuine, 3)],
            vec![Op::Take(0, Step::Photograph(DocumentType::Passport, Look::Genuine)); 5],
            vec![Op::Take(0, Step::Choose(DocumentType::MyNumberCard, false))],
            vec![onward(Look::Genuine, 4)],
        ]
        .concat(),
        // From the tap on Start to the submit, and then the decision.
        vec![onward(Look::Genuine, 8)],
        vec![onward(Look::Doubtful, 9)],
        vec![onward(Look::Genuine, 9)],
        vec![onward(Look::Genuine, 5), Op::Wait(Span::Deadline(0))],
        vec![onward(Look::Genuine, 1), Op::Take(0, Step::Decline)],
        vec![
            onward(Look::Genuine, 9),
            Op::Wait(Span::For(Millis::days(91))),
            Op::Work,
        ],
    ];
    let steps = [
        Step::Consent,
        Step::Decline,
        Step::Choose(DocumentType::Passport, false),
        Step::Choose(DocumentType::Passport, true),
        Step::Choose(DocumentType::MyNumberCard, false),
        Step::Photograph(DocumentType::Passport, Look::Genuine),
        Step::Keep,
        Step::TypeIn,
        Step::Selfie(Look::Genuine),
        Step::RetakeSelfie,
        Step::Submit,
    ];
    let calls = [Caller::Owner, Caller::Stranger].map(|caller| {
        [
            Op::Read(caller),
            Op::Reprocess(caller),
            Op::Cancel(caller),
            Op::Erase(caller),
        ]
    });
    let rulings = [(true, true), (true, false), (false, true), (false, false)];
    let mut each = calls.concat();
    each.extend(
        SandboxOutcome::ALL
            .iter()
            .map(|outcome| Op::Complete(Caller::Owner, *outcome)),
    );
    each.push(Op::Complete(Caller::Stranger, SandboxOutcome::Approved));
    each.extend(steps.map(|step| Op::Take(0, step)));
    each.extend(rulings.map(|(approve, note)| Op::Rule(1, approve, note)));
    each.extend([
        Op::Open(0, 0),
        Op::Open(1, 0),
        Op::OpenCase(0),
        Op::Undo(1),
        Op::AskAgain(1),
        Op::Reopen(1),
        Op::Reissue(1),
        Op::EraseNow,
    ]);
    each.extend([
        Op::Wait(Span::Deadline(1)),
        Op::Wait(Span::Link(0)),
        Op::Work,
        Op::Crash,
    ]);
    let then = [
        Op::Rule(0, true, true),
        Op::Wait(Span::For(Millis::seconds(10))),
        Op::Work,
        onward(Look::Doubtful, 10),
        Op::Reprocess(Caller::Owner),
    ];
    // An erasure that was requested and has not been done, and what could revive its session.
    let requests = [Op::EraseNow, Op::Erase(Caller::Owner)];
    let revivals = [
        Op::Reprocess(Caller::Owner),
        Op::AskAgain(1),
        Op::Reopen(1),
        Op::Reissue(1),
        Op::Erase(Caller::Owner),
    ];
    let overtaken = requests.map(|request| [&[request][..], &revivals].concat());
    let each: Vec<_> = each.into_iter().map(|op| vec![op]).chain(overtaken).collect();
    let all = ways
        .iter()
        .flat_map(|way| each.iter().map(move |ops| [&way[..], ops, &then].concat()));
    all.map(|ops| ops.into_iter().map(|op| (0, op)).collect()).collect()
}

/// An operation on one of the sessions.
pub(crate) type Move = (usize, Op);

pub(crate) fn sequence() -> impl Strategy<Value = Vec<Move>> {
    vec((0..3_usize, operation()), 1..22)
}

fn operation() -> impl Strategy<Value = Op> {
    let which = 0..2_usize;
    let look = prop_oneof![2 => Just(Look::Genuine), 2 => Just(Look::Doubtful), 1 => Just(Look::OutOfDate)];
    let caller = prop_oneof![6 => Just(Caller::Owner), 1 => Just(Caller::Stranger)];
    prop_oneof![
        2 => Just(Op::Create),
        1 => caller.clone().prop_map(Op::Read),
        6 => caller.clone().prop_map(Op::Reprocess),
        1 => caller.clone().prop_map(Op::Cancel),
        1 => caller.clone().prop_map(Op::Erase),
        3 => (caller, select(SandboxOutcome::ALL)).prop_map(|(caller, outcome)| Op::Complete(caller, outcome)),
        4 => (which.clone(), 0..2_usize).prop_map(|(phone, link)| Op::Open(phone, link)),
        8 => (which.clone(), step(look.clone().boxed())).prop_map(|(phone, step)| Op::Take(phone, step)),
        12 => (which.clone(), look, 1..11_usize).prop_map(|(phone, look, times)| Op::Onward(phone, look, times)),
        2 => which.clone().prop_map(Op::OpenCase),
        5 => (which.clone(), any::<bool>(), any::<bool>()).prop_map(|(who, approve, note)| Op::Rule(who, approve, note)),
        2 => which.clone().prop_map(Op::Undo),
        2 => which.clone().prop_map(Op::AskAgain),
        2 => which.clone().prop_map(Op::Reopen),
        2 => which.prop_map(Op::Reissue),
        1 => Just(Op::EraseNow),
        6 => span().prop_map(Op::Wait),
        6 => Just(Op::Work),
        2 => Just(Op::Crash),
    ]
}

fn step(look: BoxedStrategy<Look>) -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => select(vec![Step::Consent, Step::Keep, Step::TypeIn, Step::Submit]),
        2 => (select(&KINDS), any::<bool>()).prop_map(|(kind, again)| Step::Choose(kind, again)),
        1 => Just(Step::Decline),
        1 => (select(&KINDS), look.clone()).prop_map(|(kind, look)| Step::Photograph(kind, look)),
        1 => look.prop_map(Step::Selfie),
        1 => Just(Step::RetakeSelfie),
    ]
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![
        4 => select(vec![
            Millis::seconds(10),
            Millis::seconds(90),
            Millis::minutes(20),
            Millis::minutes(31),
            Millis::hours(5),
            Millis::days(3),
            Millis::days(8),
            Millis::days(91),
        ]).prop_map(Span::For),
        2 => (0..2_i64).prop_map(Span::Deadline),
        1 => (0..2_i64).prop_map(Span::Link),
    ]
}
