//! Cookies, answers, pictures and decisions of an attempt.

use domain::{
    decision::Policy,
    document::{DocumentType, Side},
    findings::{Asked, Challenge, LiveFindings, ModelHash},
    ids::{CaptureId, SessionId, TenantId},
    language::Language,
    outcome::Verdict,
    reasons::Reason,
    session::{AttemptNumber, Plan, Session, Step},
    tenant::Mode,
    time::{Millis, Timestamp},
};
use store::{
    StoreError, Tx,
    capture::{
        attempts::{self, AttemptRow, Consent, RequestedMovement, RunStep},
        capture_cookies::{self, CookieRow},
        captures::{self, CaptureRow, Frame, Slot},
    },
    decision::decisions::{self, DecisionRow},
    session::sessions::{self, SessionRow},
    settings::tenants::{self, TenantRow},
    vault::DataKeyId,
};
use testkit::databases::{Backend, backends, texts_at};

const fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

async fn write<T, F>(backend: &Backend, unit: F) -> Result<T, StoreError>
where
    T: Send + 'static,
    F: AsyncFnMut(&mut Tx) -> Result<T, StoreError> + Send + 'static,
{
    backend.db.write(unit).await
}

/// A tenant with one session.
async fn session(backend: &Backend) -> SessionId {
    let tenant = TenantRow {
        id: TenantId::from_random([1; 16]),
        name: "Example".into(),
        settings: None,
        mode: Mode::Live,
        created_at: at(0),
        version: 0,
    };
    let (id, plan) = (
        SessionId::from_random([2; 16]),
        Plan {
            steps: Step::ALL.to_vec(),
        },
    );
    let session = Session::new(id.clone(), tenant.id.clone(), plan, at(0), Millis::hours(1));
    let row = SessionRow::new(session, DataKeyId::parse(&format!("dk_{}", "0".repeat(32))).unwrap());
    let unit = write(backend, async move |tx| {
        tenants::insert(tx, &tenant).await?;
        sessions::insert(tx, &row).await
    });
    unit.await.unwrap();
    id
}

pub(crate) fn capture(session: &SessionId, byte: u8, slot: Slot, number: i64) -> CaptureRow {
    let id = CaptureId::from_random([byte; 16]);
    let frame = Frame {
        object: format!("{id}-0"),
        sha256: "ab".repeat(32),
        at: 0,
        repeated: slot == Slot::Selfie,
    };
    let taken = CaptureRow {
        number,
        problems: vec![Reason::DocumentGlare],
        ..CaptureRow::new(
            id,
            (session, AttemptNumber::FIRST),
            slot,
            vec![frame],
            at(10 + i64::from(byte)),
        )
    };
    if slot != Slot::Selfie {
        return CaptureRow {
            document_type: Some(DocumentType::IdCard),
            ..taken
        };
    }
    CaptureRow {
        asked: Asked {
            movements: vec![Challenge::TurnRight, Challenge::ComeCloser],
            live: Some(LiveFindings {
                answered_ms: vec![700, 1_900],
                same_frames: true,
                watched: None,
                commitment: None,
                run: 1,
                repeated_frames: 0,
                unseen_turns: 0,
                flashes: None,
            }),
        },
        flashes: Some(vec![5]),
        ..taken
    }
}

async fn list(backend: &Backend, session: &SessionId, attempt: AttemptNumber) -> Vec<CaptureRow> {
    let session = session.clone();
    let unit = write(backend, async move |tx| captures::list(tx, &session, attempt).await);
    unit.await.unwrap()
}

async fn insert(backend: &Backend, row: &CaptureRow) -> Result<(), StoreError> {
    let row = row.clone();
    let unit = write(backend, async move |tx| captures::insert(tx, &row).await);
    unit.await
}

