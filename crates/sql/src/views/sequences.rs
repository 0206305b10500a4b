//! Sequences.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{SchemaObject, SequenceDef};
use format::number::encode_i128;
use scalar::Datum;

use super::view::{Column, Each, Scope, Table, View, ViewContext, checked_number, n, number, s, text};

fn wide(value: i128) -> Result<Datum> {
    encode_i128(value, 0).map(Datum::Number)
}

fn flag(value: bool) -> Datum {
    s(if value { "Y" } else { "N" })
}

const SEQUENCES: &[Column<Arc<SequenceDef>>] = &[
    text("SEQUENCE_OWNER", 128, |sequence| s(&sequence.owner)),
    text("SEQUENCE_NAME", 128, |sequence| s(&sequence.name)),
    checked_number("MIN_VALUE", |sequence| wide(sequence.settings.minimum)),
    checked_number("MAX_VALUE", |sequence| wide(sequence.settings.maximum)),
    checked_number("INCREMENT_BY", |sequence| wide(sequence.settings.increment)),
    text("CYCLE_FLAG", 1, |sequence| flag(sequence.settings.cycle)),
    text("ORDER_FLAG", 1, |sequence| flag(sequence.settings.order)),
    number("CACHE_SIZE", |sequence| n(sequence.settings.cache)),
    checked_number("LAST_NUMBER", |sequence| wide(sequence.last_number())),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_SEQUENCES", &[SEQUENCES], |cx, each| sequences(cx, each, Scope::Dba)),
    &Table::new("ALL_SEQUENCES", &[SEQUENCES], |cx, each| sequences(cx, each, Scope::All)),
    &Table::new("USER_SEQUENCES", &[SEQUENCES], |cx, each| sequences(cx, each, Scope::User))
        .without(&["SEQUENCE_OWNER"]),
    &Table::new("SEQ", &[SEQUENCES], |cx, each| sequences(cx, each, Scope::User)).without(&["SEQUENCE_OWNER"]),
];

fn sequences(cx: &ViewContext, each: Each<'_, Arc<SequenceDef>>, scope: Scope) -> Result<()> {
    for object in cx.catalog.others().filter(|object| cx.shows_object(scope, object)) {
        if let SchemaObject::Sequence(sequence) = object {
            each(Arc::clone(sequence))?;
        }
    }
    Ok(())
}
