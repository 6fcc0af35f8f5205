//! Tables that can be sorted, searched and downloaded. Without script, and on paper, their first rows are there.

use maud::{Markup, PreEscaped, Render, html};
use serde::Serialize;
use serde_json::json;

/// Rows on a page of a table.
const SHOWN: usize = 12;

/// What a cell holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number; one that is not finite is an empty cell.
    #[serde(serialize_with = "brief")]
    Number(f64),
    /// Nothing, which sorts last.
    Empty,
}

/// Six digits: more than a reader or a spreadsheet has use for, in half the space.
fn brief<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if !value.is_finite() {
        return serializer.serialize_none();
    }
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(*value);
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        return serializer.serialize_i64(rounded as i64);
    }
    serializer.serialize_f64(rounded)
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_string())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Self {
        Self::Number(value as f64)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

/// A column: its title, and for numbers how many digits are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    title: String,
    digits: Option<usize>,
}

impl Column {
    /// Words.
    pub fn text(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            digits: None,
        }
    }

    /// Numbers with this many digits behind the point; a download has more.
    pub fn number(title: impl Into<String>, digits: usize) -> Self {
        Self {
            title: title.into(),
            digits: Some(digits),
        }
    }

    fn shown(&self, cell: &Cell) -> String {
        match cell {
            Cell::Text(text) => text.clone(),
            Cell::Number(value) if value.is_finite() => {
                format!("{value:.*}", self.digits.unwrap_or(0))
            }
            _ => String::new(),
        }
    }
}

/// A table with its name, its columns and its rows.
#[derive(Debug, Clone)]
pub struct DataTable {
    id: String,
    caption: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl DataTable {
    /// A table; the id also names the downloaded file. Every row has one cell a column.
    pub fn new(
        id: impl Into<String>,
        caption: impl Into<String>,
        columns: Vec<Column>,
        rows: Vec<Vec<Cell>>,
    ) -> Self {
        Self {
            id: id.into(),
            caption: caption.into(),
            columns,
            rows,
        }
    }
}

impl Render for DataTable {
    fn render(&self) -> Markup {
        let Self {
            id,
            caption,
            columns,
            rows,
        } = self;
        let data = json!({
            "file": format!("{id}.csv"),
            "shown": SHOWN,
            "columns": columns.iter().map(|c| json!([c.title, c.digits])).collect::<Vec<_>>(),
            "rows": rows,
        });
        // Inside a script element only a "<" could end it.
        let data = data.to_string().replace('<', "\\u003c");
        html! {
            div .table id=(id) {
                div .tools {
                    label { "Search " input type="search" autocomplete="off" spellcheck="false" {} }
                    button type="button" .download { "Download CSV" }
                }
                p .caption id={ (id) "-caption" } { (caption) }
                div .scroll tabindex="0" role="region" aria-label={ (caption) " (rows)" } {
                    table aria-describedby={ (id) "-caption" } {
                        thead { tr {
                            @for column in columns {
                                th scope="col" class=[column.digits.map(|_| "number")] {
                                    button type="button" { (column.title) }
                                }
                            }
                        } }
                        tbody {
                            @for row in rows.iter().take(SHOWN) { tr {
                                @for (cell, column) in row.iter().zip(columns) {
                                    td class=[column.digits.map(|_| "number")] { (column.shown(cell)) }
                                }
                            } }
                        }
                    }
                }
                div .pager {
                    button type="button" .back disabled { "Previous" }
                    span .where role="status" { (rows.len().min(SHOWN)) " of " (rows.len()) " rows" }
                    button type="button" .on disabled[rows.len() <= SHOWN] { "Next" }
                }
                script type="application/json" { (PreEscaped(data)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: usize) -> String {
        let row = |i: usize| {
            vec![
                format!("</script><b>{i}").into(),
                Cell::from(1.0 / (i as f64)),
                Cell::from(i),
            ]
        };
        let columns = vec![
            Column::text("name"),
            Column::number("share", 2),
            Column::number("n", 0),
        ];
        DataTable::new("t", "A table", columns, (0..rows).map(row).collect())
            .render()
            .into_string()
    }

    #[test]
    fn the_first_rows_are_there_and_all_are_in_the_data() {
        let html = table(30);
        assert_eq!(html.matches("<tr>").count(), 1 + SHOWN);
        let data = html
            .split("application/json\">")
            .nth(1)
            .and_then(|rest| rest.split("</script>").next());
        let data: serde_json::Value =
            serde_json::from_str(data.unwrap_or_default()).unwrap_or_default();
        assert_eq!(data["rows"].as_array().map_or(0, Vec::len), 30);
        assert_eq!(
            data["rows"][3].to_string(),
            "[\"</script><b>3\",0.333333,3]"
        );
        // One over zero has no number to show.
        assert!(data["rows"][0][1].is_null());
    }

    #[test]
    fn names_cannot_leave_their_cell() {
        let html = table(2);
        assert!(!html.contains("<b>"));
        assert_eq!(html.matches("</script>").count(), 1);
    }
}
