//! Compares the print with machine-readable data on the same side, or on the back of the card.

use super::evidence::{is_known, is_legible, is_whole, kind_of_zone};
use crate::{
    civil_date,
    document::{FieldName, OcrField, Side},
    findings::{CodeReading, CodeStandard, DocumentFindings, MrzReading, Signature},
    input_match::{
        address::same_address,
        completes,
        names::{
            goes_on, has_words_of, is_printed_as, same_but_for_marks, same_but_for_suffix, same_full_but_for_marks,
            same_full_name, same_name,
        },
    },
};
use time::Date;

/// Items that are on both sides of such a card.
const ITEMS: [FieldName; 5] = [
    FieldName::LastName,
    FieldName::FirstName,
    FieldName::BirthDate,
    FieldName::ExpiryDate,
    FieldName::DocumentNumber,
];
/// The names among them. A side may have a full name instead.
const NAMES: [FieldName; 2] = [FieldName::LastName, FieldName::FirstName];
/// A single item may match by chance.
const LEAST: usize = 2;
/// The state whose identity cards print only the year in which they expire: the VIGENCIA of a Mexican voter's card.
const WITH_LAST_YEAR_ALONE: &str = "MEX";
/// The last day of a year, behind the year.
const END_OF_YEAR: &str = "-12-31";
/// The longest life taken into account, in years.
const LONGEST_LIFE: i32 = 120;

/// Share of the items of `zone`, a side with a machine-readable zone, that the side without it repeats; `None` if fewer than two can be
/// compared.
pub(super) fn zone(zone: &DocumentFindings, sides: &[DocumentFindings]) -> Option<f32> {
    let print = sides
        .iter()
        .find(|side| is_print_only(side) && side.side != zone.side)?;
    share(&zone.fields, &print.fields)
}

/// Share of a code's items that the print beside it on a front repeats, or else the other side; `None` if fewer than two can be compared. `on` is
/// the picture with the code. What a zone on the same side repeats says nothing about the code.
pub(super) fn code(code: &CodeReading, on: &DocumentFindings, sides: &[DocumentFindings]) -> Option<f32> {
    let is_front = on.side == Side::Front;
    let beside = is_front.then(|| share(&code.fields, &on.printed)).flatten();
    beside.or_else(|| {
        let print = sides.iter().find(|side| is_print_only(side) && side.side != on.side)?;
        share(&code.fields, &print.fields)
    })
}

/// Whether the front prints one of the names that machine-readable data on a picture has, so that these are its holder's; false for data without a name.
/// No check digit covers a name, and no barcode is signed: beside a card whose name is covered, or in letters that compare with none, a printed sheet
/// that repeats its dates could name anybody. `on` is the picture with the data; what a back prints may come from such a sheet.
pub(super) fn names_holder(machine: &[OcrField], on: &DocumentFindings, sides: &[DocumentFindings]) -> bool {
    let prints = names_on_front(on, sides);
    let is_printed = |machine: &OcrField| prints.iter().any(|print| gives_name(print, machine));
    machine.iter().filter(|field| is_name(field)).any(is_printed)
        || gives_whole_name(&prints, machine)
        || gives_whole_name(machine, &prints)
}

/// As [`names_holder`], for a zone whose names are in doubt, so that they are not among its items: whether they are printed as they were read.
pub(super) fn names_holder_in_doubt(zone: &MrzReading, on: &DocumentFindings, sides: &[DocumentFindings]) -> bool {
    let prints = names_on_front(on, sides);
    let names = prints.iter().filter_map(|print| print.normalized.as_deref());
    zone.names_in_doubt && has_words_of(&zone.names().join("<"), names)
}

/// Whether the front repeats what no relative of the holder shares, the date of birth or a number, and no other given name is in print. Relatives have one
/// surname and often one day of expiry: with a thumb on the rest, the front of one's own card would agree with the back of theirs. `zone` is that of
/// the data, if it is one; its lines have other numbers, too. A part of a number says nothing: cards that a family got on one day may have numbers in
/// a row.
pub(super) fn tells_relatives_apart(
    machine: &[OcrField],
    zone: Option<&MrzReading>,
    on: &DocumentFindings,
    sides: &[DocumentFindings],
) -> bool {
    let own = normal(machine, FieldName::DocumentNumber);
    let lines = zone.into_iter().flat_map(|zone| &zone.lines).map(String::as_str);
    let numbers: Vec<String> = own.into_iter().chain(lines).map(number).collect();
    let whole = own.map_or(usize::MAX, |own| number(own).len().max(1));
    let is_number = |print: &OcrField| {
        let read = print.normalized.as_deref().or(print.text.as_deref());
        let printed = read.map(number).filter(|printed| printed.len() >= whole);
        printed.is_some_and(|printed| numbers.iter().any(|number| number.contains(&printed)))
    };
    let is_repeated = |print: &OcrField| match print.name {
        FieldName::BirthDate => find(machine, print.name).is_some_and(|born| is_same_day(print, born)),
        FieldName::DocumentNumber => is_number(print),
        _ => false,
    };
    on_front(on, sides).any(is_repeated) && !prints_another_given_name(machine, on, sides)
}

/// Whether the print that machine-readable data on a picture is compared with has another given name.
pub(super) fn prints_another_given_name(
    machine: &[OcrField],
    on: &DocumentFindings,
    sides: &[DocumentFindings],
) -> bool {
    let is_other = |print: &OcrField| is_other_in_its_place(FieldName::FirstName, print, machine);
    in_print(on, sides).any(is_other)
}

/// Whether a recognised front prints another family or given name in the place of one that machine-readable data has: both were printed on one day,
/// so that it was not changed by marriage. On a front that is not recognised, the words beside a label may be anything.
pub(super) fn prints_another_name(machine: &[OcrField], sides: &[DocumentFindings]) -> bool {
    let is_other = |print: &OcrField| NAMES.iter().any(|name| is_other_in_its_place(*name, print, machine));
    on_known_fronts(sides).any(is_other)
}

/// Whether a recognised front prints another address than machine-readable data has. No barcode is signed: a new one on one's own card
/// could have any address.
pub(super) fn prints_another_address(machine: &[OcrField], sides: &[DocumentFindings]) -> bool {
    let own = normal(machine, FieldName::Address);
    let is_other = |print: &OcrField| {
        let printed = print.normalized.as_deref().filter(|_| print.name == FieldName::Address);
        let both = printed.zip(own);
        both.is_some_and(|(print, own)| same_address(print, own) == Some(false))
    };
    on_known_fronts(sides).any(is_other)
}

/// Whether a recognised front prints another sex or nationality than machine-readable data has. No check digit covers these, and no barcode is
/// signed.
pub(super) fn prints_another_sex_or_nationality(machine: &[OcrField], sides: &[DocumentFindings]) -> bool {
    let is_other = |print: &OcrField| {
        let is_compared = matches!(print.name, FieldName::Gender | FieldName::Nationality);
        let printed = print.normalized.as_deref().filter(|_| is_compared);
        let both = printed.zip(normal(machine, print.name));
        both.is_some_and(|(print, own)| print != own)
    };
    on_known_fronts(sides).any(is_other)
}

