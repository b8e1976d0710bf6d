//! The findings of the document pictures that the decision will be based on.

use crate::{
    capture::progress::{AttemptState, Slot},
    runtime::sealed_json::open_json,
};
use domain::{findings::DocumentFindings, secret::Personal};
use store::{
    StoreError,
    vault::{SealedValue, SessionKey},
};

/// A side with its findings; `None` if its analysis was given up or is not finished yet.
pub(crate) type SideFindings = (Slot, Option<Personal<DocumentFindings>>);

/// The findings of each side that the decision is based on.
pub(crate) fn findings_of_document(attempt: &AttemptState, key: &SessionKey) -> Result<Vec<SideFindings>, StoreError> {
    let sides = attempt
        .relied_on()
        .into_iter()
        .filter(|capture| capture.slot != Slot::Selfie);
    sides
        .map(|capture| {
            let associated_data = attempt.row.associated_data(SealedValue::Findings(&capture.id));
            let found = capture
                .findings
                .as_ref()
                .map(|sealed| open_json(key, &associated_data, sealed));
            Ok((capture.slot, found.transpose()?))
        })
        .collect()
}
