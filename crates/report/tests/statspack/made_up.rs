//! Two snapshots of an instance that never was, of any size.

use report::statspack::records::*;
use report::statspack::{LocalTime, Snapshot};

/// Numbers one after another, the same for the same seed.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Of any size, small ones as often as large ones; now and then nothing.
    fn count(&mut self) -> u64 {
        let digits = self.below(12) as u32;
        if digits == 0 { 0 } else { self.below(10_u64.pow(digits)) }
    }

    /// A counter at both ends.
    fn counter(&mut self) -> [u64; 2] {
        let begin = self.count();
        [begin, begin + self.count()]
    }

    /// A counter of time, with a fraction that numbers of two hold exactly.
    fn time(&mut self) -> [f64; 2] {
        let [begin, end] = self.counter();
        [begin as f64 / 64.0, end as f64 / 64.0]
    }
}

const EVENTS: [(&str, bool); 10] = [
    ("db file sequential read", false),
    ("log file sync", false),
    ("log file parallel write", false),
    ("buffer busy waits", false),
    ("latch: cache buffers chains", false),
    ("enq: TX - row lock contention", false),
    ("log file switch (private strand flush incomplete)", false),
    ("enq: FB - contention", false),
    ("SQL*Net message from client", true),
    ("rdbms ipc message", true),
];

const STATISTICS: [&str; 26] = [
    "CPU used by this session",
    "consistent gets from cache",
    "db block changes",
    "db block gets from cache",
    "execute count",
    "logons cumulative",
    "parse count (hard)",
    "parse count (total)",
    "parse time cpu",
    "parse time elapsed",
    "physical reads",
    "physical reads cache",
    "physical reads direct temporary tablespace",
    "physical writes",
    "recursive calls",
    "redo entries",
    "redo log space requests",
    "redo size",
    "session logical reads",
    "transaction tables consistent reads - undo records applied",
    "user calls",
    "user commits",
    "user rollbacks",
    "workarea executions - multipass",
    "workarea executions - onepass",
    "workarea executions - optimal",
];

const TEXTS: [&str; 4] = [
    "insert into parcels (id, shelf, weight) values (parcel_numbers.nextval, :1, :2) returning id into :3",
    "select count(*), max(weight) from parcels where shelf between :1 and :2 and weight > (select avg(weight) from parcels) group by shelf \
     having count(*) > 10 order by 2 desc, 1",
    "update shelves set parcels = parcels + 1 where id = :1",
    "begin fill_shelves; end;",
];

/// One record at both ends.
fn both<T>(make: impl Fn(usize) -> T) -> [T; 2] {
    [make(0), make(1)]
}

/// Puts each end's record into its list.
fn push<T>(lists: [&mut Vec<T>; 2], records: [T; 2]) {
    for (list, record) in lists.into_iter().zip(records) {
        list.push(record);
    }
}

pub(super) fn pair(seed: u64) -> (Snapshot, Snapshot) {
    let mut numbers = Numbers(seed);
    let numbers = &mut numbers;
    let elapsed = 1 + numbers.below(90_000) as i64;
    let utc = 1_709_460_000;
    let sequence = numbers.below(1000);
    let switches = numbers.below(100);
    let header = |at: usize, numbers: &mut Numbers| Header {
        time: LocalTime(utc + 3600 + elapsed * at as i64),
        utc_s: utc + elapsed * at as i64,
        startup: LocalTime(utc - 86_400),
        level: 7,
        sessions: 1 + numbers.below(200),
        cursors: numbers.below(5000),
        log_sequence: sequence + switches * at as u64,
        comment: if at == 0 { "before: 5 sessions".to_owned() } else { String::new() },
    };
    let snapshot = |at: usize, numbers: &mut Numbers| Snapshot {
        id: 41 + at as u64,
        database_id: 2_532_911_053,
        instance_number: 1,
        header: header(at, numbers),
        instance: Instance {
            database: "SHELVES".to_owned(),
            instance: "shelves_of_north".to_owned(),
            release: "1.0.0.0.0".to_owned(),
            host: "toy-host".to_owned(),
            platform: "Linux x86 64-bit".to_owned(),
        },
        ..Snapshot::default()
    };
    let (mut begin, mut end) = (snapshot(0, numbers), snapshot(1, numbers));
    counted(numbers, &mut begin, &mut end);
    waited(numbers, &mut begin, &mut end);
    stored(numbers, &mut begin, &mut end);
    worked(numbers, &mut begin, &mut end);
    begin.sort();
    end.sort();
    (begin, end)
}

