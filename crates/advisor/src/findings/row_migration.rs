//! Rows are fetched in pieces: chained or migrated, the statistic does not tell which.

use crate::judge::prelude::*;

/// Continued rows of all rows fetched by rowid: one in ten.
const OF_FETCHES: f64 = 0.1;

pub(super) const ABOUT: About = About {
    id: "row-migration",
    place: Place { report: 220, trace: 280 },
    title: "Rows are fetched in pieces: chained or migrated",
    looks_at: "`table fetch continued row`, `table fetch by rowid`, `session logical reads`, CPU.",
    formula: "\
        of gets    = table fetch continued row / session logical reads\n\
        of fetches = table fetch continued row / table fetch by rowid\n\
        seconds    = CPU x of gets: each continued row costs one buffer get more\n\
        severity   = seconds / DB time",
    limits: limits![Share(OF_FETCHES)],
    thresholds: &[
        OF_DB_TIME,
        "{NOTABLE} of the gets and {OF_FETCHES} of the fetches by rowid (`OF_FETCHES`): our own choice.",
    ],
    refuted_by: &[
        "The statistic counts chained rows (larger than a block, or of more than 255 columns) like migrated ones, and \
            reorganising does not help those. Confidence is low: the time is not measured.",
    ],
    what_to_do: "ANALYZE … LIST CHAINED ROWS tells which table; reorganise it with a larger PCTFREE if its rows grow \
        after they are inserted.",
    experiment: experiment::BLOCK_SIZE,
    in_report,
    in_trace: InTrace::CannotTell("fetches of chained rows: a trace has no such statistic"),
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let sum = &case.sums.chained;
    let (Some(continued), Some(of_gets)) = (sum.continued, sum.share_of_gets) else {
        return cannot_tell("table fetch continued row and session logical reads (Instance Activity Stats)");
    };
    let figure = format!(
        "{} continued rows, {} of the buffer gets{}",
        number(continued),
        percent(of_gets),
        sum.share_of_fetches.map_or_else(String::new, |share| format!(", {} of the fetches by rowid", percent(share)))
    );
    case.not_idle(&figure)?;
    if of_gets < NOTABLE || sum.share_of_fetches.is_some_and(|share| share < OF_FETCHES) {
        return ruled_out(figure);
    }
    // A continued row costs a buffer get more; CPU is taken to follow the gets.
    let Some((cost, total)) = case.sums.db_time.cpu_s.map(|cpu| cpu * of_gets.min(1.0)).zip(case.sums.db_time.total_s)
    else {
        return cannot_tell("CPU and DB time");
    };
    let share = case.sums.db_time.share(cost).or_missing("figures that agree: CPU is more than DB time")?;
    if share < NOTABLE {
        return ruled_out(format!("{figure}: about {} of {} DB time", seconds(cost), seconds(total)));
    }
    let title = format!(
        "{} of the buffer gets fetch the rest of a row from another block: about {} of DB time",
        percent(of_gets),
        percent(share)
    );
    finding(&ABOUT, title, Confidence::Low)
        .weight(share, cost)
        .evidence(section::ACTIVITY, figure)
        .doubt("chained rows (larger than a block, or of more than 255 columns) count the same as migrated ones, and reorganising does not help them")
        .doubt("the time is CPU in proportion to buffer gets; where the other block is read from disk it is more")
        .advise("find the table by ANALYZE … LIST CHAINED ROWS; reorganise it and leave a larger PCTFREE if its rows grow after they are inserted")
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().counting("table fetch continued row", 6_000_000.0).counting("session logical reads", 50_000_000.0)
}
