//! The search in the documentation. The server does it, so that it works without scripts and without a network.

use super::{
    errors::{self, ERRORS},
    frame, guides,
    json::{entries, text},
    operations, reasons,
};
use domain::{language::Language, reasons::Reason};
use leptos::prelude::*;
use serde_json::Value;

/// The most results that are shown.
const MAX_RESULTS: usize = 50;
/// The longest query that is looked for, in characters; the box takes no more.
const LONGEST: usize = 100;
/// Bytes before what was found, in an excerpt; it begins with a whole word.
const BEFORE: usize = 60;
/// Bytes of an excerpt, which ends with a whole word.
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
    let wanted = wanted(&asked);
    let found = find(&wanted, parts(api));
    let count = match found.len() {
        _ if asked.is_empty() => "Enter one or more words.".to_owned(),
        0 => "Nothing was found. Try fewer or shorter words.".to_owned(),
        1 => "1 result".to_owned(),
        MAX_RESULTS => format!("The first {MAX_RESULTS} results"),
        count => format!("{count} results"),
    };
    let results: Vec<_> = found
        .into_iter()
        .map(|part| {
            let (title, excerpt) = (
                marked(&part.title, &wanted),
                marked(&excerpt(&part.text, &wanted), &wanted),
            );
            view! { <li><a href=part.link>{title}</a>" "<span class="q">{part.page}</span><p>{excerpt}</p></li> }
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
        text: plain(&format!(
            "{} {path} {}",
            method.to_uppercase(),
            text(&of["description"])
        )),
    });
    let events = entries(&api["webhooks"]).map(|(kind, item)| Part {
        page: REFERENCE,
        title: kind.to_owned(),
        link: format!("/docs#{kind}"),
        text: plain(&text(&item["post"]["summary"])),
    });
    let reasons = Reason::ALL.iter().map(|reason| Part {
        page: REFERENCE,
        title: reason.as_str().to_owned(),
        link: format!("/docs#{}", reason.as_str()),
        text: plain(&format!(
            "{} {}",
            reason.sentence(Language::En),
            reasons::advice(*reason)
        )),
    });
    let errors = ERRORS.iter().map(|error| Part {
        page: REFERENCE,
        title: format!("{} {}", error.status, error.tag),
        link: errors::link(error.tag),
        text: plain(&format!("{} {}", error.meaning, error.advice)),
    });
    let schemas = entries(&api["components"]["schemas"]).map(|(name, of)| {
        let fields = entries(&of["properties"]).map(|(field, of)| format!(" {field}: {}", text(&of["description"])));
        Part {
            page: REFERENCE,
            title: name.to_owned(),
            link: format!("/docs#{name}"),
            text: plain(&(text(&of["description"]) + &fields.collect::<String>())),
        }
    });
    let guides = guides::all().flat_map(|(guide, content)| {
        content.sections.iter().map(|section| Part {
            page: guide.title,
            title: section.title.clone(),
            link: format!("{}#{}", guide.path(), section.anchor),
            text: on_one_line(&section.text),
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

/// A text of the description without the marks of its code.
fn plain(text: &str) -> String {
    on_one_line(&text.replace('`', ""))
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words that were asked for.
fn wanted(asked: &str) -> Vec<String> {
    asked.split_whitespace().map(str::to_lowercase).collect()
}

/// The parts that contain all the words, those with all of them in the title first.
fn find(wanted: &[String], parts: Vec<Part>) -> Vec<Part> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<_> = parts
        .into_iter()
        .filter_map(|part| {
            let title = part.title.to_lowercase();
            let whole = format!("{title} {}", part.text.to_lowercase());
            let in_title = wanted.iter().all(|word| title.contains(word));
            wanted
                .iter()
                .all(|word| whole.contains(word))
                .then_some((!in_title, part))
        })
        .collect();
    found.sort_by_key(|(later, _)| *later);
    found.into_iter().take(MAX_RESULTS).map(|(_, part)| part).collect()
}

/// Whether a word of a text contains one that was asked for.
fn is_wanted(word: &str, wanted: &[String]) -> bool {
    let word = word.to_lowercase();
    wanted.iter().any(|wanted| word.contains(wanted))
}

/// The whole words around the first place of the longest that was asked for.
fn excerpt(text: &str, wanted: &[String]) -> String {
    let words: Vec<_> = text.split(' ').collect();
    // The longest says most: "idempotency" rather than "key".
    let longest = wanted.iter().max_by_key(|word| word.len());
    let position = |wanted: &[String]| words.iter().position(|word| is_wanted(word, wanted));
    let at = longest
        .and_then(|longest| position(std::slice::from_ref(longest)))
        .or_else(|| position(wanted))
        .unwrap_or(0);
    let start = at - fitting(words[..at].iter().rev(), BEFORE);
    let end = start + fitting(words[start..].iter(), EXCERPT).max(at + 1 - start);
    let (left, right) = (
        if start > 0 { "… " } else { "" },
        if end < words.len() { " …" } else { "" },
    );
    format!("{left}{}{right}", words[start..end].join(" "))
}

/// How many words have at most `most` bytes together.
fn fitting<'a>(words: impl Iterator<Item = &'a &'a str>, most: usize) -> usize {
    words
        .scan(0, |length, word| {
            *length += word.len() + 1;
            Some(*length)
        })
        .take_while(|length| *length <= most)
        .count()
}

/// A text with the words marked that contain one that was asked for.
fn marked(text: &str, wanted: &[String]) -> AnyView {
    let words: Vec<_> = text
        .split(' ')
        .enumerate()
        .map(|(at, word)| {
            let space = (at > 0).then_some(" ");
            let word = if is_wanted(word, wanted) {
                without_punctuation(word)
            } else {
                word.to_owned().into_any()
            };
            view! { {space}{word} }
        })
        .collect();
    words.into_any()
}

/// A word marked without what stands before and after it, such as quotation marks.
fn without_punctuation(word: &str) -> AnyView {
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    let (before, after) = word.split_once(inner).unwrap_or_default();
    view! { {before.to_owned()}<mark>{inner.to_owned()}</mark>{after.to_owned()} }.into_any()
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
            find(&wanted(asked), parts())
                .into_iter()
                .map(|part| part.title)
                .collect::<Vec<_>>()
        };
        assert_eq!(found("WEBHOOK ret"), ["Webhook retries", "Errors"]);
        assert_eq!(found("webhook retries never"), [""; 0]);
        assert_eq!(found("  "), [""; 0]);
    }

    #[test]
    fn an_excerpt_shows_what_was_found_in_whole_words() {
        let text = format!("{}größer als NEEDLE, {}end", "ää ".repeat(100), "zzz ".repeat(200));
        let shown = excerpt(&text, &wanted("needle"));
        assert!(shown.starts_with("… ää ") && shown.ends_with(" zzz …"), "{shown}");
        assert!(shown.contains("größer als NEEDLE, zzz"), "{shown}");
        assert_eq!(excerpt("short", &wanted("absent")), "short");
        let of_two = excerpt(&format!("id {}NEEDLE", "zz ".repeat(50)), &wanted("id needle"));
        assert!(of_two.ends_with("NEEDLE"), "{of_two}");
        let long = "x".repeat(500);
        assert_eq!(excerpt(&long, &wanted("x")), long, "never nothing");
    }

    #[test]
    fn found_words_are_marked_and_nothing_is_markup() {
        let html = crate::page::without_markers(&marked("a <b> Webhook, id", &wanted("webhook")).to_html());
        assert!(
            html.contains("<mark>Webhook</mark>") && html.contains("&lt;b&gt;"),
            "{html}"
        );
        assert_eq!(plain("Sends `id`\n\n twice"), "Sends id twice");
    }
}
