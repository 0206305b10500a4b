//! A column of a section: what it is called, what it fills, how it is printed.

use crate::figure::Figure;
use crate::grid::view::{self, Line, View, plain};
use crate::model::Report;
use crate::names::{Names, Width, whole};
use crate::page::{self, Cell};
use crate::value::TimeUnit;

/// The way to a field of a row or of the report.
pub(crate) struct Access<Of, T> {
    pub get: fn(&Of) -> &T,
    pub get_mut: fn(&mut Of) -> &mut T,
}

/// The way to a field: `of!(UndoInterval.figures.blocks)`.
macro_rules! of {
    ($of:ident . $($field:tt)+) => {
        $crate::section::column::Access {
            get: |row: &$of| &row.$($field)+,
            get_mut: |row: &mut $of| &mut row.$($field)+,
        }
    };
}
pub(crate) use of;

/// The unit of a figure in the model. A cell or its heading may name another.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Count,
    Seconds,
    Milliseconds,
}

impl Unit {
    fn read(self, line: Line<'_>, column: view::Column) -> Option<Figure> {
        match self {
            Unit::Count => line.count(Some(column)),
            Unit::Seconds => line.seconds(Some(column), TimeUnit::Seconds),
            Unit::Milliseconds => line.milliseconds(Some(column)),
        }
    }
}

/// What a column fills, and how it is printed.
pub(crate) enum Field<Row: 'static> {
    Text(Access<Row, String>),
    Optional(Access<Row, Option<String>>),
    /// A name that a text report may have cut, made whole; and whether it is still cut.
    Name(Names, Access<Row, String>, Option<Access<Row, bool>>),
    /// Whole where it is whole.
    Count(Access<Row, Option<f64>>),
    /// In the largest unit of 1024 that keeps them whole.
    Bytes(Access<Row, Option<f64>>),
    /// With so many decimals.
    Number(Unit, usize, Access<Row, Option<f64>>),
    /// With the digits that it is known to; with so many decimals where it is known exactly.
    Figure(Unit, usize, Access<Row, Option<Figure>>),
    /// Anything else. What earlier columns have read is in the row.
    Other {
        read: fn(&mut Row, Line<'_>, view::Column),
        cell: fn(&Row, &Printing<'_>) -> Cell,
    },
}

/// The report and the place of a row that is printed: some cells are worked out of them.
pub(crate) struct Printing<'a> {
    pub report: &'a Report,
    /// The row's number in its section, from 0.
    pub at: usize,
}

pub(crate) const fn count<Row>(field: Access<Row, Option<f64>>) -> Field<Row> {
    Field::Count(field)
}

pub(crate) const fn number<Row>(decimals: usize, field: Access<Row, Option<f64>>) -> Field<Row> {
    Field::Number(Unit::Count, decimals, field)
}

pub(crate) const fn figure<Row>(decimals: usize, field: Access<Row, Option<Figure>>) -> Field<Row> {
    Field::Figure(Unit::Count, decimals, field)
}

pub(crate) const fn seconds<Row>(decimals: usize, field: Access<Row, Option<Figure>>) -> Field<Row> {
    Field::Figure(Unit::Seconds, decimals, field)
}

pub(crate) const fn milliseconds<Row>(decimals: usize, field: Access<Row, Option<Figure>>) -> Field<Row> {
    Field::Figure(Unit::Milliseconds, decimals, field)
}

/// Worked out of other fields when it is printed. Nothing is read.
pub(crate) const fn worked_out<Row>(cell: fn(&Row, &Printing<'_>) -> Cell) -> Field<Row> {
    Field::Other { read: |_, _, _| {}, cell }
}

/// Read, and not printed under this name.
pub(crate) const fn read_by<Row>(read: fn(&mut Row, Line<'_>, view::Column)) -> Field<Row> {
    Field::Other { read, cell: |_, _| page::text("") }
}

/// Whether a table, or a row of it, can do without the column.
#[derive(Clone, Copy)]
enum Need {
    No,
    /// A table without this column belongs to another section.
    Table,
    /// A table needs one of those marked so.
    OneOf,
    /// A row without it is no row of the table.
    Row(fn(&str) -> bool),
    /// A row without it has it from the row above.
    Above {
        only_with: &'static [&'static str],
    },
}

/// How a table's column is found.
#[derive(Clone, Copy)]
enum Find {
    /// The printed heading, else the first of the names that is a column.
    Name,
    /// The nth column, from 0, of those with the printed heading.
    Nth(usize),
    /// The first column, whatever its name.
    First,
    /// As by name, else the first column whose name ends in one of these.
    Ending(&'static [&'static str]),
    /// The one before the first of these, else the last.
    Before(&'static [&'static str]),
}

