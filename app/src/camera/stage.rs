//! What both islands show: the button, the dialog with the live picture, the hint, the progress bar, and the panel for
//! failures.

use crate::forms;
use crate::text::{Text, camera as text, capture, switch_device};
use domain::findings::Challenge;
use domain::language::Language;
use leptos::html::{Button, Dialog, Video};
use leptos::prelude::*;

/// The shape of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Guide {
    /// A card or page with this width over height.
    Card(f32),
    /// A face that turns to this side.
    Oval(Challenge),
}

/// How urgent a hint is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// What to do.
    #[default]
    Plain,
    /// Something is in the way.
    Warn,
    /// All is well.
    Good,
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
    /// How the hint looks.
    pub(crate) tone: RwSignal<Tone>,
    /// Whether the camera shows a picture.
    pub(crate) live: RwSignal<bool>,
    /// Whether all conditions hold at the moment: the frame turns green and the ring closes.
    pub(crate) good: RwSignal<bool>,
    /// The corners of the card as found, in the units of the frame's drawing; empty if there is none.
    pub(crate) edge: RwSignal<String>,
    /// Whether the picture was just taken: the screen flashes.
    pub(crate) flash: RwSignal<bool>,
    /// Whether the head should turn now.
    pub(crate) turning: RwSignal<bool>,
    /// Whether the manual button is shown.
    pub(crate) shutter: RwSignal<bool>,
    /// Whether the torch can be switched.
    pub(crate) torch: RwSignal<bool>,
    /// Progress of the burst, 0 to 1.
    pub(crate) progress: RwSignal<f64>,
    /// URL of the picture taken, while it is being sent; empty while the camera is on.
    pub(crate) still: RwSignal<String>,
    /// The share of the pictures that was sent, 0 to 1, while they are being sent.
    pub(crate) sent: RwSignal<Option<f64>>,
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
            tone: RwSignal::new(Tone::Plain),
            live: RwSignal::new(false),
            good: RwSignal::new(false),
            edge: RwSignal::new(String::new()),
            flash: RwSignal::new(false),
            turning: RwSignal::new(false),
            shutter: RwSignal::new(false),
            torch: RwSignal::new(false),
            progress: RwSignal::new(0.0),
            still: RwSignal::new(String::new()),
            sent: RwSignal::new(None),
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

/// The width of the drawing over what is analysed, which is three quarters as high.
pub(crate) const DRAWN: f32 = 400.0;

/// The view; the same on the server and in the browser. The live picture fills the screen; what is analysed and sent is the part
/// of it in the middle, around the frame.
pub(crate) fn view(stage: Stage, guide: Guide, tapped: impl Fn(Tap) + Clone + 'static) -> impl IntoView {
    let look = match guide {
        Guide::Card(_) => "stage",
        Guide::Oval(_) => "stage mirrored",
    };
    let [open, cancel] = [Tap::Open, Tap::Close].map(|tap| {
        let tapped = tapped.clone();
        move || tapped(tap)
    });
    view! {
        <div class="camera">
            <button class="button primary" type="button" node_ref=stage.opener on:click=move |_| open()>{stage.say(text::OPEN)}</button>
            <p class="hint">{stage.say(text::OPEN_HINT)}</p>
            <dialog class=look node_ref=stage.dialog aria-label=stage.say(text::OPEN) on:cancel=move |_: leptos::ev::Event| cancel()
                class:live=move || stage.live.get() class:good=move || stage.good.get() class:turning=move || stage.turning.get()
                class:taken=move || !stage.still.with(String::is_empty)>
                <video node_ref=stage.video playsinline="" muted="" autoplay="" aria-hidden="true"></video>
                <img class="still" alt="" src=move || Some(stage.still.get()).filter(|url| !url.is_empty()) hidden=move || stage.still.with(String::is_empty)/>
                {frame(stage, guide)}
                <div class="flash" class:fired=move || stage.flash.get()></div>
                {top(stage, tapped.clone())}
                <p class="stage-hint" role="status" aria-live="polite" class:warn=move || stage.tone.get() == Tone::Warn
                    class:well=move || stage.tone.get() == Tone::Good>{move || stage.hint.get()}</p>
                {bar(stage, guide, tapped.clone())}
                {sheet(stage)}
                {panel(stage, tapped)}
            </dialog>
        </div>
    }
}

/// The cut-out, with the card as it was found, or with the ring around the face.
fn frame(stage: Stage, guide: Guide) -> AnyView {
    let (look, shape) = match guide {
        Guide::Card(aspect) if aspect < 1.5 => ("view", "guide page"),
        Guide::Card(_) => ("view", "guide card"),
        Guide::Oval(Challenge::TurnLeft) => ("view portrait", "guide oval left"),
        Guide::Oval(Challenge::TurnRight) => ("view portrait", "guide oval right"),
    };
    match guide {
        Guide::Card(_) => view! {
            <div class=look>
                <div class=shape></div>
                <svg class="found" viewBox=format!("0 0 {DRAWN} {}", DRAWN * 0.75) aria-hidden="true"><polygon points=move || stage.edge.get()></polygon></svg>
            </div>
        }
        .into_any(),
        Guide::Oval(_) => view! { <div class=look><div class=shape>{ring(stage)}</div></div> }.into_any(),
    }
}

