use super::*;

pub(super) const START: Timestamp = Timestamp::from_millis(1_000_000);
/// Milliseconds between two frames of these tests.
const STEP: i64 = 300;

pub(super) fn face(yaw: f32, eye_distance: f32) -> Glance {
    Glance {
        faces: 1,
        face: Some(GlanceFace {
            middle: MIDDLE,
            eye_distance,
            yaw,
        }),
        luma: 0.5,
        face_range: None,
        print: print((yaw * 100.0) as i32 + (eye_distance * 1000.0) as i32),
        tint: None,
        covered: None,
    }
}

fn print(seed: i32) -> FramePrint {
    let cells = (FramePrint::COLUMNS * FramePrint::ROWS) as i32;
    FramePrint((0..cells).map(|i| ((seed * 37 + i * 11) % 251) as u8).collect())
}

pub(super) fn empty() -> Glance {
    Glance {
        faces: 0,
        face: None,
        ..face(0.0, 0.2)
    }
}

/// A run with the first sequence that begins with this movement.
fn run(first: Challenge) -> Run {
    let die = (0..SEQUENCES as u8).find(|die| drawn(*die)[0] == first).unwrap();
    Run::begin("run".into(), 1, [die, 0, 0, 0], START)
}

/// Does whatever is asked, one frame every [`STEP`], until the run ends; returns the hints.
pub(super) fn obedient(run: &mut Run, mut now: Timestamp) -> (Vec<Hint>, Vec<FramePrint>) {
    let (mut hints, mut burst, mut next) = (Vec::new(), Vec::new(), face(0.0, 0.2));
    for _ in 0..200 {
        let instruction = run.see(&next, now);
        hints.push(instruction.hint);
        if instruction.keep == Keep::Required {
            burst.push(next.print.clone());
        }
        next = match instruction.movement {
            Some(Challenge::TurnLeft) => face(0.6, 0.2),
            Some(Challenge::TurnRight) => face(-0.6, 0.2),
            Some(Challenge::ComeCloser) => face(0.0, 0.28),
            None => face(0.0, 0.2),
        };
        if run.is_done() {
            break;
        }
        now = Timestamp::from_millis(now.as_millis() + STEP);
    }
    (hints, burst)
}

#[test]
fn whoever_does_as_asked_is_done_and_the_burst_holds_what_was_seen() {
    for die in 0..SEQUENCES as u8 {
        let mut run = Run::begin("run".into(), 1, [die, 255, 255, 255], START);
        let (hints, burst) = obedient(&mut run, START);
        assert!(run.is_done(), "{:?}: {hints:?}", run.movements);
        let found = run.findings(&burst, &[]);
        assert_eq!(found.answered_ms, vec![STEP as u32; run.movements.len()]);
        assert!(found.same_frames);
        assert_eq!(found.watched, Some((0..2 * run.movements.len() as u32).collect()));
        // Other frames than those that were watched.
        assert!(!run.findings(&[print(9_999)], &[]).same_frames);
        assert!(!run.findings(&burst[..1], &[]).same_frames);
    }
}

#[test]
fn a_face_whose_measured_turn_wavers_about_the_limit_holds_still_all_the_same() {
    let hints = |yaws: &[f32]| -> Vec<Hint> {
        let mut run = run(Challenge::TurnLeft);
        let frames = yaws.iter().zip(0..);
        let now = |frame: i64| Timestamp::from_millis(START.as_millis() + frame * STEP);
        frames
            .map(|(yaw, frame)| run.see(&face(*yaw, 0.2), now(frame)).hint)
            .collect()
    };
    let [held, ahead, turn] = [Hint::HoldStill, Hint::LookStraight, Hint::TurnLeft];
    assert_eq!(hints(&[0.13, 0.15, 0.16, 0.13]), [held, held, held, turn]);
    // Held long enough, but what the turn is measured from must be straight.
    assert_eq!(hints(&[0.13, 0.15, 0.16, 0.15, 0.13]), [held, held, held, ahead, turn]);
    // A head that is turned aside begins again.
    assert_eq!(hints(&[0.13, 0.21, 0.13, 0.13, 0.13]), [held, ahead, held, held, held]);
}

