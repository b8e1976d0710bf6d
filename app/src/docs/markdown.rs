//! Renders a file of the repository as HTML. The files are trusted, so HTML in them is kept.

use super::{
    files::{GUIDES, Guide, SERVED},
    table::label,
};
use crate::html::escaped;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

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
pub(super) fn render(guide: &Guide) -> Rendered {
    let mut writer = Writer {
        guide,
        sections: Vec::new(),
        shown: Vec::new(),
        links: Vec::new(),
        columns: Columns::default(),
    };
    let mut events = Parser::new_ext(guide.source, Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS);
    while let Some(event) = events.next() {
        if let Event::Start(Tag::Heading { level, .. }) = event {
            let inner = events
                .by_ref()
                .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
                .collect();
            writer.heading(level, inner);
        } else {
            writer.event(event);
        }
    }
    let mut html = String::new();
    push_html(&mut html, writer.shown.into_iter().map(without_suffix));
    Rendered {
        html,
        sections: writer.sections,
    }
}

/// What has been read of a file.
struct Writer<'a> {
    guide: &'a Guide,
    sections: Vec<Section>,
    shown: Vec<Event<'a>>,
    /// Whether each open link is shown as one.
    links: Vec<bool>,
    columns: Columns,
}

/// The columns of the table that is being read.
#[derive(Default)]
struct Columns {
    headings: Vec<String>,
    is_head: bool,
    at: usize,
}

impl<'a> Writer<'a> {
    fn heading(&mut self, level: HeadingLevel, inner: Vec<Event<'a>>) {
        let title: String = inner.iter().map(words).collect();
        let anchor = anchor(&title, &self.sections);
        self.sections.push(Section {
            level: level as usize,
            title,
            anchor: anchor.clone(),
            text: String::new(),
        });
        // The page has a heading of its own.
        if level == HeadingLevel::H1 {
            return;
        }
        self.shown.push(Event::Start(Tag::Heading {
            level,
            id: Some(anchor.into()),
            classes: Vec::new(),
            attrs: Vec::new(),
        }));
        self.shown.extend(inner);
        self.shown.push(Event::End(TagEnd::Heading(level)));
    }

    fn event(&mut self, event: Event<'a>) {
        if let Some(section) = self.sections.last_mut() {
            section.text.push_str(&titled(words(&event)));
        }
        match event {
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let target = target(&dest_url, self.guide.file);
                self.links.push(target.is_some());
                if let Some(target) = target {
                    let dest_url = target.into();
                    self.shown.push(Event::Start(Tag::Link {
                        link_type,
                        dest_url,
                        title,
                        id,
                    }));
                }
            }
            Event::End(TagEnd::Link) if self.links.pop() == Some(false) => {}
            Event::TaskListMarker(done) => self.shown.push(Event::InlineHtml(box_of(done).into())),
            event => {
                let event = self.columns.labelled(event);
                self.shown.push(event);
            }
        }
    }
}

impl Columns {
    /// A cell of a table's body says which column it belongs to; any other event stays as it is.
    fn labelled<'a>(&mut self, event: Event<'a>) -> Event<'a> {
        match &event {
            Event::Start(Tag::TableHead) => {
                *self = Self {
                    is_head: true,
                    ..Self::default()
                }
            }
            Event::End(TagEnd::TableHead) => self.is_head = false,
            Event::Start(Tag::TableRow) => self.at = 0,
            Event::Start(Tag::TableCell) if self.is_head => self.headings.push(String::new()),
            Event::Start(Tag::TableCell) => {
                let heading = self.headings.get(self.at).map_or("", String::as_str);
                self.at += 1;
                return Event::InlineHtml(format!("<td data-label=\"{}\">", escaped(&label(heading))).into());
            }
            Event::End(TagEnd::TableCell) if !self.is_head => return Event::InlineHtml("</td>".into()),
            other if self.is_head => {
                if let Some(heading) = self.headings.last_mut() {
                    heading.push_str(words(other));
                }
            }
            _ => {}
        }
        event
    }
}

