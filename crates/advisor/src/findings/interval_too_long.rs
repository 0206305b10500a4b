//! The window is so long that averages hide what happened in it.

use super::verdict::{Build, Case, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::number;

pub(super) const ID: &str = "interval-too-long";

/// Two hours: twice the interval that snapshots are taken at when nobody changes it.
const LONG_S: f64 = 7200.0;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let Some(elapsed) = case.sums.db_time.elapsed_s else {
        return Verdict::CannotTell("the times of the snapshots".to_owned());
    };
    let minutes = format!("{} minutes", number(elapsed / 60.0));
    if elapsed <= LONG_S {
        return Verdict::RuledOut(format!("the window is {minutes}"));
    }
    finding(ID, format!("The window is {minutes} long: averages over it hide peaks"), Confidence::High)
        .evidence(section::SNAPSHOTS, minutes)
        .doubt("a load that is the same all the time is described well by any window")
        .advise("take reports of 15 to 60 minutes around the time that people complain about")
        .shown_by(experiment::WRITE_ACCELERATOR)
        .found()
}
