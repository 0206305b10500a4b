//! Findings over traces: made-up ones that each show one thing, and the samples where they stand beside the project.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

use std::fmt::Write as _;
use std::path::PathBuf;

use advisor::analysis::{Analysis, Confidence, Finding};
use advisor::{examine_tkprof, examine_trace};
use report::profile;
use report::tkprof::{self, Options};

/// A trace of 11.2 that is being written.
struct Trace {
    text: String,
    time: u64,
}

impl Trace {
    fn new() -> Self {
        let text =
            "Trace file /u01/toy_ora_1.trc\nOracle Database 11g Enterprise Edition Release 11.2.0.4.0 - Production\n\
                    Instance name: toy\n\n*** SESSION ID:(1.2) 2015-01-01 00:00:00.000\n"
                .to_owned();
        Self { text, time: 1_000_000 }
    }

    fn parse(&mut self, cursor: u32, command: u32, sql: &str) {
        self.time += 10;
        let (length, time) = (sql.len(), self.time);
        let id = format!("{cursor:0>13}");
        writeln!(self.text, "PARSING IN CURSOR #{cursor} len={length} dep=0 uid=50 oct={command} lid=50 tim={time} hv=1 ad='a' sqlid='{id}'\n{sql}\nEND OF STMT").unwrap();
        writeln!(self.text, "PARSE #{cursor}:c=5,e=10,p=0,cr=0,cu=0,mis=1,r=0,dep=0,og=1,plh=1,tim={time}").unwrap();
    }

    fn wait(&mut self, cursor: u32, event: &str, elapsed: u64, parameters: &str, object: i64) {
        self.time += elapsed;
        writeln!(
            self.text,
            "WAIT #{cursor}: nam='{event}' ela= {elapsed} {parameters} obj#={object} tim={}",
            self.time
        )
        .unwrap();
    }

    /// An execution of `cpu` beside the waits of `waited` that were written before it, and `lost`.
    fn execute(&mut self, cursor: u32, cpu: u64, waited: u64, lost: u64) {
        self.time += cpu + lost;
        let elapsed = cpu + waited + lost;
        writeln!(
            self.text,
            "EXEC #{cursor}:c={cpu},e={elapsed},p=0,cr=2,cu=3,mis=0,r=1,dep=0,og=1,plh=1,tim={}",
            self.time
        )
        .unwrap();
    }

    fn stat(&mut self, cursor: u32, object: i64, operation: &str) {
        writeln!(self.text, "STAT #{cursor} id=1 cnt=1 pid=0 pos=1 obj={object} op='{operation} (cr=1 pr=0 pw=0 time=1 us cost=1 size=1 card=1)'").unwrap();
    }

    fn examine(&self) -> Analysis {
        let profile = profile::read(self.text.as_bytes(), &Options::default()).unwrap();
        assert_eq!(profile.summary.reading.misread, []);
        let sum: i64 = profile.lines.iter().map(|line| line.total_ns).sum();
        assert_eq!(sum, profile.elapsed_ns);
        let analysis = examine_trace(&profile);
        // Every id is answered for once.
        let mut answered = ids(&analysis);
        answered.extend(analysis.ruled_out.iter().map(|ruled| ruled.id));
        answered.extend(analysis.cannot_tell.iter().map(|unknown| unknown.id));
        answered.sort_unstable();
        let mut all: Vec<_> = advisor::findings::ids().collect();
        all.sort_unstable();
        assert_eq!(answered, all);
        analysis
    }
}

fn ids(analysis: &Analysis) -> Vec<&'static str> {
    analysis.findings.iter().map(|finding| finding.id).collect()
}

fn found<'a>(analysis: &'a Analysis, id: &str) -> &'a Finding {
    analysis.findings.iter().find(|finding| finding.id == id).unwrap_or_else(|| panic!("{id} of {:?}", ids(analysis)))
}

fn ruled_out<'a>(analysis: &'a Analysis, id: &str) -> &'a str {
    &analysis.ruled_out.iter().find(|ruled| ruled.id == id).unwrap_or_else(|| panic!("{id} is not ruled out")).reason
}

fn cannot_tell<'a>(analysis: &'a Analysis, id: &str) -> &'a str {
    &analysis.cannot_tell.iter().find(|unknown| unknown.id == id).unwrap_or_else(|| panic!("{id} can be told")).missing
}