/// A column. It is read under the heading that Statspack prints, and under the names of other releases and forms.
pub(crate) struct Column<Row: 'static> {
    names: &'static [&'static str],
    find: Find,
    need: Need,
    printed: Option<page::Column>,
    /// Printed only where some row has something in it.
    if_any: bool,
    field: Field<Row>,
}

/// A column under these names (without case, spaces and punctuation but `% # < > =`, as [`plain`] makes them). Where it
/// has a heading, that is tried first, then the names in their order.
pub(crate) const fn column<Row>(names: &'static [&'static str], field: Field<Row>) -> Column<Row> {
    Column { names, find: Find::Name, need: Need::No, printed: None, if_any: false, field }
}

impl<Row> Column<Row> {
    pub(crate) const fn left(self, heading: &'static [&'static str], width: usize) -> Self {
        Self { printed: Some(page::left(heading, width)), ..self }
    }

    pub(crate) const fn right(self, heading: &'static [&'static str], width: usize) -> Self {
        Self { printed: Some(page::right(heading, width)), ..self }
    }

    pub(crate) const fn if_any(self) -> Self {
        Self { if_any: true, ..self }
    }

    pub(crate) const fn needed(self) -> Self {
        Self { need: Need::Table, ..self }
    }

    pub(crate) const fn one_of(self) -> Self {
        Self { need: Need::OneOf, ..self }
    }

    /// Of `key`, `needed`, `one_of` and `or_above` the last counts. A table needs its key, too.
    pub(crate) const fn key(self) -> Self {
        self.key_if(|text| !text.is_empty())
    }

    pub(crate) const fn key_if(self, is_key: fn(&str) -> bool) -> Self {
        Self { need: Need::Row(is_key), ..self }
    }

    /// A row without it has it from the row above; for one column of text in a table. A row with nothing under these
    /// names either is no row; without names every row is one.
    pub(crate) const fn or_above(self, only_with: &'static [&'static str]) -> Self {
        Self { need: Need::Above { only_with }, ..self }
    }

    /// The nth column, from 0, of those with the printed heading; other names do not count.
    pub(crate) const fn nth(self, at: usize) -> Self {
        Self { find: Find::Nth(at), ..self }
    }

    pub(crate) const fn first(self) -> Self {
        Self { find: Find::First, ..self }
    }

    pub(crate) const fn ending(self, ends: &'static [&'static str]) -> Self {
        Self { find: Find::Ending(ends), ..self }
    }

    pub(crate) const fn before(self, names: &'static [&'static str]) -> Self {
        Self { find: Find::Before(names), ..self }
    }

    /// The printed heading, as a table has it.
    #[cfg(test)]
    pub(super) fn heading(&self) -> Option<String> {
        self.printed.map(|printed| printed.heading.join(" "))
    }

    /// True: it is worked out of other fields.
    #[cfg(test)]
    pub(super) fn is_worked_out(&self) -> bool {
        matches!(self.field, Field::Other { .. }) && self.names.is_empty()
    }

    pub(super) fn find(&self, view: &View<'_>) -> Option<view::Column> {
        let heading = self.printed.map(|printed| plain(&printed.heading.concat())).filter(|name| !name.is_empty());
        let by_name = || {
            let heading = heading.as_deref().and_then(|heading| view.find(&[heading]));
            heading.or_else(|| view.find(self.names))
        };
        match self.find {
            Find::Name => by_name(),
            Find::Nth(at) => {
                let mut same = (0..view.names.len()).filter(|at| Some(&view.names[*at]) == heading.as_ref());
                same.nth(at).map(|at| view.column(at))
            }
            Find::First => Some(view.column(0)),
            Find::Ending(ends) => by_name().or_else(|| view.find_ending(0, ends)),
            Find::Before(names) => {
                let at = view.find(names).and_then(|column| column.at.checked_sub(1));
                at.or_else(|| view.names.len().checked_sub(1)).map(|at| view.column(at))
            }
        }
    }

    fn read(&self, row: &mut Row, line: Line<'_>, column: view::Column, width: Width) {
        match &self.field {
            Field::Text(field) => line.text(Some(column)).clone_into((field.get_mut)(row)),
            Field::Optional(field) => *(field.get_mut)(row) = line.owned(Some(column)),
            Field::Name(kind, field, is_cut) => {
                let (name, cut) = whole(*kind, line.text(Some(column)), width);
                *(field.get_mut)(row) = name;
                if let Some(is_cut) = is_cut {
                    *(is_cut.get_mut)(row) = cut;
                }
            }
            Field::Count(field) => *(field.get_mut)(row) = line.number(Some(column)),
            Field::Bytes(field) => *(field.get_mut)(row) = line.bytes(Some(column)).map(|figure| figure.value),
            Field::Number(unit, _, field) => {
                *(field.get_mut)(row) = unit.read(line, column).map(|figure| figure.value);
            }
            Field::Figure(unit, _, field) => *(field.get_mut)(row) = unit.read(line, column),
            Field::Other { read, .. } => read(row, line, column),
        }
    }

    fn cell(&self, row: &Row, printing: &Printing<'_>) -> Cell {
        match &self.field {
            Field::Text(field) => page::text((field.get)(row).as_str()),
            Field::Optional(field) => page::text((field.get)(row).as_deref().unwrap_or_default()),
            Field::Name(kind, field, _) => page::name(*kind, (field.get)(row)),
            Field::Count(field) => page::count(*(field.get)(row)),
            Field::Bytes(field) => {
                let width = self.printed.map_or(0, |printed| printed.width);
                page::text(page::digits::bytes(*(field.get)(row), width))
            }
            Field::Number(_, decimals, field) => page::number(*(field.get)(row), *decimals),
            Field::Figure(_, decimals, field) => page::figure(*(field.get)(row), *decimals),
            Field::Other { cell, .. } => cell(row, printing),
        }
    }
}

