//! Open transactions, and those that a crash has left.

use common::Xid;
use scalar::{DateTime, Datum};
use storage::txn::HeldTableLock;
use storage::undo::TransactionFigures;

use super::view::{Column, Table, View, date, maybe, n, number, raw, s, text, unless_zero, written};

const TRANSACTIONS: &[Column<TransactionFigures>] = &[
    raw("ADDR", 8, |row| Datum::Raw(address(row.xid))),
    number("XIDUSN", |row| n(row.xid.segment)),
    number("XIDSLOT", |row| n(row.xid.slot)),
    number("XIDSQN", |row| n(row.xid.sequence)),
    number("UBAFIL", |row| n(row.last.block.file.0)),
    number("UBABLK", |row| n(row.last.block.block)),
    number("UBASQN", |row| n(row.last.sequence)),
    number("UBAREC", |row| n(row.last.record)),
    text("STATUS", 16, |_| s("ACTIVE")),
    written("START_TIME", 20, |row| Some(row.begun_us), start_time),
    number("START_SCNB", |row| n(row.start_scn.0 & u64::from(u32::MAX))),
    number("START_SCNW", |row| n(row.start_scn.0 >> 32)),
    number("START_UBAFIL", |row| n(row.first.block.file.0)),
    number("START_UBABLK", |row| n(row.first.block.block)),
    number("START_UBASQN", |row| n(row.first.sequence)),
    number("START_UBAREC", |row| n(row.first.record)),
    raw("SES_ADDR", 8, |row| Datum::Raw(session_address(row.sid))),
    number("USED_UBLK", |row| n(row.used_blocks)),
    number("USED_UREC", |row| n(row.used_records)),
    date("START_DATE", |row| unless_zero(row.begun_us)),
    number("START_SCN", |row| n(row.start_scn.0)),
    raw("XID", 8, |row| Datum::Raw(packed(row.xid))),
];

/// A table lock of a session. The lock may be there before the transaction has its slot.
struct LockedObject {
    lock: HeldTableLock,
    xid: Xid,
    user: Option<String>,
}

const LOCKED_OBJECTS: &[Column<LockedObject>] = &[
    number("XIDUSN", |row| n(row.xid.segment)),
    number("XIDSLOT", |row| n(row.xid.slot)),
    number("XIDSQN", |row| n(row.xid.sequence)),
    number("OBJECT_ID", |row| n(row.lock.table.0)),
    number("SESSION_ID", |row| n(row.lock.sid)),
    text("ORACLE_USERNAME", 128, |row| maybe(row.user.as_ref(), s)),
    text("PROCESS", 24, |_| s(std::process::id().to_string())),
    number("LOCKED_MODE", |row| n(row.lock.mode as u8)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$TRANSACTION", &[TRANSACTIONS], |cx, each| {
        live(cx.session.instance()).into_iter().try_for_each(each)
    }),
    &Table::new("V$LOCKED_OBJECT", &[LOCKED_OBJECTS], |cx, each| {
        let live = live(cx.session.instance());
        let sessions = cx.session.instance().sessions();
        let mut held = cx.session.instance().locks().tables();
        held.sort_by_key(|lock| (lock.sid, lock.table));
        held.into_iter().try_for_each(|lock| {
            let xid = live.iter().find(|transaction| transaction.sid == lock.sid).map_or(Xid::NONE, |t| t.xid);
            let user = sessions.iter().find(|session| session.sid == lock.sid).map(|session| session.user.to_string());
            each(LockedObject { lock, xid, user })
        })
    }),
];

/// Transactions of sessions, by number.
pub(super) fn live(instance: &engine::instance::Instance) -> Vec<TransactionFigures> {
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
