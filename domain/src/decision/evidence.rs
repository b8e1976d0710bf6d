//! What can prove a document genuine: one table for all kinds. Machine-readable data counts only for its own kind.

use crate::{
    country,
    document::{DocumentType, JAPAN},
    findings::{CodeReading, CodeStandard, LayoutReading, MrzFormat, MrzReading},
    named::vocabulary,
};

/// A machine-readable zone below this mean log-probability per symbol (natural logarithm) was forced into its format.
pub const READING_LIMIT: f64 = -0.5;
/// A layout recognised with less certainty counts as unknown.
const LAYOUT_LIMIT: f32 = 0.6;

vocabulary! {
    /// Machine-readable data of a genuine document of some kind.
    MachineReadable {
        /// Machine-readable zone (ICAO 9303 parts 4 to 6): its check digits are correct.
        Zone = "mrz",
        /// PDF417 (AAMVA DL/ID): it decodes and names its issuer.
        Barcode = "barcode",
        /// Visible digital seal (ICAO 9303-13, VDS-NC): it has a valid signature of its issuer.
        Seal = "seal",
    }
}

vocabulary! {
    /// The evidence that a tenant accepts for automatic approval.
    #[derive(Default)]
    Accepted {
        /// Documents whose machine-readable data is valid and repeated by the print.
        @default MachineReadable = "machine_readable",
        /// Also those without such data, if every visual check of their layout holds.
        Visual = "visual",
    }
}

/// A row of the table: what proves a document of one kind genuine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provable {
    /// Machine-readable data, any of it; the print must repeat it.
    pub by: &'static [MachineReadable],
    /// Whether the checks of its layout suffice if the tenant accepts that: only for kinds of which genuine cards without
    /// machine-readable data exist.
    pub visually: bool,
}

/// The table.
#[must_use]
pub const fn provable(kind: DocumentType) -> Provable {
    use MachineReadable::{Barcode, Seal, Zone};
    match kind {
        DocumentType::Passport => Provable {
            by: &[Zone],
            visually: false,
        },
        DocumentType::IdCard => Provable {
            by: &[Zone, Barcode, Seal],
            visually: false,
        },
        // The line of a licence, where there is one, has no given name and no date of birth (ISO/IEC 18013-3), so that it proves no identity.
        DocumentType::DrivingLicense => Provable {
            by: &[Barcode, Seal],
            visually: true,
        },
        DocumentType::ResidenceCard | DocumentType::SpecialPermanentResidentCertificate => Provable {
            by: &[Seal],
            visually: true,
        },
        // The front of a My Number card has no machine-readable data that may be read, and a driving history certificate has
        // none.
        DocumentType::MyNumberCard | DocumentType::DrivingHistoryCertificate => Provable {
            by: &[],
            visually: true,
        },
    }
}

/// States whose driving licences have a layout of their own, and neither a zone nor a barcode.
const LICENCES_WITHOUT_CODES: [&str; 2] = [JAPAN, "GBR"];

/// Whether a zone or barcode of a state may be on a document whose sides are recognised as those of these states. A licence of Japan has none, however
/// well a barcode that somebody printed beside it repeats its dates and number: it could say any name in Latin letters.
pub(super) fn may_have_code<'a>(of: Option<&str>, states: impl IntoIterator<Item = &'a str>) -> bool {
    let mut states = states.into_iter();
    states.all(|state| of == Some(state) && !LICENCES_WITHOUT_CODES.contains(&state))
}

/// The state that a zone names, ISO 3166-1 alpha-3.
pub(super) fn state_of_zone(zone: &MrzReading) -> Option<&'static str> {
    country::alpha3(zone.lines.first()?.get(2..5)?)
}

/// The kind that a zone's format and document code name; `None` for a kind that is not accepted, such as a visa.
pub(super) fn kind_of_zone(zone: &MrzReading) -> Option<DocumentType> {
    let code = zone.lines.first()?.chars().next()?;
    match (zone.format, code) {
        (MrzFormat::Td3, 'P') => Some(DocumentType::Passport),
        // ICAO 9303-5 and -6: A, C or I; never a passport's P or a visa's V, such as that of a border crossing card.
        (MrzFormat::Td1 | MrzFormat::Td2, 'A' | 'C' | 'I') | (MrzFormat::France, 'I') => Some(DocumentType::IdCard),
        (MrzFormat::License, 'D') => Some(DocumentType::DrivingLicense),
        (
            MrzFormat::Td1
            | MrzFormat::Td2
            | MrzFormat::France
            | MrzFormat::Td3
            | MrzFormat::MrvA
            | MrzFormat::MrvB
            | MrzFormat::License,
            _,
        ) => None,
    }
}

/// Whether a zone names an issuer that exists. No check digit covers the code of the issuer, so a zone of an invented state is as easily made as
/// any other. All formats have it in one place. Utopia, the state of specimens, counts where specimens do.
pub(super) fn has_issuer(zone: &MrzReading, accept_specimens: bool) -> bool {
    let code = zone.lines.first().and_then(|line| line.get(2..5));
    code.is_some_and(|code| country::is_issuer(code) || accept_specimens && code == country::UTOPIA)
}

/// The row's entry for a code.
pub(super) const fn of_code(code: &CodeReading) -> MachineReadable {
    match code.standard {
        CodeStandard::Aamva => MachineReadable::Barcode,
        CodeStandard::Seal | CodeStandard::SealNc => MachineReadable::Seal,
    }
}

/// Whether every check digit is correct.
pub(super) const fn is_whole(zone: &MrzReading) -> bool {
    zone.checks_total > 0 && zone.checks_passed == zone.checks_total
}

/// Whether a zone is legible enough to say what it belongs to: noise can be forced into any format.
pub(super) fn is_legible(zone: &MrzReading) -> bool {
    is_whole(zone) || f64::from(zone.log_probability) >= READING_LIMIT
}

/// Whether a layout is recognised with enough certainty to say what the picture shows.
pub(super) fn is_known(layout: &LayoutReading) -> bool {
    layout.score >= LAYOUT_LIMIT
}
