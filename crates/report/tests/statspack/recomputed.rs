//! Every figure of a printed report, reckoned again from the two snapshots by the formulas of Statspack. Nothing here
//! calls what wrote the report.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use report::statspack::Snapshot;
use report::statspack::records::*;

use super::made_up;
use super::page::Page;

/// The snapshots, and what most formulas need.
struct Raw<'a> {
    b: &'a Snapshot,
    e: &'a Snapshot,
    /// Elapsed seconds, transactions, microseconds of all waits that are not idle.
    ela: f64,
    tran: f64,
    twt: f64,
}

const NOT_LISTED: [&str; 5] =
    ["smon timer", "pmon timer", "dispatcher timer", "dispatcher listen timer", "rdbms ipc message"];

fn ratio(x: f64, y: f64) -> Option<f64> {
    if y == 0.0 { None } else { Some(x / y) }
}

/// End less begin of the records that a key tells apart.
fn delta<T>(begin: &[T], end: &T, same: impl Fn(&T) -> bool, of: impl Fn(&T) -> f64) -> f64 {
    of(end) - begin.iter().find(|record| same(record)).map_or(0.0, &of)
}

impl<'a> Raw<'a> {
    fn new(b: &'a Snapshot, e: &'a Snapshot) -> Self {
        let mut raw = Self { b, e, ela: (e.header.utc_s - b.header.utc_s) as f64, tran: 0.0, twt: 0.0 };
        raw.tran = raw.stat("user commits") + raw.stat("user rollbacks");
        for event in e.events.iter().filter(|event| !event.idle) {
            raw.twt += raw.event(event, |event| event.micros);
        }
        raw
    }

    fn stat(&self, name: &str) -> f64 {
        let value = |s: &Snapshot| s.statistics.iter().find(|line| line.name == name).unwrap().value as f64;
        value(self.e) - value(self.b)
    }

    fn model_s(&self, name: &str) -> f64 {
        let value = |s: &Snapshot| s.time_model.iter().find(|line| line.name == name).unwrap().micros as f64;
        (value(self.e) - value(self.b)) / 1e6
    }

    fn os(&self, name: &str) -> f64 {
        os(self.e, name) - os(self.b, name)
    }

    fn event(&self, event: &SystemEvent, of: impl Fn(&SystemEvent) -> u64) -> f64 {
        delta(&self.b.events, event, |other| other.event == event.event, |event| of(event) as f64)
    }

    fn tcpu_us(&self) -> f64 {
        self.stat("CPU used by this session") * 10_000.0
    }
}

fn os(s: &Snapshot, name: &str) -> f64 {
    s.os_statistics.iter().find(|line| line.name == name).unwrap().value
}

fn pga(s: &Snapshot, name: &str) -> f64 {
    s.pga.iter().find(|line| line.name == name).unwrap().value as f64
}

/// The record whose name begins as a cell does: cells are cut.
fn named<'r, T>(records: &'r [T], cell: &str, name: impl Fn(&T) -> &str) -> &'r T {
    let found: Vec<&T> = records.iter().filter(|record| name(record).starts_with(cell)).collect();
    assert_eq!(found.len(), 1, "{cell:?}");
    found[0]
}

fn sga(s: &Snapshot, name: &str) -> f64 {
    s.sga.iter().find(|part| part.name == name).unwrap().bytes as f64
}

/// Words of a line behind a label.
fn behind(page: &Page<'_>, line: usize, label: &str) -> usize {
    page.text(line).find(label).unwrap_or_else(|| panic!("{label} in {}", page.text(line))) + label.len()
}

/// Checks a whole report; what is left over is a figure that nobody reckoned.
fn check<'t>(b: &Snapshot, e: &Snapshot, text: &'t str) -> Page<'t> {
    let raw = Raw::new(b, e);
    let mut whole = Page::new(text);
    let page = &mut whole;
    header(&raw, page, text);
    load(&raw, page, text);
    processors(&raw, page, text);
    events(&raw, page);
    histograms(&raw, page);
    statements(&raw, page);
    activity(&raw, page);
    files(&raw, page);
    waits(&raw, page);
    memory(&raw, page);
    cells(&raw, page);
    undo(&raw, page);
    latches(&raw, page);
    segments(&raw, page);
    settings(&raw, page);
    let unseen = page.unseen();
    assert!(unseen.is_empty(), "figures that nobody reckoned:\n{}", unseen.join("\n"));
    whole
}

fn line_of(text: &str, start: &str) -> usize {
    text.lines().position(|line| line.trim_start().starts_with(start)).unwrap_or_else(|| panic!("no line {start}"))
}

fn header(raw: &Raw<'_>, page: &mut Page<'_>, text: &str) {
    let (b, e) = (raw.b, raw.e);
    let database = line_of(text, "Database    DB Id") + 2;
    page.check_words(database, 9, 20, &[Some(e.database_id as f64)]);
    page.check_words(database, 34, 42, &[Some(e.instance_number as f64)]);
    let host = line_of(text, "Host Name ") + 2;
    let memory = os(e, "PHYSICAL_MEMORY_BYTES") / 1024_f64.powi(3);
    page.check_words(host, 45, 80, &[Some(os(e, "NUM_CPUS")), Some(memory)]);
    for (label, s) in [("Begin Snap:", b), ("End Snap:", e)] {
        let line = line_of(text, label);
        page.check_words(line, 11, 22, &[Some(s.id as f64)]);
        let (sessions, cursors) = (s.header.sessions as f64, s.header.cursors as f64);
        page.check_words(line, 41, 60, &[Some(sessions), ratio(cursors, sessions)]);
        if label == "Begin Snap:" {
            page.skip(line);
        }
    }
    let elapsed = line_of(text, "Elapsed:");
    let at = behind(page, elapsed, "Elapsed:");
    page.check_words(elapsed, at, at + 11, &[Some(raw.ela / 60.0)]);
    let at = behind(page, elapsed, "Av Act Sess:");
    page.check_words(elapsed, at, 80, &[ratio(raw.model_s("DB time"), raw.ela)]);
    let db_time = line_of(text, "DB time:");
    let at = behind(page, db_time, "DB time:");
    page.check_words(db_time, at, at + 11, &[Some(raw.model_s("DB time") / 60.0)]);
    let at = behind(page, db_time, "DB CPU:");
    page.check_words(db_time, at, at + 11, &[Some(raw.model_s("DB CPU") / 60.0)]);
    // Sizes with a unit of 1024 are compared as texts.
    let megabytes = |bytes: f64| {
        let digits = format!("{:.0}", bytes / 1_048_576.0);
        if digits.len() > 3 {
            format!("{},{}M", &digits[..digits.len() - 3], &digits[digits.len() - 3..])
        } else {
            format!("{digits}M")
        }
    };
    for (label, name, other, value) in [
        ("Buffer Cache:", "Database Buffers", "Std Block Size:", "8K".to_owned()),
        ("Shared Pool:", "Shared Pool", "Log Buffer:", megabytes(sga(b, "Redo Buffers"))),
    ] {
        let line = line_of(text, label);
        let (begin, end) = (megabytes(sga(b, name)), megabytes(sga(e, name)));
        let end = if begin == end { String::new() } else { end };
        let words: Vec<&str> = page.text(line).split_whitespace().collect();
        assert_eq!(
            words.join(" "),
            format!("{label} {begin} {end} {other} {value}").split_whitespace().collect::<Vec<_>>().join(" ")
        );
        page.skip(line);
    }
}

