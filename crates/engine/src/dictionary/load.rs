//! Reading the whole dictionary into a catalog, when a database is opened.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{BlockAddress, Error, ErrorKind, ObjectNumber, Result, TablespaceNumber};
use format::transaction::Owner;

use super::access::select;
use super::catalog::Catalog;
use super::constraint::{ConstraintDef, ConstraintKind, ConstraintState, OnDelete, Reference};
use super::field::damaged;
use super::privilege::{ObjectPrivilege, SystemPrivilege};
use super::rows::{
    ColumnRow, ConstraintColumnRow, ConstraintNameRow, ConstraintRow, DictionaryRow, IndexColumnRow, IndexRow,
    KIND_INDEX, KIND_NEXT_OBJECT, KIND_TABLE, NEXT_CONSTRAINT, ObjectGrantRow, ObjectRow, QuotaRow, SystemGrantRow,
    TableRow, UserRow, decode_type,
};
use super::table::{TableDef, TableStatistics};
use super::user::{UserDef, UserKind, UserNumber};
use super::{ColumnDef, IndexDef};
use super::{ColumnStatistics, Histogram};
use storage::index::IndexStatistics;
use storage::segment::{Segment, SegmentSpec, Storage};
use storage::table::HeapTable;
use storage::txn::Worker;

type Tables = BTreeMap<ObjectNumber, Arc<TableDef>>;

/// Reads the dictionary's tables into a catalog.
pub(crate) fn load_catalog(worker: &Arc<Worker>, tables: &Tables) -> Result<Catalog> {
    let reader = Reader { worker, tables };
    let mut catalog = Catalog::default();
    for user in reader.users()? {
        catalog.put_user(user);
    }
    let objects: BTreeMap<u32, ObjectRow> =
        reader.all::<ObjectRow>()?.into_iter().map(|row| (row.object, row)).collect();
    catalog.next_object = objects
        .values()
        .find(|row| row.kind == KIND_NEXT_OBJECT)
        .map(|row| row.data_object)
        .ok_or_else(|| damaged("OBJ$ has no row with the next object number"))?;
    for table in tables.values() {
        catalog.put_table(TableDef::clone(table));
    }
    reader.load_tables(&mut catalog, &objects)?;
    reader.load_indexes(&mut catalog, &objects)?;
    reader.load_views(&mut catalog, &objects)?;
    reader.load_sequences(&mut catalog, &objects)?;
    reader.load_synonyms(&mut catalog, &objects)?;
    reader.load_directories(&mut catalog, &objects)?;
    reader.load_externals(&mut catalog, &objects)?;
    reader.load_constraints(&mut catalog)?;
    reader.load_programs(&mut catalog, &objects)?;
    Ok(catalog)
}

pub(crate) struct Reader<'a> {
    worker: &'a Arc<Worker>,
    tables: &'a Tables,
}

