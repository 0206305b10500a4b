//! Ten minutes of five sessions that insert into a table of one free list. The counts are round, so that every figure
//! of the report can be reckoned in the head; the lines of the report are written down here as they must come out.

use report::statspack::records::*;
use report::statspack::{LocalTime, Snapshot};

const SECOND: u64 = 1_000_000;
const MB: u64 = 1 << 20;
const INSERT: &str = "7a45d99hz4b1y";
const BLOCK: &str = "0f3k8w2m1c9xt";

/// Counters in both snapshots are the first of the two numbers and their sum.
struct Pair {
    begin: Snapshot,
    end: Snapshot,
}

impl Pair {
    fn add<T>(&mut self, list: impl Fn(&mut Snapshot) -> &mut Vec<T>, record: impl Fn(u64) -> T) {
        list(&mut self.begin).push(record(0));
        list(&mut self.end).push(record(1));
    }
}

fn name(text: &str) -> String {
    text.to_owned()
}

pub(super) fn pair() -> (Snapshot, Snapshot) {
    let start = 1_709_460_000;
    let snapshot = |id: u64, seconds: i64| Snapshot {
        id,
        database_id: 2_532_911_053,
        instance_number: 1,
        header: Header {
            time: LocalTime(start + seconds),
            utc_s: start + seconds,
            startup: LocalTime(start - 600),
            level: 7,
            sessions: 6,
            cursors: if id == 1 { 12 } else { 18 },
            log_sequence: if id == 1 { 40 } else { 46 },
            comment: if id == 1 { name("five jobs") } else { String::new() },
        },
        instance: Instance {
            database: name("SHELVES"),
            instance: name("shelves"),
            release: name("1.0.0.0.0"),
            host: name("toy-host"),
            platform: name("Linux x86 64-bit"),
        },
        ..Snapshot::default()
    };
    let mut pair = Pair { begin: snapshot(1, 0), end: snapshot(2, 600) };
    counted(&mut pair);
    waited(&mut pair);
    stored(&mut pair);
    let Pair { mut begin, mut end } = pair;
    begin.sort();
    end.sort();
    (begin, end)
}

fn counted(pair: &mut Pair) {
    for (statistic, before, more) in [
        ("user commits", 1_000, 60_000),
        ("user rollbacks", 3, 0),
        ("redo size", 900_000, 45_000_000),
        ("redo entries", 2_000, 120_000),
        ("redo log space requests", 1, 60),
        ("session logical reads", 9_000, 480_000),
        ("consistent gets from cache", 4_000, 120_000),
        ("db block gets from cache", 5_000, 360_000),
        ("db block changes", 3_000, 240_000),
        ("physical reads", 700, 600),
        ("physical reads cache", 600, 480),
        ("physical writes", 100, 12_000),
        ("user calls", 40, 120),
        ("recursive calls", 50, 60_300),
        ("parse count (total)", 90, 240),
        ("parse count (hard)", 30, 12),
        ("parse time cpu", 11, 6),
        ("parse time elapsed", 12, 8),
        ("execute count", 1_500, 60_240),
        ("logons cumulative", 9, 6),
        ("CPU used by this session", 700, 60_000),
        ("workarea executions - optimal", 10, 99),
        ("workarea executions - onepass", 0, 1),
        ("workarea executions - multipass", 0, 0),
        ("opened cursors current", 12, 6),
    ] {
        pair.add(|s| &mut s.statistics, |at| SystemStatistic { name: name(statistic), value: before + at * more });
    }
    for (line, before, more) in [
        ("DB time", 30, 2_400),
        ("DB CPU", 10, 600),
        ("sql execute elapsed time", 20, 2_160),
        ("background elapsed time", 5, 90),
        ("background cpu time", 2, 30),
    ] {
        pair.add(|s| &mut s.time_model, |at| TimeModel { name: name(line), micros: SECOND * (before + at * more) });
    }
    for (statistic, before, more) in [
        ("BUSY_TIME", 5e5, 90_000.0),
        ("IDLE_TIME", 7e5, 30_000.0),
        ("USER_TIME", 4e5, 72_000.0),
        ("SYS_TIME", 1e5, 18_000.0),
        ("IOWAIT_TIME", 6e4, 6_000.0),
        ("LOAD", 1.5, 4.0),
        ("NUM_CPUS", 2.0, 0.0),
        ("PHYSICAL_MEMORY_BYTES", 8_589_934_592.0, 0.0),
    ] {
        pair.add(
            |s| &mut s.os_statistics,
            |at| OsStatistic { name: name(statistic), value: before + at as f64 * more },
        );
    }
    for (part, megabytes) in [("Database Buffers", 400), ("Redo Buffers", 8), ("Shared Pool", 104)] {
        pair.add(|s| &mut s.sga, |_| Sga { name: name(part), bytes: megabytes * MB });
    }
    for (statistic, before, more) in [
        ("total PGA allocated", 64, 64),
        ("aggregate PGA target parameter", 256, 0),
        ("aggregate PGA auto target", 200, 0),
        ("total PGA used for auto workareas", 16, 16),
        ("total PGA used for manual workareas", 0, 0),
        ("bytes processed", 100, 600),
        ("extra bytes read/written", 10, 200),
        ("global memory bound", 50, 0),
    ] {
        pair.add(|s| &mut s.pga, |at| PgaStatistic { name: name(statistic), value: MB * (before + at * more) });
    }
    pair.add(
        |s| &mut s.library_cache,
        |at| LibraryCache {
            namespace: name("SQL AREA"),
            gets: 50 + at * 500,
            get_hits: 40 + at * 475,
            pins: 70 + at * 1_000,
            pin_hits: 60 + at * 990,
            reloads: 1 + at * 2,
            invalidations: at * 3,
        },
    );
    for (parameter, value, is_default) in
        [("db_block_size", "8192", false), ("db_cache_size", "419430400", false), ("open_cursors", "300", true)]
    {
        pair.add(|s| &mut s.parameters, |_| Parameter { name: name(parameter), value: name(value), is_default });
    }
}

