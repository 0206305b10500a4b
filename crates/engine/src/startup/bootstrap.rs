//! The dictionary's beginning: made when the database is created, found again when it is opened.
//!
//! The dictionary's tables are the first segments of SYSTEM, in the order of [`TABLES`]. The control file keeps the
//! addresses of their headers, one entry a table (`dictionary.OBJ$` = packed block address), because without them
//! nothing can be looked up. Their definitions are in the program; the rows in OBJ$, TAB$ and COL$ that describe them
//! are for queries of the dictionary.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{BlockAddress, Error, ErrorKind, ObjectNumber, Result};
use format::transaction::Owner;

use crate::ddl::{SequenceSpec, sequence};
use crate::dictionary::access::insert_rows;
use crate::dictionary::field::{Moment, damaged};
use crate::dictionary::load::load_catalog;
use crate::dictionary::own::{FIRST_USER_OBJECT, JOB_SEQUENCE, SCHEDULER_LOG_SEQUENCE, SYSTEM_TABLESPACE};
use crate::dictionary::rows::{
    ConstraintNameRow, DictionaryRow, DictionaryTable, KIND_NEXT_OBJECT, KIND_SEQUENCE, KIND_TABLE, NEXT_CONSTRAINT,
    ObjectRow, STATUS_VALID, SequenceRow, SystemGrantRow, TABLES, UserRow,
};
use crate::dictionary::table_rows::{column_rows, object_row, table_row};
use crate::dictionary::{DEFAULT_TABLESPACE, PUBLIC, SYS, SYSTEM, SystemPrivilege, TableDef, UserNumber};
use crate::instance::Session;
use storage::recovery;
use storage::segment::{Segment, SegmentSpec, Storage};
use storage::table::HeapTable;
use storage::txn::CommitWrite;

/// The number of the first constraint.
const FIRST_CONSTRAINT: u32 = 1000;
/// Version of the dictionary's layout; a database with another one is refused.
const DICTIONARY_VERSION: &str = "5";
const VERSION_KEY: &str = "dictionary.version";

fn key(table: &DictionaryTable) -> String {
    format!("dictionary.{}", table.name)
}

fn segment_spec(session: &Session, table: &DictionaryTable) -> Result<SegmentSpec> {
    Ok(SegmentSpec {
        name: format!("{SYS}.{}", table.name),
        object: table.object,
        data_object: table.object,
        tablespace: session.instance().tablespaces().named(SYSTEM_TABLESPACE)?.number(),
        owner: Owner::Table,
        pctfree: 10,
        pctused: 40,
        initrans: 1,
        maxtrans: 255,
        storage: Storage::default(),
    })
}

fn definition(table: &DictionaryTable, segment: Arc<Segment>, created_us: u64) -> Arc<TableDef> {
    Arc::new(TableDef {
        heap: Arc::new(HeapTable {
            object: table.object,
            owner: SYS.to_owned(),
            name: table.name.to_owned(),
            columns: (table.columns)(),
            segment,
            cache: false,
            logging: true,
            row_movement: false,
            indexes: Vec::new(),
            dictionary: true,
        }),
        pctfree: 10,
        pctused: 40,
        initrans: 1,
        maxtrans: 255,
        storage: Storage::default(),
        constraints: Vec::new(),
        referencing: Vec::new(),
        created_us,
        changed_us: created_us,
        statistics: None,
        column_statistics: Arc::default(),
        lock: Arc::default(),
    })
}

/// Makes the dictionary of a new database. SYSTEM and USERS exist already.
///
/// # Errors
/// Errors of segments and tables; the database is then unusable.
pub(super) fn create(session: &Arc<Session>) -> Result<()> {
    let created_us = session.meter().clock().wall_us();
    let mut tables = BTreeMap::new();
    let mut facts = BTreeMap::from([(VERSION_KEY.to_owned(), DICTIONARY_VERSION.to_owned())]);
    for table in TABLES {
        let segment = Segment::create(session, &segment_spec(session, table)?)?;
        facts.insert(key(table), segment.header().pack().to_string());
        tables.insert(table.object, definition(table, segment, created_us));
    }
    describe(session, &tables, created_us)?;
    insert(session, &tables, &first_users(created_us))?;
    insert(session, &tables, &first_grants())?;
    let (objects, sequences) = first_sequences(created_us)?;
    insert(session, &tables, &objects)?;
    insert(session, &tables, &sequences)?;
    let next =
        ConstraintNameRow { owner: UserNumber::SYS.0, name: NEXT_CONSTRAINT.to_owned(), number: FIRST_CONSTRAINT };
    insert(session, &tables, &[next])?;
    session.commit(CommitWrite::default())?;
    session.instance().control().update(|data| data.bootstrap.extend(facts))?;
    load(session)
}

/// Reads the dictionary of a database into the catalog.
///
/// # Errors
/// HW-0020 where it is damaged; those of reading.
pub(super) fn load(session: &Arc<Session>) -> Result<()> {
    let facts = session.instance().control().data().bootstrap.clone();
    match facts.get(VERSION_KEY).map(String::as_str) {
        Some(DICTIONARY_VERSION) => {}
        Some(other) => {
            return Err(Error::own(
                ErrorKind::User,
                21,
                format!(
                    "the dictionary has version {other}; this release reads version {DICTIONARY_VERSION}: open the database with the release that \
                     wrote it"
                ),
            ));
        }
        None => return Err(damaged("the control file does not say where it is")),
    }
    let created_us = session.instance().control().data().created_us;
    let mut tables = BTreeMap::new();
    for table in TABLES {
        let header = facts
            .get(&key(table))
            .and_then(|packed| packed.parse().ok())
            .map(BlockAddress::unpack)
            .ok_or_else(|| damaged(format_args!("the control file does not say where {} is", table.name)))?;
        let segment = Segment::open(session, &segment_spec(session, table)?, header)?;
        tables.insert(table.object, definition(table, segment, created_us));
    }
    let catalog = load_catalog(session, &tables)?;
    *session.instance().catalog.write() = Arc::new(catalog);
    Ok(())
}

