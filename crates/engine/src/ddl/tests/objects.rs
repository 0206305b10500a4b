//! Tables and indexes: made, changed, dropped, and found again when the database is opened.

use common::{DataType, Error};
use format::number;

use super::*;
use crate::ddl::{ColumnChange, IndexSpec, NewColumn, PhysicalAttributes, TableChange};

fn index_spec(name: &str, table: &str, columns: &[&str]) -> IndexSpec {
    IndexSpec {
        logging: None,
        owner: "SYSTEM".to_owned(),
        name: name.to_owned(),
        table_owner: "SYSTEM".to_owned(),
        table_name: table.to_owned(),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
        unique: false,
        tablespace: None,
        physical: PhysicalAttributes::default(),
        storage: Default::default(),
    }
}

#[test]
fn the_dictionary_describes_itself() {
    let database = Database::new();
    let session = database.session();
    let catalog = session.catalog();
    for name in ["OBJ$", "TAB$", "COL$", "IND$", "ICOL$", "USER$", "SYSAUTH$", "OBJAUTH$", "TSQ$"] {
        let table = catalog.table("SYS", name).unwrap();
        assert!(table.is_dictionary());
        assert_eq!(table.segment.tablespace().name(), "SYSTEM");
    }
    let described: usize = catalog.tables().map(|table| table.columns.len()).sum();
    assert_eq!(rows(&session, catalog.table("SYS", "COL$").unwrap()).len(), described);
    assert_eq!(rows(&session, catalog.table("SYS", "TAB$").unwrap()).len(), catalog.tables().count());
    assert!(session.drop_table("SYS", "OBJ$").unwrap_err().is_ora(1031));
}

#[test]
fn a_table_and_its_rows_are_found_again_after_reopening() {
    let database = Database::new();
    let session = database.session();
    let mut spec = table_spec("T");
    spec.columns[0].nullable = false;
    spec.columns.push(ColumnDef {
        default: Some("sysdate".to_owned()),
        ..column("WHEN", DataType::Timestamp { precision: 3 })
    });
    spec.physical = PhysicalAttributes { pctfree: Some(5), initrans: Some(3), ..Default::default() };
    spec.storage.freelists = 7;
    spec.storage.initial = Some(1 << 20);
    spec.cache = true;
    let made = session.create_table(&spec).unwrap();
    let version = session.catalog().version();
    let mut inserter = table::Inserter::new(session.worker().clone(), made.heap().clone()).unwrap();
    inserter.push(&[Some(&number::encode_i64(7)), None, None]).unwrap();
    inserter.finish().unwrap();
    session.create_index(&index_spec("T_I", "T", &["NAME", "ID"])).unwrap();
    assert!(session.catalog().version() > version);
    drop(session);

    let database = database.reopen();
    let session = database.session();
    let catalog = session.catalog();
    let found = catalog.table("SYSTEM", "T").unwrap();
    assert_eq!(found.columns, spec.columns);
    assert_eq!(found.storage, spec.storage);
    assert_eq!((found.object, found.segment.header()), (made.object, made.segment.header()));
    assert_eq!((found.pctfree, found.pctused, found.initrans, found.cache), (5, 40, 3, true));
    assert_eq!(found.created_us, made.created_us);
    assert_eq!(rows(&session, found).len(), 1);
    let index = catalog.index("SYSTEM", "T_I").unwrap();
    assert_eq!(index.columns, [1, 0]);
    assert_eq!(found.indexes.len(), 1);
    assert_eq!(found.indexes[0].object, index.object);
    assert!(index.statistics.is_some());
    // Numbers continue after a restart.
    let next = session.create_table(&table_spec("U")).unwrap();
    assert!(next.object > index.object);
}

