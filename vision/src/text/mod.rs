//! Text in a picture: finds lines, reads them, and finds out which way up they are. Not what the words mean.

mod alphabet;
mod area;
mod backbone;
mod detect;
mod finder;
mod recognise;
mod recogniser;

pub(crate) use alphabet::{Alphabet, MRZ_SYMBOLS};
pub(crate) use area::{Area, Spacing};
pub(crate) use detect::{CARD_SIDE, PICTURE_SIDE};
#[cfg(test)]
pub(crate) use recognise::Symbol;
pub(crate) use recognise::{Lattice, Line};

use finder::Finder;
use recogniser::Recogniser;

use crate::model::lock::Pins;
use crate::model::{Model, ModelError};
use crate::raster::Raster;
use crate::statistics::median;
use std::borrow::Cow;
use std::path::Path;

const DETECTOR: &str = "PP-OCRv6_det_small.onnx";
const RECOGNISER: &str = "PP-OCRv6_rec_small.onnx";
/// The files the networks are read from.
pub(crate) const FILES: [&str; 2] = [DETECTOR, RECOGNISER];
/// Areas beyond this many, the smallest, are not looked at: a page of a book is not a document.
const MAX_AREAS: usize = 80;
/// Lines looked at to tell which way up the text is.
const PROBES: usize = 3;
/// Mean probability from which text is taken to be the right way up without trying the other.
const UPRIGHT: f32 = 0.85;
/// The other way up must read this much better.
const FLIP_MARGIN: f32 = 0.05;

/// The networks that read.
pub(crate) struct Reader {
    pub(crate) detector: Box<dyn Model>,
    pub(crate) recogniser: Box<dyn Model>,
    pub(crate) alphabet: Alphabet,
}

/// A picture the right way up, and what is written on it as far as it was read.
pub(crate) struct Page<'a> {
    pub(crate) picture: Cow<'a, Raster>,
    /// Quarters the picture was turned clockwise to stand upright.
    pub(crate) quarters: u8,
    pub(crate) lines: Vec<Line>,
    /// Areas not read yet.
    unread: Vec<Area>,
}

impl<'a> Page<'a> {
    /// A page of which nothing was read.
    pub(crate) const fn blank(picture: &'a Raster) -> Self {
        Self {
            picture: Cow::Borrowed(picture),
            quarters: 0,
            lines: Vec::new(),
            unread: Vec::new(),
        }
    }

    /// Every area of text, read or not.
    pub(crate) fn areas(&self) -> impl Iterator<Item = &Area> {
        self.lines.iter().map(|line| &line.area).chain(&self.unread)
    }

    /// Whether every area was read.
    pub(crate) const fn is_read(&self) -> bool {
        self.unread.is_empty()
    }
}

impl Reader {
    pub(crate) fn load(pins: &Pins, dir: &Path) -> Result<Self, ModelError> {
        let recogniser = Recogniser::parse(RECOGNISER, &pins.read(dir, RECOGNISER)?)?;
        let alphabet = Alphabet::parse(recogniser.symbols())?;
        let detector = Finder::parse(DETECTOR, &pins.read(dir, DETECTOR)?)?;
        Ok(Self {
            detector: Box::new(detector),
            recogniser: Box::new(recogniser),
            alphabet,
        })
    }

    /// Whether the files are there and the pinned ones.
    pub(crate) fn check(pins: &Pins, dir: &Path) -> Result<(), ModelError> {
        FILES.iter().try_for_each(|name| pins.read(dir, name).map(drop))
    }

    /// The areas of text, as the picture is; the detector sees it with a longest side of `side` pixels.
    pub(crate) fn areas(&self, picture: &Raster, side: usize) -> Result<Vec<Area>, ModelError> {
        Ok(largest(detect::areas(self.detector.as_ref(), picture, side)?))
    }

