//! A figure of a run, by its name.

use super::setting::Setting;

/// Cells of a figure in a sweep's tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cells {
    /// Not at all: it is in the CSV.
    None,
    /// The median and its interval, on the page only.
    Page,
    Median,
    /// The median and the ends of its interval.
    Interval,
}

impl Cells {
    /// Number of its columns.
    pub(super) fn columns(self) -> usize {
        match self {
            Self::None => 0,
            Self::Median => 1,
            Self::Page | Self::Interval => 3,
        }
    }
}

/// A chart of a figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chart {
    pub title: &'static str,
    /// Name of the vertical axis.
    pub axis: &'static str,
}

/// A figure as an experiment declares it.
#[derive(Clone, Copy, Debug)]
pub struct Figure<R> {
    /// Column of a CSV file, and name in JSON; the unit last.
    pub key: &'static str,
    /// Head of its columns.
    pub name: &'static str,
    /// Digits behind the point in tables.
    pub digits: usize,
    pub cells: Cells,
    /// None: it is not drawn.
    pub chart: Option<Chart>,
    /// Not a number where a run has none.
    pub of: fn(&R, &Setting) -> f64,
}

impl<R> Figure<R> {
    /// A figure for the CSV only.
    #[must_use]
    pub const fn plain(key: &'static str, of: fn(&R, &Setting) -> f64) -> Self {
        Self { key, name: key, digits: 2, cells: Cells::None, chart: None, of }
    }

    /// A figure that tables of a sweep have, too.
    #[must_use]
    pub const fn listed(
        key: &'static str,
        name: &'static str,
        digits: usize,
        cells: Cells,
        of: fn(&R, &Setting) -> f64,
    ) -> Self {
        Self { key, name, digits, cells, chart: None, of }
    }

    /// With a chart.
    #[must_use]
    pub const fn drawn(mut self, title: &'static str, axis: &'static str) -> Self {
        self.chart = Some(Chart { title, axis });
        self
    }
}
