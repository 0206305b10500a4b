//! Freelists of a segment under manual space management: each list a chain without circles, its members flagged and
//! below the mark, its count right; and no flagged block that is on no list. A transaction has one list at most in a
//! header, and those of transactions stand where they must.

use std::collections::{HashMap, HashSet};

use common::BlockAddress;
use format::block::BlockType;
use format::freelist::{self, FreeList};

use super::report::Report;
use super::segments::{BlockPlace, Walk};

pub(super) fn check(walk: &Walk<'_>, report: &mut Report) {
    let mut flagged = HashMap::new();
    for (address, place) in walk.blocks() {
        if place == BlockPlace::BelowLow && walk.check_data_block(address, report) {
            let facts = walk.image.facts(address);
            flagged.insert(address, facts.is_some_and(|facts| facts.on_freelist));
        }
    }
    // Each block's list, by address.
    let mut met: HashMap<BlockAddress, String> = HashMap::new();
    let groups = u32::from(walk.expected.freelist_groups);
    if groups > 1 {
        for group in 1..=groups {
            let address = walk.expected.header.plus(group);
            let name = &walk.expected.name;
            if let Some(bytes) = walk.image.block_of(address, BlockType::FreeListGroup, name, report) {
                check_lists(walk, &bytes, address, &flagged, &mut met, report);
            }
        }
    } else {
        check_lists(walk, &walk.header_bytes, walk.expected.header, &flagged, &mut met, report);
    }
    for (address, _) in flagged.iter().filter(|(address, flag)| **flag && !met.contains_key(*address)) {
        walk.problem(report, *address, "is flagged as on a freelist and is on none");
    }
}

fn check_lists(
    walk: &Walk<'_>,
    bytes: &[u8],
    holder: BlockAddress,
    flagged: &HashMap<BlockAddress, bool>,
    met: &mut HashMap<BlockAddress, String>,
    report: &mut Report,
) {
    // Slot 0 is the master list; process lists follow when there are more than one, then those of transactions.
    let transactions = freelist::transaction_slots(bytes.len(), walk.expected.freelists);
    let mut owners = HashSet::new();
    for slot in 0..freelist::slots(bytes.len()) {
        let list = freelist::list(bytes, slot);
        match list.owner() {
            Some(owner) if !transactions.contains(&slot) => {
                walk.problem(report, holder, format!("freelist {slot} is of transaction {owner} and cannot be"));
            }
            Some(owner) if !owners.insert(owner) => {
                walk.problem(report, holder, format!("freelist {slot} is another one of transaction {owner}"));
            }
            None if transactions.contains(&slot) && *list != FreeList::UNUSED => {
                walk.problem(report, holder, format!("freelist {slot} is of no transaction and in use"));
                continue;
            }
            _ => {}
        }
        let (mut next, mut last, mut blocks) = (list.first(), BlockAddress::NONE, 0);
        while !next.is_none() {
            let here = format!("freelist {slot} of block {holder}");
            if let Some(before) = met.insert(next, here.clone()) {
                let text = if before == here {
                    "its freelist runs in a circle".to_owned()
                } else {
                    format!("is on {here} and on {before}")
                };
                walk.problem(report, next, text);
                return;
            }
            match flagged.get(&next) {
                Some(true) => {}
                Some(false) => {
                    walk.problem(report, next, format!("is on {here} and not flagged so"));
                    return;
                }
                None if walk.image.is_corrupt(next) => return,
                None => {
                    walk.problem(
                        report,
                        next,
                        format!("{here} leads to it, and it is no data block of the segment below the mark"),
                    );
                    return;
                }
            }
            report.checked.freelist_blocks += 1;
            blocks += 1;
            last = next;
            next = walk.image.facts(next).map_or(BlockAddress::NONE, |facts| facts.next);
        }
        if last != list.last() || blocks != list.blocks.get() {
            let (tail, said) = (list.last(), list.blocks.get());
            walk.problem(
                report,
                holder,
                format!("freelist {slot} has {blocks} blocks and ends at {last}; the header says {said} and {tail}"),
            );
        }
    }
}