#[test]
fn nothing_can_be_seen_in_a_frame_of_one_brightness_and_a_lighter_corner_can() {
    let with_corner = |corner: u8| {
        let mut cells = vec![12; FramePrint::COLUMNS * FramePrint::ROWS];
        cells[0] = corner;
        FramePrint(cells)
    };
    assert!([12, 9, 15].map(with_corner).iter().all(FramePrint::is_blank));
    assert!(![8, 16].map(with_corner).iter().any(FramePrint::is_blank));
    assert!(!face(0.0, 0.2).print.is_blank());
}

#[test]
fn every_sequence_has_a_turn_and_nothing_twice_in_a_row() {
    let mut all: Vec<_> = (0..SEQUENCES as u8).map(drawn).collect();
    for movements in &all {
        assert!(movements.iter().any(|movement| movement.direction().is_some()));
        assert!((2..=MAX_MOVEMENTS).contains(&movements.len()));
        assert!(movements.windows(2).all(|two| two[0] != two[1]));
    }
    assert_eq!(all.iter().map(Vec::len).max(), Some(MAX_MOVEMENTS));
    all.sort();
    all.dedup();
    assert_eq!(all.len(), SEQUENCES);
}

#[test]
fn what_keeps_a_face_from_being_judged_is_said_first() {
    let cases: [(Glance, Hint); 9] = [
        (empty(), Hint::NoFace),
        (
            Glance {
                faces: 2,
                ..face(0.0, 0.2)
            },
            Hint::SeveralFaces,
        ),
        (Glance { luma: 0.05, ..empty() }, Hint::TooDark),
        (
            Glance {
                luma: 0.97,
                ..face(0.0, 0.2)
            },
            Hint::TooBright,
        ),
        (face(0.0, 0.06), Hint::Closer),
        (face(0.0, 0.4), Hint::Farther),
        (face(0.3, 0.2), Hint::LookStraight),
        (face(-0.3, 0.2), Hint::LookStraight),
        (
            Glance {
                face: Some(GlanceFace {
                    middle: [0.2, 0.43],
                    eye_distance: 0.2,
                    yaw: 0.0,
                }),
                ..face(0.0, 0.2)
            },
            Hint::MoveLeft,
        ),
    ];
    for (glance, hint) in cases {
        let mut run = run(Challenge::TurnLeft);
        assert_eq!(run.see(&glance, START).hint, hint);
        assert_eq!(
            run.see(&glance, START.plus(crate::time::Millis::seconds(5))).movement,
            None,
            "{hint}"
        );
    }
}

/// Detects if a mask is noticed only once the burst was sent, and if whoever cannot take something off is not let through.
#[test]
fn a_covered_face_is_asked_for_before_the_first_movement_and_for_a_while_only() {
    let covered = Glance {
        covered: Some(0.9),
        ..face(0.0, 0.2)
    };
    let at = |millis| Timestamp::from_millis(START.as_millis() + millis);
    let seen = |run: &mut Run, glance: &Glance, millis| {
        let instruction = run.see(glance, at(millis));
        (instruction.hint, instruction.keep)
    };
    let [told, hold] = [(Hint::FaceCovered, Keep::No), (Hint::HoldStill, Keep::Optional)];

    let mut taken_off = run(Challenge::TurnLeft);
    assert_eq!(seen(&mut taken_off, &covered, 0), told);
    assert_eq!(seen(&mut taken_off, &covered, COVERED_MS), told);
    assert_eq!(seen(&mut taken_off, &face(0.0, 0.2), COVERED_MS), hold);
    let bare = seen(&mut taken_off, &face(0.0, 0.2), COVERED_MS + FIRST_HOLD_MS);
    assert_eq!(bare, (Hint::TurnLeft, Keep::Required));

    let mut kept_on = run(Challenge::TurnLeft);
    assert_eq!(seen(&mut kept_on, &covered, 0), told);
    assert_eq!(seen(&mut kept_on, &covered, COVERED_MS + 1), hold);
    let asked = seen(&mut kept_on, &covered, COVERED_MS + 1 + FIRST_HOLD_MS);
    assert_eq!(asked, (Hint::TurnLeft, Keep::Required));

    for bare in [Some(0.5), Some(f32::NAN), None] {
        let glance = Glance {
            covered: bare,
            ..face(0.0, 0.2)
        };
        assert_eq!(seen(&mut run(Challenge::TurnLeft), &glance, 0), hold, "{bare:?}");
    }
}

