//! Keys, parents and children on a database in memory.

use std::path::Path;
use std::sync::Arc;

use common::{BlockSize, DataType, SystemClock};
use device::MemoryFileSystem;
use format::number;

use super::*;
use crate::ddl::{ConstraintName, ConstraintRule, ConstraintSpec, IndexSpec, KeyIndex, PhysicalAttributes, TableSpec};
use crate::dictionary::{ColumnDef, ConstraintState, OnDelete, TableDef};
use crate::instance::{Instance, Session};
use crate::startup::CreateOptions;
use storage::segment::Storage;
use storage::table::Inserter;

fn create() -> (Arc<MemoryFileSystem>, Arc<Instance>) {
    let files = Arc::new(MemoryFileSystem::new());
    let options = CreateOptions {
        name: "TEST".to_owned(),
        block_size: BlockSize::K8,
        parameters: vec![("db_cache_size".to_owned(), "16M".to_owned())],
        ..CreateOptions::default()
    };
    let clock = Arc::new(SystemClock::default());
    let instance = Instance::create(files.clone(), Path::new("/database"), clock, None, &options).unwrap();
    (files, instance)
}

fn number_column(name: &str) -> ColumnDef {
    let data_type = DataType::Number { precision: None, scale: 0 };
    ColumnDef { name: name.to_owned(), data_type, nullable: true, default: None }
}

fn spec(name: &str, rule: ConstraintRule) -> ConstraintSpec {
    ConstraintSpec { name: Some(name.to_owned()), rule, state: ConstraintState::default() }
}

fn primary_key(name: &str) -> ConstraintSpec {
    let columns = vec!["ID".to_owned()];
    spec(name, ConstraintRule::Key { primary: true, columns, index: KeyIndex::default() })
}

/// `PARENT (ID primary key)` with the even numbers below 20000, `CHILD (ID, UP references PARENT)`.
fn family(session: &Arc<Session>) -> (Arc<TableDef>, Arc<TableDef>) {
    let parent = TableSpec {
        constraints: vec![primary_key("PK")],
        ..TableSpec::new("SYSTEM", "PARENT", vec![number_column("ID")])
    };
    let parent = session.create_table(&parent).unwrap();
    let mut inserter = Inserter::new(session.worker().clone(), parent.heap().clone()).unwrap();
    for id in (0..20_000).step_by(2) {
        inserter.push(&[Some(&number::encode_i64(id))]).unwrap();
    }
    inserter.finish().unwrap();
    let foreign = ConstraintRule::ForeignKey {
        columns: vec!["UP".to_owned()],
        owner: "SYSTEM".to_owned(),
        table: "PARENT".to_owned(),
        referenced: Vec::new(),
        on_delete: OnDelete::Cascade,
    };
    let columns = vec![number_column("ID"), number_column("UP")];
    let child = TableSpec { constraints: vec![spec("FK", foreign)], ..TableSpec::new("SYSTEM", "CHILD", columns) };
    let child = session.create_table(&child).unwrap();
    let mut inserter = Inserter::new(session.worker().clone(), child.heap().clone()).unwrap();
    for id in 0..1000 {
        let up = number::encode_i64(id % 100 * 2);
        inserter.push(&[Some(&number::encode_i64(id)), (id % 7 != 0).then_some(&*up)]).unwrap();
    }
    inserter.finish().unwrap();
    (parent, child)
}

fn keys(ids: impl Iterator<Item = i64>) -> KeySet {
    ids.map(|id| Key::new([Some(&*number::encode_i64(id))])).collect()
}

#[test]
fn parents_are_found_dense_and_sparse() {
    let (_files, instance) = create();
    let session = instance.connect("SYSTEM").unwrap();
    let (_, child) = family(&session);
    let foreign = child.constraint("FK").unwrap();
    for step in [1, 3, 977, 6001] {
        let asked = keys((-5..20_010).step_by(step));
        let expected = keys((-5..20_010).step_by(step).filter(|id| id % 2 != 0 || !(0..20_000).contains(id)));
        assert_eq!(missing_parents(&session, foreign, &asked).unwrap(), expected, "every {step}");
    }
    assert!(missing_parents(&session, foreign, &KeySet::new()).unwrap().is_empty());
}

#[test]
fn dense_keys_are_merged_with_the_index_and_few_keys_are_looked_up() {
    let (_files, instance) = create();
    let session = instance.connect("SYSTEM").unwrap();
    let (_, child) = family(&session);
    let foreign = child.constraint("FK").unwrap();
    let gets = |keys: &KeySet| {
        let count = || session.meter().gets(common::BlockClass::Data, waits::GetMode::Consistent);
        let before = count();
        missing_parents(&session, foreign, keys).unwrap();
        count() - before
    };
    let index = key_index(&session.catalog(), foreign).unwrap();
    let leaves = storage::index::statistics(&session, &index).unwrap().leaf_blocks;
    assert!(leaves > 10, "{leaves} leaves");
    let all = gets(&keys((0..20_000).step_by(2)));
    // The parents' rows are read too, a get a block; they take fewer blocks than their keys.
    assert!(all <= 2 * leaves + 5, "{all} gets for 10,000 keys in {leaves} leaves");
    let few = gets(&keys([2, 10_000].into_iter()));
    assert!(few <= 2 * 4, "{few} gets for two keys");
}

