//! Tables. Each cell carries the name of its column, so that on a narrow screen a row becomes a card: label beside value.

use leptos::prelude::*;

/// A cell of a row.
pub(super) struct Cell {
    inside: AnyView,
    class: &'static str,
    /// Whether it names its row.
    names_row: bool,
    /// How many columns it takes.
    columns: usize,
}

impl Cell {
    /// With classes.
    pub(super) fn class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }

    /// Over several columns.
    pub(super) fn over(self, columns: usize) -> Self {
        Self { columns, ..self }
    }

    fn render(self, column: Option<&Column>) -> AnyView {
        let Self {
            inside,
            class,
            names_row,
            columns,
        } = self;
        let label = column.and_then(Column::label);
        let over = (columns > 1).then(|| columns.to_string());
        let class = (!class.is_empty()).then_some(class);
        if names_row {
            return view! { <th scope="row" role="rowheader" class=class data-label=label>{inside}</th> }.into_any();
        }
        view! { <td role="cell" class=class colspan=over data-label=label>{inside}</td> }.into_any()
    }
}

/// A cell with a value.
pub(super) fn cell(inside: impl IntoView + 'static) -> Cell {
    Cell {
        inside: inside.into_any(),
        class: "",
        names_row: false,
        columns: 1,
    }
}

/// The cell that names its row.
pub(super) fn row_name(inside: impl IntoView + 'static) -> Cell {
    Cell {
        names_row: true,
        ..cell(inside)
    }
}

/// A row.
pub(super) struct Row {
    cells: Vec<Cell>,
    class: &'static str,
}

impl Row {
    /// With classes.
    pub(super) fn class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }
}

impl<Cells: IntoIterator<Item = Cell>> From<Cells> for Row {
    fn from(cells: Cells) -> Self {
        Self {
            cells: cells.into_iter().collect(),
            class: "",
        }
    }
}

/// The heading of a column.
enum Column {
    Shown(&'static str),
    /// Only for screen readers: the cells speak for themselves.
    Unseen(&'static str),
}

impl Column {
    const fn label(&self) -> Option<&'static str> {
        match self {
            Self::Shown(name) if !name.is_empty() => Some(name),
            Self::Shown(_) | Self::Unseen(_) => None,
        }
    }

    /// Stands over its values: to the right over numbers.
    fn render(&self, over_numbers: bool) -> AnyView {
        let class = over_numbers.then_some("number");
        match self {
            Self::Shown("") => view! { <td></td> }.into_any(),
            Self::Shown(name) => view! { <th scope="col" role="columnheader" class=class>{*name}</th> }.into_any(),
            Self::Unseen(name) => {
                view! { <th scope="col" role="columnheader"><span class="unseen">{*name}</span></th> }.into_any()
            }
        }
    }
}

/// A table under construction.
pub(super) struct Table {
    name: &'static str,
    class: &'static str,
    columns: Vec<Column>,
}

impl Table {
    /// A table with the names of its columns.
    pub(super) fn new(name: &'static str, columns: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            name,
            class: "cards",
            columns: columns.into_iter().map(Column::Shown).collect(),
        }
    }

    /// With one more column, whose name only screen readers are told.
    pub(super) fn unseen(mut self, name: &'static str) -> Self {
        self.columns.push(Column::Unseen(name));
        self
    }

    /// With a class of its own.
    pub(super) fn class(mut self, class: &'static str) -> Self {
        self.class = class;
        self
    }

    /// The table. Its roles are spelt out, because some browsers forget them where the style sheet makes cards of the rows.
    pub(super) fn rows<R: Into<Row>>(self, rows: impl IntoIterator<Item = R>) -> AnyView {
        let rows: Vec<Row> = rows.into_iter().map(Into::into).collect();
        let numbers = |at: usize| {
            let first = rows.first().and_then(|row| row.cells.get(at));
            first.is_some_and(|cell| cell.class.split(' ').any(|class| class == "number"))
        };
        let head = self
            .columns
            .iter()
            .enumerate()
            .map(|(at, column)| column.render(numbers(at)))
            .collect_view();
        let body = rows
            .into_iter()
            .map(|row| {
                let class = (!row.class.is_empty()).then_some(row.class);
                let cells = row.cells.into_iter().enumerate();
                let cells = cells.map(|(at, cell)| cell.render(self.columns.get(at))).collect_view();
                view! { <tr role="row" class=class>{cells}</tr> }
            })
            .collect_view();
        view! {
            <div class="scroll" role="region" tabindex="0" aria-label=self.name>
                <table role="table" class=self.class>
                    <thead role="rowgroup"><tr role="row">{head}</tr></thead>
                    <tbody role="rowgroup">{body}</tbody>
                </table>
            </div>
        }
        .into_any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_carries_the_name_of_its_column() {
        let table = Table::new("Keys", ["Name", "Uses"]).unseen("Revoke");
        let row = [
            row_name("Server"),
            cell(3).class("number"),
            cell(view! { <button>"Revoke"</button> }),
        ];
        let html = crate::page::without_markers(&table.rows([row]).to_html());
        assert!(html.contains(r#"data-label="Name" class="">Server</th>"#), "{html}");
        assert!(html.contains(r#"data-label="Uses" class="number">3</td>"#), "{html}");
        assert!(
            html.contains(r#"role="columnheader" class="number">Uses</th>"#),
            "{html}"
        );
        assert_eq!(html.matches("data-label").count(), 2, "{html}");
    }
}
