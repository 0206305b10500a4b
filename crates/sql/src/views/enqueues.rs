//! Enqueues by type and reason.

use waits::{Enqueue, EnqueueTotals};

use super::view::{Column, Table, View, n, number, s, text};

/// Microseconds in the unit of CUM_WAIT_TIME.
const MILLISECOND_US: u64 = 1_000;

/// The enqueues of a type, whatever their reasons, with the totals of each.
struct EnqueueType {
    letters: &'static str,
    totals: Vec<EnqueueTotals>,
}

impl EnqueueType {
    fn sum(&self, figure: fn(&EnqueueTotals) -> u64) -> u64 {
        self.totals.iter().map(figure).sum()
    }
}

const TYPES: &[Column<EnqueueType>] = &[
    number("INST_ID", |_| n(1)),
    text("EQ_TYPE", 2, |row| s(row.letters)),
    number("TOTAL_REQ#", |row| n(row.sum(EnqueueTotals::requests))),
    number("TOTAL_WAIT#", |row| n(row.sum(|totals| totals.waits))),
    number("SUCC_REQ#", |row| n(row.sum(|totals| totals.succeeded))),
    number("FAILED_REQ#", |row| n(row.sum(|totals| totals.failed))),
    number("CUM_WAIT_TIME", |row| n(row.sum(|totals| totals.wait_us) / MILLISECOND_US)),
];

/// Requests of an enqueue for one reason.
struct Requests {
    enqueue: Enqueue,
    totals: EnqueueTotals,
}

const REQUESTS: &[Column<Requests>] = &[
    text("EQ_NAME", 64, |row| s(row.enqueue.name())),
    text("EQ_TYPE", 2, |row| s(row.enqueue.letters())),
    text("REQ_REASON", 64, |row| s(row.enqueue.reason())),
    number("TOTAL_REQ#", |row| n(row.totals.requests())),
    number("TOTAL_WAIT#", |row| n(row.totals.waits)),
    number("SUCC_REQ#", |row| n(row.totals.succeeded)),
    number("FAILED_REQ#", |row| n(row.totals.failed)),
    number("CUM_WAIT_TIME", |row| n(row.totals.wait_us / MILLISECOND_US)),
    text("REQ_DESCRIPTION", 4000, |row| s(row.enqueue.about())),
    number("EVENT#", |row| n(row.enqueue.event().number())),
];

const LOCK_TYPES: &[Column<Enqueue>] = &[
    text("TYPE", 64, |enqueue| s(enqueue.letters())),
    text("NAME", 64, |enqueue| s(enqueue.name())),
    text("DESCRIPTION", 4000, |enqueue| s(enqueue.about())),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$ENQUEUE_STAT", &[TYPES], |cx, each| {
        let snapshot = cx.session.instance().system_meter().snapshot();
        types().into_iter().try_for_each(|letters| {
            let totals = of_type(letters).map(|enqueue| snapshot.enqueue(enqueue)).collect();
            each(EnqueueType { letters, totals })
        })
    }),
    &Table::new("V$ENQUEUE_STATISTICS", &[REQUESTS], |cx, each| {
        let snapshot = cx.session.instance().system_meter().snapshot();
        Enqueue::ALL.into_iter().try_for_each(|enqueue| each(Requests { enqueue, totals: snapshot.enqueue(enqueue) }))
    }),
    &Table::new("V$LOCK_TYPE", &[LOCK_TYPES], |_, each| {
        types().into_iter().filter_map(|letters| of_type(letters).next()).try_for_each(each)
    }),
];

/// The letters of the types, each once, by name.
fn types() -> Vec<&'static str> {
    let mut types: Vec<_> = Enqueue::ALL.iter().map(|enqueue| enqueue.letters()).collect();
    types.sort_unstable();
    types.dedup();
    types
}

fn of_type(letters: &'static str) -> impl Iterator<Item = Enqueue> {
    Enqueue::ALL.into_iter().filter(move |enqueue| enqueue.letters() == letters)
}
