//! Tablespaces as the catalog sees them.

use super::*;
use crate::ddl::IndexSpec;

#[test]
fn a_tablespace_that_holds_something_is_dropped_only_with_its_contents() {
    let database = Database::new();
    let session = database.session();
    session.create_tablespace(&small_tablespace("ONE", SpaceManagement::Manual)).unwrap();
    session.create_tablespace(&small_tablespace("TWO", SpaceManagement::Auto)).unwrap();
    let mut inside = table_spec("INSIDE");
    inside.tablespace = Some("ONE".to_owned());
    session.create_table(&inside).unwrap();
    session.create_table(&table_spec("OUTSIDE")).unwrap();
    session
        .create_index(&IndexSpec {
            logging: None,
            owner: "SYSTEM".to_owned(),
            name: "I".to_owned(),
            table_owner: "SYSTEM".to_owned(),
            table_name: "OUTSIDE".to_owned(),
            columns: vec!["ID".to_owned()],
            unique: false,
            tablespace: Some("ONE".to_owned()),
            physical: Default::default(),
            storage: Default::default(),
        })
        .unwrap();
    assert!(session.drop_tablespace("ONE", false, true).unwrap_err().is_ora(1549));
    session.drop_tablespace("ONE", true, true).unwrap();
    let catalog = session.catalog();
    assert!(catalog.table("SYSTEM", "INSIDE").is_none());
    assert!(catalog.table("SYSTEM", "OUTSIDE").unwrap().indexes.is_empty());
    assert!(session.drop_tablespace("ONE", true, true).unwrap_err().is_ora(959));
    session.drop_tablespace("TWO", false, true).unwrap();
    assert!(session.drop_tablespace("SYSTEM", true, true).unwrap_err().is_ora(1550));
    assert!(session.drop_tablespace("USERS", true, true).unwrap_err().is_ora(12919));
    drop((session, catalog));
    assert!(database.reopen().instance.tablespaces().named("ONE").is_err());
}

#[test]
fn freelists_are_limited_by_the_block_and_without_effect_under_bitmaps() {
    let database = Database::new();
    let session = database.session();
    let mut two = small_tablespace("TWO", SpaceManagement::Manual);
    two.block_size = Some(BlockSize::K2);
    session.create_tablespace(&two).unwrap();
    let mut spec = table_spec("T");
    spec.tablespace = Some("TWO".to_owned());
    spec.storage.freelists = 25;
    assert!(session.create_table(&spec).unwrap_err().is_ora(1590));
    spec.storage.freelists = 24;
    session.create_table(&spec).unwrap();
    let mut automatic = table_spec("A");
    automatic.storage.freelists = 300;
    session.create_table(&automatic).unwrap();
}

#[test]
fn a_tablespace_without_room_leaves_no_table() {
    let database = Database::new();
    let session = database.session();
    session.create_tablespace(&small_tablespace("ONE", SpaceManagement::Manual)).unwrap();
    let free = free_blocks(&session, "ONE");
    let mut spec = table_spec("T");
    spec.tablespace = Some("ONE".to_owned());
    spec.storage.initial = Some(1 << 30);
    assert!(session.create_table(&spec).unwrap_err().is_ora(1658));
    assert!(session.catalog().table("SYSTEM", "T").is_none());
    assert_eq!(free_blocks(&session, "ONE"), free);
}
