//! What vision measured in the pictures: numbers and readings with their confidence, never verdicts.
//!
//! `None` means "not assessed". Findings contain personal data (readings, face descriptors) and are stored encrypted only.

mod crop;
mod face;
mod flash;
mod superseded;

pub use crop::FaceCrop;
pub use face::{Face, FaceEngine};
pub use flash::{Colour, Flash, Tint};
pub use superseded::{superseded_items, take_superseded};

use crate::{
    document::{DocumentType, FieldName, JAPAN, OcrField, Side},
    likeness::Likeness,
    named::vocabulary,
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Image quality of one picture, as `lens` judges it on the phone and on the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Sharpness, 0 (smeared) to 1 (every edge crisp).
    pub sharpness: f32,
    /// Share of pixels in clipped highlights, 0 to 1.
    pub glare: f32,
    /// Mean luma, 0 (black) to 1 (white).
    pub exposure: f32,
    /// The 10th and the 90th percentile of the face's luma, 0 to 1: the mean of dark skin is low even in good light. `None` for a document, and
    /// where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub face_range: Option<[f32; 2]>,
    /// Share of the picture filled by the card's outline, 0 to 1; `None` if no outline was found, or if the size no longer matters
    /// because the document was recognised by its text.
    pub coverage: Option<f32>,
    /// Whether the outline touches the edge of the picture.
    pub cut_off: Option<bool>,
    /// Share of the document that is covered, for example by fingers, 0 to 1; `None` where it was not measured.
    #[serde(default)]
    pub obstructed: Option<f32>,
}

vocabulary! {
    /// Formats of the machine-readable zone (ICAO 9303 parts 4 to 7; ISO/IEC 18013 for licences).
    MrzFormat {
        /// Three lines of 30 (9303-5).
        Td1 = "TD1",
        /// Two lines of 36 (9303-6).
        Td2 = "TD2",
        /// Two lines of 44 (9303-4).
        Td3 = "TD3",
        /// Visa, two lines of 44 (9303-7).
        MrvA = "MRV-A",
        /// Visa, two lines of 36 (9303-7).
        MrvB = "MRV-B",
        /// French identity card of 1988 to 2021, two lines of 36: the number, the given names and the birth stand in the second line
        /// (decree 87-178 of 19 March 1987; no format of ICAO).
        France = "FRA",
        /// Driving licence with a chip, one line of 30 (ISO/IEC 18013-3, basic access protection).
        License = "DL",
    }
}

impl MrzFormat {
    /// The positions of a line that hold the name, if it has one.
    #[must_use]
    pub const fn names(self, line: usize) -> Option<Range<usize>> {
        match (self, line) {
            (Self::Td1, 2) => Some(0..30),
            (Self::Td2 | Self::MrvB, 0) => Some(5..36),
            (Self::Td3 | Self::MrvA, 0) => Some(5..44),
            (Self::France, 0) => Some(5..30),
            (Self::France, 1) => Some(13..27),
            // A licence has none (ISO/IEC 18013-3).
            (Self::Td1 | Self::Td2 | Self::France | Self::Td3 | Self::MrvA | Self::MrvB | Self::License, _) => None,
        }
    }
}

/// A machine-readable zone as read.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct MrzReading {
    /// Its format.
    pub format: MrzFormat,
    /// The lines, each of the format's length.
    pub lines: Vec<String>,
    /// Mean log-probability per symbol of the constrained reading, at most 0.
    pub log_probability: f32,
    /// Correct check digits (ICAO 9303-3 section 4.9).
    pub checks_passed: u8,
    /// Check digits the format has.
    pub checks_total: u8,
    /// Whether the unconstrained reading of the same pixels is equal.
    pub agrees_with_free_reading: bool,
    /// Whether a name, or anything else that no check digit covers, may have been misread and is therefore left out.
    #[serde(default)]
    pub names_in_doubt: bool,
}

