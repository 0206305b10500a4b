//! What has happened to the disks of a run's group.

use std::fmt;

use crate::disk::FaultsMet;

/// Counts of faults that were met, and of what was done to disks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DiskTally {
    /// Requests that met a fault.
    pub met: FaultsMet,
    /// Disks that have lost all requests in the midst of work, that have answered none, and that were lost for the
    /// open.
    pub gone: u64,
    pub hanging: u64,
    pub gone_at_open: u64,
    /// Disks that were taken offline by statement, brought online, dropped, dropped by force, added.
    pub offline: u64,
    pub online: u64,
    pub dropped: u64,
    pub forced: u64,
    pub added: u64,
    /// Steps of rebalances that were left unfinished.
    pub rebalances: u64,
    /// Copies that were written again from another one.
    pub repairs: u64,
    /// Lives that began with a disk missing, and with one that had old content.
    pub missing: u64,
    pub old: u64,
    /// Steps that were refused because too few copies, failure groups or units would have been left.
    pub refused: u64,
}

impl DiskTally {
    pub fn add(&mut self, other: &Self) {
        self.add_met(&other.met);
        self.gone += other.gone;
        self.hanging += other.hanging;
        self.gone_at_open += other.gone_at_open;
        self.offline += other.offline;
        self.online += other.online;
        self.dropped += other.dropped;
        self.forced += other.forced;
        self.added += other.added;
        self.rebalances += other.rebalances;
        self.repairs += other.repairs;
        self.missing += other.missing;
        self.old += other.old;
        self.refused += other.refused;
    }

    pub(super) fn add_met(&mut self, met: &FaultsMet) {
        self.met.gone += met.gone;
        self.met.hanging += met.hanging;
        self.met.reads += met.reads;
        self.met.writes += met.writes;
        self.met.syncs += met.syncs;
        self.met.unreadable += met.unreadable;
        self.met.flipped += met.flipped;
    }
}

impl fmt::Display for DiskTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FaultsMet { gone, hanging, reads, writes, syncs, unreadable, flipped } = self.met;
        write!(
            f,
            "disks: {} gone at work, {} gone at an open ({gone} requests failed), {} hanging ({hanging} requests given \
             up), {} missing and {} with old content \
             at the begin of a life; one read failed {reads} times, one write {writes}, one sync {syncs}; {unreadable} \
             reads of bad sectors, {flipped} reads of flipped bits; {} taken offline, {} brought online, {} dropped, \
             {} dropped by force, {} added; {} rebalances left unfinished; {} copies repaired; {} steps refused",
            self.gone,
            self.gone_at_open,
            self.hanging,
            self.missing,
            self.old,
            self.offline,
            self.online,
            self.dropped,
            self.forced,
            self.added,
            self.rebalances,
            self.repairs,
            self.refused
        )
    }
}
