//! Which layout a page has: by the words that are printed on it, where they stand, and values whose form is typical of it.

use super::file::{Label, Layout, number};
use super::grammar::Context;
use super::page::{DeskewedPage, Folded, Run};
use crate::calendar::month_named;
use crate::fold;
use crate::geometry::{Corners, Point, mean, rectangle};
use domain::edit_distance::edit_distance;
use lens::geometry::distance;

/// Letters of a label per tolerated error: kanji carry more information than Latin letters.
const LETTERS_PER_ERROR: (usize, usize) = (3, 7);
/// Points by which a layout must exceed one of another kind or side.
const LEAD: f32 = 0.75;
/// Share of the points that are enough from which a layout is recognised.
const RECOGNISED: f32 = 0.6;
/// How many times the points that are enough count at most where a layout is compared with another one.
const MOST_POINTS: f32 = 1.5;

/// Minimum number of labels for judging whether they are in place.
const LEAST_PLACED: usize = 4;
/// Tolerance of a label's position in millimetres: printers and issuers differ.
const OFF_PLACE: f32 = 5.0;
/// Tolerance in millimetres of an unread label's position, predicted from the others.
const NEAR_PLACE: f32 = 2.5;
/// Minimum distance in millimetres between two labels that determine the scale.
const FAR_APART: f32 = 12.0;
/// Standard deviation of the labels' places along the rows, and across them, from which each has a scale of its own, in millimetres.
const SPREAD: f32 = 10.0;
/// Share of the labels that must be in place.
const IN_PLACE: f32 = 0.7;

/// Distance between the items of a list, in line heights.
const NEXT_ITEM: std::ops::Range<f32> = 0.4..1.7;
/// Letters of the shortest name of a street: `lb` and `cm` after a number are not names of streets.
const LEAST_STREET: usize = 3;
/// The surname in German, either in English, and the whole name on many cards.
const AMBIGUOUS: &str = "NAME";
/// Given names in Spanish, Italian and Portuguese beside surnames, and the whole name where no card has a label of those.
const GIVEN_OR_WHOLE: [&str; 2] = ["NOMBRE", "NOME"];
/// The label of a whole name, of layouts that have one.
const WHOLE_NAME: &str = "whole_name";
/// Tolerance of the alignment of two list numbers, in line heights.
const ALIGNED: f32 = 0.5;
/// The same for two numbers of which the lower does not count as an item.
const SAME_COLUMN: f32 = 2.0;
/// Distance in line heights below the number of a later item at which a number does not count as an item.
const BELOW_ITEM: f32 = 0.5;
/// Distance in line heights after other text at which a number does not count as an item.
const BEHIND_TEXT: f32 = 1.5;
/// Half the width of a letter, in heights of its line.
const HALF_LETTER: f32 = 0.3;
/// How many line heights above a line another one is that is not in the same row.
const NEXT_ROW: f32 = 0.3;
/// Length of labels that also occur as words in many names.
const SHORT: usize = 4;
/// Largest gap between two words of a line, in line heights.
const NEXT_WORD: f32 = 1.5;
/// Largest gap between a label and a value beside it, in line heights.
const NEAR_VALUE: f32 = 4.0;
/// Distance of a value below its label, in line heights.
pub(crate) const BELOW: std::ops::Range<f32> = 0.35..2.2;

/// A label found on a page.
#[derive(Clone, Debug)]
pub(crate) struct Mark<'a> {
    pub(crate) name: &'a str,
    /// The line it is in, and its letters there.
    pub(crate) run: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) left: f32,
    pub(crate) right: f32,
    pub(crate) y: f32,
}

/// A layout and how well it fits.
pub(crate) struct Fit<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) marks: Vec<Mark<'a>>,
    points: f32,
}

impl Fit<'_> {
    fn share(&self) -> f32 {
        (self.points / self.layout.enough).min(1.0)
    }
}

