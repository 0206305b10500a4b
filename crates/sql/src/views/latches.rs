//! Latches by name.

use waits::LatchName;

use super::view::{View, n, number, s, text};

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$LATCH",
        columns: &[
            number("LATCH#"),
            text("NAME", 64),
            number("HASH"),
            number("GETS"),
            number("MISSES"),
            number("SLEEPS"),
            number("IMMEDIATE_GETS"),
            number("IMMEDIATE_MISSES"),
            number("SPIN_GETS"),
            number("WAIT_TIME"),
        ],
        rows: |cx, rows| {
            let snapshot = cx.session.instance().system_meter().snapshot();
            LatchName::ALL.into_iter().try_for_each(|latch| {
                let totals = snapshot.latch(latch);
                rows.add(&[
                    n(latch.number()),
                    s(latch.name()),
                    n(waits::sql_hash(latch.name())),
                    n(totals.gets),
                    n(totals.misses),
                    n(totals.sleeps),
                    n(totals.immediate_gets),
                    n(totals.immediate_misses),
                    n(totals.spin_gets),
                    // Microseconds.
                    n(totals.wait_us),
                ])
            })
        },
    },
    View {
        name: "V$LATCHNAME",
        columns: &[number("LATCH#"), text("NAME", 64), number("HASH")],
        rows: |_, rows| {
            LatchName::ALL
                .into_iter()
                .try_for_each(|latch| rows.add(&[n(latch.number()), s(latch.name()), n(waits::sql_hash(latch.name()))]))
        },
    },
];
