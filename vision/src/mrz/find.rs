//! Which lines of a page are a machine-readable zone, and of which format; read again with a common left and right edge.

use super::{check, country, fillers, format, states, viterbi};
use crate::model::ModelError;
use crate::raster::Raster;
use crate::text::{Area, Lattice, Line, Reader, Spacing};
use domain::decision::READING_LIMIT;
use domain::findings::MrzFormat;
use std::ops::Range;

/// Where a line of the zone stands, and what was read there freely: each symbol and its middle along the line, from 0 to 1; and how
/// likely every symbol is along the line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) area: Area,
    pub(crate) symbols: Vec<(char, f32)>,
    pub(crate) lattice: Lattice,
}

impl Row {
    fn of(line: &Line) -> Self {
        let read = line.symbols.iter().filter(|read| !read.symbol.is_whitespace());
        Self {
            area: line.area,
            symbols: read.map(|read| (bare(read.symbol), read.at)).collect(),
            lattice: line.lattice.clone(),
        }
    }
}

/// A zone and how well it reads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Zone {
    pub(crate) format: MrzFormat,
    pub(crate) lines: Vec<String>,
    /// What the recogniser read without any constraint, line by line.
    pub(crate) free: Vec<String>,
    /// Where the lines stand.
    pub(crate) rows: Vec<Row>,
    /// Mean log-probability per symbol.
    pub(crate) log_probability: f32,
    pub(crate) passed: usize,
    pub(crate) total: usize,
}

/// Readings less likely than this are noise.
const NOISE: f32 = -3.0;
/// A first reading this likely with all check digits right is not looked at again.
const CLEAR: f32 = -0.4;
/// Symbols this likely stay what they are, whatever the check digits say: some specimens have wrong ones.
const CERTAIN: f32 = -0.04;
/// Symbols of the shortest line that is one of a zone by itself; the shortest of all, of TD1, has 30 (ICAO 9303-5), of which
/// the detector may have cut some off.
const LEAST_SYMBOLS: usize = 20;
/// Likeness to a zone's line from which a line is one.
const LIKE_A_ZONE: f32 = 0.85;
/// Symbols of the shortest piece of a line of which the rest was found apart, or not at all.
const LEAST_OF_A_PIECE: usize = 8;
/// Likeness from which such a piece belongs to the zone: it has fewer symbols to be judged by.
const PIECE_LIKE_A_ZONE: f32 = 0.9;
/// Length over height of a zone's line, at least.
const FLAT: f32 = 8.0;

/// In half heights of the longest line, as the next three: what is read beyond the ends of the lines, since the detector cuts thin symbols off.
const BEYOND_ENDS: f32 = 0.55;
/// How far above or below it another line of the zone is, at most.
const REACH: f32 = 9.0;
/// Half the width of a piece of a line, at least.
const LEAST_WIDTH: f32 = 3.0;
/// How far apart two lines are, at least.
const APART: f32 = 0.9;
/// The least and the greatest height at which a line is read again, over that of the longest line.
const READ_HEIGHTS: [f32; 2] = [0.9, 1.15];
/// The height of a piece over that of the longest line.
const LIKE_THE_LONGEST: Range<f32> = 0.6..1.7;
/// A line keeps a slope of its own if it differs from that of the longest by less, in radians: a short piece has none.
const OWN_SLOPE: f32 = 0.06;

/// What a recogniser that knows Chinese and French reads a filler as.
const FILLERS: [char; 6] = ['<', '«', '‹', 'く', '〈', '《'];

impl Zone {
    /// Likelihood and check digits in one number: all digits right weigh as much as a quarter of a log-probability.
    fn score(&self) -> f32 {
        self.log_probability * 4.0 + self.passed as f32 / self.total as f32
    }

    /// Whether it says what stands there, rather than what its format forced it to say.
    pub(crate) fn is_legible(&self) -> bool {
        f64::from(self.log_probability) >= READING_LIMIT
    }

    fn is_clear(&self) -> bool {
        self.passed == self.total && self.log_probability > CLEAR
    }
}

/// The zone of a page, if there is one. Where it does not read clearly, it is read again up to `again` times.
pub(crate) fn find(
    reader: &Reader,
    picture: &Raster,
    lines: &[Line],
    again: usize,
) -> Result<Option<Zone>, ModelError> {
    let first = decode(lines);
    if first.as_ref().is_some_and(Zone::is_clear) {
        return Ok(first);
    }
    let mut best = first;
    for height in STRETCHED_HEIGHTS.into_iter().take(again) {
        let again = decode(&stretched(reader, picture, lines, height)?);
        if let Some(again) = again
            && best.as_ref().is_none_or(|b| again.score() >= b.score())
        {
            best = Some(again);
        }
        if best
            .as_ref()
            .is_none_or(|b| b.passed == b.total || b.log_probability > CERTAIN)
        {
            break;
        }
    }
    Ok(best)
}

