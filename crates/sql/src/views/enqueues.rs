//! Enqueues by type and reason.

use waits::Enqueue;

use super::view::{View, n, number, s, text};

/// Microseconds in the unit of CUM_WAIT_TIME.
const MILLISECOND_US: u64 = 1_000;

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$ENQUEUE_STAT",
        columns: &[
            number("INST_ID"),
            text("EQ_TYPE", 2),
            number("TOTAL_REQ#"),
            number("TOTAL_WAIT#"),
            number("SUCC_REQ#"),
            number("FAILED_REQ#"),
            number("CUM_WAIT_TIME"),
        ],
        rows: |cx, rows| {
            let snapshot = cx.session.instance().system_meter().snapshot();
            types().into_iter().try_for_each(|letters| {
                let of_type = || Enqueue::ALL.into_iter().filter(|enqueue| enqueue.letters() == letters);
                let sum = |figure: fn(&waits::EnqueueTotals) -> u64| -> u64 {
                    of_type().map(|enqueue| figure(&snapshot.enqueue(enqueue))).sum()
                };
                rows.add(&[
                    n(1),
                    s(letters),
                    n(sum(waits::EnqueueTotals::requests)),
                    n(sum(|totals| totals.waits)),
                    n(sum(|totals| totals.succeeded)),
                    n(sum(|totals| totals.failed)),
                    n(sum(|totals| totals.wait_us) / MILLISECOND_US),
                ])
            })
        },
    },
    View {
        name: "V$ENQUEUE_STATISTICS",
        columns: &[
            text("EQ_NAME", 64),
            text("EQ_TYPE", 2),
            text("REQ_REASON", 64),
            number("TOTAL_REQ#"),
            number("TOTAL_WAIT#"),
            number("SUCC_REQ#"),
            number("FAILED_REQ#"),
            number("CUM_WAIT_TIME"),
            text("REQ_DESCRIPTION", 4000),
            number("EVENT#"),
        ],
        rows: |cx, rows| {
            let snapshot = cx.session.instance().system_meter().snapshot();
            Enqueue::ALL.into_iter().try_for_each(|enqueue| {
                let totals = snapshot.enqueue(enqueue);
                rows.add(&[
                    s(enqueue.name()),
                    s(enqueue.letters()),
                    s(enqueue.reason()),
                    n(totals.requests()),
                    n(totals.waits),
                    n(totals.succeeded),
                    n(totals.failed),
                    n(totals.wait_us / MILLISECOND_US),
                    s(enqueue.about()),
                    n(enqueue.event().number()),
                ])
            })
        },
    },
    View {
        name: "V$LOCK_TYPE",
        columns: &[text("TYPE", 64), text("NAME", 64), text("DESCRIPTION", 4000)],
        rows: |_, rows| {
            types().into_iter().try_for_each(|letters| {
                let of_type = Enqueue::ALL.into_iter().find(|enqueue| enqueue.letters() == letters);
                of_type.map_or(Ok(()), |enqueue| rows.add(&[s(letters), s(enqueue.name()), s(enqueue.about())]))
            })
        },
    },
];

/// The letters of the types, each once, by name.
fn types() -> Vec<&'static str> {
    let mut types: Vec<_> = Enqueue::ALL.iter().map(|enqueue| enqueue.letters()).collect();
    types.sort_unstable();
    types.dedup();
    types
}
