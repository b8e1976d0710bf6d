//! The real side: the same operations on the real system, through the operations that the API, the pages and the console call.

mod api;

use crate::model::operation::{Answer, Op, Seen, SeenOutcome, Step, Which};
use domain::{
    audit::AuditAction,
    document::Side,
    ids::{EventId, SessionId, TenantId, UserId},
    reasons::Reason,
    role::Role,
    scope::Scope,
    secret::Personal,
    session::{AttemptNumber, Step as PlanStep},
    tenant::{Mode, TenantSettings},
    time::Millis,
    user_input::TypedForm,
};
use service::{
    access::{
        self, Admin, Applicant, Reviewer, Tenant,
        capture_cookie::{self, CookieError},
    },
    capture::{
        check::PhotoChoice,
        choose_document::{Photos, choose_document},
        decline::decline,
        details::{DetailsError, save_details},
        open_link::{OpenLinkError, open_link},
        progress::StepRefused,
        retake_selfie::retake_selfie,
        submit::submit,
        take::{Answers, Burst, CaptureError, capture_document, capture_selfie, challenge},
    },
    jobs::worker::Lane,
    privacy::erase_now::{EraseNowError, erase_now},
    review::{CaseError, LookedAt, ReviewDecision, RuleError, UndoError, ask_again, open_case, reopen, rule, undo},
    runtime::{random::SeededRandom, token},
    session::{
        create::create_session,
        read::read_session,
        reissue_link::{ReissueError, reissue_link},
    },
};
use store::{
    StoreError, audit,
    jobs::{self, Claim, Moment},
    session::sessions,
    settings::tenants::TenantRow,
};
use testkit::{
    Harness, START, add_tenant,
    analyser::Look,
    applicant::{agree, details},
    localhost,
};

/// What the customer gives with each session.
pub(crate) const METADATA: &str = r#"{"order":"A-1","n":1.50}"#;
const BODY: &str = r#"{"metadata":{"order":"A-1","n":1.50},"state":"s","preRegisteredInfo":{"lastName":"Tanaka"}}"#;

/// The plans, and the modes of their tenants.
pub(crate) const PLACES: [(&[PlanStep], Mode); 4] = [
    (PlanStep::ALL, Mode::Live),
    (PlanStep::ALL, Mode::Sandbox),
    (&[PlanStep::Document], Mode::Live),
    (&[PlanStep::Selfie], Mode::Sandbox),
];

/// A tenant with one plan, and its actors.
pub(crate) struct TestTenant {
    pub(crate) document: bool,
    pub(crate) selfie: bool,
    pub(crate) sandbox: bool,
    owner: Tenant,
    reviewers: [Reviewer; 2],
    admin: Admin,
}

/// The real system, with a tenant for each plan.
pub(crate) struct Real {
    pub(crate) harness: Harness,
    pub(crate) places: Vec<TestTenant>,
    stranger: Tenant,
    marks: [String; 2],
    pictures: u64,
}

/// A session as its actors know it.
pub(crate) struct Handle {
    pub(crate) id: SessionId,
    links: Vec<String>,
    cookies: [Option<String>; 2],
    events: Vec<EventId>,
}

impl Real {
    pub(crate) async fn new(mut harness: Harness) -> Self {
        let stranger = harness.another_tenant().await;
        let mut places = Vec::new();
        for (steps, mode) in PLACES {
            harness.tenant = TenantRow {
                mode,
                id: TenantId::from_random(harness.honnin.random_bytes()),
                settings: Some(TenantSettings {
                    steps: steps.to_vec(),
                    ..TenantSettings::default()
                }),
                ..harness.tenant.clone()
            };
            let key = add_tenant(&harness.honnin, &harness.tenant).await;
            let reviewer = async || Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
            places.push(TestTenant {
                document: steps.contains(&PlanStep::Document),
                selfie: steps.contains(&PlanStep::Selfie),
                sandbox: mode.is_sandbox(),
                owner: access::tenant_by_key(&harness.honnin, &key, localhost(), Scope::Create)
                    .await
                    .unwrap(),
                reviewers: [reviewer().await, reviewer().await],
                admin: Admin::of(&harness.staff(Role::Admin).await).unwrap(),
            });
        }
        let marks = [1, 2].map(|phone| token::generate(&SeededRandom::new(phone)).expose().clone());
        Self {
            harness,
            places,
            stranger,
            marks,
            pictures: 0,
        }
    }

