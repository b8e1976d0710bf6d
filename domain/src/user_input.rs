//! What the user typed: trimmed, normalised and checked, so that everything else can compare it.

use crate::{civil_date, named::vocabulary, postcode::Postcode, visible};
use serde::{Deserialize, Serialize};
use time::Date;
use unicode_normalization::UnicodeNormalization;

/// A name, in characters.
pub const NAME_LIMIT: usize = 128;
/// An address, in characters.
pub const ADDRESS_LIMIT: usize = 512;

vocabulary! {
    /// Gender.
    Gender {
        /// Male.
        Male = "male",
        /// Female.
        Female = "female",
    }
}

impl Gender {
    /// By the letter of machine-readable zones (ICAO 9303-3), seals and barcodes.
    #[must_use]
    pub fn of_letter(letter: &str) -> Option<Self> {
        match letter {
            "M" => Some(Self::Male),
            "F" => Some(Self::Female),
            _ => None,
        }
    }

    /// By the code of ISO/IEC 5218, which has others for what is not known or does not apply.
    #[must_use]
    pub fn of_iso_5218(code: &str) -> Option<Self> {
        match code {
            "1" => Some(Self::Male),
            "2" => Some(Self::Female),
            _ => None,
        }
    }

    /// By a word or a letter that is printed, in capitals without accents. What a letter means on the documents of a few states only is up to the caller.
    #[must_use]
    pub fn of_printed(word: &str) -> Option<Self> {
        match word {
            "男" | "MALE" | "MANNLICH" | "MASCULIN" | "MASCULINO" | "HOMBRE" | "LELAKI" => Some(Self::Male),
            "女" | "FEMALE" | "W" | "FEMININ" | "FEMENINO" | "FEMININO" | "MUJER" | "PEREMPUAN" => Some(Self::Female),
            letter => Self::of_letter(letter),
        }
    }
}

/// Nobody alive is older (in years); the oldest documented person reached 122.
const OLDEST: i32 = 130;

/// Which details are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormStyle {
    /// For a Japanese document: names also in kana, which are required, and a postcode, which comes before the address.
    Japanese,
    /// For all others.
    International,
}

impl FormStyle {
    /// Whether kana and a postcode are asked for.
    #[must_use]
    pub const fn is_japanese(self) -> bool {
        matches!(self, Self::Japanese)
    }
}

/// The form as typed.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TypedForm {
    /// Family name.
    pub last_name: String,
    /// Given name.
    pub first_name: String,
    /// Family name in kana.
    pub last_name_kana: String,
    /// Given name in kana.
    pub first_name_kana: String,
    /// Whether the person has one name only, which is the family name: the given name may then be left empty.
    pub one_name: bool,
    /// `YYYY-MM-DD`.
    pub birth_date: String,
    /// A Japanese postcode; asked for with kana.
    pub postcode: String,
    /// Address.
    pub address: String,
}

impl TypedForm {
    /// Puts an address that was typed in several lines into one, which is how addresses are kept and compared.
    pub fn fold_lines(&mut self) {
        const BREAKS: [char; 2] = ['\r', '\n'];
        if self.address.contains(BREAKS) {
            let lines = self.address.split(BREAKS).map(str::trim);
            let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
            self.address = lines.join(" ");
        }
    }

    /// Moves a postcode before the address into its own field, unless there is one.
    pub fn split_postcode(&mut self) {
        if let (Some(code), rest) = Postcode::split_from(&self.address)
            && self.postcode.trim().is_empty()
        {
            (self.postcode, self.address) = (code.to_string(), rest.to_owned());
        }
    }

    /// Whether there is no given name, and none is missing. One that is spelled in kana, where that is asked for, is missing.
    fn has_no_first_name(&self, style: FormStyle) -> bool {
        let is_spelled = style.is_japanese() && !self.first_name_kana.trim().is_empty();
        self.one_name && self.first_name.trim().is_empty() && !is_spelled
    }

    /// Whether there is a postcode before the address, and another one in its own field.
    #[must_use]
    pub fn has_two_postcodes(&self) -> bool {
        let (before, _) = Postcode::split_from(&self.address);
        let own = Postcode::parse(&self.postcode);
        before.zip(own).is_some_and(|(before, own)| before != own)
    }
}

