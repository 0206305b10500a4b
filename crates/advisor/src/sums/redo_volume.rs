//! Redo of a transaction, and the share of padding.
//!
//! Wastage is the empty end of each write's last block. It is the price of small commits: it says nothing about the
//! size of the logs.

use report::model::Report;

use super::counted;
use super::ledger::{Ledger, input};

#[derive(Debug, Default)]
pub(crate) struct RedoVolume {
    pub(crate) bytes: Option<f64>,
    pub(crate) transactions: Option<f64>,
    /// Wastage over redo and wastage together.
    pub(crate) wastage_share: Option<f64>,
    /// `log switches (derived)`.
    pub(crate) switches: Option<f64>,
}

impl RedoVolume {
    pub(crate) fn of(report: &Report, ledger: &mut Ledger) -> Self {
        let section = "Instance Activity Stats";
        let bytes = counted(report, "redo size").filter(|size| *size >= 0.0);
        let transactions = transactions(report);
        if let (Some(bytes), Some(transactions)) = (bytes, transactions) {
            let inputs = vec![
                input("redo size", bytes, "bytes", section),
                input("commits and rollbacks", transactions, "", section),
            ];
            ledger.enter(
                "redo_bytes_per_transaction",
                bytes / transactions,
                "redo size / (user commits + user rollbacks)",
                inputs,
            );
        }
        let wastage = counted(report, "redo wastage");
        let wastage_share = match (bytes, wastage) {
            (Some(bytes), Some(wastage)) if bytes + wastage > 0.0 => Some(wastage / (bytes + wastage)),
            _ => None,
        };
        if let (Some(share), Some(bytes), Some(wastage)) = (wastage_share, bytes, wastage) {
            let inputs =
                vec![input("redo wastage", wastage, "bytes", section), input("redo size", bytes, "bytes", section)];
            ledger.enter("redo_wastage_share", share, "redo wastage / (redo size + redo wastage)", inputs);
        }
        if let (Some(writes), Some(wastage)) = (counted(report, "redo writes").filter(|writes| *writes > 0.0), wastage)
        {
            let inputs =
                vec![input("redo wastage", wastage, "bytes", section), input("redo writes", writes, "", section)];
            ledger.enter("redo_wastage_bytes_per_write", wastage / writes, "redo wastage / redo writes", inputs);
        }
        let switches = report
            .thread_activity
            .as_ref()
            .and_then(|lines| lines.iter().find(|line| line.name.starts_with("log switches")))
            .or_else(|| {
                report
                    .statistics
                    .as_ref()
                    .and_then(|lines| lines.iter().find(|line| line.name.starts_with("log switches (derived")))
            })
            .and_then(|line| line.total);
        if let (Some(switches), Some(elapsed)) = (switches, report.window.elapsed_s.filter(|elapsed| *elapsed > 0.0)) {
            let inputs = vec![
                input("log switches (derived)", switches, "", "Thread Activity"),
                input("elapsed", elapsed, "s", "Snapshots"),
            ];
            ledger.enter("log_switches_per_hour", switches * 3600.0 / elapsed, "log switches x 3600 / elapsed", inputs);
        }
        Self { bytes, transactions, wastage_share, switches }
    }
}

/// Commits and rollbacks; None when there were none, and when a report is cut between the two. An excerpt that shows
/// the commits alone is taken at its word.
pub(crate) fn transactions(report: &Report) -> Option<f64> {
    let commits = counted(report, "user commits")?;
    let all = match counted(report, "user rollbacks") {
        Some(rollbacks) => commits + rollbacks,
        None if report.cut => return None,
        None => commits,
    };
    Some(all).filter(|transactions| *transactions > 0.0)
}
