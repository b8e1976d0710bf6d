//! Fuzz target for model cards: see docs/TESTING.md.

use super::{Card, MAX_SIZE};
use std::{
    path::{Component, Path},
    str::from_utf8,
};

/// Whatever a card says, it names one file in its own folder, and sizes that memory can hold.
#[test]
fn model_cards() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(text) = from_utf8(bytes) else { return };
        let Ok(card) = Card::parse(text) else { return };
        let mut parts = Path::new(&card.file).components();
        assert!(
            matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)),
            "{:?}",
            card.file
        );
        assert!((1..=MAX_SIZE).contains(&card.input.side));
        assert!(
            card.input
                .mean
                .iter()
                .chain(&card.input.scale)
                .all(|number| number.is_finite())
        );
    });
}