fn waited(pair: &mut Pair) {
    // Event, waits, time-outs, tenths of a second, whether foreground, whether idle, and the shares of waits below
    // powers of two of microseconds.
    type Row = (&'static str, u64, u64, u64, bool, bool, &'static [(u32, u64)]);
    let rows: [Row; 7] = [
        ("buffer busy waits", 12_000, 0, 11_250, true, false, &[(17, 9_000), (16, 3_000)]),
        ("log file sync", 60_000, 0, 3_000, true, false, &[(13, 45_000), (12, 15_000)]),
        ("log file parallel write", 30_000, 0, 1_350, false, false, &[(13, 30_000)]),
        ("enq: HW - contention", 600, 6, 675, true, false, &[(17, 600)]),
        ("db file parallel write", 400, 0, 216, false, false, &[(16, 400)]),
        ("db file sequential read", 600, 0, 9, true, false, &[(9, 150), (11, 450)]),
        ("SQL*Net message from client", 120, 0, 30_000, true, true, &[(25, 120)]),
    ];
    for (event, waits, timeouts, tenths, foreground, idle, spread) in rows {
        let micros = tenths * SECOND / 10;
        let by = u64::from(foreground);
        pair.add(
            |s| &mut s.events,
            |at| SystemEvent {
                event: name(event),
                class: name("Other"),
                idle,
                waits: 10 + at * waits,
                timeouts: at * timeouts,
                micros: 500 + at * micros,
                foreground_waits: by * (10 + at * waits),
                foreground_timeouts: by * at * timeouts,
                foreground_micros: by * (500 + at * micros),
            },
        );
        if !foreground {
            pair.add(
                |s| &mut s.background_events,
                |at| BackgroundEvent {
                    event: name(event),
                    waits: 10 + at * waits,
                    timeouts: 0,
                    micros: 500 + at * micros,
                },
            );
        }
        for (power, waits) in spread {
            pair.add(
                |s| &mut s.event_histograms,
                |at| EventHistogram { event: name(event), below_us: 1 << power, waits: 4 + at * waits },
            );
        }
    }
    for (class, waits, time) in
        [("data block", 9_000, 90_000.0), ("segment header", 2_400, 21_600.0), ("undo header", 600, 900.0)]
    {
        pair.add(
            |s| &mut s.class_waits,
            |at| ClassWaits { class: name(class), waits: 5 + at * waits, centiseconds: 2.5 + at as f64 * time },
        );
    }
    pair.add(
        |s| &mut s.enqueues,
        |at| EnqueueStatistics {
            kind: name("HW"),
            reason: name("contention"),
            name: name("Segment High Water Mark"),
            requests: 7 + at * 1_200,
            gets: 7 + at * 1_199,
            failed: at,
            waits: 2 + at * 600,
            milliseconds: 1.25 + at as f64 * 67_500.0,
        },
    );
    for (latch, misses, sleeps, spins, wait_us) in
        [("cache buffers chains", 1_000, 300, 700, 500_000), ("redo allocation", 3_000, 0, 3_000, 0)]
    {
        pair.add(
            |s| &mut s.latches,
            |at| Latch {
                name: name(latch),
                gets: 80 + at * 1_000_000,
                misses: 8 + at * misses,
                sleeps: 1 + at * sleeps,
                immediate_gets: 3 + at * 2_000,
                immediate_misses: 2 + at * 20,
                spin_gets: 5 + at * spins,
                wait_us: 9 + at * wait_us,
            },
        );
    }
    pair.add(
        |s| &mut s.latch_misses,
        |at| LatchMisses {
            latch: name("cache buffers chains"),
            place: name("get"),
            nowait_misses: 2 + at * 20,
            sleeps: 1 + at * 300,
            waiter_sleeps: 1 + at * 240,
        },
    );
}

