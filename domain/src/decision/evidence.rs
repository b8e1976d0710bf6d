//! What may show that a document is genuine: one table for every kind. Machine-readable data counts only for the kind it belongs to.

use crate::{
    document::{DocumentType, vocabulary},
    findings::{CodeReading, CodeStandard, LayoutReading, MrzFormat, MrzReading},
};

/// A reading below this mean log-probability per symbol was forced.
pub(super) const READING_LIMIT: f64 = -0.5;
/// A layout recognised less surely than this is not known.
const LAYOUT_LIMIT: f32 = 0.6;

vocabulary! {
    /// Data made for machines that a genuine document of some kind carries.
    MachineReadable {
        /// Machine-readable zone (ICAO 9303 parts 4 to 6, ISO/IEC 18013-3): its check digits hold.
        Zone = "mrz",
        /// PDF417 (AAMVA DL/ID): it decodes and names its issuer.
        Barcode = "barcode",
        /// Visible digital seal (ICAO 9303-13, VDS-NC): its signature is the issuer's.
        Seal = "seal",
    }
}

vocabulary! {
    /// What a tenant lets be approved without a person.
    #[derive(Default)]
    Accepted {
        #[default]
        /// Documents whose machine-readable data holds and is repeated by the print.
        MachineReadable = "machine_readable",
        /// Also those without such data, where every visual check of their layout holds.
        Visual = "visual",
    }
}

/// A row of the table: what shows that a document of one kind is genuine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provable {
    /// Machine-readable data, any of it; the print must repeat it.
    pub by: &'static [MachineReadable],
    /// Whether the checks of its layout may do, where the tenant accepts that: only kinds of which genuine cards exist without
    /// machine-readable data.
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
        DocumentType::DrivingLicense => Provable {
            by: &[Zone, Barcode, Seal],
            visually: true,
        },
        DocumentType::ResidenceCard | DocumentType::SpecialPermanentResidentCertificate => Provable {
            by: &[Seal],
            visually: true,
        },
        // Nothing on the front of a My Number card may be read by machines, and a driving history certificate carries nothing.
        DocumentType::MyNumberCard | DocumentType::DrivingHistoryCertificate => Provable {
            by: &[],
            visually: true,
        },
    }
}

/// The kind that a zone's format and document code name; `None`: a kind that is not taken, such as a visa.
pub(super) fn kind_of_zone(zone: &MrzReading) -> Option<DocumentType> {
    let code = zone.lines.first()?.chars().next()?;
    match (zone.format, code) {
        (MrzFormat::Td3, 'P') => Some(DocumentType::Passport),
        // ICAO 9303-5 and -6: A, C or I; never a passport's P or a visa's V.
        (MrzFormat::Td1 | MrzFormat::Td2, 'A' | 'C' | 'I') => Some(DocumentType::IdCard),
        (MrzFormat::License, 'D') => Some(DocumentType::DrivingLicense),
        (
            MrzFormat::Td1 | MrzFormat::Td2 | MrzFormat::Td3 | MrzFormat::MrvA | MrzFormat::MrvB | MrzFormat::License,
            _,
        ) => None,
    }
}

/// What a code is in the table.
pub(super) const fn of_code(code: &CodeReading) -> MachineReadable {
    match code.standard {
        CodeStandard::Aamva => MachineReadable::Barcode,
        CodeStandard::Seal | CodeStandard::SealNc => MachineReadable::Seal,
    }
}

/// Whether every check digit holds.
pub(super) const fn is_whole(zone: &MrzReading) -> bool {
    zone.checks_total > 0 && zone.checks_passed == zone.checks_total
}

/// Whether a zone reads well enough to say what it belongs to: noise can be forced into any format.
pub(super) fn is_legible(zone: &MrzReading) -> bool {
    is_whole(zone) || f64::from(zone.log_probability) >= READING_LIMIT
}

/// Whether a layout is recognised surely enough to say what the picture shows.
pub(super) fn is_known(layout: &LayoutReading) -> bool {
    layout.score >= LAYOUT_LIMIT
}