fn load(raw: &Raw<'_>, page: &mut Page<'_>, text: &str) {
    let first = line_of(text, "Load Profile ") + 2;
    let both = |x: f64| [ratio(x, raw.ela), ratio(x, raw.tran)];
    let mut lines: Vec<(&str, Vec<Option<f64>>)> = Vec::new();
    for (label, name) in [("DB time(s):", "DB time"), ("DB CPU(s):", "DB CPU")] {
        let x = raw.model_s(name);
        let mut figures = both(x).to_vec();
        figures.extend([ratio(x, raw.stat("execute count")), ratio(x, raw.stat("user calls"))]);
        lines.push((label, figures));
    }
    for (label, name) in [
        ("Redo size:", "redo size"),
        ("Logical reads:", "session logical reads"),
        ("Block changes:", "db block changes"),
        ("Physical reads:", "physical reads"),
        ("Physical writes:", "physical writes"),
        ("User calls:", "user calls"),
        ("Parses:", "parse count (total)"),
        ("Hard parses:", "parse count (hard)"),
    ] {
        lines.push((label, both(raw.stat(name)).to_vec()));
    }
    let worked = pga(raw.e, "bytes processed") - pga(raw.b, "bytes processed");
    lines.push(("W/A MB processed:", both(worked / 1_048_576.0).to_vec()));
    for (label, name) in
        [("Logons:", "logons cumulative"), ("Executes:", "execute count"), ("Rollbacks:", "user rollbacks")]
    {
        lines.push((label, both(raw.stat(name)).to_vec()));
    }
    lines.push(("Transactions:", vec![ratio(raw.tran, raw.ela)]));
    for (at, (label, figures)) in lines.into_iter().enumerate() {
        let from = behind(page, first + at, label);
        page.check_words(first + at, from, 80, &figures);
    }
    let first = line_of(text, "Instance Efficiency") + 2;
    let gets = raw.stat("consistent gets from cache") + raw.stat("db block gets from cache");
    let sum = |of: fn(&Snapshot) -> u64| of(raw.e) as f64 - of(raw.b) as f64;
    let bfwt = sum(|s| s.class_waits.iter().map(|class| class.waits).sum());
    let optimal = raw.stat("workarea executions - optimal");
    let all = optimal + raw.stat("workarea executions - onepass") + raw.stat("workarea executions - multipass");
    let pins = sum(|s| s.library_cache.iter().map(|line| line.pins).sum());
    let pin_hits = sum(|s| s.library_cache.iter().map(|line| line.pin_hits).sum());
    let latch_gets = sum(|s| s.latches.iter().map(|latch| latch.gets).sum());
    let latch_misses = sum(|s| s.latches.iter().map(|latch| latch.misses).sum());
    let less = |part: f64, whole: f64| ratio(part, whole).map(|share| 100.0 * (1.0 - share));
    let (prse, hprs) = (raw.stat("parse count (total)"), raw.stat("parse count (hard)"));
    let cpu = raw.stat("parse time cpu");
    let ratios = [
        less(bfwt, gets),
        less(raw.stat("redo log space requests"), raw.stat("redo entries")),
        less(raw.stat("physical reads cache"), gets),
        ratio(100.0 * optimal, all),
        ratio(100.0 * pin_hits, pins),
        less(hprs, prse),
        less(prse, raw.stat("execute count")),
        less(latch_misses, latch_gets),
        ratio(100.0 * cpu, raw.stat("parse time elapsed")),
        less(cpu, raw.stat("CPU used by this session")),
    ];
    for (at, pair) in ratios.chunks(2).enumerate() {
        page.check_words(first + at, 28, 36, &pair[..1]);
        page.check_words(first + at, 57, 80, &pair[1..]);
    }
}

