//! Parsing and logons, from the time model if the report has one.

use report::model::Report;

use super::foreground::{Foreground, Wait};
use super::ledger::{Ledger, input};
use super::{counted, modelled_s, possible};

#[derive(Debug, Default)]
pub(crate) struct Parsing {
    pub(crate) parse_s: Option<f64>,
    pub(crate) hard_s: Option<f64>,
    pub(crate) sharing_s: Option<f64>,
    pub(crate) failed_s: Option<f64>,
    pub(crate) parses: Option<f64>,
    pub(crate) hard_parses: Option<f64>,
    pub(crate) failures: Option<f64>,
    pub(crate) logon_s: Option<f64>,
    pub(crate) logons: Option<f64>,
    /// Foreground waits inside the shared pool.
    pub(crate) shared_pool: Vec<Wait>,
    pub(crate) shared_pool_s: Option<f64>,
}

/// Waits for structures of the shared pool.
const SHARED_POOL: &[&str] = &[
    "library cache",
    "cursor: ",
    "latch: library cache",
    "latch: shared pool",
    "latch: row cache",
    "row cache ",
    "kksfbc child completion",
];

impl Parsing {
    pub(crate) fn of(report: &Report, foreground: &Foreground, ledger: &mut Ledger) -> Self {
        let model = |name: &str| modelled_s(report, name);
        let beginning = |beginning: &str| {
            let lines = report.time_model.as_ref()?;
            Some(lines.iter().find(|line| line.name.to_ascii_lowercase().starts_with(beginning))?.seconds?.value)
                .filter(|time| possible(*time))
        };
        let hard_s = model("hard parse elapsed time");
        // Before 10g a report has no time model; the statistic is in centiseconds.
        let by_statistic = || {
            report
                .time_model
                .is_none()
                .then(|| counted(report, "parse time elapsed"))
                .flatten()
                .map(|time| time / 100.0)
        };
        let (parse_s, logon_s) =
            (model("parse time elapsed").or_else(by_statistic), beginning("connection management call"));
        let (parses, hard_parses) = (counted(report, "parse count (total)"), counted(report, "parse count (hard)"));
        ledger.figure("parse_s", parse_s);
        ledger.figure("hard_parse_s", hard_s);
        ledger.figure("logon_s", logon_s);
        if let (Some(parses), Some(hard)) = (parses.filter(|parses| *parses > 0.0), hard_parses) {
            let section = "Instance Activity Stats";
            let inputs =
                vec![input("parse count (hard)", hard, "", section), input("parse count (total)", parses, "", section)];
            ledger.enter("hard_parse_share", hard / parses, "parse count (hard) / parse count (total)", inputs);
        }
        let (shared_pool_s, shared_pool) = foreground.together(SHARED_POOL);
        Self {
            parse_s,
            hard_s,
            sharing_s: beginning("hard parse (sharing criteria)"),
            failed_s: model("failed parse elapsed time"),
            parses,
            hard_parses,
            failures: counted(report, "parse count (failures)"),
            logon_s,
            logons: counted(report, "logons cumulative"),
            shared_pool,
            shared_pool_s: foreground.measured(shared_pool_s),
        }
    }
}
