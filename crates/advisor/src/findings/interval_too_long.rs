//! The window is so long that averages hide its events.

use crate::judge::prelude::*;

/// Two hours: twice the default interval of snapshots.
const LONG_S: f64 = 7200.0;

pub(super) const ABOUT: About = About {
    id: "interval-too-long",
    place: Place { report: 300, trace: 300 },
    title: "The window is so long that averages hide what happened in it",
    looks_at: "The times of both snapshots.",
    formula: "elapsed = end - begin; no severity",
    limits: limits![Seconds(LONG_S)],
    thresholds: &["{LONG_S} (`LONG_S`): twice the interval that snapshots are taken at when nobody changes it."],
    refuted_by: &["A load that is the same all the time is described well by any window."],
    what_to_do: "Reports of 15 to 60 minutes around the time that people complain about.",
    experiment: experiment::WRITE_ACCELERATOR,
    in_report,
    in_trace: InTrace::RuledOut("a trace has each wait by itself: nothing is an average over an interval"),
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let elapsed = case.sums.db_time.elapsed_s.or_missing("the times of the snapshots")?;
    let minutes = format!("{} minutes", number(elapsed / 60.0));
    if elapsed <= LONG_S {
        return ruled_out(format!("the window is {minutes}"));
    }
    finding(&ABOUT, format!("The window is {minutes} long: averages over it hide peaks"), Confidence::High)
        .evidence(section::SNAPSHOTS, minutes)
        .doubt("a load that is the same all the time is described well by any window")
        .advise("take reports of 15 to 60 minutes around the time that people complain about")
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().with(|report| {
        report.window.elapsed_s = Some(10_000.0);
    })
}
