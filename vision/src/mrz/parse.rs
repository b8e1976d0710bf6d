//! Parses the lines of a zone into normalised items (ICAO 9303-3 section 4): names, dates, numbers, countries.

use super::check::{self, Guarded};
use super::{country, fillers};
use crate::calendar::{PAST_CENTURIES, day};
use domain::civil_date;
use domain::document::{FieldName, OcrField, Side};
use domain::findings::MrzFormat;
use domain::user_input::Gender;
use time::Date;

/// Age in days up to which the two digits of a year of birth may also mean a hundred years earlier: six years.
const SMALL_CHILD: i64 = 6 * 365;
/// Days of the longest life that is reckoned with: 120 years.
const LONGEST_LIFE: i64 = 120 * 366;
/// Years for which a document with a zone can have expired: ICAO 9303 is of 1980. Two digits of a year that are further back are those of one to come,
/// in which a card expires that is valid for a lifetime.
const EXPIRED_FOR: i32 = 40;
/// The first and the last day of the year 9999, in which cards expire that never do, such as those of Spain for people over 70.
const NEVER: [&str; 2] = ["990101", "991231"];

/// The names that a zone does not spell as they are: those that fill their field to its end, so that they may have been cut (ICAO 9303-3 section
/// 4.6), and those in letters of a state's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    surname: bool,
    given: bool,
}

impl Cut {
    /// Of a zone that spells neither.
    const BOTH: Self = Self {
        surname: true,
        given: true,
    };

    /// Of names that share a field: the last of them, and a family name that leaves less than half of it, since such a one is cut to
    /// make room for the given names (ICAO 9303-4 section 4.2.3.3).
    fn of(field: &str) -> Self {
        let is_full = !field.ends_with('<');
        let end_of_surname = field.find("<<");
        Self {
            surname: is_full && end_of_surname.is_none_or(|end| end * 2 > field.len()),
            given: is_full && end_of_surname.is_some(),
        }
    }
}

/// The elements of a zone as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Elements {
    /// Whether it is that of a passport, which has both days (ICAO 9303-4).
    is_passport: bool,
    pub(crate) issuer: String,
    pub(crate) surname: String,
    pub(crate) given: String,
    pub(crate) number: String,
    pub(crate) nationality: String,
    pub(crate) birth: String,
    pub(crate) sex: String,
    /// What that means, as far as it is certain.
    gender: Option<Gender>,
    pub(crate) expiry: String,
    /// The check digits, in no order.
    pub(crate) checks: Vec<(Guarded, bool)>,
    pub(crate) cut: Cut,
    /// What is not given, since no check digit covers it and a letter of it may be wrong.
    pub(crate) doubtful: Vec<FieldName>,
    /// Dates that are printed on the same side with all digits of their year: they tell a birth in one century from one in another.
    pub(crate) printed: Vec<Date>,
}

impl Elements {
    /// Cuts the lines apart; they must have the format's number and length.
    pub(crate) fn new(format: MrzFormat, lines: &[String]) -> Self {
        let part = |line: usize, from: usize, to: usize| {
            lines
                .get(line)
                .and_then(|l| l.get(from..to))
                .unwrap_or_default()
                .to_owned()
        };
        let checks = check::results(format, lines);
        if format == MrzFormat::Td1 {
            let line = |line: usize| lines.get(line).map_or("", String::as_str);
            return Self::of_card([line(0), line(1), line(2)], checks);
        }
        if format == MrzFormat::License {
            return Self::of_license(&part(0, 0, 30), checks);
        }
        if format == MrzFormat::France {
            return Self::of_french_card(&part(0, 0, 36), &part(1, 0, 36), checks);
        }
        let named = part(0, 5, 44.min(lines.first().map_or(0, String::len)));
        let (surname, given) = names(&named);
        let is_internal = format == MrzFormat::Td3 && part(0, 0, 5) == "PNRUS";
        let number = match format {
            MrzFormat::Td2 => check::long_number(&part(1, 0, 9), &part(1, 9, 10), &part(1, 28, 35)).0,
            // Russia's internal passport has a digit of its series among the optional data: what stands in the number's place is no number.
            _ if is_internal => String::new(),
            _ => part(1, 0, 9),
        };
        // It has Q for Й and digits for other letters, as nobody spells a name: `ANATOL9EVI3` is Анатольевич.
        let cut = if is_internal { Cut::BOTH } else { Cut::of(&named) };
        Self {
            is_passport: format == MrzFormat::Td3,
            issuer: part(0, 2, 5),
            surname,
            given,
            number: number.replace('<', ""),
            nationality: part(1, 10, 13),
            birth: part(1, 13, 19),
            gender: Gender::of_letter(&part(1, 20, 21)),
            sex: part(1, 20, 21),
            expiry: part(1, 21, 27),
            checks,
            cut,
            doubtful: Vec::new(),
            printed: Vec::new(),
        }
    }

