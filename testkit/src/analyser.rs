//! A scripted analyser. A file's bytes are its picture; a file that names a fault has that fault, and one that begins with a
//! word of [`Look`] shows that.

use domain::{
    document::{DocumentType, FieldName, OcrField, Side},
    findings::{
        Asked, Challenge, DocumentFindings, Face, FaceEngine, Flash, LiveFindings, LivenessFindings, ModelHash,
        Movement, MrzFormat, MrzReading, Pose, Quality, SelfieFindings, SelfieSigns,
    },
    live::{FramePrint, Glance, GlanceFace},
};
use service::runtime::analyser::{Analyser, Normalised, PictureFault, Size, Subject};
use sha2::{Digest, Sha256};
use std::sync::{
    Condvar, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use time::Date;

/// A picture without problems.
pub const GOOD: Quality = Quality {
    sharpness: 0.8,
    glare: 0.0,
    exposure: 0.5,
    face_range: None,
    coverage: Some(0.6),
    cut_off: Some(false),
    obstructed: None,
};

/// What a picture shows, whatever else was scripted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A genuine document, or its living holder.
    Genuine,
    /// A document without its portrait, or uncertain liveness: for a person to judge.
    Doubtful,
    /// An expired document; a selfie is only doubtful.
    OutOfDate,
}

impl Look {
    pub const ALL: [Self; 3] = [Self::Genuine, Self::Doubtful, Self::OutOfDate];

    const fn word(self) -> &'static str {
        match self {
            Self::Genuine => "genuine",
            Self::Doubtful => "doubtful",
            Self::OutOfDate => "out of date",
        }
    }

    /// A picture that shows this; each `number` is another file.
    pub fn picture(self, number: u64) -> Vec<u8> {
        format!("{} {number}", self.word()).into_bytes()
    }

    fn of(picture: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|look| picture.starts_with(look.word().as_bytes()))
    }
}

/// The scripted analyser. Without a script it sees a genuine passport and its holder.
#[derive(Default)]
pub struct ScriptedAnalyser {
    quality: Mutex<Option<Quality>>,
    document: Mutex<Option<DocumentFindings>>,
    selfie: Mutex<Option<SelfieFindings>>,
    failures: AtomicUsize,
    looks: AtomicUsize,
    /// The sizes of reduced pictures, in the order in which they were begun.
    reduced: Mutex<Vec<Size>>,
    is_held: Mutex<bool>,
    released: Condvar,
}

impl ScriptedAnalyser {
    /// From now on uploads have this quality.
    pub fn judge(&self, quality: Quality) {
        *self.quality.lock().unwrap() = Some(quality);
    }

    /// From now on documents show this.
    pub fn see_document(&self, findings: DocumentFindings) {
        *self.document.lock().unwrap() = Some(findings);
    }

    /// From now on selfies show this.
    pub fn see_selfie(&self, findings: SelfieFindings) {
        *self.selfie.lock().unwrap() = Some(findings);
    }

    /// The next `times` analyses panic.
    pub fn fail(&self, times: usize) {
        self.failures.store(times, Ordering::SeqCst);
    }

    /// Lets no picture be reduced, or lets all of them.
    pub fn hold_reduced(&self, is_held: bool) {
        *self.is_held.lock().unwrap() = is_held;
        self.released.notify_all();
    }

    /// The sizes of the pictures that were to be reduced, in the order in which that began.
    pub fn reduced(&self) -> Vec<Size> {
        self.reduced.lock().unwrap().clone()
    }

    /// How often a stored picture was analysed.
    pub fn looks(&self) -> usize {
        self.looks.load(Ordering::SeqCst)
    }

    fn look(&self) {
        self.looks.fetch_add(1, Ordering::SeqCst);
        let failing = self
            .failures
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        assert!(failing.is_err(), "told to fail");
    }
}

impl Analyser for ScriptedAnalyser {
    fn normalise(&self, bytes: &[u8], subject: Subject) -> Result<Normalised, PictureFault> {
        match bytes {
            b"text" => Err(PictureFault::NotAPicture),
            b"heic" => Err(PictureFault::Heic),
            b"short" => Err(PictureFault::Truncated),
            large if subject == Subject::Frame && large.starts_with(b"large") => Err(PictureFault::DimensionsTooLarge),
            _ => Ok(Normalised {
                jpeg: bytes.to_vec(),
                sha256: Sha256::digest(bytes).into(),
                quality: self.quality.lock().unwrap().unwrap_or(GOOD),
                print: print(bytes),
            }),
        }
    }