/// The print of recognised fronts.
fn on_known_fronts(sides: &[DocumentFindings]) -> impl Iterator<Item = &OcrField> {
    let is_front = |side: &&DocumentFindings| side.side == Side::Front && side.layout.as_ref().is_some_and(is_known);
    sides.iter().filter(is_front).flat_map(|front| {
        if is_print_only(front) {
            &front.fields
        } else {
            &front.printed
        }
    })
}

/// Whether the front prints the days that machine-readable data has, that of birth and the last one; true for data without either. Check
/// digits are as easily made as a barcode, and neither is signed: with a thumb on the day on which one's own card expired, any other day could
/// be in a new barcode or on a strip with a new zone, and with a thumb on that of birth, a child could be of age. `zone` is that of the data,
/// if it is one: it has no century, and a barcode has one.
pub(super) fn prints_days(
    machine: &[OcrField],
    zone: Option<&MrzReading>,
    on: &DocumentFindings,
    sides: &[DocumentFindings],
) -> bool {
    let beside = (on.side == Side::Front).then_some(on);
    let opposite = other_sides(on, sides).filter(|_| on.side == Side::Back);
    let days: Vec<&String> = beside
        .into_iter()
        .chain(opposite)
        .flat_map(|front| &front.days_in_print.0)
        .collect();
    let is_same_date = |print: &OcrField, machine: &OcrField| match machine.name {
        FieldName::BirthDate if zone.is_some() => is_same_day(print, machine),
        _ => print.normalized.is_some() && print.normalized == machine.normalized,
    };
    let is_printed = |day: &OcrField| {
        let is_named = |named: &&String| {
            let print = OcrField {
                normalized: Some((*named).clone()),
                ..day.clone()
            };
            is_same_date(&print, day)
        };
        let mut items = on_front(on, sides).filter(|print| print.name == day.name);
        items.any(|print| is_same_date(print, day)) || days.iter().any(is_named) || is_year_printed(day, &days, sides)
    };
    let is_expected = |day: &&OcrField| match day.name {
        FieldName::BirthDate => true,
        FieldName::ExpiryDate => day.normalized.is_some(),
        _ => false,
    };
    // Of a year with two digits in print, the day of birth may also be one a hundred years later: it is not the last day as well.
    let digits = |name| normal(machine, name).map(without_century);
    let [born, last] = [FieldName::BirthDate, FieldName::ExpiryDate].map(digits);
    let is_birth = born.zip(last).is_some_and(|(born, last)| may_be_one_print(born, last));
    !is_birth && machine.iter().filter(is_expected).all(is_printed)
}

/// Whether the front gives the days that a back without machine-readable data prints; true for a back without days. They are taken for the card's where the
/// zone or the code on the front has none, and any sheet with the right number or name may be the back: it could say that a card is still in date.
pub(super) fn gives_days_of_backs(sides: &[DocumentFindings]) -> bool {
    let (fronts, others): (Vec<_>, Vec<_>) = sides.iter().partition(|side| side.side == Side::Front);
    let is_given = |day: &OcrField| {
        let is_same_date = |item: &OcrField| match day.name {
            FieldName::BirthDate => is_same_day(day, item),
            _ => item.normalized == day.normalized,
        };
        fronts.iter().any(|front| {
            let mut items = front.fields.iter().chain(&front.printed);
            let is_named = |day: &String| front.days_in_print.0.contains(day);
            items.any(|item| item.name == day.name && is_same_date(item))
                || day.normalized.as_ref().is_some_and(is_named)
        })
    };
    let is_day = |field: &&OcrField| {
        matches!(field.name, FieldName::BirthDate | FieldName::ExpiryDate) && field.normalized.is_some()
    };
    let backs = others.into_iter().filter(|side| is_print_only(side));
    backs.flat_map(|back| &back.fields).filter(is_day).all(is_given)
}

/// Whether two days without their centuries may be one in print, with day and month in either order.
fn may_be_one_print(one: &str, other: &str) -> bool {
    let is_turned = || match other.split('-').collect::<Vec<_>>().as_slice() {
        [year, month, day] => one == format!("{year}-{day}-{month}"),
        _ => false,
    };
    one == other || is_turned()
}

/// Whether the year of expiry is among the printed days, as the last day of that year, if the card prints only the year.
fn is_year_printed(day: &OcrField, days: &[&String], sides: &[DocumentFindings]) -> bool {
    let last = day.normalized.as_deref().filter(|_| day.name == FieldName::ExpiryDate);
    let year = last
        .and_then(|last| last.get(..4))
        .filter(|_| prints_last_year_alone(sides));
    year.is_some_and(|year| {
        let end = format!("{year}{END_OF_YEAR}");
        days.iter().any(|printed| **printed == end)
    })
}

/// Whether a side is recognised as a card that prints only the year of its expiry.
fn prints_last_year_alone(sides: &[DocumentFindings]) -> bool {
    let layouts = sides.iter().filter_map(|side| side.layout.as_ref());
    let mut states = layouts
        .filter(|layout| is_known(layout))
        .filter_map(|layout| layout.issued_by());
    states.any(|state| state == WITH_LAST_YEAR_ALONE)
}

/// Whether a printed date of birth is that of machine-readable data, which may have no century.
fn is_same_day(print: &OcrField, machine: &OcrField) -> bool {
    match (&print.normalized, &machine.normalized) {
        (Some(print), Some(machine)) => without_century(print) == without_century(machine),
        _ => completes(print, machine),
    }
}

/// Whether a family or given name was read with certainty in print that none of the machine-readable names is. Either may be a part of the other,
/// such as the first line of names that the zone had to truncate, or the only one of several that a zone keeps.
fn is_other_in_its_place(name: FieldName, print: &OcrField, machine: &[OcrField]) -> bool {
    let own = find(machine, name).filter(|_| print.name == name);
    let is_one_of = |own: &OcrField| {
        let said = own.normalized.as_deref().or(own.text.as_deref());
        let names = print.normalized.as_deref().zip(said);
        // A name in two scripts has a slash between them.
        names.is_some_and(|(print, own)| has_words_of(print, [own]) || has_words_of(own, print.split('/')))
    };
    let mut names = NAMES.into_iter().filter_map(|name| find(machine, name));
    own.is_some_and(|own| !is_one_of(own) && names.all(|machine| is_other_name(print, machine)))
}

/// The names on the front that may be those of machine-readable data on a picture.
fn names_on_front(on: &DocumentFindings, sides: &[DocumentFindings]) -> Vec<OcrField> {
    let names = on_front(on, sides).filter(|field| is_name(field));
    names.map(as_read).collect()
}

/// The print of the front, which alone says whose machine-readable data on a picture is and until when it holds: beside the data, or on the other side of
/// a back. Beside a strip with a zone on a front, any sheet with the same items could be the back.
fn on_front<'a>(on: &'a DocumentFindings, sides: &'a [DocumentFindings]) -> impl Iterator<Item = &'a OcrField> {
    let beside = on.printed.iter().filter(move |_| on.side == Side::Front);
    let opposite = other_sides(on, sides).filter(move |_| on.side == Side::Back);
    beside.chain(opposite.flat_map(|front| &front.fields))
}