impl Reader<'_> {
    pub(crate) fn all<R: DictionaryRow>(&self) -> Result<Vec<R>> {
        let table = self.tables.get(&R::TABLE.object).ok_or_else(|| damaged("a table of its own is missing"))?;
        Ok(select(self.worker, table, &[])?.into_iter().map(|(_, row)| row).collect())
    }

    fn users(&self) -> Result<Vec<UserDef>> {
        let mut users = BTreeMap::new();
        for row in self.all::<UserRow>()? {
            let kind = if row.kind == 1 { UserKind::User } else { UserKind::Role };
            let mut user =
                UserDef::new(UserNumber(row.number), &row.name, kind, &row.default_tablespace, row.created.0);
            user.verifier = row.verifier;
            user.locked = row.locked;
            users.insert(row.number, user);
        }
        let unknown =
            |grantee: u32| damaged(format_args!("something is granted to user # {grantee}, who does not exist"));
        for row in self.all::<SystemGrantRow>()? {
            let user = users.get_mut(&row.grantee).ok_or_else(|| unknown(row.grantee))?;
            if let Ok(role) = u32::try_from(row.privilege) {
                user.roles.insert(UserNumber(role), row.grantable);
            } else {
                let privilege = SystemPrivilege::from_number(row.privilege)
                    .ok_or_else(|| damaged(format_args!("there is no system privilege {}", row.privilege)))?;
                user.system.insert(privilege, row.grantable);
            }
        }
        for row in self.all::<ObjectGrantRow>()? {
            let user = users.get_mut(&row.grantee).ok_or_else(|| unknown(row.grantee))?;
            let privilege = ObjectPrivilege::from_number(row.privilege)
                .ok_or_else(|| damaged(format_args!("there is no object privilege {}", row.privilege)))?;
            user.objects.insert((ObjectNumber(row.object), privilege), row.grantable);
        }
        for row in self.all::<QuotaRow>()? {
            users.get_mut(&row.user).ok_or_else(|| unknown(row.user))?.quotas.insert(row.tablespace);
        }
        Ok(users.into_values().collect())
    }

    fn load_tables(&self, catalog: &mut Catalog, objects: &BTreeMap<u32, ObjectRow>) -> Result<()> {
        let mut columns: BTreeMap<u32, Vec<ColumnRow>> = BTreeMap::new();
        for row in self.all::<ColumnRow>()? {
            columns.entry(row.object).or_default().push(row);
        }
        for row in self.all::<TableRow>()? {
            if self.tables.contains_key(&ObjectNumber(row.object)) {
                continue;
            }
            let object = object(objects, row.object, KIND_TABLE)?;
            let mut columns = columns.remove(&row.object).unwrap_or_default();
            columns.sort_by_key(|column| column.position);
            if columns.len() != usize::from(row.columns)
                || (1..).zip(&columns).any(|(position, column)| position != column.position)
            {
                return Err(damaged(format_args!("COL$ does not have the columns of table {}", object.name)));
            }
            let owner = owner(catalog, object)?;
            match self.table(row, object, &owner, &columns) {
                Ok(table) => drop(catalog.put_table(table)),
                Err(error) => set_aside(catalog, format!("{owner}.{}", object.name), error)?,
            }
        }
        Ok(())
    }

    fn table(&self, row: TableRow, object: &ObjectRow, owner: &str, columns: &[ColumnRow]) -> Result<TableDef> {
        let storage = row.storage();
        let spec = SegmentSpec {
            name: format!("{owner}.{}", object.name),
            object: ObjectNumber(row.object),
            data_object: ObjectNumber(object.data_object),
            tablespace: TablespaceNumber(row.tablespace),
            owner: Owner::Table,
            pctfree: row.pctfree,
            pctused: row.pctused,
            initrans: row.initrans,
            maxtrans: row.maxtrans,
            storage: storage.clone(),
        };
        let statistics = match (row.num_rows, row.analyzed) {
            (Some(num_rows), Some(analyzed)) => Some(TableStatistics {
                num_rows,
                blocks: row.blocks.unwrap_or(0),
                empty_blocks: row.empty_blocks.unwrap_or(0),
                average_row_bytes: row.average_row_bytes.unwrap_or(0),
                average_space: row.average_space.unwrap_or(0),
                chained_rows: row.chained_rows.unwrap_or(0),
                sampled_rows: row.sampled.unwrap_or(num_rows),
                analyzed_us: analyzed.0,
            }),
            _ => None,
        };
        Ok(TableDef {
            heap: Arc::new(HeapTable {
                object: spec.object,
                owner: owner.to_owned(),
                name: object.name.clone(),
                columns: columns.iter().map(column).collect::<Result<_>>()?,
                segment: Segment::open(self.worker, &spec, BlockAddress::unpack(row.header))?,
                cache: row.cache,
                logging: row.nologging.is_none(),
                row_movement: row.row_movement.is_some(),
                indexes: Vec::new(),
                dictionary: super::own::is_dictionary(spec.object),
            }),
            pctfree: row.pctfree,
            pctused: row.pctused,
            initrans: row.initrans,
            maxtrans: row.maxtrans,
            storage,
            constraints: Vec::new(),
            referencing: Vec::new(),
            created_us: object.created.0,
            changed_us: object.changed.0,
            statistics,
            column_statistics: columns.iter().map(column_statistics).collect(),
            lock: Arc::default(),
        })
    }

    fn load_indexes(&self, catalog: &mut Catalog, objects: &BTreeMap<u32, ObjectRow>) -> Result<()> {
        let mut columns: BTreeMap<u32, Vec<IndexColumnRow>> = BTreeMap::new();
        for row in self.all::<IndexColumnRow>()? {
            columns.entry(row.object).or_default().push(row);
        }
        for row in self.all::<IndexRow>()? {
            let object = object(objects, row.object, KIND_INDEX)?;
            let owner = owner(catalog, object)?;
            let Some(table) = catalog.table_by_number(ObjectNumber(row.table)).cloned() else {
                if objects.get(&row.table).is_some_and(|table| table.kind == KIND_TABLE) {
                    // The table was skipped as damaged.
                    let error = damaged(format_args!("the table of index {} cannot be used", object.name));
                    catalog.put_unusable(format!("{owner}.{}", object.name), error);
                    continue;
                }
                return Err(damaged(format_args!("index {} is on a table that does not exist", object.name)));
            };
            let mut columns = columns.remove(&row.object).unwrap_or_default();
            columns.sort_by_key(|column| column.position);
            let positions: Vec<u16> = columns.iter().map(|column| column.column.wrapping_sub(1)).collect();
            if positions.is_empty() || positions.iter().any(|position| usize::from(*position) >= table.columns.len()) {
                return Err(damaged(format_args!("ICOL$ does not have the columns of index {}", object.name)));
            }
            match self.index(row, object, &owner, &table, positions) {
                Ok(index) => drop(catalog.put_index(index)),
                Err(error) => {
                    // Without the index, changes of rows would leave it behind, so the table is skipped too.
                    set_aside(catalog, format!("{owner}.{}", object.name), error.clone())?;
                    set_aside(catalog, table.qualified_name(), error)?;
                    for index in &table.indexes {
                        catalog.put_unusable(index.qualified_name(), damaged("its table cannot be used"));
                    }
                    catalog.remove_table(table.object);
                }
            }
        }
        Ok(())
    }

    fn load_constraints(&self, catalog: &mut Catalog) -> Result<()> {
        let mut names: BTreeMap<u32, ConstraintNameRow> = BTreeMap::new();
        for row in self.all::<ConstraintNameRow>()? {
            if row.name == NEXT_CONSTRAINT {
                catalog.next_constraint = row.number;
            } else {
                names.insert(row.number, row);
            }
        }
        if catalog.next_constraint == 0 {
            return Err(damaged("CON$ has no row with the next constraint number"));
        }
        let mut columns: BTreeMap<u32, Vec<ConstraintColumnRow>> = BTreeMap::new();
        for row in self.all::<ConstraintColumnRow>()? {
            columns.entry(row.number).or_default().push(row);
        }
        let mut rows = self.all::<ConstraintRow>()?;
        // Keys come before what refers to them.
        rows.sort_by_key(|row| (row.referenced_key.is_some(), row.number));
        for row in rows {
            let mut columns = columns.remove(&row.number).unwrap_or_default();
            columns.sort_by_key(|column| column.position);
            let name = names
                .remove(&row.number)
                .ok_or_else(|| damaged(format_args!("CON$ does not know constraint {}", row.number)))?;
            // The constraints of a skipped table are skipped with it.
            if catalog.table_by_number(ObjectNumber(row.table)).is_some()
                && row.referenced_table.is_none_or(|table| catalog.table_by_number(ObjectNumber(table)).is_some())
            {
                let constraint = constraint(catalog, row, name, &columns)?;
                catalog.put_constraint(constraint);
            }
        }
        Ok(())
    }

    fn index(
        &self,
        row: IndexRow,
        object: &ObjectRow,
        owner: &str,
        table: &TableDef,
        columns: Vec<u16>,
    ) -> Result<IndexDef> {
        let storage = row.storage();
        let spec = index_segment_spec(
            format!("{owner}.{}", object.name),
            ObjectNumber(row.object),
            ObjectNumber(object.data_object),
            TablespaceNumber(row.tablespace),
            row.pctfree,
            (row.initrans, row.maxtrans),
            storage.clone(),
        );
        let statistics = row.num_rows.map(|num_rows| IndexStatistics {
            blevel: row.blevel.unwrap_or(0),
            leaf_blocks: row.leaf_blocks.unwrap_or(0),
            distinct_keys: row.distinct_keys.unwrap_or(0),
            clustering_factor: row.clustering_factor.unwrap_or(0),
            num_rows,
        });
        Ok(IndexDef {
            object: spec.object,
            owner: owner.to_owned(),
            name: object.name.clone(),
            table: table.object,
            table_owner: table.owner.clone(),
            table_name: table.name.clone(),
            columns,
            unique: row.unique,
            segment: Segment::open(self.worker, &spec, BlockAddress::unpack(row.header))?,
            root: BlockAddress::unpack(row.root),
            pctfree: row.pctfree,
            initrans: row.initrans,
            maxtrans: row.maxtrans,
            storage,
            logging: row.nologging.is_none(),
            created_us: object.created.0,
            changed_us: object.changed.0,
            statistics,
            analyzed_us: row.analyzed.unwrap_or_default().0,
        })
    }
}

