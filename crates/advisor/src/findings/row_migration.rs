//! Rows are fetched in pieces: chained or migrated, the statistic does not tell which.

use super::verdict::{Build, Case, NOTABLE, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};

pub(super) const ID: &str = "row-migration";

/// Continued rows of all rows fetched by rowid: one in ten.
const OF_FETCHES: f64 = 0.1;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let sum = &case.sums.chained;
    let (Some(continued), Some(of_gets)) = (sum.continued, sum.share_of_gets) else {
        return Verdict::CannotTell(
            "table fetch continued row and session logical reads (Instance Activity Stats)".to_owned(),
        );
    };
    let figure = format!(
        "{} continued rows, {} of the buffer gets{}",
        number(continued),
        percent(of_gets),
        sum.share_of_fetches.map_or_else(String::new, |share| format!(", {} of the fetches by rowid", percent(share)))
    );
    if let Some(idle) = case.idle() {
        return Verdict::RuledOut(format!("{figure}; {idle}"));
    }
    if of_gets < NOTABLE || sum.share_of_fetches.is_some_and(|share| share < OF_FETCHES) {
        return Verdict::RuledOut(figure);
    }
    // A continued row costs a buffer get more; CPU is taken to follow the gets.
    let Some((cost, total)) = case.sums.db_time.cpu_s.map(|cpu| cpu * of_gets.min(1.0)).zip(case.sums.db_time.total_s)
    else {
        return Verdict::CannotTell("CPU and DB time".to_owned());
    };
    let Some(share) = case.sums.db_time.share(cost) else {
        return Verdict::CannotTell("figures that agree: CPU is more than DB time".to_owned());
    };
    if share < NOTABLE {
        return Verdict::RuledOut(format!("{figure}: about {} of {} DB time", seconds(cost), seconds(total)));
    }
    let title = format!(
        "{} of the buffer gets fetch the rest of a row from another block: about {} of DB time",
        percent(of_gets),
        percent(share)
    );
    finding(ID, title, Confidence::Low)
        .weight(share, cost)
        .evidence(section::ACTIVITY, figure)
        .doubt("chained rows (larger than a block, or of more than 255 columns) count the same as migrated ones, and reorganising does not help them")
        .doubt("the time is CPU in proportion to buffer gets; where the other block is read from disk it is more")
        .advise("find the table by ANALYZE … LIST CHAINED ROWS; reorganise it and leave a larger PCTFREE if its rows grow after they are inserted")
        .shown_by(experiment::BLOCK_SIZE)
        .found()
}
