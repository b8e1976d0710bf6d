//! The words documents print before or above an item, in the languages of the documents that are understood.

use crate::fold::{bare, contains_nearly, folded};
use domain::document::{DocumentType, FieldName};
use std::sync::LazyLock;

/// Labels without spaces, folded; longer ones first where one begins with another.
const LABELS: [(FieldName, &[&str]); 13] = [
    (
        FieldName::LastName,
        &[
            "SURNAMES",
            "SURNAME",
            "FAMILYNAME",
            "LASTNAME",
            "NACHNAME",
            "APELLIDOS",
            "NOM",
            "姓",
        ],
    ),
    (
        FieldName::FirstName,
        &[
            "GIVENNAMES",
            "GIVENNAME",
            "FIRSTNAME",
            "FORENAMES",
            "VORNAMEN",
            "PRENOMS",
            "PRENOM",
            "NOMBRES",
            "名",
        ],
    ),
    (FieldName::FullName, &["NAMEOFHOLDER", "FULLNAME", "NAME", "氏名"]),
    (
        FieldName::BirthDate,
        &[
            "DATEOFBIRTH",
            "BIRTHDATE",
            "DATEDENAISSANCE",
            "GEBURTSDATUM",
            "GEBURTSTAG",
            "FECHADENACIMIENTO",
            "DOB",
            "生年月日",
        ],
    ),
    (
        FieldName::Gender,
        &["SEX", "SEXE", "GENDER", "GESCHLECHT", "SEXO", "性別"],
    ),
    (
        FieldName::Address,
        &["ADDRESS", "ADRESSE", "ANSCHRIFT", "DOMICILIO", "住所", "住居地"],
    ),
    (
        FieldName::Nationality,
        &[
            "NATIONALITY",
            "NATIONALITE",
            "STAATSANGEHORIGKEIT",
            "NACIONALIDAD",
            "国籍・地域",
            "国籍",
        ],
    ),
    (
        FieldName::DocumentNumber,
        &[
            "PASSPORTNUMBER",
            "PASSPORTNO",
            "DOCUMENTNUMBER",
            "DOCUMENTNO",
            "IDENTITYCARDNO",
            "CARDNUMBER",
            "CARDNO",
            "LICENCENO",
            "LICENSENO",
            "NUMBER",
            "NO",
            "旅券番号",
            "在留カード番号",
            "番号",
        ],
    ),
    (
        FieldName::IssueDate,
        &[
            "DATEOFISSUE",
            "ISSUEDATE",
            "ISSUED",
            "DATEDEDELIVRANCE",
            "AUSSTELLUNGSDATUM",
            "発行年月日",
            "交付年月日",
            "交付",
        ],
    ),
    (
        FieldName::ExpiryDate,
        &[
            "DATEOFEXPIRATION",
            "DATEOFEXPIRY",
            "EXPIRYDATE",
            "EXPIRATIONDATE",
            "EXPIRES",
            "VALIDUNTIL",
            "DATEDEXPIRATION",
            "GULTIGBIS",
            "有効期間満了日",
            "在留期間(満了日)",
            "在留期間満了日",
            "有効期限",
        ],
    ),
    (
        FieldName::IssuingAuthority,
        &[
            "ISSUINGAUTHORITY",
            "AUTHORITY",
            "AUTORITE",
            "BEHORDE",
            "発行機関",
            "発行官庁",
        ],
    ),
    (FieldName::IssuingCountry, &["ISSUINGCOUNTRY", "ISSUINGSTATE", "発行国"]),
    (FieldName::ResidenceStatus, &["STATUSOFRESIDENCE", "在留資格"]),
];

/// Labels and headings of items that are not read, folded, letters and digits only. They are never values either.
const OTHERS: &[&str] = &[
    "PLACEOFBIRTH",
    "LIEUDENAISSANCE",
    "GEBURTSORT",
    "LUGARDENACIMIENTO",
    "BIRTHPLACE",
    "HEIGHT",
    "TAILLE",
    "COLOUROFEYES",
    "EYECOLOUR",
    "COULEURDESYEUX",
    "AUGENFARBE",
    "HOLDERSSIGNATURE",
    "SIGNATUREOFHOLDER",
    "SIGNATUREOFBEARER",
    "SIGNATUREDUTITULAIRE",
    "UNTERSCHRIFT",
    "SIGNATURE",
    "FIRMA",
    "PASSPORT",
    "PASSEPORT",
    "REISEPASS",
    "PASAPORTE",
    "PASSAPORTO",
    "IDENTITYCARD",
    "CARTEDIDENTITE",
    "PERSONALAUSWEIS",
    "TYPE",
    "CODEOFISSUINGSTATE",
    "CODEDUPAYS",
    "CODEDELETAT",
    "COUNTRYCODE",
    "CODE",
    "PERSONALNO",
    "PERSONALNUMBER",
    "NUMEROPERSONNEL",
    "PASSEPORTNO",
    "REISEPASSNR",
    "PASSNR",
    "RESIDENCE",
    "DOMICILE",
    "WOHNORT",
    "DATEDEXPIRATION",
    "DATEDELIVRANCE",
    "DATEOFDELIVERY",
    "FECHADEEXPEDICION",
    "FECHADECADUCIDAD",
    "AUTORIDAD",
    "AUSSTELLENDEBEHORDE",
    "NUMEROTDUDOCUMENT",
    "DOCUMENTNUMBER",
    "RELIGIOUSNAMEORPSEUDONYM",
    "REGISTEREDDOMICILE",
    "本籍",
    "型",
    "所持人自署",
];
/// Shorter labels are parts of many names: they are labels only when they stand alone.
const LEAST_GLUED: usize = 4;
/// Letters of a label for each one read wrongly.
const LETTERS_PER_ERROR: usize = 8;