fn stored(pair: &mut Pair) {
    // File, reads, centiseconds of them, blocks of them, writes, buffer waits, centiseconds of them.
    for (tablespace, file, reads, read_time, blocks, writes, waits, wait_time) in [
        ("USERS", "/u01/toy/users01.dbf", 400, 80.0, 800, 6_000, 9_000, 90_000.0),
        ("USERS", "/u01/toy/users02.dbf", 200, 20.0, 200, 3_000, 2_400, 21_600.0),
        ("UNDOTBS1", "/u01/toy/undotbs01.dbf", 0, 0.0, 0, 3_000, 600, 900.0),
        ("SYSTEM", "/u01/toy/system01.dbf", 0, 0.0, 0, 0, 0, 0.0),
    ] {
        pair.add(
            |s| &mut s.files,
            |at| FileStatistics {
                tablespace: name(tablespace),
                file: name(file),
                reads: 30 + at * reads,
                writes: 20 + at * writes,
                read_centiseconds: 4.5 + at as f64 * read_time,
                write_centiseconds: 1.5,
                blocks_read: 60 + at * blocks,
                blocks_written: 40 + at * writes,
                buffer_waits: 1 + at * waits,
                buffer_wait_centiseconds: 0.5 + at as f64 * wait_time,
            },
        );
    }
    for (file, bound, reads) in
        [("/u01/toy/users01.dbf", 2, 300), ("/u01/toy/users01.dbf", 8, 100), ("/u01/toy/users02.dbf", 1, 200)]
    {
        pair.add(
            |s| &mut s.file_histograms,
            |at| FileHistogram { tablespace: name("USERS"), file: name(file), below_ms: bound, reads: 6 + at * reads },
        );
    }
    pair.add(
        |s| &mut s.buffer_pools,
        |at| BufferPool {
            name: name("DEFAULT"),
            block_size: 8192,
            buffers: 51_200,
            free_buffer_waits: at * 3,
            write_complete_waits: at * 2,
            buffer_busy_waits: 10 + at * 12_000,
            current_gets: 5_000 + at * 360_000,
            consistent_gets: 4_000 + at * 120_000,
            reads: 600 + at * 480,
            writes: 100 + at * 12_000,
        },
    );
    for (sql_id, command, executions, parses, gets, reads, cpu, elapsed) in
        [(INSERT, 2, 60_000, 24, 456_000, 540, 480, 2_160), (BLOCK, 47, 5, 6, 468_000, 570, 540, 2_280)]
    {
        pair.add(
            |s| &mut s.sql,
            |at| SqlStatement {
                sql_id: name(sql_id),
                module: String::new(),
                command,
                executions: 1 + at * executions,
                parse_calls: 1 + at * parses,
                gets: 100 + at * gets,
                reads: 10 + at * reads,
                rows: 1 + at * executions,
                cpu_us: SECOND * (1 + at * cpu),
                elapsed_us: SECOND * (2 + at * elapsed),
            },
        );
    }
    let texts = [
        (INSERT, "INSERT INTO PARCELS VALUES (:B1 ) RETURNING ROWID INTO :O0"),
        (BLOCK, "begin\n  fill_shelves;\nend;"),
    ];
    for (sql_id, text) in texts {
        pair.end.sql_texts.extend(SqlText::pieces(sql_id, text));
    }
    for (object, segment, kind, busy, logical, physical) in
        [(7, "PARCELS", "TABLE", 11_400, 360_000, 540), (8, "PARCELS_PK", "INDEX", 600, 120_000, 60)]
    {
        pair.add(
            |s| &mut s.segments,
            |at| SegmentStatistics {
                object,
                data_object: object,
                logical_reads: 90 + at * logical,
                physical_reads: 9 + at * physical,
                buffer_busy_waits: 1 + at * busy,
                ..SegmentStatistics::default()
            },
        );
        pair.end.segment_objects.push(SegmentObject {
            object,
            data_object: object,
            owner: name("SHOP"),
            name: name(segment),
            subobject: String::new(),
            kind: name(kind),
            tablespace: name("USERS"),
        });
    }
    let (from, to) = (pair.begin.header.time.0, pair.end.header.time.0);
    // The first ended before the window began.
    for (begin, end, blocks) in [(from - 700, from - 100, 9), (from - 100, from + 500, 2_000), (from + 500, to, 500)] {
        pair.end.undo.push(UndoStatistics {
            begin: LocalTime(begin),
            end: LocalTime(end),
            tablespace: 2,
            blocks,
            transactions: blocks * 24,
            longest_query_s: 3,
            concurrent_transactions: 5,
            expired_reused: 4,
            tuned_retention_s: 900 + blocks * 3 / 10,
            ..UndoStatistics::default()
        });
    }
}

