//! Tuned retention: the time for which undo of ended transactions is kept for queries.
//!
//! In a tablespace whose files may grow it is somewhat more than the longest query needs, and `undo_retention` at the
//! least: a longer retention would make the files grow for no query. In a tablespace that cannot grow it is the time
//! for which the space lasts at the highest rate of the intervals that are kept, independent of `undo_retention`: the
//! space has no other use. Until a whole interval is known it is `undo_retention` there too.

use common::sync::Arc;

use super::UndoSegments;
use super::figures::{INTERVAL_US, INTERVALS_MAX};
use super::segment::now_s;
use crate::parameters::Parameter;
use crate::process::Process;
use crate::tablespace::Tablespace;

/// Seconds of undo kept beyond the need of the longest query.
const MARGIN_S: u64 = 300;
/// Share of a tablespace's blocks, in percent, for undo within its retention. The rest is for transactions under way.
const SPACE_PERCENT: u64 = 85;
/// Longest retention in seconds: that of the intervals that are kept.
const LONGEST_S: u64 = INTERVALS_MAX as u64 * INTERVAL_US / 1_000_000;

/// Limits of the undo that may be put to another use in a tablespace. Times in seconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Retention {
    /// Undo of transactions that ended at this time or before has expired.
    pub(super) expired: u32,
    /// Undo of transactions that ended at this time or before may be given up where no undo has expired: all undo,
    /// except under RETENTION GUARANTEE.
    pub(super) unguaranteed: u32,
}

impl UndoSegments {
    /// The present limits of a tablespace.
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

    /// Notes that undo which a query might still have needed was given up: its age is the retention that was reached.
    pub(super) fn gave_up(&self, s: &Process, committed_s: u32) {
        if committed_s > 0 {
            let age = u64::from(now_s(s).saturating_sub(committed_s));
            self.count(s, |interval| {
                interval.given_up_s = Some(interval.given_up_s.map_or(age, |least| least.min(age)))
            });
        }
    }
}

/// The parameter `undo_retention`: the guaranteed retention, under RETENTION GUARANTEE.
fn wanted_s(s: &Process) -> u64 {
    s.store().parameters().unsigned(Parameter::UndoRetention)
}

/// Number of blocks for extents in a tablespace.
fn space(s: &Process, tablespace: &Tablespace) -> u64 {
    let files = tablespace.files().into_iter().filter_map(|file| s.store().cache().file(file).ok());
    files.map(|file| u64::from(tablespace.user_blocks(file.blocks()))).sum()
}
