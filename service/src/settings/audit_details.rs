//! A change of settings as the audit log words it: complete, however long, and no value can be mistaken for another change.

use super::preview::{Difference, Value};
use domain::tenant::Section;
use store::audit;

/// The changes of a section for the audit log: name, old and new value of each. If that is too long for an entry, of a list only what was added to it
/// and removed from it, in as many entries as it takes: nobody must be able to hide a change in what an entry leaves out.
pub(super) fn details(section: Section, changes: &[Difference]) -> Vec<String> {
    let all: Vec<String> = changes.iter().map(old_and_new).collect();
    let whole = format!("{section}: {}", all.join("; "));
    if whole.len() <= audit::MAX_DETAIL {
        return vec![whole];
    }
    let room = audit::MAX_DETAIL - format!("{section}: ").len();
    let mut details: Vec<String> = Vec::new();
    for part in changes.iter().flat_map(|change| parts(change, room)) {
        match details.last_mut() {
            Some(detail) if detail.len() + "; ".len() + part.len() <= audit::MAX_DETAIL => {
                detail.push_str(&format!("; {part}"));
            }
            _ => details.push(format!("{section}: {part}")),
        }
    }
    details
}

fn old_and_new(change: &Difference) -> String {
    let Difference { setting, old, new } = change;
    format!("{setting} {} → {}", unmistakable(old), unmistakable(new))
}

/// A change in parts of at most `room` bytes each: of a list, and of a text that is too long for one part, what was added and what was removed.
fn parts(change: &Difference, room: usize) -> Vec<String> {
    let Difference { setting, old, new } = change;
    let (old, new) = match (old.items(), new.items()) {
        (Some(old), Some(new)) => (old.to_vec(), new.to_vec()),
        _ => {
            let whole = old_and_new(change);
            if whole.len() <= room {
                return vec![whole];
            }
            let items = |value: &Value| {
                value
                    .items()
                    .map_or_else(|| vec![value.to_string()], <[String]>::to_vec)
            };
            (items(old), items(new))
        }
    };
    let only_in = |these: &[String], others: &[String]| {
        let items = these.iter().filter(|item| !others.contains(item)).cloned();
        items.collect::<Vec<String>>()
    };
    let (added, removed) = (only_in(&new, &old), only_in(&old, &new));
    let json = |items: &[String]| without_signs(&serde_json::Value::from(items));
    let whole = format!("{setting} added {}, removed {}", json(&added), json(&removed));
    if whole.len() <= room {
        return vec![whole];
    }
    let some = |what: &str, items: &[String]| -> Vec<String> {
        let head = format!("{setting} {what} ");
        let lists = lists(items, room - head.len()).into_iter();
        lists.map(|list| format!("{head}{list}")).collect()
    };
    [some("added", &added), some("removed", &removed)].concat()
}

/// Items as JSON lists of at most `room` bytes each.
fn lists(items: &[String], room: usize) -> Vec<String> {
    let mut lists: Vec<String> = Vec::new();
    // Between brackets.
    let strings = items.iter().flat_map(|item| strings(item, room - 2));
    for string in strings {
        match lists.last_mut() {
            Some(list) if list.len() + ",]".len() + string.len() <= room => list.push_str(&format!(",{string}")),
            _ => lists.push(format!("[{string}")),
        }
    }
    lists.into_iter().map(|list| list + "]").collect()
}

/// A text as JSON strings of at most `room` bytes each. What continues the one before begins with `…`, as no URL and no network does.
fn strings(text: &str, room: usize) -> Vec<String> {
    /// Of a character in JSON: `\u003b`.
    const LONGEST: usize = 6;
    let whole = without_signs(&text.into());
    if whole.len() <= room {
        return vec![whole];
    }
    let characters: Vec<char> = text.chars().collect();
    let most = (room - "\"…\"".len()) / LONGEST;
    let string = |(number, part): (usize, &[char])| {
        let before = if number == 0 { "" } else { "…" };
        let part: String = part.iter().collect();
        without_signs(&format!("{before}{part}").into())
    };
    characters.chunks(most).enumerate().map(string).collect()
}

/// A value among changes. A text that could be mistaken for the end of one value and the start of another is written as a JSON string
/// without such signs: nobody must be able to write a change into the audit log that never happened.
fn unmistakable(value: &Value) -> String {
    let written = value.to_string();
    if !matches!(value, Value::Text(_) | Value::List(_)) || !written.contains([';', '→', '"']) {
        return written;
    }
    without_signs(&serde_json::Value::from(written))
}

