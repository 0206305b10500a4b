//! Most of DB time is CPU: no storage will make it shorter.

use crate::judge::prelude::*;

use crate::sums::counted;
use crate::sums::statements;

/// More than half of DB time.
const MOST: f64 = 0.5;

pub(super) const ABOUT: About = About {
    id: "cpu-bound",
    place: Place { report: 30, trace: 220 },
    title: "Most of DB time is CPU: no storage will make it shorter",
    looks_at: "DB CPU of the time model, else `CPU used by this session`, else the first screen; the host; statements \
        by CPU; buffer gets.",
    formula: "severity = CPU / DB time",
    limits: limits![Share(MOST)],
    thresholds: &["{MOST} of DB time (`MOST`): more is CPU than everything else together."],
    refuted_by: &[
        "A share above 1 is refused: work that counts as CPU and not as DB time (RMAN, jobs) does this. An idle \
            database is never CPU-bound, whatever the share.",
    ],
    what_to_do: "Less work: statements at the top by CPU and by buffer gets. More CPUs help only where the host has \
        none left ([host-starved](host-starved.md)).",
    experiment: experiment::INSERT_GETS,
    in_report,
    in_trace: InTrace::Judge {
        page: "CPU is {MOST} or more of the time without idle waits. The statements with the most CPU are named, with \
            their gets.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let db_time = &case.sums.db_time;
    let cpu = db_time.cpu_s.or_missing("DB CPU, or CPU used by this session")?;
    let share = case.weigh("CPU", Some(cpu))?;
    if share < MOST {
        return ruled_out(format!(
            "CPU is {} of {} DB time ({})",
            seconds(cpu),
            seconds(db_time.total_s.unwrap_or(0.0)),
            percent(share)
        ));
    }
    let title = format!("{} of DB time is CPU: {}", percent(share), seconds(cpu));
    let mut found = finding(&ABOUT, title, Confidence::High)
        .weight(share, cpu)
        .evidence(
            section::TIME_MODEL,
            format!("CPU {} of {} DB time", seconds(cpu), seconds(db_time.total_s.unwrap_or(0.0))),
        )
        .evidence_if(section::HOST, case.sums.host.known.then(|| case.sums.host.described()));
    let top = statements::by_elapsed(case.report).and_then(|statements| {
        statements
            .into_iter()
            .filter(|statement| !statement.block)
            .max_by(|one, other| one.cpu_s.unwrap_or(0.0).total_cmp(&other.cpu_s.unwrap_or(0.0)))
    });
    if let Some((top, time)) =
        top.and_then(|top| top.cpu_s.map(|time| (top, time))).filter(|(_, time)| *time > 0.05 * cpu && *time <= cpu)
    {
        found = found.evidence(section::SQL, format!("{} {}: {} of the CPU", top.verb(), top.id, percent(time / cpu)));
    }
    if let Some(gets) = counted(case.report, "session logical reads").filter(|gets| *gets > 0.0) {
        found = found.evidence(
            section::ACTIVITY,
            format!("{} buffer gets, {} of CPU a thousand", number(gets), seconds(cpu / gets * 1000.0)),
        );
    }
    if db_time.estimated {
        found = found.doubt("DB time is not in the report: CPU and waits stand for it, and time in neither would make the share smaller");
    }
    if case.sums.host.busy.is_some_and(|busy| busy < 0.5) {
        found = found.doubt("the host has CPU to spare: more of it would not help, faster ones or less work would");
    }
    found
        .advise("less work: the statements at the top by CPU and by buffer gets")
        .advise("do not expect anything of faster storage for this part")
        .found()
}

fn in_trace(view: &View<'_>) -> Verdict {
    let share = view.busy_share(view.cpu_s);
    let text = format!("{} of CPU, {} of the time without idle waits", seconds(view.cpu_s), percent(share));
    if share < MOST {
        return ruled_out(text);
    }
    if !view.matters(view.cpu_s) {
        return ruled_out(format!("{text}; that is {}: too little to matter", view.of_elapsed(view.cpu_s)));
    }
    let title =
        format!("{} is CPU, {} of the time in which the database worked", view.of_elapsed(view.cpu_s), percent(share));
    let mut found = view.finding(&ABOUT, view.cpu_s, title, Confidence::High).evidence(view.section, text);
    let mut statements: Vec<_> = view.statements.iter().enumerate().collect();
    statements.sort_by(|a, b| b.1.cpu_s.total_cmp(&a.1.cpu_s));
    for (index, statement) in statements.into_iter().take(3).filter(|(_, statement)| statement.cpu_s > 0.0) {
        let gets = view.summary.statements.get(index).map_or(0, |known| {
            let total = known.total();
            total.query.saturating_add(total.current)
        });
        let text = format!("{}: {} of CPU, {gets} block gets", view.statement(index), seconds(statement.cpu_s));
        found = found.evidence("Statements", text);
    }
    found
        .doubt(
            "CPU time is what the session used; whether it waited for a CPU beside that is in what is unaccounted for",
        )
        .advise(
            "look at the plan of the statement with the most CPU: gets a row tell whether it reads more than it needs",
        )
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().timing("DB CPU", 12_000.0).waiting("resmgr:cpu quantum", 10.0, 1_000.0)
}
