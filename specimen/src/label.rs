//! The ground truth of a picture, by which reading is judged.

use serde::Serialize;

/// Corners in pixels: left top, right top, right bottom, left bottom in reading direction.
pub(crate) type Corners = [[f32; 2]; 4];

/// Kinds of documents, by their API names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    DrivingLicense,
    MyNumberCard,
    ResidenceCard,
    SpecialPermanentResidentCertificate,
    DrivingHistoryCertificate,
    Passport,
    IdCard,
}

/// The side of a document that a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    /// The side with the portrait.
    Front,
    /// The other side.
    Back,
}

/// Items of a document, by their API names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Item {
    LastName,
    FirstName,
    FullName,
    BirthDate,
    Gender,
    Address,
    Nationality,
    DocumentNumber,
    IssueDate,
    ExpiryDate,
    IssuingAuthority,
    IssuingCountry,
    ResidenceStatus,
}

/// One item as printed on the document.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Field {
    pub(crate) name: Item,
    /// As printed.
    pub(crate) text: String,
    /// ISO 8601 date, `male`/`female`, ISO 3166-1 alpha-3, or the text.
    pub(crate) normalized: String,
    /// Whether a reader should find it; the rest follows from other items or is small print, and counts as correct if returned.
    pub(crate) wanted: bool,
    /// Other forms that are also correct.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<String>,
    /// Its position: on the document in millimetres while it is being printed, in the picture in pixels on the label.
    pub(crate) corners: Option<Corners>,
}

/// How a document was manipulated.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Deceit {
    /// `altered`, `portrait`, `screen`, `print`, `grey`.
    pub(crate) what: &'static str,
    /// The item that was altered, and its original text.
    pub(crate) item: Option<Item>,
    pub(crate) was: Option<String>,
    /// Whether the picture was edited rather than the document.
    pub(crate) digital: bool,
}

/// One side as printed, before a camera sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Printed {
    pub(crate) fields: Vec<Field>,
    pub(crate) mrz: Vec<String>,
    /// The payload of its barcode.
    pub(crate) barcode: Option<String>,
    /// Left, top, width, height of the portrait in millimetres.
    pub(crate) portrait: Option<[f32; 4]>,
}

/// The label of a picture; `labels.json` contains all of them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Label {
    pub(crate) file: String,
    /// Pictures with the same number show the same document; `person` identifies its owner.
    pub(crate) document: usize,
    pub(crate) person: usize,
    pub(crate) kind: Kind,
    pub(crate) layout: &'static str,
    /// The state or office whose layout it has.
    pub(crate) issuer: String,
    pub(crate) side: Side,
    /// How it was photographed: `flat`, `tilted`, ..; or the intentional defect.
    pub(crate) condition: &'static str,
    /// Reason codes of the intentional defects.
    pub(crate) defects: Vec<&'static str>,
    pub(crate) deceit: Option<Deceit>,
    /// Corners of the document in pixels; none if there is no document in the picture.
    pub(crate) outline: Option<Corners>,
    pub(crate) fields: Vec<Field>,
    /// The lines of the machine-readable zone.
    pub(crate) mrz: Vec<String>,
    pub(crate) barcode: Option<String>,
}
