//! Open transactions, and those that a crash has left.

use common::{Result, Xid};
use scalar::{DateTime, Datum};

use super::view::{View, at, date, maybe, n, number, raw, s, text};
use crate::cursor::context::local_time;

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$TRANSACTION",
        columns: &[
            raw("ADDR", 8),
            number("XIDUSN"),
            number("XIDSLOT"),
            number("XIDSQN"),
            number("UBAFIL"),
            number("UBABLK"),
            number("UBASQN"),
            number("UBAREC"),
            text("STATUS", 16),
            text("START_TIME", 20),
            number("START_SCNB"),
            number("START_SCNW"),
            number("START_UBAFIL"),
            number("START_UBABLK"),
            number("START_UBASQN"),
            number("START_UBAREC"),
            raw("SES_ADDR", 8),
            number("USED_UBLK"),
            number("USED_UREC"),
            date("START_DATE"),
            number("START_SCN"),
            raw("XID", 8),
        ],
        rows: |cx, rows| {
            for transaction in live(cx.session.instance()) {
                let (xid, last, first) = (transaction.xid, transaction.last, transaction.first);
                let scn = transaction.start_scn.0;
                rows.add(&[
                    Datum::Raw(address(xid)),
                    n(xid.segment),
                    n(xid.slot),
                    n(xid.sequence),
                    n(last.block.file.0),
                    n(last.block.block),
                    n(last.sequence),
                    n(last.record),
                    s("ACTIVE"),
                    s(start_time(&local_time(transaction.begun_us)?)),
                    n(scn & u64::from(u32::MAX)),
                    n(scn >> 32),
                    n(first.block.file.0),
                    n(first.block.block),
                    n(first.sequence),
                    n(first.record),
                    Datum::Raw(session_address(transaction.sid)),
                    n(transaction.used_blocks),
                    n(transaction.used_records),
                    at(transaction.begun_us)?,
                    n(scn),
                    Datum::Raw(packed(xid)),
                ])?;
            }
            Ok(())
        },
    },
    View {
        name: "V$LOCKED_OBJECT",
        columns: &[
            number("XIDUSN"),
            number("XIDSLOT"),
            number("XIDSQN"),
            number("OBJECT_ID"),
            number("SESSION_ID"),
            text("ORACLE_USERNAME", 128),
            text("PROCESS", 24),
            number("LOCKED_MODE"),
        ],
        rows: |cx, rows| {
            let (live, process) = (live(cx.session.instance()), std::process::id().to_string());
            let sessions = cx.session.instance().sessions();
            let mut held = cx.session.instance().locks().tables();
            held.sort_by_key(|lock| (lock.sid, lock.table));
            held.iter().try_for_each(|lock| -> Result<()> {
                // The lock may be there before the transaction has its slot.
                let xid = live.iter().find(|transaction| transaction.sid == lock.sid).map_or(Xid::NONE, |t| t.xid);
                let user = sessions.iter().find(|session| session.sid == lock.sid).map(|session| &session.user);
                rows.add(&[
                    n(xid.segment),
                    n(xid.slot),
                    n(xid.sequence),
                    n(lock.table.0),
                    n(lock.sid),
                    maybe(user, s),
                    s(&process),
                    n(lock.mode as u8),
                ])
            })
        },
    },
];

/// Transactions of sessions, by number.
pub(super) fn live(instance: &engine::instance::Instance) -> Vec<storage::undo::TransactionFigures> {
    let mut live = instance.undo().transactions();
    live.retain(|transaction| transaction.sid != 0);
    live.sort_by_key(|transaction| transaction.xid);
    live
}

/// V$SESSION.TADDR: no memory address, but unique for each transaction.
pub(super) fn address(xid: Xid) -> Vec<u8> {
    let (segment, slot) = (xid.segment.to_be_bytes(), xid.slot.to_be_bytes());
    [&segment[..], &slot, &xid.sequence.to_be_bytes()].concat()
}

/// V$SESSION.SADDR, made like [`address`].
pub(super) fn session_address(sid: u32) -> Vec<u8> {
    u64::from(sid).to_be_bytes().to_vec()
}

/// The column XID: the parts' bytes in little-endian order.
pub(super) fn packed(xid: Xid) -> Vec<u8> {
    let (segment, slot) = (xid.segment.to_le_bytes(), xid.slot.to_le_bytes());
    [&segment[..], &slot, &xid.sequence.to_le_bytes()].concat()
}

/// `MM/DD/YY HH24:MI:SS`.
fn start_time(at: &DateTime) -> String {
    let DateTime { year, month, day, hour, minute, second, .. } = at;
    format!("{month:02}/{day:02}/{:02} {hour:02}:{minute:02}:{second:02}", year.rem_euclid(100))
}
