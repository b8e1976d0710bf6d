//! The texts that the page provides for its islands, in its language.

use js_sys::{Array, JSON, Object};
use std::cell::OnceCell;
use wasm_bindgen::JsCast;

type Texts = Vec<(String, &'static str)>;

thread_local! {
    /// Read once: they are needed as long as the page lives.
    static TEXTS: OnceCell<Texts> = const { OnceCell::new() };
}

/// The text with this key. The page brings every text that its island says, as a test checks.
pub(super) fn find(key: &str) -> &'static str {
    TEXTS.with(|texts| {
        let texts = texts.get_or_init(|| read().unwrap_or_default());
        texts.iter().find(|(of, _)| of == key).map_or("", |(_, text)| text)
    })
}

fn read() -> Option<Texts> {
    let element = web_sys::window()?.document()?.get_element_by_id("texts")?;
    let texts: Object = JSON::parse(&element.text_content()?).ok()?.dyn_into().ok()?;
    let entries = Object::entries(&texts).into_iter().filter_map(|entry| {
        let entry: Array = entry.dyn_into().ok()?;
        let text: &'static str = Box::leak(entry.get(1).as_string()?.into_boxed_str());
        Some((entry.get(0).as_string()?, text))
    });
    Some(entries.collect())
}
