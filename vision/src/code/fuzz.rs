//! Fuzz targets for the contents of codes: see docs/TESTING.md.

use super::{aamva, seal};
use domain::document::Side;
use time::{Date, macros::date};

const TODAY: Date = date!(2026 - 11 - 21);

#[test]
fn licence_codes() {
    bolero::check!()
        .with_iterations(0)
        .for_each(|bytes: &[u8]| drop(aamva::reading(bytes, Side::Back)));
}

#[test]
fn seals() {
    let nobody = seal::Certificates::load(std::path::Path::new(""));
    bolero::check!()
        .with_iterations(0)
        .for_each(|bytes: &[u8]| drop(seal::reading(bytes, Side::Front, TODAY, &nobody)));
}
