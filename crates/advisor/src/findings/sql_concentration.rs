//! One statement takes a great part of DB time.

use super::verdict::{Build, Case, NOTABLE, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};
use crate::sums::statements;

pub(super) const ID: &str = "sql-concentration";

/// A quarter of DB time. Our own choice: with it gone the window looks different.
const MUCH: f64 = 0.25;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let Some(total) = case.sums.db_time.total_s else {
        return Verdict::CannotTell("DB time".to_owned());
    };
    let Some(list) = statements::by_elapsed(case.report) else {
        return Verdict::CannotTell("elapsed time by statement (SQL ordered by Elapsed Time)".to_owned());
    };
    // A block's time holds that of its statements: it is named only when none of these is large enough.
    let large = |statement: &&statements::Statement| {
        statement.elapsed_s >= MUCH * total && statement.elapsed_s <= total * 1.001
    };
    let plain = || list.iter().filter(|statement| !statement.block);
    let Some(top) = plain()
        .next()
        .filter(large)
        .or_else(|| list.iter().find(large))
        .or_else(|| plain().next())
        .or_else(|| list.first())
    else {
        return Verdict::CannotTell("a statement in SQL ordered by Elapsed Time".to_owned());
    };
    let figure = format!("{} {} takes {} of {} DB time", top.verb(), top.id, seconds(top.elapsed_s), seconds(total));
    if let Some(idle) = case.idle() {
        return Verdict::RuledOut(format!("{figure}; {idle}"));
    }
    let Some(share) = case.sums.db_time.share(top.elapsed_s) else {
        return Verdict::CannotTell(format!(
            "figures that agree: {figure}, and a share above 1 is refused (it runs in jobs or parallel servers, or began before the window)"
        ));
    };
    if share < MUCH {
        return by_cpu(case, &list).unwrap_or_else(|| Verdict::RuledOut(format!("{figure} ({})", percent(share))));
    }
    let each = top
        .executions
        .filter(|count| *count > 0.0)
        .map(|count| format!("{} executions of {}", number(count), seconds(top.elapsed_s / count)));
    let mut found =
        finding(ID, format!("One {} takes {} of DB time: {}", top.verb(), percent(share), top.id), Confidence::High)
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
        .shown_by(experiment::BLOCK_SIZE)
        .found()
}

/// Of all CPU: more than all other statements together.
const MOST_CPU: f64 = 0.5;

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
        ID,
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
    .shown_by(experiment::BLOCK_SIZE)
    .found();
    Some(verdict)
}
