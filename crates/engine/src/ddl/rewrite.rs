//! ALTER TABLE that needs the rows written anew: DROP COLUMN, a CHAR of another length, and MOVE.
//!
//! The rows go into a new segment under a new data object number, and the old segment is dropped when the next catalog
//! is in place, as TRUNCATE does it. Queries that began with the old definition never see a row of the new form: they
//! end with ORA-08103, as they do when their table is truncated. The statement can be undone as a whole until its end.
//! Rowids change, so every index is rebuilt.

use std::sync::Arc;

use common::{BlockAddress, Error, ObjectNumber, Result};
use scan::{RowSink, ScanSpec};

use super::check::{Physical, PhysicalAttributes, check_storage};
use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::load::index_segment_spec;
use crate::dictionary::rows::{ColumnRow, IndexColumnRow, IndexRow, ObjectRow};
use crate::dictionary::table_rows::{column_rows, index_column_rows, index_row};
use crate::dictionary::{ColumnDef, IndexDef, TableDef};
use storage::segment::{SegmentSpec, Storage};
use storage::table;

/// Rows read before they are written.
const BATCH_ROWS: usize = 1000;

/// Source of a column of the new rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CarriedColumn {
    /// Position in the old rows.
    pub(super) from: u16,
    /// Some: a CHAR of this length; longer values lose trailing blanks, shorter ones are padded.
    pub(super) char_bytes: Option<u16>,
}

/// Target of ALTER TABLE … MOVE; attributes that are not given stay as they are.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MoveTo {
    pub tablespace: Option<String>,
    pub physical: PhysicalAttributes,
    /// The default: as it is.
    pub storage: Storage,
}

