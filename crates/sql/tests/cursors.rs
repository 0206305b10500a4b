//! The cursor interface: binds, arrays of fetches, counters, trace, cancellation.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::SystemClock;
use device::OsFileSystem;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sql::{Connection, Database, Datum};
use waits::Statistic;

fn number(connection: &mut Connection, query: &str) -> i64 {
    let rows = connection.query(query).unwrap();
    match &rows[0][0] {
        Datum::Number(bytes) => format::number::decode_i64(bytes).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn statistic(connection: &mut Connection, name: &str) -> i64 {
    number(
        connection,
        &format!(
            "select s.value from v$mystat s, v$statname n where s.statistic# = n.statistic# and n.name = '{name}'"
        ),
    )
}

#[test]
fn bind_variables_have_values() {
    let mut connection = support::connect();
    connection.run("create table t (a number, b varchar2(10))").unwrap();
    let insert = connection.parse("insert into t values (:a, :b)").unwrap();
    for (a, b) in [(1, "one"), (2, "two"), (3, "three")] {
        connection.bind(insert, "a", Datum::integer(a)).unwrap();
        connection.bind(insert, ":b", Datum::varchar2(b)).unwrap();
        assert_eq!(connection.execute(insert).unwrap().rows, Some(1));
    }
    connection.close(insert);
    let select = connection.parse("select b from t where a = :a").unwrap();
    assert!(connection.execute(select).unwrap_err().is_ora(1008));
    connection.bind(select, "A", Datum::integer(2)).unwrap();
    assert!(connection.execute(select).unwrap().is_query);
    assert_eq!(connection.describe(select).unwrap()[0].name, "B");
    let fetched = connection.fetch(select, 10).unwrap();
    assert_eq!(fetched.rows, vec![vec![Datum::varchar2("two")]]);
    assert!(fetched.end);
    connection.close(select);
    assert!(connection.fetch(select, 1).unwrap_err().is_ora(1001));
}

#[test]
fn the_second_parse_of_a_text_is_soft() {
    let mut connection = support::connect();
    let before = statistic(&mut connection, "parse count (hard)");
    for _ in 0..3 {
        connection.query("select 'soft' from dual").unwrap();
    }
    // The query for the statistic itself was parsed hard the first time only.
    assert_eq!(statistic(&mut connection, "parse count (hard)") - before, 1);
}

#[test]
fn an_array_fetch_gets_only_its_blocks() {
    let mut connection = support::connect();
    connection
        .run("create table t as select level a, rpad('x', 500, 'x') b from dual connect by level <= 1000")
        .unwrap();
    let all = {
        let before = statistic(&mut connection, "consistent gets");
        connection.query("select a, b from t").unwrap();
        statistic(&mut connection, "consistent gets") - before
    };
    let before = statistic(&mut connection, "consistent gets");
    let cursor = connection.parse("select a, b from t").unwrap();
    connection.execute(cursor).unwrap();
    assert_eq!(connection.fetch(cursor, 15).unwrap().rows.len(), 15);
    connection.close(cursor);
    let first = statistic(&mut connection, "consistent gets") - before;
    assert!(first < all / 5, "{first} gets for the first 15 rows, {all} for all");
    let before = statistic(&mut connection, "consistent gets");
    let cursor = connection.parse("select a, b from t").unwrap();
    connection.execute(cursor).unwrap();
    while !connection.fetch(cursor, 5).unwrap().end {}
    connection.close(cursor);
    let small = statistic(&mut connection, "consistent gets") - before;
    // Each of the 200 fetches visits at least one block.
    assert!(small >= 200 && small > all, "{small} gets in fetches of 5, {all} in one");
}

#[test]
fn an_index_is_used_for_a_key() {
    let mut connection = support::connect();
    connection
        .run("create table t as select level a, rpad('x', 200, 'x') b from dual connect by level <= 20000")
        .unwrap();
    connection.run("create unique index t_a on t (a)").unwrap();
    let before = statistic(&mut connection, "consistent gets");
    assert_eq!(number(&mut connection, "select a from t where a = 777"), 777);
    let by_key = statistic(&mut connection, "consistent gets") - before;
    assert!(by_key < 10, "{by_key} gets for one row by its key");
    let before = statistic(&mut connection, "consistent gets");
    assert_eq!(number(&mut connection, "select /*+ full(t) */ a from t where a = 777"), 777);
    let full = statistic(&mut connection, "consistent gets") - before;
    assert!(full > 400, "{full} gets for a full scan");
    assert_eq!(number(&mut connection, "select count(*) from t where a between 100 and 200"), 101);
}

#[test]
fn cancelling_ends_a_statement() {
    let mut connection = support::connect();
    let handle = connection.cancel_handle();
    handle.store(true, Ordering::Release);
    let error = connection.query("select count(*) from dual connect by level <= 1000000").unwrap_err();
    assert!(error.is_ora(1013), "{error}");
    assert_eq!(number(&mut connection, "select 1 from dual"), 1);
}

#[test]
fn sessions_see_each_other() {
    let database = support::database();
    let mut one = database.connect("system", None).unwrap();
    let two = database.connect("system", None).unwrap();
    assert_eq!(number(&mut one, "select count(*) from v$session where type = 'USER'"), 2);
    drop(two);
    assert_eq!(number(&mut one, "select count(*) from v$session where type = 'USER'"), 1);
    assert!(database.connect("nobody", None).is_err());
}

/// A database in files, and where they are.
fn on_disk(directory: &Path) -> (Arc<Database>, std::path::PathBuf) {
    let options =
        CreateOptions { parameters: vec![("db_cache_size".to_owned(), "32M".to_owned())], ..CreateOptions::default() };
    let data = directory.join("data");
    let (files, clock) = (Arc::new(OsFileSystem::new()), Arc::new(SystemClock::default()));
    (Database::new(Instance::create(files, &data, clock, None, &options).unwrap()), data)
}

#[test]
fn a_trace_shows_the_calls() {
    let directory = tempfile::tempdir().unwrap();
    let (database, data) = on_disk(directory.path());
    let mut connection = database.connect("system", None).unwrap();
    connection.run("create table t as select level a from dual connect by level <= 5000").unwrap();
    connection.run("alter session set tracefile_identifier = 'mine'").unwrap();
    connection.run("alter session set events '10046 trace name context forever, level 12'").unwrap();
    connection.query("select count(*) from t").unwrap();
    connection.run("insert into t select a from t where a <= 10").unwrap();
    connection.run("commit").unwrap();
    connection.run("alter session set events '10046 trace name context off'").unwrap();
    let trace = find(&data, "mine.trc").expect("a trace file");
    let text = std::fs::read_to_string(trace).unwrap();
    for expected in [
        "PARSING IN CURSOR",
        "select count(*) from t",
        "op='SORT AGGREGATE",
        "op='TABLE ACCESS FULL T",
        "op='LOAD TABLE CONVENTIONAL",
        "FETCH #",
        "EXEC #",
        "XCTEND rlbk=0, rd_only=",
    ] {
        assert!(text.contains(expected), "no {expected} in\n{text}");
    }
    drop(connection);
    database.instance().shutdown().unwrap();
}

fn find(directory: &Path, end: &str) -> Option<std::path::PathBuf> {
    std::fs::read_dir(directory).ok()?.filter_map(Result::ok).find_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return find(&path, end);
        }
        path.to_string_lossy().ends_with(end).then_some(path)
    })
}

