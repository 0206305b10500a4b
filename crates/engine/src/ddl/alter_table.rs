//! ALTER TABLE.

use std::sync::Arc;

use common::{BlockAddress, DataType, Error, ObjectNumber, Result, Rowid, limits};
use scan::{Predicate, RowSink, ScanSpec};

use super::check::{Physical, PhysicalAttributes, check_column, check_name};
use super::constraint::ConstraintSpec;
use super::rewrite::{CarriedColumn, MoveTo};
use super::statement::Ddl;
use crate::dictionary::access::{equal, is};
use crate::dictionary::field::Moment;
use crate::dictionary::rows::{ColumnRow, ObjectRow, TableRow};
use crate::dictionary::table_rows::{column_row, table_row};
use crate::dictionary::{ColumnDef, ConstraintDef, ConstraintKind, IndexDef, SystemPrivilege, TableDef};
use crate::instance::Session;
use storage::cells::FlashUse;
use storage::segment::{SegmentSpec, Storage};
use storage::table::HeapTable;
use storage::{index, table};

/// One change to a table. Names are in the dictionary's case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableChange {
    /// CACHE or NOCACHE.
    Cache(bool),
    /// LOGGING or NOLOGGING.
    Logging(bool),
    /// CELL_FLASH_CACHE of the STORAGE clause.
    FlashCache(FlashUse),
    /// ENABLE or DISABLE ROW MOVEMENT.
    RowMovement(bool),
    /// PCTFREE and its like. Blocks that are formatted already keep their ITL slots.
    Physical(PhysicalAttributes),
    /// Moves rows to the segment's beginning; with `lower` the free space behind them is given back. ORA-10635,
    /// ORA-10636, ORA-10631.
    Shrink {
        lower: bool,
        /// The indexes are built anew.
        cascade: bool,
    },
    /// The rows go into a new segment; indexes follow.
    Move(MoveTo),
    AddColumns(Vec<NewColumn>),
    ModifyColumns(Vec<ColumnChange>),
    /// The rows are written anew; indexes on one of the columns are dropped.
    DropColumns {
        names: Vec<String>,
        cascade: bool,
    },
    RenameTable(String),
    RenameColumn {
        from: String,
        to: String,
    },
}

/// A column to add, with the encoded value of its DEFAULT for existing rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewColumn {
    pub column: ColumnDef,
    pub fill: Option<Vec<u8>>,
}

/// MODIFY of one column; None: unchanged.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ColumnChange {
    pub name: String,
    pub data_type: Option<DataType>,
    pub nullable: Option<bool>,
    /// `Some(None)` takes the default away.
    pub default: Option<Option<String>>,
}

impl Session {
    /// ALTER TABLE.
    ///
    /// # Errors
    /// ORA-00942, ORA-01031, ORA-00054, ORA-00955 and those of each change: see [`TableChange`].
    pub fn alter_table(self: &Arc<Self>, owner: &str, name: &str, change: &TableChange) -> Result<Arc<TableDef>> {
        let table = self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, name, SystemPrivilege::AlterAnyTable)?;
            ddl.lock(&table)?;
            let now = ddl.now_us();
            let before = table.name.clone();
            let table = TableDef { changed_us: now, ..TableDef::clone(&table) };
            let table = match change {
                TableChange::Cache(cache) => changed(table, |heap| heap.cache = *cache),
                TableChange::Logging(logging) => changed(table, |heap| heap.logging = *logging),
                TableChange::FlashCache(wanted) => {
                    let storage = Storage { flash_cache: Some(*wanted), ..table.storage.clone() };
                    TableDef { storage, ..table }
                }
                TableChange::RowMovement(enabled) => changed(table, |heap| heap.row_movement = *enabled),
                TableChange::Shrink { lower, cascade } => ddl.shrink_table(table, *lower, *cascade)?,
                TableChange::Physical(asked) => set_physical(table, *asked)?,
                TableChange::Move(to) => ddl.move_table(table, to)?,
                TableChange::AddColumns(columns) => ddl.add_columns(table, columns)?,
                TableChange::ModifyColumns(changes) => ddl.modify_columns(table, changes)?,
                TableChange::DropColumns { names, cascade } => ddl.drop_columns(table, names, *cascade)?,
                TableChange::RenameTable(name) => ddl.rename_table(table, name)?,
                TableChange::RenameColumn { from, to } => ddl.rename_column(table, from, to)?,
            };
            ddl.update::<TableRow>(&equal("OBJ#", table.object.0)?, |row| *row = table_row(&table))?;
            ddl.update::<ObjectRow>(&equal("OBJ#", table.object.0)?, |row| {
                row.name.clone_from(&table.name);
                row.data_object = table.segment.data_object().0;
                row.changed = Moment(now);
            })?;
            let table = ddl.catalog.put_table(table);
            // Where a table's rows lie does not concern programs.
            let inside = matches!(
                change,
                TableChange::Cache(_)
                    | TableChange::Logging(_)
                    | TableChange::FlashCache(_)
                    | TableChange::RowMovement(_)
                    | TableChange::Shrink { .. }
                    | TableChange::Physical(_)
                    | TableChange::Move(_)
            );
            if !inside {
                ddl.object_changed(table.object, owner, &before)?;
                ddl.object_changed(table.object, owner, &table.name)?;
            }
            Ok(table)
        })?;
        if let TableChange::FlashCache(wanted) = change {
            table.segment.set_flash_cache(self, *wanted);
        }
        Ok(table)
    }
}