    fn document(
        &self,
        picture: Vec<u8>,
        kind: DocumentType,
        side: Side,
        _: Date,
    ) -> Result<DocumentFindings, PictureFault> {
        self.look();
        let scripted = self.document.lock().unwrap().clone();
        let mut seen = scripted.unwrap_or_else(passport);
        seen.side = side;
        if let Some(look) = Look::of(&picture) {
            seen.fields.retain(|field| field.name != FieldName::ExpiryDate);
            let expiry = match look {
                // Valid whatever the clock is set to.
                Look::Genuine | Look::Doubtful => "2099-12-31",
                Look::OutOfDate => "2020-02-28",
            };
            seen.fields.push(field(FieldName::ExpiryDate, expiry));
            if look == Look::Doubtful {
                seen.portrait = None;
            }
            if !kind.has_mrz() {
                (seen.mrz, seen.viz_agreement) = (None, None);
            }
        }
        Ok(seen)
    }

    fn rectify(&self, picture: Vec<u8>, _: [[f32; 2]; 4], size: Size) -> Result<Vec<u8>, PictureFault> {
        self.look();
        self.reduce([b"straight ".as_slice(), &picture].concat(), size)
    }

    fn reduce(&self, picture: Vec<u8>, size: Size) -> Result<Vec<u8>, PictureFault> {
        self.reduced.lock().unwrap().push(size);
        let is_held = self.is_held.lock().unwrap();
        drop(self.released.wait_while(is_held, |is_held| *is_held).unwrap());
        let size: &[u8] = match size {
            Size::Full => b"",
            Size::Screen => b"smaller ",
            Size::List => b"small ",
        };
        Ok([size, &picture].concat())
    }

    fn strips(&self, picture: Vec<u8>, regions: &[[[f32; 2]; 4]]) -> Result<Option<Vec<u8>>, PictureFault> {
        let sheet = format!("{} strips of ", regions.len());
        Ok((!regions.is_empty()).then(|| [sheet.as_bytes(), &picture].concat()))
    }

    fn face(&self, picture: Vec<u8>, _: [[f32; 2]; 2]) -> Result<Option<Vec<u8>>, PictureFault> {
        Ok(Some([b"face of ".as_slice(), &picture].concat()))
    }

    fn glance(&self, picture: &[u8]) -> Result<Option<Glance>, PictureFault> {
        if picture == b"text" {
            return Err(PictureFault::NotAPicture);
        }
        Ok(Some(pose(picture)))
    }

    fn count_faces(&self, picture: &[u8]) -> Result<Option<u32>, PictureFault> {
        let beside = picture.windows(BESIDE.len()).any(|part| part == BESIDE);
        Ok(Some(1 + u32::from(beside)))
    }

    /// The findings are those of the script, whatever the server saw before.
    fn selfie(&self, frames: Vec<Vec<u8>>, asked: &Asked) -> Result<SelfieFindings, PictureFault> {
        self.look();
        let scripted = self.selfie.lock().unwrap().clone();
        let mut seen = scripted.unwrap_or_else(holder);
        seen.frames = u32::try_from(frames.len()).unwrap();
        match &mut seen.liveness {
            _ if Look::of(&frames[0]).is_some_and(|look| look != Look::Genuine) => seen.liveness = None,
            Some(liveness) if !asked.movements.is_empty() => {
                let extent = liveness.movements[0].extent;
                let all = asked.movements.iter().map(|challenge| Movement {
                    challenge: *challenge,
                    extent,
                    ..MOVEMENT
                });
                liveness.movements = all.collect();
            }
            _ => seen.liveness = None,
        }
        seen.poses = poses(&frames);
        if let (Some(liveness), Some(live)) = (&mut seen.liveness, &asked.live) {
            liveness.live = Some(live.clone());
            liveness.colours_followed = live
                .flashes
                .as_ref()
                .and_then(|flashes| colours_followed(&frames, flashes));
        }
        Ok(seen)
    }

    fn models(&self) -> Vec<ModelHash> {
        vec![ModelHash {
            name: "script.onnx".to_owned(),
            sha256: "00".repeat(32),
            licence: "MIT".to_owned(),
        }]
    }
}

/// Another print for every file; nothing can be seen in one that begins with `black`.
fn print(bytes: &[u8]) -> FramePrint {
    if bytes.starts_with(b"black") {
        return FramePrint(vec![0; FramePrint::COLUMNS * FramePrint::ROWS]);
    }
    FramePrint(Sha256::digest(bytes).to_vec())
}

