//! Multiblock reads bring fewer blocks than they are configured to, or are configured to bring few.

use super::verdict::{Build, Case, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{bytes, number, percent, seconds};

pub(super) const ID: &str = "small-multiblock-reads";

/// Less than this part of the configured count on average.
const PART: f64 = 0.5;
/// A megabyte a read is what the count is when it is left alone; below a quarter of that, a count that somebody set is small.
const SMALL_BYTES: f64 = 256.0 * 1024.0;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let sum = &case.sums.multiblock;
    let share = match case.weigh("multiblock reads", sum.wait_s) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let Some(average) = sum.blocks_per_read else {
        return match sum.requests {
            Some(requests) => {
                Verdict::RuledOut(format!("{} multiblock reads: too few for an average", number(requests)))
            }
            None => {
                Verdict::CannotTell("physical reads and physical read IO requests (Instance Activity Stats)".to_owned())
            }
        };
    };
    let Some(total) = sum.wait_s else {
        return Verdict::CannotTell("the waits of foreground processes".to_owned());
    };
    let block = case.report.caches.block_bytes.unwrap_or(8192.0);
    let size = bytes(average * block);
    let (title, advice, doubt) = match sum.configured {
        Some(configured) if average < PART * configured => (
            format!(
                "Multiblock reads bring {} blocks on average, {} are configured; they take {} ({} of DB time)",
                number(average),
                number(configured),
                seconds(total),
                percent(share)
            ),
            "extents that are smaller than a read, blocks already in the cache and chains of sort or temp reads cut multiblock reads short: look at the extents of the segments that are scanned",
            "blocks that are already in the cache cut a read short: that is no loss",
        ),
        Some(configured) if average * block < SMALL_BYTES => (
            format!(
                "Multiblock reads are set to {} blocks ({size} a read); they take {} ({} of DB time)",
                number(configured),
                seconds(total),
                percent(share)
            ),
            "leave db_file_multiblock_read_count unset: reads are then as large as the system takes, 1 MB as a rule",
            "whether larger reads are faster depends on what limits the storage: requests a second, or bytes",
        ),
        Some(configured) => {
            return Verdict::RuledOut(format!(
                "multiblock reads bring {} blocks on average, {} are configured",
                number(average),
                number(configured)
            ));
        }
        None if average * block < SMALL_BYTES => (
            format!(
                "Multiblock reads bring {} blocks on average ({size}); they take {} ({} of DB time)",
                number(average),
                seconds(total),
                percent(share)
            ),
            "look at the extents of the segments that are scanned: a read never goes beyond one",
            "db_file_multiblock_read_count is not in the report: what is configured is not known",
        ),
        None => {
            return Verdict::RuledOut(format!("multiblock reads bring {} blocks on average ({size})", number(average)));
        }
    };
    finding(ID, title, Confidence::Medium)
        .weight(share, total)
        .evidence(
            sum.section,
            format!(
                "{} blocks a read over {} reads of more than one block",
                number(average),
                number(sum.requests.unwrap_or(0.0))
            ),
        )
        .evidence_if(
            section::PARAMETERS,
            sum.configured.map(|configured| format!("db_file_multiblock_read_count {}", number(configured))),
        )
        .doubt(doubt)
        .doubt("requests of utilities and of temp are among the reads")
        .advise(advice)
        .shown_by(experiment::AU_SIZE)
        .found()
}
