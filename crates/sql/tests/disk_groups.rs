//! A database with datafiles in a disk group, on files of the operating system: crashes, and disks that are missing,
//! exchanged or in use.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{Error, SystemClock};
use device::OsFileSystem;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use engine::verify::verify;
use sql::{Connection, Database};
use storage::disk_group::make_disks;

const MB: u64 = 1 << 20;

struct Place {
    _temporary: tempfile::TempDir,
    directory: PathBuf,
}

impl Place {
    /// A closed database, with empty disks beside its files.
    fn new(disks: u16) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        // The directory's name has characters with a meaning in patterns.
        let directory = temporary.path().join("a, b?*");
        let parameters = vec![("db_cache_size".to_owned(), "16M".to_owned())];
        let options = CreateOptions { parameters, name: "orcl".to_owned(), ..CreateOptions::default() };
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::create(Arc::new(OsFileSystem::new()), &directory, clock, None, &options).unwrap();
        instance.shutdown().unwrap();
        let made = make_disks(&OsFileSystem::new(), &format!("{}/disk*", temporary.path().display()), disks, 16 * MB);
        for path in made.unwrap() {
            fs::rename(&path, directory.join(path.file_name().unwrap())).unwrap();
        }
        Self { _temporary: temporary, directory }
    }

    /// One whose tables are in a group of its disks: 20,000 rows in T.
    fn with_group(disks: u16) -> Self {
        let place = Self::new(disks);
        let mut connection = place.connect();
        run(&mut connection, "create diskgroup group1 external redundancy disk 'disk*' attribute 'au_size' = '1M'");
        run(&mut connection, "create tablespace inside datafile '+GROUP1' size 4m autoextend on next 1m blocksize 4k");
        run(
            &mut connection,
            "create table t (n number primary key using index tablespace inside, c varchar2(200)) tablespace inside",
        );
        run(&mut connection, "insert into t select level, rpad('x', 150, 'x') from dual connect by level <= 20000");
        run(&mut connection, "commit");
        close(connection);
        place
    }

    fn open(&self) -> Result<Arc<Instance>, Error> {
        Instance::open(Arc::new(OsFileSystem::new()), &self.directory, Arc::new(SystemClock::default()), None)
    }

    fn connect(&self) -> Connection {
        Database::new(self.open().unwrap()).connect("system", None).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn problems(&self) -> Vec<String> {
        let clock = Arc::new(SystemClock::default());
        let report = verify(Arc::new(OsFileSystem::new()), &self.directory, clock, None).unwrap();
        report.problems.iter().map(ToString::to_string).collect()
    }
}

fn run(connection: &mut Connection, text: &str) {
    connection.run(text).unwrap_or_else(|error| panic!("{text}: {error}"));
}

fn close(connection: Connection) {
    let instance = Arc::clone(connection.session().instance());
    drop(connection);
    instance.shutdown().unwrap();
}

/// As kill -9 would.
fn crash(connection: Connection) {
    let instance = Arc::clone(connection.session().instance());
    instance.abort();
    drop(connection);
    drop(instance);
}

fn rows(connection: &mut Connection, query: &str) -> Vec<Vec<String>> {
    let rows = connection.query(query).unwrap();
    rows.iter().map(|row| row.iter().map(|value| connection.text(value).unwrap()).collect()).collect()
}

fn one(connection: &mut Connection, query: &str) -> String {
    rows(connection, query).concat().join(" ")
}

fn contents(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("disk")));
    files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn rows_in_a_group_survive_a_crash_and_a_close() {
    let place = Place::with_group(4);
    assert_eq!(place.problems(), [""; 0]);
    let mut connection = place.connect();
    assert_eq!(
        one(&mut connection, "select file_name from dba_data_files where tablespace_name = 'INSIDE'"),
        "+GROUP1/ORCL/DATAFILE/inside.256.1"
    );
    run(&mut connection, "update t set c = 'changed' where n <= 5000");
    run(&mut connection, "commit");
    run(&mut connection, "delete from t where n > 10");
    crash(connection);
    assert_eq!(place.problems(), [""; 0]);

    let mut connection = place.connect();
    assert_eq!(one(&mut connection, "select count(*), sum(n), sum(length(c)) from t"), "20000 200010000 2285000");
    // The disks share the load, and recovered blocks are durable on them.
    let used = one(&mut connection, "select count(*) from v$asm_disk where free_mb < total_mb - 2 and reads > 0");
    assert_eq!(used, "4");
    close(connection);
    assert_eq!(place.problems(), [""; 0]);

    let mut connection = place.connect();
    assert_eq!(one(&mut connection, "select count(*) from t where c = 'changed'"), "5000");
    run(&mut connection, "drop tablespace inside including contents");
    run(&mut connection, "drop diskgroup group1");
    close(connection);
    let mut connection = place.connect();
    assert_eq!(one(&mut connection, "select count(*) from v$asm_diskgroup"), "0");
    run(&mut connection, "create diskgroup again external redundancy disk 'disk*'");
}