    /// Ends everything that a broken sequence left, decisions first, then erasures, and starts over.
    pub(crate) async fn reset(&self) {
        for _ in 0..2 {
            self.harness.wait(Millis::days(400)).await;
        }
        let past = START.as_millis() - self.harness.honnin.now().as_millis();
        self.harness.clock.advance(Millis(past));
    }

    pub(crate) async fn create(&self, place: usize) -> Handle {
        let created = create_session(&self.harness.honnin, &self.places[place].owner, BODY.as_bytes())
            .await
            .unwrap();
        Handle {
            links: vec![Harness::token(&created)],
            id: created.id,
            cookies: [None, None],
            events: Vec::new(),
        }
    }

    /// A worker claims what is due and dies. Nobody else can claim it until its lease has expired.
    pub(crate) async fn crash(&self) -> Result<(), String> {
        let now = self.harness.honnin.now();
        let at = Moment::by_one_clock(now);
        let claim = self
            .harness
            .honnin
            .db()
            .write(async move |tx| -> Result<_, StoreError> {
                let claim = Claim {
                    worker: "dead",
                    at,
                    until: now.plus(Millis::seconds(60)),
                    limit: 1000,
                };
                for rank in Lane::ALL.iter().flat_map(|lane| lane.ranks()) {
                    jobs::claim(tx, rank, claim).await?;
                }
                for tenant in jobs::list_tenants_due(tx, at).await? {
                    jobs::claim_of_tenant(tx, &tenant, claim).await?;
                }
                Ok(())
            });
        claim.await.map_err(|error| error.to_string())?;
        match self.harness.run_until_idle().await {
            0 => Ok(()),
            ran => Err(format!("{ran} jobs of a dead worker were run within its lease")),
        }
    }

    /// Does `op`, which is about one session.
    pub(crate) async fn apply(&mut self, place: usize, handle: &mut Handle, op: Op) -> Answer {
        match op {
            Op::Read(_) | Op::Reprocess(_) | Op::Cancel(_) | Op::Erase(_) | Op::Complete(..) => {
                self.call(place, handle, op).await
            }
            Op::Open(phone, back) => self.open(handle, phone, back).await,
            Op::Take(phone, step) => self.take(handle, phone, step).await,
            Op::Work => {
                self.harness.run_until_idle().await;
                Answer::Ok
            }
            Op::OpenCase(_) | Op::Rule(..) | Op::Undo(_) | Op::AskAgain(_) | Op::Reopen(_) | Op::Reissue(_) => {
                self.at_console(place, handle, op).await
            }
            Op::EraseNow => match erase_now(&self.harness.honnin, &self.places[place].admin, &handle.id).await {
                Ok(()) => Answer::Ok,
                Err(EraseNowError::NotFound) => Answer::NotFound,
                Err(error) => fault(error),
            },
            Op::Create | Op::Wait(_) | Op::Crash | Op::Onward(..) => unreachable!("not one session's"),
        }
    }

    async fn open(&self, handle: &mut Handle, phone: Which, back: usize) -> Answer {
        let Some(token) = handle.links.iter().rev().nth(back) else {
            return Answer::Nothing;
        };
        match open_link(&self.harness.honnin, token, Some(&self.marks[phone])).await {
            Ok(opened) => {
                handle.cookies[phone] = Some(opened.cookie.expose().clone());
                Answer::Ok
            }
            Err(OpenLinkError::NotUsable) => Answer::LinkNotUsable,
            Err(error) => fault(error),
        }
    }

