//! What is measured in a picture without reading its text: signs of a copy, and a description for recognising the picture again.

use crate::geometry::{Corners, are_inside};
use crate::raster::Raster;
use crate::signals::Rasters;
use crate::stopwatch::Stopwatch;
use crate::{likeness, signals};
use domain::findings::StageTime;
use domain::likeness::Likeness;

/// The measurements, and how long they took.
pub(super) struct BesideText {
    pub(super) grey_share: f32,
    /// Within the outline, if there is one.
    pub(super) rasters: Option<Rasters>,
    pub(super) likeness: Likeness,
    pub(super) timings: Vec<StageTime>,
}

impl BesideText {
    /// Measures a picture; `outline` is what looks most like that of a card.
    pub(super) fn of(picture: &Raster, outline: Option<&Corners>) -> Self {
        let mut watch = Stopwatch::start();
        let grey_share = signals::grey_share(picture);
        let rasters = outline.and_then(|outline| signals::rasters(picture, |tile| are_inside(outline, tile)));
        watch.lap("signals");
        let likeness = likeness::describe(picture);
        watch.lap("likeness");
        Self {
            grey_share,
            rasters,
            likeness,
            timings: watch.into_laps(),
        }
    }
}
