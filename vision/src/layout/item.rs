//! An item of a document as it was read.

use super::grammar::Parsed;
use super::sheet::Glyph;
use crate::zone::fold;

/// An item as read.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) parsed: Parsed,
    /// Probability that the text is right, 0 to 1.
    pub(crate) confidence: f32,
    /// Its letters, where they stand.
    pub(crate) glyphs: Vec<Glyph>,
}

/// Takes out names that are something else: the line below was taken for them, since their own was not read. Two names do not stand in one
/// place, and no name is a part of the address.
pub(crate) fn drop_mistaken_names(items: &mut Vec<Item>) {
    let bare = |item: &Item| fold::bare(&item.parsed.text);
    let place = |item: &Item| item.glyphs.first().map(|glyph| (glyph.line, glyph.x.to_bits()));
    let address = items.iter().find(|item| item.name == "address").map(bare);
    let is_mistaken = |item: &Item| {
        let elsewhere = |other: &Item| is_name(other) && other.name != item.name && place(other) == place(item);
        let in_address = address.as_ref().is_some_and(|address| address.contains(&bare(item)));
        is_name(item) && (in_address || items.iter().any(elsewhere))
    };
    let mistaken: Vec<bool> = items.iter().map(is_mistaken).collect();
    let mut mistaken = mistaken.into_iter();
    items.retain(|_| mistaken.next() != Some(true));
}

fn is_name(item: &Item) -> bool {
    ["lastName", "firstName", "fullName"].contains(&item.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str, text: &str, line: usize) -> Item {
        let glyph = |(at, symbol): (usize, char)| Glyph {
            symbol,
            x: at as f32,
            y: line as f32,
            height: 1.0,
            sure: 1.0,
            line,
        };
        Item {
            name: name.to_owned(),
            parsed: Parsed {
                text: text.to_owned(),
                normalized: Some(text.to_owned()),
                from: 0,
                to: text.len(),
            },
            confidence: 0.99,
            glyphs: text.chars().enumerate().map(glyph).collect(),
        }
    }

    fn left(mut items: Vec<Item>) -> Vec<String> {
        drop_mistaken_names(&mut items);
        items.into_iter().map(|item| item.name).collect()
    }

    #[test]
    fn a_line_below_that_was_taken_for_a_name_is_left_out() {
        let address = || item("address", "1 OAK AVE ANYTOWN, NY 12345", 7);
        assert_eq!(left(vec![item("lastName", "ANYTOWN, NY", 8), address()]), ["address"]);
        let twice = [item("lastName", "MINH CHAU", 3), item("firstName", "MINH CHAU", 3)];
        assert!(left(twice.to_vec()).is_empty());
        let thomas = vec![item("lastName", "THOMAS", 3), item("firstName", "THOMAS", 4), address()];
        assert_eq!(left(thomas), ["lastName", "firstName", "address"]);
    }
}
