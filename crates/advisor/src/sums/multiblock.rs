//! Blocks of a multiblock read, compared with the configured count.
//!
//! `physical read total multi block requests` is no base: an instance that read 84 million blocks eight at a time
//! printed 0 of them. The requests that are left when one-block reads are taken out are.

use report::model::Report;

use super::counted;
use super::foreground::Foreground;
use super::ledger::{Ledger, input};

#[derive(Debug, Default)]
pub(crate) struct Multiblock {
    pub(crate) requests: Option<f64>,
    pub(crate) blocks_per_read: Option<f64>,
    pub(crate) configured: Option<f64>,
    /// The source of the average.
    pub(crate) section: &'static str,
    /// Foreground seconds in events that multiblock reads are waited for in.
    pub(crate) wait_s: Option<f64>,
}

/// Events of multiblock reads; a direct path wait does not measure one, but it is time spent for them.
const EVENTS: &[&str] = &["db file scattered read", "direct path read", "cell multiblock physical read"];

/// Blocks of temp and LOBs beside the others.
pub(crate) const FEW: f64 = 0.02;
/// Fewer reads have no average, and fewer of all: the two counts are not taken at the same moment.
pub(crate) const ENOUGH: f64 = 1000.0;
pub(crate) const ENOUGH_SHARE: f64 = 0.01;

impl Multiblock {
    pub(crate) fn of(report: &Report, foreground: &Foreground, ledger: &mut Ledger) -> Self {
        let configured = report
            .parameter("db_file_multiblock_read_count")
            .and_then(|value| value.trim().replace([',', '.'], "").parse::<f64>().ok())
            .filter(|count| *count >= 1.0);
        let wait_s = foreground.measured(
            foreground
                .waits
                .iter()
                .filter(|wait| EVENTS.iter().any(|event| wait.is(event)) && !wait.name.ends_with(" temp"))
                .map(|wait| wait.seconds)
                .sum(),
        );
        let (requests, blocks_per_read, section) = average(report, ledger);
        Self { requests, blocks_per_read, configured, section, wait_s }
    }
}

fn average(report: &Report, ledger: &mut Ledger) -> (Option<f64>, Option<f64>, &'static str) {
    let section = "Instance Activity Stats";
    let everywhere = |name: &str| {
        let count =
            |event: Option<&report::model::Event>| event.and_then(|event| event.waits).map_or(0.0, |waits| waits.value);
        match &report.all_events {
            Some(events) => count(events.iter().find(|event| event.name == name)),
            None => count(report.foreground_event(name)) + count(report.background_event(name)),
        }
    };
    let known = report.foreground_events.is_some() || report.all_events.is_some();
    let single = everywhere("db file sequential read") + everywhere("cell single block physical read");
    // 11g on: requests are counted.
    if let (Some(blocks), Some(requests), true) =
        (counted(report, "physical reads"), counted(report, "physical read IO requests"), known)
    {
        let (blocks, left) = (blocks - single, requests - single);
        // Reads of temp and of LOBs are no multiblock reads, and their requests are not counted: with more than a few
        // of them there is no average.
        let others: f64 = ["physical reads direct temporary tablespace", "physical reads direct (lob)"]
            .iter()
            .filter_map(|name| counted(report, name))
            .sum();
        let enough = left >= ENOUGH && left >= ENOUGH_SHARE * requests && blocks > 0.0;
        if enough && others > FEW * blocks {
            // Only reads into the cache remain, below.
        } else if enough {
            let inputs = vec![
                input("physical reads", blocks + single, "blocks", section),
                input("physical read IO requests", requests, "", section),
                input("one-block reads, waits", single, "", "Wait Events"),
            ];
            ledger.enter(
                "blocks_per_multiblock_read",
                blocks / left,
                "(physical reads - one-block reads) / (requests - one-block reads)",
                inputs,
            );
            return (Some(left), Some(blocks / left), section);
        } else {
            return (Some(left.max(0.0)), None, section);
        }
    }
    // Before: blocks that came into the cache beyond one-block reads, over scattered reads.
    let scattered = everywhere("db file scattered read");
    let cache = counted(report, "physical reads cache")
        .or_else(|| Some(counted(report, "physical reads")? - counted(report, "physical reads direct")?));
    if let (Some(cache), true) = (cache, known && scattered >= ENOUGH) {
        let blocks = cache - single;
        if blocks >= scattered {
            let inputs = vec![
                input("physical reads cache", cache, "blocks", section),
                input("db file sequential read, waits", single, "", "Wait Events"),
                input("db file scattered read, waits", scattered, "", "Wait Events"),
            ];
            ledger.enter(
                "blocks_per_multiblock_read",
                blocks / scattered,
                "(physical reads cache - one-block reads) / scattered reads",
                inputs,
            );
            return (Some(scattered), Some(blocks / scattered), section);
        }
    }
    ((known && scattered < ENOUGH).then_some(scattered), None, section)
}
