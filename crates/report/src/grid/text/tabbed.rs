//! An AWR page in HTML saved from a browser, or copied, as text: cells with tabs or ` | ` between them, no rulers.
//!
//! The sections are those of the page (so its kind is `AwrHtml`), as far as the text shows them. Titles and notes
//! differ in their words alone (`titles.rs`); the last title before a table is the table's, because the page lists its
//! sections' titles too.

use super::super::{Document, Row, Section, Table};
use super::line::folded;
use super::outline;
use super::titles::is_title;
use super::{MAX_CELLS, MAX_SECTIONS};
use crate::model::Kind;

/// Lines of cells that make a text one of this form.
const FEWEST: usize = 10;

/// So many of them for each ruler: the page may hold the advisor's report, which has a few.
const ROWS_PER_RULER: usize = 20;

/// Cells of one line.
const MAX_COLUMNS: usize = 64;

/// Separator of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Between {
    Tab,
    Bar,
}

impl Between {
    /// The cells of a line with more than one; empty ones at the end are dropped.
    fn cells(self, line: &str) -> Option<Vec<String>> {
        let mut cells = Vec::new();
        match self {
            Self::Tab => {
                let line = line.trim_matches(' ');
                if !line.contains('\t') {
                    return None;
                }
                cells.extend(line.split('\t').take(MAX_COLUMNS).map(folded));
            }
            Self::Bar => {
                let mut from = 0;
                for at in bars(line) {
                    cells.push(folded(&line[from..at]));
                    from = at + 1;
                    if cells.len() == MAX_COLUMNS {
                        break;
                    }
                }
                if cells.is_empty() {
                    return None;
                }
                cells.push(folded(&line[from..]));
            }
        }
        while cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        Some(cells)
    }
}

/// Where a bar stands by itself.
fn bars(line: &str) -> impl Iterator<Item = usize> {
    let bytes = line.as_bytes();
    let blank = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_none_or(u8::is_ascii_whitespace);
    memchr::memchr_iter(b'|', bytes).filter(move |&at| blank(at.checked_sub(1)) && blank(Some(at + 1)))
}

/// The separator of cells in a report of this form; None for one with rulers.
pub(super) fn form(text: &str) -> Option<Between> {
    memchr::memchr2(b'\t', b'|', text.as_bytes())?;
    let (mut tabs, mut barred, mut rulers) = (0, 0, 0);
    // A heading of the first page above its figures decides, whatever lines of dashes statements have.
    let (mut heading, mut settled) = (false, false);
    for line in text.lines() {
        let bare = line.trim();
        let tab = bare.contains('\t');
        let bar = !tab && bars(bare).next().is_some();
        let ruler = is_ruler(bare);
        tabs += usize::from(tab);
        barred += usize::from(bar);
        rulers += usize::from(ruler);
        settled |= heading && (tab || bar) && !ruler;
        let between = if tab { Between::Tab } else { Between::Bar };
        heading = (tab || bar) && !settled && between.cells(line).is_some_and(|cells| is_heading(&cells));
    }
    let (between, rows) = if tabs >= barred { (Between::Tab, tabs) } else { (Between::Bar, barred) };
    (settled || rows >= FEWEST && rows >= rulers * ROWS_PER_RULER).then_some(between)
}

fn is_ruler(bare: &str) -> bool {
    bare.len() > 20 && bare.starts_with("---") && bare.bytes().all(|byte| matches!(byte, b'-' | b' ' | b'\t'))
}

/// The reports of a text of this form.
pub(super) fn documents(text: &str, between: Between) -> Vec<Document> {
    let mut documents: Vec<Document> = Vec::new();
    let mut page: Option<Page> = None;
    for (index, line) in text.lines().enumerate() {
        if outline::header(line.trim()).is_some() {
            documents.extend(page.take().map(Page::finish));
            page = Some(Page::new(folded(line), index + 1, between));
        } else if let Some(page) = &mut page {
            page.line(line, index + 1);
        }
    }
    documents.extend(page.take().map(Page::finish));
    documents
}

/// Lines of their own since the last table.
#[derive(Default)]
struct Pending {
    title: Option<(String, usize)>,
    /// The first line that may be a title without being a known one.
    unknown: Option<(String, usize)>,
    notes: Vec<String>,
    /// A link back to the top stood above: what follows is another section.
    another: bool,
}

struct Page {
    between: Between,
    sections: Vec<Section>,
    table: Option<Table>,
    pending: Pending,
    cells: usize,
    /// In the advisor's report, which is prose.
    prose: bool,
    ended: bool,
}

impl Page {
    fn new(title: String, line: usize, between: Between) -> Self {
        Self {
            between,
            sections: vec![Section { title, line, ..Section::default() }],
            table: None,
            pending: Pending::default(),
            cells: 0,
            prose: false,
            ended: false,
        }
    }

