//! The movements of a selfie while the camera is on: from what each frame shows to what the user should do next.
//!
//! The server looks at a small copy of each frame and decides by its own clock. Frames are camera pictures, not mirrored; lengths
//! are shares of the frame's width, since cameras and screens differ in pixels.

mod flashes;

pub use flashes::{COLOURS, drawn as drawn_colours};

use crate::{
    findings::{Challenge, Colour, Commitment, LiveFindings, Tint},
    quality::{SelfieLimits, face_is_dark, face_is_veiled},
    time::Timestamp,
};
use flashes::Shown;
use serde::{Deserialize, Serialize};

/// What one frame shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Glance {
    /// Faces in it; those far in the background do not count.
    pub faces: u32,
    /// The largest of them.
    pub face: Option<GlanceFace>,
    /// Mean luma of the face, or of the frame without one, 0 (black) to 1 (white).
    pub luma: f32,
    /// The face's [`luma_range`](crate::quality::luma_range); `None` without one.
    pub face_range: Option<[f32; 2]>,
    /// A tiny copy, to recognise the frame in the burst.
    pub print: FramePrint,
    /// The colour of the skin against the background; `None` if either is too dark or too bright to tell.
    pub tint: Option<Tint>,
    /// Probability that something covers the eyes, or mouth and chin, whichever is greater: 0 to 1, on the scale of
    /// [`SelfieSigns`](crate::findings::SelfieSigns). `None` without a face that looks straight.
    pub covered: Option<f32>,
}

/// Where a face is and where it looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlanceFace {
    /// The midpoint between the eyes: shares of the frame's width and height, from the top left.
    pub middle: [f32; 2],
    /// Distance between the eyes, a share of the frame's width.
    pub eye_distance: f32,
    /// Yaw proxy, about the sine of the angle; positive towards the picture's right.
    pub yaw: f32,
}

/// Mean luma of the cells of a frame, row by row: enough to tell one frame of a video from the next, too little to identify anybody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FramePrint(pub Vec<u8>);

impl FramePrint {
    /// Columns of cells.
    pub const COLUMNS: usize = 9;
    /// Rows of cells.
    pub const ROWS: usize = 12;
    /// Largest mean difference of the cells, of 255, at which two copies count as the same frame: scaling and JPEG change less than one.
    const SAME: f32 = 2.5;
    /// Largest difference of a single cell: replacing a face changes a few cells by a lot.
    const SAME_CELL: u8 = 10;
    /// Largest difference between two cells of a frame in which nothing can be seen.
    const BLANK: u8 = 3;

    /// Whether nothing can be seen in the frame, as in the dark or with a covered lens: such frames look alike for everybody.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        let range = self.0.iter().min().zip(self.0.iter().max());
        range.is_none_or(|(least, most)| most - least <= Self::BLANK)
    }

    /// Mean difference of the cells, of 255; `None` if they are not copies of the same frame.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<f32> {
        if self.0.len() != other.0.len() || self.0.is_empty() {
            return None;
        }
        let cells = self.0.iter().zip(&other.0).map(|(a, b)| a.abs_diff(*b));
        let sum: u32 = cells.clone().map(u32::from).sum();
        let mean = sum as f32 / self.0.len() as f32;
        (mean <= Self::SAME && cells.max() <= Some(Self::SAME_CELL)).then_some(mean)
    }
}

/// SHA-256 of a file.
pub type FileHash = [u8; 32];

/// The frames of `burst` of which `watched` are copies, in the same order: of several ways to find them, the one with the smallest
/// differences. `may_be` says of the number of one that was watched whether it can be the frame at that position. `None` if one is missing.
fn find_in_order<'a>(
    watched: impl Iterator<Item = &'a FramePrint>,
    burst: &[FramePrint],
    may_be: impl Fn(usize, usize) -> bool,
) -> Option<Vec<u32>> {
    // The ways to find the copies so far, each with the sum of its differences; none ends with the same frame as another.
    let mut ways: Vec<(f32, Vec<u32>)> = vec![(0.0, Vec::new())];
    for (number, print) in watched.enumerate() {
        let found = (0_u32..).zip(burst).filter_map(|(index, frame)| {
            let is_possible = may_be(number, usize::try_from(index).ok()?);
            let difference = print.difference(frame).filter(|_| is_possible)?;
            let earlier = ways
                .iter()
                .filter(|(_, frames)| frames.last().is_none_or(|last| *last < index));
            let (sum, frames) = earlier.min_by(|a, b| a.0.total_cmp(&b.0))?;
            Some((sum + difference, [frames.as_slice(), &[index]].concat()))
        });
        ways = found.collect();
    }
    ways.into_iter()
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, frames)| frames)
}

