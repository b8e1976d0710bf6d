//! The items of a layout on a page: where a value stands by its label, read by its grammar.

use super::file::{Field, Label, Layout, Place};
use super::grammar::{Context, Grammar, Parsed, is_han, is_name_at_birth};
use super::item::Item;
use super::page::{DeskewedPage, Glyph, Run, joined};
use super::recognise::{BELOW, Mark};
use crate::fold;
use domain::document::FieldName;
use std::collections::BTreeSet;

/// A gap of this many heights ends a row's text: what stands beyond belongs to something else.
const END_OF_ROW: f32 = 8.0;
/// A gap of this many heights inside an address or an authority's name ends it: no word stands so far from the one before it.
const END_OF_PROSE: f32 = 3.0;
/// A line so many times as high as a label is no value in its row: it was found together with what stands above it.
const HIGHEST_VALUE: f32 = 3.0;
/// Characters of the longest number of an item, with its stop.
const LONGEST_NUMBER: usize = 3;
/// Length of the shortest label that may be mistaken for a part of a value.
const LEAST_GLUED: usize = 3;
/// Distance to the continuation of a line below it, in line heights.
const NEXT_LINE: std::ops::Range<f32> = 0.4..1.7;
/// How many heights below names the row of the next item stands.
const NEXT_ROW: std::ops::Range<f32> = 0.4..2.6;
/// Labels of the items that stand below names.
const ITEMS_BELOW_NAMES: [&str; 2] = ["born", "address"];
/// How many heights below the first line of a name the second one stands at most: where it is further off there is room for a label.
const TIGHT: f32 = 1.0;
/// How far a value's left edge may stand from its label's, in heights.
const ALIGNED: f32 = 1.3;
/// How many heights behind the number of its item a value begins.
const BEHIND_NUMBER: std::ops::Range<f32> = -0.5..2.5;
/// A gap between the middles of two letters of this many heights is one between columns: words of one value stand closer together.
const BETWEEN_COLUMNS: f32 = 2.0;
/// How far from its label's left edge a value of a column begins at most, in heights.
const IN_COLUMN: f32 = 0.6;

/// How far the lines of one value may begin from each other, in heights.
const FLUSH: f32 = 0.9;
/// How high the next line of a value is, compared with the line above it.
const LIKE_ABOVE: std::ops::Range<f32> = 0.72..1.4;
/// How high a name's line is, compared with the line below it.
const LIKE_BELOW: std::ops::Range<f32> = 0.72..1.6;
/// Gap between a line and the next one that continues its value, in line heights.
const GOES_ON: f32 = 1.2;
/// Gap between a line and the next one that is read together with it where a value may be anywhere, in line heights.
const FOLLOWS: f32 = 2.5;
/// How many heights to the right of the next row's label a name begins.
const RIGHT_OF_NEXT_LABEL: std::ops::Range<f32> = -1.0..3.0;
/// Digits of a date in numbers, with its whole year.
const DIGITS_OF_DATE: usize = 8;
/// Half the width of a letter, in heights.
const HALF_LETTER: f32 = 0.3;
/// A gap between the middles of two letters of this many heights is one between words.
const BETWEEN_WORDS: f32 = 1.3;

/// Kanji of the dates of entries.
const KANJI_OF_DATES: &str = "令和年月日";

/// A page with the labels of one layout on it.
pub(crate) struct Marked<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) page: &'a DeskewedPage,
    pub(crate) marks: &'a [Mark<'a>],
}

/// The items of a layout; what does not parse is left out, and so is what parses in two ways.
pub(crate) fn read(marked: &Marked<'_>, context: &Context<'_>) -> Vec<Item> {
    let layout = marked.layout;
    let mut items: Vec<Item> = Vec::new();
    for read in [Marked::item, Marked::impossible] {
        for field in &layout.field {
            let labels = field.of.iter().filter_map(|of| layout.label.get(of));
            let context = Context {
                labels: labels.flat_map(|label| &label.folded).map(Vec::as_slice).collect(),
                ..*context
            };
            if items.iter().all(|item| item.name != field.name)
                && marked.is_of_issuer(field)
                && let Some(item) = read(marked, field, &context)
            {
                items.push(item);
            }
        }
    }
    if layout.family_name_first {
        items.extend(marked.names_by_place(&items, context));
    }
    items
}

/// The items of a page that an entry on it says are out of date: by its words, or by what is entered, once or more often.
pub(super) fn superseded(marked: &Marked<'_>, context: &Context<'_>) -> BTreeSet<FieldName> {
    let layout = marked.layout;
    let labels = marked.marks.iter().filter_map(|mark| layout.label.get(mark.name));
    let is_made = |entry: &&Field| {
        let mut texts = entry.places.iter().flat_map(|place| marked.texts(entry, *place));
        texts.any(|text| entry.grammar.occurs(&text, context) && !marked.is_besides(entry, &text))
    };
    let entries = layout.entry.iter().filter(is_made);
    let items = labels
        .flat_map(|label| &label.supersedes)
        .chain(entries.flat_map(|entry| &entry.supersedes));
    items.copied().collect()
}

