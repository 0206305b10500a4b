//! Pairs of snapshots without a difference.

use std::collections::{HashMap, HashSet};

use common::Result;

use super::super::choice::{in_order, refused};
use super::super::records::{SystemEvent, TimeModel};
use super::super::snapshot::Snapshot;

/// Refuses the pairs that [`difference`](super::difference) names.
pub(super) fn check(begin: &Snapshot, end: &Snapshot) -> Result<()> {
    let (from, to) = (begin.id, end.id);
    if (begin.database_id, begin.instance_number) != (end.database_id, end.instance_number) {
        return refused(format!("snapshots {from} and {to} are not of the same database and instance"));
    }
    in_order(from, to)?;
    if begin.header.startup != end.header.startup {
        return refused(format!(
            "the instance was shut down between snapshots {from} and {to}: its counters began anew"
        ));
    }
    if begin.header.utc_s > end.header.utc_s {
        return refused(format!("the clock was set back between snapshots {from} and {to}"));
    }
    // Two starts within a second have the same time.
    if let Some(counter) = fallen(begin, end) {
        return refused(format!("the instance was shut down between snapshots {from} and {to}: {counter} fell"));
    }
    for (one, other) in [(begin, end), (end, begin)] {
        let names: HashSet<&str> = other.statistics.iter().map(|statistic| statistic.name.as_str()).collect();
        if let Some(only) = one.statistics.iter().find(|statistic| !names.contains(statistic.name.as_str())) {
            return refused(format!(
                "snapshot {} has no statistic \"{}\", which snapshot {} has",
                other.id, only.name, one.id
            ));
        }
    }
    Ok(())
}

/// A counter that only a start of the instance makes smaller, and that is smaller: one of time, of waits, or of log
/// switches.
fn fallen(begin: &Snapshot, end: &Snapshot) -> Option<String> {
    let micros: HashMap<&str, u64> = end.time_model.iter().map(|line| (line.name.as_str(), line.micros)).collect();
    let less = |line: &&TimeModel| micros.get(line.name.as_str()).copied().unwrap_or(0) < line.micros;
    if let Some(line) = begin.time_model.iter().find(less) {
        return Some(format!("\"{}\"", line.name));
    }
    let waited: HashMap<&str, &SystemEvent> = end.events.iter().map(|event| (event.event.as_str(), event)).collect();
    let less = |event: &&SystemEvent| {
        let now = waited.get(event.event.as_str()).map_or((0, 0), |now| (now.waits, now.micros));
        now.0 < event.waits || now.1 < event.micros
    };
    if let Some(event) = begin.events.iter().find(less) {
        return Some(format!("the waits for \"{}\"", event.event));
    }
    (end.header.log_sequence < begin.header.log_sequence).then(|| "the number of the current log".to_owned())
}