/// Behind the title, the lines that must follow in this order, each with its words.
const EXPECTED: &[(&str, &[&str])] = &[
    (
        "STATSPACK report for",
        &[
            "2532911053 shelves 1 03-Mar-24 09:50 1.0.0.0.0 NO",
            "toy-host Linux x86 64-bit 2 8.00",
            "Begin Snap: 1 03-Mar-24 10:00:00 6 2.0 five jobs",
            "End Snap: 2 03-Mar-24 10:10:00 6 3.0",
            "Elapsed: 10.00 (mins) Av Act Sess: 4.0",
            "DB time: 40.00 (mins) DB CPU: 10.00 (mins)",
            "Buffer Cache: 400M Std Block Size: 8K",
            "Shared Pool: 104M Log Buffer: 8M",
        ],
    ),
    (
        "Load Profile",
        &[
            "DB time(s): 4.00 0.04 0.04 20.00",
            "DB CPU(s): 1.00 0.01 0.01 5.00",
            "Redo size: 75,000.00 750.00",
            "Logical reads: 800.00 8.00",
            "Block changes: 400.00 4.00",
            "Physical reads: 1.00 0.01",
            "Physical writes: 20.00 0.20",
            "User calls: 0.20 0.00",
            "Parses: 0.40 0.00",
            "Hard parses: 0.02 0.00",
            "W/A MB processed: 1.00 0.01",
            "Logons: 0.01 0.00",
            "Executes: 100.40 1.00",
            "Rollbacks: 0.00 0.00",
            "Transactions: 100.00",
        ],
    ),
    (
        "Instance Efficiency Indicators",
        &[
            "Buffer Nowait %: 97.50 Redo NoWait %: 99.95",
            "Buffer Hit %: 99.90 Optimal W/A Exec %: 99.00",
            "Library Hit %: 99.00 Soft Parse %: 95.00",
            "Execute to Parse %: 99.60 Latch Hit %: 99.80",
            "Parse CPU to Parse Elapsd %: 75.00 % Non-Parse CPU: 99.99",
        ],
    ),
    // The five and "db file parallel write" with 21.6 s (1.0 %) and "db file sequential read" with 0.9 s are 2,250 s.
    (
        "Top 5 Timed Events",
        &[
            "buffer busy waits 12,000 1,125.00 93.750 50.0",
            "CPU time 600.00 26.7",
            "log file sync 60,000 300.00 5.000 13.3",
            "log file parallel write 30,000 135.00 4.500 6.0",
            "enq: HW - contention 600 67.50 112.50 3.0",
        ],
    ),
    ("Host CPU  (CPUs: 2", &["1.50 5.50 60.00 15.00 25.00 5.00"]),
    (
        "Instance CPU",
        &[
            "Host: Total time (s): 1,200.0",
            "Host: Busy CPU time (s): 900.0",
            "% of time Host is Busy: 75.0",
            "Instance: Total CPU time (s): 630.0",
            "% of Busy CPU used for Instance: 70.0",
            "Instance: Total Database time (s): 2,490.0",
        ],
    ),
    (
        "Memory Statistics",
        &[
            "Host Mem (MB): 8,192.00 8,192.00",
            "SGA use (MB): 512.00 512.00",
            "PGA use (MB): 64.00 128.00",
            "% Host Mem used for SGA+PGA: 7.03 7.81",
        ],
    ),
    (
        "Time Model System Stats",
        &[
            "sql execute elapsed time 2,160.00 90.0",
            "DB CPU 600.00 25.0",
            "DB time 2,400.00",
            "background cpu time 30.00",
            "background elapsed time 90.00",
        ],
    ),
    (
        "Foreground Wait Events",
        &[
            "buffer busy waits 12,000 1,125.00 93.750 0.2 50.0",
            "log file sync 60,000 300.00 5.000 1.0 13.3",
            "enq: HW - contention 600 1 67.50 112.50 0.0 3.0",
            "db file sequential read 600 0.90 1.500 0.0 0.0",
            "SQL*Net message from client 120 3,000.00 25,000 0.0",
        ],
    ),
    (
        "Background Wait Events",
        &["log file parallel write 30,000 135.00 4.500 0.5 6.0", "db file parallel write 400 21.60 54.000 0.0 1.0"],
    ),
    (
        "Wait Event Histogram  DB/Inst",
        &[
            "buffer busy waits 12000 100.0",
            "db file parallel write 400 100.0",
            "db file sequential read 600 25.0 75.0",
            "enq: HW - contention 600 100.0",
            "log file parallel write 30000 100.0",
            "log file sync 60000 25.0 75.0",
            "SQL*Net message from clien 120 100.0",
        ],
    ),
    (
        "SQL ordered by Elapsed time",
        &[
            "-> Total DB Time (s): 2,400.00",
            "-> Captured SQL accounts for 185.0% of Total DB Time",
            "2,280.00 5 456.00 95.00 540.00 570 0f3k8w2m1c9xt",
            "begin fill_shelves; end;",
            "2,160.00 60,000 0.04 90.00 480.00 540 7a45d99hz4b1y",
            "INSERT INTO PARCELS VALUES (:B1 ) RETURNING ROWID INTO :O0",
        ],
    ),
    (
        "SQL ordered by CPU",
        &[
            "-> Captured SQL accounts for 170.0% of Total DB CPU",
            "540.00 5 108.00 90.00 2,280.00 468,000 0f3k8w2m1c9xt",
            "480.00 60,000 0.01 80.00 2,160.00 456,000 7a45d99hz4b1y",
        ],
    ),
    // A block's gets are those of its statements.
    (
        "SQL ordered by Gets",
        &[
            "-> Captured SQL accounts for 95.0% of Total Buffer Gets",
            "468,000 5 93,600.0 97.50 540.00 2,280.00 0f3k8w2m1c9xt",
            "456,000 60,000 7.6 95.00 480.00 2,160.00 7a45d99hz4b1y",
        ],
    ),
    (
        "SQL ordered by Reads",
        &[
            "-> Captured SQL accounts for 90.0% of Total Disk Reads",
            "570 5 114.0 95.00 540.00 2,280.00 0f3k8w2m1c9xt",
            "540 60,000 0.0 90.00 480.00 2,160.00 7a45d99hz4b1y",
        ],
    ),
    (
        "SQL ordered by Executions",
        &["-> Captured SQL accounts for 99.6% of Total Executions", "60,000 60,000 1.0 0.00800 0.03600 7a45d99hz4b1y"],
    ),
    ("SQL ordered by Parse Calls", &["24 60,000 10.00 7a45d99hz4b1y", "6 5 2.50 0f3k8w2m1c9xt"]),
    (
        "Instance Activity Stats",
        &[
            "CPU used by this session 60,000 100.00 1.00",
            "execute count 60,240 100.40 1.00",
            "redo size 45,000,000 75,000.00 750.00",
            "user commits 60,000 100.00 1.00",
            "opened cursors current 12 18",
            "log switches (derived) 6 36.00",
        ],
    ),
    ("OS Statistics - detail", &["1 Sun 03 10:00:00 1.5", "2 Sun 03 10:10:00 5.5 75.0 60.0 15.0 5.0"]),
    (
        "Tablespace IO Stats",
        &["USERS", "600 1.00 1.667 1.7 9,000 15.00 11,400 97.9", "UNDOTBS1", "0 0.00 3,000 5.00 600 15.0"],
    ),
    (
        "File IO Stats",
        &[
            "UNDOTBS1 /u01/toy/undotbs01.dbf",
            "0 0.00 3,000 5.00 600 15.0",
            "USERS /u01/toy/users01.dbf",
            "400 0.67 2.000 8 2.0 6,000 10.00 9,000 100.0",
            "USERS /u01/toy/users02.dbf",
            "200 0.33 1.000 2 1.0 3,000 5.00 2,400 90.0",
        ],
    ),
    (
        "File Read Histogram Stats",
        &["USERS /u01/toy/users01.dbf", "300 0 100 0 0 0", "USERS /u01/toy/users02.dbf", "200 0 0 0 0 0"],
    ),
    ("Buffer Pool Statistics", &["D 51,200 99.9 480,000 480 12,000 3 2 12,000"]),
    (
        "Buffer wait Statistics",
        &["data block 9,000 900.00 100.000", "segment header 2,400 216.00 90.000", "undo header 600 9.00 15.000"],
    ),
    (
        "PGA Aggr Target Stats",
        &[
            "75.0 600.00 200.00",
            "B 256.0 200.0 64.00 16.00 25.0 100.0 0.0 51,200",
            "E 256.0 200.0 128.00 32.00 25.0 100.0 0.0 51,200",
        ],
    ),
    ("Enqueue activity", &["HW-Segment High Water Mark", "1,200 1,199 1 600 67.50 112.500"]),
    ("Undo Segment Summary", &["2 2.500 60,000 3 5 17.5/25.0 0/0 0/0/0/0/0/8"]),
    (
        "Undo Segment Stats",
        &["03-Mar 10:10 500 12,000 3 5 17.5 0/0 0/0/0/0/0/4", "03-Mar 10:08 2,000 48,000 3 5 25.0 0/0 0/0/0/0/0/4"],
    ),
    (
        "Latch Activity",
        &["cache buffers chains 1,000,000 0.1 0.3 0.50 2,000 1.0", "redo allocation 1,000,000 0.3 0.0 0.00 2,000 1.0"],
    ),
    (
        "Latch Sleep breakdown",
        &["redo allocation 1,000,000 3,000 0 3,000", "cache buffers chains 1,000,000 1,000 300 700"],
    ),
    ("Latch Miss Sources", &["cache buffers chains get 20 300 240"]),
    (
        "Segments by Logical Reads",
        &["SHOP USERS PARCELS TABLE 360,000 75.0", "SHOP USERS PARCELS_PK INDEX 120,000 25.0"],
    ),
    ("Segments by Physical Reads", &["SHOP USERS PARCELS TABLE 540 90.0", "SHOP USERS PARCELS_PK INDEX 60 10.0"]),
    ("Segments by Row Lock Waits", &["No data exists for this section of the report."]),
    ("Segments by ITL Waits", &["No data exists for this section of the report."]),
    ("Segments by Buffer Busy Waits", &["SHOP USERS PARCELS TABLE 11,400 95.0", "SHOP USERS PARCELS_PK INDEX 600 5.0"]),
    ("Library Cache Activity", &["SQL AREA 500 5.0 1,000 1.0 2 3"]),
    ("init.ora Parameters", &["db_block_size 8192", "db_cache_size 419430400"]),
];