impl MrzReading {
    /// The names as they stand in the lines, with fillers.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let lines = self.lines.iter().enumerate();
        lines
            .filter_map(|(index, line)| line.get(self.format.names(index)?))
            .collect()
    }

    /// The first eight letters of the surname in the line of a French licence, padded with fillers. Other states put no name there
    /// (ISO/IEC 18013-3 leaves it to them).
    #[must_use]
    pub(crate) fn surname_in_license(&self) -> Option<&str> {
        let line = self.lines.first().filter(|_| self.format == MrzFormat::License)?;
        line.get(21..29).filter(|_| line.get(2..5) == Some("FRA"))
    }
}

impl std::fmt::Debug for MrzReading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "MrzReading({}, {}/{})",
            self.format, self.checks_passed, self.checks_total
        )
    }
}

vocabulary! {
    /// Standards of the machine-readable codes on cards other than the MRZ.
    CodeStandard {
        /// PDF417 of a North American driving licence or identity card (AAMVA DL/ID Card Design Standard).
        Aamva = "aamva",
        /// Visible digital seal (ICAO 9303-13).
        Seal = "seal",
        /// Visible digital seal for non-constrained environments (ICAO VDS-NC).
        SealNc = "seal_nc",
    }
}

vocabulary! {
    /// Result of checking the signature of a code.
    Signature {
        /// The standard has none.
        Absent = "absent",
        /// No certificate of its issuer is installed, or one whose kind of signature cannot be checked.
        NotChecked = "not_checked",
        /// Valid: it is the issuer's.
        Valid = "valid",
        /// Invalid according to the issuer's certificate, which is installed: the content was created or changed by somebody else.
        Invalid = "invalid",
    }
}

/// A barcode or seal as decoded.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct CodeReading {
    /// Its standard.
    pub standard: CodeStandard,
    /// The kind of document named in its header; `None` if it names none.
    pub kind: Option<DocumentType>,
    /// Its issuer: six digits of an AAMVA issuer, or the reference of a seal's certificate.
    pub issuer: Option<String>,
    /// Its items.
    pub fields: Vec<OcrField>,
    /// Result of checking its signature.
    pub signature: Signature,
}

impl std::fmt::Debug for CodeReading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CodeReading({}, {})", self.standard, self.signature)
    }
}

/// Name of the rule that labels are where the layout has them: the only rule that reads no item.
pub const LABELS_IN_PLACE: &str = "labels_in_place";

/// A rule of a layout, applied to what was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleResult {
    /// Its name in the layout's file.
    pub rule: String,
    /// Whether it held; also false if it is required and one of its items was not read.
    pub held: bool,
    /// Whether every genuine document satisfies the rule and the items, read with certainty, do not.
    #[serde(default)]
    pub contradiction: bool,
}

/// The layout that a picture was recognised as, whatever kind of document was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayoutReading {
    /// Name of the layout's file, such as `jp.driving_license`.
    pub layout: String,
    /// The state that issues documents of the layout, ISO 3166-1 alpha-3; `None` where several do, and in findings made before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The kind of document it is.
    pub kind: DocumentType,
    /// Other kinds whose side looks the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<DocumentType>,
    /// The side of that document.
    pub side: Side,
    /// Confidence of the recognition, 0 to 1.
    pub score: f32,
    /// The layout's rules that could be applied, and those that are required.
    pub rules: Vec<RuleResult>,
    /// Share of the layout's items that are not visible, not even as text at their position, 0 to 1.
    #[serde(default)]
    pub hidden: f32,
}

impl LayoutReading {
    /// Whether documents of this kind have this layout.
    #[must_use]
    pub fn is_of(&self, kind: DocumentType) -> bool {
        self.kind == kind || self.also.contains(&kind)
    }

    /// Whose layout it is, by the beginning of its name: that of a state, such as `jp`, or of a model that several states follow.
    #[must_use]
    pub fn family(&self) -> &str {
        self.layout.split_once('.').map_or(&*self.layout, |(family, _)| family)
    }

