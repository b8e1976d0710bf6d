//! Pictures that no camera makes: each is refused or becomes a clean picture, and none takes much more memory than a decode may.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use image::codecs::{png::PngEncoder, webp::WebPEncoder};
use image::{ExtendedColorType, ImageEncoder};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use std::fs::read_to_string;
use vision::picture::KEPT_SIDE;
use vision::raster::Raster;
use vision::{Picture, logo, normalise};

/// Stands for what a person did not mean to send.
const CANARY: &[u8] = b"35.6586N 139.7454E canary";
/// The sides of most pictures here: about the smallest that are taken.
const SIDES: (usize, usize) = (210, 130);
/// What one picture may add to the memory in use, in KiB: the 72 MiB of a decode, the 26 MiB of the picture that is kept, and what the allocator has not
/// given back of the ones before.
const MOST_RESIDENT: u64 = 144 * 1024;
/// What may be asked for, whether it is used or not, in KiB: on a small machine, asking for more ends the process.
const MOST_ASKED: u64 = 1024 * 1024;
/// First column and row, and distance of columns and rows, of each pass of an interlaced PNG.
const ADAM7: [[u32; 4]; 7] = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Refused,
    Clean,
    /// Only that it is one of both.
    Either,
}
use Expected::{Clean, Either, Refused};

struct Hostile {
    name: String,
    bytes: Vec<u8>,
    expected: Expected,
}

#[test]
fn hostile_pictures_are_refused_or_become_clean_ones_in_bounded_memory() {
    let pictures: Vec<Hostile> = [cut(), longer(), altered(), claims(), metadata(), unusual()]
        .into_iter()
        .flatten()
        .collect();
    assert!(pictures.len() >= 300, "{}", pictures.len());
    let [resident, asked] = ["VmRSS", "VmSize"].map(memory);
    for Hostile { name, bytes, expected } in &pictures {
        let told = normalise(bytes);
        match expected {
            Refused => assert!(told.is_err(), "{name}: taken"),
            Clean => assert_eq!(told.as_ref().err(), None, "{name}"),
            Either => {}
        }
        if let Ok(picture) = &told {
            assert_clean(name, picture);
        }
        let grown = memory("VmHWM").saturating_sub(resident);
        assert!(grown <= MOST_RESIDENT, "{name}: {grown} KiB in use");
        let grown = memory("VmPeak").saturating_sub(asked);
        assert!(grown <= MOST_ASKED, "{name}: {grown} KiB asked for");
    }
}

/// A line of what Linux says of this process, in KiB (proc(5)).
fn memory(field: &str) -> u64 {
    let status = read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim_matches([':', '\t', ' ', 'k', 'B']).parse().unwrap()
}

