//! 7, Details: names, kana for Japanese documents, birth date, address; prefilled with the readings, confirmed by the user. With scripts, kana
//! are filled in while a name is typed.

use crate::capture::said;
use crate::parts::crop::{Crop, cropped};
use crate::parts::draw::{Icon, icon};
use crate::parts::field::Field;
use crate::parts::{Mistake, choice, error_summary, primary, title};
use crate::text::entry::ERROR_SUMMARY;
use crate::text::{Text, capture::DOCUMENT_OTHER, details as text};
use crate::{PageMeta, forms, shell};
use domain::language::Language;
use domain::user_input::{FormStyle, InputFault, InputField, TypedForm};
use leptos::prelude::*;

/// The form's `id`.
const FORM: &str = "details";

/// The details form.
#[derive(Clone, Debug, PartialEq)]
pub struct DetailsView {
    /// Values of the fields: read from the document at first, as typed after a mistake.
    pub form: TypedForm,
    /// What was read from the document.
    pub read: TypedForm,
    /// What is asked for.
    pub style: FormStyle,
    /// Where the items are printed, as far as known.
    pub printed: Vec<(InputField, Crop)>,
    /// The address of the postcode, if it was to be filled in and another one stands there.
    pub other_address: Option<String>,
    /// The mistakes.
    pub faults: Vec<(InputField, InputFault)>,
    /// Whether more may be read.
    pub being_read: bool,
    /// Whether what was typed was sent, but could not be saved.
    pub unsaved: bool,
}

/// The page.
#[must_use]
pub fn render(view: &DetailsView, meta: &PageMeta) -> AnyView {
    let heading = meta.say(text::TITLE);
    let mistakes: Vec<_> = InputField::ALL
        .iter()
        .filter_map(|&field| {
            Some(Mistake {
                field: anchor(field, meta.language).to_owned(),
                sentence: mistake(view, meta, field)?,
            })
        })
        .collect();
    let field = |field| self::field(view, meta, field);
    // In the order of the table: kana below the name it spells.
    let kana = |which| view.style.is_japanese().then(|| field(which).line());
    let [go_on] = said(meta, [crate::text::entry::CONTINUE]);
    let main = view! {
        {error_summary(meta, ERROR_SUMMARY, &mistakes)}
        {view.unsaved.then(|| view! { <p class="note" role="alert">{meta.say(text::NOT_SAVED)}</p> })}
        <h1>{heading}</h1>
        <div role="status" data-reading=view.being_read.to_string()>
            <p class="lead">{meta.say(lead(&view.read))}</p>
            {view.being_read.then(|| still_reading(meta))}
        </div>
        // Before the form, so that a user with the wrong document need not go through it.
        <p class="other"><button class="as-link" type="submit" form=FORM name=forms::DECISION value=forms::OTHER>{meta.say(DOCUMENT_OTHER)}</button></p>
        <form class="ends" id=FORM method="post" action=forms::DETAILS novalidate=true data-kept=forms::QUEUE>
            {whole_name(view).map(|crop| view! { <div class="field">{cropped(crop, meta.say(text::PRINTED).to_owned())}</div> })}
            {field(InputField::LastName).line()}
            {field(InputField::FirstName).line()}
            {kana(InputField::LastNameKana)}
            {kana(InputField::FirstNameKana)}
            {one_name(view, meta)}
            {birth(view, meta)}
            {view.style.is_japanese().then(|| postcode(view, meta))}
            {field(InputField::Address).area()}
            <p class="note" role="alert" data-offline hidden>{meta.say(text::OFFLINE)}</p>
            <p class="note" role="alert" data-busy hidden>{meta.say(text::NOT_SAVED)}</p>
            <div class="actions">{primary(go_on)}</div>
        </form>
        <script nonce=meta.nonce.clone() inner_html=concat!(include_str!("../../shell/fetch_within.js"), include_str!("offline.js"))></script>
        {view.style.is_japanese().then(|| view! { <script nonce=meta.nonce.clone() inner_html=include_str!("kana.js")></script> })}
        {view.being_read.then(|| view! { <script nonce=meta.nonce.clone() data-follow=forms::DETAILS inner_html=concat!(include_str!("../../shell/over.js"), include_str!("../../shell/fetch_within.js"), include_str!("../on_its_way.js"), include_str!("reading.js"))></script> })}
    };
    let title = title(meta, heading, view.unsaved || !mistakes.is_empty());
    shell::phone_with_form(meta, title, main.into_any(), FORM)
}