fn counted(numbers: &mut Numbers, begin: &mut Snapshot, end: &mut Snapshot) {
    for name in STATISTICS {
        let value = numbers.counter();
        let records = both(|at| SystemStatistic { name: name.to_owned(), value: value[at] });
        push([&mut begin.statistics, &mut end.statistics], records);
    }
    // A level, and a counter that falls.
    for (name, values) in [("logons current", [7, 5]), ("session pga memory", [900, 800])] {
        let records = both(|at| SystemStatistic { name: name.to_owned(), value: values[at] });
        push([&mut begin.statistics, &mut end.statistics], records);
    }
    for name in ["DB time", "DB CPU", "background elapsed time", "background cpu time", "sql execute elapsed time"] {
        let micros = numbers.counter();
        push(
            [&mut begin.time_model, &mut end.time_model],
            both(|at| TimeModel { name: name.to_owned(), micros: micros[at] }),
        );
    }
    for name in ["BUSY_TIME", "IDLE_TIME", "IOWAIT_TIME", "SYS_TIME", "USER_TIME", "VM_OUT_BYTES"] {
        let value = numbers.counter();
        let records = both(|at| OsStatistic { name: name.to_owned(), value: value[at] as f64 });
        push([&mut begin.os_statistics, &mut end.os_statistics], records);
    }
    let load = [0.25, 3.75];
    for (name, values) in [
        ("LOAD", load),
        ("NUM_CPUS", [4.0, 4.0]),
        ("PHYSICAL_MEMORY_BYTES", [8_361_992_192.0; 2]),
        ("FREE_BYTES", [9e9, 7e9]),
    ] {
        let records = both(|at| OsStatistic { name: name.to_owned(), value: values[at] });
        push([&mut begin.os_statistics, &mut end.os_statistics], records);
    }
    let megabytes = 1 + numbers.below(5000);
    for (name, bytes) in [
        ("Database Buffers", [megabytes << 20, (megabytes + numbers.below(2)) << 20]),
        ("Shared Pool", [64 << 20; 2]),
        ("Redo Buffers", [7_340_032; 2]),
    ] {
        push([&mut begin.sga, &mut end.sga], both(|at| Sga { name: name.to_owned(), bytes: bytes[at] }));
    }
    for name in [
        "total PGA allocated",
        "aggregate PGA target parameter",
        "aggregate PGA auto target",
        "total PGA used for auto workareas",
        "total PGA used for manual workareas",
        "global memory bound",
        "bytes processed",
        "extra bytes read/written",
    ] {
        let value = numbers.counter();
        push([&mut begin.pga, &mut end.pga], both(|at| PgaStatistic { name: name.to_owned(), value: value[at] }));
    }
    for namespace in ["SQL AREA", "TABLE/PROCEDURE"] {
        let counters: Vec<[u64; 2]> = (0..6).map(|_| numbers.counter()).collect();
        let records = both(|at| LibraryCache {
            namespace: namespace.to_owned(),
            gets: counters[0][at] + counters[1][at],
            get_hits: counters[0][at],
            pins: counters[2][at] + counters[3][at],
            pin_hits: counters[2][at],
            reloads: counters[4][at],
            invalidations: counters[5][at],
        });
        push([&mut begin.library_cache, &mut end.library_cache], records);
    }
    for cell in ["cell01", "cell02"] {
        let counters: Vec<[u64; 2]> = (0..5).map(|_| numbers.counter()).collect();
        let records = both(|at| CellTraffic {
            cell: cell.to_owned(),
            reads: counters[0][at],
            writes: counters[1][at],
            scans: counters[2][at],
            bytes_sent: counters[3][at] << 16,
            bytes_received: counters[4][at] << 16,
        });
        push([&mut begin.cells, &mut end.cells], records);
    }
    for (name, values, is_default) in [
        ("db_block_size", ["8192", "8192"], false),
        ("db_cache_size", ["104857600", "209715200"], false),
        ("db_create_file_dest", ["/u01/app/toy/oradata/shelves/files_of_the_north/and_of_the_south"; 2], false),
        ("a_parameter_with_a_name_beyond_its_column", ["TRUE", "FALSE"], true),
        ("open_cursors", ["50", "50"], true),
    ] {
        let records = both(|at| Parameter { name: name.to_owned(), value: values[at].to_owned(), is_default });
        push([&mut begin.parameters, &mut end.parameters], records);
    }
}

