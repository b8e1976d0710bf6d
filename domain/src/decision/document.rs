//! Judges the document: whether it is complete, legible, valid, and shown to be genuine by positive evidence.

use super::{
    Evidence, Notes, Policy, across,
    evidence::{
        Accepted, MachineReadable, READING_LIMIT, has_issuer, is_known, is_legible, is_whole, kind_of_zone,
        may_have_code, of_code, provable, state_of_zone,
    },
    score::ScoreName,
    shown,
};
use crate::{
    civil_date,
    document::{DocumentType, FieldName, JAPAN, OcrField, Side},
    findings::{
        CodeReading, DocumentFindings, LABELS_IN_PLACE, LayoutReading, MrzFormat, MrzReading, Signature, Unavailable,
    },
    named::Named,
    outcome::{Authenticity, DocumentCheck},
    quality::document_problems,
    reasons::Reason,
};
use time::{Date, Duration, macros::date};

/// Share of near-grey pixels of a photocopy is 1.0, of originals 0.22 to 0.55; real monochrome documents exist.
pub(super) const GREY_LIMIT: f64 = 0.97;
/// z-score of a raster: of 23 rendered screens 22 lie above 7.2, and the 24 highest of 456 rendered originals below 5.8.
pub(super) const RASTER_LIMIT: f64 = 7.0;
/// z-score of a raster that is the same all over the document: of 24 rendered colour prints 20 lie above it, and the highest of 110 originals at 7.9 (docs/decisions/0052).
pub(super) const HALFTONE_LIMIT: f64 = 9.0;
/// Where both are above their limits, a printer made the raster if it stands out this many times more in the mean: 1.26 to 2.3 times on 7 rendered prints.
/// On 2 rendered screens it was 1.1 and 1.6 times, so one of them is named as a print.
const PRINTED: f32 = 1.2;
/// Descriptor distance from which a document's second portrait is of somebody else: 0.16 to 0.32 on rendered documents, 0.53 to 0.85
/// where the first was replaced.
pub(super) const PORTRAITS_DIFFER: f64 = 0.5;
/// Share of a layout's hidden items from which something covers the document.
pub(super) const HIDDEN_LIMIT: f64 = 0.4;
/// Share of comparable items of the machine-readable zone that the visual zone must repeat.
pub const AGREEMENT_LIMIT: f64 = 0.5;

/// Driving history certificates issued from this day on identify their holder indefinitely (enforcement ordinance of the act on prevention
/// of transfer of criminal proceeds, article 7).
const HISTORY_CERTIFICATES_IDENTIFY: Date = date!(2012 - 04 - 01);
/// Days of the longest row of days off in Japan, from 27 April to 6 May 2019.
const LONGEST_HOLIDAY: i64 = 10;

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
        if let Some(layout) = side.layout.as_ref().filter(|layout| is_known(layout))
            && !notes.at_most(ScoreName::LayoutHidden, f64::from(layout.hidden), HIDDEN_LIMIT)
        {
            notes.reason(Reason::DocumentObstructed);
        }
        for problem in document_problems(&side.quality, &policy.quality()) {
            notes.reason(problem);
        }
    }
    let proved = proved(evidence, kind, policy, notes) & portrait(evidence, notes) & dates(evidence, kind, notes);
    contradictions(evidence, notes);
    let suspicious = signals(evidence, policy, notes);
    let clean = notes.reasons.len() == before;
    let authenticity = match (available, suspicious) {
        (false, _) => None,
        (true, true) => Some(Authenticity::Suspicious),
        (true, false) if clean && proved => Some(Authenticity::Authentic),
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
    for (index, picture) in evidence.document.iter().enumerate() {
        for reason in shown::retake_reasons(kind, picture, &evidence.document[..index]) {
            notes.reason(reason);
        }
        if picture
            .mrz
            .as_ref()
            .is_some_and(|zone| is_whole(zone) && kind_of_zone(zone).is_none())
        {
            notes.reason(Reason::DocumentTypeNotSupported);
        }
    }
    match across::numbers(evidence.document) {
        across::Numbers::OfAnotherCard => notes.reason(Reason::DocumentSidesMismatch),
        across::Numbers::Differ => notes.reason(Reason::DocumentDataInconsistent),
        across::Numbers::Agree => {}
    }
}