/// A drawn box: an input that nobody can use would need a name.
const fn box_of(done: bool) -> &'static str {
    if done {
        "<span class=\"box done\"></span>"
    } else {
        "<span class=\"box\"></span>"
    }
}

/// The text of an event, as a reader sees it: marks within a line are nothing, and the end of a line or block is a space.
fn words<'a>(event: &'a Event<'_>) -> &'a str {
    match event {
        Event::Text(text) | Event::Code(text) => text,
        Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. })
        | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link)
        | Event::InlineHtml(_) => "",
        _ => " ",
    }
}

/// Where a link of a file leads on an installation; `None` if only the repository has it.
fn target(link: &str, from: &str) -> Option<String> {
    if link.starts_with("https://") || link.starts_with('#') {
        return Some(link.to_owned());
    }
    let (path, anchor) = link
        .split_once('#')
        .map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let file = resolved(path, from);
    let page = match SERVED.iter().find(|(served, _)| *served == file) {
        Some((_, address)) => (*address).to_owned(),
        None => GUIDES.iter().find(|guide| guide.file == file)?.path(),
    };
    Some(anchor.map_or(page.clone(), |anchor| format!("{page}#{anchor}")))
}

/// A relative path in a file, from the root of the repository.
fn resolved(path: &str, from: &str) -> String {
    let mut folders: Vec<_> = from.split('/').collect();
    folders.pop();
    for part in path.split('/') {
        if part == ".." {
            folders.pop();
        } else {
            folders.push(part);
        }
    }
    folders.join("/")
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
    for guide in GUIDES {
        text = text
            .replace(guide.file, guide.title)
            .replace(guide.file_name(), guide.title);
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
    use crate::docs::files::Group;

    fn rendered(source: &'static str) -> Rendered {
        render(&Guide {
            name: "x",
            title: "X",
            group: Group::Guides,
            file: "docs/X.md",
            source,
        })
    }

    #[test]
    fn headings_have_anchors_and_links_lead_to_pages() {
        let rendered = rendered(
            "# Title\n\n## Same `name`\n\n[a](API.md#keys) [b](../clients) [c](openapi.json) [d](https://e.example/x) [e](../SECURITY.md)\n\n## Same name\n",
        );
        assert_eq!(
            rendered.html,
            "<h2 id=\"same-name\">Same <code>name</code></h2>\n<p><a href=\"/docs/api#keys\">a</a> b <a href=\"/v1/openapi.json\">c</a> \
             <a href=\"https://e.example/x\">d</a> e</p>\n<h2 id=\"same-name-1\">Same name</h2>\n"
        );
        let sections: Vec<_> = rendered
            .sections
            .iter()
            .map(|section| (section.level, section.anchor.as_str(), section.text.trim()))
            .collect();
        assert_eq!(
            sections,
            [(1, "title", ""), (2, "same-name", "a b c d e"), (2, "same-name-1", "")]
        );
    }

    #[test]
    fn cells_say_which_column_they_belong_to() {
        let html = rendered("| `x` | \"y\" |\n|---|---|\n| 1 | **2** |\n").html;
        assert!(
            html.contains("<td data-label=\"x\">1</td><td data-label=\"&quot;y&quot;\"><strong>2</strong></td></tr>"),
            "{html}"
        );
    }

    #[test]
    fn tasks_have_boxes_and_the_search_does_not_see_them() {
        let rendered = rendered("# T\n\n- [ ] **To** do, see [b](x).\n- [x] done\n");
        assert!(
            rendered.html.contains("<li><span class=\"box\"></span>") && rendered.html.contains("class=\"box done\""),
            "{}",
            rendered.html
        );
        let text: Vec<_> = rendered.sections[0].text.split_whitespace().collect();
        assert_eq!(text.join(" "), "To do, see b. done");
    }
}
