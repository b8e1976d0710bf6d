//! 8 and 9, the selfie: tips, the camera island, the plain form with one movement, and the alternative without any.

use crate::camera::Around;
use crate::camera::selfie::SelfieCamera;
use crate::capture::{or_file, other_device, photo_lost, preparing, said, tries_left, watch_camera_app};
use crate::parts::field::{Facing, Field};
use crate::parts::{choice, draw, error_summary_of, field, link_to, primary, tips, title};
use crate::text::entry::ERROR_SUMMARY_PHOTO;
use crate::text::picture::FileFault;
use crate::text::{camera, capture as text};
use crate::{PageMeta, forms, shell};
use domain::findings::Challenge;
use domain::reasons::Reason;
use leptos::prelude::*;

/// The `id` of what stands before the camera's button.
const CAMERA: &str = "camera";

/// A file that a form of the page asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelfieFile {
    /// The first one: the straight face.
    Straight,
    /// The second one, after the movement.
    Turned,
    /// The only one of a user who cannot move.
    Alone,
}

impl SelfieFile {
    /// The file with that number in its form.
    pub(super) const fn of(number: usize, is_alone: bool) -> Self {
        match (number, is_alone) {
            (_, true) => Self::Alone,
            (0, false) => Self::Straight,
            (_, false) => Self::Turned,
        }
    }

    /// The `id` of its field.
    const fn id(self) -> &'static str {
        match self {
            Self::Straight => "straight",
            Self::Turned => "turned",
            Self::Alone => "alone",
        }
    }
}

/// A selfie that can be used despite its problems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoorSelfie {
    /// It and its problems as [`forms::SHOWN`].
    pub shown: String,
    /// The URL of one frame.
    pub picture_url: String,
}

/// The selfie page.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfieView {
    /// The challenge's id: random, single-use, returned with the frames.
    pub challenge_id: String,
    /// The movement of the plain form.
    pub challenge: Challenge,
    /// Whether the screen shows changing colours at the end, unless the user declines them.
    pub colours: bool,
    /// Tries left for this step.
    pub tries_left: u8,
    /// What was wrong with the previous selfie: its files were stored, but are not good enough.
    pub problems: Vec<Reason>,
    /// That selfie, if it can be used despite them.
    pub anyway: Option<PoorSelfie>,
    /// Whether that was a single photo of a user who cannot move.
    pub without_movement: bool,
    /// Which of the files just sent was refused, and why.
    pub fault: Option<(SelfieFile, FileFault)>,
}

impl SelfieView {
    /// Why this file was refused, if it was.
    fn fault_of(&self, file: SelfieFile, meta: &PageMeta) -> Option<String> {
        let (_, fault) = self.fault.filter(|(refused, _)| *refused == file)?;
        Some(meta.say(fault.text()).to_owned())
    }
}

/// The page.
#[must_use]
pub fn render(view: &SelfieView, meta: &PageMeta) -> AnyView {
    let heading = meta.say(text::SELFIE_TITLE);
    let problems = view.problems.iter().map(|p| again(view, p.sentence(meta.language)));
    let of_file = |(file, fault): (SelfieFile, FileFault)| link_to(file.id(), meta.say(fault.text()));
    let mistakes: Vec<_> = problems.chain(view.fault.map(of_file)).collect();
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
        {photo_lost(meta)}
        {preparing(meta)}
        <SelfieCamera/>
        {view.anyway.clone().map(|selfie| use_anyway(meta, selfie))}
        {plain_form(meta, view)}
        {without_challenge(meta, view)}
        {other_device(meta)}
        {watch_camera_app(meta)}
    };
    shell::phone_with_camera(meta, title(meta, heading, wrong), main.into_any())
}

/// A problem of the selfie as a link to where it is taken again: before the camera's button, or without the camera to the first file. Whether there
/// is a camera, only the browser knows. A user who cannot move sends another single photo.
fn again(view: &SelfieView, sentence: &str) -> AnyView {
    if view.without_movement {
        return link_to(SelfieFile::Alone.id(), sentence);
    }
    view! {
        <span class="scripted">{link_to(CAMERA, sentence)}</span>
        <span class="unscripted">{link_to(SelfieFile::Straight.id(), sentence)}</span>
    }
    .into_any()
}

/// The way on with a selfie in which the same is found again. It is shown, so that the user knows what "this photo" is.
fn use_anyway(meta: &PageMeta, selfie: PoorSelfie) -> impl IntoView + use<> {
    let [alt, slower, anyway] = said(meta, [text::CHECK_ALT, text::CHECK_SLOWER, text::CHECK_USE_ANYWAY]);
    view! {
        <form method="post" action=forms::CHECK data-told=meta.say(camera::SENDING)>
            <input type="hidden" name=forms::SHOWN value=selfie.shown/>
            <div class="thumbs face"><img src=selfie.picture_url alt=alt/></div>
            <p class="hint">{slower}</p>
            {choice("secondary", forms::DECISION, forms::USE, anyway)}
            <p class="unseen" role="status"></p>
        </form>
        <script nonce=meta.nonce.clone() data-use=forms::USE inner_html=concat!(include_str!("../on_its_way.js"), include_str!("../sent.js"))></script>
    }
}

fn plain_form(meta: &PageMeta, view: &SelfieView) -> impl IntoView + use<> {
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
        [(SelfieFile::Straight, straight), (SelfieFile::Turned, turned)].map(|(file, label)| Field {
            name: file.id(),
            label,
            hint: Some(hint),
            error: view.fault_of(file, meta),
            ..Field::default()
        });
    view! {
        <details class="fold plain" id=forms::PLAIN_FORM open=true>
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
fn without_challenge(meta: &PageMeta, view: &SelfieView) -> impl IntoView + use<> {
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
        name: SelfieFile::Alone.id(),
        label,
        error: view.fault_of(SelfieFile::Alone, meta),
        ..Field::default()
    };
    // Open where a mistake leads into it.
    let open = field.error.is_some() || (view.without_movement && !view.problems.is_empty());
    view! {
        <details class="fold" id=forms::ALONE_FORM open=open>
            <summary>{cannot}</summary>
            <p>{hint}</p>
            <form method="post" action=forms::SELFIE_ALONE enctype="multipart/form-data">
                <input type="hidden" name=forms::WITHOUT_CHALLENGE value=forms::YES/>
                <input type="hidden" name=forms::CHALLENGE value=view.challenge_id.clone()/>
                {field::picture(&field, forms::FRAME, Facing::User)}
                <button class="button secondary" type="submit">{send}</button>
            </form>
        </details>
    }
}
