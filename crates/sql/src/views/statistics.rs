//! Statistics by session and for the instance; gets by block class.

use common::{BlockClass, Result};
use waits::{BufferWaits, GetMode, MeterSnapshot, Statistic};

use super::view::{Column, Each, Table, View, maybe, n, number, s, text};

/// Lines of the time model, in microseconds.
pub(crate) const TIME_MODEL: [(&str, Statistic); 2] =
    [("DB time", Statistic::DbTime), ("DB CPU", Statistic::CpuUsedByThisSession)];

const NAMES: &[Column<Statistic>] = &[
    number("STATISTIC#", |statistic| n(statistic.number())),
    text("NAME", 64, |statistic| s(statistic.name())),
    number("CLASS", |statistic| n(statistic.class_number())),
    number("STAT_ID", |statistic| n(waits::sql_hash(statistic.name()))),
];

/// A statistic of the instance.
struct Figure {
    statistic: Statistic,
    value: u64,
}

const FIGURES: &[Column<Figure>] = &[
    number("STATISTIC#", |row| n(row.statistic.number())),
    text("NAME", 64, |row| s(row.statistic.name())),
    number("CLASS", |row| n(row.statistic.class_number())),
    number("VALUE", |row| n(row.statistic.shown(row.value))),
    number("STAT_ID", |row| n(waits::sql_hash(row.statistic.name()))),
];

/// A statistic of a session.
struct SessionFigure {
    sid: u32,
    statistic: Statistic,
    value: u64,
}

const SESSION_FIGURES: &[Column<SessionFigure>] = &[
    number("SID", |row| n(row.sid)),
    number("STATISTIC#", |row| n(row.statistic.number())),
    number("VALUE", |row| n(row.statistic.shown(row.value))),
];

/// A line of the time model: of a session, or of the instance.
struct Time {
    sid: Option<u32>,
    name: &'static str,
    micros: u64,
}

const TIMES: &[Column<Time>] = &[
    number("SID", |row| maybe(row.sid, n)),
    number("STAT_ID", |row| n(waits::sql_hash(row.name))),
    text("STAT_NAME", 64, |row| s(row.name)),
    number("VALUE", |row| n(row.micros)),
];

/// Waits for buffers of a class.
struct ClassWaits(BlockClass, BufferWaits);

const CLASS_WAITS: &[Column<ClassWaits>] = &[
    text("CLASS", 18, |ClassWaits(class, _)| s(class.name())),
    number("COUNT", |ClassWaits(_, waits)| n(waits.waits)),
    // Centiseconds.
    number("TIME", |ClassWaits(_, waits)| n(waits.micros / 10_000)),
];

/// Gets of a session by class and mode.
struct Gets {
    sid: u32,
    class: BlockClass,
    mode: &'static str,
    gets: u64,
}

const GETS: &[Column<Gets>] = &[
    number("SID", |row| n(row.sid)),
    number("CLASS#", |row| n(row.class as u8)),
    text("CLASS", 18, |row| s(row.class.name())),
    text("GET_MODE", 10, |row| s(row.mode)),
    number("GETS", |row| n(row.gets)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$STATNAME", &[NAMES], |_, each| Statistic::ALL.into_iter().try_for_each(each)),
    &Table::new("V$MYSTAT", &[SESSION_FIGURES], |cx, each| {
        session_figures(cx.session.sid(), &cx.session.meter().snapshot(), each)
    }),
    &Table::new("V$SESSTAT", &[SESSION_FIGURES], |cx, each| {
        let meters = cx.session.instance().meters();
        meters.iter().try_for_each(|meter| session_figures(meter.sid(), &meter.snapshot(), each))
    }),
    &Table::new("V$SYSSTAT", &[FIGURES], |cx, each| {
        let snapshot = cx.session.instance().system_meter().snapshot();
        Statistic::ALL
            .into_iter()
            .try_for_each(|statistic| each(Figure { statistic, value: snapshot.value(statistic) }))
    }),
    &Table::new("V$SYS_TIME_MODEL", &[TIMES], |cx, each| {
        times(None, &cx.session.instance().system_meter().snapshot(), each)
    })
    .without(&["SID"]),
    &Table::new("V$SESS_TIME_MODEL", &[TIMES], |cx, each| {
        let meters = cx.session.instance().meters();
        meters.iter().try_for_each(|meter| times(Some(meter.sid()), &meter.snapshot(), each))
    }),
    &Table::new("V$WAITSTAT", &[CLASS_WAITS], |cx, each| {
        let snapshot = cx.session.instance().system_meter().snapshot();
        BlockClass::ALL.into_iter().try_for_each(|class| each(ClassWaits(class, snapshot.buffer_waits(class))))
    }),
    &Table::new("V$HIGHWATER_GETS", &[GETS], |cx, each| {
        for meter in cx.session.instance().meters() {
            let snapshot = meter.snapshot();
            for class in BlockClass::ALL {
                for (mode, name) in [(GetMode::Consistent, "CONSISTENT"), (GetMode::Current, "CURRENT")] {
                    each(Gets { sid: meter.sid(), class, mode: name, gets: snapshot.gets(class, mode) })?;
                }
            }
        }
        Ok(())
    }),
];

fn session_figures(sid: u32, snapshot: &MeterSnapshot, each: Each<'_, SessionFigure>) -> Result<()> {
    Statistic::ALL
        .into_iter()
        .try_for_each(|statistic| each(SessionFigure { sid, statistic, value: snapshot.value(statistic) }))
}

fn times(sid: Option<u32>, snapshot: &MeterSnapshot, each: Each<'_, Time>) -> Result<()> {
    TIME_MODEL.into_iter().try_for_each(|(name, statistic)| each(Time { sid, name, micros: snapshot.value(statistic) }))
}
