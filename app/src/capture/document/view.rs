//! 3, 4 and 6, the camera for one side of the document: how to hold it, the camera island, and the plain upload form.

use crate::camera::Around;
use crate::camera::document::DocumentCamera;
use crate::capture::{or_file, other_device, photo_lost, preparing, said, tries_left, watch_camera_app};
use crate::parts::field::{Facing, Field};
use crate::parts::{Mistake, draw, error_summary, field, primary, tips, title};
use crate::text::capture as text;
use crate::text::entry::ERROR_SUMMARY_PHOTO;
use crate::text::picture::FileFault;
use crate::{PageMeta, forms, shell};
use domain::document::{DocumentType, Side};
use leptos::prelude::*;

/// The page with the camera for one side.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentView {
    /// The chosen kind.
    pub document_type: DocumentType,
    /// The side to photograph now.
    pub side: Side,
    /// Tries left for this step.
    pub tries_left: u8,
    /// Why the file just sent was refused.
    pub fault: Option<FileFault>,
}

/// The page.
#[must_use]
pub fn render(view: &DocumentView, meta: &PageMeta) -> AnyView {
    let heading = meta.say(text::side_title(view.document_type, view.side));
    let fault = view.fault.map(|f| meta.say(f.text()).to_owned());
    let mistakes: Vec<_> = fault
        .iter()
        .map(|s| Mistake {
            field: "picture".into(),
            sentence: s.clone(),
        })
        .collect();
    let advice = tips(said(
        meta,
        [
            text::DOCUMENT_TIP_FLAT,
            text::DOCUMENT_TIP_WHOLE,
            text::DOCUMENT_TIP_LIGHT,
        ],
    ));
    let no_back = (view.document_type == DocumentType::MyNumberCard).then(|| meta.say(text::DOCUMENT_NO_BACK));
    provide_context(Around::card(meta.language, view.document_type.aspect()));
    let main = view! {
        {error_summary(meta, ERROR_SUMMARY_PHOTO, &mistakes)}
        <h1>{heading}</h1>
        <div class="drawing">{draw::document_side(view.document_type, view.side)}</div>
        {advice}
        {no_back.map(|text| view! { <p class="note">{text}</p> })}
        {tries_left(meta, view.tries_left).map(|left| view! { <p class="note">{left}</p> })}
        {photo_lost(meta)}
        {preparing(meta)}
        <DocumentCamera/>
        {plain_form(meta, view, fault)}
        <p class="other"><a href=forms::CHOOSE>{meta.say(text::DOCUMENT_OTHER)}</a></p>
        {other_device(meta)}
        {watch_camera_app(meta)}
    };
    shell::phone_with_camera(meta, title(meta, heading, view.fault.is_some()), main.into_any())
}

/// Works without the browser's half, and remains as the alternative with it.
fn plain_form(meta: &PageMeta, view: &DocumentView, fault: Option<String>) -> impl IntoView + use<> {
    let [label, hint, send] = said(
        meta,
        [text::DOCUMENT_FILE, text::DOCUMENT_FILE_HINT, text::DOCUMENT_SEND],
    );
    let field = Field {
        name: "picture",
        label,
        hint: Some(hint),
        error: fault,
        ..Field::default()
    };
    view! {
        <details class="fold plain" id=forms::PLAIN_FORM open=true>
            <summary>{or_file(meta)}</summary>
            <form method="post" action=forms::PICTURES enctype="multipart/form-data">
                <input type="hidden" name=forms::DOCUMENT_TYPE value=view.document_type.as_str()/>
                <input type="hidden" name=forms::SLOT value=forms::slot(view.side)/>
                {field::picture(&field, forms::PICTURE, Facing::Environment)}
                {primary(send)}
            </form>
        </details>
    }
}
