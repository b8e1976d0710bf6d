//! Files for spreadsheets (RFC 4180).

/// A row. A spreadsheet must not take a name for a formula, so such a cell begins with an apostrophe.
pub(super) fn row(cells: impl IntoIterator<Item = Option<String>>) -> String {
    let cells: Vec<String> = cells
        .into_iter()
        .map(|value| value.map_or_else(String::new, |text| cell(&text)))
        .collect();
    format!("{}\r\n", cells.join(","))
}

fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let mark = if formula { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}