#[test]
fn the_lines_are_those_that_were_reckoned_by_hand() {
    let (begin, end) = pair();
    let text = super::printed(&begin, &end);
    let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    for (title, expected) in EXPECTED {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(lines.any(|line| line.starts_with(&title)), "no {title} behind what stands before it\n{text}");
        for line in *expected {
            assert!(lines.any(|found| found == *line), "{title}: no line {line:?}\n{text}");
        }
    }
}

/// Oracle's lists leave out what did not happen.
#[test]
fn lines_without_activity_are_not_listed() {
    let (begin, end) = pair();
    let text = super::printed(&begin, &end);
    for name in ["/u01/toy/system01.dbf", "open_cursors", "09:58"] {
        assert!(!text.contains(name), "{name}\n{text}");
    }
    assert!(!text.contains("-> Note:"), "{text}");
}

#[test]
fn processors_that_were_taken_away_are_noted() {
    let (begin, mut end) = pair();
    // 1,200 s of two processors, of which the host counted 1,080.
    end.os_statistics.iter_mut().find(|line| line.name == "IDLE_TIME").unwrap().value -= 12_000.0;
    let text = super::printed(&begin, &end);
    assert!(text.contains("\n-> Note: the host counted 10.0% less CPU time than its CPUs had\n"), "{text}");
}
