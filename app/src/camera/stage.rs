//! What both islands show: the button, the dialog with the live picture, the hint, the progress bar, and the panel for
//! failures.

use crate::forms;
#[cfg(feature = "ssr")]
use crate::text::capture;
use crate::text::{Text, camera as text, switch_device};
use domain::language::Language;
use leptos::html::{Button, Dialog, Video};
use leptos::prelude::*;
use std::{borrow::Cow, rc::Rc};

/// What the page says of its island. The server provides it as a context; the browser leaves what it wrote as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    language: Language,
    /// The classes of the dialog.
    look: &'static str,
    /// The frame that the card or the face belongs into.
    frame: &'static str,
    /// The way on without the camera.
    other: Text,
    /// Whether the screen shows changing colours at the end, unless the user declines them.
    colours: bool,
}

#[cfg(feature = "ssr")]
impl Around {
    /// The camera for a card or page with this width over height.
    pub(crate) const fn card(language: Language, aspect: f32) -> Self {
        Self {
            language,
            look: "stage",
            frame: if aspect < 1.5 { PAGE } else { CARD },
            other: text::USE_PHOTO,
            colours: false,
        }
    }

    /// The camera for a face.
    pub(crate) const fn face(language: Language, colours: bool) -> Self {
        Self {
            language,
            look: "stage mirrored",
            frame: OVAL,
            other: capture::SELFIE_CANNOT,
            colours,
        }
    }

    fn here() -> Self {
        expect_context()
    }
}

#[cfg(not(feature = "ssr"))]
impl Around {
    fn here() -> Self {
        Self {
            language: Language::En,
            look: "",
            frame: "",
            other: text::USE_PHOTO,
            colours: false,
        }
    }
}

/// A drawing of the server's, which the browser leaves as it is.
const fn drawn(html: &'static str) -> &'static str {
    if cfg!(feature = "ssr") { html } else { "" }
}

/// The attribute of the dialog where the page asks for colours.
#[cfg(feature = "hydrate")]
pub(crate) const COLOURS: &str = "data-colours";

/// A panel over the picture with a main button, and the plain form as the alternative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) lead: String,
    pub(crate) action: String,
    /// The alternative: a form beside the island.
    pub(crate) other: String,
    /// Whether to offer another phone.
    pub(crate) elsewhere: bool,
}

/// The state that both islands control. What changes often or only looks otherwise is no signal but a class or an attribute, set
/// by `browser/scene.rs`: a signal for each would weigh more than all of the island's own code.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    around: Around,
    pub(crate) dialog: NodeRef<Dialog>,
    pub(crate) opener: NodeRef<Button>,
    pub(crate) video: NodeRef<Video>,
    /// What the user should do now. Screen readers get it from a separate paragraph (`browser/scene.rs`), less often than it changes.
    pub(crate) hint: RwSignal<Cow<'static, str>>,
    /// Whether the manual button is shown.
    pub(crate) shutter: RwSignal<bool>,
    /// Whether the torch can be switched.
    pub(crate) torch: RwSignal<bool>,
    /// Whether there is another camera.
    pub(crate) another: RwSignal<bool>,
    /// URL of the picture taken, while it is being sent; empty while the camera is on.
    pub(crate) still: RwSignal<String>,
    /// The panel over the picture.
    pub(crate) panel: RwSignal<Option<Panel>>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self {
            around: Around::here(),
            dialog: NodeRef::new(),
            opener: NodeRef::new(),
            video: NodeRef::new(),
            hint: RwSignal::new(Cow::Borrowed("")),
            shutter: RwSignal::new(false),
            torch: RwSignal::new(false),
            another: RwSignal::new(false),
            still: RwSignal::new(String::new()),
            panel: RwSignal::new(None),
        }
    }

    pub(crate) fn say(&self, text: Text) -> &'static str {
        text.get(self.around.language)
    }
}

/// What the user tapped on the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tap {
    Open,
    Close,
    Shutter,
    Torch,
    /// The next camera.
    Switch,
    /// The panel's main button.
    Panel,
    /// The alternative: a form beside the island.
    PlainForm,
}

