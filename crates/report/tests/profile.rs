//! The profile of traces with a known one: assignment of waits, unaccounted time, and memory.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;

use proptest::prelude::*;
use report::profile::{self, Component, Phase, Profile, ProfileOptions, StatementKey};
use report::tkprof::Options;

const HEAD: &str = "Trace file /u01/toy_ora_1.trc\nOracle Database 11g Enterprise Edition Release 11.2.0.4.0 - Production\nInstance name: toy\n\n";

fn read(text: &str) -> Profile {
    let profile = profile::read(text.as_bytes(), &Options::default()).unwrap();
    assert_eq!(profile.summary.reading.misread, []);
    let sum: i64 = profile.lines.iter().map(|line| line.total_ns).sum();
    assert_eq!(sum, profile.elapsed_ns);
    profile
}

/// Microseconds of a phase and component; an event by its name, `cpu`, `-` for what is unaccounted for.
fn us(profile: &Profile, phase: Phase, what: &str) -> i64 {
    let is = |component: Component| match component {
        Component::Cpu => what == "cpu",
        Component::Unaccounted => what == "-",
        Component::Wait(event) => profile.events[event].name == what,
    };
    profile.total_ns(|line| line.phase == phase && is(line.component)) / 1000
}

fn parsing(cursor: u32, time: u64, sql: &str) -> String {
    format!(
        "PARSING IN CURSOR #{cursor} len={} dep=0 uid=5 oct=3 lid=5 tim={time} hv=1 ad='0'\n{sql}\nEND OF STMT\n",
        sql.len()
    )
}

fn call(kind: &str, cursor: u32, depth: u32, cpu: i64, elapsed: i64, time: u64) -> String {
    format!("{kind} #{cursor}:c={cpu},e={elapsed},p=0,cr=0,cu=0,mis=0,r=1,dep={depth},og=1,plh=1,tim={time}\n")
}

fn wait(cursor: u32, event: &str, elapsed: u64, time: u64) -> String {
    format!("WAIT #{cursor}: nam='{event}' ela= {elapsed} p1=1 p2=2 p3=3 obj#=-1 tim={time}\n")
}

#[test]
fn waits_within_calls_and_between_them() {
    let text = [
        HEAD.to_owned(),
        parsing(1, 1000, "a"),
        call("PARSE", 1, 0, 80, 100, 1000),
        wait(1, "db file sequential read", 300, 1450),
        call("EXEC", 1, 0, 50, 400, 1500),
        // Cursor 0: the commit that a driver sends is no call of a cursor.
        wait(0, "log file sync", 700, 2300),
        wait(1, "SQL*Net message to client", 2, 2310),
        wait(1, "SQL*Net message from client", 5000, 7310),
        wait(1, "db file sequential read", 90, 7500),
        wait(1, "SQL*Net message to client", 1, 7510),
        call("FETCH", 1, 0, 20, 210, 7520),
    ]
    .concat();
    let profile = read(&text);
    assert_eq!(profile.elapsed_ns, (7520 - 900) * 1000);
    let of = |phase, what| us(&profile, phase, what);
    assert_eq!((of(Phase::Parse, "cpu"), of(Phase::Parse, "-")), (80, 20));
    assert_eq!(
        (of(Phase::Execute, "cpu"), of(Phase::Execute, "db file sequential read"), of(Phase::Execute, "-")),
        (50, 300, 50)
    );
    assert_eq!(
        (
            of(Phase::Fetch, "db file sequential read"),
            of(Phase::Fetch, "SQL*Net message to client"),
            of(Phase::Fetch, "-")
        ),
        (90, 1, 99)
    );
    assert_eq!(
        (
            of(Phase::Between, "log file sync"),
            of(Phase::Between, "SQL*Net message to client"),
            of(Phase::Between, "SQL*Net message from client")
        ),
        (700, 2, 5000)
    );
    assert_eq!(of(Phase::Between, "-"), 6620 - 100 - 400 - 210 - 5702);
    let statement = &profile.statements[0];
    assert_eq!(
        (statement.elapsed_ns, statement.cpu_ns, statement.waited_ns(), statement.calls),
        (710_000, 150_000, 391_000, 3)
    );
    // The wait of no cursor belongs to no statement.
    assert_eq!((statement.between_ns(), statement.max_ns), (5_002_000, 400_000));
}

