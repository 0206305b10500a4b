//! Our own trace writer's output is read back: every line, every figure.

#![expect(clippy::unwrap_used, reason = "a test")]

use report::tkprof::{self, Options};
use report::trace::{self, Binds, Record};
use waits::{Bind, CallFigures, CallKind, Event, ParsedCursor, StatLine, TraceFile, TraceHeader};

fn header() -> TraceHeader {
    TraceHeader {
        banner: "Highwater Release 9.9.9".into(),
        instance: "toy".into(),
        process: 4,
        sid: 12,
        serial: 7,
        service: "toys".into(),
        module: "a (b)".into(),
        action: String::new(),
        client: "me".into(),
        wall_us: 1_700_000_000_000_000,
        utc_offset_seconds: 3600,
    }
}

const TIM: u64 = 1_700_000_000_000_100;

/// A trace of one insert with a recursive select, written by the engine's writer.
fn written() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy_ora_1.trc");
    let mut trace = TraceFile::new(&path, &header()).unwrap();
    trace.set_level(12);
    let text = "insert into bags\nselect * from marbles where name = :n";
    let sql_id = waits::sql_id(text);
    let insert = ParsedCursor {
        text,
        depth: 0,
        uid: 5,
        lid: 5,
        oct: 2,
        hash: waits::sql_hash(text),
        sql_id: &sql_id,
        address: 0xabc,
        tim: TIM,
    };
    let figures =
        CallFigures { cpu_us: 10, elapsed_us: 20, goal: 1, plan_hash: 99, tim: TIM, ..CallFigures::default() };
    trace.parsing(2, &insert);
    trace.call(CallKind::Parse, 2, &CallFigures { misses: 1, ..figures });
    let value = Bind { data_type: 1, max_bytes: 32, bytes: 5, value: Some("red\nx"), quoted: true, ..Bind::default() };
    let null = Bind { data_type: 2, max_bytes: 22, bytes: 0, scale: -127, ..Bind::default() };
    trace.binds(2, &[value, null]);
    let recursive = ParsedCursor { text: "select 1 from seg$", depth: 1, uid: 0, lid: 0, oct: 3, ..insert };
    trace.parsing(3, &recursive);
    let fetch =
        CallFigures { elapsed_us: 300, physical: 1, consistent: 4, rows: 1, depth: 1, tim: TIM + 400, ..figures };
    trace.wait(3, Event::DbFileSequentialRead, [4, 130, 1], 250, 77, TIM + 300);
    trace.call(CallKind::Fetch, 3, &fetch);
    let execute = CallFigures {
        cpu_us: 900,
        elapsed_us: 12_000_000,
        physical: 8,
        consistent: 30,
        current: 50,
        rows: 1000,
        tim: TIM + 12_000_000,
        ..figures
    };
    trace.call(CallKind::Exec, 2, &execute);
    let scan = StatLine {
        id: 2,
        pid: 1,
        pos: 1,
        cnt: 1000,
        object: 77,
        operation: "TABLE ACCESS FULL MARBLES",
        cr: 26,
        pr: 7,
        pw: 0,
        time_us: 800,
        cost: Some(3),
        ..StatLine::default()
    };
    let load =
        StatLine { id: 1, pid: 0, cnt: 0, object: 0, operation: "LOAD TABLE CONVENTIONAL BAGS", cost: None, ..scan };
    trace.stat(2, &load);
    trace.stat(2, &scan);
    trace.error(2, 1, TIM + 12_000_050);
    trace.parse_error(4, &ParsedCursor { text: "selec 1", ..insert }, 900);
    trace.xctend(true, false, TIM + 12_000_100);
    trace.label("MODULE NAME", "next", 1_700_000_012_000_000);
    trace.wait(0, Event::LogFileSync, [1, 2, 0], 60, -1, TIM + 12_000_200);
    trace.call(CallKind::Close, 2, &CallFigures { close_type: 1, tim: TIM + 12_000_300, ..figures });
    trace.finish().unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn figure_by_figure() {
    let report = tkprof::summarise(&written()[..], &Options::default()).unwrap();
    assert_eq!(report.reading.misread, []);
    assert_eq!(report.reading.truncation, None);
    assert_eq!((report.header.banner.as_deref(), &report.header.release), (Some("Highwater Release 9.9.9"), &None));
    assert_eq!(report.header.time_unit(), trace::TimeUnit::Microsecond);

    let [insert, recursive] = &report.statements[..] else { panic!("{} statements", report.statements.len()) };
    let text = "insert into bags\nselect * from marbles where name = :n";
    assert_eq!((insert.sql.as_deref(), insert.sql_id.as_deref()), (Some(text), Some(waits::sql_id(text).as_str())));
    assert_eq!((insert.user, insert.command, insert.depth), (Some(5), Some(2), 0));
    assert_eq!((insert.plan_hash, insert.goal, insert.parse.misses), (Some(99), Some(1), 1));
    let execute = &insert.execute;
    assert_eq!((execute.count, execute.cpu, execute.elapsed, execute.rows), (1, 890, 11_999_700, 1000));
    assert_eq!((execute.disk, execute.query, execute.current), (7, 26, 50));
    assert_eq!((insert.close.count, insert.close.elapsed), (1, 20));
    assert_eq!(insert.errors.iter().map(|e| (e.error, e.count)).collect::<Vec<_>>(), [(1, 1)]);
    let sources = &insert.plans[0].row_sources;
    assert_eq!(sources.iter().map(|s| s.level).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((sources[1].operation.as_str(), sources[1].object), ("TABLE ACCESS FULL MARBLES", Some(77)));
    assert_eq!((sources[1].rows.first, sources[1].reads.first, sources[1].cost), (Some(1000), Some(7), Some(3)));
    assert_eq!((sources[0].cost, sources[1].cardinality), (None, None));

    assert_eq!((recursive.user, recursive.depth, recursive.fetch.query, recursive.fetch.disk), (Some(0), 1, 4, 1));
    let [wait] = &recursive.waits[..] else { panic!("{:?}", recursive.waits) };
    assert_eq!((wait.event.as_str(), wait.count, wait.max, wait.total), ("db file sequential read", 1, 250, 250));
    assert_eq!(report.waits_without_cursor.len(), 1);
    assert_eq!((report.transactions.rollbacks, report.transactions.commits), (1, 0));
    let [failure] = &report.parse_errors[..] else { panic!("{:?}", report.parse_errors) };
    assert_eq!((failure.sql.as_str(), failure.error), ("selec 1", 900));
    assert_eq!(report.elapsed, Some(12_000_300));
}

#[test]
fn waits_and_binds_come_back() {
    let mut waits = Vec::new();
    let mut values = Vec::new();
    trace::read(&written()[..], &mut |record| {
        match record {
            Record::Wait(wait) => {
                let names: Vec<_> = wait.parameters.iter().flatten().map(|p| (p.name.to_owned(), p.value)).collect();
                waits.push((wait.cursor, names, wait.object));
            }
            Record::Binds(binds) => {
                let binds: &Binds<'_> = binds;
                values
                    .extend(binds.iter().map(|b| (b.data_type, b.actual_length, b.scale, b.value.map(str::to_owned))));
            }
            _ => {}
        }
        Ok(())
    })
    .unwrap();
    let names = Event::DbFileSequentialRead.parameters();
    let expected: Vec<_> = names.iter().zip([4, 130, 1]).map(|(name, value)| ((*name).to_owned(), value)).collect();
    assert_eq!(waits[0], (3, expected, Some(77)));
    assert_eq!((waits[1].0, waits[1].1.len(), waits[1].2), (0, 3, Some(-1)));
    let red = (Some(1), Some(5), Some(0), Some("red\nx".to_owned()));
    assert_eq!(values, [red, (Some(2), Some(0), Some(-127), None)]);
}

#[test]
fn every_event_of_ours_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.trc");
    let mut trace = TraceFile::new(&path, &header()).unwrap();
    trace.set_level(8);
    for event in Event::ALL {
        trace.wait(0, event, [u64::MAX, 0, 3], 5, -1, TIM);
    }
    trace.finish().unwrap();
    let report = tkprof::summarise(std::fs::File::open(&path).unwrap(), &Options::default()).unwrap();
    assert_eq!(report.reading.misread, []);
    let names: Vec<_> = report.waits_without_cursor.iter().map(|wait| wait.event.clone()).collect();
    assert_eq!(names, Event::ALL.iter().map(|event| event.name().to_owned()).collect::<Vec<_>>());
}