/// Detects if somebody before a bright window, without a mask, is asked to take it off.
#[test]
fn a_face_behind_stray_light_is_not_taken_for_covered() {
    let hint = |face_range| {
        let glance = Glance {
            covered: Some(0.9),
            face_range,
            ..face(0.0, 0.2)
        };
        run(Challenge::TurnLeft).see(&glance, START).hint
    };
    // A photograph without and with the veil, and a light face of which much is seen.
    assert_eq!(hint(Some([0.32, 0.69])), Hint::FaceCovered);
    assert_eq!(hint(Some([0.55, 0.77])), Hint::HoldStill);
    assert_eq!(hint(Some([0.55, 0.9])), Hint::FaceCovered);
    assert_eq!(hint(None), Hint::FaceCovered);
}

/// Detects if whoever does not see the oval is told that the face is not in it, and not which way to go.
#[test]
fn a_face_beside_the_oval_is_told_which_way_it_is() {
    let hint = |middle| {
        let mut glance = face(0.0, 0.2);
        glance.face.as_mut().unwrap().middle = middle;
        run(Challenge::TurnLeft).see(&glance, START).hint
    };
    // The left of the picture is at the user's right.
    assert_eq!(hint([0.3, 0.43]), Hint::MoveLeft);
    assert_eq!(hint([0.7, 0.43]), Hint::MoveRight);
    assert_eq!(hint([0.5, 0.2]), Hint::CameraHigher);
    assert_eq!(hint([0.55, 0.7]), Hint::CameraLower);
    assert_eq!(hint([0.8, 0.7]), Hint::MoveRight, "one thing at a time");
    assert_eq!(hint([0.6, 0.5]), Hint::HoldStill);
}

#[test]
fn a_dark_skin_in_good_light_is_not_told_to_find_more() {
    let hint = |face_range| {
        let glance = Glance {
            luma: 0.15,
            face_range,
            ..face(0.0, 0.2)
        };
        run(Challenge::TurnLeft).see(&glance, START).hint
    };
    assert_eq!(hint(Some([0.08, 0.26])), Hint::HoldStill);
    assert_eq!(hint(Some([0.05, 0.18])), Hint::TooDark);
    assert_eq!(hint(None), Hint::TooDark);
}

/// A run that has just asked for its first movement, and when.
fn asked(first: Challenge) -> (Run, Timestamp) {
    let mut run = run(first);
    let mut now = START;
    while run.see(&face(0.0, 0.2), now).movement.is_none() {
        now = Timestamp::from_millis(now.as_millis() + STEP);
    }
    (run, now)
}

#[test]
fn a_turn_to_the_wrong_side_is_said_and_does_not_count() {
    let (mut run, now) = asked(Challenge::TurnLeft);
    let instruction = run.see(&face(-0.3, 0.2), now);
    assert_eq!(
        (instruction.hint, instruction.movement, instruction.progress),
        (Hint::OtherSide, Some(Challenge::TurnLeft), 0.0)
    );
    let instruction = run.see(&face(0.14, 0.2), now);
    assert_eq!(instruction.hint, Hint::TurnLeft);
    assert!(
        instruction.progress > 0.1 && instruction.progress < 0.4,
        "{instruction:?}"
    );
    assert_eq!(run.see(&face(0.55, 0.2), now).keep, Keep::Required);
}

#[test]
fn a_face_that_is_gone_or_joined_by_another_follows_nothing() {
    let (mut run, now) = asked(Challenge::TurnRight);
    // One blurred frame says nothing.
    assert_eq!(run.see(&empty(), now).hint, Hint::TurnRight);
    let later = Timestamp::from_millis(now.as_millis() + LOST_MS + 1);
    assert_eq!(run.see(&empty(), later).hint, Hint::NoFace);
    let both = Glance {
        faces: 2,
        ..face(-0.5, 0.2)
    };
    assert_eq!(run.see(&both, later).hint, Hint::SeveralFaces);
    // Nobody saw how this turn began.
    assert_eq!(run.see(&face(-0.5, 0.2), later).keep, Keep::Required);
    assert_eq!(run.unseen_turns, 1);
}

