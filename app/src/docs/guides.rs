//! The guides as pages.

use super::{
    files::{GUIDES, Guide},
    frame,
    markdown::{self, Rendered},
};
use leptos::prelude::*;
use std::sync::LazyLock;

static RENDERED: LazyLock<Vec<Rendered>> = LazyLock::new(|| GUIDES.iter().map(markdown::render).collect());

/// Every guide with its content.
pub(super) fn all() -> impl Iterator<Item = (&'static Guide, &'static Rendered)> {
    GUIDES.iter().zip(RENDERED.iter())
}

/// The page of a guide.
pub(super) fn render(guide: &Guide, nonce: &str) -> AnyView {
    let content = all().find(|(known, _)| known.name == guide.name).map(|(_, content)| {
        let parts: Vec<_> = content
            .sections
            .iter()
            .filter(|section| section.level == 2)
            .map(|section| view! { <li><a href=format!("#{}", section.anchor)>{section.title.clone()}</a></li> })
            .collect();
        view! {
            <nav class="contents" aria-label="Contents"><ul>{parts}</ul></nav>
            <div class="guide" inner_html=content.html.clone()></div>
        }
    });
    frame::page(guide.title, Some(&guide.path()), nonce, content.into_any())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::files::SERVED;

    #[test]
    fn every_link_of_a_guide_leads_somewhere() {
        for (guide, content) in all() {
            assert!(
                !content.html.contains(".md"),
                "{}: a link or a mention of a file that is no page here",
                guide.file
            );
            for link in content
                .html
                .split("href=\"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next())
            {
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                if path.starts_with("https://") || SERVED.iter().any(|(_, served)| *served == path) {
                    continue;
                }
                let target = if path.is_empty() {
                    Some(content)
                } else {
                    all()
                        .find(|(known, _)| known.path() == path)
                        .map(|(_, content)| content)
                };
                let Some(target) = target else {
                    assert_eq!(path, "/docs", "{}: {link}", guide.file);
                    continue;
                };
                assert!(
                    anchor.is_empty() || target.html.contains(&format!("id=\"{anchor}\"")),
                    "{}: {link}",
                    guide.file
                );
            }
        }
    }
}