fn processors(raw: &Raw<'_>, page: &mut Page<'_>, text: &str) {
    let title = line_of(text, "Host CPU ");
    let at = behind(page, title, "CPUs:");
    page.check_words(title, at, at + 2, &[Some(os(raw.e, "NUM_CPUS"))]);
    let ticks = raw.os("BUSY_TIME") + raw.os("IDLE_TIME");
    let share = |name: &str| ratio(100.0 * raw.os(name), ticks);
    let mut figures = vec![Some(os(raw.b, "LOAD")), Some(os(raw.e, "LOAD"))];
    figures.extend(["USER_TIME", "SYS_TIME", "IDLE_TIME", "IOWAIT_TIME"].map(share));
    page.check_words(title + 4, 0, 80, &figures);
    let (busy, cpu) = (raw.os("BUSY_TIME") / 100.0, raw.model_s("DB CPU") + raw.model_s("background cpu time"));
    for (label, value) in [
        ("Host: Total time (s):", Some(ticks / 100.0)),
        ("Host: Busy CPU time (s):", Some(busy)),
        ("% of time Host is Busy:", share("BUSY_TIME")),
        ("Instance: Total CPU time (s):", Some(cpu)),
        ("% of Busy CPU used for Instance:", ratio(100.0 * cpu, busy)),
        ("Instance: Total Database time (s):", Some(raw.model_s("DB time") + raw.model_s("background elapsed time"))),
    ] {
        let Some(value) = value else {
            assert!(!text.contains(label));
            continue;
        };
        let line = line_of(text, label);
        let at = behind(page, line, label);
        page.check_words(line, at, 80, &[Some(value)]);
    }
    let there_was = raw.ela * os(raw.e, "NUM_CPUS");
    let off = 100.0 * (ticks / 100.0 - there_was) / there_was;
    let note = text.lines().position(|line| line.starts_with("-> Note:"));
    assert_eq!(note.is_some(), off.abs() > 5.0, "{off}");
    if let Some(line) = note {
        let (from, to) = (behind(page, line, "counted "), page.text(line).find('%').unwrap());
        page.check_words(line, from, to, &[Some(off.abs())]);
        assert_eq!(page.text(line).contains("more"), off > 0.0);
    }
    let mega = |bytes: f64| Some(bytes / 1_048_576.0);
    let all = |s: &Snapshot| s.sga.iter().map(|part| part.bytes as f64).sum::<f64>();
    let used = |s: &Snapshot| ratio(100.0 * (all(s) + pga(s, "total PGA allocated")), os(s, "PHYSICAL_MEMORY_BYTES"));
    for (label, of) in [
        ("Host Mem (MB):", &(|s: &Snapshot| mega(os(s, "PHYSICAL_MEMORY_BYTES"))) as &dyn Fn(&Snapshot) -> Option<f64>),
        ("SGA use (MB):", &|s| mega(all(s))),
        ("PGA use (MB):", &|s| mega(pga(s, "total PGA allocated"))),
        ("% Host Mem used for SGA+PGA:", &used),
    ] {
        let line = line_of(text, label);
        let at = behind(page, line, label);
        page.check_words(line, at, 80, &[of(raw.b), of(raw.e)]);
    }
}

fn events(raw: &Raw<'_>, page: &mut Page<'_>) {
    let rows = page.rows(&page.section("Time Model System Stats", 0));
    assert_eq!(rows.len(), raw.e.time_model.len());
    for row in rows {
        let name = page.cell(&row, 0).to_owned();
        page.check(&row, 1, Some(raw.model_s(&name)));
        let share = ratio(100.0 * raw.model_s(&name), raw.model_s("DB time"));
        page.check(&row, 2, share.filter(|_| name != "DB time" && !name.starts_with("background")));
    }
    let total = raw.twt + raw.tcpu_us();
    let background = |event: &SystemEvent| {
        let find = |s: &Snapshot| s.background_events.iter().find(|other| other.event == event.event).cloned().unwrap();
        let (b, e) = (find(raw.b), find(raw.e));
        [e.waits - b.waits, e.timeouts - b.timeouts, e.micros - b.micros].map(|value| value as f64)
    };
    let foreground = |event: &SystemEvent| {
        let of: [fn(&SystemEvent) -> u64; 3] =
            [|event| event.foreground_waits, |event| event.foreground_timeouts, |event| event.foreground_micros];
        of.map(|of| raw.event(event, of))
    };
    let system = |event: &SystemEvent| {
        let of: [fn(&SystemEvent) -> u64; 3] = [|event| event.waits, |event| event.timeouts, |event| event.micros];
        of.map(|of| raw.event(event, of))
    };
    // Waits, time-outs, microseconds.
    type Of<'f> = &'f dyn Fn(&SystemEvent) -> [f64; 3];
    let lists: [(&str, Of<'_>); 3] = [
        ("Foreground Wait Events", &foreground),
        ("Background Wait Events", &background),
        ("Wait Events (fg and bg)", &system),
    ];
    for (title, of) in lists {
        let rows = page.rows(&page.section(title, 0));
        let listed = raw.e.events.iter().filter(|event| {
            let [waits, _, micros] = of(event);
            waits > 0.0 && micros >= 1000.0 && !NOT_LISTED.contains(&event.event.as_str())
        });
        let listed = listed.count();
        if listed == 0 {
            continue;
        }
        assert_eq!(rows.len(), listed, "{title}");
        let mut last = (false, f64::INFINITY);
        for row in rows {
            let event = named(&raw.e.events, page.cell(&row, 0), |event| &event.event);
            let [waits, timeouts, micros] = of(event);
            page.check(&row, 1, Some(waits));
            page.check(&row, 2, Some(100.0 * timeouts / waits).filter(|_| timeouts > 0.0));
            page.check(&row, 3, Some(micros / 1e6));
            page.check(&row, 4, Some(micros / 1000.0 / waits));
            page.check(&row, 5, ratio(waits, raw.tran));
            page.check(&row, 6, ratio(100.0 * micros, total).filter(|_| !event.idle));
            assert!((event.idle, -micros) >= (last.0, -last.1), "{title}: {}", event.event);
            last = (event.idle, micros);
        }
    }
    top(raw, page, total);
}

/// The first five of all events and CPU, with the shares of call time; with all others they are the whole.
fn top(raw: &Raw<'_>, page: &mut Page<'_>, total: f64) {
    let mut expected: Vec<(f64, Option<f64>, &str)> = vec![(raw.tcpu_us(), None, "CPU time")];
    for event in raw.e.events.iter().filter(|event| !event.idle) {
        let waits = raw.event(event, |event| event.waits);
        if waits > 0.0 {
            expected.push((raw.event(event, |event| event.micros), Some(waits), &event.event));
        }
    }
    let sum: f64 = expected.iter().map(|(micros, ..)| micros).sum();
    assert!(
        (sum - total).abs() < 1.0
            || raw.e.events.iter().any(|event| !event.idle && raw.event(event, |e| e.waits) == 0.0)
    );
    expected.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then(other.1.unwrap_or(0.0).total_cmp(&one.1.unwrap_or(0.0))).then(one.2.cmp(other.2))
    });
    expected.truncate(5);
    let rows = page.rows(&page.section("Top 5 Timed Events", 0));
    assert_eq!(rows.len(), expected.len());
    for (row, (micros, waits, name)) in rows.iter().zip(expected) {
        assert!(name.starts_with(page.cell(row, 0)), "{name}");
        page.check(row, 1, waits);
        page.check(row, 2, Some(micros / 1e6));
        page.check(row, 3, waits.map(|waits| micros / 1000.0 / waits));
        page.check(row, 4, ratio(100.0 * micros, total));
    }
}

