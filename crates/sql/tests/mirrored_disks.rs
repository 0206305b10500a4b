//! A database in a mirrored group whose disks fail under load, are damaged and come back: no session sees an error, and
//! no row is lost.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use common::{Clock as _, SystemClock};
use device::{FaultyFileSystem, FileSystem, OsFileSystem};
use engine::instance::Instance;
use engine::startup::CreateOptions;
use engine::verify::verify;
use sql::{Connection, Database};
use storage::disk_group::make_disks;

const MB: u64 = 1 << 20;

struct Place {
    _temporary: tempfile::TempDir,
    directory: PathBuf,
    files: Arc<FaultyFileSystem>,
}

impl Place {
    /// A database with six disks, in two failure groups, beside its files; a seventh is free.
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let directory = temporary.path().join("db");
        let files = Arc::new(FaultyFileSystem::new(Arc::new(OsFileSystem::new())));
        let parameters = vec![("db_cache_size".to_owned(), "4M".to_owned())];
        let options = CreateOptions { parameters, ..CreateOptions::default() };
        let clock = Arc::new(SystemClock::default());
        let below: Arc<dyn FileSystem> = Arc::<FaultyFileSystem>::clone(&files);
        let instance = Instance::create(below, &directory, clock, None, &options).unwrap();
        instance.shutdown().unwrap();
        drop(instance);
        for (name, count) in [("east", 3), ("west", 3), ("free", 1)] {
            make_disks(&*files, &format!("{}/{name}*", directory.display()), count, 40 * MB).unwrap();
        }
        Self { _temporary: temporary, directory, files }
    }

    fn open(&self) -> Arc<Instance> {
        let below: Arc<dyn FileSystem> = Arc::<FaultyFileSystem>::clone(&self.files);
        Instance::open(below, &self.directory, Arc::new(SystemClock::default()), None).unwrap()
    }

    fn problems(&self) -> Vec<String> {
        let clock = Arc::new(SystemClock::default());
        let below: Arc<dyn FileSystem> = Arc::<FaultyFileSystem>::clone(&self.files);
        let report = verify(below, &self.directory, clock, None).unwrap();
        report.problems.iter().map(ToString::to_string).collect()
    }
}

fn run(connection: &mut Connection, text: &str) {
    connection.run(text).unwrap_or_else(|error| panic!("{text}: {error}"));
}

fn cells(connection: &mut Connection, query: &str) -> Vec<Vec<String>> {
    let rows = connection.query(query).unwrap();
    rows.iter().map(|row| row.iter().map(|value| connection.text(value).unwrap()).collect()).collect()
}

fn rows(connection: &mut Connection, query: &str) -> Vec<String> {
    cells(connection, query).into_iter().map(|row| row.join(" ")).collect()
}