#[test]
fn a_disk_that_is_missing_is_named_and_nothing_is_harmed() {
    for disks in [1, 3] {
        let place = Place::with_group(disks);
        let before = contents(&place.directory);
        for number in 1..=disks {
            let (disk, away) = (place.path(&format!("disk{number:02}")), place.path("away"));
            fs::rename(&disk, &away).unwrap();
            let error = place.open().unwrap_err();
            let name = format!("ASM disk \"GROUP1_{:04}\"", number - 1);
            assert!(error.is_ora(15042) && error.text.contains(&name), "{error}");
            assert!(place.problems().iter().any(|problem| problem.contains(&name)), "{:?}", place.problems());
            fs::rename(&away, &disk).unwrap();
        }
        assert!(contents(&place.directory) == before, "an open that is refused changes no disk");
        let mut connection = place.connect();
        assert_eq!(one(&mut connection, "select count(*) from t"), "20000");
        close(connection);
    }
}

#[test]
fn a_disk_of_another_group_in_its_place_is_refused_and_disks_that_change_places_are_not() {
    let place = Place::with_group(3);
    let other = Place::with_group(3);
    let before = contents(&place.directory);
    let (first, second) = (place.path("disk01"), place.path("disk02"));
    // Another database has a group of this name, and its disk is here.
    fs::copy(other.path("disk02"), &second).unwrap();
    let error = place.open().unwrap_err();
    assert!(error.is_ora(15042) && error.text.contains("\"GROUP1_0001\""), "{error}");
    assert!(error.text.contains("another diskgroup of the name"), "{error}");
    // And all of them.
    for (path, _) in &before {
        fs::copy(other.path(path.file_name().unwrap().to_str().unwrap()), path).unwrap();
    }
    let theirs = contents(&place.directory);
    let error = place.open().unwrap_err();
    assert!(error.is_ora(15042) && error.text.contains("\"GROUP1_0000\", ASM disk \"GROUP1_0001\""), "{error}");
    assert!(contents(&place.directory) == theirs);
    for (path, bytes) in &before {
        fs::write(path, bytes).unwrap();
    }
    fs::rename(&first, place.path("away")).unwrap();
    fs::rename(&second, &first).unwrap();
    fs::rename(place.path("away"), &second).unwrap();
    let mut connection = place.connect();
    assert_eq!(one(&mut connection, "select count(*) from t"), "20000");
    close(connection);
}

#[test]
fn a_group_that_no_datafile_needs_keeps_no_database_closed() {
    let place = Place::new(2);
    let mut connection = place.connect();
    run(&mut connection, "create diskgroup group1 external redundancy disk 'disk*'");
    close(connection);
    fs::rename(place.path("disk02"), place.path("away")).unwrap();
    let mut connection = place.connect();
    assert_eq!(one(&mut connection, "select name, state from v$asm_diskgroup"), "GROUP1 DISMOUNTED");
    let error = connection.run("alter diskgroup group1 mount").unwrap_err();
    assert!(error.is_ora(15042) && error.text.contains("GROUP1_0001"), "{error}");
    fs::rename(place.path("away"), place.path("disk02")).unwrap();
    let needless = |connection: &mut Connection| {
        let error = connection.run("drop diskgroup group1 force including contents").unwrap_err();
        assert!(error.is_ora(15230), "{error}");
    };
    needless(&mut connection);
    run(&mut connection, "alter diskgroup group1 mount");
    needless(&mut connection);
    run(&mut connection, "alter diskgroup group1 dismount");
    close(connection);
    let mut connection = place.connect();
    assert_eq!(one(&mut connection, "select state from v$asm_diskgroup"), "DISMOUNTED");
    // A disk is lost for good: the group can be dropped, and its name is free.
    fs::remove_file(place.path("disk02")).unwrap();
    assert!(connection.run("drop diskgroup group1").unwrap_err().is_ora(15001));
    run(&mut connection, "drop diskgroup group1 force including contents");
    assert_eq!(one(&mut connection, "select count(*) from v$asm_diskgroup"), "0");
    let create = "create diskgroup group1 external redundancy disk 'disk*'";
    assert!(connection.run(create).unwrap_err().is_ora(15033));
    // Its last disk is free once its headers are.
    fs::File::options().write(true).open(place.path("disk01")).unwrap().write_all_at(&vec![0; 2 << 20], 0).unwrap();
    run(&mut connection, create);
    close(connection);
}