/// How much of a line's height is read again, first as found, then a little more and a little less.
const STRETCHED_HEIGHTS: [f32; 3] = [1.0, 1.15, 0.88];

/// The best reading of neighbouring lines in any format.
fn decode(lines: &[Line]) -> Option<Zone> {
    let mut candidates: Vec<&Line> = lines.iter().filter(|line| is_candidate(line)).collect();
    candidates.sort_by(|a, b| {
        a.area
            .in_frame_of(a.area.angle)
            .1
            .total_cmp(&b.area.in_frame_of(b.area.angle).1)
    });
    let mut best: Option<(Zone, &[&Line])> = None;
    for &format in MrzFormat::ALL {
        for window in candidates.windows(format::dimensions(format).0) {
            if let Some(zone) = decode_as(format, window)
                && best.as_ref().is_none_or(|(best, _)| zone.score() > best.score())
            {
                best = Some((zone, window));
            }
        }
    }
    let (mut zone, window) = best.filter(|(zone, _)| zone.log_probability > NOISE)?;
    for (index, line) in window.iter().enumerate() {
        if let Some(printed) = states::as_printed(zone.format, index, &line.lattice, &zone.lines[index]) {
            zone.lines[index] = printed;
        }
    }
    Some(zone)
}

fn decode_as(format: MrzFormat, window: &[&Line]) -> Option<Zone> {
    let mut lines: Vec<String> = Vec::with_capacity(window.len());
    let mut sum = 0.0;
    for line in window {
        let (text, log) = decode_line(format, &lines, line)?;
        lines.push(text);
        sum += log;
    }
    let checks = check::results(format, &lines);
    let passed = checks.iter().filter(|(_, holds)| *holds).count();
    let begins = |letter: char| window.first().is_some_and(|line| plain(&line.text).starts_with(letter));
    match format {
        MrzFormat::License if !is_license(&lines, window, &checks) => return None,
        // A passport's line, shifted by one symbol, is likely enough as that of a visa.
        MrzFormat::MrvA | MrzFormat::MrvB if !begins('V') => return None,
        MrzFormat::France if !lines[0].starts_with("IDFRA") => return None,
        // Labels in capitals, `NUMER DOWODU / CARD NUMBER`, can be forced into a zone as well. A real one has fillers behind the names (ICAO 9303-3, 4.6).
        MrzFormat::Td1 | MrzFormat::Td2 | MrzFormat::Td3 if passed * 2 < checks.len() && !has_fillers(window) => {
            return None;
        }
        _ => {}
    }
    Some(Zone {
        format,
        free: window.iter().map(|line| plain(&line.text)).collect(),
        rows: window.iter().map(|line| Row::of(line)).collect(),
        log_probability: sum / window.len() as f32,
        passed,
        total: checks.len(),
        lines,
    })
}

/// Whether any filler is seen in some lines when they are read freely.
fn has_fillers(window: &[&Line]) -> bool {
    window.iter().any(|line| plain(&line.text).contains('<'))
}

/// The likeliest text of one line in a format, behind the lines above it.
fn decode_line(format: MrzFormat, above: &[String], line: &Line) -> Option<(String, f32)> {
    let index = above.len();
    let state = above.first().and_then(|first| first.get(2..5));
    let issuer = state.filter(|_| format == MrzFormat::Td1 && index == 1);
    let own = issuer.and_then(format::of_card);
    let classes = own.unwrap_or_else(|| format::classes(format, index));
    let read = viterbi::decode(&line.lattice, &classes)?;
    if format == MrzFormat::License {
        // A state's own rule tells an O from a zero.
        let narrower = read.0.get(2..5).and_then(format::of_state);
        let again = narrower.and_then(|classes| viterbi::decode(&line.lattice, &classes));
        return Some(again.unwrap_or(read));
    }
    Some(match format.names(index) {
        Some(names) => fillers::filled(&line.lattice, &classes, names, read),
        None => read,
    })
}

/// Whether one line may stand for a whole zone: any line of 30 symbols can be forced into a licence's form, so it must begin
/// like one when read freely, name a state, and keep its check digits.
fn is_license(lines: &[String], window: &[&Line], checks: &[(check::Guarded, bool)]) -> bool {
    let begins = window.iter().all(|line| plain(&line.text).starts_with('D'));
    let state = lines.first().and_then(|line| line.get(2..5)).and_then(country::alpha3);
    begins && state.is_some() && checks.iter().all(|(_, holds)| *holds)
}

