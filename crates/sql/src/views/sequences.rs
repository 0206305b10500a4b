//! Sequences.

use common::Result;
use engine::dictionary::SchemaObject;
use format::number;
use scalar::Datum;

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, n, number, s, text};

const COLUMNS: &[ViewColumn] = &[
    text("SEQUENCE_OWNER", 128),
    text("SEQUENCE_NAME", 128),
    number("MIN_VALUE"),
    number("MAX_VALUE"),
    number("INCREMENT_BY"),
    text("CYCLE_FLAG", 1),
    text("ORDER_FLAG", 1),
    number("CACHE_SIZE"),
    number("LAST_NUMBER"),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_SEQUENCES", columns: COLUMNS, rows: |cx, rows| sequences(cx, rows, Scope::Dba) },
    View { name: "ALL_SEQUENCES", columns: COLUMNS, rows: |cx, rows| sequences(cx, rows, Scope::All) },
    View { name: "USER_SEQUENCES", columns: own(), rows: |cx, rows| sequences(cx, rows, Scope::User) },
    View { name: "SEQ", columns: own(), rows: |cx, rows| sequences(cx, rows, Scope::User) },
];

const fn own() -> &'static [ViewColumn] {
    match COLUMNS.split_first() {
        Some((_, rest)) => rest,
        None => COLUMNS,
    }
}

fn sequences(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for object in cx.catalog.others().filter(|object| cx.shows_object(scope, object)) {
        let SchemaObject::Sequence(sequence) = object else { continue };
        let settings = sequence.settings;
        let wide = |value: i128| number::encode_i128(value, 0).map(Datum::Number);
        let mut row = Vec::new();
        if scope != Scope::User {
            row.push(s(&sequence.owner));
        }
        row.extend([
            s(&sequence.name),
            wide(settings.minimum)?,
            wide(settings.maximum)?,
            wide(settings.increment)?,
            flag(settings.cycle),
            flag(settings.order),
            n(settings.cache),
            wide(sequence.last_number())?,
        ]);
        rows.add(&row)?;
    }
    Ok(())
}

fn flag(value: bool) -> Datum {
    s(if value { "Y" } else { "N" })
}
