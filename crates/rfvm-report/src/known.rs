//! What is known of features beside their values, as columns of tables.

use rfvm::{KnownCell, KnownFeatures};

use crate::table::{Cell, Column};

/// The columns that tell something.
pub(crate) fn columns(known: &KnownFeatures) -> impl Iterator<Item = Column> {
    let columns = known.table_columns().into_iter();
    columns.map(|(title, number)| match number {
        true => Column::number(title, 2),
        false => Column::text(title),
    })
}

/// A feature's cells in these columns.
pub(crate) fn cells(known: &KnownFeatures, feature: &str) -> impl Iterator<Item = Cell> {
    known
        .table_cells(feature)
        .into_iter()
        .map(|cell| match cell {
            KnownCell::Price(price) => Cell::Number(price),
            KnownCell::Text(text) => Cell::Text(text),
            KnownCell::Empty => Cell::Empty,
        })
}
