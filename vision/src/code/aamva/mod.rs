//! North American driving licences and identity cards: from the bytes of their PDF417 code to a reading.

mod issuers;
mod payload;
#[cfg(test)]
mod tests;
mod tracks;

use crate::calendar::day_in;
use crate::mrz::alpha3;
use domain::civil_date;
use domain::document::{DocumentType, FieldName, OcrField, Side};
use domain::findings::{CodeReading, CodeStandard, Signature};
use domain::user_input::Gender;
use issuers::issuer;
use payload::{Payload, Subfile};
use time::Date;

/// The reading of a code, or `None` where the bytes are not of this standard.
pub(crate) fn reading(bytes: &[u8], side: Side) -> Option<CodeReading> {
    let (kind, number, items) = match Payload::parse(bytes) {
        Some(payload) => {
            let kind = match payload.subfile {
                Subfile::License => DocumentType::DrivingLicense,
                Subfile::Identity => DocumentType::IdCard,
            };
            let items = items(&payload);
            (Some(kind), payload.issuer, items)
        }
        None => (None, tracks::ISSUER.to_owned(), tracks::items(bytes)?),
    };
    let item = |(name, (text, normalized)): (FieldName, (String, Option<String>))| OcrField {
        side,
        name,
        text: Some(text),
        normalized,
    };
    Some(CodeReading {
        standard: CodeStandard::Aamva,
        kind,
        fields: items.into_iter().map(item).collect(),
        issuer: issuer(&number).map(|_| number),
        signature: Signature::Absent,
    })
}

/// What stands between the names of one element in the edition of 2000, `Lastname@Firstname@MI@suffix`: bar codes have commas there, magnetic
/// stripes dollar signs, and some issuers kept the sign of the standard.
const BETWEEN_NAMES: [char; 3] = [',', '@', '$'];

/// Characters of the longest name that an element for one holds (D.12.5, DCS, DAC and DAD).
const LONGEST_NAME: usize = 40;

/// Characters of the longest number (D.12.5, DAQ). A longer one has the elements behind it in it.
const LONGEST_NUMBER: usize = 25;

/// What follows the names in one element of 2000, and later editions have in an element of its own (D.12.5, DCU).
const SUFFIXES: [&str; 20] = [
    "JR", "SR", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "1ST", "2ND", "3RD", "4TH", "5TH", "6TH",
    "7TH", "8TH", "9TH",
];

/// An item as written and its normal form.
type Value = (String, Option<String>);

