//! What is known of a picture: the truth that reading is judged by.

use serde::Serialize;

/// Corners in pixels: left top, right top, right bottom, left bottom as the document is read.
pub(crate) type Corners = [[f32; 2]; 4];

/// Kinds of documents, by the names of the API.
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

/// Which face of a document a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    /// The side with the portrait.
    Front,
    /// The other side.
    Back,
}

/// Items of a document, by the names of the API.
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

/// One item as it stands on the document.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Field {
    pub(crate) name: Item,
    /// As printed.
    pub(crate) text: String,
    /// ISO 8601 date, `male`/`female`, ISO 3166-1 alpha-3, or the text.
    pub(crate) normalized: String,
    /// Whether a reader should find it; the rest follows from other items or is small print, and is right where it is given.
    pub(crate) wanted: bool,
    /// Other forms that are as right.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<String>,
    /// Where it stands: on the document in millimetres while it is printed, in the picture in pixels on the label.
    pub(crate) corners: Option<Corners>,
}

/// What was done to a document to deceive.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Deceit {
    /// `altered`, `portrait`, `screen`, `print`, `grey`.
    pub(crate) what: &'static str,
    /// The item that was altered, and what stood there before.
    pub(crate) item: Option<Item>,
    pub(crate) was: Option<String>,
    /// Whether the picture was edited, and not the document.
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

/// The label of a picture; `labels.json` holds them all.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Label {
    pub(crate) file: String,
    /// Pictures of one number show one document; `person` tells whose.
    pub(crate) document: usize,
    pub(crate) person: usize,
    pub(crate) kind: Kind,
    pub(crate) layout: &'static str,
    /// The state, or the office, whose arrangement it has.
    pub(crate) issuer: String,
    pub(crate) side: Side,
    /// How it was photographed: `flat`, `tilted`, ..; or the defect made on purpose.
    pub(crate) condition: &'static str,
    /// Reason codes of the defects made on purpose.
    pub(crate) defects: Vec<&'static str>,
    pub(crate) deceit: Option<Deceit>,
    /// Corners of the document in pixels; none where there is no document in the picture.
    pub(crate) outline: Option<Corners>,
    pub(crate) fields: Vec<Field>,
    /// The lines of the machine-readable zone.
    pub(crate) mrz: Vec<String>,
    pub(crate) barcode: Option<String>,
}
