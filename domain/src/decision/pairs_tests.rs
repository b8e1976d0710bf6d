//! Every chosen kind combined with every kind shown: only a document of the chosen kind, with each side in its place, is
//! approved. The faces are the holder's and the typed data is what the documents say, so that nothing else can stop a wrong
//! one.

use super::tests::{GOOD, NOBODY, face, selfie};
use super::*;
use crate::{
    document::{FieldName, OcrField, Side},
    findings::{CodeReading, CodeStandard, LayoutReading, MrzFormat, MrzReading, RuleResult, Signature},
    likeness::{Corner, Likeness},
};
use std::collections::BTreeSet;

/// Documents as `vision` sees them, whatever the user says they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Specimen {
    Passport,
    /// A passport whose page is so blurred that its zone is illegible.
    BlurredPassport,
    Visa,
    /// A TD1 card: print on the front, zone on the back.
    IdCard,
    /// A TD2 card: zone and portrait on the front, its items again on the back.
    FrontZoneCard,
    /// PDF417 on the back.
    AmericanLicence,
    AmericanIdCard,
    JapaneseLicence,
    HistoryCertificate,
    ResidenceCard,
    PermanentResident,
    MyNumberCard,
    /// A printed page that is not an identity document.
    Leaflet,
    /// One on which no item is found.
    Receipt,
}

impl Specimen {
    const ALL: [Self; 14] = [
        Self::Passport,
        Self::BlurredPassport,
        Self::Visa,
        Self::IdCard,
        Self::FrontZoneCard,
        Self::AmericanLicence,
        Self::AmericanIdCard,
        Self::JapaneseLicence,
        Self::HistoryCertificate,
        Self::ResidenceCard,
        Self::PermanentResident,
        Self::MyNumberCard,
        Self::Leaflet,
        Self::Receipt,
    ];

    const fn kind(self) -> Option<DocumentType> {
        match self {
            Self::Passport | Self::BlurredPassport => Some(DocumentType::Passport),
            Self::IdCard | Self::FrontZoneCard | Self::AmericanIdCard => Some(DocumentType::IdCard),
            Self::AmericanLicence | Self::JapaneseLicence => Some(DocumentType::DrivingLicense),
            Self::HistoryCertificate => Some(DocumentType::DrivingHistoryCertificate),
            Self::ResidenceCard => Some(DocumentType::ResidenceCard),
            Self::PermanentResident => Some(DocumentType::SpecialPermanentResidentCertificate),
            Self::MyNumberCard => Some(DocumentType::MyNumberCard),
            Self::Visa | Self::Leaflet | Self::Receipt => None,
        }
    }

    /// What proves it: machine-readable data, its layout, or nothing.
    const fn proved(self) -> Option<Accepted> {
        match self {
            Self::Passport | Self::IdCard | Self::FrontZoneCard | Self::AmericanLicence | Self::AmericanIdCard => {
                Some(Accepted::MachineReadable)
            }
            Self::JapaneseLicence
            | Self::HistoryCertificate
            | Self::ResidenceCard
            | Self::PermanentResident
            | Self::MyNumberCard => Some(Accepted::Visual),
            Self::BlurredPassport | Self::Visa | Self::Leaflet | Self::Receipt => None,
        }
    }

    /// Whether its back names its holder.
    const fn has_named_back(self) -> bool {
        matches!(
            self,
            Self::IdCard | Self::FrontZoneCard | Self::AmericanLicence | Self::AmericanIdCard
        )
    }
}

/// One picture: which document, which side of it, and whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shot {
    specimen: Specimen,
    side: Side,
    of_another: bool,
}

fn shots() -> Vec<Shot> {
    let mut all = Vec::new();
    for specimen in Specimen::ALL {
        for &side in Side::ALL {
            for of_another in [false, true] {
                // A passport has one page, a leaflet none in particular; the back of a My Number card is never photographed.
                let one_sided = matches!(
                    specimen,
                    Specimen::Passport
                        | Specimen::BlurredPassport
                        | Specimen::Visa
                        | Specimen::MyNumberCard
                        | Specimen::Leaflet
                        | Specimen::Receipt
                );
                if side == Side::Front || !one_sided {
                    all.push(Shot {
                        specimen,
                        side,
                        of_another,
                    });
                }
            }
        }
    }
    all
}

