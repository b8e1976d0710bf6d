//! The selfie while the server watches: a run of the camera, its token, and the burst that ends it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    findings::{Asked, Challenge, Colour, Commitment},
    ids::SessionId,
    live::{FileHash, Hint, Instruction, Keep, MAX_FRAMES},
    outcome::Verdict,
    reasons::Reason,
    session::Step,
    tenant::TenantSettings,
    time::Millis,
};
use service::{
    access::Applicant,
    capture::{
        progress::{Next, StepRefused},
        retake_selfie::retake_selfie,
        submit::submit,
        take::{
            Answers, Burst, CaptureError, Colours, FrameResponse, LiveError, LiveFrame, MAX_RUNS, capture_selfie, look,
        },
    },
};
use sha2::{Digest as _, Sha256};
use store::capture::captures::{self, CaptureRow};
use testkit::Harness;

/// Time between two frames.
const STEP: Millis = Millis(300);

type Frames = Vec<(u32, Vec<u8>)>;

async fn at_the_selfie() -> (Harness, SessionId, Applicant) {
    let harness = Harness::new().await;
    let (id, applicant) = next_applicant(&harness).await;
    (harness, id, applicant)
}

/// Another applicant of the same tenant, whose next step is the selfie.
async fn next_applicant(harness: &Harness) -> (SessionId, Applicant) {
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    (id, applicant)
}

async fn show(
    harness: &Harness,
    applicant: &Applicant,
    run: Option<&str>,
    frame: &str,
) -> Result<FrameResponse, LiveError> {
    let first = LiveFrame::First(Colours::AsSet);
    let which = run.map_or(first, LiveFrame::Next);
    let frame = frame.as_bytes();
    look(&harness.honnin, applicant, which, frame.to_vec(), file(frame)).await
}

/// The hash of a frame, to which an honest browser commits itself.
fn file(frame: &[u8]) -> Option<FileHash> {
    Some(Sha256::digest(frame).into())
}

/// Does as asked until every movement was seen; returns the token and the frames to send.
async fn obedient(harness: &Harness, applicant: &Applicant) -> (String, Frames) {
    committed(harness, applicant, file).await
}

/// The same; the browser commits itself to these files.
async fn committed(
    harness: &Harness,
    applicant: &Applicant,
    commits: fn(&[u8]) -> Option<FileHash>,
) -> (String, Frames) {
    let first = LiveFrame::First(Colours::AsSet);
    filmed(harness, applicant, first, |colour| colour.as_str(), commits).await
}

/// The same; the face is in the light that `lit` makes of the colour of the screen.
async fn in_light(
    harness: &Harness,
    applicant: &Applicant,
    first: LiveFrame<'_>,
    lit: fn(Colour) -> &'static str,
) -> (String, Frames) {
    filmed(harness, applicant, first, lit, file).await
}

async fn filmed(
    harness: &Harness,
    applicant: &Applicant,
    first: LiveFrame<'_>,
    lit: fn(Colour) -> &'static str,
    commits: fn(&[u8]) -> Option<FileHash>,
) -> (String, Frames) {
    let mut frames = Vec::new();
    let (mut run, mut pose, mut light): (Option<String>, _, _) = (None, "straight", "");
    for number in 0..100_u32 {
        let frame = format!("{pose} {number} {light}");
        let which = run.as_deref().map_or(first, LiveFrame::Next);
        let copy = frame.as_bytes().to_vec();
        let looked = look(&harness.honnin, applicant, which, copy, commits(frame.as_bytes())).await;
        let seen = looked.unwrap();
        if seen.instruction.keep != Keep::No {
            frames.push((number * 300, frame.into_bytes()));
        }
        run = Some(seen.token);
        if seen.instruction.hint == Hint::Done {
            return (run.unwrap(), frames);
        }
        pose = pose_for(seen.instruction.movement);
        light = seen.instruction.colour.map_or("", lit);
        harness.clock.advance(STEP);
    }
    panic!("the run never ends");
}

/// The pose that follows a request.
fn pose_for(movement: Option<Challenge>) -> &'static str {
    match movement {
        Some(Challenge::TurnLeft) => "left",
        Some(Challenge::TurnRight) => "right",
        Some(Challenge::ComeCloser) => "close",
        None => "straight",
    }
}

async fn send(harness: &Harness, applicant: &Applicant, run: &str, frames: Frames) -> Result<(), CaptureError> {
    let answers = Answers::Run(run.into());
    capture_selfie(&harness.honnin, applicant, Burst { answers, frames }).await
}

