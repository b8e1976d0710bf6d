//! The capture flow on the phone: one page a file, each with its view model and its `render`.

pub mod check;
pub mod choose;
pub mod consent;
pub mod details;
pub mod document;
pub mod elsewhere;
pub mod problem;
pub mod result;
pub mod selfie;
pub mod start;
pub mod submit;

use crate::text::{Text, capture as text, elsewhere as other};
use crate::{PageMeta, forms};
use leptos::prelude::*;

/// How many tries are left, as a sentence; nothing while there are plenty.
fn tries_left(meta: &PageMeta, left: u8) -> Option<String> {
    const PLENTY: u8 = 4;
    match left {
        PLENTY.. => None,
        0 | 1 => Some(meta.say(text::TRY_LAST).to_owned()),
        n => Some(meta.tell(text::TRIES_LEFT, &[("n", &n.to_string())])),
    }
}

/// The way to another phone, for pages that need a camera.
fn other_device(meta: &PageMeta) -> impl IntoView + use<> {
    view! { <p class="other"><a href=forms::ELSEWHERE>{meta.say(other::OTHER_DEVICE)}</a></p> }
}

/// The texts in the page's language.
fn said<const N: usize>(meta: &PageMeta, texts: [Text; N]) -> [&'static str; N] {
    texts.map(|t| meta.say(t))
}
