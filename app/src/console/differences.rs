//! Which letters of two texts differ, so that a reviewer need not look for them.

use leptos::prelude::*;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A text with its differing letters marked. If most of it or of the other one differs, or nothing that counts, nothing is marked on either: then
/// the whole value is another one, and the row says so.
pub(super) fn marked(text: &str, other: &str) -> AnyView {
    let parts = parts(text, other)
        .into_iter()
        .map(|(part, differs)| {
            if differs {
                view! { <mark>{part}</mark> }.into_any()
            } else {
                part.into_any()
            }
        })
        .collect_view();
    parts.into_any()
}

/// The text in parts, with whether each is missing in the other text.
fn parts(text: &str, other: &str) -> Vec<(String, bool)> {
    let [letters, others] = [text, other].map(|text| text.chars().collect::<Vec<_>>());
    let marks = differing(&letters, &others);
    let most = |marks: &[bool]| marks.iter().filter(|mark| **mark).count() * 2 > marks.len();
    if !marks.contains(&true) || most(&marks) || most(&differing(&others, &letters)) {
        return vec![(text.to_owned(), false)];
    }
    let mut parts: Vec<(String, bool)> = Vec::new();
    for (letter, differs) in letters.into_iter().zip(marks) {
        match parts.last_mut() {
            Some((part, of_part)) if *of_part == differs => part.push(letter),
            _ => parts.push((letter.to_string(), differs)),
        }
    }
    parts
}

fn differing(letters: &[char], other: &[char]) -> Vec<bool> {
    let fold_all = |letters: &[char]| letters.iter().map(|letter| fold(*letter)).collect::<Vec<_>>();
    let mut marks = vec![false; letters.len()];
    for op in capture_diff_slices(Algorithm::Myers, &fold_all(letters), &fold_all(other)) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        for at in op.old_range() {
            if let (Some(mark), Some(letter)) = (marks.get_mut(at), letters.get(at)) {
                // Spaces, hyphens and full stops do not tell people apart.
                *mark = letter.is_alphanumeric();
            }
        }
    }
    marks
}

/// Upper and lower case, and full and half width, count as the same.
fn fold(letter: char) -> char {
    let narrow = match u32::from(letter) {
        wide @ 0xFF01..=0xFF5E => char::from_u32(wide - 0xFEE0).unwrap_or(letter),
        _ => letter,
    };
    narrow.to_uppercase().next().unwrap_or(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, other: &str) -> String {
        let show = |(part, differs): (String, bool)| if differs { format!("[{part}]") } else { part };
        parts(text, other).into_iter().map(show).collect()
    }

    #[test]
    fn only_the_letters_that_differ_are_marked() {
        for (text, other, expected) in [
            ("ERICSSON", "ERIKSSON", "ERI[C]SSON"),
            ("Eriksson", "ERIKSSON", "Eriksson"),
            ("ＡＮＮＡ－Maria", "Anna Maria", "ＡＮＮＡ－Maria"),
            ("1974-08-21", "1974-08-12", "1974-08-2[1]"),
            ("渡邊太郎", "渡辺太郎", "渡[邊]太郎"),
            ("東京都千代田区1-2-3", "東京都千代田区1-2-4", "東京都千代田区1-2-[3]"),
            ("MARIANNE", "MARIAN", "MARIAN[NE]"),
            ("Bob", "ANNA MARIA", "Bob"),
            // Of the longer one most differs: marks on the shorter one would say that the rest is the same.
            ("INGERSOLL", "Wolfeschlegelsteinhausenbergerdorff", "INGERSOLL"),
            (
                "Wolfeschlegelsteinhausenbergerdorff",
                "INGERSOLL",
                "Wolfeschlegelsteinhausenbergerdorff",
            ),
            ("", "ANNA", ""),
        ] {
            assert_eq!(shown(text, other), expected, "{text} beside {other}");
        }
    }
}