/// What becomes of a turn to the left whose frames come `every` so many milliseconds and show this: a yaw, or no face.
fn turn(every: i64, frames: &[Option<f32>]) -> &'static str {
    let (mut run, mut now) = asked(Challenge::TurnLeft);
    for yaw in frames {
        now = Timestamp::from_millis(now.as_millis() + every);
        run.see(&yaw.map_or_else(empty, |yaw| face(yaw, 0.2)), now);
        assert!(!run.has_failed());
    }
    match (run.answered_ms.len(), run.unseen_turns) {
        (0, 0) => "not yet",
        (1, 0) => "seen",
        (1, 1) => "for a person",
        other => panic!("{other:?}"),
    }
}

/// Detects if prints of a straight and a turned head pass that are exchanged when the request comes.
#[test]
fn a_turned_head_counts_only_if_it_was_seen_to_turn() {
    let (straight, turned) = (Some(0.0), Some(0.6));
    assert_eq!(turn(300, &[straight, turned]), "seen");
    // Another print, put before the camera while nothing was seen.
    assert_eq!(turn(300, &[straight, None, turned, turned, turned]), "not yet");
    // One whose measured yaw wavers about the limit is not on its way.
    assert_eq!(turn(300, &[straight, None, Some(0.46), Some(0.53)]), "not yet");
    assert_eq!(turn(1_600, &[straight, Some(0.46), Some(0.53)]), "for a person");
    // A head on its way may be blurred.
    assert_eq!(turn(300, &[straight, Some(0.2), None, turned]), "seen");
    // A user who looks straight again may try again.
    assert_eq!(turn(300, &[straight, None, turned, straight, turned]), "seen");
}

#[test]
fn on_a_slow_network_a_turn_is_seen_half_way_or_a_person_looks() {
    let (straight, turned) = (Some(0.0), Some(0.6));
    assert_eq!(turn(1_500, &[straight, turned]), "seen");
    assert_eq!(turn(1_600, &[straight, turned]), "for a person");
    assert_eq!(turn(1_600, &[straight, Some(0.2), turned]), "seen");
    assert_eq!(turn(4_100, &[Some(0.2), turned]), "for a person");
    // From the other side it is not on its way.
    assert_eq!(turn(1_600, &[Some(-0.18), turned]), "for a person");
    assert_eq!(turn(700, &[straight, None, turned]), "not yet");
}

#[test]
fn whoever_was_lost_in_a_turn_is_told_to_go_slower_and_to_look_straight_again() {
    let (mut run, now) = asked(Challenge::TurnLeft);
    let frames = [empty(), face(0.6, 0.2), face(0.6, 0.2), face(0.2, 0.2), face(0.0, 0.2)];
    let instructions = frames.map(|glance| run.see(&glance, now));
    assert_eq!(
        instructions.map(|instruction| instruction.hint),
        [
            Hint::TurnLeft,
            Hint::Slower,
            Hint::LookStraight,
            Hint::LookStraight,
            Hint::TurnLeft
        ]
    );
    assert_eq!(instructions.map(|instruction| instruction.keep)[1..4], [Keep::No; 3]);
}

/// Detects if the frame in which the depth of a slow turn is measured is one of its beginning: there a head is as flat as a picture.
#[test]
fn a_head_that_turns_slowly_is_waited_for_until_it_has_turned_far_enough() {
    let (mut run, now) = asked(Challenge::TurnLeft);
    for yaw in [0.2, 0.33, 0.4, 0.47] {
        let instruction = run.see(&face(yaw, 0.2), now);
        assert_eq!(
            (instruction.hint, instruction.keep),
            (Hint::TurnLeft, Keep::Optional),
            "{yaw}"
        );
    }
    assert_eq!(run.see(&face(0.54, 0.2), now).keep, Keep::Required);
    // Few people look exactly into the camera: how far they have turned is measured from where they looked.
    for (straight, too_little, enough) in [(0.12, 0.56, 0.63), (-0.12, 0.33, 0.4)] {
        let mut run = self::run(Challenge::TurnLeft);
        let mut now = START;
        while run.see(&face(straight, 0.2), now).movement.is_none() {
            now = Timestamp::from_millis(now.as_millis() + STEP);
        }
        assert_eq!(run.see(&face(too_little, 0.2), now).keep, Keep::Optional, "{straight}");
        assert_eq!(run.see(&face(enough, 0.2), now).keep, Keep::Required, "{straight}");
    }
}