/// All print that may contradict machine-readable data on a picture: on a front beside it, and on the other side.
fn in_print<'a>(on: &'a DocumentFindings, sides: &'a [DocumentFindings]) -> impl Iterator<Item = &'a OcrField> {
    let beside = on.printed.iter().filter(move |_| on.side == Side::Front);
    beside.chain(other_sides(on, sides).flat_map(|side| &side.fields))
}

/// The pictures of the other side that have print alone.
fn other_sides<'a>(
    on: &'a DocumentFindings,
    sides: &'a [DocumentFindings],
) -> impl Iterator<Item = &'a DocumentFindings> {
    sides
        .iter()
        .filter(move |side| is_print_only(side) && side.side != on.side)
}

fn is_name(field: &OcrField) -> bool {
    field.name == FieldName::FullName || NAMES.contains(&field.name)
}

/// A printed item with what was read for its normal form where it has none: a reading in doubt that is equal to another one is right.
fn as_read(print: &OcrField) -> OcrField {
    OcrField {
        normalized: print.normalized.clone().or_else(|| print.text.clone()),
        ..print.clone()
    }
}

/// Whether a printed name is one of the machine-readable data.
fn gives_name(print: &OcrField, machine: &OcrField) -> bool {
    match (&print.normalized, &machine.normalized) {
        (Some(print), Some(machine)) => is_spelt_otherwise(print, machine) || same_name(print, machine) == Some(true),
        (Some(_), None) => completes(print, machine),
        (None, _) => false,
    }
}

/// Whether the whole name of one side is the last and first name of the other, in either order.
fn gives_whole_name(whole: &[OcrField], parts: &[OcrField]) -> bool {
    let [last, first] = NAMES.map(|name| normal(parts, name));
    let whole = normal(whole, FieldName::FullName);
    whole.zip(last.zip(first)).is_some_and(|(whole, (last, first))| {
        same_full_name(whole, last, first) == Some(true) || is_printed_in_any_order(whole, last, first)
    })
}

/// Whether a printed name is that of machine-readable data in another spelling, or without its diacritics.
fn is_spelt_otherwise(print: &str, machine: &str) -> bool {
    is_printed_as(machine, print) || same_but_for_marks(print, machine)
}

/// Whether a name printed as one is the last and first name of machine-readable data in other letters, whichever stands first.
fn is_printed_in_any_order(whole: &str, last: &str, first: &str) -> bool {
    let orders = [format!("{last} {first}"), format!("{first} {last}")];
    orders.iter().any(|name| is_printed_as(name, whole))
}

/// The dates and names that a zone and a code of one card give otherwise, and the number where they are on one side: one of the two was altered,
/// or is of another card. Both have the names of one register, so that a single one may not differ: here it is neither a title nor one that was
/// changed by marriage. On one side, what any zone gives goes before what the code gives, and all of it counts. On the other side, only a whole zone's does:
/// what another one does not give is taken from the print there. A card may have another number on its other side, and a seal that is not the card's
/// own, such as that of a visa, is of another document. Nor may the codes of the two sides give these otherwise: a barcode on an altered front could
/// repeat it, beside the genuine one on the back.
pub(super) fn codes_contradict(sides: &[DocumentFindings]) -> Vec<FieldName> {
    let zones = sides
        .iter()
        .filter_map(|side| Some((side, is_whole(side.mrz.as_ref()?))));
    let pairs = zones.flat_map(|(zone, is_whole)| {
        let codes = sides.iter().flat_map(|on| on.codes.iter().map(move |code| (on, code)));
        let compared = codes.filter(move |(on, _)| is_whole || on.side == zone.side);
        compared.map(move |(on, code)| (zone, on, code))
    });
    let mut names = differing_between_codes(sides);
    for (zone, on, code) in pairs.filter(|(_, _, code)| is_the_cards(code)) {
        let both = |name: FieldName| normal(&zone.fields, name).zip(normal(&code.fields, name));
        let is_other_day =
            |name: &FieldName| both(*name).is_some_and(|(own, others)| without_century(own) != without_century(others));
        names.extend(
            [FieldName::BirthDate, FieldName::ExpiryDate]
                .into_iter()
                .filter(is_other_day),
        );
        let are_of_zone = zone.side == on.side || zone.mrz.as_ref().is_some_and(|zone| !zone.names_in_doubt);
        let is_other_name =
            |name: &FieldName| both(*name).is_some_and(|(own, others)| same_name(own, others) == Some(false));
        names.extend(NAMES.into_iter().filter(|_| are_of_zone).filter(is_other_name));
        // An enhanced licence has the zone of another kind of card, which has its own number.
        let of_zone = zone.mrz.as_ref().and_then(kind_of_zone);
        let is_one_kind = code.kind.is_none_or(|kind| of_zone == Some(kind));
        let numbers = both(FieldName::DocumentNumber).filter(|_| zone.side == on.side && is_one_kind);
        if numbers.is_some_and(|numbers| are_other_numbers(numbers, zone, code)) {
            names.push(FieldName::DocumentNumber);
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The dates and names that the codes of two sides give otherwise. Their numbers are compared with those of all sides.
fn differing_between_codes(sides: &[DocumentFindings]) -> Vec<FieldName> {
    let of_codes = pairs_of_sides(sides).flat_map(|(side, other)| {
        let codes = own_codes(side).into_iter();
        codes.flat_map(move |one| own_codes(other).into_iter().map(move |other| (one, other)))
    });
    of_codes
        .flat_map(|(one, other)| differing_items(&one.fields, &other.fields))
        .collect()
}

/// Every pair of sides, once each.
fn pairs_of_sides(sides: &[DocumentFindings]) -> impl Iterator<Item = (&DocumentFindings, &DocumentFindings)> {
    sides
        .iter()
        .enumerate()
        .flat_map(move |(at, one)| sides[at + 1..].iter().map(move |other| (one, other)))
}

/// The card's own codes on a side.
fn own_codes(side: &DocumentFindings) -> Vec<&CodeReading> {
    side.codes.iter().filter(|code| is_the_cards(code)).collect()
}

/// The dates and names that two codes give otherwise.
fn differing_items(one: &[OcrField], other: &[OcrField]) -> Vec<FieldName> {
    let is_other = |name: &FieldName| {
        let both = normal(one, *name).zip(normal(other, *name));
        both.is_some_and(|(own, others)| match name {
            FieldName::BirthDate | FieldName::ExpiryDate => without_century(own) != without_century(others),
            _ => same_name(own, others) == Some(false),
        })
    };
    let compared = [
        FieldName::LastName,
        FieldName::FirstName,
        FieldName::FullName,
        FieldName::BirthDate,
        FieldName::ExpiryDate,
    ];
    let mut differing: Vec<FieldName> = compared.into_iter().filter(is_other).collect();
    if is_another_whole_name(one, other) || is_another_whole_name(other, one) {
        differing.push(FieldName::FullName);
    }
    differing
}

/// Whether the whole name of one code is another one than the last and first name of the other.
fn is_another_whole_name(whole: &[OcrField], parts: &[OcrField]) -> bool {
    let [last, first] = NAMES.map(|name| normal(parts, name));
    let whole = normal(whole, FieldName::FullName);
    whole
        .zip(last.zip(first))
        .is_some_and(|(whole, (last, first))| same_full_name(whole, last, first) == Some(false))
}

/// Whether a code is the card's own, and not made by somebody other than its issuer.
fn is_the_cards(code: &CodeReading) -> bool {
    let is_own = code.standard == CodeStandard::Aamva || code.kind.is_some();
    is_own && code.signature != Signature::Invalid
}

/// Whether neither of the numbers of a zone and a code occurs in what the other one has.
fn are_other_numbers((own, others): (&str, &str), zone: &DocumentFindings, code: &CodeReading) -> bool {
    let (own, others) = (number(own), number(others));
    let mut in_zone = zone.mrz.iter().flat_map(|zone| &zone.lines);
    let in_code = code.fields.iter().filter_map(|field| field.normalized.as_deref());
    own != others
        && !in_zone.any(|line| number(line).contains(&others))
        && !in_code.map(number).any(|text| text.contains(&own))
}

/// How the document numbers of the two sides of a card compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Equal, or not on both sides.
    Agree,
    /// They differ. A letter may have been misread, or the label may belong to another number.
    Differ,
    /// They differ, and it is no misreading: both are machine-readable, or a date differs as well, and what was read from print is in its place on a
    /// known document and was read twice.
    OfAnotherCard,
}

/// Whether a side gives the number or the family name that another one has.
pub(super) fn names_the_same(one: &DocumentFindings, other: &DocumentFindings) -> bool {
    let number = bare_number(one).filter(|number| !number.is_empty());
    let same_number = number.is_some() && number == bare_number(other);
    let (own, others) = (
        find(&one.fields, FieldName::LastName),
        find(&other.fields, FieldName::LastName),
    );
    let family_names = own.zip(others);
    same_number || family_names.is_some_and(|(own, others)| repeats(own, others) == Some(true))
}

/// Compares the document numbers of the two sides of a card.
pub(super) fn numbers(sides: &[DocumentFindings]) -> Numbers {
    let Some((one, other)) = pairs_of_sides(sides).find(|(one, other)| numbers_differ(one, other)) else {
        return Numbers::Agree;
    };
    let is_sure = |side: &DocumentFindings| !is_print_only(side) || side.layout.as_ref().is_some_and(is_known);
    let is_other_day = |date: FieldName| {
        let bare = |side: &DocumentFindings| find(&side.fields, date).and_then(bare);
        matches!((bare(one), bare(other)), (Some(one), Some(other)) if without_century(&one) != without_century(&other))
    };
    let dates = [FieldName::BirthDate, FieldName::ExpiryDate];
    let dates_differ = is_sure(one) && is_sure(other) && dates.into_iter().any(is_other_day);
    if dates_differ || !is_print_only(one) && !is_print_only(other) {
        Numbers::OfAnotherCard
    } else {
        Numbers::Differ
    }
}

/// The number that a side gives, in letters and digits alone.
fn bare_number(side: &DocumentFindings) -> Option<String> {
    normal(&side.fields, FieldName::DocumentNumber).map(number)
}

fn numbers_differ(one: &DocumentFindings, other: &DocumentFindings) -> bool {
    let (Some(own), Some(others)) = (bare_number(one), bare_number(other)) else {
        return false;
    };
    // A card has several numbers, and the label may belong to another one.
    let occurs = |number: &str, side: &DocumentFindings| everything(side).any(|text| text.contains(number));
    own != others && !occurs(&own, other) && !occurs(&others, one)
}

/// The date of birth as the other side of a card prints it, where it differs in its century alone from the one that the zone was taken for: a zone has
/// two digits of the year, which are those of a child and of somebody a hundred years older.
pub(super) fn birth_in_print<'a>(
    machine: &DocumentFindings,
    sides: &'a [DocumentFindings],
    today: Date,
) -> Option<&'a OcrField> {
    machine.mrz.as_ref()?;
    let taken = normal(&machine.fields, FieldName::BirthDate)?;
    let prints = sides
        .iter()
        .filter(|side| is_print_only(side) && side.side != machine.side);
    let mut births = prints.filter_map(|side| find(&side.fields, FieldName::BirthDate));
    let is_possible = |day: Date| day <= today && today.year() - day.year() <= LONGEST_LIFE;
    births.find(|print| {
        let printed = print.normalized.as_deref();
        printed.is_some_and(|printed| {
            let is_of_another_century = printed != taken && without_century(printed) == without_century(taken);
            is_of_another_century && civil_date::parse(printed).is_some_and(is_possible)
        })
    })
}