#[test]
fn recursive_calls_are_taken_off_their_callers_and_closes_are_calls() {
    let text = [
        HEAD.to_owned(),
        parsing(1, 1000, "a"),
        wait(3, "db file sequential read", 30, 1040),
        call("EXEC", 3, 2, 5, 50, 1050),
        "CLOSE #3:c=1,e=2,dep=2,type=0,tim=1055\n".to_owned(),
        wait(2, "library cache lock", 10, 1070),
        call("EXEC", 2, 1, 30, 100, 1100),
        // Of no call of its own: the user's call takes it.
        wait(7, "row cache lock", 5, 1120),
        call("EXEC", 1, 0, 60, 200, 1200),
    ]
    .concat();
    let profile = read(&text);
    let of = |what| us(&profile, Phase::Execute, what);
    assert_eq!((of("cpu"), us(&profile, Phase::Close, "cpu")), (59, 1));
    assert_eq!((of("db file sequential read"), of("library cache lock"), of("row cache lock")), (30, 10, 5));
    assert_eq!(us(&profile, Phase::Execute, "-") + us(&profile, Phase::Close, "-"), 200 - 60 - 45);
    // Whose time it was: 200 - 100, 50 and its close, 100 - 52.
    let elapsed: Vec<_> = profile.statements.iter().map(|s| s.elapsed_ns / 1000).collect();
    assert_eq!(elapsed, [100, 52, 48]);
    assert_eq!(profile.statements[0].waited_ns(), 5000);
}

#[test]
fn units_of_1024_ns_are_counted_where_the_release_has_them() {
    let body = [parsing(1, 1000, "a"), wait(1, "latch free", 300, 1450), call("EXEC", 1, 0, 100, 500, 1500)].concat();
    let head = |release: &str, system: &str| {
        format!("Oracle Database 10g Release {release} - 64bit\nSystem name: {system}\nInstance name: toy\n\n")
    };
    let linux = read(&format!("{}{body}", head("10.2.0.3.0", "Linux")));
    assert_eq!((linux.unit_ns, linux.elapsed_ns), (1024, 500 * 1024));
    assert_eq!(linux.events[0].waits.total_ns, 300 * 1024);
    // CPU is in microseconds all the same.
    assert_eq!((linux.cpu_ns(), linux.unaccounted_in_calls_ns()), (100_000, 200 * 1024 - 100_000));
    let windows = read(&format!("{}{body}", head("10.2.0.3.0", "Windows")));
    assert_eq!((windows.unit_ns, windows.elapsed_ns), (1000, 500_000));
}

#[test]
fn a_call_that_began_before_the_trace() {
    let text = [
        HEAD.to_owned(),
        wait(1, "db file sequential read", 100, 900_000),
        call("EXEC", 1, 0, 500_000, 800_000, 1_000_000),
    ]
    .concat();
    let profile = read(&text);
    assert_eq!((profile.elapsed_ns, profile.before_first_line_ns), (800_000_000, 699_900_000));
}

#[test]
fn sessions_have_clocks_of_their_own_and_windows_add_up() {
    let session = |sid: u32| format!("*** SESSION ID:({sid}.1) 2024-01-01 00:00:00.000\n");
    let text = [
        HEAD.to_owned(),
        session(1),
        call("EXEC", 1, 0, 10, 100, 5_000_000),
        session(2),
        wait(1, "latch free", 50, 700),
        call("EXEC", 1, 0, 10, 100, 1_000),
        session(1),
        wait(1, "latch free", 20, 5_000_190),
        call("EXEC", 1, 0, 10, 100, 5_000_200),
    ]
    .concat();
    let profile = read(&text);
    let windows: Vec<_> = profile.sessions.iter().map(|s| (s.session, s.elapsed_ns / 1000)).collect();
    assert_eq!(windows, [(Some((1, 1)), 300), (Some((2, 1)), 350)]);
    // The second session's wait ended before its call began.
    assert_eq!((us(&profile, Phase::Execute, "latch free"), us(&profile, Phase::Between, "latch free")), (20, 50));
}

