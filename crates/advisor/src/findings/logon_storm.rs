//! Connecting and disconnecting takes a part of DB time that work should have.

use super::verdict::{Build, Case, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};

pub(super) const ID: &str = "logon-storm";

/// Fewer logons a second than this are no storm, whatever one costs.
const SELDOM: f64 = 0.1;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let parsing = &case.sums.parsing;
    let rate = parsing.logons.zip(case.sums.db_time.elapsed_s).map(|(logons, elapsed)| logons / elapsed);
    let Some(waited) = parsing.logon_s else {
        return match (parsing.logons, rate) {
            (Some(logons), Some(rate)) if rate < SELDOM => {
                Verdict::RuledOut(format!("{} logons in the window", number(logons)))
            }
            (_, Some(rate)) => Verdict::CannotTell(format!(
                "connection management call elapsed time (Time Model Statistics); {} logons a second",
                number(rate)
            )),
            _ => Verdict::CannotTell("connection management call elapsed time (Time Model Statistics)".to_owned()),
        };
    };
    let share = match case.weigh("connection management", Some(waited)) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let each = parsing.logons.filter(|logons| *logons > 0.0).map(|logons| waited / logons);
    let title = format!("Logons and logoffs take {} ({} of DB time)", seconds(waited), percent(share));
    finding(ID, title, case.unless_starved(Confidence::High))
        .weight(share, waited)
        .evidence(section::TIME_MODEL, format!("connection management call elapsed time {}", seconds(waited)))
        .evidence_if(section::ACTIVITY, parsing.logons.zip(rate).map(|(logons, rate)| format!("{} logons, {} a second", number(logons), number(rate))))
        .evidence_if(section::ACTIVITY, each.map(|each| format!("{} a logon", seconds(each))))
        .doubt_if(case.slowed_doubt())
        .doubt_if(case.unaccounted_doubt())
        .doubt_if(each.filter(|each| *each > 0.2).map(|each| format!("each logon takes {}: that they are slow is as much the trouble as that they are many", seconds(each))))
        .advise("a pool of connections that keeps them, of a fixed size: each logon costs a process, a session and a dozen recursive statements")
        .shown_by(experiment::INSERT_GETS)
        .found()
}