crate::named::vocabulary! {
    /// What the user should do now.
    Hint {
        /// No face is in the picture.
        NoFace = "no_face",
        /// More than one face is in the picture.
        SeveralFaces = "several_faces",
        /// The face is too dark.
        TooDark = "too_dark",
        /// The picture is too bright.
        TooBright = "too_bright",
        /// Something covers part of the face.
        FaceCovered = "face_covered",
        /// The face is too far to the user's right.
        MoveLeft = "move_left",
        /// The face is too far to the user's left.
        MoveRight = "move_right",
        /// The face is too high in the picture.
        CameraHigher = "camera_higher",
        /// The face is too low in the picture.
        CameraLower = "camera_lower",
        /// The face is too far away.
        Closer = "closer",
        /// The face is too close.
        Farther = "farther",
        /// Look straight into the camera.
        LookStraight = "look_straight",
        /// Everything is fine: keep still for a moment.
        HoldStill = "hold_still",
        /// Turn the head to one's own left.
        TurnLeft = "turn_left",
        /// Turn the head to one's own right.
        TurnRight = "turn_right",
        /// The head turned to the wrong side.
        OtherSide = "other_side",
        /// The head moves too fast to be seen.
        Slower = "slower",
        /// The head is turned too far.
        NotSoFar = "not_so_far",
        /// Bring the face closer.
        ComeCloser = "come_closer",
        /// Look at the screen, whose colour changes.
        Colours = "colours",
        /// Everything was seen.
        Done = "done",
        /// A movement took too long; another run is needed.
        TooSlow = "too_slow",
        /// Movements were made that nobody asked for; another run is needed.
        NotAsked = "not_asked",
        /// Another page has begun a run, which replaces this one.
        Replaced = "replaced",
    }
}

impl Hint {
    /// Whether the run is over: its burst is complete, or another run is needed.
    #[must_use]
    pub const fn ends_run(self) -> bool {
        matches!(self, Self::Done | Self::TooSlow | Self::NotAsked | Self::Replaced)
    }
}

/// The answer to one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instruction {
    /// What to do.
    pub hint: Hint,
    /// The movement that is requested at the moment.
    pub movement: Option<Challenge>,
    /// The colour that the screen should show.
    pub colour: Option<Colour>,
    /// Progress of the run, 0 to 1.
    pub progress: f32,
    /// Whether this frame belongs in the burst.
    pub keep: Keep,
}

impl Instruction {
    /// The answer to a frame of a run that has failed before.
    pub const FAILED: Self = Self::over(Hint::NotAsked);
    /// The answer to a frame of a run that another one has replaced.
    pub const REPLACED: Self = Self::over(Hint::Replaced);

    const fn over(hint: Hint) -> Self {
        Self {
            hint,
            movement: None,
            colour: None,
            progress: 0.0,
            keep: Keep::No,
        }
    }
}

crate::named::vocabulary! {
    /// Whether a frame belongs in the burst.
    Keep {
        /// It shows nothing that is needed.
        No = "no",
        /// It helps to judge the movement.
        Optional = "optional",
        /// A burst without it does not belong to this run.
        Required = "required",
    }
}

