//! Picture analysis: the vision pipeline in production, a script in tests. Synchronous; `cpu_pool` runs it in threads.

use domain::{
    document::{DocumentType, Side},
    findings::{Asked, DocumentFindings, ModelHash, Quality, SelfieFindings},
    live::{FRAME_SIDE, FramePrint, Glance},
};
use sha2::{Digest, Sha256};
use time::Date;
pub use vision::PictureFault;
use vision::{Picture, Vision};

/// What an upload should show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One side of a document.
    Document,
    /// A face.
    Selfie,
    /// The same, taken by the page's camera: no side is longer than [`FRAME_SIDE`].
    Frame,
}

/// An upload that is safe to store.
#[derive(Clone)]
pub struct Normalised {
    /// Upright, of bounded size, without metadata.
    pub jpeg: Vec<u8>,
    /// SHA-256 of the bytes that were uploaded.
    pub sha256: [u8; 32],
    /// Quality as judged by the code that also gives the hints on the phone.
    pub quality: Quality,
    /// By which a frame is recognised as one that was looked at while the camera was on.
    pub print: FramePrint,
}

impl std::fmt::Debug for Normalised {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Normalised({} bytes)", self.jpeg.len())
    }
}

/// Analyses pictures.
pub trait Analyser: Send + Sync + 'static {
    /// Decodes an upload within limits and measures its quality.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn normalise(&self, bytes: &[u8], subject: Subject) -> Result<Normalised, PictureFault>;

    /// Measures one side of a document in a normalised picture.
    ///
    /// # Errors
    /// If the stored picture can no longer be decoded.
    fn document(
        &self,
        jpeg: Vec<u8>,
        kind: DocumentType,
        side: Side,
        today: Date,
    ) -> Result<DocumentFindings, PictureFault>;

    /// The card within `outline` of a normalised picture, cropped and straightened, as JPEG of that size; the picture itself if the
    /// corners are not a card's.
    ///
    /// # Errors
    /// If the stored picture can no longer be decoded.
    fn rectify(&self, jpeg: Vec<u8>, outline: [[f32; 2]; 4], size: Size) -> Result<Vec<u8>, PictureFault>;

    /// A normalised picture as JPEG of that size.
    ///
    /// # Errors
    /// If the stored picture can no longer be decoded.
    fn reduce(&self, jpeg: Vec<u8>, size: Size) -> Result<Vec<u8>, PictureFault>;

    /// Items at these corners of a normalised picture, cut out straight, on the sheet that `vision::Sheet` describes, as JPEG;
    /// `None` without regions.
    ///
    /// # Errors
    /// If the stored picture can no longer be decoded.
    fn strips(&self, jpeg: Vec<u8>, regions: &[[[f32; 2]; 4]]) -> Result<Option<Vec<u8>>, PictureFault>;

    /// The face with these eye centres in a normalised picture, upright and always of the same size, as JPEG; `None` if the eyes
    /// are in one place.
    ///
    /// # Errors
    /// If the stored picture can no longer be decoded.
    fn face(&self, jpeg: Vec<u8>, eyes: [[f32; 2]; 2]) -> Result<Option<Vec<u8>>, PictureFault>;

    /// Looks at a frame while the camera is on; `None` if the models are missing.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn glance(&self, picture: &[u8]) -> Result<Option<Glance>, PictureFault>;

    /// Faces in a frame, counted as thoroughly as in the burst, which takes too long for every frame; `None` if the models are missing.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn count_faces(&self, picture: &[u8]) -> Result<Option<u32>, PictureFault>;

    /// Measures a selfie in its normalised frames.
    ///
    /// # Errors
    /// If a stored picture can no longer be decoded.
    fn selfie(&self, frames: Vec<Vec<u8>>, asked: &Asked) -> Result<SelfieFindings, PictureFault>;

    /// The models in use.
    fn models(&self) -> Vec<ModelHash>;
}

/// How large a picture is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// As it is.
    Full,
    /// For a phone's screen: a third of the bytes, so that nobody waits for their own photo on a slow network.
    Screen,
    /// For lists.
    List,
}

impl Size {
    /// The longest side in pixels; `None` if it stays as it is.
    const fn longest(self) -> Option<usize> {
        match self {
            Self::Full => None,
            Self::Screen => Some(1_000),
            Self::List => Some(240),
        }
    }
}

/// The vision pipeline.
#[derive(Debug)]
pub struct VisionAnalyser(Vision);

impl VisionAnalyser {
    /// Analyses with the available models; findings say which are missing.
    #[must_use]
    pub const fn new(vision: Vision) -> Self {
        Self(vision)
    }
}

