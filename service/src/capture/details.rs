//! The details: prefilled with the readings, confirmed or corrected by the user. Stored encrypted. Users who switch to another document find what
//! they have typed, to be confirmed again.

use crate::{
    Honnin,
    access::Applicant,
    capture::{
        findings::findings_of_document,
        postcode::{Filling, fill_in},
        progress::{AttemptState, StepRefused, collecting, progress},
        retake::ask_again,
        strips::{Items, Strip, Strips},
    },
    runtime::sealed_json::{open_column, seal_json},
};
use domain::{
    document::{DocumentType, FieldName, OcrField},
    findings::{DocumentFindings, superseded_items},
    ids::CaptureId,
    postcode::Postcode,
    secret::Personal,
    session::Step,
    user_input::{FormStyle, InputFault, InputField, TypedForm, UserInput, to_katakana},
};
use store::{
    StoreError,
    capture::attempts,
    vault::{SealedValue, SessionKey},
};
use time::Date;

/// The details form as it is shown first.
#[derive(Clone, Debug)]
pub struct Details {
    /// Values of the fields.
    pub form: Personal<TypedForm>,
    /// What was read from the document.
    pub read: Personal<TypedForm>,
    /// What is asked for.
    pub style: FormStyle,
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
        /// What is asked for.
        style: FormStyle,
    },
    /// Another step is due.
    #[error(transparent)]
    StepRefused(#[from] StepRefused),
}

impl From<StoreError> for DetailsError {
    fn from(error: StoreError) -> Self {
        Self::StepRefused(error.into())
    }
}

/// The details form: as typed before; otherwise what was typed for another document, and in the other fields what was read from this one, as far as it
/// is analysed.
///
/// # Errors
/// [`StepRefused`]; [`StepRefused::OutOfTurn`] also if a picture has to be retaken.
pub async fn details(honnin: &Honnin, applicant: &Applicant) -> Result<Details, StepRefused> {
    let attempt = progress(honnin, applicant).await?;
    let kind = check_turn(&attempt)?;
    ask_again(honnin, applicant, &attempt).await?;
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    Ok(details_of(&attempt, kind, &key)?)
}

