//! Finds English in what a page says.

/// What is written like this in Japanese, too.
const TERMS: &[&str] = &[
    // Scopes of API keys.
    "create",
    "read",
    "manage",
    // Others.
    "Honnin",
    "Webhook",
    "JavaScript",
    "Bearer",
    "WebP",
    "ms",
    "px",
    "callbackUrl",
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    "metadata",
    "note",
    "null",
    "curl",
    "Enter",
    "Esc",
    "Edge",
    "Chrome",
    "Firefox",
    "Safari",
    "Linux",
];

/// Elements without an end.
const VOID: &[&str] = &["input", "br", "img", "meta", "link", "hr", "!DOCTYPE", "!", "!--"];

/// Attributes that are read aloud or shown.
const SAID: &[&str] = &["aria-label", "title", "placeholder", "alt", "data-label"];

/// The texts of a page that have an English word: of what is seen or read aloud, without code, ids and addresses, and without what is said
/// to be in another language. `sample` are words of the data that the page shows.
pub(super) fn texts(html: &str, sample: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut say = |text: &str| {
        let text = text
            .replace("&#x27;", "'")
            .replace("&quot;", "\"")
            .replace("&amp;", "&");
        if is_english(&text, sample) {
            found.push(text.trim().to_owned());
        }
    };
    // The elements around the text, and whether it is left out.
    let mut around: Vec<(&str, bool)> = Vec::new();
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        let is_silent = around.iter().any(|(_, silent)| *silent);
        if !is_silent {
            say(text);
        }
        let Some((tag, after)) = after.split_once('>') else {
            break;
        };
        rest = after;
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        if let Some(ended) = tag.strip_prefix('/') {
            let start = around.iter().rposition(|(name, _)| *name == ended);
            around.truncate(start.unwrap_or(around.len()));
            continue;
        }
        if matches!(name, "script" | "style") {
            let end = format!("</{name}>");
            rest = rest.split_once(&end).map_or("", |(_, after)| after);
            continue;
        }
        if !is_silent {
            for attribute in SAID {
                say(value(tag, attribute).unwrap_or_default());
            }
        }
        if !VOID.contains(&name) && !tag.ends_with('/') {
            around.push((name, is_silent || is_code(name, tag)));
        }
    }
    found
}

/// Code, names of keys, or something in another language than the page.
fn is_code(name: &str, tag: &str) -> bool {
    let classes = value(tag, "class").unwrap_or_default();
    let is_foreign = name != "html" && value(tag, "lang").is_some();
    matches!(name, "code" | "pre" | "kbd" | "svg") || classes.split(' ').any(|class| class == "mono") || is_foreign
}

fn value<'a>(tag: &'a str, attribute: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {attribute}=\""))?;
    rest.split('"').next()
}

fn is_english(text: &str, sample: &[&str]) -> bool {
    // The end of a shortened id, such as `vs_019f…cfcb`, may happen to have letters only: it is no word of its own.
    let parts = text.split(|c: char| c.is_whitespace() || !(c.is_ascii() || c == '…') || "()[]\",;!?|#=&".contains(c));
    parts.map(|part| part.trim_matches(['.', '…', ':', '\''])).any(|word| {
        let plain = word.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '\''));
        // An abbreviation, such as UTC, is the same in Japanese.
        let spoken = word.len() > 1 && word.chars().any(|c| c.is_ascii_lowercase());
        plain && spoken && !TERMS.contains(&word) && !sample.contains(&word)
    })
}

#[test]
fn english_is_found_in_texts_and_labels_and_not_in_code() {
    let page = r#"<html lang="ja"><title>設定</title><script>if (a < b) say("Hello there")</script>
        <p>ID <b class="soft mono">evt one</b> <a lang="en" href="/x">English</a> API<!>キー<!-- --> 2026-08-02T09:30Z a@shop.example</p>
        <code>curl it</code><br><td data-label="State" class="x">有効</td>
        <button aria-label="削除">Remove</button><p>署名 matches secret whk_1</p></html>"#;
    assert_eq!(texts(page, &[]), ["State", "Remove", "署名 matches secret whk_1"]);
    assert_eq!(texts("<p>Rita さん</p>", &["Rita"]), [""; 0]);
    assert_eq!(texts("<title>案件 vs_019f…cfcb – Honnin</title>", &[]), [""; 0]);
    assert_eq!(texts("<p>送信中 Sending…</p>", &[]), ["送信中 Sending…"]);
}
