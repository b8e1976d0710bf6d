//! North American driving licences and identity cards: from the bytes of their PDF417 code to a reading.

mod issuers;
mod payload;
#[cfg(test)]
mod tests;

use crate::mrz::alpha3;
use domain::civil_date;
use domain::document::{DocumentType, FieldName, OcrField, Side};
use domain::findings::{CodeReading, CodeStandard, Signature};
use issuers::issuer;
use payload::{Payload, Subfile};
use time::{Date, Month};

/// The reading of a code, or `None` where the bytes are not of this standard.
pub(crate) fn reading(bytes: &[u8], side: Side) -> Option<CodeReading> {
    let payload = Payload::parse(bytes)?;
    let kind = match payload.subfile {
        Subfile::License => DocumentType::DrivingLicense,
        Subfile::Identity => DocumentType::IdCard,
    };
    let item = |(name, (text, normalized)): (FieldName, (String, Option<String>))| OcrField {
        side,
        name,
        text: Some(text),
        normalized,
    };
    Some(CodeReading {
        standard: CodeStandard::Aamva,
        kind: Some(kind),
        fields: items(&payload).into_iter().map(item).collect(),
        issuer: issuer(&payload.issuer).map(|_| payload.issuer),
        signature: Signature::Absent,
    })
}

/// An item as written and its normal form.
type Value = (String, Option<String>);

fn items(payload: &Payload) -> Vec<(FieldName, Value)> {
    let (last, first, whole) = names(payload);
    let same = |text: String| (text.clone(), Some(text));
    let date = |id: &str| {
        payload
            .get(id)
            .map(|text| (text.to_owned(), date(text).map(civil_date::format)))
    };
    let issuer = issuer(&payload.issuer);
    // A name that was cut has no normal form (D.12.4, DDE to DDG).
    let cut = |ids: &[&str]| ids.iter().any(|id| payload.get(id) == Some("T"));
    let name = |text: String, ids: &[&str]| (text.clone(), (!cut(ids)).then_some(text));
    let found = [
        (FieldName::LastName, last.map(|text| name(text, &["DDE"]))),
        (FieldName::FirstName, first.map(|text| name(text, &["DDF", "DDG"]))),
        (FieldName::FullName, whole.map(same)),
        (FieldName::BirthDate, date("DBB")),
        (
            FieldName::Gender,
            payload.get("DBC").map(|text| (text.to_owned(), gender(text))),
        ),
        (FieldName::Address, address(payload).map(same)),
        (
            FieldName::DocumentNumber,
            payload.get("DAQ").map(|text| same(text.to_owned())),
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

/// Family name, given names, and the whole name where a code of 2000 does not take it apart.
fn names(payload: &Payload) -> (Option<String>, Option<String>, Option<String>) {
    let get = |id: &str| payload.get(id).map(spaced);
    let last = get("DCS").or_else(|| get("DAB"));
    // Given names stand in one element from 2003 to 2005, in two before and after.
    let first = get("DAC").or_else(|| get("DCT"));
    let first = match (first, get("DAD")) {
        (Some(first), Some(middle)) => Some(format!("{first} {middle}")),
        (first, middle) => first.or(middle),
    };
    if last.is_some() {
        return (last, first, None);
    }
    let Some(whole) = payload.get("DAA") else {
        return (None, first, None);
    };
    match whole.split_once(',') {
        Some((last, given)) => (Some(spaced(last)), Some(spaced(given)), None),
        None => (None, None, Some(spaced(whole))),
    }
}

/// Words with one space between: some issuers put commas between given names, some dollar signs.
fn spaced(text: &str) -> String {
    text.split([',', '$', ' '])
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The mailing address, which is all that later editions have; in that of 2000 the residence may stand instead.
fn address(payload: &Payload) -> Option<String> {
    let parts = |[street, more, city, region, code]: [&str; 5]| {
        let street = [payload.get(street)?, payload.get(more).unwrap_or_default()].join(" ");
        let code = payload.get(code).map(postal_code).unwrap_or_default();
        let region = format!("{} {code}", payload.get(region).unwrap_or_default());
        let parts = [street.as_str(), payload.get(city).unwrap_or_default(), region.as_str()];
        Some(
            parts
                .map(str::trim)
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(", "),
        )
    };
    parts(["DAG", "DAH", "DAI", "DAJ", "DAK"]).or_else(|| parts(["DAL", "DAM", "DAN", "DAO", "DAP"]))
}

/// Nine digits are a ZIP+4; its last four are zeros where nobody knows them.
fn postal_code(text: &str) -> String {
    let digits = text.len() == 9 && text.bytes().all(|b| b.is_ascii_digit());
    match text.split_at_checked(5) {
        Some((five, "0000")) if digits => five.to_owned(),
        Some((five, four)) if digits => format!("{five}-{four}"),
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
    match text {
        "1" | "M" => Some("male".to_owned()),
        "2" | "F" => Some("female".to_owned()),
        _ => None,
    }
}

/// A date of eight digits: month, day and year in the United States, year, month and day in Canada and in the edition of 2000.
/// The two cannot be taken for each other, since no month is 19 or 20 and no year of a living person begins with a month.
fn date(text: &str) -> Option<Date> {
    let text = text.get(..8).filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
    let on = |year: usize, month: usize, day: usize| {
        let year: i32 = text.get(year..year + 4)?.parse().ok()?;
        let month: u8 = text.get(month..month + 2)?.parse().ok()?;
        let day: u8 = text.get(day..day + 2)?.parse().ok()?;
        let date = Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()?;
        (1850..2200).contains(&year).then_some(date)
    };
    on(4, 0, 2).or_else(|| on(0, 4, 6))
}
