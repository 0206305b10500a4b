//! Tables.

use common::Result;
use engine::dictionary::{Holder, ObjectKind, SchemaObject};
use scalar::Datum;

use super::segments::{extent_figures, freelist_figures};
use super::view::{Rows, Scope, View, ViewColumn, ViewContext, at, date, maybe, n, number, s, text, yes};

/// DEGREE of serial access, right-aligned in ten characters.
const SERIAL: &str = "         1";

const COLUMNS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("TABLE_NAME", 128),
    text("TABLESPACE_NAME", 30),
    text("CLUSTER_NAME", 128),
    text("IOT_NAME", 128),
    text("STATUS", 8),
    number("PCT_FREE"),
    number("PCT_USED"),
    number("INI_TRANS"),
    number("MAX_TRANS"),
    number("INITIAL_EXTENT"),
    number("NEXT_EXTENT"),
    number("MIN_EXTENTS"),
    number("MAX_EXTENTS"),
    number("PCT_INCREASE"),
    number("FREELISTS"),
    number("FREELIST_GROUPS"),
    text("LOGGING", 3),
    number("NUM_ROWS"),
    number("BLOCKS"),
    number("EMPTY_BLOCKS"),
    number("AVG_SPACE"),
    number("CHAIN_CNT"),
    number("AVG_ROW_LEN"),
    text("DEGREE", 10),
    text("CACHE", 5),
    number("SAMPLE_SIZE"),
    date("LAST_ANALYZED"),
    text("PARTITIONED", 3),
    text("IOT_TYPE", 12),
    text("TEMPORARY", 1),
    text("SECONDARY", 1),
    text("NESTED", 3),
    text("BUFFER_POOL", 7),
    text("ROW_MOVEMENT", 8),
    text("DEPENDENCIES", 8),
    text("COMPRESSION", 8),
    text("COMPRESS_FOR", 30),
    text("DROPPED", 3),
    text("READ_ONLY", 3),
    text("SEGMENT_CREATED", 3),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_TABLES", columns: COLUMNS, rows: |cx, rows| tables(cx, rows, Scope::Dba) },
    View { name: "ALL_TABLES", columns: COLUMNS, rows: |cx, rows| tables(cx, rows, Scope::All) },
    View {
        name: "USER_TABLES",
        columns: match COLUMNS.split_first() {
            Some((_, rest)) => rest,
            None => COLUMNS,
        },
        rows: |cx, rows| tables(cx, rows, Scope::User),
    },
    View {
        name: "TAB",
        columns: &[text("TNAME", 128), text("TABTYPE", 13), number("CLUSTERID")],
        rows: |cx, rows| {
            let user = cx.session.rights();
            cx.catalog
                .tables_of(user.name())
                .try_for_each(|table| rows.add(&[s(&table.name), s("TABLE"), Datum::Null]))?;
            // TAB has objects that can be selected from, and the synonyms.
            let selectable =
                |object: &&SchemaObject| object.kind() != ObjectKind::Sequence && !object.kind().is_program();
            let others = cx.catalog.others_of(user.name()).filter(selectable);
            others
                .into_iter()
                .try_for_each(|object| rows.add(&[s(object.name()), s(object.kind().to_string()), Datum::Null]))
        },
    },
    View {
        name: "CAT",
        columns: &[text("TABLE_NAME", 128), text("TABLE_TYPE", 11)],
        rows: |cx, rows| {
            let user = cx.session.rights();
            cx.catalog.tables_of(user.name()).try_for_each(|table| rows.add(&[s(&table.name), s("TABLE")]))?;
            cx.catalog
                .others_of(user.name())
                .filter(|object| !object.kind().is_program())
                .try_for_each(|object| rows.add(&[s(object.name()), s(object.kind().to_string())]))
        },
    },
];

fn tables(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for table in cx.catalog.tables().filter(|table| cx.shows(scope, table)) {
        let statistics = table.statistics;
        let manual = table.segment.management() == storage::control::SpaceManagement::Manual;
        let mut row = Vec::new();
        if scope != Scope::User {
            row.push(s(&table.owner));
        }
        row.extend([
            s(&table.name),
            s(table.segment.tablespace().name()),
            Datum::Null,
            Datum::Null,
            s("VALID"),
            n(table.pctfree),
            // Bitmaps know no PCTUSED.
            maybe(manual.then_some(table.pctused), n),
            n(table.initrans),
            n(table.maxtrans),
        ]);
        row.extend(extent_figures(&table.segment, &table.storage));
        row.extend(freelist_figures(&table.segment, &table.storage));
        row.extend([
            yes(table.logging),
            maybe(statistics, |found| n(found.num_rows)),
            maybe(statistics, |found| n(found.blocks)),
            maybe(statistics, |found| n(found.empty_blocks)),
            maybe(statistics, |found| n(found.average_space)),
            maybe(statistics, |found| n(found.chained_rows)),
            maybe(statistics, |found| n(found.average_row_bytes)),
            s(SERIAL),
            s(if table.cache { "    Y" } else { "    N" }),
            // Statistics are always of all rows.
            maybe(statistics, |found| n(found.num_rows)),
            at(statistics.map_or(0, |found| found.analyzed_us))?,
            yes(false),
            Datum::Null,
            s("N"),
            s("N"),
            yes(false),
            s("DEFAULT"),
            s(if table.row_movement { "ENABLED" } else { "DISABLED" }),
            s("DISABLED"),
            s("DISABLED"),
            Datum::Null,
            yes(false),
            yes(false),
            yes(true),
        ]);
        rows.add(&row)?;
    }
    Ok(())
}