/// The numbers of a European driving licence (Directive 2006/126/EC annex I).
const LICENCE_NUMBERS: [(FieldName, &str); 7] = [
    (FieldName::LastName, "1."),
    (FieldName::FirstName, "2."),
    (FieldName::BirthDate, "3."),
    (FieldName::IssueDate, "4A."),
    (FieldName::ExpiryDate, "4B."),
    (FieldName::IssuingAuthority, "4C."),
    (FieldName::DocumentNumber, "5."),
];

/// All labels and headings as [`bare`] makes them.
struct Known {
    /// Those that are labels in the middle of other letters as well.
    glued: Vec<String>,
    /// Those that are labels only beside others.
    short: Vec<String>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let labels = LABELS.iter().flat_map(|(_, labels)| *labels).chain(OTHERS);
    let is_glued = |label: &String| label.chars().count() >= LEAST_GLUED || !label.is_ascii();
    let (glued, short) = labels.map(|label| bare(label)).partition(is_glued);
    Known { glued, short }
});

/// What a line says: which item it names, and the value if it stands on the same line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) name: FieldName,
    pub(super) value: Option<String>,
}

/// Reads a line as a label, in one language or in several with strokes between.
pub(super) fn read(text: &str, kind: DocumentType) -> Option<Label> {
    if kind == DocumentType::DrivingLicense
        && let Some((name, rest)) = LICENCE_NUMBERS
            .iter()
            .find_map(|(name, number)| Some((*name, after(text, number, LabelEnd::Anywhere)?)))
    {
        return (!rest.is_empty()).then_some(Label {
            name,
            value: Some(rest),
        });
    }
    let mut name = None;
    let mut value = Vec::new();
    for part in text.split(['/', '／', ':', '：']) {
        match begins_with_label(part) {
            Some((found, rest)) if value.is_empty() && name.is_none_or(|n| n == found) => {
                name = Some(found);
                value.extend((!rest.is_empty()).then_some(rest));
            }
            _ if name.is_none() => return None,
            _ => value.extend(Some(part.trim().to_owned()).filter(|v| !v.is_empty())),
        }
    }
    let value = value.join("/");
    let has_text = value.chars().any(char::is_alphanumeric);
    name.map(|name| Label {
        name,
        value: has_text.then_some(value),
    })
}

/// Whether a text is made of labels alone, in any language, with or without anything between: `Nom`, `Surname/Nom`, `AuthorityAutorité`.
pub(crate) fn is_label(text: &str) -> bool {
    let bare = bare(text);
    let near = |label: &String| {
        let errors = label.chars().count() / LETTERS_PER_ERROR;
        bare.chars().count().abs_diff(label.chars().count()) <= errors && contains_nearly(&bare, label, errors)
    };
    let mut known = KNOWN.glued.iter().chain(&KNOWN.short);
    if bare.is_empty() || known.any(|label| *label == bare || near(label)) {
        return !bare.is_empty();
    }
    // Numbers in brackets stand between labels, as in `Nom/Surname (1)`.
    let letters: String = bare.chars().filter(|c| !c.is_numeric()).collect();
    // reached[i]: labels cover the text up to the byte i, at least one of them a long one.
    let mut reached = vec![(false, false); letters.len() + 1];
    reached[0].0 = true;
    for at in 0..letters.len() {
        let (any, long) = reached[at];
        if !letters.is_char_boundary(at) || !(any || long) {
            continue;
        }
        for (labels, is_long) in [(&KNOWN.glued, true), (&KNOWN.short, false)] {
            for label in labels.iter().filter(|label| letters[at..].starts_with(label.as_str())) {
                let end = &mut reached[at + label.len()];
                end.0 |= any && !is_long;
                end.1 |= long || is_long;
            }
        }
    }
    reached[letters.len()].1
}

fn begins_with_label(part: &str) -> Option<(FieldName, String)> {
    let candidates = LABELS
        .iter()
        .flat_map(|(name, labels)| labels.iter().map(move |label| (*name, *label)));
    let matches = candidates.filter_map(|(name, label)| {
        let ends = if label.is_ascii() {
            LabelEnd::WithWord
        } else {
            LabelEnd::Anywhere
        };
        Some((label.len(), name, after(part, label, ends)?))
    });
    matches
        .max_by_key(|(length, ..)| *length)
        .map(|(_, name, rest)| (name, rest))
}