/// The table with a change to its storage part.
fn changed(mut table: TableDef, change: impl FnOnce(&mut HeapTable)) -> TableDef {
    change(table.heap_mut());
    table
}

/// The segment goes on under the new attributes.
fn set_physical(table: TableDef, asked: PhysicalAttributes) -> Result<TableDef> {
    let now =
        Physical { pctfree: table.pctfree, pctused: table.pctused, initrans: table.initrans, maxtrans: table.maxtrans };
    let physical = now.with(asked, table.segment.block_size(), table.segment.tablespace().space_management())?;
    let segment = table.segment.with_attributes(&SegmentSpec {
        pctfree: physical.pctfree,
        pctused: physical.pctused,
        initrans: physical.initrans,
        maxtrans: physical.maxtrans,
        ..table.segment.spec().clone()
    });
    let table = changed(table, |heap| heap.segment = segment);
    Ok(TableDef {
        pctfree: physical.pctfree,
        pctused: physical.pctused,
        initrans: physical.initrans,
        maxtrans: physical.maxtrans,
        ..table
    })
}

impl Ddl<'_> {
    /// Rows do not store trailing NULLs, so a column without a default costs nothing; one with a default is written
    /// into every row.
    fn add_columns(&mut self, mut table: TableDef, added: &[NewColumn]) -> Result<TableDef> {
        let before = Arc::new(table.clone());
        for NewColumn { column, fill } in added {
            check_column(column)?;
            if table.column(&column.name).is_some() {
                return Err(Error::user(1430, format!("table {} has a column {} already", table.name, column.name)));
            }
            if table.columns.len() == limits::COLUMNS_MAX {
                return Err(Error::user(1792, format!("a table has at most {} columns", limits::COLUMNS_MAX)));
            }
            if !column.nullable && fill.is_none() && self.has_rows(&before, None)? {
                return Err(Error::user(1758, format!("column {} is NOT NULL and the table has rows", column.name)));
            }
            table.heap_mut().columns.push(column.clone());
            self.insert(&[column_row(table.object, table.columns.len() as u16, column)])?;
        }
        if added.iter().any(|column| column.fill.is_some()) {
            self.fill_columns(&before, &table, added)?;
        }
        let with_columns = Arc::new(table.clone());
        for NewColumn { column, .. } in added.iter().filter(|added| !added.column.nullable) {
            self.add_constraint(&with_columns, &ConstraintSpec::not_null(&column.name), &mut |_, _| Ok(true))?;
        }
        Ok(table)
    }

    /// Writes the new columns into the rows that exist. The indexes do not have these columns, so they stay as they
    /// are.
    fn fill_columns(&self, before: &Arc<TableDef>, after: &TableDef, added: &[NewColumn]) -> Result<()> {
        let rowids = self.rowids(before)?;
        let after = Arc::new(after.clone());
        let mut updater = table::Updater::new(self.session.worker().clone(), after.heap().clone());
        for rowid in rowids {
            let Some(row) = table::fetch_row(self.session, &after, rowid)? else { continue };
            let mut columns = row.columns();
            columns.resize(before.columns.len(), None);
            columns.extend(added.iter().map(|column| column.fill.as_deref()));
            updater.push(rowid, &columns)?;
        }
        updater.finish()?;
        Ok(())
    }

    fn rowids(&self, table: &Arc<TableDef>) -> Result<Vec<Rowid>> {
        let spec = ScanSpec { projection: Vec::new(), predicate: None, rowids: true };
        let mut sink = Rowids { data_object: ObjectNumber(0), address: BlockAddress::NONE, rowids: Vec::new() };
        let mut scan = table::TableScan::new(self.session.worker().clone(), table.heap().clone(), spec)?;
        while scan.next(&mut sink, 10_000)? {}
        Ok(sink.rowids)
    }

    /// True: the table has a row (that satisfies `predicate`).
    pub(super) fn has_rows(&self, table: &Arc<TableDef>, predicate: Option<Predicate>) -> Result<bool> {
        let spec = ScanSpec { projection: Vec::new(), predicate, rowids: false };
        let mut count = RowCounter(0);
        let mut scan = table::TableScan::new(self.session.worker().clone(), table.heap().clone(), spec)?;
        while count.0 == 0 && scan.next(&mut count, 1)? {}
        Ok(count.0 > 0)
    }

    fn modify_columns(&mut self, mut table: TableDef, changes: &[ColumnChange]) -> Result<TableDef> {
        let before = Arc::new(table.clone());
        let mut carried: Vec<CarriedColumn> =
            (0..table.columns.len() as u16).map(|from| CarriedColumn { from, char_bytes: None }).collect();
        for change in changes {
            let position = position(&table, &change.name)?;
            let mut column = table.columns[position].clone();
            if let Some(data_type) = change.data_type {
                let wanted = ColumnDef { data_type, ..column.clone() };
                check_column(&wanted)?;
                carried[position].char_bytes = self.check_type_change(&before, position, data_type)?;
                check_indexes(&before, position, data_type)?;
                column = wanted;
            }
            match change.nullable {
                Some(true) if column.nullable => {
                    return Err(Error::user(1451, format!("column {} takes NULL already", column.name)));
                }
                Some(false) if !column.nullable => {
                    return Err(Error::user(1442, format!("column {} is NOT NULL already", column.name)));
                }
                Some(false) if self.has_rows(&before, Some(Predicate::IsNull(position as u16)))? => {
                    return Err(Error::user(2296, format!("column {} holds NULLs", column.name)));
                }
                Some(false) => {
                    self.add_constraint(&before, &ConstraintSpec::not_null(&column.name), &mut |_, _| Ok(true))?;
                    column.nullable = false;
                }
                Some(true) => {
                    self.drop_not_null(&before, position)?;
                    column.nullable = true;
                }
                None => {}
            }
            if let Some(default) = &change.default {
                column.default.clone_from(default);
            }
            let number = position as u16 + 1;
            let row = column_row(table.object, number, &column);
            self.update::<ColumnRow>(&[is("OBJ#", table.object.0)?, is("COL#", number)?], |stored| {
                *stored = row.clone()
            })?;
            table.heap_mut().columns[position] = column;
            // Its values may be others now.
            let mut statistics = table.column_statistics.to_vec();
            if let Some(statistics) = statistics.get_mut(position) {
                *statistics = None;
            }
            table.column_statistics = statistics.into();
        }
        if carried.iter().any(|carried| carried.char_bytes.is_some()) {
            let columns = table.columns.clone();
            return self.rewrite(table, columns, &carried);
        }
        Ok(table)
    }

    fn drop_not_null(&mut self, table: &TableDef, position: usize) -> Result<()> {
        let forbidding = |kind: ConstraintKind| {
            table.constraints.iter().find(move |found| found.kind == kind && found.forbids_null(position))
        };
        if forbidding(ConstraintKind::PrimaryKey).is_some() {
            let name = &table.columns[position].name;
            return Err(Error::user(1451, format!("column {name} belongs to the primary key: it cannot take NULL")));
        }
        match forbidding(ConstraintKind::NotNull) {
            Some(constraint) => self.drop_constraint(constraint, false, None),
            None => Ok(()),
        }
    }

    /// Allows a change when every stored value is a value of the new type as it stands, or becomes one by padding with
    /// blanks; the length is returned then.
    fn check_type_change(&self, table: &Arc<TableDef>, position: usize, to: DataType) -> Result<Option<u16>> {
        let column = &table.columns[position];
        let holds_values = || self.has_rows(table, Some(Predicate::IsNotNull(position as u16)));
        match (column.data_type, to) {
            (from, to) if from == to => Ok(None),
            (DataType::Varchar2 { bytes: from } | DataType::Char { bytes: from }, DataType::Varchar2 { bytes: to })
            | (DataType::Raw { bytes: from }, DataType::Raw { bytes: to }) => {
                if to < from && self.longest(table, position)? > usize::from(to) {
                    let name = &column.name;
                    return Err(Error::user(1441, format!("column {name} holds values longer than {to} bytes")));
                }
                Ok(None)
            }
            (DataType::Number { precision: from, scale: old }, DataType::Number { precision: to, scale: new })
                if widens(from, old, to, new) =>
            {
                Ok(None)
            }
            (DataType::Number { .. }, DataType::Number { .. }) if holds_values()? => {
                Err(Error::user(1440, format!("column {} holds values: its digits can only become more", column.name)))
            }
            (DataType::Timestamp { precision: from }, DataType::Timestamp { precision: to }) if to > from => Ok(None),
            // Every DATE is a TIMESTAMP whose fraction is not stored.
            (DataType::Date, DataType::Timestamp { .. }) => Ok(None),
            (DataType::Char { .. } | DataType::Varchar2 { .. }, DataType::Char { bytes }) if holds_values()? => {
                Ok(Some(bytes))
            }
            _ if holds_values()? => {
                Err(Error::user(1439, format!("column {} holds values: its type cannot change", column.name)))
            }
            _ => Ok(None),
        }
    }

    fn longest(&self, table: &Arc<TableDef>, position: usize) -> Result<usize> {
        let spec = ScanSpec { projection: vec![position as u16], predicate: None, rowids: false };
        let mut longest = LongestValue(0);
        let mut scan = table::TableScan::new(self.session.worker().clone(), table.heap().clone(), spec)?;
        while scan.next(&mut longest, 10_000)? {}
        Ok(longest.0)
    }

    fn rename_table(&mut self, table: TableDef, name: &str) -> Result<TableDef> {
        check_name(name)?;
        self.check_name_free(&table.owner, name)?;
        let segment = table
            .segment
            .with_attributes(&SegmentSpec { name: format!("{}.{name}", table.owner), ..table.segment.spec().clone() });
        for index in &table.indexes {
            let table_name = name.to_owned();
            self.catalog.put_index(IndexDef { table_name, ..IndexDef::clone(index) });
        }
        Ok(changed(table, |heap| (heap.name, heap.segment) = (name.to_owned(), segment)))
    }

    fn rename_column(&mut self, mut table: TableDef, from: &str, to: &str) -> Result<TableDef> {
        let position = position(&table, from)?;
        let named = |check: &&Arc<ConstraintDef>| {
            check.kind == ConstraintKind::Check && check.columns.contains(&(position as u16))
        };
        if let Some(check) = table.constraints.iter().find(named) {
            let name = &check.name;
            return Err(Error::unsupported(format!("renaming column {from}, which check constraint {name} names")));
        }
        check_name(to)?;
        if table.column(to).is_some() {
            return Err(Error::user(957, format!("table {} has a column {to} already", table.name)));
        }
        let row = [is("OBJ#", table.object.0)?, is("COL#", position as u16 + 1)?];
        self.update::<ColumnRow>(&row, |row| to.clone_into(&mut row.name))?;
        to.clone_into(&mut table.heap_mut().columns[position].name);
        Ok(table)
    }
}

