//! Starting, stopping and creating: invariants after each is cut short, and files that a statement may take.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::os::unix::fs::symlink;
use std::path::Path;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, Clock, DataType, ErrorKind, FileNumber, Result, SystemClock};
use device::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem, OsFileSystem};
use engine::ddl::TableSpec;
use engine::dictionary::ColumnDef;
use engine::instance::{Background, DatafileSpec, DiskGroupSpec, Instance, Session, TablespaceSpec};
use engine::startup::{CreateOptions, find};
use storage::control::{Existing, SpaceManagement, TablespaceKind};
use storage::parameters::Scope;
use storage::table::Inserter;
use storage::txn::{CommitWrite, LockWait, TableLock};
use waits::GetMode;

fn directory() -> &'static Path {
    Path::new("/data")
}

fn create_in(files: &Arc<dyn FileSystem>, directory: &Path) -> Result<Arc<Instance>> {
    let parameters = vec![("db_cache_size".to_owned(), "8M".to_owned())];
    let options = CreateOptions { log_bytes: 1 << 20, parameters, ..CreateOptions::default() };
    let clock = Arc::new(SystemClock::default());
    Instance::create_with(files.clone(), directory, clock, None, &options, Background::Inline)
}

fn open_in(files: &Arc<dyn FileSystem>, directory: &Path) -> Result<Arc<Instance>> {
    let clock = Arc::new(SystemClock::default());
    Instance::open_with(files.clone(), directory, clock, None, Background::Inline)
}

fn database() -> (Arc<FaultyFileSystem>, Arc<dyn FileSystem>, Arc<Instance>, Arc<Session>) {
    let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let files: Arc<dyn FileSystem> = faulty.clone();
    let instance = create_in(&files, directory()).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    (faulty, files, instance, session)
}

/// The instance comes to its end as by kill -9.
fn crash(instance: Arc<Instance>) {
    instance.abort();
    drop(instance);
}

fn datafile(name: &str, bytes: u64, reuse: bool) -> DatafileSpec {
    DatafileSpec { name: name.to_owned(), bytes, reuse, autoextend: None }
}

fn tablespace(name: &str, files: Vec<DatafileSpec>) -> TablespaceSpec {
    TablespaceSpec {
        logging: true,
        name: name.to_owned(),
        files,
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Auto,
    }
}

fn assert_sound(files: &Arc<dyn FileSystem>) {
    let clock = Arc::new(SystemClock::default());
    let report = engine::verify::verify(files.clone(), directory(), clock, None).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

#[test]
fn a_recovered_and_unchanged_database_opens_again() {
    let (_, files, instance, session) = database();
    let made = session.create_tablespace(&tablespace("S", vec![datafile("s.dbf", 2 << 20, false)]));
    made.unwrap();
    instance.checkpoint(session.meter()).unwrap();
    drop(session);
    crash(instance);
    for _ in 0..3 {
        open_in(&files, directory()).unwrap().shutdown().unwrap();
    }
    assert_sound(&files);
}

fn create_table(session: &Arc<Session>, name: &str) -> Result<()> {
    create_table_in(session, name, None)
}

fn create_table_in(session: &Arc<Session>, name: &str, tablespace: Option<&str>) -> Result<()> {
    let column =
        ColumnDef { name: "K".to_owned(), data_type: DataType::Varchar2 { bytes: 4 }, nullable: true, default: None };
    let mut spec = TableSpec::new("SYSTEM", name, vec![column]);
    spec.tablespace = tablespace.map(str::to_owned);
    session.create_table(&spec).map(drop)
}

#[test]
fn a_stopped_instance_answers_nothing_but_why() {
    let (faulty, _, instance, session) = database();
    let header = BlockAddress::new(FileNumber(1), format::file::SPACE_HEADER_BLOCK);
    let get =
        || instance.cache().get(session.meter(), header, BlockClass::FileBitmapIndex, GetMode::Consistent).map(drop);
    get().unwrap();
    faulty.fail(1, Fault::Write);
    let error = create_table(&session, "T").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Poisoned, "{error}");
    faulty.heal();
    let other = instance.connect("SYSTEM");
    // A cached block; a call; a call of another session; a commit without changes.
    let answers = [
        get(),
        session.call().map(drop),
        other.and_then(|other| other.call().map(drop)),
        session.commit(CommitWrite::default()),
    ];
    for answer in answers {
        let error = answer.unwrap_err();
        assert!(error.is_own(10) && error.text.contains("failed on purpose"), "{error}");
    }
}