/// A free reading with every sort of filler as `<` and without spaces.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).map(bare).collect()
}

/// A symbol, every sort of filler as `<`.
fn bare(symbol: char) -> char {
    if FILLERS.contains(&symbol) { '<' } else { symbol }
}

/// Whether a line looks like part of a zone: long, flat, and of its symbols.
pub(crate) fn is_candidate(line: &Line) -> bool {
    likeness(&line.text, LEAST_SYMBOLS) > LIKE_A_ZONE && is_flat(&line.area)
}

/// Whether an area has the shape of a zone's line. The shortest, 30 symbols, is 15 times as long as high when cut out narrowly.
pub(crate) fn is_flat(area: &Area) -> bool {
    area.half_width / area.half_height > FLAT
}

/// Share of symbols a zone may have, and a little more for fillers; 0 for a line shorter than `least`.
fn likeness(text: &str, least: usize) -> f32 {
    let text = plain(text);
    let count = text.chars().count();
    if count < least {
        return 0.0;
    }
    let fitting = text
        .chars()
        .filter(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '<')
        .count();
    let fillers = text.chars().filter(|c| *c == '<').count();
    fitting as f32 / count as f32 + (fillers as f32 / 10.0).min(0.5)
}

/// The lines of a zone share their edges: every candidate, and every short line level with them, is read again from the
/// leftmost to the rightmost edge. The detector tends to cut a thin leading `I` and to split long runs of fillers.
fn stretched(reader: &Reader, picture: &Raster, lines: &[Line], height: f32) -> Result<Vec<Line>, ModelError> {
    let candidates: Vec<&Line> = lines.iter().filter(|line| is_candidate(line)).collect();
    let Some(lead) = candidates
        .iter()
        .max_by(|a, b| a.area.half_width.total_cmp(&b.area.half_width))
    else {
        return Ok(Vec::new());
    };
    let lead = lead.area;
    let place = |line: &Line| {
        let (u, v) = line.area.in_frame_of(lead.angle);
        (u - line.area.half_width, u + line.area.half_width, v)
    };
    let margin = lead.half_height * BEYOND_ENDS;
    let left = candidates.iter().map(|line| place(line).0).fold(f32::MAX, f32::min) - margin;
    let right = candidates.iter().map(|line| place(line).1).fold(f32::MIN, f32::max) + margin;
    let mut rows = candidates.clone();
    for line in lines {
        let (from, to, level) = place(line);
        let near = (level - place_level(&lead)).abs() < lead.half_height * REACH && to > left && from < right;
        let alike = LIKE_THE_LONGEST.contains(&(line.area.half_height / lead.half_height))
            && line.area.half_width > lead.half_height * LEAST_WIDTH;
        let apart = rows
            .iter()
            .all(|row| (place(row).2 - level).abs() > lead.half_height * APART);
        let is_piece = || line.text.contains('<') && likeness(&line.text, LEAST_OF_A_PIECE) > PIECE_LIKE_A_ZONE;
        if near && alike && apart && is_piece() {
            rows.push(line);
        }
    }
    rows.sort_by(|a, b| place(a).2.total_cmp(&place(b).2));
    let stretch = |row: &&Line| {
        // Each line keeps its own slope about its own centre, unless it is too short to have one.
        let angle = if (row.area.angle - lead.angle).abs() < OWN_SLOPE {
            row.area.angle
        } else {
            lead.angle
        };
        let shift = f32::midpoint(left, right) - row.area.in_frame_of(lead.angle).0;
        let [least, most] = READ_HEIGHTS.map(|share| lead.half_height * share);
        let half_height = row.area.half_height.clamp(least, most) * height;
        let (x, y) = (row.area.x + shift * angle.cos(), row.area.y + shift * angle.sin());
        reader.line(
            picture,
            Area {
                x,
                y,
                half_width: (right - left) / 2.0,
                half_height,
                angle,
            },
            Spacing::AsPrinted,
        )
    };
    rows.iter().map(stretch).collect()
}