/// Brighter, a face is not visible.
const BRIGHT: f32 = 0.93;
/// Eye distance of a face that is far enough away to come closer, and near enough to be judged; a share of the width.
const SMALLEST: f32 = 0.10;
const LARGEST: f32 = 0.30;
/// Later, a face that has come closer may stay there.
const LARGEST_LATER: f32 = 0.45;
/// How far the midpoint of the eyes may be from that of the oval, shares of width and height.
const AWAY: [f32; 2] = [0.16, 0.16];
/// The middle of the eyes in the oval, shares of width and height.
const MIDDLE: [f32; 2] = [0.5, 0.43];
/// Straight up to this yaw: noise is 0.07 (p95), and few people look exactly into the camera.
const STRAIGHT: f32 = 0.14;
/// A turn has been followed from this yaw on, if it went far enough: noise (0.07, p95) lies between it and what the burst must show.
const TURNED: f32 = 0.32;
/// By how much the yaw must have changed since the request, about 20°. The first frame that goes so far is the one in which the depth of the face is
/// measured, and a smaller turn is too little to tell a head from a picture (`docs/decisions/0030`).
pub const TURNED_BY: f32 = 0.48;
/// A head between straight and this yaw is turning. A still picture, whose measured yaw varies by 0.07, is never seen both here and turned.
const ON_ITS_WAY: f32 = 0.22;
/// A head that is turned further is compared poorly with its own face: it counts once it turns back.
pub const TOO_FAR: f32 = 0.85;
/// From this yaw on a head looks aside: if it is the wrong side, the user is told and turns back.
pub const ASIDE: f32 = 0.20;
/// A head turned this far without a request is not following one: a recording that shows one movement after another would
/// pass any run if it only had to wait.
const NOT_ASKED: f32 = 0.36;
/// Coming closer has been followed from this ratio of eye distances on; the rule asks for 1.18.
const CLOSER: f32 = 1.28;
/// From this ratio on a face leans in, which ends the run at [`CLOSER`] if it was not requested: the user is told and leans back.
/// Two measurements of the same face differ by less than a tenth.
const LEANING: f32 = 1.15;
/// How long the face must stay straight before the first request.
const FIRST_HOLD_MS: i64 = 700;
/// How long the first request waits for a face to be uncovered.
const COVERED_MS: i64 = 8_000;
/// Time limit of a movement, and of getting ready for one.
const MOVEMENT_MS: i64 = 12_000;
const READY_MS: i64 = 45_000;
/// Without a face for this long, a movement is not being made, and a head that is turned afterwards may be another picture.
const LOST_MS: i64 = 1_500;
/// How long a turning head may take until the next frame shows it.
const TURNING_MS: i64 = 4_000;
/// How long the burst may take to arrive once the run is done, however bad the connection. The browser has committed to its files by then.
const DONE_MS: i64 = 3_600_000;

/// Whether a face looks straight ahead, as it must before a run begins.
#[must_use]
pub fn looks_straight(yaw: f32) -> bool {
    yaw.abs() <= STRAIGHT
}

/// Most movements of a run.
const MAX_MOVEMENTS: usize = 3;
/// Quotes and comma of a name in JSON.
const SEPARATOR: usize = 3;
/// The longest names and pauses in the JSON of a run: each hold has at most four digits and a comma, each name at most 32 letters.
const LONGEST_SECRET: usize = (MAX_MOVEMENTS + COLOURS) * (32 + SEPARATOR) + MAX_MOVEMENTS * 5;

/// The longest side of a frame of the burst, in pixels: a face fills most of it, and a burst must fit into memory.
pub const FRAME_SIDE: usize = 1_280;
/// The longest side of its small copy, in pixels: about 12 kB, in which the server's networks still see everything that they look for.
pub const COPY_SIDE: usize = 400;
/// Maximum number of frames in a burst that the run does not require; if there are more, the camera sends the latest.
pub const OPTIONAL_FRAMES: usize = 9;
/// Most frames of a burst: before and after each movement one that was watched, the optional ones, and those of each colour. All of them are
/// analysed: one that is not could show anybody.
pub const MAX_FRAMES: usize = 2 * MAX_MOVEMENTS + OPTIONAL_FRAMES + COLOURS * flashes::FRAMES_EACH;

