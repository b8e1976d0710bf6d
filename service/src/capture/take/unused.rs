//! Pictures that are decoded but not kept: damaged files, those whose client disconnects meanwhile, and those superseded by another
//! window. They use up no try but cost as much as the others, so their number is limited.

use super::CaptureError;
use crate::{
    Honnin,
    capture::progress::StepRefused,
    people::try_counter::{WINDOW, counter_name},
};
use domain::{
    ids::SessionId,
    time::{Millis, Timestamp},
};
use store::{StoreError, Tx, people::try_counters};

/// Most of them of a session within 15 minutes. A person who chooses wrong files, or whose connection breaks, needs a few.
pub const MOST_UNUSED: i64 = 30;
/// That of all these counters, which are removed together.
const SPAN: Millis = WINDOW;

/// A picture that is counted as unused until it is kept.
#[derive(Clone)]
pub(super) struct CountedPicture {
    counter: Vec<u8>,
    at: Timestamp,
}

impl CountedPicture {
    /// Counts a picture of `session` that is about to be decoded, so that a client that disconnects before the end is counted as well.
    ///
    /// # Errors
    /// [`CaptureError::Busy`] after too many that were not kept.
    pub(super) async fn begin(honnin: &Honnin, session: &SessionId) -> Result<Self, CaptureError> {
        let counted = Self {
            counter: counter_name("unused picture", [session.as_str()]),
            at: honnin.now(),
        };
        let new = counted.clone();
        let unit = honnin
            .db
            .write(async move |tx| try_counters::count(tx, &new.counter, new.at, SPAN).await);
        if unit.await? > MOST_UNUSED {
            return Err(CaptureError::Busy);
        }
        Ok(counted)
    }

    /// The result of what was counted. It does not count after all if nothing was decoded, or if the server could not store it: a phone
    /// tries again until it can.
    pub(super) async fn settle<T>(&self, honnin: &Honnin, taken: Result<T, CaptureError>) -> Result<T, CaptureError> {
        let is_free = matches!(
            taken,
            Err(CaptureError::NoTryLeft | CaptureError::Busy | CaptureError::StepRefused(StepRefused::Store(_)))
        );
        if is_free && let Err(error) = self.take_back(honnin).await {
            tracing::warn!(%error, "a picture that was not stored counts as unused");
        }
        taken
    }

    /// Lets it not count after all.
    pub(super) async fn take_back(&self, honnin: &Honnin) -> Result<(), StoreError> {
        let counted = self.clone();
        let unit = honnin.db.write(async move |tx| counted.keep(tx).await);
        unit.await
    }

    /// The picture is kept, in the caller's unit.
    pub(super) async fn keep(&self, tx: &mut Tx) -> Result<(), StoreError> {
        try_counters::take_back(tx, &self.counter, self.at).await
    }
}
