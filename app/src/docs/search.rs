//! The search in the documentation. The server does it, so that it works without scripts and without a network.

use super::{
    errors::{self, ERRORS},
    frame, guides,
    json::{entries, text},
    operations,
};
use domain::{language::Language, reasons::Reason};
use leptos::prelude::*;
use serde_json::Value;

/// The most results that are shown.
const MOST: usize = 50;
/// The longest query that is looked for, in characters; the box takes no more.
const LONGEST: usize = 100;
/// Characters before what was found, in an excerpt.
const BEFORE: usize = 60;
/// Characters of an excerpt.
const EXCERPT: usize = 200;

/// A part of the documentation.
struct Part {
    page: &'static str,
    title: String,
    link: String,
    text: String,
}

/// The page with what was found.
pub(super) fn render(asked: &str, api: &Value, nonce: &str) -> AnyView {
    let asked: String = asked.chars().take(LONGEST).collect();
    let found = find(&asked, parts(api));
    let count = match found.len() {
        _ if asked.is_empty() => "Enter one or more words.".to_owned(),
        0 => "Nothing was found. Try fewer or shorter words.".to_owned(),
        1 => "1 result".to_owned(),
        MOST => format!("The first {MOST} results"),
        count => format!("{count} results"),
    };
    let results: Vec<_> = found
        .into_iter()
        .map(|(part, excerpt)| {
            view! { <li><a href=part.link>{part.title}</a>" "<span class="q">{part.page}</span><p>{excerpt}</p></li> }
        })
        .collect();
    let content = view! { <p role="status">{count}</p><ul class="found">{results}</ul> };
    frame::framed("Search", None, &asked, nonce, content.into_any())
}

/// Everything that can be found, the operations first.
fn parts(api: &Value) -> Vec<Part> {
    const REFERENCE: &str = "API reference";
    let operations = operations::ordered(api).into_iter().map(|(path, method, of)| Part {
        page: REFERENCE,
        title: text(&of["summary"]),
        link: format!("/docs#{}", text(&of["operationId"])),
        text: format!("{} {path} {}", method.to_uppercase(), text(&of["description"])),
    });
    let events = entries(&api["webhooks"]).map(|(kind, item)| Part {
        page: REFERENCE,
        title: kind.to_owned(),
        link: format!("/docs#{kind}"),
        text: text(&item["post"]["summary"]),
    });
    let reasons = Reason::ALL.iter().map(|reason| Part {
        page: REFERENCE,
        title: reason.as_str().to_owned(),
        link: format!("/docs#{}", reason.as_str()),
        text: reason.sentence(Language::En).to_owned(),
    });
    let errors = ERRORS.iter().map(|error| Part {
        page: REFERENCE,
        title: format!("{} {}", error.status, error.tag),
        link: errors::link(error.tag),
        text: format!("{} {}", error.meaning, error.advice).replace('`', ""),
    });
    let schemas = entries(&api["components"]["schemas"]).map(|(name, of)| {
        let fields = entries(&of["properties"]).map(|(field, of)| format!(" {field}: {}", text(&of["description"])));
        Part {
            page: REFERENCE,
            title: name.to_owned(),
            link: format!("/docs#{name}"),
            text: text(&of["description"]) + &fields.collect::<String>(),
        }
    });
    let guides = guides::all().flat_map(|(guide, content)| {
        content.sections.iter().map(|section| Part {
            page: guide.title,
            title: section.title.clone(),
            link: format!("{}#{}", guide.path(), section.anchor),
            text: section.text.split_whitespace().collect::<Vec<_>>().join(" "),
        })
    });
    operations
        .chain(guides)
        .chain(events)
        .chain(reasons)
        .chain(errors)
        .chain(schemas)
        .collect()
}

/// The parts that contain all words of `asked`, those with all of them in the title first, each with an excerpt.
fn find(asked: &str, parts: Vec<Part>) -> Vec<(Part, String)> {
    let words: Vec<_> = asked.split_whitespace().map(str::to_lowercase).collect();
    let Some(first) = words.first() else { return Vec::new() };
    let mut found: Vec<_> = parts
        .into_iter()
        .filter_map(|part| {
            let title = part.title.to_lowercase();
            let whole = format!("{title} {}", part.text.to_lowercase());
            let in_title = words.iter().all(|word| title.contains(word));
            words
                .iter()
                .all(|word| whole.contains(word))
                .then_some((!in_title, part))
        })
        .collect();
    found.sort_by_key(|(later, _)| *later);
    found
        .into_iter()
        .take(MOST)
        .map(|(_, part)| {
            let excerpt = excerpt(&part.text, first);
            (part, excerpt)
        })
        .collect()
}

/// The text around the first occurrence of a word.
fn excerpt(text: &str, word: &str) -> String {
    // Lower case may have another length in bytes, but hardly ever another number of characters.
    let lower = text.to_lowercase();
    let at = lower.find(word).map_or(0, |bytes| lower[..bytes].chars().count());
    let start = at.saturating_sub(BEFORE);
    let shown: String = text.chars().skip(start).take(EXCERPT).collect();
    let (left, right) = (
        if start > 0 { "… " } else { "" },
        if text.chars().count() > start + EXCERPT {
            " …"
        } else {
            ""
        },
    );
    format!("{left}{}{right}", shown.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(title: &str, text: &str) -> Part {
        Part {
            page: "Page",
            title: title.to_owned(),
            link: String::new(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn all_words_must_be_there_and_titles_come_first() {
        let parts = || {
            vec![
                part("Errors", "retry the Webhook"),
                part("Webhook retries", "later"),
                part("Keys", "webhook"),
            ]
        };
        let found = |asked| {
            find(asked, parts())
                .into_iter()
                .map(|(part, _)| part.title)
                .collect::<Vec<_>>()
        };
        assert_eq!(found("WEBHOOK ret"), ["Webhook retries", "Errors"]);
        assert_eq!(found("webhook retries never"), [""; 0]);
        assert_eq!(found("  "), [""; 0]);
    }

    #[test]
    fn an_excerpt_shows_what_was_found() {
        let text = format!("{} größer als NEEDLE {}", "ä ".repeat(100), "z ".repeat(200));
        let shown = excerpt(&text, "needle");
        assert!(
            shown.contains("größer als NEEDLE") && shown.starts_with("… ") && shown.ends_with(" …"),
            "{shown}"
        );
        assert_eq!(excerpt("short", "absent"), "short");
    }
}
