//! Sequences, views and synonyms; ALTER TABLE that writes the rows anew.

use std::collections::BTreeSet;
use std::sync::Arc;

use common::DataType;
use common::sync::spawn;

use super::{Database, column, insert, number_column, rows, table_spec};
use crate::ddl::{ColumnChange, IndexSpec, PhysicalAttributes, SequenceSpec, TableChange, ViewSpec};
use crate::dictionary::{ObjectPrivilege, SchemaObject, SequenceDef, ViewColumn};
use crate::instance::Session;
use storage::segment::Storage;

fn values(session: &Arc<Session>, sequence: &SequenceDef, count: usize) -> Vec<i128> {
    let mut values = Vec::new();
    session.sequence_values(sequence, count, |value| values.push(value)).unwrap();
    values
}

fn sequence(session: &Session, name: &str) -> Arc<SequenceDef> {
    match session.catalog().object("SYSTEM", name) {
        Some(SchemaObject::Sequence(sequence)) => sequence,
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_come_once_whatever_the_cache_and_after_a_restart() {
    let database = Database::new();
    let session = database.session();
    let cached = session.create_sequence("SYSTEM", "S", &SequenceSpec::default()).unwrap();
    let plain = SequenceSpec { start: Some(10), increment: Some(-5), maximum: Some(Some(10)), ..Default::default() };
    let plain = SequenceSpec { cache: Some(None), ..plain };
    let plain = session.create_sequence("SYSTEM", "N", &plain).unwrap();
    assert_eq!(cached.last_number(), 1);
    assert_eq!(values(&session, &cached, 3), [1, 2, 3]);
    assert_eq!(cached.last_number(), 21);
    assert_eq!(values(&session, &plain, 3), [10, 5, 0]);
    assert_eq!(plain.last_number(), -5);
    drop(session);
    let database = database.reopen();
    let session = database.session();
    // Values 4 to 20 were in the cache.
    assert_eq!(values(&session, &sequence(&session, "S"), 21), (21..42).collect::<Vec<_>>());
    assert_eq!(sequence(&session, "S").last_number(), 61);
    assert_eq!(values(&session, &sequence(&session, "N"), 1), [-5]);
    assert_eq!(sequence(&session, "N").settings, plain.settings);
}

#[test]
fn sessions_at_once_never_get_the_same_value() {
    const SESSIONS: usize = 4;
    const VALUES: usize = 300;
    let database = Database::new();
    let session = database.session();
    let spec = SequenceSpec { cache: Some(Some(7)), ..Default::default() };
    let sequence = session.create_sequence("SYSTEM", "S", &spec).unwrap();
    let threads: Vec<_> = (0..SESSIONS)
        .map(|n| {
            let (session, sequence) = (database.session(), sequence.clone());
            spawn(&format!("session {n}"), move || values(&session, &sequence, VALUES)).unwrap()
        })
        .collect();
    // A change in the middle gives no value twice, either.
    session.alter_sequence("SYSTEM", "S", &SequenceSpec { cache: Some(Some(3)), ..Default::default() }).unwrap();
    let mut all = BTreeSet::new();
    for thread in threads {
        let got = thread.join().unwrap();
        assert!(got.is_sorted());
        all.extend(got);
    }
    assert_eq!(all, (1..=(SESSIONS * VALUES) as i128).collect());
}

#[test]
fn a_sequence_ends_or_begins_again() {
    let database = Database::new();
    let session = database.session();
    let bounded = SequenceSpec { maximum: Some(Some(5)), increment: Some(2), ..Default::default() };
    let ends = session.create_sequence("SYSTEM", "E", &bounded).unwrap();
    assert_eq!(values(&session, &ends, 3), [1, 3, 5]);
    assert!(session.sequence_values(&ends, 1, |_| ()).unwrap_err().is_ora(8004));
    let cycles = SequenceSpec { cycle: Some(true), cache: Some(Some(2)), ..bounded };
    let cycles = session.create_sequence("SYSTEM", "C", &cycles).unwrap();
    assert_eq!(values(&session, &cycles, 7), [1, 3, 5, 1, 3, 5, 1]);
    session.drop_sequence("SYSTEM", "C").unwrap();
    assert!(session.sequence_values(&cycles, 1, |_| ()).unwrap_err().is_ora(2289));
    assert!(session.drop_sequence("SYSTEM", "C").unwrap_err().is_ora(2289));
}

#[test]
fn altering_goes_on_from_the_last_value() {
    let database = Database::new();
    let session = database.session();
    let s = session.create_sequence("SYSTEM", "S", &SequenceSpec::default()).unwrap();
    assert_eq!(values(&session, &s, 10).last(), Some(&10));
    let alter = |spec: SequenceSpec| session.alter_sequence("SYSTEM", "S", &spec);
    alter(SequenceSpec { increment: Some(100), ..Default::default() }).unwrap();
    assert_eq!(values(&session, &sequence(&session, "S"), 2), [110, 210]);
    assert!(alter(SequenceSpec { maximum: Some(Some(209)), ..Default::default() }).unwrap_err().is_ora(4009));
    assert!(alter(SequenceSpec { minimum: Some(Some(211)), ..Default::default() }).unwrap_err().is_ora(4007));
    assert!(alter(SequenceSpec { start: Some(1), ..Default::default() }).unwrap_err().is_ora(2283));
    // The older definition gives the same values: there is one sequence.
    assert_eq!(values(&session, &s, 1), [310]);
}

#[test]
fn views_and_synonyms_come_back() {
    let database = Database::new();
    let session = database.session();
    let text = format!("select id, '{}' long_text from t", "é".repeat(3000));
    let spec = ViewSpec {
        owner: "SYSTEM".to_owned(),
        name: "V".to_owned(),
        text,
        columns: vec![
            ViewColumn { name: "A".to_owned(), data_type: Some(DataType::Date), nullable: false },
            ViewColumn { name: "B".to_owned(), data_type: None, nullable: true },
        ],
        read_only: true,
        replace: false,
    };
    let first = session.create_view(&spec).unwrap();
    assert!(session.create_view(&spec).unwrap_err().is_ora(955));
    let view = session.create_view(&ViewSpec { replace: true, ..spec }).unwrap();
    assert_eq!(first.object, view.object);
    session.create_synonym("SYSTEM", "S", ("SYSTEM", "V"), false).unwrap();
    session.create_synonym("PUBLIC", "P", ("SYSTEM", "S"), false).unwrap();
    session.create_synonym("SYSTEM", "L1", ("SYSTEM", "L2"), false).unwrap();
    session.create_synonym("SYSTEM", "L2", ("SYSTEM", "L1"), false).unwrap();
    session.create_synonym("SYSTEM", "G", ("SYSTEM", "GONE"), false).unwrap();
    assert!(session.create_table(&table_spec("V")).unwrap_err().is_ora(955));
    drop(session);
    let database = database.reopen();
    let session = database.session();
    let catalog = session.catalog();
    let resolved = catalog.resolve("SYS", None, "P").unwrap();
    assert!(resolved.synonym && resolved.owner == "SYSTEM" && resolved.name == "V");
    match resolved.object {
        Some(SchemaObject::View(back)) => assert_eq!(back, view),
        other => panic!("{other:?}"),
    }
    assert!(catalog.resolve("SYSTEM", None, "L1").unwrap_err().is_ora(1775));
    assert!(catalog.resolve("SYSTEM", None, "G").unwrap_err().is_ora(980));
    assert!(catalog.resolve("SYSTEM", None, "NOTHING").unwrap().object.is_none());
    session.grant_on(&[ObjectPrivilege::Select], "SYSTEM", "V", &["CONNECT".to_owned()], false).unwrap();
    session.rename("SYSTEM", "V", "W").unwrap();
    assert!(session.catalog().resolve("SYSTEM", None, "P").unwrap_err().is_ora(980));
    session.drop_view("SYSTEM", "W").unwrap();
    assert!(session.drop_view("SYSTEM", "W").unwrap_err().is_ora(942));
}

#[test]
fn dropping_a_column_rewrites_rows_and_indexes() {
    let database = Database::new();
    let session = database.session();
    let mut spec = table_spec("T");
    spec.columns.insert(0, number_column("FIRST"));
    let table = session.create_table(&spec).unwrap();
    let mut inserter = storage::table::Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
    for id in 0..500 {
        let number = format::number::encode_i64(id);
        inserter.push(&[Some(&number), Some(&number), (id % 2 == 0).then_some(b"even")]).unwrap();
    }
    inserter.finish().unwrap();
    for (name, column) in [("I_FIRST", "FIRST"), ("I_ID", "ID")] {
        let index = IndexSpec {
            logging: None,
            owner: "SYSTEM".to_owned(),
            name: name.to_owned(),
            table_owner: "SYSTEM".to_owned(),
            table_name: "T".to_owned(),
            columns: vec![column.to_owned()],
            unique: true,
            tablespace: None,
            physical: PhysicalAttributes::default(),
            storage: Storage::default(),
        };
        session.create_index(&index).unwrap();
    }
    let change = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        session.alter_table("SYSTEM", "T", &TableChange::DropColumns { names, cascade: false })
    };
    assert!(change(&["NOSUCH"]).unwrap_err().is_ora(904));
    assert!(change(&["FIRST", "ID", "NAME"]).unwrap_err().is_ora(12983));
    let after = change(&["FIRST"]).unwrap();
    assert_eq!(after.columns.len(), 2);
    assert_eq!(after.indexes.len(), 1);
    assert!(session.catalog().index("SYSTEM", "I_FIRST").is_none());
    let stored = rows(&session, &after);
    assert_eq!(stored.len(), 500);
    assert_eq!(stored[2], [Some(format::number::encode_i64(2).to_vec()), Some(b"even".to_vec())]);
    assert_eq!(stored[3][1], None);
    // The new index minds its keys.
    let mut inserter = storage::table::Inserter::new(session.worker().clone(), after.heap().clone()).unwrap();
    let twice = inserter.push(&[Some(&format::number::encode_i64(7)), None]).and_then(|()| inserter.finish().map(drop));
    assert!(twice.unwrap_err().is_ora(1));
    drop(inserter);
    drop((session, table));
    let database = database.reopen();
    let session = database.session();
    let table = session.catalog().table("SYSTEM", "T").unwrap().clone();
    assert_eq!(rows(&session, &table), stored);
    assert_eq!(table.indexes[0].columns, [0]);
}

#[test]
fn a_char_gets_another_length() {
    let database = Database::new();
    let session = database.session();
    let mut spec = table_spec("T");
    spec.columns[1] = column("NAME", DataType::Varchar2 { bytes: 30 });
    let table = session.create_table(&spec).unwrap();
    insert(&session, &table, 1..3);
    let modify = |data_type: DataType| {
        let change = ColumnChange { name: "NAME".to_owned(), data_type: Some(data_type), ..Default::default() };
        session.alter_table("SYSTEM", "T", &TableChange::ModifyColumns(vec![change]))
    };
    let second = |table: &Arc<crate::dictionary::TableDef>| rows(&session, table)[1][1].clone().unwrap();
    assert!(modify(DataType::Char { bytes: 5 }).unwrap_err().is_ora(1441));
    assert_eq!(second(&modify(DataType::Char { bytes: 8 }).unwrap()), b"name 2  ");
    assert_eq!(second(&modify(DataType::Char { bytes: 6 }).unwrap()), b"name 2");
    assert_eq!(second(&modify(DataType::Varchar2 { bytes: 6 }).unwrap()), b"name 2");
    assert!(modify(DataType::Date).unwrap_err().is_ora(1439));
}
