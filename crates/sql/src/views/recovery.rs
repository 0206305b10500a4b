//! Rollbacks and their progress; the roll forward that opened the database.

use common::Result;
use engine::instance::{LongOperation, Progress};
use scalar::Datum;
use storage::undo::RollbackFigures;

use super::transactions::packed;
use super::view::{Column, Each, Table, View, ViewContext, date, maybe, n, number, raw, s, text, unless_zero};

/// Microseconds after which V$SESSION_LONGOPS shows a rollback.
const LONG_US: u64 = 6_000_000;

/// A transaction that a crash has left, with the time of its rollback so far.
struct Left {
    rollback: RollbackFigures,
    elapsed_us: u64,
}

impl Left {
    fn state(&self) -> &'static str {
        match (self.rollback.begun_us, self.rollback.ended_us) {
            (None, _) => "TO BE RECOVERED",
            (Some(_), None) => "RECOVERING",
            (Some(_), Some(_)) => "RECOVERED",
        }
    }
}

const LEFT: &[Column<Left>] = &[
    number("USN", |row| n(row.rollback.xid.segment)),
    number("SLT", |row| n(row.rollback.xid.slot)),
    number("SEQ", |row| n(row.rollback.xid.sequence)),
    text("STATE", 16, |row| s(row.state())),
    number("UNDOBLOCKSDONE", |row| n(row.rollback.blocks_done)),
    number("UNDOBLOCKSTOTAL", |row| n(row.rollback.blocks)),
    number("CPUTIME", |row| n(row.elapsed_us / 1_000_000)),
    raw("XID", 8, |row| Datum::Raw(packed(row.rollback.xid))),
    number("RCVSERVERS", |row| n(u8::from(row.rollback.begun_us.is_some() && row.rollback.ended_us.is_none()))),
];

/// A long operation: a rollback, or one that a session has reported by DBMS_APPLICATION_INFO.
struct Operation {
    sid: u32,
    serial: u32,
    name: Option<String>,
    target: Option<String>,
    so_far: Datum,
    total: Datum,
    units: Option<String>,
    started_us: u64,
    updated_us: u64,
    /// Seconds left, extrapolated from the rate so far.
    left: Option<u64>,
    elapsed: u64,
    message: String,
}

const OPERATIONS: &[Column<Operation>] = &[
    number("SID", |row| n(row.sid)),
    number("SERIAL#", |row| n(row.serial)),
    text("OPNAME", 64, |row| maybe(row.name.as_ref(), s)),
    text("TARGET", 64, |row| maybe(row.target.as_ref(), s)),
    number("SOFAR", |row| row.so_far.clone()),
    number("TOTALWORK", |row| row.total.clone()),
    text("UNITS", 32, |row| maybe(row.units.as_ref(), s)),
    date("START_TIME", |row| unless_zero(row.started_us)),
    date("LAST_UPDATE_TIME", |row| unless_zero(row.updated_us)),
    number("TIME_REMAINING", |row| maybe(row.left, n)),
    number("ELAPSED_SECONDS", |row| n(row.elapsed)),
    text("MESSAGE", 512, |row| s(&row.message)),
];

/// A figure of the roll forward.
struct Item {
    begun_us: u64,
    ended_us: u64,
    name: &'static str,
    unit: &'static str,
    so_far: u64,
    total: u64,
}