/// While the document is being read. Without scripts nothing is filled in by itself.
fn still_reading(meta: &PageMeta) -> impl IntoView + use<> {
    view! {
        <p class="reading">{meta.say(text::BEING_READ)}</p>
        <noscript><p><a href=forms::DETAILS>{meta.say(text::READ_NOW)}</a></p></noscript>
    }
}

/// What the page says first. It claims nothing to be filled in that is not.
fn lead(read: &TypedForm) -> Text {
    let names = !read.last_name.is_empty() || !read.first_name.is_empty();
    if *read == TypedForm::default() {
        text::LEAD_EMPTY
    } else if !names && !read.birth_date.is_empty() && !read.address.is_empty() {
        text::LEAD_NAMES
    } else {
        text::LEAD_READ
    }
}

/// The name as printed, if both of its parts stand in one place: it is shown once, above them.
fn whole_name(view: &DetailsView) -> Option<&Crop> {
    let of = |name| {
        view.printed
            .iter()
            .find(|(field, _)| *field == name)
            .map(|(_, crop)| crop)
    };
    let (last, first) = (of(InputField::LastName)?, of(InputField::FirstName)?);
    (last == first).then_some(last)
}

/// Whether there is no given name. It is the user who says so: a name that was not read looks like one that is not there.
fn one_name(view: &DetailsView, meta: &PageMeta) -> impl IntoView + use<> {
    let [label, hint] = said(meta, [text::ONE_NAME, text::ONE_NAME_HINT]);
    view! {
        <div class="agree">
            <div class="agree-row">
                <input type="checkbox" id=forms::ONE_NAME name=forms::ONE_NAME value=forms::YES checked=view.form.one_name
                    aria-describedby="one-name-hint"/>
                <label for=forms::ONE_NAME>{label}</label>
            </div>
            <p class="hint" id="one-name-hint">{hint}</p>
        </div>
    }
}

/// The postcode, and the button that fills in the address.
fn postcode(view: &DetailsView, meta: &PageMeta) -> impl IntoView + use<> {
    view! {
        <div class="postcode">
            {field(view, meta, InputField::Postcode).line()}
            {choice("secondary", forms::DECISION, forms::FIND_ADDRESS, meta.say(text::FIND_ADDRESS))}
        </div>
    }
}

/// What is wrong with a field.
fn mistake(view: &DetailsView, meta: &PageMeta, field: InputField) -> Option<String> {
    if let (InputField::Postcode, Some(found)) = (field, &view.other_address) {
        return Some(meta.tell(text::POSTCODE_DIFFERS, &[("address", found)]));
    }
    let (_, fault) = view.faults.iter().find(|(of, _)| *of == field)?;
    Some(text::fault(meta.language, field, *fault))
}

/// Where a mistake's link leads: for the date, to its first part.
fn anchor(field: InputField, language: Language) -> &'static str {
    match field {
        InputField::BirthDate => parts(language)[0].name,
        field => field.as_str(),
    }
}

/// A part of the date of birth: the name and `id` of its field, its label, how many characters it takes, its `autocomplete` token, and whether it
/// may be more than digits.
struct Part {
    name: &'static str,
    label: Text,
    longest: &'static str,
    autocomplete: &'static str,
    is_text: bool,
}

/// The parts in the order in which people write them.
const fn parts(language: Language) -> [Part; 3] {
    // Japanese people also write years of an era, as their documents do: a phone's number pad has no letter for 昭和61, S61 or 令和元.
    let has_era = matches!(language, Language::Ja);
    let year = Part {
        name: forms::BIRTH_YEAR,
        label: text::YEAR,
        // 昭和 61年
        longest: if has_era { "6" } else { "4" },
        autocomplete: "bday-year",
        is_text: has_era,
    };
    let month = Part {
        name: forms::BIRTH_MONTH,
        label: text::MONTH,
        longest: "2",
        autocomplete: "bday-month",
        is_text: false,
    };
    let day = Part {
        name: forms::BIRTH_DAY,
        label: text::DAY,
        longest: "2",
        autocomplete: "bday-day",
        is_text: false,
    };
    match language {
        Language::Ja | Language::ZhHans | Language::Ko => [year, month, day],
        Language::En | Language::Vi | Language::Pt | Language::Es => [day, month, year],
    }
}

