//! How much memory decoding a WebP takes, calculated before it is decoded. In a lossless one (RFC 9649 section 3), most of it is for the prefix
//! codes: a file of 700 kB can declare 4 GB of them. The decoder in use does not limit them, so they are read here first, in the same way; the pixels
//! are not.

use super::{MAX_DECODE_BYTES, PictureFault};

/// How many different lengths codes have, with that of a symbol that does not occur.
const LENGTHS: usize = 16;
/// The longest code that the decoder finds with one look at a table.
const TABLE_BITS: usize = 10;
/// What it holds of each code besides its table.
const EACH: u64 = 256;
/// The order in which the lengths of codes for lengths are sent.
const ORDER: [usize; 19] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// The pixels that short distances mean: how many rows above in the upper four bits of each, and eight minus how many to the left in the lower.
const NEAR: &[u8; 120] =
    b"\x18\x07\x17\x19\x28\x06\x27\x29\x16\x1a\x26\x2a\x38\x05\x37\x39\x15\x1b\x36\x3a\x25\x2b\x48\x04\
      \x47\x49\x14\x1c\x35\x3b\x46\x4a\x24\x2c\x58\x45\x4b\x34\x3c\x03\x57\x59\x13\x1d\x56\x5a\x23\x2d\
      \x44\x4c\x55\x5b\x33\x3d\x68\x02\x67\x69\x12\x1e\x66\x6a\x22\x2e\x54\x5c\x43\x4d\x65\x6b\x32\x3e\
      \x78\x01\x77\x79\x53\x5d\x11\x1f\x64\x6c\x42\x4e\x76\x7a\x21\x2f\x75\x7b\x31\x3f\x63\x6d\x52\x5e\
      \x00\x74\x7c\x41\x4f\x10\x20\x62\x6e\x30\x73\x7d\x51\x5f\x40\x72\x7e\x61\x6f\x50\x71\x7f\x60\x70";

/// What it holds beside the pixels it returns, in bytes.
///
/// # Errors
/// If that is too much, if the picture is an animation, if a part of it has another size or comes twice, or if its metadata claims more bytes than
/// the file has.
pub(super) fn scratch(bytes: &[u8], (width, height): (u32, u32)) -> Result<u64, PictureFault> {
    let pixels = u64::from(width) * u64::from(height);
    let (mut held, mut found) = (0, Vec::new());
    for (name, claimed, data) in chunks(bytes) {
        if matches!(&name, b"VP8 " | b"VP8L" | b"ALPH") {
            // The decoder takes the first, and each takes time here.
            if found.contains(&name) {
                return Err(PictureFault::Corrupt);
            }
            found.push(name);
        }
        held += match &name {
            b"VP8 " => {
                // The decoder makes room for this size, and compares it afterwards.
                if frame_size(data) != Some((width, height)) {
                    return Err(PictureFault::Corrupt);
                }
                pixels * 2
            }
            b"VP8L" => {
                let mut bits = Bits::of(data);
                let _signature = bits.read(8)?;
                if (bits.read(14)? + 1, bits.read(14)? + 1) != (width, height) {
                    return Err(PictureFault::Corrupt);
                }
                let _alpha_and_version = bits.read(4)?;
                pixels * 5 + codes(&mut bits, (width as usize, height as usize))?
            }
            b"ALPH" => match data.split_first() {
                Some((head, coded)) if head & 3 == 1 => {
                    pixels * 5 + codes(&mut Bits::of(coded), (width as usize, height as usize))?
                }
                _ => pixels,
            },
            b"ANMF" => return Err(PictureFault::NotAPicture),
            // The decoder makes room for what they claim, up to 4 GiB, before it reads them.
            b"EXIF" | b"ICCP" | b"XMP " if data.len() < claimed => return Err(PictureFault::Truncated),
            _ => 0,
        };
    }
    Ok(held)
}

/// The chunks of a file, each with its name, the length it claims, and its bytes as far as they are there.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], usize, &[u8])> {
    let mut rest = bytes.get(12..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (name, after) = rest.split_first_chunk::<4>()?;
        let (length, after) = after.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let padded = length.saturating_add(length % 2);
        rest = after.get(padded..).unwrap_or_default();
        Some((*name, length, after.get(..length).unwrap_or(after)))
    })
}

/// The size in the header of a lossy frame (RFC 6386 section 9.1).
fn frame_size(data: &[u8]) -> Option<(u32, u32)> {
    let [_, _, _, 0x9D, 0x01, 0x2A, w0, w1, h0, h1, ..] = *data else {
        return None;
    };
    let side = |low, high| u32::from(u16::from_le_bytes([low, high]) & 0x3FFF);
    Some((side(w0, w1), side(h0, h1)))
}