    /// Turns the picture so that its text can be read, and reads the longest lines.
    ///
    /// The shape of the areas tells whether the text is sideways or upright; which of the two remaining directions it has is decided by the
    /// confidence with which those lines read.
    pub(crate) fn page<'a>(
        &self,
        picture: Cow<'a, Raster>,
        areas: &[Area],
        spacing: Spacing,
    ) -> Result<Page<'a>, ModelError> {
        let lying: f32 = areas
            .iter()
            .map(|a| if a.is_vertical() { -weight(a) } else { weight(a) })
            .sum();
        let quarters = u8::from(lying < 0.0);
        let first = self.turned(picture.clone(), areas, quarters, spacing)?;
        let has_fillers_on_their_head = first.lines.iter().any(|line| are_fillers_on_their_head(&line.text));
        if first.lines.is_empty() || confidence(&first.lines) >= UPRIGHT && !has_fillers_on_their_head {
            return Ok(first);
        }
        let second = self.turned(picture, areas, first.quarters + 2, spacing)?;
        let reads_better = confidence(&second.lines) > confidence(&first.lines) + FLIP_MARGIN;
        Ok(if reads_better || has_fillers_on_their_head {
            second
        } else {
            first
        })
    }

    /// Turns the picture and reads the longest areas.
    fn turned<'a>(
        &self,
        picture: Cow<'a, Raster>,
        areas: &[Area],
        quarters: u8,
        spacing: Spacing,
    ) -> Result<Page<'a>, ModelError> {
        let (width, height) = (picture.width() as f32, picture.height() as f32);
        let picture = if quarters == 0 {
            picture
        } else {
            Cow::Owned(picture.turned(quarters))
        };
        let mut unread: Vec<Area> = areas.iter().map(|area| area.turned(quarters, width, height)).collect();
        unread.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        let long = unread.iter().filter(|area| weight(area) > 0.0);
        if let Some(angle) = median(long.map(|area| area.angle)) {
            unread.iter_mut().for_each(|area| *area = area.aligned(angle));
        }
        let probes = unread.iter().take(PROBES).filter(|area| weight(area) > 0.0).count();
        let mut page = Page {
            picture,
            quarters,
            lines: Vec::new(),
            unread,
        };
        for area in page.unread.drain(..probes).collect::<Vec<_>>() {
            page.lines.push(self.line(&page.picture, area, spacing)?);
        }
        Ok(page)
    }

    /// Reads those of the remaining areas that are wanted, the highest letters first, until `budget` is used up: the sum of the
    /// lines' widths as the recogniser sees them, which its time grows with.
    pub(crate) fn read(
        &self,
        page: &mut Page<'_>,
        budget: usize,
        spacing: Spacing,
        wanted: impl Fn(&Area) -> bool,
    ) -> Result<(), ModelError> {
        let (mut wanted, rest): (Vec<Area>, Vec<Area>) = page.unread.drain(..).partition(|area| wanted(area));
        page.unread = rest;
        wanted.sort_by(|a, b| b.half_height.total_cmp(&a.half_height));
        let mut used = 0;
        for area in wanted {
            if used + area.line_width(spacing) > budget {
                page.unread.push(area);
                continue;
            }
            used += area.line_width(spacing);
            page.lines.push(self.line(&page.picture, area, spacing)?);
        }
        page.lines.sort_by(|a, b| a.area.y.total_cmp(&b.area.y));
        Ok(())
    }

    /// Reads one line.
    pub(crate) fn line(&self, picture: &Raster, area: Area, spacing: Spacing) -> Result<Line, ModelError> {
        recognise::line(self.recogniser.as_ref(), &self.alphabet, picture, area, spacing)
    }
}

/// As many of these areas as are looked at, from top to bottom. Whatever else is in the picture, the lines of a machine-readable zone are among the
/// largest, and stand below the rest.
fn largest(mut areas: Vec<Area>) -> Vec<Area> {
    if areas.len() > MAX_AREAS {
        areas.sort_by(|a, b| b.extent().total_cmp(&a.extent()));
        areas.truncate(MAX_AREAS);
        areas.sort_by(|a, b| a.y.total_cmp(&b.y));
    }
    areas
}

