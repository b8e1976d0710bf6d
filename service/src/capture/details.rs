//! The details: prefilled with the readings, confirmed or corrected by the user. Stored encrypted.

use crate::{
    Honnin,
    access::Applicant,
    capture::{
        findings::findings_of_document,
        postcode::{Filling, fill_in},
        progress::{AttemptState, NotNow, collecting, progress},
        retake::ask_again,
        strips::{Items, Strip, Strips},
    },
    runtime::sealed_json::{open_column, seal_json},
};
use domain::{
    document::{DocumentType, FieldName, OcrField},
    findings::{DocumentFindings, superseded_items},
    ids::CaptureId,
    secret::Personal,
    session::Step,
    user_input::{InputFault, InputField, TypedForm, UserInput},
};
use store::{
    StoreError,
    capture::attempts::{self, TYPED},
    vault::{AssociatedData, SessionKey},
};
use time::Date;

/// The details form as it is shown first.
#[derive(Clone, Debug)]
pub struct Details {
    /// Values of the fields.
    pub form: Personal<TypedForm>,
    /// What was read from the document.
    pub read: Personal<TypedForm>,
    /// Whether kana is asked for.
    pub kana: bool,
}

/// Why the details were refused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DetailsError {
    /// What is wrong with the form.
    #[error("the details have faults")]
    Faults {
        /// The form, with the address of its postcode if none was typed.
        form: Personal<TypedForm>,
        /// What was read from the document.
        read: Box<Personal<TypedForm>>,
        /// Each field's first fault.
        faults: Vec<(InputField, InputFault)>,
        /// Whether kana is asked for.
        kana: bool,
    },
    /// Another step is due.
    #[error(transparent)]
    NotNow(#[from] NotNow),
}

impl From<StoreError> for DetailsError {
    fn from(error: StoreError) -> Self {
        Self::NotNow(error.into())
    }
}

/// The details form: as typed before, otherwise as read from the document as far as it is analysed.
///
/// # Errors
/// [`NotNow`]; [`NotNow::OutOfTurn`] also if a picture has to be retaken.
pub async fn details(honnin: &Honnin, applicant: &Applicant) -> Result<Details, NotNow> {
    let attempt = progress(honnin, applicant).await?;
    let kind = check_turn(&attempt)?;
    ask_again(honnin, applicant, &attempt).await?;
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    let fields = fields_read(&attempt, &key)?;
    let kana = asks_for_kana(kind, fields.expose());
    let read = with_postcode_split(prefilled(fields.expose()), kana);
    let form = match typed(&attempt, &key)? {
        Some(typed) => with_postcode_split(form_of(typed.into_exposed()), kana),
        None => read.clone(),
    };
    Ok(Details {
        form: Personal::new(form),
        read: Personal::new(read),
        kana,
    })
}

/// Where an item of the form is printed: on the sheet of items of this picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The item.
    pub field: InputField,
    /// The picture.
    pub capture: CaptureId,
    /// Its part of the sheet.
    pub strip: Strip,
}

/// Where the items of the form are printed, as far as that is known.
///
/// # Errors
/// [`NotNow`].
pub async fn printed(honnin: &Honnin, applicant: &Applicant) -> Result<Vec<Printed>, NotNow> {
    let attempt = progress(honnin, applicant).await?;
    check_turn(&attempt)?;
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    let (mut sides, mut superseded) = (Vec::new(), Vec::new());
    for (slot, found) in findings_of_document(&attempt, &key)? {
        if let (Some(found), Some(shown)) = (found, attempt.shown(slot)) {
            superseded.extend(superseded_items([found.expose()]));
            sides.push((shown.id, Strips::of(found.expose(), Items::Typed)));
        }
    }
    // What does not hold any more is nothing to type.
    let is_superseded = |name: FieldName| {
        let is_part = matches!(name, FieldName::LastName | FieldName::FirstName);
        superseded.contains(&name) || is_part && superseded.contains(&FieldName::FullName)
    };
    let region = |field: &InputField| {
        let name = read_from(*field).filter(|name| !is_superseded(*name))?;
        sides.iter().find_map(|(capture, strips)| {
            let strip = strips.find(name)?;
            Some(Printed {
                field: *field,
                capture: capture.clone(),
                strip,
            })
        })
    };
    Ok(InputField::ALL.iter().filter_map(region).collect())
}

/// The item of a document that a field of the form is filled in from. No document prints a postcode.
const fn read_from(field: InputField) -> Option<FieldName> {
    Some(match field {
        InputField::LastName => FieldName::LastName,
        InputField::FirstName => FieldName::FirstName,
        InputField::LastNameKana => FieldName::LastNameKana,
        InputField::FirstNameKana => FieldName::FirstNameKana,
        InputField::BirthDate => FieldName::BirthDate,
        InputField::Postcode => return None,
        InputField::Address => FieldName::Address,
    })
}

