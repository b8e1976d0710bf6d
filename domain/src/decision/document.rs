//! The document: complete, legible, in date, and genuine on positive evidence.

use super::{Evidence, Notes, Policy, across};
use crate::{
    document::{DocumentType, FieldName, Side},
    findings::{DocumentFindings, MrzFormat, MrzReading, Unavailable},
    outcome::{Authenticity, DocumentCheck},
    quality::document_problems,
    reasons::Reason,
    user_input::CivilDate,
};

/// Share of near-grey pixels of a photocopy is 1.0, of originals 0.22 to 0.55; real monochrome documents exist.
const GREY_LIMIT: f64 = 0.97;
/// z-score of a raster: screens 9 to 11, originals about 5; two printed rasters reached 9.8.
const RASTER_LIMIT: f64 = 9.0;
/// Share of comparable items of the machine-readable zone that the visual zone must repeat.
const AGREEMENT_LIMIT: f64 = 0.5;
/// A reading below this mean log-probability per symbol was forced.
const READING_LIMIT: f64 = -0.5;

pub(super) fn check(evidence: &Evidence<'_>, policy: &Policy, notes: &mut Notes) -> DocumentCheck {
    let (Some(kind), false) = (evidence.document_type, evidence.document.is_empty()) else {
        notes.reason(Reason::DocumentSideMissing);
        return DocumentCheck {
            performed: false,
            document_type: evidence.document_type,
            authenticity: None,
        };
    };
    let available = !evidence
        .document
        .iter()
        .any(|side| side.unavailable.contains(&Unavailable::Text));
    if !available || evidence.document.iter().any(|side| !side.unavailable.is_empty()) {
        notes.reason(Reason::CheckUnavailable);
    }
    let before = notes.reasons.len();
    sides(evidence, kind, notes);
    for side in evidence.document {
        for problem in document_problems(&side.quality, &policy.quality()) {
            notes.reason(problem);
        }
    }
    let evidence_is_positive = reading(evidence, kind, notes) & portrait(evidence, notes) & dates(evidence, notes);
    let suspicious = signals(evidence, policy, notes);
    let clean = notes.reasons.len() == before;
    let authenticity = match (available, suspicious) {
        (false, _) => None,
        (true, true) => Some(Authenticity::Suspicious),
        (true, false) if clean && evidence_is_positive => Some(Authenticity::Authentic),
        (true, false) => Some(Authenticity::Unknown),
    };
    if authenticity == Some(Authenticity::Unknown) {
        notes.reason(Reason::DocumentAuthenticityUnknown);
    }
    DocumentCheck {
        performed: available,
        document_type: Some(kind),
        authenticity,
    }
}

fn sides(evidence: &Evidence<'_>, kind: DocumentType, notes: &mut Notes) {
    let present = |side: &Side| evidence.document.iter().any(|findings| findings.side == *side);
    if !kind.sides().iter().all(present) {
        notes.reason(Reason::DocumentSideMissing);
    }
    let mut numbers = evidence
        .document
        .iter()
        .filter_map(|side| value(side, FieldName::DocumentNumber));
    if let (Some(front), Some(back)) = (numbers.next(), numbers.next())
        && front != back
    {
        notes.reason(Reason::DocumentSidesMismatch);
    }
}