#[test]
fn a_head_that_turns_too_far_is_told_so_and_seen_on_its_way_back() {
    let (mut run, now) = asked(Challenge::TurnLeft);
    let instruction = run.see(&face(0.95, 0.2), now);
    assert_eq!((instruction.hint, instruction.keep), (Hint::NotSoFar, Keep::No));
    let instruction = run.see(&face(0.75, 0.2), now);
    assert_eq!((run.answered_ms.len(), instruction.keep), (1, Keep::Required));
    let (mut run, now) = asked(Challenge::TurnLeft);
    assert_eq!(run.see(&face(-0.95, 0.2), now).hint, Hint::NotAsked);
}

/// Detects if the length of an encrypted token tells which movements will be requested.
#[test]
fn runs_that_differ_in_what_they_will_request_are_equally_long() {
    let length = |dice: [u8; 4], colours: Option<[u8; COLOURS]>| {
        let run = Run::begin("run".into(), 1, dice, START);
        let run = match colours {
            Some(dice) => run.with_colours(drawn_colours(dice)),
            None => run,
        };
        serde_json::to_string(&run).unwrap().len()
    };
    let dice = (0..SEQUENCES as u8).flat_map(|die| [0, 40, 255].map(|pause| [die, pause, pause, 255 - pause]));
    let dice: Vec<[u8; 4]> = dice.collect();
    for colours in [None, Some([0; COLOURS])] {
        let lengths: std::collections::BTreeSet<usize> = dice.iter().map(|dice| length(*dice, colours)).collect();
        assert_eq!(lengths.len(), 1, "{lengths:?}");
    }
    let lengths: std::collections::BTreeSet<usize> = (0..64_u8)
        .map(|die| length([0; 4], Some([die, die / 2, die / 4, die / 8, die / 16])))
        .collect();
    assert_eq!(lengths.len(), 1, "{lengths:?}");
}

#[test]
fn each_request_and_each_movement_is_a_step_and_a_face_that_holds_still_is_none() {
    let mut run = run(Challenge::TurnLeft);
    for frame in 0..3 {
        let now = Timestamp::from_millis(START.as_millis() + frame * STEP);
        run.see(&face(0.0, 0.2), now);
        assert_eq!(run.step(), 0);
    }
    let mut run = self::run(Challenge::TurnLeft);
    obedient(&mut run, START);
    assert_eq!(run.step(), 2 * run.movements.len() as i64);
    // What is looked at once more takes no later than before.
    let (mut run, now) = asked(Challenge::TurnLeft);
    assert!(run.has_just_begun());
    run.set_step_began(START);
    let late = Timestamp::from_millis(START.as_millis() + MOVEMENT_MS + 1);
    assert!(late.millis_since(now) < MOVEMENT_MS);
    assert_eq!(run.see(&face(0.4, 0.2), late).hint, Hint::TooSlow);
}

#[test]
fn the_burst_of_a_run_must_not_come_much_later() {
    let mut run = run(Challenge::TurnLeft);
    obedient(&mut run, START);
    let done = run.done_at.unwrap();
    let after = |millis| Timestamp::from_millis(done.as_millis() + millis);
    assert!(!run.is_too_late(after(DONE_MS)));
    assert!(run.is_too_late(after(DONE_MS + 1)));
}

#[test]
fn a_movement_that_comes_too_late_ends_the_run_for_good() {
    let (mut run, now) = asked(Challenge::ComeCloser);
    let late = Timestamp::from_millis(now.as_millis() + MOVEMENT_MS + 1);
    assert_eq!(run.see(&face(0.0, 0.3), late).hint, Hint::TooSlow);
    assert_eq!(run.see(&face(0.0, 0.3), now).hint, Hint::TooSlow);
    assert!(!run.is_done() && !run.findings(&[], &[]).same_frames);
}

