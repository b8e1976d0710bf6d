//! From image quality to problems that a user can fix: used on the phone before the shutter and on the server after it.

use crate::{
    findings::{Quality, SelfieSigns},
    reasons::Reason,
};

/// Limits of acceptable quality, on the scales of [`Quality`]; measured with generated defects (`lens` tests).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QualityLimits {
    /// Below: blurry.
    pub sharpness: f32,
    /// Above: glare.
    pub glare: f32,
    /// Below: too dark.
    pub exposure: f32,
    /// Below: too small to read. A card that fills a sixth of an upright picture is wide enough in pixels.
    pub coverage: f32,
    /// Above: something lies on the document. Of 380 rendered originals all but one, of which another card was
    /// measured, stay below 0.094; fingers and notes take a ninth and more.
    pub obstructed: f32,
}

/// Mean luma, 0 to 1, below which print or a face is too dark to judge.
pub const DARK: f32 = 0.18;

impl Default for QualityLimits {
    fn default() -> Self {
        Self {
            sharpness: 0.25,
            glare: 0.02,
            exposure: DARK,
            coverage: 0.165,
            obstructed: 0.105,
        }
    }
}

/// What is wrong with the picture of a document, most urgent first.
#[must_use]
pub fn document_problems(quality: &Quality, limits: &QualityLimits) -> Vec<Reason> {
    let mut problems = Vec::new();
    if quality.coverage.is_some_and(|share| share < limits.coverage) {
        problems.push(Reason::DocumentNotFound);
    }
    if quality.cut_off == Some(true) {
        problems.push(Reason::DocumentCutOff);
    }
    if quality.obstructed.is_some_and(|share| share > limits.obstructed) {
        problems.push(Reason::DocumentObstructed);
    }
    if quality.exposure < limits.exposure {
        problems.push(Reason::DocumentTooDark);
    }
    if quality.glare > limits.glare {
        problems.push(Reason::DocumentGlare);
    }
    if quality.sharpness < limits.sharpness {
        problems.push(Reason::DocumentBlurry);
    }
    problems
}

/// Whether a selfie is too dark or too blurred to judge.
#[must_use]
pub fn selfie_is_poor(quality: &Quality, limits: &QualityLimits) -> bool {
    // A face has fewer hard edges than print, so the limit is half the document's.
    quality.exposure < limits.exposure || quality.sharpness < limits.sharpness / 2.0
}

/// Limits of the signs that a selfie shows something other than an uncovered, living face, on the scales of [`SelfieSigns`];
/// the measurements are in docs/decisions/0016 and 0035.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfieLimits {
    /// Above: something covers the eyes, or mouth and chin.
    pub covered: f32,
    /// Above: the grid of a screen's pixels.
    pub grid: f32,
    /// From this value, the face counts as part of a card.
    pub in_card: f32,
    /// Descriptor distance to the portrait below which two photographs of a living person are rare.
    pub same_picture: f32,
}

impl Default for SelfieLimits {
    fn default() -> Self {
        Self {
            covered: 0.85,
            grid: 1.3,
            in_card: 0.5,
            same_picture: 0.22,
        }
    }
}

/// Whether something that the user can take off covers part of the face.
#[must_use]
pub fn face_is_covered(signs: &SelfieSigns, limits: &SelfieLimits) -> bool {
    [signs.eyes_covered, signs.mouth_covered]
        .into_iter()
        .flatten()
        // A broken measurement (NaN) is no reason to ask again.
        .any(|covered| covered > limits.covered)
}

/// Evidence for each reason of this file.
#[cfg(test)]
pub(crate) mod scenarios {
    use super::*;
    use crate::decision::coverage_tests::Scenario;

    pub(crate) const ALL: &[Scenario] = &[
        (Reason::DocumentNotFound, |case| {
            case.page().quality.coverage = Some(0.05)
        }),
        (Reason::DocumentBlurry, |case| case.page().quality.sharpness = 0.1),
        (Reason::DocumentGlare, |case| case.page().quality.glare = 0.2),
        (Reason::DocumentTooDark, |case| case.page().quality.exposure = 0.05),
        (Reason::DocumentCutOff, |case| case.page().quality.cut_off = Some(true)),
    ];
}