    fn line(&mut self, line: &str, number: usize) {
        if self.ended || self.cells > MAX_CELLS {
            return;
        }
        let bare = line.trim();
        if outline::is_last_line(bare) {
            self.ended = true;
        } else if self.prose {
            self.prose = !bare.starts_with("Back to ");
        } else if let Some(item) = item(bare).filter(|_| self.between.cells(bare).is_none_or(|cells| cells.len() < 3)) {
            self.note(folded(item));
        } else if let Some(cells) = self.between.cells(line).filter(|cells| !cells.is_empty()) {
            match cells.as_slice() {
                [one] if is_title(one) => self.title(one.clone(), number),
                [one] if self.continues(one) => self.more(one.clone()),
                _ => self.row(cells, number),
            }
        } else if !bare.is_empty() {
            self.words(folded(bare), number);
        }
    }

    /// A line without cells.
    fn words(&mut self, words: String, number: usize) {
        if words.starts_with("Back to ") || words.ends_with("Back to Top") {
            self.close();
            self.drop_title();
            self.pending.another = true;
        } else if words.contains("No data exists for this section") {
            self.close();
            if self.open() {
                self.section().empty = true;
            }
        } else if words.starts_with("ADDM Report for ") {
            self.close();
            self.drop_title();
            self.prose = true;
        } else if is_title(&words) {
            self.title(words, number);
        } else if self.continues(&words) {
            self.more(words);
        } else {
            let short = words.len() <= 60 && !words.ends_with(['.', ',', ';', ':']);
            if self.pending.unknown.is_none() && short && self.pending.notes.is_empty() {
                self.pending.unknown = Some((words, number));
            } else {
                self.note(words);
            }
        }
    }

    fn title(&mut self, title: String, number: usize) {
        self.close();
        self.drop_title();
        self.pending.title = Some((title, number));
    }

    fn note(&mut self, note: String) {
        self.cells += 2;
        self.pending.notes.push(note);
    }

    /// No table followed the title: it stood in a list, or the text under it is no table. Then it is a section of
    /// notes.
    fn drop_title(&mut self) {
        if !self.pending.notes.is_empty() {
            self.open();
        }
        self.pending = Pending::default();
    }

    /// Begins the section of the last title, and assigns the notes to it or to the section before. Returns true when
    /// there is a title.
    fn open(&mut self) -> bool {
        let Pending { title, unknown, mut notes, another } = std::mem::take(&mut self.pending);
        let line = match (title, unknown) {
            (Some(title), unknown) => {
                notes.splice(0..0, unknown.map(|(words, _)| words));
                Some(title)
            }
            (None, Some(unknown)) if another => Some(unknown),
            (None, unknown) => {
                notes.splice(0..0, unknown.map(|(words, _)| words));
                None
            }
        };
        let found = line.is_some();
        if let Some((title, line)) = line.filter(|_| self.sections.len() < MAX_SECTIONS) {
            self.close();
            self.cells += 8;
            self.sections.push(Section { title, line, ..Section::default() });
        }
        self.section().notes.append(&mut notes);
        found
    }

    fn section(&mut self) -> &mut Section {
        if self.sections.is_empty() {
            self.sections.push(Section::default());
        }
        let last = self.sections.len() - 1;
        &mut self.sections[last]
    }

    /// True: a line without cells continues the statement in the row above.
    fn continues(&self, words: &str) -> bool {
        let is_id = words.len() == 13 && words.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let statements = self.sections.last().is_some_and(|section| section.title.to_ascii_lowercase().contains("sql"));
        let waits = self.pending.title.is_none() && self.pending.notes.is_empty();
        statements && waits && !is_id && self.table.as_ref().is_some_and(|table| !table.rows.is_empty())
    }

    fn more(&mut self, words: String) {
        let Some(table) = &mut self.table else { return };
        let width = table.columns.len();
        let Some(row) = table.rows.last_mut() else { return };
        self.cells += 1 + words.len() / 32;
        if row.cells.len() < width {
            row.cells.resize(width, String::new());
        }
        if let Some(last) = row.cells.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(&words);
        }
    }

    fn row(&mut self, cells: Vec<String>, number: usize) {
        self.open();
        self.cells += cells.len() + 2;
        if self.table.as_ref().is_some_and(|table| heads_another(table, &cells)) {
            self.close();
        }
        match &mut self.table {
            // Printed again on a new page.
            Some(table) if table.columns == cells => {}
            Some(table) if table.rows.is_empty() && is_group(&table.columns, &cells) => {
                table.columns = grouped(&table.columns, cells);
            }
            Some(table) => {
                let width = table.columns.len().max(cells.len());
                self.cells += width - cells.len();
                table.columns.resize(width, String::new());
                table.rows.push(Row { cells, line: number, text: Vec::new() });
            }
            // A table of names and values has no heading.
            None if cells.iter().find(|cell| !cell.is_empty()).is_some_and(|cell| cell.ends_with(':')) => {
                self.table = Some(Table {
                    columns: vec![String::new(); cells.len()],
                    caption: String::new(),
                    rows: vec![Row { cells, line: number, text: Vec::new() }],
                });
            }
            None => self.table = Some(Table { columns: cells, ..Table::default() }),
        }
    }

    fn close(&mut self) {
        if let Some(mut table) = self.table.take() {
            let width = table.columns.len();
            for row in &mut table.rows {
                row.cells.resize(width, String::new());
            }
            self.section().tables.push(table);
        }
    }

    fn finish(mut self) -> Document {
        self.close();
        self.drop_title();
        let cut = !self.ended || self.cells > MAX_CELLS;
        Document { kind: Kind::AwrHtml, sections: self.sections, cut }
    }
}

