//! Connecting and disconnecting takes a part of DB time that work should have.

use crate::judge::prelude::*;

/// A logon of so long is slow.
const SLOW_S: f64 = 0.2;

/// Fewer logons a second than this are no storm, whatever one costs.
const SELDOM: f64 = 0.1;

pub(super) const ABOUT: About = About {
    id: "logon-storm",
    place: Place { report: 280, trace: 290 },
    title: "Connecting and disconnecting takes a part of DB time",
    looks_at: "`connection management call elapsed time`, `logons cumulative`.",
    formula: "severity = connection management call elapsed time / DB time",
    limits: limits![Count(SELDOM), Seconds(SLOW_S)],
    thresholds: &[
        OF_DB_TIME,
        "Fewer than {SELDOM} logons a second (`SELDOM`) rule it out where the line is not printed.",
    ],
    refuted_by: &[
        "Logons of more than {SLOW_S} each (`SLOW_S`) are slow rather than many; on a starved host that is the host.",
    ],
    what_to_do: "A pool of connections of a fixed size.",
    experiment: experiment::INSERT_GETS,
    in_report,
    in_trace: InTrace::CannotTell("logons of the instance: a trace is of one session"),
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let parsing = &case.sums.parsing;
    let rate = parsing.logons.zip(case.sums.db_time.elapsed_s).map(|(logons, elapsed)| logons / elapsed);
    let Some(waited) = parsing.logon_s else {
        return match (parsing.logons, rate) {
            (Some(logons), Some(rate)) if rate < SELDOM => {
                ruled_out(format!("{} logons in the window", number(logons)))
            }
            (_, Some(rate)) => cannot_tell(format!(
                "connection management call elapsed time (Time Model Statistics); {} logons a second",
                number(rate)
            )),
            _ => cannot_tell("connection management call elapsed time (Time Model Statistics)"),
        };
    };
    let share = case.weigh("connection management", Some(waited))?;
    let each = parsing.logons.filter(|logons| *logons > 0.0).map(|logons| waited / logons);
    let title = format!("Logons and logoffs take {} ({} of DB time)", seconds(waited), percent(share));
    finding(&ABOUT, title, case.unless_starved(Confidence::High))
        .weight(share, waited)
        .evidence(section::TIME_MODEL, format!("connection management call elapsed time {}", seconds(waited)))
        .evidence_if(section::ACTIVITY, parsing.logons.zip(rate).map(|(logons, rate)| format!("{} logons, {} a second", number(logons), number(rate))))
        .evidence_if(section::ACTIVITY, each.map(|each| format!("{} a logon", seconds(each))))
        .doubt_if(case.slowed_doubt())
        .doubt_if(case.unaccounted_doubt())
        .doubt_if(each.filter(|each| *each > SLOW_S).map(|each| format!("each logon takes {}: that they are slow is as much the trouble as that they are many", seconds(each))))
        .advise("a pool of connections that keeps them, of a fixed size: each logon costs a process, a session and a dozen recursive statements")
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().timing("connection management call elapsed time", 900.0).counting("logons cumulative", 50_000.0)
}