/// Share of the layout's items of which nothing is seen: neither the item nor any text at its place. What covers a part of the
/// document hides both. 0 where documents of the layout may lack items, or label them in other words.
pub(crate) fn hidden(marked: &Marked<'_>, items: &[Item]) -> f32 {
    let layout = marked.layout;
    let required = layout.field.iter().filter(|field| !field.optional);
    let mut names: Vec<&str> = required.map(|field| field.name.as_str()).collect();
    names.dedup();
    if !layout.complete || names.is_empty() {
        return 0.0;
    }
    let seen = |name: &&&str| {
        let mut fields = layout.field.iter().filter(|field| field.name == **name);
        items.iter().any(|item| item.name == **name) || fields.any(|field| marked.has_text_for(field))
    };
    let count = names.iter().filter(seen).count();
    1.0 - count as f32 / names.len() as f32
}

fn item(field: &Field, parsed: &Parsed, glyphs: &[Glyph]) -> Item {
    let glyphs = glyphs[parsed.from..parsed.to].to_vec();
    Item {
        name: field.name.clone(),
        confidence: confidence(&glyphs, &field.grammar),
        parsed: parsed.clone(),
        glyphs,
    }
}

/// Whether a mark is a label of a field.
fn is_label_of(mark: &Mark<'_>, field: &Field) -> bool {
    field.of.iter().any(|of| of == mark.name)
}

