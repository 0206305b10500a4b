//! The printed tables of the experiment.

use std::io::{self, Write};

use super::super::published::Pctfree;
use super::measured::Measured;
use crate::grid::Grid;
use crate::text::grouped;

pub(crate) fn print(published: &Pctfree, measured: &Measured, out: &mut dyn Write) -> io::Result<()> {
    let runs = measured.arms.first().map_or(0, |arm| arm.runs.len());
    let rows = grouped(measured.rows);
    writeln!(out, "{rows} rows of one number, then update t1 set n2 = n1; medians of {runs}, legacy search once\n")?;
    let mut grid = Grid::new(
        &[
            "blocks",
            "published before",
            "after",
            "measured before",
            "after",
            "rows a block",
            "rows migrated",
            "avg_row_len",
        ],
        1,
    );
    let mut times = Grid::new(&["update", "published s", "measured s", "current gets", "redo MB"], 1);
    for arm in &measured.arms {
        let (Some(run), Ok(known)) = (arm.last(), published.arm(arm.setting)) else { continue };
        grid.row([
            arm.setting.name(),
            grouped(known.blocks[0]),
            grouped(known.blocks[1]),
            grouped(run.blocks[0]),
            grouped(run.blocks[1]),
            grouped(run.rows_a_block),
            grouped(run.migrated),
            format!("{} {}", run.average_row_bytes[0], run.average_row_bytes[1]),
        ]);
        // A published time is one of a certain search.
        let comparable = known.legacy_search == arm.setting.legacy_search;
        times.row([
            arm.setting.name(),
            if comparable { format!("{:.2}", known.update_s) } else { "-".to_owned() },
            arm.update_s().map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.2}")),
            grouped(run.current_gets),
            format!("{:.1}", run.redo_bytes as f64 / f64::from(1 << 20)),
        ]);
    }
    grid.print(out)?;
    times.print(out)
}