    /// The state that issues documents of the layout, ISO 3166-1 alpha-3, if only one does. In findings made before it was stored, the layout's
    /// name tells only for Japan.
    #[must_use]
    pub fn issued_by(&self) -> Option<&str> {
        let by_name = || self.layout.starts_with("jp.").then_some(JAPAN);
        self.issuer.as_deref().or_else(by_name)
    }
}

/// Where an item of `fields` is on the picture, and the confidence of its reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldRegion {
    /// The item.
    pub name: FieldName,
    /// Probability that the text is correct, 0 to 1.
    pub confidence: f32,
    /// Corners in pixels of the analysed picture: left top, right top, right bottom, left bottom as the text is read.
    pub corners: [[f32; 2]; 4],
}

/// Days of the form `YYYY-MM-DD`.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PrintedDays(pub Vec<String>);

impl PrintedDays {
    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

// A date of birth is personal data.
impl std::fmt::Debug for PrintedDays {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PrintedDays({})", self.0.len())
    }
}

/// One picture of one side of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DocumentFindings {
    /// The requested side.
    pub side: Side,
    /// Image quality.
    pub quality: Quality,
    /// Machine-readable zone; `None` if none was found.
    pub mrz: Option<MrzReading>,
    /// Other machine-readable codes, as many as were decoded.
    #[serde(default)]
    pub codes: Vec<CodeReading>,
    /// The layout it was recognised as; `None` if unknown.
    #[serde(default)]
    pub layout: Option<LayoutReading>,
    /// Items read, from machine-readable data first, then the visual zone.
    pub fields: Vec<OcrField>,
    /// Items read from the print even though machine-readable data on the same side gives them too.
    #[serde(default)]
    pub printed: Vec<OcrField>,
    /// Days that the print may name, whatever they are days of and whichever order day and month are in: a superset of the days printed. A day
    /// that is known from elsewhere is looked up among them.
    #[serde(default, skip_serializing_if = "PrintedDays::is_empty")]
    pub days_in_print: PrintedDays,
    /// Where the items are, as far as known.
    #[serde(default, rename = "places")]
    pub regions: Vec<FieldRegion>,
    /// Corners of the document in pixels of the analysed picture: left top, right top, right bottom, left bottom in reading
    /// direction.
    #[serde(default)]
    pub outline: Option<[[f32; 2]; 4]>,
    /// Lines of text found in the visual zone; 0 means nothing readable.
    pub text_lines: u32,
    /// Share of comparable items of the machine-readable zone that the visual zone repeats, 0 to 1; `None` if there are fewer than two, or if it
    /// repeats enough of them but none of the names, or not each day.
    pub viz_agreement: Option<f32>,
    /// The portrait, if one was found.
    pub portrait: Option<Face>,
    /// Its details; `None` without one, and in findings made before they were stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub portrait_crop: Option<FaceCrop>,
    /// Descriptor distance between the portrait and a smaller one on the same card that is most like it; `None` if there is none.
    #[serde(default)]
    pub portrait_repeated: Option<f32>,
    /// Share of near-grey pixels, 0 to 1; 1 for a photocopy, whatever surrounds it.
    pub grey_share: Option<f32>,
    /// z-score of the strongest regular raster (screen, print), taken from the weaker of its two crossing directions.
    pub raster_z: Option<f32>,
    /// The same averaged over many places: a raster that is the same all over the document, like that of a printer; `None` in findings made before it
    /// was measured.
    #[serde(default)]
    pub halftone_z: Option<f32>,
    /// The description by which the picture is recognised again; `None` in findings made before it was measured.
    #[serde(default)]
    pub likeness: Option<Likeness>,
    /// Whether it contains the words of a specimen (`SPECIMEN`, `見本`, ..), or its zone names the state of specimens, `UTO`.
    pub specimen_words: bool,
    /// Whether it shows a Japanese individual number, on any card. If so, nothing that was read is kept here.
    #[serde(default, skip_serializing_if = "is_false")]
    pub individual_number: bool,
    /// Missing models; each makes a check impossible.
    pub unavailable: Vec<Unavailable>,
    /// Names and SHA-256 of the models used.
    pub models: Vec<ModelHash>,
    /// Milliseconds spent per stage.
    pub timings: Vec<StageTime>,
}

