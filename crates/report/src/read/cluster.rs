//! Cluster and storage cells: figures under their printed names, which differ by release.

use super::Reading;
use crate::grid::Row;
use crate::grid::pairs::label;
use crate::grid::view::{View, plain};
use crate::model::{CellFigure, RacFigure};
use crate::value::TimeUnit;

impl Reading {
    pub(super) fn cluster(&mut self, title: &str, view: &View<'_>) -> bool {
        let per_second = view.find(&["persecond", "persec"]);
        let per_transaction = view.find(&["pertransaction", "pertrans", "pertxn"]);
        let mut figures = Vec::new();
        for line in view.lines() {
            let Some((head, from)) = head(view, line.row) else { continue };
            let columns = (from..line.row.cells.len()).filter(|at| {
                Some(*at) != per_second.map(|column| column.at) && Some(*at) != per_transaction.map(|column| column.at)
            });
            let mut named = false;
            for at in columns {
                let Some(value) = line.number(Some(view.column(at))) else { continue };
                let name = name(&head, view.table.columns.get(at));
                let first = !named;
                named = true;
                figures.push(RacFigure {
                    group: title.to_owned(),
                    name,
                    value: Some(value),
                    per_second: line.number(per_second).filter(|_| first),
                    per_transaction: line.number(per_transaction).filter(|_| first),
                });
            }
            if !named && (line.number(per_second).is_some() || line.number(per_transaction).is_some()) {
                figures.push(RacFigure {
                    group: title.to_owned(),
                    name: head,
                    value: None,
                    per_second: line.number(per_second),
                    per_transaction: line.number(per_transaction),
                });
            }
        }
        if figures.is_empty() {
            return false;
        }
        self.report.rac.get_or_insert_default().extend(figures);
        true
    }

    pub(super) fn cells(&mut self, title: &str, view: &View<'_>) -> bool {
        let cell = view.find(&["cellname", "cell"]);
        let mut figures = Vec::new();
        for line in view.lines() {
            let Some((head, from)) = head(view, line.row) else { continue };
            let own_cell = line.owned(cell);
            let words = own_cell.as_deref().and_then(|cell| head.strip_prefix(cell)).unwrap_or(&head).trim();
            for at in from..line.row.cells.len() {
                let column = Some(view.column(at));
                // Latencies have units of their own; they are kept in seconds.
                let value = line.number(column).or_else(|| Some(line.seconds(column, TimeUnit::Seconds)?.value));
                let Some(value) = value else { continue };
                let name = name(words, view.table.columns.get(at));
                figures.push(CellFigure { group: title.to_owned(), cell: own_cell.clone(), name, value: Some(value) });
            }
        }
        if figures.is_empty() {
            return false;
        }
        self.report.cells.get_or_insert_default().extend(figures);
        true
    }
}

/// The words that a row begins with, perhaps none, and where its figures begin. None for a row without figures.
fn head(view: &View<'_>, row: &Row) -> Option<(String, usize)> {
    let first_figure =
        |from: usize| (from..row.cells.len()).find(|at| row.cells.get(*at).is_some_and(|cell| is_figure(cell)));
    let mut from = first_figure(0)?;
    // "2 | data block | …": the number of an instance is a name too.
    if from == 0
        && view
            .names
            .first()
            .is_some_and(|name| name.starts_with("inst") || name.starts_with("srcinst") || name == "i#")
    {
        from = first_figure(1)?;
    }
    let words: Vec<String> =
        row.cells.iter().take(from).map(|cell| label(cell)).filter(|word| !word.is_empty()).collect();
    Some((words.join(" "), from))
}

fn is_figure(cell: &str) -> bool {
    let cell = cell.trim();
    cell.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | '-' | '#'))
        && cell.len() < 24
        && !cell.contains(':')
}

fn name(head: &str, heading: Option<&String>) -> String {
    match heading {
        Some(heading) if !heading.is_empty() && !matches!(plain(heading).as_str(), "total" | "value") => {
            format!("{head} {heading}").trim().to_owned()
        }
        _ => head.to_owned(),
    }
}