fn insert<R: DictionaryRow>(
    session: &Arc<Session>,
    tables: &BTreeMap<ObjectNumber, Arc<TableDef>>,
    rows: &[R],
) -> Result<()> {
    let table = tables.get(&R::TABLE.object).ok_or_else(|| Error::bug("a dictionary table was not made"))?;
    let rows = rows.iter().map(R::encode).collect::<Result<Vec<_>>>()?;
    insert_rows(session, table, &rows)
}

/// The rows of OBJ$, TAB$ and COL$ that describe the dictionary's own tables.
fn describe(session: &Arc<Session>, tables: &BTreeMap<ObjectNumber, Arc<TableDef>>, created_us: u64) -> Result<()> {
    let mut objects = vec![ObjectRow {
        object: 0,
        data_object: FIRST_USER_OBJECT,
        owner: UserNumber::SYS.0,
        name: "_NEXT_OBJECT".to_owned(),
        kind: KIND_NEXT_OBJECT,
        created: Moment(created_us),
        changed: Moment(created_us),
        status: STATUS_VALID,
    }];
    let (mut descriptions, mut columns) = (Vec::new(), Vec::new());
    for table in tables.values() {
        objects.push(object_row(
            table.object,
            table.segment.data_object(),
            UserNumber::SYS,
            &table.name,
            KIND_TABLE,
            created_us,
        ));
        descriptions.push(table_row(table));
        columns.extend(column_rows(table.object, &table.columns));
    }
    insert(session, tables, &objects)?;
    insert(session, tables, &descriptions)?;
    insert(session, tables, &columns)
}

fn first_users(created_us: u64) -> Vec<UserRow> {
    let user = |number: UserNumber, name: &str, kind: u8, tablespace: &str| UserRow {
        number: number.0,
        name: name.to_owned(),
        kind,
        verifier: None,
        default_tablespace: tablespace.to_owned(),
        locked: false,
        created: Moment(created_us),
    };
    vec![
        user(UserNumber::SYS, SYS, 1, SYSTEM_TABLESPACE),
        user(UserNumber::PUBLIC, PUBLIC, 0, ""),
        user(UserNumber::CONNECT, "CONNECT", 0, ""),
        user(UserNumber::RESOURCE, "RESOURCE", 0, ""),
        user(UserNumber::DBA, "DBA", 0, ""),
        user(UserNumber::SYSTEM, SYSTEM, 1, DEFAULT_TABLESPACE),
    ]
}

/// Sequences of the dictionary's own numbers.
fn first_sequences(created_us: u64) -> Result<(Vec<ObjectRow>, Vec<SequenceRow>)> {
    let settings = SequenceSpec::default().settings(None)?;
    let all = [(JOB_SEQUENCE, 901), (SCHEDULER_LOG_SEQUENCE, 902)];
    Ok(all
        .iter()
        .map(|(name, number)| {
            let (object, none) = (ObjectNumber(*number), ObjectNumber(0));
            let described = object_row(object, none, UserNumber::SYS, name, KIND_SEQUENCE, created_us);
            (described, sequence::row(object, &settings, settings.first()))
        })
        .unzip())
}

/// SYSTEM holds every privilege directly; DBA holds every privilege; CONNECT and RESOURCE hold Oracle's privileges of
/// these roles, whether Highwater supports the actions or not.
fn first_grants() -> Vec<SystemGrantRow> {
    use SystemPrivilege as P;
    let privilege = |grantee: UserNumber, privilege: SystemPrivilege, grantable: bool| SystemGrantRow {
        grantee: grantee.0,
        privilege: privilege.number(),
        grantable,
    };
    let role = |grantee: UserNumber, role: UserNumber, grantable: bool| SystemGrantRow {
        grantee: grantee.0,
        privilege: i64::from(role.0),
        grantable,
    };
    let mut grants = Vec::new();
    for all in P::ALL {
        grants.push(privilege(UserNumber::SYSTEM, *all, true));
        grants.push(privilege(UserNumber::DBA, *all, true));
    }
    grants.push(role(UserNumber::SYSTEM, UserNumber::DBA, true));
    grants.extend([P::CreateSession, P::AlterSession].map(|p| privilege(UserNumber::CONNECT, p, false)));
    grants.extend(
        [
            P::CreateTable,
            P::CreateCluster,
            P::CreateSequence,
            P::CreateProcedure,
            P::CreateTrigger,
            P::CreateType,
            P::CreateOperator,
            P::CreateIndextype,
            P::UnlimitedTablespace,
        ]
        .map(|p| privilege(UserNumber::RESOURCE, p, false)),
    );
    grants
}

/// Frees extents without a segment after a crash. Frees nothing while the extents of an object cannot be read.
///
/// # Errors
/// Errors of reading segments and of changing the files' bitmaps.
pub(crate) fn free_unowned(session: &Session) -> Result<u64> {
    let catalog = session.catalog();
    if catalog.unusable().next().is_some() {
        return Ok(0);
    }
    let tables = catalog.tables().map(|table| &table.segment);
    let owners: Vec<_> = tables.chain(catalog.indexes().map(|index| &index.segment)).cloned().collect();
    recovery::free_unowned(session, &owners)
}
