//! Trace files: their text line by line, levels, going on in a file, and what happens when it cannot be written.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::common::Clock;
use common::{ManualClock, START_US};
use waits::{
    Bind, CallFigures, CallKind, Event, Meter, NO_CURSOR, ParsedCursor, StatLine, SystemMeter, TraceFile, TraceHeader,
    sql_hash, sql_id,
};

fn header() -> TraceHeader {
    TraceHeader {
        banner: "Highwater test".into(),
        instance: "hw".into(),
        process: 19,
        sid: 7,
        serial: 3,
        service: "SYS$USERS".into(),
        module: "shell".into(),
        wall_us: START_US,
        ..TraceHeader::default()
    }
}

fn session() -> (Arc<Meter>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::default());
    (Meter::new(&SystemMeter::new(), Arc::clone(&clock) as Arc<dyn Clock>, 7, 3), clock)
}

fn trace_file(directory: &Path) -> (PathBuf, TraceFile) {
    let path = directory.join("hw_ora_1.trc");
    let file = TraceFile::new(&path, &header()).unwrap();
    (path, file)
}

/// The file's lines after the head, whose host and process differ from run to run.
fn body(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let (head, body) = text.split_once("\n \n").unwrap();
    assert!(head.starts_with(&format!("Trace file {}\nHighwater test\n", path.display())));
    assert!(head.contains("\nInstance name: hw\n"));
    assert!(head.contains("\nOracle process number: 19\n"));
    assert!(head.ends_with(
        "\n*** 2026-01-02 03:04:05.000\n*** SESSION ID:(7.3) 2026-01-02 03:04:05.000\n*** CLIENT ID:() 2026-01-02 03:04:05.000\n\
         *** SERVICE NAME:(SYS$USERS) 2026-01-02 03:04:05.000\n*** MODULE NAME:(shell) 2026-01-02 03:04:05.000\n\
         *** ACTION NAME:() 2026-01-02 03:04:05.000"
    ));
    body.to_owned()
}

/// One statement: parse, binds, a wait inside the execution, fetch, plan, close, and a wait outside.
fn statement(meter: &Meter, clock: &ManualClock) {
    let text = "select /* ü */ n from t where n = :1";
    let figures = CallFigures { goal: 1, plan_hash: 99, tim: meter.tim(), ..CallFigures::default() };
    meter.trace(|file| {
        let parsed = ParsedCursor {
            text,
            depth: 0,
            uid: 5,
            lid: 5,
            oct: 3,
            hash: sql_hash(text),
            sql_id: &sql_id(text),
            address: 0xabc,
            tim: figures.tim,
        };
        file.parsing(11, &parsed);
        file.call(CallKind::Parse, 11, &CallFigures { cpu_us: 10, elapsed_us: 12, misses: 1, ..figures });
        let number = Bind { data_type: 2, max_bytes: 22, bytes: 2, value: Some("17"), ..Bind::default() };
        let text = Bind { data_type: 1, max_bytes: 32, bytes: 3, value: Some("abc"), quoted: true, ..Bind::default() };
        let null = Bind { data_type: 1, max_bytes: 32, ..Bind::default() };
        file.binds(11, &[number, text, null]);
    });
    let before = meter.set_current_cursor(11);
    assert_eq!(before, NO_CURSOR);
    meter.wait(Event::DbFileSequentialRead, [4, 130, 1], 77, || clock.advance(250));
    meter.set_current_cursor(before);
    let tim = meter.tim();
    meter.trace(|file| {
        file.call(
            CallKind::Exec,
            11,
            &CallFigures { cpu_us: 20, elapsed_us: 260, physical: 1, consistent: 3, tim, ..figures },
        );
        file.call(CallKind::Fetch, 11, &CallFigures { rows: 1, consistent: 2, current: 1, tim, ..figures });
        let scan = StatLine {
            id: 1,
            pos: 1,
            cnt: 1,
            object: 77,
            operation: "TABLE ACCESS FULL T",
            cr: 5,
            pr: 1,
            time_us: 260,
            ..StatLine::default()
        };
        file.stat(11, &scan);
        file.stat(11, &StatLine { cost: Some(2), size: Some(3), card: Some(1), ..scan });
        file.call(CallKind::Close, 11, &CallFigures { close_type: 3, tim, ..figures });
        file.xctend(true, false, tim);
    });
    clock.advance(10_000_000);
    meter.wait(Event::SqlNetMessageFromClient, [1, 1, 0], -1, || clock.advance(5));
}

