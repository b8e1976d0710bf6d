//! What a screen reader is told while the camera is on. Hints change several times a second: a screen reader that was given all of them
//! would still be reading the first when the fifth is shown.

/// Least time between two pieces of advice, in milliseconds: a short sentence is read out in that.
const PAUSE_MS: u64 = 2_000;
/// For how long the page must show the same advice: a single frame may show anything.
const STEADY_MS: u64 = 400;

/// What was announced, and what is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announcer {
    said: String,
    said_at: Option<u64>,
    shown: String,
    shown_since: u64,
}

impl Announcer {
    /// Whether to announce this sentence, which the page shows at `now`. A request is announced at once.
    pub fn sees(&mut self, now: u64, sentence: &str, is_request: bool) -> bool {
        if self.shown != sentence {
            sentence.clone_into(&mut self.shown);
            self.shown_since = now;
        }
        if sentence.is_empty() || self.said == sentence {
            return false;
        }
        let is_steady = now.saturating_sub(self.shown_since) >= STEADY_MS;
        let is_over = self.said_at.is_none_or(|at| now.saturating_sub(at) >= PAUSE_MS);
        let is_due = is_request || is_steady && is_over;
        if is_due {
            sentence.clone_into(&mut self.said);
            self.said_at = Some(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is announced of these sentences, each with its time and whether it is a request.
    fn said(shown: &[(u64, &'static str, bool)]) -> Vec<(u64, &'static str)> {
        let mut announcer = Announcer::default();
        let said = shown
            .iter()
            .filter(|(now, sentence, is_request)| announcer.sees(*now, sentence, *is_request));
        said.map(|(now, sentence, _)| (*now, *sentence)).collect()
    }

    #[test]
    fn advice_is_announced_once_it_is_steady_and_the_one_before_was_read_out() {
        let advice = |now, sentence| (now, sentence, false);
        let shown = [
            advice(0, "closer"),
            advice(250, "closer"),
            advice(500, "closer"),
            // A single frame.
            advice(750, "no face"),
            advice(1_000, "closer"),
            advice(1_250, "hold still"),
            advice(1_750, "hold still"),
            advice(2_250, "hold still"),
            advice(2_500, "hold still"),
            advice(2_750, "hold still"),
        ];
        assert_eq!(said(&shown), [(500, "closer"), (2_500, "hold still")]);
    }

    #[test]
    fn a_request_is_announced_at_once_and_only_once() {
        let shown = [
            (0, "hold still", false),
            (400, "hold still", false),
            (500, "turn left", true),
            (750, "turn left", false),
            (2_600, "other way", false),
            (3_100, "other way", false),
            (3_350, "turn left", false),
            (3_850, "turn left", false),
            (5_100, "turn left", false),
            (5_200, "look straight", true),
            (5_300, "", false),
        ];
        assert_eq!(
            said(&shown),
            [
                (400, "hold still"),
                (500, "turn left"),
                (3_100, "other way"),
                (5_100, "turn left"),
                (5_200, "look straight")
            ]
        );
    }
}
