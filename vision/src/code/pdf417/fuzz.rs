//! Fuzz target for codewords: see docs/TESTING.md.

use super::{message::message, reed_solomon::correct};

#[test]
fn codewords() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Some((&level, rest)) = bytes.split_first() else {
            return;
        };
        let correction = 2 << (level % 9);
        let pairs = rest.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let mut codewords: Vec<u32> = pairs.map(|word| u32::from(word) % 929).collect();
        let before = codewords.clone();
        if correct(&mut codewords, correction, &[]).is_none() {
            assert_eq!(codewords, before);
        }
        drop(message(&codewords, correction));
    });
}
