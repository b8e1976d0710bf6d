//! Model cards: networks that an operator adds to the models folder, each with a TOML file beside it (`NAME.card.toml`) that says what the network
//! is, which input it expects, and how it was calibrated.

#[cfg(test)]
mod fuzz;
mod pictures;

pub(crate) use pictures::OnPictures;

use crate::model::ModelError;
use domain::{calibration::Logistic, findings::ModelHash};
use serde::{Deserialize, de::IgnoredAny};
use sha2::{Digest as _, Sha256};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Whether a network is used before it is calibrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Uncalibrated {
    /// It is not.
    Refused,
    /// It is, since its calibration is being measured.
    Allowed,
}

/// What a card says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "File")]
pub(crate) struct Card {
    /// Letters, digits, `-`, `_` and `.`.
    pub(crate) name: String,
    /// The ONNX file, beside the card.
    pub(crate) file: String,
    /// Its SHA-256 in lowercase hex.
    pub(crate) sha256: String,
    /// The licence of the weights.
    pub(crate) licence: String,
    pub(crate) input: Input,
    pub(crate) task: Task,
}

/// A card as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    file: String,
    sha256: String,
    licence: String,
    /// Where it comes from, for people.
    #[serde(default, rename = "source")]
    _source: IgnoredAny,
    input: Input,
    face: Option<FaceTask>,
    liveness: Option<LivenessTask>,
}

impl TryFrom<File> for Card {
    type Error = &'static str;

    fn try_from(file: File) -> Result<Self, Self::Error> {
        let task = match (file.face, file.liveness) {
            (Some(face), None) => Task::Face(face),
            (None, Some(liveness)) => Task::Liveness(liveness),
            _ => return Err("one of [face] and [liveness] is needed"),
        };
        Ok(Self {
            name: file.name,
            file: file.file,
            sha256: file.sha256.to_ascii_lowercase(),
            licence: file.licence,
            input: file.input,
            task,
        })
    }
}

/// How the network wants a picture: pixels in 0 to 255, minus `mean`, times `scale`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Width and height in pixels.
    pub(crate) side: usize,
    #[serde(default)]
    pub(crate) channels: Channels,
    #[serde(default)]
    pub(crate) mean: [f32; 3],
    #[serde(default = "unscaled")]
    pub(crate) scale: [f32; 3],
}

const fn unscaled() -> [f32; 3] {
    [1.0; 3]
}

/// The order of the colours, and of `mean` and `scale`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Channels {
    #[default]
    Rgb,
    Bgr,
}

/// What the network is for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Task {
    /// It describes faces, so that they can be compared.
    Face(FaceTask),
    /// It tells living faces from presentation attacks in a single frame.
    Liveness(LivenessTask),
}

/// A network that describes faces.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FaceTask {
    pub(crate) alignment: Alignment,
    /// Numbers of a descriptor.
    pub(crate) length: usize,
    #[serde(default)]
    pub(crate) distance: Distance,
    /// Whether the descriptor is the mean of a face's and its mirror image's.
    #[serde(default)]
    pub(crate) mirrored: bool,
    /// From `honnin calibrate faces`. Without it, distances mean nothing.
    #[serde(default)]
    pub(crate) calibration: Option<Logistic>,
}

/// Where the parts of a face lie in the network's picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Alignment {
    /// Corners of the eyes and base of the nose as in dlib's chips, with a quarter of padding.
    Dlib5,
    /// Eyes, tip of the nose and corners of the mouth as in InsightFace's 112 pixel chips.
    Arcface5,
}

/// How two descriptors are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Distance {
    #[default]
    Euclidean,
    /// The angle counts: descriptors are scaled to length 1, where the Euclidean distance grows with the angle.
    Cosine,
}

