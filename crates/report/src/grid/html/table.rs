//! One table while it is read: cells into rows, spans filled, headings of several rows folded into column names.

use crate::grid::{Row, Table};

/// Most columns of a table; the widest of a real report have some 40.
const COLUMNS: usize = 256;

/// Most rows of a heading.
const HEADING_ROWS: usize = 8;

/// Cells made by padding and spans: so many for each cell in the file, and so many in any case. Without such a limit a
/// damaged file of 16 MB could ask for gigabytes.
const MADE_PER_CELL: usize = 4;
const MADE_ALWAYS: usize = 100_000;

/// Number of cells that may still be made.
#[derive(Debug)]
pub(super) struct Allowance(usize);

impl Default for Allowance {
    fn default() -> Self {
        Self(MADE_ALWAYS)
    }
}

impl Allowance {
    fn earn(&mut self, cells: usize) {
        self.0 = self.0.saturating_add(cells.saturating_mul(MADE_PER_CELL));
    }

    fn spend(&mut self, cells: usize) -> bool {
        let enough = cells <= self.0;
        if enough {
            self.0 -= cells;
        }
        enough
    }
}

/// Cost of a copied text in cells.
fn cost(text: &str) -> usize {
    1 + text.len() / size_of::<String>()
}

/// A cell of the file.
#[derive(Debug)]
struct Printed {
    text: String,
    head: bool,
    columns: usize,
    rows: usize,
}

/// The rest of a cell that spans rows.
#[derive(Debug, Clone)]
struct Below {
    column: usize,
    rows: usize,
    text: String,
}

/// A table that has been opened and not closed.
#[derive(Debug)]
pub(super) struct OpenTable {
    caption: String,
    heading: Vec<Row>,
    rows: Vec<Row>,
    width: usize,
    row: Vec<Printed>,
    row_line: usize,
    in_row: bool,
    cell: Option<OpenCell>,
    below: Vec<Below>,
    /// Rows that were left out because the allowance was spent.
    left_out: usize,
}

#[derive(Debug)]
struct OpenCell {
    head: bool,
    columns: usize,
    rows: usize,
    preformatted: bool,
    text: Vec<u8>,
}

impl OpenTable {
    pub(super) fn new(caption: String) -> Self {
        Self {
            caption,
            heading: Vec::new(),
            rows: Vec::new(),
            width: 0,
            row: Vec::new(),
            row_line: 0,
            in_row: false,
            cell: None,
            below: Vec::new(),
            left_out: 0,
        }
    }

    pub(super) fn in_cell(&self) -> bool {
        self.cell.is_some()
    }

    pub(super) fn text(&mut self, text: &[u8]) {
        if let Some(cell) = &mut self.cell {
            cell.text.extend_from_slice(text);
        }
    }

    /// Words on both sides of a line break are two words.
    pub(super) fn break_line(&mut self) {
        self.text(b"\n");
    }

    pub(super) fn preformatted(&mut self) {
        if let Some(cell) = &mut self.cell {
            cell.preformatted = true;
        }
    }

    /// Starts a row; gives the table that ends here, when the row before was a second heading under rows.
    pub(super) fn start_row(&mut self, line: usize, allowance: &mut Allowance) -> Option<Table> {
        let done = self.end_row(allowance);
        self.in_row = true;
        self.row_line = line;
        done
    }

    pub(super) fn start_cell(&mut self, head: bool, columns: usize, rows: usize, line: usize) {
        self.end_cell();
        if !self.in_row {
            self.in_row = true;
            self.row_line = line;
        }
        self.cell = Some(OpenCell {
            head,
            columns: columns.clamp(1, COLUMNS),
            rows: rows.clamp(1, COLUMNS),
            preformatted: false,
            text: Vec::new(),
        });
    }

    pub(super) fn end_cell(&mut self) {
        if let Some(cell) = self.cell.take() {
            let text = if cell.preformatted { lines(cell.text) } else { folded(cell.text) };
            if self.row.len() < COLUMNS {
                self.row.push(Printed { text, head: cell.head, columns: cell.columns, rows: cell.rows });
            }
        }
    }

    /// Ends the row; gives the table above it when it is a heading under rows.
    pub(super) fn end_row(&mut self, allowance: &mut Allowance) -> Option<Table> {
        self.end_cell();
        self.in_row = false;
        if self.row.is_empty() {
            return None;
        }
        let printed = std::mem::take(&mut self.row);
        let heads = printed.iter().filter(|cell| cell.head).count();
        let heading = heads > 0 && printed.iter().all(|cell| cell.head || cell.text.is_empty());
        if !heading {
            self.body_row(printed, allowance);
            return None;
        }
        if self.rows.is_empty() {
            self.heading_row(printed, allowance);
            return None;
        }
        // Under rows: the heading again, a title over a group of rows, or the heading of another table.
        let again = self.heading.last().is_some_and(|last| {
            let mut filled = last.cells.iter().filter(|text| !text.is_empty());
            printed.iter().filter(|cell| !cell.text.is_empty()).all(|cell| filled.next() == Some(&cell.text))
                && filled.next().is_none()
        });
        if again {
            return None;
        }
        if heads < 2 || heads < printed.len() {
            self.body_row(printed, allowance);
            return None;
        }
        let next = Self::new(self.caption.clone());
        // Losses by damage continue to be counted with this table's.
        let (above, left_out) = std::mem::replace(self, next).finish(allowance);
        self.left_out = left_out;
        self.heading_row(printed, allowance);
        above
    }