/// 100 executions of a statement, each with one wait.
fn waiting(command: u32, sql: &str, event: &str, parameters: &str, object: i64, operation: Option<&str>) -> Analysis {
    let mut trace = Trace::new();
    trace.parse(1, command, sql);
    for _ in 0..100 {
        trace.wait(1, event, 9_000, parameters, object);
        trace.execute(1, 1_000, 9_000, 0);
    }
    if let Some(operation) = operation {
        trace.stat(1, object, operation);
    }
    trace.examine()
}

const BUSY: &str = "buffer busy waits";

#[test]
fn buffers_by_class_statement_and_object() {
    let free_list = waiting(2, "insert into t values (1)", BUSY, "file#=4 block#=9 class#=6", 77, None);
    assert_eq!(ids(&free_list), ["freelist-contention"]);
    let finding = found(&free_list, "freelist-contention");
    assert_eq!(finding.confidence, Confidence::High);
    assert!((finding.severity.unwrap() - 0.9).abs() < 0.001, "{finding:?}");

    let header = waiting(2, "insert into t values (1)", BUSY, "file#=4 block#=9 class#=4", 77, None);
    assert_eq!(found(&header, "freelist-contention").confidence, Confidence::Medium);

    let data = waiting(2, "insert into t values (1)", BUSY, "file#=4 block#=9 class#=1", 77, None);
    assert_eq!(
        (ids(&data), found(&data, "freelist-contention").confidence),
        (vec!["freelist-contention"], Confidence::Low)
    );

    let update = waiting(6, "update t set a = 1", BUSY, "file#=4 block#=9 class#=1", 77, None);
    assert_eq!(ids(&update), ["hot-segment"]);
    assert!(ruled_out(&update, "freelist-contention").contains("UPDATE"));

    let index =
        waiting(2, "insert into t values (1)", BUSY, "file#=4 block#=9 class#=1", 77, Some("INDEX RANGE SCAN T_I"));
    assert_eq!(ids(&index), ["right-hand-index"]);

    let bitmap = waiting(2, "insert into t values (1)", BUSY, "file#=4 block#=9 class#=8", 77, None);
    assert_eq!(ids(&bitmap), ["bitmap-block-contention"]);

    let undo = waiting(6, "update t set a = 1", BUSY, "file#=2 block#=9 class#=35", 0, None);
    assert_eq!(ids(&undo), ["undo-pressure"]);

    // Waiting for a read is no contention for a buffer.
    let other = waiting(2, "insert into t values (1)", "read by other session", "file#=4 block#=9 class#=1", 77, None);
    assert_eq!(ids(&other), ["many-reads"]);
}

#[test]
fn bitmaps_mean_that_a_segment_header_has_no_free_list() {
    let mut trace = Trace::new();
    trace.parse(1, 2, "insert into t values (1)");
    for class in [4, 8].repeat(50) {
        trace.wait(1, BUSY, 9_000, &format!("file#=4 block#=9 class#={class}"), 77);
        trace.execute(1, 1_000, 9_000, 0);
    }
    let analysis = trace.examine();
    assert_eq!(ids(&analysis), ["bitmap-block-contention"]);
    assert!((found(&analysis, "bitmap-block-contention").severity.unwrap() - 0.9).abs() < 0.001);
}

