//! Text in pairs of bytes (ISO/IEC 16022, C40), as visible digital seals write it.

/// The text; `None` where the bytes say nothing. Seals hold capital letters, digits and spaces, and fillers as spaces
/// (ICAO 9303-13, 2.3), so shifts to other characters are not read.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let mut out = String::with_capacity(bytes.len() / 2 * 3);
    for pair in bytes.chunks(2) {
        match *pair {
            // A single byte at the end, as ASCII plus one.
            [0xfe, ascii] => out.push(char::from(ascii.checked_sub(1)?)),
            [high, low] => {
                let value = (u16::from(high) << 8 | u16::from(low)).checked_sub(1)?;
                for code in [value / 1600, value / 40 % 40, value % 40] {
                    match code {
                        // Fills the last pair.
                        0 => {}
                        3 => out.push(' '),
                        4..=13 => out.push(char::from(b'0' + (code - 4) as u8)),
                        14..=39 => out.push(char::from(b'A' + (code - 14) as u8)),
                        _ => return None,
                    }
                }
            }
            _ => return None,
        }
    }
    Some(out)
}

/// The bytes of a text, for making seals.
#[cfg(test)]
pub(super) fn bytes(text: &str) -> Vec<u8> {
    let code = |c: u8| match c {
        b'0'..=b'9' => u16::from(c - b'0') + 4,
        b'A'..=b'Z' => u16::from(c - b'A') + 14,
        _ => 3,
    };
    let mut out = Vec::new();
    for group in text.as_bytes().chunks(3) {
        match *group {
            [last] => out.extend([0xfe, last + 1]),
            _ => {
                let [a, b, c] = [0, 1, 2].map(|i| group.get(i).map_or(0, |c| code(*c)));
                out.extend((a * 1600 + b * 40 + c + 1).to_be_bytes());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The examples of BSI TR-03137-1, annex B.
    #[test]
    fn the_standards_examples() {
        for (written, encoded) in [("XK CD", [0xeb, 0x04, 0x66, 0xa9]), ("XKCD", [0xeb, 0x11, 0xfe, 0x45])] {
            assert_eq!(bytes(written), encoded);
            assert_eq!(text(&encoded).unwrap(), written);
        }
    }

    proptest! {
        #[test]
        fn texts_come_back(written in "[A-Z0-9 ]{0,80}") {
            prop_assert_eq!(text(&bytes(&written)).unwrap(), written);
        }

        #[test]
        fn any_bytes_give_a_bounded_text_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Some(text) = text(&bytes) {
                prop_assert!(text.chars().count() <= bytes.len() * 3 / 2);
            }
        }
    }
}