/// The layout that fits best, and the confidence, 0 to 1; `None` if none fits well, or if two of different kinds do.
pub(crate) fn best<'a>(
    layouts: &'a [Layout],
    page: &DeskewedPage,
    folded: &[Folded],
    context: &Context<'_>,
) -> Option<(Fit<'a>, f32)> {
    let mut fits: Vec<Fit<'a>> = layouts
        .iter()
        .map(|layout| fit(layout, page, folded, context))
        .collect();
    fits.sort_by(|a, b| {
        (b.share(), b.points)
            .partial_cmp(&(a.share(), a.points))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut fits = fits.into_iter();
    let first = fits.next()?;
    let other = fits
        .filter(|other| (other.layout.kind, other.layout.side) != (first.layout.kind, first.layout.side))
        .map(|other| other.share() * first.layout.enough)
        .fold(0.0, f32::max);
    let capped = first.points.min(first.layout.enough * MOST_POINTS);
    let lead = ((capped - other) / LEAD).clamp(0.0, 1.0);
    let score = first.share() * lead;
    (score >= RECOGNISED).then_some((first, score))
}

/// The labels of a layout on a page, and the points that they and the layout's signs score.
fn fit<'a>(layout: &'a Layout, page: &DeskewedPage, folded: &[Folded], context: &Context<'_>) -> Fit<'a> {
    let marks = marks(layout, page, folded);
    let found = |name: &String| marks.iter().any(|mark| mark.name == name);
    let labels: f32 = layout
        .label
        .iter()
        .filter(|(name, _)| found(name))
        .map(|(_, label)| label.points)
        .sum();
    let signs = layout.sign.iter().filter(|sign| {
        let parses = |run: &Run| {
            sign.grammar
                .parse(&run.glyphs, context)
                .is_some_and(|p| p.normalized.is_some())
        };
        page.runs.iter().any(parses)
    });
    let points = labels + signs.map(|sign| sign.points).sum::<f32>();
    Fit { layout, marks, points }
}

/// A label's place in millimetres, and where it is seen.
type Placed = (Point, Point);

/// Where the layout lies on the page: a label's place in millimetres, where it is seen, and pixels to the millimetre, along the rows and
/// across them: tilt makes the two differ.
#[derive(Clone, Copy)]
struct Lie {
    at: Point,
    seen: Point,
    scale: [f32; 2],
}

impl Lie {
    fn expected(&self, at: Point) -> Point {
        [0, 1].map(|axis| self.seen[axis] + (at[axis] - self.at[axis]) * self.scale[axis])
    }

    /// Whether a label is where the layout has it.
    fn holds(&self, &(at, seen): &Placed) -> bool {
        distance(self.expected(at), seen) < OFF_PLACE * self.mean_scale()
    }

    fn mean_scale(&self) -> f32 {
        f32::midpoint(self.scale[0], self.scale[1])
    }

    /// The corners of the layout's card: left top, right top, right bottom, left bottom.
    fn corners(&self, [width, height]: [f32; 2]) -> Corners {
        rectangle([0.0, 0.0, width, height]).map(|corner| self.expected(corner))
    }

    /// The lie with the least squared error over these labels, in the direction of the rows. Labels that stand in one column or in one row
    /// give both directions the same scale.
    fn through(labels: &[Placed]) -> Self {
        let (at, seen): (Vec<Point>, Vec<Point>) = labels.iter().copied().unzip();
        let (at, seen) = (mean(&at), mean(&seen));
        let sums = [0, 1].map(|axis| {
            labels.iter().fold((0.0, 0.0), |(both, own), label| {
                let (by, to) = (label.0[axis] - at[axis], label.1[axis] - seen[axis]);
                (both + by * to, own + by * by)
            })
        });
        let ratio = |(both, own): (f32, f32)| both / own.max(f32::EPSILON);
        let common = ratio((sums[0].0 + sums[1].0, sums[0].1 + sums[1].1));
        let is_spread = |(_, own): (f32, f32)| own > labels.len() as f32 * SPREAD * SPREAD;
        let scale = if sums.into_iter().all(is_spread) {
            sums.map(ratio)
        } else {
            [common; 2]
        };
        Self { at, seen, scale }
    }
}

/// Where the card's corners must be, according to the labels in place; in the frame of the rows. `None` if there are too few.
pub(crate) fn corners(fit: &Fit<'_>) -> Option<Corners> {
    let first = likeliest(fit.layout, &fit.marks)?;
    if first.fitting < LEAST_PLACED || !first.is_in_place() {
        return None;
    }
    let in_place: Vec<_> = placed_labels(fit.layout, &fit.marks)
        .filter(|label| first.lie.holds(label))
        .collect();
    Some(Lie::through(&in_place).corners(fit.layout.size))
}

/// Labels that have a place: that place in millimetres, and where they are seen.
fn placed_labels<'a>(layout: &'a Layout, marks: &'a [Mark<'_>]) -> impl Iterator<Item = Placed> + 'a {
    marks
        .iter()
        .filter_map(|mark| Some((layout.label.get(mark.name)?.at?, [mark.left, mark.y])))
}

