//! Rollbacks and their progress; the roll forward that opened the database.

use common::Result;
use engine::instance::{LongOperation, Progress};
use scalar::Datum;
use storage::undo::RollbackFigures;

use super::transactions::packed;
use super::view::{View, at, date, maybe, n, number, raw, s, text};

/// Microseconds after which V$SESSION_LONGOPS shows a rollback.
const LONG_US: u64 = 6_000_000;

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$FAST_START_TRANSACTIONS",
        columns: &[
            number("USN"),
            number("SLT"),
            number("SEQ"),
            text("STATE", 16),
            number("UNDOBLOCKSDONE"),
            number("UNDOBLOCKSTOTAL"),
            number("CPUTIME"),
            raw("XID", 8),
            number("RCVSERVERS"),
        ],
        rows: |cx, rows| {
            let clock = cx.session.meter().clock();
            let mut all = cx.session.instance().undo().rollbacks();
            all.retain(|rollback| rollback.sid == 0);
            all.iter().try_for_each(|rollback| {
                let xid = rollback.xid;
                let (state, servers) = match (rollback.begun_us, rollback.ended_us) {
                    (None, _) => ("TO BE RECOVERED", 0),
                    (Some(_), None) => ("RECOVERING", 1),
                    (Some(_), Some(_)) => ("RECOVERED", 0),
                };
                rows.add(&[
                    n(xid.segment),
                    n(xid.slot),
                    n(xid.sequence),
                    s(state),
                    n(rollback.blocks_done),
                    n(rollback.blocks),
                    n(elapsed_us(rollback, clock.monotonic_us()) / 1_000_000),
                    Datum::Raw(packed(xid)),
                    n(servers),
                ])
            })
        },
    },
    View {
        name: "V$SESSION_LONGOPS",
        columns: &[
            number("SID"),
            number("SERIAL#"),
            text("OPNAME", 64),
            text("TARGET", 64),
            number("SOFAR"),
            number("TOTALWORK"),
            text("UNITS", 32),
            date("START_TIME"),
            date("LAST_UPDATE_TIME"),
            number("TIME_REMAINING"),
            number("ELAPSED_SECONDS"),
            text("MESSAGE", 512),
        ],
        rows: |cx, rows| {
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
                // Extrapolated from the rate so far.
                let left = (total - done).saturating_mul(spent).checked_div(done);
                let xid = rollback.xid;
                let target = format!("{}.{}.{}", xid.segment, xid.slot, xid.sequence);
                rows.add(&[
                    n(rollback.sid),
                    n(rollback.serial),
                    s(OPERATION),
                    s(format!("xid:{target}")),
                    n(done),
                    n(total),
                    s("Blocks"),
                    at(time(begun))?,
                    at(time(rollback.ended_us.unwrap_or(now)))?,
                    maybe(left, |micros| n(micros / 1_000_000)),
                    n(spent / 1_000_000),
                    s(format!("{OPERATION}: xid:{target} : {done} out of {total} Blocks done")),
                ])?;
            }
            for operation in cx.session.instance().long_operations() {
                rows.add(&reported(&operation)?)?;
            }
            Ok(())
        },
    },
    View {
        name: "V$RECOVERY_PROGRESS",
        columns: &[
            date("START_TIME"),
            text("TYPE", 64),
            text("ITEM", 32),
            text("UNITS", 32),
            number("SOFAR"),
            number("TOTAL"),
            date("TIMESTAMP"),
            text("COMMENTS", 4000),
        ],
        rows: |cx, rows| {
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
            items.iter().try_for_each(|(item, unit, so_far, total)| {
                rows.add(&[
                    at(instance.started_us())?,
                    s("Crash Recovery"),
                    s(item),
                    s(unit),
                    n(*so_far),
                    n(*total),
                    at(instance.started_us() + done.elapsed_us)?,
                    Datum::Null,
                ])
            })
        },
    },
];

const OPERATION: &str = "Transaction Rollback";

fn elapsed_us(rollback: &RollbackFigures, now_us: u64) -> u64 {
    rollback.begun_us.map_or(0, |begun| rollback.ended_us.unwrap_or(now_us).saturating_sub(begun))
}

/// A long operation that a session has reported by DBMS_APPLICATION_INFO.
fn reported(operation: &LongOperation) -> Result<[Datum; 12]> {
    let LongOperation { sid, serial, progress, started_us, updated_us, .. } = operation;
    let Progress { name, so_far, total, target_description, units, .. } = progress;
    let spent = updated_us.saturating_sub(*started_us) as f64 / 1e6;
    // Extrapolated from the rate so far.
    let left = (*so_far > 0.0).then(|| (total - so_far).max(0.0) * spent / so_far);
    let number = |value: f64| format::number::encode_f64(value).map_or(Datum::Null, Datum::Number);
    let or_nothing = |text: &Option<String>| text.clone().unwrap_or_default();
    let message = format!(
        "{}: {} : {so_far} out of {total} {} done",
        or_nothing(name),
        or_nothing(target_description),
        or_nothing(units)
    );
    Ok([
        n(*sid),
        n(*serial),
        maybe(name.as_ref(), s),
        maybe(target_description.as_ref(), s),
        number(*so_far),
        number(*total),
        maybe(units.as_ref(), s),
        at(*started_us)?,
        at(*updated_us)?,
        maybe(left, |seconds| n(seconds as u64)),
        n(spent as u64),
        s(message),
    ])
}