/// A commit is counted and traced whether or not there was something to commit; one that changed nothing says so.
#[test]
fn commits_are_counted_and_traced() {
    let directory = tempfile::tempdir().unwrap();
    let instance = Instance::create(
        Arc::new(OsFileSystem::new()),
        directory.path(),
        Arc::new(SystemClock::default()),
        None,
        &CreateOptions::default(),
    )
    .unwrap();
    let database = Database::new(Arc::clone(&instance));
    let mut connection = database.connect("system", None).unwrap();
    connection.run("alter session set tracefile_identifier = 'ends'").unwrap();
    connection.run("alter session set sql_trace = true").unwrap();
    let before = statistic(&mut connection, "user commits");
    for commit in ["commit", "commit work write batch nowait", "commit comment 'done'"] {
        connection.run(commit).unwrap();
    }
    connection.commit(storage::txn::CommitWrite { no_wait: true, batch: false }).unwrap();
    assert_eq!(statistic(&mut connection, "user commits") - before, 4);
    // One before it and one after it.
    connection.run("create table t (a number)").unwrap();
    assert_eq!(statistic(&mut connection, "user commits") - before, 6);
    assert!(connection.run("create table t (a number)").unwrap_err().is_ora(955));
    assert_eq!(statistic(&mut connection, "user commits") - before, 7);
    connection.run("alter session set sql_trace = false").unwrap();
    let text = std::fs::read_to_string(find(directory.path(), "ends.trc").unwrap()).unwrap();
    assert_eq!(text.matches("XCTEND rlbk=0, rd_only=1, tim=").count(), 7, "{text}");
    drop(connection);
    instance.shutdown().unwrap();
}

