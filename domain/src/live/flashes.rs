//! The colours that the screen shows at the end of a run, if the tenant has turned them on: a face in front of it reflects them, and a
//! video recorded earlier cannot know them.
//!
//! WCAG 2.3.1 allows three flashes a second. Here a colour stays for at least [`STEP_MS`], so there is less than one, the page fades from
//! one to the next, and none of them is a saturated red.

use super::{FramePrint, Glance, Hint, Keep, LOST_MS, Phase, Run};
use crate::{
    findings::{Colour, Flash, Tint},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

/// A [`Flash`] before the burst is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Shown {
    colour: Colour,
    pub(super) print: FramePrint,
    tint: Option<Tint>,
}

/// Colours in a run: no colour follows itself, so there are 324 sequences of five.
pub const COLOURS: usize = 5;
/// How long a colour stays at least, in milliseconds.
const STEP_MS: i64 = 550;
/// Frames that are kept of each.
pub(super) const FRAMES_EACH: usize = 2;
/// A frame that comes sooner than this after its colour was told was taken before: the answer travels, the screen fades, the camera
/// exposes.
const EARLIEST_MS: i64 = 120;
/// A colour that is not followed by its frames in this time could have been passed on to somebody who edits a film: none of the colours
/// counts then.
const LATEST_MS: i64 = 6_000;

/// A sequence of colours, none twice in a row.
#[must_use]
pub fn drawn(dice: [u8; COLOURS]) -> Vec<Colour> {
    let mut sequence: Vec<Colour> = Vec::with_capacity(COLOURS);
    for die in dice {
        let before = sequence.last().copied();
        let others: Vec<Colour> = Colour::ALL
            .iter()
            .copied()
            .filter(|colour| Some(*colour) != before)
            .collect();
        sequence.push(others[usize::from(die) % others.len()]);
    }
    sequence
}

impl Run {
    /// The run with colours at its end; with none if the user wants none although the tenant does.
    #[must_use]
    pub fn with_colours(self, colours: Vec<Colour>) -> Self {
        Self {
            colours: Some(colours),
            ..self
        }
        .padded()
    }

    /// The colour that the screen should have now.
    pub(super) fn colour(&self) -> Option<Colour> {
        match self.phase {
            Phase::Lit { index, .. } => self.colours.as_ref()?.get(index).copied(),
            _ => None,
        }
    }

    /// Goes on with this colour, or ends the run after the last.
    pub(super) fn shine(&mut self, index: usize, now: Timestamp) -> Hint {
        if self.colours.as_ref().is_some_and(|colours| index < colours.len()) {
            self.phase = Phase::Lit { index, told: now };
            Hint::Colours
        } else {
            self.phase = Phase::Done;
            Hint::Done
        }
    }

    /// Waits for the frames of a colour.
    pub(super) fn watch(&mut self, glance: &Glance, index: usize, told: Timestamp, now: Timestamp) -> (Hint, Keep) {
        let lasted = now.millis_since(told);
        if lasted > LATEST_MS {
            // On a slow network it would be so in every run. The movements were followed, and a person looks at the selfie.
            self.colours = Some(Vec::new());
            // The frames are known to be in colour, and none of the colours counts.
            for shown in &mut self.shown {
                shown.tint = None;
            }
            self.phase = Phase::Done;
            return (Hint::Done, Keep::No);
        }
        if glance.faces > 1 {
            return (Hint::SeveralFaces, Keep::No);
        }
        let (Some(face), Some(colour)) = (glance.face, self.colour()) else {
            let lost = now.millis_since(self.seen_at) > LOST_MS;
            return (if lost { Hint::NoFace } else { Hint::Colours }, Keep::No);
        };
        if face.yaw.abs() > super::ASIDE {
            return (Hint::LookStraight, Keep::No);
        }
        let mut keep = Keep::No;
        if lasted >= EARLIEST_MS && self.shown.len() < (index + 1) * FRAMES_EACH {
            self.shown.push(Shown {
                colour,
                print: glance.print.clone(),
                tint: glance.tint.clone(),
            });
            keep = Keep::Required;
        }
        let enough = self.shown.len() >= (index + 1) * FRAMES_EACH && lasted >= STEP_MS;
        let hint = if enough {
            self.shine(index + 1, now)
        } else {
            Hint::Colours
        };
        (hint, keep)
    }