    async fn take(&mut self, handle: &Handle, phone: Which, step: Step) -> Answer {
        let Some(cookie) = &handle.cookies[phone] else {
            return Answer::Nothing;
        };
        let applicant = match capture_cookie::applicant(&self.harness.honnin, cookie).await {
            Ok(applicant) => applicant,
            Err(CookieError::Over) => return Answer::CookieOver,
            Err(CookieError::Expired) => return Answer::SessionExpired,
            Err(error) => return fault(error),
        };
        self.pictures += 1;
        let number = self.pictures;
        let honnin = &self.harness.honnin;
        let done = match step {
            Step::Consent => agree(honnin, &applicant, None).await.map_err(turn),
            Step::Decline => decline(honnin, &applicant).await.map_err(turn),
            Step::Choose(kind, again) => {
                let photos = if again { Photos::DiscardAll } else { Photos::KeepGood };
                choose_document(honnin, &applicant, kind, photos).await.map_err(turn)
            }
            Step::Photograph(kind, look) => {
                capture_document(honnin, &applicant, kind, Side::Front, look.picture(number))
                    .await
                    .map_err(picture)
            }
            Step::Keep => self
                .harness
                .check_photo(&applicant, PhotoChoice::Use(vec![]))
                .await
                .map(|_| ())
                .map_err(turn),
            Step::TypeIn => match save_details(honnin, &applicant, &Personal::new(with_kana())).await {
                Err(DetailsError::StepRefused(fault)) => Err(turn(fault)),
                other => other.map_err(fault),
            },
            Step::Selfie(look) => self.selfie(&applicant, look).await,
            Step::RetakeSelfie => retake_selfie(honnin, &applicant).await.map_err(turn),
            Step::Submit => submit(honnin, &applicant).await.map_err(turn),
        };
        done.err().unwrap_or(Answer::Ok)
    }

    async fn selfie(&self, applicant: &Applicant, look: Look) -> Result<(), Answer> {
        let id = challenge(&self.harness.honnin, applicant).await.map_err(turn)?.id;
        let burst = Burst {
            answers: Answers::Challenge(id),
            frames: [0, 400].map(|at| (at, look.picture(self.pictures))).to_vec(),
        };
        capture_selfie(&self.harness.honnin, applicant, burst)
            .await
            .map_err(picture)
    }

    async fn at_console(&self, place: usize, handle: &mut Handle, op: Op) -> Answer {
        let (honnin, id) = (&self.harness.honnin, handle.id.clone());
        let case = LookedAt::new(&id, self.attempt(&id).await);
        let reviewer = |who: Which| &self.places[place].reviewers[who];
        let linked = match op {
            Op::OpenCase(who) => match open_case(honnin, reviewer(who), &id).await {
                Ok(case) => return Answer::Case(case.is_reserved_by(reviewer(who).staff().user())),
                Err(CaseError::NotFound) => return Answer::NotFound,
                Err(error) => return fault(error),
            },
            Op::Rule(who, approve, note) => {
                let ruling = if approve {
                    ReviewDecision::Approve
                } else {
                    ReviewDecision::Reject(vec![Reason::ManualRejection])
                };
                let note = note.then(|| Personal::new("Seen by eye.".to_owned()));
                let ruled = rule(honnin, reviewer(who), case, ruling, note).await;
                return ruled.map_or_else(|error| self.ruling(place, error), |_| Answer::Ok);
            }
            Op::Undo(who) => {
                return match undo(honnin, reviewer(who), &id).await {
                    Ok(()) => Answer::Ok,
                    Err(UndoError::TooLate) => Answer::TooLateToUndo,
                    Err(error) => fault(error),
                };
            }
            Op::Reissue(who) => reissue_link(honnin, reviewer(who), &id, None)
                .await
                .map_err(|error| match error {
                    ReissueError::Status(status) => Answer::NoLinkWhile(status),
                    other => fault(other),
                }),
            Op::AskAgain(who) => ask_again(honnin, reviewer(who), case, None)
                .await
                .map_err(|error| self.ruling(place, error)),
            Op::Reopen(who) => reopen(honnin, reviewer(who), case)
                .await
                .map_err(|error| self.ruling(place, error)),
            _ => unreachable!("not the console's"),
        };
        match linked {
            Ok(link) => {
                handle
                    .links
                    .push(link.url.expose().rsplit('/').next().unwrap().to_owned());
                Answer::Ok
            }
            Err(answer) => answer,
        }
    }