#[test]
fn nobody_before_the_camera_ends_the_run_in_time() {
    let mut run = run(Challenge::TurnLeft);
    assert_eq!(run.see(&empty(), START).hint, Hint::NoFace);
    let late = Timestamp::from_millis(START.as_millis() + READY_MS + 1);
    assert_eq!(run.see(&face(0.0, 0.2), late).hint, Hint::TooSlow);
}

#[test]
fn a_copy_of_another_size_and_compression_is_of_the_same_frame() {
    let frame = print(5);
    let copy = FramePrint(frame.0.iter().map(|cell| cell.saturating_add(1)).collect());
    assert!(frame.difference(&copy).is_some());
    assert!(frame.difference(&print(6)).is_none());
    assert!(frame.difference(&FramePrint(Vec::new())).is_none());
    // Much in a few cells is little on average: another face in the same room.
    let mut other = frame.clone();
    other.0[50..60].iter_mut().for_each(|cell| *cell ^= 16);
    assert!(frame.difference(&other).is_none());
}

#[test]
fn whoever_turns_too_fast_to_be_seen_is_told_to_slow_down() {
    let (mut run, now) = asked(Challenge::TurnLeft);
    assert_eq!(run.see(&empty(), now).hint, Hint::TurnLeft, "nobody has moved yet");
    run.see(&face(0.18, 0.2), now);
    assert_eq!(run.see(&empty(), now).hint, Hint::Slower);
    let later = Timestamp::from_millis(now.as_millis() + LOST_MS + 1);
    assert_eq!(run.see(&empty(), later).hint, Hint::NoFace);
}

#[test]
fn a_movement_that_nobody_asked_for_ends_the_run() {
    let (mut run, now) = asked(Challenge::TurnLeft);
    // Towards the wrong side, the user is told in time.
    assert_eq!(run.see(&face(-0.3, 0.2), now).hint, Hint::OtherSide);
    assert_eq!(run.see(&face(-0.5, 0.2), now).hint, Hint::NotAsked);
    assert_eq!(run.see(&face(0.5, 0.2), now).hint, Hint::NotAsked);
    assert!(!run.is_done());
    let (mut run, now) = asked(Challenge::TurnLeft);
    assert_eq!(run.see(&face(0.0, 0.3), now).hint, Hint::NotAsked);
    // After the turn, the head may take its time to come back, but goes nowhere else.
    let (mut run, now) = asked(Challenge::TurnLeft);
    run.see(&face(0.5, 0.2), now);
    assert_eq!(run.see(&face(0.5, 0.2), now).hint, Hint::LookStraight);
    assert_eq!(run.see(&face(-0.5, 0.2), now).hint, Hint::NotAsked);
}

#[test]
fn a_face_that_comes_closer_counts_only_while_it_looks_straight() {
    for yaw in [0.18, -0.3] {
        let (mut run, now) = asked(Challenge::ComeCloser);
        let instruction = run.see(&face(yaw, 0.3), now);
        assert_eq!(
            (instruction.hint, instruction.progress, instruction.keep),
            (Hint::LookStraight, 0.0, Keep::No),
            "{yaw}"
        );
        assert!(run.answered_ms.is_empty());
        assert_eq!(run.see(&face(0.0, 0.3), now).keep, Keep::Required);
        assert_eq!(run.answered_ms.len(), 1);
    }
    // Nobody asked for a turn.
    let (mut run, now) = asked(Challenge::ComeCloser);
    assert_eq!(run.see(&face(0.4, 0.3), now).hint, Hint::NotAsked);
}