fn waited(numbers: &mut Numbers, begin: &mut Snapshot, end: &mut Snapshot) {
    for (event, idle) in EVENTS {
        let mut counters: Vec<[u64; 2]> = (0..6).map(|_| numbers.counter()).collect();
        // No more waits time out than there are.
        for (waits, timeouts) in [(0, 1), (3, 4)] {
            let [begin, end] = counters[waits];
            counters[timeouts] = [begin / 2, begin / 2 + numbers.below(end - begin + 1)];
        }
        let system = both(|at| SystemEvent {
            event: event.to_owned(),
            class: "Other".to_owned(),
            idle,
            waits: counters[0][at] + counters[3][at],
            timeouts: counters[1][at] + counters[4][at],
            micros: counters[2][at] + counters[5][at],
            foreground_waits: counters[0][at],
            foreground_timeouts: counters[1][at],
            foreground_micros: counters[2][at],
        });
        push([&mut begin.events, &mut end.events], system);
        let background = both(|at| BackgroundEvent {
            event: event.to_owned(),
            waits: counters[3][at],
            timeouts: counters[4][at],
            micros: counters[5][at],
        });
        push([&mut begin.background_events, &mut end.background_events], background);
        for power in [0, 3, 5, 6, 9, 10, 11, 14, 16, 20, 21, 31] {
            let waits = numbers.counter();
            let records = both(|at| EventHistogram { event: event.to_owned(), below_us: 1 << power, waits: waits[at] });
            push([&mut begin.event_histograms, &mut end.event_histograms], records);
        }
    }
    for class in ["1st level bmb", "data block", "segment header", "undo header"] {
        let (waits, time) = (numbers.counter(), numbers.time());
        let records = both(|at| ClassWaits { class: class.to_owned(), waits: waits[at], centiseconds: time[at] });
        push([&mut begin.class_waits, &mut end.class_waits], records);
    }
    for (kind, reason, name) in [
        ("HW", "contention", "Segment High Water Mark"),
        ("TX", "row lock contention", "Transaction"),
        ("TX", "index contention", "Transaction"),
    ] {
        let counters: Vec<[u64; 2]> = (0..4).map(|_| numbers.counter()).collect();
        let time = numbers.time();
        let records = both(|at| EnqueueStatistics {
            kind: kind.to_owned(),
            reason: reason.to_owned(),
            name: name.to_owned(),
            requests: counters[0][at],
            waits: counters[1][at],
            gets: counters[2][at],
            failed: counters[3][at],
            milliseconds: time[at],
        });
        push([&mut begin.enqueues, &mut end.enqueues], records);
    }
    for name in ["cache buffers chains", "object queue header operation", "redo allocation", "session idle bit"] {
        let counters: Vec<[u64; 2]> = (0..7).map(|_| numbers.counter()).collect();
        let records = both(|at| Latch {
            name: name.to_owned(),
            gets: counters[0][at],
            misses: counters[1][at],
            sleeps: counters[2][at],
            immediate_gets: counters[3][at],
            immediate_misses: counters[4][at],
            spin_gets: counters[5][at],
            wait_us: counters[6][at],
        });
        push([&mut begin.latches, &mut end.latches], records);
        for place in ["get", "a place with a name that goes on"] {
            let counters: Vec<[u64; 2]> = (0..3).map(|_| numbers.counter()).collect();
            let records = both(|at| LatchMisses {
                latch: name.to_owned(),
                place: place.replace(' ', "_"),
                nowait_misses: counters[0][at],
                sleeps: counters[1][at],
                waiter_sleeps: counters[2][at],
            });
            push([&mut begin.latch_misses, &mut end.latch_misses], records);
        }
    }
}

