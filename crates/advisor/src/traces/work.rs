//! What is no wait for one event: CPU, parsing, one statement, errors, and what is unaccounted for.

use crate::analysis::Confidence;

use super::view::View;
use super::{Verdict, evidence, finding, percent, seconds};

/// Share of the working time that CPU must have before it is what decides.
const CPU_BOUND: f64 = 0.5;

/// Share of the working time that parsing must have.
const PARSING: f64 = 0.1;

/// Share of the working time above which what is neither CPU nor a wait is a finding.
const UNACCOUNTED: f64 = 0.1;

/// Share of the working time that one statement must have, what other findings tell taken off.
const ONE_STATEMENT: f64 = 0.5;

/// The ORA number of "snapshot too old".
const SNAPSHOT_TOO_OLD: u32 = 1555;

pub(super) fn judge(view: &View<'_>, out: &mut Vec<Verdict>) {
    out.push(cpu(view));
    out.push(parsing(view));
    out.push(unaccounted(view));
    out.push(one_statement(view));
    out.push(too_old(view));
    let host = "run queue, swap and CPUs: a trace has nothing of the host";
    out.push(Verdict::CannotTell("host-starved", host.into()));
    out.push(Verdict::CannotTell("row-migration", "fetches of chained rows: a trace has no such statistic".into()));
    out.push(Verdict::CannotTell("logon-storm", "logons of the instance: a trace is of one session".into()));
    let reason = "a trace has each wait by itself: nothing is an average over an interval";
    out.push(Verdict::RuledOut("interval-too-long", reason.into()));
}

fn cpu(view: &View<'_>) -> Verdict {
    const ID: &str = "cpu-bound";
    let share = view.busy_share(view.cpu_s);
    let text = format!("{} of CPU, {} of the time without idle waits", seconds(view.cpu_s), percent(share));
    if share < CPU_BOUND {
        return Verdict::RuledOut(ID, text);
    }
    if !view.matters(view.cpu_s) {
        let reason = format!("{text}; that is {}: too little to matter", view.of_elapsed(view.cpu_s));
        return Verdict::RuledOut(ID, reason);
    }
    let title =
        format!("{} is CPU, {} of the time in which the database worked", view.of_elapsed(view.cpu_s), percent(share));
    let mut found = finding(view, ID, view.cpu_s, title, Confidence::High);
    found.evidence.push(evidence(view.section, text));
    let mut statements: Vec<_> = view.statements.iter().enumerate().collect();
    statements.sort_by(|a, b| b.1.cpu_s.total_cmp(&a.1.cpu_s));
    for (index, statement) in statements.into_iter().take(3).filter(|(_, statement)| statement.cpu_s > 0.0) {
        let gets = view.summary.statements.get(index).map_or(0, |known| {
            let total = known.total();
            total.query.saturating_add(total.current)
        });
        let text = format!("{}: {} of CPU, {gets} block gets", view.statement(index), seconds(statement.cpu_s));
        found.evidence.push(evidence("Statements", text));
    }
    found.doubts.push(
        "CPU time is what the session used; whether it waited for a CPU beside that is in what is unaccounted for"
            .into(),
    );
    found.advice.push(
        "look at the plan of the statement with the most CPU: gets a row tell whether it reads more than it needs"
            .into(),
    );
    Verdict::Found(Box::new(found))
}

fn parsing(view: &View<'_>) -> Verdict {
    const ID: &str = "hard-parsing";
    let statements = &view.summary.statements;
    let misses: i64 = statements.iter().map(|s| s.parse.misses.saturating_add(s.execute.misses)).sum();
    let parse_s = statements.iter().map(|s| s.parse.elapsed as f64 / 1e6).sum::<f64>();
    // Recursive statements of SYS look up what a parse needs. Space management has some too, so this is at most.
    let dictionary_s: f64 = statements
        .iter()
        .filter(|s| s.user == Some(0) && s.depth > 0)
        .map(|s| (s.execute.elapsed.saturating_add(s.fetch.elapsed)) as f64 / 1e6)
        .sum();
    let unit = view.profile.map_or(1.0, |profile| if profile.unit_ns == 1024 { 1.024 } else { 1.0 });
    let (parse_s, dictionary_s) = (parse_s * unit, dictionary_s * unit);
    let total = parse_s + dictionary_s;
    let parses: u64 = statements.iter().map(|s| s.parse.count).sum();
    let text = format!(
        "{misses} misses in {parses} parses: {} parsing, {} in the dictionary",
        seconds(parse_s),
        seconds(dictionary_s)
    );
    // A statement must be parsed once: parsing it is a problem where there are many.
    if misses < 100 || view.busy_share(total) < PARSING || !view.matters(total) {
        return Verdict::RuledOut(ID, text);
    }
    let title = format!("{} went into parsing: {misses} misses in the library cache", view.of_elapsed(total));
    let mut found = finding(view, ID, total, title, Confidence::Medium);
    found.evidence.push(evidence(view.section, text));
    let once = statements.iter().filter(|s| s.user != Some(0) && s.execute.count == 1).count();
    let users = statements.iter().filter(|s| s.user != Some(0)).count();
    found
        .evidence
        .push(evidence("Statements", format!("{once} of {users} different statements of users were executed once")));
    found
        .doubts
        .push("statements of SYS are counted as work for a parse; those that manage space are among them".into());
    found.advice.push("bind variables instead of literals; cursors that stay open".into());
    Verdict::Found(Box::new(found))
}

