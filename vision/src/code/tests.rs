//! Codes from picture to reading.

use super::*;
use domain::document::FieldName;
use rxing::pdf417::encoder::PDF417;

/// The codes of a picture, where no signer of seals is known.
fn read(picture: &Raster, kind: DocumentType, side: Side) -> Vec<CodeReading> {
    super::read(
        picture,
        kind,
        side,
        time::macros::date!(2026 - 11 - 21),
        &Certificates::default(),
    )
}

pub(crate) const PAYLOAD: &str = "@\n\u{1e}\rANSI 636014100001DL00310103DLDAQI1234568\nDCSSAMPLE\nDACJANE\nDBB01311985\nDBA01312030\n\
    DBD01312022\nDBC2\nDAG123 MAIN ST\nDAISACRAMENTO\nDAJCA\nDCGUSA\r";

/// A white picture with the code in its middle, turned by some degrees, a module `module` pixels wide.
pub(crate) fn drawn(payload: &str, degrees: f32, module: f32) -> Raster {
    let mut encoder = PDF417::new();
    encoder.generateBarcodeLogic(payload, 4).unwrap();
    let rows = encoder.getBarcodeMatrix().as_ref().unwrap().getMatrix();
    let (width, height) = (rows[0].len() as f32, rows.len() as f32 * 3.0);
    let side = (width.hypot(height) * module * 1.1) as usize;
    let (sin, cos) = degrees.to_radians().sin_cos();
    let mut pixels = Vec::with_capacity(side * side * 3);
    for i in 0..side * side {
        // The mean of nine places within the pixel.
        let covered = (0..9).filter(|sub| {
            let x = (i % side) as f32 + (sub % 3) as f32 / 3.0 - side as f32 / 2.0;
            let y = (i / side) as f32 + (sub / 3) as f32 / 3.0 - side as f32 / 2.0;
            let u = (x * cos + y * sin) / module + width / 2.0;
            let v = (y * cos - x * sin) / module + height / 2.0;
            let inside = u >= 0.0 && v >= 0.0 && u < width && v < height;
            // The encoder's rows stand upside down.
            inside && rows[rows.len() - 1 - (v / 3.0) as usize][u as usize] == 1
        });
        pixels.extend([240 - covered.count() as u8 * 24; 3]);
    }
    Raster::new(side, side, pixels).unwrap()
}

#[test]
fn a_licences_code_is_read_at_any_turn() {
    for degrees in [0.0, 17.0, 45.0, 90.0, 131.0, 180.0, 262.0] {
        let codes = read(&drawn(PAYLOAD, degrees, 2.2), DocumentType::DrivingLicense, Side::Back);
        let [code] = codes.as_slice() else {
            panic!("turned by {degrees}: {codes:?}")
        };
        assert_eq!(
            (code.kind, code.issuer.as_deref()),
            (Some(DocumentType::DrivingLicense), Some("636014"))
        );
        let number = code
            .fields
            .iter()
            .find(|field| field.name == FieldName::DocumentNumber)
            .unwrap();
        assert_eq!(number.text.as_deref(), Some("I1234568"));
    }
}

#[test]
fn bars_of_a_pixel_and_a_half_are_read() {
    assert_eq!(message(&drawn(PAYLOAD, 4.0, 1.5)).as_deref(), Some(PAYLOAD.as_bytes()));
}

#[test]
fn no_code_is_read_on_a_my_number_card() {
    let picture = drawn(PAYLOAD, 0.0, 2.0);
    assert_eq!(read(&picture, DocumentType::MyNumberCard, Side::Front), []);
    assert_eq!(read(&picture, DocumentType::IdCard, Side::Front).len(), 1);
}

#[test]
fn what_is_no_documents_code_is_dropped() {
    let picture = drawn("NOTHING THAT A LICENCE SAYS", 0.0, 3.0);
    assert_eq!(
        message(&picture).as_deref(),
        Some(b"NOTHING THAT A LICENCE SAYS".as_slice())
    );
    assert_eq!(read(&picture, DocumentType::DrivingLicense, Side::Back), []);
}

#[test]
fn a_picture_without_a_code_has_none() {
    let stripes = (0..300 * 200)
        .flat_map(|i| [if i % 300 / 3 % 2 == 0 { 30 } else { 220 }; 3])
        .collect();
    for picture in [
        Raster::filled(400, 300, [200; 3]),
        Raster::new(300, 200, stripes).unwrap(),
        Raster::filled(1, 1, [0; 3]),
    ] {
        assert_eq!(message(&picture), None, "{picture:?}");
    }
}
