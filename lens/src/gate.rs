//! Turns assessments of frames into one hint at a time, and releases the shutter once every gate has held for half a second.

use crate::quality::Assessment;
use crate::stillness::STILL;
use domain::quality::QualityLimits;
use domain::reasons::Reason;

/// Every gate must hold this long before the shutter fires.
const HOLD_MS: u64 = 500;
/// A hint stays at least this long, so that it can be read and spoken.
const HINT_MS: u64 = 700;
/// Below this share of the framed picture the card is held too far away to be read.
const FAR: f32 = 0.36;
/// Above it there is no room left around the card.
const NEAR: f32 = 0.93;
/// `Outline::slant` from here on smears one end of the print.
const SLANTED: f32 = 0.16;

/// What the user should do, most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hint {
    /// No card in the frame.
    Find,
    /// The whole card in the frame.
    Whole,
    /// Closer.
    Closer,
    /// Farther.
    Farther,
    /// Hold level.
    Level,
    /// Hold still.
    Still,
    /// More light.
    Dark,
    /// Less glare.
    Glare,
    /// Not in focus.
    Focus,
    /// Good, hold.
    Good,
}

impl Hint {
    /// Every hint, most urgent first.
    pub const ALL: &'static [Self] = &[
        Self::Find,
        Self::Whole,
        Self::Closer,
        Self::Farther,
        Self::Level,
        Self::Still,
        Self::Dark,
        Self::Glare,
        Self::Focus,
        Self::Good,
    ];

    /// The reason code the server gives a picture with this fault; the rest are matters of the moment.
    #[must_use]
    pub const fn reason(self) -> Option<Reason> {
        match self {
            Self::Find => Some(Reason::DocumentNotFound),
            Self::Whole => Some(Reason::DocumentCutOff),
            Self::Dark => Some(Reason::DocumentTooDark),
            Self::Glare => Some(Reason::DocumentGlare),
            Self::Focus => Some(Reason::DocumentBlurry),
            Self::Closer | Self::Farther | Self::Level | Self::Still | Self::Good => None,
        }
    }

    /// The hint for one frame.
    #[must_use]
    pub fn of(assessment: &Assessment, motion: f32, limits: &QualityLimits) -> Self {
        let quality = assessment.quality;
        let (Some(outline), Some(coverage)) = (assessment.outline, quality.coverage) else {
            return Self::without_outline(assessment, limits);
        };
        if outline.cut_off {
            Self::Whole
        } else if coverage < FAR.max(limits.coverage) {
            Self::Closer
        } else if coverage > NEAR {
            Self::Farther
        } else if outline.slant() > SLANTED {
            Self::Level
        } else if motion > STILL {
            Self::Still
        } else if quality.exposure < limits.exposure {
            Self::Dark
        } else if quality.glare > limits.glare {
            Self::Glare
        } else if quality.sharpness < limits.sharpness {
            Self::Focus
        } else {
            Self::Good
        }
    }

    /// In the dark no outline can be found, and looking for the card would be the wrong advice.
    fn without_outline(assessment: &Assessment, limits: &QualityLimits) -> Self {
        if assessment.quality.exposure < limits.exposure {
            Self::Dark
        } else {
            Self::Find
        }
    }
}

/// What to do after a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The hint to show.
    pub hint: Hint,
    /// Whether every gate holds at this moment, whatever the hint still says.
    pub holds: bool,
    /// Whether to take the picture now.
    pub fire: bool,
}

/// Remembers the frames before. Times are milliseconds from any zero, as the caller's clock counts them.
#[derive(Clone, Debug)]
pub struct Gate {
    limits: QualityLimits,
    shown: Hint,
    shown_at: Option<u64>,
    good_since: Option<u64>,
}

impl Gate {
    /// A gate with nothing seen yet.
    #[must_use]
    pub const fn new(limits: QualityLimits) -> Self {
        Self {
            limits,
            shown: Hint::Find,
            shown_at: None,
            good_since: None,
        }
    }

    /// Takes one frame in.
    pub fn see(&mut self, now: u64, assessment: &Assessment, motion: f32) -> Seen {
        self.take(now, Hint::of(assessment, motion, &self.limits))
    }

    fn take(&mut self, now: u64, hint: Hint) -> Seen {
        let fire = if hint == Hint::Good {
            let since = *self.good_since.get_or_insert(now);
            now.saturating_sub(since) >= HOLD_MS
        } else {
            self.good_since = None;
            false
        };
        let read = self.shown_at.is_none_or(|at| now.saturating_sub(at) >= HINT_MS);
        if hint != self.shown && read || self.shown_at.is_none() {
            self.shown = hint;
            self.shown_at = Some(now);
        }
        Seen {
            hint: self.shown,
            holds: self.good_since.is_some(),
            fire,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gate() -> Gate {
        Gate::new(QualityLimits::default())
    }

    #[test]
    fn the_shutter_fires_when_all_is_well_for_half_a_second() {
        let mut gate = gate();
        assert!(!gate.take(0, Hint::Still).fire);
        assert!(!gate.take(100, Hint::Good).fire);
        assert!(!gate.take(599, Hint::Good).fire);
        assert!(gate.take(600, Hint::Good).fire);
    }

    #[test]
    fn one_bad_frame_starts_the_half_second_again() {
        let mut gate = gate();
        assert!(gate.take(0, Hint::Good).holds);
        let broken = gate.take(400, Hint::Glare);
        assert_eq!(
            (broken.hint, broken.holds),
            (Hint::Good, false),
            "the hint can still be read"
        );
        assert!(!gate.take(500, Hint::Good).fire);
        assert!(!gate.take(900, Hint::Good).fire);
        assert!(gate.take(1000, Hint::Good).fire);
    }

    proptest! {
        #[test]
        fn a_hint_stays_at_least_700_ms(frames in prop::collection::vec((1_u64..200, 0..Hint::ALL.len()), 1..200)) {
            let mut gate = gate();
            let (mut now, mut since, mut shown) = (0, 0, None);
            for (step, hint) in frames {
                now += step;
                let seen = gate.take(now, Hint::ALL[hint]);
                if let Some(before) = shown && before != seen.hint {
                    prop_assert!(now - since >= HINT_MS);
                    since = now;
                } else if shown.is_none() {
                    since = now;
                }
                shown = Some(seen.hint);
            }
        }
    }
}
