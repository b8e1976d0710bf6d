//! What both islands show: the button, the dialog with the live picture, the hint, the progress bar, and the panel for
//! failures.

use crate::forms;
use crate::text::{Text, camera as text, switch_device};
use domain::language::Language;
use leptos::html::{Button, Dialog, Video};
use leptos::prelude::*;

/// The shape of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Guide {
    /// A card or page with this width over height.
    Card(f32),
    /// A face.
    Oval,
}

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

/// The state that both islands control; everything in it is shown.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    pub(crate) language: Language,
    pub(crate) dialog: NodeRef<Dialog>,
    pub(crate) opener: NodeRef<Button>,
    pub(crate) video: NodeRef<Video>,
    /// What the user should do now; announced by screen readers.
    pub(crate) hint: RwSignal<&'static str>,
    /// Whether all conditions hold at the moment: the frame turns green.
    pub(crate) good: RwSignal<bool>,
    /// Whether the manual button is shown.
    pub(crate) shutter: RwSignal<bool>,
    /// Whether the torch can be switched.
    pub(crate) torch: RwSignal<bool>,
    /// Progress of the burst, 0 to 1.
    pub(crate) progress: RwSignal<f64>,
    /// URL of the picture taken, while it is being sent; empty while the camera is on.
    pub(crate) still: RwSignal<String>,
    /// The panel over the picture.
    pub(crate) panel: RwSignal<Option<Panel>>,
}

impl Stage {
    pub(crate) fn new(language: Language) -> Self {
        Self {
            language,
            dialog: NodeRef::new(),
            opener: NodeRef::new(),
            video: NodeRef::new(),
            hint: RwSignal::new(""),
            good: RwSignal::new(false),
            shutter: RwSignal::new(false),
            torch: RwSignal::new(false),
            progress: RwSignal::new(0.0),
            still: RwSignal::new(String::new()),
            panel: RwSignal::new(None),
        }
    }

    pub(crate) const fn say(&self, text: Text) -> &'static str {
        text.get(self.language)
    }
}

/// What the user tapped on the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tap {
    Open,
    Close,
    Shutter,
    Torch,
    /// The panel's main button.
    Panel,
    /// The panel's alternative: a form beside the island.
    PlainForm,
}

/// The view; the same on the server and in the browser.
pub(crate) fn view(stage: Stage, guide: Guide, tapped: impl Fn(Tap) + Clone + 'static) -> impl IntoView {
    let on = move |tap: Tap| {
        let tapped = tapped.clone();
        move |_| tapped(tap)
    };
    let (box_class, shape) = match guide {
        Guide::Card(aspect) if aspect < 1.5 => ("view landscape", "guide page"),
        Guide::Card(_) => ("view landscape", "guide card"),
        Guide::Oval => ("view portrait mirrored", "guide oval"),
    };
    let panel = stage.panel;
    let part = move |pick: fn(&Panel) -> &String| {
        move || panel.with(|p| p.as_ref().map(|p| pick(p).clone()).unwrap_or_default())
    };
    view! {
        <div class="camera">
            <button class="button primary" type="button" node_ref=stage.opener on:click=on(Tap::Open)>{stage.say(text::OPEN)}</button>
            <p class="hint">{stage.say(text::OPEN_HINT)}</p>
            <dialog class="stage" node_ref=stage.dialog aria-label=stage.say(text::OPEN) on:cancel=on(Tap::Close)>
                <div class=box_class class:good=move || stage.good.get()>
                    <video node_ref=stage.video playsinline="" muted="" autoplay="" aria-hidden="true"></video>
                    <img class="still" alt="" src=move || Some(stage.still.get()).filter(|url| !url.is_empty()) hidden=move || stage.still.with(String::is_empty)/>
                    <div class=shape></div>
                </div>
                <p class="stage-hint" role="status" aria-live="polite">{move || stage.hint.get()}</p>
                <progress class="burst" max="1" aria-hidden="true" hidden=move || stage.progress.get() == 0.0
                    value=move || stage.progress.get().to_string()></progress>
                <div class="stage-bar">
                    <button class="button over" type="button" aria-label=stage.say(text::CLOSE) on:click=on(Tap::Close)>
                        {stage.say(text::CLOSE_SHORT)}
                    </button>
                    <button class="shutter" type="button" aria-label=stage.say(text::SHUTTER) hidden=move || !stage.shutter.get()
                        on:click=on(Tap::Shutter)></button>
                    <button class="button over" type="button" hidden=move || !stage.torch.get() on:click=on(Tap::Torch)>
                        {stage.say(text::TORCH)}
                    </button>
                </div>
                <div class="stage-panel" role="alert" hidden=move || panel.with(Option::is_none)>
                    <h2>{part(|p| &p.title)}</h2>
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