/// A lie, and how well the labels support it.
struct Likely {
    lie: Lie,
    /// How many labels agree with it.
    fitting: usize,
    /// How many have a place at all.
    placed: usize,
}

impl Likely {
    /// Whether enough of the labels are where the layout has them.
    fn is_in_place(&self) -> bool {
        self.fitting as f32 >= IN_PLACE * self.placed as f32
    }
}

/// The lie that most labels agree with.
fn likeliest(layout: &Layout, marks: &[Mark<'_>]) -> Option<Likely> {
    let placed: Vec<Placed> = placed_labels(layout, marks).collect();
    if placed.len() < LEAST_PLACED {
        return None;
    }
    let pairs = placed
        .iter()
        .enumerate()
        .flat_map(|(i, one)| placed[i + 1..].iter().map(move |other| (one, other)));
    pairs
        .filter(|((at, _), (other, _))| distance(*at, *other) > FAR_APART)
        .map(|(&(at, seen), &(other, other_seen))| {
            let scale = distance(seen, other_seen) / distance(at, other);
            let lie = Lie {
                at,
                seen,
                scale: [scale; 2],
            };
            Likely {
                lie,
                fitting: placed.iter().filter(|label| lie.holds(label)).count(),
                placed: placed.len(),
            }
        })
        .max_by_key(|likely| likely.fitting)
}

/// Whether the labels stand where the layout has them, whatever the size of the page; `None` where too few were found to tell.
pub(crate) fn in_place(fit: &Fit<'_>) -> Option<bool> {
    likeliest(fit.layout, &fit.marks).map(|likely| likely.is_in_place())
}

/// Labels that could not be read, such as two small lines found as one: the line that begins where the label must stand.
pub(crate) fn by_place<'a>(layout: &'a Layout, page: &DeskewedPage, marks: &mut Vec<Mark<'a>>) {
    let Some(Likely { lie, .. }) = likeliest(layout, marks).filter(Likely::is_in_place) else {
        return;
    };
    for (name, label) in &layout.label {
        let Some(at) = label.at.filter(|_| marks.iter().all(|mark| mark.name != name)) else {
            continue;
        };
        let [x, y] = lie.expected(at);
        let off = |run: &Run| (run.left - x).abs().max((run.y - y).abs());
        let free = |index: &usize| marks.iter().all(|mark| mark.run != *index);
        let nearest = (0..page.runs.len())
            .filter(free)
            .min_by(|&a, &b| off(&page.runs[a]).total_cmp(&off(&page.runs[b])));
        let Some(index) = nearest.filter(|&index| off(&page.runs[index]) < NEAR_PLACE * lie.mean_scale()) else {
            continue;
        };
        let run = &page.runs[index];
        marks.push(Mark {
            name,
            run: index,
            from: 0,
            to: run.glyphs.len(),
            left: run.left,
            right: run.right,
            y: run.y,
        });
    }
}

/// The labels of a layout where they stand; those that allow no error first, then the longest, and no letter belongs to two.
fn marks<'a>(layout: &'a Layout, page: &DeskewedPage, folded: &[Folded]) -> Vec<Mark<'a>> {
    let mut found: Vec<((bool, usize), Mark<'a>)> = Vec::new();
    for (name, label) in &layout.label {
        for text in &label.folded {
            for (run, letters) in folded.iter().enumerate() {
                for (from, to) in places(letters, text, label) {
                    let glyphs = &page.runs[run].glyphs;
                    let (first, last) = (letters.from[from], letters.from[to - 1]);
                    let half = page.runs[run].height * HALF_LETTER;
                    let mark = Mark {
                        name,
                        run,
                        from: first,
                        to: last + 1,
                        left: glyphs[first].x - half,
                        right: glyphs[last].x + half,
                        y: glyphs[first].y,
                    };
                    found.push(((label.exact, text.len()), mark));
                }
            }
        }
    }
    found.sort_by_key(|(rank, mark)| (std::cmp::Reverse(*rank), mark.run, mark.from));
    let mut marks: Vec<Mark<'a>> = Vec::new();
    for (_, mark) in found {
        let taken = |other: &Mark<'_>| other.run == mark.run && other.from < mark.to && mark.from < other.to;
        if !marks.iter().any(taken) {
            marks.push(mark);
        }
    }
    let is_wrong = |mark: &Mark<'_>| {
        is_no_item(mark, &marks, page)
            || is_in_address(mark, &marks, page)
            || is_value_of_name(mark, &marks, layout, page)
    };
    let wrong: Vec<bool> = marks.iter().map(is_wrong).collect();
    let mut wrong = wrong.into_iter();
    marks.retain(|_| wrong.next() != Some(true));
    settle_names(&mut marks, layout, page);
    marks.extend(glued(layout, page, folded, &marks));
    marks
}