impl Marked<'_> {
    /// Whether any text stands where the value of a field that was labelled must stand.
    fn has_text_for(&self, field: &Field) -> bool {
        let own = |mark: &&Mark<'_>| is_label_of(mark, field);
        let beside = |mark: &Mark<'_>| {
            field
                .places
                .iter()
                .any(|place| !self.beside(mark, *place, field).is_empty())
        };
        self.marks.iter().filter(own).any(beside)
    }

    /// What stands where the value of a field may stand.
    fn texts(&self, field: &Field, place: Place) -> Vec<Vec<Glyph>> {
        match place {
            Place::Page => self.everywhere(),
            Place::Lines => self.blocks(field),
            Place::Table => self.first_row(field),
            Place::Right | Place::Below | Place::Row => self
                .marks
                .iter()
                .filter(|mark| is_label_of(mark, field))
                .map(|mark| self.beside(mark, place, field))
                .collect(),
        }
    }

    /// Whether the words on the page allow a field that the documents of some issuers alone have in its form.
    fn is_of_issuer(&self, field: &Field) -> bool {
        let has = |name: &String| self.marks.iter().any(|mark| mark.name == name);
        (field.only_with.is_empty() || field.only_with.iter().any(has)) && !field.not_with.iter().any(has)
    }

    fn item(&self, field: &Field, context: &Context<'_>) -> Option<Item> {
        for place in &field.places {
            let texts = self.texts(field, *place);
            let is_beside_label = matches!(place, Place::Right | Place::Below);
            let parse = |text: &Vec<Glyph>| {
                let parsed = field.grammar.parse(text, context).or_else(|| {
                    let date = field.grammar.parse_run_together(text, context);
                    date.filter(|_| is_beside_label)
                })?;
                Some((parsed, text.clone()))
            };
            let mut found: Vec<(Parsed, Vec<Glyph>)> = texts.iter().filter_map(parse).collect();
            if *place == Place::Lines || field.more_lines > 0 {
                // The last line of an address is one of its own kind, and may stand beside the second language of its label: the whole is meant.
                let texts: Vec<String> = found.iter().map(|(parsed, _)| parsed.text.clone()).collect();
                let is_tail = |text: &String| texts.iter().any(|whole| whole != text && whole.ends_with(text));
                found.retain(|(parsed, _)| !is_tail(&parsed.text));
            }
            found.retain(|(parsed, _)| !self.begins_with_label(field, &parsed.text));
            let Some((parsed, glyphs)) = found.first() else {
                continue;
            };
            let same = |other: &Parsed| other.normalized == parsed.normalized;
            if !found.iter().all(|(other, _)| same(other)) {
                return None;
            }
            return Some(item(field, parsed, glyphs));
        }
        None
    }

    /// What stands beside a field's label in the field's form and cannot be genuine.
    fn impossible(&self, field: &Field, context: &Context<'_>) -> Option<Item> {
        let own = |mark: &&Mark<'_>| is_label_of(mark, field);
        let texts = self.marks.iter().filter(own).flat_map(|mark| {
            let beside = |place: &Place| self.beside(mark, *place, field);
            field.places.iter().map(beside)
        });
        let (parsed, glyphs) = texts
            .filter_map(|text| Some((field.grammar.impossible(&text, context)?, text)))
            .next()?;
        Some(item(field, &parsed, &glyphs))
    }

    /// Whether a label of the field was read as the beginning of its value, as in `DLNL829` or, where items are numbered,
    /// `8932 HIGH STREET`: where a label ends and a number begins cannot be told then.
    fn begins_with_label(&self, field: &Field, text: &str) -> bool {
        let letters = fold::folded(text);
        let labels = || field.of.iter().filter_map(|of| self.layout.label.get(of));
        let digits = |number: &[char]| {
            let mut rest = letters.chars();
            number.iter().all(|digit| rest.next() == Some(*digit)) && rest.next().is_some_and(|c| c.is_ascii_digit())
        };
        if self.is_numbered_without(field) && labels().flat_map(Label::numbers).any(digits) {
            return true;
        }
        let mut words = labels().flat_map(|label| &label.folded);
        words.any(|word| {
            let (last, length) = (word.last(), word.len());
            let glued = letters.chars().nth(length).is_some_and(char::is_alphanumeric);
            length >= LEAST_GLUED
                && last.is_some_and(char::is_ascii_alphabetic)
                && glued
                && letters.chars().zip(word).all(|(a, b)| a == *b)
        })
    }

    /// Whether a mark is the number of an item, `4a.`.
    fn is_number(&self, mark: &Mark<'_>) -> bool {
        let glyphs = &self.page.runs[mark.run].glyphs[mark.from..mark.to];
        glyphs.first().is_some_and(|glyph| glyph.symbol.is_ascii_digit()) && mark.to - mark.from <= LONGEST_NUMBER
    }

    /// Whether other items of the page have their numbers before them and this one's was not found.
    fn is_numbered_without(&self, field: &Field) -> bool {
        let is_own = |mark: &Mark<'_>| is_label_of(mark, field);
        let is_number = |mark: &Mark<'_>| {
            let label = self.layout.label.get(mark.name);
            label.is_some_and(|label| label.numbers().next().is_some())
        };
        self.marks.iter().any(is_number) && !self.marks.iter().any(is_own)
    }

    fn beside(&self, mark: &Mark<'_>, place: Place, field: &Field) -> Vec<Glyph> {
        let value = self.first_line(mark, place, field);
        if value.is_empty() {
            return value;
        }
        let value = self.with_more_lines(value, field);
        let mut parts = vec![value];
        for other in self
            .marks
            .iter()
            .filter(|other| field.and.iter().any(|name| name == other.name))
        {
            let next = self.first_line(other, place, field);
            if next.is_empty() {
                return Vec::new();
            }
            parts.push(next);
        }
        joined(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// The first line of what stands beside a label where the value of a field may stand.
    fn first_line(&self, mark: &Mark<'_>, place: Place, field: &Field) -> Vec<Glyph> {
        match place {
            Place::Right => self.right(mark),
            // What a number stands before is its item, legible or not.
            Place::Below
                if self.is_number(mark) && self.right(mark).iter().any(|glyph| glyph.symbol.is_alphabetic()) =>
            {
                Vec::new()
            }
            Place::Below => self.below(mark, field),
            Place::Row => self.row(&self.page.runs[mark.run]),
            Place::Page | Place::Lines | Place::Table => Vec::new(),
        }
    }

    /// The letters of a line between its labels that begin at or after a place; whether a label ends them.
    fn free(&self, run: usize, from: usize) -> (&[Glyph], bool) {
        let next = self
            .marks
            .iter()
            .filter(|mark| mark.run == run && mark.from >= from)
            .map(|mark| mark.from)
            .min();
        let glyphs = &self.page.runs[run].glyphs;
        (
            &glyphs[from.min(glyphs.len())..next.unwrap_or(glyphs.len())],
            next.is_some(),
        )
    }

    fn index(&self, run: &Run) -> usize {
        self.page
            .runs
            .iter()
            .position(|other| std::ptr::eq(other, run))
            .unwrap_or_default()
    }

    /// The line in which a letter stands.
    fn run_of(&self, glyph: &Glyph) -> Option<&Run> {
        let has_line = |run: &&Run| run.glyphs.iter().any(|other| other.line == glyph.line);
        self.page.runs.iter().find(has_line)
    }

    fn has_mark(&self, run: usize) -> bool {
        self.marks.iter().any(|mark| mark.run == run)
    }

    /// Whether a line is the value of another label than the field's, or has one in it: a label stands in its row, on it or
    /// near it to its left. The second language of the field's own label, 住居地 / ADDRESS, stands beside the second line of its value.
    fn begins_row_of_label(&self, run: &Run, field: &Field) -> bool {
        let is_own = |mark: &Mark<'_>| is_label_of(mark, field) && !std::ptr::eq(&self.page.runs[mark.run], run);
        self.marks.iter().any(|mark| {
            let label = &self.page.runs[mark.run];
            let is_near = run.left - mark.right < END_OF_ROW * run.height.max(label.height);
            mark.left < run.right && is_near && self.page.same_row(label, run) && !is_own(mark)
        })
    }

    /// What follows a label in its row, up to the next label or a wide gap.
    fn right(&self, mark: &Mark<'_>) -> Vec<Glyph> {
        let run = &self.page.runs[mark.run];
        let (first, ended) = self.free(mark.run, mark.to);
        let mut parts = vec![first];
        let mut edge = first.last().map_or(mark.right, |last| last.x);
        if !ended {
            for next in self.page.right_of(run, run.right.max(mark.right)) {
                let (text, ended) = self.free(self.index(next), 0);
                let is_far = next.left - edge > END_OF_ROW * next.height.max(run.height);
                if is_far || next.height > run.height * HIGHEST_VALUE {
                    break;
                }
                parts.push(text);
                edge = next.right;
                if ended {
                    break;
                }
            }
        }
        behind_stroke(joined(&parts))
    }

    /// Whether an entry stands beside what was printed and replaces nothing of it, as how a name is read does: its row has one of the entry's labels
    /// and, without its date, no kanji.
    fn is_besides(&self, entry: &Field, text: &[Glyph]) -> bool {
        let Some(run) = text.first().and_then(|glyph| self.run_of(glyph)) else {
            return false;
        };
        let tells = |mark: &Mark<'_>| {
            let is_own = entry.besides.iter().any(|name| name == mark.name);
            is_own && self.page.same_row(run, &self.page.runs[mark.run])
        };
        let is_kanji = |glyph: &Glyph| is_han(glyph.symbol) && !KANJI_OF_DATES.contains(glyph.symbol);
        self.marks.iter().any(tells) && !self.row(run).iter().any(is_kanji)
    }

    /// All of a row that is not a label.
    fn row(&self, run: &Run) -> Vec<Glyph> {
        let mut row: Vec<&Run> = self
            .page
            .runs
            .iter()
            .filter(|other| self.page.same_row(run, other))
            .collect();
        row.sort_by(|a, b| a.left.total_cmp(&b.left));
        let free = |run: &Run| -> Vec<Glyph> {
            let index = self.index(run);
            let taken = |at: usize| {
                self.marks
                    .iter()
                    .any(|m| m.run == index && (m.from..m.to).contains(&at))
            };
            run.glyphs
                .iter()
                .enumerate()
                .filter(|(at, _)| !taken(*at))
                .map(|(_, glyph)| *glyph)
                .collect()
        };
        let parts: Vec<Vec<Glyph>> = row.into_iter().map(free).collect();
        joined(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// The nearest words below a label that begin where it begins, and what follows in their row up to the next label's column.
    fn below(&self, mark: &Mark<'_>, field: &Field) -> Vec<Glyph> {
        // Of a label in two languages, Authority / Autorité, the first stands where the value begins.
        let before = |other: &Mark<'_>| other.name == mark.name && other.run == mark.run && other.from < mark.from;
        if self.marks.iter().any(before) {
            return Vec::new();
        }
        let label = &self.page.runs[mark.run];
        let edge_of_label = self.left_of_label(mark);
        let fits = |index: &usize| {
            let run = &self.page.runs[*index];
            let drop = label.drop_to(run) / label.height.max(run.height);
            BELOW.contains(&drop) && !self.has_mark(*index)
        };
        // Values of neighbouring columns may have been found as one line: any of its words may begin the value.
        // Without a label to their left the words of a name before it are its own: of a label in two languages the first was not read.
        let has_column_before = !field.grammar.is_latin_name()
            || self.marks.iter().any(|other| {
                other.name != mark.name
                    && other.left < mark.left
                    && self.page.same_row(label, &self.page.runs[other.run])
            });
        let starts = |index: usize| {
            let run = &self.page.runs[index];
            let off = move |start: usize| (left_of(run, start) - edge_of_label).abs() / label.height.max(run.height);
            (0..run.glyphs.len())
                .filter(move |&at| (at == 0 || has_column_before) && begins_word(run, at) && off(at) < ALIGNED)
                .min_by(move |&a, &b| off(a).total_cmp(&off(b)))
                .map(|start| (index, start))
        };
        let found = (0..self.page.runs.len()).filter(fits).filter_map(starts);
        let y = |index: usize| self.page.runs[index].y;
        let Some((index, start)) = found.min_by(|a, b| y(a.0).total_cmp(&y(b.0))) else {
            return self.date_under(mark, field, &fits);
        };
        let column = self.next_column(mark);
        let end = column - label.height * ALIGNED;
        let is_name = field.grammar.is_latin_name();
        let first = &self.page.runs[index];
        let Some(words) = up_to(first, start, (column, end), is_name) else {
            return Vec::new();
        };
        let mut parts = vec![words];
        let mut edge = first.right;
        for next in self.page.right_of(first, first.right) {
            if next.left - edge > first.height * GOES_ON || next.left > end || self.has_mark(self.index(next)) {
                break;
            }
            let Some(words) = up_to(next, 0, (column, end), is_name) else {
                return Vec::new();
            };
            parts.push(words);
            edge = next.right;
        }
        joined(&parts)
    }

    /// The line below a label that is a date as a whole, wherever under it: where the label before it in its row was found together with its own first
    /// language, `CITIZENSHIPSÜNNIAEG / DATE OF BIRTH`, its left edge is not known.
    fn date_under(&self, mark: &Mark<'_>, field: &Field, fits: &dyn Fn(&usize) -> bool) -> Vec<Glyph> {
        if !field.grammar.is_date_with_day_first() {
            return Vec::new();
        }
        let left = self.left_of_label(mark);
        let is_under = |index: &usize| {
            let run = &self.page.runs[*index];
            let reach = run.height * ALIGNED;
            run.left > left - reach && run.right < mark.right + reach
        };
        let lines = (0..self.page.runs.len()).filter(fits).filter(is_under);
        let nearest = lines.min_by(|a, b| self.page.runs[*a].y.total_cmp(&self.page.runs[*b].y));
        let is_numeric = |glyphs: &&Vec<Glyph>| {
            glyphs.iter().filter(|glyph| glyph.symbol.is_ascii_digit()).count() == DIGITS_OF_DATE
        };
        let value = nearest.map(|index| &self.page.runs[index].glyphs).filter(is_numeric);
        value.cloned().unwrap_or_default()
    }

    /// Where a label begins of which another language was not read, `Voornamen/given names`: with the words before its stroke.
    fn left_of_label(&self, mark: &Mark<'_>) -> f32 {
        let run = &self.page.runs[mark.run];
        let ends = self
            .marks
            .iter()
            .filter(|other| other.run == mark.run && other.to <= mark.from);
        let start = ends.map(|other| other.to).max().unwrap_or_default();
        let before = &run.glyphs[start..mark.from];
        let stroke = before.iter().rev().find(|glyph| !glyph.symbol.is_whitespace());
        let first = before.iter().position(|glyph| glyph.symbol.is_alphanumeric());
        match first.filter(|_| stroke.is_some_and(|glyph| glyph.symbol == '/')) {
            Some(first) => left_of(run, start + first),
            None => mark.left,
        }
    }

    /// The left edge of the next label in a label's row; infinite where there is none.
    fn next_column(&self, mark: &Mark<'_>) -> f32 {
        let label = &self.page.runs[mark.run];
        let next = self.marks.iter().filter(|other| {
            other.name != mark.name && other.left > mark.right && self.page.same_row(label, &self.page.runs[other.run])
        });
        next.map(|other| other.left).fold(f32::INFINITY, f32::min)
    }

    /// The value with the lines below that continue it. In prose, each line ends at the first wide gap.
    fn with_more_lines(&self, value: Vec<Glyph>, field: &Field) -> Vec<Glyph> {
        let ended = |line: &[Glyph]| {
            let length = if field.grammar.is_prose() {
                end_of_prose(line)
            } else {
                line.len()
            };
            line[..length].to_vec()
        };
        let mut value = ended(&value);
        for further in (0..field.more_lines).rev() {
            let Some((first, last)) = value.first().zip(value.last()) else {
                break;
            };
            let (left, height) = (first.x, last.height);
            let Some(above) = self.run_of(last) else {
                break;
            };
            let goes_on = |run: &&Run| {
                let drop = above.drop_to(run) / height;
                let start = run.glyphs.first().map_or(run.left, |glyph| glyph.x);
                NEXT_LINE.contains(&drop)
                    && (start - left).abs() < height * FLUSH
                    && LIKE_ABOVE.contains(&(run.height / height))
                    && !self.begins_row_of_label(run, field)
                    && (!field.grammar.is_latin_name()
                        || drop < TIGHT && self.ends_name(run, field, further) && !is_name_at_birth(&run.glyphs))
            };
            let Some(next) = self.page.runs.iter().find(goes_on) else {
                break;
            };
            value = joined(&[&value, &ended(&next.glyphs)]);
        }
        value
    }

    /// Whether a mark is the number of the item after a field: below a name whose own next number was not read stands another item.
    fn is_next_number(&self, mark: &Mark<'_>, field: &Field) -> bool {
        let number = |label: &Label| label.numbers().find_map(|number| number.first()?.to_digit(10));
        let own = field
            .of
            .iter()
            .filter_map(|of| self.layout.label.get(of))
            .find_map(number);
        let next = self.layout.label.get(mark.name).and_then(number);
        own.zip(next).is_some_and(|(own, next)| next == own + 1)
    }

    /// Whether a line is one of a name, not a label in a language that is not known: the label of the next item stands below it, or below at most
    /// so many further lines of the name.
    fn ends_name(&self, run: &Run, field: &Field, further: usize) -> bool {
        let is_last = self.marks.iter().any(|mark| {
            let label = &self.page.runs[mark.run];
            let drop = run.drop_to(label) / run.height;
            let stands = if self.is_number(mark) {
                self.is_next_number(mark, field) && BEHIND_NUMBER.contains(&((run.left - mark.right) / run.height))
            } else {
                (mark.left - run.left).abs() < run.height * ALIGNED
            };
            NEXT_LINE.contains(&drop) && stands
        });
        let goes_on = |next: &Run| {
            let drop = run.drop_to(next) / run.height;
            (NEXT_LINE.start..TIGHT).contains(&drop)
                && (next.left - run.left).abs() < run.height * FLUSH
                && self.ends_name(next, field, further - 1)
        };
        is_last || further > 0 && self.page.runs.iter().any(goes_on)
    }

    /// Names whose labels were not read, by the lines beside them.
    fn names_by_place(&self, items: &[Item], context: &Context<'_>) -> Vec<Item> {
        let field = |name: &str| self.layout.field.iter().find(|field| field.name == name);
        let (Some(family), Some(given)) = (field("lastName"), field("firstName")) else {
            return Vec::new();
        };
        let names = Names {
            marked: self,
            family,
            given,
            context,
        };
        let line_of = |name: &str| {
            let item = items.iter().find(|item| item.name == name)?;
            self.run_of(item.glyphs.first()?)
        };
        let last = line_of("address").and_then(|address| self.line_above(address, address.left));
        // A name that was labelled and could not be read stands where its label says, not in another line.
        let has_label = |item: &Field| {
            let mut fields = self.layout.field.iter().filter(|field| field.name == item.name);
            fields.any(|field| self.marks.iter().any(|mark| is_label_of(mark, field)))
        };
        match (line_of(&family.name), line_of(&given.name)) {
            (Some(labelled), None) if !has_label(given) => names.between(labelled, last),
            (None, Some(labelled)) if !has_label(family) => {
                let first = items.iter().find(|item| item.name == given.name);
                let left = first.and_then(|item| item.glyphs.first());
                names.above_given(
                    labelled,
                    left.map_or(labelled.left, |glyph| glyph.x - glyph.height * HALF_LETTER),
                )
            }
            (None, None) if !has_label(family) && !has_label(given) => {
                let above_birth = names.above_birth();
                match last {
                    Some(last) if above_birth.is_empty() => names.above_address(last),
                    _ => above_birth,
                }
            }
            _ => Vec::new(),
        }
    }

    /// The line directly above another one, of about its size and beginning at a place, with no label in it or before it.
    fn line_above(&self, below: &Run, left: f32) -> Option<&Run> {
        let fits = |run: &&Run| {
            NEXT_LINE.contains(&(run.drop_to(below) / below.height))
                && (run.left - left).abs() < below.height * FLUSH
                && LIKE_BELOW.contains(&(run.height / below.height))
                && !self
                    .marks
                    .iter()
                    .any(|mark| mark.left < run.right && self.page.same_row(&self.page.runs[mark.run], run))
        };
        self.page.runs.iter().find(fits)
    }

    /// Every line after its labels, with the lines below that continue it.
    fn blocks(&self, field: &Field) -> Vec<Vec<Glyph>> {
        let text = |run: usize| {
            let ends = self.marks.iter().filter(|mark| mark.run == run).map(|mark| mark.to);
            let glyphs = &self.page.runs[run].glyphs;
            glyphs[ends.max().unwrap_or_default().min(glyphs.len())..].to_vec()
        };
        (0..self.page.runs.len())
            .map(|run| self.with_more_lines(text(run), field))
            .collect()
    }

    /// The lines of the row below the heads of a table, wherever in it they stand.
    fn first_row(&self, field: &Field) -> Vec<Vec<Glyph>> {
        let is_head = |mark: &&Mark<'_>| is_label_of(mark, field);
        let heads: Vec<&Mark<'_>> = self.marks.iter().filter(is_head).collect();
        let left = heads.iter().map(|head| head.left).fold(f32::INFINITY, f32::min);
        let right = heads.iter().map(|head| head.right).fold(f32::NEG_INFINITY, f32::max);
        let is_below = |run: &Run| {
            heads.iter().any(|head| {
                let label = &self.page.runs[head.run];
                BELOW.contains(&(label.drop_to(run) / label.height.max(run.height)))
            })
        };
        let fits = |(index, run): &(usize, &Run)| {
            let is_in = run.left > left - run.height * ALIGNED && run.left < right;
            is_in && is_below(run) && !self.has_mark(*index)
        };
        let rows = self.page.runs.iter().enumerate().filter(fits);
        rows.map(|(_, run)| run.glyphs.clone()).collect()
    }

    /// Every line, and every line with what follows it in its row.
    fn everywhere(&self) -> Vec<Vec<Glyph>> {
        let alone = self.page.runs.iter().map(|run| run.glyphs.clone());
        let followed = self.page.runs.iter().filter_map(|run| {
            let next = *self.page.right_of(run, run.right).first()?;
            let near = next.left - run.right < run.height * FOLLOWS;
            near.then(|| joined(&[&run.glyphs, &next.glyphs]))
        });
        alone.chain(followed).collect()
    }
}

/// Where names stand whose labels were not read, on cards that have the family name in the line above the given names (AAMVA DL/ID Card
/// Design Standard, zone II; Directive 2006/126/EC, annex I).
struct Names<'a> {
    marked: &'a Marked<'a>,
    family: &'a Field,
    given: &'a Field,
    context: &'a Context<'a>,
}

impl Names<'_> {
    fn parse(&self, field: &Field, glyphs: &[Glyph]) -> Option<Item> {
        Some(item(field, &field.grammar.parse(glyphs, self.context)?, glyphs))
    }

    fn above<'s>(&'s self, run: &Run) -> Option<&'s Run> {
        self.marked.line_above(run, run.left)
    }

    /// Given names between a labelled family name and the address, of which `last` is the line above.
    fn between(&self, labelled: &Run, last: Option<&Run>) -> Vec<Item> {
        let given = last.filter(|last| self.above(last).is_some_and(|above| std::ptr::eq(above, labelled)));
        given
            .and_then(|given| self.parse(self.given, &given.glyphs))
            .into_iter()
            .collect()
    }

    /// The family name above labelled given names that begin at a place.
    fn above_given(&self, labelled: &Run, left: f32) -> Vec<Item> {
        let first = self
            .marked
            .line_above(labelled, left)
            .filter(|first| self.is_first(first));
        first
            .and_then(|first| self.parse(self.family, &first.glyphs))
            .into_iter()
            .collect()
    }

    /// Both names above the address as on a letter, or both in its line above with a comma between them.
    fn above_address(&self, last: &Run) -> Vec<Item> {
        let comma = |run: &Run| run.glyphs.iter().position(|glyph| glyph.symbol == ',');
        let first = self
            .above(last)
            .filter(|first| self.parse(self.family, &first.glyphs).is_some());
        let names = match (first, comma(last)) {
            (None, Some(at)) => {
                let [family, given] = [&last.glyphs[..at], &last.glyphs[at + 1..]];
                self.parse(self.family, family).zip(self.parse(self.given, given))
            }
            // New York writes given names with a comma between them.
            (Some(first), _) => self
                .both(first, last)
                .filter(|_| self.is_first(first) || comma(last).is_none() && comma(first).is_some()),
            (None, None) => None,
        };
        names.map_or_else(Vec::new, |(family, given)| vec![family, given])
    }

    /// Both names above the row with the date of birth or the address, where the page has one such pair of lines.
    fn above_birth(&self) -> Vec<Item> {
        let pair = |last: &Run| {
            let first = self.above(last).filter(|first| self.is_first(first))?;
            self.both(first, last).filter(|_| self.stands_above_item(last))
        };
        let mut pairs = self.marked.page.runs.iter().filter_map(pair);
        match (pairs.next(), pairs.next()) {
            (Some((family, given)), None) => vec![family, given],
            _ => Vec::new(),
        }
    }

    fn both(&self, first: &Run, last: &Run) -> Option<(Item, Item)> {
        self.parse(self.family, &first.glyphs)
            .zip(self.parse(self.given, &last.glyphs))
    }

    /// Whether no other name stands in the line above.
    fn is_first(&self, run: &Run) -> bool {
        let above = self.above(run);
        above.is_none_or(|above| self.parse(self.family, &above.glyphs).is_none())
    }

    /// Whether no label stands before a line, and the next row begins with that of the date of birth or the address.
    fn stands_above_item(&self, run: &Run) -> bool {
        let page = self.marked.page;
        let is_next = |mark: &Mark<'_>| {
            let label = &page.runs[mark.run];
            NEXT_ROW.contains(&(run.drop_to(label) / run.height))
                && RIGHT_OF_NEXT_LABEL.contains(&((run.left - mark.left) / run.height))
                && ITEMS_BELOW_NAMES.iter().any(|name| mark.name.starts_with(name))
        };
        let in_row = |mark: &Mark<'_>| mark.left < run.right && page.same_row(&page.runs[mark.run], run);
        self.marked.marks.iter().any(is_next) && !self.marked.marks.iter().any(in_row)
    }
}

