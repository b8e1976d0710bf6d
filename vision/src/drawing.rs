//! Draws the findings onto the picture, for people who want to know why something was read or left out.

use crate::geometry::{Corners, rectangle};
use crate::observation::Observation;
use crate::picture::Picture;
use crate::raster::Raster;
use crate::text::Line;
use domain::findings::DocumentFindings;
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};

const OUTLINE: [u8; 3] = [0, 170, 70];
const LINE: [u8; 3] = [110, 150, 210];
const LABEL: [u8; 3] = [235, 150, 0];
const FIELD: [u8; 3] = [215, 20, 60];
const PORTRAIT: [u8; 3] = [150, 40, 190];
/// Strokes are this share of the picture's longer side wide.
const STROKE: f32 = 0.0016;

/// Places that findings do not keep, in pixels of the picture: left top, right top, right bottom, left bottom as they are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Lines of text that were read.
    pub lines: Vec<Corners>,
    /// Labels of the layout that was recognised.
    pub labels: Vec<Corners>,
}

impl Trace {
    /// The places of what was observed.
    pub(crate) fn of(seen: &Observation<'_, '_>) -> Self {
        let corners = |line: &Line| line.area.corners().map(|corner| seen.place(corner));
        let lines = seen.page.lines.iter().map(corners);
        let labels = seen.known.iter().flat_map(|known| {
            let upright = move |at: [f32; 2]| seen.place(known.upright(at));
            known.labels.iter().map(move |label| rectangle(*label).map(upright))
        });
        Self {
            lines: lines.collect(),
            labels: labels.collect(),
        }
    }
}

/// The picture as a PNG with everything that was found on it: the outline green, lines blue, labels orange, items red, the portrait
/// violet. `None` where it cannot be encoded.
#[must_use]
pub fn drawn(picture: &Picture, findings: &DocumentFindings, trace: &Trace) -> Option<Vec<u8>> {
    let (width, height) = (picture.rgb.width(), picture.rgb.height());
    let mut canvas = Canvas {
        picture: picture.rgb.clone(),
        stroke: ((picture.rgb.longest() as f32 * STROKE) as usize).max(1),
    };
    trace.lines.iter().for_each(|corners| canvas.frame(corners, LINE));
    trace.labels.iter().for_each(|corners| canvas.frame(corners, LABEL));
    let regions = findings.regions.iter();
    regions.for_each(|region| canvas.frame(&region.corners, FIELD));
    if let Some(face) = &findings.portrait {
        let [x, y, w, h] = face.bounds;
        canvas.frame(&rectangle([x, y, x + w, y + h]), PORTRAIT);
    }
    findings
        .outline
        .iter()
        .for_each(|corners| canvas.frame(corners, OUTLINE));
    let mut png = Vec::new();
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    PngEncoder::new(&mut png)
        .write_image(canvas.picture.pixels(), width, height, ExtendedColorType::Rgb8)
        .ok()?;
    Some(png)
}

struct Canvas {
    picture: Raster,
    stroke: usize,
}

impl Canvas {
    fn frame(&mut self, corners: &Corners, colour: [u8; 3]) {
        for side in 0..4 {
            self.stroke(corners[side], corners[(side + 1) % 4], colour);
        }
    }

    fn stroke(&mut self, from: [f32; 2], to: [f32; 2], colour: [u8; 3]) {
        let length = (to[0] - from[0]).abs().max((to[1] - from[1]).abs());
        // A place far outside is none, and what is not a number is nowhere.
        if !(0.0..=4.0 * self.picture.longest() as f32).contains(&length) {
            return;
        }
        let dot = Raster::filled(self.stroke, self.stroke, colour);
        let steps = length.ceil().max(1.0);
        for step in 0..=steps as usize {
            let at = |axis: usize| from[axis] + (to[axis] - from[axis]) * step as f32 / steps;
            let (x, y) = (at(0).round(), at(1).round());
            let inside = |value: f32, length: usize| value >= 0.0 && value as usize + self.stroke < length;
            if inside(x, self.picture.width()) && inside(y, self.picture.height()) {
                self.picture.paste(&dot, x as usize, y as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::document::Side;

    #[test]
    fn what_was_found_is_drawn_where_it_lies_and_nothing_breaks_beside_the_picture() {
        let picture = Picture::from_raster(Raster::filled(400, 300, [255; 3])).unwrap();
        let square = |from: f32, to: f32| [[from, from], [to, from], [to, to], [from, to]];
        let findings = DocumentFindings {
            outline: Some(square(-50.0, 250.0)),
            ..DocumentFindings::none(Side::Front)
        };
        let trace = Trace {
            lines: vec![square(40.0, 90.0), square(f32::NAN, 3.0)],
            labels: vec![square(1e9, 2e9)],
        };
        let png = drawn(&picture, &findings, &trace).unwrap();
        let seen = image::load_from_memory(&png).unwrap().to_rgb8();
        assert_eq!(seen.get_pixel(60, 40).0, LINE);
        assert_eq!(seen.get_pixel(250, 100).0, OUTLINE);
        assert_eq!(seen.get_pixel(350, 280).0, [255; 3]);
    }
}