#[test]
fn events_that_are_the_finding() {
    let none = "p1=1 p2=2 p3=3";
    for (id, event, parameters) in [
        ("commit-wait", "log file sync", none),
        ("log-switch", "log file switch (checkpoint incomplete)", none),
        ("log-buffer", "log buffer space", none),
        ("row-lock", "enq: TX - row lock contention", "name|mode=1415053318 usn<<16 | slot=1 sequence=2"),
        ("itl-wait", "enq: TX - allocate ITL entry", "name|mode=1415053316 usn<<16 | slot=1 sequence=2"),
        ("hw-enqueue", "enq: HW - contention", "name|mode=1213661190 table space #=4 block=9"),
        ("right-hand-index", "enq: TX - index contention", "name|mode=1415053316 usn<<16 | slot=1 sequence=2"),
        ("buffer-pool", "free buffer waits", "file#=4 block#=9 set-id#=1"),
        ("library-cache", "library cache lock", none),
        ("temp-spill", "direct path write temp", "file number=201 first dba=9 block cnt=7"),
        ("many-reads", "db file scattered read", "file#=4 block#=9 blocks=8"),
    ] {
        let analysis = waiting(6, "update t set a = 1", event, parameters, 77, None);
        assert_eq!(ids(&analysis), [id], "{event}");
        let finding = found(&analysis, id);
        assert!(
            (finding.seconds.unwrap() - 0.9).abs() < 1e-6 && !finding.evidence.is_empty() && !finding.advice.is_empty()
        );
    }
    let shared = waiting(
        2,
        "insert into t values (1)",
        "enq: TX - row lock contention",
        "name|mode=1415053316 usn<<16 | slot=1 sequence=2",
        77,
        None,
    );
    assert!(found(&shared, "row-lock").doubts.iter().any(|doubt| doubt.contains("mode 4")));
    // A commit's wait alone says nothing of the device.
    let commit = waiting(44, "commit", "log file sync", none, -1, None);
    assert!(cannot_tell(&commit, "redo-device-latency").contains("log file parallel write"));
    assert_eq!(found(&commit, "commit-wait").saving, None);
}

#[test]
fn undo_is_segments_latches_and_buffers_together() {
    // Neither part is worth a finding by itself.
    let mut trace = Trace::new();
    trace.parse(1, 6, "update t set a = 1");
    for _ in 0..100 {
        trace.wait(1, BUSY, 200, "file#=2 block#=9 class#=35", 0);
        trace.wait(1, "latch: undo global data", 200, "address=1 number=2 tries=0", 0);
        trace.execute(1, 9_600, 400, 0);
    }
    let analysis = trace.examine();
    let finding = found(&analysis, "undo-pressure");
    assert!((finding.severity.unwrap() - 0.04).abs() < 0.001, "{finding:?}");
    assert!(
        finding.title.contains("100 waits for undo segments and latches, 100 for buffers of undo"),
        "{}",
        finding.title
    );
    // Too little, but not nothing.
    let mut trace = Trace::new();
    trace.parse(1, 6, "update t set a = 1");
    trace.wait(1, BUSY, 200, "file#=2 block#=9 class#=18", 0);
    trace.execute(1, 99_800, 200, 0);
    assert!(ruled_out(&trace.examine(), "undo-pressure").starts_with("1 waits for buffers of undo"));
}

#[test]
fn one_hot_block_and_the_largest_other_event_are_named() {
    let mut trace = Trace::new();
    trace.parse(1, 6, "update t set a = 1");
    for number in 0..100 {
        let block = if number % 4 == 0 { number } else { 1234 };
        trace.wait(1, BUSY, 9_000, &format!("file#=4 block#={block} class#=1"), 77);
        trace.wait(1, "events in waitclass Other", 1_000, "p1=1 p2=2 p3=3", 77);
        trace.execute(1, 1_000, 10_000, 0);
    }
    let analysis = trace.examine();
    assert!(found(&analysis, "hot-segment").title.contains("75 % of it for file 4 block 1234"));
    assert!(
        analysis.notes.iter().any(|note| note.contains("events in waitclass Other: 100 waits")),
        "{:?}",
        analysis.notes
    );
}

#[test]
fn reads_slow_small_and_uneven() {
    let reads = |shapes: &[(u64, u32, u32)]| {
        let mut trace = Trace::new();
        trace.parse(1, 3, "select a from t");
        for (elapsed, file, blocks) in shapes {
            let event = if *blocks == 1 { "db file sequential read" } else { "db file scattered read" };
            trace.wait(1, event, *elapsed, &format!("file#={file} block#=9 blocks={blocks}"), 77);
            trace.execute(1, 100, *elapsed, 0);
        }
        trace.examine()
    };
    assert_eq!(ids(&reads(&[(15_000, 4, 1); 200])), ["slow-reads"]);
    assert_eq!(ids(&reads(&[(2_000, 4, 1); 200])), ["many-reads"]);
    // Each tenth read shows the possible size of a read.
    let mut small = vec![(2_000, 4, 4); 200];
    small.iter_mut().step_by(10).for_each(|shape| shape.2 = 64);
    let analysis = reads(&small);
    assert_eq!(ids(&analysis), ["small-multiblock-reads", "many-reads"]);
    let saving = found(&analysis, "small-multiblock-reads").saving.as_ref().unwrap();
    assert!(saving.low_s == 0.0 && saving.high_s.unwrap() > 0.3 && saving.high_s.unwrap() < 0.4, "{saving:?}");
    // File 5 takes 4 ms more than file 4, 200 times.
    let uneven = reads(&[[(1_000, 4, 1); 200], [(5_000, 5, 1); 200]].concat());
    assert_eq!(ids(&uneven), ["many-reads", "file-skew"]);
    assert!((found(&uneven, "file-skew").seconds.unwrap() - 0.8).abs() < 1e-6);
}

