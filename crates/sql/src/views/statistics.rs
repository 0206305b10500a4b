//! Statistics by session and for the instance; gets by block class.

use common::{BlockClass, Result};
use waits::{GetMode, MeterSnapshot, Statistic};

use super::view::{Rows, View, n, number, s, text};

/// Lines of the time model, in microseconds.
pub(crate) const TIME_MODEL: [(&str, Statistic); 2] =
    [("DB time", Statistic::DbTime), ("DB CPU", Statistic::CpuUsedByThisSession)];

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$STATNAME",
        columns: &[number("STATISTIC#"), text("NAME", 64), number("CLASS"), number("STAT_ID")],
        rows: |_, rows| {
            Statistic::ALL.iter().try_for_each(|statistic| {
                let number = statistic.number();
                rows.add(&[
                    n(number),
                    s(statistic.name()),
                    n(statistic.class_number()),
                    n(waits::sql_hash(statistic.name())),
                ])
            })
        },
    },
    View {
        name: "V$MYSTAT",
        columns: &[number("SID"), number("STATISTIC#"), number("VALUE")],
        rows: |cx, rows| session_values(cx.session.sid(), &cx.session.meter().snapshot(), rows),
    },
    View {
        name: "V$SESSTAT",
        columns: &[number("SID"), number("STATISTIC#"), number("VALUE")],
        rows: |cx, rows| {
            let meters = cx.session.instance().meters();
            meters.iter().try_for_each(|meter| session_values(meter.sid(), &meter.snapshot(), rows))
        },
    },
    View {
        name: "V$SYSSTAT",
        columns: &[number("STATISTIC#"), text("NAME", 64), number("CLASS"), number("VALUE"), number("STAT_ID")],
        rows: |cx, rows| {
            let snapshot = cx.session.instance().system_meter().snapshot();
            Statistic::ALL.iter().try_for_each(|statistic| {
                rows.add(&[
                    n(statistic.number()),
                    s(statistic.name()),
                    n(statistic.class_number()),
                    n(statistic.shown(snapshot.value(*statistic))),
                    n(waits::sql_hash(statistic.name())),
                ])
            })
        },
    },
    View {
        name: "V$SYS_TIME_MODEL",
        columns: &[number("STAT_ID"), text("STAT_NAME", 64), number("VALUE")],
        rows: |cx, rows| {
            let snapshot = cx.session.instance().system_meter().snapshot();
            TIME_MODEL.iter().try_for_each(|(name, statistic)| {
                rows.add(&[n(waits::sql_hash(name)), s(name), n(snapshot.value(*statistic))])
            })
        },
    },
    View {
        name: "V$SESS_TIME_MODEL",
        columns: &[number("SID"), number("STAT_ID"), text("STAT_NAME", 64), number("VALUE")],
        rows: |cx, rows| {
            for meter in cx.session.instance().meters() {
                let snapshot = meter.snapshot();
                for (name, statistic) in TIME_MODEL {
                    let value = n(snapshot.value(statistic));
                    rows.add(&[n(meter.sid()), n(waits::sql_hash(name)), s(name), value])?;
                }
            }
            Ok(())
        },
    },
    View {
        name: "V$WAITSTAT",
        columns: &[text("CLASS", 18), number("COUNT"), number("TIME")],
        rows: |cx, rows| {
            let snapshot = cx.session.instance().system_meter().snapshot();
            BlockClass::ALL.iter().try_for_each(|class| {
                let waits = snapshot.buffer_waits(*class);
                // Centiseconds.
                rows.add(&[s(class.name()), n(waits.waits), n(waits.micros / 10_000)])
            })
        },
    },
    View {
        name: "V$HIGHWATER_GETS",
        columns: &[number("SID"), number("CLASS#"), text("CLASS", 18), text("GET_MODE", 10), number("GETS")],
        rows: |cx, rows| {
            for meter in cx.session.instance().meters() {
                let snapshot = meter.snapshot();
                for class in BlockClass::ALL {
                    for (mode, name) in [(GetMode::Consistent, "CONSISTENT"), (GetMode::Current, "CURRENT")] {
                        let gets = n(snapshot.gets(class, mode));
                        rows.add(&[n(meter.sid()), n(class as u8), s(class.name()), s(name), gets])?;
                    }
                }
            }
            Ok(())
        },
    },
];

fn session_values(sid: u32, snapshot: &MeterSnapshot, rows: &mut Rows) -> Result<()> {
    Statistic::ALL.iter().try_for_each(|statistic| {
        rows.add(&[n(sid), n(statistic.number()), n(statistic.shown(snapshot.value(*statistic)))])
    })
}