/// Whether machine-readable data is there, whole and the right kind's.
fn reading(evidence: &Evidence<'_>, kind: DocumentType, notes: &mut Notes) -> bool {
    let mrz = evidence.document.iter().find_map(|side| side.mrz.as_ref());
    let Some(mrz) = mrz else {
        let readable = evidence.document.iter().any(|side| side.text_lines > 0);
        if kind.has_mrz() || !readable {
            notes.reason(Reason::DocumentUnreadable);
        }
        return false;
    };
    if kind.has_mrz() && !format_fits(kind, mrz) {
        notes.reason(Reason::DocumentTypeMismatch);
    }
    let whole = mrz.checks_total > 0 && mrz.checks_passed == mrz.checks_total;
    if !whole {
        notes.reason(Reason::DocumentMrzChecksumFailed);
    }
    let agreed = evidence
        .document
        .iter()
        .filter_map(|side| side.viz_agreement)
        .reduce(f32::max)
        .or_else(|| across::agreement(evidence.document));
    let consistent = agreed.is_none_or(|share| notes.at_least("zones_agree", f64::from(share), AGREEMENT_LIMIT));
    if !consistent {
        notes.reason(Reason::DocumentDataInconsistent);
    }
    let sure = notes.at_least("mrz_reading", f64::from(mrz.log_probability), READING_LIMIT);
    whole && consistent && sure && agreed.is_some()
}

fn format_fits(kind: DocumentType, mrz: &MrzReading) -> bool {
    let code = mrz.lines.first().and_then(|line| line.chars().next());
    match kind {
        DocumentType::Passport => mrz.format == MrzFormat::Td3 && code == Some('P'),
        // ICAO 9303-5 and -6: A, C or I; never a passport's P or a visa's V.
        DocumentType::IdCard => {
            matches!(mrz.format, MrzFormat::Td1 | MrzFormat::Td2) && matches!(code, Some('A' | 'C' | 'I'))
        }
        _ => true,
    }
}

fn portrait(evidence: &Evidence<'_>, notes: &mut Notes) -> bool {
    let front = evidence.document.iter().find(|side| side.side == Side::Front);
    let found = front.is_some_and(|side| side.portrait.is_some());
    if front.is_some_and(|side| side.portrait.is_none() && side.unavailable.is_empty()) {
        notes.reason(Reason::DocumentPortraitMissing);
    }
    found
}

/// Whether the document is known to be in date. One without a legible date of expiry may be in date, but nobody has seen it:
/// ICAO 9303-5 allows fillers there for documents that never expire.
fn dates(evidence: &Evidence<'_>, notes: &mut Notes) -> bool {
    let date = |name| {
        evidence
            .document
            .iter()
            .find_map(|side| value(side, name))
            .and_then(|text| CivilDate::parse(&text))
    };
    let expiry = date(FieldName::ExpiryDate);
    if expiry.is_some_and(|day| day < evidence.today) {
        notes.reason(Reason::DocumentExpired);
    }
    let born_later = |other| match (date(FieldName::BirthDate), other) {
        (Some(birth), Some(other)) => birth >= other,
        _ => false,
    };
    let issued = date(FieldName::IssueDate);
    if born_later(issued) || born_later(Some(evidence.today)) || issued.is_some_and(|day| day > evidence.today) {
        notes.reason(Reason::DocumentDataInconsistent);
    }
    expiry.is_some()
}

/// Notes every sign against the document; returns whether there is one.
fn signals(evidence: &Evidence<'_>, policy: &Policy, notes: &mut Notes) -> bool {
    let mut suspicious = notes.reasons.contains(&Reason::DocumentDataInconsistent)
        || notes.reasons.contains(&Reason::DocumentSidesMismatch);
    for side in evidence.document {
        if side
            .grey_share
            .is_some_and(|share| !notes.at_most("grey_share", f64::from(share), GREY_LIMIT))
        {
            notes.reason(Reason::DocumentNotInColor);
            suspicious = true;
        }
        if side
            .raster_z
            .is_some_and(|z| !notes.at_most("raster", f64::from(z), RASTER_LIMIT))
        {
            notes.reason(Reason::DocumentScreenCapture);
            suspicious = true;
        }
        if !policy.accept_specimens && side.specimen_words {
            notes.reason(Reason::DocumentSpecimen);
            suspicious = true;
        }
    }
    suspicious
}

fn value(side: &DocumentFindings, name: FieldName) -> Option<String> {
    side.fields
        .iter()
        .find(|field| field.name == name)
        .and_then(|field| field.normalized.clone())
}
