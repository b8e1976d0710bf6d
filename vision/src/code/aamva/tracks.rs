//! The PDF417 code of British Columbia: the three tracks of a magnetic stripe one behind the other, in place of the elements of the standard
//! (AAMVA DL/ID Card Design Standard, annex F; the province's Teleplan specification, section 4.2.4).
//!
//! Licences, identity cards and services cards have the same code, and nothing in it says which of them it is on. The health number in the third
//! track is not read.

use super::issuers::issuer;
use super::{Value, date, gender, same, some, spaced};
use domain::civil_date;
use domain::document::FieldName;

/// The province's number.
pub(super) const ISSUER: &str = "636028";
/// No code of the province is longer.
const LONGEST: usize = 400;
/// Characters of the longest city and of the longest name; shorter ones end in a circumflex.
const CITY: usize = 13;
const NAME: usize = 35;
/// Digits of the longest number.
const NUMBER: usize = 13;
/// Characters of the third track before the sex: two of versions, eleven of the postal code, two of the class, ten of restrictions, four of
/// endorsements.
const BEFORE_SEX: usize = 29;

/// The items of a code, `%BC…?;636028…?_%…?`; `None` where the bytes are none of the province.
pub(super) fn items(bytes: &[u8]) -> Option<Vec<(FieldName, Value)>> {
    let text = std::str::from_utf8(bytes).ok()?;
    if !text.is_ascii() || text.len() > LONGEST {
        return None;
    }
    let mut tracks = text.trim().strip_prefix("%BC")?.splitn(3, '?');
    let (first, second, third) = (tracks.next()?, tracks.next()?, tracks.next()?);
    let (number, days) = second.strip_prefix(';')?.strip_prefix(ISSUER)?.split_once('=')?;
    let (expiry, birth) = days.get(..12)?.split_at(4);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if ![number, expiry, birth].into_iter().all(is_number) || number.len() > NUMBER {
        return None;
    }
    let (city, _, rest) = field(first, CITY);
    let (name, is_whole, lines) = field(rest, NAME);
    let (last, given) = name.split_once('$').unwrap_or((name, ""));
    // Where a name is as long as it may be, its end may be cut.
    let named = |text: &str, is_whole: bool| {
        let text = some(spaced(text))?;
        Some((text.clone(), is_whole.then_some(text)))
    };
    let sex = third
        .trim_start_matches('_')
        .strip_prefix('%')
        .and_then(|track| track.get(BEFORE_SEX..=BEFORE_SEX));
    let of_issuer = issuer(ISSUER)?;
    let found = [
        (FieldName::LastName, named(last, is_whole || last.len() < name.len())),
        (FieldName::FirstName, named(given, is_whole)),
        (
            FieldName::BirthDate,
            Some((birth.to_owned(), date(birth).map(civil_date::format))),
        ),
        (
            FieldName::Gender,
            sex.map(str::trim)
                .filter(|sex| !sex.is_empty())
                .map(|sex| (sex.to_owned(), gender(sex))),
        ),
        (FieldName::Address, some(address(lines, city)).map(same)),
        (FieldName::DocumentNumber, Some(same(number.to_owned()))),
        // Year and month: of which day is not said.
        (FieldName::ExpiryDate, Some((expiry.to_owned(), None))),
        (FieldName::IssuingAuthority, Some(same(of_issuer.region.to_owned()))),
        (FieldName::IssuingCountry, Some(same(of_issuer.country.to_owned()))),
    ];
    let found = found.into_iter().filter_map(|(name, value)| Some((name, value?)));
    Some(found.collect())
}

/// A field, whether something says that it ends there, and what follows it.
fn field(track: &str, most: usize) -> (&str, bool, &str) {
    match track.split_once('^').filter(|(field, _)| field.len() <= most) {
        Some((field, rest)) => (field, true, rest),
        None => {
            let (field, rest) = track.split_at_checked(most).unwrap_or((track, ""));
            (field, false, rest)
        }
    }
}

/// The lines of an address; the last has city, province and postal code, or else the city is given by itself.
fn address(lines: &str, city: &str) -> String {
    let lines = lines.split(['$', '^']).map(spaced).filter(|line| !line.is_empty());
    let mut lines: Vec<String> = lines.collect();
    let city = spaced(city);
    if !lines.is_empty() && !lines.iter().any(|line| line.starts_with(&city)) {
        lines.push(format!("{city} BC"));
    }
    lines.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::reading;
    use domain::document::{FieldName, Side};

    const CODE: &str = "%BCVICTORIA^SAMPLE,$ANNA MARIA^12 OAK ST$VICTORIA BC  V8W 1A1^?;6360281234567=310419850410=?_%0AV8W1A1                     F170 60BRNBLU9000000000                X?";

    fn read(code: &str) -> Vec<String> {
        let reading = reading(code.as_bytes(), Side::Back).unwrap();
        assert_eq!((reading.kind, reading.issuer.as_deref()), (None, Some("636028")));
        let line = |field: &domain::document::OcrField| {
            let (text, normal) = (field.text.as_deref().unwrap(), field.normalized.as_deref());
            format!("{} {text:?} {}", field.name, normal.unwrap_or("-"))
        };
        reading.fields.iter().map(line).collect()
    }

    #[test]
    fn the_tracks_of_british_columbia_are_read_without_a_day_of_expiry_or_a_kind() {
        assert_eq!(
            read(CODE),
            [
                "lastName \"SAMPLE\" SAMPLE",
                "firstName \"ANNA MARIA\" ANNA MARIA",
                "birthDate \"19850410\" 1985-04-10",
                "gender \"F\" female",
                "address \"12 OAK ST, VICTORIA BC V8W 1A1\" 12 OAK ST, VICTORIA BC V8W 1A1",
                "documentNumber \"1234567\" 1234567",
                "expiryDate \"3104\" -",
                "issuingAuthority \"British Columbia\" British Columbia",
                "issuingCountry \"CAN\" CAN",
            ]
        );
    }

    #[test]
    fn a_city_and_a_name_as_long_as_they_may_be_end_without_a_sign() {
        let (city, name) = ("QUEEN CHARLOT", "SAMPLE,$MAXIMILIAN ALEXANDER JONATH");
        assert_eq!((city.len(), name.len()), (super::CITY, super::NAME));
        let read = read(&CODE.replace("VICTORIA^SAMPLE,$ANNA MARIA^", &format!("{city}{name}")));
        assert_eq!(read[0], "lastName \"SAMPLE\" SAMPLE");
        assert_eq!(read[1], "firstName \"MAXIMILIAN ALEXANDER JONATH\" -", "it may be cut");
    }

    #[test]
    fn what_is_no_code_of_the_province_is_not_read() {
        for other in [
            CODE.replace("636028", "636001"),
            CODE.replace("%BC", "%AB"),
            CODE.replace("=3104", "=31x4"),
            CODE.replace("19850410", ""),
            CODE.repeat(4),
            "%BC?;636028=?".to_owned(),
        ] {
            assert_eq!(reading(other.as_bytes(), Side::Back), None, "{other}");
        }
    }

    #[test]
    fn the_health_number_is_not_read() {
        let fields = reading(CODE.as_bytes(), Side::Back).unwrap().fields;
        let texts = fields.iter().filter_map(|field| field.text.as_deref());
        assert!(texts.clone().all(|text| !text.contains("9000000000")));
        assert!(fields.iter().any(|field| field.name == FieldName::DocumentNumber));
    }
}