/// Numbers of names that no space parts from them, `1MCALLISTER`, where the line above or below begins with a number, too.
fn glued<'a>(layout: &'a Layout, page: &DeskewedPage, folded: &[Folded], marks: &[Mark<'a>]) -> Vec<Mark<'a>> {
    let is_number = |mark: &Mark<'_>| mark.from == 0 && page.runs[mark.run].glyphs[0].symbol.is_ascii_digit();
    let mut found = Vec::new();
    for (name, label) in &layout.label {
        let is_missing = marks.iter().all(|mark| mark.name != name);
        for digit in label
            .numbers()
            .filter(|number| is_missing && matches!(number, ['1' | '2']))
        {
            for (index, (run, letters)) in page.runs.iter().zip(folded).enumerate() {
                let rest = letters.chars.get(1..).unwrap_or_default();
                let is_name = letters.chars.starts_with(digit)
                    && rest.len() > 1
                    && rest.iter().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | ','));
                let is_listed = marks.iter().filter(|mark| is_number(mark)).any(|mark| {
                    let other = &page.runs[mark.run];
                    let drop = run.drop_to(other).abs() / run.height;
                    NEXT_ITEM.contains(&drop) && (other.left - run.left).abs() < run.height * ALIGNED
                });
                if is_name && is_listed && marks.iter().all(|mark| mark.run != index) {
                    let glyph = &run.glyphs[letters.from[0]];
                    found.push(Mark {
                        name,
                        run: index,
                        from: letters.from[0],
                        to: letters.from[0] + 1,
                        left: run.left,
                        right: glyph.x + run.height * HALF_LETTER,
                        y: glyph.y,
                    });
                }
            }
        }
    }
    found
}

/// Whether a mark is a word of an address: it follows the number of a house and the name of its street, as `LN` in `465 ALDERWOOD LN`.
fn is_in_address(mark: &Mark<'_>, marks: &[Mark<'_>], page: &DeskewedPage) -> bool {
    let glyphs = &page.runs[mark.run].glyphs;
    let is_number = glyphs[mark.from].symbol.is_ascii_digit();
    let ends = marks
        .iter()
        .filter(|other| other.run == mark.run && other.to <= mark.from);
    let start = ends.map(|other| other.to).max().unwrap_or_default();
    let before: String = glyphs[start..mark.from].iter().map(|glyph| glyph.symbol).collect();
    let before = before.trim();
    let street = before.trim_start_matches(|c: char| c.is_ascii_digit());
    let words: Vec<&str> = street.split_whitespace().collect();
    let is_name = |(at, word): (usize, &&str)| {
        let letters = word.trim_end_matches(['.', ',']);
        // `12 OCT 1990` is a date, 465 MARINA LN is none.
        let year = words.get(at + 1).and_then(|next| next.chars().next());
        let is_month = || year.is_some_and(|c| c.is_ascii_digit()) && month_named(&fold::folded(letters)).is_some();
        letters.chars().count() >= LEAST_STREET && letters.chars().all(char::is_alphabetic) && !is_month()
    };
    !is_number && street.len() < before.len() && !street.contains(':') && words.iter().enumerate().any(is_name)
}