#[tokio::test]
async fn answers_are_saved_by_whoever_read_them_last() {
    for backend in backends().await {
        let id = session(&backend).await;
        let (first, second) = {
            let id = id.clone();
            let unit = write(&backend, async move |tx| {
                let empty = attempts::load(tx, &id, AttemptNumber::FIRST).await?;
                assert_eq!(empty, AttemptRow::new(id.clone(), AttemptNumber::FIRST));
                Ok((empty.clone(), empty))
            });
            unit.await.unwrap()
        };
        let full = AttemptRow {
            language: Some(Language::Ja),
            consent: Some(Consent {
                version: "1".into(),
                at: at(5),
                retention: Some(Millis::days(30)),
            }),
            face_search: Some(true),
            document_type: Some(DocumentType::Passport),
            typed: Some(vec![1, 2]),
            challenge: Some(RequestedMovement {
                id: "c".into(),
                challenge: Challenge::TurnLeft,
            }),
            live_id: Some("run".into()),
            live_runs: 3,
            live_step: Some(RunStep {
                unseen_turns: 1,
                run: "run".into(),
                step: 4,
                since: at(7),
            }),
            submitted_at: Some(at(6)),
            ..first
        };
        for (row, works) in [(full.clone(), true), (second, false)] {
            let unit = write(&backend, async move |tx| {
                let mut row = row.clone();
                attempts::save(tx, &mut row).await
            });
            assert_eq!(unit.await.is_ok(), works, "{}", backend.name);
        }
        let unit = write(&backend, async move |tx| {
            let second = attempts::load(tx, &id, AttemptNumber::new(2)).await?;
            let mut longer = AttemptRow {
                consent: Some(Consent {
                    version: "1".into(),
                    at: at(8),
                    retention: Some(Millis::days(31)),
                }),
                ..second.clone()
            };
            attempts::save(tx, &mut longer).await?;
            Ok((
                attempts::load(tx, &id, AttemptNumber::FIRST).await?,
                second,
                attempts::promised_retention(tx, &id).await?,
            ))
        });
        let (stored, other, promised) = unit.await.unwrap();
        assert_eq!(
            promised,
            Some(Millis::days(30)),
            "{}: the shortest of all attempts",
            backend.name
        );
        assert_eq!(stored, AttemptRow { version: 1, ..full }, "{}", backend.name);
        assert_eq!(other.version, 0, "{}: each attempt has its own", backend.name);
    }
}

#[tokio::test]
async fn a_draft_is_kept_until_the_details_are_confirmed_and_erased_with_them() {
    for backend in backends().await {
        let (id, name) = (session(&backend).await, &backend.name);
        let saved = async |row: AttemptRow| {
            let id = id.clone();
            let unit = write(&backend, async move |tx| {
                let mut row = row.clone();
                attempts::save(tx, &mut row).await?;
                attempts::load(tx, &id, AttemptNumber::FIRST).await
            });
            unit.await.unwrap()
        };
        let drafted = AttemptRow {
            draft: Some(vec![1, 2]),
            ..AttemptRow::new(id.clone(), AttemptNumber::FIRST)
        };
        let stored = saved(drafted.clone()).await;
        assert_eq!(stored, AttemptRow { version: 1, ..drafted }, "{name}");
        let confirmed = AttemptRow {
            typed: Some(vec![1, 3]),
            draft: None,
            ..stored
        };
        let stored = saved(confirmed.clone()).await;
        assert_eq!(
            stored,
            AttemptRow {
                version: 2,
                ..confirmed
            },
            "{name}"
        );
        let drafted = AttemptRow {
            typed: None,
            draft: Some(vec![1, 2]),
            ..stored
        };
        assert_eq!(saved(drafted).await.draft, Some(vec![1, 2]), "{name}");
        let unit = write(&backend, async move |tx| {
            captures::erase(tx, &id).await?;
            attempts::load(tx, &id, AttemptNumber::FIRST).await
        });
        assert_eq!(unit.await.unwrap().draft, None, "{name}");
    }
}

#[tokio::test]
async fn drafts_that_an_earlier_version_left_of_an_erased_session_are_emptied_and_no_others() {
    for backend in backends().await {
        let (id, name) = (session(&backend).await, &backend.name);
        let session = id.clone();
        let unit = write(&backend, async move |tx| {
            for number in 1..=3 {
                let mut row = AttemptRow {
                    draft: Some(vec![1, 2]),
                    ..AttemptRow::new(session.clone(), AttemptNumber::new(number))
                };
                attempts::save(tx, &mut row).await?;
            }
            attempts::empty_drafts_of_erased(tx, 5).await
        });
        assert_eq!(unit.await.unwrap(), 0, "{name}: its user still needs them");
        backend.run("UPDATE sessions SET purged_at = 7").await;
        for expected in [2, 1, 0] {
            let unit = write(&backend, async |tx| attempts::empty_drafts_of_erased(tx, 2).await);
            assert_eq!(unit.await.unwrap(), expected, "{name}");
        }
        let left = "SELECT COUNT(*) FROM attempts WHERE draft IS NOT NULL";
        assert_eq!(backend.number(left).await, 0, "{name}");
        let unit = write(&backend, async move |tx| {
            attempts::load(tx, &id, AttemptNumber::FIRST).await
        });
        assert_eq!(unit.await.unwrap().version, 1, "{name}: the row stays");
    }
}