fn sized(picture: Picture, size: Size) -> Result<Vec<u8>, PictureFault> {
    match size.longest() {
        None => Ok(picture.jpeg),
        Some(longest) => picture.reduced(longest),
    }
}

impl Analyser for VisionAnalyser {
    fn normalise(&self, bytes: &[u8], subject: Subject) -> Result<Normalised, PictureFault> {
        let picture = match subject {
            Subject::Document => vision::normalise_document(bytes),
            Subject::Selfie => vision::normalise(bytes),
            Subject::Frame => vision::normalise_frame(bytes),
        }?;
        let picture = if subject == Subject::Selfie && picture.rgb.longest() > FRAME_SIDE {
            Picture::from_raster(picture.rgb.shrunk(FRAME_SIDE).into_owned())?
        } else {
            picture
        };
        let quality = match subject {
            Subject::Document => vision::document_quality(&picture),
            Subject::Selfie | Subject::Frame => vision::selfie_quality(&picture),
        };
        Ok(Normalised {
            print: vision::frame_print(&picture),
            jpeg: picture.jpeg,
            sha256: Sha256::digest(bytes).into(),
            quality,
        })
    }

    fn document(
        &self,
        jpeg: Vec<u8>,
        kind: DocumentType,
        side: Side,
        today: Date,
    ) -> Result<DocumentFindings, PictureFault> {
        let picture = Picture::reopen(jpeg)?;
        Ok(self.0.examine_document(&picture, kind, side, today))
    }

    fn rectify(&self, jpeg: Vec<u8>, outline: [[f32; 2]; 4], size: Size) -> Result<Vec<u8>, PictureFault> {
        let picture = Picture::reopen(jpeg)?;
        let card = vision::straightened(&picture, &outline)?;
        sized(card.unwrap_or(picture), size)
    }

    fn reduce(&self, jpeg: Vec<u8>, size: Size) -> Result<Vec<u8>, PictureFault> {
        sized(Picture::reopen(jpeg)?, size)
    }

    fn strips(&self, jpeg: Vec<u8>, regions: &[[[f32; 2]; 4]]) -> Result<Option<Vec<u8>>, PictureFault> {
        let picture = Picture::reopen(jpeg)?;
        Ok(vision::cut_strips(&picture, regions)?.map(|sheet| sheet.jpeg))
    }

    fn face(&self, jpeg: Vec<u8>, eyes: [[f32; 2]; 2]) -> Result<Option<Vec<u8>>, PictureFault> {
        let picture = Picture::reopen(jpeg)?;
        Ok(vision::aligned_face(&picture, eyes)?.map(|face| face.jpeg))
    }

    fn glance(&self, picture: &[u8]) -> Result<Option<Glance>, PictureFault> {
        Ok(self.0.glance(&vision::normalise_frame(picture)?))
    }

    fn count_faces(&self, picture: &[u8]) -> Result<Option<u32>, PictureFault> {
        Ok(self.0.count_faces(&vision::normalise_frame(picture)?))
    }

    fn selfie(&self, frames: Vec<Vec<u8>>, asked: &Asked) -> Result<SelfieFindings, PictureFault> {
        let frames = frames.into_iter().map(Picture::reopen).collect::<Result<Vec<_>, _>>()?;
        Ok(self.0.examine_selfie(&frames, asked))
    }

    fn models(&self) -> Vec<ModelHash> {
        self.0.models()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use vision::raster::Raster;

    #[test]
    fn an_upload_is_known_by_the_bytes_that_were_sent() {
        let analyser = VisionAnalyser::new(Vision::load(Path::new("")));
        let jpeg = Picture::from_raster(Raster::filled(400, 300, [120; 3])).unwrap().jpeg;
        let upload = analyser.normalise(&jpeg, Subject::Selfie).unwrap();
        assert_eq!(upload.sha256, <[u8; 32]>::from(Sha256::digest(&jpeg)));
    }

    #[test]
    fn what_the_camera_sends_is_no_larger_than_it_makes_it_and_a_photo_may_be() {
        let analyser = VisionAnalyser::new(Vision::load(Path::new("")));
        for (width, is_too_large) in [(FRAME_SIDE, false), (FRAME_SIDE + 1, true)] {
            let jpeg = Picture::from_raster(Raster::filled(width, 300, [120; 3])).unwrap().jpeg;
            let fault = is_too_large.then_some(PictureFault::DimensionsTooLarge);
            assert_eq!(analyser.normalise(&jpeg, Subject::Frame).err(), fault, "{width}");
            assert_eq!(analyser.glance(&jpeg).err(), fault, "{width}");
            assert_eq!(analyser.count_faces(&jpeg).err(), fault, "{width}");
            assert!(analyser.normalise(&jpeg, Subject::Selfie).is_ok(), "{width}");
        }
    }
}