    /// What the frames showed, each with its position in the burst, if `positions` has them; `None` if no colours were wanted.
    pub(super) fn flashes(&self, positions: &[u32]) -> Option<Vec<Flash>> {
        self.colours.as_ref()?;
        let flash = |(at, shown): (usize, &Shown)| Flash {
            colour: shown.colour,
            frame: positions.get(at).copied(),
            tint: shown.tint.clone(),
        };
        Some(self.shown.iter().enumerate().map(flash).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Challenge;
    use crate::live::tests::{START, empty, face, obedient};
    use std::collections::HashSet;

    fn after(now: Timestamp, millis: i64) -> Timestamp {
        Timestamp::from_millis(now.as_millis() + millis)
    }

    /// A run whose movements are done and whose first colour has just been told, and when.
    fn shining(dice: [u8; COLOURS]) -> (Run, Timestamp) {
        let mut run = Run::begin("run".into(), 1, [0; 4], START).with_colours(drawn(dice));
        let mut now = START;
        for _ in 0..100 {
            let pose = match run.phase {
                Phase::Asked { .. } if run.movements[run.answered_ms.len()] == Challenge::TurnLeft => face(0.6, 0.2),
                Phase::Asked { .. } => face(-0.6, 0.2),
                _ => face(0.0, 0.2),
            };
            if run.see(&pose, now).colour.is_some() {
                return (run, now);
            }
            now = after(now, 300);
        }
        panic!("no colour is told: {run:?}");
    }

    #[test]
    fn every_sequence_is_drawn_no_colour_follows_itself_and_none_is_a_saturated_red() {
        let dice = (0_u32..4 * 3 * 3 * 3 * 3).map(|all| {
            let die = |at: u32| (all / 3_u32.pow(at) % 3) as u8;
            [(all / 81) as u8, die(0), die(1), die(2), die(3)]
        });
        let sequences: HashSet<String> = dice.map(|dice| format!("{:?}", drawn(dice))).collect();
        assert_eq!(sequences.len(), 324);
        for dice in [[0; COLOURS], [255; COLOURS], [1, 2, 3, 4, 5]] {
            assert!(drawn(dice).windows(2).all(|two| two[0] != two[1]));
        }
        for colour in Colour::ALL {
            let light = colour.light();
            let [red, ..] = light;
            assert!(red / light.iter().sum::<f32>() < 0.8, "WCAG 2.3.1: {colour}");
            // The two tables say the same.
            let byte = |at: usize| u8::from_str_radix(&colour.css()[at..at + 2], 16).unwrap();
            for (channel, light) in [1, 3, 5].map(byte).into_iter().zip(light) {
                let value = f32::from(channel) / 255.0;
                let linear = if value <= 0.04045 {
                    value / 12.92
                } else {
                    ((value + 0.055) / 1.055).powf(2.4)
                };
                assert!((linear - light).abs() < 0.01, "{colour}: {linear} {light}");
            }
        }
    }

    #[test]
    fn whoever_looks_on_is_done_after_all_colours_in_their_order() {
        let (mut run, mut now) = shining([3, 1, 2, 0, 1]);
        let told: Vec<Colour> = run.colours.clone().unwrap();
        let (mut seen, mut burst) = (vec![run.colour().unwrap()], run.prints.clone());
        for number in 0..40 {
            now = after(now, 350);
            let frame = Glance {
                print: FramePrint((0..108).map(|cell| (cell * number % 200) as u8).collect()),
                tint: Some(Tint(vec![Some([number as i16, 0])])),
                ..face(0.0, 0.2)
            };
            let looked = run.see(&frame, now);
            if looked.keep == Keep::Required {
                burst.push(frame.print);
            }
            if looked.hint == Hint::Done {
                break;
            }
            assert_eq!(looked.hint, Hint::Colours);
            seen.extend(looked.colour);
        }
        seen.dedup();
        assert_eq!(seen, told);
        assert!(run.is_done());
        let found = run.findings(&burst, &[]);
        let flashes = found.flashes.unwrap();
        assert!(found.same_frames);
        let colours: Vec<Colour> = flashes.iter().map(|flash| flash.colour).collect();
        assert_eq!(
            colours,
            told.iter()
                .flat_map(|colour| [*colour; FRAMES_EACH])
                .collect::<Vec<_>>()
        );
        assert!(
            flashes
                .iter()
                .all(|flash| flash.frame.is_some() && flash.tint.is_some())
        );
        // Nor is it that of this run with the frames of the colours in another order.
        let last = burst.len() - 1;
        burst.swap(last - 1, last);
        assert!(!run.findings(&burst, &[]).same_frames);
        burst.swap(last - 1, last);
        // Or without one of them.
        burst.pop();
        assert!(!run.findings(&burst, &[]).same_frames);
    }

    #[test]
    fn a_frame_that_comes_too_soon_is_of_no_colour_and_one_that_comes_too_late_ends_the_run_without_colours() {
        let (mut run, told) = shining([0; COLOURS]);
        let soon = run.see(&face(0.0, 0.2), after(told, EARLIEST_MS - 1));
        assert_eq!((soon.keep, soon.colour), (Keep::No, run.colour()));
        let lit = Glance {
            tint: Some(Tint(vec![Some([1, 0])])),
            ..face(0.0, 0.2)
        };
        assert_eq!(run.see(&lit, after(told, EARLIEST_MS)).keep, Keep::Required);
        assert!(run.shown.iter().any(|shown| shown.tint.is_some()));
        let late = run.see(&face(0.0, 0.2), after(told, LATEST_MS + 1));
        assert_eq!((late.hint, late.colour, late.keep), (Hint::Done, None, Keep::No));
        assert!(run.is_done() && late.progress >= 1.0);
        // A person looks. The frame of the first colour does not count either, but is not judged as one without colour.
        let shown = run.shown.iter().map(|shown| &shown.print);
        let burst: Vec<FramePrint> = run.prints.iter().chain(shown).cloned().collect();
        let found = run.findings(&burst, &[]);
        assert!(found.same_frames);
        let flashes = found.flashes.unwrap();
        assert_eq!(flashes.len(), 1);
        assert!(
            flashes
                .iter()
                .all(|flash| flash.frame.is_some() && flash.tint.is_none())
        );
    }

    #[test]
    fn a_run_on_a_network_too_slow_for_colours_ends_once_the_movements_were_followed() {
        let (mut run, told) = shining([0; COLOURS]);
        let frames = (1..).map(|frame| after(told, frame * 3_500));
        let hints: Vec<Hint> = frames.take(2).map(|now| run.see(&face(0.0, 0.2), now).hint).collect();
        assert_eq!(hints, [Hint::Colours, Hint::Done]);
        assert!(run.is_done() && !run.has_failed());
    }

    #[test]
    fn a_face_that_looks_away_or_is_gone_is_of_no_colour() {
        let (mut run, told) = shining([0; COLOURS]);
        let now = after(told, 400);
        let both = Glance {
            faces: 2,
            ..face(0.0, 0.2)
        };
        for (glance, hint) in [
            (face(0.25, 0.2), Hint::LookStraight),
            (both, Hint::SeveralFaces),
            (empty(), Hint::Colours),
        ] {
            let looked = run.see(&glance, now);
            assert_eq!((looked.hint, looked.keep), (hint, Keep::No));
        }
    }

    #[test]
    fn a_run_without_colours_ends_with_the_movements_and_says_whether_any_were_wanted() {
        for (mut run, wanted) in [
            (Run::begin("run".into(), 1, [0; 4], START), None),
            (
                Run::begin("run".into(), 1, [0; 4], START).with_colours(Vec::new()),
                Some(0),
            ),
        ] {
            let (hints, burst) = obedient(&mut run, START);
            assert!(run.is_done() && !hints.contains(&Hint::Colours));
            let found = run.findings(&burst, &[]);
            assert!(found.same_frames);
            assert_eq!(found.flashes.map(|flashes| flashes.len()), wanted);
        }
    }

    #[test]
    fn there_is_less_than_one_flash_a_second() {
        // Two changes are a flash.
        const { assert!(1_000 / STEP_MS < 2) };
    }
}
