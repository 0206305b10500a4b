//! Fetches that went on to another block: through a chained or a migrated row, the statistic does not tell which.

use report::model::Report;

use super::counted;
use super::ledger::{Ledger, input};

#[derive(Debug, Default)]
pub(crate) struct ChainedRows {
    pub(crate) continued: Option<f64>,
    /// Of all rows fetched by rowid.
    pub(crate) share_of_fetches: Option<f64>,
    /// Of all buffer gets: each continued row costs one more.
    pub(crate) share_of_gets: Option<f64>,
}

impl ChainedRows {
    pub(crate) fn of(report: &Report, ledger: &mut Ledger) -> Self {
        let section = "Instance Activity Stats";
        let continued = counted(report, "table fetch continued row");
        let fetches = counted(report, "table fetch by rowid");
        let gets = counted(report, "session logical reads");
        let share =
            |whole: Option<f64>| continued.zip(whole.filter(|whole| *whole > 0.0)).map(|(part, whole)| part / whole);
        let (share_of_fetches, share_of_gets) = (share(fetches), share(gets));
        if let (Some(value), Some(continued), Some(gets)) = (share_of_gets, continued, gets) {
            let inputs = vec![
                input("table fetch continued row", continued, "rows", section),
                input("session logical reads", gets, "blocks", section),
            ];
            ledger.enter("continued_rows_per_get", value, "table fetch continued row / session logical reads", inputs);
        }
        Self { continued, share_of_fetches, share_of_gets }
    }
}