async fn latest(harness: &Harness, id: &SessionId) -> CaptureRow {
    let id = id.clone();
    let captures = harness.read(async move |tx| captures::list_all(tx, &id).await).await;
    captures.into_iter().next_back().unwrap()
}

async fn asked(harness: &Harness, id: &SessionId) -> Asked {
    latest(harness, id).await.asked
}

/// Submits, and sees the session held because its selfie may have been injected.
async fn is_suspected(harness: &Harness, id: &SessionId, applicant: &Applicant) {
    submit(&harness.honnin, applicant).await.unwrap();
    harness.run_until_idle().await;
    let outcome = harness.detail(id).await.outcome.unwrap();
    assert_ne!(outcome.verdict, Verdict::Approved);
    let suspected = Reason::SelfieInjectionSuspected.as_str();
    assert!(outcome.reasons.iter().any(|reason| reason.as_str() == suspected));
}

#[tokio::test]
async fn whoever_follows_the_camera_is_approved_and_the_movements_are_kept_with_their_times() {
    let (harness, id, applicant) = at_the_selfie().await;
    let (run, frames) = obedient(&harness, &applicant).await;
    send(&harness, &applicant, &run, frames).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(harness.next(&applicant).await, Next::Submit);
    let asked = asked(&harness, &id).await;
    let live = asked.live.unwrap();
    assert!(live.same_frames && (2..=3).contains(&asked.movements.len()));
    assert_eq!(live.answered_ms, vec![300; asked.movements.len()]);
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(harness.detail(&id).await.outcome.unwrap().verdict, Verdict::Approved);
}

#[tokio::test]
async fn other_pictures_than_those_that_were_watched_are_suspicious() {
    let (harness, id, applicant) = at_the_selfie().await;
    let (run, mut frames) = obedient(&harness, &applicant).await;
    for (at, frame) in &mut frames {
        *frame = format!("prepared {at}").into_bytes();
    }
    send(&harness, &applicant, &run, frames).await.unwrap();
    harness.run_until_idle().await;
    assert!(!asked(&harness, &id).await.live.unwrap().same_frames);
    is_suspected(&harness, &id, &applicant).await;
}

/// Detects if whoever follows the camera has an hour to put another face into the frames.
#[tokio::test]
async fn frames_that_are_not_the_files_the_browser_committed_itself_to_are_suspicious() {
    let (harness, id, applicant) = at_the_selfie().await;
    let (run, frames) = committed(&harness, &applicant, |_| Some([7; 32])).await;
    send(&harness, &applicant, &run, frames).await.unwrap();
    harness.run_until_idle().await;
    let live = asked(&harness, &id).await.live.unwrap();
    assert!(live.same_frames, "they look the same");
    assert_eq!(live.commitment, Some(Commitment::Broken));
    is_suspected(&harness, &id, &applicant).await;
}

/// Detects if a virtual camera passes that shows photographs of a head, each whenever it is asked for.
#[tokio::test]
async fn pictures_that_are_shown_again_after_a_movement_are_suspicious() {
    let (harness, id, applicant) = at_the_selfie().await;
    let (mut run, mut frames, mut pose) = (None::<String>, Frames::new(), "straight");
    for number in 0..100_u32 {
        let seen = show(&harness, &applicant, run.as_deref(), pose).await.unwrap();
        if seen.instruction.keep != Keep::No {
            frames.push((number * 300, pose.as_bytes().to_vec()));
        }
        run = Some(seen.token);
        if seen.instruction.hint == Hint::Done {
            break;
        }
        pose = pose_for(seen.instruction.movement);
        harness.clock.advance(STEP);
    }
    send(&harness, &applicant, &run.unwrap(), frames).await.unwrap();
    harness.run_until_idle().await;
    let live = asked(&harness, &id).await.live.unwrap();
    assert!(live.same_frames);
    assert_eq!(live.commitment, Some(Commitment::Kept));
    is_suspected(&harness, &id, &applicant).await;
}

/// As of a page that was loaded before an upgrade.
#[tokio::test]
async fn a_browser_that_commits_itself_to_no_files_is_not_suspected_but_a_person_looks() {
    let (harness, id, applicant) = at_the_selfie().await;
    let (run, frames) = committed(&harness, &applicant, |_| None).await;
    send(&harness, &applicant, &run, frames).await.unwrap();
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    let outcome = harness.detail(&id).await.outcome.unwrap();
    assert_eq!(outcome.verdict, Verdict::NeedsReview);
    let reasons: Vec<_> = outcome.reasons.iter().map(ToString::to_string).collect();
    assert_eq!(reasons, [Reason::SelfieLivenessUncertain.as_str()]);
}