const CALLS: &str = "\
=====================
PARSING IN CURSOR #11 len=37 dep=0 uid=5 oct=3 lid=5 tim=1767323045000000 hv=HASH ad='abc' sqlid='SQLID'
select /* ü */ n from t where n = :1
END OF STMT
PARSE #11:c=10,e=12,p=0,cr=0,cu=0,mis=1,r=0,dep=0,og=1,plh=99,tim=1767323045000000
BINDS #11:
 Bind#0
  oacdty=02 mxl=22(02) mxlc=00 mal=00 scl=00 pre=00
  oacflg=00 fl2=0001 frm=00 csi=00 siz=88 off=0
  kxsbbbfp=00000000  bln=22  avl=02  flg=05
  value=17
 Bind#1
  oacdty=01 mxl=32(03) mxlc=00 mal=00 scl=00 pre=00
  oacflg=00 fl2=0001 frm=00 csi=00 siz=0 off=24
  kxsbbbfp=00000000  bln=32  avl=03  flg=05
  value=\"abc\"
 Bind#2
  oacdty=01 mxl=32(00) mxlc=00 mal=00 scl=00 pre=00
  oacflg=00 fl2=0001 frm=00 csi=00 siz=0 off=56
  kxsbbbfp=00000000  bln=32  avl=00  flg=05
WAIT #11: nam='db file sequential read' ela= 250 file#=4 block#=130 blocks=1 obj#=77 tim=1767323045000250
EXEC #11:c=20,e=260,p=1,cr=3,cu=0,mis=0,r=0,dep=0,og=1,plh=99,tim=1767323045000250
FETCH #11:c=0,e=0,p=0,cr=2,cu=1,mis=0,r=1,dep=0,og=1,plh=99,tim=1767323045000250
STAT #11 id=1 cnt=1 pid=0 pos=1 obj=77 op='TABLE ACCESS FULL T (cr=5 pr=1 pw=0 time=260 us)'
STAT #11 id=1 cnt=1 pid=0 pos=1 obj=77 op='TABLE ACCESS FULL T (cr=5 pr=1 pw=0 time=260 us cost=2 size=3 card=1)'
CLOSE #11:c=0,e=0,dep=0,type=3,tim=1767323045000250
XCTEND rlbk=1, rd_only=0, tim=1767323045000250

*** 2026-01-02 03:04:15.000
WAIT #0: nam='SQL*Net message from client' ela= 5 driver id=1 #bytes=1 p3=0 obj#=-1 tim=1767323055000255
";

fn expected() -> String {
    let text = "select /* ü */ n from t where n = :1";
    CALLS.replace("HASH", &sql_hash(text).to_string()).replace("SQLID", &sql_id(text))
}

#[test]
fn level_12_writes_calls_binds_and_waits() {
    let directory = tempfile::tempdir().unwrap();
    let (meter, clock) = session();
    let (path, file) = trace_file(directory.path());
    meter.start_trace(file, 12).unwrap();
    assert_eq!(meter.trace_level(), 12);
    statement(&meter, &clock);
    meter.stop_trace().unwrap();
    assert_eq!(body(&path), expected());
    statement(&meter, &clock);
    assert_eq!(body(&path), expected(), "the trace has ended");
}

#[test]
fn level_1_writes_neither_binds_nor_waits() {
    let directory = tempfile::tempdir().unwrap();
    let (meter, clock) = session();
    let (path, file) = trace_file(directory.path());
    meter.start_trace(file, 1).unwrap();
    statement(&meter, &clock);
    meter.stop_trace().unwrap();
    let dropped = |line: &&str| {
        let of_binds = ["BINDS", " Bind#", "  oac", "  kxs", "  value", "WAIT", "***"];
        !of_binds.iter().any(|start| line.starts_with(start))
    };
    let text = expected();
    let without: Vec<&str> = text.trim_end().lines().filter(dropped).collect();
    assert_eq!(body(&path).lines().collect::<Vec<_>>(), without[..without.len() - 1]);
}

