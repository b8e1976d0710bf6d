//! 10, Check and submit: thumbnails and texts, one button.

use crate::capture::said;
use crate::parts::choice;
use crate::text::{camera, capture, dates::date, details, finish as text};
use crate::{PageMeta, forms, shell};
use domain::document::{DocumentType, Side};
use domain::user_input::{InputField, UserInput};
use leptos::prelude::*;

/// What will be submitted.
#[derive(Clone, Debug, PartialEq)]
pub struct SubmitView {
    /// The document and its pictures, where the plan has it.
    pub document: Option<DocumentShown>,
    /// What was typed, where the plan has it.
    pub input: Option<UserInput>,
    /// Whether a selfie was taken, and the URL of its best frame if it may be shown.
    pub selfie: Option<SelfieShown>,
}

/// The document as it will be submitted.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentShown {
    /// The kind.
    pub document_type: DocumentType,
    /// Each side with the URL of its picture.
    pub pictures: Vec<(Side, String)>,
}

/// The selfie as it will be submitted.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfieShown {
    /// The URL of one frame.
    pub picture_url: Option<String>,
    /// Whether another one can be taken.
    pub may_retake: bool,
    /// Whether it is not good enough but is kept, so that a person reviews it.
    pub poor: bool,
}

/// The page.
#[must_use]
pub fn render(view: &SubmitView, meta: &PageMeta) -> AnyView {
    let [heading, lead, submit] = said(meta, [text::SUBMIT_TITLE, text::SUBMIT_LEAD, text::SUBMIT_BUTTON]);
    let main = view! {
        <h1>{heading}</h1>
        <p class="lead">{lead}</p>
        {view.document.as_ref().map(|d| document(meta, d))}
        {view.input.as_ref().map(|i| typed(meta, i))}
        {view.selfie.as_ref().map(|s| selfie(meta, s))}
        <form class="actions" method="post" action=forms::SUBMIT data-told=meta.say(camera::SENDING)>
            {choice("primary", forms::DECISION, forms::SEND, submit)}
            <p class="unseen" role="status"></p>
        </form>
        <script nonce=meta.nonce.clone() data-use=forms::SEND inner_html=concat!(include_str!("../on_its_way.js"), include_str!("../sent.js"))></script>
    };
    shell::phone(meta, heading.to_owned(), main.into_any())
}

/// How a part of the summary is changed.
enum Change {
    /// On the page where it was made.
    At(&'static str),
    /// By taking another selfie: this one is discarded, which a link must not do.
    Retake,
    /// No longer.
    No,
}

/// A part of the summary with its heading and, if it can be redone, a link or a button for that.
fn part(meta: &PageMeta, title: &'static str, change: Change, inside: AnyView) -> impl IntoView + use<> {
    let word = meta.say(text::SUBMIT_CHANGE);
    let name = format!("{word}: {title}");
    let change = match change {
        Change::At(href) => Some(view! { <a href=href aria-label=name>{word}</a> }.into_any()),
        Change::Retake => Some(
            view! {
                <form method="post" action=forms::SUBMIT>
                    <button class="as-link" type="submit" name=forms::DECISION value=forms::AGAIN aria-label=name>{word}</button>
                </form>
            }
            .into_any(),
        ),
        Change::No => None,
    };
    view! {
        <section class="card summary">
            <div class="summary-head"><h2>{title}</h2>{change}</div>
            {inside}
        </section>
    }
}

fn document(meta: &PageMeta, shown: &DocumentShown) -> impl IntoView + use<> {
    let pictures: Vec<_> = shown
        .pictures
        .iter()
        .map(|(side, url)| {
            let alt = match side {
                Side::Front => text::SUBMIT_FRONT_ALT,
                Side::Back => text::SUBMIT_BACK_ALT,
            };
            view! { <img src=url.clone() alt=meta.say(alt)/> }
        })
        .collect();
    let kind = meta.say(capture::document_type(shown.document_type));
    let inside = view! { <p>{kind}</p><div class="thumbs">{pictures}</div> };
    part(
        meta,
        meta.say(text::SUBMIT_DOCUMENT),
        Change::At(forms::CHOOSE),
        inside.into_any(),
    )
}

fn typed(meta: &PageMeta, input: &UserInput) -> impl IntoView + use<> {
    let value = |field| match field {
        InputField::LastName => &input.last_name,
        InputField::FirstName => &input.first_name,
        InputField::LastNameKana => &input.last_name_kana,
        InputField::FirstNameKana => &input.first_name_kana,
        InputField::BirthDate => &input.birth_date,
        // It stands before the address.
        InputField::Postcode => &None,
        InputField::Address => &input.address,
    };
    let rows: Vec<_> = InputField::ALL
        .iter()
        .filter_map(|&field| {
            let value = value(field).as_deref()?;
            let shown = match field {
                InputField::BirthDate => date(meta.language, value),
                _ => value.to_owned(),
            };
            Some((meta.say(details::label(field)), shown))
        })
        .map(|(label, value)| view! { <div><dt>{label}</dt><dd dir="auto">{value}</dd></div> })
        .collect();
    let inside = view! { <dl>{rows}</dl> };
    part(
        meta,
        meta.say(text::SUBMIT_DETAILS),
        Change::At(forms::DETAILS),
        inside.into_any(),
    )
}

fn selfie(meta: &PageMeta, shown: &SelfieShown) -> impl IntoView + use<> {
    let [title, done, alt] = said(
        meta,
        [text::SUBMIT_SELFIE, text::SUBMIT_SELFIE_DONE, text::SUBMIT_SELFIE_ALT],
    );
    let picture = match shown.picture_url.clone() {
        Some(url) => view! { <div class="thumbs face"><img src=url alt=alt/></div> }.into_any(),
        None => view! { <p>{done}</p> }.into_any(),
    };
    let by_hand = shown
        .poor
        .then(|| view! { <p class="hint">{meta.tell(capture::CHECK_BY_HAND, &[])}</p> });
    let change = if shown.may_retake { Change::Retake } else { Change::No };
    part(meta, title, change, view! { {picture}{by_hand} }.into_any())
}