/// The date of birth in three fields: nobody has to know a format or page through a calendar.
fn birth(view: &DetailsView, meta: &PageMeta) -> impl IntoView + use<> {
    let mut typed = view.form.birth_date.splitn(3, '-');
    let [year, month, day] = std::array::from_fn(|_| typed.next().unwrap_or_default().to_owned());
    // A date as read has zeros that nobody would type, and so has a year of two digits.
    let bare = |part: String| match part.trim_start_matches('0') {
        "" => part,
        rest => rest.to_owned(),
    };
    let [year, month, day] = [year, month, day].map(bare);
    let value = |name| match name {
        forms::BIRTH_YEAR => year.clone(),
        forms::BIRTH_MONTH => month.clone(),
        _ => day.clone(),
    };
    let error = mistake(view, meta, InputField::BirthDate);
    let wrong = error.is_some();
    let described = if wrong { "birth-hint birth-error" } else { "birth-hint" };
    let typed = view.form.birth_date != view.read.birth_date;
    let read = !view.form.birth_date.is_empty() && !typed;
    let printed = printed(view, meta, InputField::BirthDate).map(|(crop, label)| cropped(&crop, label));
    let parts = parts(meta.language).map(|part| {
        let invalid = wrong.then_some("true");
        let keyboard = if part.is_text { "text" } else { "numeric" };
        view! {
            <div class="part">
                <label for=part.name>{meta.say(part.label)}</label>
                <input class="input" id=part.name name=part.name type="text" inputmode=keyboard maxlength=part.longest
                    value=value(part.name) autocomplete=part.autocomplete aria-invalid=invalid/>
            </div>
        }
    });
    view! {
        <fieldset class="field date" class:wrong=wrong aria-describedby=described data-typed=typed>
            <legend>{meta.say(text::BIRTH_DATE)}{read.then(|| was_read(meta))}</legend>
            <p class="hint" id="birth-hint">{meta.say(text::BIRTH_HINT)}</p>
            {error.map(|error| view! { <p class="error" id="birth-error">{error}</p> })}
            {printed}
            <div class="parts">{parts.into_iter().collect::<Vec<_>>()}</div>
        </fieldset>
    }
}

/// The mark of a field that was filled in from the document.
fn was_read(meta: &PageMeta) -> impl IntoView + use<> {
    view! { <span class="was-read">{icon(Icon::Tick)}{meta.say(text::READ)}</span> }
}

/// How a field's value is printed on the document, and words for it.
fn printed(view: &DetailsView, meta: &PageMeta, field: InputField) -> Option<(Crop, String)> {
    if matches!(field, InputField::LastName | InputField::FirstName) && whole_name(view).is_some() {
        return None;
    }
    let (_, crop) = view.printed.iter().find(|(printed, _)| *printed == field)?;
    Some((crop.clone(), meta.say(text::PRINTED).to_owned()))
}

/// The value of a field.
fn value(form: &TypedForm, field: InputField) -> &str {
    match field {
        InputField::LastName => &form.last_name,
        InputField::FirstName => &form.first_name,
        InputField::LastNameKana => &form.last_name_kana,
        InputField::FirstNameKana => &form.first_name_kana,
        InputField::BirthDate => &form.birth_date,
        InputField::Postcode => &form.postcode,
        InputField::Address => &form.address,
    }
}

fn field(view: &DetailsView, meta: &PageMeta, field: InputField) -> Field {
    let (value, read) = (value(&view.form, field), value(&view.read, field));
    let autocomplete = match field {
        InputField::LastName => "family-name",
        InputField::FirstName => "given-name",
        // There is no `autocomplete` token for kana; a browser that guesses would fill in the wrong script.
        InputField::LastNameKana | InputField::FirstNameKana => "off",
        InputField::BirthDate => "bday",
        InputField::Postcode => "postal-code",
        InputField::Address => "street-address",
    };
    let kana = matches!(field, InputField::LastNameKana | InputField::FirstNameKana);
    let hint = match field {
        InputField::LastNameKana => Some(text::KANA_HINT),
        InputField::Postcode => Some(text::POSTCODE_HINT),
        InputField::Address if view.style.is_japanese() => Some(text::ADDRESS_HINT_JAPAN),
        InputField::Address => Some(text::ADDRESS_HINT),
        _ => None,
    };
    Field {
        name: field.as_str(),
        label: meta.say(text::label(field)),
        hint: hint.map(|t| meta.say(t)),
        kind: "text",
        mark: (!value.is_empty() && value == read).then(|| meta.say(text::READ)),
        printed: printed(view, meta, field),
        value: value.to_owned(),
        typed: value != read,
        autocomplete,
        error: mistake(view, meta, field),
        lang: kana.then_some("ja"),
    }
}