#[test]
fn undo_in_a_group_of_disks_elsewhere_takes_back_what_a_crash_has_cut_short() {
    let elsewhere = tempfile::tempdir().unwrap();
    make_disks(&OsFileSystem::new(), &format!("{}/d%n", elsewhere.path().display()), 2, 24 * MB).unwrap();
    let place = Place::new(1);
    let mut connection = place.connect();
    let create = format!("create diskgroup far external redundancy disk '{}/d%n'", elsewhere.path().display());
    run(&mut connection, &create);
    run(&mut connection, "create undo tablespace undo2 datafile '+FAR' size 8m");
    run(&mut connection, "alter system set undo_tablespace = undo2");
    run(&mut connection, "create tablespace inside datafile '+FAR' size 6m, '+far' size 2m");
    run(&mut connection, "create table t (n number, c varchar2(100)) tablespace inside");
    run(&mut connection, "insert into t select level, 'old' from dual connect by level <= 10000");
    run(&mut connection, "commit");
    run(&mut connection, "update t set c = 'new'");
    run(&mut connection, "alter system checkpoint");
    crash(connection);
    assert_eq!(place.problems(), [""; 0]);

    let mut connection = place.connect();
    assert_eq!(one(&mut connection, "select count(*), min(c), max(c) from t"), "10000 old old");
    let path = one(&mut connection, "select path from v$asm_disk where disk_number = 1");
    assert_eq!(path, format!("{}/d02", elsewhere.path().display()));
    assert_eq!(one(&mut connection, "select count(*) from v$asm_file where block_size = 8192"), "3");
    run(&mut connection, "alter system set undo_tablespace = undotbs1");
    run(&mut connection, "drop tablespace inside including contents and datafiles");
    run(&mut connection, "drop tablespace undo2");
    assert_eq!(one(&mut connection, "select count(*) from v$asm_file"), "0");
    run(&mut connection, "drop diskgroup far including contents");
    close(connection);
}

/// The database knows a datafile by its alias, and by the group's name when the alias goes; it finds it by either.
#[test]
fn a_datafile_with_an_alias_is_found_after_a_crash_and_without_its_alias() {
    let place = Place::new(2);
    let mut connection = place.connect();
    run(&mut connection, "create diskgroup group1 external redundancy disk 'disk*' attribute 'au_size' = '1M'");
    run(&mut connection, "alter diskgroup group1 add directory '+GROUP1/mine'");
    run(&mut connection, "create tablespace inside datafile '+GROUP1/mine/first.dbf' size 4m");
    run(&mut connection, "alter tablespace inside add datafile '+GROUP1/mine/second.dbf' size 2m");
    run(&mut connection, "create table t (n number, c varchar2(200)) tablespace inside");
    run(&mut connection, "insert into t select level, rpad('x', 150, 'x') from dual connect by level <= 10000");
    run(&mut connection, "commit");
    crash(connection);
    assert_eq!(place.problems(), [""; 0]);

    let names = |connection: &mut Connection| {
        one(connection, "select file_name from dba_data_files where tablespace_name = 'INSIDE' order by file_id")
    };
    let mut connection = place.connect();
    assert_eq!(names(&mut connection), "+GROUP1/mine/first.dbf +GROUP1/mine/second.dbf");
    assert_eq!(one(&mut connection, "select count(*) from t"), "10000");
    run(&mut connection, "alter diskgroup group1 drop alias '+GROUP1/mine/first.dbf'");
    run(&mut connection, "alter diskgroup group1 rename alias '+GROUP1/mine/second.dbf' to '+GROUP1/other.dbf'");
    let by_group = "+GROUP1/ORCL/DATAFILE/inside.256.1 +GROUP1/ORCL/DATAFILE/inside.257.2";
    assert_eq!(names(&mut connection), by_group);
    run(&mut connection, "update t set c = 'changed'");
    run(&mut connection, "commit");
    crash(connection);
    assert_eq!(place.problems(), [""; 0]);

    let mut connection = place.connect();
    assert_eq!(names(&mut connection), by_group);
    assert_eq!(one(&mut connection, "select count(*) from t where c = 'changed'"), "10000");
    run(&mut connection, "alter database datafile '+GROUP1/OTHER.dbf' resize 3m");
    assert_eq!(one(&mut connection, "select count(*) from v$asm_file where bytes = 3 * 1024 * 1024"), "1");
    // Files that have the group's names go with their tablespace, and their aliases with them.
    run(&mut connection, "drop tablespace inside including contents");
    assert_eq!(one(&mut connection, "select name from v$asm_alias"), "mine");
    close(connection);
    assert_eq!(place.problems(), [""; 0]);
}

