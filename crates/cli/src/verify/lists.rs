//! Freelists: every chain leads through flagged blocks of the segment below its mark, ends where its head says, and no flagged block is on none.

use std::collections::HashSet;

use common::{BlockAddress, BlockClass, Result};
use engine::instance::Session;
use format::{freelist, transaction};

use super::Findings;
use super::segments::{Whole, is_own};

pub(super) fn verify(session: &Session, whole: &Whole<'_>, findings: &mut Findings) -> Result<()> {
    let segment = whole.segment;
    let groups = u32::from(whole.header.freelist_groups.get());
    let holders: Vec<(BlockAddress, BlockClass)> = if groups > 1 {
        (1..=groups).map(|group| (segment.header().plus(group), BlockClass::FreeList)).collect()
    } else {
        vec![(segment.header(), BlockClass::SegmentHeader)]
    };
    let below: HashSet<BlockAddress> = whole.below(whole.header.high).collect();
    let mut listed = HashSet::new();
    for (address, class) in holders {
        let bytes = session.current(address, class)?.to_vec();
        for slot in 0..freelist::slots(bytes.len()) {
            let list = freelist::list(&bytes, slot);
            if let Err((at, why)) = walk(session, whole, list, &below, &mut listed)? {
                findings.block(at, format!("{}: freelist {slot} of block {address}: {why}", segment.name()));
            }
        }
    }
    for address in whole.below(whole.header.high) {
        let block = session.current(address, BlockClass::Data)?;
        if is_own(whole, &block) && transaction::header(&block).on_freelist() && !listed.contains(&address) {
            findings.block(address, format!("{}: says that it is on a freelist and is on none", segment.name()));
        }
    }
    Ok(())
}

/// What is wrong with a list, and in which block.
type Walked = std::result::Result<(), (BlockAddress, String)>;

fn walk(
    session: &Session,
    whole: &Whole<'_>,
    list: &freelist::FreeList,
    below: &HashSet<BlockAddress>,
    listed: &mut HashSet<BlockAddress>,
) -> Result<Walked> {
    let mut next = list.first();
    let mut last = BlockAddress::NONE;
    let mut count = 0;
    while !next.is_none() {
        if !below.contains(&next) {
            return Ok(Err((next, "is not below the segment's high-water mark".to_owned())));
        }
        if !listed.insert(next) {
            return Ok(Err((next, "is on a freelist twice".to_owned())));
        }
        let block = session.current(next, BlockClass::Data)?;
        let header = transaction::header(&block);
        if !is_own(whole, &block) || !header.on_freelist() {
            return Ok(Err((next, "is on the list and does not say so".to_owned())));
        }
        last = next;
        count += 1;
        next = header.next_free();
    }
    if last != list.last() || count != list.blocks.get() {
        let (ends, says) = (list.last(), list.blocks.get());
        let why = format!("has {count} blocks and ends with {last}, its head says {says} and {ends}");
        return Ok(Err((whole.segment.header(), why)));
    }
    Ok(Ok(()))
}
