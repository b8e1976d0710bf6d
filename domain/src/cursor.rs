//! Keyset paging: how many items a page has, and after which item it begins. An item is identified by its time and its id.

use crate::time::Timestamp;
use std::fmt::Display;

/// The time of an item and its id.
pub type After<Id> = (Timestamp, Id);

/// The cursor of the page after an item.
pub fn write<Id: Display>((at, id): &After<Id>) -> String {
    format!("{}.{id}", at.as_millis())
}

/// Reads what [`write()`] wrote; `id` reads the id.
pub fn parse<Id>(text: &str, id: impl FnOnce(&str) -> Option<Id>) -> Option<After<Id>> {
    let (millis, named) = text.split_once('.')?;
    // As many as an `i64` holds, whatever they are.
    let digits = (1..=18).contains(&millis.len()) && millis.bytes().all(|byte| byte.is_ascii_digit());
    let at = millis.parse().ok().filter(|_| digits)?;
    Some((Timestamp::from_millis(at), id(named)?))
}

/// A page of at most `most` items, of a list that was read one further, and whether there is another page.
#[must_use]
pub fn page_of<T>(mut found: Vec<T>, most: u32) -> (Vec<T>, bool) {
    let most = most as usize;
    let more = found.len() > most;
    found.truncate(most);
    (found, more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SessionId;

    #[test]
    fn a_cursor_leads_back_to_its_item_and_nothing_else_does() {
        let after = (
            Timestamp::from_millis(1_785_663_000_000),
            SessionId::from_random([7; 16]),
        );
        assert_eq!(parse(&write(&after), SessionId::parse), Some(after));
        for text in ["", ".", "1", "+1.a", "-1.a", "1e3.a", "9999999999999999999.a", "1."] {
            let id = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            assert_eq!(parse(text, id), None, "{text}");
        }
    }
}
