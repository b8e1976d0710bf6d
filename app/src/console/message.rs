//! A page that shows only a message.

use super::{
    layout::{Frame, door, page},
    words::say,
};
use crate::PageMeta;
use leptos::prelude::*;

/// A message instead of a page, for people signed in or not.
#[must_use]
pub(super) fn message(title: &str, sentence: &str, frame: Option<&Frame>, meta: &PageMeta) -> AnyView {
    let (href, onward) = match frame {
        Some(_) => ("/admin", say("Go to the overview", "概要へ")),
        None => ("/admin/sign-in", say("Go to sign-in", "サインインへ")),
    };
    let main = view! {
        <div class="narrow-page stack">
            <h1>{title.to_owned()}</h1>
            <p class="lead">{sentence.to_owned()}</p>
            <p><a class="button secondary" href=href>{onward}</a></p>
        </div>
    };
    match frame {
        Some(frame) => page(frame, meta, title, main.into_any()),
        None => door(meta, "", title, main.into_any()),
    }
}
