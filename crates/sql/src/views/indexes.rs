//! Indexes and their columns.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{IndexDef, TableDef};
use scalar::Datum;
use storage::index::IndexStatistics;

use super::columns::length;
use super::segments::storage_columns;
use super::view::{Column, Each, Scope, Table, View, ViewContext, date, maybe, n, number, s, text, unless_zero, yes};

/// A figure of the statistics, where there are any.
fn analyzed(index: &IndexDef, figure: fn(&IndexStatistics) -> Datum) -> Datum {
    maybe(index.statistics.as_ref(), figure)
}

/// A figure for each key: rounded, and at least one where there is a key.
fn per_key(figure: u64, keys: u64) -> Datum {
    n((figure + keys / 2).checked_div(keys).map_or(0, |each| each.max(1)))
}

const INDEXES: &[Column<Arc<IndexDef>>] = &[
    text("OWNER", 128, |index| s(&index.owner)),
    text("INDEX_NAME", 128, |index| s(&index.name)),
    text("INDEX_TYPE", 27, |_| s("NORMAL")),
    text("TABLE_OWNER", 128, |index| s(&index.table_owner)),
    text("TABLE_NAME", 128, |index| s(&index.table_name)),
    text("TABLE_TYPE", 11, |_| s("TABLE")),
    text("UNIQUENESS", 9, |index| s(if index.unique { "UNIQUE" } else { "NONUNIQUE" })),
    text("COMPRESSION", 13, |_| s("DISABLED")),
    number("PREFIX_LENGTH", |_| Datum::Null),
    text("TABLESPACE_NAME", 30, |index| s(index.segment.tablespace().name())),
    number("INI_TRANS", |index| n(index.initrans)),
    number("MAX_TRANS", |index| n(index.maxtrans)),
];

const INDEXES_END: &[Column<Arc<IndexDef>>] = &[
    number("PCT_FREE", |index| n(index.pctfree)),
    text("LOGGING", 3, |index| yes(index.logging)),
    number("BLEVEL", |index| analyzed(index, |found| n(found.blevel))),
    number("LEAF_BLOCKS", |index| analyzed(index, |found| n(found.leaf_blocks))),
    number("DISTINCT_KEYS", |index| analyzed(index, |found| n(found.distinct_keys))),
    number("AVG_LEAF_BLOCKS_PER_KEY", |index| analyzed(index, |found| per_key(found.leaf_blocks, found.distinct_keys))),
    number("AVG_DATA_BLOCKS_PER_KEY", |index| {
        analyzed(index, |found| per_key(found.clustering_factor, found.distinct_keys))
    }),
    number("CLUSTERING_FACTOR", |index| analyzed(index, |found| n(found.clustering_factor))),
    text("STATUS", 8, |_| s("VALID")),
    number("NUM_ROWS", |index| analyzed(index, |found| n(found.num_rows))),
    // Statistics are always of all entries.
    number("SAMPLE_SIZE", |index| analyzed(index, |found| n(found.num_rows))),
    date("LAST_ANALYZED", |index| unless_zero(index.analyzed_us)),
    text("DEGREE", 40, |_| s("1")),
    text("PARTITIONED", 3, |_| yes(false)),
    text("TEMPORARY", 1, |_| s("N")),
    text("SECONDARY", 1, |_| s("N")),
    text("BUFFER_POOL", 7, |_| s("DEFAULT")),
    text("FLASH_CACHE", 7, |_| s("DEFAULT")),
    text("CELL_FLASH_CACHE", 7, |index| s(index.storage.flash_cache.unwrap_or_default().name())),
    text("DROPPED", 3, |_| yes(false)),
    text("VISIBILITY", 9, |_| s("VISIBLE")),
    text("SEGMENT_CREATED", 3, |_| yes(true)),
];

/// A column of an index, with its position among them.
struct IndexColumn {
    index: Arc<IndexDef>,
    table: Arc<TableDef>,
    column: u16,
    position: usize,
}

const INDEX_COLUMNS: &[Column<IndexColumn>] = &[
    text("INDEX_OWNER", 128, |row| s(&row.index.owner)),
    text("INDEX_NAME", 128, |row| s(&row.index.name)),
    text("TABLE_OWNER", 128, |row| s(&row.index.table_owner)),
    text("TABLE_NAME", 128, |row| s(&row.index.table_name)),
    text("COLUMN_NAME", 4000, |row| s(&row.table.columns[usize::from(row.column)].name)),
    number("COLUMN_POSITION", |row| n(row.position + 1)),
    number("COLUMN_LENGTH", |row| n(length(Some(row.table.columns[usize::from(row.column)].data_type)))),
    text("DESCEND", 4, |_| s("ASC")),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_INDEXES", &[INDEXES, &storage_columns(), INDEXES_END], |cx, each| indexes(cx, each, Scope::Dba)),
    &Table::new("ALL_INDEXES", &[INDEXES, &storage_columns(), INDEXES_END], |cx, each| indexes(cx, each, Scope::All)),
    &Table::new("USER_INDEXES", &[INDEXES, &storage_columns(), INDEXES_END], |cx, each| indexes(cx, each, Scope::User))
        .without(&["OWNER"]),
    &Table::new("DBA_IND_COLUMNS", &[INDEX_COLUMNS], |cx, each| index_columns(cx, each, Scope::Dba)),
    &Table::new("ALL_IND_COLUMNS", &[INDEX_COLUMNS], |cx, each| index_columns(cx, each, Scope::All)),
    &Table::new("USER_IND_COLUMNS", &[INDEX_COLUMNS], |cx, each| index_columns(cx, each, Scope::User))
        .without(&["INDEX_OWNER", "TABLE_OWNER"]),
];

fn shown(cx: &ViewContext, scope: Scope) -> impl Iterator<Item = &Arc<IndexDef>> {
    cx.catalog.indexes().filter(move |index| match scope {
        Scope::Dba => true,
        Scope::User => index.owner == cx.session.rights(),
        Scope::All => cx.catalog.table_by_number(index.table).is_some_and(|table| cx.sees(table)),
    })
}

fn indexes(cx: &ViewContext, each: Each<'_, Arc<IndexDef>>, scope: Scope) -> Result<()> {
    shown(cx, scope).cloned().try_for_each(each)
}

fn index_columns(cx: &ViewContext, each: Each<'_, IndexColumn>, scope: Scope) -> Result<()> {
    for index in shown(cx, scope) {
        let Some(table) = cx.catalog.table_by_number(index.table) else { continue };
        for (position, column) in index.columns.iter().enumerate() {
            each(IndexColumn { index: Arc::clone(index), table: Arc::clone(table), column: *column, position })?;
        }
    }
    Ok(())
}