    /// Drops the row under way: the file ends in it.
    pub(super) fn drop_row(&mut self) {
        self.cell = None;
        self.row.clear();
        self.in_row = false;
    }

    /// Puts the cells into their columns, with spans. A title over several columns belongs to the name of each; a value
    /// stands once.
    fn place(&mut self, printed: Vec<Printed>, heading: bool) -> Row {
        let mut cells: Vec<String> = Vec::with_capacity(printed.len().max(self.width));
        let mut above = std::mem::take(&mut self.below).into_iter().peekable();
        let mut below = Vec::new();
        for cell in printed {
            fill(&mut cells, &mut above, &mut below);
            let first = cells.len();
            let columns = cell.columns.min(COLUMNS - first);
            if columns == 0 {
                break;
            }
            let copy = if heading { cell.text.clone() } else { String::new() };
            cells.push(cell.text);
            cells.resize(first + columns, copy);
            if cell.rows > 1 {
                below.extend((first..first + columns).map(|column| Below {
                    column,
                    rows: cell.rows - 1,
                    text: cells[column].clone(),
                }));
            }
        }
        fill(&mut cells, &mut above, &mut below);
        below.extend(above.filter_map(less));
        below.sort_by_key(|span| span.column);
        self.below = below;
        self.width = self.width.max(cells.len());
        Row { cells, line: self.row_line, text: Vec::new() }
    }

    fn heading_row(&mut self, mut printed: Vec<Printed>, allowance: &mut Allowance) {
        if self.heading.len() >= HEADING_ROWS {
            return;
        }
        let copies = |cell: &Printed| cell.columns * cell.rows.min(HEADING_ROWS) * cost(&cell.text);
        if !allowance.spend(printed.iter().map(copies).sum()) {
            for cell in &mut printed {
                cell.columns = 1;
                cell.rows = 1;
            }
        }
        let row = self.place(printed, true);
        self.heading.push(row);
    }

    fn body_row(&mut self, printed: Vec<Printed>, allowance: &mut Allowance) {
        if self.rows.is_empty() {
            // A heading's spans do not reach into the rows.
            self.below.clear();
        }
        allowance.earn(printed.len());
        let copied = self.below.iter().map(|below| cost(&below.text)).sum::<usize>();
        let spanned = printed.iter().map(|cell| cell.columns - 1).sum::<usize>();
        let padding = self.width.saturating_sub(printed.len());
        if allowance.spend(copied + spanned + padding) {
            let mut row = self.place(printed, false);
            row.cells.resize(self.width, String::new());
            self.rows.push(row);
        } else {
            self.below.clear();
            self.left_out += 1;
        }
    }

    /// The table, or None when it has neither a name nor a value (a frame for layout); and the number of rows lost by
    /// damage.
    pub(super) fn finish(mut self, allowance: &mut Allowance) -> (Option<Table>, usize) {
        let width = self.width;
        let blank = |row: &Row| row.cells.iter().all(String::is_empty);
        if self.heading.iter().all(blank) && self.rows.iter().all(blank) {
            return (None, self.left_out);
        }
        let columns = (0..width).map(|column| name(&self.heading, column)).collect();
        // Rows above a wider one have not been padded to its width.
        self.rows.retain_mut(|row| {
            let enough = allowance.spend(width - row.cells.len());
            if enough {
                row.cells.resize(width, String::new());
            } else {
                self.left_out += 1;
            }
            enough
        });
        (Some(Table { columns, caption: self.caption, rows: self.rows }), self.left_out)
    }
}

/// Fills the columns that cells of rows above span.
fn fill(cells: &mut Vec<String>, above: &mut std::iter::Peekable<std::vec::IntoIter<Below>>, below: &mut Vec<Below>) {
    while let Some(span) = above.next_if(|span| span.column <= cells.len()) {
        if span.column == cells.len() && cells.len() < COLUMNS {
            cells.push(span.text.clone());
        }
        below.extend(less(span));
    }
}

fn less(span: Below) -> Option<Below> {
    (span.rows > 1).then(|| Below { rows: span.rows - 1, ..span })
}

/// A column's name: the texts above it, from the top, each once.
fn name(heading: &[Row], column: usize) -> String {
    let mut name = String::new();
    let mut last = "";
    for row in heading {
        let part = row.cells.get(column).map_or("", String::as_str);
        if part.is_empty() || part == last {
            continue;
        }
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(part);
        last = part;
    }
    name
}

/// Text with white space folded to single spaces and none at its ends; a space that does not break is white space too.
pub(super) fn folded(text: Vec<u8>) -> String {
    let text = String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let bytes = text.as_bytes();
    let plain = bytes.is_ascii()
        && !bytes.iter().zip(bytes.iter().skip(1)).any(|(&a, &b)| a <= b' ' && b <= b' ')
        && bytes.iter().all(|&byte| byte >= b' ');
    if plain {
        let trimmed = text.trim();
        return if trimmed.len() == text.len() { text } else { trimmed.to_owned() };
    }
    let mut folded = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace()).filter(|word| !word.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// Preformatted text: lines kept, white space at their ends and blank lines around them not.
pub(super) fn lines(text: Vec<u8>) -> String {
    let text = String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        kept.push_str(&line.replace('\u{a0}', " "));
        while kept.ends_with([' ', '\t']) {
            kept.pop();
        }
        kept.push('\n');
    }
    kept.trim().to_owned()
}