/// Whether the pictures contain evidence of this kind of document that the tenant accepts. Data of any other kind does not
/// count.
fn proved(evidence: &Evidence<'_>, kind: DocumentType, policy: &Policy, notes: &mut Notes) -> bool {
    if !evidence
        .document
        .iter()
        .any(|side| side.text_lines > 0 || side.mrz.is_some())
    {
        notes.reason(Reason::DocumentUnreadable);
    }
    let by_zone = by_zone(evidence, kind, policy, notes);
    let by_code = by_codes(evidence, kind, notes);
    let visually = policy.accepted == Accepted::Visual && provable(kind).visually && by_layout(evidence, kind, notes);
    let visually = visually && !has_items_of_another_zone(evidence.document, kind);
    let zones = || evidence.document.iter().filter_map(|side| side.mrz.as_ref());
    let visually = visually && zones().all(|zone| across::prints_surname(zone, evidence.document));
    let is_uncoded = !has_items_of_codes(evidence.document, kind);
    let by_machine = (by_code || by_zone && is_uncoded) && across::gives_days_of_backs(evidence.document);
    (by_machine || visually && is_uncoded) && prints_days_of_zones(evidence.document)
}

/// Whether the print repeats the days of every zone that gives items. Those of a zone go first even where a code or the layout proves the
/// document: a strip could say that it is still in date.
fn prints_days_of_zones(document: &[DocumentFindings]) -> bool {
    let mut sides = document.iter().filter(|side| has_items_of_zone(side));
    sides.all(|side| is_dated(side, document))
}

/// Whether the front repeats the days that a back with a code prints beside that. They are taken for the document's where the code has none: with a thumb on
/// the day on which the card expired, a label with a later one could be on its back, beside a barcode without a last day.
fn prints_days_of_back(side: &DocumentFindings, document: &[DocumentFindings]) -> bool {
    // The days of a zone are compared wherever it is.
    side.side == Side::Front || has_items_of_zone(side) || across::prints_days(&side.fields, None, side, document)
}

/// Whether the print repeats the days of a side with a zone. A page that agrees with its zone repeats the days of that, but not those
/// that a code completes it with.
fn is_dated(side: &DocumentFindings, document: &[DocumentFindings]) -> bool {
    let codes = side.codes.iter().filter(|code| code.signature != Signature::Invalid);
    let is_day = |field: &OcrField| matches!(field.name, FieldName::BirthDate | FieldName::ExpiryDate);
    let has_days_of_codes = codes.flat_map(|code| &code.fields).any(is_day);
    let agrees = side
        .viz_agreement
        .is_some_and(|share| f64::from(share) >= AGREEMENT_LIMIT);
    agrees && !has_days_of_codes || across::prints_days(&side.fields, side.mrz.as_ref(), side, document)
}

/// Whether a code gives items that go before those in print, such as the name in a barcode that somebody printed beside a licence: where no code is
/// proved, nobody vouches for these. The zone of a card gives its own items first, unless its names are in doubt; the line of a licence has no name.
/// No zone has an address or a day of issue.
fn has_items_of_codes(document: &[DocumentFindings], kind: DocumentType) -> bool {
    let is_named = |zone: &MrzReading| zone.format != MrzFormat::License && !zone.names_in_doubt;
    let goes_first = |zone: &MrzReading| is_whole(zone) && kind_of_zone(zone) == Some(kind) && is_named(zone);
    let is_in_no_zone = |field: &OcrField| matches!(field.name, FieldName::Address | FieldName::IssueDate);
    document.iter().any(|side| {
        let codes = side.codes.iter().filter(|code| code.signature != Signature::Invalid);
        let mut items = codes.flat_map(|code| &code.fields);
        let has_zone = side.mrz.as_ref().is_some_and(goes_first);
        items.any(|field| !has_zone || is_in_no_zone(field))
    })
}