#[test]
fn a_resize_that_fails_changes_nothing() {
    let before = 4 << 20;
    // Growing: the file itself, the first copy of the control file, the second one. Shrinking: the copies, then the
    // file.
    for (bytes, nth, fault) in [
        (8 << 20, 1, Fault::Growth),
        (8 << 20, 1, Fault::Write),
        (8 << 20, 2, Fault::Write),
        (2 << 20, 2, Fault::Write),
        (2 << 20, 3, Fault::Write),
        (2 << 20, 1, Fault::Cut),
    ] {
        let what = format!("{bytes}, {nth}, {fault:?}");
        let (faulty, files, instance, session) = database();
        let made = session.create_tablespace(&tablespace("S", vec![datafile("s.dbf", before, false)])).unwrap();
        instance.checkpoint(session.meter()).unwrap();
        let size = |instance: &Arc<Instance>| {
            let number = instance.file_named("s.dbf").unwrap();
            let named = instance.control().data().datafiles.iter().find(|file| file.file() == number).unwrap().blocks;
            let open = instance.cache().file(number).unwrap().blocks();
            assert_eq!(named, open, "{what}");
            u64::from(open) * 8192
        };
        faulty.fail(nth, fault);
        let error = instance.resize_datafile(&session, "s.dbf", bytes).expect_err(&what);
        faulty.heal();
        assert_eq!(size(&instance), before, "{what}: {error}");
        let free: u32 = made.free_space(&session).unwrap().iter().map(|free| free.blocks).sum();
        assert_eq!(free, 3 * 128, "{what}: {error}");
        drop((session, made));
        crash(instance);
        let instance = open_in(&files, directory()).unwrap();
        assert_eq!(size(&instance), before, "{what}: {error}");
        let session = instance.connect("SYSTEM").unwrap();
        instance.resize_datafile(&session, "s.dbf", bytes).unwrap();
        assert_eq!(size(&instance), bytes, "{what}: {error}");
        drop(session);
        instance.shutdown().unwrap();
        drop(instance);
        assert_sound(&files);
    }
}

#[test]
fn a_drop_of_an_empty_tablespace_that_fails_says_so() {
    let mut failed = 0;
    for nth in 1.. {
        let (faulty, files, instance, session) = database();
        session.create_tablespace(&tablespace("S", vec![datafile("s.dbf", 2 << 20, false)])).unwrap();
        let before = faulty.writes();
        faulty.fail(nth, Fault::Write);
        let dropped = session.drop_tablespace("S", true, true);
        let met = faulty.writes() >= before + nth;
        faulty.heal();
        assert_eq!(dropped.is_err(), met, "write {nth}: {dropped:?}");
        drop(session);
        crash(instance);
        let instance = open_in(&files, directory()).unwrap();
        if instance.tablespaces().named("S").is_ok() {
            let session = instance.connect("SYSTEM").unwrap();
            session.drop_tablespace("S", true, true).unwrap();
        }
        instance.shutdown().unwrap();
        drop(instance);
        assert_sound(&files);
        if !met {
            break;
        }
        failed += 1;
    }
    assert!(failed > 2, "{failed}");
}