fn unaccounted(view: &View<'_>) -> Verdict {
    const ID: &str = "unaccounted-time";
    if !view.has_waits() {
        return Verdict::CannotTell(ID, "waits: without them all time that is not CPU is unaccounted for".into());
    }
    let text = format!(
        "within calls {}, {} of the time without idle waits",
        seconds(view.unaccounted_s),
        percent(view.busy_share(view.unaccounted_s.max(0.0)))
    );
    if view.busy_share(view.unaccounted_s.max(0.0)) >= UNACCOUNTED && view.matters(view.unaccounted_s) {
        let title = format!("{} within calls is neither CPU nor a wait", view.of_elapsed(view.unaccounted_s));
        let mut found = finding(view, ID, view.unaccounted_s, title, Confidence::High);
        found.evidence.push(evidence(view.section, text));
        let mut statements: Vec<_> = view
            .statements
            .iter()
            .enumerate()
            .map(|(index, s)| (index, s.elapsed_s - s.cpu_s - s.waited_s(&|_| true)))
            .collect();
        statements.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (index, left) in statements.into_iter().take(3).filter(|(_, left)| *left > 0.0) {
            found.evidence.push(evidence("Statements", format!("{}: {}", view.statement(index), seconds(left))));
        }
        found.doubts.push(
            "waiting for a CPU, paging, and code that counts no wait look the same here; the cause is not proved"
                .into(),
        );
        found.advice.push("look at run queue and swap of the host over the same time".into());
        return Verdict::Found(Box::new(found));
    }
    if let Some(between) = view.between_s.filter(|between| view.busy_share(between.max(0.0)) >= UNACCOUNTED) {
        let missing = format!(
            "{} lie between calls, where the trace shows neither a call nor a wait: as where the caller is PL/SQL that is not in the trace",
            view.of_elapsed(between)
        );
        return Verdict::CannotTell(ID, missing);
    }
    Verdict::RuledOut(ID, text)
}

/// A statement that takes most of the time by itself: CPU, reads and what is unaccounted for. What it waits for in others' way is told by other ids.
fn one_statement(view: &View<'_>) -> Verdict {
    const ID: &str = "sql-concentration";
    let own = |index: usize| {
        let statement = &view.statements[index];
        statement.elapsed_s - statement.waited_s(&|event| !report::profile::event_class(event).ends_with("I/O"))
    };
    let worst = (0..view.statements.len()).max_by(|a, b| own(*a).total_cmp(&own(*b)));
    let Some((index, time)) = worst.map(|index| (index, own(index))) else {
        return Verdict::RuledOut(ID, "no statement".into());
    };
    let text = format!(
        "{}: {} on CPU, reading or unaccounted for, {} of the time without idle waits",
        view.statement(index),
        seconds(time),
        percent(view.busy_share(time))
    );
    if view.statements.len() < 2 || view.busy_share(time) < ONE_STATEMENT || !view.matters(time) {
        return Verdict::RuledOut(ID, text);
    }
    let known = &view.summary.statements[index];
    let total = known.total();
    let title = format!("{} went to one statement, {}", view.of_elapsed(time), view.statement(index));
    let mut found = finding(view, ID, time, title, Confidence::High);
    found.evidence.push(evidence("Statements", text));
    found.evidence.push(evidence(
        "Statements",
        format!(
            "{} executions, {} rows, {} consistent gets, {} current gets, {} blocks read",
            known.execute.count, total.rows, total.query, total.current, total.disk
        ),
    ));
    found.advice.push("begin with this statement: its plan, and whether it must run so often".into());
    Verdict::Found(Box::new(found))
}

fn too_old(view: &View<'_>) -> Verdict {
    const ID: &str = "undo-too-old";
    let failed: Vec<_> = view
        .summary
        .statements
        .iter()
        .enumerate()
        .filter_map(|(index, s)| Some((index, s.errors.iter().find(|error| error.error == SNAPSHOT_TOO_OLD)?.count)))
        .collect();
    let count: u64 = failed.iter().map(|(_, count)| count).sum();
    if count == 0 {
        return Verdict::RuledOut(ID, "no ORA-01555".into());
    }
    let lost: f64 = failed.iter().filter_map(|(index, _)| view.statements.get(*index)).map(|s| s.elapsed_s).sum();
    let mut found = finding(view, ID, lost, format!("ORA-01555 was raised {count} times"), Confidence::High);
    // An error is no waiting.
    (found.severity, found.seconds) = (None, None);
    for (index, count) in failed.into_iter().take(3) {
        let time = view.statements.get(index).map_or(0.0, |s| s.elapsed_s);
        found.evidence.push(evidence(
            "Statements",
            format!("{}: {count} times, {} in all its calls", view.statement(index), seconds(time)),
        ));
    }
    found.doubts.push("the seconds are those of all calls of these statements, also of those that did not fail".into());
    found.advice.push("a longer undo retention with the space that it needs, or a shorter query; no commits within a loop over the query's own rows".into());
    Verdict::Found(Box::new(found))
}
