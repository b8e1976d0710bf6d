//! Parts of a JSON document as text.

use leptos::prelude::*;
use serde_json::Value;

/// The members of an object, in order.
pub(super) fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value))
}

/// A string; empty if it is none.
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Renders `` `code` `` in a text as code.
pub(super) fn in_code(text: &str) -> AnyView {
    let parts: Vec<_> = text
        .split('`')
        .enumerate()
        .map(|(at, part)| {
            let part = part.to_owned();
            if at % 2 == 1 {
                view! { <code>{part}</code> }.into_any()
            } else {
                part.into_any()
            }
        })
        .collect();
    parts.into_any()
}
