//! Files for spreadsheets (RFC 4180). They begin with a byte order mark: without it, Excel reads them in the encoding of its language, which is
//! Shift_JIS in Japan.

/// Their media type.
pub(super) const KIND: &str = "text/csv; charset=utf-8";

/// How a formula begins, also with the full-width characters of a Japanese keyboard.
const FORMULA: [char; 12] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n', '\0'];

/// Where a spreadsheet that expects semicolons, as in countries with a decimal comma, begins another cell: it takes our quotation marks for text, except
/// in the first cell of a row.
const OTHER_SEPARATORS: [char; 4] = [';', '\t', '\r', '\n'];

/// A row. A spreadsheet must not take a name, or what follows another separator in it, for a formula, so an apostrophe stands before such text.
pub(super) fn row(cells: impl IntoIterator<Item = Option<String>>) -> String {
    let cells: Vec<String> = cells
        .into_iter()
        .map(|value| value.map_or_else(String::new, |text| cell(&text)))
        .collect();
    format!("{}\r\n", cells.join(","))
}

fn cell(text: &str) -> String {
    let mut cell = String::from('"');
    let mut begins = true;
    for character in text.chars() {
        // A line break or tab after another one stays as it is: it only begins the next line or cell.
        let is_formula = FORMULA.contains(&character) && (cell.len() == 1 || !OTHER_SEPARATORS.contains(&character));
        if begins && is_formula {
            cell.push('\'');
        }
        // A quotation mark may be read as the beginning of a quoted cell.
        begins = OTHER_SEPARATORS.contains(&character) || begins && character == '"';
        if character == '"' {
            cell.push('"');
        }
        cell.push(character);
    }
    cell.push('"');
    cell
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

    #[test]
    fn what_follows_the_separator_of_another_country_is_no_formula() {
        for (text, written) in [
            ("a;=1", "\"a;'=1\"\r\n"),
            ("a;\"=1", "\"a;\"\"'=1\"\r\n"),
            ("a\t@b", "\"a\t'@b\"\r\n"),
            ("a\n+b", "\"a\n'+b\"\r\n"),
            ("a\r\n=b", "\"a\r\n'=b\"\r\n"),
            ("a; b-c", "\"a; b-c\"\r\n"),
            ("a\r\n\r\nb;\tc", "\"a\r\n\r\nb;\tc\"\r\n"),
        ] {
            assert_eq!(row([Some(text.to_owned())]), written);
        }
    }
}