#[test]
fn children_are_the_same_with_an_index_and_without() {
    let (_files, instance) = create();
    let session = instance.connect("SYSTEM").unwrap();
    let (_, child) = family(&session);
    let foreign = child.constraint("FK").unwrap().clone();
    let asked = keys([0, 2, 40, 198, 5000, 7].into_iter());
    let expected = (0..1000).filter(|id| id % 7 != 0 && [0, 2, 40, 198].contains(&(id % 100 * 2))).count();
    let mut scanned = children(&session, &child, &foreign, &asked).unwrap();
    assert_eq!(scanned.len(), expected);
    assert!(has_children(&session, &child, &foreign, &asked).unwrap());
    let index = IndexSpec {
        logging: None,
        owner: "SYSTEM".to_owned(),
        name: "CHILD_UP".to_owned(),
        table_owner: "SYSTEM".to_owned(),
        table_name: "CHILD".to_owned(),
        columns: vec!["UP".to_owned(), "ID".to_owned()],
        unique: false,
        tablespace: None,
        physical: PhysicalAttributes::default(),
        storage: Storage::default(),
    };
    session.create_index(&index).unwrap();
    let child = session.catalog().table("SYSTEM", "CHILD").unwrap().clone();
    let mut indexed = children(&session, &child, &foreign, &asked).unwrap();
    scanned.sort();
    indexed.sort();
    assert_eq!(scanned, indexed);
    assert!(!has_children(&session, &child, &foreign, &keys([5000, 7].into_iter())).unwrap());
    let index = session.catalog().index("SYSTEM", "CHILD_UP").unwrap().clone();
    assert_eq!(duplicates(&session, &index, &keys(0..4), 1).unwrap(), keys([0, 2].into_iter()));
    assert!(duplicate(&session, &index, 1).unwrap() && !duplicate(&session, &index, 2).unwrap());
}

#[test]
fn orphans_and_dependencies_are_refused() {
    let (_files, instance) = create();
    let session = instance.connect("SYSTEM").unwrap();
    let (_, child) = family(&session);
    let name = ConstraintName::Name("FK".to_owned());
    session.drop_constraint("SYSTEM", "CHILD", &name, false, None).unwrap();
    let mut inserter = Inserter::new(session.worker().clone(), child.heap().clone()).unwrap();
    inserter.push(&[None, Some(&number::encode_i64(3))]).unwrap();
    inserter.finish().unwrap();
    let foreign = |validated: bool| ConstraintSpec {
        state: ConstraintState { validated, ..ConstraintState::default() },
        ..spec(
            "FK",
            ConstraintRule::ForeignKey {
                columns: vec!["UP".to_owned()],
                owner: "SYSTEM".to_owned(),
                table: "PARENT".to_owned(),
                referenced: vec!["ID".to_owned()],
                on_delete: OnDelete::NoAction,
            },
        )
    };
    let mut test = |_: &Arc<TableDef>, _: &str| Ok(true);
    assert!(session.add_constraint("SYSTEM", "CHILD", &foreign(true), &mut test).unwrap_err().is_ora(2298));
    assert!(session.catalog().constraint("SYSTEM", "FK").is_none());
    session.add_constraint("SYSTEM", "CHILD", &foreign(false), &mut test).unwrap();
    assert!(session.drop_table("SYSTEM", "PARENT").unwrap_err().is_ora(2449));
    assert!(session.truncate_table("SYSTEM", "PARENT").unwrap_err().is_ora(2266));
    assert!(session.drop_index("SYSTEM", "PK").unwrap_err().is_ora(2429));
    let key = ConstraintName::PrimaryKey;
    assert!(session.drop_constraint("SYSTEM", "PARENT", &key, false, None).unwrap_err().is_ora(2273));
    session.drop_constraint("SYSTEM", "PARENT", &key, true, None).unwrap();
    assert!(
        session.catalog().index("SYSTEM", "PK").is_none() && session.catalog().constraint("SYSTEM", "FK").is_none()
    );
}

#[test]
fn constraints_are_there_after_the_database_is_opened_again() {
    let (files, instance) = create();
    let session = instance.connect("SYSTEM").unwrap();
    let (parent, _) = family(&session);
    assert!(!parent.columns[0].nullable);
    let before: Vec<_> = session.catalog().constraints().map(|found| (**found).clone()).collect();
    assert_eq!(before.len(), 2);
    drop(session);
    instance.shutdown().unwrap();
    drop(instance);
    let clock = Arc::new(SystemClock::default());
    let instance = Instance::open(files, Path::new("/database"), clock, None).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    let after: Vec<_> = session.catalog().constraints().map(|found| (**found).clone()).collect();
    assert!(before == after);
    let parent = session.catalog().table("SYSTEM", "PARENT").unwrap().clone();
    assert_eq!((parent.constraints.len(), parent.referencing.len()), (1, 1));
    // New numbers continue behind the old ones.
    let table =
        TableSpec { constraints: vec![primary_key("PK2")], ..TableSpec::new("SYSTEM", "U", vec![number_column("ID")]) };
    let table = session.create_table(&table).unwrap();
    assert!(table.constraints[0].number > before[1].number);
}