fn details_of(attempt: &AttemptState, kind: DocumentType, key: &SessionKey) -> Result<Details, StoreError> {
    let fields = fields_read(attempt, key)?;
    let style = style_of(kind, fields.expose());
    let read = with_postcode_placed(prefilled(fields.expose(), style), style);
    let form = match (typed(attempt, key)?, draft(attempt, key)?) {
        (Some(typed), _) => with_postcode_placed(form_of(typed.into_exposed()), style),
        (None, Some(draft)) => with_postcode_placed(filled_in(draft.into_exposed(), &read), style),
        (None, None) => read.clone(),
    };
    Ok(Details {
        form: Personal::new(form),
        read: Personal::new(read),
        style,
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
/// [`StepRefused`].
pub async fn printed(honnin: &Honnin, applicant: &Applicant) -> Result<Vec<Printed>, StepRefused> {
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

/// The form with the postcode in a field of its own, where that is asked for. Elsewhere it stands before the address.
fn with_postcode_placed(mut form: TypedForm, style: FormStyle) -> TypedForm {
    if style.is_japanese() {
        form.split_postcode();
    } else if let Some(postcode) = Postcode::parse(&form.postcode) {
        let (_, bare) = Postcode::split_from(&form.address);
        form.address = postcode.before(bare);
        form.postcode.clear();
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
    let style = style_of(kind, fields.expose());
    let mut form = form.expose().clone();
    let input = match parse(&mut form, style, now.date()) {
        Ok(input) => input,
        Err(faults) => {
            let read = with_postcode_placed(prefilled(fields.expose(), style), style);
            return Err(DetailsError::Faults {
                form: Personal::new(form),
                read: Box::new(Personal::new(read)),
                faults,
                style,
            });
        }
    };
    let sealed = seal_json(&key, &attempt.row.associated_data(SealedValue::AttemptTyped), &input)?;
    Ok(store(honnin, applicant, kind, (Some(sealed), None)).await?)
}

/// Stores the details unchecked, for a user who turns to another document before confirming them. What is shown already stays as it is.
///
/// # Errors
/// [`StepRefused`].
pub async fn keep_draft(honnin: &Honnin, applicant: &Applicant, form: &Personal<TypedForm>) -> Result<(), StepRefused> {
    let attempt = progress(honnin, applicant).await?;
    let kind = check_turn(&attempt)?;
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    if details_of(&attempt, kind, &key)?.form.expose() == form.expose() {
        return Ok(());
    }
    let draft = sealed_draft(&attempt, &key, form.expose().clone())?;
    store(honnin, applicant, kind, (None, draft)).await
}

/// Stores the details, encrypted: those that were typed, and the draft. They were entered for a document of this kind, which may have changed.
async fn store(
    honnin: &Honnin,
    applicant: &Applicant,
    kind: DocumentType,
    sealed: (Option<Vec<u8>>, Option<Vec<u8>>),
) -> Result<(), StepRefused> {
    let (applicant, now) = (applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        if check_turn(&attempt)? != kind {
            return Err(StepRefused::OutOfTurn);
        }
        (attempt.answers.typed, attempt.answers.draft) = sealed.clone();
        Ok::<_, StepRefused>(attempts::save(tx, &mut attempt.answers).await?)
    });
    unit.await
}

/// Makes a draft of the details, to be confirmed again: call it before another kind of document is chosen.
pub(crate) fn keep_typed_as_draft(attempt: &mut AttemptState, key: &SessionKey) -> Result<(), StoreError> {
    if let Some(typed) = typed(attempt, key)? {
        let draft = sealed_draft(attempt, key, form_of(typed.into_exposed()))?;
        (attempt.answers.typed, attempt.answers.draft) = (None, draft);
    }
    Ok(())
}

/// What the user has typed over what was read, encrypted; `None` if they have typed nothing. What was read from one document does not stand in for
/// what another one says.
fn sealed_draft(attempt: &AttemptState, key: &SessionKey, form: TypedForm) -> Result<Option<Vec<u8>>, StoreError> {
    let fields = fields_read(attempt, key)?;
    let kind = attempt.document_type();
    let style = kind.map_or(FormStyle::International, |kind| style_of(kind, fields.expose()));
    let read = with_postcode_placed(prefilled(fields.expose(), style), style);
    let draft = without_read(with_postcode_placed(form, style), &read);
    if draft == TypedForm::default() {
        return Ok(None);
    }
    seal_json(key, &attempt.row.associated_data(SealedValue::AttemptDraft), &draft).map(Some)
}

/// The fields that are filled in one by one, each with what was read. A user who has said that they have only one name has already given it.
fn single_fields<'a>(form: &'a mut TypedForm, read: &'a TypedForm) -> Vec<(&'a mut String, &'a String)> {
    let one_name = form.one_name;
    let names = [
        (&mut form.last_name, &read.last_name),
        (&mut form.first_name, &read.first_name),
        (&mut form.last_name_kana, &read.last_name_kana),
        (&mut form.first_name_kana, &read.first_name_kana),
    ];
    let names = names.into_iter().filter(|_| !one_name);
    names.chain([(&mut form.birth_date, &read.birth_date)]).collect()
}

/// The form without what is as it was read. An address and its postcode belong together.
fn without_read(mut form: TypedForm, read: &TypedForm) -> TypedForm {
    for (typed, read) in single_fields(&mut form, read) {
        if is_same(typed, read) {
            typed.clear();
        }
    }
    if is_same(&form.postcode, &read.postcode) && is_same(&form.address, &read.address) {
        form.postcode.clear();
        form.address.clear();
    }
    form
}

/// The draft, with what was read where nothing was typed.
fn filled_in(mut draft: TypedForm, read: &TypedForm) -> TypedForm {
    for (typed, read) in single_fields(&mut draft, read) {
        if typed.trim().is_empty() {
            typed.clone_from(read);
        }
    }
    if draft.postcode.trim().is_empty() && draft.address.trim().is_empty() {
        draft.postcode.clone_from(&read.postcode);
        draft.address.clone_from(&read.address);
    }
    draft
}

/// Whether two texts differ at most in their notation.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |text: &str| to_katakana(text).split_whitespace().collect::<String>();
    plain(one) == plain(other)
}

/// The details, or what is wrong with the form in the order of its fields. Where a postcode is asked for, its address is filled in if there is none:
/// then its number is missing.
fn parse(form: &mut TypedForm, style: FormStyle, today: Date) -> Result<UserInput, Vec<(InputField, InputFault)>> {
    form.fold_lines();
    let pair = match style {
        FormStyle::Japanese => fault_of_pair(form),
        FormStyle::International => None,
    };
    let parsed = UserInput::parse(form, style, today);
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
fn check_turn(attempt: &AttemptState) -> Result<DocumentType, StepRefused> {
    let open = attempt.has_consent() && attempt.plan().has(Step::Document) && attempt.has_pictures();
    attempt.document_type().filter(|_| open).ok_or(StepRefused::OutOfTurn)
}

/// The details typed in this attempt.
pub(crate) fn typed(attempt: &AttemptState, key: &SessionKey) -> Result<Option<Personal<UserInput>>, StoreError> {
    let associated_data = attempt.row.associated_data(SealedValue::AttemptTyped);
    open_column(key, &associated_data, attempt.answers.typed.as_ref())
}

/// What was typed in this attempt and is not confirmed.
fn draft(attempt: &AttemptState, key: &SessionKey) -> Result<Option<Personal<TypedForm>>, StoreError> {
    let associated_data = attempt.row.associated_data(SealedValue::AttemptDraft);
    open_column(key, &associated_data, attempt.answers.draft.as_ref())
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

/// The form for a document. Whether a driving licence is Japanese, only what is printed on it tells.
fn style_of(kind: DocumentType, fields: &[OcrField]) -> FormStyle {
    let issuer = fields.iter().find(|field| field.name == FieldName::IssuingCountry);
    let issuer = issuer.and_then(|field| field.normalized.as_deref());
    let is_japanese = kind.is_japanese()
        && match issuer.filter(|country| !country.is_empty()) {
            Some(country) => country == "JPN",
            None => kind.is_only_japanese() || fields.iter().any(is_in_japanese),
        };
    if is_japanese {
        FormStyle::Japanese
    } else {
        FormStyle::International
    }
}

/// Whether an item is printed in kana or Chinese characters.
fn is_in_japanese(field: &OcrField) -> bool {
    let is_japanese = |c| matches!(c, '\u{3041}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}');
    field.text.as_deref().is_some_and(|text| text.chars().any(is_japanese))
}

/// The form with what was read; of an item that both sides have, with the one that was read with certainty.
fn prefilled(fields: &[OcrField], style: FormStyle) -> TypedForm {
    let find = |name: FieldName| {
        let items = fields.iter().filter(|field| field.name == name);
        items.min_by_key(|field| field.normalized.is_none())
    };
    let text = |name| {
        let printed = find(name).and_then(|field| field.text.as_ref().or(field.normalized.as_ref()));
        printed.map(|text| text.replace('\n', " ")).unwrap_or_default()
    };
    let birth_date = find(FieldName::BirthDate).and_then(|field| field.normalized.clone());
    let mut form = TypedForm {
        last_name: text(FieldName::LastName),
        first_name: text(FieldName::FirstName),
        last_name_kana: text(FieldName::LastNameKana),
        first_name_kana: text(FieldName::FirstNameKana),
        birth_date: birth_date.unwrap_or_default(),
        address: text(FieldName::Address),
        ..TypedForm::default()
    };
    if style.is_japanese() && form.last_name.is_empty() && form.first_name.is_empty() {
        // Japanese cards print the family name first, separated by a space. If the space was not read, the names cannot be
        // split. On other cards, it may come last, or have two words.
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
        one_name: input.only_name().is_some(),
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
        let names = |full: &str, style| {
            let form = prefilled(&[field(FieldName::FullName, full)], style);
            (form.last_name, form.first_name)
        };
        let japanese = FormStyle::Japanese;
        assert_eq!(names("山田 花子", japanese), ("山田".into(), "花子".into()));
        assert_eq!(names("山田花子", japanese), (String::new(), String::new()));
        assert_eq!(
            names("TURNER ELIZABETH MARY", japanese),
            ("TURNER".into(), "ELIZABETH MARY".into())
        );
    }

    #[test]
    fn a_whole_name_is_not_divided_where_nothing_says_which_part_is_the_family_name() {
        for full in ["JOHN KAMAU MWANGI", "GOMEZ VELAZQUEZ MARGARITA", "JANE Q SAMPLE"] {
            let form = prefilled(&[field(FieldName::FullName, full)], FormStyle::International);
            assert!(form == TypedForm::default(), "{full}");
        }
    }

    #[test]
    fn what_was_read_with_certainty_on_the_back_goes_before_what_is_in_doubt_on_the_front() {
        let in_doubt = |name, text: &str| OcrField {
            normalized: None,
            ..field(name, text)
        };
        let front = [
            in_doubt(FieldName::LastName, "ERIKSS0N"),
            in_doubt(FieldName::BirthDate, "12 AUG 197"),
            in_doubt(FieldName::Address, "2570 24TH ST"),
        ];
        let back = [
            field(FieldName::LastName, "ERIKSSON"),
            field(FieldName::BirthDate, "1974-08-12"),
        ];
        let form = prefilled(&[&front[..], &back].concat(), FormStyle::International);
        assert_eq!(
            [&form.last_name, &form.birth_date, &form.address],
            ["ERIKSSON", "1974-08-12", "2570 24TH ST"]
        );
    }

    #[test]
    fn a_draft_is_what_was_typed_over_what_was_read_and_fills_another_documents_form() {
        let form = |first: &str, kana: &str, postcode: &str, address: &str| TypedForm {
            last_name: "山田".into(),
            first_name: first.into(),
            last_name_kana: kana.into(),
            postcode: postcode.into(),
            address: address.into(),
            ..TypedForm::default()
        };
        let read = form("花子", "ヤマダ", "", "東京都千代田区 1-2-3");
        // Notation is nothing that was typed.
        let same = form(" 花子", "やまだ", "", "東京都千代田区1-2-3");
        assert!(without_read(same, &read) == TypedForm::default());
        let draft = without_read(form("花", "ヤマダ", "100-0001", "東京都千代田区1-2-3"), &read);
        assert_eq!(
            [&draft.last_name, &draft.first_name, &draft.last_name_kana],
            ["", "花", ""]
        );
        assert_eq!([&draft.postcode, &draft.address], ["100-0001", "東京都千代田区1-2-3"]);
        let other = TypedForm {
            last_name: "川田".into(),
            birth_date: "1990-02-28".into(),
            postcode: "150-0001".into(),
            ..form("華", "カワダ", "", "東京都渋谷区神宮前")
        };
        let filled = filled_in(draft, &other);
        assert_eq!(
            [&filled.last_name, &filled.first_name, &filled.last_name_kana],
            ["川田", "花", "カワダ"]
        );
        assert_eq!([&filled.postcode, &filled.birth_date], ["100-0001", "1990-02-28"]);
        // A document that no postcode is asked for with has it before the address.
        let placed = with_postcode_placed(filled, FormStyle::International);
        assert_eq!(
            [&placed.postcode, &placed.address],
            ["", "〒100-0001 東京都千代田区1-2-3"]
        );
        let one_name = TypedForm {
            one_name: true,
            ..TypedForm::default()
        };
        assert_eq!(filled_in(one_name, &other).first_name, "");
    }

    #[test]
    fn kana_is_asked_for_where_the_document_is_japanese() {
        const JAPANESE: [FieldName; 2] = [FieldName::FullName, FieldName::Address];
        let asks = |kind, issuer: Option<&str>, printed: [&str; 2]| {
            let printed = JAPANESE.iter().zip(printed).filter(|(_, text)| !text.is_empty());
            let printed = printed.map(|(name, text)| field(*name, text));
            let issuer = issuer.map(|country| field(FieldName::IssuingCountry, country));
            style_of(kind, &printed.chain(issuer).collect::<Vec<_>>()).is_japanese()
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
