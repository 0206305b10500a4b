//! One statement takes a great part of DB time.

use crate::judge::prelude::*;

use crate::sums::statements;

/// Of all CPU: more than all other statements together.
const MOST_CPU: f64 = 0.5;
/// Of the time in which a trace's session worked, less the time of other findings.
const OF_TRACE: f64 = 0.5;

/// A quarter of DB time. Our own choice: with it gone the window looks different.
const MUCH: f64 = 0.25;

pub(super) const ABOUT: About = About {
    id: "sql-concentration",
    place: Place { report: 290, trace: 250 },
    title: "One statement takes a great part of DB time",
    looks_at: "Statements by elapsed time and their CPU; PL/SQL blocks are passed over, since their time holds that of \
        the statements they call.",
    formula: "\
        severity = elapsed time of the statement / DB time\n\
        \n\
        Where none is large enough, the statement with most CPU is looked at.",
    limits: limits![Share(MUCH), Share(MOST_CPU), Share(OF_TRACE)],
    thresholds: &[
        "{MUCH} of DB time (`MUCH`): our own choice; without it the window looks different.",
        "Or {MOST_CPU} of all CPU (`MOST_CPU`: more than all others together), where that is {NOTABLE} of DB time.",
    ],
    refuted_by: &[
        "A share above 1 is refused: the statement runs in jobs or parallel servers, or began before the window. That \
            it takes much does not say that it could take less.",
    ],
    what_to_do: "Its plan, how often it runs, what it reads for what it returns.",
    experiment: experiment::BLOCK_SIZE,
    in_report,
    in_trace: InTrace::Judge {
        page: "CPU, reads and unaccounted time of a statement are {OF_TRACE} of the time without idle waits, and it is \
            not the only one. What it waits for in the way of others is told by other findings.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let total = case.sums.db_time.total_s.or_missing("DB time")?;
    let list =
        statements::by_elapsed(case.report).or_missing("elapsed time by statement (SQL ordered by Elapsed Time)")?;
    // A block's time holds that of its statements: it is named only when none of these is large enough.
    let large = |statement: &&statements::Statement| {
        statement.elapsed_s >= MUCH * total && statement.elapsed_s <= total * 1.001
    };
    let plain = || list.iter().filter(|statement| !statement.block);
    let top = plain()
        .next()
        .filter(large)
        .or_else(|| list.iter().find(large))
        .or_else(|| plain().next())
        .or_else(|| list.first())
        .or_missing("a statement in SQL ordered by Elapsed Time")?;
    let figure = format!("{} {} takes {} of {} DB time", top.verb(), top.id, seconds(top.elapsed_s), seconds(total));
    case.not_idle(&figure)?;
    let Some(share) = case.sums.db_time.share(top.elapsed_s) else {
        return cannot_tell(format!(
            "figures that agree: {figure}, and a share above 1 is refused (it runs in jobs or parallel servers, or began before the window)"
        ));
    };
    if share < MUCH {
        return by_cpu(case, &list).unwrap_or_else(|| ruled_out(format!("{figure} ({})", percent(share))));
    }
    let each = top
        .executions
        .filter(|count| *count > 0.0)
        .map(|count| format!("{} executions of {}", number(count), seconds(top.elapsed_s / count)));
    let mut found = finding(
        &ABOUT,
        format!("One {} takes {} of DB time: {}", top.verb(), percent(share), top.id),
        Confidence::High,
    )
    .weight(share, top.elapsed_s)
    .evidence(section::SQL, figure)
    .evidence_if(section::SQL, each)
    .evidence_if(
        section::SQL,
        top.cpu_s
            .filter(|cpu| *cpu <= top.elapsed_s && top.elapsed_s > 0.0)
            .map(|cpu| format!("{} of it is CPU", percent(cpu / top.elapsed_s))),
    );
    if top.block {
        found = found.doubt("it is a PL/SQL block: the time is that of the statements it calls too");
    }
    found
        .doubt_if(case.unaccounted_doubt())
        .doubt("that it takes much does not say that it could take less: look at its plan, its gets and its rows first")
        .advise("start with this statement: its plan, how often it is run, what it reads for what it returns")
        .found()
}

/// The statement that has most of the CPU, where that is a notable part of DB time.
fn by_cpu(case: &Case<'_>, list: &[statements::Statement]) -> Option<Verdict> {
    let db_time = &case.sums.db_time;
    let all = db_time.cpu_s?;
    let (top, cpu) = list
        .iter()
        .filter(|statement| !statement.block)
        .filter_map(|statement| Some((statement, statement.cpu_s?)))
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    // More than its own time, or than all CPU, is of parallel servers or jobs, and is refused.
    let possible = cpu <= all && cpu <= top.elapsed_s * 1.001;
    db_time.share(cpu).filter(|share| possible && cpu >= MOST_CPU * all && *share >= NOTABLE)?;
    let share = db_time.share(top.elapsed_s)?;
    let each = top
        .executions
        .filter(|count| *count > 0.0)
        .map(|count| format!("{} executions of {}", number(count), seconds(top.elapsed_s / count)));
    let verdict = finding(
        &ABOUT,
        format!("One {} takes {} of the CPU: {}", top.verb(), percent(cpu / all), top.id),
        Confidence::High,
    )
    .weight(share, top.elapsed_s)
    .evidence(section::SQL, format!("{} {}: {} of {} CPU", top.verb(), top.id, seconds(cpu), seconds(all)))
    .evidence(section::SQL, format!("{} of DB time in all ({})", seconds(top.elapsed_s), percent(share)))
    .evidence_if(section::SQL, each)
    .doubt_if(case.unaccounted_doubt())
    .doubt("that it takes much does not say that it could take less: look at its plan, its gets and its rows first")
    .advise("start with this statement where CPU is short: its plan, how often it is run, what it reads for what it returns")
    .found();
    Some(verdict)
}

/// A statement that takes most of the time by itself: CPU, reads and unaccounted time.
fn in_trace(view: &View<'_>) -> Verdict {
    let own = |index: usize| {
        let statement = &view.statements[index];
        statement.elapsed_s - statement.waited_s(&|event| !report::profile::event_class(event).ends_with("I/O"))
    };
    let worst = (0..view.statements.len()).max_by(|a, b| own(*a).total_cmp(&own(*b)));
    let Some((index, time)) = worst.map(|index| (index, own(index))) else {
        return ruled_out("no statement");
    };
    let text = format!(
        "{}: {} on CPU, reading or unaccounted for, {} of the time without idle waits",
        view.statement(index),
        seconds(time),
        percent(view.busy_share(time))
    );
    if view.statements.len() < 2 || view.busy_share(time) < OF_TRACE || !view.matters(time) {
        return ruled_out(text);
    }
    let known = &view.summary.statements[index];
    let total = known.total();
    let title = format!("{} went to one statement, {}", view.of_elapsed(time), view.statement(index));
    let counts = format!(
        "{} executions, {} rows, {} consistent gets, {} current gets, {} blocks read",
        known.execute.count, total.rows, total.query, total.current, total.disk
    );
    view.finding(&ABOUT, time, title, Confidence::High)
        .evidence("Statements", text)
        .evidence("Statements", counts)
        .advise("begin with this statement: its plan, and whether it must run so often")
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain, sql};

    plain().with(|report| {
        report.sql.iter_mut().flatten().for_each(|section| section.statements.push(sql("ccc", "select 2", 9_000.0)));
    })
}