fn histograms(raw: &Raw<'_>, page: &mut Page<'_>) {
    const MILLI: [u64; 7] = [1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 20];
    const MICRO: [u64; 7] = [8, 16, 32, 64, 128, 256, 512];
    for (title, bounds) in [("Wait Event Histogram  DB", MILLI), ("Wait Event Histogram (up to", MICRO)] {
        let rows = page.rows(&page.section(title, 0));
        for row in rows {
            let event = named(&raw.e.events, page.cell(&row, 0), |event| &event.event).event.clone();
            let buckets = raw.e.event_histograms.iter().filter(|bucket| bucket.event == event);
            let counts: Vec<(u64, f64)> = buckets
                .map(|bucket| {
                    let same = |other: &EventHistogram| other.event == event && other.below_us == bucket.below_us;
                    (bucket.below_us, delta(&raw.b.event_histograms, bucket, same, |bucket| bucket.waits as f64))
                })
                .collect();
            let waits: f64 = counts.iter().map(|(_, count)| count).sum();
            page.check(&row, 1, Some(waits));
            // Shares are rounded as sums from below.
            let below =
                |bound: u64| counts.iter().filter(|(below, _)| *below <= bound).map(|(_, count)| count).sum::<f64>();
            let mut before = 0.0;
            for (at, sum) in bounds.iter().map(|bound| below(*bound)).chain([waits]).enumerate() {
                let tenths = |sum: f64| (1000.0 * sum / waits).round();
                let share = (tenths(sum) - tenths(before)) / 10.0;
                let cell = page.cell(&row, at + 2);
                // Which way a sum that lies between two tenths is rounded is the last bit's business.
                let close = cell.parse::<f64>().is_ok_and(|printed| (printed - share).abs() < 0.1001);
                page.check(&row, at + 2, (sum > before).then(|| if close { cell.parse().unwrap() } else { share }));
                before = sum;
            }
        }
    }
}

fn statements(raw: &Raw<'_>, page: &mut Page<'_>) {
    type Work = [f64; 7];
    let counters = |s: &SqlStatement| {
        [s.cpu_us, s.elapsed_us, s.gets, s.reads, s.executions, s.parse_calls, s.rows].map(|count| count as f64)
    };
    let mut works: BTreeMap<&str, (Work, u64)> = BTreeMap::new();
    for s in &raw.e.sql {
        let before = raw.b.sql.iter().find(|other| other.sql_id == s.sql_id).map_or([0.0; 7], counters);
        let now = counters(s);
        let came_back = now.iter().zip(before).any(|(now, before)| *now < before);
        let mut work = now;
        if !came_back {
            work.iter_mut().zip(before).for_each(|(now, before)| *now -= before);
        }
        // Seconds only now: what lies between two microseconds is exact.
        work[..2].iter_mut().for_each(|micros| *micros /= 1e6);
        works.insert(&s.sql_id, (work, s.command));
    }
    let totals = [
        raw.model_s("DB CPU"),
        raw.model_s("DB time"),
        raw.stat("session logical reads"),
        raw.stat("physical reads"),
        raw.stat("execute count"),
        raw.stat("parse count (total)"),
    ];
    let titles = ["CPU", "Elapsed time", "Gets", "Reads", "Executions", "Parse Calls"];
    for (order, title) in titles.into_iter().enumerate() {
        let lines = page.section(&format!("SQL ordered by {title}"), 0);
        let total = totals[order];
        let share = |value: f64| ratio(100.0 * value, total);
        let listed: BTreeSet<&str> = works
            .iter()
            .filter(|(_, (work, _))| work[order] > 0.0 && share(work[order]).is_none_or(|share| share > 1.0))
            .map(|(id, _)| *id)
            .collect();
        let mut printed = BTreeSet::new();
        for &line in &lines {
            let text = page.text(line);
            if text.starts_with("-> Total ") {
                let at = text.find(':').unwrap() + 1;
                page.check_words(line, at, 80, &[Some(total)]);
            } else if text.starts_with("-> Captured") {
                let (at, end) = (text.find("for").unwrap() + 3, text.find('%').unwrap());
                let counted = works.values().filter(|(_, command)| *command != 47 || !(2..=3).contains(&order));
                page.check_words(line, at, end, &[share(counted.map(|(work, _)| work[order]).sum())]);
            }
        }
        for row in page.rows(&lines) {
            let text = page.text(row.line);
            let id = text.rsplit(' ').next().unwrap();
            let Some((work, _)) = works.get(id).filter(|_| text.len() > 40 && id.len() == 13) else {
                page.skip(row.line);
                continue;
            };
            printed.insert(id);
            let [cpu, elapsed, gets, reads, executions, parses, rows] = *work;
            let each = |value: f64| ratio(value, executions);
            let some = Some;
            let figures = match order {
                0 => vec![some(cpu), some(executions), each(cpu), share(cpu), some(elapsed), some(gets)],
                1 => vec![some(elapsed), some(executions), each(elapsed), share(elapsed), some(cpu), some(reads)],
                2 => vec![some(gets), some(executions), each(gets), share(gets), some(cpu), some(elapsed)],
                3 => vec![some(reads), some(executions), each(reads), share(reads), some(cpu), some(elapsed)],
                4 => vec![some(executions), some(rows), each(rows), each(cpu), each(elapsed)],
                _ => vec![some(parses), some(executions), share(parses)],
            };
            for (column, figure) in figures.into_iter().enumerate() {
                page.check(&row, column, figure);
            }
        }
        assert_eq!(printed, listed, "{title}");
    }
}

