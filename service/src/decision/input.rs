//! The input of a decision: the findings of the pictures that a session relies on, and what was typed and pre-registered.

use crate::{
    capture::{
        details::typed,
        findings::findings_of_document,
        progress::{AttemptState, Slot},
    },
    runtime::sealed_json::{open_column, open_json},
};
use domain::{
    document::{OcrField, Side},
    findings::{DocumentFindings, ModelHash, Quality, SelfieFindings, Unavailable, take_superseded},
    request::PreRegistered,
    secret::Personal,
    user_input::UserInput,
};
use store::{
    StoreError,
    vault::{SealedValue, SessionKey},
};

/// Findings and details.
pub(crate) struct DecisionInput {
    /// Each side.
    pub(crate) document: Vec<DocumentFindings>,
    /// The last selfie.
    pub(crate) selfie: Option<SelfieFindings>,
    /// The details as typed.
    pub(crate) typed: Option<Personal<UserInput>>,
    /// What the tenant pre-registered.
    pub(crate) known: Option<Personal<PreRegistered>>,
}

impl DecisionInput {
    /// Decrypts all of it; a picture whose analysis was given up has findings that say so.
    ///
    /// # Errors
    /// If a stored item cannot be decrypted or parsed.
    pub(crate) fn of(attempt: &AttemptState, key: &SessionKey) -> Result<Self, StoreError> {
        let mut document: Vec<DocumentFindings> = findings_of_document(attempt, key)?
            .into_iter()
            .filter_map(|(slot, found)| match slot {
                Slot::Document(side) => Some(found.map_or_else(|| unassessed_document(side), Personal::into_exposed)),
                Slot::Selfie => None,
            })
            .collect();
        take_superseded(&mut document);
        Ok(Self {
            document,
            selfie: selfie(attempt, key)?,
            typed: typed(attempt, key)?,
            known: open_column(
                key,
                &attempt.row.associated_data(SealedValue::Known),
                attempt.row.known.as_ref(),
            )?,
        })
    }

    /// The models that found it, each once.
    pub(crate) fn models(&self) -> Vec<ModelHash> {
        let document = self.document.iter().flat_map(|side| side.models.clone());
        let selfie = self.selfie.iter().flat_map(|selfie| selfie.models.clone());
        let mut models: Vec<ModelHash> = document.chain(selfie).collect();
        models.sort_by(|a, b| a.name.cmp(&b.name));
        models.dedup();
        models
    }

    /// What was read; `None` without a document.
    pub(crate) fn fields(&self) -> Option<Vec<OcrField>> {
        let fields = self.document.iter().flat_map(|side| side.fields.clone());
        (!self.document.is_empty()).then(|| fields.collect())
    }
}

/// What was found on the last selfie.
pub(crate) fn selfie(attempt: &AttemptState, key: &SessionKey) -> Result<Option<SelfieFindings>, StoreError> {
    let capture = attempt
        .relied_on()
        .into_iter()
        .find(|capture| capture.slot == Slot::Selfie);
    let Some(capture) = capture else { return Ok(None) };
    let associated_data = attempt.row.associated_data(SealedValue::Findings(&capture.id));
    let found = capture
        .findings
        .as_ref()
        .map(|sealed| open_json(key, &associated_data, sealed))
        .transpose()?;
    Ok(Some(found.map_or_else(
        || unassessed_selfie(capture.frames.len()),
        Personal::into_exposed,
    )))
}

/// A side whose analysis was given up: nothing was measured, and the models count as missing.
fn unassessed_document(side: Side) -> DocumentFindings {
    DocumentFindings {
        quality: UNJUDGED,
        unavailable: Unavailable::ALL.to_vec(),
        ..DocumentFindings::none(side)
    }
}

/// A selfie whose analysis was given up.
fn unassessed_selfie(frames: usize) -> SelfieFindings {
    SelfieFindings {
        quality: UNJUDGED,
        frames: u32::try_from(frames).unwrap_or(u32::MAX),
        unavailable: vec![Unavailable::Face],
        ..SelfieFindings::none()
    }
}

/// A picture that was not judged has no problems.
const UNJUDGED: Quality = Quality {
    sharpness: 1.0,
    glare: 0.0,
    exposure: 0.5,
    face_range: None,
    coverage: None,
    cut_off: None,
    obstructed: None,
};