    /// The three lines of a card.
    fn of_card([first, second, third]: [&str; 3], checks: Vec<(Guarded, bool)>) -> Self {
        let part = |line: &str, from: usize, to: usize| line.get(from..to).unwrap_or_default().to_owned();
        let named = part(third, 0, 30);
        let (surname, given) = names(&named);
        let number = check::long_number(&part(first, 5, 14), &part(first, 14, 15), &part(first, 15, 30)).0;
        let (issuer, nationality, sex) = (part(first, 2, 5), part(second, 15, 18), part(second, 7, 8));
        Self {
            is_passport: false,
            gender: gender_on_card(&issuer, &nationality, &sex),
            sex,
            issuer,
            surname,
            given,
            number: number.replace('<', ""),
            nationality,
            birth: part(second, 0, 6),
            expiry: part(second, 8, 14),
            checks,
            cut: Cut::of(&named),
            doubtful: Vec::new(),
            printed: Vec::new(),
        }
    }

    /// The lines of a French identity card of 1988 to 2021: it names no nationality, and no expiry.
    fn of_french_card(first: &str, second: &str, checks: Vec<(Guarded, bool)>) -> Self {
        let part = |line: &str, from: usize, to: usize| line.get(from..to).unwrap_or_default().to_owned();
        let (surname, given) = (part(first, 5, 30), part(second, 13, 27));
        Self {
            is_passport: false,
            issuer: part(first, 2, 5),
            surname: spaced(&surname),
            cut: Cut {
                surname: !surname.ends_with('<'),
                given: !given.ends_with('<'),
            },
            given: spaced(&given),
            number: part(second, 0, 12),
            nationality: String::new(),
            birth: part(second, 27, 33),
            gender: Gender::of_letter(&part(second, 34, 35)),
            sex: part(second, 34, 35),
            expiry: String::new(),
            checks,
            doubtful: Vec::new(),
            printed: Vec::new(),
        }
    }

    /// The line of a driving licence with a chip. ISO/IEC 18013-3 leaves all but its beginning and its end to the issuing state:
    /// France puts number, expiry and a part of the surname there, the Netherlands a digit for the edition and the number.
    fn of_license(line: &str, mut checks: Vec<(Guarded, bool)>) -> Self {
        let part = |from: usize, to: usize| line.get(from..to).unwrap_or_default();
        let whole = checks.contains(&(Guarded::Composite, true));
        // The eight letters of a surname that a French line has are cut and transliterated, however each office does that: the print
        // says how it is spelt.
        let (number, expiry) = match part(2, 5) {
            "FRA" => (part(5, 14), part(15, 21)),
            "NLD" => (part(6, 16), ""),
            _ => Default::default(),
        };
        // Only the last digit covers these.
        checks.push((Guarded::ExpiryDate, whole));
        if part(2, 5) == "NLD" {
            checks.push((Guarded::DocumentNumber, whole));
        }
        Self {
            is_passport: false,
            issuer: part(2, 5).to_owned(),
            surname: String::new(),
            given: String::new(),
            number: number.replace('<', ""),
            nationality: String::new(),
            birth: String::new(),
            gender: None,
            sex: String::new(),
            expiry: expiry.to_owned(),
            checks,
            cut: Cut::default(),
            doubtful: Vec::new(),
            printed: Vec::new(),
        }
    }

    /// The names that contain one of these words.
    pub(crate) fn named_with(&self, words: &[String]) -> Vec<FieldName> {
        let has_one = |name: &str| {
            name.split(' ')
                .any(|word| words.iter().any(|doubtful| doubtful == word))
        };
        let names = [
            (FieldName::LastName, &self.surname),
            (FieldName::FirstName, &self.given),
        ];
        let doubtful = names.into_iter().filter(|(_, name)| has_one(name));
        doubtful.map(|(field, _)| field).collect()
    }