#[test]
fn an_undo_tablespace_is_there_with_its_segments_or_not_at_all() {
    let mut there = Vec::new();
    // The writes of the statement one after another: the file, the control file, redo of the segments, the control
    // file.
    for nth in 1..40 {
        let (faulty, files, instance, session) = database();
        let spec = tablespace("UNDO2", vec![datafile("undo2.dbf", 4 << 20, false)]);
        faulty.fail(nth, Fault::Write);
        faulty.fail(nth + 1, Fault::Write);
        faulty.fail(nth + 2, Fault::Write);
        let made = session.create_undo_tablespace(&spec, true).is_ok();
        faulty.heal();
        drop(session);
        crash(instance);
        let instance = open_in(&files, directory()).unwrap();
        let found = instance.tablespaces().named("UNDO2");
        assert!(found.is_ok() || !made, "write {nth}");
        let session = instance.connect("SYSTEM").unwrap();
        if let Ok(tablespace) = found {
            assert!(tablespace.kind() == TablespaceKind::Undo && tablespace.retention_guarantee());
            session.alter_system("undo_tablespace", "UNDO2", Scope::Both).unwrap();
            there.push(nth);
        } else {
            // The files of the failed attempt are not in the way.
            let again = session.create_undo_tablespace(&spec, false);
            assert!(again.is_ok() || again.is_err_and(|error| error.is_ora(1119)), "write {nth}");
        }
        create_table(&session, "T").unwrap();
        drop(session);
        instance.shutdown().unwrap();
        if made {
            break;
        }
    }
    assert!(there.last().is_some_and(|last| (4..39).contains(last)), "{there:?}");
}

#[test]
fn a_tablespace_is_dropped_with_its_tables_or_not_at_all() {
    let (mut kept, mut gone) = (0, 0);
    for nth in 1.. {
        let (faulty, files, instance, session) = database();
        session.create_tablespace(&tablespace("S", vec![datafile("s.dbf", 4 << 20, false)])).unwrap();
        for table in ["A", "B"] {
            create_table_in(&session, table, Some("S")).unwrap();
        }
        // Every write from here on fails, as when the power fails.
        faulty.fail_from(nth, Fault::Write);
        let dropped = session.drop_tablespace("S", true, true);
        faulty.heal();
        drop(session);
        crash(instance);
        let instance = open_in(&files, directory()).unwrap();
        let session = instance.connect("SYSTEM").unwrap();
        let tables = ["A", "B"].map(|table| session.catalog().require_table("SYSTEM", table).is_ok());
        let there = instance.tablespaces().named("S").is_ok();
        assert_eq!(tables, [there; 2], "write {nth}: {dropped:?}, {:?}", instance.notes());
        // A file that no database knows may be left.
        assert!(!there || files.exists(&directory().join("s.dbf")).unwrap(), "write {nth}");
        assert!(!there || dropped.is_err(), "write {nth}");
        kept += usize::from(there);
        gone += usize::from(!there);
        if there {
            create_table_in(&session, "C", Some("S")).unwrap();
        }
        drop(session);
        instance.shutdown().unwrap();
        drop(instance);
        assert_sound(&files);
        if dropped.is_ok() {
            break;
        }
    }
    assert!(kept > 0 && gone > 3, "{kept} times there, {gone} times gone");
}