fn items(shot: Shot) -> Vec<OcrField> {
    if shot.specimen == Specimen::Receipt {
        return Vec::new();
    }
    let (last, birth) = if shot.of_another {
        ("NYBERG", "1981-03-05")
    } else {
        ("ERIKSSON", "1974-08-12")
    };
    // No two documents have the same number, not even one person's.
    let number = format!("L{}{}", 898_902 + shot.specimen as u32, u8::from(shot.of_another));
    let item = |(name, value): (FieldName, &str)| OcrField {
        side: Side::Front,
        name,
        text: Some(value.to_owned()),
        normalized: Some(value.to_owned()),
    };
    let term = match shot.specimen {
        Specimen::HistoryCertificate => (FieldName::IssueDate, "2020-04-15"),
        _ => (FieldName::ExpiryDate, "2030-04-15"),
    };
    [
        (FieldName::LastName, last),
        (FieldName::FirstName, "ANNA"),
        (FieldName::BirthDate, birth),
        term,
        (FieldName::DocumentNumber, &*number),
    ]
    .map(item)
    .to_vec()
}

fn zone(format: MrzFormat, code: &str, sure: f32) -> MrzReading {
    MrzReading {
        format,
        lines: vec![format!("{code}SWE")],
        log_probability: sure,
        checks_passed: if sure > -0.5 { 4 } else { 0 },
        checks_total: 4,
        agrees_with_free_reading: true,
        names_in_doubt: false,
    }
}

