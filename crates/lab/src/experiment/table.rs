//! The printed tables of an experiment.

use std::io::{self, Write};

use super::ArmOf;
use super::declaration::Comparison;
use super::workload::Workload;
use crate::grid::Grid;
use crate::interval::cells;
use crate::text::{number, ratio};

/// A table as an experiment declares it.
#[derive(Debug)]
pub enum Table<W: Workload> {
    /// A row for each arm.
    Arms(&'static [Column<W>]),
    /// Any other: prints itself, with an empty line behind it.
    Own(fn(&Comparison<W>, &mut dyn Write) -> io::Result<()>),
}

/// Columns of a table with a row for each arm.
#[derive(Debug)]
pub enum Column<W: Workload> {
    /// The arm's name, to the left.
    Name(&'static str),
    /// A cell of words or figures.
    Cell(&'static str, fn(&Row<'_, W>) -> String),
    /// A published figure, with this many digits; a dash without one.
    Known(&'static str, usize, fn(&W::Known) -> Option<f64>),
    /// The median of a figure, with so many digits.
    Median(&'static str, usize, fn(&W::Run) -> f64),
    /// Median and ends of the interval: three columns.
    Estimate([&'static str; 3], usize, fn(&W::Run) -> f64),
    /// The same of the ratio to the first arm, repetition by repetition.
    ToFirst([&'static str; 3], fn(&W::Run) -> f64),
    /// Ratio of a published figure to that of the first arm.
    KnownToFirst(&'static str, fn(&W::Known) -> f64),
}

/// The data of a row.
#[derive(Debug)]
pub struct Row<'a, W: Workload> {
    pub comparison: &'a Comparison<W>,
    pub arm: &'a ArmOf<W>,
    pub known: Option<&'a W::Known>,
}

impl<W: Workload> Table<W> {
    pub(super) fn print(&self, comparison: &Comparison<W>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Arms(columns) => arms(columns, comparison).print(out),
            Self::Own(print) => print(comparison, out),
        }
    }
}

fn arms<W: Workload>(columns: &[Column<W>], comparison: &Comparison<W>) -> Grid {
    let heads: Vec<&str> = columns.iter().flat_map(Column::heads).collect();
    let mut grid = Grid::new(&heads, 1);
    for arm in &comparison.measured.arms {
        let row = Row { comparison, arm, known: comparison.known(arm.setting) };
        grid.row(columns.iter().flat_map(|column| column.cells(&row)));
    }
    grid
}

impl<W: Workload> Column<W> {
    fn heads(&self) -> Vec<&'static str> {
        match self {
            Self::Name(head)
            | Self::Cell(head, _)
            | Self::Known(head, ..)
            | Self::Median(head, ..)
            | Self::KnownToFirst(head, _) => vec![head],
            Self::Estimate(heads, ..) | Self::ToFirst(heads, _) => heads.to_vec(),
        }
    }

    fn cells(&self, row: &Row<'_, W>) -> Vec<String> {
        let first: &ArmOf<W> = &row.comparison.measured.arms[0];
        match *self {
            Self::Name(_) => vec![row.arm.setting.name()],
            Self::Cell(_, of) => vec![of(row)],
            Self::Known(_, digits, of) => {
                vec![row.known.and_then(of).map_or_else(|| "-".to_owned(), |value| number(value, digits))]
            }
            Self::Median(_, digits, of) => {
                vec![row.arm.median(of).map_or_else(|| "-".to_owned(), |value| number(value, digits))]
            }
            Self::Estimate(_, digits, of) => cells(row.arm.estimate(of), |value| number(value, digits)).to_vec(),
            Self::ToFirst(_, of) => {
                let ratios = row.comparison.measured.ratio(row.arm.setting, first.setting, of);
                cells(ratios, |value| number(value, 2)).to_vec()
            }
            Self::KnownToFirst(_, of) => {
                let known = |known: Option<&W::Known>| known.map_or(0.0, of);
                vec![ratio(known(row.known), known(row.comparison.known(first.setting)))]
            }
        }
    }
}
