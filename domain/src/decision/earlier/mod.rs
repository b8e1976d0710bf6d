//! Findings from sessions that were approved before: the same document for another person, or the same face.

use super::{
    Evidence, Notes, Policy,
    document::{issuer, layouts, machine_first, value},
    evidence::kind_of_zone,
    match_confidence,
    score::ScoreName,
};
use crate::{
    document::{DocumentType, FieldName, OcrField},
    findings::{CodeReading, DocumentFindings, Face, Signature},
    input_match::{MatchItem, compare},
    reasons::Reason,
    user_input::UserInput,
};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

/// The person of an approved session.
#[derive(Clone, Debug, Default)]
pub struct Person {
    /// What was read from the document.
    pub fields: Vec<OcrField>,
    /// What was typed.
    pub typed: Option<UserInput>,
    /// The face of the selfie.
    pub face: Option<Face>,
}

/// The result of the face search among approved people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaceSearch {
    /// The tenant does not use it.
    #[default]
    NotWanted,
    /// The tenant uses it, but it was not made: the user did not agree, there are too many faces, or there is no face to search
    /// for.
    NotMade,
    /// Made: the smallest descriptor distance to another session's face, `None` if there was no face to compare with.
    Made(Option<f32>),
}

/// What earlier approved sessions say about this one's document and face.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// The people approved with the same document.
    pub holders: Vec<Person>,
    /// The face search.
    pub faces: FaceSearch,
    /// Reasons that were found in earlier sessions when this one was decided first: for deciding again by other thresholds,
    /// without searching again.
    pub noted: Vec<Reason>,
}

impl Earlier {
    /// What a stored decision with these reasons and this face search says about earlier sessions. `None`: it did not keep the search,
    /// so the reason that came of it stays.
    #[must_use]
    pub fn as_noted(reasons: &[Reason], faces: Option<FaceSearch>) -> Self {
        let is_of_earlier = |reason: &Reason| match reason {
            Reason::DocumentReused => true,
            Reason::DuplicatePerson => faces.is_none(),
            _ => false,
        };
        Self {
            noted: reasons.iter().copied().filter(is_of_earlier).collect(),
            faces: faces.unwrap_or_default(),
            ..Self::default()
        }
    }
}

/// What identifies a document: its kind, who issued it, and its number without spaces and punctuation, which is that of machine-readable data
/// if there is any: in print, a letter may be misread as a digit. `None` if the number was not read with certainty. An enhanced licence has a zone with
/// the number of another kind of card, which may be covered the next time: there it is that of its code.
///
/// The numbers of driving licences and identity cards of the United States and Canada are unique within a state or province (AAMVA DL/ID Card Design
/// Standard); their barcodes say in which. Where the state of a driving licence is not known, its layout stands for the states that share it.
#[must_use]
pub fn document_identity(kind: DocumentType, sides: &[DocumentFindings]) -> Option<[String; 3]> {
    let is_own = |code: &&CodeReading| code.kind == Some(kind) && code.signature != Signature::Invalid;
    let mut zones = sides.iter().filter_map(|side| side.mrz.as_ref());
    let has_own_zone = zones.any(|zone| kind_of_zone(zone) == Some(kind));
    let mut codes = sides.iter().flat_map(|side| &side.codes).filter(is_own);
    let own = codes.find_map(number).filter(|_| !has_own_zone);
    let read = || machine_first(sides).find_map(|side| value(side, FieldName::DocumentNumber));
    let number: String = own
        .or_else(read)?
        .nfkc()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_uppercase)
        .collect();
    let is_licence = kind == DocumentType::DrivingLicense;
    let of_layout = || shared_layout(sides).filter(|_| is_licence);
    let mut issuer = issuer(sides, kind).or_else(of_layout).unwrap_or_default();
    let by_region = (is_licence || kind == DocumentType::IdCard) && ["USA", "CAN"].contains(&issuer.as_str());
    let region = sides.iter().flat_map(|side| &side.codes).find_map(region);
    if let Some(region) = region.filter(|_| by_region) {
        issuer = format!("{issuer} {region}");
    }
    (!number.is_empty()).then(|| [kind.to_string(), issuer, number])
}