/// Bits, the lowest of a byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    /// How many have been read.
    at: usize,
}

impl<'a> Bits<'a> {
    const fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn bit(&mut self) -> Result<u32, PictureFault> {
        let byte = self.bytes.get(self.at / 8).ok_or(PictureFault::Truncated)?;
        let bit = (u32::from(*byte) >> (self.at % 8)) & 1;
        self.at += 1;
        Ok(bit)
    }

    /// A number of so many bits.
    fn read(&mut self, count: u32) -> Result<u32, PictureFault> {
        let mut value = 0;
        for place in 0..count {
            value |= self.bit()? << place;
        }
        Ok(value)
    }
}

/// What the prefix codes of a lossless picture hold once its decoder has read them.
fn codes(bits: &mut Bits<'_>, (mut width, height): (usize, usize)) -> Result<u64, PictureFault> {
    let mut transforms = [false; 4];
    while bits.bit()? == 1 {
        let transform = bits.read(2)? as usize;
        if std::mem::replace(&mut transforms[transform], true) {
            return Err(PictureFault::Corrupt);
        }
        match transform {
            0 | 1 => {
                let block = bits.read(3)? + 2;
                image(bits, (blocks(width, block), blocks(height, block)))?;
            }
            2 => {}
            _ => {
                let colours = bits.read(8)? as usize + 1;
                image(bits, (colours, 1))?;
                let packed = match colours {
                    ..=2 => 3,
                    3..=4 => 2,
                    5..=16 => 1,
                    _ => 0,
                };
                width = blocks(width, packed);
            }
        }
    }
    let cache = cache_bits(bits)?;
    let mut last = 0;
    if bits.bit()? == 1 {
        let block = bits.read(3)? + 2;
        let groups = image(bits, (blocks(width, block), blocks(height, block)))?;
        last = groups.iter().map(|pixel| (pixel >> 8) & 0xFFFF).max().unwrap_or(0);
    }
    let mut held = 0;
    for _ in 0..=last {
        held += group(bits, cache)?.iter().map(Code::held).sum::<u64>();
        if held > MAX_DECODE_BYTES {
            return Err(PictureFault::Corrupt);
        }
    }
    Ok(held)
}

/// How many blocks of `1 << bits` pixels cover a side.
const fn blocks(side: usize, bits: u32) -> usize {
    side.div_ceil(1 << bits)
}

/// The bits that a colour takes in the cache of colours; 0 if there is no cache.
fn cache_bits(bits: &mut Bits<'_>) -> Result<u32, PictureFault> {
    if bits.bit()? == 0 {
        return Ok(0);
    }
    match bits.read(4)? {
        taken @ 1..=11 => Ok(taken),
        _ => Err(PictureFault::Corrupt),
    }
}

/// The colours that were used before, by their hash.
struct Cache {
    bits: u32,
    colours: Vec<u32>,
}

impl Cache {
    fn of(bits: u32) -> Self {
        Self {
            bits,
            colours: vec![0; 1 << bits],
        }
    }

    fn keep(&mut self, pixel: u32) {
        if self.bits > 0 {
            let place = pixel.wrapping_mul(0x1E35_A7BD) >> (32 - self.bits);
            self.colours[place as usize] = pixel;
        }
    }
}

/// An image that says something about the picture, smaller than that: its pixels, as alpha, red, green and blue.
fn image(bits: &mut Bits<'_>, (width, height): (usize, usize)) -> Result<Vec<u32>, PictureFault> {
    let mut cache = Cache::of(cache_bits(bits)?);
    let [green, red, blue, alpha, distance] = group(bits, cache.bits)?;
    let size = width * height;
    let mut pixels = Vec::new();
    while pixels.len() < size {
        match green.symbol(bits)? {
            literal @ 0..=255 => {
                let others = [red.symbol(bits)?, blue.symbol(bits)?, alpha.symbol(bits)?];
                let [red, blue, alpha] = others.map(u32::from);
                let pixel = (alpha << 24) | (red << 16) | (u32::from(literal) << 8) | blue;
                pixels.push(pixel);
                cache.keep(pixel);
            }
            length @ 256..=279 => {
                let length = extended(bits, u32::from(length) - 256)?;
                let prefix = distance.symbol(bits)?;
                let back = distance_of(extended(bits, prefix.into())?, width);
                let from = pixels.len().checked_sub(back).ok_or(PictureFault::Corrupt)?;
                if length > size - pixels.len() {
                    return Err(PictureFault::Corrupt);
                }
                for at in from..from + length {
                    let pixel = pixels[at];
                    pixels.push(pixel);
                    // The last pixel was kept when it came.
                    if back > 1 {
                        cache.keep(pixel);
                    }
                }
            }
            kept => {
                let pixel = cache.colours.get(usize::from(kept) - 280);
                pixels.push(*pixel.ok_or(PictureFault::Corrupt)?);
            }
        }
    }
    Ok(pixels)
}

