//! Turns image quality into problems that a user can fix. Used on the phone before the photo is taken, and on the server afterwards.

use crate::{
    findings::{Quality, SelfieSigns},
    reasons::Reason,
};

/// Limits of acceptable quality, on the scales of [`Quality`]; measured with generated defects (`lens` tests).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QualityLimits {
    /// Below: blurry. Of 456 rendered originals, all whose outline was found reach 0.35, soft ones included; of 38 blurred on purpose, 37 stay
    /// below 0.28.
    pub sharpness: f32,
    /// Below: a face is blurry. It has fewer hard edges than print.
    pub face_sharpness: f32,
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

/// Mean luma, 0 to 1, below which print is too dark to judge, and a face if too little of it can be seen.
pub const DARK: f32 = 0.18;
/// Luma that the lightest tenth of a face reaches in sufficient light, whatever the skin: the darkest tones of the Monk scale reflect less than
/// [`DARK`], but not where they shine.
const LIT: f32 = 0.2;
/// Least luma between the darkest and the lightest tenth of a face in which more than the camera's noise is seen.
const CONTRAST: f32 = 0.06;

/// Luma, 0 to 1, that a tenth of these values stay below, and that a tenth of them exceed; `None` without values.
#[must_use]
pub fn luma_range(values: impl Iterator<Item = u8>) -> Option<[f32; 2]> {
    let mut counts = [0_u32; 256];
    let mut total = 0_u32;
    for value in values {
        counts[usize::from(value)] += 1;
        total += 1;
    }
    if total == 0 {
        return None;
    }
    let at = |share: f32| {
        let mut seen = 0_u32;
        let value = counts.iter().position(|count| {
            seen += count;
            seen as f32 >= share * total as f32
        });
        value.map(|value| value as f32 / 255.0)
    };
    Some([at(0.1)?, at(0.9)?])
}

/// Whether a face is too dark to judge, by its mean luma and, if that was measured, by [`luma_range`]: what matters is what can be seen in it.
#[must_use]
pub fn face_is_dark(mean: f32, range: Option<[f32; 2]>) -> bool {
    let shows_nothing = |[least, most]: [f32; 2]| most < LIT || most - least < CONTRAST;
    mean < DARK && range.is_none_or(shows_nothing)
}

