//! An item of a document as it was read.

use super::grammar::Parsed;
use super::sheet::Glyph;

/// An item as read.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) parsed: Parsed,
    /// Probability that the text is right, 0 to 1.
    pub(crate) confidence: f32,
    /// Its letters, where they stand.
    pub(crate) glyphs: Vec<Glyph>,
}
