//! What prevented a selfie from starting. When the time is up, naming the cause helps more than saying that the time is up.

/// The latest advice before anything was requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Obstacle {
    advice: Option<String>,
    is_past: bool,
}

impl Obstacle {
    /// Takes note of an answer to a frame: its sentence, whether all was well, and whether a movement was requested.
    pub fn see(&mut self, sentence: String, is_well: bool, is_request: bool) {
        self.is_past |= is_request;
        if !is_well && !sentence.is_empty() {
            self.advice = Some(sentence);
        }
    }

    /// What to say of it; `None` if nothing was in the way, or if it was overcome.
    #[must_use]
    pub fn into_lead(self) -> Option<String> {
        self.advice.filter(|_| !self.is_past)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said after these answers: the sentence, whether all is well, whether a movement is requested.
    fn lead(answers: &[(&str, bool, bool)]) -> Option<String> {
        let mut obstacle = Obstacle::default();
        for (sentence, is_well, is_request) in answers {
            obstacle.see((*sentence).to_owned(), *is_well, *is_request);
        }
        obstacle.into_lead()
    }

    #[test]
    fn what_was_in_the_way_last_is_said_when_the_time_is_over() {
        let (near, dark, still) = (
            ("Move a little closer", false, false),
            ("Too dark", false, false),
            ("Hold still", true, false),
        );
        assert_eq!(lead(&[near, dark]).as_deref(), Some("Too dark"));
        // A moment in which all was well does not take it away.
        assert_eq!(lead(&[dark, still]).as_deref(), Some("Too dark"));
        assert_eq!(lead(&[still]), None);
        assert_eq!(lead(&[]), None);
    }

    #[test]
    fn nothing_was_in_the_way_once_a_movement_was_requested() {
        let dark = ("Too dark", false, false);
        let turn = ("Turn your head", false, true);
        assert_eq!(lead(&[dark, turn]), None);
        assert_eq!(lead(&[dark, turn, dark]), None);
    }
}
