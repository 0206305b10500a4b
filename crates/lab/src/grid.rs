//! The look of all printed tables: no frame, a line under the head, figures to the right.

use std::io::{self, Write};

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table};

/// A table of text columns, then figure columns.
#[derive(Debug)]
pub(crate) struct Grid {
    table: Table,
    text_columns: usize,
}

impl Grid {
    pub(crate) fn new(head: &[&str], text_columns: usize) -> Self {
        let mut table = Table::new();
        // Only the line under the head, and blanks between columns.
        table.load_preset("     --            ");
        table.set_content_arrangement(ContentArrangement::Disabled);
        let mut grid = Self { table, text_columns };
        let cells = grid.cells(head.iter().map(|text| (*text).to_owned()));
        grid.table.set_header(cells);
        grid
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = self.cells(cells);
        self.table.add_row(cells);
    }

    fn cells(&self, texts: impl IntoIterator<Item = String>) -> Vec<Cell> {
        texts
            .into_iter()
            .enumerate()
            .map(|(index, text)| {
                let side = if index < self.text_columns { CellAlignment::Left } else { CellAlignment::Right };
                Cell::new(text).set_alignment(side)
            })
            .collect()
    }

    /// Prints it, and an empty line behind it.
    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        self.lines().iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out)
    }

    /// The lines, without blanks at their ends.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.table.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
    }
}