/// What the user typed, normalised.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = UserInputInfo))]
#[serde(rename_all = "camelCase")]
pub struct UserInput {
    /// Family name.
    #[cfg_attr(feature = "schema", schema(required))]
    pub last_name: Option<String>,
    /// Given name.
    #[cfg_attr(feature = "schema", schema(required))]
    pub first_name: Option<String>,
    /// Family name in full-width katakana.
    #[cfg_attr(feature = "schema", schema(required))]
    pub last_name_kana: Option<String>,
    /// Given name in full-width katakana.
    #[cfg_attr(feature = "schema", schema(required))]
    pub first_name_kana: Option<String>,
    /// `YYYY-MM-DD`.
    #[cfg_attr(feature = "schema", schema(required))]
    pub birth_date: Option<String>,
    /// Address.
    #[cfg_attr(feature = "schema", schema(required))]
    pub address: Option<String>,
}

impl std::fmt::Debug for TypedForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TypedForm([personal])")
    }
}

impl std::fmt::Debug for UserInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UserInput([personal])")
    }
}

vocabulary! {
    /// The fields of the details form.
    InputField {
        /// Family name.
        LastName = "lastName",
        /// Given name.
        FirstName = "firstName",
        /// Family name in kana.
        LastNameKana = "lastNameKana",
        /// Given name in kana.
        FirstNameKana = "firstNameKana",
        /// Date of birth.
        BirthDate = "birthDate",
        /// Japanese postcode; optional.
        Postcode = "postcode",
        /// Address.
        Address = "address",
    }
}

vocabulary! {
    /// What is wrong with a field; the pages have the sentences.
    InputFault {
        /// Nothing was typed.
        Missing = "missing",
        /// More characters than the limit.
        TooLong = "too_long",
        /// Control characters, and others that cannot be seen.
        ControlCharacter = "control_character",
        /// Not kana.
        NotKana = "not_kana",
        /// Not a real calendar date.
        NotADate = "not_a_date",
        /// A date in the future.
        InFuture = "in_future",
        /// More than 130 years ago.
        TooLongAgo = "too_long_ago",
        /// Not the seven digits of a postcode.
        NotAPostcode = "not_a_postcode",
        /// Not the postcode that stands before the address.
        PostcodeDiffers = "postcode_differs",
        /// A postcode without an address that is known.
        UnknownPostcode = "unknown_postcode",
        /// Only what the postcode says, without a number.
        Unfinished = "unfinished",
    }
}

impl UserInput {
    /// The only name of a person who has said that they have one only. It is the family name, as in machine-readable zones (ICAO 9303-3
    /// section 4.6).
    #[must_use]
    pub fn only_name(&self) -> Option<&str> {
        self.last_name.as_deref().filter(|_| self.first_name.is_none())
    }

    /// Checks and normalises the form; what its style does not ask for is ignored. A given name is not required of a person who has one name only.
    ///
    /// # Errors
    /// Every field's first fault.
    pub fn parse(form: &TypedForm, style: FormStyle, today: Date) -> Result<Self, Vec<(InputField, InputFault)>> {
        let kana = style.is_japanese();
        let mut faults = Vec::new();
        let mut take = |field, parsed| kept(&mut faults, field, parsed);
        let has_first_name = !form.has_no_first_name(style);
        let mut input = Self {
            last_name: take(InputField::LastName, bounded(&form.last_name, NAME_LIMIT)),
            first_name: if has_first_name {
                take(InputField::FirstName, bounded(&form.first_name, NAME_LIMIT))
            } else {
                None
            },
            last_name_kana: if kana {
                take(InputField::LastNameKana, katakana(&form.last_name_kana))
            } else {
                None
            },
            first_name_kana: if kana && has_first_name {
                take(InputField::FirstNameKana, katakana(&form.first_name_kana))
            } else {
                None
            },
            birth_date: take(InputField::BirthDate, birth_date(&form.birth_date, today)),
            address: None,
        };
        let postcode = if kana {
            kept(&mut faults, InputField::Postcode, postcode(form)).flatten()
        } else {
            None
        };
        input.address = kept(&mut faults, InputField::Address, address(&form.address, postcode));
        if faults.is_empty() { Ok(input) } else { Err(faults) }
    }
}

/// What a field holds; its fault goes to the others.
fn kept<T>(faults: &mut Vec<(InputField, InputFault)>, field: InputField, parsed: Result<T, InputFault>) -> Option<T> {
    parsed.map_err(|fault| faults.push((field, fault))).ok()
}

/// Trimmed NFC text of 1 to `limit` characters. Digits and symbols stay: real people have them in their names.
fn bounded(text: &str, limit: usize) -> Result<String, InputFault> {
    let text: String = text.trim().nfc().collect();
    if text.is_empty() {
        Err(InputFault::Missing)
    } else if text.chars().count() > limit {
        Err(InputFault::TooLong)
    } else if visible::hides_something(&text) || !visible::shows_something(&text) {
        Err(InputFault::ControlCharacter)
    } else {
        Ok(text)
    }
}