impl DocumentFindings {
    /// Findings of a picture on which nothing was assessed.
    #[must_use]
    pub fn none(side: Side) -> Self {
        Self {
            side,
            quality: Quality::default(),
            mrz: None,
            codes: Vec::new(),
            layout: None,
            fields: Vec::new(),
            printed: Vec::new(),
            days_in_print: PrintedDays::default(),
            regions: Vec::new(),
            outline: None,
            text_lines: 0,
            viz_agreement: None,
            portrait: None,
            portrait_crop: None,
            portrait_repeated: None,
            grey_share: None,
            raster_z: None,
            halftone_z: None,
            likeness: None,
            specimen_words: false,
            individual_number: false,
            unavailable: Vec::new(),
            models: Vec::new(),
            timings: Vec::new(),
        }
    }
}

/// Takes a reference because serde requires it.
const fn is_false(value: &bool) -> bool {
    !*value
}

vocabulary! {
    /// A requested movement, from the user's own point of view.
    Challenge {
        /// Turn the head to one's own left.
        TurnLeft = "turn_left",
        /// Turn the head to one's own right.
        TurnRight = "turn_right",
        /// Bring the face closer to the camera.
        ComeCloser = "come_closer",
    }
}

impl Challenge {
    /// The sign of the yaw proxy if the head turns as requested; `None` if it is not a turn. Frames are camera pictures,
    /// not mirrored: a head turned to its own left points to the picture's right.
    #[must_use]
    pub const fn direction(self) -> Option<f32> {
        match self {
            Self::TurnLeft => Some(1.0),
            Self::TurnRight => Some(-1.0),
            Self::ComeCloser => None,
        }
    }
}

/// What a selfie was asked to show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The requested movements, in order; empty if the user cannot move.
    pub movements: Vec<Challenge>,
    /// How they were performed in front of the camera, if the server watched.
    pub live: Option<LiveFindings>,
}

vocabulary! {
    /// Whether the frames that the server watched are the files whose hashes came with their small copies.
    Commitment {
        /// All of them are.
        Kept = "kept",
        /// At least one is a different file, which was made or altered afterwards.
        Broken = "broken",
        /// For at least one, no hash arrived: it may have been altered.
        Absent = "absent",
    }
}

/// What the server saw while the camera was on, by its own clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveFindings {
    /// Milliseconds from each request to the frame that followed it, in the order of the movements.
    pub answered_ms: Vec<u32>,
    /// Whether the frames in which the movements were seen are in the burst.
    pub same_frames: bool,
    /// Those frames: for each movement the straight face at its request, and the frame that followed it, in their order. `None` for findings
    /// from before they were recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<Vec<u32>>,
    /// Whether they are the files that the browser committed to while the camera was on. `None` for findings from before it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<Commitment>,
    /// Which run of the camera it was, from 1.
    pub run: u32,
    /// The number of frames of the burst that another session of the tenant, or an earlier selfie of this one, has sent before, plus the
    /// number of watched frames that are equal, or of all frames that show the same, although there was a movement between them. A frame
    /// may count more than once.
    #[serde(default)]
    pub repeated_frames: u32,
    /// How many turns were accepted although the frames arrived too slowly to show how they began.
    #[serde(default)]
    pub unseen_turns: u32,
    /// The frames of the screen's colours; empty if the user wanted none, `None` if the tenant did not ask for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flashes: Option<Vec<Flash>>,
}

