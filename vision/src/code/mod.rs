//! Machine-readable codes on cards other than the MRZ: found, decoded, taken apart.
//!
//! Content that follows none of the supported standards is dropped as soon as it is decoded: it is neither kept nor logged.

mod aamva;
#[cfg(test)]
mod fuzz;
mod grey;
mod pdf417;
mod seal;
#[cfg(test)]
pub(crate) mod tests;

use crate::raster::Raster;
use domain::document::{DocumentType, Side};
use domain::findings::CodeReading;
use grey::Grey;
use time::Date;

pub(crate) use seal::Certificates;

/// The codes of one side, as many as were decoded. `signers` are those whose seals can be checked.
pub(crate) fn read(
    picture: &Raster,
    kind: DocumentType,
    side: Side,
    today: Date,
    signers: &Certificates,
) -> Vec<CodeReading> {
    if !may_have_codes(kind) {
        return Vec::new();
    }
    let grey = Grey::of(picture);
    let licence = pdf417::read(&grey, |message| aamva::reading(message, side));
    let seal = || seal::read(&grey, side, today, signers);
    licence.or_else(seal).into_iter().collect()
}

/// Whether this kind of document may carry codes that may be read. The code on the back of a My Number card is the individual
/// number itself, which nobody may collect.
const fn may_have_codes(kind: DocumentType) -> bool {
    match kind {
        DocumentType::DrivingLicense | DocumentType::IdCard => true,
        DocumentType::MyNumberCard
        | DocumentType::ResidenceCard
        | DocumentType::SpecialPermanentResidentCertificate
        | DocumentType::DrivingHistoryCertificate
        | DocumentType::Passport => false,
    }
}

/// The message of a picture's PDF417 code, whatever it says.
pub(crate) fn message(picture: &Raster) -> Option<Vec<u8>> {
    pdf417::read(&Grey::of(picture), |message| Some(message.to_vec()))
}