/// How much an area says about the direction of the text: its length, where it is clearly longer than high.
fn weight(area: &Area) -> f32 {
    if area.half_width > area.half_height * 3.0 {
        area.half_width
    } else {
        0.0
    }
}

/// Whether a line has a run of the fillers of a machine-readable zone upside down: they read as surely as upright ones.
fn are_fillers_on_their_head(text: &str) -> bool {
    text.contains(">>>")
}

fn confidence(lines: &[Line]) -> f32 {
    lines.iter().map(|line| line.confidence).sum::<f32>() / lines.len().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::onnx::Onnx;
    use crate::model::{Tensor, run_one};
    use std::path::PathBuf;

    /// A picture with edges everywhere, in planes, in -1..1.
    fn picture(height: usize, width: usize) -> Tensor {
        let value = |at: usize| (((at % width / 7) ^ (at / width / 5)) & 3) as f32 / 1.5 - 1.0;
        Tensor {
            shape: vec![1, 3, height, width],
            data: (0..3 * height * width).map(value).collect(),
        }
    }

    fn file(name: &str) -> Vec<u8> {
        let models: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "models"].iter().collect();
        Pins::built_in()
            .unwrap()
            .read(&models, name)
            .expect("run `cargo xtask models` first")
    }

    fn greatest_difference(ours: &dyn Model, name: &str, input: &Tensor) -> f32 {
        let whole = Onnx::load(name, file(name)).unwrap();
        let (ours, whole) = (
            run_one(ours, input.clone()).unwrap(),
            run_one(&whole, input.clone()).unwrap(),
        );
        assert_eq!(ours.shape, whole.shape);
        let differences = ours.data.iter().zip(&whole.data).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f32::max)
    }

    #[test]
    fn the_detector_says_what_the_whole_file_says_on_rten() {
        let ours = Finder::parse(DETECTOR, &file(DETECTOR)).unwrap();
        let difference = greatest_difference(&ours, DETECTOR, &picture(96, 160));
        assert!(difference < 1e-3, "{difference}");
        assert!(ours.run(picture(96, 100)).is_err(), "a side that is no multiple of 32");
    }

    #[test]
    fn the_recogniser_says_what_the_whole_file_says_on_rten() {
        let ours = Recogniser::parse(RECOGNISER, &file(RECOGNISER)).unwrap();
        assert!(ours.symbols().contains('本'));
        for width in [48, 100, 333] {
            let difference = greatest_difference(&ours, RECOGNISER, &picture(48, width));
            assert!(difference < 1e-3, "{width} wide: {difference}");
        }
    }

    #[test]
    fn of_too_many_areas_the_smallest_are_left_out_wherever_they_stand() {
        let area = |y: f32, half_width: f32| Area {
            x: 500.0,
            y,
            half_width,
            half_height: 10.0,
            angle: 0.0,
        };
        // A passport below the text of a newspaper.
        let print = (0_u8..100).map(|at| area(f32::from(at), 30.0 + f32::from(at % 7)));
        let zone = [area(200.0, 400.0), area(230.0, 400.0)];
        let kept = largest(print.chain(zone).collect());
        assert_eq!(kept.len(), MAX_AREAS);
        assert_eq!(kept[MAX_AREAS - 2..], zone);
        assert!(kept.is_sorted_by(|a, b| a.y <= b.y));
        assert_eq!(largest(zone.to_vec()), zone);
    }

    #[test]
    fn another_network_is_refused() {
        assert!(Finder::parse(RECOGNISER, &file(RECOGNISER)).is_err());
        assert!(Finder::parse(DETECTOR, b"no network").is_err());
        assert!(Recogniser::parse(DETECTOR, &file(DETECTOR)).is_err());
    }
}