#[test]
fn places_of_waits() {
    let at = |event: &str, parameters: &str, object: i64, elapsed: u64, time: u64| {
        format!("WAIT #1: nam='{event}' ela= {elapsed} {parameters} obj#={object} tim={time}\n")
    };
    let text = [
        HEAD.to_owned(),
        parsing(1, 1000, "update t set a = 1"),
        at("buffer busy waits", "file#=4 block#=77 class#=1", 15, 100, 2000),
        at("buffer busy waits", "file#=4 block#=77 class#=1", 15, 100, 3000),
        at("buffer busy waits", "file#=2 block#=9 class#=35", 0, 10, 4000),
        at("db file scattered read", "file#=4 block#=80 blocks=8", 15, 1000, 5000),
        at("db file scattered read", "file#=4 block#=88 blocks=6", 15, 1000, 6000),
        at("enq: TX - row lock contention", "name|mode=1415053318 usn<<16 | slot=65540 sequence=9", 15, 5, 7000),
        at("db file parallel read", "files=3 blocks=12 requests=12", 15, 7, 8000),
        "STAT #1 id=1 cnt=1 pid=0 pos=1 obj=15 op='TABLE ACCESS FULL T (cr=1 pr=0 pw=0 time=1 us)'\n".to_owned(),
        call("EXEC", 1, 0, 10, 7500, 8500),
    ]
    .concat();
    let profile = read(&text);
    let scattered = profile.event("db file scattered read").unwrap();
    assert_eq!((scattered.blocks, scattered.blocks_max, scattered.class), (Some(14), 8, "User I/O"));
    assert_eq!(profile.object_names()[&15].name, "T");
    let class: Vec<_> = profile.by_class().into_iter().map(|((_, class), waits, _)| (class, waits.count)).collect();
    assert_eq!(class, [(Some(1), 2), (Some(35), 1)]);
    let file: Vec<_> = profile
        .by_file()
        .into_iter()
        .map(|((event, file), waits, _)| (profile.events[event].name.as_str(), file, waits.count))
        .collect();
    assert_eq!(
        file,
        [("db file scattered read", Some(4), 2), ("buffer busy waits", Some(4), 2), ("buffer busy waits", Some(2), 1)]
    );
    let busiest = profile.blocks.iter().find(|block| block.class == Some(1)).unwrap();
    assert_eq!((busiest.file, busiest.block, busiest.waits.count, busiest.object), (4, 77, 2, Some(15)));
    let lock = &profile.event("enq: TX - row lock contention").unwrap().enqueues[0];
    assert_eq!((lock.name.as_str(), lock.mode, lock.waits.count), ("TX", 6, 1));
    // The session's statement is kept where sessions block each other.
    for site in &profile.sites {
        let contended = !profile.events[site.event].name.starts_with("db file");
        assert_eq!(site.statement, contended.then_some(0));
    }
}

#[test]
fn statements_in_any_order() {
    let mut text = HEAD.to_owned();
    let mut time = 10_000;
    for (cursor, sql, cpu, waited, calls) in [(1, "a", 10, 500, 2), (2, "b", 100, 0, 3), (3, "c", 30, 40, 9)] {
        text.push_str(&parsing(cursor, time, sql));
        for _ in 0..calls {
            if waited > 0 {
                time += waited;
                text.push_str(&wait(cursor, "latch free", waited, time));
            }
            time += cpu as u64;
            text.push_str(&call("EXEC", cursor, 0, cpu, cpu + waited as i64, time));
        }
    }
    let profile = read(&text);
    let order = |key: &str| -> String {
        let key = StatementKey::parse(key).unwrap();
        profile.ordered(&key).into_iter().map(|index| profile.summary.statements[index].sql.clone().unwrap()).collect()
    };
    assert_eq!(order("elapsed"), "acb");
    assert_eq!(order("cpu"), "bca");
    assert_eq!(order("waits"), "ac");
    assert_eq!(order("wait:latch free"), "ac");
    assert_eq!(order("longest"), "abc");
    assert_eq!(order("calls"), "cba");
    assert_eq!(order("exerow"), "cba");
    assert_eq!(StatementKey::parse("colour").unwrap_err().number.to_string(), "HW-0805");
    let mut out = Vec::new();
    profile::print(&profile, &ProfileOptions { sort: StatementKey::Cpu, rows: 1 }, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("STATEMENTS BY CPU TIME") && out.contains("(2 more)"), "{out}");
}

/// A part of a session's life, in the order of time.
#[derive(Clone, Debug)]
enum Part {
    /// Between calls: nothing that is traced, or a wait.
    Gap {
        lost: u64,
        wait: u64,
    },
    Call {
        kind: usize,
        cursor: u32,
        pieces: Vec<Piece>,
    },
}