fn constraint(
    catalog: &Catalog,
    row: ConstraintRow,
    name: ConstraintNameRow,
    columns: &[ConstraintColumnRow],
) -> Result<ConstraintDef> {
    let about = |what: &str| damaged(format_args!("constraint {}: {what}", name.name));
    let table = catalog.table_by_number(ObjectNumber(row.table)).ok_or_else(|| about("there is no such table"))?;
    let columns: Vec<u16> = columns.iter().map(|column| column.column.wrapping_sub(1)).collect();
    if columns.iter().any(|position| usize::from(*position) >= table.columns.len()) {
        return Err(about("CCOL$ names a column that the table does not have"));
    }
    let kind = ConstraintKind::from_number(row.kind).ok_or_else(|| about("it is of an unknown type"))?;
    let reference = match (row.referenced_table, row.referenced_key) {
        (Some(table), Some(key)) => Some(Reference {
            table: ObjectNumber(table),
            key,
            columns: catalog
                .constraint_by_number(key)
                .ok_or_else(|| about("the key that it refers to does not exist"))?
                .columns
                .clone(),
            on_delete: OnDelete::from_number(row.on_delete).ok_or_else(|| about("its action is unknown"))?,
        }),
        _ => None,
    };
    let owner = catalog
        .user_by_number(UserNumber(name.owner))
        .map(|user| user.name.clone())
        .ok_or_else(|| about("its owner does not exist"))?;
    Ok(ConstraintDef {
        number: row.number,
        owner,
        name: name.name.clone(),
        generated: row.generated,
        kind,
        table: table.object,
        columns,
        condition: row.condition,
        index: row.enabled.filter(|_| kind.is_key()).map(ObjectNumber),
        own_index: row.own_index,
        reference,
        state: ConstraintState {
            enabled: row.enabled.is_some(),
            validated: row.validated,
            deferrable: row.deferrable,
            deferred: row.deferred,
        },
        changed_us: row.changed.0,
    })
}

