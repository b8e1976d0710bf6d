//! From a file of the folder `docs` to HTML. The files are ours, so HTML in them is kept.

use super::files::GUIDES;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html::push_html};

/// A file as HTML, and its sections for the search.
pub(super) struct Rendered {
    /// Without the heading of the file.
    pub(super) html: String,
    pub(super) sections: Vec<Section>,
}

/// A heading and the text up to the next one.
pub(super) struct Section {
    pub(super) level: usize,
    pub(super) title: String,
    pub(super) anchor: String,
    pub(super) text: String,
}

/// Renders a file.
pub(super) fn render(source: &str) -> Rendered {
    let mut sections: Vec<Section> = Vec::new();
    let mut shown = Vec::new();
    let mut events = Parser::new_ext(source, Options::ENABLE_TABLES);
    // Whether each open link is shown as one.
    let mut links = Vec::new();
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::Heading {
                level, classes, attrs, ..
            }) => {
                let inner: Vec<_> = events
                    .by_ref()
                    .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
                    .collect();
                let title: String = inner.iter().filter_map(words).collect();
                let anchor = anchor(&title, &sections);
                sections.push(Section {
                    level: level as usize,
                    title,
                    anchor: anchor.clone(),
                    text: String::new(),
                });
                // The page has a heading of its own.
                if level as usize > 1 {
                    let id = Some(CowStr::from(anchor));
                    shown.push(Event::Start(Tag::Heading {
                        level,
                        id,
                        classes,
                        attrs,
                    }));
                    shown.extend(inner);
                    shown.push(Event::End(TagEnd::Heading(level)));
                }
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let target = target(&dest_url);
                links.push(target.is_some());
                if let Some(target) = target {
                    shown.push(Event::Start(Tag::Link {
                        link_type,
                        dest_url: target.into(),
                        title,
                        id,
                    }));
                }
            }
            Event::End(TagEnd::Link) => {
                if links.pop() == Some(true) {
                    shown.push(Event::End(TagEnd::Link));
                }
            }
            event => {
                if let Some(section) = sections.last_mut() {
                    section.text.push_str(words(&event).unwrap_or(" "));
                }
                shown.push(event);
            }
        }
    }
    let mut html = String::new();
    push_html(&mut html, shown.into_iter().map(without_suffix));
    Rendered { html, sections }
}

/// The text of an event, as a reader sees it.
fn words<'a>(event: &'a Event<'_>) -> Option<&'a str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => None,
    }
}

/// Where a link leads on an installation; `None` if only the repository has it.
fn target(link: &str) -> Option<String> {
    if link.starts_with("https://") || link.starts_with('#') {
        return Some(link.to_owned());
    }
    let (path, anchor) = link
        .split_once('#')
        .map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let file = path.trim_start_matches("../").trim_start_matches("docs/");
    let page = match file {
        "openapi.json" | "openapi-3.0.json" => format!("/v1/{file}"),
        _ => GUIDES.iter().find(|guide| guide.file == file)?.path(),
    };
    Some(anchor.map_or(page.clone(), |anchor| format!("{page}#{anchor}")))
}

/// `API.md` in a text is the name of a file, which is a page here.
fn without_suffix(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Text(text) if text.contains(".md") => Event::Text(titled(&text).into()),
        Event::Code(text) if text.contains(".md") => Event::Text(titled(&text).into()),
        event => event,
    }
}

fn titled(text: &str) -> String {
    let mut text = text.to_owned();
    for guide in &GUIDES {
        text = text
            .replace(&format!("docs/{}", guide.file), guide.title)
            .replace(guide.file, guide.title);
    }
    text.replace(".md", "")
}

/// The anchor of a heading, as code hosts make it: two headings with the same title are numbered.
fn anchor(title: &str, before: &[Section]) -> String {
    let kept = title
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .collect::<String>();
    let slug = kept.replace(' ', "-");
    let mut anchor = slug.clone();
    let mut number = 0;
    while before.iter().any(|section| section.anchor == anchor) {
        number += 1;
        anchor = format!("{slug}-{number}");
    }
    anchor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_anchors_and_links_lead_to_pages() {
        let source = "# Title\n\n## Same `name`\n\n[a](API.md#keys) [b](../clients) [c](openapi.json) [d](https://e.example/x)\n\n## Same name\n\n| x |\n|---|\n| y |\n";
        let rendered = render(source);
        assert_eq!(
            rendered.html,
            "<h2 id=\"same-name\">Same <code>name</code></h2>\n<p><a href=\"/docs/api#keys\">a</a> b <a href=\"/v1/openapi.json\">c</a> \
             <a href=\"https://e.example/x\">d</a></p>\n<h2 id=\"same-name-1\">Same name</h2>\n<table><thead><tr><th>x</th></tr></thead><tbody>\n<tr><td>y</td></tr>\n</tbody></table>\n"
        );
        let sections: Vec<_> = rendered
            .sections
            .iter()
            .map(|section| (section.level, section.anchor.as_str(), section.text.trim()))
            .collect();
        assert_eq!(
            sections,
            [
                (1, "title", ""),
                (2, "same-name", "a b c d"),
                (2, "same-name-1", "x    y")
            ]
        );
    }
}
