//! 8 and 9, the selfie: tips, the camera island, the plain form with one movement, and the alternative without any.

use crate::camera::Around;
use crate::camera::selfie::SelfieCamera;
use crate::capture::{or_file, other_device, said, tries_left};
use crate::parts::field::{Facing, Field};
use crate::parts::{draw, error_summary_of, field, link_to, primary, tips, title};
use crate::text::capture as text;
use crate::text::entry::ERROR_SUMMARY_PHOTO;
use crate::text::picture::FileFault;
use crate::{PageMeta, forms, shell};
use domain::findings::Challenge;
use domain::reasons::Reason;
use leptos::prelude::*;

/// The `id` of what stands before the camera's button.
const CAMERA: &str = "camera";
/// The `id` of the field for the first file.
const STRAIGHT: &str = "straight";

/// The selfie page.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfieView {
    /// The challenge's id: random, single-use, returned with the frames.
    pub challenge_id: String,
    /// The movement of the plain form.
    pub challenge: Challenge,
    /// Whether the screen shines in changing colours at the end, unless the user wants none.
    pub colours: bool,
    /// Tries left for this step.
    pub tries_left: u8,
    /// What was wrong with the previous selfie: its files were stored, but are not good enough.
    pub problems: Vec<Reason>,
    /// Why the files just sent were refused.
    pub fault: Option<FileFault>,
}

/// The page.
#[must_use]
pub fn render(view: &SelfieView, meta: &PageMeta) -> AnyView {
    let heading = meta.say(text::SELFIE_TITLE);
    let fault = view.fault.map(|f| meta.say(f.text()).to_owned());
    let problems = view.problems.iter().map(|p| again(p.sentence(meta.language)));
    let of_files = fault.iter().map(|sentence| link_to(STRAIGHT, sentence));
    let mistakes: Vec<_> = problems.chain(of_files).collect();
    let wrong = !mistakes.is_empty();
    let advice = tips(said(
        meta,
        [text::SELFIE_TIP_LIGHT, text::SELFIE_TIP_FREE, text::SELFIE_TIP_ALONE],
    ));
    provide_context(Around::face(meta.language, view.colours));
    let main = view! {
        {error_summary_of(meta, ERROR_SUMMARY_PHOTO, mistakes)}
        <h1>{heading}</h1>
        <div class="drawing">{draw::face()}</div>
        {advice}
        <p class="command scripted" id=CAMERA>{meta.say(text::SELFIE_MOVEMENTS)}</p>
        {tries_left(meta, view.tries_left).map(|left| view! { <p class="note">{left}</p> })}
        <SelfieCamera/>
        {plain_form(meta, view, fault)}
        {without_challenge(meta)}
        {other_device(meta)}
    };
    shell::phone_with_camera(meta, title(meta, heading, wrong), main.into_any())
}

/// A problem of the selfie as a link to where it is taken again: before the camera's button, or without the camera to the first file. Whether there
/// is a camera, only the browser knows.
fn again(sentence: &str) -> AnyView {
    view! {
        <span class="scripted">{link_to(CAMERA, sentence)}</span>
        <span class="unscripted">{link_to(STRAIGHT, sentence)}</span>
    }
    .into_any()
}

fn plain_form(meta: &PageMeta, view: &SelfieView, fault: Option<String>) -> impl IntoView + use<> {
    let [review, straight, turned, hint, send] = said(
        meta,
        [
            text::SELFIE_FILE_REVIEW,
            text::SELFIE_FILE_STRAIGHT,
            text::second_file(view.challenge),
            text::DOCUMENT_FILE_HINT,
            text::SELFIE_SEND,
        ],
    );
    let [straight, turned] =
        [(STRAIGHT, straight, fault), ("turned", turned, None)].map(|(name, label, error)| Field {
            name,
            label,
            hint: Some(hint),
            error,
            ..Field::default()
        });
    view! {
        <details class="fold plain" id="plain" open=true>
            <summary>{or_file(meta)}</summary>
            <p>{review}</p>
            <form method="post" action=forms::SELFIE enctype="multipart/form-data">
                <input type="hidden" name=forms::CHALLENGE value=view.challenge_id.clone()/>
                {field::picture(&straight, forms::FRAME, Facing::User)}
                {field::picture(&turned, forms::FRAME, Facing::User)}
                {primary(send)}
            </form>
        </details>
    }
}

/// Users who cannot move their head continue without it; a person then reviews the session.
fn without_challenge(meta: &PageMeta) -> impl IntoView + use<> {
    let [cannot, hint, label, send] = said(
        meta,
        [
            text::SELFIE_CANNOT,
            text::SELFIE_CANNOT_HINT,
            text::SELFIE_CANNOT_FILE,
            text::SELFIE_CANNOT_SEND,
        ],
    );
    let field = Field {
        name: "alone",
        label,
        ..Field::default()
    };
    view! {
        <details class="fold" id="cannot">
            <summary>{cannot}</summary>
            <p>{hint}</p>
            <form method="post" action=forms::SELFIE enctype="multipart/form-data">
                <input type="hidden" name=forms::WITHOUT_CHALLENGE value=forms::YES/>
                {field::picture(&field, forms::FRAME, Facing::User)}
                <button class="button secondary" type="submit">{send}</button>
            </form>
        </details>
    }
}