/// Specification of an index's segment. PCTUSED has no meaning for an index.
pub(crate) fn index_segment_spec(
    name: String,
    object: ObjectNumber,
    data_object: ObjectNumber,
    tablespace: TablespaceNumber,
    pctfree: u8,
    (initrans, maxtrans): (u8, u8),
    storage: Storage,
) -> SegmentSpec {
    let owner = Owner::Index;
    SegmentSpec { name, object, data_object, tablespace, owner, pctfree, pctused: 0, initrans, maxtrans, storage }
}

/// Makes a table with a damaged segment header unusable; the database opens all the same.
fn set_aside(catalog: &mut Catalog, name: String, error: Error) -> Result<()> {
    if matches!(error.kind, ErrorKind::Corrupt | ErrorKind::Io) {
        catalog.put_unusable(name, error);
        return Ok(());
    }
    Err(error)
}

pub(crate) fn object(objects: &BTreeMap<u32, ObjectRow>, number: u32, kind: u8) -> Result<&ObjectRow> {
    objects
        .get(&number)
        .filter(|row| row.kind == kind)
        .ok_or_else(|| damaged(format_args!("OBJ$ does not know object {number}")))
}

pub(crate) fn owner(catalog: &Catalog, object: &ObjectRow) -> Result<String> {
    catalog
        .user_by_number(UserNumber(object.owner))
        .map(|user| user.name.clone())
        .ok_or_else(|| damaged(format_args!("{} is owned by user # {}, who does not exist", object.name, object.owner)))
}

fn column_statistics(row: &ColumnRow) -> Option<ColumnStatistics> {
    let (distinct, nulls) = (row.distinct?, row.nulls.unwrap_or(0));
    let histogram = row.histogram.as_deref().and_then(Histogram::decode).map(Arc::new);
    Some(ColumnStatistics { distinct, nulls, low: row.low.clone(), high: row.high.clone(), histogram })
}

fn column(row: &ColumnRow) -> Result<ColumnDef> {
    Ok(ColumnDef {
        name: row.name.clone(),
        data_type: decode_type(row)?,
        nullable: !row.not_null,
        default: row.default.clone(),
    })
}