/// A network that tells living faces from presentation attacks.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LivenessTask {
    /// Sides of the part of the picture that it sees, as multiples of the face's box.
    pub(crate) crop: f32,
    /// Index of the output that stands for a living face.
    pub(crate) living: usize,
    /// Whether the outputs are scores that a softmax turns into probabilities.
    #[serde(default)]
    pub(crate) softmax: bool,
    /// The least probability that needs no person to look, from `honnin calibrate liveness`.
    #[serde(default)]
    pub(crate) limit: Option<f32>,
}

/// What the name of a card ends in. The folder may hold other files of settings.
const ENDING: &str = ".card.toml";
/// The largest side and descriptor that are taken: what is larger is a mistake in the card.
const MAX_SIZE: usize = 4_096;

impl Card {
    /// The cards of a folder: every file that ends in `.card.toml`; none if there is no folder. A card that cannot be used is an error, not
    /// skipped, and so is a folder that cannot be read: an installation must not continue with another network than its operator chose.
    pub(crate) fn all(dir: &Path) -> Result<Vec<Self>, ModelError> {
        let unreadable = |e: io::Error| ModelError::Unusable(dir.display().to_string(), e.to_string());
        let entries = match fs::read_dir(dir) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(unreadable)?,
        };
        let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
        let mut paths = paths.map_err(unreadable)?;
        paths.retain(|path| path.to_string_lossy().ends_with(ENDING));
        paths.sort();
        let cards: Vec<Self> = paths.iter().map(|path| Self::read(path)).collect::<Result<_, _>>()?;
        for is_task in [Task::is_face, Task::is_liveness] {
            let mut of_task = cards.iter().filter(|card| is_task(&card.task));
            if let (Some(_), Some(second)) = (of_task.next(), of_task.next()) {
                return Err(second.unusable("another card has the same task"));
            }
        }
        Ok(cards)
    }

    fn read(path: &Path) -> Result<Self, ModelError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let unusable = |reason: String| ModelError::Unusable(name.clone(), reason);
        let text = fs::read_to_string(path).map_err(|e| unusable(e.to_string()))?;
        Self::parse(&text).map_err(unusable)
    }

    /// A card by its text, or what is wrong with it.
    fn parse(text: &str) -> Result<Self, String> {
        let card: Self = toml::from_str(text).map_err(|e| e.to_string())?;
        card.mistake().map_or(Ok(card), |mistake| Err(mistake.to_owned()))
    }

    /// What is wrong with it.
    fn mistake(&self) -> Option<&'static str> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let sized = |number: usize| (1..=MAX_SIZE).contains(&number);
        let numbers = self.input.mean.iter().chain(&self.input.scale);
        let task = match &self.task {
            Task::Face(face) => sized(face.length) && face.calibration.is_none_or(Logistic::is_sane),
            Task::Liveness(task) => {
                (1.0..=8.0).contains(&task.crop)
                    && task.living < MAX_SIZE
                    && task.limit.is_none_or(|limit| (0.0..=1.0).contains(&limit))
            }
        };
        let rules = [
            (
                !self.name.is_empty() && self.name.chars().all(plain),
                "name: letters, digits, - _ . only",
            ),
            (
                !self.file.is_empty() && self.file.chars().all(plain) && !self.file.starts_with('.'),
                "file: the name of a file in the same folder",
            ),
            (!self.licence.trim().is_empty(), "licence: must be given"),
            (sized(self.input.side), "input.side: from 1 to 4096"),
            (
                numbers.into_iter().all(|number| number.is_finite()),
                "input: mean and scale must be finite",
            ),
            (task, "a number is outside its range"),
        ];
        rules.into_iter().find_map(|(kept, mistake)| (!kept).then_some(mistake))
    }

    /// The network's file.
    pub(crate) fn weights(&self, dir: &Path) -> Result<Vec<u8>, ModelError> {
        let bytes = fs::read(dir.join(&self.file)).map_err(|error| ModelError::unread(&self.file, &error))?;
        if hex::encode(Sha256::digest(&bytes)) == self.sha256 {
            Ok(bytes)
        } else {
            Err(self.unusable("the SHA-256 of the file is another"))
        }
    }

    /// The name with the beginning of the hash, which tells descriptors of different weights apart.
    pub(crate) fn identity(&self) -> String {
        format!("{}@{}", self.name, self.sha256.get(..12).unwrap_or(&self.sha256))
    }

    /// For the findings.
    pub(crate) fn hash(&self) -> ModelHash {
        ModelHash {
            name: self.file.clone(),
            sha256: self.sha256.clone(),
            licence: self.licence.clone(),
        }
    }

    pub(crate) fn unusable(&self, reason: &str) -> ModelError {
        ModelError::Unusable(self.name.clone(), reason.to_owned())
    }
}