/// Whether a mark is a name that looks like a label: VALDEZ as VALIDEZ, KON as KØN. It is short or not spelt as the label is, and stands
/// where the value of a name's label must stand: below it, with nothing in between.
fn is_value_of_name(mark: &Mark<'_>, marks: &[Mark<'_>], layout: &Layout, page: &DeskewedPage) -> bool {
    let run = &page.runs[mark.run];
    let spelt: Vec<char> = text_of(mark, page).chars().filter(|c| !c.is_whitespace()).collect();
    let is_spelt = || {
        let label = layout.label.get(mark.name);
        label.is_some_and(|label| label.folded.contains(&spelt))
    };
    let has_number = || run.glyphs[mark.to..].iter().any(|glyph| glyph.symbol.is_ascii_digit());
    let is_certain = || has_number() || is_spelt() && (spelt.len() > SHORT || has_value(mark, marks, page));
    let is_word = mark.from == 0 && spelt.iter().all(|c| c.is_alphabetic());
    if !is_word || is_name_label(mark) || is_certain() {
        return false;
    }
    marks.iter().any(|name| {
        let label = &page.runs[name.run];
        let height = label.height.max(run.height);
        let is_below =
            |other: &Run| BELOW.contains(&(label.drop_to(other) / height)) && (other.left - name.left).abs() < height;
        let is_nearest = || {
            let nearer = |other: &Run| is_below(other) && other.y < run.y - run.height * NEXT_ROW;
            !page.runs.iter().any(nearer)
        };
        let is_first = marks
            .iter()
            .all(|other| other.run != name.run || other.from >= name.from);
        is_name_label(name)
            && name.name != mark.name
            && is_first
            && is_below(run)
            && is_nearest()
            && !has_value(name, marks, page)
    })
}

/// Whether text follows a label and all others of its line, or stands beside it.
fn has_value(mark: &Mark<'_>, marks: &[Mark<'_>], page: &DeskewedPage) -> bool {
    let run = &page.runs[mark.run];
    let ends = marks.iter().filter(|other| other.run == mark.run).map(|other| other.to);
    let rest = &run.glyphs[ends.max().unwrap_or_default()..];
    let beside = page.right_of(run, run.right);
    let is_near = |next: &&Run| next.left - run.right < NEAR_VALUE * run.height.max(next.height);
    rest.iter().any(|glyph| glyph.symbol.is_alphanumeric()) || beside.first().is_some_and(is_near)
}

/// Whether a mark is the label of a surname or of given names.
fn is_name_label(mark: &Mark<'_>) -> bool {
    ["surname", "given"].contains(&mark.name)
}

/// The text of a mark, folded.
fn text_of(mark: &Mark<'_>, page: &DeskewedPage) -> String {
    let glyphs = &page.runs[mark.run].glyphs[mark.from..mark.to];
    fold::folded(&glyphs.iter().map(|glyph| glyph.symbol).collect::<String>())
}

/// A label that is a surname in one language and a given name in another, `Name`, means what the label beside it means, as in `Nome / Name` and
/// `Name / Surname`; beside no other, it means what the card has no other label for. The only label of a name, `NOMBRE`, is that of the whole name.
fn settle_names<'a>(marks: &mut [Mark<'a>], layout: &'a Layout, page: &DeskewedPage) {
    let is_ambiguous = |mark: &Mark<'_>| text_of(mark, page) == AMBIGUOUS;
    let is_beside = |a: &Mark<'_>, b: &Mark<'_>| {
        let (run, other) = (&page.runs[a.run], &page.runs[b.run]);
        if a.run != b.run {
            let gap = b.left - a.right;
            return page.same_row(run, other) && gap > 0.0 && gap < run.height.max(other.height) * NEXT_WORD;
        }
        let between = run.glyphs.get(a.to..b.from);
        between.is_some_and(|between| {
            between.iter().any(|glyph| glyph.symbol == '/')
                && between
                    .iter()
                    .all(|glyph| glyph.symbol == '/' || glyph.symbol.is_whitespace())
        })
    };
    let key = |name: &str| layout.label.get_key_value(name).map(|(name, _)| name.as_str());
    let is_given_or_whole = |mark: &Mark<'_>| GIVEN_OR_WHOLE.contains(&text_of(mark, page).as_str());
    // `Nome / Name` by itself is that of the whole name, too.
    let is_whole = key(WHOLE_NAME).is_some()
        && marks
            .iter()
            .filter(|mark| is_name_label(mark))
            .all(|mark| is_given_or_whole(mark) || is_ambiguous(mark));
    let meaning = |mark: &Mark<'a>| {
        let clear = marks
            .iter()
            .filter(|other| is_name_label(other) && !is_ambiguous(other));
        let beside = clear
            .clone()
            .find(|other| is_beside(other, mark) || is_beside(mark, other));
        let is_labelled = |name: &str| clear.clone().any(|other| other.name == name);
        match beside {
            Some(other) => Some(other.name),
            None if clear.clone().next().is_none() => key(WHOLE_NAME),
            None if !is_labelled("given") => key("given"),
            None => key("surname"),
        }
    };
    let settled: Vec<Option<&'a str>> = marks
        .iter()
        .map(|mark| {
            if !is_name_label(mark) {
                None
            } else if is_whole {
                key(WHOLE_NAME)
            } else if is_ambiguous(mark) {
                meaning(mark)
            } else {
                None
            }
        })
        .collect();
    for (mark, name) in marks.iter_mut().zip(settled) {
        mark.name = name.unwrap_or(mark.name);
    }
}

