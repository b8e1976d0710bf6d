//! Why there is no camera picture, and what to tell the user.

use super::window;
use crate::camera::IN_APP;
use crate::camera::stage::{Panel, Stage};
use crate::forms;
use crate::text::Text;
use crate::text::{camera as text, capture, switch_device};
use js_sys::RegExp;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::DomException;

/// What can go wrong with a camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The user or the browser refused.
    Denied,
    /// The system refused it to the browser, whatever the browser allows the page.
    DeniedBySystem,
    /// The user closed the browser's question without an answer: it will ask again.
    Dismissed,
    /// The browser has neither given a camera nor refused one. It may still do either.
    Unanswered,
    /// There is none.
    Missing,
    /// Another app is using it.
    Busy,
    /// It runs but shows black.
    Black,
    /// It runs but its picture stands still.
    Frozen,
    /// This browser, often one inside another app, has no camera for pages.
    InApp,
    /// The app around the page refused: it has no settings for cameras, as a browser has.
    DeniedByApp,
    /// It stopped while the page was in the background.
    Paused,
    /// A movement took too long.
    TooSlow,
    /// Other movements were made than requested.
    NotAsked,
    /// The camera was opened on another page.
    Replaced,
    /// Frames do not reach the server.
    Unreachable,
    /// The server is within reach, and too slow for frames.
    ServerBusy,
    /// The camera was started too often.
    RunsOver,
    /// It cannot meet the constraints; retried with fewer, so never shown.
    Constraint,
}

impl Trouble {
    /// From the error that `getUserMedia` threw.
    pub(super) fn of(error: &JsValue) -> Self {
        let error = error.dyn_ref::<DomException>();
        let name = error.map(DomException::name).unwrap_or_default();
        // Only Chrome tells these apart: "Permission dismissed", "Permission denied by system", "Permission denied".
        let says = |words: &str| error.is_some_and(|error| error.message().contains(words));
        match name.as_str() {
            "NotAllowedError" | "SecurityError" if is_in_app() => Self::DeniedByApp,
            "NotAllowedError" if says("dismissed") => Self::Dismissed,
            "NotAllowedError" if says("by system") => Self::DeniedBySystem,
            "NotAllowedError" | "SecurityError" => Self::Denied,
            "NotFoundError" => Self::Missing,
            "OverconstrainedError" => Self::Constraint,
            _ => Self::Busy,
        }
    }

    /// From the error that `play` threw. The camera is allowed by then: a browser that refuses to play, as one that saves power, wants a tap.
    pub(super) fn of_playing(error: &JsValue) -> Self {
        match Self::of(error) {
            Self::Denied => Self::Paused,
            other => other,
        }
    }