/// One requested movement as the burst shows it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Movement {
    /// The movement.
    pub challenge: Challenge,
    /// How far it went. A turn: the yaw proxy in the requested direction, negative if the head turned the other way. Coming closer:
    /// the greatest distance between the eyes over the smallest, in frontal frames.
    pub extent: f32,
    /// Homography residual of the landmarks between the most frontal frame and this turn over the eye distance; small means a
    /// plane.
    pub plane_residual: Option<f32>,
}

/// What a burst of frames says about a living person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredLiveness")]
pub struct LivenessFindings {
    /// The requested movements, in order.
    pub movements: Vec<Movement>,
    /// Yaw proxy of the most frontal frame.
    pub frontal_yaw: f32,
    /// Greatest descriptor distance between frontal enough frames of the burst, or all if only one is frontal.
    pub same_person_distance: Option<f32>,
    /// Greatest descriptor distance between the best frame and those with a turned head.
    pub turned_person_distance: Option<f32>,
    /// Whether the frames are identical or differ only by a shift.
    pub still: bool,
    /// What the server saw while the camera was on; `None` for files that were sent without it.
    pub live: Option<LiveFindings>,
    /// How well the skin followed the screen's colours, a correlation from -1 to 1; `None` if they were not shown or could not be
    /// measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colours_followed: Option<f32>,
}

/// [`LivenessFindings`] as they are stored now, and as they were stored when a burst had one turn and the server did not watch.
#[derive(Deserialize)]
struct StoredLiveness {
    #[serde(default)]
    movements: Vec<Movement>,
    frontal_yaw: f32,
    same_person_distance: Option<f32>,
    turned_person_distance: Option<f32>,
    still: bool,
    live: Option<LiveFindings>,
    colours_followed: Option<f32>,
    challenge: Option<Challenge>,
    turned_yaw: Option<f32>,
    plane_residual: Option<f32>,
}

impl From<StoredLiveness> for LivenessFindings {
    fn from(stored: StoredLiveness) -> Self {
        let earlier = stored
            .challenge
            .zip(stored.turned_yaw)
            .map(|(challenge, extent)| Movement {
                challenge,
                extent,
                plane_residual: stored.plane_residual,
            });
        // Decisions from that time are recomputed with the confidence that they had.
        let unwatched = earlier.map(|_| LiveFindings {
            answered_ms: Vec::new(),
            same_frames: true,
            watched: None,
            commitment: None,
            run: 1,
            repeated_frames: 0,
            unseen_turns: 0,
            flashes: None,
        });
        Self {
            movements: stored.movements.into_iter().chain(earlier).collect(),
            frontal_yaw: stored.frontal_yaw,
            same_person_distance: stored.same_person_distance,
            turned_person_distance: stored.turned_person_distance,
            still: stored.still,
            live: stored.live.or(unwatched),
            colours_followed: stored.colours_followed,
        }
    }
}

/// Signs that a selfie shows something other than an uncovered, living face; `None` if not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfieSigns {
    /// Probability that something covers the eyes, 0 to 1.
    pub eyes_covered: Option<f32>,
    /// Probability that something covers mouth and chin, 0 to 1.
    pub mouth_covered: Option<f32>,
    /// How much the grid of a screen's pixels exceeds the noise in the spectrum around the face: the natural logarithm of a
    /// ratio of amplitudes, about 0 to 4.
    #[serde(default)]
    pub grid: Option<f32>,
    /// Share of the face's surroundings inside a card's outline, 0 to 1: a printed portrait is on a card.
    pub in_card: Option<f32>,
}

impl SelfieSigns {
    /// Everything was looked for, and nothing was seen.
    pub const NOTHING_SEEN: Self = Self {
        eyes_covered: Some(0.0),
        mouth_covered: Some(0.0),
        grid: Some(0.0),
        in_card: Some(0.0),
    };
}

/// Where a face looked in one frame of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Index of the frame among those received.
    pub frame: u32,
    /// Yaw proxy, about the sine of the angle; positive if the head is turned to the user's left.
    pub yaw: f32,
    /// Distance between the eyes, a share of the frame's width.
    pub eye_distance: f32,
}