#[tokio::test]
async fn a_run_counts_once_only_when_it_is_done_and_only_for_its_session() {
    let (harness, _, applicant) = at_the_selfie().await;
    let out_of_turn = |result: Result<(), CaptureError>| {
        assert!(
            matches!(result, Err(CaptureError::StepRefused(StepRefused::OutOfTurn))),
            "{result:?}"
        );
    };
    let unfinished = show(&harness, &applicant, None, "straight 1").await.unwrap().token;
    let two = || vec![(0, b"straight 1".to_vec()), (300, b"left 2".to_vec())];
    out_of_turn(send(&harness, &applicant, &unfinished, two()).await);
    out_of_turn(send(&harness, &applicant, "AAAA", two()).await);
    // A second run makes the first worthless.
    let (done, frames) = obedient(&harness, &applicant).await;
    let stale = show(&harness, &applicant, Some(&unfinished), "straight 1")
        .await
        .unwrap();
    assert_eq!(
        stale.instruction,
        Instruction::REPLACED,
        "the other page's camera says so"
    );
    // Somebody else's session.
    let (_, other) = next_applicant(&harness).await;
    out_of_turn(send(&harness, &other, &done, frames.clone()).await);
    let foreign = show(&harness, &other, Some(&done), "straight 1").await;
    assert!(
        matches!(foreign, Err(LiveError::StepRefused(StepRefused::OutOfTurn))),
        "{foreign:?}"
    );
    send(&harness, &applicant, &done, frames.clone()).await.unwrap();
    out_of_turn(send(&harness, &applicant, &done, frames).await);
    harness.run_until_idle().await;
}

/// Detects if the token from before a movement that nobody asked for still counts: every request could be tried until the right one came.
/// Planted faults that this test detects: a run that failed stays the current one; a token of it is answered as if another page had begun a new one,
/// which closes the camera.
#[tokio::test]
async fn a_run_that_failed_is_over_for_every_token_of_it_and_the_camera_stays_open() {
    let too_late = Millis::seconds(13);
    for (lasts, expected) in [(STEP, Hint::NotAsked), (too_late, Hint::TooSlow)] {
        let (harness, _, applicant) = at_the_selfie().await;
        let mut seen = show(&harness, &applicant, None, "straight 0").await.unwrap();
        let mut frames = vec![(0, b"straight 0".to_vec())];
        for number in 1.. {
            if seen.instruction.movement.is_some() {
                break;
            }
            harness.clock.advance(STEP);
            let frame = format!("straight {number}");
            seen = show(&harness, &applicant, Some(&seen.token), &frame).await.unwrap();
            frames.push((number * 300, frame.into_bytes()));
        }
        let wrong = match seen.instruction.movement {
            Some(Challenge::TurnLeft) => "right",
            _ => "left",
        };
        let before = seen.token;
        harness.clock.advance(lasts);
        let failed = show(&harness, &applicant, Some(&before), wrong).await.unwrap();
        assert_eq!(failed.instruction.hint, expected);
        for token in [before, failed.token] {
            let mut token = token;
            for (number, pose) in ["left", "right", "close", "straight"].repeat(6).into_iter().enumerate() {
                let frame = format!("{pose} again {number}");
                let again = show(&harness, &applicant, Some(&token), &frame).await.unwrap();
                assert_eq!(
                    (again.instruction.hint, again.instruction.keep),
                    (Hint::NotAsked, Keep::No)
                );
                assert_eq!((again.instruction.movement, again.instruction.colour), (None, None));
                token = again.token;
                frames.push((60_000, frame.into_bytes()));
                harness.clock.advance(STEP);
            }
            let burst = frames.iter().rev().take(MAX_FRAMES).rev().cloned().collect();
            let sent = send(&harness, &applicant, &token, burst).await;
            assert!(
                matches!(sent, Err(CaptureError::StepRefused(StepRefused::OutOfTurn))),
                "{sent:?}"
            );
        }
        let (run, frames) = obedient(&harness, &applicant).await;
        send(&harness, &applicant, &run, frames).await.unwrap();
        harness.run_until_idle().await;
    }
}