/// Where a label may end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LabelEnd {
    /// Where its word does, in Latin letters.
    WithWord,
    /// The value may follow at once, as it does in kanji.
    Anywhere,
}

/// What follows a label in a text; `None` where the text does not begin with it. One character alone is a label only if nothing follows.
fn after(text: &str, label: &str, ends: LabelEnd) -> Option<String> {
    let mut wanted = label.chars().peekable();
    let mut rest = text.char_indices();
    let mut end = 0;
    while let Some(next) = wanted.peek() {
        let (at, c) = rest.next()?;
        end = at + c.len_utf8();
        if c.is_whitespace() || (c == '.' && *next != '.') {
            continue;
        }
        for folded in folded(&c.to_string()).chars() {
            if wanted.next() != Some(folded) {
                return None;
            }
        }
    }
    let tail = &text[end..];
    let next = tail.chars().next();
    let separate = next.is_none_or(|c| !c.is_alphanumeric());
    let alone = tail.chars().all(|c| !c.is_alphanumeric());
    let single = label.chars().count() == 1;
    if single && !alone || !separate && ends == LabelEnd::WithWord {
        return None;
    }
    Some(
        without_plural(tail)
            .trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ',' | ')' | '(' | '・'))
            .to_owned(),
    )
}

/// What follows a label without the plural that it may have in brackets: `Given name(s)`.
fn without_plural(tail: &str) -> &str {
    let behind = |plural: &str| tail.trim_start().strip_prefix(plural);
    behind("(s)").or_else(|| behind("(S)")).unwrap_or(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<(FieldName, Option<String>)> {
        read(text, DocumentType::ResidenceCard).map(|label| (label.name, label.value))
    }

    #[test]
    fn labels_in_two_languages_are_one_label() {
        assert_eq!(of("Surname / 姓"), Some((FieldName::LastName, None)));
        assert_eq!(of("Given names / 名"), Some((FieldName::FirstName, None)));
        assert_eq!(of("Givennames/名"), Some((FieldName::FirstName, None)));
        assert_eq!(of("Date of expiry/有效期间满了日"), Some((FieldName::ExpiryDate, None)));
        assert_eq!(of("Passport No. / 旅券番号"), Some((FieldName::DocumentNumber, None)));
        assert_eq!(of("Prénoms/Given names"), Some((FieldName::FirstName, None)));
    }

    #[test]
    fn a_value_on_the_same_line_is_kept() {
        assert_eq!(
            of("氏名 日本花子"),
            Some((FieldName::FullName, Some("日本花子".to_owned())))
        );
        assert_eq!(
            of("住所東京都千代田区霞が関2-1-1"),
            Some((FieldName::Address, Some("東京都千代田区霞が関2-1-1".to_owned())))
        );
        assert_eq!(of("Sex: F"), Some((FieldName::Gender, Some("F".to_owned()))));
        assert_eq!(
            of("No. AB1234567"),
            Some((FieldName::DocumentNumber, Some("AB1234567".to_owned())))
        );
    }

    #[test]
    fn labels_alone_are_known_in_every_language_glued_or_not() {
        for text in [
            "Nom",
            "Surname Nom",
            "SurnameNom",
            "Autorité",
            "AuthorityAutorité",
            "Authority / Autorité (9)",
            "Prénoms/Given names (2)",
            "Date de naissance",
            "Lieu de naissance/Place of birth",
            "Autorlté",
            "Signature du titulaire/Holder's signature",
            "氏名",
            "有效期间满了日",
            "PASSPORT / PASSEPORT",
        ] {
            assert!(is_label(text), "{text}");
        }
        for text in [
            "",
            "/",
            "DUPONT",
            "NOMURA",
            "NONO",
            "NAMIBIA",
            "TYPHAINE",
            "BENDER",
            "MINISTRY OF FOREIGN AFFAIRS",
            "Nom DUPONT",
            "名古屋市中区",
            "UTOPIA",
            "12 AUG 1974",
        ] {
            assert!(!is_label(text), "{text}");
        }
    }

    #[test]
    fn words_that_only_begin_like_a_label_are_none() {
        for text in [
            "NAMIBIA",
            "NORWAY",
            "名古屋市中区",
            "NOMURA",
            "TANAKA",
            "Numbers are fine",
            "",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn a_european_licence_numbers_its_items() {
        let licence = |text: &str| read(text, DocumentType::DrivingLicense).map(|label| (label.name, label.value));
        assert_eq!(
            licence("4b. 12.04.2031"),
            Some((FieldName::ExpiryDate, Some("12.04.2031".to_owned())))
        );
        assert_eq!(
            licence("1. MÜLLER"),
            Some((FieldName::LastName, Some("MÜLLER".to_owned())))
        );
        assert_eq!(of("1. MÜLLER"), None);
    }
}