impl Task {
    const fn is_face(&self) -> bool {
        matches!(self, Self::Face(_))
    }

    const fn is_liveness(&self) -> bool {
        matches!(self, Self::Liveness(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACE: &str = r#"
        name = "arcface"
        file = "arcface.onnx"
        sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        licence = "MIT"
        source = "https://models.example/arcface"

        [input]
        side = 112
        channels = "bgr"
        mean = [127.5, 127.5, 127.5]
        scale = [0.0078125, 0.0078125, 0.0078125]

        [face]
        alignment = "arcface5"
        length = 512
        distance = "cosine"
        mirrored = true

        [face.calibration]
        middle = 1.2
        slope = 11.5
    "#;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(dir.path().join(name), text).unwrap();
        }
        dir
    }

    #[test]
    fn a_card_says_what_its_network_is_and_the_file_must_be_the_one_it_names() {
        let dir = folder(&[("arcface.card.toml", FACE), ("arcface.onnx", "")]);
        let cards = Card::all(dir.path()).unwrap();
        let Task::Face(task) = &cards[0].task else {
            panic!("a card of faces")
        };
        assert_eq!((task.length, task.alignment), (512, Alignment::Arcface5));
        assert_eq!(cards[0].identity(), "arcface@e3b0c44298fc");
        assert_eq!(cards[0].weights(dir.path()), Ok(Vec::new()));
        fs::write(dir.path().join("arcface.onnx"), "other weights").unwrap();
        assert!(cards[0].weights(dir.path()).is_err());
    }

    #[test]
    fn a_folder_that_is_not_there_has_no_cards_and_one_that_cannot_be_read_is_a_fault() {
        let dir = folder(&[("models", "not a folder")]);
        assert_eq!(Card::all(&dir.path().join("none")), Ok(Vec::new()));
        let fault = Card::all(&dir.path().join("models")).unwrap_err();
        assert!(
            matches!(&fault, ModelError::Unusable(path, _) if path.ends_with("models")),
            "{fault}"
        );
    }

    #[test]
    fn a_card_with_a_mistake_is_refused_with_its_name_and_never_skipped() {
        for (from, to, wanted) in [
            ("side = 112", "side = 0", "input.side"),
            ("file = \"arcface.onnx\"", "file = \"../arcface.onnx\"", "file:"),
            ("licence = \"MIT\"", "licence = \" \"", "licence"),
            ("slope = 11.5", "slope = -1.0", "range"),
            ("length = 512", "lenght = 512", "lenght"),
            ("[face]", "[faces]", "arcface.card.toml"),
        ] {
            let dir = folder(&[("arcface.card.toml", &FACE.replace(from, to))]);
            let fault = Card::all(dir.path()).unwrap_err().to_string();
            assert!(
                fault.contains("arcface.card.toml") && fault.contains(wanted),
                "{to}: {fault}"
            );
        }
        let two = folder(&[
            ("a.card.toml", FACE),
            ("b.card.toml", FACE),
            ("honnin.toml", "other settings"),
        ]);
        assert!(Card::all(two.path()).unwrap_err().to_string().contains("same task"));
    }
}