fn position(table: &TableDef, column: &str) -> Result<usize> {
    table
        .column(column)
        .ok_or_else(|| Error::user(904, format!("table {} has no column {column}", table.qualified_name())))
}

/// The keys of every index on the column must still fit its blocks.
fn check_indexes(table: &TableDef, position: usize, data_type: DataType) -> Result<()> {
    for index in table.indexes.iter().filter(|index| index.columns.contains(&(position as u16))) {
        let types = index.columns.iter().map(|column| {
            let column = usize::from(*column);
            if column == position { data_type } else { table.columns[column].data_type }
        });
        index::check_key_length(index.segment.block_size(), index.unique, types)?;
    }
    Ok(())
}

/// True: every NUMBER of the old precision and scale is one of the new.
fn widens(from: Option<u8>, old: i8, to: Option<u8>, new: i8) -> bool {
    match (from, to) {
        (_, None) => new == 0,
        (None, Some(_)) => false,
        (Some(from), Some(to)) => {
            let whole = |precision: u8, scale: i8| i16::from(precision) - i16::from(scale);
            new >= old && whole(to, new) >= whole(from, old)
        }
    }
}

struct Rowids {
    data_object: ObjectNumber,
    address: BlockAddress,
    rowids: Vec<Rowid>,
}

impl RowSink for Rowids {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        (self.data_object, self.address) = (object, address);
    }

    fn row(&mut self, slot: u16, _: &[Option<&[u8]>]) {
        self.rowids.push(Rowid { data_object: self.data_object, block: self.address, slot });
    }
}

struct RowCounter(usize);

impl RowSink for RowCounter {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, _: &[Option<&[u8]>]) {
        self.0 += 1;
    }

    fn rows(&mut self, count: usize) {
        self.0 += count;
    }
}

struct LongestValue(usize);

impl RowSink for LongestValue {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        let length = columns.first().copied().flatten().map_or(0, <[u8]>::len);
        self.0 = self.0.max(length);
    }
}

#[cfg(test)]
mod tests {
    use super::widens;

    #[test]
    fn digits_may_only_become_more() {
        assert!(widens(Some(5), 2, Some(6), 2));
        assert!(widens(Some(5), 2, Some(6), 3));
        assert!(!widens(Some(5), 2, Some(5), 3));
        assert!(!widens(Some(5), 2, Some(6), 1));
        assert!(widens(Some(5), 2, None, 0));
        assert!(!widens(None, 0, Some(38), 0));
    }
}