fn stored(numbers: &mut Numbers, begin: &mut Snapshot, end: &mut Snapshot) {
    for (tablespace, file) in [
        ("USERS", "/u01/toy/users01.dbf"),
        ("USERS", "/u01/toy/users02.dbf"),
        ("UNDOTBS1", "/u01/toy/undotbs01.dbf"),
        (
            "A_TABLESPACE_WITH_A_NAME_OF_40_BYTES_ON",
            "/u01/app/toy/oradata/shelves/a_directory_with_a_long_name/users01.dbf",
        ),
    ] {
        let counters: Vec<[u64; 2]> = (0..5).map(|_| numbers.counter()).collect();
        let times: Vec<[f64; 2]> = (0..3).map(|_| numbers.time()).collect();
        let records = both(|at| FileStatistics {
            tablespace: tablespace.to_owned(),
            file: file.to_owned(),
            reads: counters[0][at],
            writes: counters[1][at],
            read_centiseconds: times[0][at],
            write_centiseconds: times[1][at],
            blocks_read: counters[2][at],
            blocks_written: counters[3][at],
            buffer_waits: counters[4][at],
            buffer_wait_centiseconds: times[2][at],
        });
        push([&mut begin.files, &mut end.files], records);
        for power in 0..8 {
            let reads = numbers.counter();
            let records = both(|at| FileHistogram {
                tablespace: tablespace.to_owned(),
                file: file.to_owned(),
                below_ms: 1 << power,
                reads: reads[at],
            });
            push([&mut begin.file_histograms, &mut end.file_histograms], records);
        }
    }
    for (name, block_size) in [("DEFAULT", 8192), ("DEFAULT", 16_384), ("KEEP", 8192)] {
        let counters: Vec<[u64; 2]> = (0..7).map(|_| numbers.counter()).collect();
        let buffers = numbers.count();
        let records = both(|at| BufferPool {
            name: name.to_owned(),
            block_size,
            buffers,
            free_buffer_waits: counters[0][at],
            write_complete_waits: counters[1][at],
            buffer_busy_waits: counters[2][at],
            current_gets: counters[3][at],
            consistent_gets: counters[4][at],
            reads: counters[4][at] / 3,
            writes: counters[6][at],
        });
        push([&mut begin.buffer_pools, &mut end.buffer_pools], records);
    }
    let segments = [
        ("SHOP", "PARCELS", "", "TABLE"),
        ("SHOP", "PARCELS_PK", "", "INDEX"),
        ("SHOP", "SHELVES", "P2024", "TABLE"),
        ("AN_OWNER_WITH_A_LONG_NAME", "A_SEGMENT_WITH_A_NAME_OF_FORTY_BYTES_ON", "A_PART_OF_IT_WITH_A_NAME", "INDEX"),
        ("SHOP", "RETURNS", "", "TABLE"),
        ("SHOP", "RETURNS_PK", "", "INDEX"),
        ("SHOP", "STAMPS", "", "TABLE"),
    ];
    for (at, (owner, name, part, kind)) in segments.into_iter().enumerate() {
        let counters: Vec<[u64; 2]> = (0..7).map(|_| numbers.counter()).collect();
        let object = 70_000 + at as u64;
        let records = both(|end| SegmentStatistics {
            object,
            data_object: object,
            logical_reads: counters[0][end],
            physical_reads: counters[1][end],
            physical_writes: counters[2][end],
            block_changes: counters[3][end],
            buffer_busy_waits: counters[4][end],
            row_lock_waits: counters[5][end],
            itl_waits: counters[6][end],
        });
        push([&mut begin.segments, &mut end.segments], records);
        end.segment_objects.push(SegmentObject {
            object,
            data_object: object,
            owner: owner.to_owned(),
            name: name.to_owned(),
            subobject: part.to_owned(),
            kind: kind.to_owned(),
            tablespace: "USERS".to_owned(),
        });
    }
}

fn worked(numbers: &mut Numbers, begin: &mut Snapshot, end: &mut Snapshot) {
    for (at, text) in TEXTS.into_iter().enumerate() {
        let sql_id = format!("{at}abcdefghijkm");
        let counters: Vec<[u64; 2]> = (0..7).map(|_| numbers.counter()).collect();
        let records = both(|end| SqlStatement {
            sql_id: sql_id.clone(),
            module: if at == 2 { String::new() } else { "till.exe".to_owned() },
            command: if text.starts_with("begin") { 47 } else { 3 },
            executions: counters[0][end],
            parse_calls: counters[1][end],
            gets: counters[2][end],
            reads: counters[3][end],
            rows: counters[4][end],
            cpu_us: counters[5][end],
            elapsed_us: counters[6][end],
        });
        let [first, last] = records;
        // One that is new, one that was thrown out and came back.
        if at == 1 {
            end.sql.push(last);
        } else if at == 2 {
            begin.sql.push(SqlStatement { executions: last.executions + 1, ..first });
            end.sql.push(last);
        } else {
            push([&mut begin.sql, &mut end.sql], [first, last]);
        }
        end.sql_texts.extend(SqlText::pieces(&sql_id, text));
    }
    let (from, to) = (begin.header.time, end.header.time);
    for at in 0..4 {
        let start = LocalTime(from.0 - 700 + at * 600);
        let mut count = || numbers.below(100);
        end.undo.push(UndoStatistics {
            begin: start,
            end: LocalTime((start.0 + 600).min(to.0.max(start.0 + 1))),
            tablespace: 2,
            blocks: count() * 1000,
            transactions: count() * 1_000_000,
            longest_query_s: count(),
            longest_query: "0abcdefghijkm".to_owned(),
            concurrent_transactions: count(),
            unexpired_stolen: count(),
            unexpired_released: count(),
            unexpired_reused: count(),
            expired_stolen: count(),
            expired_released: count(),
            expired_reused: count(),
            snapshot_too_old: count(),
            out_of_space: count(),
            tuned_retention_s: 900 + count(),
        });
    }
    end.rollback_segments.push(RollbackSegment { number: 1, extents: 3, ..RollbackSegment::default() });
}