#[test]
fn dropping_gives_everything_back() {
    let database = Database::new();
    let session = database.session();
    // The dictionary's own tables may grow once.
    session.create_table(&table_spec("FIRST")).unwrap();
    let (free, system) = (free_blocks(&session, "USERS"), free_blocks(&session, "SYSTEM"));
    let table = session.create_table(&table_spec("T")).unwrap();
    session.create_index(&index_spec("I", "T", &["ID"])).unwrap();
    insert(&session, &session.catalog().table("SYSTEM", "T").unwrap().clone(), 0..5000);
    assert!(free_blocks(&session, "USERS") < free);
    session.drop_table("SYSTEM", "T").unwrap();
    assert_eq!(free_blocks(&session, "USERS"), free);
    assert_eq!(free_blocks(&session, "SYSTEM"), system);
    let catalog = session.catalog();
    assert!(catalog.table("SYSTEM", "T").is_none() && catalog.index("SYSTEM", "I").is_none());
    assert!(catalog.table_by_number(table.object).is_none());
    assert!(session.drop_table("SYSTEM", "T").unwrap_err().is_ora(942));
    assert!(session.drop_index("SYSTEM", "I").unwrap_err().is_ora(1418));
    drop((session, catalog));
    assert!(database.reopen().session().catalog().table("SYSTEM", "T").is_none());
}

#[test]
fn a_statement_that_fails_leaves_nothing() {
    let database = Database::new();
    let session = database.session();
    session.create_table(&table_spec("T")).unwrap();
    session.create_index(&index_spec("I", "T", &["ID"])).unwrap();
    let before = session.catalog();
    let free = free_blocks(&session, "USERS");
    let dictionary: Vec<_> = before.tables().filter(|table| table.is_dictionary()).cloned().collect();
    let contents: Vec<_> = dictionary.iter().map(|table| rows(&session, table)).collect();
    let failed = session.ddl(|ddl| -> common::Result<()> {
        let table = ddl.catalog.table("SYSTEM", "T").unwrap().clone();
        ddl.rename_and_make(&table)?;
        Err(Error::user(1, "stop here"))
    });
    assert!(failed.unwrap_err().is_ora(1));
    assert_eq!(session.catalog().version(), before.version());
    assert_eq!(free_blocks(&session, "USERS"), free);
    for (table, contents) in dictionary.iter().zip(contents) {
        let mut now = rows(&session, table);
        let mut then = contents;
        now.sort();
        then.sort();
        assert_eq!(now, then, "{}", table.name);
    }
}

impl crate::ddl::statement::Ddl<'_> {
    /// One step of each kind.
    fn rename_and_make(&mut self, table: &Arc<TableDef>) -> common::Result<()> {
        use crate::dictionary::access::equal;
        use crate::dictionary::rows::{ColumnRow, ObjectRow};
        self.create_table(&table_spec("U"))?;
        self.update::<ObjectRow>(&equal("OBJ#", table.object.0)?, |row| row.name = "V".to_owned())?;
        assert_eq!(self.delete::<ColumnRow>(&equal("OBJ#", table.object.0)?)?, 2);
        Ok(())
    }
}