/// The name of the layout of a document, whichever side was recognised.
fn shared_layout(sides: &[DocumentFindings]) -> Option<String> {
    let name = &layouts(sides).next()?.layout;
    Some(name.trim_end_matches(".back").to_owned())
}

/// The number that a code has.
fn number(code: &CodeReading) -> Option<String> {
    let number = code
        .fields
        .iter()
        .find(|field| field.name == FieldName::DocumentNumber)?;
    number.normalized.clone()
}

/// Which authority a code names.
fn region(code: &CodeReading) -> Option<&str> {
    let authority = code
        .fields
        .iter()
        .find(|field| field.name == FieldName::IssuingAuthority)?;
    authority.normalized.as_deref()
}

pub(super) fn check(evidence: &Evidence<'_>, policy: &Policy, notes: &mut Notes) {
    let now = Person {
        fields: evidence.document.iter().flat_map(|side| side.fields.clone()).collect(),
        typed: evidence.typed.cloned(),
        face: evidence.selfie.and_then(|selfie| selfie.face.clone()),
    };
    for before in &evidence.earlier.holders {
        if is_another(&now, before, policy, notes) {
            notes.reason(Reason::DocumentReused);
        }
    }
    for reason in &evidence.earlier.noted {
        notes.reason(*reason);
    }
    match evidence.earlier.faces {
        FaceSearch::NotWanted | FaceSearch::Made(None) => {}
        FaceSearch::NotMade => notes.reason(Reason::CheckUnavailable),
        FaceSearch::Made(Some(distance)) => {
            let confidence = match_confidence(f64::from(distance));
            if notes.at_least(ScoreName::DuplicateFace, confidence, policy.duplicate_from) {
                notes.reason(Reason::DuplicatePerson);
            }
        }
    }
}

/// Whether one document was used by two people: their names, dates of birth or faces differ. If nothing can be compared, the
/// session goes to review.
fn is_another(now: &Person, before: &Person, policy: &Policy, notes: &mut Notes) -> bool {
    let mut same = None;
    for (fields, typed) in [(&now.fields, &before.typed), (&before.fields, &now.typed)] {
        let compared = compare(fields, typed.as_ref(), None).items;
        for item in [MatchItem::LastName, MatchItem::FirstName, MatchItem::BirthDate] {
            if let Some(matched) = compared.get(&item) {
                same = Some(same.unwrap_or(true) && *matched);
            }
        }
    }
    if let (Some(one), Some(other)) = (birth_date(now), birth_date(before)) {
        same = Some(same.unwrap_or(true) && one == other);
    }
    let distance = now
        .face
        .as_ref()
        .zip(before.face.as_ref())
        .and_then(|(a, b)| a.distance(b));
    if let Some(distance) = distance {
        let confidence = match_confidence(f64::from(distance));
        let matched = notes.at_least(ScoreName::SameHolder, confidence, policy.match_review);
        same = Some(same.unwrap_or(true) && matched);
    }
    same != Some(true)
}

fn birth_date(person: &Person) -> Option<&str> {
    let field = person.fields.iter().find(|field| field.name == FieldName::BirthDate)?;
    field.normalized.as_deref()
}

#[cfg(test)]
mod tests;

/// Evidence for each reason of this file.
#[cfg(test)]
pub(crate) mod scenarios {
    use super::*;
    use crate::decision::coverage_tests::Scenario;

    pub(crate) const ALL: &[Scenario] = &[
        (Reason::DocumentReused, |case| {
            case.earlier.holders.push(Person::default())
        }),
        (Reason::DuplicatePerson, |case| {
            case.earlier.faces = FaceSearch::Made(Some(0.1))
        }),
    ];
}
