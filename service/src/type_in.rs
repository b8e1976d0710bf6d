//! The details: filled in from what was read, confirmed or corrected by the user. Kept sealed until the submit.

use crate::{
    Honnin,
    access::Applicant,
    document_findings::findings_of_document,
    mend::ask_again,
    progress::{NotNow, Standing, collecting, progress},
    sealed::{open_column, seal_json},
};
use domain::{
    document::{DocumentType, FieldName, OcrField},
    secret::Personal,
    session::Step,
    user_input::{InputFault, InputField, TypedForm, UserInput},
};
use store::{
    StoreError,
    attempts::{self, TYPED},
    vault::{Place, SessionKey},
};

/// The details form as it is shown first.
#[derive(Clone, Debug)]
pub struct Details {
    /// What stands in the fields.
    pub form: Personal<TypedForm>,
    /// Whether anything in it was read from the document.
    pub read: bool,
    /// Whether kana is asked for.
    pub kana: bool,
}

/// Why the details were not taken.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TypeInError {
    /// Each field's first fault.
    #[error("the details have faults")]
    Faults(Vec<(InputField, InputFault)>),
    /// Not this step.
    #[error(transparent)]
    NotNow(#[from] NotNow),
}

impl From<StoreError> for TypeInError {
    fn from(error: StoreError) -> Self {
        Self::NotNow(error.into())
    }
}

/// The details form: as typed before, else as read from the document as far as it is analysed.
///
/// # Errors
/// [`NotNow`]; [`NotNow::OutOfTurn`] also where a picture is asked for again.
pub async fn details(honnin: &Honnin, applicant: &Applicant) -> Result<Details, NotNow> {
    let standing = progress(honnin, applicant).await?;
    let kind = check_turn(&standing)?;
    ask_again(honnin, applicant, &standing).await?;
    let key = honnin.vault.open(&standing.row.data_key).await?;
    let kana = kind.is_japanese();
    if let Some(typed) = typed(&standing, &key)? {
        let form = Personal::new(form_of(typed.into_exposed()));
        return Ok(Details {
            form,
            read: false,
            kana,
        });
    }
    let fields = fields_read(&standing, &key)?;
    let form = prefilled(fields.expose());
    let read = form != TypedForm::default();
    Ok(Details {
        form: Personal::new(form),
        read,
        kana,
    })
}

/// Keeps the details, checked and folded.
///
/// # Errors
/// [`TypeInError`].
pub async fn type_in(honnin: &Honnin, applicant: &Applicant, form: &Personal<TypedForm>) -> Result<(), TypeInError> {
    let standing = progress(honnin, applicant).await?;
    let kind = check_turn(&standing)?;
    let now = honnin.now();
    let input = UserInput::parse(form.expose(), kind.is_japanese(), now.date()).map_err(TypeInError::Faults)?;
    let key = honnin.vault.open(&standing.row.data_key).await?;
    let sealed = seal_json(&key, &place(&standing, TYPED), &input)?;
    let who = applicant.clone();
    let unit = honnin.db.write::<_, NotNow, _>(move |tx| {
        let (who, sealed) = (who.clone(), sealed.clone());
        Box::pin(async move {
            let mut standing = collecting(tx, &who, now).await?;
            if check_turn(&standing)? != kind {
                return Err(NotNow::OutOfTurn);
            }
            standing.answers.typed = Some(sealed);
            Ok(attempts::save(tx, &mut standing.answers).await?)
        })
    });
    Ok(unit.await?)
}

/// The kind of document, where details may be typed: once its pictures are there, and again until the submit.
fn check_turn(standing: &Standing) -> Result<DocumentType, NotNow> {
    let open = standing.has_consent() && standing.plan().has(Step::Document) && standing.has_pictures();
    standing.document_type().filter(|_| open).ok_or(NotNow::OutOfTurn)
}

pub(crate) const fn place<'a>(standing: &'a Standing, name: &'a str) -> Place<'a> {
    standing.row.place(name)
}

/// The details typed in this attempt.
pub(crate) fn typed(standing: &Standing, key: &SessionKey) -> Result<Option<Personal<UserInput>>, StoreError> {
    open_column(key, &place(standing, TYPED), standing.answers.typed.as_ref())
}

fn fields_read(standing: &Standing, key: &SessionKey) -> Result<Personal<Vec<OcrField>>, StoreError> {
    let found = findings_of_document(standing, key)?;
    let fields = found
        .into_iter()
        .filter_map(|(_, found)| found)
        .flat_map(|found| found.into_exposed().fields);
    Ok(Personal::new(fields.collect()))
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
    };
    if form.last_name.is_empty() && form.first_name.is_empty() {
        // Japanese cards print the family name first, a space apart.
        let full = text(FieldName::FullName);
        let mut words = full.split_whitespace();
        form.last_name = words.next().unwrap_or_default().to_owned();
        form.first_name = words.collect::<Vec<_>>().join(" ");
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
    }
}