/// Whether the whole name has a label that is one of given names beside surnames, whose own label may not have been read. Where a layout calls the
/// whole name so, it is certain.
pub(crate) fn may_be_given(fit: &Fit<'_>, page: &DeskewedPage) -> bool {
    let labels = fit.marks.iter().filter(|mark| mark.name == WHOLE_NAME);
    let own = fit.layout.label.get(WHOLE_NAME);
    labels.map(|mark| text_of(mark, page)).any(|text| {
        let letters: Vec<char> = text.chars().collect();
        GIVEN_OR_WHOLE.contains(&text.as_str()) && own.is_some_and(|label| !label.folded.contains(&letters))
    })
}

/// Whether nothing on the page says that its issuer writes the month first, as the layout has it.
pub(crate) fn may_be_day_first(fit: &Fit<'_>) -> bool {
    let tell = &fit.layout.month_first_with;
    let tells = |mark: &Mark<'_>| tell.iter().any(|name| name == mark.name);
    !tell.is_empty() && !fit.marks.iter().any(tells)
}

/// Where a label's text stands in a line.
fn places(line: &Folded, text: &[char], label: &Label) -> Vec<(usize, usize)> {
    if let Some(number) = number(text) {
        return numbered(line, number).into_iter().collect();
    }
    let errors = if label.exact { 0 } else { errors(text) };
    let mut found = Vec::new();
    let mut from = 0;
    while from < line.chars.len() {
        match nearly_at(&line.chars, from, text, errors).filter(|&to| stands_free(line, text, from, to, label)) {
            Some(to) => {
                found.push((from, to));
                from = to;
            }
            None => from += 1,
        }
    }
    found
}

fn errors(text: &[char]) -> usize {
    let latin = text.iter().all(|&c| fold::is_latin(c));
    let letters = if latin {
        LETTERS_PER_ERROR.1
    } else {
        LETTERS_PER_ERROR.0
    };
    (text.len() / letters).min(2)
}

/// Where a text that begins here ends, with at most this many letters wrong, missing or too many.
fn nearly_at(line: &[char], from: usize, text: &[char], errors: usize) -> Option<usize> {
    if line[from..].starts_with(text) {
        return Some(from + text.len());
    }
    // The first letter is right, or else the place is another.
    if errors == 0 || line.get(from) != text.first() && line.get(from + 1) != text.get(1) {
        return None;
    }
    let lengths = text.len().saturating_sub(errors)..=text.len() + errors;
    let candidates = lengths.filter_map(|length| Some((edit_distance(line.get(from..from + length)?, text), length)));
    let (least, length) = candidates.min()?;
    (least <= errors).then_some(from + length)
}

/// Words in Latin letters are not parts of other words; kanji may be followed by a value at once, but one kanji stands alone.
fn stands_free(line: &Folded, text: &[char], from: usize, to: usize, label: &Label) -> bool {
    let next = line.chars.get(to);
    let (first, last) = (
        text.first().is_some_and(char::is_ascii),
        text.last().is_some_and(char::is_ascii),
    );
    // Of `DL N9676437` and `DLN O216-423`, the last letter is the number's, although `DL N` and `DL NO` are labels.
    let last_word = (from + 1..to).rev().find(|&at| line.apart[at]);
    let is_glued = next.is_some_and(char::is_ascii_digit) && !line.apart[to];
    if is_glued && last_word.is_some_and(|at| to - at == 1) {
        return false;
    }
    let before = from == 0
        || line.apart[from]
        || !line.chars[from - 1].is_ascii_alphanumeric()
        || is_behind_other_language(line, from, label);
    let after = next.is_none_or(|c| line.apart[to] || !c.is_ascii_alphabetic() && *c != '.' || c.is_ascii_digit())
        || is_before_other_language(line, to, label);
    let stop = next.is_some_and(|c| !c.is_alphanumeric());
    let whole = from == 0 && (next.is_none() || stop && to + 1 == line.chars.len());
    let single = text.len() == 1 && !first;
    if (single || label.alone) && !whole {
        return false;
    }
    (!first || before) && (!last || after || stop || is_before_value(line, to, label))
}

