//! A sweep in the terminal, readable at 120 columns.

use std::io::{self, Write};

use super::Sweep;
use super::page::label;
use crate::freelists::measured::Run;
use crate::grid::Grid;
use crate::interval::cells;
use crate::print::lines;
use crate::text::grouped;

pub(super) fn print(sweep: &Sweep, out: &mut dyn Write) -> io::Result<()> {
    let plan = sweep.plan;
    writeln!(out, "freelists: a sweep, {}", plan.words())?;
    for note in &sweep.notes {
        lines(out, "", note)?;
    }
    writeln!(out)?;
    let head = ["setting", "sessions", "transactions/s", "from", "to", "busy waits of 1,000", "from", "to"];
    let mut grid = Grid::new(&head, 1);
    for point in &sweep.points {
        let name = label(point.arm.setting);
        let [rate, rate_from, rate_to] =
            cells(point.arm.estimate(Run::transactions_per_s), |value| grouped(value.round() as u64));
        let [waits, waits_from, waits_to] =
            cells(point.arm.estimate(Run::waits_per_thousand), |value| format!("{value:.2}"));
        grid.row([name, point.sessions.to_string(), rate, rate_from, rate_to, waits, waits_from, waits_to]);
    }
    grid.print(out)
}