fn activity(raw: &Raw<'_>, page: &mut Page<'_>) {
    let mut rows = page.rows(&page.section("Instance Activity Stats", 0));
    // A name that goes on in the next line.
    rows.retain(|row| !page.cell(row, 1).is_empty());
    let mut names: Vec<&str> = raw.e.statistics.iter().map(|line| line.name.as_str()).collect();
    names.retain(|name| *name != "logons current" && raw.stat(name) >= 0.0);
    names.sort_unstable();
    assert_eq!(rows.len(), names.len());
    for (row, name) in rows.iter().zip(names) {
        assert!(name.starts_with(page.cell(row, 0)), "{name}");
        page.check(row, 1, Some(raw.stat(name)));
        page.check(row, 2, ratio(raw.stat(name), raw.ela));
        page.check(row, 3, ratio(raw.stat(name), raw.tran));
    }
    let rows = page.rows(&page.section("Instance Activity Stats", 1));
    for row in &rows {
        let value = |s: &Snapshot| named(&s.statistics, page.cell(row, 0), |line| &line.name).value as f64;
        let (begin, end) = (value(raw.b), value(raw.e));
        page.check(row, 1, Some(begin));
        page.check(row, 2, Some(end));
    }
    assert_eq!(rows.len(), 1);
    let rows = page.rows(&page.section("Instance Activity Stats", 2));
    let switches = (raw.e.header.log_sequence - raw.b.header.log_sequence) as f64;
    page.check(&rows[0], 1, Some(switches));
    page.check(&rows[0], 2, ratio(switches, raw.ela / 3600.0));
    let rows = page.rows(&page.section("OS Statistics  DB", 0));
    assert_eq!(rows.len(), raw.e.os_statistics.len() - 1);
    for row in rows {
        let name = page.cell(&row, 0);
        let (begin, end) = (os(raw.b, name), os(raw.e, name));
        let difference = name.ends_with("_TIME") || name.starts_with("VM_");
        page.check(&row, 1, Some(if difference { end - begin } else { begin }));
        page.check(&row, 2, Some(end).filter(|end| !difference && *end != begin));
    }
    let rows = page.rows(&page.section("OS Statistics - detail", 0));
    let ticks = raw.os("BUSY_TIME") + raw.os("IDLE_TIME");
    for (row, s) in rows.iter().zip([raw.b, raw.e]) {
        page.check(row, 0, Some(s.id as f64));
        page.check(row, 2, Some(os(s, "LOAD")));
        for (column, name) in [(3, "BUSY_TIME"), (4, "USER_TIME"), (5, "SYS_TIME"), (6, "IOWAIT_TIME")] {
            page.check(row, column, ratio(100.0 * raw.os(name), ticks).filter(|_| s.id == raw.e.id));
        }
        page.skip(row.line);
    }
}

/// Reads, writes, centiseconds of reads, blocks read, buffer waits and their centiseconds.
fn file(raw: &Raw<'_>, f: &FileStatistics) -> [f64; 6] {
    let same = |other: &FileStatistics| other.tablespace == f.tablespace && other.file == f.file;
    let of: [fn(&FileStatistics) -> f64; 6] = [
        |f| f.reads as f64,
        |f| f.writes as f64,
        |f| f.read_centiseconds,
        |f| f.blocks_read as f64,
        |f| f.buffer_waits as f64,
        |f| f.buffer_wait_centiseconds,
    ];
    of.map(|of| delta(&raw.b.files, f, same, of))
}

fn files(raw: &Raw<'_>, page: &mut Page<'_>) {
    let mut tablespaces: BTreeMap<&str, [f64; 6]> = BTreeMap::new();
    let mut files: BTreeMap<(&str, &str), [f64; 6]> = BTreeMap::new();
    for f in &raw.e.files {
        let work = file(raw, f);
        if work[0] + work[1] > 0.0 {
            files.insert((&f.tablespace, &f.file), work);
            tablespaces.entry(&f.tablespace).or_default().iter_mut().zip(work).for_each(|(sum, value)| *sum += value);
        }
    }
    let figures = |[reads, writes, read_cs, blocks, waits, wait_cs]: [f64; 6]| {
        [
            Some(reads),
            ratio(reads, raw.ela),
            ratio(10.0 * read_cs, reads),
            ratio(blocks, reads),
            Some(writes),
            ratio(writes, raw.ela),
            Some(waits),
            ratio(10.0 * wait_cs, waits),
        ]
    };
    let lines = page.section("Tablespace IO Stats", 0);
    if !tablespaces.is_empty() {
        let rows = page.double_rows(&lines);
        assert_eq!(rows.len(), tablespaces.len());
        for (names, row) in rows {
            for (column, value) in figures(tablespaces[names[0].as_str()]).into_iter().enumerate() {
                page.check(&row, column, value);
            }
        }
        let rows = page.double_rows(&page.section("File IO Stats", 0));
        assert_eq!(rows.len(), files.len());
        for (names, row) in rows {
            let values = figures(files[&(names[0].as_str(), names[1].as_str())]);
            for (column, value) in [0, 1, 2, 4, 5, 6, 7, 8].into_iter().zip(values) {
                page.check(&row, column, value);
            }
            let reads = buckets(raw, &names[0], &names[1]);
            let last = reads.iter().rposition(|reads| *reads > 0.0);
            let expected = last.map_or("", |last| ["2", "4", "8", "16", "32", "32+"][last]);
            assert_eq!(page.cell(&row, 3), expected);
            page.skip(row.line);
        }
    }
    for (names, row) in page.double_rows(&page.section("File Read Histogram", 0)) {
        for (column, reads) in buckets(raw, &names[0], &names[1]).into_iter().enumerate() {
            page.check(&row, column, Some(reads));
        }
    }
    let rows = page.rows(&page.section("Buffer Pool Statistics", 0));
    assert_eq!(rows.len(), raw.e.buffer_pools.len());
    for row in rows {
        let pool = match page.cell(&row, 0) {
            "D" => ("DEFAULT", 8192),
            "K" => ("KEEP", 8192),
            _ => ("DEFAULT", 16_384),
        };
        let same = |p: &BufferPool| (p.name.as_str(), p.block_size) == pool;
        let p = raw.e.buffer_pools.iter().find(|p| same(p)).unwrap();
        let of = |of: fn(&BufferPool) -> u64| delta(&raw.b.buffer_pools, p, same, |p| of(p) as f64);
        let gets = of(|p| p.current_gets) + of(|p| p.consistent_gets);
        let reads = of(|p| p.reads);
        let values = [
            Some(p.buffers as f64),
            ratio(reads, gets).map(|missed| 100.0 * (1.0 - missed)),
            Some(gets),
            Some(reads),
            Some(of(|p| p.writes)),
            Some(of(|p| p.free_buffer_waits)),
            Some(of(|p| p.write_complete_waits)),
            Some(of(|p| p.buffer_busy_waits)),
        ];
        for (column, value) in values.into_iter().enumerate() {
            page.check(&row, column + 1, value);
        }
    }
}