/// Planted fault that this test detects: the token of a run that went well stays worth something once a newer run has failed.
#[tokio::test]
async fn a_run_that_was_done_is_over_once_a_newer_one_has_failed() {
    let (harness, _, applicant) = at_the_selfie().await;
    let (done, frames) = obedient(&harness, &applicant).await;
    let newer = show(&harness, &applicant, None, "straight 0").await.unwrap();
    let other = show(&harness, &applicant, Some(&done), "straight 1").await.unwrap();
    assert_eq!(other.instruction, Instruction::REPLACED);
    let sent = send(&harness, &applicant, &done, frames.clone()).await;
    assert!(matches!(sent, Err(CaptureError::RunOver)), "{sent:?}");
    harness.clock.advance(Millis::seconds(46));
    let failed = show(&harness, &applicant, Some(&newer.token), "straight 2")
        .await
        .unwrap();
    assert_eq!(failed.instruction.hint, Hint::TooSlow);
    let again = show(&harness, &applicant, Some(&done), "straight 3").await.unwrap();
    assert_eq!(again.instruction.hint, Hint::NotAsked, "not done");
    for token in [&done, &again.token] {
        let sent = send(&harness, &applicant, token, frames.clone()).await;
        assert!(
            matches!(sent, Err(CaptureError::StepRefused(StepRefused::OutOfTurn))),
            "{sent:?}"
        );
    }
}

/// Detects if a run can be rewound: whoever has followed it once knows everything that it requests, and could film for it.
#[tokio::test]
async fn no_token_from_before_the_latest_answers_continues_a_run() {
    let (harness, _, applicant) = at_the_selfie().await;
    let first = show(&harness, &applicant, None, "straight first").await.unwrap().token;
    let (mut tokens, mut pose) = (vec![first], "straight");
    let mut steps = Vec::new();
    for number in 0.. {
        harness.clock.advance(STEP);
        let frame = format!("{pose} {number}");
        let seen = show(&harness, &applicant, tokens.last().map(String::as_str), &frame)
            .await
            .unwrap();
        tokens.push(seen.token);
        let next = pose_for(seen.instruction.movement);
        if next != pose || seen.instruction.hint == Hint::Done {
            steps.push(tokens.len() - 1);
        }
        pose = next;
        if seen.instruction.hint == Hint::Done {
            break;
        }
    }
    // The answer before the latest step may be all that the browser has.
    let unanswered = steps[steps.len() - 2];
    for (number, token) in tokens.iter().enumerate() {
        let again = show(&harness, &applicant, Some(token), "straight again").await;
        // Of the latest step, and of the one before whose answer may not have arrived.
        if number < unanswered {
            assert!(
                matches!(again, Err(LiveError::StepRefused(StepRefused::OutOfTurn))),
                "{number}: {again:?}"
            );
        } else {
            again.unwrap();
        }
    }
}

/// Detects if the frame whose answer was lost is the one that the burst must contain: the browser does not know that.
#[tokio::test]
async fn a_run_goes_on_when_every_other_answer_is_lost() {
    let (harness, id, applicant) = at_the_selfie().await;
    let (mut token, mut frames, mut pose) = (None::<String>, Frames::new(), "straight");
    for number in 0..100_u32 {
        harness.clock.advance(STEP);
        if let Some(token) = &token {
            let lost = format!("{pose} {number} lost");
            show(&harness, &applicant, Some(token), &lost).await.unwrap();
            // As long as the browser waits for an answer.
            harness.clock.advance(Millis::seconds(6));
        }
        let frame = format!("{pose} {number}");
        let seen = show(&harness, &applicant, token.as_deref(), &frame).await.unwrap();
        if seen.instruction.keep == Keep::Required {
            frames.push((number * 300, frame.into_bytes()));
        }
        token = Some(seen.token);
        if seen.instruction.hint == Hint::Done {
            break;
        }
        pose = pose_for(seen.instruction.movement);
    }
    send(&harness, &applicant, &token.unwrap(), frames).await.unwrap();
    assert!(asked(&harness, &id).await.live.unwrap().same_frames);
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(harness.detail(&id).await.outcome.unwrap().verdict, Verdict::Approved);
}

/// Detects if a lost answer gives the time of its request again, and again.
#[tokio::test]
async fn a_request_that_is_made_again_takes_no_longer() {
    let (harness, _, applicant) = at_the_selfie().await;
    let (ready, _) = requested(&harness, &applicant).await;
    harness.clock.advance(Millis::seconds(11));
    let again = show(&harness, &applicant, Some(&ready), "straight 2").await.unwrap();
    assert!(again.instruction.movement.is_some());
    harness.clock.advance(Millis::seconds(2));
    let late = show(&harness, &applicant, Some(&again.token), "straight 3")
        .await
        .unwrap();
    assert_eq!(late.instruction.hint, Hint::TooSlow);
}