/// The form with the postcode in a field of its own, where that is asked for: with kana.
fn with_postcode_split(mut form: TypedForm, kana: bool) -> TypedForm {
    if kana {
        form.split_postcode();
    }
    form
}

/// Stores the details, checked and normalised.
///
/// # Errors
/// [`DetailsError`].
pub async fn save_details(
    honnin: &Honnin,
    applicant: &Applicant,
    form: &Personal<TypedForm>,
) -> Result<(), DetailsError> {
    let attempt = progress(honnin, applicant).await?;
    let kind = check_turn(&attempt)?;
    let now = honnin.now();
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    let fields = fields_read(&attempt, &key)?;
    let kana = asks_for_kana(kind, fields.expose());
    let mut form = form.expose().clone();
    let input = match parse(&mut form, kana, now.date()) {
        Ok(input) => input,
        Err(faults) => {
            let read = with_postcode_split(prefilled(fields.expose()), kana);
            return Err(DetailsError::Faults {
                form: Personal::new(form),
                read: Box::new(Personal::new(read)),
                faults,
                kana,
            });
        }
    };
    let sealed = seal_json(&key, &associated_data(&attempt, TYPED), &input)?;
    let who = applicant.clone();
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &who, now).await?;
        if check_turn(&attempt)? != kind {
            return Err(NotNow::OutOfTurn);
        }
        attempt.answers.typed = Some(sealed.clone());
        Ok::<_, NotNow>(attempts::save(tx, &mut attempt.answers).await?)
    });
    Ok(unit.await?)
}

/// The details, or what is wrong with the form in the order of its fields. With kana, the address of the postcode is filled in if there is none:
/// then its number is missing.
fn parse(form: &mut TypedForm, kana: bool, today: Date) -> Result<UserInput, Vec<(InputField, InputFault)>> {
    form.fold_lines();
    let pair = if kana { fault_of_pair(form) } else { None };
    let parsed = UserInput::parse(form, kana, today);
    let Some(fault) = pair else {
        return parsed;
    };
    let mut faults = parsed.err().unwrap_or_default();
    faults.push(fault);
    faults.sort_unstable();
    Err(faults)
}

/// What is wrong with an address and its postcode together: nothing is known to begin the address with, or nothing was added to what is known.
fn fault_of_pair(form: &mut TypedForm) -> Option<(InputField, InputFault)> {
    match fill_in(form) {
        Filling::Begun => Some((InputField::Address, InputFault::Unfinished)),
        Filling::Fault(fault @ InputFault::UnknownPostcode) if form.address.trim().is_empty() => {
            Some((InputField::Postcode, fault))
        }
        // What the postcode itself lacks is found with the other fields.
        Filling::Whole | Filling::Differs(_) | Filling::Fault(_) => None,
    }
}

/// The kind of document, if details may be entered: once its pictures are there, and again until the submit.
fn check_turn(attempt: &AttemptState) -> Result<DocumentType, NotNow> {
    let open = attempt.has_consent() && attempt.plan().has(Step::Document) && attempt.has_pictures();
    attempt.document_type().filter(|_| open).ok_or(NotNow::OutOfTurn)
}

pub(crate) const fn associated_data<'a>(attempt: &'a AttemptState, name: &'a str) -> AssociatedData<'a> {
    attempt.row.associated_data(name)
}

/// The details typed in this attempt.
pub(crate) fn typed(attempt: &AttemptState, key: &SessionKey) -> Result<Option<Personal<UserInput>>, StoreError> {
    open_column(key, &associated_data(attempt, TYPED), attempt.answers.typed.as_ref())
}

/// The items that the document has, without those that a later entry on it replaces: what they say holds no longer.
fn fields_read(attempt: &AttemptState, key: &SessionKey) -> Result<Personal<Vec<OcrField>>, StoreError> {
    let found = findings_of_document(attempt, key)?;
    let found = found.into_iter().filter_map(|(_, found)| found);
    let sides: Vec<DocumentFindings> = found.map(Personal::into_exposed).collect();
    let superseded = superseded_items(&sides);
    let fields = sides.into_iter().flat_map(|side| side.fields);
    let current = fields.filter(|field| !superseded.contains(&field.name));
    Ok(Personal::new(current.collect()))
}

/// Names on Japanese documents require kana. Whether a driving licence is Japanese, only what is printed on it tells.
fn asks_for_kana(kind: DocumentType, fields: &[OcrField]) -> bool {
    let issuer = fields.iter().find(|field| field.name == FieldName::IssuingCountry);
    let issuer = issuer.and_then(|field| field.normalized.as_deref());
    kind.is_japanese()
        && match issuer.filter(|country| !country.is_empty()) {
            Some(country) => country == "JPN",
            None => kind.is_only_japanese() || fields.iter().any(is_in_japanese),
        }
}

