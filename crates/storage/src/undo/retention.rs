//! How long undo of transactions that have ended is kept for queries: tuned retention.
//!
//! In a tablespace whose files may grow it is somewhat more than the longest query needs, and `undo_retention` at the least: what is kept longer would
//! make the files grow for nobody. In one that cannot grow it is what the space is good for at the highest rate of the intervals that are kept,
//! whatever `undo_retention` says: there is nothing else to do with the space. Until a whole interval is known it is `undo_retention` there too.

use common::sync::Arc;

use super::UndoSegments;
use super::figures::{INTERVAL_US, INTERVALS_MAX};
use super::segment::now_s;
use crate::parameters::Parameter;
use crate::process::Process;
use crate::tablespace::Tablespace;

/// Seconds of undo beyond what the longest query needs.
const MARGIN_S: u64 = 300;
/// Share of a tablespace's blocks that undo within its retention is to take, in percent; the rest is for transactions under way.
const SPACE_PERCENT: u64 = 85;
/// Seconds, and no more than there are figures of.
const LONGEST_S: u64 = INTERVALS_MAX as u64 * INTERVAL_US / 1_000_000;

/// What may be put to another use in a tablespace. Times in seconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Retention {
    /// Undo of transactions that ended at this time or before has expired.
    pub(super) expired: u32,
    /// Undo of those that ended at this time or before may be given up where nothing has expired: all of it, but for RETENTION GUARANTEE.
    pub(super) unguaranteed: u32,
}

impl UndoSegments {
    /// The limits of this moment for a tablespace.
    pub(super) fn retention(&self, s: &Process, tablespace: &Arc<Tablespace>) -> Retention {
        let (now, wanted) = (now_s(s), wanted_s(s));
        let since = |seconds: u64| now.saturating_sub(u32::try_from(seconds).unwrap_or(u32::MAX));
        let tuned = self.tuned_s(s, tablespace);
        if tablespace.retention_guarantee() {
            return Retention { expired: since(tuned.max(wanted)), unguaranteed: since(wanted) };
        }
        Retention { expired: since(tuned), unguaranteed: u32::MAX }
    }

    /// Tuned retention of a tablespace, in seconds.
    fn tuned_s(&self, s: &Process, tablespace: &Arc<Tablespace>) -> u64 {
        let (longest_us, ended_us) = s.store().snapshots().longest_us(s.meter());
        let interval = self.count(s, |interval| {
            interval.max_query_s = interval.max_query_s.max(longest_us.max(ended_us) / 1_000_000);
            *interval
        });
        let tuned = if tablespace.can_grow(s.store()) {
            (interval.max_query_s + MARGIN_S).max(wanted_s(s))
        } else {
            let lasts =
                |blocks: u64| INTERVAL_US / 1_000_000 * space(s, tablespace) * SPACE_PERCENT / 100 / blocks.max(1);
            self.highest_rate().map_or_else(|| wanted_s(s), |blocks| lasts(blocks).min(LONGEST_S))
        };
        self.count(s, |interval| interval.tuned_s = tuned);
        tuned
    }

    /// Undo that somebody might have needed yet was given up, as old as this: retention has come to no more.
    pub(super) fn gave_up(&self, s: &Process, committed_s: u32) {
        if committed_s > 0 {
            let age = u64::from(now_s(s).saturating_sub(committed_s));
            self.count(s, |interval| {
                interval.given_up_s = Some(interval.given_up_s.map_or(age, |least| least.min(age)))
            });
        }
    }
}

/// The parameter: what is guaranteed, if anything is.
fn wanted_s(s: &Process) -> u64 {
    s.store().parameters().unsigned(Parameter::UndoRetention)
}

/// Blocks that extents can have in a tablespace.
fn space(s: &Process, tablespace: &Tablespace) -> u64 {
    let files = tablespace.files().into_iter().filter_map(|file| s.store().cache().file(file).ok());
    files.map(|file| u64::from(tablespace.user_blocks(file.blocks()))).sum()
}
