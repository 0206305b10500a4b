//! The close of an instance while sessions work: acknowledged commits are there afterwards, and the files are sound.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Error, SystemClock};
use device::MemoryFileSystem;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sql::{Connection, Database};

const SESSIONS: usize = 4;

/// Inserts and commits rows one by one until the database is closed; returns the number acknowledged, and the error.
fn insert_until_closed(connection: &mut Connection, session: usize, inserted: &AtomicUsize) -> (usize, Error) {
    for row in 0.. {
        let insert = format!("insert into t values ({session}, {row}, rpad('x', 300, 'x'))");
        if let Err(error) = connection.run(&insert).and_then(|_| connection.run("commit")) {
            return (row, error);
        }
        inserted.fetch_add(1, Ordering::Relaxed);
    }
    unreachable!()
}

/// Runs a join that would take for ever.
fn join_until_closed(connection: &mut Connection, running: &AtomicUsize) -> Error {
    let long = "select count(*) from (select level n from dual connect by level <= 100000) a, \
                (select level n from dual connect by level <= 100000) b where mod(a.n, 7) = mod(b.n, 5)";
    running.fetch_add(1, Ordering::Relaxed);
    connection.query(long).unwrap_err()
}

#[test]
fn a_close_ends_what_runs_and_loses_nothing_that_was_done() {
    let files = Arc::new(MemoryFileSystem::default());
    let clock = Arc::new(SystemClock::default());
    let directory = Path::new("/database");
    let parameters = vec![("db_cache_size".to_owned(), "8M".to_owned())];
    let options = CreateOptions { parameters, ..CreateOptions::default() };
    let instance = Instance::create(files.clone(), directory, clock.clone(), None, &options).unwrap();
    let database = Database::new(instance);
    let mut connection = database.connect("system", None).unwrap();
    connection.run("create table t (s number, n number, filler varchar2(300), unique (s, n))").unwrap();
    let inserted = AtomicUsize::new(0);
    let (done, joined) = std::thread::scope(|scope| {
        let inserters: Vec<_> = (0..SESSIONS)
            .map(|session| {
                let mut connection = database.connect("system", None).unwrap();
                let inserted = &inserted;
                scope.spawn(move || insert_until_closed(&mut connection, session, inserted))
            })
            .collect();
        let running = Arc::new(AtomicUsize::new(0));
        let mut joining = database.connect("system", None).unwrap();
        let joiner = scope.spawn({
            let running = Arc::clone(&running);
            move || join_until_closed(&mut joining, &running)
        });
        while inserted.load(Ordering::Relaxed) < 500 || running.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        database.instance().shutdown().unwrap();
        let done: Vec<_> = inserters.into_iter().map(|thread| thread.join().unwrap()).collect();
        (done, joiner.join().unwrap())
    });
    for error in done.iter().map(|(_, error)| error).chain([&joined]) {
        assert!(error.is_ora(1089) || error.is_ora(1092), "{error}");
    }
    assert!(connection.run("insert into t values (99, 1, null)").unwrap_err().is_ora(1092));
    assert!(database.connect("system", None).unwrap_err().is_ora(1034));
    drop((connection, database));

    let report = engine::verify::verify(files.clone(), directory, clock.clone(), None).unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
    let database = Database::new(Instance::open(files, directory, clock, None).unwrap());
    let mut connection = database.connect("system", None).unwrap();
    for (session, (rows, _)) in done.iter().enumerate() {
        let count = format!("select count(*) from t where s = {session} and n < {rows}");
        assert_eq!(support::run(&mut connection, &count), format!("COUNT(*)\n{rows}"));
    }
    drop(connection);
    database.instance().shutdown().unwrap();
}
