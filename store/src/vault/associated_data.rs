//! What encrypted personal data is bound to: the associated data of its encryption. Everything that is encrypted with a session's data key is listed
//! here, so that no two kinds share a name and no name changes: data under an old name could no longer be decrypted.

use super::DataKeyId;
use domain::{
    ids::{CaptureId, SessionId, TenantId},
    session::AttemptNumber,
};
use std::borrow::Cow;

/// The associated data of a value that is encrypted with a session's data key. A value that was moved to another tenant or session, or to where
/// another value belongs, cannot be decrypted.
#[derive(Clone, Copy, Debug)]
pub struct AssociatedData<'a> {
    tenant: &'a TenantId,
    session: &'a SessionId,
    value: SealedValue<'a>,
}

impl<'a> AssociatedData<'a> {
    /// The associated data of a value of this session, which is this tenant's.
    #[must_use]
    pub const fn new(tenant: &'a TenantId, session: &'a SessionId, value: SealedValue<'a>) -> Self {
        Self { tenant, session, value }
    }

    /// The bytes that the cipher authenticates, under the key with this id.
    pub(super) fn bytes(&self, key: &DataKeyId) -> Vec<u8> {
        context(
            &[
                "honnin/data/1",
                self.tenant.as_str(),
                self.session.as_str(),
                &self.value.name(),
                key.as_str(),
            ]
            .map(str::as_bytes),
        )
    }
}

/// What is encrypted with a session's data key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealedValue<'a> {
    /// `state`, UTF-8.
    State,
    /// `preRegisteredInfo`, JSON.
    Known,
    /// `userInputInfo` as submitted, JSON.
    Typed,
    /// `documentOcr.fields`, JSON.
    Ocr,
    /// The note of a reviewer's decision that ends the case, UTF-8: in the session, its events, and while the decision is pending or undone.
    Note,
    /// The note with which a reviewer asked again after this attempt, UTF-8.
    ReviewNote(AttemptNumber),
    /// The details as typed in an attempt, before it is submitted, JSON.
    AttemptTyped,
    /// What was typed and is not confirmed, JSON.
    AttemptDraft,
    /// What the automatic decision on this attempt is based on, JSON.
    Explanation(AttemptNumber),
    /// A picture, by its name in the object store.
    Picture(&'a str),
    /// What was found in the pictures of a capture, JSON.
    Findings(&'a CaptureId),
    /// What the frames of a selfie in the colours of the screen showed of the face, JSON.
    Flashes(&'a CaptureId),
    /// The descriptor by which the face is found again, as little-endian numbers.
    Face,
    /// How far a run of the selfie camera is, JSON: the token that the browser sends with its next frame.
    SelfieRun,
    /// The link in the response to a creation, kept for a retry, UTF-8.
    Link,
}

impl<'a> SealedValue<'a> {
    fn name(self) -> Cow<'a, str> {
        match self {
            Self::State => "state".into(),
            Self::Known => "known".into(),
            Self::Typed => "typed".into(),
            Self::Ocr => "ocr".into(),
            Self::Note => "note".into(),
            Self::ReviewNote(attempt) => format!("review-note-{attempt}").into(),
            Self::AttemptTyped => "attempt-typed".into(),
            Self::AttemptDraft => "attempt-draft".into(),
            Self::Explanation(attempt) => format!("explanation-{attempt}").into(),
            Self::Picture(object) => object.into(),
            Self::Findings(capture) => format!("findings-{capture}").into(),
            Self::Flashes(capture) => format!("flashes-{capture}").into(),
            Self::Face => "identity-face".into(),
            Self::SelfieRun => "selfie-run".into(),
            Self::Link => "idempotency.link".into(),
        }
    }
}

/// Associated data as bytes: each part with its length, so that no two lists of parts are encoded alike.
pub(super) fn context(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::SessionKey;
    use std::{collections::BTreeSet, sync::Arc};
    use zeroize::Zeroizing;

    #[test]
    fn a_value_that_an_earlier_version_encrypted_is_decrypted() {
        let (tenant, session) = (TenantId::from_random([0x11; 16]), SessionId::from_random([0x22; 16]));
        let bound_to = [
            b"\0\0\0\0\0\0\0\x0dhonnin/data/1".as_slice(),
            b"\0\0\0\0\0\0\0\x23tn_11111111111111111111111111111111",
            b"\0\0\0\0\0\0\0\x23vs_22222222222222222222222222222222",
            b"\0\0\0\0\0\0\0\x04note",
            b"\0\0\0\0\0\0\0\x23dk_33333333333333333333333333333333",
        ]
        .concat();
        let sealed = ::seal::encrypt(&[4; 32], b"Called back.", &bound_to).unwrap();
        let key = SessionKey {
            id: DataKeyId::parse(&format!("dk_{}", "33".repeat(16))).unwrap(),
            key: Arc::new(Zeroizing::new([4; 32])),
        };
        let note = AssociatedData::new(&tenant, &session, SealedValue::Note);
        assert_eq!(key.open(&note, &sealed).unwrap().expose(), b"Called back.");
        assert_eq!(note.bytes(key.id()), bound_to);
    }

    #[test]
    fn every_value_keeps_the_name_that_it_was_encrypted_under_and_none_has_the_name_of_another() {
        let capture = CaptureId::from_random([0x44; 16]);
        let (first, second) = (AttemptNumber::FIRST, AttemptNumber::FIRST.next());
        let names = [
            (SealedValue::State, "state"),
            (SealedValue::Known, "known"),
            (SealedValue::Typed, "typed"),
            (SealedValue::Ocr, "ocr"),
            (SealedValue::Note, "note"),
            (SealedValue::ReviewNote(first), "review-note-1"),
            (SealedValue::ReviewNote(second), "review-note-2"),
            (SealedValue::AttemptTyped, "attempt-typed"),
            (SealedValue::AttemptDraft, "attempt-draft"),
            (SealedValue::Explanation(first), "explanation-1"),
            (SealedValue::Explanation(second), "explanation-2"),
            (
                SealedValue::Picture("cap_44444444444444444444444444444444-0"),
                "cap_44444444444444444444444444444444-0",
            ),
            (
                SealedValue::Findings(&capture),
                "findings-cap_44444444444444444444444444444444",
            ),
            (
                SealedValue::Flashes(&capture),
                "flashes-cap_44444444444444444444444444444444",
            ),
            (SealedValue::Face, "identity-face"),
            (SealedValue::SelfieRun, "selfie-run"),
            (SealedValue::Link, "idempotency.link"),
        ];
        for (value, name) in names {
            assert_eq!(value.name(), name, "{value:?}");
        }
        let different: BTreeSet<_> = names.iter().map(|(_, name)| name).collect();
        assert_eq!(different.len(), names.len());
    }
}
