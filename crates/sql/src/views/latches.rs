//! Latches by name.

use waits::{LatchName, LatchTotals};

use super::view::{Column, Table, View, n, number, s, text};

/// A latch, and what sessions did with it.
struct Latch(LatchName, LatchTotals);

const NAMES: &[Column<LatchName>] = &[
    number("LATCH#", |latch| n(latch.number())),
    text("NAME", 64, |latch| s(latch.name())),
    number("HASH", |latch| n(waits::sql_hash(latch.name()))),
];

const LATCHES: &[Column<Latch>] = &[
    number("LATCH#", |Latch(latch, _)| n(latch.number())),
    text("NAME", 64, |Latch(latch, _)| s(latch.name())),
    number("HASH", |Latch(latch, _)| n(waits::sql_hash(latch.name()))),
    number("GETS", |Latch(_, totals)| n(totals.gets)),
    number("MISSES", |Latch(_, totals)| n(totals.misses)),
    number("SLEEPS", |Latch(_, totals)| n(totals.sleeps)),
    number("IMMEDIATE_GETS", |Latch(_, totals)| n(totals.immediate_gets)),
    number("IMMEDIATE_MISSES", |Latch(_, totals)| n(totals.immediate_misses)),
    number("SPIN_GETS", |Latch(_, totals)| n(totals.spin_gets)),
    // Microseconds.
    number("WAIT_TIME", |Latch(_, totals)| n(totals.wait_us)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$LATCH", &[LATCHES], |cx, each| {
        let snapshot = cx.session.instance().system_meter().snapshot();
        LatchName::ALL.into_iter().try_for_each(|latch| each(Latch(latch, snapshot.latch(latch))))
    }),
    &Table::new("V$LATCHNAME", &[NAMES], |_, each| LatchName::ALL.into_iter().try_for_each(each)),
];