    /// The `id` of the form that is the alternative.
    pub(super) const fn other_form(self) -> &'static str {
        match self {
            Self::TooSlow | Self::NotAsked | Self::RunsOver => forms::ALONE_FORM,
            _ => forms::PLAIN_FORM,
        }
    }

    /// Whether trying again here would change nothing.
    pub(super) const fn has_no_camera(self) -> bool {
        matches!(self, Self::Missing | Self::InApp)
    }

    /// Whether the page says that photos can be sent which were taken before.
    pub(super) const fn needs_a_file(self) -> bool {
        self.has_no_camera() || matches!(self, Self::DeniedByApp)
    }

    pub(super) fn panel(self, stage: &Stage) -> Panel {
        let (title, lead, action): (Text, Text, Text) = match self {
            Self::Denied => (text::DENIED_TITLE, denied_lead(), text::RETRY),
            Self::DeniedBySystem => (text::DENIED_TITLE, text::DENIED_SYSTEM, text::RETRY),
            Self::Dismissed => (text::DISMISSED_TITLE, text::DISMISSED_LEAD, text::RETRY),
            Self::Unanswered => (text::UNANSWERED_TITLE, text::UNANSWERED_LEAD, text::RETRY),
            Self::Missing => (text::NONE_TITLE, text::NONE_LEAD, switch_device::OTHER_DEVICE),
            Self::Busy | Self::Constraint => (text::BUSY_TITLE, text::BUSY_LEAD, text::RETRY),
            Self::Black => (text::BLACK_TITLE, text::BLACK_LEAD, text::RETRY),
            Self::Frozen => (text::FROZEN_TITLE, text::FROZEN_LEAD, text::RETRY),
            Self::InApp => (text::IN_APP_TITLE, text::IN_APP_LEAD, switch_device::OTHER_DEVICE),
            Self::DeniedByApp => (text::IN_APP_TITLE, text::IN_APP_LEAD, text::RETRY),
            Self::Paused => (text::PAUSED_TITLE, text::PAUSED_LEAD, text::PAUSED_ACTION),
            Self::TooSlow => (text::SELFIE_SLOW_TITLE, text::SELFIE_SLOW, text::RETRY),
            Self::NotAsked => (text::NOT_ASKED_TITLE, text::NOT_ASKED, text::RETRY),
            Self::Replaced => (text::REPLACED_TITLE, text::REPLACED, text::RETRY),
            Self::Unreachable => (text::LIVE_LOST_TITLE, text::LIVE_LOST, text::RETRY),
            Self::ServerBusy => (text::LIVE_BUSY_TITLE, text::LIVE_BUSY, text::RETRY),
            Self::RunsOver => (text::RUNS_OVER_TITLE, text::RUNS_OVER, text::SEND_PHOTO),
        };
        let say = |t| stage.say(t).to_owned();
        Panel {
            title: say(title),
            lead: say(lead),
            action: say(action),
            other: say(match self {
                Self::TooSlow | Self::NotAsked | Self::RunsOver => capture::SELFIE_CANNOT,
                _ if self.needs_a_file() => text::SEND_PHOTO,
                _ => without_the_page(),
            }),
            elsewhere: matches!(
                self,
                Self::Denied
                    | Self::DeniedBySystem
                    | Self::Dismissed
                    | Self::Unanswered
                    | Self::DeniedByApp
                    | Self::Black
                    | Self::Frozen
            ),
        }
    }
}

/// The way on without the page's own camera. Only phones have an app for photos that a page can open.
pub(super) fn without_the_page() -> Text {
    if is_a_computer() {
        text::SEND_PHOTO
    } else {
        text::USE_APP
    }
}

/// The steps differ by browser, and on a computer. Chrome also says Safari, so Chrome is checked first. So do Firefox and Edge on an iPhone, where
/// they have settings of their own.
fn denied_lead() -> Text {
    let agent = agent();
    let is_chrome = agent.contains("Chrome") || agent.contains("CriOS");
    let is_other = agent.contains("FxiOS") || agent.contains("EdgiOS");
    match (is_chrome, agent.contains("Safari") && !is_other, is_a_computer()) {
        (true, _, false) => text::DENIED_CHROME,
        (true, _, true) => text::DENIED_CHROME_COMPUTER,
        (false, true, false) => text::DENIED_SAFARI,
        (false, true, true) => text::DENIED_SAFARI_COMPUTER,
        (false, false, _) => text::DENIED_OTHER,
    }
}

/// Whether this is neither a phone nor a tablet. An iPad says that it is a Macintosh, but no Macintosh is touched.
fn is_a_computer() -> bool {
    let agent = agent();
    let touched = window().is_some_and(|w| w.navigator().max_touch_points() > 0);
    let is_handheld = agent.contains("Mobi") || agent.contains("Android") || (agent.contains("Macintosh") && touched);
    !is_handheld
}

/// Whether the page is shown inside another app.
pub(super) fn is_in_app() -> bool {
    RegExp::new(IN_APP, "").test(&agent())
}

fn agent() -> String {
    let agent = window().and_then(|w| w.navigator().user_agent().ok());
    agent.unwrap_or_default()
}
