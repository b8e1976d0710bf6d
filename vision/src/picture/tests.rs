//! Uploads of every kind, whole and damaged.

use super::*;
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder, codecs::webp::WebPEncoder};
use proptest::prelude::*;

/// A picture with a red upper left quarter on a grey ramp.
fn sample(width: usize, height: usize) -> Raster {
    let mut raster = Raster::filled(width, height, [90, 120, 150]);
    raster.paste(&Raster::filled(width / 2, height / 2, [220, 20, 20]), 0, 0);
    raster
}

fn png(raster: &Raster) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (w, h) = (raster.width() as u32, raster.height() as u32);
    PngEncoder::new(&mut bytes)
        .write_image(raster.pixels(), w, h, ExtendedColorType::Rgb8)
        .unwrap();
    bytes
}

/// A JPEG whose EXIF says how the camera was held.
fn jpeg_held(raster: &Raster, orientation: u8) -> Vec<u8> {
    let jpeg = encode(raster).unwrap();
    let mut exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend_from_slice(&[orientation, 0, 0, 0, 0, 0, 0]);
    let length = (exif.len() + 2) as u16;
    let mut bytes = vec![0xFF, 0xD8, 0xFF, 0xE1];
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(&exif);
    bytes.extend_from_slice(&jpeg[2..]);
    bytes
}

#[test]
fn jpeg_png_and_webp_become_pictures_of_the_same_pixels() {
    let raster = sample(320, 240);
    let mut webp = Vec::new();
    WebPEncoder::new_lossless(&mut webp)
        .encode(raster.pixels(), 320, 240, ExtendedColorType::Rgb8)
        .unwrap();
    for bytes in [encode(&raster).unwrap(), png(&raster), webp] {
        let picture = normalise(&bytes).unwrap();
        assert_eq!((picture.rgb.width(), picture.rgb.height()), (320, 240));
        let corner = picture.rgb.sample(20.0, 20.0);
        assert!(corner[0] > 200.0 && corner[1] < 40.0, "{corner:?}");
    }
}

#[test]
fn the_camera_orientation_is_undone_and_then_gone() {
    // Orientation 6: the picture must be turned clockwise, so that its upper left comes to the upper right.
    let picture = normalise(&jpeg_held(&sample(320, 240), 6)).unwrap();
    assert_eq!((picture.rgb.width(), picture.rgb.height()), (240, 320));
    assert!(picture.rgb.sample(220.0, 20.0)[0] > 200.0);
    assert!(picture.rgb.sample(20.0, 20.0)[0] < 120.0);
    assert!(!picture.jpeg.windows(4).any(|window| window == b"Exif"));
    let again = Picture::reopen(picture.jpeg.clone()).unwrap();
    assert_eq!((again.rgb.width(), again.rgb.height()), (240, 320));
}

#[test]
fn a_large_picture_is_shrunk_to_the_kept_side() {
    let picture = normalise(&encode(&sample(4000, 1000)).unwrap()).unwrap();
    assert_eq!((picture.rgb.width(), picture.rgb.height()), (KEPT_SIDE, 750));
}

#[test]
fn a_strip_of_which_too_little_would_be_kept_is_refused_and_what_is_stored_can_be_opened() {
    let strip = |width, height| encode(&sample(width, height)).unwrap();
    assert_eq!(
        normalise_document(&strip(300, 6000)).unwrap_err(),
        PictureFault::TooSmall
    );
    assert_eq!(normalise(&strip(200, 6000)).unwrap_err(), PictureFault::TooSmall);
    let kept = normalise(&strip(300, 6000)).unwrap();
    assert_eq!((kept.rgb.width(), kept.rgb.height()), (150, KEPT_SIDE));
    let smaller = Picture::from_raster(kept.rgb.shrunk(1280).into_owned()).unwrap();
    let again = Picture::reopen(smaller.jpeg).unwrap();
    assert_eq!((again.rgb.width(), again.rgb.height()), (64, 1280));
}

