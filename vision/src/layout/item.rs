//! An item of a document as it was read.

use super::grammar::Parsed;
use super::page::Glyph;

/// An item as read.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) parsed: Parsed,
    /// Probability that the text is correct, 0 to 1.
    pub(crate) confidence: f32,
    /// Its letters, where they stand.
    pub(crate) glyphs: Vec<Glyph>,
}

/// Removes names that are something else: the line below was read as a name because the right line was not read. Two names do not stand in
/// one place, and no name stands where the address does, though its letters may well be in it: LEE lives in LEESBURG.
pub(crate) fn drop_mistaken_names(items: &mut Vec<Item>) {
    let place = |item: &Item| item.glyphs.first().map(|glyph| (glyph.line, glyph.x.to_bits()));
    let is_mistaken = |item: &Item| {
        let is_one = |other: &Item| is_name(other) && other.name != item.name && place(other) == place(item);
        let is_address = |other: &Item| other.name == "address" && stands_in(item, other);
        is_name(item) && items.iter().any(|other| is_one(other) || is_address(other))
    };
    let mistaken: Vec<bool> = items.iter().map(is_mistaken).collect();
    let mut mistaken = mistaken.into_iter();
    items.retain(|_| mistaken.next() != Some(true));
}

/// Whether an item begins at a letter of another one.
fn stands_in(item: &Item, other: &Item) -> bool {
    let Some(first) = item.glyphs.iter().find(|glyph| !glyph.symbol.is_whitespace()) else {
        return false;
    };
    let near = first.height / 2.0;
    let is_there = |glyph: &Glyph| (glyph.x - first.x).abs() < near && (glyph.y - first.y).abs() < near;
    other.glyphs.iter().any(is_there)
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
        let address = || {
            let mut address = item("address", "1 OAK AVE", 7);
            address.glyphs.extend(item("address", "ANYTOWN, NY 12345", 8).glyphs);
            address
        };
        assert_eq!(left(vec![item("lastName", "ANYTOWN, NY", 8), address()]), ["address"]);
        let twice = [item("lastName", "MINH CHAU", 3), item("firstName", "MINH CHAU", 3)];
        assert!(left(twice.to_vec()).is_empty());
        let thomas = vec![item("lastName", "THOMAS", 3), item("firstName", "THOMAS", 4), address()];
        assert_eq!(left(thomas), ["lastName", "firstName", "address"]);
        let town = vec![item("lastName", "TOWN", 3), item("firstName", "ANY", 4), address()];
        assert_eq!(left(town), ["lastName", "firstName", "address"]);
    }
}
