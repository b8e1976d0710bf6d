//! From codewords to bytes: the compaction modes of PDF417 (ISO/IEC 15438, 5.4).

use super::reed_solomon::PRIME;

const TEXT: u32 = 900;
const BYTES: u32 = 901;
const NUMBERS: u32 = 902;
const ONE_BYTE: u32 = 913;
const READER_START: u32 = 921;
const MACRO_END: u32 = 922;
const MACRO_FIELD: u32 = 923;
const WHOLE_SIXES: u32 = 924;
const USER_CHARSET: u32 = 925;
const GENERAL_CHARSET: u32 = 926;
const CHARSET: u32 = 927;
const MACRO: u32 = 928;

const MIXED: &[u8; 25] = b"0123456789&\r\t,:#-.$/+%*=^";
const PUNCTUATION: &[u8; 29] = b";<>@[\\]_`~!\r\t,:\n-.$/\"|*()?{}'";

/// The sub-modes of text compaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Upper,
    Lower,
    Mixed,
    Punctuation,
}

/// The bytes that data codewords stand for, the length codeword not among them. Character set switches are passed over, since
/// the codes that are read here are ASCII or binary. `None` where the codewords say nothing that the standard knows.
pub(crate) fn bytes(codewords: &[u32]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(codewords.len() * 2);
    let mut rest = codewords;
    let mut mode = TEXT;
    loop {
        // Every pass takes a codeword at least, so this ends.
        let (run, after) = split_at_mode(rest);
        match mode {
            TEXT => text(run, &mut out)?,
            BYTES | WHOLE_SIXES => binary(run, mode == WHOLE_SIXES, &mut out)?,
            _ => numbers(run, &mut out)?,
        }
        let Some((&latch, behind)) = after.split_first() else {
            return Some(out);
        };
        rest = behind;
        match latch {
            TEXT | BYTES | NUMBERS | WHOLE_SIXES => mode = latch,
            READER_START => {}
            CHARSET | USER_CHARSET => rest = rest.get(1..)?,
            GENERAL_CHARSET => rest = rest.get(2..)?,
            // What follows is about the file that this symbol is a part of.
            MACRO | MACRO_FIELD | MACRO_END => return Some(out),
            _ => return None,
        }
    }
}

/// The codewords up to the next one that switches the mode, and the rest. A single byte within text belongs to the text.
fn split_at_mode(codewords: &[u32]) -> (&[u32], &[u32]) {
    let end = codewords.iter().position(|c| *c >= TEXT && *c != ONE_BYTE);
    codewords.split_at(end.unwrap_or(codewords.len()))
}

fn text(codewords: &[u32], out: &mut Vec<u8>) -> Option<()> {
    // `shifted` is the sub-mode of the next value alone.
    let (mut mode, mut shifted) = (Text::Upper, None);
    let mut codewords = codewords.iter();
    while let Some(&codeword) = codewords.next() {
        if codeword == ONE_BYTE {
            shifted = None;
            out.push(u8::try_from(*codewords.next()?).ok()?);
            continue;
        }
        for value in [codeword / 30, codeword % 30] {
            let here = shifted.take().unwrap_or(mode);
            match (here, value as u8) {
                (Text::Upper, letter @ 0..=25) => out.push(b'A' + letter),
                (Text::Lower, letter @ 0..=25) => out.push(b'a' + letter),
                (Text::Mixed, sign @ 0..=24) => out.push(MIXED[usize::from(sign)]),
                (Text::Punctuation, sign @ 0..=28) => out.push(PUNCTUATION[usize::from(sign)]),
                (Text::Upper | Text::Lower | Text::Mixed, 26) => out.push(b' '),
                (Text::Upper | Text::Mixed, 27) => mode = Text::Lower,
                (Text::Lower, 27) => shifted = Some(Text::Upper),
                (Text::Upper | Text::Lower, 28) => mode = Text::Mixed,
                (Text::Mixed, 25) => mode = Text::Punctuation,
                (Text::Mixed, 28) | (Text::Punctuation, 29) => mode = Text::Upper,
                (Text::Upper | Text::Lower | Text::Mixed, 29) => shifted = Some(Text::Punctuation),
                _ => return None,
            }
        }
    }
    Some(())
}

/// Five codewords are six bytes; what is left over, or where not `whole` the last five too, is a byte each.
fn binary(codewords: &[u32], whole: bool, out: &mut Vec<u8>) -> Option<()> {
    let sixes = if whole {
        codewords.len() / 5
    } else {
        codewords.len().saturating_sub(1) / 5
    };
    let (groups, single) = codewords.split_at(sixes * 5);
    for group in groups.chunks_exact(5) {
        let value = group.iter().fold(0_u64, |sum, c| sum * 900 + u64::from(*c));
        out.extend_from_slice(&value.to_be_bytes()[2..]);
    }
    for codeword in single {
        out.push(u8::try_from(*codeword).ok()?);
    }
    Some(())
}

/// Up to fifteen codewords are a number to the base 900 whose decimal digits follow a 1.
fn numbers(codewords: &[u32], out: &mut Vec<u8>) -> Option<()> {
    for group in codewords.chunks(15) {
        // Decimal digits, the last first.
        let mut digits: Vec<u8> = Vec::with_capacity(45);
        for codeword in group {
            let mut carry = *codeword;
            for digit in &mut digits {
                carry += u32::from(*digit) * 900;
                *digit = (carry % 10) as u8;
                carry /= 10;
            }
            while carry > 0 {
                digits.push((carry % 10) as u8);
                carry /= 10;
            }
        }
        if digits.pop()? != 1 {
            return None;
        }
        out.extend(digits.iter().rev().map(|digit| b'0' + digit));
    }
    Some(())
}

/// The message of a symbol whose codewords are whole: the first one tells how many carry data.
pub(crate) fn message(codewords: &[u32], correction: usize) -> Option<Vec<u8>> {
    let data = codewords.len().checked_sub(correction)?;
    let length = *codewords.first()? as usize;
    if length == 0 || length > data || codewords.iter().any(|c| *c >= PRIME) {
        return None;
    }
    bytes(&codewords[1..length])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_standards_examples() {
        assert_eq!(bytes(&[453, 178, 121, 239]).unwrap(), b"PDF417");
        // 5.4.4.2 and 5.4.3.2.
        assert_eq!(bytes(&[902, 1, 624, 434, 632, 282, 200]).unwrap(), b"000213298174000");
        assert_eq!(bytes(&[924, 163, 238, 432, 766, 244]).unwrap(), b"alcool");
    }

    #[test]
    fn one_byte_within_text_leaves_the_text_as_it_was() {
        let codewords = [27, 913, 0x1e, 1];
        // A and a latch to lower case, the byte, then a and b.
        assert_eq!(bytes(&codewords).unwrap(), b"A\x1eab");
    }

    proptest! {
        #[test]
        fn any_codewords_give_bounded_bytes_or_none(codewords in prop::collection::vec(0_u32..1000, 0..928)) {
            if let Some(out) = bytes(&codewords) {
                prop_assert!(out.len() <= codewords.len() * 3);
            }
            if let Some(out) = message(&codewords, 8) {
                prop_assert!(out.len() <= codewords.len() * 3);
            }
        }
    }
}