/// The rows of a table; None when it lacks a column that it needs. With `together`, only the lines of all instances
/// (`*`) are taken from a cluster's report. A line without a mark has the mark above it.
pub(crate) fn rows<Row: Default>(columns: &[Column<Row>], view: &View<'_>, together: bool) -> Option<Vec<Row>> {
    let found: Vec<Option<view::Column>> = columns.iter().map(|column| column.find(view)).collect();
    let all = || columns.iter().zip(&found);
    let lacks_one = all().any(|(column, found)| !matches!(column.need, Need::No | Need::OneOf) && found.is_none());
    let mut alternatives = all().filter(|(column, _)| matches!(column.need, Need::OneOf)).peekable();
    if lacks_one || (alternatives.peek().is_some() && alternatives.all(|(_, found)| found.is_none())) {
        return None;
    }
    let widths: Vec<Width> = all()
        .map(|(column, found)| match column.field {
            Field::Name(..) => view.width(*found),
            _ => Width::UNLIMITED,
        })
        .collect();
    let instances = if together { view.instances() } else { None };
    let mut instance = "";
    let mut above = String::new();
    let mut rows = Vec::new();
    'lines: for line in view.lines() {
        if !line.text(instances).is_empty() {
            instance = line.text(instances);
        }
        if instances.is_some() && instance != "*" {
            continue;
        }
        let mut from_above = None;
        for (column, found) in all() {
            match column.need {
                Need::Row(is_key) if !is_key(line.text(*found)) => continue 'lines,
                Need::Above { .. } if !line.text(*found).is_empty() => line.text(*found).clone_into(&mut above),
                Need::Above { only_with } if !only_with.is_empty() && line.text(view.find(only_with)).is_empty() => {
                    continue 'lines;
                }
                Need::Above { .. } => from_above = Some(column),
                _ => {}
            }
        }
        let mut row = Row::default();
        for ((column, found), width) in all().zip(&widths) {
            if let Some(found) = found {
                column.read(&mut row, line, *found, *width);
            }
        }
        if let Some(Field::Text(field)) = from_above.map(|column| &column.field) {
            above.clone_into((field.get_mut)(&mut row));
        }
        rows.push(row);
    }
    Some(rows)
}

/// The columns that are printed, and the cells of each row.
pub(crate) fn printed<'r, Row: 'static>(
    columns: impl IntoIterator<Item = &'r Column<Row>>,
    report: &Report,
    rows: impl IntoIterator<Item = &'r Row>,
) -> (Vec<page::Column>, Vec<Vec<Cell>>) {
    let of_page: Vec<(&Column<Row>, page::Column)> =
        columns.into_iter().filter_map(|column| Some((column, column.printed?))).collect();
    let mut cells: Vec<Vec<Cell>> = rows
        .into_iter()
        .enumerate()
        .map(|(at, row)| of_page.iter().map(|(column, _)| column.cell(row, &Printing { report, at })).collect())
        .collect();
    let shown: Vec<bool> = of_page
        .iter()
        .enumerate()
        .map(|(at, (column, _))| !column.if_any || cells.iter().any(|row| !row[at].is_empty()))
        .collect();
    for row in &mut cells {
        let mut shown = shown.iter();
        row.retain(|_| shown.next() == Some(&true));
    }
    let columns = of_page.iter().zip(&shown).filter(|(_, shown)| **shown).map(|((_, printed), _)| *printed);
    (columns.collect(), cells)
}

#[cfg(test)]
mod tests {
    use super::Field::{Optional, Text};
    use super::{Column, column, count, printed, rows};
    use crate::grid::view::{Form, View};
    use crate::grid::{Row, Table};
    use crate::model::{Kind, LibraryCacheLine, Parameter, Report};
    use crate::value::Numbers;