#[test]
fn a_group_loses_a_disk_under_load_and_nobody_sees_an_error() {
    let place = Place::new();
    let instance = place.open();
    let database = Database::new(Arc::clone(&instance));
    let mut dba = database.connect("system", None).unwrap();
    run(&mut dba, "create diskgroup data failgroup east disk 'east*' failgroup west disk 'west*'");
    run(&mut dba, "create tablespace inside datafile '+DATA' size 20m autoextend on next 1m");
    run(&mut dba, "create table t (w number, n number, c varchar2(200), primary key (w, n)) tablespace inside");
    let clock = SystemClock::default();
    let begun = clock.monotonic_us();
    let log = |text: &str| println!("{:7.3} s  {text}", (clock.monotonic_us() - begun) as f64 / 1e6);
    let stopping = AtomicBool::new(false);
    let committed = [AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)];
    std::thread::scope(|scope| {
        for (worker, committed) in committed.iter().enumerate() {
            let (database, stopping) = (&database, &stopping);
            scope.spawn(move || {
                let mut session = database.connect("system", None).unwrap();
                let mut round = 0_u64;
                while !stopping.load(Ordering::Acquire) {
                    run(
                        &mut session,
                        &format!(
                            "insert into t select {worker}, {round} * 20 + level, rpad('x', 150, 'x') from dual connect by level <= 20"
                        ),
                    );
                    run(&mut session, "commit");
                    round += 1;
                    committed.store(round * 20, Ordering::Release);
                    let count = rows(&mut session, &format!("select count(*) from t where w = {worker}"));
                    assert_eq!(count, [(round * 20).to_string()]);
                }
            });
        }
        let total = || committed.iter().map(|count| count.load(Ordering::Acquire)).sum::<u64>();
        let settle = || {
            let before = total();
            while total() < before + 400 {
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        let modes = |dba: &mut Connection| {
            rows(dba, "select name || ' ' || mode_status || ' ' || state from v$asm_disk order by 1").join(", ")
        };
        settle();
        log(&format!("{} rows; {}", total(), modes(&mut dba)));
        place.files.lose(&place.directory.join("west02"));
        log("west02 fails all requests");
        while !modes(&mut dba).contains("OFFLINE") {
            settle();
            run(&mut dba, "alter system checkpoint");
        }
        settle();
        log(&format!("{} rows; {}", total(), modes(&mut dba)));
        run(&mut dba, "alter diskgroup data drop disk data_0004 force rebalance power 2");
        let progress = "select state || ' power ' || power || ': ' || sofar || ' of ' || est_work || ' units, ' || \
                        est_minutes || ' minutes' from v$asm_operation";
        for _ in 0..200 {
            let Some(line) = rows(&mut dba, progress).pop() else { break };
            log(&line);
            std::thread::sleep(Duration::from_millis(40));
        }
        log(&format!("{} rows; {}", total(), modes(&mut dba)));
        run(&mut dba, "alter diskgroup data add failgroup west disk 'free*' name spare rebalance power 4 wait");
        log(&format!("{} rows, a disk added and the group rebalanced; {}", total(), modes(&mut dba)));
        run(&mut dba, "alter diskgroup data offline disk data_0000");
        settle();
        log(&format!("{} rows; {}", total(), modes(&mut dba)));
        run(&mut dba, "alter diskgroup data online disk data_0000");
        log(&format!("{} rows, a disk synchronised; {}", total(), modes(&mut dba)));
        settle();
        stopping.store(true, Ordering::Release);
    });
    let expected: u64 = committed.iter().map(|count| count.load(Ordering::Acquire)).sum();
    assert_eq!(rows(&mut dba, "select count(*) from t"), [expected.to_string()]);
    let notes = instance.groups().notes();
    notes.iter().for_each(|note| println!("note: {note}"));
    assert!(notes.iter().any(|note| note.contains("DATA_0004") && note.contains("offline")), "{notes:?}");
    drop((dba, database));
    instance.shutdown().unwrap();
    drop(instance);
    place.files.heal();
    assert_eq!(place.problems(), [""; 0]);
    let instance = place.open();
    let mut dba = Database::new(Arc::clone(&instance)).connect("system", None).unwrap();
    assert_eq!(rows(&mut dba, "select count(*) from t"), [expected.to_string()]);
}

/// Bits flip on one disk: reads find the other copy by the blocks' checksums, and mend the first.
#[test]
fn flipped_bits_are_read_from_the_other_copy_and_mended() {
    let place = Place::new();
    let instance = place.open();
    let mut dba = Database::new(Arc::clone(&instance)).connect("system", None).unwrap();
    run(&mut dba, "create diskgroup data failgroup east disk 'east*' failgroup west disk 'west*'");
    run(&mut dba, "create tablespace inside datafile '+DATA' size 20m");
    run(&mut dba, "create table t (n number, c varchar2(200)) tablespace inside");
    run(&mut dba, "insert into t select level, rpad('x', 180, 'x') from dual connect by level <= 40000");
    run(&mut dba, "commit");
    run(&mut dba, "alter system checkpoint");
    drop(dba);
    instance.shutdown().unwrap();
    drop(instance);
    let east = ["east01", "east02", "east03"].map(|name| place.directory.join(name));
    for disk in &east {
        for at in (5 * MB..38 * MB).step_by(40_000) {
            place.files.flip(disk, at).unwrap();
        }
    }
    let instance = place.open();
    let mut dba = Database::new(Arc::clone(&instance)).connect("system", None).unwrap();
    let sum = "select count(*), sum(n), sum(length(c)) from t";
    assert_eq!(rows(&mut dba, sum), ["40000 800020000 7200000"]);
    let repairs = instance.groups().mounted()[0].statistics().repairs;
    assert!(repairs > 50, "{repairs}");
    drop(dba);
    instance.shutdown().unwrap();
    drop(instance);
    assert_eq!(place.problems(), [""; 0]);
}