#[tokio::test]
async fn captures_are_listed_by_attempt_and_a_number_is_taken_once() {
    for backend in backends().await {
        let id = session(&backend).await;
        let front = capture(&id, 1, Slot::Document(Side::Front), 1);
        let later = CaptureRow {
            attempt: AttemptNumber::new(2),
            ..capture(&id, 3, Slot::Document(Side::Back), 1)
        };
        for row in [&front, &capture(&id, 2, Slot::Selfie, 1), &later] {
            insert(&backend, row).await.unwrap();
        }
        let again = insert(&backend, &capture(&id, 4, Slot::Selfie, 1)).await;
        assert!(matches!(again, Err(StoreError::Conflict)), "{}", backend.name);
        let listed = list(&backend, &id, AttemptNumber::FIRST).await;
        assert_eq!(listed.len(), 2, "{}", backend.name);
        assert_eq!(listed[0], front, "{}", backend.name);
        let unit = write(&backend, async move |tx| {
            assert_eq!(captures::list_all(tx, &id).await?.len(), 3);
            assert_eq!(captures::find(tx, &CaptureId::from_random([9; 16])).await?, None);
            captures::find(tx, &front.id).await
        });
        assert!(unit.await.unwrap().is_some());
    }
}

/// The column of a capture in which the release before keeps what was found, or what was shown once the picture was used.
const OF_BEFORE: &str = "SELECT problems FROM captures";

