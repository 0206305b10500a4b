//! The printed tables of the experiment.

use std::io::{self, Write};

use super::Comparison;
use super::measured::{Arm, CPU_TIME, Run, TimedEvent};
use super::published::PublishedArm;
use super::setting::Setting;
use crate::grid::Grid;
use crate::interval::cells;
use crate::text::{grouped, ratio};

/// Timed events of an arm that are shown.
pub(super) const TOP: usize = 5;

pub(super) fn print(report: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    rates(report).print(out)?;
    executes(report).print(out)?;
    waits(report).print(out)?;
    classes(report).print(out)?;
    events(report).print(out)?;
    report.measured.clustering.grid().print(out)
}

/// Arms with what was published of them.
fn arms(report: &Comparison) -> impl Iterator<Item = (&Arm, Option<&PublishedArm>)> {
    report.measured.arms.iter().map(|arm| (arm, report.published.arm(arm.setting).ok()))
}

fn whole(value: f64) -> String {
    grouped(value.round() as u64)
}

fn rates(report: &Comparison) -> Grid {
    let head =
        ["transactions/s", "published", "to manual 1", "measured median", "from", "to", "to manual 1", "from", "to"];
    let mut grid = Grid::new(&head, 1);
    let base = Setting::manual(1);
    let published_base = report.published.arm(base).map_or(0.0, |arm| arm.transactions_per_s);
    for (arm, published) in arms(report) {
        let known = published.map_or(0.0, |arm| arm.transactions_per_s);
        let [median, low, high] = cells(arm.estimate(Run::transactions_per_s), whole);
        let relative = report.measured.ratio(arm.setting, base, Run::transactions_per_s);
        let [times, from, to] = cells(relative, |value| format!("{value:.2}"));
        grid.row([
            arm.setting.name(),
            format!("{known:.2}"),
            ratio(known, published_base),
            median,
            low,
            high,
            times,
            from,
            to,
        ]);
    }
    grid
}

fn executes(report: &Comparison) -> Grid {
    let head =
        ["executes", "published a transaction", "measured", "published a second", "measured median", "from", "to"];
    let mut grid = Grid::new(&head, 1);
    for (arm, published) in arms(report) {
        let known = |of: fn(&PublishedArm) -> f64| published.map_or("-".to_owned(), |arm| format!("{:.2}", of(arm)));
        let [a_transaction, ..] = cells(arm.estimate(Run::executes_per_transaction), |value| format!("{value:.2}"));
        let [median, low, high] = cells(arm.estimate(Run::executes_per_s), whole);
        grid.row([
            arm.setting.name(),
            known(|arm| arm.executes_per_transaction),
            a_transaction,
            known(|arm| arm.executes_per_s),
            median,
            low,
            high,
        ]);
    }
    grid
}

fn waits(report: &Comparison) -> Grid {
    let head = [
        "buffer busy waits",
        "published",
        "seconds",
        "measured median",
        "from",
        "to",
        "seconds",
        "of 1,000 transactions",
    ];
    let mut grid = Grid::new(&head, 1);
    for (arm, published) in arms(report) {
        let known = published.and_then(|arm| arm.event("buffer busy waits"));
        let [median, low, high] = cells(arm.estimate(|run| run.buffer_busy_waits as f64), whole);
        let [seconds, ..] = cells(arm.estimate(|run| run.buffer_busy_s), |value| format!("{value:.2}"));
        let [a_thousand, ..] = cells(arm.estimate(Run::waits_per_thousand), |value| format!("{value:.2}"));
        grid.row([
            arm.setting.name(),
            known.and_then(|line| line.waits).map_or("-".to_owned(), grouped),
            known.map_or("-".to_owned(), |line| format!("{:.0}", line.time_s)),
            median,
            low,
            high,
            seconds,
            a_thousand,
        ]);
    }
    grid
}

fn classes(report: &Comparison) -> Grid {
    let mut grid = Grid::new(&["waits by block class, medians", "class", "waits", "seconds"], 2);
    for (arm, _) in arms(report) {
        let mut name = arm.setting.name();
        let classes = arm.waits_by_class();
        if classes.is_empty() {
            grid.row([std::mem::take(&mut name), "none".to_owned(), String::new(), String::new()]);
        }
        for waits in classes {
            grid.row([std::mem::take(&mut name), waits.class, whole(waits.waits), format!("{:.2}", waits.time_s)]);
        }
    }
    grid
}

fn events(report: &Comparison) -> Grid {
    let head = ["top timed events", "", "published waits", "seconds", "measured", "seconds", "% of all"];
    let mut grid = Grid::new(&head, 2);
    for (arm, published) in arms(report) {
        let measured = arm.events();
        let all: f64 = measured.iter().map(|line| line.time_s).sum();
        let mut names: Vec<&str> = measured.iter().take(TOP).map(|line| line.event.as_str()).collect();
        // What was among the published five and is not among ours follows.
        for line in published.iter().flat_map(|arm| &arm.top) {
            if !names.contains(&line.event.as_str()) {
                names.push(&line.event);
            }
        }
        let mut arm_name = arm.setting.name();
        for name in names {
            let known = published.and_then(|arm| arm.event(name));
            let found: Option<&TimedEvent> = measured.iter().find(|line| line.event == name);
            let waits = |waits: Option<f64>| waits.filter(|_| name != CPU_TIME).map_or(String::new(), whole);
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
    grid
}