/// Joins without output, or whose consumer takes all batches in one go, for longer than anyone waits.
#[test]
fn the_time_of_a_program_is_counted_once() {
    let mut connection = support::connect();
    connection.run("create table t (a number)").unwrap();
    let meter = Arc::clone(connection.session().meter());
    let clock = Arc::clone(meter.clock());
    let before = meter.snapshot();
    let (from_us, cpu_from_us) = (clock.monotonic_us(), clock.thread_cpu_us());
    connection.run("begin for i in 1 .. 2000 loop insert into t values (i); end loop; commit; end;").unwrap();
    let (elapsed_us, cpu_us) = (clock.monotonic_us() - from_us, clock.thread_cpu_us() - cpu_from_us);
    let counted = meter.snapshot().minus(&before);
    // The statements' times are part of the block's, not added to it.
    assert!(counted.value(Statistic::DbTime) <= elapsed_us);
    let cpu = counted.value(Statistic::CpuUsedByThisSession);
    assert!(cpu <= cpu_us, "{cpu} of {cpu_us} us");
    let recursive = counted.value(Statistic::RecursiveCpuUsage);
    assert!(recursive > 0 && recursive <= cpu, "{recursive} of {cpu} us");
}

#[test]
fn cancelling_ends_a_join() {
    let mut connection = support::connect();
    for table in ["a", "b"] {
        connection
            .run(&format!(
                "create table {table} as select level x, mod(level, 2) y from dual connect by level <= 100000"
            ))
            .unwrap();
    }
    for query in [
        "select max(a.x) from a, b where a.x > b.x + 1000000",
        "select max(a.x) from a, b where a.x > b.x",
        "select count(*) from a, b where a.x + b.x < 0",
        "select count(*) from a cross join b cross join a c",
        "select max(a.x) from a, b where a.y = b.y and a.x + b.x < 0",
        "select max(a.x + b.x) from a, b where a.y = b.y",
        "select count(*) from a where not exists (select 1 from b where b.x > a.x + 1000000)",
        "select count(*) from a left join b on a.x + b.x < 0",
        "select count(*) from (select a.x from a, b union all select a.x from a, b)",
        "select count(*) from (select a.x from a, b where a.x + b.x < 0 union select a.x from a, b where a.x + b.x < 0)",
    ] {
        let session = Arc::clone(connection.session());
        let scanned = || session.meter().value(Statistic::TableScanRowsGotten);
        let until = scanned() + 100_001;
        let cancel = connection.cancel_handle();
        // The first table has been read, and the second is being read: the join is running.
        std::thread::scope(|scope| {
            let statement = scope.spawn(|| connection.query(query));
            while scanned() < until && !statement.is_finished() {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(50));
            cancel.store(true, Ordering::SeqCst);
            let error = statement.join().unwrap().expect_err(query);
            assert!(error.is_ora(1013), "{query}: {error}");
        });
        assert_eq!(number(&mut connection, "select 1 from dual"), 1);
    }
}