/// One run of the camera. Serialised into the token that the browser returns with its next frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its id; an attempt's latest run is the only one that counts.
    pub id: String,
    /// The requested movements, in order.
    pub movements: Vec<Challenge>,
    /// How long the face must be straight before each of them, in milliseconds: random, so that nothing can be timed in advance.
    holds: Vec<i64>,
    answered_ms: Vec<u32>,
    phase: Phase,
    /// How many steps it has completed: requests, movements, colours. The server stores it, so that no earlier token can continue the run.
    #[serde(default)]
    step: i64,
    /// When everything was seen.
    #[serde(default)]
    done_at: Option<Timestamp>,
    /// What was seen of the requested turn so far.
    #[serde(default)]
    followed: Followed,
    /// Turns that were accepted although their beginning was not seen.
    #[serde(default)]
    unseen_turns: u32,
    /// Makes the undisclosed part equally long in every token, since encryption does not hide its length.
    #[serde(default)]
    padding: String,
    /// Eye distance at the latest request.
    base: f32,
    /// Where the head looked then.
    #[serde(default)]
    straight: f32,
    /// Which run of the attempt it is, from 1.
    number: u32,
    /// When a face was seen last.
    seen_at: Timestamp,
    /// Where the head looked then.
    #[serde(default)]
    yaw: f32,
    /// Whether there was a frame without a face since.
    #[serde(default)]
    lost: bool,
    /// When the face was first seen to be covered.
    #[serde(default)]
    covered_since: Option<Timestamp>,
    /// Frames that the burst must contain.
    prints: Vec<FramePrint>,
    /// For each of them, including those in colour, the file that the browser committed to.
    #[serde(default)]
    files: Vec<Option<FileHash>>,
    /// The colours at its end; empty if the user wants none, `None` if the tenant does not.
    #[serde(default)]
    colours: Option<Vec<Colour>>,
    /// The frames of those colours.
    #[serde(default)]
    shown: Vec<Shown>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// Waiting for a face that is placed well and looks straight ahead.
    Ready {
        since: Timestamp,
        straight: Option<Timestamp>,
    },
    /// A movement is requested.
    Asked { since: Timestamp },
    /// All movements were followed, and the screen has shown this colour since the server requested it.
    Lit { index: usize, told: Timestamp },
    /// Everything was seen.
    Done,
    /// One took too long.
    TooSlow,
    /// A movement was made that was not requested.
    NotAsked,
}

/// What was seen of a turn, so that a picture which replaces another does not count as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Followed {
    /// All of it.
    #[default]
    Seen,
    /// The head turned while no face was found: it must look straight again first.
    Lost,
    /// Frames arrived too slowly to tell: the turn counts, and a person reviews the selfie.
    Unseen,
}

impl Phase {
    /// Whether both wait for the same thing. A face that holds still for longer changes nothing.
    fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Ready { .. }, Self::Ready { .. }) => true,
            _ => self == other,
        }
    }
}

impl Run {
    /// The run of this number, from 1, that begins now. `dice` decides about the movements and pauses.
    #[must_use]
    pub fn begin(id: String, number: u32, dice: [u8; 4], now: Timestamp) -> Self {
        let movements = drawn(dice[0]);
        let pauses = dice[1..].iter().map(|die| 350 + i64::from(*die) * 3);
        let holds = std::iter::once(FIRST_HOLD_MS)
            .chain(pauses)
            .take(movements.len())
            .collect();
        Self {
            id,
            movements,
            holds,
            answered_ms: Vec::new(),
            phase: Phase::Ready {
                since: now,
                straight: None,
            },
            step: 0,
            done_at: None,
            followed: Followed::Seen,
            unseen_turns: 0,
            padding: String::new(),
            base: 0.0,
            straight: 0.0,
            number,
            seen_at: now,
            yaw: 0.0,
            lost: false,
            covered_since: None,
            prints: Vec::new(),
            files: Vec::new(),
            colours: None,
            shown: Vec::new(),
        }
        .padded()
    }

    /// The run with as much padding as its movements, pauses and colours are shorter than the longest.
    fn padded(self) -> Self {
        let names = self
            .movements
            .iter()
            .map(|movement| movement.as_str().len() + SEPARATOR);
        let holds = self.holds.iter().map(|hold| hold.to_string().len() + 1);
        let colours = self
            .colours
            .iter()
            .flatten()
            .map(|colour| colour.as_str().len() + SEPARATOR);
        let length: usize = names.chain(holds).chain(colours).sum();
        let padding = "-".repeat(LONGEST_SECRET.saturating_sub(length));
        Self { padding, ..self }
    }

