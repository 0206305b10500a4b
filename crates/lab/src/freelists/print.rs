//! The printed tables of the experiment.

use std::io::{self, Write};

use super::Comparison;
use super::measured::{CPU_TIME, Run, TimedEvent};
use super::work::Work;
use crate::experiment::table::{self, Table};
use crate::grid::Grid;
use crate::text::number;

type Column = table::Column<Work>;

/// Timed events of an arm that are shown.
pub(super) const TOP: usize = 5;
/// The event that the published waits are of.
pub(super) const BUSY: &str = "buffer busy waits";

pub(super) static TABLES: [Table<Work>; 6] = [
    Table::Arms(&[
        Column::Name("transactions/s"),
        Column::Known("published", 2, |known| Some(known.transactions_per_s)),
        Column::KnownToFirst("to manual 1", |known| known.transactions_per_s),
        Column::Estimate(["measured median", "from", "to"], 0, Run::transactions_per_s),
        Column::ToFirst(["to manual 1", "from", "to"], Run::transactions_per_s),
    ]),
    Table::Arms(&[
        Column::Name("executes"),
        Column::Known("published a transaction", 2, |known| Some(known.executes_per_transaction)),
        Column::Median("measured", 2, Run::executes_per_transaction),
        Column::Known("published a second", 2, |known| Some(known.executes_per_s)),
        Column::Estimate(["measured median", "from", "to"], 0, Run::executes_per_s),
    ]),
    Table::Arms(&[
        Column::Name(BUSY),
        Column::Known("published", 0, |known| known.event(BUSY)?.waits.map(|waits| waits as f64)),
        Column::Known("seconds", 0, |known| Some(known.event(BUSY)?.time_s)),
        Column::Estimate(["measured median", "from", "to"], 0, |run| run.buffer_busy_waits as f64),
        Column::Median("seconds", 2, |run| run.buffer_busy_s),
        Column::Median("of 1,000 transactions", 2, Run::waits_per_thousand),
    ]),
    Table::Own(classes),
    Table::Own(events),
    Table::Own(|comparison, out| comparison.measured.rest.grid().print(out)),
];

fn classes(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let mut grid = Grid::new(&["waits by block class, medians", "class", "waits", "seconds"], 2);
    for arm in &comparison.measured.arms {
        let mut name = arm.setting.name();
        let classes = arm.waits_by_class();
        if classes.is_empty() {
            grid.row([std::mem::take(&mut name), "none".to_owned(), String::new(), String::new()]);
        }
        for waits in classes {
            grid.row([std::mem::take(&mut name), waits.class, number(waits.waits, 0), format!("{:.2}", waits.time_s)]);
        }
    }
    grid.print(out)
}

fn events(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let head = ["top timed events", "", "published waits", "seconds", "measured", "seconds", "% of all"];
    let mut grid = Grid::new(&head, 2);
    for arm in &comparison.measured.arms {
        let published = comparison.known(arm.setting);
        let measured = arm.events();
        let all: f64 = measured.iter().map(|line| line.time_s).sum();
        let mut names: Vec<&str> = measured.iter().take(TOP).map(|line| line.event.as_str()).collect();
        // Events of the published five that are not among ours follow.
        for line in published.iter().flat_map(|arm| &arm.top) {
            if !names.contains(&line.event.as_str()) {
                names.push(&line.event);
            }
        }
        let mut arm_name = arm.setting.name();
        for name in names {
            let known = published.and_then(|arm| arm.event(name));
            let found: Option<&TimedEvent> = measured.iter().find(|line| line.event == name);
            let waits =
                |waits: Option<f64>| waits.filter(|_| name != CPU_TIME).map_or(String::new(), |waits| number(waits, 0));
            grid.row([
                std::mem::take(&mut arm_name),
                name.to_owned(),
                waits(known.and_then(|line| line.waits).map(|waits| waits as f64)),
                known.map_or(String::new(), |line| format!("{:.0}", line.time_s)),
                found.map_or("0".to_owned(), |line| waits(line.waits)),
                found.map_or("0".to_owned(), |line| format!("{:.2}", line.time_s)),
                found.filter(|_| all > 0.0).map_or(String::new(), |line| format!("{:.1}", line.time_s / all * 100.0)),
            ]);
        }
    }
    grid.print(out)
}
