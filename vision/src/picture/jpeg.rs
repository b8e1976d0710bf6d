//! The marker structure of a JPEG (ITU-T T.81 annex B): its size, its scratch memory, and whether it is whole.
//!
//! The decoder in use fills a missing end with grey, so that a half-uploaded picture would pass; here it does not.

use super::PictureFault;
use super::size::Size;

const START_OF_SCAN: u8 = 0xDA;
const END_OF_IMAGE: u8 = 0xD9;

/// Walks all segments from the first to the end marker.
pub(super) fn size(bytes: &[u8]) -> Result<Size, PictureFault> {
    let mut at = 2;
    let mut size = None;
    loop {
        let (marker, next) = marker(bytes, at)?;
        at = next;
        match marker {
            END_OF_IMAGE => return size.ok_or(PictureFault::Corrupt),
            0x01 | 0xD0..=0xD8 => {}
            _ => {
                let length = bytes.get(at..at + 2).ok_or(PictureFault::Truncated)?;
                let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
                let segment = bytes.get(at + 2..at + length.max(2)).ok_or(PictureFault::Truncated)?;
                at += length.max(2);
                if is_frame(marker) {
                    size = Some(frame(marker, segment)?);
                }
                if marker == START_OF_SCAN {
                    at = end_of_entropy(bytes, at)?;
                }
            }
        }
    }
}

/// The next marker at or after `at` and the position behind it.
fn marker(bytes: &[u8], at: usize) -> Result<(u8, usize), PictureFault> {
    let rest = bytes.get(at..).ok_or(PictureFault::Truncated)?;
    let fill = rest.iter().take_while(|&&byte| byte == 0xFF).count();
    match rest.get(fill) {
        None => Err(PictureFault::Truncated),
        Some(_) if fill == 0 => Err(PictureFault::Corrupt),
        Some(&code) => Ok((code, at + fill + 1)),
    }
}

/// Whether the marker starts a frame header (SOF0 to SOF15 without DHT, JPG and DAC, which lie between them).
const fn is_frame(marker: u8) -> bool {
    matches!(marker, 0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF)
}

fn frame(marker: u8, segment: &[u8]) -> Result<Size, PictureFault> {
    let &[_, h1, h0, w1, w0, components, ref rest @ ..] = segment else {
        return Err(PictureFault::Corrupt);
    };
    let (width, height) = (
        u32::from(u16::from_be_bytes([w1, w0])),
        u32::from(u16::from_be_bytes([h1, h0])),
    );
    if width == 0 || height == 0 || rest.len() < usize::from(components) * 3 {
        return Err(PictureFault::Corrupt);
    }
    let shares: Vec<u64> = rest
        .chunks_exact(3)
        .take(usize::from(components))
        .map(|c| area(c[1]))
        .collect();
    let largest = shares.iter().copied().max().unwrap_or(1).max(1);
    let progressive = matches!(marker, 0xC2 | 0xC6 | 0xCA | 0xCE);
    // A progressive picture keeps two bytes for every coefficient until its last scan.
    let coefficients = u64::from(width) * u64::from(height) * shares.iter().sum::<u64>() / largest;
    Ok(Size {
        width,
        height,
        scratch: if progressive { coefficients * 2 } else { 0 },
    })
}

/// Samples of a component relative to the others: horizontal times vertical factor.
fn area(factors: u8) -> u64 {
    u64::from(factors >> 4).max(1) * u64::from(factors & 15).max(1)
}

/// The position of the first marker that is not a stuffed zero or a restart.
fn end_of_entropy(bytes: &[u8], from: usize) -> Result<usize, PictureFault> {
    let mut at = from;
    while let Some(pair) = bytes.get(at..at + 2) {
        if pair[0] == 0xFF && !matches!(pair[1], 0x00 | 0xD0..=0xD7) {
            return Ok(at);
        }
        at += if pair[0] == 0xFF { 2 } else { 1 };
    }
    Err(PictureFault::Truncated)
}