#[test]
fn whoever_leans_in_although_nobody_asked_is_told_to_move_back_before_the_run_ends() {
    // While a turn is requested.
    let (mut run, now) = asked(Challenge::TurnLeft);
    let instruction = run.see(&face(0.0, 0.24), now);
    assert_eq!(
        (instruction.hint, instruction.movement, instruction.keep),
        (Hint::Farther, Some(Challenge::TurnLeft), Keep::No)
    );
    assert_eq!(run.see(&face(0.0, 0.22), now).hint, Hint::TurnLeft);
    assert_eq!(run.see(&face(0.6, 0.24), now).keep, Keep::Required);
    // On the way back from it: the next request waits.
    let instruction = run.see(&face(0.0, 0.24), now);
    assert_eq!((instruction.hint, instruction.keep), (Hint::Farther, Keep::No));
    let later = Timestamp::from_millis(now.as_millis() + 5_000);
    assert_eq!(run.see(&face(0.0, 0.24), later).hint, Hint::Farther);
    assert_eq!(run.see(&face(0.0, 0.2), later).hint, Hint::HoldStill);
    assert_eq!(run.see(&face(0.0, 0.26), later).hint, Hint::NotAsked);
    // Who has just been asked to come closer may stay there.
    let (mut run, now) = asked(Challenge::ComeCloser);
    assert_eq!(run.see(&face(0.0, 0.24), now).hint, Hint::ComeCloser);
    run.see(&face(0.0, 0.28), now);
    assert_eq!(run.see(&face(0.0, 0.28), now).hint, Hint::HoldStill);
}

/// A face in a recording that shows these movements one after another, again and again: a second and a half each, with as long
/// a pause in between.
fn recorded(movements: &[Challenge], millis: i64) -> Glance {
    let part = millis.div_euclid(1_500);
    let movement = movements[(part.div_euclid(2) as usize) % movements.len()];
    match movement.direction() {
        _ if part % 2 == 0 => face(0.0, 0.2),
        Some(direction) => face(0.6 * direction, 0.2),
        None => face(0.0, 0.28),
    }
}

/// How many of all runs a recording passes, started at any moment of it.
fn passed(movements: &[Challenge]) -> f64 {
    let (mut done, mut runs) = (0, 0);
    for die in 0..SEQUENCES as u8 {
        for pause in [0, 90, 180, 255] {
            for begin in (0..movements.len() as i64 * 3_000).step_by(500) {
                let mut run = Run::begin("run".into(), 1, [die, pause, pause, pause], START);
                for step in 0..200 {
                    let now = Timestamp::from_millis(START.as_millis() + step * STEP);
                    run.see(&recorded(movements, begin + step * STEP), now);
                }
                runs += 1;
                done += i32::from(run.is_done());
            }
        }
    }
    f64::from(done) / f64::from(runs)
}

/// Planted faults that this test detected: a turn counted by its size, whatever its side; movements that nobody asked for forgiven.
#[test]
fn a_recording_passes_only_if_it_happens_to_show_what_is_asked() {
    use Challenge::{ComeCloser, TurnLeft, TurnRight};
    let recordings: [&[Challenge]; 4] = [
        &[TurnLeft, TurnRight, ComeCloser],
        &[TurnRight, TurnLeft, ComeCloser],
        &[TurnLeft, TurnRight],
        &[TurnLeft, ComeCloser],
    ];
    let shares = recordings.map(passed);
    println!("{shares:.3?}");
    assert!(shares.iter().all(|share| (0.01..=0.15).contains(share)), "{shares:.3?}");
}

/// Does what is asked, and commits itself to a file for each frame; the frames to send, with their hashes.
fn committed(run: &mut Run) -> (Vec<FramePrint>, Vec<FileHash>) {
    let (mut burst, mut files, mut next, mut now) = (Vec::new(), Vec::new(), face(0.0, 0.2), START);
    while !run.is_done() {
        let instruction = run.see(&next, now);
        let file = [burst.len() as u8; 32];
        if instruction.keep == Keep::Required {
            run.commit(Some(file));
        }
        if instruction.keep != Keep::No {
            burst.push(next.print.clone());
            files.push(file);
        }
        next = match instruction.movement {
            Some(Challenge::TurnLeft) => face(0.6, 0.2),
            Some(Challenge::TurnRight) => face(-0.6, 0.2),
            Some(Challenge::ComeCloser) => face(0.0, 0.28),
            None => face(0.0, 0.2),
        };
        now = Timestamp::from_millis(now.as_millis() + STEP);
        assert!(now.millis_since(START) < 60_000 && !run.has_failed());
    }
    (burst, files)
}

