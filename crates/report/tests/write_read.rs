//! A report written as Statspack text and read back is the same report, within the digits that are printed.

use proptest::prelude::*;
use report::figure::Figure;
use report::model::*;
use serde_json::Value;

const EVENTS: [&str; 8] = [
    "db file sequential read",
    "log file sync",
    "log file parallel write",
    "enq: TX - row lock contention",
    "log file switch (private strand flush incomplete)",
    "latch: cache buffers chains",
    "SQL*Net message from client",
    "buffer busy waits",
];
const STATISTICS: [&str; 6] = [
    "redo size",
    "redo writes",
    "user commits",
    "physical reads direct temporary tablespace",
    "transaction tables consistent reads - undo records applied",
    "CPU used by this session",
];

/// Numbers that proptest makes, one after another: shrinking makes them small, and the flags false.
struct Pool<'a> {
    numbers: &'a [u32],
    flags: &'a [bool],
    at: usize,
}

impl Pool<'_> {
    fn number(&mut self, below: u32) -> u32 {
        self.at += 1;
        self.numbers[self.at % self.numbers.len()] % below
    }

    fn flag(&mut self) -> bool {
        self.at += 1;
        self.flags[self.at % self.flags.len()]
    }

    fn whole(&mut self) -> f64 {
        f64::from(self.number(2_000_000_000))
    }

    /// With one digit behind the point, with two, with three: such as their columns hold.
    fn tenths(&mut self) -> f64 {
        f64::from(self.number(1000)) / 10.0
    }

    fn hundredths(&mut self) -> f64 {
        f64::from(self.number(100_000)) / 100.0
    }

    fn seconds(&mut self) -> Figure {
        Figure::new(self.hundredths(), 0.01)
    }

    fn milliseconds(&mut self) -> Figure {
        Figure::new(f64::from(self.number(100_000)) / 1000.0, 0.001)
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.flag() { Some(make(self)) } else { None }
    }

    /// Some of the names, in their order, at least one.
    fn some<'n>(&mut self, names: &[&'n str]) -> Vec<&'n str> {
        let first = self.number(names.len() as u32) as usize;
        let count = 1 + self.number((names.len() - first) as u32) as usize;
        names[first..first + count].to_vec()
    }

    fn list<'n, T>(&mut self, names: &[&'n str], mut make: impl FnMut(&mut Self, &'n str) -> T) -> Option<Vec<T>> {
        self.maybe(|pool| pool.some(names).into_iter().map(|name| make(pool, name)).collect())
    }
}

fn event(pool: &mut Pool<'_>, name: &str) -> Event {
    Event {
        name: name.to_owned(),
        waits: Some(Figure::exact(pool.whole())),
        timeouts_percent: pool.maybe(|pool| f64::from(pool.number(101))),
        total_s: Some(pool.seconds()),
        average_ms: pool.maybe(Pool::milliseconds),
        waits_per_transaction: pool.maybe(Pool::tenths),
        percent: pool.maybe(Pool::tenths),
        ..Event::default()
    }
}

fn file(pool: &mut Pool<'_>, tablespace: &str, file: Option<String>) -> FileIo {
    FileIo {
        tablespace: tablespace.to_owned(),
        file,
        reads: Some(Figure::exact(pool.whole())),
        reads_per_s: pool.maybe(Pool::hundredths),
        read_ms: pool.maybe(|pool| Figure::new(f64::from(pool.number(10_000)) / 1000.0, 0.001)),
        blocks_per_read: pool.maybe(Pool::tenths),
        writes: Some(Figure::exact(pool.whole())),
        writes_per_s: pool.maybe(Pool::hundredths),
        buffer_waits: pool.maybe(Pool::whole),
        buffer_wait_ms: pool.maybe(Pool::tenths),
        ..FileIo::default()
    }
}

fn undo(pool: &mut Pool<'_>, retentions: bool) -> UndoSummary {
    let shortest = 60.0 * f64::from(pool.number(1000));
    let mut count = || Some(f64::from(pool.number(100_000)));
    UndoSummary {
        tablespace_number: None,
        blocks: count(),
        transactions: count(),
        longest_query_s: count(),
        concurrent_transactions_max: count(),
        retention_min_s: Some(shortest),
        retention_max_s: Some(if retentions { shortest + 600.0 } else { shortest }),
        snapshot_too_old: count(),
        out_of_space: count(),
        unexpired_stolen: count(),
        unexpired_released: count(),
        unexpired_reused: count(),
        expired_stolen: count(),
        expired_released: count(),
        expired_reused: count(),
    }
}