    fn table(columns: &[&str], rows: &[&[&str]]) -> Table {
        let texts = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let rows = rows.iter().map(|cells| Row { cells: texts(cells), line: 1, text: Vec::new() });
        Table { columns: texts(columns), caption: String::new(), rows: rows.collect() }
    }

    fn read<Line: Default>(columns: &[Column<Line>], table: &Table, together: bool) -> Option<Vec<Line>> {
        let form = Form { cuts_names: true, of_cluster: true };
        rows(columns, &View::new(table, Numbers::of(std::iter::empty()), form), together)
    }

    const NAMESPACE: Column<LibraryCacheLine> =
        column(&["library"], Text(of!(LibraryCacheLine.namespace))).key().left(&["Name", "space"], 9);
    const CACHE: &[Column<LibraryCacheLine>] = &[
        NAMESPACE,
        column(&[], count(of!(LibraryCacheLine.gets))).one_of().nth(0).right(&["Re-", "quests"], 8),
        column(&[], count(of!(LibraryCacheLine.pins))).one_of().nth(1).right(&["Re-", "quests"], 8),
        column(&["reloads"], count(of!(LibraryCacheLine.reloads))),
    ];

    #[test]
    fn columns_are_found_by_their_heading_and_by_other_names_and_told_apart_by_their_order() {
        let found =
            read(CACHE, &table(&["Requests", "NameSpace", "Requests"], &[&["1", "BODY", "2"], &["3", "", "4"]]), false);
        let body =
            LibraryCacheLine { namespace: "BODY".into(), gets: Some(1.0), pins: Some(2.0), ..Default::default() };
        assert_eq!(found, Some(vec![body]));
        let other = read(CACHE, &table(&["Library", "Requests", "Reloads"], &[&["BODY", "1", "7"]]), false);
        assert_eq!(
            other.map(|lines| (lines[0].gets, lines[0].pins, lines[0].reloads)),
            Some((Some(1.0), None, Some(7.0)))
        );
        assert_eq!(read(CACHE, &table(&["Library", "Reloads"], &[&["BODY", "7"]]), false), None);
        assert_eq!(read(CACHE, &table(&["Requests"], &[&["7"]]), false), None);
    }

    #[test]
    fn of_a_cluster_the_lines_of_all_instances_together_are_taken() {
        let lines = table(
            &["I#", "Namespace", "Requests"],
            &[&["*", "A", "3"], &["", "B", "5"], &["1", "A", "1"], &["", "B", "2"]],
        );
        let names = |together| {
            let found = read(CACHE, &lines, together).unwrap_or_default();
            found.into_iter().map(|line| line.namespace).collect::<Vec<_>>()
        };
        assert_eq!(names(true), ["A", "B"]);
        assert_eq!(names(false), ["A", "B", "A", "B"]);
    }

    #[test]
    fn a_name_that_is_left_out_is_that_of_the_row_above() {
        const PARAMETER: &[Column<Parameter>] = &[
            column(&["name"], Text(of!(Parameter.name))).or_above(&["value"]),
            column(&["value"], Text(of!(Parameter.value))).needed(),
            column(&["end"], Optional(of!(Parameter.end))),
        ];
        let lines =
            table(&["Name", "Value", "End"], &[&["a", "1", ""], &["", "2", "3"], &["", "", "9"], &["b", "", ""]]);
        let found = read(PARAMETER, &lines, false).unwrap_or_default();
        let found: Vec<_> =
            found.iter().map(|line| (line.name.as_str(), line.value.as_str(), line.end.as_deref())).collect();
        assert_eq!(found, [("a", "1", None), ("a", "2", Some("3")), ("b", "", None)]);
    }

    #[test]
    fn what_has_no_heading_is_not_printed_nor_what_no_row_has() {
        const SOME: &[Column<LibraryCacheLine>] = &[
            NAMESPACE,
            column(&[], count(of!(LibraryCacheLine.gets))).if_any().right(&["Gets"], 8),
            column(&[], count(of!(LibraryCacheLine.pins))).if_any().right(&["Pins"], 8),
            column(&["reloads"], count(of!(LibraryCacheLine.reloads))),
        ];
        let line = LibraryCacheLine { pins: Some(7.0), reloads: Some(1.0), ..Default::default() };
        let (columns, cells) = printed(SOME, &Report::new(Kind::Statspack), [&line]);
        let headings: Vec<String> = columns.iter().map(|column| column.heading.join(" ")).collect();
        assert_eq!(headings, ["Name space", "Pins"]);
        assert_eq!(cells[0].iter().map(|cell| cell.line(8)).collect::<Vec<_>>(), ["", "7"]);
    }
}