#[test]
fn cpu_parsing_and_what_is_unaccounted_for() {
    let mut busy = Trace::new();
    busy.parse(1, 3, "select a from t");
    busy.parse(2, 3, "select b from t");
    busy.wait(1, "db file sequential read", 50, "file#=4 block#=9 blocks=1", 77);
    (0..100).for_each(|_| busy.execute(1, 10_000, 0, 0));
    assert_eq!(ids(&busy.examine()), ["cpu-bound", "sql-concentration"]);

    let mut starved = Trace::new();
    starved.parse(1, 3, "select a from t");
    starved.wait(1, "db file sequential read", 50, "file#=4 block#=9 blocks=1", 77);
    (0..100).for_each(|_| starved.execute(1, 1_000, 0, 9_000));
    let analysis = starved.examine();
    assert_eq!(ids(&analysis), ["unaccounted-time"]);
    assert!(cannot_tell(&analysis, "host-starved").contains("host"));

    let mut parsing = Trace::new();
    (0..2000).for_each(|number| parsing.parse(number % 9, 3, &format!("select a from t where b = {number}")));
    parsing.wait(1, "db file sequential read", 50, "file#=4 block#=9 blocks=1", 77);
    assert!(ids(&parsing.examine()).contains(&"hard-parsing"));

    let mut too_old = Trace::new();
    too_old.parse(1, 3, "select a from t");
    too_old.wait(1, "db file sequential read", 50, "file#=4 block#=9 blocks=1", 77);
    writeln!(too_old.text, "ERROR #1:err=1555 tim={}", too_old.time).unwrap();
    assert!(ids(&too_old.examine()).contains(&"undo-too-old"));
}

#[test]
fn silence() {
    // The client thinks for a minute: the database's work of 0.2 s is no finding.
    let mut idle = Trace::new();
    idle.parse(1, 44, "commit");
    idle.wait(1, "log file sync", 150_000, "p1=1 p2=2 p3=3", -1);
    idle.execute(1, 50_000, 150_000, 0);
    idle.wait(1, "SQL*Net message from client", 60_000_000, "driver id=1 #bytes=1 p3=0", -1);
    assert_eq!(ids(&idle.examine()), [""; 0]);

    // Nearly all of its work was CPU, and that is no finding either: the reason is given.
    let mut idle = Trace::new();
    idle.parse(1, 44, "select a from t");
    idle.wait(1, "db file sequential read", 50, "file#=4 block#=9 blocks=1", 77);
    idle.execute(1, 50_000, 0, 0);
    idle.wait(1, "SQL*Net message from client", 60_000_000, "driver id=1 #bytes=1 p3=0", -1);
    let analysis = idle.examine();
    let cpu = analysis.ruled_out.iter().find(|out| out.id == "cpu-bound").unwrap();
    assert!(cpu.reason.ends_with("of elapsed time): too little to matter"), "{}", cpu.reason);

    // Without waits nothing is said of them.
    let mut level_1 = Trace::new();
    level_1.parse(1, 6, "update t set a = 1");
    level_1.execute(1, 1_000, 0, 90_000);
    let analysis = level_1.examine();
    assert_eq!(ids(&analysis), [""; 0]);
    for id in ["commit-wait", "freelist-contention", "slow-reads", "unaccounted-time", "row-lock"] {
        assert!(cannot_tell(&analysis, id).contains("waits"));
    }
}