/// Forty corners that no other picture has.
fn likeness(shot: Shot) -> Likeness {
    let mut state = (shot.specimen as u64 * 2 + shot.side as u64) * 2 + u64::from(shot.of_another) + 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = (state ^ (state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ (mixed >> 33)
    };
    let corner = |_| Corner {
        x: (next() % 512) as f32,
        y: (next() % 320) as f32,
        scale: 1.0,
        direction: (next() % 6) as f32 - 3.0,
        bits: std::array::from_fn(|_| next()),
    };
    Likeness {
        corners: (0..40).map(corner).collect(),
    }
}

/// What `vision` finds in the picture if `asked` was requested.
fn seen(shot: Shot, asked: Side) -> DocumentFindings {
    let mut found = DocumentFindings {
        quality: GOOD,
        text_lines: 9,
        grey_share: Some(0.4),
        raster_z: Some(5.0),
        halftone_z: Some(4.0),
        likeness: Some(likeness(shot)),
        ..DocumentFindings::none(asked)
    };
    if shot.side == Side::Front {
        found.portrait = Some(face(0.0));
        found.fields = items(shot);
    } else if shot.specimen.has_named_back() {
        found.fields = items(shot);
    }
    let code = |kind| CodeReading {
        standard: CodeStandard::Aamva,
        kind: Some(kind),
        issuer: Some("636000".into()),
        fields: items(shot),
        signature: Signature::Absent,
    };
    match (shot.specimen, shot.side) {
        (Specimen::Passport, _) => found.mrz = Some(zone(MrzFormat::Td3, "P<", -0.01)),
        (Specimen::BlurredPassport, _) => found.mrz = Some(zone(MrzFormat::Td3, "P<", -2.0)),
        (Specimen::Visa, _) => found.mrz = Some(zone(MrzFormat::MrvA, "V<", -0.01)),
        (Specimen::FrontZoneCard, Side::Front) => found.mrz = Some(zone(MrzFormat::Td2, "I<", -0.01)),
        (Specimen::IdCard, Side::Back) => found.mrz = Some(zone(MrzFormat::Td1, "I<", -0.01)),
        (Specimen::AmericanLicence, Side::Back) => found.codes = vec![code(DocumentType::DrivingLicense)],
        (Specimen::AmericanIdCard, Side::Back) => found.codes = vec![code(DocumentType::IdCard)],
        _ => {}
    }
    // The zone's own picture repeats it in print, except for cards that print on the other side. Of what is asked for as a back, no print is compared
    // with its zone.
    if found.mrz.is_some() && shot.side == Side::Front && asked == Side::Front {
        found.viz_agreement = Some(1.0);
    }
    if let (Some(Accepted::Visual), Some(kind)) = (shot.specimen.proved(), shot.specimen.kind()) {
        found.layout = Some(LayoutReading {
            hidden: 0.0,
            layout: format!("jp.{kind}"),
            issuer: Some("JPN".into()),
            kind,
            also: vec![],
            side: shot.side,
            score: 0.9,
            rules: vec![RuleResult {
                rule: "labels".into(),
                held: true,
                contradiction: false,
            }],
        });
    }
    found
}

/// Whether these pictures are a complete document of the chosen kind, of one person, and proved by what the tenant accepts.
fn is_right(chosen: DocumentType, pictures: &[(Side, Shot)], accepted: Accepted) -> bool {
    let [(_, first), ..] = pictures else { return false };
    let enough = match first.specimen.proved() {
        Some(Accepted::MachineReadable) => true,
        Some(Accepted::Visual) => accepted == Accepted::Visual,
        None => false,
    };
    let whole = pictures.iter().all(|(asked, shot)| {
        // A back without a name on it could be anyone's.
        let own = !shot.of_another || (shot.side == Side::Back && !shot.specimen.has_named_back());
        shot.specimen == first.specimen && shot.side == *asked && own
    });
    first.specimen.kind() == Some(chosen) && whole && enough
}

fn verdict_of(chosen: DocumentType, pictures: &[(Side, Shot)], accepted: Accepted) -> Verdict {
    let found: Vec<DocumentFindings> = pictures.iter().map(|(asked, shot)| seen(*shot, *asked)).collect();
    let plan = Plan {
        steps: vec![Step::Document, Step::Selfie],
    };
    let last_name = if pictures[0].1.of_another { "Nyberg" } else { "Eriksson" };
    let typed = UserInput {
        last_name: Some(last_name.into()),
        first_name: Some("Anna".into()),
        ..UserInput::default()
    };
    let selfie = selfie();
    let evidence = Evidence {
        plan: &plan,
        document_type: Some(chosen),
        document: &found,
        selfie: Some(&selfie),
        typed: Some(&typed),
        known: None,
        earlier: &NOBODY,
        draw: 1.0,
        today: time::macros::date!(2026 - 08 - 02),
    };
    let policy = Policy {
        accepted,
        ..Policy::default()
    };
    decide(&evidence, &policy).verdict
}

/// Every picture for the only side, or every pair of pictures for the two.
fn cases(chosen: DocumentType) -> Vec<Vec<(Side, Shot)>> {
    let shots = shots();
    match chosen.sides() {
        [_] => shots.iter().map(|&shot| vec![(Side::Front, shot)]).collect(),
        _ => shots
            .iter()
            .flat_map(|&front| {
                shots
                    .iter()
                    .map(move |&back| vec![(Side::Front, front), (Side::Back, back)])
            })
            .collect(),
    }
}

#[test]
fn over_every_kind_chosen_and_every_kind_shown_only_the_chosen_kind_whole_is_approved() {
    for &accepted in Accepted::ALL {
        for &chosen in DocumentType::ALL {
            let mut approved = BTreeSet::new();
            for pictures in cases(chosen) {
                // The typed data and the face say whose document it is; here both match the first picture.
                let own = pictures[0].1.of_another;
                let as_first: Vec<(Side, Shot)> = pictures
                    .iter()
                    .map(|&(asked, shot)| {
                        (
                            asked,
                            Shot {
                                of_another: shot.of_another != own,
                                ..shot
                            },
                        )
                    })
                    .collect();
                let verdict = verdict_of(chosen, &pictures, accepted);
                if verdict == Verdict::Approved {
                    assert!(
                        is_right(chosen, &as_first, accepted),
                        "{chosen} chosen, {accepted} accepted, {pictures:?} shown"
                    );
                    approved.insert(pictures[0].1.specimen);
                }
            }
            // The right ones must be approved, or the test would prove nothing.
            let wanted: BTreeSet<Specimen> = Specimen::ALL
                .into_iter()
                .filter(|specimen| {
                    let visual = specimen.proved() == Some(Accepted::Visual);
                    specimen.kind() == Some(chosen)
                        && specimen.proved().is_some()
                        && (!visual || accepted == Accepted::Visual)
                })
                .collect();
            assert_eq!(approved, wanted, "{chosen} chosen, {accepted} accepted");
        }
    }
}