/// Where the faces of a burst look, by the names of its frames.
fn poses(frames: &[Vec<u8>]) -> Vec<Pose> {
    let faces = (0..)
        .zip(frames)
        .filter_map(|(frame, picture)| Some((frame, pose(picture).face?)));
    faces
        .map(|(frame, face)| Pose {
            frame,
            yaw: face.yaw,
            eye_distance: face.eye_distance,
        })
        .collect()
}

/// The words of a frame that shows somebody else as well, whom only a thorough search finds.
const BESIDE: &[u8] = b"and somebody beside";

/// What a frame shows that names a pose: `left`, `right`, `close`, `nobody`; else a face that looks straight ahead.
fn pose(picture: &[u8]) -> Glance {
    let word = String::from_utf8_lossy(picture);
    let face = |yaw, eye_distance| GlanceFace {
        middle: [0.5, 0.43],
        eye_distance,
        yaw,
    };
    let face = match word.split(' ').next().unwrap_or_default() {
        "nobody" => None,
        "left" => Some(face(0.6, 0.2)),
        "right" => Some(face(-0.6, 0.2)),
        "close" => Some(face(0.0, 0.28)),
        _ => Some(face(0.0, 0.2)),
    };
    Glance {
        faces: u32::from(face.is_some()),
        face,
        luma: 0.5,
        face_range: None,
        print: print(picture),
        tint: None,
        covered: None,
    }
}

/// A frame that ends in the name of the screen's colour shows a face in that light: the share of such frames. `None` without frames.
fn colours_followed(frames: &[Vec<u8>], flashes: &[Flash]) -> Option<f32> {
    let follows = |flash: &&Flash| {
        let frame = flash.frame.and_then(|frame| frames.get(usize::try_from(frame).ok()?));
        frame.is_some_and(|frame| String::from_utf8_lossy(frame).ends_with(flash.colour.as_str()))
    };
    let count = flashes.iter().filter(follows).count();
    (!flashes.is_empty()).then(|| count as f32 / flashes.len() as f32)
}

fn field(name: FieldName, text: &str) -> OcrField {
    OcrField {
        side: Side::Front,
        name,
        text: Some(text.into()),
        normalized: Some(text.into()),
    }
}

/// A genuine passport of Hanako Tanaka.
pub fn passport() -> DocumentFindings {
    DocumentFindings {
        quality: GOOD,
        mrz: Some(MrzReading {
            format: MrzFormat::Td3,
            lines: vec!["P<JPNTANAKA<<HANAKO<<<<<<<<<<<<<<<<<<<<<<<<<".into(), "x".repeat(44)],
            log_probability: -0.01,
            checks_passed: 5,
            checks_total: 5,
            agrees_with_free_reading: true,
            names_in_doubt: false,
        }),
        fields: vec![
            field(FieldName::LastName, "TANAKA"),
            field(FieldName::FirstName, "HANAKO"),
            field(FieldName::BirthDate, "1990-02-28"),
            field(FieldName::ExpiryDate, "2031-02-28"),
            field(FieldName::IssuingCountry, "JPN"),
        ],
        text_lines: 12,
        viz_agreement: Some(1.0),
        portrait: Some(face()),
        grey_share: Some(0.3),
        raster_z: Some(5.0),
        halftone_z: Some(4.0),
        ..DocumentFindings::none(Side::Front)
    }
}

/// A face that is always the same.
pub fn face() -> Face {
    Face {
        bounds: [10.0, 10.0, 90.0, 90.0],
        eye_distance: 40.0,
        eyes: [[30.0, 40.0], [70.0, 40.0]],
        score: 0.9,
        descriptor: vec![0.1; 128],
        engine: FaceEngine::default(),
    }
}

/// A movement that was followed, whichever it is.
const MOVEMENT: Movement = Movement {
    challenge: Challenge::TurnLeft,
    extent: 1.5,
    plane_residual: Some(0.2),
};

/// The passport's holder, alive.
pub fn holder() -> SelfieFindings {
    SelfieFindings {
        quality: GOOD,
        frames: 2,
        faces: 1,
        face: Some(face()),
        best_frame: Some(0),
        liveness: Some(LivenessFindings {
            movements: vec![MOVEMENT],
            frontal_yaw: 0.0,
            same_person_distance: Some(0.2),
            turned_person_distance: Some(0.4),
            still: false,
            live: Some(LiveFindings {
                answered_ms: vec![1_000],
                same_frames: true,
                watched: None,
                commitment: None,
                run: 1,
                repeated_frames: 0,
                unseen_turns: 0,
                flashes: None,
            }),
            colours_followed: None,
        }),
        signs: SelfieSigns::NOTHING_SEEN,
        ..SelfieFindings::none()
    }
}