/// That the stored file has tables, one frame and one scan of it, and nothing else.
fn assert_clean(name: &str, picture: &Picture) {
    let jpeg = &picture.jpeg;
    assert!(jpeg.starts_with(&[0xFF, 0xD8]), "{name}");
    assert!(picture.rgb.longest() <= KEPT_SIDE, "{name}");
    let mut at = 2;
    loop {
        let &[ff, marker, high, low] = jpeg[at..].first_chunk::<4>().unwrap();
        assert!(
            ff == 0xFF && matches!(marker, 0xE0 | 0xDB | 0xC0 | 0xC4 | 0xDA),
            "{name}: {ff:x} {marker:x}"
        );
        let length = usize::from(u16::from_be_bytes([high, low]));
        if marker == 0xC0 {
            let size = [picture.rgb.height(), picture.rgb.width()].map(|side| (side as u16).to_be_bytes());
            assert_eq!(jpeg[at + 5..at + 9], *size.as_flattened(), "{name}");
        }
        at += 2 + length;
        if marker == 0xDA {
            break;
        }
    }
    let end = jpeg[at..].windows(2).position(|pair| pair == [0xFF, 0xD9]).unwrap();
    assert_eq!(at + end + 2, jpeg.len(), "{name}: something is behind the picture");
    assert!(!holds(jpeg, CANARY), "{name}");
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Files that end too early, at many places. A PNG and a WebP may lack their last bytes, which are not pixels.
fn cut() -> Vec<Hostile> {
    let mut made = Vec::new();
    for (kind, bytes) in kinds() {
        for part in 0..36 {
            let kept = bytes.len() * part / 40;
            made.push(hostile(
                format!("{kind} cut after {kept} bytes"),
                bytes[..kept].to_vec(),
                Refused,
            ));
        }
    }
    made
}

/// Files with something behind the picture, which becomes what it becomes without that.
fn longer() -> Vec<Hostile> {
    let mut dice = Dice(11);
    let random: Vec<u8> = (0..4_000).map(|_| dice.below(256) as u8).collect();
    let tails: [(&str, &[u8]); 7] = [
        ("a ZIP", b"PK\x03\x04\x14\0\0\0\x08\0PK\x05\x06\0\0\0\0"),
        ("HTML", b"<html><script>alert(document.domain)</script></html>"),
        ("a PDF", b"%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj"),
        ("a program", b"\x7fELF\x02\x01\x01\0\0\0\0\0"),
        ("PHP", b"<?php system($_GET['c']); ?>"),
        ("zeros", &[0; 3_000]),
        ("random bytes", &random),
    ];
    let mut made = Vec::new();
    for (kind, bytes) in kinds() {
        let plain = normalise(&bytes).unwrap();
        for (what, tail) in tails {
            let longer = [&bytes[..], tail, CANARY].concat();
            let same = normalise(&longer).map(|picture| picture.jpeg);
            assert!(same.as_ref() == Ok(&plain.jpeg), "{what} behind a {kind}");
            made.push(hostile(format!("{what} behind a {kind}"), longer, Clean));
            made.push(hostile(
                format!("{what} before a {kind}"),
                [tail, &bytes].concat(),
                Refused,
            ));
        }
        for (other, second) in kinds() {
            made.push(hostile(
                format!("a {other} behind a {kind}"),
                [&bytes[..], &second].concat(),
                Either,
            ));
        }
    }
    made
}

/// Files of which a few bytes were changed.
fn altered() -> Vec<Hostile> {
    let mut dice = Dice(23);
    let mut made = Vec::new();
    for (kind, bytes) in kinds() {
        for number in 0..40 {
            let mut altered = bytes.clone();
            // Most of them where the file says what it is.
            let within = if number % 4 == 0 { bytes.len() } else { 700 };
            for _ in 0..=number % 5 {
                altered[dice.below(within)] = dice.below(256) as u8;
            }
            made.push(hostile(format!("{kind} altered, number {number}"), altered, Either));
        }
    }
    made
}

/// Headers that promise more than there is.
fn claims() -> Vec<Hostile> {
    let mut made = Vec::new();
    let jpeg = kinds()[0].1.clone();
    let frame = jpeg.windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap();
    for (width, height, expected) in [
        (u16::MAX, u16::MAX, Refused),
        (u16::MAX, 130, Refused),
        (12_001, 200, Refused),
        (12_000, 12_000, Refused),
        (5_100, 5_000, Refused),
        (0, 130, Refused),
        (210, 0, Refused),
        // Just below what a decode may hold.
        (5_000, 5_000, Either),
    ] {
        let mut claiming = jpeg.clone();
        claiming[frame + 5..frame + 9].copy_from_slice([height, width].map(u16::to_be_bytes).as_flattened());
        made.push(hostile(format!("JPEG of {width} x {height}"), claiming, expected));
    }
    for (width, height) in [
        (i32::MAX as u32, i32::MAX as u32),
        (i32::MAX as u32, 200),
        (65_535, 65_535),
        (12_001, 200),
        (5_100, 5_000),
        (0, 0),
    ] {
        let bytes = png_file([width, height], [8, 2, 0], &zeros(1_000), &[]);
        made.push(hostile(format!("PNG of {width} x {height}"), bytes, Refused));
    }
    for (width, height) in [(16_384, 16_384), (12_001, 200), (5_100, 5_000)] {
        let mut webp = kinds()[2].1.clone();
        let sides: u32 = (width - 1) | ((height - 1) << 14);
        webp[21..25].copy_from_slice(&sides.to_le_bytes());
        made.push(hostile(format!("WebP of {width} x {height}"), webp, Refused));
    }
    for claimed in [100, 0x7FFF_FFFE, u32::MAX] {
        let mut exif = riff_chunk(b"EXIF", CANARY);
        exif[4..8].copy_from_slice(&claimed.to_le_bytes());
        made.push(hostile(
            format!("WebP with EXIF of {claimed} bytes"),
            webp_with(0x08, &[], &exif),
            Refused,
        ));
        let png = &kinds()[1].1;
        let mut text = png_chunk(b"tEXt", CANARY);
        text[..4].copy_from_slice(&claimed.to_be_bytes());
        // Behind the header: a signature of 8 bytes and a chunk of 25.
        let bytes = [&png[..33], &text, &png[33..]].concat();
        made.push(hostile(format!("PNG with a text of {claimed} bytes"), bytes, Either));
    }
    // 100 MB of zeros in 630 kB: as pixels of a small picture, as a profile of colours, and as a text.
    let bomb = zeros(100_000_000);
    let small = zeros(130 * (1 + 210 * 3));
    made.push(hostile(
        "PNG with too many pixels",
        png_file([210, 130], [8, 2, 0], &bomb, &[]),
        Either,
    ));
    let keywords: [(&[u8; 4], &[u8]); 3] = [
        (b"iCCP", b"profile\0\0"),
        (b"zTXt", b"Comment\0\0"),
        (b"iTXt", b"Comment\0\x01\0\0\0"),
    ];
    for (name, keyword) in keywords {
        let unfolding = png_chunk(name, &[keyword, &bomb].concat());
        let bytes = png_file([210, 130], [8, 2, 0], &small, &[unfolding]);
        made.push(hostile(
            format!("PNG with a large {}", name.escape_ascii()),
            bytes,
            Clean,
        ));
    }
    made
}

/// What cameras and editors write beside the pixels, with a canary in it.
fn metadata() -> Vec<Hostile> {
    let thumbnail = jpeg(&noise(40, 30), |_| {});
    // One directory of one entry, which points to that of the place (GPS).
    let mut exif = b"II*\0\x08\0\0\0\x01\0\x25\x88\x04\0\x01\0\0\0\x1a\0\0\0\0\0\0\0".to_vec();
    exif.extend_from_slice(CANARY);
    exif.extend_from_slice(&thumbnail);
    let xmp = [
        &b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>"[..],
        CANARY,
        b"</x:xmpmeta>",
    ]
    .concat();
    let raster = noise(SIDES.0, SIDES.1);
    let tagged = jpeg(&raster, |encoder| {
        encoder.add_exif_metadata(&exif).unwrap();
        encoder.add_app_segment(1, xmp.clone()).unwrap();
        encoder.add_icc_profile(CANARY).unwrap();
        encoder
            .add_app_segment(13, [&b"Photoshop 3.0\0"[..], CANARY].concat())
            .unwrap();
        encoder.add_app_segment(15, CANARY.to_vec()).unwrap();
    });
    let length = (CANARY.len() as u16 + 2).to_be_bytes();
    let comment = [&[0xFF, 0xFE][..], &length, CANARY].concat();
    let commented = [&tagged[..2], &comment, &tagged[2..]].concat();
    let png = png(&raster);
    let chunks = [
        png_chunk(b"eXIf", &exif),
        png_chunk(b"tEXt", &[&b"GPS\0"[..], CANARY].concat()),
        png_chunk(b"iTXt", &[&b"XML:com.adobe.xmp\0\0\0\0\0"[..], CANARY].concat()),
        png_chunk(b"prVt", CANARY),
    ];
    let chunked = [&png[..33], &chunks.concat(), &png[33..]].concat();
    let webp = webp_with(
        0x2C,
        &riff_chunk(b"ICCP", CANARY),
        &[riff_chunk(b"EXIF", &exif), riff_chunk(b"XMP ", &xmp)].concat(),
    );
    let mut made = Vec::new();
    for (kind, bytes) in [("JPEG", commented), ("PNG", chunked), ("WebP", webp)] {
        assert!(holds(&bytes, CANARY), "{kind}");
        let drawn = logo(&bytes).unwrap();
        assert!(!holds(&drawn.png, CANARY), "the logo of a {kind}");
        made.push(hostile(format!("{kind} with metadata"), bytes, Clean));
    }
    // Directories that point anywhere, on their own and in one another.
    let mut dice = Dice(31);
    for number in 0..30 {
        let mut wild = exif.clone();
        for _ in 0..4 {
            wild[dice.below(26)] = dice.below(256) as u8;
        }
        let bytes = jpeg(&raster, |encoder| encoder.add_exif_metadata(&wild).unwrap());
        made.push(hostile(format!("EXIF altered, number {number}"), bytes, Clean));
    }
    made
}

/// Kinds of pixels that phones do not send, and kinds of files.
fn unusual() -> Vec<Hostile> {
    let mut made = Vec::new();
    let depths_of: [(u8, &[u8]); 5] = [
        (0, &[1, 2, 4, 8, 16]),
        (2, &[8, 16]),
        (3, &[1, 2, 4, 8]),
        (4, &[8, 16]),
        (6, &[8, 16]),
    ];
    for (colour, depths) in depths_of {
        for &depth in depths {
            for interlaced in [false, true] {
                let name = format!("PNG of colour type {colour}, {depth} bits, interlaced: {interlaced}");
                made.push(hostile(name, black_png([210, 130], depth, colour, interlaced), Clean));
            }
        }
    }
    // Just below what a decode may hold: 3 bytes a pixel, and 8 with a copy of 3.
    made.push(hostile("large PNG", black_png([5_000, 5_000], 8, 2, false), Clean));
    made.push(hostile(
        "large PNG of 16 bits",
        black_png([2_600, 2_600], 16, 6, true),
        Clean,
    ));
    made.push(hostile(
        "larger PNG of 16 bits",
        black_png([2_700, 2_600], 16, 6, false),
        Refused,
    ));
    let raster = noise(SIDES.0, SIDES.1);
    for scans in [2, 4, 16, 64] {
        let bytes = jpeg(&raster, |encoder| encoder.set_progressive_scans(scans));
        let expected = if scans > 4 { Either } else { Clean };
        made.push(hostile(
            format!("progressive JPEG, {scans} scans of a colour"),
            bytes,
            expected,
        ));
    }
    for factor in [
        SamplingFactor::F_1_1,
        SamplingFactor::F_2_1,
        SamplingFactor::F_1_2,
        SamplingFactor::F_2_2,
        SamplingFactor::F_4_1,
    ] {
        let bytes = jpeg(&raster, |encoder| encoder.set_sampling_factor(factor));
        made.push(hostile(format!("JPEG sampled {factor:?}"), bytes, Either));
    }
    let four = noise(SIDES.0, SIDES.1 * 4 / 3 + 1);
    for kind in [ColorType::Luma, ColorType::Cmyk, ColorType::CmykAsYcck, ColorType::Ycck] {
        let mut bytes = Vec::new();
        let (width, height) = (SIDES.0 as u16, SIDES.1 as u16);
        Encoder::new(&mut bytes, 85)
            .encode(four.pixels(), width, height, kind)
            .unwrap();
        let expected = if kind == ColorType::Luma { Clean } else { Either };
        made.push(hostile(format!("JPEG of {kind:?}"), bytes, expected));
    }
    let lossless = kinds()[2].1[12..].to_vec();
    let frame = [&[0; 6][..], &[209, 0, 0, 129, 0, 0, 100, 0, 0, 0], &lossless].concat();
    let animation = [
        riff_chunk(b"ANIM", &[0; 6]),
        riff_chunk(b"ANMF", &frame),
        riff_chunk(b"ANMF", &frame),
    ]
    .concat();
    let canvas = riff_chunk(b"VP8X", &[0x02, 0, 0, 0, 209, 0, 0, 129, 0, 0]);
    made.push(hostile("animated WebP", riff(&[canvas, animation].concat()), Refused));
    let nothing: [(&str, &[u8]); 8] = [
        ("nothing", b""),
        ("a GIF", b"GIF89a\xd2\0\x82\0\x80\0\0\0\0\0\xff\xff\xff;"),
        ("an SVG", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("a BMP", b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0"),
        ("a TIFF", b"II*\0\x08\0\0\0\0\0"),
        ("the start of a JPEG", b"\xff\xd8\xff"),
        ("the start of a PNG", b"\x89PNG\r\n\x1a\n"),
        ("the start of a WebP", b"RIFF\x04\0\0\0WEBP"),
    ];
    for (name, bytes) in nothing {
        made.push(hostile(name, bytes.to_vec(), Refused));
    }
    made
}

fn hostile(name: impl Into<String>, bytes: Vec<u8>, expected: Expected) -> Hostile {
    Hostile {
        name: name.into(),
        bytes,
        expected,
    }
}

/// The same honest picture as a JPEG, a PNG and a WebP.
fn kinds() -> [(&'static str, Vec<u8>); 3] {
    let raster = noise(SIDES.0, SIDES.1);
    [
        ("JPEG", jpeg(&raster, |_| {})),
        ("PNG", png(&raster)),
        ("WebP", webp(&raster)),
    ]
}

/// Numbers that look random and are the same each time (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// A picture that cannot be compressed, so that every part of its file matters.
fn noise(width: usize, height: usize) -> Raster {
    let mut dice = Dice(7);
    let pixels = (0..width * height * 3).map(|_| dice.below(256) as u8).collect();
    Raster::new(width, height, pixels).unwrap()
}

fn jpeg(raster: &Raster, change: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, 85);
    change(&mut encoder);
    let (width, height) = (raster.width() as u16, raster.height() as u16);
    encoder.encode(raster.pixels(), width, height, ColorType::Rgb).unwrap();
    bytes
}

fn png(raster: &Raster) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (width, height) = (raster.width() as u32, raster.height() as u32);
    PngEncoder::new(&mut bytes)
        .write_image(raster.pixels(), width, height, ExtendedColorType::Rgb8)
        .unwrap();
    bytes
}

fn webp(raster: &Raster) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (width, height) = (raster.width() as u32, raster.height() as u32);
    WebPEncoder::new_lossless(&mut bytes)
        .encode(raster.pixels(), width, height, ExtendedColorType::Rgb8)
        .unwrap();
    bytes
}

/// A WebP with these flags, and with chunks before and behind the pixels.
fn webp_with(flags: u8, before: &[u8], behind: &[u8]) -> Vec<u8> {
    let [wide, high] = [SIDES.0, SIDES.1].map(|side| side as u8 - 1);
    let canvas = riff_chunk(b"VP8X", &[flags, 0, 0, 0, wide, 0, 0, high, 0, 0]);
    riff(&[&canvas[..], before, &kinds()[2].1[12..], behind].concat())
}

fn riff(chunks: &[u8]) -> Vec<u8> {
    riff_chunk(b"RIFF", &[&b"WEBP"[..], chunks].concat())
}

fn riff_chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let padding = &[0][..data.len() % 2];
    [&name[..], &(data.len() as u32).to_le_bytes(), data, padding].concat()
}