#[test]
fn a_reduced_picture_has_its_size_and_few_bytes() {
    let picture = normalise(&encode(&sample(1600, 1200)).unwrap()).unwrap();
    let reduced = picture.reduced(1000).unwrap();
    let again = Picture::reopen(reduced.clone()).unwrap();
    assert_eq!((again.rgb.width(), again.rgb.height()), (1000, 750));
    assert!(
        reduced.len() * 2 < picture.jpeg.len(),
        "{} of {}",
        reduced.len(),
        picture.jpeg.len()
    );
    let larger = Picture::reopen(again.reduced(2000).unwrap()).unwrap();
    assert_eq!(larger.rgb.width(), 1000, "nothing is enlarged");
}

#[test]
fn each_fault_has_its_own_name() {
    let jpeg = encode(&sample(320, 240)).unwrap();
    assert_eq!(normalise(&[0; MAX_BYTES + 1]).unwrap_err(), PictureFault::TooLarge);
    assert_eq!(
        normalise(b"just some text, named .jpg").unwrap_err(),
        PictureFault::NotAPicture
    );
    assert_eq!(normalise(b"").unwrap_err(), PictureFault::NotAPicture);
    assert_eq!(
        normalise(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic").unwrap_err(),
        PictureFault::Heic
    );
    assert_eq!(normalise(&jpeg[..jpeg.len() / 2]).unwrap_err(), PictureFault::Truncated);
    assert_eq!(normalise(&jpeg[..jpeg.len() - 2]).unwrap_err(), PictureFault::Truncated);
    let whole = png(&sample(320, 240));
    assert_eq!(
        normalise(&whole[..whole.len() / 2]).unwrap_err(),
        PictureFault::Truncated
    );
}

#[test]
fn a_frame_is_no_larger_than_the_camera_makes_it() {
    for (width, fits) in [(400, true), (FRAME_SIDE, true), (FRAME_SIDE + 1, false), (6000, false)] {
        let told = normalise_frame(&png(&sample(width, 300))).err();
        assert_eq!(told, (!fits).then_some(PictureFault::DimensionsTooLarge), "{width}");
    }
}

#[test]
fn a_document_needs_more_pixels_than_a_face() {
    for ((width, height), of_face, of_document) in [
        ((199, 150), false, false),
        ((200, 120), true, false),
        ((320, 240), true, false),
        ((240, 320), true, false),
        ((640, 299), true, false),
        ((479, 360), true, false),
        ((480, 300), true, true),
        ((360, 480), true, true),
        ((640, 480), true, true),
    ] {
        let bytes = encode(&sample(width, height)).unwrap();
        for (picture, fits) in [(normalise(&bytes), of_face), (normalise_document(&bytes), of_document)] {
            let told = picture.err();
            assert_eq!(told, (!fits).then_some(PictureFault::TooSmall), "{width} x {height}");
        }
    }
}

#[test]
fn a_picture_of_thirty_thousand_pixels_a_side_is_refused_by_its_header() {
    let mut jpeg = encode(&sample(320, 240)).unwrap();
    let frame = jpeg.windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0x75, 0x30, 0x75, 0x30]);
    assert_eq!(normalise(&jpeg).unwrap_err(), PictureFault::DimensionsTooLarge);
    // 11,000 x 11,000 keeps within the side but not within the memory.
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0x2A, 0xF8, 0x2A, 0xF8]);
    assert_eq!(normalise(&jpeg).unwrap_err(), PictureFault::DimensionsTooLarge);
}

/// A JPEG segment.
fn segment(marker: u8, content: &[u8]) -> Vec<u8> {
    let [high, low] = (content.len() as u16 + 2).to_be_bytes();
    [&[0xFF, marker, high, low][..], content].concat()
}

/// A grey JPEG in which each of the three components has a scan of its own.
fn in_separate_scans(width: u16, height: u16) -> Vec<u8> {
    let ([h1, h0], [w1, w0]) = (height.to_be_bytes(), width.to_be_bytes());
    let blocks = usize::from(width).div_ceil(8) * usize::from(height).div_ceil(8);
    // One code in each table, of one bit: no difference from the block before, and no other coefficient.
    let one_code = [&[1_u8][..], &[0; 15], &[0]].concat();
    let mut jpeg = vec![0xFF, 0xD8];
    jpeg.extend(segment(0xDB, &[&[0_u8][..], &[1; 64]].concat()));
    let components = [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0];
    jpeg.extend(segment(0xC0, &[&[8, h1, h0, w1, w0, 3][..], &components].concat()));
    for table in [0x00_u8, 0x10] {
        jpeg.extend(segment(0xC4, &[&[table][..], &one_code].concat()));
    }
    for component in 1..=3 {
        jpeg.extend(segment(0xDA, &[1, component, 0, 0, 63, 0]));
        jpeg.extend(vec![0; (blocks * 2).div_ceil(8)]);
    }
    jpeg.extend([0xFF, 0xD9]);
    jpeg
}

