//! CREATE, DROP and TRUNCATE TABLE.

use std::sync::Arc;

use common::{Error, ObjectNumber, Result};
use format::transaction::Owner;

use super::check::{Physical, PhysicalAttributes, check_columns, check_name, check_storage};
use super::constraint::{ConstraintRule, ConstraintSpec};
use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::field::Moment;
use crate::dictionary::privilege::{insufficient, no_table};
use crate::dictionary::rows::{ColumnRow, IndexColumnRow, IndexRow, KIND_TABLE, ObjectGrantRow, ObjectRow, TableRow};
use crate::dictionary::table_rows::{column_rows, object_row, table_row};
use crate::dictionary::{ColumnDef, IndexDef, ObjectPrivilege, SYS, SchemaObject, SystemPrivilege, TableDef, UserDef};
use crate::instance::Session;
use storage::segment::{Segment, SegmentSpec, Storage};
use storage::table::HeapTable;
use storage::tablespace::Tablespace;

/// A table to make. Names are in the dictionary's case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableSpec {
    pub owner: String,
    pub name: String,
    pub columns: Vec<ColumnDef>,
    /// None: the owner's default tablespace.
    pub tablespace: Option<String>,
    pub physical: PhysicalAttributes,
    pub storage: Storage,
    pub cache: bool,
    /// NOLOGGING where false. None: as the tablespace.
    pub logging: Option<bool>,
    /// ENABLE ROW MOVEMENT.
    pub row_movement: bool,
    /// Columns that are not nullable and have no NOT NULL here get one with a name of its own.
    pub constraints: Vec<ConstraintSpec>,
}

impl TableSpec {
    /// A table with nothing but names and columns given.
    #[must_use]
    pub fn new(owner: &str, name: &str, columns: Vec<ColumnDef>) -> Self {
        Self {
            owner: owner.to_owned(),
            name: name.to_owned(),
            columns,
            tablespace: None,
            physical: PhysicalAttributes::default(),
            storage: Storage::default(),
            cache: false,
            logging: None,
            row_movement: false,
            constraints: Vec::new(),
        }
    }
}

impl Session {
    /// CREATE TABLE.
    ///
    /// # Errors
    /// ORA-00955 name in use, ORA-00959 no such tablespace, ORA-01950 no quota there, ORA-01031, those of columns and
    /// attributes (ORA-00904, 00910, 00957, 00972, 01727, 01728, 01792, 02207, 02211, 04000, 01590), and ORA-01658 no
    /// room.
    pub fn create_table(self: &Arc<Self>, spec: &TableSpec) -> Result<Arc<TableDef>> {
        self.ddl(|ddl| ddl.create_table(spec))
    }

    /// CREATE TABLE AS SELECT: `fill` inserts the rows into the new table. Table and rows are one transaction: before
    /// its end no other session sees the table, and a crash leaves nothing of it. Other DDL waits meanwhile, as it does
    /// for the build of an index.
    ///
    /// # Errors
    /// As [`Session::create_table`], and those of `fill`.
    pub fn create_table_filled<R>(
        self: &Arc<Self>,
        spec: &TableSpec,
        fill: impl FnOnce(&Arc<TableDef>) -> Result<R>,
    ) -> Result<R> {
        self.ddl(|ddl| {
            let table = ddl.create_table(spec)?;
            ddl.with_what_is_made(|| fill(&table))
        })
    }

    /// DROP TABLE, with its indexes, its triggers and the privileges on it.
    ///
    /// # Errors
    /// ORA-00942, ORA-01031, ORA-00054 while its rows are being changed.
    pub fn drop_table(self: &Arc<Self>, owner: &str, name: &str) -> Result<()> {
        self.drop_table_and(owner, name, false)
    }

    /// DROP TABLE; `cascade` drops the foreign keys of other tables that refer to it too.
    ///
    /// # Errors
    /// ORA-00942, ORA-01031, ORA-00054; ORA-02449 when foreign keys refer to the table.
    pub fn drop_table_and(self: &Arc<Self>, owner: &str, name: &str, cascade: bool) -> Result<()> {
        self.ddl(|ddl| {
            if let Some(SchemaObject::External(table)) = ddl.catalog.object(owner, name) {
                return ddl.drop_external(&table);
            }
            let table = ddl.table_to_change(owner, name, SystemPrivilege::DropAnyTable)?;
            ddl.drop_table(&table, cascade)
        })
    }

    /// TRUNCATE TABLE: all rows go, all extents but the first are given back, here and in the table's indexes.
    ///
    /// # Errors
    /// As [`Session::drop_table`].
    pub fn truncate_table(self: &Arc<Self>, owner: &str, name: &str) -> Result<Arc<TableDef>> {
        self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, name, SystemPrivilege::DropAnyTable)?;
            ddl.truncate_table(&table)
        })
    }
}

