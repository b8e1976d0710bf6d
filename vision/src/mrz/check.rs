//! Check digits (ICAO 9303-3 section 4.9) and which places each of them covers.

use domain::findings::MrzFormat;

/// What a check digit protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Guarded {
    DocumentNumber,
    BirthDate,
    ExpiryDate,
    Optional,
    Composite,
}

/// The check digit of some symbols: weights 7, 3, 1; letters count from 10, the filler 0.
pub(crate) fn digit(symbols: &str) -> u32 {
    let value = |symbol: u8| match symbol {
        b'0'..=b'9' => u32::from(symbol - b'0'),
        b'A'..=b'Z' => u32::from(symbol - b'A') + 10,
        _ => 0,
    };
    symbols
        .bytes()
        .zip([7, 3, 1].into_iter().cycle())
        .map(|(symbol, weight)| value(symbol) * weight)
        .sum::<u32>()
        % 10
}

/// Each check digit of a zone and whether it holds. The lines must have the format's number and length.
pub(crate) fn results(format: MrzFormat, lines: &[String]) -> Vec<(Guarded, bool)> {
    let zone = Zone(lines);
    match format {
        MrzFormat::Td1 => of_card(zone),
        MrzFormat::License => of_license(zone),
        MrzFormat::France => of_french_card(zone),
        MrzFormat::Td2 | MrzFormat::Td3 | MrzFormat::MrvA | MrzFormat::MrvB => of_page(format, zone),
    }
}

/// The lines of a zone.
#[derive(Clone, Copy)]
struct Zone<'a>(&'a [String]);

impl<'a> Zone<'a> {
    /// Nothing where the line is missing or too short.
    fn part(self, line: usize, from: usize, to: usize) -> &'a str {
        let line = self.0.get(line).and_then(|l| l.get(from..to));
        line.unwrap_or_default()
    }
}

fn holds(covered: &str, check: &str) -> bool {
    match check.as_bytes() {
        [b'<'] => digit(covered) == 0,
        &[c] if c.is_ascii_digit() => digit(covered) == u32::from(c - b'0'),
        _ => false,
    }
}

/// Whether the check digit is correct for a number that may continue in the optional element.
fn holds_long(first: &str, check: &str, optional: &str, counts_filler: bool) -> bool {
    let (number, check) = long_number(first, check, optional);
    let rest = number.get(first.len()..).filter(|rest| !rest.is_empty());
    holds(&number, check) || (counts_filler && rest.is_some_and(|rest| holds(&format!("{first}<{rest}"), check)))
}

fn of_card(zone: Zone<'_>) -> Vec<(Guarded, bool)> {
    let part = |line, from, to| zone.part(line, from, to);
    // The standard leaves the filler in the place of the check digit out. Portugal counts it, and Belgium did on its former cards, but not on those
    // since: in the PRADO register of the Council of the European Union, BEL-BO-03003 has `000590240<6013` and BEL-BO-11005 `600001795<0152`.
    let counts_filler = matches!(part(0, 2, 5), "PRT" | "BEL");
    let holds_number = holds_long(part(0, 5, 14), part(0, 14, 15), part(0, 15, 30), counts_filler);
    let composite = [part(0, 5, 30), part(1, 0, 7), part(1, 8, 15), part(1, 18, 29)].concat();
    vec![
        (Guarded::DocumentNumber, holds_number),
        (Guarded::BirthDate, holds(part(1, 0, 6), part(1, 6, 7))),
        (Guarded::ExpiryDate, holds(part(1, 8, 14), part(1, 14, 15))),
        (Guarded::Composite, holds(&composite, part(1, 29, 30))),
    ]
}

fn of_license(zone: Zone<'_>) -> Vec<(Guarded, bool)> {
    let part = |from, to| zone.part(0, from, to);
    let mut found = vec![(Guarded::Composite, holds(part(0, 29), part(29, 30)))];
    if part(2, 5) == "FRA" {
        // The French number's digit covers what stands before the number too.
        found.push((Guarded::DocumentNumber, holds(part(0, 14), part(14, 15))));
    }
    found
}

/// Of the French identity card of 1988 to 2021.
fn of_french_card(zone: Zone<'_>) -> Vec<(Guarded, bool)> {
    let whole = [zone.part(0, 0, 36), zone.part(1, 0, 35)].concat();
    let part = |from, to| zone.part(1, from, to);
    vec![
        (Guarded::DocumentNumber, holds(part(0, 12), part(12, 13))),
        (Guarded::BirthDate, holds(part(27, 33), part(33, 34))),
        (Guarded::Composite, holds(&whole, part(35, 36))),
    ]
}