/// Whether machine-readable data that was read with certainty has one name of its holder and says that there is no other: a zone with fillers in its
/// place, or a code whose family name is the whole name.
pub(super) fn gives_one_name(side: &DocumentFindings) -> bool {
    let is_whole_name = |code: &CodeReading| {
        let [last, whole] = [FieldName::LastName, FieldName::FullName].map(|name| normal(&code.fields, name));
        last.is_some() && last == whole && find(&code.fields, FieldName::FirstName).is_none()
    };
    let mut codes = side.codes.iter().filter(|code| code.signature != Signature::Invalid);
    codes.any(is_whole_name) || has_zone_with_one_name(side)
}

fn has_zone_with_one_name(side: &DocumentFindings) -> bool {
    let is_certain = |zone: &&MrzReading| is_whole(zone) && zone.agrees_with_free_reading && !zone.names_in_doubt;
    let names = side.mrz.as_ref().filter(is_certain).map(MrzReading::names);
    // Other formats have a place of its own for either name, or none.
    let Some([names]) = names.as_deref() else {
        return false;
    };
    let name = names.trim_matches('<');
    !name.is_empty() && names.ends_with('<') && !name.contains("<<")
}

/// Items in which the print differs from the machine-readable data: one of them was altered.
///
/// Only numbers and dates, which have one spelling. Names are truncated, transliterated and carry titles, so that a single
/// different name proves nothing; if all differ, `names_somebody_else` applies.
#[must_use]
pub fn contradictions(sides: &[DocumentFindings]) -> Vec<&OcrField> {
    let mut prints: Vec<&OcrField> = Vec::new();
    for side in sides.iter().filter(|side| !is_print_only(side)) {
        let elsewhere = sides
            .iter()
            .filter(|other| is_print_only(other) && other.side != side.side)
            .flat_map(|other| &other.fields);
        for print in side.printed.iter().chain(elsewhere) {
            if contradicts(print, side) && prints.iter().all(|other| other.name != print.name) {
                prints.push(print);
            }
        }
    }
    prints
}

/// Whether the print names somebody else than the machine-readable data, on the same side or on the other one: no name that it gives is one
/// of those, whichever stands first. A single name may be a title, truncated, or changed by marriage.
#[must_use]
pub(super) fn names_somebody_else(sides: &[DocumentFindings]) -> bool {
    let (prints, machines): (Vec<_>, Vec<_>) = sides.iter().partition(|side| is_print_only(side));
    let mut pairs = machines
        .iter()
        .flat_map(|machine| prints.iter().map(move |print| (*machine, *print)));
    let elsewhere = pairs.any(|(machine, print)| {
        machine.side != print.side && (differ(machine, &print.fields) || begins_otherwise(machine, print))
    });
    elsewhere || machines.iter().any(|machine| differ(machine, &machine.printed))
}