impl Ddl<'_> {
    pub(super) fn create_table(&mut self, spec: &TableSpec) -> Result<Arc<TableDef>> {
        let any = SystemPrivilege::CreateAnyTable;
        self.check_schema_privilege(&spec.owner, SystemPrivilege::CreateTable, any)?;
        let owner = self.catalog.require_user(&spec.owner)?.clone();
        check_name(&spec.name)?;
        self.check_name_free(&spec.owner, &spec.name)?;
        check_columns(&spec.columns)?;
        let tablespace = self.tablespace_for(&owner, spec.tablespace.as_deref())?;
        let physical = Physical::TABLE.with(spec.physical, tablespace.block_size(), tablespace.space_management())?;
        check_storage(&spec.storage, &tablespace)?;
        let object = self.new_object();
        let segment = self.create_segment(&SegmentSpec {
            name: format!("{}.{}", spec.owner, spec.name),
            object,
            data_object: object,
            tablespace: tablespace.number(),
            owner: Owner::Table,
            pctfree: physical.pctfree,
            pctused: physical.pctused,
            initrans: physical.initrans,
            maxtrans: physical.maxtrans,
            storage: spec.storage.clone(),
        })?;
        let now = self.now_us();
        let table = TableDef {
            heap: Arc::new(HeapTable {
                object,
                owner: spec.owner.clone(),
                name: spec.name.clone(),
                columns: spec.columns.clone(),
                segment,
                cache: spec.cache,
                logging: spec.logging.unwrap_or_else(|| tablespace.logging()),
                row_movement: spec.row_movement,
                indexes: Vec::new(),
                dictionary: false,
            }),
            pctfree: physical.pctfree,
            pctused: physical.pctused,
            initrans: physical.initrans,
            maxtrans: physical.maxtrans,
            storage: spec.storage.clone(),
            constraints: Vec::new(),
            referencing: Vec::new(),
            created_us: now,
            changed_us: now,
            statistics: None,
            column_statistics: Arc::default(),
            lock: Arc::default(),
        };
        self.insert(&[object_row(object, object, owner.number, &spec.name, KIND_TABLE, now)])?;
        self.insert(&[table_row(&table)])?;
        self.insert(&column_rows(object, &table.columns))?;
        let table = self.catalog.put_table(table);
        self.object_changed(object, &spec.owner, &spec.name)?;
        self.create_constraints(&table, &spec.constraints)
    }

    /// The constraints of a new table, those of its columns first.
    fn create_constraints(&mut self, table: &Arc<TableDef>, asked: &[ConstraintSpec]) -> Result<Arc<TableDef>> {
        let mut no_rows = |_: &Arc<TableDef>, _: &str| Ok(true);
        let named: Vec<&String> = asked
            .iter()
            .filter_map(|spec| match &spec.rule {
                ConstraintRule::NotNull { column } => Some(column),
                _ => None,
            })
            .collect();
        let plain = |column: &&ColumnDef| !column.nullable && !named.contains(&&column.name);
        let mut specs: Vec<ConstraintSpec> =
            table.columns.iter().filter(plain).map(|column| ConstraintSpec::not_null(&column.name)).collect();
        specs.extend_from_slice(asked);
        // A key of the table itself may be written behind the foreign key that refers to it.
        specs.sort_by_key(|spec| match &spec.rule {
            ConstraintRule::ForeignKey { owner, table: parent, .. } => *owner == table.owner && *parent == table.name,
            _ => false,
        });
        for spec in &specs {
            let current = self.catalog.table_by_number(table.object).unwrap_or(table).clone();
            self.add_constraint(&current, spec, &mut no_rows)?;
        }
        Ok(self.catalog.table_by_number(table.object).unwrap_or(table).clone())
    }

    /// A table that a statement names in order to change or drop it.
    ///
    /// # Errors
    /// ORA-00942 where it does not exist or the user may not know of it; ORA-01031 for the dictionary's own tables.
    pub(super) fn table_to_change(&self, owner: &str, name: &str, any: SystemPrivilege) -> Result<Arc<TableDef>> {
        let table = self.catalog.require_table(owner, name)?.clone();
        let user = self.session.rights();
        if table.is_dictionary() {
            return Err(insufficient(format_args!("{} is part of the dictionary", table.qualified_name())));
        }
        if user == table.owner || (table.owner != SYS && self.catalog.has_system_privilege(&user, any)) || user == SYS {
            return Ok(table);
        }
        // A user that may read the table gets ORA-01031; for others it does not exist.
        self.catalog.check_table(&user, &table, ObjectPrivilege::Select).map_err(|_| no_table(owner, name))?;
        Err(insufficient(format_args!("{user} lacks {any}")))
    }

    pub(super) fn drop_table(&mut self, table: &Arc<TableDef>, cascade: bool) -> Result<()> {
        self.lock(table)?;
        self.drop_foreign_keys_to(table, cascade)?;
        for constraint in &table.constraints {
            self.forget_constraint(constraint)?;
        }
        for index in &table.indexes {
            self.delete_index_rows(index.object.0)?;
        }
        self.drop_triggers_of(table.object)?;
        self.delete_table_rows(table.object.0)?;
        self.catalog.remove_table(table.object);
        for index in &table.indexes {
            self.drop_at_end(index.segment.clone());
        }
        self.drop_at_end(table.segment.clone());
        self.object_dropped(table.object, &table.owner, &table.name)
    }

    pub(super) fn delete_table_rows(&mut self, object: u32) -> Result<()> {
        self.delete::<ObjectGrantRow>(&equal("OBJ#", object)?)?;
        self.delete::<ColumnRow>(&equal("OBJ#", object)?)?;
        self.delete::<TableRow>(&equal("OBJ#", object)?)?;
        self.delete::<ObjectRow>(&equal("OBJ#", object)?)?;
        Ok(())
    }

    pub(super) fn delete_index_rows(&mut self, object: u32) -> Result<()> {
        self.delete::<IndexColumnRow>(&equal("OBJ#", object)?)?;
        self.delete::<IndexRow>(&equal("OBJ#", object)?)?;
        self.delete::<ObjectRow>(&equal("OBJ#", object)?)?;
        Ok(())
    }

    /// The dictionary takes the new data object numbers first, because that can be undone; the segments follow.
    fn truncate_table(&mut self, table: &Arc<TableDef>) -> Result<Arc<TableDef>> {
        self.lock(table)?;
        if table.referencing.iter().any(|foreign| foreign.table != table.object && foreign.state.enabled) {
            return Err(Error::user(
                2266,
                "unique or primary keys of the table are referred to by enabled foreign keys",
            ));
        }
        let now = self.now_us();
        let data_object = self.new_object();
        self.set_data_object(table.object, data_object, now)?;
        let mut indexes = Vec::new();
        for index in &table.indexes {
            let data_object = self.new_object();
            self.set_data_object(index.object, data_object, now)?;
            indexes.push((index.clone(), data_object));
        }
        table.segment.let_go(self.session)?;
        for (index, _) in &indexes {
            index.segment.let_go(self.session)?;
        }
        let segments: Vec<_> =
            std::iter::once(&*table.segment).chain(indexes.iter().map(|(index, _)| &*index.segment)).collect();
        self.as_a_whole(&segments)?;
        let segment = self.empty(&table.segment, data_object)?;
        let mut emptied = TableDef { changed_us: now, ..TableDef::clone(table) };
        let heap = emptied.heap_mut();
        heap.segment = segment;
        heap.indexes.clear();
        for (index, data_object) in indexes {
            let segment = self.empty(&index.segment, data_object)?;
            let index = IndexDef { segment, changed_us: now, ..IndexDef::clone(&index) };
            let built = storage::table::build_index(self.session, &emptied, &index, &index.segment)?;
            // An index begins with its segment's first block for data, which the same extent has at the same place.
            if built.root != index.root {
                return Err(Error::bug(format!("the root of index {} is at another place", index.qualified_name())));
            }
            self.catalog.put_index(index);
        }
        Ok(self.catalog.put_table(emptied))
    }

    fn set_data_object(&mut self, object: ObjectNumber, data_object: ObjectNumber, now_us: u64) -> Result<()> {
        self.update::<ObjectRow>(&equal("OBJ#", object.0)?, |row| {
            row.data_object = data_object.0;
            row.changed = Moment(now_us);
        })?;
        Ok(())
    }

    /// Makes a segment that is dropped if the statement fails.
    pub(super) fn create_segment(&mut self, spec: &SegmentSpec) -> Result<Arc<Segment>> {
        let segment = Segment::create(self.session, spec)?;
        self.created(segment.clone());
        Ok(segment)
    }

    /// The tablespace that a new segment of `owner` goes to.
    ///
    /// # Errors
    /// ORA-00959 where there is none, ORA-01950 where the owner has no quota in it.
    pub(super) fn tablespace_for(&self, owner: &UserDef, name: Option<&str>) -> Result<Arc<Tablespace>> {
        let name = name.unwrap_or(&owner.default_tablespace);
        let tablespace = self.session.instance().tablespaces().named(name)?;
        let unlimited = SystemPrivilege::UnlimitedTablespace;
        if owner.quotas.contains(name) || self.catalog.has_system_privilege(&owner.name, unlimited) {
            return Ok(tablespace);
        }
        Err(Error::user(1950, format!("{} has no quota in tablespace {name}", owner.name)))
    }
}