/// Reads in 0 to 2 ms, 2 to 4, 4 to 8, 8 to 16, 16 to 32, and more.
fn buckets(raw: &Raw<'_>, tablespace: &str, name: &str) -> [f64; 6] {
    let mut reads = [0.0; 6];
    for bucket in raw.e.file_histograms.iter().filter(|b| b.tablespace == tablespace && b.file == name) {
        let same = |b: &FileHistogram| b.tablespace == tablespace && b.file == name && b.below_ms == bucket.below_ms;
        let at = match bucket.below_ms {
            0..=2 => 0,
            4 => 1,
            8 => 2,
            16 => 3,
            32 => 4,
            _ => 5,
        };
        reads[at] += delta(&raw.b.file_histograms, bucket, same, |b| b.reads as f64);
    }
    reads
}

fn waits(raw: &Raw<'_>, page: &mut Page<'_>) {
    let class_waits = |class: &ClassWaits| {
        let same = |other: &ClassWaits| other.class == class.class;
        let waits = delta(&raw.b.class_waits, class, same, |class| class.waits as f64);
        (waits, delta(&raw.b.class_waits, class, same, |class| class.centiseconds))
    };
    let waited = raw.e.class_waits.iter().filter(|class| class_waits(class).0 > 0.0).count();
    let rows = page.rows(&page.section("Buffer wait Statistics", 0));
    assert_eq!(rows.len(), waited);
    let mut last = (f64::INFINITY, f64::INFINITY);
    for row in rows {
        let class = raw.e.class_waits.iter().find(|class| class.class == page.cell(&row, 0)).unwrap();
        let (waits, time) = class_waits(class);
        page.check(&row, 1, Some(waits));
        page.check(&row, 2, Some(time / 100.0));
        page.check(&row, 3, Some(10.0 * time / waits));
        assert!((time, waits) <= last, "{}", class.class);
        last = (time, waits);
    }
    let locked = raw.e.enqueues.iter().filter(|lock| {
        let same = |other: &EnqueueStatistics| other.kind == lock.kind && other.reason == lock.reason;
        delta(&raw.b.enqueues, lock, same, |lock| lock.waits as f64) > 0.0
    });
    let locked = locked.count();
    let lines = page.section("Enqueue activity", 0);
    if page.text(lines[lines.len() - 1]).starts_with("No data") {
        assert_eq!(locked, 0);
        return;
    }
    let rows = page.double_rows(&lines);
    assert_eq!(rows.len(), locked);
    let mut last = (f64::INFINITY, f64::INFINITY);
    for (names, row) in rows {
        let lock = raw.e.enqueues.iter().find(|lock| {
            let reason = if lock.reason == "contention" { String::new() } else { format!(" ({})", lock.reason) };
            names[0] == format!("{}-{}{reason}", lock.kind, lock.name)
        });
        let lock = lock.unwrap_or_else(|| panic!("{names:?}"));
        let same = |other: &EnqueueStatistics| other.kind == lock.kind && other.reason == lock.reason;
        let of = |of: fn(&EnqueueStatistics) -> f64| delta(&raw.b.enqueues, lock, same, of);
        let (waits, time) = (of(|lock| lock.waits as f64), of(|lock| lock.milliseconds));
        let values = [
            of(|lock| lock.requests as f64),
            of(|lock| lock.gets as f64),
            of(|lock| lock.failed as f64),
            waits,
            time / 1000.0,
            time / waits,
        ];
        for (column, value) in values.into_iter().enumerate() {
            page.check(&row, column, Some(value));
        }
        assert!((time, waits) <= last, "{names:?}");
        last = (time, waits);
    }
}

fn memory(raw: &Raw<'_>, page: &mut Page<'_>) {
    let rows = page.rows(&page.section("PGA Aggr Target Stats", 0));
    let change = |name: &str| pga(raw.e, name) - pga(raw.b, name);
    let (processed, extra) = (change("bytes processed"), change("extra bytes read/written"));
    let mega = 1_048_576.0;
    page.check(&rows[0], 0, ratio(100.0 * processed, processed + extra));
    page.check(&rows[0], 1, Some(processed / mega));
    page.check(&rows[0], 2, Some(extra / mega));
    for (row, (which, s)) in rows[rows.len() - 2..].iter().zip([("B", raw.b), ("E", raw.e)]) {
        assert_eq!(page.cell(row, 0), which);
        let allocated = pga(s, "total PGA allocated");
        let automatic = pga(s, "total PGA used for auto workareas");
        let manual = pga(s, "total PGA used for manual workareas");
        let used = automatic + manual;
        let values = [
            Some(pga(s, "aggregate PGA target parameter") / mega),
            Some(pga(s, "aggregate PGA auto target") / mega),
            Some(allocated / mega),
            Some(used / mega),
            ratio(100.0 * used, allocated),
            ratio(100.0 * automatic, used),
            ratio(100.0 * manual, used),
            Some(pga(s, "global memory bound") / 1024.0),
        ];
        for (column, value) in values.into_iter().enumerate() {
            page.check(row, column + 1, value);
        }
    }
    let rows = page.rows(&page.section("Library Cache Activity", 0));
    let used = |line: &&LibraryCache| {
        let same = |other: &LibraryCache| other.namespace == line.namespace;
        delta(&raw.b.library_cache, line, same, |line| (line.gets + line.pins) as f64) > 0.0
    };
    assert_eq!(rows.len(), raw.e.library_cache.iter().filter(used).count());
    for row in rows {
        let line = raw.e.library_cache.iter().find(|line| line.namespace == page.cell(&row, 0)).unwrap();
        let same = |other: &LibraryCache| other.namespace == line.namespace;
        let of = |of: fn(&LibraryCache) -> u64| delta(&raw.b.library_cache, line, same, |line| of(line) as f64);
        let (gets, pins) = (of(|line| line.gets), of(|line| line.pins));
        page.check(&row, 1, Some(gets));
        page.check(&row, 2, ratio(100.0 * of(|line| line.get_hits), gets).map(|hits| 100.0 - hits));
        page.check(&row, 3, Some(pins));
        page.check(&row, 4, ratio(100.0 * of(|line| line.pin_hits), pins).map(|hits| 100.0 - hits));
        page.check(&row, 5, Some(of(|line| line.reloads)));
        page.check(&row, 6, Some(of(|line| line.invalidations)));
    }
}