/// Whether a zone that the document cannot have gives items that go before those in print, such as a later last day on a strip that somebody stuck
/// on a licence: one of another state, or one that is so smeared that it is of no kind, though some of its check digits hold.
fn has_items_of_another_zone(document: &[DocumentFindings], kind: DocumentType) -> bool {
    let is_its_own = |zone: &MrzReading| {
        let states = layouts(document).filter_map(LayoutReading::issued_by);
        is_whole(zone) && kind_of_zone(zone) == Some(kind) && may_have_code(state_of_zone(zone), states)
    };
    let is_others = |side: &DocumentFindings| !side.mrz.as_ref().is_some_and(is_its_own);
    document.iter().any(|side| has_items_of_zone(side) && is_others(side))
}

/// Whether the zone of a side gives items: of one in which most check digits fail there are none.
fn has_items_of_zone(side: &DocumentFindings) -> bool {
    side.fields.iter().any(|field| field.name == FieldName::Mrz)
}

/// Whether the side with a zone is recognised as a document of another kind: a strip with a zone fits below any card. Pages and cards of ICAO 9303
/// have the same labels, so that one may be mistaken for the other.
fn is_of_another_kind(kind: DocumentType, side: &DocumentFindings) -> bool {
    let is_icao = |of: DocumentType| matches!(of, DocumentType::Passport | DocumentType::IdCard);
    let layout = side.layout.as_ref().filter(|layout| is_known(layout));
    layout.is_some_and(|layout| !(layout.is_of(kind) || is_icao(kind) && is_icao(layout.kind)))
}

/// Whether the machine-readable zone belongs to this kind and to an issuer that exists, is complete and certain, and is repeated by the print.
fn by_zone(evidence: &Evidence<'_>, kind: DocumentType, policy: &Policy, notes: &mut Notes) -> bool {
    if !provable(kind).by.contains(&MachineReadable::Zone) {
        return false;
    }
    let zones = evidence
        .document
        .iter()
        .filter_map(|side| Some((side, side.mrz.as_ref()?)));
    let own = zones.filter(|(_, zone)| kind_of_zone(zone) == Some(kind));
    // The first of those that are whole, if one is.
    let Some((side, zone)) = own.min_by_key(|(_, zone)| !is_whole(zone)) else {
        let coded = evidence
            .document
            .iter()
            .flat_map(|side| &side.codes)
            .any(|code| is_of(kind, code));
        if kind.has_mrz() && !coded {
            notes.reason(Reason::DocumentUnreadable);
        }
        return false;
    };
    let whole = is_whole(zone);
    if !whole {
        notes.reason(Reason::DocumentMrzChecksumFailed);
    }
    // What another side repeats of its own zone says nothing about this one.
    let repeated = side.viz_agreement.or_else(|| across::zone(side, evidence.document));
    let repeated = is_repeated(repeated, notes);
    let sure = notes.at_least(ScoreName::MrzReading, f64::from(zone.log_probability), READING_LIMIT);
    let named = !zone.names_in_doubt || across::prints_names(zone, evidence.document);
    let named = named && !across::prints_another_name(&side.fields, evidence.document);
    let named = named && !across::prints_another_sex_or_nationality(&side.fields, evidence.document);
    // An agreement on the same side includes a name: with a twin's zone, the family name alone.
    let is_vouched_for =
        side.viz_agreement.is_some() && !across::prints_another_given_name(&side.fields, side, evidence.document);
    let is_holders = || {
        let is_named = across::names_holder(&side.fields, side, evidence.document)
            || across::names_holder_in_doubt(zone, side, evidence.document);
        is_named && across::tells_relatives_apart(&side.fields, Some(zone), side, evidence.document)
    };
    let named = named && (is_vouched_for || is_holders());
    let is_dated = is_dated(side, evidence.document);
    let states = layouts(evidence.document).filter_map(LayoutReading::issued_by);
    let issued = has_issuer(zone, policy.accept_specimens) && may_have_code(state_of_zone(zone), states);
    let is_its = !is_of_another_kind(kind, side) && has_its_back(kind, side, evidence.document);
    whole && sure && repeated && named && is_dated && issued && is_its
}

