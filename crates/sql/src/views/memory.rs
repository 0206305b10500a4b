//! Memory of sessions, and the library cache.

use format::number::encode_f64;
use plsql::library::UsesValue;
use scalar::Datum;

use super::view::{Column, Table, View, maybe, n, number, s, text};
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

/// Name and lookups of a namespace.
struct Namespace(&'static str, UsesValue);

const NAMESPACES: &[Column<Namespace>] = &[
    text("NAMESPACE", 64, |Namespace(name, _)| s(name)),
    number("GETS", |Namespace(_, uses)| n(uses.gets)),
    number("GETHITS", |Namespace(_, uses)| n(uses.hits)),
    number("GETHITRATIO", |Namespace(_, uses)| maybe(encode_f64(ratio(uses.hits, uses.gets)), Datum::from)),
    number("PINS", |Namespace(_, uses)| n(uses.pins)),
    number("PINHITS", |Namespace(_, uses)| n(uses.pin_hits)),
    number("PINHITRATIO", |Namespace(_, uses)| maybe(encode_f64(ratio(uses.pin_hits, uses.pins)), Datum::from)),
    number("RELOADS", |Namespace(_, uses)| n(uses.reloads)),
    number("INVALIDATIONS", |Namespace(_, uses)| n(uses.invalidations)),
];

const PGA: &[Column<PgaLine>] = &[
    text("NAME", 64, |(name, _, _)| s(name)),
    number("VALUE", |(_, value, _)| n(*value)),
    text("UNIT", 12, |(_, _, unit)| s(unit)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$LIBRARYCACHE", &[NAMESPACES], |cx, each| {
        let namespaces = library_cache(&cx.tables.database);
        namespaces.into_iter().try_for_each(|(name, uses)| each(Namespace(name, uses)))
    }),
    &Table::new("V$PGASTAT", &[PGA], |cx, each| pga(&cx.tables.database).into_iter().try_for_each(each)),
];
