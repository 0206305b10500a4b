//! Definitions as dictionary rows.

use common::ObjectNumber;

use super::field::Moment;
use super::rows::{ColumnRow, IndexColumnRow, IndexRow, ObjectRow, STATUS_VALID, TableRow, encode_type};
use super::table::TableDef;
use super::user::UserNumber;
use super::{ColumnDef, IndexDef};

pub(crate) fn object_row(
    object: ObjectNumber,
    data_object: ObjectNumber,
    owner: UserNumber,
    name: &str,
    kind: u8,
    created_us: u64,
) -> ObjectRow {
    ObjectRow {
        object: object.0,
        data_object: data_object.0,
        owner: owner.0,
        name: name.to_owned(),
        kind,
        created: Moment(created_us),
        changed: Moment(created_us),
        status: STATUS_VALID,
    }
}

pub(crate) fn table_row(table: &TableDef) -> TableRow {
    let statistics = table.statistics;
    TableRow {
        object: table.object.0,
        tablespace: table.segment.tablespace().number().0,
        header: table.segment.header().pack(),
        columns: table.columns.len() as u16,
        pctfree: table.pctfree,
        pctused: table.pctused,
        initrans: table.initrans,
        maxtrans: table.maxtrans,
        cache: table.cache,
        initial: table.storage.initial,
        next: table.storage.next,
        minextents: table.storage.minextents,
        maxextents: table.storage.maxextents,
        pctincrease: table.storage.pctincrease,
        freelists: table.storage.freelists,
        freelist_groups: table.storage.freelist_groups,
        num_rows: statistics.map(|s| s.num_rows),
        blocks: statistics.map(|s| s.blocks),
        empty_blocks: statistics.map(|s| s.empty_blocks),
        average_row_bytes: statistics.map(|s| s.average_row_bytes),
        analyzed: statistics.map(|s| Moment(s.analyzed_us)),
        average_space: statistics.map(|s| s.average_space),
        chained_rows: statistics.map(|s| s.chained_rows),
        nologging: (!table.logging).then_some(1),
        row_movement: table.row_movement.then_some(1),
        sampled: statistics.filter(|s| s.sampled_rows != s.num_rows).map(|s| s.sampled_rows),
        flash_cache: table.storage.flash_cache.map(|wanted| wanted as u8).filter(|code| *code > 0),
    }
}

pub(crate) fn column_rows(object: ObjectNumber, columns: &[ColumnDef]) -> Vec<ColumnRow> {
    (1u16..).zip(columns).map(|(position, column)| column_row(object, position, column)).collect()
}

pub(crate) fn column_row(object: ObjectNumber, position: u16, column: &ColumnDef) -> ColumnRow {
    let (kind, length, precision, scale) = encode_type(column.data_type);
    ColumnRow {
        object: object.0,
        position,
        name: column.name.clone(),
        kind,
        length,
        precision,
        scale,
        not_null: !column.nullable,
        default: column.default.clone(),
        distinct: None,
        nulls: None,
        low: None,
        high: None,
        histogram: None,
    }
}

pub(crate) fn index_row(index: &IndexDef) -> IndexRow {
    let statistics = index.statistics.as_ref();
    IndexRow {
        object: index.object.0,
        table: index.table.0,
        tablespace: index.segment.tablespace().number().0,
        header: index.segment.header().pack(),
        root: index.root.pack(),
        unique: index.unique,
        pctfree: index.pctfree,
        initrans: index.initrans,
        maxtrans: index.maxtrans,
        initial: index.storage.initial,
        next: index.storage.next,
        minextents: index.storage.minextents,
        maxextents: index.storage.maxextents,
        pctincrease: index.storage.pctincrease,
        freelists: index.storage.freelists,
        freelist_groups: index.storage.freelist_groups,
        blevel: statistics.map(|s| s.blevel),
        leaf_blocks: statistics.map(|s| s.leaf_blocks),
        distinct_keys: statistics.map(|s| s.distinct_keys),
        clustering_factor: statistics.map(|s| s.clustering_factor),
        num_rows: statistics.map(|s| s.num_rows),
        analyzed: statistics.map(|_| Moment(index.analyzed_us)),
        nologging: (!index.logging).then_some(1),
        flash_cache: index.storage.flash_cache.map(|wanted| wanted as u8).filter(|code| *code > 0),
    }
}

pub(crate) fn index_column_rows(index: &IndexDef) -> Vec<IndexColumnRow> {
    (1u16..)
        .zip(&index.columns)
        .map(|(position, column)| IndexColumnRow {
            object: index.object.0,
            table: index.table.0,
            position,
            column: column + 1,
        })
        .collect()
}