/// Planning is not cubic in an expression's length, and recursion over it has enough stack.
#[test]
fn a_long_expression_is_evaluated() {
    let worker = common::sync::spawn_with_stack("long expression", 256 << 20, || {
        let mut connection = support::connect();
        connection.run("create table t (a number)").unwrap();
        connection.run("insert into t values (1)").unwrap();
        for terms in [300, 600] {
            let sum = vec!["a"; terms].join(" + ");
            assert_eq!(number(&mut connection, &format!("select {sum} from t")), terms as i64);
            let text = vec!["'x'"; terms].join(" || ");
            assert_eq!(number(&mut connection, &format!("select length({text}) from t")), terms as i64);
        }
        let error = connection.query(&format!("select {} from t", vec!["a"; 6000].join(" + "))).unwrap_err();
        assert!(error.to_string().starts_with("HW-0001"), "{error}");
    });
    worker.unwrap().join().unwrap();
}

#[test]
fn an_insert_that_is_executed_again_follows_the_dictionary() {
    let mut connection = support::connect();
    connection
        .run("create table t (a number(3) not null, b varchar2(10) default 'dflt', c date default sysdate)")
        .unwrap();
    let insert = connection.parse("insert into t (a) values (:a + 1) returning a, b, c into :x, :y, :z").unwrap();
    let run = |connection: &mut Connection, a: i64| {
        connection.bind(insert, "a", Datum::integer(a)).unwrap();
        connection.execute(insert)
    };
    assert_eq!(run(&mut connection, 1).unwrap().rows, Some(1));
    let returned = connection.returned(insert).unwrap();
    let names: Vec<&str> = returned.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        (names, &returned[0].1, &returned[1].1),
        (vec!["X", "Y", "Z"], &Datum::integer(2), &Datum::varchar2("dflt"))
    );
    assert!(matches!(returned[2].1, Datum::Date(_)), "{returned:?}");

    // An error in a value has its position, and leaves no trace.
    assert!(run(&mut connection, 2000).unwrap_err().is_ora(1438));
    assert!(connection.returned(insert).unwrap().is_empty());
    connection.bind(insert, "a", Datum::varchar2("x")).unwrap();
    let error = connection.execute(insert).unwrap_err();
    assert!(error.is_ora(1722), "{error}");
    connection.bind(insert, "a", Datum::Null).unwrap();
    assert!(connection.execute(insert).unwrap_err().is_ora(1400));

    // The dictionary changes while the cursor is open.
    connection.run("alter table t modify (b default 'new')").unwrap();
    connection.run("alter table t add constraint a_max check (a < 50)").unwrap();
    run(&mut connection, 2).unwrap();
    assert_eq!(connection.returned(insert).unwrap()[1].1, Datum::varchar2("new"));
    assert!(run(&mut connection, 60).unwrap_err().is_ora(2290));
    connection.run("drop table t").unwrap();
    assert!(run(&mut connection, 3).unwrap_err().is_ora(942));
    connection.run("create table t (b varchar2(1), a number, c varchar2(30))").unwrap();
    run(&mut connection, 4).unwrap();
    assert_eq!(number(&mut connection, "select a from t"), 5);
    connection.run("create unique index t_a on t (a)").unwrap();
    assert!(run(&mut connection, 4).unwrap_err().is_ora(1));
    assert_eq!(number(&mut connection, "select count(*) from t"), 1);
    connection.close(insert);
}

