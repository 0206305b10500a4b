//! Memory of sessions, and the library cache.

use format::number::encode_f64;
use plsql::library::UsesValue;
use scalar::Datum;

use super::view::{View, maybe, n, number, s, text};
use crate::cursor::database::Database;

/// A line of V$PGASTAT: name, value, unit.
pub(crate) type PgaLine = (&'static str, u64, &'static str);

/// The known memory of sessions: their work areas. Parsed statements and variables of programs are not counted.
pub(crate) fn pga(database: &Database) -> [PgaLine; 7] {
    let areas = database.work_areas();
    let (in_use, most) = (areas.in_use(), areas.most());
    [
        ("total PGA inuse", in_use, "bytes"),
        ("total PGA allocated", in_use, "bytes"),
        ("maximum PGA allocated", most, "bytes"),
        ("total PGA used for auto workareas", in_use, "bytes"),
        ("maximum PGA used for auto workareas", most, "bytes"),
        ("bytes processed", areas.taken(), "bytes"),
        // Nothing is written to temporary segments.
        ("extra bytes read/written", 0, "bytes"),
    ]
}

/// The namespaces of the library cache, with lookups of their objects.
pub(crate) fn library_cache(database: &Database) -> [(&'static str, UsesValue); 3] {
    let programs = database.programs();
    [
        ("SQL AREA", database.library().uses.value()),
        ("TABLE/PROCEDURE", programs.programs_used.value()),
        ("TRIGGER", programs.triggers_used.value()),
    ]
}

/// Share of hits; 1 without any lookups.
fn ratio(hits: u64, all: u64) -> f64 {
    if all == 0 { 1.0 } else { hits as f64 / all as f64 }
}

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$LIBRARYCACHE",
        columns: &[
            text("NAMESPACE", 64),
            number("GETS"),
            number("GETHITS"),
            number("GETHITRATIO"),
            number("PINS"),
            number("PINHITS"),
            number("PINHITRATIO"),
            number("RELOADS"),
            number("INVALIDATIONS"),
        ],
        rows: |cx, rows| {
            library_cache(&cx.tables.database).into_iter().try_for_each(|(namespace, uses)| {
                rows.add(&[
                    s(namespace),
                    n(uses.gets),
                    n(uses.hits),
                    maybe(encode_f64(ratio(uses.hits, uses.gets)), Datum::from),
                    n(uses.pins),
                    n(uses.pin_hits),
                    maybe(encode_f64(ratio(uses.pin_hits, uses.pins)), Datum::from),
                    n(uses.reloads),
                    n(uses.invalidations),
                ])
            })
        },
    },
    View {
        name: "V$PGASTAT",
        columns: &[text("NAME", 64), number("VALUE"), text("UNIT", 12)],
        rows: |cx, rows| {
            pga(&cx.tables.database)
                .into_iter()
                .try_for_each(|(name, value, unit)| rows.add(&[s(name), n(value), s(unit)]))
        },
    },
];
