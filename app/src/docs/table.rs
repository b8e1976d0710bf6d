//! Tables. On a phone each row is a block, and each cell says which column it belongs to.

use super::json::in_code;
use leptos::prelude::*;

/// A row: its anchor, if it has one, and its cells.
pub(super) struct Row {
    id: Option<String>,
    cells: Vec<AnyView>,
}

/// A row without an anchor.
pub(super) fn row(cells: Vec<AnyView>) -> Row {
    Row { id: None, cells }
}

/// A row that can be linked to.
pub(super) fn anchored(id: impl Into<String>, cells: Vec<AnyView>) -> Row {
    Row {
        id: Some(id.into()),
        cells,
    }
}

/// The table. Headings may contain code in backticks.
pub(super) fn table(headings: &[&'static str], rows: Vec<Row>) -> AnyView {
    let head: Vec<_> = headings
        .iter()
        .map(|heading| view! { <th>{in_code(heading)}</th> })
        .collect();
    let body: Vec<_> = rows
        .into_iter()
        .map(|row| {
            let cells: Vec<_> = headings
                .iter()
                .zip(row.cells)
                .map(|(heading, cell)| view! { <td data-label=label(heading)>{cell}</td> })
                .collect();
            view! { <tr id=row.id>{cells}</tr> }
        })
        .collect();
    view! { <table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table> }.into_any()
}

/// A heading as the label of a cell.
pub(super) fn label(heading: &str) -> String {
    heading.replace('`', "").trim().to_owned()
}

/// Text as a cell.
pub(super) fn words(text: impl Into<String>) -> AnyView {
    text.into().into_any()
}

/// Code as a cell.
pub(super) fn code(text: impl Into<String>) -> AnyView {
    let text = text.into();
    view! { <code>{text}</code> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_says_which_column_it_belongs_to() {
        let html = table(
            &["Status", "`_tag`"],
            vec![anchored("x", vec![words("404"), code("NotFound")])],
        );
        let html = crate::page::without_markers(&html.to_html());
        assert!(
            html.contains("<tr id=\"x\"><td data-label=\"Status\">404</td>"),
            "{html}"
        );
        assert!(
            html.contains("<td data-label=\"_tag\"><code>NotFound</code></td>"),
            "{html}"
        );
    }
}