/// A value without the second language of its label, of which only the first was known: `NUMBER/NUMÉRO M5808-32324`. A word alone is that language, and
/// may be cut short: `Cognome / Su`.
fn behind_stroke(value: Vec<Glyph>) -> Vec<Glyph> {
    let is_space = |glyph: &Glyph| glyph.symbol.is_whitespace();
    let Some(first) = value
        .iter()
        .position(|glyph| !is_space(glyph))
        .filter(|&at| value[at].symbol == '/')
    else {
        return value;
    };
    let spaces = value[first + 1..].iter().take_while(|glyph| is_space(glyph)).count();
    let behind = &value[first + 1 + spaces..];
    let word = behind.iter().take_while(|glyph| glyph.symbol.is_alphabetic()).count();
    let rest = &behind[word..];
    let is_alone = !rest.iter().any(|glyph| glyph.symbol.is_alphanumeric());
    match word {
        // `Sex / F`.
        0 | 1 => value,
        _ if is_alone => Vec::new(),
        _ if spaces == 0 && rest.first().is_some_and(is_space) => rest.to_vec(),
        _ => value,
    }
}

/// Left edge of a letter: that of its line for the first, half a letter before the middle of another.
fn left_of(run: &Run, at: usize) -> f32 {
    match run.glyphs.get(at) {
        Some(glyph) if at > 0 => glyph.x - glyph.height * HALF_LETTER,
        _ => run.left,
    }
}