#[test]
fn invalid_ddl_is_refused_by_number() {
    let database = Database::new();
    let session = database.session();
    session.create_table(&table_spec("T")).unwrap();
    session.create_index(&index_spec("I", "T", &["ID"])).unwrap();
    let free = free_blocks(&session, "USERS");
    let table = |change: fn(&mut TableSpec)| {
        let mut spec = table_spec("U");
        change(&mut spec);
        session.create_table(&spec).unwrap_err()
    };
    assert!(table(|spec| spec.name = "T".to_owned()).is_ora(955));
    assert!(table(|spec| spec.tablespace = Some("NOWHERE".to_owned())).is_ora(959));
    assert!(table(|spec| spec.owner = "NOBODY".to_owned()).is_ora(1918));
    assert!(table(|spec| spec.physical.pctfree = Some(100)).is_ora(2211));
    assert!(table(|spec| spec.physical.maxtrans = Some(256)).is_ora(2209));
    assert!(table(|spec| (spec.physical.initrans, spec.physical.maxtrans) = (Some(4), Some(3))).is_ora(2209));
    assert!(table(|spec| spec.physical.pctused = Some(95)).is_ora(4000));
    assert!(table(|spec| spec.columns.clear()).is_ora(904));
    assert!(table(|spec| spec.columns[1].name = "ID".to_owned()).is_ora(957));
    assert!(table(|spec| spec.storage.freelists = 0).is_ora(2168));
    let index = |name: &str, table: &str, columns: &[&str]| {
        session.create_index(&index_spec(name, table, columns)).unwrap_err()
    };
    assert!(index("I", "T", &["NAME"]).is_ora(955));
    assert!(index("J", "NONE", &["NAME"]).is_ora(942));
    assert!(index("J", "T", &["NONE"]).is_ora(904));
    assert!(index("J", "T", &["NAME", "NAME"]).is_ora(957));
    assert!(index("J", "T", &["ID"]).is_ora(1408));
    // The same columns in another order, and more of them, make another index.
    session.create_index(&index_spec("J", "T", &["NAME", "ID"])).unwrap();
    session.drop_index("SYSTEM", "J").unwrap();
    assert_eq!(free_blocks(&session, "USERS"), free);
}

#[test]
fn truncate_empties_the_table_and_its_indexes() {
    let database = Database::new();
    let session = database.session();
    session.create_table(&table_spec("T")).unwrap();
    session.create_index(&index_spec("I", "T", &["ID"])).unwrap();
    let free = free_blocks(&session, "USERS");
    let before = session.catalog().table("SYSTEM", "T").unwrap().clone();
    insert(&session, &before, 0..5000);
    assert!(free_blocks(&session, "USERS") < free);
    let after = session.truncate_table("SYSTEM", "T").unwrap();
    assert_eq!(free_blocks(&session, "USERS"), free);
    assert_eq!(after.object, before.object);
    assert_ne!(after.segment.data_object(), before.segment.data_object());
    assert_ne!(after.indexes[0].segment.data_object(), before.indexes[0].segment.data_object());
    assert!(rows(&session, &after).is_empty());
    insert(&session, &after, 0..3);
    session.commit(storage::txn::CommitWrite::default()).unwrap();
    drop((session, before, after));
    let database = database.reopen();
    let session = database.session();
    assert_eq!(rows(&session, session.catalog().table("SYSTEM", "T").unwrap()).len(), 3);
}

