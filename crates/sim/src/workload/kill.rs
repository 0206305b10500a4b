//! Kill of a process: later operations are not done, and those in progress are done in part.

use std::collections::BTreeSet;

use common::Seeded;

use crate::disk::Operation;

const SECTOR: usize = 512;

/// Candidate places, of which one is taken with writes in doubt that the next life must not trust: before a sync, or
/// within a durable write.
const PLACES: usize = 4;

/// The operation of the kill, from this one on.
pub(super) fn place(operations: &[Operation], from: usize, random: &mut Seeded) -> usize {
    let length = operations.len() - from + 1;
    let mut places: Vec<usize> = (0..PLACES).map(|_| from + random.index(length)).collect();
    let within_durable = random.percent(50);
    let wanted = |place: &usize| match operations.get(*place).map(Operation::begun) {
        Some(Operation::Sync { .. } | Operation::SyncDirectory { .. }) => !within_durable,
        Some(Operation::Write { durable, .. }) => *durable && within_durable,
        _ => false,
    };
    let at = places.iter().position(wanted).unwrap_or_default();
    places.swap_remove(at)
}

/// Cuts the operations of a life off at `place`.
pub(super) fn cut(operations: &mut Vec<Operation>, begins: usize, place: usize, random: &mut Seeded) {
    let cut = operations.split_off(place);
    if let Some(operation @ Operation::Write { .. }) = cut.first().map(Operation::begun) {
        operations.extend(first_sectors(operation, random).filter(|part| !is_empty(part)));
    }
    // Of writes that other threads have begun nothing is there, or a part, or all. None is in progress any more: a sync
    // that begins later covers them.
    let ended: BTreeSet<u32> = operations[begins..]
        .iter()
        .filter_map(|operation| if let Operation::Ended { call } = operation { Some(*call) } else { None })
        .collect();
    let mut ends = Vec::new();
    for one in &mut operations[begins..] {
        let Operation::Begun { call, operation } = one else { continue };
        if ended.contains(call) {
            continue;
        }
        if let Operation::Write { durable, .. } = &mut **operation {
            *durable = false;
            ends.push(Operation::Ended { call: *call });
        }
        if random.percent(50)
            && let Some(part) = first_sectors(operation, random)
        {
            **operation = part;
        }
    }
    operations.extend(ends);
}

/// A write as far as it has come; it is not durable.
fn first_sectors(operation: &Operation, random: &mut Seeded) -> Option<Operation> {
    let Operation::Write { file, offset, bytes, .. } = operation else { return None };
    let sectors = random.index(bytes.len().div_ceil(SECTOR) + 1);
    let bytes = &bytes[..(sectors * SECTOR).min(bytes.len())];
    Some(Operation::Write { file: *file, offset: *offset, bytes: bytes.into(), durable: false })
}

fn is_empty(operation: &Operation) -> bool {
    matches!(operation, Operation::Write { bytes, .. } if bytes.is_empty())
}