/// Closing, and the torch.
fn top(stage: Stage, tapped: impl Fn(Tap) + Clone + 'static) -> AnyView {
    let close = tapped.clone();
    view! {
        <div class="stage-top">
            <button class="knob" type="button" aria-label=stage.say(text::CLOSE) on:click=move |_| close(Tap::Close)>
                <svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6 6 18"></path></svg>
            </button>
            <button class="knob" type="button" aria-label=stage.say(text::TORCH) hidden=move || !stage.torch.get() on:click=move |_| tapped(Tap::Torch)>
                <svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d="M13 3 6 13h5l-1 8 8-11h-5z"></path></svg>
            </button>
        </div>
    }
    .into_any()
}

/// The alternative to the camera, and the shutter with its ring.
fn bar(stage: Stage, guide: Guide, tapped: impl Fn(Tap) + Clone + 'static) -> AnyView {
    let other = tapped.clone();
    let (label, release) = match guide {
        Guide::Oval(_) => (capture::SELFIE_CANNOT, ().into_any()),
        Guide::Card(_) => {
            let release = view! {
                <div class="release">
                    <svg viewBox="0 0 88 88" aria-hidden="true"><circle cx="44" cy="44" r="40"></circle><circle class="ring" cx="44" cy="44" r="40" pathLength="100"></circle></svg>
                    <button class="shutter" type="button" aria-label=stage.say(text::SHUTTER) hidden=move || !stage.shutter.get()
                        on:click=move |_| tapped(Tap::Shutter)></button>
                </div>
            };
            (text::USE_PHOTO, release.into_any())
        }
    };
    view! {
        <div class="stage-bar">
            <button class="button over" type="button" on:click=move |_| other(Tap::PlainForm)>{stage.say(label)}</button>
            {release}
        </div>
    }
    .into_any()
}

/// How much has been sent.
fn sheet(stage: Stage) -> AnyView {
    let percent = move || (stage.sent.get().unwrap_or_default() * 100.0).round().to_string();
    view! {
        <div class="stage-sheet" hidden=move || stage.sent.get().is_none()>
            <p>{stage.say(text::SENDING)}</p>
            <p class="percent">{percent}" %"</p>
            <progress class="sending" max="100" value=percent aria-hidden="true"></progress>
        </div>
    }
    .into_any()
}

/// What is wrong with the camera or the connection, with a way on.
fn panel(stage: Stage, tapped: impl Fn(Tap) + Clone + 'static) -> AnyView {
    let panel = stage.panel;
    let part = move |pick: fn(&Panel) -> &String| {
        move || panel.with(|p| p.as_ref().map(|p| pick(p).clone()).unwrap_or_default())
    };
    let other = tapped.clone();
    view! {
        <div class="stage-panel" role="alert" hidden=move || panel.with(Option::is_none)>
            <svg class="glyph" viewBox="0 0 24 24" aria-hidden="true">
                <path d="M3 8.500a2 2 0 0 1 2-2h2.500L9 4.500h6l1.500 2H19a2 2 0 0 1 2 2V18a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM3 3l18 18"></path>
            </svg>
            <h2>{part(|p| &p.title)}</h2>
            <p>{part(|p| &p.lead)}</p>
            <button class="button primary" type="button" on:click=move |_| tapped(Tap::Panel)>{part(|p| &p.action)}</button>
            <button class="button quiet" type="button" on:click=move |_| other(Tap::PlainForm)>{part(|p| &p.other)}</button>
            <a class="button quiet" href=forms::SWITCH_DEVICE hidden=move || !panel.with(|p| p.as_ref().is_some_and(|p| p.elsewhere))>
                {stage.say(switch_device::OTHER_DEVICE)}
            </a>
        </div>
    }
    .into_any()
}

/// The oval's edge, which fills up as the pictures are taken, with the arrows for the turn.
fn ring(stage: Stage) -> AnyView {
    let filled = move || format!("{:.0} 100", stage.progress.get() * 100.0);
    view! {
        <svg viewBox="0 0 102 140" aria-hidden="true">
            <ellipse class="ticks" cx="51" cy="70" rx="50" ry="69" pathLength="100"></ellipse>
            <ellipse class="filled" cx="51" cy="70" rx="50" ry="69" pathLength="100" stroke-dasharray=filled></ellipse>
        </svg>
        <svg class="arrows" viewBox="0 0 64 32" aria-hidden="true"><path d="M8 6l10 10L8 26"></path><path d="M26 6l10 10-10 10"></path><path d="M44 6l10 10-10 10"></path></svg>
    }
    .into_any()
}
