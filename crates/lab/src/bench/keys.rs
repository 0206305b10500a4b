//! `bench keys`: statements that find their rows by a key, in a loop of PL/SQL, beside the same loop in PostgreSQL's
//! PL/pgSQL. Everything is cached; one session; one commit at the end of a loop, which both sides wait for.
//!
//! After each run both sides' sums are compared: a side that did something else is no peer.

use std::sync::Arc;

use common::{Clock, Error, Result};
use peer::{Postgres, refusal, settings};
use sql::Connection;

use super::BenchOptions;
use super::outcome::{Case, Outcome};
use crate::laboratory::{Laboratory, numbers};
use crate::progress::Progress;
use crate::text::grouped;
use crate::time::seconds;

/// Rows of the table at scale 1.
const ROWS: f64 = 200_000.0;
/// Iterations of a loop at scale 1.
const ITERATIONS: f64 = 10_000.0;
/// Rows of a group, scattered over the table.
const GROUP_ROWS: u64 = 4;
/// From one key to the next: a prime, so that keys repeat late.
const STEP: u64 = 7_919;
/// Orders of a join.
const JOINED: u64 = 1_000;
const ASKED: f64 = 1.0;

/// A loop: its name, its body, the statements of an iteration, and the iterations for one of the others.
struct Loop {
    name: &'static str,
    body: &'static str,
    statements: u64,
    fewer: u64,
}

/// Both sides run these words. `{rows}`, `{groups}` and `{orders}` are numbers; `k` is the key, `s` the sum.
const LOOPS: [Loop; 6] = [
    Loop {
        name: "SELECT by primary key",
        body: "k := mod(k + {step}, {rows}); select val into v from item where id = k; s := s + v;",
        statements: 1,
        fewer: 1,
    },
    Loop {
        name: "UPDATE by primary key",
        body: "k := mod(k + {step}, {rows}); update item set val = val + 1 where id = k;",
        statements: 1,
        fewer: 1,
    },
    Loop {
        name: "count of four rows by a non-unique index",
        body: "k := mod(k + {step}, {groups}); select count(*) into v from item where grp = k; s := s + v;",
        statements: 1,
        fewer: 1,
    },
    Loop {
        name: "UPDATE of four rows by a non-unique index",
        body: "k := mod(k + {step}, {groups}); update item set val = val + 1 where grp = k;",
        statements: 1,
        fewer: 1,
    },
    Loop {
        name: "DELETE and INSERT by primary key",
        body: "k := mod(k + {step}, {rows}); delete from item where id = k; \
               insert into item (id, grp, val, filler) values (k, mod(k, {groups}), 1, 'put there again');",
        statements: 2,
        fewer: 1,
    },
    Loop {
        name: "join of 1,000 orders to their lines",
        body: "k := mod(k + {step}, {orders}); \
               select sum(l.amount) into v from orders o, line l \
               where o.id >= k and o.id < k + {joined} and l.order_id = o.id; s := s + v;",
        statements: 1,
        fewer: 200,
    },
];

/// The size of both sides' tables, and of the loops.
#[derive(Clone, Copy)]
struct Size {
    rows: u64,
    iterations: u64,
}

impl Size {
    fn of(options: &BenchOptions) -> Self {
        let times = |number: f64| (number * options.scale).round().clamp(8.0 * JOINED as f64, 1e9) as u64;
        let iterations = (ITERATIONS * options.scale).round().clamp(200.0, 1e9) as u64;
        Self { rows: times(ROWS).next_multiple_of(GROUP_ROWS), iterations }
    }

    fn groups(self) -> u64 {
        self.rows / GROUP_ROWS
    }

    fn body(self, of: &Loop) -> String {
        let words = [
            ("{rows}", self.rows),
            ("{groups}", self.groups()),
            // A join ends within the orders.
            ("{orders}", self.groups() - JOINED),
            ("{step}", STEP),
            ("{joined}", JOINED),
        ];
        words.iter().fold(of.body.to_owned(), |body, (word, number)| body.replace(word, &number.to_string()))
    }

