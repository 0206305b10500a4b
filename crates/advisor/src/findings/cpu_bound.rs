//! Most of DB time is CPU: no storage will make it shorter.

use super::verdict::{Build, Case, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};
use crate::sums::counted;
use crate::sums::statements;

pub(super) const ID: &str = "cpu-bound";

/// More than half of DB time.
const MOST: f64 = 0.5;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let db_time = &case.sums.db_time;
    let Some(cpu) = db_time.cpu_s else {
        return Verdict::CannotTell("DB CPU, or CPU used by this session".to_owned());
    };
    let share = match case.weigh("CPU", Some(cpu)) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    if share < MOST {
        return Verdict::RuledOut(format!(
            "CPU is {} of {} DB time ({})",
            seconds(cpu),
            seconds(db_time.total_s.unwrap_or(0.0)),
            percent(share)
        ));
    }
    let title = format!("{} of DB time is CPU: {}", percent(share), seconds(cpu));
    let mut found = finding(ID, title, Confidence::High)
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
        .shown_by(experiment::INSERT_GETS)
        .found()
}