/// A selfie: one picture or a burst around a challenge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfieFindings {
    /// Quality of the best frame.
    pub quality: Quality,
    /// Frames received.
    pub frames: u32,
    /// Greatest number of faces seen in one frame.
    pub faces: u32,
    /// The face of the best (most frontal, sharpest) frame.
    pub face: Option<Face>,
    /// Its details; `None` without one, and in findings made before they were stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub face_crop: Option<FaceCrop>,
    /// Index of the frame `face` is from.
    pub best_frame: Option<u32>,
    /// The faces of the other frames in which the server saw a face that looks straight, while the camera was on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watched_faces: Vec<Face>,
    /// Where the face looked in each frame that was analysed and shows one, in the order taken.
    #[serde(default)]
    pub poses: Vec<Pose>,
    /// How many of the files another session of the tenant had sent before; 0 for the frames of a run, which [`LiveFindings`] counts.
    #[serde(default)]
    pub repeated_files: u32,
    /// Liveness of the burst; `None` without a challenge or without frames to judge.
    pub liveness: Option<LivenessFindings>,
    /// Signs that it shows something other than an uncovered, living face.
    #[serde(default)]
    pub signs: SelfieSigns,
    /// The result of a passive network; `None` if none is installed or no frame shows a straight face.
    #[serde(default)]
    pub passive: Option<PassiveFindings>,
    /// Missing models.
    pub unavailable: Vec<Unavailable>,
    /// Names and SHA-256 of the models used.
    pub models: Vec<ModelHash>,
    /// Milliseconds spent per stage.
    pub timings: Vec<StageTime>,
}

impl SelfieFindings {
    /// Findings of a selfie on which nothing was assessed.
    #[must_use]
    pub fn none() -> Self {
        Self {
            quality: Quality::default(),
            frames: 0,
            faces: 0,
            face: None,
            face_crop: None,
            best_frame: None,
            watched_faces: Vec::new(),
            poses: Vec::new(),
            repeated_files: 0,
            liveness: None,
            signs: SelfieSigns::default(),
            passive: None,
            unavailable: Vec::new(),
            models: Vec::new(),
            timings: Vec::new(),
        }
    }
}

/// The result of a passive network, which requires no movement, for the frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassiveFindings {
    /// Name on its model card.
    pub model: String,
    /// The lowest probability of a live face among the frames that it analysed, 0 to 1.
    pub score: f32,
    /// The lowest score that needs no human review, from the model card.
    pub limit: f32,
}

vocabulary! {
    /// Models that may be missing; see `check_unavailable`.
    Unavailable {
        /// Text detection or recognition.
        Text = "text",
        /// Face detection, landmarks or recognition.
        Face = "face",
        /// The passive network against presentation attacks, if one is installed.
        Liveness = "liveness",
    }
}

/// A model that was used, identified so that a decision can be recomputed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelHash {
    /// File name.
    pub name: String,
    /// Lowercase hex SHA-256 of the file.
    pub sha256: String,
    /// Its licence, as an SPDX expression where there is one; empty in decisions made before it was recorded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub licence: String,
}

/// Time one stage took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageTime {
    /// Name of the stage.
    pub stage: String,
    /// Milliseconds of wall-clock time.
    pub ms: f32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_findings_have_no_day_and_those_made_before_days_were_kept_can_be_read() {
        let mut findings = DocumentFindings::none(Side::Front);
        let stored = serde_json::to_value(&findings).unwrap();
        assert_eq!(stored.get("days_in_print"), None);
        assert!(serde_json::from_value::<DocumentFindings>(stored).unwrap() == findings);
        findings.days_in_print = PrintedDays(vec!["1974-08-12".to_owned()]);
        let again: DocumentFindings = serde_json::from_value(serde_json::to_value(&findings).unwrap()).unwrap();
        assert!(again == findings);
        assert!(!format!("{findings:?}").contains("1974"));
    }
}
