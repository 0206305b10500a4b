//! Tables.

use std::sync::Arc;

use engine::dictionary::{Holder, ObjectKind, SchemaObject, TableDef, TableStatistics};
use scalar::Datum;
use storage::control::SpaceManagement;

use super::segments::storage_columns;
use super::view::{Column, Each, Scope, Table, View, ViewContext, date, maybe, n, number, s, text, unless_zero, yes};

/// DEGREE of serial access, right-aligned in ten characters.
const SERIAL: &str = "         1";

/// A figure of the statistics, where there are any.
fn analyzed(table: &TableDef, figure: fn(&TableStatistics) -> Datum) -> Datum {
    maybe(table.statistics.as_ref(), figure)
}

const TABLES: &[Column<Arc<TableDef>>] = &[
    text("OWNER", 128, |table| s(&table.owner)),
    text("TABLE_NAME", 128, |table| s(&table.name)),
    text("TABLESPACE_NAME", 30, |table| s(table.segment.tablespace().name())),
    text("CLUSTER_NAME", 128, |_| Datum::Null),
    text("IOT_NAME", 128, |_| Datum::Null),
    text("STATUS", 8, |_| s("VALID")),
    number("PCT_FREE", |table| n(table.pctfree)),
    // Bitmaps know no PCTUSED.
    number("PCT_USED", |table| {
        maybe((table.segment.management() == SpaceManagement::Manual).then_some(table.pctused), n)
    }),
    number("INI_TRANS", |table| n(table.initrans)),
    number("MAX_TRANS", |table| n(table.maxtrans)),
];

const TABLES_END: &[Column<Arc<TableDef>>] = &[
    text("LOGGING", 3, |table| yes(table.logging)),
    number("NUM_ROWS", |table| analyzed(table, |found| n(found.num_rows))),
    number("BLOCKS", |table| analyzed(table, |found| n(found.blocks))),
    number("EMPTY_BLOCKS", |table| analyzed(table, |found| n(found.empty_blocks))),
    number("AVG_SPACE", |table| analyzed(table, |found| n(found.average_space))),
    number("CHAIN_CNT", |table| analyzed(table, |found| n(found.chained_rows))),
    number("AVG_ROW_LEN", |table| analyzed(table, |found| n(found.average_row_bytes))),
    text("DEGREE", 10, |_| s(SERIAL)),
    text("CACHE", 5, |table| s(if table.cache { "    Y" } else { "    N" })),
    number("SAMPLE_SIZE", |table| analyzed(table, |found| n(found.sampled_rows))),
    date("LAST_ANALYZED", |table| table.statistics.and_then(|found| unless_zero(found.analyzed_us))),
    text("PARTITIONED", 3, |_| yes(false)),
    text("IOT_TYPE", 12, |_| Datum::Null),
    text("TEMPORARY", 1, |_| s("N")),
    text("SECONDARY", 1, |_| s("N")),
    text("NESTED", 3, |_| yes(false)),
    text("BUFFER_POOL", 7, |_| s("DEFAULT")),
    text("FLASH_CACHE", 7, |_| s("DEFAULT")),
    text("CELL_FLASH_CACHE", 7, |table| s(table.storage.flash_cache.unwrap_or_default().name())),
    text("ROW_MOVEMENT", 8, |table| s(if table.row_movement { "ENABLED" } else { "DISABLED" })),
    text("DEPENDENCIES", 8, |_| s("DISABLED")),
    text("COMPRESSION", 8, |_| s("DISABLED")),
    text("COMPRESS_FOR", 30, |_| Datum::Null),
    text("DROPPED", 3, |_| yes(false)),
    text("READ_ONLY", 3, |_| yes(false)),
    text("SEGMENT_CREATED", 3, |_| yes(true)),
];

/// A table or another object of the user.
struct Own {
    name: String,
    kind: String,
}

impl Own {
    fn table(table: &Arc<TableDef>) -> Self {
        Self { name: table.name.clone(), kind: "TABLE".to_owned() }
    }

    fn other(object: &SchemaObject) -> Self {
        Self { name: object.name().to_owned(), kind: object.kind().to_string() }
    }
}

const TAB: &[Column<Own>] = &[
    text("TNAME", 128, |own| s(&own.name)),
    text("TABTYPE", 13, |own| s(&own.kind)),
    number("CLUSTERID", |_| Datum::Null),
];

const CAT: &[Column<Own>] = &[text("TABLE_NAME", 128, |own| s(&own.name)), text("TABLE_TYPE", 11, |own| s(&own.kind))];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_TABLES", &[TABLES, &storage_columns(), TABLES_END], |cx, each| tables(cx, each, Scope::Dba)),
    &Table::new("ALL_TABLES", &[TABLES, &storage_columns(), TABLES_END], |cx, each| tables(cx, each, Scope::All)),
    &Table::new("USER_TABLES", &[TABLES, &storage_columns(), TABLES_END], |cx, each| tables(cx, each, Scope::User))
        .without(&["OWNER"]),
    &Table::new("TAB", &[TAB], |cx, each| {
        // TAB has objects that can be selected from, and the synonyms.
        own(cx, each, |kind| kind != ObjectKind::Sequence && !kind.is_program())
    }),
    &Table::new("CAT", &[CAT], |cx, each| own(cx, each, |kind| !kind.is_program())),
];

fn tables(cx: &ViewContext, each: Each<'_, Arc<TableDef>>, scope: Scope) -> common::Result<()> {
    cx.catalog.tables().filter(|table| cx.shows(scope, table)).cloned().try_for_each(each)
}

/// The user's tables, and the other objects whose kind is shown.
fn own(cx: &ViewContext, each: Each<'_, Own>, shown: fn(ObjectKind) -> bool) -> common::Result<()> {
    let user = cx.session.rights();
    let tables = cx.catalog.tables_of(user.name()).map(Own::table);
    let others = cx.catalog.others_of(user.name()).filter(|object| shown(object.kind())).map(Own::other);
    tables.chain(others).try_for_each(each)
}
