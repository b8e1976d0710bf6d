//! Items read from labels and values, normalised where that is safe.

use super::{dates, labels, layout};
use crate::calendar::ERAS;
use crate::country;
use crate::fold;
use crate::text::Line;
use domain::civil_date;
use domain::document::{DocumentType, FieldName, OcrField, Side};
use domain::user_input::Gender;

/// The issuer and the title of the cards by which Mexicans identify themselves, folded and bare. There M may be *mujer*, beside H for *hombre*.
const MEXICAN_VOTERS_CARD: [&str; 2] = ["INSTITUTONACIONALELECTORAL", "CREDENCIALPARAVOTAR"];
/// Letters of these that may be misread.
const MISREAD: usize = 3;

/// The items of the visual zone, each name once, the first that was found.
pub(super) fn items(lines: &[&Line], kind: DocumentType, side: Side) -> Vec<OcrField> {
    let placed = layout::placed(lines);
    let is_label = |text: &str| labels::read(text, kind).is_some() || labels::is_label(text);
    let mut items: Vec<OcrField> = Vec::new();
    let mut keep = |name: FieldName, text: &str| {
        if items.iter().all(|item| item.name != name)
            && let Some((text, normalized)) = normal(name, text)
        {
            items.push(OcrField {
                side,
                name,
                text: Some(text),
                normalized,
            });
        }
    };
    for line in &placed {
        by_wording(line.text, &mut keep);
        let Some(label) = labels::read(line.text, kind) else {
            continue;
        };
        if let Some(value) = label
            .value
            .as_deref()
            .filter(|value| !labels::is_label(value))
            .or_else(|| layout::value_of(line, &placed, is_label))
        {
            keep(label.name, value);
        }
    }
    for line in lines {
        if let Some(number) = by_shape(&line.text, kind) {
            keep(FieldName::DocumentNumber, &number);
        }
    }
    doubt_mexican_sex(lines.iter().copied(), &mut items);
    items
}

/// Removes the normal form of a sex that is written M on a Mexican voter's card and was read as male.
pub(crate) fn doubt_mexican_sex<'a>(lines: impl IntoIterator<Item = &'a Line>, items: &mut [OcrField]) {
    let says_so = |line: &Line| {
        let letters = fold::bare(&line.text);
        MEXICAN_VOTERS_CARD
            .iter()
            .any(|words| fold::contains_nearly(&letters, words, MISREAD))
    };
    if !lines.into_iter().any(says_so) {
        return;
    }
    let male = Gender::Male.to_string();
    let is_written_so = |item: &&mut OcrField| item.name == FieldName::Gender && item.text.as_deref() == Some("M");
    for item in items.iter_mut().filter(is_written_so) {
        item.normalized = item.normalized.take().filter(|sex| *sex != male);
    }
}

/// Dates that say themselves what they are: 昭和61年5月1日生, 2025年3月31日まで有効.
fn by_wording(text: &str, keep: &mut impl FnMut(FieldName, &str)) {
    for found in dates::all(text) {
        let written = civil_date::format(found.date);
        if found.after.starts_with("日生") || found.after.starts_with('生') {
            keep(FieldName::BirthDate, &written);
        } else if found.after.starts_with("日まで") || found.after.starts_with("まで") {
            keep(FieldName::ExpiryDate, &written);
        } else if found.before.ends_with("交付") {
            keep(FieldName::IssueDate, &written);
        }
    }
}

