//! Files for spreadsheets (RFC 4180). They begin with a byte order mark: without it, Excel reads them in the encoding of its language, which is
//! Shift_JIS in Japan.

/// Their media type.
pub(super) const KIND: &str = "text/csv; charset=utf-8";

/// How a formula begins, also with the full-width characters of a Japanese keyboard.
const FORMULA: [char; 12] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n', '\0'];

/// A row. A spreadsheet must not take a name for a formula, so such a cell begins with an apostrophe.
pub(super) fn row(cells: impl IntoIterator<Item = Option<String>>) -> String {
    let cells: Vec<String> = cells
        .into_iter()
        .map(|value| value.map_or_else(String::new, |text| cell(&text)))
        .collect();
    format!("{}\r\n", cells.join(","))
}

fn cell(text: &str) -> String {
    let mark = if text.starts_with(FORMULA) { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_no_formula_and_keeps_its_quotes() {
        for first in ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "\0"] {
            let cell = row([Some(format!("{first}1+\"1\""))]);
            assert_eq!(cell, format!("\"'{first}1+\"\"1\"\"\"\r\n"));
        }
        assert_eq!(row([Some("1=1".to_owned()), None]), "\"1=1\",\r\n");
    }
}
