//! 7, Details: names, kana for Japanese documents, birth date, address; prefilled with the readings, confirmed by the user.

use crate::capture::said;
use crate::parts::field::Field;
use crate::parts::{Mistake, error_summary, primary, title};
use crate::text::details as text;
use crate::text::entry::ERROR_SUMMARY;
use crate::{PageMeta, forms, shell};
use domain::user_input::{InputFault, InputField, TypedForm};
use leptos::prelude::*;

/// The details form.
#[derive(Clone, Debug, PartialEq)]
pub struct DetailsView {
    /// Values of the fields: read from the document at first, as typed after a mistake.
    pub form: TypedForm,
    /// Whether anything in it was read from the document.
    pub read: bool,
    /// Whether kana is asked for (`DocumentType::is_japanese`).
    pub kana: bool,
    /// The mistakes.
    pub faults: Vec<(InputField, InputFault)>,
}

/// The page.
#[must_use]
pub fn render(view: &DetailsView, meta: &PageMeta) -> AnyView {
    let heading = meta.say(text::TITLE);
    let mistakes: Vec<_> = view
        .faults
        .iter()
        .map(|&(field, fault)| Mistake {
            field: field.as_str().to_owned(),
            sentence: text::fault(meta.language, field, fault),
        })
        .collect();
    let lead = meta.say(if view.read { text::LEAD_READ } else { text::LEAD_EMPTY });
    let field = |field| self::field(view, meta, field);
    // In the order of the table: kana below the name it spells.
    let kana = |which| view.kana.then(|| field(which).line());
    let [go_on] = said(meta, [crate::text::entry::CONTINUE]);
    let main = view! {
        {error_summary(meta, ERROR_SUMMARY, &mistakes)}
        <h1>{heading}</h1>
        <p class="lead">{lead}</p>
        <form method="post" action=forms::DETAILS novalidate=true>
            {field(InputField::LastName).line()}
            {field(InputField::FirstName).line()}
            {kana(InputField::LastNameKana)}
            {kana(InputField::FirstNameKana)}
            {field(InputField::BirthDate).line()}
            {field(InputField::Address).area()}
            <div class="actions">{primary(go_on)}</div>
        </form>
    };
    shell::phone(
        meta,
        title(meta, heading, !view.faults.is_empty()),
        false,
        main.into_any(),
    )
}

fn field(view: &DetailsView, meta: &PageMeta, field: InputField) -> Field {
    let form = &view.form;
    let (value, autocomplete) = match field {
        InputField::LastName => (&form.last_name, "family-name"),
        InputField::FirstName => (&form.first_name, "given-name"),
        // There is no `autocomplete` token for kana; a browser that guesses would fill in the wrong script.
        InputField::LastNameKana => (&form.last_name_kana, "off"),
        InputField::FirstNameKana => (&form.first_name_kana, "off"),
        InputField::BirthDate => (&form.birth_date, "bday"),
        InputField::Address => (&form.address, "street-address"),
    };
    let kana = matches!(field, InputField::LastNameKana | InputField::FirstNameKana);
    let hint = match field {
        InputField::LastNameKana => Some(text::KANA_HINT),
        InputField::Address => Some(text::ADDRESS_HINT),
        _ => None,
    };
    let fault = view.faults.iter().find(|(f, _)| *f == field);
    Field {
        name: field.as_str(),
        label: meta.say(text::label(field)),
        hint: hint.map(|t| meta.say(t)),
        kind: if field == InputField::BirthDate { "date" } else { "text" },
        value: value.clone(),
        autocomplete,
        error: fault.map(|&(f, fault)| text::fault(meta.language, f, fault)),
        lang: kana.then_some("ja"),
    }
}