#[test]
fn a_jpeg_that_keeps_its_coefficients_until_the_last_scan_may_have_fewer_pixels() {
    let small = normalise(&in_separate_scans(640, 480)).unwrap();
    assert_eq!((small.rgb.width(), small.rgb.height()), (640, 480));
    assert!(normalise(&encode(&sample(3500, 2500)).unwrap()).is_ok(), "in one scan");
    let large = in_separate_scans(3500, 2500);
    assert_eq!(normalise(&large).unwrap_err(), PictureFault::DimensionsTooLarge);
}

#[test]
fn a_jpeg_with_two_sizes_is_refused_wherever_the_second_one_is() {
    let jpeg = encode(&sample(320, 240)).unwrap();
    let frame = jpeg.windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap();
    let length = usize::from(u16::from_be_bytes([jpeg[frame + 2], jpeg[frame + 3]]));
    let (until, rest) = jpeg.split_at(frame + 2 + length);
    let large = segment(0xC0, &[8, 0x0F, 0xA0, 0x17, 0x70, 1, 1, 0x11, 0]);
    let with = |between: &[u8]| normalise(&[until, between, rest].concat()).map(|picture| picture.rgb.width());
    assert_eq!(with(&[]), Ok(320));
    assert_eq!(with(&segment(0xFE, b"a comment")), Ok(320));
    assert_eq!(with(&large), Err(PictureFault::Corrupt));
    let at_the_end = [&jpeg[..jpeg.len() - 2], &large, &[0xFF, 0xD9]].concat();
    assert_eq!(normalise(&at_the_end).unwrap_err(), PictureFault::Corrupt);
    // The decoder takes a marker without a length for a segment. This one is as long as `FF C0` says, and the other size is in it.
    let hidden = 0xFFC0 - 2;
    let body = &large[2..];
    let filling = segment(0xFE, &vec![0; hidden - body.len() - 4]);
    for bare in [0x01_u8, 0xD0, 0xD8] {
        let segment = [&[0xFF, bare][..], &large, &filling].concat();
        assert_eq!(with(&segment), Err(PictureFault::Corrupt), "{bare:x}");
    }
}

#[test]
fn fill_bytes_before_restart_markers_change_nothing() {
    let mut jpeg = Vec::new();
    let mut encoder = Encoder::new(&mut jpeg, JPEG_QUALITY);
    encoder.set_restart_interval(4);
    encoder
        .encode(sample(320, 240).pixels(), 320, 240, jpeg_encoder::ColorType::Rgb)
        .unwrap();
    let mut filled = Vec::new();
    for (at, &byte) in jpeg.iter().enumerate() {
        if byte == 0xFF && matches!(jpeg.get(at + 1), Some(0xD0..=0xD7)) {
            filled.extend([0xFF, 0xFF]);
        }
        filled.push(byte);
    }
    assert!(filled.len() > jpeg.len());
    assert_eq!(normalise(&filled).unwrap().jpeg, normalise(&jpeg).unwrap().jpeg);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_files_never_panic(cut in 0_usize..3000, flips in prop::collection::vec((0_usize..3000, any::<u8>()), 0..20), png_kind in any::<bool>()) {
        let raster = sample(210, 130);
        let mut bytes = if png_kind { png(&raster) } else { encode(&raster).unwrap() };
        for (at, value) in flips {
            let length = bytes.len();
            bytes[at % length] = value;
        }
        let keep = bytes.len() - cut % bytes.len();
        bytes.truncate(keep);
        if let Ok(picture) = normalise(&bytes) {
            prop_assert!(picture.rgb.longest() <= KEPT_SIDE);
        }
    }
}
