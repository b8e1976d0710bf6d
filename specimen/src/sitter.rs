//! The people in the sample photographs that come with the face models.
//!
//! The eye positions were measured once with the landmark model and are stored here, so that cropping a portrait needs no
//! model.

use super::picture::{Colour, Picture, mix};
use crate::Done;
use std::path::Path;

/// One face of one photograph.
#[derive(Clone, Copy)]
pub(crate) struct Sitter {
    file: &'static str,
    /// The eye on the picture's left, then the one on its right.
    eyes: [(f32, f32); 2],
}

/// The first person, as the passport shows her.
pub(crate) const FIRST_PORTRAIT: Sitter = Sitter {
    file: "sample3.jpg",
    eyes: [(1115.0, 318.0), (1210.0, 339.0)],
};
/// The same person on another day.
pub(crate) const FIRST_SELFIE: Sitter = Sitter {
    file: "sample1.jpg",
    eyes: [(1555.0, 277.0), (1614.0, 335.0)],
};
/// Another person.
pub(crate) const SECOND_SELFIE: Sitter = Sitter {
    file: "sample6.jpg",
    eyes: [(1228.0, 428.0), (1325.0, 428.0)],
};
/// Faces for documents whose owner takes no selfie.
pub(crate) const OTHERS: [Sitter; 6] = [
    FIRST_PORTRAIT,
    SECOND_SELFIE,
    Sitter {
        file: "sample6.jpg",
        eyes: [(323.0, 606.0), (423.0, 595.0)],
    },
    Sitter {
        file: "sample6.jpg",
        eyes: [(1532.0, 372.0), (1628.0, 394.0)],
    },
    Sitter {
        file: "sample3.jpg",
        eyes: [(1558.0, 410.0), (1650.0, 403.0)],
    },
    Sitter {
        file: "sample3.jpg",
        eyes: [(628.0, 431.0), (720.0, 433.0)],
    },
];

impl Sitter {
    /// A photograph of 250 × 250 pixels, aligned as Labeled Faces in the Wild (deep funneled): the eyes are nearly always there.
    pub(crate) const LFW: Self = Self {
        file: "",
        eyes: [(104.0, 113.0), (146.0, 113.0)],
    };

    /// Reads the photograph from the folder of samples.
    pub(crate) fn photograph(self, samples: &Path) -> Done<Picture> {
        let path = samples.join(self.file);
        let image = image::open(&path)
            .map_err(|error| format!("{}: {error}; `cargo xtask models` fetches it", path.display()))?;
        Ok(Picture::from_rgb(&image.to_rgb8()))
    }

    /// The face upright, with given eye centre and eye distance.
    pub(crate) fn framed(
        self,
        photograph: &Picture,
        (width, height): (usize, usize),
        (eyes_x, eyes_y): (f32, f32),
        apart: f32,
    ) -> Picture {
        let [left, right] = self.eyes;
        let (dx, dy) = (right.0 - left.0, right.1 - left.1);
        let middle = ((left.0 + right.0) / 2.0, (left.1 + right.1) / 2.0);
        let (along, across) = (dx / apart, dy / apart);
        photograph.sampled(width, height, |x, y| {
            let (x, y) = (x - eyes_x, y - eyes_y);
            (middle.0 + x * along - y * across, middle.1 + x * across + y * along)
        })
    }

    /// The face alone in front of a plain wall: the photographs show several people side by side.
    pub(crate) fn alone(self, photograph: &Picture, size: (usize, usize), eyes: (f32, f32), apart: f32) -> Picture {
        self.before(photograph, size, eyes, apart, [1.0, 1.01, 1.03])
    }

    /// The same in front of a wall of this tint.
    fn before(self, photograph: &Picture, size: (usize, usize), eyes: (f32, f32), apart: f32, tint: Colour) -> Picture {
        let mut picture = self.framed(photograph, size, eyes, apart);
        let height = size.1 as f32;
        picture.change(|x, y, colour| {
            let (dx, dy) = (
                (x - eyes.0) / (2.05 * apart),
                (y - eyes.1 - 1.4 * apart) / (4.2 * apart),
            );
            let beyond = ((dx * dx + dy * dy).sqrt() - 0.85) / 0.3;
            let wall = 186.0 - 34.0 * y / height;
            mix(colour, tint.map(|share| wall * share), beyond.clamp(0.0, 1.0))
        });
        picture
    }

    /// A portrait as required for documents: eyes level, at two fifths of the height, a quarter of the width apart.
    pub(crate) fn portrait(self, photograph: &Picture, width: usize, height: usize) -> Picture {
        let (across, down) = (width as f32, height as f32);
        self.framed(photograph, (width, height), (across * 0.5, down * 0.42), across * 0.26)
    }

    /// A portrait in front of a wall of this tint, as from a photo booth.
    pub(crate) fn passport_photo(self, photograph: &Picture, width: usize, height: usize, tint: Colour) -> Picture {
        let (across, down) = (width as f32, height as f32);
        self.before(
            photograph,
            (width, height),
            (across * 0.5, down * 0.42),
            across * 0.25,
            tint,
        )
    }
}
