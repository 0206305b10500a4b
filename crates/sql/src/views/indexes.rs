//! Indexes and their columns.

use common::Result;
use engine::dictionary::IndexDef;
use scalar::Datum;

use super::segments::{extent_figures, freelist_figures};
use super::view::{Rows, Scope, View, ViewColumn, ViewContext, at, date, maybe, n, number, s, text, yes};

const INDEXES: &[ViewColumn] = &[
    text("OWNER", 128),
    text("INDEX_NAME", 128),
    text("INDEX_TYPE", 27),
    text("TABLE_OWNER", 128),
    text("TABLE_NAME", 128),
    text("TABLE_TYPE", 11),
    text("UNIQUENESS", 9),
    text("COMPRESSION", 13),
    number("PREFIX_LENGTH"),
    text("TABLESPACE_NAME", 30),
    number("INI_TRANS"),
    number("MAX_TRANS"),
    number("INITIAL_EXTENT"),
    number("NEXT_EXTENT"),
    number("MIN_EXTENTS"),
    number("MAX_EXTENTS"),
    number("PCT_INCREASE"),
    number("FREELISTS"),
    number("FREELIST_GROUPS"),
    number("PCT_FREE"),
    text("LOGGING", 3),
    number("BLEVEL"),
    number("LEAF_BLOCKS"),
    number("DISTINCT_KEYS"),
    number("AVG_LEAF_BLOCKS_PER_KEY"),
    number("AVG_DATA_BLOCKS_PER_KEY"),
    number("CLUSTERING_FACTOR"),
    text("STATUS", 8),
    number("NUM_ROWS"),
    number("SAMPLE_SIZE"),
    date("LAST_ANALYZED"),
    text("DEGREE", 40),
    text("PARTITIONED", 3),
    text("TEMPORARY", 1),
    text("SECONDARY", 1),
    text("BUFFER_POOL", 7),
    text("DROPPED", 3),
    text("VISIBILITY", 9),
    text("SEGMENT_CREATED", 3),
];

const INDEX_COLUMNS: &[ViewColumn] = &[
    text("INDEX_OWNER", 128),
    text("INDEX_NAME", 128),
    text("TABLE_OWNER", 128),
    text("TABLE_NAME", 128),
    text("COLUMN_NAME", 4000),
    number("COLUMN_POSITION"),
    number("COLUMN_LENGTH"),
    text("DESCEND", 4),
];

const USER_INDEX_COLUMNS: &[ViewColumn] = &[
    text("INDEX_NAME", 128),
    text("TABLE_NAME", 128),
    text("COLUMN_NAME", 4000),
    number("COLUMN_POSITION"),
    number("COLUMN_LENGTH"),
    text("DESCEND", 4),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_INDEXES", columns: INDEXES, rows: |cx, rows| indexes(cx, rows, Scope::Dba) },
    View { name: "ALL_INDEXES", columns: INDEXES, rows: |cx, rows| indexes(cx, rows, Scope::All) },
    View {
        name: "USER_INDEXES",
        columns: match INDEXES.split_first() {
            Some((_, rest)) => rest,
            None => INDEXES,
        },
        rows: |cx, rows| indexes(cx, rows, Scope::User),
    },
    View { name: "DBA_IND_COLUMNS", columns: INDEX_COLUMNS, rows: |cx, rows| index_columns(cx, rows, Scope::Dba) },
    View { name: "ALL_IND_COLUMNS", columns: INDEX_COLUMNS, rows: |cx, rows| index_columns(cx, rows, Scope::All) },
    View {
        name: "USER_IND_COLUMNS",
        columns: USER_INDEX_COLUMNS,
        rows: |cx, rows| index_columns(cx, rows, Scope::User),
    },
];

fn shown(cx: &ViewContext, scope: Scope, index: &IndexDef) -> bool {
    match scope {
        Scope::Dba => true,
        Scope::User => index.owner == cx.session.rights(),
        Scope::All => cx.catalog.table_by_number(index.table).is_some_and(|table| cx.sees(table)),
    }
}

fn indexes(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for index in cx.catalog.indexes().filter(|index| shown(cx, scope, index)) {
        let statistics = index.statistics;
        // Rounded, and at least one where there is a key.
        let per_key = |figure: u64, keys: u64| n((figure + keys / 2).checked_div(keys).map_or(0, |each| each.max(1)));
        let mut row = Vec::new();
        if scope != Scope::User {
            row.push(s(&index.owner));
        }
        row.extend([
            s(&index.name),
            s("NORMAL"),
            s(&index.table_owner),
            s(&index.table_name),
            s("TABLE"),
            s(if index.unique { "UNIQUE" } else { "NONUNIQUE" }),
            s("DISABLED"),
            Datum::Null,
            s(index.segment.tablespace().name()),
            n(index.initrans),
            n(index.maxtrans),
        ]);
        row.extend(extent_figures(&index.segment, &index.storage));
        row.extend(freelist_figures(&index.segment, &index.storage));
        row.extend([
            n(index.pctfree),
            yes(index.logging),
            maybe(statistics, |found| n(found.blevel)),
            maybe(statistics, |found| n(found.leaf_blocks)),
            maybe(statistics, |found| n(found.distinct_keys)),
            maybe(statistics, |found| per_key(found.leaf_blocks, found.distinct_keys)),
            maybe(statistics, |found| per_key(found.clustering_factor, found.distinct_keys)),
            maybe(statistics, |found| n(found.clustering_factor)),
            s("VALID"),
            maybe(statistics, |found| n(found.num_rows)),
            // Statistics are always of all entries.
            maybe(statistics, |found| n(found.num_rows)),
            at(index.analyzed_us)?,
            s("1"),
            yes(false),
            s("N"),
            s("N"),
            s("DEFAULT"),
            yes(false),
            s("VISIBLE"),
            yes(true),
        ]);
        rows.add(&row)?;
    }
    Ok(())
}

fn index_columns(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for index in cx.catalog.indexes().filter(|index| shown(cx, scope, index)) {
        let Some(table) = cx.catalog.table_by_number(index.table) else { continue };
        for (position, column) in index.columns.iter().enumerate() {
            let column = &table.columns[usize::from(*column)];
            let length: u16 = match column.data_type {
                common::DataType::Varchar2 { bytes }
                | common::DataType::Char { bytes }
                | common::DataType::Raw { bytes } => bytes,
                common::DataType::Number { .. } => 22,
                common::DataType::Date => 7,
                common::DataType::Timestamp { .. } => 11,
            };
            let user = scope == Scope::User;
            let mut row = Vec::new();
            if !user {
                row.push(s(&index.owner));
            }
            row.push(s(&index.name));
            if !user {
                row.push(s(&index.table_owner));
            }
            row.extend([s(&index.table_name), s(&column.name), n(position + 1), n(length), s("ASC")]);
            rows.add(&row)?;
        }
    }
    Ok(())
}