    /// Whether it cannot continue: another one must begin.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        matches!(self.phase, Phase::TooSlow | Phase::NotAsked)
    }

    /// Whether every movement was followed, and every colour shown.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// Whether it was done too long ago for its burst to be taken.
    #[must_use]
    pub fn is_too_late(&self, now: Timestamp) -> bool {
        self.done_at.is_some_and(|done| now.millis_since(done) > DONE_MS)
    }

    /// How many steps are behind it: requests that were made, movements and colours that were followed.
    #[must_use]
    pub fn step(&self) -> i64 {
        self.step
    }

    /// How many turns were not seen from their beginning.
    #[must_use]
    pub const fn unseen_turns(&self) -> u32 {
        self.unseen_turns
    }

    /// Notes that at least so many turns were not seen to begin: the step is repeated, and its turn has been seen by now.
    pub fn note_unseen_turns(&mut self, unseen_turns: u32) {
        self.unseen_turns = self.unseen_turns.max(unseen_turns);
    }

    /// Continues after an answer that was lost. How its turn began is not judged again: that is stored.
    pub fn resume(&mut self, now: Timestamp) {
        (self.seen_at, self.lost, self.followed) = (now, false, Followed::Seen);
    }

    /// Sets when the latest step began: an answer is given again, but not the time that it allowed.
    pub fn set_step_began(&mut self, then: Timestamp) {
        match &mut self.phase {
            Phase::Ready { since, .. } | Phase::Asked { since } | Phase::Lit { told: since, .. } => *since = then,
            Phase::Done => self.done_at = Some(then),
            Phase::TooSlow | Phase::NotAsked => {}
        }
    }

    /// Whether its first request has just been made.
    #[must_use]
    pub fn has_just_begun(&self) -> bool {
        self.step == 1 && matches!(self.phase, Phase::Asked { .. })
    }

    /// Records the file that the browser will send for the latest frame, which the burst must contain; `None` if it did not say: pages of earlier
    /// versions do not. What is altered after that is another file.
    pub fn commit(&mut self, file: Option<FileHash>) {
        let before = (self.prints.len() + self.shown.len()).saturating_sub(1);
        // A server of an earlier version has taken none down.
        self.files.resize(before, None);
        self.files.push(file);
    }

    /// What was seen, once it is done. `burst` are the frames that were sent afterwards, `files` the hashes of what was sent.
    #[must_use]
    pub fn findings(&self, burst: &[FramePrint], files: &[FileHash]) -> LiveFindings {
        // The colours come after the movements.
        let prints = || self.prints.iter().chain(self.shown.iter().map(|shown| &shown.print));
        let committed = |number: usize| self.files.get(number).copied().flatten();
        // Of frames that look alike, it is the one with the hash.
        let is_kept = |number: usize, index: usize| {
            let sent = files.get(index).copied();
            committed(number).is_none_or(|file| sent == Some(file))
        };
        let kept = find_in_order(prints(), burst, is_kept);
        let commitment = if kept.is_none() {
            Commitment::Broken
        } else if (0..prints().count()).all(|number| committed(number).is_some()) {
            Commitment::Kept
        } else {
            Commitment::Absent
        };
        let found = kept.or_else(|| find_in_order(prints(), burst, |_, _| true));
        let same_frames = self.is_done() && found.is_some();
        let mut watched = found.unwrap_or_default();
        let lit = watched.split_off(self.prints.len().min(watched.len()));
        LiveFindings {
            answered_ms: self.answered_ms.clone(),
            same_frames,
            watched: Some(watched),
            commitment: Some(commitment),
            run: self.number,
            repeated_frames: self.shown_again(),
            unseen_turns: self.unseen_turns,
            flashes: self.flashes(&lit),
        }
    }

    /// How many of the frames that were watched at requests and movements are equal to another one across a movement. A head that has moved in
    /// between does not return to the same place in the same light: somebody is showing pictures. Neighbours are not compared: a face that has
    /// come closer may stay there until the next request, and a camera that stands still for a second gives one frame twice.
    fn shown_again(&self) -> u32 {
        let prints = || (0_usize..).zip(&self.prints);
        let is_equal = |(number, print): &(usize, &FramePrint)| {
            prints().any(|(other, found)| other.abs_diff(*number) > 1 && found == *print)
        };
        u32::try_from(prints().filter(is_equal).count()).unwrap_or(u32::MAX)
    }

    /// Takes the next frame.
    pub fn see(&mut self, glance: &Glance, now: Timestamp) -> Instruction {
        let (before, phase) = (self.answered_ms.len(), self.phase);
        let (hint, keep) = match self.phase {
            Phase::Ready { since, straight } => self.prepare(glance, since, straight, now),
            Phase::Asked { since } => self.follow(glance, since, now),
            Phase::Lit { index, told } => self.watch(glance, index, told, now),
            Phase::Done => (Hint::Done, Keep::No),
            Phase::TooSlow => (Hint::TooSlow, Keep::No),
            Phase::NotAsked => (Hint::NotAsked, Keep::No),
        };
        match glance.face {
            Some(face) if glance.faces <= 1 => (self.seen_at, self.yaw, self.lost) = (now, face.yaw, false),
            _ => self.lost = true,
        }
        if !self.phase.is_same(phase) {
            self.step += 1;
            self.done_at = self.is_done().then_some(now);
        }
        let asked = matches!(self.phase, Phase::Asked { .. });
        let movement = self.movements.get(self.answered_ms.len()).copied().filter(|_| asked);
        let steps = (self.movements.len() + self.colours.as_ref().map_or(0, Vec::len)).max(1) as f32;
        let done = match self.phase {
            Phase::Done => steps,
            Phase::Lit { index, .. } => (self.answered_ms.len() + index) as f32,
            _ => self.answered_ms.len() as f32,
        };
        let within = if self.answered_ms.len() > before {
            0.0
        } else {
            self.within(glance)
        };
        Instruction {
            hint,
            movement,
            colour: self.colour(),
            progress: ((done + within) / steps).clamp(0.0, 1.0),
            keep,
        }
    }

    /// Waits until the face is where the next movement can begin.
    fn prepare(
        &mut self,
        glance: &Glance,
        since: Timestamp,
        straight: Option<Timestamp>,
        now: Timestamp,
    ) -> (Hint, Keep) {
        if now.millis_since(since) > READY_MS {
            self.phase = Phase::TooSlow;
            return (Hint::TooSlow, Keep::No);
        }
        let first = self.answered_ms.is_empty();
        // Before the first request, people sit down and look around.
        let back_from = self
            .answered_ms
            .len()
            .checked_sub(1)
            .and_then(|last| self.movements.get(last).copied());
        if !first && self.is_mistaken(glance, back_from) {
            return (Hint::NotAsked, Keep::No);
        }
        // A user who is already close cannot come closer, and leaves no background to compare the colours with.
        let far = first || matches!(self.current(), Some(Challenge::ComeCloser) | None);
        let largest = if far { LARGEST } else { LARGEST_LATER };
        // Noise alone moves a head across a limit and back: a head that holds still counts as straight up to a wider limit.
        let aside = if straight.is_some() { ASIDE } else { STRAIGHT };
        let face = match placed(glance, largest, aside) {
            Ok(face) => face,
            Err(hint) => return self.not_ready(since, hint),
        };
        if first && self.is_to_uncover(glance, now) {
            return self.not_ready(since, Hint::FaceCovered);
        }
        if back_from.is_some_and(|last| last != Challenge::ComeCloser) && self.has_neared(face, LEANING) {
            return self.not_ready(since, Hint::Farther);
        }
        let held_since = straight.unwrap_or(now);
        let hold = self.holds.get(self.answered_ms.len()).copied().unwrap_or(FIRST_HOLD_MS);
        if now.millis_since(held_since) < hold {
            self.phase = Phase::Ready {
                since,
                straight: Some(held_since),
            };
            return (Hint::HoldStill, Keep::Optional);
        }
        if self.current().is_none() {
            return (self.shine(0, now), Keep::Optional);
        }
        // What the movement is measured from is straight by the narrower limit.
        if !looks_straight(face.yaw) {
            return (Hint::LookStraight, Keep::Optional);
        }
        (self.base, self.straight) = (face.eye_distance, face.yaw);
        self.prints.push(glance.print.clone());
        self.followed = Followed::Seen;
        self.phase = Phase::Asked { since: now };
        (self.request(), Keep::Required)
    }

    /// Keeps waiting. The face has to be held still again.
    fn not_ready(&mut self, since: Timestamp, hint: Hint) -> (Hint, Keep) {
        self.phase = Phase::Ready { since, straight: None };
        (hint, Keep::No)
    }

    /// Whether the first request waits for the face to be uncovered. It does not wait for long: the finding may be wrong, or the user may be unable
    /// to take the cover off, and the burst is judged in any case.
    fn is_to_uncover(&mut self, glance: &Glance, now: Timestamp) -> bool {
        let limit = SelfieLimits::default().covered;
        let is_covered = glance.covered.is_some_and(|covered| covered > limit) && !face_is_veiled(glance.face_range);
        is_covered && now.millis_since(*self.covered_since.get_or_insert(now)) <= COVERED_MS
    }

    /// Waits for the requested movement.
    fn follow(&mut self, glance: &Glance, since: Timestamp, now: Timestamp) -> (Hint, Keep) {
        if now.millis_since(since) > MOVEMENT_MS {
            self.phase = Phase::TooSlow;
            return (Hint::TooSlow, Keep::No);
        }
        if glance.faces > 1 {
            return (Hint::SeveralFaces, Keep::No);
        }
        let was_lost = self.followed == Followed::Lost;
        self.followed = self.follows(glance, now);
        let Some(face) = glance.face else {
            // A head in motion is blurred: one frame without a face says nothing else.
            let hint = if now.millis_since(self.seen_at) > LOST_MS {
                Hint::NoFace
            } else if looks_straight(self.yaw) {
                self.request()
            } else {
                Hint::Slower
            };
            return (hint, Keep::No);
        };
        if self.followed == Followed::Lost {
            return (if was_lost { Hint::LookStraight } else { Hint::Slower }, Keep::No);
        }
        if self.turned(face.yaw).is_some_and(|yaw| yaw > TOO_FAR) {
            return (Hint::NotSoFar, Keep::No);
        }
        if self.within(glance) >= 1.0 {
            self.unseen_turns += u32::from(self.followed == Followed::Unseen);
            let took = u32::try_from(now.millis_since(since)).unwrap_or(0);
            self.answered_ms.push(took);
            self.prints.push(glance.print.clone());
            if self.answered_ms.len() == self.movements.len() && self.colours.as_ref().is_none_or(Vec::is_empty) {
                self.phase = Phase::Done;
                return (Hint::Done, Keep::Required);
            }
            self.phase = Phase::Ready {
                since: now,
                straight: None,
            };
            return (Hint::LookStraight, Keep::Required);
        }
        if self.is_mistaken(glance, self.current()) {
            return (Hint::NotAsked, Keep::No);
        }
        if self.current() != Some(Challenge::ComeCloser) {
            if self.has_neared(face, LEANING) {
                return (Hint::Farther, Keep::No);
            }
        } else if !looks_straight(face.yaw) {
            return (Hint::LookStraight, Keep::No);
        }
        let wrong = self.turned(face.yaw).is_some_and(|yaw| yaw < -ASIDE);
        (if wrong { Hint::OtherSide } else { self.request() }, Keep::Optional)
    }

    /// What was seen of the requested turn, this frame included. It stays so until the head looks straight again.
    fn follows(&self, glance: &Glance, now: Timestamp) -> Followed {
        let yaw = glance.face.and_then(|face| self.turned(face.yaw));
        let (Some(yaw), Some(before)) = (yaw, self.turned(self.yaw)) else {
            return self.followed;
        };
        let gap = now.millis_since(self.seen_at);
        let was_turning = before > STRAIGHT && gap <= TURNING_MS;
        let is_soon = gap <= LOST_MS;
        if yaw <= STRAIGHT {
            Followed::Seen
        } else if self.followed != Followed::Seen || yaw <= ON_ITS_WAY || was_turning || is_soon && !self.lost {
            self.followed
        } else if is_soon {
            Followed::Lost
        } else {
            Followed::Unseen
        }
    }

    /// Ends the run if a frame shows a movement other than `asked`; whether it does.
    fn is_mistaken(&mut self, glance: &Glance, asked: Option<Challenge>) -> bool {
        let shown = glance.face.and_then(|face| self.shown_by(face));
        let mistaken = shown.is_some() && shown != asked;
        if mistaken {
            self.phase = Phase::NotAsked;
        }
        mistaken
    }

    /// The movement that a frame shows beyond doubt.
    fn shown_by(&self, face: GlanceFace) -> Option<Challenge> {
        let turned = |challenge: &Challenge| {
            let direction = challenge.direction();
            direction.is_some_and(|direction| face.yaw * direction >= NOT_ASKED)
        };
        let turn = [Challenge::TurnLeft, Challenge::TurnRight].into_iter().find(turned);
        turn.or(self.has_neared(face, CLOSER).then_some(Challenge::ComeCloser))
    }

    /// Whether a face is closer than at the latest request by at least this ratio. A turned face looks narrower, but has not moved closer
    /// or away.
    fn has_neared(&self, face: GlanceFace, ratio: f32) -> bool {
        looks_straight(face.yaw) && face.eye_distance >= self.base * ratio
    }

    /// How far a head with this yaw is turned to the requested side; `None` if no turn is requested.
    fn turned(&self, yaw: f32) -> Option<f32> {
        let direction = self.current().and_then(Challenge::direction);
        direction.map(|direction| yaw * direction)
    }

    fn current(&self) -> Option<Challenge> {
        self.movements.get(self.answered_ms.len()).copied()
    }

    fn request(&self) -> Hint {
        match self.current() {
            Some(Challenge::TurnLeft) => Hint::TurnLeft,
            Some(Challenge::TurnRight) => Hint::TurnRight,
            Some(Challenge::ComeCloser) => Hint::ComeCloser,
            None => Hint::Done,
        }
    }

    /// How much of the requested movement is done, 0 to 1.
    fn within(&self, glance: &Glance) -> f32 {
        let (Phase::Asked { .. }, Some(face), Some(asked)) = (self.phase, glance.face, self.current()) else {
            return 0.0;
        };
        let share = match asked.direction() {
            Some(direction) => {
                let by = (face.yaw - self.straight) * direction;
                (face.yaw * direction / TURNED).min(by / TURNED_BY)
            }
            // The burst is measured again, and only straight faces give a distance.
            None if !looks_straight(face.yaw) => 0.0,
            None => (face.eye_distance / self.base.max(1e-3) - 1.0) / (CLOSER - 1.0),
        };
        share.clamp(0.0, 1.0)
    }
}

