//! The groups of one report: breaks that a row begins, values that are not repeated, and results of COMPUTE at the end
//! of each group.

use crate::breaks::{Breaks, Element, Skip};
use crate::column::Columns;
use crate::compute::{Computes, Function, Tally};
use crate::layout::{Layout, Part};
use crate::server::{Cell, ColumnInfo};

/// A function of a column of the query.
struct Computation {
    function: Function,
    label: String,
    source: usize,
    tally: Tally,
}

/// A break that the query can have.
struct Level {
    element: Element,
    /// The break's column; None for ROW and REPORT.
    source: Option<usize>,
    skip: Skip,
    duplicates: bool,
    computations: Vec<Computation>,
}

/// The output between two rows.
pub(crate) struct Ended {
    /// Lines of COMPUTE and, empty, the lines left out behind each group.
    pub(crate) lines: Vec<String>,
    pub(crate) page: bool,
}

pub(crate) struct Groups {
    /// The outermost first.
    levels: Vec<Level>,
    last: Option<Vec<Cell>>,
}

impl Groups {
    pub(crate) fn new(query: &[ColumnInfo], columns: &Columns, breaks: &Breaks, computes: &Computes) -> Self {
        let position = |name: &str| position(query, columns, name);
        let mut levels: Vec<Level> = Vec::new();
        for one in breaks.iter() {
            let source = match &one.element {
                Element::Column(name) => match position(name) {
                    Some(source) => Some(source),
                    None => continue,
                },
                Element::Row | Element::Report => None,
            };
            let computations =
                computes.iter().filter(|compute| compute.element.is(&one.element)).filter_map(|compute| {
                    let (function, label) = (compute.function, compute.label.clone());
                    Some(Computation { function, label, source: position(&compute.column)?, tally: Tally::default() })
                });
            levels.push(Level {
                element: one.element.clone(),
                source,
                skip: one.skip,
                duplicates: one.duplicates,
                computations: computations.collect(),
            });
        }
        // Whatever their order in the command, REPORT is outermost and ROW innermost.
        levels.sort_by_key(|level| match level.element {
            Element::Report => 0,
            Element::Column(_) => 1,
            Element::Row => 2,
        });
        Self { levels, last: None }
    }

    /// The output between the last row and this one.
    pub(crate) fn before(&mut self, row: &[Cell], layout: &Layout) -> Ended {
        match self.changed(row) {
            Some(outermost) => self.end(outermost, layout),
            None => Ended { lines: Vec::new(), page: false },
        }
    }

    /// The output behind the last row.
    pub(crate) fn after(&mut self, layout: &Layout) -> Ended {
        let outermost = if self.last.is_some() { 0 } else { self.levels.len() };
        self.end(outermost, layout)
    }

    /// Columns of this row that would repeat the values of the row before.
    pub(crate) fn repeated(&self, row: &[Cell]) -> Vec<usize> {
        let same = self.changed(row).unwrap_or(if self.last.is_some() { self.levels.len() } else { 0 });
        let levels = self.levels[..same].iter();
        levels.filter(|level| !level.duplicates).filter_map(|level| level.source).collect()
    }

    /// Takes the row into the computations.
    pub(crate) fn add(&mut self, row: &[Cell]) {
        for computation in self.levels.iter_mut().flat_map(|level| &mut level.computations) {
            computation.tally.add(row.get(computation.source).unwrap_or(&Cell::Null));
        }
        if !self.levels.is_empty() {
            self.last = Some(row.to_vec());
        }
    }

    /// The outermost break that lies before this row.
    fn changed(&self, row: &[Cell]) -> Option<usize> {
        let last = self.last.as_ref()?;
        self.levels.iter().position(|level| match (&level.element, level.source) {
            (Element::Row, _) => true,
            (_, Some(source)) => last.get(source) != row.get(source),
            _ => false,
        })
    }

    /// Ends the groups from the innermost to this one.
    fn end(&mut self, outermost: usize, layout: &Layout) -> Ended {
        let mut ended = Ended { lines: Vec::new(), page: false };
        for level in self.levels[outermost..].iter_mut().rev() {
            ended.lines.extend(level.summary(layout));
            for computation in &mut level.computations {
                computation.tally = Tally::default();
            }
            match level.skip {
                Skip::Lines(lines) => ended.lines.resize(ended.lines.len() + lines, String::new()),
                Skip::Page => ended.page = true,
            }
        }
        ended
    }
}

impl Level {
    /// Asterisks under the break column and dashes under the computed ones, then a line a function.
    fn summary(&self, layout: &Layout) -> Vec<String> {
        if self.computations.is_empty() {
            return Vec::new();
        }
        let computed = |source: usize| self.computations.iter().any(|one| one.source == source);
        let mut lines = layout.line(|source| {
            if computed(source) {
                Part::Fill('-')
            } else if self.source == Some(source) {
                Part::Fill('*')
            } else {
                Part::Blank
            }
        });
        let mut functions: Vec<Function> = self.computations.iter().map(|one| one.function).collect();
        functions.sort_unstable();
        functions.dedup();
        for function in functions {
            let of: Vec<&Computation> = self.computations.iter().filter(|one| one.function == function).collect();
            let label = of.first().map_or("", |one| one.label.as_str());
            // At ROW and REPORT the label stands in the first column of the query.
            let labelled = self.source.unwrap_or(0);
            lines.extend(layout.line(|source| match of.iter().find(|one| one.source == source) {
                Some(one) => Part::Result(one.tally.result(function)),
                None if source == labelled => Part::Label(label.to_owned()),
                None => Part::Blank,
            }));
        }
        lines
    }
}

/// The column of a name, or of an alias from COLUMN.
fn position(query: &[ColumnInfo], columns: &Columns, name: &str) -> Option<usize> {
    let named = |name: &str| query.iter().position(|info| info.name.eq_ignore_ascii_case(name));
    named(name).or_else(|| named(&columns.get(name)?.name))
}
