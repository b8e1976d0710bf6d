//! Documents recognised by their layout: each file describes one, and one engine reads them all.

mod fields;
mod file;
mod grammar;
mod item;
mod page;
mod recognise;
mod rules;

pub(crate) use file::{Layout, LayoutFault};
pub(crate) use item::{Item, drop_mistaken_names};
pub(crate) use page::Glyph;

use crate::calendar::names_month_twice;
use crate::fold::is_latin;
use crate::text::{Area, Line};
use domain::document::FieldName;
use domain::findings::{LABELS_IN_PLACE, LayoutReading, RuleResult};
use fields::Marked;
use grammar::{Context, Grammar, Order};
use page::{DeskewedPage, Folded};
use std::collections::BTreeSet;
use time::Date;

/// Lines read less surely than this are noise.
const LEGIBLE: f32 = 0.5;

/// Share of a layout's items below which its labels were too small to be read.
const FEW: f32 = 1.0 / 3.0;
/// Letters of the shortest label that is no name wherever it stands, in Latin letters and in Japanese ones: KON and NEM are labels in one
/// country and names in another.
const LEAST_WORD: (usize, usize) = (5, 2);

/// All layouts, and the words on them that are no names.
pub(crate) struct Layouts {
    layouts: Vec<Layout>,
    words: Vec<Vec<char>>,
}

/// A page of a known layout.
pub(crate) struct Known<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) reading: LayoutReading,
    pub(crate) items: Vec<Item>,
    /// Left, top, right, bottom of the labels that were found, along its rows.
    pub(crate) labels: Vec<[f32; 4]>,
    /// Direction of its rows in the page's pixels, in radians.
    pub(crate) angle: f32,
    /// Where the card's corners must be by its labels, along its rows: left top, right top, right bottom, left bottom.
    pub(crate) corners: Option<[[f32; 2]; 4]>,
    /// The items that an entry on the page says are out of date.
    superseded: BTreeSet<FieldName>,
    /// Whether the full name may be the given names alone.
    may_be_given: bool,
    today: Date,
}

impl Known<'_> {
    /// Whether few items of the layout were read: its title is larger than its labels.
    pub(crate) fn lacks_items(&self) -> bool {
        let names: BTreeSet<&str> = self.layout.field.iter().map(|field| field.name.as_str()).collect();
        (self.items.len() as f32) < FEW * names.len() as f32
    }

    /// Whether every item of the layout was read.
    pub(crate) fn has_all_items(&self) -> bool {
        let is_read = |field: &file::Field| self.items.iter().any(|item| item.name == field.name);
        self.layout.field.iter().all(is_read)
    }

    /// Judges the items that were read with certainty: applies the rules to these instead of those that were read first, marks the rules that they
    /// contradict, and takes the normal forms of the items in doubt.
    pub(crate) fn judge(&mut self, items: &mut [Item]) {
        let layout = self.layout;
        let mut results = rules::apply(&layout.rule, &layout.required, items, self.today);
        let contradicted = rules::judge(&layout.rule, |rule| layout.is_certain(rule), items, self.today);
        for result in &mut results {
            result.contradiction = contradicted.contains(&result.rule);
        }
        // Where labels stand does not depend on the items.
        let is_on_labels = |result: &RuleResult| result.rule == LABELS_IN_PLACE;
        results.extend(self.reading.rules.drain(..).filter(is_on_labels));
        self.reading.rules = results;
        let superseded = self.superseded.iter().copied();
        self.reading.rules.extend(superseded.map(RuleResult::superseded));
        for item in items {
            let in_doubt =
                |name: FieldName| self.superseded.contains(&name) || name == FieldName::FullName && self.may_be_given;
            if FieldName::parse(&item.name).is_some_and(in_doubt) {
                item.parsed.normalized = None;
            }
        }
    }

    /// Whether one of its labels stands in a line of the page. A number such as `1.`, higher than it is wide, stands in other print as well.
    pub(crate) fn labels_line(&self, line: &Area) -> bool {
        let (x, y) = line.in_frame_of(self.angle);
        self.labels.iter().any(|&[left, top, right, bottom]| {
            right - left > bottom - top
                && (f32::midpoint(top, bottom) - y).abs() < line.half_height
                && left < x + line.half_width
                && right > x - line.half_width
        })
    }

    /// A place along the rows in the page's own pixels.
    pub(crate) fn upright(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let (sin, cos) = self.angle.sin_cos();
        [x * cos - y * sin, x * sin + y * cos]
    }
}

/// Whether a label is long enough to be no name.
fn is_no_name(label: &[char]) -> bool {
    let is_latin = label.iter().all(|&c| is_latin(c));
    label.len() >= if is_latin { LEAST_WORD.0 } else { LEAST_WORD.1 }
}

