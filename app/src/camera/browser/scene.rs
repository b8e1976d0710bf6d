//! The current look of the stage: classes and attributes that a screen reader need not announce.

use super::now;
use crate::camera::announcer::Announcer;
use crate::camera::stage::Stage;
use leptos::prelude::*;
use std::borrow::Cow;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// The width of the drawing over what is analysed.
pub(super) const DRAWN: f32 = 400.0;

/// States of the stage, each a class of its dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// The camera shows a picture.
    Live,
    /// The picture is wide and the screen is tall: it is shown in the middle, since only a strip of it could fill the screen.
    Boxed,
    /// Every condition for the shutter holds.
    Good,
    /// The hint says that something is in the way.
    Warn,
    /// The hint says that all is well.
    Well,
    /// The head should turn to the user's left, which is the left of the mirrored picture.
    Left,
    /// The head should turn to the user's right.
    Right,
    /// The face should come closer.
    Near,
    /// The picture was just taken.
    Taken,
    /// It is being sent.
    Sending,
}

impl Look {
    const ALL: [Self; 10] = [
        Self::Live,
        Self::Boxed,
        Self::Good,
        Self::Warn,
        Self::Well,
        Self::Left,
        Self::Right,
        Self::Near,
        Self::Taken,
        Self::Sending,
    ];

    const fn class(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Boxed => "boxed",
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Well => "well",
            Self::Left => "left",
            Self::Right => "right",
            Self::Near => "near",
            Self::Taken => "taken",
            Self::Sending => "sending",
        }
    }
}

impl Stage {
    /// Says what to do now.
    pub(super) fn tell(&self, hint: impl Into<Cow<'static, str>>) {
        let hint = hint.into();
        self.announce(&hint);
        self.display(hint);
    }

    /// Says what to do now, as one of many hints that follow each other: screen readers get those that `announcer` lets through.
    pub(super) fn advise(&self, announcer: &mut Announcer, hint: impl Into<Cow<'static, str>>, is_request: bool) {
        let hint = hint.into();
        if announcer.sees(now(), &hint, is_request) {
            self.announce(&hint);
        }
        self.display(hint);
    }

    /// Tells screen readers. The same sentence again is not announced again.
    fn announce(&self, sentence: &str) {
        if let Some(element) = self.find(".unseen")
            && element.text_content().as_deref() != Some(sentence)
        {
            element.set_text_content(Some(sentence));
        }
    }

    fn display(&self, hint: Cow<'static, str>) {
        if self.hint.with_untracked(|said| *said != hint) {
            self.hint.set(hint);
        }
    }

    /// Switches a state on or off.
    pub(super) fn look(&self, look: Look, on: bool) {
        if let Some(dialog) = self.dialog.get_untracked() {
            let _ = dialog.class_list().toggle_with_force(look.class(), on);
        }
    }

    /// Switches every state off.
    pub(super) fn look_plain(&self) {
        for look in Look::ALL {
            self.look(look, false);
        }
        self.edge("");
        self.filled(0.0);
        self.shine(None);
    }

    /// Shines around the oval in this colour, or not at all.
    pub(super) fn shine(&self, colour: Option<&str>) {
        self.set(".light", "fill", colour.unwrap_or("transparent"));
    }

    /// Draws the card's corners, or none.
    pub(super) fn edge(&self, points: &str) {
        self.set("polygon", "points", points);
    }

    /// Fills the oval's edge up to a share.
    pub(super) fn filled(&self, share: f64) {
        self.set(".filled", "stroke-dasharray", &format!("{} 100", percent(share)));
    }

    /// Shows how much has been sent.
    pub(super) fn sent(&self, share: f64) {
        let percent = percent(share);
        self.look(Look::Sending, true);
        self.set(".sending", "value", &percent.to_string());
        if let Some(element) = self.find(".percent") {
            element.set_text_content(Some(&format!("{percent} %")));
        }
    }

    /// Tells whether the torch is on.
    pub(super) fn lit(&self, on: bool) {
        self.set(".torch", "aria-pressed", if on { "true" } else { "false" });
    }

    /// Moves the focus to what stays, before what has it may be hidden: then the page would have it, outside of the dialog. The way out keeps it.
    pub(super) fn keep_focus(&self) {
        if self.find(":focus:not(.stage-top > :first-child)").is_some() {
            self.focus(".stage-top");
        }
    }

    /// Moves the focus to an element, unless it is hidden.
    pub(super) fn focus(&self, selector: &str) {
        if let Some(element) = self.find(selector)
            && let Some(element) = element.dyn_ref::<HtmlElement>()
        {
            let _ = element.focus();
        }
    }

    fn set(&self, selector: &str, name: &str, value: &str) {
        if let Some(element) = self.find(selector) {
            let _ = element.set_attribute(name, value);
        }
    }

    fn find(&self, selector: &str) -> Option<Element> {
        self.dialog.get_untracked()?.query_selector(selector).ok()?
    }
}

fn percent(share: f64) -> u32 {
    (share * 100.0) as u32
}
