//! Flash messages: what was just done, or why it was not, said once on the next page.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

/// An extension of the response: a notice that the next page shows once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What it says.
    pub text: String,
    /// Whether it says that something was not done, or is wrong.
    pub is_bad: bool,
}

impl Notice {
    /// What was done.
    pub(crate) fn good(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_bad: false,
        }
    }

    /// What was not done, or is wrong.
    pub(crate) fn bad(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_bad: true,
        }
    }
}

/// What was just done, or why it was not.
pub(super) fn flash(notice: &Notice) -> AnyView {
    let class = if notice.is_bad { "flash bad" } else { "flash" };
    view! { <p class=class role="status">{notice.text.clone()}</p> }.into_any()
}