/// The face, if it is well placed and turned to neither side by more than `aside`; otherwise what to do first.
fn placed(glance: &Glance, largest: f32, aside: f32) -> Result<GlanceFace, Hint> {
    if face_is_dark(glance.luma, glance.face_range) {
        return Err(Hint::TooDark);
    }
    if glance.luma > BRIGHT {
        return Err(Hint::TooBright);
    }
    if glance.faces > 1 {
        return Err(Hint::SeveralFaces);
    }
    let face = glance.face.ok_or(Hint::NoFace)?;
    if face.eye_distance < SMALLEST {
        return Err(Hint::Closer);
    }
    if face.eye_distance > largest {
        return Err(Hint::Farther);
    }
    // Users who cannot see the oval need the direction. The picture is not mirrored: its left is the user's right.
    let beyond = |axis: usize| {
        let off = face.middle[axis] - MIDDLE[axis];
        (off.abs() > AWAY[axis]).then_some(off > 0.0)
    };
    match (beyond(0), beyond(1)) {
        (Some(true), _) => return Err(Hint::MoveRight),
        (Some(false), _) => return Err(Hint::MoveLeft),
        (None, Some(true)) => return Err(Hint::CameraLower),
        (None, Some(false)) => return Err(Hint::CameraHigher),
        (None, None) => {}
    }
    if face.yaw.abs() > aside {
        return Err(Hint::LookStraight);
    }
    Ok(face)
}