/// Detects if whoever has an hour to send the frames can alter them meanwhile.
#[test]
fn the_frames_that_were_watched_must_be_the_files_that_the_browser_committed_itself_to() {
    for die in 0..SEQUENCES as u8 {
        let mut run = Run::begin("run".into(), 1, [die, 200, 200, 200], START);
        let (burst, files) = committed(&mut run);
        let found = run.findings(&burst, &files);
        assert!(found.same_frames);
        assert_eq!(found.commitment, Some(Commitment::Kept));
        // The one that looks the same before or after it is another file: that of the hash was watched.
        let watched: Vec<_> = found.watched.unwrap();
        let named = |frames: &[u32]| -> Vec<_> { frames.iter().map(|frame| files[*frame as usize]).collect() };
        let wanted: Vec<_> = run.files.iter().flatten().copied().collect();
        assert_eq!(named(&watched), wanted);
        for frame in watched {
            let mut altered = files.clone();
            altered[frame as usize] = [255; 32];
            let found = run.findings(&burst, &altered);
            assert!(found.same_frames, "it looks the same");
            assert_eq!(found.commitment, Some(Commitment::Broken));
        }
    }
}

/// Detects if photographs of a head pass that are shown as they are asked for, each as often as need be.
#[test]
fn a_picture_that_is_shown_again_after_a_movement_counts_as_repeated() {
    for die in 0..SEQUENCES as u8 {
        let mut run = Run::begin("run".into(), 1, [die, 0, 0, 0], START);
        // The straight face is the same print at each request.
        let (_, burst) = obedient(&mut run, START);
        let requests = u32::try_from(run.movements.len()).unwrap();
        let repeated = run.findings(&burst, &[]).repeated_frames;
        assert!(repeated >= requests, "{:?}: {repeated}", run.movements);
        // No two frames of a camera are the same.
        run.prints = (0..).map(print).take(run.prints.len()).collect();
        let living = run.prints.clone();
        let found = run.findings(&living, &[]);
        assert!(found.same_frames);
        assert_eq!(found.repeated_frames, 0);
        // A face that has come closer stays there, before a camera that stands still for a second.
        run.prints[2] = run.prints[1].clone();
        let stayed = run.prints.clone();
        assert_eq!(run.findings(&stayed, &[]).repeated_frames, 0);
    }
}

#[test]
fn a_browser_that_names_no_file_is_told_from_one_that_sends_another() {
    let mut run = run(Challenge::TurnLeft);
    let (_, burst) = obedient(&mut run, START);
    let files: Vec<FileHash> = (0..burst.len() as u8).map(|frame| [frame; 32]).collect();
    assert_eq!(run.findings(&burst, &files).commitment, Some(Commitment::Absent));
    // A server of an earlier version has seen the first frames.
    run.files = vec![None; burst.len() - 2];
    run.files.push(Some(files[burst.len() - 2]));
    run.commit(Some(files[burst.len() - 1]));
    assert_eq!(run.findings(&burst, &files).commitment, Some(Commitment::Absent));
    run.files.clear();
    run.commit(Some(files[burst.len() - 1]));
    assert_eq!(run.findings(&burst, &files).commitment, Some(Commitment::Absent));
    assert_eq!(run.findings(&burst, &files[1..]).commitment, Some(Commitment::Broken));
}

#[test]
fn watched_frames_are_found_in_their_order_even_where_others_look_alike() {
    let [straight, left, right, other] = [1, 20, 40, 60].map(print);
    let like = |print: &FramePrint, by: u8| FramePrint(print.0.iter().map(|cell| cell.saturating_add(by)).collect());
    let watched = [straight.clone(), left.clone(), straight.clone(), right.clone()];
    // The first straight frame is most like the second; in its place, it still is a copy.
    let burst = [
        other.clone(),
        like(&straight, 2),
        left.clone(),
        like(&left, 1),
        straight.clone(),
        right.clone(),
    ];
    assert_eq!(
        find_in_order(watched.iter(), &burst, |_, _| true),
        Some(vec![1, 2, 4, 5])
    );
    let swapped = [straight.clone(), right, straight, left];
    assert_eq!(find_in_order(watched.iter(), &swapped, |_, _| true), None);
    assert_eq!(find_in_order(watched.iter(), &[], |_, _| true), None);
}