fn header(pool: &mut Pool<'_>, report: &mut Report) {
    report.identity = Identity {
        database: Some("TOY".to_owned()),
        database_id: Some(u64::from(pool.number(u32::MAX))),
        instance: Some("toy1".to_owned()),
        instance_number: Some(pool.number(9)),
        release: Some("1.0.0.0.0".to_owned()),
        rac: pool.maybe(Pool::flag),
        startup: pool.maybe(|_| "03-Mar-24 06:00".to_owned()),
        ..Identity::default()
    };
    let begin = 9 * 3600 + i64::from(pool.number(1800));
    let end = begin + 1 + i64::from(pool.number(7200));
    let midnight = 1_709_424_000;
    let mut snapshot = |id: u64, second: i64| Snapshot {
        id: Some(id),
        time: Some(format!("03-Mar-24 {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)),
        time_s: Some(midnight + second),
        sessions: pool.maybe(|pool| f64::from(pool.number(5000))),
        cursors_per_session: pool.maybe(Pool::tenths),
        comment: pool.maybe(|_| format!("month end {id}")),
    };
    report.window.begin = snapshot(7, begin);
    report.window.end = snapshot(8, end);
    report.window.elapsed_s = Some((end - begin) as f64);
    report.host = Host {
        name: Some("shelf7".to_owned()),
        platform: pool.maybe(|_| "Linux x86 64-bit".to_owned()),
        cpus: Some(f64::from(1 + pool.number(512))),
        cores: Some(f64::from(1 + pool.number(256))),
        sockets: Some(f64::from(1 + pool.number(8))),
        memory_bytes: Some(f64::from(1 + pool.number(4000)) * 268_435_456.0),
        ..Host::default()
    };
    if pool.flag() {
        report.host.load_begin = Some(pool.hundredths());
        report.host.load_end = Some(pool.hundredths());
        report.host.user_percent = Some(pool.tenths());
        report.host.system_percent = Some(pool.tenths());
        report.host.idle_percent = Some(pool.tenths());
        report.host.io_wait_percent = pool.maybe(Pool::tenths);
    }
    report.host.statistics = pool.list(&["BUSY_TIME", "IDLE_TIME", "LOAD", "VM_OUT_BYTES"], |pool, name| OsStatistic {
        name: name.to_owned(),
        value: Some(pool.whole()),
        end: pool.maybe(Pool::whole),
    });
    if pool.flag() {
        let megabytes = |pool: &mut Pool<'_>| f64::from(1 + pool.number(900)) * 1_048_576.0;
        report.caches = CacheSizes {
            buffer_cache_bytes: Some(megabytes(pool)),
            buffer_cache_end_bytes: pool.maybe(|_| 2_000.0 * 1_048_576.0),
            shared_pool_bytes: Some(megabytes(pool)),
            shared_pool_end_bytes: pool.maybe(|_| 1_500.0 * 1_048_576.0),
            block_bytes: Some(8192.0),
            log_buffer_bytes: Some(f64::from(1 + pool.number(100_000)) * 1024.0),
        };
    }
    let loads =
        ["DB time", "DB CPU", "Redo size", "Logical reads", "Session Logical Read IM", "Executes", "Transactions"];
    report.load_profile = pool.list(&loads, |pool, name| LoadLine {
        name: name.to_owned(),
        per_second: Some(pool.hundredths()),
        per_transaction: pool.maybe(Pool::hundredths),
        per_execution: pool.maybe(Pool::hundredths),
        per_call: pool.maybe(Pool::hundredths),
    });
    let ratios = ["Buffer Nowait %", "Redo NoWait %", "Buffer Hit %", "Parse CPU to Parse Elapsd %", "% Non-Parse CPU"];
    report.efficiencies = pool.list(&ratios, |pool, name| (name.to_owned(), pool.hundredths() - 500.0));
    let memory = ["Host Mem (MB)", "SGA use (MB)", "PGA use (MB)", "% Host Mem used for SGA+PGA"];
    report.memory = pool.list(&memory, |pool, name| MemoryStatistic {
        name: name.to_owned(),
        begin: Some(pool.hundredths()),
        end: pool.maybe(Pool::hundredths),
    });
}

fn waited(pool: &mut Pool<'_>, report: &mut Report) {
    let lines = [
        "DB time",
        "DB CPU",
        "sql execute elapsed time",
        "hard parse (sharing criteria) elapsed time",
        "background cpu time",
    ];
    report.time_model = pool.list(&lines, |pool, name| TimeModelLine {
        name: name.to_owned(),
        seconds: Some(pool.seconds()),
        percent: pool.maybe(Pool::tenths),
    });
    // Seconds of the time model are finer than the header's hundredths of minutes.
    let minutes = f64::from(pool.number(100_000)) / 100.0;
    report.window.db_time_s = report.time_model_s("DB time").or(Some(minutes * 60.0));
    report.window.db_cpu_s = report.time_model_s("DB CPU").or_else(|| pool.maybe(|_| 60.0));
    report.top_events = pool.list(&EVENTS, |pool, name| Event {
        timeouts_percent: None,
        waits_per_transaction: None,
        ..event(pool, name)
    });
    if let Some(events) = &mut report.top_events {
        let total_s = Some(pool.seconds());
        events.push(Event { name: "CPU time".to_owned(), total_s, percent: Some(pool.tenths()), ..Event::default() });
    }
    report.foreground_events = pool.list(&EVENTS, event);
    report.background_events = pool.list(&EVENTS, event);
    report.all_events = pool.list(&EVENTS, event);
    let bounds: Vec<f64> = match pool.number(3) {
        0 => vec![1000.0, 2000.0, 4000.0, 32_000.0, 1_024_000.0],
        1 => (0..24).map(|power| f64::from(1 << power)).collect(),
        _ => vec![2048.0, 4096.0, 1_048_576.0],
    };
    report.histograms = pool.list(&EVENTS, |pool, name| EventHistogram {
        name: name.to_owned(),
        cut: false,
        waits: Some(Figure::exact(f64::from(pool.number(100_000)))),
        buckets: (bounds.iter().map(|bound| Some(*bound)).chain([None]))
            .map(|below_us| Bucket { below_us, percent: pool.tenths() })
            .collect(),
    });
}

fn statements(pool: &mut Pool<'_>, report: &mut Report) {
    let orders =
        [SqlOrder::Elapsed, SqlOrder::Cpu, SqlOrder::Gets, SqlOrder::Reads, SqlOrder::Executions, SqlOrder::ParseCalls];
    let sections: Vec<SqlSection> = orders
        .into_iter()
        .filter_map(|order| {
            pool.maybe(|pool| SqlSection {
                order,
                captured_percent: pool.maybe(Pool::tenths),
                statements: (0..=pool.number(3)).map(|at| statement(pool, order, at)).collect(),
            })
        })
        .collect();
    report.sql = (!sections.is_empty()).then_some(sections);
}

/// With the figures that its section prints, and the id or, where a section has none, the hash value.
fn statement(pool: &mut Pool<'_>, order: SqlOrder, at: u32) -> SqlLine {
    let is = |orders: &[SqlOrder]| orders.contains(&order);
    let timed = !is(&[SqlOrder::Executions, SqlOrder::ParseCalls]);
    let with_id = order != SqlOrder::Reads;
    let words =
        ["select", "count(*)", "from", "parcels", "where", "shelf", "<", ":1", "and", "a_rather_long_name_of_a_column"];
    let length = 1 + pool.number(60);
    let text: Vec<&str> = (0..length).map(|_| words[pool.number(words.len() as u32) as usize]).collect();
    SqlLine {
        sql_id: with_id.then(|| format!("{at}abcdefghijkl")),
        hash_value: (!with_id).then(|| u64::from(pool.number(u32::MAX))),
        module: pool.maybe(|_| "till.exe".to_owned()),
        text: format!("select {}", text.join(" ")),
        elapsed_s: timed.then(|| pool.seconds()),
        cpu_s: timed.then(|| pool.maybe(Pool::seconds)).flatten(),
        gets: is(&[SqlOrder::Cpu, SqlOrder::Gets]).then(|| pool.whole()),
        reads: is(&[SqlOrder::Elapsed, SqlOrder::Reads]).then(|| pool.whole()),
        executions: pool.maybe(Pool::whole),
        rows: is(&[SqlOrder::Executions]).then(|| pool.whole()),
        parse_calls: is(&[SqlOrder::ParseCalls]).then(|| pool.whole()),
        percent: if is(&[SqlOrder::Executions]) { None } else { pool.maybe(Pool::hundredths) },
        ..SqlLine::default()
    }
}

fn counted(pool: &mut Pool<'_>, report: &mut Report) {
    let statistic = |pool: &mut Pool<'_>, name: &str| Statistic {
        name: name.to_owned(),
        total: Some(pool.whole()),
        per_second: pool.maybe(Pool::hundredths),
        per_transaction: pool.maybe(Pool::hundredths),
        ..Statistic::default()
    };
    report.statistics = pool.list(&STATISTICS, statistic);
    report.absolute_statistics = pool.list(&["logons current", "session pga memory"], |pool, name| Statistic {
        name: name.to_owned(),
        total: Some(pool.whole()),
        begin: pool.maybe(Pool::whole),
        ..Statistic::default()
    });
    report.thread_activity = pool.list(&["log switches (derived)"], |pool, name| Statistic {
        name: name.to_owned(),
        total: Some(f64::from(pool.number(1000))),
        ..Statistic::default()
    });
    let tablespaces = ["USERS", "TEMP", "A_TABLESPACE_WITH_A_LONG_NAME_OF_40_BYTES", "UNDO_1"];
    report.tablespaces = pool.list(&tablespaces, |pool, name| file(pool, name, None));
    report.files = pool
        .list(&tablespaces, |pool, name| file(pool, name, Some(format!("/data/toy/{}01.dbf", name.to_lowercase()))));
    report.buffer_pools = pool.list(&["D", "K", "16k"], |pool, name| BufferPool {
        name: name.to_owned(),
        buffers: Some(f64::from(pool.number(10_000_000))),
        hit_percent: pool.maybe(|pool| f64::from(pool.number(101))),
        gets: Some(pool.whole()),
        reads: Some(pool.whole()),
        writes: pool.maybe(Pool::whole),
        free_buffer_waits: pool.maybe(|pool| f64::from(pool.number(10_000_000))),
        write_complete_waits: pool.maybe(|pool| f64::from(pool.number(10_000))),
        buffer_busy_waits: pool.maybe(Pool::whole),
    });
    report.buffer_waits =
        pool.list(&["data block", "segment header", "1st level bmb", "undo header"], |pool, name| BufferWait {
            class: name.to_owned(),
            waits: Some(pool.whole()),
            total_s: Some(pool.seconds()),
            average_ms: pool.maybe(Pool::milliseconds),
        });
    report.enqueues =
        pool.list(&["TX-Transaction (row lock contention)", "HW-Segment High Water Mark"], |pool, name| Enqueue {
            name: name.to_owned(),
            requests: Some(pool.whole()),
            gets: Some(pool.whole()),
            failed: Some(pool.whole()),
            waits: Some(pool.whole()),
            total_s: Some(pool.seconds()),
            average_ms: Some(pool.milliseconds()),
        });
    report.undo = pool.maybe(|pool| undo(pool, true));
    report.undo_intervals = pool.list(&["03-Mar 09:20", "03-Mar 09:10"], |pool, end| UndoInterval {
        end: end.to_owned(),
        figures: undo(pool, false),
    });
    report.latches =
        pool.list(&["cache buffers chains", "redo allocation", "checkpoint queue latch"], |pool, name| Latch {
            name: name.to_owned(),
            gets: Some(pool.whole()),
            miss_percent: pool.maybe(Pool::tenths),
            misses: pool.maybe(Pool::whole),
            sleeps: Some(pool.whole()),
            spin_gets: pool.maybe(Pool::whole),
            wait_s: Some(pool.hundredths()),
            nowait_gets: pool.maybe(Pool::whole),
            nowait_miss_percent: pool.maybe(Pool::tenths),
        });
    let orders = [SegmentOrder::LogicalReads, SegmentOrder::RowLockWaits, SegmentOrder::BufferBusyWaits];
    let segments: Vec<SegmentSection> = orders
        .into_iter()
        .filter_map(|order| {
            let segments =
                pool.list(&["PARCELS", "PARCELS_PK", "A_SEGMENT_WITH_A_NAME_OF_FORTY_BYTES_AND"], |pool, name| {
                    Segment {
                        owner: "SHOP".to_owned(),
                        tablespace: "USERS".to_owned(),
                        object: name.to_owned(),
                        subobject: pool.maybe(|_| "P2024".to_owned()),
                        object_type: "TABLE".to_owned(),
                        container: None,
                        value: Some(pool.whole()),
                        percent: Some(pool.tenths()),
                    }
                })?;
            Some(SegmentSection { order, segments })
        })
        .collect();
    report.segments = (!segments.is_empty()).then_some(segments);
    report.parameters = pool.list(&["db_block_size", "db_cache_size", "undo_retention"], |pool, name| Parameter {
        name: name.to_owned(),
        value: pool.number(100_000).to_string(),
        end: pool.maybe(|pool| pool.number(100_000).to_string()),
        container: None,
    });
}

fn kept(pool: &mut Pool<'_>, report: &mut Report) {
    report.host.details =
        pool.list(&["Sun 03 09:00:15", "Sun 03 09:10:15", "Sun 03 09:20:15"], |pool, time| OsDetail {
            time: time.to_owned(),
            load: Some(pool.tenths()),
            busy_percent: pool.maybe(Pool::tenths),
            user_percent: pool.maybe(Pool::tenths),
            system_percent: pool.maybe(Pool::tenths),
            idle_percent: None,
            io_wait_percent: pool.maybe(Pool::tenths),
        });
    report.file_histograms = pool.list(&["USERS", "TEMP"], |pool, name| FileHistogram {
        tablespace: name.to_owned(),
        file: format!("/data/toy/{}01.dbf", name.to_lowercase()),
        reads: [(); 6].map(|()| pool.maybe(|pool| f64::from(pool.number(10_000_000)))),
    });
    report.latch_misses = pool.list(&["kcbgtcr: fast path", "kcbrls", "ksqgtl3"], |pool, place| LatchMiss {
        latch: "cache buffers chains".to_owned(),
        place: place.to_owned(),
        nowait_misses: pool.maybe(|pool| f64::from(pool.number(1000))),
        sleeps: Some(f64::from(pool.number(1_000_000))),
        waiter_sleeps: pool.maybe(|pool| f64::from(pool.number(10_000))),
    });
    report.library_cache = pool.list(&["BODY", "SQL AREA", "TABLE/PROCEDURE"], |pool, name| LibraryCacheLine {
        namespace: name.to_owned(),
        gets: Some(f64::from(pool.number(100_000_000))),
        get_miss_percent: pool.maybe(Pool::tenths),
        pins: Some(pool.whole()),
        pin_miss_percent: pool.maybe(Pool::tenths),
        reloads: pool.maybe(|pool| f64::from(pool.number(1_000_000))),
        invalidations: Some(f64::from(pool.number(100_000))),
    });
    report.storage_cells = pool.list(&["cell01", "cell02"], |pool, name| StorageCell {
        cell: name.to_owned(),
        reads: Some(f64::from(pool.number(100_000_000))),
        writes: Some(f64::from(pool.number(100_000_000))),
        scans: Some(f64::from(pool.number(1_000_000))),
        sent_mb: Some(Figure::new(pool.hundredths(), 0.01)),
        received_mb: Some(Figure::new(pool.hundredths(), 0.01)),
    });
    report.pga_work = pool.maybe(|pool| PgaWork {
        cache_hit_percent: Some(pool.tenths()),
        processed_mb: Some(pool.hundredths()),
        extra_mb: pool.maybe(Pool::hundredths),
    });
    report.pga_targets = pool.list(&["B", "E"], |pool, which| PgaTarget {
        which: which.to_owned(),
        target_mb: Some(f64::from(pool.number(100_000))),
        automatic_target_mb: pool.maybe(|pool| f64::from(pool.number(100_000))),
        allocated_mb: pool.maybe(Pool::hundredths),
        work_areas_mb: pool.maybe(Pool::hundredths),
        work_areas_percent: pool.maybe(Pool::tenths),
        automatic_percent: pool.maybe(Pool::tenths),
        manual_percent: pool.maybe(Pool::tenths),
        global_bound_kb: pool.maybe(|pool| f64::from(pool.number(1_000_000))),
    });
    report.pga_histogram = pool.maybe(|pool| {
        let powers = 0..=pool.number(8);
        let line = |power: u32| PgaHistogramLine {
            low_bytes: Some(f64::from(2048_u32 << power)),
            high_bytes: Some(f64::from(4096_u32 << power)),
            executions: Some(f64::from(pool.number(1_000_000_000))),
            optimal: Some(f64::from(pool.number(100_000_000))),
            one_pass: pool.maybe(|pool| f64::from(pool.number(1000))),
            multi_pass: pool.maybe(|pool| f64::from(pool.number(1000))),
        };
        powers.map(line).collect()
    });
}

/// The same text with the numbers of another country: every word of digits, points and commas that is no release.
fn in_form(text: &str, decimal: char, group: char) -> String {
    let mut written = String::with_capacity(text.len());
    for word in text.split_inclusive([' ', '\n', '/', '%']) {
        let digits = word.trim_end_matches([' ', '\n', '/', '%', 'K', 'M']);
        let is_number = digits.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | ',' | '-'));
        if is_number && digits.matches('.').count() <= 1 && digits.contains(|letter: char| letter.is_ascii_digit()) {
            written.extend(word.chars().map(|letter| match letter {
                '.' => decimal,
                ',' => group,
                other => other,
            }));
        } else {
            written.push_str(word);
        }
    }
    written
}