#[tokio::test]
async fn somebody_whom_only_a_thorough_search_finds_is_told_before_anything_is_asked() {
    let (harness, _, applicant) = at_the_selfie().await;
    let mut token = None::<String>;
    for number in 0..6 {
        let frame = format!("straight {number} and somebody beside");
        let seen = show(&harness, &applicant, token.as_deref(), &frame).await.unwrap();
        assert_eq!(seen.instruction.movement, None);
        assert!(
            [Hint::HoldStill, Hint::SeveralFaces].contains(&seen.instruction.hint),
            "{:?}",
            seen.instruction
        );
        token = Some(seen.token);
        harness.clock.advance(STEP);
    }
    obedient(&harness, &applicant).await;
}

#[tokio::test]
async fn the_burst_of_a_run_that_was_done_long_ago_is_not_taken() {
    let (harness, _, applicant) = at_the_selfie().await;
    let (run, frames) = obedient(&harness, &applicant).await;
    harness.clock.advance(Millis::minutes(61));
    let sent = send(&harness, &applicant, &run, frames).await;
    assert!(matches!(sent, Err(CaptureError::RunOver)), "{sent:?}");
    let (run, frames) = obedient(&harness, &applicant).await;
    send(&harness, &applicant, &run, frames).await.unwrap();
    harness.run_until_idle().await;
}

#[tokio::test]
async fn nobody_before_the_camera_is_told_so_and_nothing_is_asked_of_them() {
    let (harness, _, applicant) = at_the_selfie().await;
    let first = show(&harness, &applicant, None, "nobody 1").await.unwrap();
    assert_eq!(
        (first.instruction.hint, first.instruction.movement),
        (Hint::NoFace, None)
    );
    harness.clock.advance(Millis::seconds(5));
    let later = show(&harness, &applicant, Some(&first.token), "nobody 2")
        .await
        .unwrap();
    assert_eq!(
        (later.instruction.hint, later.instruction.keep),
        (Hint::NoFace, Keep::No)
    );
    harness.run_until_idle().await;
}

/// Begins a run and looks straight until it requests something; returns the token from before that, and the answer.
async fn requested(harness: &Harness, applicant: &Applicant) -> (String, FrameResponse) {
    let mut before = show(harness, applicant, None, "straight 0").await.unwrap().token;
    loop {
        harness.clock.advance(STEP);
        let seen = show(harness, applicant, Some(&before), "straight 1").await.unwrap();
        if seen.instruction.movement.is_some() {
            return (before, seen);
        }
        before = seen.token;
    }
}

#[tokio::test]
async fn the_camera_is_not_started_for_ever() {
    let (harness, _, applicant) = at_the_selfie().await;
    for number in 0..MAX_RUNS {
        // Opened, and closed before anything was asked.
        show(&harness, &applicant, None, &format!("straight {number}"))
            .await
            .unwrap();
        requested(&harness, &applicant).await;
    }
    let over = show(&harness, &applicant, None, "straight 1").await;
    assert!(matches!(over, Err(LiveError::NoRunLeft)), "{over:?}");
    // Files can still be sent.
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    assert_eq!(harness.next(&applicant).await, Next::Submit);
}

/// Detects if a run is counted before its first frame has an answer: a browser gives up on a slow server, and begins again.
#[tokio::test]
async fn a_first_frame_without_an_answer_costs_no_run() {
    let (harness, _, applicant) = at_the_selfie().await;
    for _ in 0..=MAX_RUNS {
        let damaged = show(&harness, &applicant, None, "text").await;
        assert!(matches!(damaged, Err(LiveError::Picture(_))), "{damaged:?}");
    }
    show(&harness, &applicant, None, "straight 1").await.unwrap();
}

/// A tenant that asks for colours at the end of a selfie.
async fn with_colours() -> Harness {
    Harness::with(TenantSettings {
        steps: Step::ALL.to_vec(),
        flashes: true,
        ..TenantSettings::default()
    })
    .await
}

/// Takes a selfie so; returns the verdict, the reasons and the session.
async fn judged(
    harness: &Harness,
    first: LiveFrame<'_>,
    lit: fn(Colour) -> &'static str,
) -> (Verdict, Vec<String>, SessionId) {
    let (id, applicant) = next_applicant(harness).await;
    let (run, frames) = in_light(harness, &applicant, first, lit).await;
    send(harness, &applicant, &run, frames).await.unwrap();
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    let outcome = harness.detail(&id).await.outcome.unwrap();
    let reasons = outcome.reasons.iter().map(ToString::to_string).collect();
    (outcome.verdict, reasons, id)
}

