//! Labels with their values, in cells or in a line of text.

use super::Table;

/// White space folded, the colon at the end gone: "Buffer  Hit   %:" is "Buffer Hit %".
pub(crate) fn label(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    folded.trim_end_matches(':').trim_end().to_owned()
}

/// A name with the values behind it: of a line "Buffer Cache:  728M   736M", or of cells that end in a colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub label: String,
    pub values: Vec<String>,
    pub line: usize,
}

/// The pairs of a table's cells.
pub(crate) fn table_pairs(table: &Table, found: &mut Vec<Pair>) {
    for row in &table.rows {
        let mut open: Option<Pair> = None;
        for (at, cell) in row.cells.iter().enumerate() {
            let cell = cell.trim();
            let is_label = cell.ends_with(':')
                || (at == 0 && !cell.is_empty())
                || (cell.ends_with('%') && !cell.starts_with(|first: char| first.is_ascii_digit()));
            if let Some((name, value)) = cell.split_once(": ")
                && !value.trim().is_empty()
            {
                found.extend(open.take());
                open = Some(Pair { label: label(name), values: vec![value.trim().to_owned()], line: row.line });
            } else if is_label {
                found.extend(open.take());
                open = Some(Pair { label: label(cell), values: Vec::new(), line: row.line });
            } else if let Some(pair) = &mut open {
                pair.values.push(cell.to_owned());
            }
        }
        found.extend(open);
    }
}

/// Pairs of a line of text: a label runs up to its colon, its values are what follows up to the words of the next
/// label.
pub(crate) fn note_pairs(note: &str, line: usize, found: &mut Vec<Pair>) {
    let mut rest = note;
    while let Some(colon) = rest.find(": ").or_else(|| rest.strip_suffix(':').map(str::len)) {
        let name = label(&rest[..colon]);
        rest = rest[colon + 1..].trim_start();
        let mut values = Vec::new();
        while let Some(word) = rest.split_whitespace().next() {
            if !word.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | '-' | '#')) {
                break;
            }
            values.push(word.to_owned());
            rest = rest[word.len()..].trim_start();
        }
        if !name.is_empty() {
            found.push(Pair { label: name, values, line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{label, note_pairs, table_pairs};
    use crate::grid::{Row, Table};

    #[test]
    fn labels_lose_their_colon() {
        assert_eq!(label("Buffer  Hit   %:"), "Buffer Hit %");
    }

    #[test]
    fn pairs_of_cells_and_of_text() {
        let row = |cells: &[&str]| Row {
            cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
            line: 7,
            text: Vec::new(),
        };
        let table = Table {
            columns: vec![String::new(); 4],
            caption: String::new(),
            rows: vec![
                row(&["Buffer Cache:", "728M", "", "Std Block Size:", "8K"]),
                row(&["Buffer Nowait %:", "100.00", "Redo NoWait %:", "99.97"]),
            ],
        };
        let mut found = Vec::new();
        table_pairs(&table, &mut found);
        let seen: Vec<(&str, Vec<&str>)> =
            found.iter().map(|pair| (pair.label.as_str(), pair.values.iter().map(String::as_str).collect())).collect();
        assert_eq!(
            seen,
            [
                ("Buffer Cache", vec!["728M", ""]),
                ("Std Block Size", vec!["8K"]),
                ("Buffer Nowait %", vec!["100.00"]),
                ("Redo NoWait %", vec!["99.97"])
            ]
        );
        let mut found = Vec::new();
        note_pairs("Elapsed: 15.00 (mins) Av Act Sess: 7.1", 1, &mut found);
        assert_eq!(found[0].values, ["15.00"]);
        assert_eq!(found[1].label, "(mins) Av Act Sess");
    }
}
