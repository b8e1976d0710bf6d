//! The index of the settings: the current values of each section, and a link to it.

use super::section::path;
use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{Frame, page};
use crate::console::parts::heading;
use crate::console::words::say;
use domain::tenant::Section;
use leptos::prelude::*;

/// The sections a person may change.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct IndexView {
    /// Each with what it holds.
    pub sections: Vec<(Section, String)>,
}

/// The page. Each entry has the anchor that its section had when all of them were on one page.
#[must_use]
pub(super) fn render(view: &IndexView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let group = |(title, members): (&'static str, &'static [Section])| {
        let entries: Vec<_> = view
            .sections
            .iter()
            .filter(|(section, _)| members.contains(section))
            .collect();
        let rows = entries
            .iter()
            .map(|(section, holds)| {
                view! {
                    <li id=section.as_str()><a href=path(*section)><strong>{labels::section(*section)}</strong><span class="soft">{holds.clone()}</span></a></li>
                }
            })
            .collect_view();
        (!entries.is_empty())
            .then(|| view! { <section class="panel"><h2>{title}</h2><ul class="sections">{rows}</ul></section> })
    };
    let main = view! {
        {heading(say("Settings", "設定"), ().into_any())}
        <div class="stack">{labels::section_groups().map(group).into_iter().collect_view()}</div>
    };
    page(frame, meta, say("Settings", "設定"), main.into_any())
}