/// A length or a distance: its prefix, and the bits behind it.
fn extended(bits: &mut Bits<'_>, prefix: u32) -> Result<usize, PictureFault> {
    if prefix < 4 {
        return Ok(prefix as usize + 1);
    }
    let extra = (prefix - 2) / 2;
    let value = ((2 + prefix % 2) << extra) + bits.read(extra)? + 1;
    Ok(value as usize)
}

/// How many pixels before in the order of reading a distance means.
fn distance_of(code: usize, width: usize) -> usize {
    match code.checked_sub(1).and_then(|index| NEAR.get(index)) {
        Some(near) => {
            let (above, rest) = (usize::from(near >> 4), usize::from(near & 15));
            (above * width + 8).saturating_sub(rest).max(1)
        }
        None => code.saturating_sub(NEAR.len()),
    }
}

/// The five codes of a group: of green with lengths and kept colours, of red, blue and alpha, and of distances.
fn group(bits: &mut Bits<'_>, cache: u32) -> Result<[Code; 5], PictureFault> {
    let kept = if cache > 0 { 1 << cache } else { 0 };
    Ok([
        Code::read(bits, 280 + kept)?,
        Code::read(bits, 256)?,
        Code::read(bits, 256)?,
        Code::read(bits, 256)?,
        Code::read(bits, 40)?,
    ])
}

/// A canonical prefix code.
struct Code {
    /// How many symbols have a code of each length.
    counts: [u32; LENGTHS],
    /// The symbols in the order of their codes. That of a single one has no bits.
    symbols: Vec<u16>,
}

impl Code {
    /// The code for symbols below `alphabet`.
    fn read(bits: &mut Bits<'_>, alphabet: usize) -> Result<Self, PictureFault> {
        if bits.bit()? == 1 {
            return Self::read_simple(bits, alphabet);
        }
        let mut lengths = [0; ORDER.len()];
        let sent = 4 + bits.read(4)? as usize;
        for place in ORDER.into_iter().take(sent) {
            lengths[place] = bits.read(3)? as u8;
        }
        let of_lengths = Self::of(&lengths)?;
        let mut left = alphabet;
        if bits.bit()? == 1 {
            let taken = 2 + 2 * bits.read(3)?;
            left = 2 + bits.read(taken)? as usize;
            if left > alphabet {
                return Err(PictureFault::Corrupt);
            }
        }
        let (mut lengths, mut before) = (Vec::with_capacity(alphabet), 8);
        while lengths.len() < alphabet && left > 0 {
            left -= 1;
            let (length, times) = match of_lengths.symbol(bits)? {
                16 => (before, 3 + bits.read(2)?),
                17 => (0, 3 + bits.read(3)?),
                18 => (0, 11 + bits.read(7)?),
                length => (length as u8, 1),
            };
            if length > 0 {
                before = length;
            }
            lengths.resize(lengths.len() + times as usize, length);
        }
        if lengths.len() > alphabet {
            return Err(PictureFault::Corrupt);
        }
        Self::of(&lengths)
    }

    /// One of one or two symbols, which are named.
    fn read_simple(bits: &mut Bits<'_>, alphabet: usize) -> Result<Self, PictureFault> {
        let are_two = bits.bit()? == 1;
        let taken = if bits.bit()? == 1 { 8 } else { 1 };
        let mut symbols = vec![bits.read(taken)? as u16];
        if are_two {
            symbols.push(bits.read(8)? as u16);
        }
        if symbols.iter().any(|&symbol| usize::from(symbol) >= alphabet) {
            return Err(PictureFault::Corrupt);
        }
        let mut counts = [0; LENGTHS];
        counts[1] = symbols.len() as u32;
        Ok(Self { counts, symbols })
    }