/// Whether an item is printed in kana or Chinese characters.
fn is_in_japanese(field: &OcrField) -> bool {
    let is_japanese = |c| matches!(c, '\u{3041}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}');
    field.text.as_deref().is_some_and(|text| text.chars().any(is_japanese))
}

fn prefilled(fields: &[OcrField]) -> TypedForm {
    let value = |name, prefer_normalized: bool| {
        let field = fields.iter().find(|field| field.name == name)?;
        let (first, second) = if prefer_normalized {
            (&field.normalized, &None)
        } else {
            (&field.text, &field.normalized)
        };
        first.clone().or_else(|| second.clone())
    };
    let text = |name| {
        value(name, false)
            .map(|text| text.replace('\n', " "))
            .unwrap_or_default()
    };
    let mut form = TypedForm {
        last_name: text(FieldName::LastName),
        first_name: text(FieldName::FirstName),
        last_name_kana: text(FieldName::LastNameKana),
        first_name_kana: text(FieldName::FirstNameKana),
        birth_date: value(FieldName::BirthDate, true).unwrap_or_default(),
        address: text(FieldName::Address),
        ..TypedForm::default()
    };
    if form.last_name.is_empty() && form.first_name.is_empty() {
        // Japanese cards print the family name first, separated by a space. If the space was not read, the names cannot be
        // split.
        let full = text(FieldName::FullName);
        if let Some((family, given)) = full.split_once(char::is_whitespace) {
            form.last_name = family.to_owned();
            form.first_name = given.split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }
    form
}

fn form_of(input: UserInput) -> TypedForm {
    TypedForm {
        last_name: input.last_name.unwrap_or_default(),
        first_name: input.first_name.unwrap_or_default(),
        last_name_kana: input.last_name_kana.unwrap_or_default(),
        first_name_kana: input.first_name_kana.unwrap_or_default(),
        birth_date: input.birth_date.unwrap_or_default(),
        address: input.address.unwrap_or_default(),
        ..TypedForm::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::document::Side;

    fn field(name: FieldName, value: &str) -> OcrField {
        OcrField {
            side: Side::Front,
            name,
            text: Some(value.to_owned()),
            normalized: Some(value.to_owned()),
        }
    }

    #[test]
    fn a_name_is_divided_where_it_was_read_in_two_parts_only() {
        let names = |full: &str| {
            let form = prefilled(&[field(FieldName::FullName, full)]);
            (form.last_name, form.first_name)
        };
        assert_eq!(names("山田 花子"), ("山田".into(), "花子".into()));
        assert_eq!(names("山田花子"), (String::new(), String::new()));
    }

    #[test]
    fn kana_is_asked_for_where_the_document_is_japanese() {
        const JAPANESE: [FieldName; 2] = [FieldName::FullName, FieldName::Address];
        let asks = |kind, issuer: Option<&str>, printed: [&str; 2]| {
            let printed = JAPANESE.iter().zip(printed).filter(|(_, text)| !text.is_empty());
            let printed = printed.map(|(name, text)| field(*name, text));
            let issuer = issuer.map(|country| field(FieldName::IssuingCountry, country));
            asks_for_kana(kind, &printed.chain(issuer).collect::<Vec<_>>())
        };
        let japanese = ["山田花子", "東京都千代田区丸の内1-2-3"];
        let british = ["MORGAN SARAH", "122 BURNS CRESCENT EDINBURGH EH1 9GP"];
        let dutch = ["DE VRIES WILLEM", ""];
        let american = ["SAMPLE JANE", "123 NORTH STATE ST"];
        let licence = DocumentType::DrivingLicense;
        for (issuer, printed, asked) in [
            (Some("JPN"), japanese, true),
            (Some("JPN"), ["", ""], true),
            (None, japanese, true),
            (None, ["", "東京都"], true),
            (Some("GBR"), british, false),
            (None, british, false),
            (Some("NLD"), dutch, false),
            (None, dutch, false),
            (Some("USA"), american, false),
            (None, american, false),
            (None, ["", ""], false),
            (Some(""), ["", ""], false),
        ] {
            assert_eq!(asks(licence, issuer, printed), asked, "{issuer:?} {printed:?}");
        }
        for kind in DocumentType::ALL {
            assert_eq!(
                asks(*kind, None, ["", ""]),
                kind.is_only_japanese(),
                "{kind} that was not read"
            );
        }
        assert!(!asks(DocumentType::Passport, Some("JPN"), japanese));
    }
}