/// A part of a call's life.
#[derive(Clone, Debug)]
enum Piece {
    Cpu(u64),
    Lost(u64),
    Wait { event: usize, elapsed: u64 },
    Recursive(Vec<Piece>),
}

const EVENTS: [&str; 3] = ["db file sequential read", "latch free", "enq: HW - contention"];
const KINDS: [(&str, Phase); 3] = [("PARSE", Phase::Parse), ("EXEC", Phase::Execute), ("FETCH", Phase::Fetch)];

fn piece() -> impl Strategy<Value = Piece> {
    let leaf = prop_oneof![
        (1..5000u64).prop_map(Piece::Cpu),
        (1..5000u64).prop_map(Piece::Lost),
        (0..EVENTS.len(), 1..100_000u64).prop_map(|(event, elapsed)| Piece::Wait { event, elapsed }),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| proptest::collection::vec(inner, 1..4).prop_map(Piece::Recursive))
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        (0..5000u64, 0..100_000u64).prop_map(|(lost, wait)| Part::Gap { lost, wait }),
        (0..KINDS.len(), 1..4u32, proptest::collection::vec(piece(), 0..5))
            .prop_map(|(kind, cursor, pieces)| Part::Call { kind, cursor, pieces }),
    ]
}

/// The true figures of a written trace, in microseconds.
#[derive(Default)]
struct Truth {
    time: u64,
    cpu: [i64; 4],
    lost: [i64; 4],
    /// By event and phase; the last phase is between calls.
    waits: [[i64; 4]; 4],
}

/// Writes the pieces of a call and then its line; gives its CPU time.
fn write(out: &mut String, truth: &mut Truth, kind: usize, cursor: u32, depth: u32, pieces: &[Piece]) -> i64 {
    let start = truth.time;
    let mut cpu = 0;
    for piece in pieces {
        match piece {
            Piece::Cpu(time) => {
                truth.time += time;
                cpu += *time as i64;
                truth.cpu[kind] += *time as i64;
            }
            Piece::Lost(time) => {
                truth.time += time;
                truth.lost[kind] += *time as i64;
            }
            Piece::Wait { event, elapsed } => {
                truth.time += elapsed;
                truth.waits[*event][kind] += *elapsed as i64;
                out.push_str(&wait(cursor, EVENTS[*event], *elapsed, truth.time));
            }
            // Executions of a cursor of that depth.
            Piece::Recursive(pieces) => cpu += write(out, truth, 1, 10 * (depth + 1), depth + 1, pieces),
        }
    }
    out.push_str(&call(KINDS[kind].0, cursor, depth, cpu, (truth.time - start) as i64, truth.time));
    cpu
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_truth_comes_out(parts in proptest::collection::vec(part(), 1..30)) {
        let mut truth = Truth { time: 1_000_000, ..Truth::default() };
        let mut text = HEAD.to_owned();
        (1..4).for_each(|cursor| text.push_str(&parsing(cursor, truth.time, "a")));
        for part in &parts {
            match part {
                Part::Gap { lost, wait: waited } => {
                    truth.time += lost;
                    truth.lost[3] += *lost as i64;
                    if *waited > 0 {
                        truth.time += waited;
                        truth.waits[3][3] += *waited as i64;
                        text.push_str(&wait(1, "SQL*Net message to client", *waited, truth.time));
                    }
                }
                Part::Call { kind, cursor, pieces } => {
                    write(&mut text, &mut truth, *kind, *cursor, 0, pieces);
                }
            }
        }
        // A last line, so that what is lost at the end is seen.
        text.push_str(&format!("XCTEND rlbk=0, rd_only=1, tim={}\n", truth.time));
        let profile = read(&text);
        prop_assert_eq!(profile.elapsed_ns, (truth.time as i64 - 1_000_000) * 1000);
        for (kind, phase) in KINDS.iter().map(|(_, phase)| *phase).chain([Phase::Between]).enumerate() {
            prop_assert_eq!(us(&profile, phase, "cpu"), truth.cpu[kind]);
            prop_assert_eq!(us(&profile, phase, "-"), truth.lost[kind]);
            for (event, name) in EVENTS.iter().chain(&["SQL*Net message to client"]).enumerate() {
                prop_assert_eq!(us(&profile, phase, name), truth.waits[event][kind]);
            }
        }
        // And what statements have is what all calls have.
        let waited: i64 = profile.statements.iter().map(|s| s.waited_ns()).sum();
        prop_assert_eq!(waited, profile.total_ns(|line| line.phase != Phase::Between && matches!(line.component, Component::Wait(_))));
    }
}