#[test]
fn alter_table_changes_what_it_can_and_refuses_the_rest() {
    let database = Database::new();
    let session = database.session();
    let table = session.create_table(&table_spec("T")).unwrap();
    insert(&session, &table, 0..10);
    let alter = |change: TableChange| session.alter_table("SYSTEM", "T", &change);
    assert!(alter(TableChange::Cache(true)).unwrap().cache);
    let asked = PhysicalAttributes { pctfree: Some(30), ..Default::default() };
    assert_eq!(alter(TableChange::Physical(asked)).unwrap().segment.pctfree(), 30);

    let added = |name: &str, nullable, fill: Option<Vec<u8>>| {
        let column = ColumnDef { nullable, ..number_column(name) };
        alter(TableChange::AddColumns(vec![NewColumn { column, fill }]))
    };
    let table = added("EXTRA", true, None).unwrap();
    assert!(rows(&session, &table).iter().all(|row| row[2].is_none()));
    assert!(added("EXTRA", true, None).unwrap_err().is_ora(1430));
    assert!(added("MUST", false, None).unwrap_err().is_ora(1758));
    let filled = number::encode_i64(5).to_vec();
    let table = added("MUST", false, Some(filled.clone())).unwrap();
    assert!(rows(&session, &table).iter().all(|row| row[2].is_none() && row[3].as_ref() == Some(&filled)));

    let modify = |name: &str, data_type, nullable| {
        let change = ColumnChange { name: name.to_owned(), data_type, nullable, default: None };
        alter(TableChange::ModifyColumns(vec![change]))
    };
    let text = |bytes| Some(DataType::Varchar2 { bytes });
    assert_eq!(modify("NAME", text(100), None).unwrap().columns[1].data_type, DataType::Varchar2 { bytes: 100 });
    modify("NAME", text(6), None).unwrap();
    assert!(modify("NAME", text(5), None).unwrap_err().is_ora(1441));
    assert!(modify("NAME", Some(DataType::Date), None).unwrap_err().is_ora(1439));
    let narrow = Some(DataType::Number { precision: Some(3), scale: 0 });
    assert!(modify("ID", narrow, None).unwrap_err().is_ora(1440));
    modify("EXTRA", narrow, None).unwrap();
    assert!(modify("EXTRA", None, Some(false)).unwrap_err().is_ora(2296));
    modify("ID", None, Some(false)).unwrap();
    assert!(modify("ID", None, Some(false)).unwrap_err().is_ora(1442));
    assert!(modify("EXTRA", None, Some(true)).unwrap_err().is_ora(1451));
    assert!(modify("NONE", None, Some(true)).unwrap_err().is_ora(904));

    let rename = |from: &str, to: &str| alter(TableChange::RenameColumn { from: from.to_owned(), to: to.to_owned() });
    assert!(rename("ID", "NAME").unwrap_err().is_ora(957));
    rename("ID", "NUMBER_OF_IT").unwrap();
    session.create_table(&table_spec("OTHER")).unwrap();
    assert!(alter(TableChange::RenameTable("OTHER".to_owned())).unwrap_err().is_ora(955));
    let altered = alter(TableChange::RenameTable("NEW".to_owned())).unwrap();
    assert!(session.catalog().table("SYSTEM", "T").is_none());
    let now = rows(&session, &altered);
    drop(session);

    let database = database.reopen();
    let session = database.session();
    let found = session.catalog().table("SYSTEM", "NEW").unwrap().clone();
    assert_eq!(found.columns, altered.columns);
    assert_eq!((found.cache, found.pctfree), (true, 30));
    assert_eq!(rows(&session, &found), now);
}

#[test]
fn rows_being_changed_keep_ddl_out() {
    let database = Database::new();
    let session = database.session();
    let table = session.create_table(&table_spec("T")).unwrap();
    let (lock, current) = session.lock_for_change(&table).unwrap();
    assert_eq!(current.object, table.object);
    assert!(session.truncate_table("SYSTEM", "T").unwrap_err().is_ora(54));
    assert!(session.drop_table("SYSTEM", "T").unwrap_err().is_ora(54));
    assert!(session.create_index(&index_spec("I", "T", &["ID"])).unwrap_err().is_ora(54));
    drop(lock);
    session.drop_table("SYSTEM", "T").unwrap();
    assert!(session.lock_for_change(&table).unwrap_err().is_ora(8103));
}

#[test]
fn statistics_are_computed_and_kept() {
    let database = Database::new();
    let session = database.session();
    let table = session.create_table(&table_spec("T")).unwrap();
    assert!(table.statistics.is_none());
    insert(&session, &table, 0..1000);
    let statistics =
        session.gather_statistics("SYSTEM", "T", crate::ddl::Gathering::Optimizer).unwrap().statistics.unwrap();
    assert_eq!(statistics.num_rows, 1000);
    // ID takes 1 to 3 bytes, NAME 6 to 8, and each a byte for its length.
    assert!((9..=13).contains(&statistics.average_row_bytes), "{statistics:?}");
    assert!(statistics.blocks > 0);
    drop((session, table));
    let database = database.reopen();
    assert_eq!(database.session().catalog().table("SYSTEM", "T").unwrap().statistics, Some(statistics));
}