const SEQUENCES: usize = 18;

/// Two or three movements, none twice in a row: one of eighteen sequences.
fn drawn(die: u8) -> Vec<Challenge> {
    use Challenge::{ComeCloser, TurnLeft, TurnRight};
    let sequences: [&[Challenge]; SEQUENCES] = [
        &[TurnLeft, TurnRight],
        &[TurnRight, TurnLeft],
        &[TurnLeft, ComeCloser],
        &[TurnRight, ComeCloser],
        &[ComeCloser, TurnLeft],
        &[ComeCloser, TurnRight],
        &[TurnLeft, TurnRight, ComeCloser],
        &[TurnRight, TurnLeft, ComeCloser],
        &[TurnLeft, ComeCloser, TurnRight],
        &[TurnRight, ComeCloser, TurnLeft],
        &[ComeCloser, TurnLeft, TurnRight],
        &[ComeCloser, TurnRight, TurnLeft],
        &[TurnLeft, TurnRight, TurnLeft],
        &[TurnRight, TurnLeft, TurnRight],
        &[TurnLeft, ComeCloser, TurnLeft],
        &[TurnRight, ComeCloser, TurnRight],
        &[ComeCloser, TurnLeft, ComeCloser],
        &[ComeCloser, TurnRight, ComeCloser],
    ];
    sequences[usize::from(die) % sequences.len()].to_vec()
}

#[cfg(test)]
mod tests;