fn cells(raw: &Raw<'_>, page: &mut Page<'_>) {
    let rows = page.rows(&page.section("Storage Cell Messages", 0));
    assert_eq!(rows.len(), raw.e.cells.len());
    for row in rows {
        let line = raw.e.cells.iter().find(|line| line.cell == page.cell(&row, 0)).unwrap();
        let same = |other: &CellTraffic| other.cell == line.cell;
        let of = |of: fn(&CellTraffic) -> u64| delta(&raw.b.cells, line, same, |line| of(line) as f64);
        page.check(&row, 1, Some(of(|line| line.reads)));
        page.check(&row, 2, Some(of(|line| line.writes)));
        page.check(&row, 3, Some(of(|line| line.scans)));
        page.check(&row, 4, Some(of(|line| line.bytes_sent) / 1_048_576.0));
        page.check(&row, 5, Some(of(|line| line.bytes_received) / 1_048_576.0));
    }
}

fn undo(raw: &Raw<'_>, page: &mut Page<'_>) {
    let within = |u: &&UndoStatistics| u.end > raw.b.header.time && u.begin < raw.e.header.time;
    let mut rows: Vec<&UndoStatistics> = raw.e.undo.iter().filter(within).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.end));
    let counts = |u: &UndoStatistics| {
        [
            u.snapshot_too_old,
            u.out_of_space,
            u.unexpired_stolen,
            u.unexpired_released,
            u.unexpired_reused,
            u.expired_stolen,
            u.expired_released,
            u.expired_reused,
        ]
    };
    let slashed = |counts: [u64; 8]| {
        let join = |counts: &[u64]| counts.iter().map(u64::to_string).collect::<Vec<_>>().join("/");
        format!("{} {}", join(&counts[..2]), join(&counts[2..]))
    };
    let words = |text: &str, from: usize| text[from..].split_whitespace().collect::<Vec<_>>().join(" ");
    let printed = page.rows(&page.section("Undo Segment Summary", 0));
    let sum = |of: fn(&UndoStatistics) -> u64| Some(rows.iter().map(|u| of(u)).sum::<u64>() as f64);
    let most = |of: fn(&UndoStatistics) -> u64| rows.iter().map(|u| of(u)).max().map(|most| most as f64);
    let row = printed[0].clone();
    page.check(&row, 0, Some(2.0));
    page.check(&row, 1, sum(|u| u.blocks).map(|blocks| blocks / 1000.0));
    page.check(&row, 2, sum(|u| u.transactions));
    page.check(&row, 3, most(|u| u.longest_query_s));
    page.check(&row, 4, most(|u| u.concurrent_transactions));
    let retention = || rows.iter().map(|u| u.tuned_retention_s as f64 / 60.0);
    let (least, longest) = (retention().reduce(f64::min).unwrap(), retention().reduce(f64::max).unwrap());
    assert_eq!(page.cell(&row, 5), format!("{least:.1}/{longest:.1}"));
    let mut sums = [0; 8];
    for u in &rows {
        sums.iter_mut().zip(counts(u)).for_each(|(sum, count)| *sum += count);
    }
    assert_eq!(words(page.text(row.line), 62), slashed(sums));
    let printed = page.rows(&page.section("Undo Segment Stats", 0));
    assert_eq!(printed.len(), rows.len());
    for (row, u) in printed.iter().zip(rows) {
        page.check(row, 1, Some(u.blocks as f64));
        page.check(row, 2, Some(u.transactions as f64));
        page.check(row, 3, Some(u.longest_query_s as f64));
        page.check(row, 4, Some(u.concurrent_transactions as f64));
        page.check(row, 5, Some(u.tuned_retention_s as f64 / 60.0));
        assert_eq!(words(page.text(row.line), 62), slashed(counts(u)));
    }
}

