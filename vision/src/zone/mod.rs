//! The visual zone.

use crate::mrz::Elements;
use crate::text::Line;
use domain::document::{DocumentType, OcrField, Side};
use time::Date;

/// What the visual zone says.
#[derive(Default)]
pub(crate) struct VisualZone {
    pub(crate) fields: Vec<OcrField>,
    pub(crate) lines: u32,
    pub(crate) agreement: Option<f32>,
    pub(crate) specimen_words: bool,
}

pub(crate) fn has_individual_number(_text: &str) -> bool { false }

pub(crate) fn read(lines: &[&Line], _kind: DocumentType, _side: Side, _elements: Option<&Elements>, _today: Date) -> VisualZone {
    VisualZone { lines: lines.len() as u32, ..VisualZone::default() }
}