#[test]
fn groups_are_for_those_who_may_alter_the_database() {
    let place = Place::with_group(2);
    let mut connection = place.connect();
    run(&mut connection, "create user bob identified by bob");
    run(&mut connection, "grant create session, create tablespace to bob");
    let mut bob = connection.database().connect("bob", None).unwrap();
    for refused in [
        "create diskgroup g external redundancy disk 'x*'",
        "drop diskgroup group1",
        "alter diskgroup group1 dismount",
        "alter diskgroup group1 drop file '+GROUP1/ORCL/DATAFILE/inside.256.1'",
        "alter diskgroup group1 add directory '+GROUP1/mine'",
        "alter diskgroup group1 add template mine attributes (fine)",
        "alter diskgroup group1 set attribute 'disk_repair_time' = '1h'",
    ] {
        assert!(bob.run(refused).unwrap_err().is_ora(1031), "{refused}");
    }
    drop(bob);
    close(connection);
}

/// Two groups of one database: disks whose names were exchanged are found by their headers; a disk overwritten by
/// another is reported missing.
#[test]
fn disks_that_are_overwritten_cut_or_blank_are_named_with_their_group() {
    let place = Place::new(4);
    let mut connection = place.connect();
    run(
        &mut connection,
        "create diskgroup data external redundancy disk 'disk01', 'disk02' attribute 'au_size' = '1M'",
    );
    run(&mut connection, "create diskgroup fra external redundancy disk 'disk03', 'disk04' attribute 'au_size' = '1M'");
    run(&mut connection, "create tablespace inside datafile '+DATA' size 4m, '+FRA' size 4m");
    run(&mut connection, "create table t (n number, c varchar2(200)) tablespace inside");
    run(&mut connection, "insert into t select level, rpad('x', 150, 'x') from dual connect by level <= 20000");
    run(&mut connection, "commit");
    close(connection);
    let before = contents(&place.directory);
    let restore = || before.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
    let refused = |number: u32, texts: &[&str]| {
        let there = contents(&place.directory);
        let error = place.open().unwrap_err();
        assert!(error.is_ora(number) && texts.iter().all(|text| error.text.contains(text)), "{error}");
        let problems = place.problems();
        assert!(problems.iter().any(|problem| texts.iter().all(|text| problem.contains(text))), "{problems:?}");
        // A group that is whole may have been mounted before.
        let mut pairs = there.into_iter().zip(contents(&place.directory));
        let whole = if texts[0].contains("FRA") { 2 } else { 0 };
        assert!(
            pairs.by_ref().skip(whole).all(|(before, after)| before == after),
            "an open that is refused changes no disk of the group"
        );
        restore();
    };
    let copy = |from: &str, to: &str| fs::copy(place.path(from), place.path(to)).unwrap();

    // A disk of the other group, a copy, where one of this was.
    copy("disk03", "disk02");
    refused(15042, &["\"DATA_0001\" is missing from diskgroup \"DATA\""]);
    // A disk of the same group, twice.
    copy("disk01", "disk02");
    refused(15020, &["\"DATA_0000\" of diskgroup \"DATA\"", "disk01", "disk02"]);
    // Truncated, and empty.
    fs::File::options().write(true).open(place.path("disk04")).unwrap().set_len(9 * MB).unwrap();
    refused(15036, &["\"FRA_0001\" of diskgroup \"FRA\"", "disk04", "is truncated"]);
    fs::write(place.path("disk04"), "").unwrap();
    refused(15042, &["\"FRA_0001\" is missing from diskgroup \"FRA\""]);
    fs::write(place.path("disk04"), vec![0; 16 << 20]).unwrap();
    refused(15042, &["\"FRA_0001\" is missing from diskgroup \"FRA\""]);
    // The names of two disks are exchanged across the groups: each is found by its header, within the patterns.
    fs::rename(place.path("disk02"), place.path("away")).unwrap();
    fs::rename(place.path("disk03"), place.path("disk02")).unwrap();
    fs::rename(place.path("away"), place.path("disk03")).unwrap();
    match place.open() {
        Ok(instance) => {
            let mut connection = Database::new(instance).connect("system", None).unwrap();
            assert_eq!(one(&mut connection, "select count(*), sum(n) from t"), "20000 200010000");
            close(connection);
        }
        Err(error) => {
            assert!(error.is_ora(15042) && error.text.contains("missing from diskgroup \"DATA\""), "{error}");
            assert!(error.text.contains("belongs to diskgroup \"FRA\" as \"FRA_0000\""), "{error}");
        }
    }
    restore();
    let mut connection = place.connect();
    assert_eq!(one(&mut connection, "select count(*), sum(n) from t"), "20000 200010000");
    close(connection);
    assert_eq!(place.problems(), [""; 0]);
}