fn latches(raw: &Raw<'_>, page: &mut Page<'_>) {
    let of = |latch: &Latch, of: fn(&Latch) -> u64| {
        delta(&raw.b.latches, latch, |other| other.name == latch.name, |latch| of(latch) as f64)
    };
    let listed = |used: &dyn Fn(&Latch) -> f64| raw.e.latches.iter().filter(|latch| used(latch) > 0.0).count();
    let rows = page.rows(&page.section("Latch Activity", 0));
    let asked =
        |latch: &Latch| of(latch, |latch| latch.gets + latch.misses + latch.immediate_gets + latch.immediate_misses);
    assert_eq!(rows.len(), listed(&asked));
    for row in rows {
        let latch = named(&raw.e.latches, page.cell(&row, 0), |latch| &latch.name);
        let (gets, misses) = (of(latch, |latch| latch.gets), of(latch, |latch| latch.misses));
        let nowait = of(latch, |latch| latch.immediate_gets);
        page.check(&row, 1, Some(gets));
        page.check(&row, 2, ratio(100.0 * misses, gets));
        page.check(&row, 3, ratio(of(latch, |latch| latch.sleeps), misses));
        page.check(&row, 4, Some(of(latch, |latch| latch.wait_us) / 1e6));
        page.check(&row, 5, Some(nowait));
        page.check(&row, 6, ratio(100.0 * of(latch, |latch| latch.immediate_misses), nowait));
    }
    let rows = page.rows(&page.section("Latch Sleep breakdown", 0));
    assert_eq!(rows.len(), listed(&|latch| of(latch, |latch| latch.misses)));
    let mut last = f64::INFINITY;
    for row in rows {
        let latch = named(&raw.e.latches, page.cell(&row, 0), |latch| &latch.name);
        let misses = of(latch, |latch| latch.misses);
        assert!(misses <= last, "{}", latch.name);
        last = misses;
        let columns: [fn(&Latch) -> u64; 4] =
            [|latch| latch.gets, |latch| latch.misses, |latch| latch.sleeps, |latch| latch.spin_gets];
        for (column, value) in columns.into_iter().enumerate() {
            page.check(&row, column + 1, Some(of(latch, value)));
        }
    }
    let of = |place: &LatchMisses, of: fn(&LatchMisses) -> u64| {
        let same = |other: &LatchMisses| other.latch == place.latch && other.place == place.place;
        delta(&raw.b.latch_misses, place, same, |place| of(place) as f64)
    };
    let mut rows = page.rows(&page.section("Latch Miss Sources", 0));
    // The rest of a place's name.
    rows.retain(|row| !page.cell(row, 0).is_empty());
    assert_eq!(rows.len(), raw.e.latch_misses.iter().filter(|place| of(place, |place| place.sleeps) > 0.0).count());
    for row in rows {
        let same = |place: &&LatchMisses| {
            place.latch.starts_with(page.cell(&row, 0)) && place.place.starts_with(page.cell(&row, 1))
        };
        let place = raw.e.latch_misses.iter().find(same).unwrap();
        page.check(&row, 2, Some(of(place, |place| place.nowait_misses)));
        page.check(&row, 3, Some(of(place, |place| place.sleeps)));
        page.check(&row, 4, Some(of(place, |place| place.waiter_sleeps)));
    }
}

fn segments(raw: &Raw<'_>, page: &mut Page<'_>) {
    type Of = fn(&SegmentStatistics) -> u64;
    let sections: [(&str, Of); 5] = [
        ("Logical Reads", |s| s.logical_reads),
        ("Physical Reads", |s| s.physical_reads),
        ("Row Lock Waits", |s| s.row_lock_waits),
        ("ITL Waits", |s| s.itl_waits),
        ("Buffer Busy Waits", |s| s.buffer_busy_waits),
    ];
    for (title, of) in sections {
        let mut counts: Vec<(f64, &str)> = Vec::new();
        for s in &raw.e.segments {
            let count = delta(&raw.b.segments, s, |other| other.object == s.object, |s| of(s) as f64);
            let object = raw.e.segment_objects.iter().find(|object| object.object == s.object).unwrap();
            counts.push((count, &object.name));
        }
        let total: f64 = counts.iter().map(|(count, _)| count).sum();
        counts.retain(|(count, _)| *count > 0.0);
        counts.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
        counts.truncate(5);
        let rows = page.rows(&page.section(&format!("Segments by {title}"), 0));
        // A name that goes on in the next line has no figure there.
        let rows: Vec<_> = rows.into_iter().filter(|row| !page.cell(row, 5).is_empty()).collect();
        assert_eq!(rows.len(), counts.len(), "{title}");
        for (row, (count, name)) in rows.iter().zip(counts) {
            assert!(name.starts_with(page.cell(row, 2)), "{name}");
            page.check(row, 5, Some(count));
            page.check(row, 6, ratio(100.0 * count, total));
        }
    }
}

/// Parameters are texts: each is printed as it is, folded.
fn settings(raw: &Raw<'_>, page: &mut Page<'_>) {
    let rows = page.rows(&page.section("init.ora Parameters", 0));
    let mut printed: Vec<[String; 3]> = Vec::new();
    for row in rows {
        let cells = [0, 1, 2].map(|column| page.cell(&row, column).to_owned());
        page.skip(row.line);
        let goes_on = cells[0].is_empty() || cells[1].is_empty();
        match printed.last_mut().filter(|_| goes_on) {
            Some(last) => last.iter_mut().zip(cells).for_each(|(cell, rest)| cell.push_str(&rest)),
            None => printed.push(cells),
        }
    }
    let mut expected = Vec::new();
    for (b, e) in raw.b.parameters.iter().zip(&raw.e.parameters) {
        let end = if b.value == e.value { String::new() } else { e.value.clone() };
        if !e.is_default || !end.is_empty() {
            expected.push([e.name.clone(), b.value.clone(), end]);
        }
    }
    assert_eq!(printed, expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn every_figure_is_reckoned_again_from_the_snapshots(seed in any::<u64>()) {
        let (begin, end) = made_up::pair(seed);
        check(&begin, &end, &super::printed(&begin, &end));
    }
}

#[test]
fn a_figure_that_is_wrong_is_found() {
    let (begin, mut end) = made_up::pair(5);
    let text = super::printed(&begin, &end);
    check(&begin, &end, &text);
    end.statistics.iter_mut().find(|line| line.name == "physical reads").unwrap().value += 1;
    let found = std::panic::catch_unwind(|| check(&begin, &end, &text));
    assert!(found.is_err());
}

thread_local! {
    /// The panics of this thread are expected, and not worth a message.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// The check proves something: whichever digit of the report is another, it says so.
#[test]
fn no_digit_of_a_report_can_be_another() {
    let (begin, end) = made_up::pair(5);
    let text = super::printed(&begin, &end);
    let page = check(&begin, &end, &text);
    let message = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !EXPECTED.get() {
            message(panic);
        }
    }));
    EXPECTED.set(true);
    let mut count = 0;
    let mut missed = Vec::new();
    for (line, falsified) in page.falsified() {
        count += 1;
        if std::panic::catch_unwind(|| check(&begin, &end, &falsified)).is_ok() {
            missed.push(format!("line {}: {}", line + 1, falsified.lines().nth(line).unwrap()));
        }
    }
    EXPECTED.set(false);
    assert!(count > 600, "{count} figures");
    assert!(missed.is_empty(), "{} of {count} are not noticed:\n{}", missed.len(), missed.join("\n"));
}
