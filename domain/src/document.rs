//! Kinds of identity documents, their sides, and the names of the items read from them.

use crate::named::vocabulary;
use serde::{Deserialize, Serialize};

/// Japan, ISO 3166-1 alpha-3.
pub const JAPAN: &str = "JPN";

vocabulary! {
    /// The kind of document that the user chose; never detected automatically.
    DocumentType {
        /// Driving licence (ISO/IEC 18013-1).
        DrivingLicense = "driving_license",
        /// Japanese individual number card; front only, its back must never be copied.
        MyNumberCard = "my_number_card",
        /// Japanese residence card.
        ResidenceCard = "residence_card",
        /// Japanese special permanent resident certificate.
        SpecialPermanentResidentCertificate = "special_permanent_resident_certificate",
        /// Japanese driving history certificate.
        DrivingHistoryCertificate = "driving_history_certificate",
        /// Passport book, photo page (ICAO 9303-4).
        Passport = "passport",
        /// National identity card (ICAO 9303-5, 9303-6).
        IdCard = "id_card",
    }
}

vocabulary! {
    /// The side of the document that a picture shows.
    Side {
        /// The side with the portrait.
        Front = "front",
        /// The other side.
        Back = "back",
    }
}

/// Width and height of documents, in millimetres.
pub mod size {
    /// Cards (ISO/IEC 7810 ID-1; TD1 of ICAO 9303-5).
    pub const ID_1: [f32; 2] = [85.60, 53.98];
    /// Larger identity cards (ICAO 9303-6).
    pub const TD2: [f32; 2] = [105.0, 74.0];
    /// Pages of passports (ICAO 9303-4).
    pub const TD3: [f32; 2] = [125.0, 88.0];
}

impl DocumentType {
    /// The sides that must be photographed, in order.
    #[must_use]
    pub const fn sides(self) -> &'static [Side] {
        match self {
            Self::Passport | Self::MyNumberCard => &[Side::Front],
            Self::DrivingLicense
            | Self::ResidenceCard
            | Self::SpecialPermanentResidentCertificate
            | Self::DrivingHistoryCertificate
            | Self::IdCard => &[Side::Front, Side::Back],
        }
    }

    /// Width over height of the side that is photographed.
    #[must_use]
    pub const fn aspect(self) -> f32 {
        let [width, height] = match self {
            Self::Passport => size::TD3,
            _ => size::ID_1,
        };
        width / height
    }

    /// Whether Japan issues documents of this kind that print names in Japanese.
    #[must_use]
    pub const fn is_japanese(self) -> bool {
        !matches!(self, Self::Passport | Self::IdCard)
    }

    /// Whether only Japan issues documents of this kind.
    #[must_use]
    pub const fn is_only_japanese(self) -> bool {
        self.is_japanese() && !matches!(self, Self::DrivingLicense)
    }

    /// The state that issued a document of this kind, ISO 3166-1 alpha-3: the one read from it, otherwise Japan for kinds that no other state
    /// issues, and that of its layout for a driving licence, which may be any country's.
    #[must_use]
    pub fn issuer<'a>(self, read: Option<&'a str>, of_layout: Option<&'a str>) -> Option<&'a str> {
        let read = read.filter(|country| !country.is_empty());
        match self {
            Self::DrivingLicense => read.or(of_layout),
            _ => read.or_else(|| self.is_only_japanese().then_some(JAPAN)),
        }
    }

    /// Whether the standard for this kind prescribes a machine-readable zone.
    #[must_use]
    pub const fn has_mrz(self) -> bool {
        matches!(self, Self::Passport | Self::IdCard)
    }
}

vocabulary! {
    /// Names of the items read from a document (`documentOcr.fields[].name`).
    FieldName {
        /// Family name.
        LastName = "lastName",
        /// Given names.
        FirstName = "firstName",
        /// Name, if the document does not separate it.
        FullName = "fullName",
        /// Family name in kana.
        LastNameKana = "lastNameKana",
        /// Given name in kana.
        FirstNameKana = "firstNameKana",
        /// Date of birth.
        BirthDate = "birthDate",
        /// Sex as printed.
        Gender = "gender",
        /// Address.
        Address = "address",
        /// Nationality.
        Nationality = "nationality",
        /// Number of the document.
        DocumentNumber = "documentNumber",
        /// Date of issue.
        IssueDate = "issueDate",
        /// Date of expiry.
        ExpiryDate = "expiryDate",
        /// Authority that issued it.
        IssuingAuthority = "issuingAuthority",
        /// State that issued it.
        IssuingCountry = "issuingCountry",
        /// Status of residence.
        ResidenceStatus = "residenceStatus",
        /// The machine-readable zone, lines joined by a line feed.
        Mrz = "mrz",
    }
}

/// One item read from a document.
// Personal data, so it exists only encrypted or inside `Personal`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OcrField {
    /// The side it was read on.
    pub side: Side,
    /// What it is.
    pub name: FieldName,
    /// As read.
    #[cfg_attr(feature = "schema", schema(required))]
    pub text: Option<String>,
    /// ISO 8601 date, `male` or `female`, NFKC text, or ISO 3166-1 alpha-3 code; null if it cannot be derived with certainty.
    #[cfg_attr(feature = "schema", schema(required))]
    pub normalized: Option<String>,
}

impl std::fmt::Debug for OcrField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OcrField({}, {})", self.side, self.name)
    }
}