/// What the stroke between two languages of a label is read as, folded: `PLECISEX`.
const STROKES: [char; 6] = ['I', 'L', '1', '7', 'J', '|'];

/// Whether the label in another language ends here, before a stroke that was misread or missed.
fn is_behind_other_language(line: &Folded, from: usize, label: &Label) -> bool {
    let before = &line.chars[..from];
    let ends = |before: &[char]| label.folded.iter().any(|text| text.len() > 1 && before.ends_with(text));
    let stroke = before.split_last().filter(|(stroke, _)| STROKES.contains(stroke));
    ends(before) || stroke.is_some_and(|(_, before)| ends(before))
}

/// Whether the label in another language is here, after a slash that was misread or missed.
fn is_before_other_language(line: &Folded, to: usize, label: &Label) -> bool {
    let after = &line.chars[to..];
    let begins = |after: &[char]| {
        label
            .folded
            .iter()
            .any(|text| text.len() > 1 && after.starts_with(text))
    };
    let stroke = after.split_first().filter(|(stroke, _)| STROKES.contains(stroke));
    begins(after) || stroke.is_some_and(|(_, after)| begins(after))
}

/// Whether the word continues from here with one of the values that are printed close to a label, and ends with it.
fn is_before_value(line: &Folded, at: usize, label: &Label) -> bool {
    label.glued.iter().any(|value| {
        let to = at + value.len();
        let ends = || {
            line.chars
                .get(to)
                .is_none_or(|c| line.apart[to] || !c.is_alphanumeric())
        };
        line.chars
            .get(at..to)
            .is_some_and(|rest| rest.iter().copied().eq(value.chars()))
            && ends()
    })
}

/// A number that stands before an item, such as `4a.`: at the beginning of a line or apart, followed by a stop or a space. In the middle of a line
/// digits without a stop are those of a house or a flat.
fn numbered(line: &Folded, number: &[char]) -> Option<(usize, usize)> {
    let ends_in_letter = number.last().is_some_and(char::is_ascii_alphabetic);
    (0..line.chars.len()).find_map(|from| {
        let to = from + number.len();
        if line.chars.get(from..to)? != number || !line.apart[from] {
            return None;
        }
        let may_lack_stop = from == 0 || ends_in_letter;
        match line.chars.get(to) {
            Some('.' | ':' | ')') => Some((from, to + 1)),
            Some(',') if may_lack_stop => Some((from, to + 1)),
            None if may_lack_stop => Some((from, to)),
            // `4a12.03.2020` is an item and its value, `1952/03/26` is no item 19.
            Some(c) if may_lack_stop && line.apart[to] || ends_in_letter && c.is_ascii_digit() => Some((from, to)),
            _ => None,
        }
    })
}

/// Whether the digits of a mark are those of a house, `1 OAK AVENUE`, or the end of a number that was found as a line of its own: they have no
/// stop, and stand below the number of a later item, or close behind other text.
fn is_no_item(mark: &Mark<'_>, marks: &[Mark<'_>], page: &DeskewedPage) -> bool {
    let value = |mark: &Mark<'_>| -> Option<u32> {
        let glyphs = &page.runs[mark.run].glyphs[mark.from..mark.to];
        let digits: String = glyphs.iter().map(|glyph| glyph.symbol).collect();
        digits.parse().ok()
    };
    let Some(own) = value(mark) else { return false };
    let run = &page.runs[mark.run];
    let below_later = marks.iter().any(|other| {
        let aligned = (other.left - mark.left).abs() < SAME_COLUMN * run.height;
        value(other).is_some_and(|later| later > own) && aligned && other.y < mark.y - run.height * BELOW_ITEM
    });
    let behind = page.runs.iter().any(|other| {
        let gap = run.left - other.right;
        page.same_row(run, other) && other.left < run.left && gap < BEHIND_TEXT * run.height
    });
    below_later || mark.from == 0 && behind
}