/// The first place where two reports differ.
fn difference(path: &str, one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(fields), Value::Object(_)) => fields.iter().find_map(|(name, value)| {
            // Sections are of the document; whether a text is cut is a guess from its last line.
            let skipped = matches!(name.as_str(), "sections") || (name == "cut" && path.contains(".sql"));
            if skipped { None } else { difference(&format!("{path}.{name}"), value, &other[name]) }
        }),
        (Value::Array(ones), Value::Array(others)) if ones.len() == others.len() => {
            let pairs = ones.iter().zip(others).enumerate();
            pairs.into_iter().find_map(|(at, (one, other))| difference(&format!("{path}[{at}]"), one, other))
        }
        (Value::Number(first), Value::Number(second)) => {
            let (first, second) = (first.as_f64()?, second.as_f64()?);
            ((first - second).abs() > 1e-9 * first.abs().max(1.0)).then(|| format!("{path}: {first} {second}"))
        }
        _ => (one != other).then(|| format!("{path}: {one} {other}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_report_written_and_read_is_the_same(
        numbers in proptest::collection::vec(any::<u32>(), 257),
        flags in proptest::collection::vec(prop::bool::weighted(0.7), 61),
    ) {
        let mut pool = Pool { numbers: &numbers, flags: &flags, at: 0 };
        let mut report = Report::new(Kind::Statspack);
        header(&mut pool, &mut report);
        waited(&mut pool, &mut report);
        statements(&mut pool, &mut report);
        counted(&mut pool, &mut report);
        kept(&mut pool, &mut report);
        let mut text = Vec::new();
        report::write::statspack(&report, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        // As printed in English, and by a session that writes 1.234,5.
        for text in [in_form(&text, '.', ','), in_form(&text, ',', '.')] {
            let documents = report::grid::text::documents(&text);
            prop_assert_eq!(documents.len(), 1);
            let back = report::read::report(&documents[0]);
            let found = difference("", &serde_json::to_value(&report).unwrap(), &serde_json::to_value(&back).unwrap());
            prop_assert!(found.is_none(), "{}\n{text}", found.unwrap_or_default());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever happens to a report on its way, reading it ends, and says nothing that is not there.
    #[test]
    fn a_damaged_report_is_read_as_far_as_it_goes(
        numbers in proptest::collection::vec(any::<u32>(), 257),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        end in any::<prop::sample::Index>(),
    ) {
        let flags = [true];
        let mut pool = Pool { numbers: &numbers, flags: &flags, at: 0 };
        let mut report = Report::new(Kind::Statspack);
        header(&mut pool, &mut report);
        waited(&mut pool, &mut report);
        statements(&mut pool, &mut report);
        counted(&mut pool, &mut report);
        kept(&mut pool, &mut report);
        let mut text = Vec::new();
        report::write::statspack(&report, &mut text).unwrap();
        for (place, byte) in damage {
            let at = place.index(text.len());
            text[at] = byte;
        }
        text.truncate(end.index(text.len()) + 1);
        let text = String::from_utf8_lossy(&text);
        for document in report::grid::text::documents(&text) {
            let back = report::read::report(&document);
            prop_assert_eq!(back.sections.len(), document.sections.len());
            let rows: usize = document.sections.iter().flat_map(|section| &section.tables).map(|table| table.rows.len()).sum();
            prop_assert!(back.statistics.map_or(0, |lines| lines.len()) <= rows);
        }
    }
}