/// The postcode, if one was typed into its field.
fn postcode(form: &TypedForm) -> Result<Option<Postcode>, InputFault> {
    if form.postcode.trim().is_empty() {
        return Ok(None);
    }
    if form.has_two_postcodes() {
        return Err(InputFault::PostcodeDiffers);
    }
    Postcode::parse(&form.postcode)
        .map(Some)
        .ok_or(InputFault::NotAPostcode)
}

/// The address, behind its postcode if there is one. One that was typed into the address itself is not repeated.
fn address(text: &str, postcode: Option<Postcode>) -> Result<String, InputFault> {
    let text = bounded(text, ADDRESS_LIMIT)?;
    let Some(postcode) = postcode else { return Ok(text) };
    let (_, bare) = Postcode::split_from(&text);
    bounded(bare, ADDRESS_LIMIT)?;
    bounded(&postcode.before(bare), ADDRESS_LIMIT)
}

/// Full-width katakana; hiragana and half-width kana are folded.
fn katakana(text: &str) -> Result<String, InputFault> {
    // The limit is for what is kept: a half-width kana and its mark become one character, other signs become several.
    let folded = bounded(&to_katakana(text), NAME_LIMIT)?;
    // The katakana block with its middle dot and long mark, and the space between two names.
    let fits = folded.chars().all(|c| matches!(c, '\u{30a1}'..='\u{30ff}' | ' '));
    if fits { Ok(folded) } else { Err(InputFault::NotKana) }
}

/// Folds half-width kana (by NFKC) and hiragana to full-width katakana; leaves everything else.
#[must_use]
pub fn to_katakana(text: &str) -> String {
    text.nfkc()
        .map(|c| match c {
            // Hiragana with its iteration marks: みすゞ.
            '\u{3041}'..='\u{3096}' | '\u{309d}' | '\u{309e}' => char::from_u32(u32::from(c) + 0x60).unwrap_or(c),
            other => other,
        })
        // A mark that has nothing to combine with in hiragana may have something in katakana: わ with ゛ is ヷ.
        .nfkc()
        .collect()
}