/// Whether both names of a side can be compared with those in print, and none is the same.
fn differ(machine: &DocumentFindings, print: &[OcrField]) -> bool {
    let [Some(last), Some(first)] = family_and_given(&machine.fields) else {
        return false;
    };
    let [Some(printed_last), Some(printed_first)] = family_and_given(print) else {
        let whole = find(print, FieldName::FullName).and_then(|name| name.normalized.as_deref());
        let of_zone = last.normalized.as_deref().zip(first.normalized.as_deref());
        let compared = whole.zip(of_zone);
        let is_other = |whole: &str, last: &str, first: &str| {
            let is_read_as = same_full_but_for_marks(whole, last, first) || is_printed_in_any_order(whole, last, first);
            same_full_name(whole, last, first) == Some(false) && !is_read_as
        };
        return compared.is_some_and(|(whole, (last, first))| is_other(whole, last, first));
    };
    let is_other = |print: &OcrField| is_other_name(print, last) && is_other_name(print, first);
    is_other(printed_last) && is_other(printed_first)
}

/// Whether a name was read with certainty in print and is another one than that of machine-readable data.
fn is_other_name(print: &OcrField, machine: &OcrField) -> bool {
    match (&print.normalized, &machine.normalized) {
        (Some(print), Some(machine)) => same_name(print, machine) == Some(false) && !is_spelt_otherwise(print, machine),
        (Some(_), None) => !completes(print, machine),
        (None, _) => false,
    }
}

/// Whether the surname does not begin with the letters of it that the line of a licence has.
fn begins_otherwise(machine: &DocumentFindings, print: &DocumentFindings) -> bool {
    let whole = machine.mrz.as_ref().filter(|zone| is_whole(zone));
    let letters = whole.and_then(MrzReading::surname_in_license);
    letters.is_some_and(|letters| has_surname(letters, print) == Some(false))
}

/// Whether the print has the surname whose letters a licence's line has; true for a zone that has names of its own. Without it, the name on
/// such a licence is compared with nothing.
pub(super) fn prints_surname(zone: &MrzReading, sides: &[DocumentFindings]) -> bool {
    zone.surname_in_license()
        .is_none_or(|letters| sides.iter().any(|side| has_surname(letters, side) == Some(true)))
}

/// Whether a side gives the surname that has these letters, `MARTIN<<` or the first eight of a longer one; `None` where it gives none.
fn has_surname(letters: &str, side: &DocumentFindings) -> Option<bool> {
    let surname = find(&side.fields, FieldName::LastName)?.normalized.as_deref()?;
    let whole = letters.trim_end_matches('<');
    if whole.is_empty() {
        return None;
    }
    if whole.len() < letters.len() {
        return same_name(surname, whole);
    }
    Some(goes_on(whole, surname))
}

/// Whether a printed item differs from what the codes or the zone of a side say.
fn contradicts(print: &OcrField, machine: &DocumentFindings) -> bool {
    let Some(printed) = print.normalized.as_deref() else {
        return false;
    };
    let Some(item) = find(&machine.fields, print.name) else {
        return false;
    };
    let Some(said) = item.normalized.as_deref() else {
        // The digits of a small child's date are certain, though not its century.
        let is_certain = machine.mrz.as_ref().is_some_and(is_whole);
        return print.name == FieldName::BirthDate && is_certain && !completes(print, item);
    };
    match print.name {
        FieldName::BirthDate if machine.mrz.is_some() => without_century(printed) != without_century(said),
        FieldName::BirthDate | FieldName::IssueDate | FieldName::ExpiryDate => printed != said,
        // A document has several numbers, and the label may belong to another one than the zone's number field.
        FieldName::DocumentNumber => !everything(machine)
            .chain([number(said)])
            .any(|text| text.contains(&number(printed))),
        FieldName::LastName
        | FieldName::FirstName
        | FieldName::FullName
        | FieldName::LastNameKana
        | FieldName::FirstNameKana
        | FieldName::Gender
        | FieldName::Address
        | FieldName::Nationality
        | FieldName::IssuingAuthority
        | FieldName::IssuingCountry
        | FieldName::ResidenceStatus
        | FieldName::Mrz => false,
    }
}

/// A date without the century, which a zone does not have.
fn without_century(date: &str) -> &str {
    date.get(2..).unwrap_or(date)
}

/// Everything machine-readable in which a printed number may occur.
fn everything(machine: &DocumentFindings) -> impl Iterator<Item = String> {
    let zone = machine.mrz.iter().flat_map(|zone| &zone.lines).map(|line| number(line));
    let codes = machine
        .codes
        .iter()
        .filter(|code| code.signature != Signature::Invalid)
        .flat_map(|code| &code.fields)
        .filter_map(|field| field.normalized.as_deref().map(number));
    zone.chain(codes)
}

/// Letters and digits of a number. Letters that look like digits count as those: the print is read without a check digit that would
/// tell them apart.
fn number(text: &str) -> String {
    let letters = text.to_uppercase();
    let alike = letters.chars().map(|c| match c {
        'O' | 'Q' | 'D' => '0',
        'I' | 'L' => '1',
        'Z' => '2',
        'S' => '5',
        'B' => '8',
        'G' => '6',
        other => other,
    });
    alike.filter(|c| c.is_alphanumeric()).collect()
}

/// Whether the items of a side count as read from its print: a copy of the same code would repeat itself. Lines of a zone that are not
/// legible are no machine-readable data, nor is a code without items: beside a seal of any sort, print would be compared with nothing.
pub(super) fn is_print_only(side: &DocumentFindings) -> bool {
    !side.mrz.as_ref().is_some_and(is_legible) && side.codes.iter().all(|code| code.fields.is_empty())
}

fn share(machine: &[OcrField], print: &[OcrField]) -> Option<f32> {
    let equal: Vec<bool> = ITEMS
        .iter()
        .filter_map(|name| repeats(find(machine, *name)?, find(print, *name)?))
        .chain(repeats_full_name(machine, print).or_else(|| repeats_full_name(print, machine)))
        .collect();
    (equal.len() >= LEAST).then(|| equal.iter().filter(|same| **same).count() as f32 / equal.len() as f32)
}

/// Whether a side with a full name alone repeats the last and first name of the other, as one item; `None` where that cannot be told.
fn repeats_full_name(full: &[OcrField], parts: &[OcrField]) -> Option<bool> {
    let is_alone = NAMES.iter().all(|name| find(full, *name).is_none());
    let full = normal(full, FieldName::FullName).filter(|_| is_alone)?;
    same_full_name(
        full,
        normal(parts, FieldName::LastName)?,
        normal(parts, FieldName::FirstName)?,
    )
}

/// Whether an item of the print repeats one of a zone or a code; `None` where that cannot be told.
fn repeats(machine: &OcrField, print: &OcrField) -> Option<bool> {
    if machine.normalized.is_none() && NAMES.contains(&machine.name) {
        // It was cut.
        let differs = || bare(print).map(|_| false);
        return completes(print, machine).then_some(true).or_else(differs);
    }
    let names = machine.normalized.as_deref().zip(print.normalized.as_deref());
    let is_one_name = |(machine, print)| same_but_for_suffix(machine, print);
    if NAMES.contains(&machine.name) && names.is_some_and(is_one_name) {
        return Some(true);
    }
    Some(bare(machine)? == bare(print)?)
}