#[tokio::test]
async fn nodes_of_this_release_and_those_beside_it_know_despite_what_each_others_pictures_were_used() {
    for backend in backends().await {
        let (name, id) = (backend.name, session(&backend).await);
        let row = capture(&id, 1, Slot::Document(Side::Front), 1);
        insert(&backend, &row).await.unwrap();
        let found = async || list(&backend, &id, AttemptNumber::FIRST).await.remove(0);
        let (new, shown) = (row.id.clone(), [Reason::DocumentWrongSide]);
        let unit = write(&backend, async move |tx| {
            captures::mark_accepted(tx, &new, &shown, at(20)).await
        });
        unit.await.unwrap();
        assert_eq!(
            texts_at(&backend.url, OF_BEFORE).await,
            [r#"["document_wrong_side","document_glare"]"#],
            "{name}: as the release before reads it"
        );
        let used = found().await;
        assert_eq!(used.problems, [Reason::DocumentGlare], "{name}");
        assert_eq!(used.accepted_problems, Some(shown.to_vec()), "{name}");
        // As the release before takes it back and uses it again.
        backend.run("UPDATE captures SET accepted_at = NULL").await;
        assert_eq!(found().await.accepted_problems, None, "{name}");
        let again = r#"UPDATE captures SET accepted_at = 30, problems = '["document_blurry"]'"#;
        backend.run(again).await;
        let used = found().await;
        assert_eq!(used.accepted_problems, None, "{name}: those are of the first time");
        assert_eq!(used.problems, [Reason::DocumentBlurry], "{name}");
        let new = row.id.clone();
        let unit = write(&backend, async move |tx| {
            captures::take_back(tx, &new).await?;
            captures::mark_accepted(tx, &new, &shown, at(40)).await?;
            captures::take_back(tx, &new).await
        });
        unit.await.unwrap();
        assert_eq!(
            found().await.problems,
            [Reason::DocumentBlurry],
            "{name}: what was shown is no finding"
        );
        let new = row.id.clone();
        let unit = write(&backend, async move |tx| {
            captures::mark_accepted(tx, &new, &shown, at(50)).await?;
            captures::save_findings(tx, &new, None, &[Reason::DocumentCutOff], at(50)).await
        });
        unit.await.unwrap();
        assert_eq!(found().await.problems, [Reason::DocumentCutOff], "{name}");
        // As the release after this one finds something that this one does not know.
        backend
            .run(r#"UPDATE captures SET problems = '["document_upside_down","document_glare"]'"#)
            .await;
        assert_eq!(found().await.problems, [Reason::DocumentGlare], "{name}");
    }
}

#[tokio::test]
async fn an_analysis_counts_once_and_what_is_personal_can_be_blanked() {
    for backend in backends().await {
        let id = session(&backend).await;
        let row = capture(&id, 1, Slot::Document(Side::Front), 1);
        insert(&backend, &row).await.unwrap();
        let capture = row.id.clone();
        let unit = write(&backend, async move |tx| {
            captures::mark_accepted(tx, &capture, &[], at(19)).await?;
            captures::take_back(tx, &capture).await?;
            let taken_back = captures::find(tx, &capture).await?.unwrap();
            assert_eq!((taken_back.accepted_at, taken_back.accepted_problems), (None, None));
            assert_eq!(taken_back.problems, [Reason::DocumentGlare]);
            captures::mark_accepted(tx, &capture, &[Reason::DocumentWrongSide], at(20)).await?;
            captures::mark_accepted(tx, &capture, &[], at(21)).await?;
            let accepted = captures::find(tx, &capture).await?.unwrap();
            assert_eq!(accepted.problems, [Reason::DocumentGlare], "what was found stays");
            captures::mark_discarded(tx, &capture, at(22)).await?;
            let problems = [Reason::DocumentBlurry];
            let first = captures::save_findings(tx, &capture, Some(&[7]), &problems, at(23)).await?;
            let second = captures::save_findings(tx, &capture, None, &[], at(24)).await?;
            Ok((first, second))
        });
        assert_eq!(unit.await.unwrap(), (true, false), "{}", backend.name);
        let stored = list(&backend, &id, AttemptNumber::FIRST).await.remove(0);
        assert_eq!(
            (stored.accepted_at, stored.discarded_at, stored.analysed_at),
            (Some(at(20)), Some(at(22)), Some(at(23)))
        );
        assert_eq!(
            (stored.findings, stored.problems),
            (Some(vec![7]), vec![Reason::DocumentBlurry])
        );
        let shown = Some(vec![Reason::DocumentWrongSide]);
        assert_eq!(stored.accepted_problems, shown, "{}: as they were shown", backend.name);
        let other = crate::captures::capture(&id, 2, Slot::Document(Side::Back), 1);
        insert(&backend, &other).await.unwrap();
        let unit = write(&backend, async move |tx| captures::forget_frames(tx, &other.id).await);
        unit.await.unwrap();
        let frames = list(&backend, &id, AttemptNumber::FIRST).await;
        let frames: Vec<_> = frames.iter().map(|capture| capture.frames.len()).collect();
        assert_eq!(frames, [1, 0], "{}", backend.name);
        let session = id.clone();
        let unit = write(&backend, async move |tx| captures::erase(tx, &session).await);
        unit.await.unwrap();
        for erased in list(&backend, &id, AttemptNumber::FIRST).await {
            assert_eq!((&erased.findings, &erased.flashes), (&None, &None), "{}", backend.name);
            assert!(
                erased
                    .frames
                    .iter()
                    .all(|frame| !frame.object.is_empty() && frame.sha256.is_empty())
            );
        }
    }
}

#[tokio::test]
async fn an_attempt_is_decided_once() {
    for backend in backends().await {
        let row = DecisionRow {
            session: session(&backend).await,
            attempt: AttemptNumber::FIRST,
            decided_at: at(30),
            verdict: Verdict::NeedsReview,
            policy: Policy {
                match_accept: 0.9,
                ..Policy::default()
            },
            models: vec![ModelHash {
                name: "a".into(),
                sha256: "00".into(),
                licence: "MIT".into(),
            }],
            explanation: Some(vec![3]),
        };
        for works in [true, false] {
            let row = row.clone();
            let unit = write(&backend, async move |tx| decisions::insert(tx, &row).await);
            assert_eq!(unit.await.is_ok(), works, "{}", backend.name);
        }
        let id = row.session.clone();
        let unit = write(&backend, async move |tx| decisions::list(tx, &id).await);
        assert_eq!(unit.await.unwrap(), [row], "{}", backend.name);
    }
}

#[tokio::test]
async fn a_cookie_is_seen_and_ends_with_its_sessions_others() {
    for backend in backends().await {
        let row = CookieRow {
            hash: vec![1; 32],
            session: session(&backend).await,
            attempt: AttemptNumber::FIRST,
            created_at: at(1),
            seen_at: at(1),
            ended_at: None,
        };
        let kept = row.clone();
        let unit = write(&backend, async move |tx| {
            let row = &kept;
            capture_cookies::insert(tx, row).await?;
            capture_cookies::mark_seen(tx, &row.hash, at(9)).await?;
            capture_cookies::mark_seen(tx, &row.hash, at(8)).await?;
            let seen = capture_cookies::find(tx, &row.hash).await?;
            let holder = capture_cookies::find_holder(tx, &row.session, row.attempt).await?;
            let of_another = capture_cookies::find_holder(tx, &row.session, row.attempt.next()).await?;
            capture_cookies::end_all(tx, &row.session, at(10)).await?;
            capture_cookies::end_all(tx, &row.session, at(11)).await?;
            let ended = capture_cookies::find(tx, &row.hash).await?;
            let none = [
                of_another,
                capture_cookies::find_holder(tx, &row.session, row.attempt).await?,
                capture_cookies::find(tx, &[2; 32]).await?,
            ];
            Ok((seen, holder, ended, none))
        });
        let (seen, holder, ended, none) = unit.await.unwrap();
        assert_eq!(holder, seen, "{}", backend.name);
        assert_eq!(
            seen,
            Some(CookieRow {
                seen_at: at(9),
                ..row.clone()
            }),
            "{}",
            backend.name
        );
        assert_eq!(
            ended,
            Some(CookieRow {
                seen_at: at(9),
                ended_at: Some(at(10)),
                ..row
            }),
            "{}",
            backend.name
        );
        assert_eq!(none, [None, None, None], "{}", backend.name);
    }
}
