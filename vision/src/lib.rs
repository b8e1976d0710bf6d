//! Turns pictures into findings: decodes them within limits, reads text, analyses faces, measures. Synchronous, native only.
//!
//! Findings are measurements with their confidence, never verdicts: `domain::decision` makes those. If a model is missing or
//! altered, the finding says so; no picture and no model makes this crate panic.

mod calendar;
mod card;
mod code;
mod confirm;
mod country;
mod document;
mod drawing;
mod extent;
mod face;
mod face_view;
mod fold;
#[cfg(test)]
mod fuzz;
mod geometry;
mod glance;
mod layout;
mod likeness;
mod liveness;
pub mod model;
mod mrz;
mod nn;
mod observation;
pub mod picture;
mod portrait;
mod projection;
pub mod raster;
mod selfie;
mod signals;
mod statistics;
mod stopwatch;
mod straight;
mod strips;
mod text;
mod zone;

pub use drawing::{Trace, drawn};
pub use face_view::aligned_face;
pub use picture::{Logo, Picture, PictureFault, logo, normalise, normalise_document, normalise_frame};
pub use straight::straightened;
pub use strips::{Sheet, Strip, cut_strips};

use card::{Card, Task, Uncalibrated};
use domain::document::{DocumentType, Side};
use domain::findings::{Asked, DocumentFindings, ModelHash, Quality, SelfieFindings, Unavailable};
use domain::live::{FramePrint, Glance};
use face::{Engine, Faces};
use layout::Layouts;
use liveness::Passive;
use model::ModelError;
use model::lock::Pins;
use std::path::Path;
use text::Reader;

/// The machinery, loaded once and shared by all threads.
pub struct Vision {
    /// The networks that read; also `None` in a process that does not read documents.
    reader: Option<Reader>,
    faces: Option<Faces>,
    passive: OptionalPassive,
    layouts: Option<Layouts>,
    /// The files of the networks that read, if they are there.
    text_models: Vec<ModelHash>,
    face_models: Vec<ModelHash>,
    signers: code::Certificates,
    faults: Vec<ModelError>,
}

/// The passive network against presentation attacks, which no installation needs.
enum OptionalPassive {
    NotInstalled,
    /// It is installed, and one of the faults says why it is not used.
    Unusable,
    Loaded(Passive),
}

impl std::fmt::Debug for Vision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Vision(missing {:?})", self.missing())
    }
}

/// The quality of a picture of a document, without reading it: quick enough to answer an upload.
#[must_use]
pub fn document_quality(picture: &Picture) -> Quality {
    document::quality(&picture.rgb)
}

/// The quality of a selfie's frame, without looking for a face.
#[must_use]
pub fn selfie_quality(picture: &Picture) -> Quality {
    selfie::quality(&picture.rgb)
}

/// The tiny copy by which a frame of a burst is recognised as one that was looked at while the camera was on.
#[must_use]
pub fn frame_print(picture: &Picture) -> FramePrint {
    glance::print(&picture.rgb)
}

/// The message of a picture's PDF417 code, whatever it says: for measuring the reader on codes that are no document's.
#[must_use]
pub fn pdf417(picture: &raster::Raster) -> Option<Vec<u8>> {
    code::message(picture)
}

impl Vision {
    /// Loads what is in `dir` and is the pinned file; the rest is missing and findings say so. Model cards in it add networks of the
    /// operator's. The folder `seals` in it holds the certificates of those whose visible digital seals are to be checked.
    #[must_use]
    pub fn load(dir: &Path) -> Self {
        Self::load_with(dir, Uncalibrated::Refused, Reading::Here)
    }

    /// The same for a process that leaves the examination of documents to others. The networks that read, two thirds of what is in the
    /// folder, are checked and named, but not kept in memory. If a document is examined all the same, the findings say that it was not read.
    #[must_use]
    pub fn load_without_reader(dir: &Path) -> Self {
        Self::load_with(dir, Uncalibrated::Refused, Reading::Elsewhere)
    }

    /// The same, with networks whose model cards have no calibration yet: for measuring it, and nothing else.
    #[must_use]
    pub fn load_uncalibrated(dir: &Path) -> Self {
        Self::load_with(dir, Uncalibrated::Allowed, Reading::Here)
    }

    fn load_with(dir: &Path, uncalibrated: Uncalibrated, reading: Reading) -> Self {
        let mut vision = Self::none();
        if let Err(fault) = vision.fill(dir, uncalibrated, reading) {
            vision.faults.push(fault);
        }
        vision
    }

    const fn none() -> Self {
        Self {
            reader: None,
            faces: None,
            passive: OptionalPassive::NotInstalled,
            layouts: None,
            text_models: Vec::new(),
            face_models: Vec::new(),
            signers: code::Certificates::none(),
            faults: Vec::new(),
        }
    }

