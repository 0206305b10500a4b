//! DBMS_SPACE: use of a segment's space.

use std::sync::Arc;

use common::{Error, Result};
use scalar::Datum;
use storage::control::SpaceManagement;
use storage::segment::{Segment, SpaceUsage};

use super::name;
use crate::cursor::connection::Connection;

/// The segment of the first three arguments, and the use of its space.
fn usage(connection: &Connection, arguments: &[Datum]) -> Result<(Arc<Segment>, SpaceUsage)> {
    let owner = name(arguments, 0, "SEGMENT_OWNER")?;
    let segment = name(arguments, 1, "SEGMENT_NAME")?;
    let kind = name(arguments, 2, "SEGMENT_TYPE")?;
    let catalog = connection.session.catalog();
    let found = match kind.as_str() {
        "TABLE" => catalog.table(&owner, &segment).map(|table| Arc::clone(&table.segment)),
        "INDEX" => catalog.index(&owner, &segment).map(|index| Arc::clone(&index.segment)),
        "TABLE PARTITION" | "INDEX PARTITION" | "CLUSTER" | "LOB" => {
            return Err(Error::unsupported(format!("DBMS_SPACE of a {kind}")));
        }
        _ => return Err(Error::user(10617, format!("cannot find a segment of type {kind}"))),
    };
    let found = found.ok_or_else(|| Error::user(942, format!("table or view does not exist: {owner}.{segment}")))?;
    let usage = found.space_usage(&connection.session)?;
    Ok((found, usage))
}

fn number(value: u64) -> Datum {
    Datum::integer(value as i64)
}

/// Checks that the segment's space management is the procedure's: ORA-10618, ORA-10614.
fn check(segment: &Segment, wanted: SpaceManagement) -> Result<()> {
    if segment.management() == wanted {
        return Ok(());
    }
    Err(match wanted {
        SpaceManagement::Manual => {
            Error::user(10618, "operation not allowed on this segment: its space is managed automatically")
        }
        SpaceManagement::Auto => {
            Error::user(10614, "operation not allowed on this segment: its space is managed by freelists")
        }
    })
}

pub(super) fn free_blocks(connection: &Connection, arguments: &mut [Datum]) -> Result<Datum> {
    let (segment, usage) = usage(connection, arguments)?;
    check(&segment, SpaceManagement::Manual)?;
    let limit = super::number(arguments, 5).map_or(u64::MAX, |limit| limit.max(0.0) as u64);
    arguments[4] = number(u64::from(usage.on_freelists).min(limit));
    Ok(Datum::Null)
}

pub(super) fn unused_space(connection: &Connection, arguments: &mut [Datum]) -> Result<Datum> {
    let (segment, usage) = usage(connection, arguments)?;
    let bytes = segment.block_size().bytes() as u64;
    let (blocks, unused) = (u64::from(usage.blocks), u64::from(usage.unused));
    let (file, block) = usage.last_used_extent.map_or((0, 0), |at| (u64::from(at.file.0), u64::from(at.block)));
    let values = [blocks, blocks * bytes, unused, unused * bytes, file, block, u64::from(usage.last_used_block)];
    for (argument, value) in arguments[3..].iter_mut().zip(values) {
        *argument = number(value);
    }
    Ok(Datum::Null)
}

pub(super) fn space_usage(connection: &Connection, arguments: &mut [Datum]) -> Result<Datum> {
    let (segment, usage) = usage(connection, arguments)?;
    check(&segment, SpaceManagement::Auto)?;
    let bytes = segment.block_size().bytes() as u64;
    let [fs1, fs2, fs3, fs4] = usage.free;
    let blocks = [usage.unformatted, fs1, fs2, fs3, fs4, usage.full];
    let values = blocks.into_iter().flat_map(|blocks| [u64::from(blocks), u64::from(blocks) * bytes]);
    for (argument, value) in arguments[3..].iter_mut().zip(values) {
        *argument = number(value);
    }
    Ok(Datum::Null)
}
