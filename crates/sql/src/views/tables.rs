//! Tables.

use common::Result;

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, at, date, maybe, n, number, s, text, yes};

const COLUMNS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("TABLE_NAME", 128),
    text("TABLESPACE_NAME", 30),
    text("STATUS", 8),
    number("PCT_FREE"),
    number("PCT_USED"),
    number("INI_TRANS"),
    number("MAX_TRANS"),
    number("INITIAL_EXTENT"),
    number("NEXT_EXTENT"),
    number("FREELISTS"),
    number("FREELIST_GROUPS"),
    text("LOGGING", 3),
    number("NUM_ROWS"),
    number("BLOCKS"),
    number("EMPTY_BLOCKS"),
    number("AVG_ROW_LEN"),
    text("CACHE", 5),
    date("LAST_ANALYZED"),
    text("PARTITIONED", 3),
    text("TEMPORARY", 1),
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
            let user = cx.session.user();
            cx.catalog
                .tables_of(&user)
                .try_for_each(|table| rows.add(&[s(&table.name), s("TABLE"), scalar::Datum::Null]))
        },
    },
    View {
        name: "CAT",
        columns: &[text("TABLE_NAME", 128), text("TABLE_TYPE", 11)],
        rows: |cx, rows| {
            let user = cx.session.user();
            cx.catalog.tables_of(&user).try_for_each(|table| rows.add(&[s(&table.name), s("TABLE")]))
        },
    },
];

fn tables(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for table in cx.catalog.tables().filter(|table| cx.shows(scope, table)) {
        let statistics = table.statistics;
        let manual = table.segment.management() == engine::instance::SpaceManagement::Manual;
        let mut row = Vec::new();
        if scope != Scope::User {
            row.push(s(&table.owner));
        }
        row.extend([
            s(&table.name),
            s(table.segment.tablespace().name()),
            s("VALID"),
            n(table.pctfree),
            // Bitmaps know no PCTUSED and no freelists.
            maybe(manual.then_some(table.pctused), n),
            n(table.initrans),
            n(table.maxtrans),
            maybe(table.storage.initial, n),
            maybe(table.storage.next, n),
            maybe(manual.then_some(table.storage.freelists), n),
            maybe(manual.then_some(table.storage.freelist_groups), n),
            yes(true),
            maybe(statistics, |found| n(found.num_rows)),
            maybe(statistics, |found| n(found.blocks)),
            maybe(statistics, |found| n(found.empty_blocks)),
            maybe(statistics, |found| n(found.average_row_bytes)),
            s(if table.cache { "    Y" } else { "    N" }),
            at(statistics.map_or(0, |found| found.analyzed_us))?,
            yes(false),
            s("N"),
        ]);
        rows.add(&row)?;
    }
    Ok(())
}