impl Ddl<'_> {
    pub(super) fn drop_columns(&mut self, table: TableDef, names: &[String], cascade: bool) -> Result<TableDef> {
        let mut gone = Vec::new();
        for name in names {
            let position = table
                .column(name)
                .ok_or_else(|| Error::user(904, format!("table {} has no column {name}", table.qualified_name())))?;
            if gone.contains(&position) {
                return Err(Error::user(957, format!("column {name} is named twice")));
            }
            gone.push(position);
        }
        if gone.len() == table.columns.len() {
            return Err(Error::user(12983, "not all columns of a table can be dropped"));
        }
        let changed_us = table.changed_us;
        let table = TableDef { changed_us, ..TableDef::clone(&*self.drop_constraints_on(&table, &gone, cascade)?) };
        let kept: Vec<usize> = (0..table.columns.len()).filter(|column| !gone.contains(column)).collect();
        let columns = kept.iter().map(|column| table.columns[*column].clone()).collect();
        let carried: Vec<CarriedColumn> =
            kept.iter().map(|column| CarriedColumn { from: *column as u16, char_bytes: None }).collect();
        let after = self.rewrite(table, columns, &carried)?;
        self.move_constraint_columns(&after, &kept)?;
        Ok(after)
    }

    /// Rewrites the table with these columns, its rows and indexes in new segments. Indexes on a column that is not
    /// carried over are dropped.
    pub(super) fn rewrite(
        &mut self,
        before: TableDef,
        columns: Vec<ColumnDef>,
        carried: &[CarriedColumn],
    ) -> Result<TableDef> {
        let spec = before.segment.spec().clone();
        self.rewrite_into(before, columns, carried, spec)
    }

    /// The same, with the rows in a segment like `spec`.
    fn rewrite_into(
        &mut self,
        before: TableDef,
        columns: Vec<ColumnDef>,
        carried: &[CarriedColumn],
        spec: SegmentSpec,
    ) -> Result<TableDef> {
        let data_object = self.new_object();
        let spec = SegmentSpec { data_object, ..spec };
        let segment = self.create_segment(&spec)?;
        let before = Arc::new(before);
        let mut after = TableDef { statistics: None, column_statistics: Arc::default(), ..TableDef::clone(&before) };
        let heap = after.heap_mut();
        (heap.columns, heap.segment, heap.indexes) = (columns, segment, Vec::new());
        self.carry_rows(&before, &Arc::new(after.clone()), carried)?;
        self.delete::<ColumnRow>(&equal("OBJ#", before.object.0)?)?;
        self.insert(&column_rows(before.object, &after.columns))?;
        for old in &before.indexes {
            let position = |column: &u16| carried.iter().position(|carried| carried.from == *column);
            let columns: Option<Vec<u16>> =
                old.columns.iter().map(|column| position(column).map(|at| at as u16)).collect();
            match columns {
                Some(columns) => self.rebuild_index(&after, old, columns)?,
                None => {
                    self.delete_index_rows(old.object.0)?;
                    self.catalog.remove_index(old.object);
                }
            }
            self.drop_at_end(old.segment.clone());
        }
        self.drop_at_end(before.segment.clone());
        after.segment.moved(self.session.instance().visible_scn());
        Ok(after)
    }

    /// ALTER TABLE … MOVE: the rows go into a new segment with the given attributes, tablespace and storage, and else
    /// the present ones.
    ///
    /// # Errors
    /// ORA-00959, ORA-01950 of the tablespace; those of attributes; ORA-01653 where the rows do not fit.
    pub(super) fn move_table(&mut self, table: TableDef, to: &MoveTo) -> Result<TableDef> {
        let tablespace = match &to.tablespace {
            Some(name) => {
                let owner = self.catalog.require_user(&table.owner)?.clone();
                self.tablespace_for(&owner, Some(name))?
            }
            None => Arc::clone(table.segment.tablespace()),
        };
        let now = Physical {
            pctfree: table.pctfree,
            pctused: table.pctused,
            initrans: table.initrans,
            maxtrans: table.maxtrans,
        };
        let physical = now.with(to.physical, tablespace.block_size(), tablespace.space_management())?;
        let spec = table.segment.spec();
        let flash_cache = to.storage.flash_cache.or(table.storage.flash_cache);
        let asked = Storage { flash_cache: None, ..to.storage.clone() };
        let storage = if asked == Storage::default() { table.storage.clone() } else { asked };
        let storage = Storage { flash_cache, ..storage };
        check_storage(&storage, &tablespace)?;
        let spec = SegmentSpec {
            tablespace: tablespace.number(),
            pctfree: physical.pctfree,
            pctused: physical.pctused,
            initrans: physical.initrans,
            maxtrans: physical.maxtrans,
            storage: storage.clone(),
            ..spec.clone()
        };
        let columns = table.columns.clone();
        let carried: Vec<CarriedColumn> =
            (0..columns.len()).map(|column| CarriedColumn { from: column as u16, char_bytes: None }).collect();
        let moved = self.rewrite_into(table, columns, &carried, spec)?;
        Ok(TableDef {
            pctfree: physical.pctfree,
            pctused: physical.pctused,
            initrans: physical.initrans,
            maxtrans: physical.maxtrans,
            storage,
            ..moved
        })
    }

    fn carry_rows(&self, before: &Arc<TableDef>, after: &Arc<TableDef>, carried: &[CarriedColumn]) -> Result<()> {
        let projection = carried.iter().map(|carried| carried.from).collect();
        let spec = ScanSpec { projection, predicate: None, rowids: false };
        let mut scan = table::TableScan::new(self.session.worker().clone(), before.heap().clone(), spec)?;
        let mut appender = table::Appender::new(self.session.worker().clone(), after.heap().clone())?;
        let mut more = true;
        while more {
            let mut batch = Batch(Vec::new());
            more = scan.next(&mut batch, BATCH_ROWS)?;
            for mut row in batch.0 {
                for ((value, carried), column) in row.iter_mut().zip(carried).zip(&after.columns) {
                    if let (Some(value), Some(bytes)) = (value, carried.char_bytes) {
                        to_length(value, usize::from(bytes), &column.name)?;
                    }
                }
                let columns: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
                appender.push(&columns)?;
            }
        }
        appender.finish()?;
        Ok(())
    }

    pub(super) fn rebuild_index(&mut self, table: &TableDef, old: &IndexDef, columns: Vec<u16>) -> Result<()> {
        let data_object = self.new_object();
        let spec = index_segment_spec(
            old.qualified_name(),
            old.object,
            data_object,
            old.segment.tablespace().number(),
            old.pctfree,
            (old.initrans, old.maxtrans),
            old.storage.clone(),
        );
        let segment = self.create_segment(&spec)?;
        let mut new = IndexDef { columns, segment, changed_us: table.changed_us, ..IndexDef::clone(old) };
        let built = table::build_index(self.session, table, &new, &new.segment)?;
        new.root = built.root;
        new.statistics = Some(built.statistics);
        new.analyzed_us = table.changed_us;
        let object = equal("OBJ#", new.object.0)?;
        self.delete::<IndexColumnRow>(&object)?;
        self.insert(&index_column_rows(&new))?;
        self.update::<IndexRow>(&object, |row| *row = index_row(&new))?;
        self.update::<ObjectRow>(&object, |row| row.data_object = data_object.0)?;
        self.touch(new.object, table.changed_us)?;
        self.catalog.put_index(new);
        Ok(())
    }
}

/// A text as a CHAR of this length.
fn to_length(value: &mut Vec<u8>, bytes: usize, column: &str) -> Result<()> {
    if value.get(bytes..).is_some_and(|rest| rest.iter().any(|byte| *byte != b' ')) {
        return Err(Error::user(1441, format!("column {column} holds values longer than {bytes} bytes")));
    }
    value.resize(bytes, b' ');
    Ok(())
}

struct Batch(Vec<Vec<Option<Vec<u8>>>>);

impl RowSink for Batch {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        self.0.push(columns.iter().map(|value| value.map(<[u8]>::to_vec)).collect());
    }
}