const ITEMS: &[Column<Item>] = &[
    date("START_TIME", |item| unless_zero(item.begun_us)),
    text("TYPE", 64, |_| s("Crash Recovery")),
    text("ITEM", 32, |item| s(item.name)),
    text("UNITS", 32, |item| s(item.unit)),
    number("SOFAR", |item| n(item.so_far)),
    number("TOTAL", |item| n(item.total)),
    date("TIMESTAMP", |item| unless_zero(item.ended_us)),
    text("COMMENTS", 4000, |_| Datum::Null),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$FAST_START_TRANSACTIONS", &[LEFT], |cx, each| {
        let now_us = cx.session.meter().clock().monotonic_us();
        let mut all = cx.session.instance().undo().rollbacks();
        all.retain(|rollback| rollback.sid == 0);
        all.into_iter().try_for_each(|rollback| {
            let elapsed_us = elapsed_us(&rollback, now_us);
            each(Left { rollback, elapsed_us })
        })
    }),
    &Table::new("V$SESSION_LONGOPS", &[OPERATIONS], |cx, each| {
        rollbacks(cx, each)?;
        cx.session.instance().long_operations().into_iter().map(reported).try_for_each(each)
    }),
    &Table::new("V$RECOVERY_PROGRESS", &[ITEMS], |cx, each| {
        // There is no session to ask during the roll forward: sessions are admitted after it.
        let instance = cx.session.instance();
        let Some(done) = instance.rolled_forward() else { return Ok(()) };
        let kilobytes = done.bytes >> 10;
        let rate = kilobytes.saturating_mul(1_000_000).checked_div(done.elapsed_us).unwrap_or(kilobytes);
        let items = [
            ("Average Apply Rate", "KB/sec", rate, rate),
            ("Redo Applied", "Kilobytes", kilobytes, kilobytes),
            ("Redo Records", "Records", done.records, done.records),
            ("Change Vectors Applied", "Vectors", done.applied, done.applied + done.passed),
            ("Last Applied Redo", "SCN", done.scn, 0),
            ("Elapsed Time", "Seconds", done.elapsed_us / 1_000_000, 0),
        ];
        let begun_us = instance.started_us();
        let ended_us = begun_us + done.elapsed_us;
        items
            .into_iter()
            .try_for_each(|(name, unit, so_far, total)| each(Item { begun_us, ended_us, name, unit, so_far, total }))
    }),
];

const OPERATION: &str = "Transaction Rollback";

fn elapsed_us(rollback: &RollbackFigures, now_us: u64) -> u64 {
    rollback.begun_us.map_or(0, |begun| rollback.ended_us.unwrap_or(now_us).saturating_sub(begun))
}

/// The rollbacks of sessions that take long.
fn rollbacks(cx: &ViewContext, each: Each<'_, Operation>) -> Result<()> {
    let clock = cx.session.meter().clock();
    let (now, wall) = (clock.monotonic_us(), clock.wall_us());
    let time = |monotonic_us: u64| wall.saturating_sub(now.saturating_sub(monotonic_us));
    for rollback in cx.session.instance().undo().rollbacks() {
        let Some(begun) = rollback.begun_us.filter(|_| rollback.sid > 0) else { continue };
        let spent = elapsed_us(&rollback, now);
        if spent < LONG_US {
            continue;
        }
        let (done, total) = (u64::from(rollback.blocks_done), u64::from(rollback.blocks));
        let left = (total - done).saturating_mul(spent).checked_div(done);
        let xid = rollback.xid;
        let target = format!("xid:{}.{}.{}", xid.segment, xid.slot, xid.sequence);
        each(Operation {
            sid: rollback.sid,
            serial: rollback.serial,
            name: Some(OPERATION.to_owned()),
            so_far: n(done),
            total: n(total),
            units: Some("Blocks".to_owned()),
            started_us: time(begun),
            updated_us: time(rollback.ended_us.unwrap_or(now)),
            left: left.map(|micros| micros / 1_000_000),
            elapsed: spent / 1_000_000,
            message: format!("{OPERATION}: {target} : {done} out of {total} Blocks done"),
            target: Some(target),
        })?;
    }
    Ok(())
}

fn reported(operation: LongOperation) -> Operation {
    let LongOperation { sid, serial, progress, started_us, updated_us, .. } = operation;
    let Progress { name, so_far, total, target_description: target, units, .. } = progress;
    let spent = updated_us.saturating_sub(started_us) as f64 / 1e6;
    let left = (so_far > 0.0).then(|| (total - so_far).max(0.0) * spent / so_far);
    let number = |value: f64| format::number::encode_f64(value).map_or(Datum::Null, Datum::Number);
    let or_nothing = |text: &Option<String>| text.clone().unwrap_or_default();
    let message =
        format!("{}: {} : {so_far} out of {total} {} done", or_nothing(&name), or_nothing(&target), or_nothing(&units));
    Operation {
        sid,
        serial,
        name,
        target,
        so_far: number(so_far),
        total: number(total),
        units,
        started_us,
        updated_us,
        left: left.map(|seconds| seconds as u64),
        elapsed: spent as u64,
        message,
    }
}