#[tokio::test]
async fn a_tenant_that_asks_for_colours_approves_only_faces_that_follow_them() {
    let harness = with_colours().await;
    let first = LiveFrame::First(Colours::AsSet);
    let (verdict, reasons, _) = judged(&harness, first, |colour| colour.as_str()).await;
    assert_eq!((verdict, reasons), (Verdict::Approved, Vec::new()));
}

/// Detects if the measurements are stored beside the other answers, which are not encrypted, or if the erasure leaves them.
#[tokio::test]
async fn what_the_colours_show_of_a_face_is_stored_encrypted_and_erased() {
    let harness = with_colours().await;
    let first = LiveFrame::First(Colours::AsSet);
    let (.., id) = judged(&harness, first, |colour| colour.as_str()).await;
    let stored = latest(&harness, &id).await;
    assert_eq!(stored.asked.live.unwrap().flashes, None);
    let sealed = stored.flashes.unwrap();
    assert!(!String::from_utf8_lossy(&sealed).contains("frame"));
    harness.wait(Millis::days(91)).await;
    assert!(harness.detail(&id).await.session.purged_at.is_some());
    assert_eq!(latest(&harness, &id).await.flashes, None);
}

#[tokio::test]
async fn a_film_that_does_not_know_the_colours_goes_to_a_person_and_so_does_whoever_wants_none() {
    let harness = with_colours().await;
    let uncertain = [Reason::SelfieLivenessUncertain.as_str()];
    let shown = LiveFrame::First(Colours::AsSet);
    let (verdict, reasons, _) = judged(&harness, shown, |_| "amber light").await;
    assert_eq!(verdict, Verdict::NeedsReview);
    assert_eq!(reasons, uncertain);
    // The frames of these tests are alike in every session of a tenant.
    let harness = with_colours().await;
    let without = LiveFrame::First(Colours::Declined);
    let (verdict, reasons, _) = judged(&harness, without, |_| panic!("no colour is shown")).await;
    assert_eq!(verdict, Verdict::NeedsReview);
    assert_eq!(reasons, uncertain);
}

/// Another applicant of the same tenant, who sends a selfie. The frames of this file's applicants are named by their number, so that some of
/// theirs are equal.
async fn another_selfie(harness: &Harness) -> (SessionId, Applicant) {
    let (id, applicant) = next_applicant(harness).await;
    let (run, frames) = obedient(harness, &applicant).await;
    send(harness, &applicant, &run, frames).await.unwrap();
    (id, applicant)
}

#[tokio::test]
async fn frames_that_another_session_sent_before_are_suspicious() {
    let harness = Harness::new().await;
    let (first, _) = another_selfie(&harness).await;
    assert_eq!(asked(&harness, &first).await.live.unwrap().repeated_frames, 0);
    let (second, applicant) = another_selfie(&harness).await;
    assert!(asked(&harness, &second).await.live.unwrap().repeated_frames > 1);
    is_suspected(&harness, &second, &applicant).await;
}

/// Detects if a film that was injected once, and was not good enough, can be injected again.
#[tokio::test]
async fn frames_of_an_earlier_selfie_of_the_same_session_are_suspicious_too() {
    let (harness, id, applicant) = at_the_selfie().await;
    for repeated in [false, true] {
        let (run, frames) = obedient(&harness, &applicant).await;
        send(&harness, &applicant, &run, frames).await.unwrap();
        harness.run_until_idle().await;
        let live = asked(&harness, &id).await.live.unwrap();
        assert_eq!(live.repeated_frames > 1, repeated);
        if !repeated {
            retake_selfie(&harness.honnin, &applicant).await.unwrap();
        }
    }
    is_suspected(&harness, &id, &applicant).await;
}

/// A planted fault that this detects: `frame_prints::remove` not called by the erasure.
#[tokio::test]
async fn frames_of_an_erased_session_are_forgotten() {
    let harness = Harness::new().await;
    let (_, applicant) = another_selfie(&harness).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    harness.clock.advance(Millis::days(400));
    harness.run_until_idle().await;
    let (later, _) = another_selfie(&harness).await;
    assert_eq!(asked(&harness, &later).await.live.unwrap().repeated_frames, 0);
}
