//! One picture of a set: the document printed, copied or altered if requested, photographed, labelled.

use super::{
    condition::Condition,
    copy, deceit,
    forms::Paper,
    label::{Corners, Deceit, Field, Label, Side},
    letters::Types,
    page::Page,
    picture::Picture,
    shot::{self, Around, Photograph, Subject, placed},
    sitter::{self, Sitter},
};
use crate::Done;
use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};
use std::{fs, path::Path};

/// Radius of a card's corners in millimetres (ISO/IEC 7810).
const ROUND: f32 = 3.18;

/// The manipulations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trick {
    /// Other digits, on the document or in its picture.
    Digits {
        digital: bool,
    },
    /// Another portrait, on the document or in its picture.
    Portrait {
        digital: bool,
    },
    Screen,
    Print,
    Grey,
}

/// All of them.
pub(crate) const TRICKS: [Trick; 7] = [
    Trick::Digits { digital: false },
    Trick::Digits { digital: true },
    Trick::Portrait { digital: false },
    Trick::Portrait { digital: true },
    Trick::Screen,
    Trick::Print,
    Trick::Grey,
];

/// One picture to render.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) paper: Paper,
    pub(crate) document: usize,
    pub(crate) person: usize,
    pub(crate) side: Side,
    pub(crate) condition: Condition,
    pub(crate) trick: Option<Trick>,
    /// Seed of the press; both sides of a document come from the same one.
    pub(crate) press: u64,
    /// Seed of everything else in this picture.
    pub(crate) seed: u64,
    pub(crate) words: bool,
}

/// The photographs from which portraits are cropped.
pub(crate) struct Faces {
    sitters: Vec<(Sitter, Picture)>,
    given: Option<Picture>,
}

impl Faces {
    /// Loads the samples, or the one picture for every document.
    pub(crate) fn load(samples: &Path, given: Option<&Path>) -> Done<Self> {
        let given = given.map(image::open).transpose()?;
        let sitters = sitter::OTHERS.map(|sitter| Ok((sitter, sitter.photograph(samples)?)));
        Ok(Self {
            sitters: sitters.into_iter().collect::<Done<_>>()?,
            given: given.map(|image| Picture::from_rgb(&image.to_rgb8())),
        })
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.sitters.len()
    }

    /// A portrait of this face, with random light and colour.
    fn portrait(&self, face: usize, width: usize, height: usize, chance: &mut impl Rng) -> Picture {
        if let Some(given) = &self.given {
            return given.resized(width, height);
        }
        let (sitter, photograph) = &self.sitters[face % self.sitters.len()];
        let tints = [
            [1.0, 1.01, 1.03],
            [0.95, 1.02, 1.15],
            [1.12, 1.12, 1.12],
            [1.1, 1.0, 1.0],
        ];
        let mut portrait = sitter.passport_photo(photograph, width, height, tints[chance.random_range(0..tints.len())]);
        let (light, hard) = (chance.random_range(0.85..1.1), chance.random_range(0.85..1.1));
        // Some presses burn portraits into the card, without colours.
        let colours: f32 = if chance.random_bool(0.15) { 0.05 } else { 1.0 };
        portrait.change(|_, _, colour| {
            let luma = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
            colour.map(|value| ((luma + (value - luma) * colours - 128.0) * hard + 128.0) * light)
        });
        portrait
    }
}

impl Job {
    /// Renders the picture and its label into a folder.
    pub(crate) fn run(&self, out: &Path, types: &Types, faces: &Faces) -> Done<Label> {
        let mut chance = StdRng::seed_from_u64(self.seed);
        let mut page = self.print(types, faces)?;
        let untouched = page.picture.clone();
        let deceit = self.deceive(&mut page, types, faces, &mut chance);
        let (bytes, outline) = self.photograph(&page, &untouched, deceit.as_ref(), types, &mut chance)?;
        let label = self.label(&page, deceit, outline);
        fs::write(out.join(&label.file), bytes)?;
        let name = Path::new(&label.file).with_extension("json");
        fs::write(out.join(name), serde_json::to_vec_pretty(&label)?)?;
        Ok(label)
    }