/// Whether a barcode or seal belongs to this kind, comes from its issuer, and is repeated by the print.
fn by_codes(evidence: &Evidence<'_>, kind: DocumentType, notes: &mut Notes) -> bool {
    let mut proved = false;
    for side in evidence.document {
        for code in &side.codes {
            if code.signature == Signature::Invalid {
                notes.certain(Reason::DocumentTampered);
            }
            if is_of(kind, code) {
                proved |= is_repeated_code_of_issuer(code, side, evidence.document, notes)
                    && has_its_back(kind, side, evidence.document);
            }
        }
    }
    proved
}

/// Whether a code on a side comes from its issuer, and the print repeats it, names the same holder and contradicts nothing of it. What the print
/// repeats is noted.
fn is_repeated_code_of_issuer(
    code: &CodeReading,
    side: &DocumentFindings,
    document: &[DocumentFindings],
    notes: &mut Notes,
) -> bool {
    let is_seal = of_code(code) == MachineReadable::Seal;
    let repeated = is_repeated(across::code(code, side, document), notes);
    // A seal names its holder by its signature.
    let named = is_seal || across::names_holder(&code.fields, side, document);
    let named = named && across::tells_relatives_apart(&code.fields, None, side, document);
    let named = named && !across::prints_another_name(&code.fields, document);
    let agrees = is_seal
        || across::prints_days(&code.fields, None, side, document)
            && prints_days_of_back(side, document)
            && !across::prints_another_address(&code.fields, document)
            && !across::prints_another_sex_or_nationality(&code.fields, document);
    let issued = is_the_issuers(code) && is_of_its_state(code, document);
    repeated && named && agrees && issued
}

/// Whether evidence on the front has the back of its own card beside it: one that is recognised as a back of this kind, or that repeats number or
/// family name. Nothing on the front says what its back is, so any other card would do. Evidence on the back is compared with the front anyway.
fn has_its_back(kind: DocumentType, side: &DocumentFindings, document: &[DocumentFindings]) -> bool {
    let is_its_back = |other: &DocumentFindings| {
        let layout = other.layout.as_ref().filter(|layout| is_known(layout));
        let zone = other.mrz.as_ref().filter(|zone| is_legible(zone));
        layout.is_some_and(|layout| layout.is_of(kind) && layout.side == Side::Back)
            || zone.is_some_and(|zone| kind_of_zone(zone) == Some(kind))
            || other.codes.iter().any(|code| is_of(kind, code))
            || across::names_the_same(side, other)
    };
    let mut backs = document.iter().filter(|other| other.side == Side::Back);
    side.side == Side::Back || !kind.sides().contains(&Side::Back) || backs.any(is_its_back)
}

/// Whether a code belongs to this kind of document.
fn is_of(kind: DocumentType, code: &CodeReading) -> bool {
    code.kind == Some(kind) && provable(kind).by.contains(&of_code(code))
}

/// Whether a code names its issuer, and is signed if its standard has signatures.
const fn is_the_issuers(code: &CodeReading) -> bool {
    let signed = match of_code(code) {
        MachineReadable::Seal => matches!(code.signature, Signature::Valid),
        MachineReadable::Zone | MachineReadable::Barcode => true,
    };
    code.issuer.is_some() && signed
}

/// Whether a code may be on a document of the state that its sides are recognised as. A seal is its issuer's by its signature.
fn is_of_its_state(code: &CodeReading, document: &[DocumentFindings]) -> bool {
    let country = code.fields.iter().find(|field| field.name == FieldName::IssuingCountry);
    let state = country.and_then(|field| field.normalized.as_deref());
    let states = layouts(document).filter_map(LayoutReading::issued_by);
    let is_european = layouts(document).any(|layout| family(layout) == EUROPEAN);
    of_code(code) == MachineReadable::Seal || (may_have_code(state, states) && !is_european)
}

/// Whether the print repeats machine-readable data; contradictions are noted. Nothing to compare counts as not repeated.
fn is_repeated(share: Option<f32>, notes: &mut Notes) -> bool {
    let Some(share) = share else { return false };
    let enough = notes.at_least(ScoreName::ZonesAgree, f64::from(share), AGREEMENT_LIMIT);
    if !enough {
        notes.reason(Reason::DocumentDataInconsistent);
    }
    enough
}