    /// The code in which each symbol has the length at its place; 0 if it does not occur.
    fn of(lengths: &[u8]) -> Result<Self, PictureFault> {
        let mut counts = [0_u32; LENGTHS];
        for &length in lengths.iter().filter(|&&length| length > 0) {
            counts[usize::from(length)] += 1;
        }
        let longest = LENGTHS - 1;
        let share: u32 = (1..LENGTHS).map(|length| counts[length] << (longest - length)).sum();
        let used: u32 = counts.iter().sum();
        if used == 0 || (used > 1 && share != 1 << longest) {
            return Err(PictureFault::Corrupt);
        }
        let mut symbols: Vec<u16> = (0..)
            .zip(lengths)
            .filter_map(|(symbol, &length)| (length > 0).then_some(symbol))
            .collect();
        symbols.sort_by_key(|&symbol| lengths[usize::from(symbol)]);
        Ok(Self { counts, symbols })
    }

    fn symbol(&self, bits: &mut Bits<'_>) -> Result<u16, PictureFault> {
        if let [only] = *self.symbols {
            return Ok(only);
        }
        let (mut code, mut first, mut before) = (0_u32, 0_u32, 0_u32);
        for &count in &self.counts[1..] {
            code |= bits.bit()?;
            if code < first + count {
                let place = (before + code - first) as usize;
                return self.symbols.get(place).copied().ok_or(PictureFault::Corrupt);
            }
            before += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        Err(PictureFault::Corrupt)
    }

    /// Bytes that the decoder holds of it: a table of up to [`TABLE_BITS`], and two nodes for each longer code.
    fn held(&self) -> u64 {
        if self.symbols.len() < 2 {
            return EACH;
        }
        let longest = self.counts.iter().rposition(|&count| count > 0).unwrap_or(0);
        let in_table = longest.min(TABLE_BITS);
        let beyond: u32 = self.counts[in_table + 1..].iter().sum();
        EACH + (4 << in_table) + 32 * u64::from(beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::normalise;

    /// What a browser encoded, with transforms and several groups.
    const ENCODED: &[u8] = include_bytes!("../__fuzz__/fuzz__pictures/corpus/webp-groups");

    #[derive(Default)]
    struct Writer {
        bytes: Vec<u8>,
        bits: u32,
    }

    impl Writer {
        fn put(&mut self, value: u32, count: u32) {
            for place in 0..count {
                if self.bits.is_multiple_of(8) {
                    self.bytes.push(0);
                }
                let bit = ((value >> place) & 1) as u8;
                *self.bytes.last_mut().unwrap() |= bit << (self.bits % 8);
                self.bits += 1;
            }
        }

        /// A code of one symbol.
        fn put_single(&mut self, symbol: u32) {
            self.put(0b101, 3);
            self.put(symbol, 8);
        }
    }

    fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let length = (data.len() as u32).to_le_bytes();
        let padding: &[u8] = if data.len() % 2 == 1 { &[0] } else { &[] };
        [&name[..], &length[..], data, padding].concat()
    }

    fn file(chunks: &[Vec<u8>]) -> Vec<u8> {
        chunk(b"RIFF", &[b"WEBP".to_vec(), chunks.concat()].concat())
    }

    /// A black picture of 200 x 120 pixels that names so many groups of codes. Each has 2,048 symbols, and uses one.
    fn of_groups(groups: u32) -> Vec<u8> {
        let mut bits = Writer::default();
        bits.put(0x2F, 8);
        bits.put(199, 14);
        bits.put(119, 14);
        bits.put(0, 4);
        // No transform, a cache of 2,048 colours, and one block of 512 x 512 pixels, which is of the last group.
        bits.put(0, 1);
        bits.put(1, 1);
        bits.put(11, 4);
        bits.put(1, 1);
        bits.put(7, 3);
        bits.put(0, 1);
        for colour in [(groups - 1) & 0xFF, (groups - 1) >> 8, 0, 0, 0] {
            bits.put_single(colour);
        }
        for _ in 0..groups {
            // All lengths are eleven: the one symbol of the code of lengths takes no bits.
            bits.put(0, 1);
            bits.put(11, 4);
            for place in 0..15 {
                bits.put(u32::from(place == 14), 3);
            }
            bits.put(1, 1);
            bits.put(5, 3);
            bits.put(2_046, 12);
            for _ in 0..4 {
                bits.put_single(0);
            }
        }
        for _ in 0..200 * 120 {
            bits.put(0, 11);
        }
        file(&[chunk(b"VP8L", &bits.bytes)])
    }

    #[test]
    fn what_the_codes_of_a_picture_hold_is_known_before_it_is_decoded() {
        for (groups, held) in [(1, 70_000), (100, 7_000_000)] {
            let picture = of_groups(groups);
            let beside_pixels = scratch(&picture, (200, 120)).unwrap() - 200 * 120 * 5;
            assert!(
                (held..held * 11 / 10).contains(&beside_pixels),
                "{groups}: {beside_pixels}"
            );
            let read = normalise(&picture).unwrap();
            assert_eq!(
                (read.rgb.width(), read.rgb.height()),
                (200, 120),
                "read as the decoder does"
            );
        }
        for too_many in [2_000, 65_536] {
            assert_eq!(normalise(&of_groups(too_many)).unwrap_err(), PictureFault::Corrupt);
        }
    }

    #[test]
    fn what_a_browser_encoded_is_read_to_the_end_of_its_codes() {
        let held = scratch(ENCODED, (300, 200)).unwrap() - 300 * 200 * 5;
        assert!((10_000..20_000).contains(&held), "{held}");
        let read = normalise(ENCODED).unwrap();
        assert_eq!((read.rgb.width(), read.rgb.height()), (300, 200));
    }

    #[test]
    fn metadata_that_claims_more_than_the_file_has_is_refused_before_there_is_room_for_it() {
        let coded = of_groups(1)[12..].to_vec();
        for (flag, name) in [(0x20, b"ICCP"), (0x08, b"EXIF"), (0x04, b"XMP ")] {
            let canvas = chunk(b"VP8X", &[flag, 0, 0, 0, 199, 0, 0, 119, 0, 0]);
            let metadata = chunk(name, b"II*\0\x08\0\0\0\0\0");
            let whole = file(&[canvas, coded.clone(), metadata.clone()]);
            assert_eq!(normalise(&whole).unwrap().rgb.width(), 200);
            let claims = whole.len() - metadata.len() + 4;
            for claimed in [11, 0x7FFF_FFF0, u32::MAX - 1, u32::MAX] {
                let mut claiming = whole.clone();
                claiming[claims..claims + 4].copy_from_slice(&claimed.to_le_bytes());
                assert_eq!(
                    normalise(&claiming).err(),
                    Some(PictureFault::Truncated),
                    "{name:?}: {claimed}"
                );
            }
        }
    }

    #[test]
    fn a_frame_of_another_size_than_its_picture_is_refused_before_it_is_decoded() {
        let canvas = chunk(b"VP8X", &[0, 0, 0, 0, 0xDF, 1, 0, 0x7F, 2, 0]);
        let frame = |width: u16, height: u16| {
            let [[w0, w1], [h0, h1]] = [width, height].map(u16::to_le_bytes);
            chunk(b"VP8 ", &[0x10, 0, 0, 0x9D, 1, 0x2A, w0, w1, h0, h1])
        };
        let of = |part: Vec<u8>| scratch(&file(&[canvas.clone(), part]), (480, 640));
        assert_eq!(of(frame(480, 640)), Ok(480 * 640 * 2));
        assert_eq!(of(frame(12_000, 12_000)), Err(PictureFault::Corrupt));
        let lossless = |width: u32, height: u32| {
            let mut bits = Writer::default();
            bits.put(0x2F, 8);
            bits.put(width - 1, 14);
            bits.put(height - 1, 14);
            // And then a code of one symbol for each colour.
            bits.put(0, 7);
            for _ in 0..5 {
                bits.put_single(0);
            }
            chunk(b"VP8L", &bits.bytes)
        };
        assert_eq!(of(lossless(480, 640)), Ok(480 * 640 * 5 + 5 * EACH));
        assert_eq!(of(lossless(12_000, 12_000)), Err(PictureFault::Corrupt));
        assert_eq!(of(chunk(b"ANMF", &[0; 24])), Err(PictureFault::NotAPicture));
        let twice = [lossless(480, 640), lossless(480, 640)].concat();
        assert_eq!(of(twice), Err(PictureFault::Corrupt));
        // The same codes for its transparency.
        let mut transparency = Writer::default();
        transparency.put(1, 8);
        transparency.put(0, 3);
        for _ in 0..5 {
            transparency.put_single(0);
        }
        let both = [frame(480, 640), chunk(b"ALPH", &transparency.bytes)].concat();
        assert_eq!(of(both), Ok(480 * 640 * 7 + 5 * EACH));
        let cut = [frame(480, 640), chunk(b"ALPH", &transparency.bytes[..4])].concat();
        assert_eq!(of(cut), Err(PictureFault::Truncated));
    }
}