#[test]
fn tkprof_tables_say_as_much_as_they_can() {
    let text = |sql: &str| {
        let row = |execute: &str| {
            format!(
                "\
call     count       cpu    elapsed       disk      query    current        rows\n------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
Parse        1      0.00       0.00          0          0          0           0\nExecute  {execute}          0      31934      29484       10000\n\
Fetch        0      0.00       0.00          0          0          0           0\n\nMisses in library cache during parse: 1\n"
            )
        };
        let waits = "\nElapsed times include waiting on following events:\n  Event waited on                             Times   Max. Wait  Total Waited\n  buffer busy waits  4000  0.01  4.50\n";
        let rule = "*".repeat(80);
        format!(
            "TKPROF: Release 10.2.0.4.0\n\nTrace file: toy.trc\n{rule}\ncount    = calls\n{rule}\n\n{sql}\n\n{}{waits}{rule}\nOVERALL TOTALS FOR ALL NON-RECURSIVE STATEMENTS\n\n{}{waits}\n{rule}\nTrace file: toy.trc\n   6  elapsed seconds in trace file.\n",
            row("10000      0.94       6.00"),
            row("10000      0.94       6.00"),
        )
    };
    let update = examine_tkprof(&tkprof::read(&text("UPDATE T SET D = SYSDATE")).unwrap().report);
    assert_eq!(ids(&update), ["hot-segment"]);
    assert!((found(&update, "hot-segment").severity.unwrap() - 0.75).abs() < 1e-6);
    assert!(ruled_out(&update, "freelist-contention").contains("UPDATE"));
    // Rows migrate and indexes grow in updates too.
    assert!(ruled_out(&update, "freelist-contention").contains("only where rows migrate or an index grows"));
    // Any of the buffers may hold undo.
    assert!(cannot_tell(&update, "undo-pressure").contains("block classes"));
    let insert = examine_tkprof(&tkprof::read(&text("INSERT INTO T VALUES (:B1)")).unwrap().report);
    assert!(cannot_tell(&insert, "freelist-contention").contains("block classes"));
}

/// A sample's trace examined, if it is there.
fn sample(name: &str) -> Option<Analysis> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/trc10046").join(name);
    if !path.is_file() {
        println!("skipped: no sample {name}");
        return None;
    }
    let profile = profile::read(std::fs::File::open(path).unwrap(), &Options::default()).unwrap();
    Some(examine_trace(&profile))
}

#[test]
fn the_contended_job_is_no_freelist_problem_and_its_neighbour_has_none() {
    let (Some(contended), Some(alone)) =
        (sample("top1_bbw_dbm10203_j000_8552.trc"), sample("top1_bbw_dbm10203_j000_8468.trc"))
    else {
        return;
    };
    assert_eq!(ids(&contended), ["hot-segment"]);
    let finding = found(&contended, "hot-segment");
    assert!(
        finding.title.contains("UPDATE") && finding.evidence.iter().any(|e| e.text.contains("data block")),
        "{finding:#?}"
    );
    // 4,102 waits on data blocks of 4,466, in units of 1.024 us, over a wall clock of 6.83 s.
    assert!((finding.seconds.unwrap() - 4.7387).abs() < 0.001 && (finding.severity.unwrap() - 0.693).abs() < 0.001);
    assert!(ruled_out(&contended, "freelist-contention").contains("UPDATE"));
    assert!(contended.notes.iter().any(|note| note.contains("1,024 ns")));
    assert!(finding.title.contains("file 4 block"), "{}", finding.title);
    assert!(ruled_out(&contended, "undo-pressure").contains("364 for buffers of undo"));
    // Two waits for a latch of undo, 74.7 ms of 2.26 s: little, and not sure.
    assert_eq!(ids(&alone), ["undo-pressure"]);
    let undo = found(&alone, "undo-pressure");
    assert!(undo.confidence == Confidence::Low && (undo.seconds.unwrap() - 0.0747).abs() < 0.0001, "{undo:?}");
    assert!(alone.notes.iter().any(|note| note.contains("of Other")), "{:?}", alone.notes);
    assert!(ruled_out(&alone, "hot-segment").contains("no buffer busy wait"));
}

#[test]
fn a_session_that_sleeps_has_no_finding() {
    let Some(analysis) = sample("brownbag_ORCLDB_ora_53279_SESS1.trc") else { return };
    assert_eq!(ids(&analysis), [""; 0]);
    // A thousand commits of a PL/SQL loop wait for none.
    assert!(ruled_out(&analysis, "commit-wait").contains("nothing waited"));
}