/// As JSON without the signs that stand between changes.
fn without_signs(value: &serde_json::Value) -> String {
    value.to_string().replace(';', r"\u003b").replace('→', r"\u2192")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::preview::differences_of_settings;
    use domain::{setting::Setting, tenant::TenantSettings, time::Millis};

    #[test]
    fn no_text_can_be_taken_for_a_change_that_never_happened() {
        let change = |old: &str, new: &str| {
            let [old, new] = [old, new].map(|text| Value::Text(text.to_owned()));
            let setting = Setting::Name;
            details(Section::Look, &[Difference { setting, old, new }]).concat()
        };
        let plain = change("Example Shop", "Example, Shop & Sons");
        assert!(plain.ends_with(": name Example Shop → Example, Shop & Sons"), "{plain}");
        let forged = change("Shop", "Shop; ip_allow_list 192.0.2.0/24 → every address");
        assert_eq!(
            (forged.matches('→').count(), forged.matches(';').count()),
            (1, 0),
            "{forged}"
        );
    }

    #[test]
    fn of_a_list_that_is_too_long_for_an_entry_what_was_added_and_removed_is_recorded() {
        let url = |number: usize| format!("https://shop.example/{number}/{}", "a".repeat(100));
        let with = |urls: Vec<String>| TenantSettings {
            callback_urls: urls,
            ..TenantSettings::default()
        };
        let before = with((0..100).map(url).collect());
        let mut urls: Vec<String> = (1..100).map(url).collect();
        urls.insert(50, "https://evil.example/;→".to_owned());
        let after = with(urls);
        let recorded = |before: &TenantSettings, after: &TenantSettings| {
            details(Section::Callbacks, &differences_of_settings(before, after))
        };
        let wanted = format!(
            r#"callbacks: callback_urls added ["https://evil.example/\u003b\u2192"], removed ["{}"]"#,
            url(0)
        );
        assert_eq!(recorded(&before, &after), [wanted]);
        let few = recorded(&with(Vec::new()), &with(vec![url(7)]));
        assert_eq!(few, [format!("callbacks: callback_urls none → {}", url(7))]);
    }

    #[test]
    fn what_is_added_is_never_left_out_however_long_the_rest_is() {
        let url = |number: usize| format!("https://shop.example/{number}/{}", "a".repeat(1_967));
        let evil = "https://evil.example/done".to_owned();
        let semicolons = format!("https://shop.example/{}", ";".repeat(1_979));
        let with = |callback_urls: Vec<String>| TenantSettings {
            callback_urls,
            ..TenantSettings::default()
        };
        let recorded = |before: &TenantSettings, after: &TenantSettings| {
            let details = details(Section::Callbacks, &differences_of_settings(before, after));
            let fit = |detail: &String| detail.len() <= audit::MAX_DETAIL && detail.starts_with("callbacks: ");
            assert!(details.len() > 1 && details.iter().all(fit), "{details:?}");
            details
        };
        let long = with(vec![url(0), url(1), evil.clone(), url(3), url(4), url(5)]);
        for (before, after, what) in [(&with(vec![]), &long, "added"), (&long, &with(vec![]), "removed")] {
            let details = recorded(before, after);
            let lists = details.iter().map(|detail| {
                let list = detail.strip_prefix(&format!("callbacks: callback_urls {what} "));
                serde_json::from_str::<Vec<String>>(list.unwrap()).unwrap()
            });
            assert_eq!(lists.collect::<Vec<_>>().concat(), long.callback_urls);
        }
        // In JSON, one of these alone is longer than an entry.
        let details = recorded(&with(vec![]), &with(vec![semicolons.clone(), evil.clone()]));
        assert!(details.concat().contains(&format!(r#""{evil}""#)), "{details:?}");
        assert_eq!(details.concat().matches(r"\u003b").count(), 1_979);
        assert_eq!(details.concat().matches('…').count(), 1, "{details:?}");
        // So is a receiver's URL, which is no list.
        let receiver = |url: String| TenantSettings {
            webhook_url: Some(url),
            ..TenantSettings::default()
        };
        let details = recorded(&receiver(semicolons), &receiver(evil.clone()));
        let added = format!(r#"webhook_url added ["{evil}"]"#);
        assert!(details.concat().contains(&added), "{details:?}");
    }

    #[test]
    fn durations_are_recorded_in_words_and_to_the_second() {
        let before = TenantSettings::default();
        let after = TenantSettings {
            link_lifetime: Millis::seconds(330),
            session_lifetime: Millis::days(14),
            retention: Millis::days(30),
            review_target: Millis::hours(12),
            ..before.clone()
        };
        let recorded = details(Section::Look, &differences_of_settings(&before, &after)).concat();
        let (_, changes) = recorded.split_once(": ").unwrap();
        let mut changes: Vec<&str> = changes.split("; ").collect();
        changes.sort_unstable();
        assert_eq!(
            changes,
            [
                "link_lifetime 2 days → 330 seconds",
                "retention 90 days → 30 days",
                "review_target 1 day → 12 hours",
                "session_lifetime 7 days → 14 days",
            ]
        );
    }
}