/// Notes what a genuine document does not have: items in print that the machine-readable data gives otherwise, codes that contradict its zone,
/// impossible dates, dates in a wrong order. Only items that were read with certainty count.
fn contradictions(evidence: &Evidence<'_>, notes: &mut Notes) {
    let mut contradict = |name: String| {
        notes.at_least(Named::parse(&name), 0.0, 1.0);
        notes.reason(Reason::DocumentDataInconsistent);
    };
    for name in across::contradictions(evidence.document).iter().map(|print| print.name) {
        contradict(format!("print repeats: {name}"));
    }
    if across::names_somebody_else(evidence.document) {
        contradict("print repeats: names".to_owned());
    }
    for name in across::codes_contradict(evidence.document) {
        contradict(format!("code repeats: {name}"));
    }
    for rule in layouts(evidence.document).flat_map(|layout| &layout.rules) {
        if rule.contradiction {
            contradict(format!("layout: {}", rule.rule));
        }
    }
}

/// Whether every side is recognised as that side of a layout of this kind, the sides belong together, and every applicable check holds.
fn by_layout(evidence: &Evidence<'_>, kind: DocumentType, notes: &mut Notes) -> bool {
    let mut proved = true;
    for side in evidence.document {
        let known = side.layout.as_ref().filter(|layout| is_known(layout));
        let own = known.filter(|layout| layout.is_of(kind) && layout.side == side.side);
        let Some(layout) = own else {
            proved = false;
            continue;
        };
        notes.at_least(ScoreName::Layout, f64::from(layout.score), 0.0);
        for rule in layout.rules.iter().filter(|rule| !rule.contradiction) {
            let held = if rule.held { 1.0 } else { 0.0 };
            proved &= notes.at_least(Named::parse(&format!("layout: {}", rule.rule)), held, 1.0);
        }
        proved &= layout.rules.iter().all(|rule| !rule.contradiction);
        // A front needs rules that speak of its items: labels stand in their places on an empty form, too.
        let mut held = layout.rules.iter().filter(|rule| rule.held);
        proved &= side.side == Side::Back || held.any(|rule| rule.rule != LABELS_IN_PLACE);
    }
    let mut families = layouts(evidence.document).map(family);
    let first = families.next();
    proved && families.all(|other| Some(other) == first)
}

/// The family of the licences of the European model, none of which has a barcode with an issuer (Directive 2006/126/EC, annex I).
const EUROPEAN: &str = "eu";