fn items(payload: &Payload) -> Vec<(FieldName, Value)> {
    let (last, first, whole) = names(payload);
    let date = |id: &str| {
        payload
            .get(id)
            .map(|text| (text.to_owned(), date(text).map(civil_date::format)))
    };
    let issuer = issuer(&payload.issuer);
    // A name that was cut has no normal form (D.12.4, DDE to DDG), nor one that fills its element where nothing says that it was not.
    let is_cut = |[said, id]: &[&str; 2]| match payload.get(said) {
        Some("T") => true,
        Some("N") => false,
        _ => payload.get(id).is_some_and(|name| name.chars().count() >= LONGEST_NAME),
    };
    let name = |text: String, of: &[[&str; 2]]| (text.clone(), (!of.iter().any(is_cut)).then_some(text));
    let found = [
        (FieldName::LastName, last.map(|text| name(text, &[["DDE", "DCS"]]))),
        (
            FieldName::FirstName,
            first.map(|text| name(text, &[["DDF", "DAC"], ["DDG", "DAD"]])),
        ),
        (FieldName::FullName, whole.map(|text| name(text, &[["DDE", "DCS"]]))),
        (FieldName::BirthDate, date("DBB")),
        (
            FieldName::Gender,
            payload.get("DBC").map(|text| (text.to_owned(), gender(text))),
        ),
        (FieldName::Address, address(payload).map(same)),
        (
            FieldName::DocumentNumber,
            payload.get("DAQ").map(|text| {
                let fits = text.chars().count() <= LONGEST_NUMBER;
                (text.to_owned(), fits.then(|| text.to_owned()))
            }),
        ),
        (FieldName::IssueDate, date("DBD")),
        (FieldName::ExpiryDate, date("DBA")),
        (
            FieldName::IssuingAuthority,
            issuer.map(|issuer| same(issuer.region.to_owned())),
        ),
        (
            FieldName::IssuingCountry,
            country(payload, issuer.map(|issuer| issuer.country)),
        ),
    ];
    found
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// Family name, given names, and the whole name where a code of 2000 does not take it apart, or where its holder has the family name alone.
fn names(payload: &Payload) -> (Option<String>, Option<String>, Option<String>) {
    let get = |id: &str| payload.get(id).map(spaced);
    let last = get("DCS").or_else(|| get("DAB"));
    // Given names stand in one element from 2003 to 2005, in two before and after.
    let first = get("DAC").or_else(|| get("DCT"));
    // Some issuers repeat there what the one element has.
    let middle = get("DAD").filter(|middle| {
        let repeated = format!(" {middle}");
        first.as_ref().is_none_or(|first| !first.ends_with(&repeated))
    });
    let first = match (first, middle) {
        (Some(first), Some(middle)) => Some(format!("{first} {middle}")),
        (first, middle) => first.or(middle),
    };
    if last.is_some() {
        let is_only = first.is_none() && ["DAC", "DCT"].into_iter().any(|id| payload.denies(id));
        let whole = last.clone().filter(|_| is_only);
        return (last, first, whole);
    }
    let Some(whole) = payload.get("DAA") else {
        return (None, first, None);
    };
    let parts: Vec<String> = whole.split(BETWEEN_NAMES).map(spaced).collect();
    match parts.as_slice() {
        [last, given @ ..] if !given.is_empty() => {
            // A single letter in the place of the middle name is its initial.
            let is_behind_middle = given.iter().rposition(|part| !part.is_empty()) > Some(1);
            let is_last = |part: &str| is_suffix(part) && (is_behind_middle || part.len() > 1);
            let given = given.iter().map(String::as_str).filter(|part| !part.is_empty());
            let given: Vec<&str> = given.collect();
            let names = match given.as_slice() {
                [names @ .., suffix] if !names.is_empty() && is_last(suffix) => names,
                names => names,
            };
            (some(last.clone()), some(names.join(" ")), None)
        }
        _ => (None, None, Some(spaced(whole))),
    }
}

fn is_suffix(part: &str) -> bool {
    let word = part.trim_end_matches('.');
    SUFFIXES.iter().any(|suffix| suffix.eq_ignore_ascii_case(word))
}

/// An item that is written in its normal form.
fn same(text: String) -> Value {
    (text.clone(), Some(text))
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// Words with one space between: some issuers put commas between given names, some dollar signs.
fn spaced(text: &str) -> String {
    text.split([',', '$', ' '])
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The mailing address, which is all that later editions have; in that of 2000 the residence may stand instead. Of that, Oregon has the street alone,
/// and the city among the elements of the mailing address.
fn address(payload: &Payload) -> Option<String> {
    let parts = |[street, more, city, region, code]: [&str; 5]| {
        let (city, region) = (
            payload.get(city).unwrap_or_default(),
            payload.get(region).unwrap_or_default(),
        );
        // Wyoming has the last line of the address there, `CHEYENNE, WY 82001`.
        let is_last_line = |line: &&str| {
            let behind_city = line
                .strip_prefix(city)
                .filter(|_| !city.is_empty() && !region.is_empty());
            let code = behind_city.and_then(|rest| rest.trim_matches([' ', ',']).strip_prefix(region));
            code.is_some_and(|code| code.bytes().all(|b| matches!(b, b'0'..=b'9' | b' ' | b'-')))
        };
        let more = payload.get(more).filter(|line| !is_last_line(line));
        let street = [payload.get(street)?, more.unwrap_or_default()].join(" ");
        let code = payload.get(code).map(postal_code).unwrap_or_default();
        let region = format!("{region} {code}");
        let parts = [street.as_str(), city, region.as_str()];
        // Ontario ends the street with a comma.
        Some(
            parts
                .map(|part| part.trim_matches([',', ' ']))
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(", "),
        )
    };
    let has_city = payload.get("DAN").is_some();
    let [city, region, code] = if has_city {
        ["DAN", "DAO", "DAP"]
    } else {
        ["DAI", "DAJ", "DAK"]
    };
    parts(["DAG", "DAH", "DAI", "DAJ", "DAK"]).or_else(|| parts(["DAL", "DAM", city, region, code]))
}

/// Nine digits are a ZIP+4; its last four are zeros where nobody knows them. Arkansas has a space before these, Hawaii a single zero and
/// Massachusetts five of them.
fn postal_code(text: &str) -> String {
    let digits: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
    let is_zip = digits.bytes().all(|b| b.is_ascii_digit());
    match digits.split_at_checked(5) {
        Some((five, rest)) if is_zip && rest.bytes().all(|b| b == b'0') => five.to_owned(),
        Some((five, four)) if is_zip && four.len() == 4 => format!("{five}-{four}"),
        _ => text.to_owned(),
    }
}

/// The standard's country codes are ISO's (D.12.5, DCG); codes of 2000 have none, then the issuer's country stands for it.
fn country(payload: &Payload, of_issuer: Option<&str>) -> Option<Value> {
    let text = payload.get("DCG").or(of_issuer)?;
    Some((text.to_owned(), alpha3(text).or(of_issuer).map(str::to_owned)))
}

/// Since 2003 the codes of ISO/IEC 5218, before that a letter.
fn gender(text: &str) -> Option<String> {
    let gender = Gender::of_iso_5218(text).or_else(|| Gender::of_letter(text));
    gender.map(|gender| gender.to_string())
}

/// A date of eight digits: month, day and year in the United States, year, month and day in Canada and in the edition of 2000.
/// The two cannot be confused, since no month is 19 or 20 and no year of a living person begins with a month.
fn date(text: &str) -> Option<Date> {
    let text = text.get(..8).filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
    let on = |year: usize, month: usize, day: usize| {
        let year: i32 = text.get(year..year + 4)?.parse().ok()?;
        let month: u8 = text.get(month..month + 2)?.parse().ok()?;
        let day: u8 = text.get(day..day + 2)?.parse().ok()?;
        day_in(&(1850..2200), year, month, day)
    };
    on(4, 0, 2).or_else(|| on(0, 4, 6))
}