    fn fill(&mut self, dir: &Path, uncalibrated: Uncalibrated, reading: Reading) -> Result<(), ModelError> {
        let pins = Pins::built_in()?;
        self.signers = code::Certificates::load(&dir.join("seals"));
        let reader = match reading {
            Reading::Here => Reader::load(&pins, dir).map(Some),
            Reading::Elsewhere => Reader::check(&pins, dir).map(|()| None),
        };
        if let Some(reader) = keep(reader, &mut self.faults) {
            self.reader = reader;
            self.text_models = pins.hashes(&text::FILES);
        }
        self.layouts = keep(Layouts::built_in().map_err(ModelError::from), &mut self.faults);
        self.face_models = pins.hashes(&face::FILES);
        // Faces come last: without readable cards it is not known which network describes them, and none must.
        let mut engine = None;
        for card in Card::all(dir)? {
            match &card.task {
                Task::Face(task) => {
                    engine = Some(Engine::of(&card, task, dir, uncalibrated)?);
                    self.face_models.push(card.hash());
                }
                Task::Liveness(task) => {
                    let network = keep(Passive::of(&card, task, dir, uncalibrated), &mut self.faults);
                    self.passive = network.map_or(OptionalPassive::Unusable, OptionalPassive::Loaded);
                }
            }
        }
        if engine.is_none() {
            self.face_models.extend(pins.hashes(&face::DESCRIPTOR_FILES));
        }
        self.faces = keep(Faces::load(&pins, dir, engine), &mut self.faults);
        Ok(())
    }

    /// The machinery that is not there.
    #[must_use]
    pub fn missing(&self) -> Vec<Unavailable> {
        only_missing([
            (self.text_models.is_empty() || self.layouts.is_none(), Unavailable::Text),
            (self.faces.is_none(), Unavailable::Face),
            (matches!(self.passive, OptionalPassive::Unusable), Unavailable::Liveness),
        ])
    }

    /// What this process lacks to examine a document.
    fn missing_for_documents(&self) -> Vec<Unavailable> {
        only_missing([
            (self.reader.is_none() || self.layouts.is_none(), Unavailable::Text),
            (self.faces.is_none(), Unavailable::Face),
        ])
    }

    /// Whether a passive network against presentation attacks is installed.
    #[must_use]
    pub const fn has_passive_network(&self) -> bool {
        self.passive_network().is_some()
    }

    const fn passive_network(&self) -> Option<&Passive> {
        match &self.passive {
            OptionalPassive::Loaded(network) => Some(network),
            OptionalPassive::NotInstalled | OptionalPassive::Unusable => None,
        }
    }

    /// Why it is missing, for the operator's log.
    #[must_use]
    pub fn faults(&self) -> &[ModelError] {
        &self.faults
    }

    /// Names, hashes and licences of all models in use.
    #[must_use]
    pub fn models(&self) -> Vec<ModelHash> {
        self.text_models.iter().chain(self.selfie_models()).cloned().collect()
    }

    /// Those that judge a selfie.
    fn selfie_models(&self) -> impl Iterator<Item = &ModelHash> {
        let faces = self.faces.iter().flat_map(|_| &self.face_models);
        faces.chain(self.passive_network().map(Passive::model))
    }

    /// Examines one side of a document. `today` tells the century of a two-digit year.
    #[must_use]
    pub fn examine_document(
        &self,
        picture: &Picture,
        kind: DocumentType,
        side: Side,
        today: time::Date,
    ) -> DocumentFindings {
        document::examine(self, &picture.rgb, kind, side, today).0
    }

    /// The same, with the places of all lines and labels: for people who want to see what was recognised.
    #[must_use]
    pub fn trace_document(
        &self,
        picture: &Picture,
        kind: DocumentType,
        side: Side,
        today: time::Date,
    ) -> (DocumentFindings, Trace) {
        document::examine(self, &picture.rgb, kind, side, today)
    }

    /// Examines a selfie: one picture, or a burst around the movements asked for. Frames are camera pictures, not mirrored.
    #[must_use]
    pub fn examine_selfie(&self, frames: &[Picture], asked: &Asked) -> SelfieFindings {
        let frames: Vec<&raster::Raster> = frames.iter().map(|picture| &picture.rgb).collect();
        selfie::examine(self, &frames, asked)
    }

    /// Looks at a frame while the camera is on; `None` if the models of faces are missing or fail.
    #[must_use]
    pub fn glance(&self, picture: &Picture) -> Option<Glance> {
        let looked = glance::glance(self.faces.as_ref()?, &picture.rgb);
        looked.inspect_err(ModelError::log).ok()
    }

    /// Faces in a frame that are not far in the background, counted as in the burst; `None` without the models, or if they fail.
    #[must_use]
    pub fn count_faces(&self, picture: &Picture) -> Option<u32> {
        let found = self.faces.as_ref()?.detector.find(&picture.rgb);
        let found = found.inspect_err(ModelError::log).ok()?;
        Some(selfie::near(&found))
    }
}

/// Which process reads documents.
#[derive(Clone, Copy)]
enum Reading {
    /// This one.
    Here,
    /// Another one.
    Elsewhere,
}

fn only_missing<const N: usize>(machinery: [(bool, Unavailable); N]) -> Vec<Unavailable> {
    let missing = machinery.into_iter().filter(|(is_missing, _)| *is_missing);
    missing.map(|(_, what)| what).collect()
}

/// What was loaded; the fault joins the others.
fn keep<T>(loaded: Result<T, ModelError>, faults: &mut Vec<ModelError>) -> Option<T> {
    loaded.map_err(|fault| faults.push(fault)).ok()
}
