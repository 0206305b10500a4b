//! Exadata: smart scans return most of the data they read, or much of the data read could not be offloaded.

use crate::judge::prelude::*;

/// Less than half of the eligible bytes are saved. Our own choice: a scan that returns half of its reads is
/// limited by the data that it returns.
const SAVED: f64 = 0.5;

pub(super) const ABOUT: About = About {
    id: "poor-offload",
    place: Place { report: 120, trace: 100 },
    title: "Exadata: smart scans return most of what they read",
    looks_at: "`cell physical IO bytes eligible for predicate offload`, `… interconnect bytes returned by smart scan`, \
        `… saved by storage index`; waits for smart scans. In our own reports also the blocks that cells have sent \
        back, and why, and the messages of each cell.",
    formula: "\
        saved    = 1 - returned by smart scan / eligible; it can be negative\n\
        severity = seconds of cell smart table scan and index scan / DB time",
    limits: limits![Share(SAVED)],
    thresholds: &[
        OF_DB_TIME,
        "{SAVED} of what was eligible (`SAVED`): our own choice; a scan that returns more is bound by what it returns.",
    ],
    refuted_by: &[
        "Interconnect bytes are no measure: they hold writes (mirrored) and temp in both directions. Compressed \
            segments are returned uncompressed: a negative saving is then no fault. Without eligible bytes the \
            database is not on Exadata storage, or scans nothing.",
    ],
    what_to_do: "Fewer columns, predicates that a cell can evaluate, no chained rows or open transactions in what is \
        scanned.",
    experiment: experiment::AU_SIZE,
    in_report,
    in_trace: InTrace::Waits(WAITS),
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let sum = &case.sums.offload;
    if !sum.known {
        return cannot_tell("the cell statistics (Instance Activity Stats)");
    }
    let Some(eligible) = sum.eligible else {
        let cells = sum.wait_s.or_missing("the waits of foreground processes (Foreground Wait Events)")?;
        return ruled_out(if cells > 0.0 {
            format!("nothing was eligible for offload, and reads from cells took {}", seconds(cells))
        } else {
            "no reads from cells: not on Exadata storage".to_owned()
        });
    };
    let saved = sum
        .saved_share
        .or_missing("cell physical IO interconnect bytes returned by smart scan (Instance Activity Stats)")?;
    let what = format!("{} eligible, {} saved", bytes(eligible), percent(saved));
    let share = match case.weigh("smart scans", sum.smart_s) {
        Ok(share) => share,
        Err(NotFound::RuledOut(reason)) => return ruled_out(format!("{reason}; {what}")),
        Err(other) => return Err(other),
    };
    if saved >= SAVED {
        return ruled_out(what);
    }
    let total = sum.smart_s.unwrap_or(0.0);
    let title = format!(
        "Smart scans save {} of the {} that they read; they take {} ({} of DB time)",
        percent(saved),
        bytes(eligible),
        seconds(total),
        percent(share)
    );
    finding(&ABOUT, title, Confidence::Medium)
        .weight(share, total)
        .evidence(section::ACTIVITY, what)
        .evidence_if(section::ACTIVITY, sum.returned.map(|returned| format!("{} returned by smart scan", bytes(returned))))
        .evidence_if(section::ACTIVITY, sum.by_storage_index.map(|saved| format!("{} saved by storage indexes", bytes(saved))))
        .evidence_if(section::ACTIVITY, sent_back(&sum.sent_back))
        .evidence_if(
            section::ACTIVITY,
            sum.pushed_back.map(|pushed| format!("{} sent back because a cell's processors were busy", bytes(pushed))),
        )
        .evidence_if(section::CELLS, by_cell(&sum.cells))
        .doubt("compressed segments are returned uncompressed: the saving can be negative without a fault")
        .doubt("cells that are busy hand whole blocks back, and so does consistent reading of blocks with open transactions")
        .advise("select fewer columns and filter by what a cell can evaluate: no PL/SQL functions around the columns of predicates")
        .advise("look for chained rows, open transactions and DOP that send whole blocks back")
        .found()
}

/// Blocks that came back whole, and why; None where there were none.
fn sent_back(blocks: &[(&str, f64)]) -> Option<String> {
    let reasons: Vec<String> = blocks.iter().map(|(why, blocks)| format!("{} {why}", number(*blocks))).collect();
    (!reasons.is_empty()).then(|| format!("blocks that cells have sent back whole: {}", reasons.join(", ")))
}

/// What each cell has answered; None where the report does not say.
fn by_cell(cells: &[(String, f64, f64)]) -> Option<String> {
    let one = |(cell, scans, mb): &(String, f64, f64)| {
        format!("{cell}: {} requests for scans, {} received", number(*scans), bytes(mb * f64::from(1 << 20)))
    };
    (!cells.is_empty()).then(|| cells.iter().map(one).collect::<Vec<_>>().join("; "))
}

const WAITS: Waits = Waits {
    what: "for full scans that storage cells did not filter",
    events: |event| event == "cell multiblock physical read",
    old_lock: None,
    confidence: Confidence::Low,
    doubts: &["what was eligible for offload, and what came back, is in a report, not in a trace"],
    advice: &[
        "see why the scan was not a direct path read: a small or cached segment, an update in progress, a clustered table",
    ],
};

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain()
        .waiting("cell smart table scan", 500_000.0, 1_000.0)
        .counting("cell physical IO bytes eligible for predicate offload", 1e12)
        .counting("cell physical IO interconnect bytes returned by smart scan", 0.9e12)
}