    /// The attempt that a page shows now.
    async fn attempt(&self, id: &SessionId) -> AttemptNumber {
        let id = id.clone();
        let find = self.harness.read(async move |tx| sessions::find_any(tx, &id).await);
        find.await.unwrap().session.attempt
    }

    fn ruling(&self, place: usize, error: RuleError) -> Answer {
        let which = |user: UserId| {
            self.places[place]
                .reviewers
                .iter()
                .position(|one| *one.staff().user() == user)
        };
        match error {
            RuleError::NotFound => Answer::NotFound,
            RuleError::Decided(ruled) => {
                Answer::DecidedAlready(ruled.map(|ruled| (which(ruled.user).unwrap(), ruled.at)))
            }
            RuleError::Held { until, .. } => Answer::HeldUntil(until),
            RuleError::NotPerformed(_) => Answer::NotPerformed,
            RuleError::NotRepeatable => Answer::NotRepeatable,
            RuleError::Pending { .. } | RuleError::Repeated => Answer::JustDecided,
            other => fault(other),
        }
    }

    /// What the owner sees through the API, and the events recorded.
    pub(crate) async fn sees(&self, place: usize, handle: &mut Handle) -> Result<Seen, String> {
        let detail = read_session(&self.harness.honnin, &self.places[place].owner, handle.id.as_str())
            .await
            .map_err(|error| error.to_string())?;
        let events = self.harness.events(&handle.id).await;
        let ids: Vec<_> = events.iter().map(|event| event.id.clone()).collect();
        let distinct = ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id));
        if !handle.events.iter().all(|id| ids.contains(id)) || !distinct {
            return Err(format!(
                "event ids are not stable and distinct: {:?}, then {ids:?}",
                handle.events
            ));
        }
        handle.events = ids;
        if detail.document_type.is_some() != detail.ocr.is_some() {
            return Err("the type of the document does not come with its readings".into());
        }
        Ok(Seen {
            status: detail.status,
            attempt: detail.session.attempt.get(),
            created_at: detail.session.created_at,
            expires_at: detail.session.expires_at,
            completed_at: detail.session.completed_at,
            purged_at: detail.session.purged_at,
            metadata: detail.metadata.as_deref().map(str::to_owned),
            known: detail.pre_registered.is_some(),
            typed: detail.typed.is_some(),
            ocr: detail.ocr.is_some(),
            outcome: detail.outcome.map(|outcome| SeenOutcome {
                verdict: outcome.verdict.to_string(),
                source: outcome.source.to_string(),
                decided_at: outcome.decided_at,
                reviewed_at: outcome.review.as_ref().map(|review| review.reviewed_at),
                note: outcome.review.is_some_and(|review| review.note.is_some()),
            }),
            events: events
                .iter()
                .map(|event| (event.content.kind().as_str().to_owned(), event.created_at))
                .collect(),
        })
    }
}

impl Real {
    /// How often the owner's reading of a session is in the audit log.
    pub(crate) async fn reads_on_record(&self, place: usize, handle: &Handle) -> usize {
        let (tenant, id) = (self.places[place].owner.id().clone(), handle.id.to_string());
        let list = self
            .harness
            .read(async move |tx| audit::list(tx, &tenant, Some(&id), None, 10_000).await);
        list.await
            .iter()
            .filter(|one| one.entry.action == AuditAction::SessionRead)
            .count()
    }
}

/// The details that every kind of document asks for: Japanese ones want kana.
fn with_kana() -> TypedForm {
    TypedForm {
        last_name_kana: "タナカ".into(),
        first_name_kana: "ハナコ".into(),
        ..details()
    }
}

fn fault(error: impl std::fmt::Display) -> Answer {
    Answer::Fault(error.to_string())
}

fn turn(error: StepRefused) -> Answer {
    match error {
        StepRefused::Over => Answer::CookieOver,
        StepRefused::OutOfTurn => Answer::OutOfTurn,
        StepRefused::Store(error) => fault(error),
    }
}

fn picture(error: CaptureError) -> Answer {
    match error {
        CaptureError::NoTryLeft => Answer::NoTryLeft,
        CaptureError::StepRefused(error) => turn(error),
        other => fault(other),
    }
}