/// Whether the names of a zone, in which a letter may be wrong, are printed as they were read.
pub(super) fn prints_names(zone: &MrzReading, sides: &[DocumentFindings]) -> bool {
    let printed = sides.iter().flat_map(|side| side.fields.iter().chain(&side.printed));
    let named = printed.filter(|field| is_name(field));
    let names: Vec<&str> = named.filter_map(|field| field.normalized.as_deref()).collect();
    has_words_of(&zone.names().join("<"), names)
}

fn find(fields: &[OcrField], name: FieldName) -> Option<&OcrField> {
    fields.iter().find(|field| field.name == name)
}

/// The family and the given name among items.
fn family_and_given(fields: &[OcrField]) -> [Option<&OcrField>; 2] {
    NAMES.map(|name| find(fields, name))
}

/// The normal form of an item.
fn normal(fields: &[OcrField], name: FieldName) -> Option<&str> {
    find(fields, name)?.normalized.as_deref()
}

/// Letters and digits of an item's normalised form. National letters have several spellings in the zone: a name with such letters
/// never counts as different.
fn bare(field: &OcrField) -> Option<String> {
    let letters: String = field
        .normalized
        .as_deref()?
        .to_uppercase()
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect();
    (!letters.is_empty() && letters.is_ascii()).then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{document::DocumentType, findings::MrzFormat};

    fn side(side: Side, zone: bool, items: &[(FieldName, &str)]) -> DocumentFindings {
        let item = |(name, value): &(FieldName, &str)| OcrField {
            side,
            name: *name,
            text: Some((*value).to_owned()),
            normalized: Some((*value).to_owned()),
        };
        DocumentFindings {
            mrz: zone.then(|| MrzReading {
                format: MrzFormat::Td1,
                lines: vec![],
                log_probability: 0.0,
                checks_passed: 4,
                checks_total: 4,
                agrees_with_free_reading: true,
                names_in_doubt: false,
            }),
            fields: items.iter().map(item).collect(),
            text_lines: 3,
            ..DocumentFindings::none(side)
        }
    }

    fn contradicted(sides: &[DocumentFindings]) -> Vec<FieldName> {
        contradictions(sides).iter().map(|print| print.name).collect()
    }

    fn printed(name: FieldName, value: &str) -> DocumentFindings {
        let items = [
            (FieldName::DocumentNumber, "L898902C3"),
            (FieldName::BirthDate, "1974-08-12"),
            (FieldName::ExpiryDate, "2032-04-15"),
        ];
        let mut page = side(Side::Front, true, &items);
        page.printed = side(Side::Front, false, &[(name, value)]).fields;
        if let Some(zone) = &mut page.mrz {
            zone.lines = vec!["L898902C36UTO7408122F3204153ZE184226B<<<<<10".to_owned()];
        }
        page
    }

    #[test]
    fn a_number_or_date_that_the_print_gives_otherwise_is_contradicted() {
        for (name, value) in [
            (FieldName::DocumentNumber, "L898902C4"),
            (FieldName::BirthDate, "1974-08-13"),
            (FieldName::ExpiryDate, "2033-04-15"),
        ] {
            assert_eq!(contradicted(&[printed(name, value)]), [name], "{value}");
        }
        let card = |number| side(Side::Front, false, &[(FieldName::DocumentNumber, number)]);
        let back = side(Side::Back, true, &[(FieldName::DocumentNumber, "AB1234567")]);
        assert_eq!(
            contradicted(&[card("AB1234568"), back.clone()]),
            [FieldName::DocumentNumber]
        );
        assert!(contradicted(&[card("AB 123 4567"), back]).is_empty());
    }

    #[test]
    fn what_is_spelt_otherwise_or_stands_elsewhere_in_the_zone_is_not_contradicted() {
        for (name, value) in [
            (FieldName::DocumentNumber, "L898902C3"),
            // Read without a check digit.
            (FieldName::DocumentNumber, "L8989O2C3"),
            // The personal number, further right in the zone.
            (FieldName::DocumentNumber, "ZE184226B"),
            (FieldName::BirthDate, "1974-08-12"),
            // The zone has no century.
            (FieldName::BirthDate, "1874-08-12"),
            // The zone says nothing of it.
            (FieldName::IssueDate, "2022-04-15"),
            (FieldName::LastName, "Ó Conchobhair"),
        ] {
            assert!(contradicted(&[printed(name, value)]).is_empty(), "{value}");
        }
        let mut doubtful = printed(FieldName::BirthDate, "1974-08-13");
        doubtful.printed[0].normalized = None;
        assert!(contradicted(&[doubtful]).is_empty());
    }

    /// A zone with a small child's date of birth, or that of somebody a hundred years older.
    fn open_birth(print: &str) -> DocumentFindings {
        let mut page = printed(FieldName::BirthDate, print);
        let birth = page.fields.iter_mut().find(|field| field.name == FieldName::BirthDate);
        birth
            .into_iter()
            .for_each(|field| (field.text, field.normalized) = (Some("241002".into()), None));
        page
    }

    #[test]
    fn a_date_whose_century_the_zone_leaves_open_is_contradicted_by_another_day() {
        assert_eq!(contradicted(&[open_birth("1990-03-05")]), [FieldName::BirthDate]);
        for print in ["2024-10-02", "1924-10-02"] {
            assert!(contradicted(&[open_birth(print)]).is_empty(), "{print}");
        }
        let mut misread = open_birth("1990-03-05");
        misread.mrz.as_mut().unwrap().checks_passed = 3;
        assert!(
            contradicted(&[misread]).is_empty(),
            "its check digit may be the one that fails"
        );
    }

    #[test]
    fn a_cut_name_agrees_with_one_that_goes_on_and_with_no_other() {
        let mut back = side(
            Side::Back,
            true,
            &[
                (FieldName::LastName, "NILAVADHANANANDA"),
                (FieldName::FirstName, "CHAYAPA D"),
            ],
        );
        back.fields[1].normalized = None;
        for (given, share) in [
            ("Chayapa Dejthamrong", Some(1.0)),
            ("PETER", Some(0.5)),
            ("Dérek", None),
        ] {
            let items = [(FieldName::LastName, "NILAVADHANANANDA"), (FieldName::FirstName, given)];
            assert_eq!(
                zone(&back, &[side(Side::Front, false, &items), back.clone()]),
                share,
                "{given}"
            );
        }
    }

    #[test]
    fn a_front_that_names_somebody_else_does_not_agree_with_its_back() {
        let back = side(
            Side::Back,
            true,
            &[
                (FieldName::LastName, "O CONNOR"),
                (FieldName::BirthDate, "1974-08-12"),
                (FieldName::FirstName, "ANNA"),
            ],
        );
        let same = side(
            Side::Front,
            false,
            &[(FieldName::LastName, "O'Connor"), (FieldName::BirthDate, "1974-08-12")],
        );
        let other = side(
            Side::Front,
            false,
            &[(FieldName::LastName, "SMITH"), (FieldName::BirthDate, "1990-01-01")],
        );
        let foreign = side(Side::Front, false, &[(FieldName::LastName, "Ó Conchobhair")]);
        assert_eq!(zone(&back, &[same, back.clone()]), Some(1.0));
        assert_eq!(zone(&back, &[other, back.clone()]), Some(0.0));
        assert_eq!(zone(&back, &[foreign, back.clone()]), None);
        assert_eq!(zone(&back, std::slice::from_ref(&back)), None);
    }

    #[test]
    fn a_name_is_repeated_however_it_is_transliterated_and_with_a_suffix() {
        let born = (FieldName::BirthDate, "1974-08-12");
        let share = |machine: &str, print: &str| {
            let back = side(Side::Back, true, &[(FieldName::LastName, machine), born]);
            let front = side(Side::Front, false, &[(FieldName::LastName, print), born]);
            zone(&back, &[front, back.clone()])
        };
        for (machine, print, expected) in [
            ("MUELLER", "Müller", Some(1.0)),
            ("MUNOZ", "Muñoz", Some(1.0)),
            ("SAMPLE", "SAMPLE JR", Some(1.0)),
            ("SAMPLE JR", "SAMPLE SR", Some(0.5)),
            ("SAMPLE", "SAMPLER", Some(0.5)),
            ("SAMPLE", "SAMPLE SMITH", Some(0.5)),
            ("MUELLER", "Möller", None),
        ] {
            assert_eq!(share(machine, print), expected, "{machine} {print}");
        }
    }

    #[test]
    fn a_name_in_cyrillic_or_greek_that_was_read_as_latin_names_nobody_else() {
        let names = |[last, first]: [&str; 2], has_zone: bool| {
            let items = [(FieldName::LastName, last), (FieldName::FirstName, first)];
            side(Side::Front, has_zone, &items)
        };
        for (zone, print, somebody_else) in [
            (["ROMANOV", "VERA"], ["POMAHOB", "BEPA"], false),
            (["TOMOV", "HASAN"], ["TOMOB TOMOV", "XACAH HASAN"], false),
            (["KOURI", "MARIA"], ["KOYPH", "MAPIA"], false),
            (["ROMANOV", "VERA"], ["POMAHEK", "BEPHA"], true),
            (["ROMANOV", "VERA"], ["SMITH", "ANNA"], true),
        ] {
            let mut page = names(zone, true);
            // As one name, in either order.
            for whole in [print.join(" "), format!("{} {}", print[1], print[0])] {
                page.printed = side(Side::Front, false, &[(FieldName::FullName, whole.as_str())]).fields;
                let differs = names_somebody_else(std::slice::from_ref(&page));
                assert_eq!(differs, somebody_else, "{whole}");
            }
            page.printed = names(print, false).fields;
            assert_eq!(names_somebody_else(&[page]), somebody_else, "{print:?}");
        }
    }

    #[test]
    fn names_whose_marks_were_not_read_name_nobody_else() {
        let names = |[last, first]: [&str; 2], has_zone: bool| {
            let items = [(FieldName::LastName, last), (FieldName::FirstName, first)];
            side(Side::Front, has_zone, &items)
        };
        for (zone, print, somebody_else) in [
            (["MUELLER", "JUERGEN"], ["MULLER", "JURGEN"], false),
            (["OESTBERG", "AAKE"], ["OSTBERG", "AKE"], false),
            (["MUELLER", "JUERGEN"], ["MILLER", "JORG"], true),
        ] {
            let mut page = names(zone, true);
            let whole = print.join(" ");
            page.printed = side(Side::Front, false, &[(FieldName::FullName, whole.as_str())]).fields;
            let differs = names_somebody_else(std::slice::from_ref(&page));
            assert_eq!(differs, somebody_else, "{print:?}");
            page.printed = names(print, false).fields;
            assert_eq!(names_somebody_else(&[page]), somebody_else, "{print:?}");
        }
    }

    #[test]
    fn an_initial_in_a_whole_name_stands_for_no_family_name() {
        for (whole, somebody_else) in [
            ("JOHN S OTIENO", true),
            ("JOHN O SAMPLE", false),
            ("SAMPLE J OTIENO", true),
        ] {
            let names = [(FieldName::LastName, "SAMPLE"), (FieldName::FirstName, "JOHN")];
            let mut page = side(Side::Front, true, &names);
            page.printed = side(Side::Front, false, &[(FieldName::FullName, whole)]).fields;
            assert_eq!(names_somebody_else(&[page]), somebody_else, "{whole}");
        }
    }

    /// A barcode that names nobody but has these items.
    fn barcode(items: &[(FieldName, &str)]) -> CodeReading {
        CodeReading {
            standard: CodeStandard::Aamva,
            kind: None,
            issuer: None,
            fields: side(Side::Front, false, items).fields,
            signature: Signature::Absent,
        }
    }

    #[test]
    fn a_code_is_repeated_by_the_print_beside_it_and_not_by_the_zone() {
        let items = [(FieldName::LastName, "SMITH"), (FieldName::BirthDate, "1990-01-01")];
        let mut front = printed(FieldName::LastName, "SMITH");
        front.viz_agreement = Some(1.0);
        let back = side(Side::Back, false, &[]);
        let own = barcode(&items);
        assert_eq!(code(&own, &front, &[front.clone(), back.clone()]), None, "one item");
        for (birth, share) in [("1990-01-01", 1.0), ("1974-08-12", 0.5)] {
            let print = [(FieldName::LastName, "SMITH"), (FieldName::BirthDate, birth)];
            front.printed = side(Side::Front, false, &print).fields;
            assert_eq!(
                code(&own, &front, &[front.clone(), back.clone()]),
                Some(share),
                "{birth}"
            );
            // What stands on a back is compared with the front.
            let coded = DocumentFindings {
                printed: front.printed.clone(),
                ..side(Side::Back, false, &print)
            };
            assert_eq!(code(&own, &coded, std::slice::from_ref(&coded)), None);
        }
    }

    #[test]
    fn a_code_that_has_another_number_or_date_than_the_zone_contradicts_it() {
        let contradicted = |name: FieldName, value: &str, signature: Signature| {
            let mut page = printed(FieldName::LastName, "ERIKSSON");
            page.codes = vec![CodeReading {
                signature,
                ..barcode(&[(name, value)])
            }];
            codes_contradict(&[page])
        };
        for (name, value) in [
            (FieldName::DocumentNumber, "X12345678"),
            (FieldName::BirthDate, "1974-08-13"),
            (FieldName::ExpiryDate, "2033-04-15"),
        ] {
            assert_eq!(contradicted(name, value, Signature::Absent), [name], "{value}");
            assert!(contradicted(name, value, Signature::Invalid).is_empty(), "{value}");
        }
        for (name, value) in [
            (FieldName::DocumentNumber, "L898902C3"),
            // The personal number, further right in the zone.
            (FieldName::DocumentNumber, "ZE184226B"),
            (FieldName::BirthDate, "1874-08-12"),
            (FieldName::LastName, "NYBERG"),
        ] {
            assert!(contradicted(name, value, Signature::Absent).is_empty(), "{value}");
        }
    }

    #[test]
    fn a_code_that_has_another_name_than_the_zone_contradicts_it() {
        let contradicted = |name: FieldName, value: &str| {
            let names = [
                (FieldName::LastName, "DE LA CRUZ"),
                (FieldName::FirstName, "ANNA MARIA"),
            ];
            let mut page = side(Side::Back, true, &names);
            // That of an enhanced licence.
            page.codes = vec![CodeReading {
                kind: Some(DocumentType::DrivingLicense),
                ..barcode(&[(name, value)])
            }];
            codes_contradict(&[page])
        };
        for (name, value) in [(FieldName::LastName, "NYBERG"), (FieldName::FirstName, "PETRA")] {
            assert_eq!(contradicted(name, value), [name], "{value}");
        }
        for (name, value) in [
            (FieldName::LastName, "DELACRUZ"),
            (FieldName::LastName, "De La Cruz JR"),
            (FieldName::FirstName, "ANNA"),
            (FieldName::FirstName, "ANNA M"),
        ] {
            assert!(contradicted(name, value).is_empty(), "{value}");
        }
    }

    #[test]
    fn whatever_a_zone_says_before_a_code_on_its_side_is_compared_with_it_however_surely_it_was_read() {
        let spoils: [fn(&mut MrzReading); 3] = [
            |zone| zone.names_in_doubt = true,
            |zone| (zone.names_in_doubt, zone.checks_passed) = (true, 3),
            |zone| (zone.names_in_doubt, zone.checks_passed, zone.log_probability) = (true, 3, -2.0),
        ];
        for (name, said, other) in [
            (FieldName::FirstName, "ANNA", "PETRA"),
            (FieldName::ExpiryDate, "2032-04-15", "2022-04-15"),
        ] {
            for spoil in spoils {
                let mut page = side(Side::Back, true, &[(name, said)]);
                page.mrz.iter_mut().for_each(spoil);
                page.codes = vec![CodeReading {
                    kind: Some(DocumentType::DrivingLicense),
                    ..barcode(&[(name, other)])
                }];
                assert_eq!(codes_contradict(std::slice::from_ref(&page)), [name]);
            }
            // Print in the place of what a zone on the other side does not give.
            let mut front = side(Side::Front, true, &[(name, said)]);
            front.mrz.iter_mut().for_each(spoils[1]);
            let mut back = side(Side::Back, false, &[]);
            back.codes = vec![CodeReading {
                kind: Some(DocumentType::DrivingLicense),
                ..barcode(&[(name, other)])
            }];
            assert!(codes_contradict(&[front, back]).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_given_name_in_print_is_a_relatives_only_if_neither_side_has_all_names_of_the_other() {
        for (print, said, is_cut, is_holders) in [
            ("ANNA", "ANNA MARIA", false, true),
            ("MARIA", "ANNA MARIA", false, true),
            // The zone has only the name that its holder is called by.
            ("ANNA MARIA", "MARIA", false, true),
            ("MARIA ANNA", "ANNA MARIA", false, true),
            // It had no room for more; the print has a second line.
            ("ANNA MARIA", "ANNA MAR", true, true),
            ("ANNA", "ANNA MAR", true, true),
            ("PETRA MARIA", "ANNA MARIA", false, false),
            ("PETRA", "ANNA MAR", true, false),
            ("PETRA", "MARIA", false, false),
            ("OJIEKCIN/OLEKSII", "OLEKSII", false, true),
            // The marks of JÜRGEN were not read.
            ("JURGEN", "JUERGEN", false, true),
            ("JORG", "JUERGEN", false, false),
        ] {
            let born = (FieldName::BirthDate, "1974-08-12");
            let front = side(Side::Front, false, &[(FieldName::FirstName, print), born]);
            let mut back = side(Side::Back, true, &[(FieldName::FirstName, said), born]);
            if is_cut {
                back.fields[0].normalized = None;
            }
            let sides = [front, back.clone()];
            let told = tells_relatives_apart(&back.fields, back.mrz.as_ref(), &back, &sides);
            assert_eq!(told, is_holders, "{print} / {said}");
        }
    }

    #[test]
    fn the_numbers_of_a_zone_and_a_code_of_two_kinds_of_card_are_not_compared() {
        let contradicted = |kind: DocumentType, name: FieldName, value: &str| {
            let mut page = printed(FieldName::LastName, "ERIKSSON");
            page.mrz.as_mut().unwrap().lines = vec!["I<USAL898902C36<<<<<<<<<<<<<<<".to_owned()];
            page.codes = vec![CodeReading {
                kind: Some(kind),
                ..barcode(&[(name, value)])
            }];
            codes_contradict(&[page])
        };
        let (number, birth) = (FieldName::DocumentNumber, FieldName::BirthDate);
        assert!(contradicted(DocumentType::DrivingLicense, number, "X12345678").is_empty());
        assert_eq!(contradicted(DocumentType::IdCard, number, "X12345678"), [number]);
        assert_eq!(contradicted(DocumentType::DrivingLicense, birth, "1974-08-13"), [birth]);
    }

    #[test]
    fn a_seal_that_is_not_the_cards_own_contradicts_nothing() {
        let contradicted = |standard: CodeStandard, kind: Option<DocumentType>| {
            let mut page = printed(FieldName::LastName, "ERIKSSON");
            page.codes = vec![CodeReading {
                standard,
                kind,
                ..barcode(&[(FieldName::ExpiryDate, "2027-01-31")])
            }];
            codes_contradict(&[page])
        };
        for standard in [CodeStandard::Seal, CodeStandard::SealNc] {
            assert!(contradicted(standard, None).is_empty(), "{standard:?}");
            assert_eq!(
                contradicted(standard, Some(DocumentType::IdCard)),
                [FieldName::ExpiryDate],
                "{standard:?}"
            );
        }
    }

    #[test]
    fn a_full_name_is_one_item_against_last_and_first_name() {
        let parts = [
            (FieldName::LastName, "GOMEZ VELAZQUEZ"),
            (FieldName::FirstName, "MARGARITA"),
        ];
        let born = (FieldName::BirthDate, "1974-08-12");
        let back = side(Side::Back, true, &[parts[0], parts[1], born]);
        let whole = |full| [(FieldName::FullName, full), born];
        for (full, share) in [
            ("GÓMEZ VELÁZQUEZ MARGARITA", Some(1.0)),
            ("MARGARITA GÓMEZ VELÁZQUEZ", Some(1.0)),
            ("NYBERG PETRA", Some(0.5)),
            ("日本花子", None),
        ] {
            let front = side(Side::Front, false, &whole(full));
            assert_eq!(zone(&back, &[front, back.clone()]), share, "{full}");
        }
        let mut uncertain = side(Side::Front, false, &whole("MARGARITA"));
        uncertain.fields[0].normalized = None;
        assert_eq!(zone(&back, &[uncertain, back.clone()]), None);
        // Bar codes of the first edition have a full name.
        let front = side(Side::Front, false, &[parts[0], parts[1], born]);
        let code = barcode(&whole("MARGARITA GOMEZ VELAZQUEZ"));
        let coded = side(Side::Back, false, &[]);
        assert_eq!(super::code(&code, &coded, &[front, coded.clone()]), Some(1.0));
    }
}