/// The family of a layout. British licences have the back of the European model.
fn family(layout: &LayoutReading) -> &str {
    match layout.family() {
        "gb" => EUROPEAN,
        family => family,
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

/// Whether the document is known to be in date. One without a legible date of expiry may be in date, but that is unknown: ICAO
/// 9303-5 allows fillers there for documents that never expire. So may one whose last day was yesterday, because it is still that day
/// somewhere; and a Japanese one whose last day is today may have expired, because it is tomorrow there from 15:00 on. A residence card, a licence and an
/// older French identity card may hold for longer than they say. A driving history certificate has none. Nor is one known to be in date whose holder's
/// century of birth is not.
fn dates(evidence: &Evidence<'_>, kind: DocumentType, notes: &mut Notes) -> bool {
    let date = |name| dated(evidence.document, name).map(|(_, date)| date);
    let today = evidence.today;
    let expiry = dated(evidence.document, FieldName::ExpiryDate);
    let is_over = |day| today.previous_day().is_some_and(|yesterday| day < yesterday);
    let end = |day| match kind {
        DocumentType::ResidenceCard => end_of_stay(day),
        DocumentType::DrivingLicense => end_of_licence(day),
        _ => day,
    };
    let has_last_day = !is_old_french_card(evidence.document);
    if expiry.is_some_and(|(side, day)| has_last_day && is_over(end(day)) && is_certain(side, day)) {
        notes.reason(Reason::DocumentExpired);
    }
    let born = born(evidence.document, today);
    let born_later = |other| match (born, other) {
        (Some(birth), Some(other)) => birth >= other,
        _ => false,
    };
    let issued = date(FieldName::IssueDate);
    let is_to_come = |day| civil_date::is_to_come(day, today);
    if born_later(issued) || born_later(Some(today)) || issued.is_some_and(is_to_come) {
        notes.reason(Reason::DocumentDataInconsistent);
    }
    match kind {
        DocumentType::DrivingHistoryCertificate => issued.is_some_and(|day| day >= HISTORY_CERTIFICATES_IDENTIFY),
        DocumentType::DrivingLicense
        | DocumentType::MyNumberCard
        | DocumentType::ResidenceCard
        | DocumentType::SpecialPermanentResidentCertificate
        | DocumentType::Passport
        | DocumentType::IdCard => expiry.is_some_and(|(_, day)| {
            let is_japanese = issuer(evidence.document, kind).as_deref() == Some(JAPAN);
            let is_in_date = has_last_day && (day > today || day == today && !is_japanese);
            is_in_date && !born.is_some_and(|born| is_century_in_print_alone(evidence.document, born, today))
        }),
    }
}

/// When a stay ends at the latest that was to end on this day: while an application for a longer one is pending it goes on for up to two months
/// (Immigration Control and Refugee Recognition Act, article 20(6)). Only a stamp on the card says so, and none does where the application was made
/// online.
fn end_of_stay(day: Date) -> Date {
    // The two months begin the day after, and if that is the first of a month, they end with a month (Civil Code, articles 140 and 143).
    let first = day.next_day().unwrap_or(day);
    let month = first.month().next().next();
    let year = first.year() + i32::from(u8::from(month) < u8::from(first.month()));
    let of_month = |less| Date::from_calendar_date(year, month, first.day().saturating_sub(less)).ok();
    // In a month without that day, the last one is the end.
    let end = || (1..=3).find_map(of_month);
    of_month(0).and_then(Date::previous_day).or_else(end).unwrap_or(day)
}

/// When a driving licence ends at the latest that was to end on this day. If that is a Saturday, a Sunday, a holiday or one of the days from 29 December
/// to 3 January, one of Japan ends on the next day that is none of these (Road Traffic Act, article 92-2(4); its enforcement order, article 33-8); one of
/// Indiana ends on the next day on which its office is open (Indiana Code 9-24-12-11). Which days those are changes from year to year.
fn end_of_licence(day: Date) -> Date {
    day.checked_add(Duration::days(LONGEST_HOLIDAY)).unwrap_or(day)
}

/// Whether a zone is that of a French identity card of 1988 to 2021. It has no last day, which such a card prints on its back alone: any other print that
/// seems to be that day lies beside the card. Cards that adults got from 2004 to 2013 hold for five years longer than they say (décret n° 2013-1188).
fn is_old_french_card(document: &[DocumentFindings]) -> bool {
    let mut zones = document.iter().filter_map(|side| side.mrz.as_ref());
    zones.any(|zone| zone.format == MrzFormat::France && is_legible(zone))
}

/// A date of the document and the side that gives it: one with machine-readable data if there is one, because check digits protect it.
fn dated(document: &[DocumentFindings], name: FieldName) -> Option<(&DocumentFindings, Date)> {
    machine_first(document).find_map(|side| Some((side, civil_date::parse(&value(side, name)?)?)))
}

/// The date of birth of its holder, in the century that a card prints beside the two digits of its zone.
fn born(document: &[DocumentFindings], today: Date) -> Option<Date> {
    let printed = machine_first(document).find_map(|side| across::birth_in_print(side, document, today));
    printed
        .and_then(|print| civil_date::parse(print.normalized.as_deref()?))
        .or_else(|| Some(dated(document, FieldName::BirthDate)?.1))
}

/// Whether nothing but print tells the holder of a document with a zone from somebody a hundred years younger: of two digits of the year of birth
/// the zone says no more. Otherwise, altering two printed digits would make the holder of age.
fn is_century_in_print_alone(document: &[DocumentFindings], born: Date, today: Date) -> bool {
    let day = |date: Date, later: i32| (date.year() + later, u8::from(date.month()), date.day());
    day(born, 100) <= day(today, 0) && document.iter().any(|side| side.mrz.is_some())
}

/// Whether the last day that a side gives is certain enough to reject a document for: it is protected by check digits, a code has it, or it was found
/// in its place on a known document and read twice. That of a zone with a wrong check digit goes before these, and may be misread. A code without a
/// last day protects none. Nor is a day certain in the zone of no issuer that exists: an issuer that does not follow the codes of ICAO 9303 may put
/// another day there.
fn is_certain(side: &DocumentFindings, day: Date) -> bool {
    let last_day = |code: &CodeReading| {
        let field = code.fields.iter().find(|field| field.name == FieldName::ExpiryDate)?;
        civil_date::parse(field.normalized.as_deref()?)
    };
    let is_coded = side.codes.iter().any(|code| last_day(code) == Some(day));
    let is_protected = is_coded || side.layout.as_ref().is_some_and(is_known);
    let is_zone_of_issuer = |zone: &MrzReading| is_whole(zone) && has_issuer(zone, true);
    side.mrz.as_ref().is_some_and(is_zone_of_issuer) || (is_protected && !has_items_of_zone(side))
}

/// The sides, those with machine-readable data first.
pub(super) fn machine_first(document: &[DocumentFindings]) -> impl Iterator<Item = &DocumentFindings> {
    let (printed, machine): (Vec<_>, Vec<_>) = document.iter().partition(|side| across::is_print_only(side));
    machine.into_iter().chain(printed)
}

/// The state that issued the document, ISO 3166-1 alpha-3.
pub(super) fn issuer(document: &[DocumentFindings], kind: DocumentType) -> Option<String> {
    let read = machine_first(document).find_map(|side| value(side, FieldName::IssuingCountry));
    let of_layout = layouts(document).find_map(LayoutReading::issued_by);
    kind.issuer(read.as_deref(), of_layout).map(ToOwned::to_owned)
}

/// The layouts that the sides were recognised as.
pub(super) fn layouts(document: &[DocumentFindings]) -> impl Iterator<Item = &LayoutReading> {
    let layouts = document.iter().filter_map(|side| side.layout.as_ref());
    layouts.filter(|layout| is_known(layout))
}

/// Notes every sign against the document; returns whether there is any.
fn signals(evidence: &Evidence<'_>, policy: &Policy, notes: &mut Notes) -> bool {
    let mut suspicious = notes.reasons.contains(&Reason::DocumentDataInconsistent)
        || notes.reasons.contains(&Reason::DocumentSidesMismatch)
        || notes.reasons.contains(&Reason::DocumentTampered);
    for side in evidence.document {
        suspicious |= signals_on(side, policy, notes);
    }
    suspicious
}

/// The same for one side.
fn signals_on(side: &DocumentFindings, policy: &Policy, notes: &mut Notes) -> bool {
    let is_above = |measured: Option<f32>, name, limit, notes: &mut Notes| {
        measured.is_some_and(|measured| !notes.at_most(name, f64::from(measured), limit))
    };
    let mut suspicious = false;
    if is_above(side.grey_share, ScoreName::GreyShare, GREY_LIMIT, notes) {
        notes.reason(Reason::DocumentNotInColor);
        suspicious = true;
    }
    let shows_screen = is_above(side.raster_z, ScoreName::Raster, RASTER_LIMIT, notes);
    let shows_halftone = is_above(side.halftone_z, ScoreName::Halftone, HALFTONE_LIMIT, notes);
    // A printer's dots are the same all over the sheet, so that they stand out in the mean more than in each place. So does a screen's raster if the
    // screen is seen straight, but not by as much.
    let is_of_printer = side
        .halftone_z
        .zip(side.raster_z)
        .is_none_or(|(steady, each)| steady > PRINTED * each);
    if shows_screen && !(shows_halftone && is_of_printer) {
        notes.reason(Reason::DocumentScreenCapture);
    } else if shows_halftone {
        notes.reason(Reason::DocumentPrintedCopy);
    }
    suspicious |= shows_screen || shows_halftone;
    if is_above(
        side.portrait_repeated,
        ScoreName::PortraitRepeated,
        PORTRAITS_DIFFER,
        notes,
    ) {
        notes.reason(Reason::DocumentTampered);
        suspicious = true;
    }
    if !policy.accept_specimens && side.specimen_words {
        notes.reason(Reason::DocumentSpecimen);
        suspicious = true;
    }
    suspicious
}

/// The certain reading of an item.
pub(super) fn value(side: &DocumentFindings, name: FieldName) -> Option<String> {
    side.fields
        .iter()
        .find(|field| field.name == name)
        .and_then(|field| field.normalized.clone())
}

/// Evidence for each reason of this file.
#[cfg(test)]
pub(crate) mod scenarios {
    use super::*;
    use crate::{
        decision::{coverage_tests::Scenario, tests::field},
        document::FieldName,
        findings::{CodeReading, CodeStandard, MrzFormat, Signature, Unavailable},
    };

    pub(crate) const ALL: &[Scenario] = &[
        (Reason::DocumentObstructed, |case| {
            case.page().layout = Some(LayoutReading {
                layout: "icao.passport".into(),
                issuer: None,
                kind: DocumentType::Passport,
                also: vec![],
                side: Side::Front,
                score: 1.0,
                rules: vec![],
                hidden: 0.9,
            });
        }),
        (Reason::DocumentSideMissing, |case| case.document.clear()),
        (Reason::DocumentNotInColor, |case| case.page().grey_share = Some(1.0)),
        (Reason::DocumentUnreadable, |case| {
            (case.page().mrz, case.page().text_lines) = (None, 0)
        }),
        (Reason::DocumentMrzChecksumFailed, |case| {
            case.page().mrz.as_mut().unwrap().checks_passed = 4
        }),
        (Reason::DocumentDataInconsistent, |case| {
            case.page().viz_agreement = Some(0.0)
        }),
        (Reason::DocumentPortraitMissing, |case| case.page().portrait = None),
        (Reason::DocumentAuthenticityUnknown, |case| {
            case.page().viz_agreement = None
        }),
        (Reason::DocumentExpired, |case| {
            case.set(FieldName::ExpiryDate, "2020-01-01")
        }),
        (Reason::DocumentTypeNotSupported, |case| {
            let zone = case.page().mrz.as_mut().unwrap();
            (zone.format, zone.lines[0]) = (MrzFormat::MrvA, "V<SWE".into());
        }),
        (Reason::DocumentSidesMismatch, |case| {
            case.card(DocumentType::ResidenceCard);
            case.document[1].fields = vec![
                field(FieldName::DocumentNumber, "AB12345678CD"),
                field(FieldName::BirthDate, "1950-01-01"),
            ];
            for side in &mut case.document {
                side.layout = Some(LayoutReading {
                    layout: "jp.residence_card".into(),
                    issuer: Some("JPN".into()),
                    kind: DocumentType::ResidenceCard,
                    also: vec![],
                    side: side.side,
                    score: 1.0,
                    rules: vec![],
                    hidden: 0.0,
                });
            }
        }),
        (Reason::DocumentScreenCapture, |case| case.page().raster_z = Some(20.0)),
        (Reason::DocumentPrintedCopy, |case| case.page().halftone_z = Some(20.0)),
        (Reason::DocumentTampered, |case| {
            case.page().codes.push(CodeReading {
                standard: CodeStandard::Seal,
                kind: None,
                issuer: Some("UT01".into()),
                fields: vec![],
                signature: Signature::Invalid,
            })
        }),
        (Reason::DocumentSpecimen, |case| case.page().specimen_words = true),
        (Reason::CheckUnavailable, |case| {
            case.page().unavailable.push(Unavailable::Face)
        }),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_months_end_the_day_before_the_same_day_or_with_the_month() {
        for (stay, end) in [
            (date!(2026 - 05 - 31), date!(2026 - 07 - 31)),
            (date!(2026 - 06 - 01), date!(2026 - 08 - 01)),
            (date!(2026 - 06 - 30), date!(2026 - 08 - 31)),
            (date!(2026 - 10 - 31), date!(2026 - 12 - 31)),
            (date!(2026 - 12 - 29), date!(2027 - 02 - 28)),
            (date!(2026 - 12 - 30), date!(2027 - 02 - 28)),
            (date!(2026 - 12 - 31), date!(2027 - 02 - 28)),
            (date!(2027 - 12 - 31), date!(2028 - 02 - 29)),
            (date!(2027 - 02 - 28), date!(2027 - 04 - 30)),
        ] {
            assert_eq!(end_of_stay(stay), end, "{stay}");
        }
    }
}