/// Numbers of Japanese cards, which stand without a label: AB12345678CD on residence cards, 第012345678901号 on licences.
fn by_shape(text: &str, kind: DocumentType) -> Option<String> {
    let bare = fold::bare(text);
    match kind {
        DocumentType::ResidenceCard | DocumentType::SpecialPermanentResidentCertificate => {
            let letters = |part: Option<&str>| part.is_some_and(|p| p.bytes().all(|b| b.is_ascii_uppercase()));
            let digits = bare.get(2..10).is_some_and(|p| p.bytes().all(|b| b.is_ascii_digit()));
            (bare.len() == 12 && letters(bare.get(..2)) && digits && letters(bare.get(10..))).then_some(bare)
        }
        DocumentType::DrivingLicense | DocumentType::DrivingHistoryCertificate => {
            let inner = bare.strip_prefix('第').unwrap_or(&bare);
            let inner = inner.strip_suffix('号').unwrap_or(inner);
            (inner.len() == 12 && inner.bytes().all(|b| b.is_ascii_digit())).then(|| inner.to_owned())
        }
        DocumentType::MyNumberCard | DocumentType::Passport | DocumentType::IdCard => None,
    }
}

/// The text to keep and its normal form; `None` where the text cannot be this item at all.
fn normal(name: FieldName, text: &str) -> Option<(String, Option<String>)> {
    let tidy = fold::tidy(text);
    if tidy.is_empty() {
        return None;
    }
    match name {
        FieldName::BirthDate | FieldName::IssueDate | FieldName::ExpiryDate => {
            let found = dates::all(&tidy);
            let [one] = found.as_slice() else { return None };
            Some((tidy, Some(civil_date::format(one.date))))
        }
        FieldName::Gender => {
            let gender = gender(&tidy)?;
            Some((tidy, Some(gender.to_string())))
        }
        FieldName::DocumentNumber => {
            let number = fold::bare(&tidy);
            let number: String = number.trim_start_matches('第').trim_end_matches('号').to_owned();
            let fits = (5..=16).contains(&number.len())
                && number.bytes().all(|b| b.is_ascii_alphanumeric())
                && number.bytes().filter(u8::is_ascii_digit).count() >= 3;
            fits.then_some((tidy, Some(number)))
        }
        FieldName::Nationality | FieldName::IssuingCountry => {
            let code = country(&tidy);
            Some((tidy, code))
        }
        FieldName::LastName | FieldName::FirstName | FieldName::FullName => {
            let written = before_date(&tidy);
            let letters = written.chars().filter(|c| c.is_alphabetic()).count();
            (letters > 0).then(|| (written.clone(), Some(written)))
        }
        // What has no number at all is a piece of a label.
        FieldName::Address => {
            let is_number = |c: char| c.is_numeric() || "一二三四五六七八九十".contains(c);
            tidy.contains(is_number).then(|| (tidy.clone(), Some(tidy.clone())))
        }
        FieldName::IssuingAuthority
        | FieldName::ResidenceStatus
        | FieldName::LastNameKana
        | FieldName::FirstNameKana => Some((tidy.clone(), Some(tidy))),
        FieldName::Mrz => None,
    }
}

/// A Japanese licence prints name and date of birth on one line: the name ends where the date begins.
fn before_date(text: &str) -> String {
    let starts = ERAS.iter().filter_map(|era| text.find(era.name));
    let digits = text.char_indices().find(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at);
    let end = starts
        .chain(digits.filter(|_| !dates::all(text).is_empty()))
        .min()
        .unwrap_or(text.len());
    text[..end].trim().to_owned()
}

fn gender(text: &str) -> Option<Gender> {
    let folded = fold::folded(text);
    // H is *hombre*.
    let of_word = |word: &str| Gender::of_printed(word).or((word == "H").then_some(Gender::Male));
    let word = |wanted: Gender| {
        folded
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| of_word(word) == Some(wanted))
    };
    let (female, male) = (
        folded.contains('女') || word(Gender::Female),
        folded.contains('男') || word(Gender::Male),
    );
    match (female, male) {
        (true, false) => Some(Gender::Female),
        (false, true) => Some(Gender::Male),
        _ => None,
    }
}

/// The code of a country, by that or by its name.
fn country(text: &str) -> Option<String> {
    let letters: String = fold::folded(text).chars().filter(|c| !c.is_whitespace()).collect();
    country::code(&letters).map(str::to_owned)
}