/// The text of a list item. A cell may also be `*`, for all instances, or begin with stars.
fn item(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['*', '\u{2022}', '\u{25e6}', '\u{25cf}'])?;
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}

/// Headings of the first page, two columns of each.
const HEADINGS: [[&str; 2]; 7] = [
    ["DB Name", "DB Id"],
    ["Instance", "Inst Num"],
    ["Container DB Id", "Container Name"],
    ["Host Name", "Platform"],
    ["Snap Id", "Snap Time"],
    ["Load Average Begin", "Load Average End"],
    ["%Total CPU", "%Busy CPU"],
];

fn has(cells: &[String], name: &str) -> bool {
    cells.iter().any(|cell| cell.eq_ignore_ascii_case(name))
}

fn is_heading(cells: &[String]) -> bool {
    HEADINGS.iter().any(|heading| heading.iter().all(|name| has(cells, name)))
}

/// True: the cells are the heading of a table that follows another one without a title between them.
fn heads_another(table: &Table, cells: &[String]) -> bool {
    // The profile's second table is one of names and values.
    let pairs = cells.iter().filter(|cell| cell.ends_with(':')).count() > 1;
    cells != table.columns && is_heading(cells) || pairs && has(&table.columns, "Per Second")
}

/// Names over groups of columns in a cluster's report, with the first column of each.
const GROUPS: [[&str; 2]; 8] = [
    ["Database", "Id"],
    ["Snapshot Ids", "Begin"],
    ["Number of Instances", "In Report"],
    ["Report Total (minutes)", "DB time"],
    ["Wait", "Class"],
    ["Event", "Waits"],
    ["Wait Time", "Total(s)"],
    ["Summary Avg Wait Time", "Avg"],
];

fn first_of_group(name: &str) -> Option<&'static str> {
    GROUPS.iter().find(|[group, _]| group.eq_ignore_ascii_case(name)).map(|[_, first]| *first)
}

/// True: the first line of a heading only names groups of the columns in the second.
fn is_group(first: &[String], second: &[String]) -> bool {
    let filled = |cells: &[String]| cells.iter().filter(|cell| !cell.is_empty()).count();
    let figure = |cell: &String| {
        cell.ends_with(':') || cell.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | '#'))
    };
    // Some write a dash into a cell that is empty.
    let bare = first.first().is_some_and(|cell| matches!(cell.as_str(), "" | "-"));
    let known = first.iter().all(|name| name.is_empty() || first_of_group(name).is_some());
    (bare || known)
        && second.first().is_some_and(|cell| !cell.is_empty())
        && filled(first) < filled(second)
        && second.len() > 2
        && !second.iter().any(figure)
}

/// The second line, with the groups' names before the columns under them as far as their extent can be determined: a
/// single one reaches to the end, known ones begin at known columns, and others may have the same columns each.
fn grouped(first: &[String], mut second: Vec<String>) -> Vec<String> {
    let empty = |name: &str| matches!(name, "" | "-");
    let names: Vec<&String> = first.iter().filter(|name| !empty(name)).collect();
    let from = first.iter().position(|name| !empty(name)).unwrap_or(first.len()).min(second.len());
    let under = second.len() - from;
    let mut starts = Vec::new();
    for name in &names {
        let after = starts.last().map_or(from, |last| last + 1);
        let found = first_of_group(name).and_then(|column| {
            second.iter().skip(after).position(|other| other.eq_ignore_ascii_case(column)).map(|at| after + at)
        });
        starts.extend(found);
    }
    if names.len() == 1 {
        starts = vec![from];
    } else if starts.len() != names.len() {
        let width = under / names.len().max(1);
        let alike = width > 0
            && width * names.len() == under
            && second[from..].chunks(width).all(|columns| columns == &second[from..from + width]);
        starts = if alike { (0..names.len()).map(|group| from + group * width).collect() } else { return second };
    }
    for (group, (name, start)) in names.into_iter().zip(&starts).enumerate() {
        let end = starts.get(group + 1).copied().unwrap_or(second.len());
        for column in &mut second[*start..end] {
            *column = format!("{name} {column}").trim_end().to_owned();
        }
    }
    second
}