/// Of the formats with two lines, whose check digits are all in the second.
fn of_page(format: MrzFormat, zone: Zone<'_>) -> Vec<(Guarded, bool)> {
    let part = |from, to| zone.part(1, from, to);
    let mut found = vec![
        (Guarded::BirthDate, holds(part(13, 19), part(19, 20))),
        (Guarded::ExpiryDate, holds(part(21, 27), part(27, 28))),
    ];
    let composite = |to| [part(0, 10), part(13, 20), part(21, to)].concat();
    match format {
        MrzFormat::Td3 => {
            found.push((Guarded::DocumentNumber, holds(part(0, 9), part(9, 10))));
            found.push((Guarded::Optional, holds(part(28, 42), part(42, 43))));
            found.push((Guarded::Composite, holds(&composite(43), part(43, 44))));
        }
        MrzFormat::Td2 => {
            let holds_number = holds_long(part(0, 9), part(9, 10), part(28, 35), false);
            found.push((Guarded::DocumentNumber, holds_number));
            found.push((Guarded::Composite, holds(&composite(35), part(35, 36))));
        }
        MrzFormat::MrvA | MrzFormat::MrvB | MrzFormat::Td1 | MrzFormat::France | MrzFormat::License => {
            found.push((Guarded::DocumentNumber, holds(part(0, 9), part(9, 10))));
        }
    }
    found
}

/// A number of more than nine places continues in the optional element, with the filler in place of its check digit, and
/// its check digit last (ICAO 9303-5 note j). Returns the whole number as it is checked, and the check digit.
pub(crate) fn long_number<'a>(first: &'a str, check: &'a str, optional: &'a str) -> (String, &'a str) {
    let more = optional.split('<').next().unwrap_or_default();
    if check != "<" || more.len() < 2 {
        return (first.to_owned(), check);
    }
    let (rest, last) = more.split_at(more.len() - 1);
    (format!("{first}{rest}"), last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str) -> Vec<String> {
        text.split('|').map(str::to_owned).collect()
    }

    /// The worked examples of ICAO 9303 parts 4, 5, 6 and 7, and the specimens of the French identity card and licence.
    const EXAMPLES: [(MrzFormat, &str); 7] = [
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
            MrzFormat::MrvB,
            "V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<|L8988901C4XXX4009078F9612109<<<<<<<<",
        ),
        (MrzFormat::License, "D1FRA13AA000026181231MARTIN<<9"),
        (
            MrzFormat::France,
            "IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<|8806923102858CORINNE<<<<<<<6512068F6",
        ),
    ];

    #[test]
    fn the_examples_of_the_standard_hold() {
        for (format, text) in EXAMPLES {
            let results = results(format, &lines(text));
            assert!(results.iter().all(|(_, holds)| *holds), "{format}: {results:?}");
        }
    }

    #[test]
    fn a_long_number_of_a_card_is_checked_whole() {
        // ICAO 9303-11 appendix D.2: D23145890734 with check digit 9. Specimens of Portugal and Belgium (PRADO, BEL-BO-03003 and BEL-BO-11005).
        for (format, text) in [
            (
                MrzFormat::Td1,
                "I<UTOD23145890<7349<<<<<<<<<<<|3407127M9507122UTO<<<<<<<<<<<2|STEVENSON<<PETER<JOHN<<<<<<<<<",
            ),
            (
                MrzFormat::Td2,
                "I<UTOSTEVENSON<<PETER<JOHN<<<<<<<<<<|D23145890<UTO3407127M95071227349<<<8",
            ),
            (
                MrzFormat::Td1,
                "I<PRT000024759<ZZ72<<<<<<<<<<<|8010100F2006017PRT<<<<<<<<<<<8|CARLOS<MONTEIRO<<AMELIA<VANESS",
            ),
            (
                MrzFormat::Td1,
                "IDBEL000590240<6013<<<<<<<<<<<|8512017F1311048BEL851201002007|REINARTZ<<ULRIKE<KATIA<E<<<<<<",
            ),
            (
                MrzFormat::Td1,
                "IDBEL600001795<0152<<<<<<<<<<<|1301014F2311207BEL130101987398|SPECIMEN<<SPECIMEN<<<<<<<<<<<<",
            ),
        ] {
            let results = results(format, &lines(text));
            assert!(results.iter().all(|(_, holds)| *holds), "{text}: {results:?}");
        }
        // A wrong digit holds in neither way, and other states have one way only.
        for first in [
            "IDBEL000590240<6014<<<<<<<<<<<",
            "I<UTO000024759<ZZ72<<<<<<<<<<<",
            "I<UTOD231458908<<<<<<<<<<<<<<<",
        ] {
            let number = results(MrzFormat::Td1, &[first.to_owned()])[0];
            assert_eq!(number, (Guarded::DocumentNumber, false), "{first}");
        }
    }

    proptest! {
        #[test]
        fn one_wrong_digit_breaks_its_check(at in 0_usize..44, by in 1_u8..10) {
            let (format, text) = EXAMPLES[0];
            let mut lines = lines(text);
            let old = lines[1].as_bytes()[at];
            prop_assume!(old.is_ascii_digit());
            let new = (old - b'0' + by) % 10 + b'0';
            lines[1].replace_range(at..=at, &char::from(new).to_string());
            prop_assert!(results(format, &lines).iter().any(|(_, holds)| !holds));
        }

        #[test]
        fn any_text_gives_results_without_panic(text in "[A-Z0-9<|]{0,140}") {
            for &format in MrzFormat::ALL {
                results(format, &lines(&text));
            }
        }
    }
}