fn birth_date(text: &str, today: Date) -> Result<String, InputFault> {
    let text = text.trim();
    if text.is_empty() {
        return Err(InputFault::Missing);
    }
    let date = civil_date::parse(text).ok_or(InputFault::NotADate)?;
    if date > today {
        Err(InputFault::InFuture)
    } else if (date.year() + OLDEST, u8::from(date.month()), date.day())
        < (today.year(), u8::from(today.month()), today.day())
    {
        Err(InputFault::TooLongAgo)
    } else {
        Ok(civil_date::format(date))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TODAY: Date = time::macros::date!(2026 - 08 - 02);

    #[test]
    fn a_gender_is_understood_as_documents_write_it() {
        const MALE: Option<Gender> = Some(Gender::Male);
        const FEMALE: Option<Gender> = Some(Gender::Female);
        for (written, letter, code, printed) in [
            ("M", MALE, None, MALE),
            ("F", FEMALE, None, FEMALE),
            ("1", None, MALE, None),
            ("2", None, FEMALE, None),
            ("9", None, None, None),
            ("W", None, None, FEMALE),
            ("MASCULIN", None, None, MALE),
            ("女", None, None, FEMALE),
            ("MASCULINO", None, None, MALE),
            ("FEMENINO", None, None, FEMALE),
            ("FEMININO", None, None, FEMALE),
            ("HOMBRE", None, None, MALE),
            ("MUJER", None, None, FEMALE),
            ("LELAKI", None, None, MALE),
            ("PEREMPUAN", None, None, FEMALE),
            ("X", None, None, None),
            ("H", None, None, None),
            ("m", None, None, None),
            ("", None, None, None),
        ] {
            assert_eq!(Gender::of_letter(written), letter, "{written}");
            assert_eq!(Gender::of_iso_5218(written), code, "{written}");
            assert_eq!(Gender::of_printed(written), printed, "{written}");
        }
    }

    fn form() -> TypedForm {
        TypedForm {
            last_name: " Tanaka ".into(),
            first_name: "花子".into(),
            last_name_kana: "ﾀﾅｶ".into(),
            first_name_kana: "はなこ".into(),
            one_name: false,
            birth_date: "1990-02-28".into(),
            postcode: String::new(),
            address: "東京都千代田区1-2-3".into(),
        }
    }

    #[test]
    fn a_postcode_is_kept_before_the_address_and_found_again() {
        for (postcode, typed, kept) in [
            ("", "東京都千代田区1-2-3", "東京都千代田区1-2-3"),
            (
                "１０００００１",
                "東京都千代田区1-2-3",
                "〒100-0001 東京都千代田区1-2-3",
            ),
            (
                "100-0001",
                "〒100-0001 東京都千代田区1-2-3",
                "〒100-0001 東京都千代田区1-2-3",
            ),
        ] {
            let form = TypedForm {
                postcode: postcode.into(),
                address: typed.into(),
                ..form()
            };
            let input = UserInput::parse(&form, FormStyle::Japanese, TODAY).unwrap();
            assert_eq!(input.address.as_deref(), Some(kept));
            // A user who is not asked for one has none to add.
            let foreign = UserInput::parse(&form, FormStyle::International, TODAY).unwrap();
            assert_eq!(foreign.address.as_deref(), Some(typed));
        }
        let mut form = TypedForm {
            address: "〒100-0001 東京都千代田区1-2-3".into(),
            ..form()
        };
        form.split_postcode();
        assert_eq!(
            (form.postcode.as_str(), form.address.as_str()),
            ("100-0001", "東京都千代田区1-2-3")
        );
        // Of two postcodes none is dropped.
        let two = TypedForm {
            postcode: "150-0001".into(),
            address: "〒100-0001 東京都千代田区1-2-3".into(),
            ..form.clone()
        };
        let mut split = two.clone();
        split.split_postcode();
        assert!(split == two);
        let long = TypedForm {
            address: "あ".repeat(ADDRESS_LIMIT),
            ..form.clone()
        };
        let bad = TypedForm {
            postcode: "100".into(),
            address: "〒100-0001".into(),
            ..form
        };
        for (form, faults) in [
            (long, [(InputField::Address, InputFault::TooLong)]),
            (bad, [(InputField::Postcode, InputFault::NotAPostcode)]),
            (two, [(InputField::Postcode, InputFault::PostcodeDiffers)]),
        ] {
            assert_eq!(
                UserInput::parse(&form, FormStyle::Japanese, TODAY),
                Err(faults.to_vec())
            );
        }
    }

    #[test]
    fn an_address_typed_in_several_lines_becomes_one() {
        for (typed, kept) in [
            ("Flat 2\r\n1 Sample Street", "Flat 2 1 Sample Street"),
            (" Flat 2, \n\r\n \t1  Sample Street\n", "Flat 2, 1  Sample Street"),
            ("東京都千代田区\r\n\u{3000}1-2-3", "東京都千代田区 1-2-3"),
            ("1 Sample Street ", "1 Sample Street "),
            ("\r\n \r\n", ""),
        ] {
            let mut form = TypedForm {
                address: typed.into(),
                ..form()
            };
            form.fold_lines();
            assert_eq!(form.address, kept, "{typed:?}");
            let input = UserInput::parse(&form, FormStyle::International, TODAY).ok();
            let address = input.and_then(|input| input.address).unwrap_or_default();
            assert_eq!(address, kept.trim(), "{typed:?}");
        }
    }

    #[test]
    fn kana_of_any_width_becomes_full_width_katakana() {
        let input = UserInput::parse(&form(), FormStyle::Japanese, TODAY).unwrap();
        assert_eq!(input.last_name_kana.as_deref(), Some("タナカ"));
        assert_eq!(input.first_name_kana.as_deref(), Some("ハナコ"));
        assert_eq!(input.last_name.as_deref(), Some("Tanaka"));
    }

    #[test]
    fn whoever_has_one_name_leaves_the_given_name_empty() {
        let one = TypedForm {
            first_name: " ".into(),
            first_name_kana: String::new(),
            one_name: true,
            ..form()
        };
        for (style, expected) in [(FormStyle::Japanese, Some("タナカ")), (FormStyle::International, None)] {
            let input = UserInput::parse(&one, style, TODAY).unwrap();
            assert_eq!(input.only_name(), Some("Tanaka"));
            assert_eq!(input.last_name_kana.as_deref(), expected);
            assert_eq!((input.first_name, input.first_name_kana), (None, None));
        }
        let unsaid = TypedForm {
            one_name: false,
            ..one.clone()
        };
        let nameless = TypedForm {
            last_name: String::new(),
            ..one
        };
        let given = [InputField::FirstName, InputField::FirstNameKana];
        for (form, missing) in [(unsaid, &given[..]), (nameless, &[InputField::LastName][..])] {
            let missing: Vec<_> = missing.iter().map(|field| (*field, InputFault::Missing)).collect();
            assert_eq!(UserInput::parse(&form, FormStyle::Japanese, TODAY), Err(missing));
        }
        // What was typed all the same is kept, and is checked.
        let two = TypedForm {
            one_name: true,
            ..form()
        };
        let input = UserInput::parse(&two, FormStyle::Japanese, TODAY).unwrap();
        assert_eq!((input.first_name.as_deref(), input.only_name()), (Some("花子"), None));
    }

    #[test]
    fn a_given_name_in_kana_needs_the_given_name_that_it_spells() {
        let missing = (InputField::FirstName, InputFault::Missing);
        let not_kana = (InputField::FirstNameKana, InputFault::NotKana);
        for (spelled, faults) in [("はなこ", vec![missing]), ("Hanako", vec![missing, not_kana])] {
            let form = TypedForm {
                first_name: " ".into(),
                first_name_kana: spelled.into(),
                one_name: true,
                ..form()
            };
            assert_eq!(
                UserInput::parse(&form, FormStyle::Japanese, TODAY),
                Err(faults),
                "{spelled}"
            );
            // A user who is not asked for kana has spelled nothing.
            let foreign = UserInput::parse(&form, FormStyle::International, TODAY).unwrap();
            assert_eq!(foreign.only_name(), Some("Tanaka"), "{spelled}");
        }
    }

    #[test]
    fn iteration_marks_are_kana() {
        for (typed, kept) in [("みすゞ", "ミスヾ"), ("いすゝ", "イスヽ"), ("ミスヾ", "ミスヾ")] {
            assert_eq!(katakana(typed).as_deref(), Ok(kept), "{typed}");
        }
    }

    #[test]
    fn kana_are_counted_as_they_are_kept() {
        let half_width = "ｶﾞ".repeat(NAME_LIMIT);
        assert_eq!(katakana(&half_width), Ok("ガ".repeat(NAME_LIMIT)));
        for (typed, times) in [("ｶﾞ", NAME_LIMIT + 1), ("㍍", NAME_LIMIT / 4 + 1)] {
            assert_eq!(katakana(&typed.repeat(times)), Err(InputFault::TooLong), "{typed}");
        }
        // Four characters of katakana each.
        assert_eq!(katakana("㍍").as_deref(), Ok("メートル"));
    }

    #[test]
    fn every_field_tells_its_fault() {
        let bad = TypedForm {
            birth_date: "2026-08-03".into(),
            last_name_kana: "Tanaka".into(),
            ..TypedForm::default()
        };
        let faults = UserInput::parse(&bad, FormStyle::Japanese, TODAY).unwrap_err();
        assert_eq!(
            faults,
            [
                (InputField::LastName, InputFault::Missing),
                (InputField::FirstName, InputFault::Missing),
                (InputField::LastNameKana, InputFault::NotKana),
                (InputField::FirstNameKana, InputFault::Missing),
                (InputField::BirthDate, InputFault::InFuture),
                (InputField::Address, InputFault::Missing),
            ]
        );
    }

    #[test]
    fn names_and_addresses_have_no_characters_that_cannot_be_seen() {
        for (typed, fits) in [
            ("HANAKO", true),
            ("نیک\u{200c}پور", true),
            ("辻\u{e0100}", true),
            ("HA\u{200b}NA\u{ad}KO", false),
            ("\u{202e}OKANAH", false),
            ("HANAKO\u{200e}", false),
            ("\u{3164}", false),
            ("\u{2800}", false),
            ("HANA\u{7}KO", false),
        ] {
            let form = TypedForm {
                last_name: typed.into(),
                address: typed.into(),
                ..form()
            };
            let faults = [InputField::LastName, InputField::Address].map(|field| (field, InputFault::ControlCharacter));
            let faults = if fits { Vec::new() } else { faults.to_vec() };
            let parsed = UserInput::parse(&form, FormStyle::Japanese, TODAY);
            assert_eq!(parsed.err().unwrap_or_default(), faults, "{typed:?}");
        }
    }

    #[test]
    fn only_real_dates_of_the_last_130_years_pass() {
        for (text, fault) in [
            ("1990-02-30", InputFault::NotADate),
            ("90-02-01", InputFault::NotADate),
            ("1896-08-01", InputFault::TooLongAgo),
        ] {
            assert_eq!(birth_date(text, TODAY), Err(fault), "{text}");
        }
        assert_eq!(birth_date("1896-08-02", TODAY).as_deref(), Ok("1896-08-02"));
        assert_eq!(birth_date("2024-02-29", TODAY).as_deref(), Ok("2024-02-29"));
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "[ぁ-ゖゝゞァ-ヶヽヾｦ-ﾟa-z ]{0,20}") {
            let once = to_katakana(&text);
            prop_assert_eq!(to_katakana(&once), once.clone());
        }
    }
}
