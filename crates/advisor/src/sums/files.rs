//! Files that answer much more slowly than the others of the same kind of work.

use report::model::{FileIo, Report};

use super::possible;

/// Least number of reads of a file that is compared, and of such files.
pub(crate) const READS: f64 = 100.0;
pub(crate) const FILES: u32 = 3;
/// Blocks a read of two files that do the same kind of work differ by so many times at most.
pub(crate) const ALIKE: f64 = 2.0;

#[derive(Clone, Debug)]
pub(crate) struct Skew {
    pub(crate) file: String,
    pub(crate) reads: f64,
    pub(crate) read_ms: f64,
    /// Read-weighted average of the others.
    pub(crate) others_ms: f64,
    /// Reads times the excess of their latency over the others'.
    pub(crate) excess_s: f64,
}

/// A file of the list with reads enough to have a latency.
struct Measured<'a> {
    file: &'a FileIo,
    reads: f64,
    read_ms: f64,
}

/// The file with the most time above the others; None when the list is not there or holds too few that are read enough.
pub(crate) fn skew(report: &Report) -> Option<Skew> {
    let files = report.files.as_ref()?;
    let all: f64 = files.iter().filter_map(|file| file.reads).map(|reads| reads.value).sum();
    let measured: Vec<Measured> = files
        .iter()
        .filter_map(|file| Some(Measured { file, reads: file.reads?.value, read_ms: file.read_ms?.value }))
        .filter(|file| {
            possible(file.reads) && possible(file.read_ms) && file.reads >= READS && file.reads >= 0.001 * all
        })
        .collect();
    if measured.len() < FILES as usize {
        return None;
    }
    let mut worst: Option<Skew> = None;
    for one in &measured {
        // Files of another size of read do another kind of work: their latency is no measure for this one.
        let alike = |other: &&Measured| {
            !std::ptr::eq(other.file, one.file)
                && match (one.file.blocks_per_read, other.file.blocks_per_read) {
                    (Some(mine), Some(theirs)) => mine <= theirs * ALIKE + 1.0 && theirs <= mine * ALIKE + 1.0,
                    _ => true,
                }
        };
        let others: Vec<&Measured> = measured.iter().filter(alike).collect();
        let reads: f64 = others.iter().map(|other| other.reads).sum();
        if others.len() < 2 || reads <= 0.0 {
            continue;
        }
        let others_ms = others.iter().map(|other| other.reads * other.read_ms).sum::<f64>() / reads;
        let excess_s = one.reads * (one.read_ms - others_ms).max(0.0) / 1000.0;
        if worst.as_ref().is_none_or(|worst| excess_s > worst.excess_s) {
            worst = Some(Skew {
                file: one.file.file.clone().unwrap_or_else(|| one.file.tablespace.clone()),
                reads: one.reads,
                read_ms: one.read_ms,
                others_ms,
                excess_s,
            });
        }
    }
    worst
}