/// The same values without the planner (a row alone) and with it (the first of two rows).
#[test]
fn both_ways_of_an_insert_put_in_the_same() {
    const VALUES: &[&str] = &[
        "null",
        "''",
        "'text'",
        "-12.50",
        "1e3",
        "1 / 3",
        "2 + 3 * 4",
        "'a' || 5 || null",
        "upper('abc') || substr('hello', 2, 3)",
        "round(2.567, 1)",
        "to_date('2024-02-29', 'YYYY-MM-DD') + 1",
        "to_char(date '2024-02-29', 'DY')",
        "length(rpad('x', 5))",
        "mod(10, 3)",
        "trunc(to_date('2024-02-29 13', 'YYYY-MM-DD HH24'))",
        "nvl(null, 7)",
        "decode(1, 1, 'one', 'other')",
        "case when 1 = 1 then 'yes' end",
        "(select 'sub' from dual)",
        ":n + 1",
        ":t || '!'",
        ":n",
        ":t",
        ":m",
        "to_number('12') - -3",
    ];
    let mut connection = support::connect();
    connection.run("create table one (v varchar2(60), c char(60))").unwrap();
    connection.run("create table two (v varchar2(60), c char(60))").unwrap();
    for value in VALUES {
        for (table, other) in [("one", ""), ("two", "union all select null, null from dual where 1 = 0")] {
            let text = if other.is_empty() {
                format!("insert into {table} values ({value}, {value})")
            } else {
                format!("insert into {table} select {value}, {value} from dual {other}")
            };
            let insert = connection.parse(&text).unwrap();
            for (name, bound) in [("n", Datum::integer(41)), ("t", Datum::varchar2("bound")), ("m", Datum::Null)] {
                if text.contains(&format!(":{name}")) {
                    connection.bind(insert, name, bound).unwrap();
                }
            }
            connection.execute(insert).unwrap_or_else(|error| panic!("{text}: {error}"));
            connection.close(insert);
        }
    }
    let rows =
        |connection: &mut Connection, table: &str| connection.query(&format!("select v, c from {table}")).unwrap();
    let (one, two) = (rows(&mut connection, "one"), rows(&mut connection, "two"));
    for ((one, two), value) in one.iter().zip(&two).zip(VALUES) {
        assert_eq!(one, two, "{value}");
    }
    assert_eq!((one.len(), two.len()), (VALUES.len(), VALUES.len()));
}

/// Statements of programs are one deeper than the call that runs them; those of a block in a block's EXECUTE IMMEDIATE
/// two.
#[test]
fn a_trace_shows_how_deep_a_statement_is() {
    let directory = tempfile::tempdir().unwrap();
    let (database, data) = on_disk(directory.path());
    let mut connection = database.connect("system", None).unwrap();
    connection.run("create table t (id number)").unwrap();
    connection.run("alter session set tracefile_identifier = 'deep'").unwrap();
    connection.run("alter session set sql_trace = true").unwrap();
    let block = "begin insert into t values (1); execute immediate 'begin update t set id = 2; end;'; end;";
    connection.run(block).unwrap();
    connection.run("alter session set sql_trace = false").unwrap();
    let text = std::fs::read_to_string(find(&data, "deep.trc").unwrap()).unwrap();
    // By the statement's beginning: the depths of its calls.
    let depths = |statement: &str| -> Vec<String> {
        let mut lines = text.lines().collect::<Vec<_>>();
        let at =
            lines.windows(2).position(|two| two[0].starts_with("PARSING") && two[1].starts_with(statement)).unwrap();
        let cursor = lines[at].split_whitespace().nth(3).unwrap().to_owned();
        lines.drain(..at);
        let of = lines.iter().filter(|line| {
            ["PARSING IN CURSOR", "PARSE", "EXEC"].iter().any(|kind| line.starts_with(&format!("{kind} {cursor}")))
        });
        of.take(3).map(|line| line.split("dep=").nth(1).unwrap()[..1].to_owned()).collect()
    };
    assert_eq!(depths("begin insert"), ["0", "0", "0"], "{text}");
    assert_eq!(depths("INSERT INTO T"), ["1", "1", "1"], "{text}");
    assert_eq!(depths("begin update"), ["1", "1", "1"], "{text}");
    assert_eq!(depths("UPDATE T"), ["2", "2", "2"], "{text}");
    drop(connection);
    database.instance().shutdown().unwrap();
}