fn place_level(area: &Area) -> f32 {
    area.in_frame_of(area.angle).1
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::mrz::viterbi::tests::{hesitating, lattice_of};

    /// A passport's zone that was read as these lines from these lattices.
    pub(crate) fn zone_of(lines: &[(&str, Lattice)]) -> Zone {
        let row = |lattice: &Lattice| Row {
            area: line("", 0.0).area,
            symbols: Vec::new(),
            lattice: lattice.clone(),
        };
        Zone {
            format: MrzFormat::Td3,
            lines: lines.iter().map(|(text, _)| (*text).to_owned()).collect(),
            free: Vec::new(),
            rows: lines.iter().map(|(_, lattice)| row(lattice)).collect(),
            log_probability: -0.1,
            passed: 5,
            total: 5,
        }
    }

    fn line(text: &str, y: f32) -> Line {
        let area = Area {
            x: 500.0,
            y,
            half_width: 400.0,
            half_height: 12.0,
            angle: 0.0,
        };
        Line {
            area,
            text: text.to_owned(),
            confidence: 0.9,
            lattice: lattice_of(text, 0.97),
            symbols: Vec::new(),
        }
    }

    #[test]
    fn each_format_is_told_from_the_others() {
        let examples = [
            (
                MrzFormat::Td3,
                "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<|L898902C36UTO7408122F1204159ZE184226B<<<<<10",
            ),
            (
                MrzFormat::Td1,
                "I<UTOD231458907<<<<<<<<<<<<<<<|7408122F1204159UTO<<<<<<<<<<<6|ERIKSSON<<ANNA<MARIA<<<<<<<<<<",
            ),
            (
                MrzFormat::Td2,
                "I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<|D231458907UTO7408122F1204159<<<<<<<6",
            ),
            (
                MrzFormat::MrvA,
                "V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<|L8988901C4XXX4009078F96121096ZE184226B<<<<<<",
            ),
            (
                MrzFormat::France,
                "IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<|8806923102858CORINNE<<<<<<<6512068F6",
            ),
            (MrzFormat::License, "D1FRA13AA000026181231MARTIN<<9"),
        ];
        for (format, text) in examples {
            let mut lines = vec![line("REPUBLIC<OF<UTOPIA<PASSPORT", 100.0)];
            lines.extend(
                text.split('|')
                    .enumerate()
                    .map(|(i, l)| line(l, 600.0 + i as f32 * 40.0)),
            );
            let zone = decode(&lines).unwrap();
            assert_eq!(
                (zone.format, zone.lines.join("|"), zone.passed == zone.total),
                (format, text.to_owned(), true)
            );
        }
    }

    #[test]
    fn labels_in_capitals_are_no_zone() {
        let labels = [
            "APLECISEXTERMINWAZNOSCIEXPIRYDATEABC",
            "NUMERDOWODUKARTY06460100M8868011CARD0",
        ];
        let lines: Vec<Line> = (0..)
            .zip(labels)
            .map(|(at, text)| line(&text[..36], 600.0 + 40.0 * at as f32))
            .collect();
        assert!(decode(&lines).is_none());
    }

    #[test]
    fn the_rule_of_its_state_tells_an_o_from_a_zero_on_a_licence() {
        let (seen, printed) = ("D1FRA13AAOOO026181231MARTIN<<9", "D1FRA13AA000026181231MARTIN<<9");
        let hesitant = Line {
            lattice: hesitating(seen, printed, 9, 0.6, 0.3),
            ..line(seen, 600.0)
        };
        let zone = decode(&[hesitant]).unwrap();
        assert_eq!(
            (zone.format, zone.lines),
            (MrzFormat::License, vec![printed.to_owned()])
        );
    }

    #[test]
    fn an_m_that_looks_like_an_h_is_an_m_unless_the_card_is_mexican() {
        let sex = |first: &str| {
            let (seen, printed) = ("7408122H1204159UTO<<<<<<<<<<<6", "7408122M1204159UTO<<<<<<<<<<<6");
            let hesitant = Line {
                lattice: hesitating(seen, printed, 7, 0.5, 0.45),
                ..line(seen, 640.0)
            };
            let names = line("ERIKSSON<<ANNA<MARIA<<<<<<<<<<", 680.0);
            let zone = decode(&[line(first, 600.0), hesitant, names]).unwrap();
            assert_eq!(zone.format, MrzFormat::Td1, "{first}");
            zone.lines[1][7..8].to_owned()
        };
        assert_eq!(sex("I<D<<D231458907<<<<<<<<<<<<<<<"), "M");
        assert_eq!(sex("I<MEXD231458907<<<<<<<<<<<<<<<"), "H");
    }

    #[test]
    fn a_line_is_not_forced_into_a_licences_form() {
        for text in [
            "D1FRA13AA000026181231MARTIN<<8",
            "I<UTOD231458907<<<<<<<<<<<<<<<",
            "D1XXX13AA000026181231MARTIN<<1",
        ] {
            let zone = decode(&[line(text, 600.0)]);
            assert!(zone.is_none_or(|zone| zone.format != MrzFormat::License), "{text}");
        }
    }

    #[test]
    fn ordinary_text_is_no_zone() {
        assert!(decode(&[line("THEQUICKBROWNFOX", 1.0), line("JUMPSOVERTHELAZYDOG", 2.0)]).is_none());
        assert!(likeness("Date of birth / Date de naissance", 20) < 0.85);
    }
}