/// A PNG of which every pixel is zero.
fn black_png(sides: [u32; 2], depth: u8, colour: u8, interlaced: bool) -> Vec<u8> {
    let channels = match colour {
        0 | 3 => 1,
        4 => 2,
        2 => 3,
        _ => 4,
    };
    let passes = if interlaced { &ADAM7[..] } else { &[[0, 0, 1, 1]] };
    let unpacked = passes.iter().map(|&[left, top, columns, rows]| {
        let [wide, high] = [(sides[0] - left).div_ceil(columns), (sides[1] - top).div_ceil(rows)];
        // Each row begins with its filter.
        high as usize * (1 + (wide as usize * channels * usize::from(depth)).div_ceil(8))
    });
    let palette = if colour == 3 {
        vec![png_chunk(b"PLTE", &[90, 120, 150])]
    } else {
        vec![]
    };
    let head = [depth, colour, u8::from(interlaced)];
    png_file(sides, head, &zeros(unpacked.sum()), &palette)
}

/// A PNG with these bits of a channel, colour type and interlacing, and these chunks before its pixels.
fn png_file(sides: [u32; 2], [depth, colour, interlaced]: [u8; 3], pixels: &[u8], chunks: &[Vec<u8>]) -> Vec<u8> {
    let [wide, high] = sides.map(u32::to_be_bytes);
    let head = [&wide[..], &high, &[depth, colour, 0, 0, interlaced]].concat();
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        png_chunk(b"IHDR", &head),
        chunks.concat(),
        png_chunk(b"IDAT", pixels),
        png_chunk(b"IEND", &[]),
    ]
    .concat()
}