/// The card as it was found, in a drawing of 400 by 300 over what is analysed; the ring that closes before the shutter.
#[cfg(feature = "ssr")]
const CARD: &str = concat!(
    r#"<div class="view"><div class="guide card"></div>"#,
    r#"<svg class="found" viewBox="0 0 400 300" aria-hidden="true"><polygon/></svg></div>"#
);
#[cfg(feature = "ssr")]
const PAGE: &str = concat!(
    r#"<div class="view"><div class="guide page"></div>"#,
    r#"<svg class="found" viewBox="0 0 400 300" aria-hidden="true"><polygon/></svg></div>"#
);
/// The edge of the oval, which fills up as the movements are made, the light of the screen around it, and arrows for a turn, which point to the right.
#[cfg(feature = "ssr")]
const OVAL: &str = concat!(
    r#"<div class="view portrait"><div class="guide oval"><svg viewBox="0 0 102 140" aria-hidden="true">"#,
    r#"<path class="light" fill="transparent" fill-rule="evenodd" d="M-999-999h2100v2140h-2100zM1 70a50 69 0 0 0 100 0a50 69 0 0 0-100 0z"/>"#,
    r#"<ellipse class="ticks" cx="51" cy="70" rx="50" ry="69" pathLength="100"/>"#,
    r#"<ellipse class="filled" cx="51" cy="70" rx="50" ry="69" pathLength="100" stroke-dasharray="0 100"/></svg>"#,
    r#"<svg class="arrows" viewBox="0 0 64 32" aria-hidden="true"><path d="M8 6l10 10L8 26"/><path d="M26 6l10 10-10 10"/><path d="M44 6l10 10-10 10"/></svg></div></div>"#
);
const CROSS: &str =
    drawn(r#"<svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6 6 18"/></svg>"#);
const BOLT: &str =
    drawn(r#"<svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d="M13 3 6 13h5l-1 8 8-11h-5z"/></svg>"#);
const TURN: &str = drawn(
    r#"<svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d="M20 8H6a3 3 0 0 0-3 3v1M17 5l3 3-3 3M4 16h14a3 3 0 0 0 3-3v-1M7 19l-3-3 3-3"/></svg>"#,
);
const RING: &str = drawn(
    r#"<svg viewBox="0 0 88 88" aria-hidden="true"><circle cx="44" cy="44" r="40"/><circle class="ring" cx="44" cy="44" r="40" pathLength="100" transform="rotate(-90 44 44)"/></svg>"#,
);
const SENDING: &str =
    drawn(r#"<p class="percent"></p><progress class="sending" max="100" aria-hidden="true"></progress>"#);

/// The view; the same on the server and in the browser. The live picture fills the screen; what is analysed and sent is the part
/// of it in the middle, around the frame.
pub(crate) fn view(stage: Stage, tapped: Rc<dyn Fn(Tap)>) -> impl IntoView {
    let on = move |tap: Tap| {
        let tapped = Rc::clone(&tapped);
        move |_| tapped(tap)
    };
    let Around {
        look,
        frame,
        other,
        colours,
        ..
    } = stage.around;
    let panel = stage.panel;
    let part = move |pick: fn(&Panel) -> &String| {
        move || panel.with(|p| p.as_ref().map(|p| pick(p).clone()).unwrap_or_default())
    };
    view! {
        <div class="camera">
            <button class="button primary" type="button" node_ref=stage.opener on:click=on(Tap::Open)>{stage.say(text::OPEN)}</button>
            <p class="hint">{stage.say(text::OPEN_HINT)}</p>
            <dialog class=look data-colours=colours node_ref=stage.dialog aria-label=stage.say(text::STAGE) on:cancel=on(Tap::Close)>
                <video node_ref=stage.video playsinline="" muted="" autoplay="" aria-hidden="true"></video>
                <img class="still" alt="" src=move || Some(stage.still.get()).filter(|url| !url.is_empty()) hidden=move || stage.still.with(String::is_empty)/>
                <div inner_html=frame></div>
                <div class="flash"></div>
                <div class="stage-top" role="group" tabindex="-1" aria-label=stage.say(text::STAGE)>
                    <button class="knob" type="button" aria-label=stage.say(text::CLOSE) on:click=on(Tap::Close) inner_html=CROSS></button>
                    <button class="knob torch" type="button" aria-label=stage.say(text::TORCH) aria-pressed="false" hidden=move || !stage.torch.get() on:click=on(Tap::Torch) inner_html=BOLT></button>
                    <button class="knob" type="button" aria-label=stage.say(text::SWITCH) hidden=move || !stage.another.get() on:click=on(Tap::Switch) inner_html=TURN></button>
                </div>
                <p class="stage-hint">{move || stage.hint.get()}</p>
                <p class="unseen" role="status"></p>
                <div class="stage-bar">
                    <button class="button over" type="button" on:click=on(Tap::PlainForm)>{stage.say(other)}</button>
                    <div class="release" inner_html=RING></div>
                    <button class="shutter" type="button" aria-label=stage.say(text::SHUTTER) hidden=move || !stage.shutter.get()
                        on:click=on(Tap::Shutter)></button>
                </div>
                <div class="stage-sheet" inner_html=SENDING></div>
                <div class="stage-panel" role="alert" hidden=move || panel.with(Option::is_none)>
                    <h2 tabindex="-1">{part(|p| &p.title)}</h2>
                    <p>{part(|p| &p.lead)}</p>
                    <button class="button primary" type="button" on:click=on(Tap::Panel)>{part(|p| &p.action)}</button>
                    <button class="button quiet" type="button" on:click=on(Tap::PlainForm)>{part(|p| &p.other)}</button>
                    <a class="button quiet" href=forms::SWITCH_DEVICE hidden=move || !panel.with(|p| p.as_ref().is_some_and(|p| p.elsewhere))>
                        {stage.say(switch_device::OTHER_DEVICE)}
                    </a>
                </div>
            </dialog>
        </div>
    }
}
