//! Exadata: bytes that the cells could have filtered, bytes that they did filter, and the saving, which can be
//! negative.

use report::model::Report;

use super::counted;
use super::foreground::Foreground;
use super::ledger::{Ledger, input};

#[derive(Debug, Default)]
pub(crate) struct Offload {
    pub(crate) eligible: Option<f64>,
    pub(crate) by_storage_index: Option<f64>,
    pub(crate) returned: Option<f64>,
    /// 1 - returned by smart scan / eligible.
    pub(crate) saved_share: Option<f64>,
    /// Foreground seconds in reads from cells.
    pub(crate) wait_s: Option<f64>,
    /// Of these, in smart scans.
    pub(crate) smart_s: Option<f64>,
    /// Blocks that cells have sent back whole, by the reason; the most first.
    pub(crate) sent_back: Vec<(&'static str, f64)>,
    /// Bytes of blocks that cells have sent back because their processors were busy.
    pub(crate) pushed_back: Option<f64>,
    /// Cells of our own reports that were asked for scans: name, requests, MB received.
    pub(crate) cells: Vec<(String, f64, f64)>,
    /// The report has statistics at all.
    pub(crate) known: bool,
}

/// Statistics of blocks that a cell could not decide, and why not. They are our own.
const SENT_BACK: [(&str, &str); 5] = [
    ("cell blocks returned for undo", "for undo"),
    ("cell blocks returned for chained rows", "for rows that go on elsewhere"),
    ("cell blocks returned of other segments", "of other segments"),
    ("cell blocks returned for memory", "for want of memory in the cell"),
    ("cell blocks not read whole", "that were not whole"),
];

impl Offload {
    pub(crate) fn of(report: &Report, foreground: &Foreground, ledger: &mut Ledger) -> Self {
        let section = "Instance Activity Stats";
        let statistic = |name: &str| {
            counted(report, name).or_else(|| {
                let lines = report.statistics.as_ref()?;
                // Text reports cut the longest names of all.
                let mut fitting =
                    lines.iter().filter(|line| line.cut && line.name.len() > 38 && name.starts_with(&line.name));
                let only = fitting.next()?;
                fitting.next().is_none().then_some(only.total)?
            })
        };
        let eligible = statistic("cell physical IO bytes eligible for predicate offload")
            .or_else(|| statistic("cell physical IO bytes eligible for smart IOs"))
            .filter(|bytes| *bytes > 0.0);
        let returned = statistic("cell physical IO interconnect bytes returned by smart scan");
        let by_storage_index = statistic("cell physical IO bytes saved by storage index");
        let saved_share = eligible.zip(returned).map(|(eligible, returned)| 1.0 - returned / eligible);
        if let (Some(value), Some(eligible), Some(returned)) = (saved_share, eligible, returned) {
            let inputs = vec![
                input("eligible for predicate offload", eligible, "bytes", section),
                input("returned by smart scan", returned, "bytes", section),
            ];
            ledger.enter("offload_saved_share", value, "1 - returned by smart scan / eligible", inputs);
        }
        let mut sent_back: Vec<_> = SENT_BACK
            .iter()
            .filter_map(|(name, why)| Some((*why, statistic(name).filter(|blocks| *blocks > 0.0)?)))
            .collect();
        sent_back.sort_by(|one, other| other.1.total_cmp(&one.1));
        let scanned = report.storage_cells.iter().flatten().filter_map(|cell| {
            let scans = cell.scans.filter(|scans| *scans > 0.0)?;
            Some((cell.cell.clone(), scans, cell.received_mb?.value))
        });
        let cells = scanned.collect();
        let wait_s = foreground.measured(foreground.together(&["cell "]).0);
        let smart_s = foreground.measured(foreground.together(&["cell smart table scan", "cell smart index scan"]).0);
        Self {
            eligible,
            by_storage_index,
            returned,
            saved_share,
            wait_s,
            smart_s,
            sent_back,
            pushed_back: statistic("cell physical IO bytes pushed back due to excessive CPU on cell")
                .filter(|bytes| *bytes > 0.0),
            cells,
            known: report.statistics.is_some() && !report.cut,
        }
    }
}