    fn holds(&self, guarded: Guarded) -> bool {
        self.checks.iter().any(|(what, holds)| *what == guarded && *holds)
    }

    /// The date of birth: the latest year with these two digits that is not in the future, or the one before where the print has that.
    /// `None` where the check fails, and for a small child, since that may as well be somebody of a hundred years: the print says which.
    pub(crate) fn birth_date(&self, today: Date) -> Option<Date> {
        match self.birth_dates(today)[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The days that the six digits of the birth are in either century, the later first.
    pub(crate) fn births(&self) -> impl Iterator<Item = Date> {
        let candidates = PAST_CENTURIES.map(|century| date(&self.birth, century));
        candidates.into_iter().flatten()
    }

    /// The dates of birth that the zone may mean, the latest first: that of a small child in two centuries, none where the check fails.
    pub(crate) fn birth_dates(&self, today: Date) -> Vec<Date> {
        if !self.holds(Guarded::BirthDate) {
            return Vec::new();
        }
        let age = |date: &Date| (today - *date).whole_days();
        let may_be = |date: &Date| (0..=LONGEST_LIFE).contains(&age(date));
        let dates: Vec<Date> = self.births().filter(may_be).collect();
        let &[latest, earlier] = dates.as_slice() else {
            return dates;
        };
        let [is_latest, is_earlier] = [latest, earlier].map(|date| self.printed.contains(&date));
        match (is_latest, is_earlier) {
            (false, true) => vec![earlier],
            // One of them is that of issue.
            (true, true) => dates,
            (_, false) if age(&latest) < SMALL_CHILD => dates,
            (_, false) => vec![latest],
        }
    }

    /// The date of expiry: the first year with these two digits in which a document of today may expire or have expired. `None` where the check
    /// fails, and for a card that never expires.
    pub(crate) fn expiry_date(&self, today: Date) -> Option<Date> {
        let mut candidates = [1900, 2000, 2100]
            .into_iter()
            .filter_map(|century| date(&self.expiry, century));
        let is_known = self.holds(Guarded::ExpiryDate) && !NEVER.contains(&self.expiry.as_str());
        let earliest = today.year() - EXPIRED_FOR;
        candidates.find(|date| date.year() >= earliest).filter(|_| is_known)
    }

    /// Whether it is the zone of a passport and lacks a day that every passport has. A birth that is known in part is none that it lacks: only what goes
    /// on from that part completes it. In place of the others, any print with the right label would be taken.
    pub(crate) fn lacks_day_of_passport(&self) -> bool {
        let has_birth = self.birth.bytes().any(|symbol| symbol.is_ascii_digit());
        let has_expiry = date(&self.expiry, PAST_CENTURIES[0]).is_some() && !NEVER.contains(&self.expiry.as_str());
        self.is_passport && !(has_birth && has_expiry)
    }

    /// The dates that are certain.
    pub(crate) fn dates(&self, today: Date) -> Vec<(FieldName, Date)> {
        let dates = [
            (FieldName::BirthDate, self.birth_date(today)),
            (FieldName::ExpiryDate, self.expiry_date(today)),
        ];
        dates
            .into_iter()
            .filter_map(|(name, date)| Some((name, date?)))
            .collect()
    }

    /// The items in the words of the findings. `zone` is the zone itself, lines joined.
    pub(crate) fn fields(&self, side: Side, zone: &str, today: Date) -> Vec<OcrField> {
        let checked = |guarded, value: &str| (self.holds(guarded) && !value.is_empty()).then(|| value.to_owned());
        let name = |value: &str, is_cut: bool| (!value.is_empty() && !is_cut).then(|| value.to_owned());
        // What is left of fillers that could not be told from letters is no name, not even as it was read.
        let legible = |name: &str| {
            if fillers::is_noise(name) {
                String::new()
            } else {
                name.to_owned()
            }
        };
        let (surname, given) = (legible(&self.surname), legible(&self.given));
        let country = |code: &str| country::alpha3(code).map(str::to_owned);
        let plain = |code: &str| code.replace('<', "");
        let items = [
            (FieldName::LastName, surname.clone(), name(&surname, self.cut.surname)),
            (FieldName::FirstName, given.clone(), name(&given, self.cut.given)),
            (
                FieldName::BirthDate,
                plain(&self.birth),
                self.birth_date(today).map(civil_date::format),
            ),
            (
                FieldName::Gender,
                plain(&self.sex),
                self.gender.map(|gender| gender.to_string()),
            ),
            (
                FieldName::Nationality,
                plain(&self.nationality),
                country(&self.nationality),
            ),
            (
                FieldName::DocumentNumber,
                self.number.clone(),
                checked(Guarded::DocumentNumber, &self.number),
            ),
            (
                FieldName::ExpiryDate,
                plain(&self.expiry),
                self.expiry_date(today).map(civil_date::format),
            ),
            (FieldName::IssuingCountry, plain(&self.issuer), country(&self.issuer)),
            (FieldName::Mrz, zone.to_owned(), Some(zone.to_owned())),
        ];
        let item = |(name, text, normalized): (FieldName, String, Option<String>)| {
            (!text.is_empty() && !self.doubtful.contains(&name)).then_some(OcrField {
                side,
                name,
                text: Some(text),
                normalized,
            })
        };
        items.into_iter().filter_map(item).collect()
    }
}

/// Family name and given names, which two fillers separate.
fn names(text: &str) -> (String, String) {
    let (surname, given) = text.split_once("<<").unwrap_or((text, ""));
    (spaced(surname), spaced(given))
}

/// Fillers between words become spaces, those at the end vanish.
fn spaced(text: &str) -> String {
    text.split('<')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// What the sex on a card means: on the cards of Mexican voters, who are Mexicans, it is H or M, *hombre* or *mujer*, instead of the M and F of
/// ICAO 9303-5. What a Mexican card of a foreigner says is not certain.
fn gender_on_card(issuer: &str, nationality: &str, sex: &str) -> Option<Gender> {
    match (issuer, nationality, sex) {
        ("MEX", "MEX", "H") => Some(Gender::Male),
        ("MEX", "MEX", "M") => Some(Gender::Female),
        ("MEX", ..) => None,
        _ => Gender::of_letter(sex),
    }
}

/// A date written YYMMDD, in this century.
fn date(text: &str, century: i32) -> Option<Date> {
    let two = |from: usize| text.get(from..from + 2)?.parse::<u8>().ok();
    day(century + i32::from(two(0)?), two(2)?, two(4)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::date;

    const TODAY: Date = date!(2026 - 11 - 21);

    fn elements(format: MrzFormat, text: &str) -> Elements {
        Elements::new(format, &text.split('|').map(str::to_owned).collect::<Vec<_>>())
    }

    fn normalized(fields: &[OcrField], name: FieldName) -> Option<String> {
        fields.iter().find(|f| f.name == name).unwrap().normalized.clone()
    }

    #[test]
    fn a_passport_becomes_items() {
        let zone = "P<D<<MUELLER<LUEDENSCHEIDT<<HANS<PETER<<<<<<|L898902C36D<<7408122M1204159ZE184226B<<<<<10";
        let fields = elements(MrzFormat::Td3, zone).fields(Side::Front, zone, TODAY);
        let get = |name| normalized(&fields, name);
        assert_eq!(get(FieldName::LastName).unwrap(), "MUELLER LUEDENSCHEIDT");
        assert_eq!(get(FieldName::FirstName).unwrap(), "HANS PETER");
        assert_eq!(get(FieldName::BirthDate).unwrap(), "1974-08-12");
        assert_eq!(get(FieldName::ExpiryDate).unwrap(), "2012-04-15");
        assert_eq!(get(FieldName::Gender).unwrap(), "male");
        assert_eq!(get(FieldName::Nationality).unwrap(), "DEU");
        assert_eq!(get(FieldName::IssuingCountry).unwrap(), "DEU");
        assert_eq!(get(FieldName::DocumentNumber).unwrap(), "L898902C3");
    }

    #[test]
    fn an_item_whose_check_digit_fails_has_no_normal_form() {
        let zone = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<|L898902C37UTO7408123F1204150ZE184226B<<<<<10";
        let fields = elements(MrzFormat::Td3, zone).fields(Side::Front, zone, TODAY);
        for name in [
            FieldName::DocumentNumber,
            FieldName::BirthDate,
            FieldName::ExpiryDate,
            FieldName::Nationality,
        ] {
            assert_eq!(normalized(&fields, name), None, "{name}");
        }
        assert_eq!(
            fields
                .iter()
                .find(|f| f.name == FieldName::BirthDate)
                .unwrap()
                .text
                .as_deref(),
            Some("740812")
        );
    }

    #[test]
    fn two_digits_of_a_year_say_nothing_of_a_card_that_never_expires() {
        let expiry = |digits: &str| {
            let zone = format!(
                "I<UTOD231458907<<<<<<<<<<<<<<<|7408122F{digits}UTO<<<<<<<<<<<6|ERIKSSON<<ANNA<MARIA<<<<<<<<<<"
            );
            elements(MrzFormat::Td1, &zone).expiry_date(TODAY)
        };
        assert_eq!(expiry("9901018"), None);
        assert_eq!(expiry("1204159"), Some(date!(2012 - 04 - 15)));
        assert_eq!(expiry("5001013"), Some(date!(2050 - 01 - 01)));
    }

    #[test]
    fn a_card_that_is_valid_for_a_lifetime_has_not_expired_before_there_were_zones() {
        for (digits, year) in [
            ("78", 2078),
            ("85", 2085),
            ("86", 1986),
            ("95", 1995),
            ("26", 2026),
            ("36", 2036),
        ] {
            let expiry = format!("{digits}0501");
            let zone = format!(
                "I<UTOD231458907<<<<<<<<<<<<<<<|7408122F{expiry}{}UTO<<<<<<<<<<<6|ERIKSSON<<ANNA<MARIA<<<<<<<<<<",
                check::digit(&expiry)
            );
            let found = elements(MrzFormat::Td1, &zone).expiry_date(TODAY);
            assert_eq!(found.map(|date| date.year()), Some(year), "{digits}");
        }
    }

    #[test]
    fn on_a_mexican_voters_card_h_is_male_and_m_is_female() {
        for (issuer, nationality, letter, sex) in [
            ("MEX", "MEX", 'H', Some("male")),
            ("MEX", "MEX", 'M', Some("female")),
            ("MEX", "MEX", 'F', None),
            ("MEX", "USA", 'M', None),
            ("UTO", "UTO", 'M', Some("male")),
            ("UTO", "UTO", 'H', None),
        ] {
            let second = format!("8409217{letter}2612315{nationality}<02<<12345<7");
            let zone = format!("ID{issuer}9876543211<<<<<<<<<<<<<<<|{second}|GOMEZ<<MARGARITA<<<<<<<<<<<<<<");
            let fields = elements(MrzFormat::Td1, &zone).fields(Side::Back, &zone, TODAY);
            let found = fields.iter().find(|field| field.name == FieldName::Gender);
            let found = found.and_then(|field| field.normalized.as_deref());
            assert_eq!(found, sex, "{issuer} {nationality} {letter}");
        }
    }

    #[test]
    fn a_card_with_a_long_number_and_one_name_only() {
        let zone = "I<UTOD23145890<7349<<<<<<<<<<<|3407127X9507122UTO<<<<<<<<<<<2|STEVENSON<<<<<<<<<<<<<<<<<<<<<";
        let elements = elements(MrzFormat::Td1, zone);
        assert_eq!(
            (elements.number.as_str(), elements.given.as_str()),
            ("D23145890734", "")
        );
        let fields = elements.fields(Side::Back, zone, TODAY);
        assert!(
            fields
                .iter()
                .all(|f| f.name != FieldName::FirstName && f.side == Side::Back)
        );
        assert_eq!(normalized(&fields, FieldName::Gender), None);
        assert_eq!(normalized(&fields, FieldName::BirthDate).unwrap(), "1934-07-12");
        assert_eq!(normalized(&fields, FieldName::ExpiryDate).unwrap(), "1995-07-12");
    }

    #[test]
    fn the_line_of_a_licence_gives_what_its_state_puts_there() {
        let french = elements(MrzFormat::License, "D1FRA13AA000026181231MARTIN<<9").fields(Side::Front, "", TODAY);
        let get = |name| normalized(&french, name);
        assert_eq!(get(FieldName::DocumentNumber).unwrap(), "13AA00002");
        assert_eq!(get(FieldName::ExpiryDate).unwrap(), "2018-12-31");
        assert_eq!(get(FieldName::IssuingCountry).unwrap(), "FRA");
        let held = |name| french.iter().any(|field| field.name == name);
        assert!(!held(FieldName::BirthDate) && !held(FieldName::FirstName));
        assert!(
            !held(FieldName::LastName),
            "GÉRARD is GERARD here, and a long name is cut"
        );

        let dutch = elements(MrzFormat::License, "D1NLD11234567890ABCDEFGHIJKLM5").fields(Side::Front, "", TODAY);
        assert_eq!(normalized(&dutch, FieldName::DocumentNumber).unwrap(), "1234567890");
        // One symbol is wrong, so its number has no normal form.
        let wrong = elements(MrzFormat::License, "D1NLD11234567891ABCDEFGHIJKLM5").fields(Side::Front, "", TODAY);
        assert_eq!(normalized(&wrong, FieldName::DocumentNumber), None);
    }

    #[test]
    fn what_no_check_digit_covers_is_left_out_where_it_is_in_doubt() {
        let zone = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<|L898902C36UTO7408122F1204159<<<<<<<<<<<<<<<0";
        let mut read = elements(MrzFormat::Td3, zone);
        read.doubtful = read.named_with(&["MARIA".to_owned()]);
        let fields = read.fields(Side::Front, zone, TODAY);
        assert!(fields.iter().all(|field| field.name != FieldName::FirstName));
        assert_eq!(normalized(&fields, FieldName::LastName).unwrap(), "ERIKSSON");
    }

    #[test]
    fn a_name_that_was_cut_and_a_birth_in_two_centuries_have_no_normal_form() {
        let zone = "P<UTONILAVADHANANANDA<<CHAYAPA<DEJTHAMRONG<K|L898902C36UTO2410029F1204159<<<<<<<<<<<<<<<0";
        let fields = elements(MrzFormat::Td3, zone).fields(Side::Front, zone, TODAY);
        assert_eq!(normalized(&fields, FieldName::LastName).unwrap(), "NILAVADHANANANDA");
        for name in [FieldName::FirstName, FieldName::BirthDate] {
            let field = fields.iter().find(|field| field.name == name).unwrap();
            assert!(field.text.is_some() && field.normalized.is_none(), "{name}");
        }
    }

    #[test]
    fn the_print_says_in_which_century_somebody_of_more_than_a_hundred_years_was_born() {
        let zone = format!(
            "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<|L898902C36UTO190301{}F3204153<<<<<<<<<<<<<<<0",
            check::digit("190301")
        );
        let mut read = elements(MrzFormat::Td3, &zone);
        let (child, old) = (date!(2019 - 03 - 01), date!(1919 - 03 - 01));
        for (printed, born) in [
            (vec![], Some(child)),
            (vec![child], Some(child)),
            (vec![old], Some(old)),
            (vec![date!(1819 - 03 - 01)], Some(child)),
            // The hundredth birthday, on which the document was issued.
            (vec![child, old], None),
        ] {
            read.printed = printed.clone();
            assert_eq!(read.birth_date(TODAY), born, "{printed:?}");
        }
        let long_ago = zone.replace("190301", "050301");
        let mut read = elements(MrzFormat::Td3, &long_ago);
        read.checks.iter_mut().for_each(|(_, holds)| *holds = true);
        read.printed = vec![date!(1905 - 03 - 01)];
        assert_eq!(
            read.birth_date(TODAY),
            Some(date!(2005 - 03 - 01)),
            "nobody is 121 years old"
        );
    }

    #[test]
    fn a_family_name_may_have_been_cut_to_make_room_for_given_names() {
        let zone = "P<UTOBENNELONG<WOOLOOM<WARRAND<WARNAM<<DINGO|L898902C36UTO7408122F1204159<<<<<<<<<<<<<<<0";
        let fields = elements(MrzFormat::Td3, zone).fields(Side::Front, zone, TODAY);
        let names = [FieldName::LastName, FieldName::FirstName];
        assert_eq!(names.map(|name| normalized(&fields, name)), [None, None]);
        let short = zone.replace("WARNAM<<DINGO", "WARNA<<DINGO<");
        let fields = elements(MrzFormat::Td3, &short).fields(Side::Front, &short, TODAY);
        assert!(names.iter().all(|name| normalized(&fields, *name).is_some()));
    }

    #[test]
    fn a_french_card_of_before_2021_becomes_items() {
        let zone = "IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<|8806923102858CORINNE<<<<<<<6512068F6";
        let fields = elements(MrzFormat::France, zone).fields(Side::Front, zone, TODAY);
        for (name, value) in [
            (FieldName::LastName, "BERTHIER"),
            (FieldName::FirstName, "CORINNE"),
            (FieldName::DocumentNumber, "880692310285"),
            (FieldName::BirthDate, "1965-12-06"),
            (FieldName::Gender, "female"),
            (FieldName::IssuingCountry, "FRA"),
        ] {
            assert_eq!(normalized(&fields, name).as_deref(), Some(value), "{name}");
        }
        assert!(fields.iter().all(|field| field.name != FieldName::ExpiryDate));
        let full = "IDFRADELAROCHEFOUCAULDDOUDEAUV952042|8806923102858CORINNE<<<<<<<6512068F6";
        let fields = elements(MrzFormat::France, full).fields(Side::Front, full, TODAY);
        assert_eq!(normalized(&fields, FieldName::LastName), None, "it may have been cut");
        assert!(normalized(&fields, FieldName::FirstName).is_some());
    }

    #[test]
    fn the_number_of_an_internal_passport_of_russia_is_left_out_and_its_names_have_no_normal_form() {
        // Its names have digits and a Q for letters that Latin lacks.
        let internal = "PNRUSZDRIL7K<<SERGEQ<ANATOL9EVI3<<<<<<<<<<<<|3919353498RUS7207233M<<<<<<<4151218910003<50";
        let names = [FieldName::LastName, FieldName::FirstName];
        for (zone, is_spelt) in [(internal, false), (&*internal.replace("PNRUS", "P<RUS"), true)] {
            let fields = elements(MrzFormat::Td3, zone).fields(Side::Front, zone, TODAY);
            let has_number = fields.iter().any(|field| field.name == FieldName::DocumentNumber);
            assert_eq!(has_number, is_spelt, "{zone}");
            let are_certain = names.map(|name| normalized(&fields, name).is_some());
            assert_eq!(are_certain, [is_spelt; 2], "{zone}");
        }
    }

    #[test]
    fn fillers_are_no_value() {
        let zone = "P<UTOERIKSSON<<ANNA<<<<<<<<<<<<<<<<<<<<<<<<<|L898902C36UTO67<<<<9<<<<<<<<0<<<<<<<<<<<<<<<0";
        let fields = elements(MrzFormat::Td3, zone).fields(Side::Front, zone, TODAY);
        let text = |name| {
            fields
                .iter()
                .find(|field| field.name == name)
                .and_then(|field| field.text.as_deref())
        };
        assert_eq!(text(FieldName::BirthDate), Some("67"));
        assert_eq!((text(FieldName::ExpiryDate), text(FieldName::Gender)), (None, None));
    }

    proptest! {
        #[test]
        fn a_birth_is_never_in_the_future_and_a_written_date_comes_back(days in 0_i64..36_000) {
            let born = TODAY - time::Duration::days(days);
            let written = format!("{:02}{:02}{:02}", born.year() % 100, u8::from(born.month()), born.day());
            let zone = format!("P<UTOA<<B<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<|L898902C36UTO{written}{}F1204159<<<<<<<<<<<<<<00", check::digit(&written));
            let elements = elements(MrzFormat::Td3, &zone);
            let Some(read) = elements.birth_date(TODAY) else {
                prop_assert!(days < SMALL_CHILD || (days - 36_525).abs() < SMALL_CHILD);
                return Ok(());
            };
            prop_assert!(read <= TODAY && days >= SMALL_CHILD);
            prop_assert_eq!((read.month(), read.day()), (born.month(), born.day()));
            if days < 26 * 365 {
                prop_assert_eq!(read, born);
            }
        }

        #[test]
        fn any_lines_can_be_taken_apart(text in "[A-Z0-9<|]{0,140}") {
            for &format in MrzFormat::ALL {
                elements(format, &text).fields(Side::Front, &text, TODAY);
            }
        }
    }
}