    fn iterations(self, of: &Loop) -> u64 {
        (self.iterations / of.fewer).max(1)
    }
}

/// What a side's loop came to: its own sum, and the table's rows and sum.
type Sums = [i64; 3];

const SUMS: &str = "select s, (select count(*) from item), (select sum(val) from item) from result";

pub(super) fn run(options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    let home = super::home(options)?;
    let size = Size::of(options);
    let mut skipped = Vec::new();
    progress.step("Highwater: creating the database");
    let parameters = [("db_cache_size", format!("{}M", options.cache_mb))];
    let laboratory = Laboratory::create(Some(&home.path().join("highwater")), options.device.as_ref(), parameters)?;
    let mut ours = laboratory.connect()?;
    ours_filled(&mut ours, size)?;
    let installation = options.installation();
    let mut theirs = match &installation {
        Ok(found) => {
            progress.step("PostgreSQL: creating the database");
            let mut server = Postgres::start(found, home.path(), options.cache_mb)?;
            theirs_filled(&mut server, size)?;
            Some(server)
        }
        Err(why) => {
            skipped.push(format!("skipped: beside PostgreSQL: {why}"));
            None
        }
    };
    let mut rates = LOOPS.each_ref().map(|_| (Vec::new(), Vec::new()));
    for number in 1..=options.runs {
        for (of, (rates, their_rates)) in LOOPS.iter().zip(&mut rates) {
            progress.step(&format!("run {number} of {}: {}", options.runs, of.name));
            let (rate, sums) = our_loop(&mut ours, size, of)?;
            rates.push(rate);
            let Some(server) = &mut theirs else { continue };
            let (rate, their_sums) = their_loop(server, size, of)?;
            their_rates.push(rate);
            if sums != their_sums {
                let what = format!("{}: the sums are {sums:?} here and {their_sums:?} there", of.name);
                return Err(Error::bug(what));
            }
        }
    }
    drop((theirs, ours));
    progress.step("closing");
    laboratory.close()?;
    progress.end();
    let mut notes = vec![
        format!(
            "{} rows in groups of {GROUP_ROWS}, {} orders of {GROUP_ROWS} lines; {} iterations a loop, {} of the join; {} runs of each side in turn, {} MB of buffer \
             cache each, all cached{}",
            grouped(size.rows),
            grouped(size.groups()),
            grouped(size.iterations),
            grouped(size.iterations(&LOOPS[LOOPS.len() - 1])),
            options.runs,
            options.cache_mb,
            if cfg!(debug_assertions) { "; A DEBUG BUILD: times mean nothing" } else { "" }
        ),
        "durable: each loop commits once, at its end, and both sides wait for it. Both sides have statistics of their \
         tables, and both sides' sums were the same after each loop"
            .to_owned(),
    ];
    if let Ok(found) = &installation {
        let set: Vec<String> =
            settings(options.cache_mb).iter().map(|(name, value)| format!("{name}={value}")).collect();
        notes.push(format!("{}: {}; log and all else by default", found.version, set.join(", ")));
    }
    let cases = LOOPS
        .iter()
        .zip(rates)
        .map(|(of, (ours, theirs))| Case::new(of.name, "statements/s", "PostgreSQL", Some(ASKED), ours, theirs));
    Ok(Outcome { name: "keys".to_owned(), cases: cases.collect(), notes, skipped, device: None })
}

