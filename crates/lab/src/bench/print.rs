//! The printed table of a benchmark, readable at 120 columns.

use std::io::{self, Write};

use common::text::wrapped;

use super::outcome::Outcome;
use crate::experiment::print::lines;
use crate::grid::Grid;
use crate::text::grouped;

const WIDTH: usize = 118;

/// Prints the outcome.
///
/// # Errors
/// Those of writing to `out`.
pub fn print(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "bench {}", outcome.name)?;
    for note in outcome.notes.iter().chain(&outcome.skipped) {
        for (index, line) in wrapped(note, WIDTH - 2, "", "").iter().enumerate() {
            writeln!(out, "{}{line}", if index == 0 { "- " } else { "  " })?;
        }
    }
    writeln!(out)?;
    let mut grid = Grid::new(&["median of the runs", "unit", "peer", "highwater", "peer", "ratio", "asked", ""], 3);
    for case in &outcome.cases {
        let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| grouped(v.round() as u64));
        grid.row([
            case.case.clone(),
            case.unit.clone(),
            case.peer_name.clone(),
            figure(case.highwater),
            figure(case.peer),
            case.ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
            case.limit.map_or_else(String::new, |limit| format!("{limit:.1}")),
            case.reached().map_or("", |reached| if reached { "reached" } else { "MISSED" }).to_owned(),
        ]);
    }
    grid.lines().iter().try_for_each(|line| writeln!(out, "{line}"))?;
    let Some(device) = &outcome.device else { return Ok(()) };
    writeln!(out)?;
    device.lines().iter().try_for_each(|line| lines(out, "", line))
}