/// Whether a word begins with this letter.
fn begins_word(run: &Run, at: usize) -> bool {
    let letter = run.glyphs.get(at).is_some_and(|glyph| !glyph.symbol.is_whitespace());
    let before = at.checked_sub(1).and_then(|before| run.glyphs.get(before));
    let apart =
        |before: &Glyph| before.symbol.is_whitespace() || run.glyphs[at].x - before.x > before.height * BETWEEN_WORDS;
    letter && before.is_none_or(apart)
}

/// The words from a letter on up to the next label's column. A word that begins beyond its edge, but neither where the label does nor behind a
/// wide gap, continues a long value. For a name, `None` if there is one and no gap marks it as another value.
fn up_to(run: &Run, start: usize, (column, end): (f32, f32), is_name: bool) -> Option<&[Glyph]> {
    let is_apart = |at: usize| {
        let before = run.glyphs[..at]
            .iter()
            .rev()
            .find(|glyph| !glyph.symbol.is_whitespace());
        before.is_none_or(|before| run.glyphs[at].x - before.x > run.height * BETWEEN_COLUMNS)
    };
    for at in start + 1..run.glyphs.len() {
        if !begins_word(run, at) || left_of(run, at) <= end {
            continue;
        }
        let is_in_column = (left_of(run, at) - column).abs() < run.height * IN_COLUMN;
        if is_apart(at) || is_in_column && !is_name {
            return Some(&run.glyphs[start..at]);
        }
        if is_in_column {
            return None;
        }
    }
    Some(&run.glyphs[start..])
}

/// How many letters of a row come before its first wide gap.
fn end_of_prose(row: &[Glyph]) -> usize {
    let letters: Vec<usize> = (0..row.len()).filter(|&at| !row[at].symbol.is_whitespace()).collect();
    let wide = letters.windows(2).find(|pair| {
        let (before, after) = (row[pair[0]], row[pair[1]]);
        after.x - before.x > END_OF_PROSE * before.height.max(after.height)
    });
    wide.map_or(row.len(), |pair| pair[0] + 1)
}

/// How likely all letters are right. Letters that look like digits count less where nothing tells them apart.
fn confidence(glyphs: &[Glyph], grammar: &Grammar) -> f32 {
    let sure = |glyph: &Glyph| {
        let alike = matches!(glyph.symbol, 'O' | '0' | 'I' | '1' | 'l' | 'Q');
        if alike && !grammar.tells_likes_apart() {
            glyph.sure * glyph.sure
        } else {
            glyph.sure
        }
    };
    let letters: Vec<f32> = glyphs
        .iter()
        .filter(|glyph| !glyph.symbol.is_whitespace())
        .map(sure)
        .collect();
    letters.iter().copied().fold(1.0, f32::min)
}