fn ours_filled(connection: &mut Connection, size: Size) -> Result<()> {
    let Size { rows, .. } = size;
    let groups = size.groups();
    for text in [
        "create tablespace bench_tbs datafile 'bench01.dbf' size 64M autoextend on next 64M \
         extent management local autoallocate segment space management auto"
            .to_owned(),
        "create table item (id number, grp number, val number, filler varchar2(60)) tablespace bench_tbs".to_owned(),
        "create table orders (id number, customer number) tablespace bench_tbs".to_owned(),
        "create table line (order_id number, place number, amount number) tablespace bench_tbs".to_owned(),
        "create table result (s number)".to_owned(),
        format!(
            "insert into item select level - 1, mod(level - 1, {groups}), 1, rpad('x', 60, 'x') \
             from dual connect by level <= {rows}"
        ),
        format!("insert into orders select level - 1, mod(level, 997) from dual connect by level <= {groups}"),
        format!(
            "insert into line select trunc((level - 1) / {GROUP_ROWS}), mod(level - 1, {GROUP_ROWS}), mod(level, 101) \
             from dual connect by level <= {rows}"
        ),
        "commit".to_owned(),
        "alter table item add primary key (id)".to_owned(),
        "create index item_grp on item (grp)".to_owned(),
        "alter table orders add primary key (id)".to_owned(),
        "alter table line add primary key (order_id, place)".to_owned(),
        "analyze table item compute statistics".to_owned(),
        "analyze table orders compute statistics".to_owned(),
        "analyze table line compute statistics".to_owned(),
    ] {
        connection.run(&text)?;
    }
    Ok(())
}

fn theirs_filled(server: &mut Postgres, size: Size) -> Result<()> {
    let Size { rows, .. } = size;
    let groups = size.groups();
    for text in [
        "create table item (id bigint, grp bigint, val bigint, filler varchar(60))".to_owned(),
        "create table orders (id bigint, customer bigint)".to_owned(),
        "create table line (order_id bigint, place bigint, amount bigint)".to_owned(),
        "create table result (s bigint)".to_owned(),
        format!(
            "insert into item select n - 1, mod(n - 1, {groups}), 1, rpad('x', 60, 'x') \
             from generate_series(1, {rows}) n"
        ),
        format!("insert into orders select n - 1, mod(n, 997) from generate_series(1, {groups}) n"),
        format!(
            "insert into line select (n - 1) / {GROUP_ROWS}, mod(n - 1, {GROUP_ROWS}), mod(n, 101) \
             from generate_series(1, {rows}) n"
        ),
        "alter table item add primary key (id)".to_owned(),
        "create index item_grp on item (grp)".to_owned(),
        "alter table orders add primary key (id)".to_owned(),
        "alter table line add primary key (order_id, place)".to_owned(),
        "vacuum analyze".to_owned(),
    ] {
        server.run(&text)?;
    }
    Ok(())
}

/// Statements a second of our loop, and its sums.
fn our_loop(connection: &mut Connection, size: Size, of: &Loop) -> Result<(f64, Sums)> {
    let clock = Arc::clone(connection.session().meter().clock());
    connection.run("delete from result")?;
    let (body, iterations) = (size.body(of), size.iterations(of));
    let text = format!(
        "declare k number := 0; v number; s number := 0; begin for i in 1 .. {iterations} loop {body} end loop; \
         insert into result values (s); commit; end;"
    );
    let from_us = clock.monotonic_us();
    connection.run(&text)?;
    let rate = rate(of, iterations, clock.monotonic_us() - from_us);
    let found = numbers(connection, SUMS)?;
    let sum = |at: usize| found.get(at).map_or(-1, |sum| *sum as i64);
    Ok((rate, [sum(0), sum(1), sum(2)]))
}

/// The same of PostgreSQL's.
fn their_loop(server: &mut Postgres, size: Size, of: &Loop) -> Result<(f64, Sums)> {
    server.run("delete from result")?;
    let (body, iterations) = (size.body(of), size.iterations(of));
    let text = format!(
        "do $$ declare k bigint := 0; v bigint; s bigint := 0; begin for i in 1 .. {iterations} loop {body} end loop; \
         insert into result values (s); end $$"
    );
    let from_us = server.clock().monotonic_us();
    server.run(&text)?;
    let rate = rate(of, iterations, server.clock().monotonic_us() - from_us);
    let sums = "select s, (select count(*) from item), (select sum(val)::bigint from item) from result";
    let row = server.client()?.query_one(sums, &[]).map_err(|error| refusal(sums, &error))?;
    Ok((rate, [row.get(0), row.get(1), row.get(2)]))
}

fn rate(of: &Loop, iterations: u64, time_us: u64) -> f64 {
    (iterations * of.statements) as f64 / seconds(time_us.max(1))
}