    fn print<'a>(&self, types: &'a Types, faces: &Faces) -> Done<Page<'a>> {
        let mut likeness = StdRng::seed_from_u64(self.press ^ 0xface);
        let portrait = |width, height| faces.portrait(self.paper.face(), width, height, &mut likeness);
        self.paper.print(self.side, portrait, types, self.press, self.words)
    }

    fn deceive(&self, page: &mut Page<'_>, types: &Types, faces: &Faces, chance: &mut StdRng) -> Option<Deceit> {
        let plain = |what| {
            Some(Deceit {
                what,
                item: None,
                was: None,
                digital: false,
            })
        };
        match self.trick? {
            Trick::Digits { digital } => deceit::digits(page, types, chance).map(|done| Deceit { digital, ..done }),
            Trick::Portrait { digital } => {
                let mut likeness = StdRng::seed_from_u64(chance.random());
                let other = |width, height| faces.portrait(self.paper.face() + 1, width, height, &mut likeness);
                deceit::portrait(page, other, chance).map(|done| Deceit { digital, ..done })
            }
            Trick::Screen => plain("screen"),
            Trick::Print => plain("print"),
            Trick::Grey => plain("grey"),
        }
    }

    /// The file's bytes, and the position of the document in the picture.
    fn photograph(
        &self,
        page: &Page<'_>,
        untouched: &Picture,
        deceit: Option<&Deceit>,
        types: &Types,
        chance: &mut StdRng,
    ) -> Done<(Vec<u8>, Option<Corners>)> {
        let millimetres = self.paper.millimetres();
        let subject = |picture| Subject {
            picture,
            millimetres,
            round: if self.paper.is_card() { ROUND } else { 1.0 },
        };
        let setting = self.condition.setting(chance);
        let (pose, mut camera, around) = (setting.pose, setting.camera, setting.around);
        if self.condition == Condition::Nothing {
            let desk = self.nothing(&camera, types, chance);
            return Ok((shot::developed(&desk, &camera)?, None));
        }
        let copy = match (self.condition, self.trick) {
            (Condition::Screen, _) | (_, Some(Trick::Screen)) => Some(copy::on_screen(&subject(&page.picture), chance)),
            (Condition::Grey, _) | (_, Some(Trick::Grey)) => Some(copy::grey(&subject(&page.picture), chance)),
            (_, Some(Trick::Print)) => Some(copy::printed(&subject(&page.picture), chance)),
            _ => None,
        };
        if let Some(copy) = copy {
            if self.condition == Condition::Grey || self.trick == Some(Trick::Grey) {
                camera.balance = [1.0; 3];
            }
            let photograph = shot::take(&copy.subject(), pose, &camera, &around, types, chance);
            return Ok((
                self.developed(&photograph, &camera)?,
                Some(copy.corners(photograph.corners)),
            ));
        }
        let shown = if deceit.is_some_and(|deceit| deceit.digital) {
            untouched
        } else {
            &page.picture
        };
        let seed: u64 = chance.random();
        let take = |picture, camera: &_| {
            let mut chance = StdRng::seed_from_u64(seed);
            shot::take(&subject(picture), pose, camera, &around, types, &mut chance)
        };
        let photograph = take(shown, &camera);
        let outline = photograph.corners;
        if let Some(deceit) = deceit.filter(|deceit| deceit.digital) {
            let bytes = shot::developed(&photograph.picture, &camera)?;
            let first = Picture::from_rgb(&image::load_from_memory(&bytes)?.to_rgb8());
            let quality = camera.quality;
            camera.noise = 0.0;
            let second = take(&page.picture, &camera);
            let piece = self.piece(page, deceit, outline).unwrap_or(outline);
            camera.quality = if quality > 85 { quality - 9 } else { quality + 8 };
            let edited = deceit::pasted(&first, &second.picture, piece);
            return Ok((shot::developed(&edited, &camera)?, Some(outline)));
        }
        Ok((self.developed(&photograph, &camera)?, Some(outline)))
    }

    fn developed(&self, photograph: &Photograph, camera: &shot::Camera) -> Done<Vec<u8>> {
        let mut picture = photograph.picture.clone();
        if self.condition == Condition::Grey || self.trick == Some(Trick::Grey) {
            // A copier's output is grey, and the sender crops the desk around it.
            picture.change(|_, _, [r, g, b]| [0.299 * r + 0.587 * g + 0.114 * b; 3]);
        }
        shot::developed(&picture, camera)
    }

    /// A desk, perhaps with a shop's card on it.
    fn nothing(&self, camera: &shot::Camera, types: &Types, chance: &mut StdRng) -> Picture {
        let blank = Picture::filled(8, 8, [0.0; 3]);
        let subject = Subject {
            picture: &blank,
            millimetres: (85.6, 54.0),
            round: 0.0,
        };
        // The document is far outside the picture.
        let mut pose = Condition::Flat.setting(chance).pose;
        (pose.margin, pose.off) = (0.3, (40.0, 0.0));
        shot::take(&subject, pose, camera, &Around::default(), types, chance).picture
    }

    /// The part of the picture that was edited.
    fn piece(&self, page: &Page<'_>, deceit: &Deceit, outline: Corners) -> Option<Corners> {
        let of = |field: &Field| deceit.item == Some(field.name) && field.normalized.is_empty();
        let place = match deceit.item {
            Some(_) => page.printed.fields.iter().find(|field| of(field))?.corners?,
            None => {
                let [left, top, width, height] = page.printed.portrait?;
                [
                    [left, top],
                    [left + width, top],
                    [left + width, top + height],
                    [left, top + height],
                ]
            }
        };
        Some(self.in_picture(place, outline))
    }

    /// Maps millimetres of the document to pixels of the picture.
    fn in_picture(&self, place: Corners, outline: Corners) -> Corners {
        let (width, height) = self.paper.millimetres();
        let to = placed(outline);
        place.map(|[x, y]| {
            let (x, y) = to(x / width, y / height);
            [x, y]
        })
    }

    fn label(&self, page: &Page<'_>, deceit: Option<Deceit>, outline: Option<Corners>) -> Label {
        let (kind, layout) = self.paper.kind();
        let mut printed = page.printed.clone();
        match outline {
            None => printed = Default::default(),
            Some(outline) => {
                for field in &mut printed.fields {
                    field.corners = field.corners.map(|place| self.in_picture(place, outline));
                }
            }
        }
        Label {
            file: self.name(layout),
            document: self.document,
            person: self.person,
            kind,
            layout,
            issuer: self.paper.issuer(),
            side: self.side,
            condition: self.condition.name(),
            defects: self.condition.codes(),
            deceit,
            outline,
            fields: printed.fields,
            mrz: printed.mrz,
            barcode: printed.barcode,
        }
    }

    fn name(&self, layout: &str) -> String {
        let trick = match self.trick {
            None => "",
            Some(Trick::Digits { digital: false }) => "-digits",
            Some(Trick::Digits { digital: true }) => "-digits-edited",
            Some(Trick::Portrait { digital: false }) => "-portrait",
            Some(Trick::Portrait { digital: true }) => "-portrait-edited",
            Some(Trick::Screen) => "-on-screen",
            Some(Trick::Print) => "-printed",
            Some(Trick::Grey) => "-copied",
        };
        let side = if self.side == Side::Front { "front" } else { "back" };
        format!(
            "{:04}-{layout}-{side}-{}{trick}.jpg",
            self.document,
            self.condition.name()
        )
    }
}