fn png_chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let named = [&name[..], data].concat();
    [
        &(data.len() as u32).to_be_bytes()[..],
        &named,
        &checksum(&named).to_be_bytes(),
    ]
    .concat()
}

/// CRC-32 (ISO 3309).
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ if sum & 1 == 1 { 0xEDB8_8320 } else { 0 };
        }
    }
    !sum
}

/// A zlib stream (RFC 1950, 1951) that unpacks to so many zeros: one block of fixed codes, of one zero and repetitions of it.
fn zeros(count: usize) -> Vec<u8> {
    let (mut bytes, mut bits) = (vec![0x78, 0x01], 0_u8);
    // The highest bit of a code comes first, in the lowest place that is free.
    let mut put = |code: u32, length: u32| {
        for place in (0..length).rev() {
            if bits == 0 {
                bytes.push(0);
            }
            if let Some(last) = bytes.last_mut() {
                *last |= (((code >> place) & 1) as u8) << bits;
            }
            bits = (bits + 1) % 8;
        }
    };
    // The last block, and its kind.
    put(0b110, 3);
    put(0x30, 8);
    for _ in 0..(count - 1) / 258 {
        // As far as 258 bytes, from one byte before.
        put(0xC5, 8);
        put(0, 5);
    }
    for _ in 0..(count - 1) % 258 {
        put(0x30, 8);
    }
    put(0, 7);
    let adler = (((count % 65_521) as u32) << 16) | 1;
    bytes.extend_from_slice(&adler.to_be_bytes());
    bytes
}
