//! Distinguishes a running camera that shows only black from one that shows something.

/// A picture this black for this long counts as no picture.
const BLACK: f32 = 0.006;
const BLACK_AFTER_MS: u64 = 5_000;

/// How long the camera has shown only black. Only a frame starts that time, because there may be seconds between two.
#[derive(Clone, Copy, Debug, Default)]
pub struct Light(Option<u64>);

impl Light {
    /// Takes note of how light a frame is, from 0 to 1. The time is any monotonic clock's, in milliseconds.
    pub fn see(&mut self, at: u64, exposure: f32) {
        self.0 = if exposure > BLACK { None } else { self.0.or(Some(at)) };
    }

    /// Whether nothing has been seen for too long.
    #[must_use]
    pub fn is_out(&self, at: u64) -> bool {
        self.0.is_some_and(|since| at.saturating_sub(since) > BLACK_AFTER_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_black_frame_after_a_long_wait_is_not_a_black_camera() {
        let mut light = Light::default();
        light.see(60_000, 0.0);
        assert!(!light.is_out(60_000), "the first frame came late");
        light.see(60_250, 0.5);
        light.see(70_000, 0.0);
        assert!(!light.is_out(70_000), "the server kept the page waiting");
    }

    #[test]
    fn a_camera_that_stays_black_is_out_after_some_seconds() {
        let mut light = Light::default();
        for at in (1_000..=6_000).step_by(250) {
            light.see(at, 0.003);
            assert!(!light.is_out(at), "{at}");
        }
        light.see(6_250, 0.003);
        assert!(light.is_out(6_250));
    }

    #[test]
    fn a_frame_with_light_starts_the_time_again() {
        let mut light = Light::default();
        light.see(1_000, 0.0);
        light.see(5_000, 0.1);
        assert!(!light.is_out(7_000));
        light.see(7_000, 0.0);
        assert!(!light.is_out(12_000));
        assert!(light.is_out(12_001));
    }
}