impl Default for QualityLimits {
    fn default() -> Self {
        Self {
            sharpness: 0.3,
            face_sharpness: 0.125,
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
    face_is_dark(quality.exposure, quality.face_range) || quality.sharpness < limits.face_sharpness
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

/// A veil of stray light, as of a window behind the user or a smeared lens, lies over a face whose darkest tenth is lighter than this, and whose
/// lightest tenth is lighter by less than the contrast. Its eyes look as if something covered them (docs/decisions/0016).
const VEIL: f32 = 0.5;
const VEIL_CONTRAST: f32 = 0.25;

/// Whether too little of a face with this [`luma_range`] is seen through stray light to tell whether it is covered.
#[must_use]
pub(crate) fn face_is_veiled(range: Option<[f32; 2]>) -> bool {
    range.is_some_and(|[least, most]| least > VEIL && most - least < VEIL_CONTRAST)
}

/// Whether part of the face looks as if something covered it that the user can take off.
#[must_use]
pub fn face_is_covered(signs: &SelfieSigns, limits: &SelfieLimits) -> bool {
    [signs.eyes_covered, signs.mouth_covered]
        .into_iter()
        .flatten()
        // A broken measurement (NaN) is not a reason to ask again.
        .any(|covered| covered > limits.covered)
}

/// What is wrong with a selfie whose face looks covered, if it does. Seen through stray light it may be bare: then the selfie is not clear enough to
/// tell.
#[must_use]
pub fn cover_problem(signs: &SelfieSigns, quality: &Quality, limits: &SelfieLimits) -> Option<Reason> {
    let problem = if face_is_veiled(quality.face_range) {
        Reason::SelfieLowQuality
    } else {
        Reason::SelfieFaceCovered
    };
    face_is_covered(signs, limits).then_some(problem)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and range of a face whose skin reflects this share of the light: from the shadow under the chin to the shine of the forehead.
    fn seen(albedo: f32, light: f32) -> (f32, Option<[f32; 2]>) {
        let values = (0..100_u8).map(|part| {
            let shade = 0.5 + f32::from(part) / 100.0 + if part >= 85 { 0.4 } else { 0.0 };
            (albedo * light * shade * 255.0).round().min(255.0) as u8
        });
        let mean = values.clone().map(f32::from).sum::<f32>() / 100.0 / 255.0;
        (mean, luma_range(values))
    }

    /// Planted fault that this test detects: a face is dark by its mean alone.
    #[test]
    fn a_dark_skin_in_good_light_is_not_too_dark_and_a_light_skin_in_the_dark_is() {
        let [(dark_skin, range), (light_skin, in_the_dark)] = [seen(0.145, 1.0), seen(0.6, 0.15)];
        assert!(dark_skin < DARK && light_skin < DARK, "{dark_skin} {light_skin}");
        assert!(!face_is_dark(dark_skin, range), "{range:?}");
        assert!(face_is_dark(light_skin, in_the_dark), "{in_the_dark:?}");
        // Findings of earlier versions have the mean only.
        assert!(face_is_dark(dark_skin, None));
        let quality = |(exposure, face_range)| Quality {
            exposure,
            face_range,
            sharpness: 1.0,
            ..Quality::default()
        };
        let limits = QualityLimits::default();
        assert!(!selfie_is_poor(&quality(seen(0.145, 1.0)), &limits));
        assert!(selfie_is_poor(&quality(seen(0.6, 0.15)), &limits));
    }

    #[test]
    fn a_face_in_which_nothing_stands_out_is_too_dark() {
        assert!(face_is_dark(0.17, Some([0.16, 0.21])));
        assert!(!face_is_dark(0.17, Some([0.1, 0.21])));
        // That does not depend on the light.
        assert!(!face_is_dark(0.5, Some([0.48, 0.52])));
    }

    /// Detects if somebody without a mask, whose camera has a smeared lens, is asked to take it off once the selfie is sent.
    #[test]
    fn a_face_that_looks_covered_behind_stray_light_is_not_clear_enough_to_tell() {
        let problem = |covered, face_range| {
            let signs = SelfieSigns {
                eyes_covered: Some(covered),
                ..SelfieSigns::NOTHING_SEEN
            };
            let quality = Quality {
                face_range,
                ..Quality::default()
            };
            cover_problem(&signs, &quality, &SelfieLimits::default())
        };
        // A photograph without and with the veil, and a light face of which much is seen.
        assert_eq!(problem(0.9, Some([0.32, 0.69])), Some(Reason::SelfieFaceCovered));
        assert_eq!(problem(0.9, Some([0.55, 0.77])), Some(Reason::SelfieLowQuality));
        assert_eq!(problem(0.9, Some([0.55, 0.9])), Some(Reason::SelfieFaceCovered));
        assert_eq!(problem(0.9, None), Some(Reason::SelfieFaceCovered));
        for bare in [0.1, f32::NAN] {
            assert_eq!(problem(bare, Some([0.55, 0.77])), None, "{bare}");
        }
    }

    #[test]
    fn the_range_leaves_a_tenth_on_either_side() {
        assert_eq!(luma_range(std::iter::empty()), None);
        let range = luma_range((0..=100).map(|value| value * 2)).unwrap();
        assert_eq!(range, [20.0 / 255.0, 180.0 / 255.0]);
        let earlier: Quality = serde_json::from_str(r#"{"sharpness":0.5,"glare":0.0,"exposure":0.5}"#).unwrap();
        assert_eq!(earlier.face_range, None);
    }
}
