//! The marker structure of a JPEG (ITU-T T.81 annex B): its size, its scratch memory, and whether it is whole.
//!
//! The decoder in use fills a missing end with grey, so that a half-uploaded picture would pass; this check refuses it. It also refuses anything
//! that the decoder would parse differently, since the decoder could see a different size.

use super::PictureFault;
use super::size::Size;

const START_OF_SCAN: u8 = 0xDA;
const END_OF_IMAGE: u8 = 0xD9;

/// Walks all segments from the first to the end marker.
pub(super) fn size(bytes: &[u8]) -> Result<Size, PictureFault> {
    let mut at = 2;
    let mut found: Option<Frame> = None;
    loop {
        let (marker, next) = marker(bytes, at)?;
        at = next;
        match marker {
            END_OF_IMAGE => return found.map(|frame| frame.size).ok_or(PictureFault::Corrupt),
            // Between segments, the decoder takes what has no length for a segment, or passes over it.
            0x00 | 0x01 | 0xD0..=0xD8 => return Err(PictureFault::Corrupt),
            _ => {
                let length = bytes.get(at..at + 2).ok_or(PictureFault::Truncated)?;
                let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
                let segment = bytes.get(at + 2..at + length.max(2)).ok_or(PictureFault::Truncated)?;
                at += length.max(2);
                if is_frame(marker) && found.replace(Frame::of(marker, segment)?).is_some() {
                    return Err(PictureFault::Corrupt);
                }
                if marker == START_OF_SCAN {
                    if let Some(frame) = &mut found {
                        frame.begin_scan(segment);
                    }
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

/// What a frame header says.
struct Frame {
    size: Size,
    components: u8,
    /// Bytes of every coefficient, two each.
    coefficients: u64,
    has_scan: bool,
}

impl Frame {
    fn of(marker: u8, segment: &[u8]) -> Result<Self, PictureFault> {
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
        // A progressive picture keeps every coefficient until its last scan.
        let coefficients = u64::from(width) * u64::from(height) * shares.iter().sum::<u64>() / largest * 2;
        let scratch = if progressive { coefficients } else { 0 };
        Ok(Self {
            size: Size { width, height, scratch },
            components,
            coefficients,
            has_scan: false,
        })
    }

    /// So does one whose first scan has not all of its components.
    fn begin_scan(&mut self, segment: &[u8]) {
        let is_part = segment.first().is_none_or(|&count| count < self.components);
        if is_part && !self.has_scan {
            self.size.scratch = self.coefficients;
        }
        self.has_scan = true;
    }
}

/// Samples of a component relative to the others: horizontal times vertical factor.
fn area(factors: u8) -> u64 {
    u64::from(factors >> 4).max(1) * u64::from(factors & 15).max(1)
}

/// The position of the first marker that is not a stuffed zero or a restart.
fn end_of_entropy(bytes: &[u8], from: usize) -> Result<usize, PictureFault> {
    let mut at = from;
    while let Some(pair) = bytes.get(at..at + 2) {
        at += match *pair {
            [0xFF, 0x00 | 0xD0..=0xD7] => 2,
            // Any number of them may stand before a marker, also before a restart.
            [0xFF, 0xFF] => 1,
            [0xFF, _] => return Ok(at),
            _ => 1,
        };
    }
    Err(PictureFault::Truncated)
}