#[test]
fn a_drop_that_was_refused_is_not_carried_through() {
    let (faulty, files, instance, session) = database();
    session.create_tablespace(&tablespace("S", vec![datafile("s.dbf", 4 << 20, false)])).unwrap();
    for table in ["A", "B"] {
        create_table_in(&session, table, Some("S")).unwrap();
    }
    let other = instance.connect("SYSTEM").unwrap();
    let table = other.catalog().require_table("SYSTEM", "B").unwrap().clone();
    other.lock_table(table.object, TableLock::RowExclusive, LockWait::NoWait).unwrap();
    let mut inserter = Inserter::new(other.worker().clone(), table.heap().clone()).unwrap();
    inserter.push(&[Some(b"1")]).unwrap();
    inserter.finish().unwrap();
    let busy = session.drop_tablespace("S", true, true).unwrap_err();
    assert!(busy.is_ora(54), "{busy}");
    other.rollback().unwrap();
    // The note that the tables go, and the copies of it: none of the writes lets half of the statement stand.
    for nth in 1..6 {
        faulty.fail(nth, Fault::Write);
        let failed = session.drop_tablespace("S", true, true);
        faulty.heal();
        if failed.is_ok() || instance.health().check().is_err() {
            break;
        }
        create_table_in(&session, &format!("C{nth}"), Some("S")).unwrap();
    }
    drop((session, other));
    crash(instance);
    let instance = open_in(&files, directory()).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    let tables = ["A", "B"].map(|table| session.catalog().require_table("SYSTEM", table).is_ok());
    assert_eq!(tables, [instance.tablespaces().named("S").is_ok(); 2], "{:?}", instance.notes());
    drop(session);
    instance.shutdown().unwrap();
    drop(instance);
    assert_sound(&files);
}

#[test]
fn a_creation_that_was_cut_short_is_said_and_made_anew() {
    let mut unfinished = 0;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    for nth in 1.. {
        let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let files: Arc<dyn FileSystem> = faulty.clone();
        // Every write from here on fails, so cleaning up fails too: as when the power fails.
        faulty.fail_from(nth, Fault::Write);
        faulty.fail_from(1, Fault::Remove);
        let made = create_in(&files, directory());
        let whole = made.is_ok();
        made.map(crash).ok();
        faulty.heal();
        if whole {
            assert_eq!(find(&files, directory(), &clock), Existing::Database);
            break;
        }
        if find(&files, directory(), &clock) == Existing::Database {
            // The last write failed, after the copy before it had said that the database is complete.
            open_in(&files, directory()).unwrap().shutdown().unwrap();
            continue;
        }
        if find(&files, directory(), &clock) == Existing::Unfinished {
            let error = open_in(&files, directory()).map(drop).unwrap_err();
            assert!(error.is_own(12), "write {nth}: {error}");
            unfinished += 1;
        }
        let instance = create_in(&files, directory()).unwrap();
        create_table(&instance.connect("SYSTEM").unwrap(), "T").unwrap();
        instance.shutdown().unwrap();
        drop(instance);
        open_in(&files, directory()).unwrap().shutdown().unwrap();
    }
    assert!(unfinished > 20, "{unfinished}");
}

#[test]
fn a_double_write_area_that_is_missing_is_said() {
    let (_, files, instance, session) = database();
    create_table(&session, "T").unwrap();
    drop(session);
    instance.shutdown().unwrap();
    drop(instance);
    let area = directory().join("doublewrite.dbf");
    let notes = |instance: &Arc<Instance>| instance.notes().into_iter().find(|note| note.contains("doublewrite.dbf"));
    files.remove(&area).unwrap();
    let instance = open_in(&files, directory()).unwrap();
    assert!(notes(&instance).is_some_and(|note| note.contains("closed cleanly")), "{:?}", instance.notes());
    create_table(&instance.connect("SYSTEM").unwrap(), "U").unwrap();
    crash(instance);
    // A copy that was being made when the power failed is not whole.
    files.open(&area).unwrap().set_size(100).unwrap();
    let instance = open_in(&files, directory()).unwrap();
    assert!(notes(&instance).is_some_and(|note| note.contains("found torn")), "{:?}", instance.notes());
    let session = instance.connect("SYSTEM").unwrap();
    create_table(&session, "V").unwrap();
    instance.checkpoint(session.meter()).unwrap();
    create_table(&session, "W").unwrap();
    drop(session);
    assert_eq!(files.open(&area).unwrap().size().unwrap(), (4 << 20) + (16 << 10));
    crash(instance);
    // A block that the redo needs is torn, and the area that had it whole is gone.
    let datafile = files.open(&directory().join("system01.dbf")).unwrap();
    let mut head = vec![0; 200 * 8192];
    datafile.read_at(0, &mut [&mut head]).unwrap();
    for block in 2..200 {
        datafile.write_at(block * 8192 + 4096, &[&[0xa5; 4096]]).unwrap();
    }
    files.remove(&area).unwrap();
    let error = open_in(&files, directory()).map(drop).unwrap_err();
    assert!(
        error.is_ora(1578) && error.text.contains("doublewrite.dbf, which may have held it whole, was missing"),
        "{error}"
    );
    datafile.write_at(0, &[&head]).unwrap();
    let instance = open_in(&files, directory()).unwrap();
    instance.shutdown().unwrap();
    drop(instance);
    assert_sound(&files);
}

