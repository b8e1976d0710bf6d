//! Finds the Data Matrix and QR codes in a picture, with rxing.

use crate::code::grey::Grey;
use rxing::{BarcodeFormat, DecodeHints, RXingResult, RXingResultMetadataType, RXingResultMetadataValue};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The longer side that is looked at: a seal's modules are coarse.
const SIDE: usize = 1600;

/// The bytes of the picture's codes, at most one of each symbology.
pub(super) fn contents(grey: &Grey) -> Vec<Vec<u8>> {
    let mut small = grey.clone();
    while small.width.max(small.height) > SIDE {
        small = small.halved();
    }
    [BarcodeFormat::QR_CODE, BarcodeFormat::DATA_MATRIX]
        .into_iter()
        .filter_map(|format| code(&small, format))
        .collect()
}

/// The reader indexes by what it has read; what would end the analysis of a picture is a code that cannot be read.
fn code(grey: &Grey, format: BarcodeFormat) -> Option<Vec<u8>> {
    let (width, height) = (u32::try_from(grey.width).ok()?, u32::try_from(grey.height).ok()?);
    let mut hints = DecodeHints {
        TryHarder: Some(true),
        ..DecodeHints::default()
    };
    let luma = grey.pixels.clone();
    let read =
        AssertUnwindSafe(|| rxing::helpers::detect_in_luma_with_hints(luma, width, height, Some(format), &mut hints));
    let found = catch_unwind(read).ok()?.ok()?;
    Some(bytes(&found))
}

/// The bytes as they stand in the code, or its text where it has no segment of bytes.
fn bytes(found: &RXingResult) -> Vec<u8> {
    let segments = found
        .getRXingResultMetadata()
        .get(&RXingResultMetadataType::BYTE_SEGMENTS);
    match segments {
        Some(RXingResultMetadataValue::ByteSegments(segments)) if !segments.is_empty() => segments.concat(),
        _ => found.getText().as_bytes().to_vec(),
    }
}