#[test]
fn many_places_and_many_waits_of_one_call_stay_in_bounds() {
    let mut text = HEAD.to_owned();
    let (mut time, mut total) = (1_000_000u64, 0);
    for number in 0..200_000u64 {
        // One block has a tenth of the time.
        let (block, elapsed) = if number % 10 == 0 { (7, 90) } else { (1000 + number, 90) };
        time += elapsed;
        total += elapsed;
        writeln!(
            text,
            "WAIT #1: nam='db file sequential read' ela= {elapsed} file#=4 block#={block} blocks=1 obj#={} tim={time}",
            number % 1000
        )
        .unwrap();
    }
    text.push_str(&call("FETCH", 1, 0, 0, (total + 5) as i64, time + 5));
    let profile = read(&text);
    assert_eq!(us(&profile, Phase::Fetch, "db file sequential read"), total as i64);
    assert!(profile.blocks.len() <= 1 << 16, "{}", profile.blocks.len());
    let kept: u64 = profile.blocks.iter().map(|block| block.waits.count).sum();
    assert_eq!(kept + profile.other_blocks.count, 200_000);
    assert_eq!((profile.blocks[0].block, profile.blocks[0].waits.count), (7, 20_000));
}

#[test]
fn more_statements_events_cursors_and_sessions_than_are_kept() {
    let mut text = HEAD.to_owned();
    let mut time = 1_000_000;
    let number = 110_000u64;
    for at in 0..number {
        time += 100;
        if at % 2 == 0 {
            writeln!(text, "*** SESSION ID:({at}.1) 2024-01-01 00:00:00.000").unwrap();
        }
        writeln!(text, "PARSING IN CURSOR #{at} len=20 dep=0 uid=5 oct=3 lid=5 tim={time} hv=1 ad='0'\nselect a where b = {at}\nEND OF STMT").unwrap();
        if at % 20 == 0 {
            writeln!(text, "WAIT #{at}: nam='event {at}' ela= 10 p1=1 p2=2 p3=3 obj#=-1 tim={time}").unwrap();
        }
        writeln!(text, "EXEC #{at}:c=10,e=20,p=0,cr=1,cu=0,mis=0,r=1,dep=0,og=1,plh=1,tim={time}").unwrap();
        writeln!(text, "CLOSE #{at}:c=0,e=1,dep=0,type=0,tim={time}").unwrap();
    }
    let profile = read(&text);
    assert_eq!(profile.summary.statements.len(), 100_001);
    let others = profile.summary.statements.last().unwrap();
    assert!(others.sql.as_deref().unwrap().starts_with("(other statements"));
    assert_eq!((others.cursors, others.execute.count), (10_000, 10_000));
    assert_eq!(profile.summary.non_recursive.execute.count, number);
    assert_eq!((profile.events.len(), profile.events.last().unwrap().name.as_str()), (4096, "(other events)"));
    assert_eq!(profile.events.iter().map(|event| event.waits.count).sum::<u64>(), 5500);

    let mut text = HEAD.to_owned();
    for at in 1..=20_000u64 {
        writeln!(text, "*** SESSION ID:({at}.1) 2024-01-01 00:00:00.000\nEXEC #{at}:c=10,e=20,p=0,cr=1,cu=0,mis=0,r=1,dep=0,og=1,plh=1,tim={}", at * 50).unwrap();
    }
    // Cursors that one session never closes.
    for at in 1..=20_000u64 {
        writeln!(text, "WAIT #{at}: nam='latch free' ela= 1 p1=1 p2=2 p3=3 obj#=-1 tim={}", 4_000_000 + at).unwrap();
    }
    let profile = read(&text);
    assert!(profile.sessions.len() <= (1 << 12) + 2, "{}", profile.sessions.len());
    assert_eq!(profile.summary.non_recursive.execute.count, 20_000);
    assert_eq!(profile.summary.non_recursive.waits[0].count, 20_000);
}