#[test]
fn a_trace_that_begins_again_goes_on_in_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let (meter, _) = session();
    for tim in [1, 2] {
        let (_, file) = trace_file(directory.path());
        meter.start_trace(file, 8).unwrap();
        meter.trace(|file| file.error(4, 942, START_US + tim));
        meter.stop_trace().unwrap();
    }
    let text = fs::read_to_string(directory.path().join("hw_ora_1.trc")).unwrap();
    assert_eq!(text.matches("Trace file").count(), 1);
    assert_eq!(text.matches("*** SESSION ID:(7.3)").count(), 2);
    assert_eq!(text.matches("ERROR #4:err=942 tim=").count(), 2);
}

#[test]
fn an_idle_session_has_nothing_unwritten() {
    let directory = tempfile::tempdir().unwrap();
    let (meter, _) = session();
    let (path, file) = trace_file(directory.path());
    meter.start_trace(file, 8).unwrap();
    let parsed = ParsedCursor { text: "selec", tim: START_US, ..ParsedCursor::default() };
    meter.trace(|file| file.parse_error(4, &parsed, 900));
    meter.wait(Event::SqlNetMessageFromClient, [0; 3], -1, || {
        let expected = format!(
            "=====================\nPARSE ERROR #4:len=5 dep=0 uid=0 oct=0 lid=0 tim={START_US} err=900\nselec\n"
        );
        assert_eq!(body(&path), expected);
    });
}

#[test]
fn dropping_the_session_writes_what_is_left() {
    let directory = tempfile::tempdir().unwrap();
    let (meter, _) = session();
    let (path, file) = trace_file(directory.path());
    meter.start_trace(file, 8).unwrap();
    meter.trace(|file| file.error(4, 942, START_US));
    drop(meter);
    assert!(body(&path).ends_with("ERROR #4:err=942 tim=1767323045000000\n"));
}

#[test]
fn a_write_that_fails_is_reported_at_the_end() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        println!("skipped: this machine has no /dev/full");
        return;
    }
    let (meter, _) = session();
    meter.start_trace(TraceFile::new(full, &header()).unwrap(), 8).unwrap();
    for _ in 0..10_000 {
        meter.trace(|file| file.error(4, 942, START_US));
    }
    let error = meter.stop_trace().unwrap_err();
    assert!(error.to_string().starts_with("trace file /dev/full: "), "{error}");
    meter.stop_trace().unwrap();
}

#[test]
fn identifiers_are_those_of_real_traces() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/trc10046");
    let Ok(entries) = fs::read_dir(&samples) else {
        println!("skipped: there are no sample traces here");
        return;
    };
    let mut compared = 0;
    for entry in entries {
        let text = String::from_utf8_lossy(&fs::read(entry.unwrap().path()).unwrap()).into_owned();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("PARSING IN CURSOR") {
            let (line, after) = rest[at..].split_once('\n').unwrap();
            rest = after;
            let field = |name: &str| line.split_once(name).map(|(_, value)| value.split([' ', '\'']).next().unwrap());
            let (Some(length), Some(hash), Some(id)) = (field(" len="), field(" hv="), field(" sqlid='")) else {
                continue;
            };
            let statement = &after[..length.parse::<usize>().unwrap()];
            assert_eq!(sql_id(statement), id);
            assert_eq!(sql_hash(statement).to_string(), hash);
            compared += 1;
        }
    }
    assert!(compared > 0);
}

#[test]
fn a_trace_ends_with_a_line_of_its_own_where_the_file_may_not_grow() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hw_ora_1.trc");
    let system = SystemMeter::new();
    let meter = Meter::new(&system, Arc::new(ManualClock::default()), 1, 1);
    system.limit_traces(4096);
    meter.start_trace(TraceFile::new(&path, &TraceHeader::default()).unwrap(), 1).unwrap();
    let line = |n: usize| meter.trace(|file| file.text(&format!("line {n:0>100}")));
    (0..100).for_each(line);
    meter.limit_trace(Some(u64::MAX));
    line(100);
    meter.stop_trace().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let closing = "*** trace ends here: max_dump_file_size allows 4096 bytes ***\n";
    assert_eq!(text.matches(closing).count(), 1);
    let (kept, later) = text.split_once(closing).unwrap();
    assert!(kept.len() <= 4096 && kept.len() > 3900, "{}", kept.len());
    assert_eq!(later, format!("line {:0>100}\n", 100));
}