#[test]
fn no_statement_takes_a_file_of_the_database_for_another_one() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let files: Arc<dyn FileSystem> = Arc::new(OsFileSystem::new());
    let instance = create_in(&files, &data).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    create_table(&session, "T").unwrap();
    std::fs::create_dir(data.join("sub")).unwrap();
    symlink(data.join("users01.dbf"), data.join("link.dbf")).unwrap();
    symlink(&data, place.path().join("there")).unwrap();
    std::fs::hard_link(data.join("redo01.log"), data.join("hard.dbf")).unwrap();
    std::fs::write(data.join("mine.txt"), "mine").unwrap();
    let there = place.path().join("there/system01.dbf");
    let contents = |name: &str| std::fs::read(data.join(name)).unwrap();
    let kept = ["users01.dbf", "redo01.log", "redo02.log", "control01.ctl", "highwater.ora", "mine.txt"]
        .map(|name| (name, contents(name)));
    for name in [
        "users01.dbf",
        "./users01.dbf",
        "sub/../users01.dbf",
        "link.dbf",
        "hard.dbf",
        there.to_str().unwrap(),
        "redo02.log",
        "control01.ctl",
        "control02.ctl",
        "control01.ctl.new",
        "highwater.ora",
        "highwater.ora.new",
        "doublewrite.dbf",
    ] {
        let spec = tablespace("S", vec![datafile(name, 2 << 20, true)]);
        let error = session.create_tablespace(&spec).map(drop).unwrap_err();
        assert!(error.is_ora(1537), "{name}: {error}");
        let users = instance.tablespaces().named("USERS").unwrap();
        let error = instance.add_datafiles(&session, &users, &[datafile(name, 2 << 20, true)]).unwrap_err();
        assert!(error.is_ora(1537), "{name}: {error}");
        let group = DiskGroupSpec::external("G", name);
        let error = instance.create_disk_group(&session, &group).unwrap_err();
        assert!(error.is_own(73) || error.is_ora(15031), "{name}: {error}");
        assert!(instance.is_own_file(&data.join(name)).unwrap(), "{name}");
    }
    // One file twice, by two names.
    let twice = vec![datafile("new.dbf", 2 << 20, true), datafile("sub/../new.dbf", 2 << 20, true)];
    let error = session.create_tablespace(&tablespace("S", twice)).map(drop).unwrap_err();
    assert!(error.is_ora(1537), "{error}");
    assert!(!data.join("new.dbf").exists());
    for (name, bytes) in kept {
        assert!(name == "control01.ctl" || contents(name) == bytes, "{name} has changed");
    }
    // A file of no database is replaced with REUSE alone.
    let error =
        session.create_tablespace(&tablespace("S", vec![datafile("mine.txt", 2 << 20, false)])).map(drop).unwrap_err();
    assert!(error.is_ora(1119) && contents("mine.txt") == b"mine", "{error}");
    session.create_tablespace(&tablespace("S", vec![datafile("mine.txt", 2 << 20, true)])).unwrap();
    drop(session);
    instance.shutdown().unwrap();
    drop(instance);
    open_in(&files, &data).unwrap().shutdown().unwrap();
}