impl Layouts {
    /// The layouts that come with the program.
    pub(crate) fn built_in() -> Result<Self, LayoutFault> {
        let layouts = Layout::built_in()?;
        let labels = || layouts.iter().flat_map(|layout| layout.label.values());
        let texts = |value: bool| {
            labels()
                .filter(move |label| label.value == value)
                .flat_map(|label| &label.folded)
        };
        let values: Vec<&Vec<char>> = texts(true).collect();
        let words = texts(false)
            .filter(|word| is_no_name(word) && !values.contains(word))
            .cloned()
            .collect();
        Ok(Self { layouts, words })
    }

    /// Recognises the layout of a page and reads its items; `None` where it is none that is known.
    pub(crate) fn read(&self, lines: &[Line], today: Date) -> Option<Known<'_>> {
        let page = DeskewedPage::new(lines, LEGIBLE);
        let folded: Vec<Folded> = page.runs.iter().map(|run| Folded::of(&run.glyphs)).collect();
        let context = Context {
            today,
            words: &self.words,
            labels: Vec::new(),
            may_be_day_first: false,
        };
        let (mut fit, score) = recognise::best(&self.layouts, &page, &folded, &context)?;
        let context = Context {
            may_be_day_first: recognise::may_be_day_first(&fit),
            ..context
        };
        let (in_place, corners) = (recognise::in_place(&fit), recognise::corners(&fit));
        fit.marks
            .retain(|mark| fit.layout.label.get(mark.name).is_some_and(|label| !label.value));
        recognise::by_place(fit.layout, &page, &mut fit.marks);
        let marked = Marked {
            layout: fit.layout,
            page: &page,
            marks: &fit.marks,
        };
        let items = fields::read(&marked, &context);
        let hidden = fields::hidden(&marked, &items);
        let superseded = fields::superseded(&marked, &context);
        let may_be_given = recognise::may_be_given(&fit, &page);
        let mut rules = rules::apply(&fit.layout.rule, &fit.layout.required, &items, today);
        rules.extend(in_place.map(|held| RuleResult {
            rule: LABELS_IN_PLACE.to_owned(),
            held,
            contradiction: false,
        }));
        Some(Known {
            layout: fit.layout,
            reading: LayoutReading {
                layout: fit.layout.name.clone(),
                issuer: fit.layout.issuer.clone(),
                kind: fit.layout.kind,
                also: fit.layout.also.clone(),
                side: fit.layout.side,
                score,
                rules,
                hidden,
            },
            labels: fit.marks.iter().map(|mark| label_place(&page, mark)).collect(),
            items,
            angle: page.angle,
            corners,
            superseded,
            may_be_given,
            today,
        })
    }
}

/// A date that is printed on a page, by itself in its line.
pub(crate) struct PrintedDate {
    /// As printed, and in the normal form.
    pub(crate) text: String,
    pub(crate) normalized: String,
    /// Probability that the text is correct, 0 to 1.
    pub(crate) confidence: f32,
    /// The line it is in.
    pub(crate) line: usize,
}

/// The dates of a page with the day before the month, each as often as it is printed, and eight digits that may be one.
pub(crate) fn printed_dates(lines: &[Line], today: Date) -> Vec<PrintedDate> {
    let context = Context {
        today,
        words: &[],
        labels: Vec::new(),
        may_be_day_first: false,
    };
    let grammar = Grammar::Date {
        order: Order::Day,
        ends: Vec::new(),
        begins: Vec::new(),
        past: false,
    };
    let date = |run: &page::Run| {
        let parsed = grammar
            .parse(&run.glyphs, &context)
            .or_else(|| grammar::run_together(&run.glyphs))?;
        let glyphs = &run.glyphs[parsed.from..parsed.to];
        // A month that is named twice is right, whatever each letter is.
        let is_named_twice = names_month_twice(&parsed.text);
        let counts = |glyph: &&Glyph| glyph.symbol.is_ascii_digit() || !is_named_twice && glyph.symbol.is_alphabetic();
        Some(PrintedDate {
            text: parsed.text,
            normalized: parsed.normalized?,
            confidence: glyphs.iter().filter(counts).map(|glyph| glyph.sure).fold(1.0, f32::min),
            line: glyphs.first()?.line,
        })
    };
    let page = DeskewedPage::new(lines, LEGIBLE);
    page.runs.iter().filter_map(date).collect()
}

fn label_place(page: &DeskewedPage, mark: &recognise::Mark<'_>) -> [f32; 4] {
    let half = page.runs.get(mark.run).map_or(0.0, |run| run.height / 2.0);
    [mark.left, mark.y - half, mark.right, mark.y + half]
}

#[cfg(test)]
pub(crate) mod tests;
