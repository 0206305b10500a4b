//! The first page: identity, time, sizes, rates.

use super::super::snapshot::Snapshot;
use super::{Pair, over, percent, since, some};
use crate::model::{self, CacheSizes, Host, Identity, LoadLine, MemoryStatistic, Report, Window};

const MEGABYTE: f64 = 1_048_576.0;

impl Pair<'_> {
    pub(super) fn first_page(&self, report: &mut Report) {
        report.identity = self.identity();
        report.window = self.window();
        report.host = self.host();
        report.caches = self.caches();
        report.load_profile = some(self.load_profile());
        report.efficiencies = some(self.efficiencies());
        report.memory = some(self.memory());
    }

    fn identity(&self) -> Identity {
        let end = self.end;
        let named = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Identity {
            database: named(&end.instance.database),
            database_id: Some(end.database_id),
            instance: named(&end.instance.instance),
            instance_number: u32::try_from(end.instance_number).ok(),
            release: named(&end.instance.release),
            rac: Some(false),
            startup: Some(end.header.startup.to_minute()),
            ..Identity::default()
        }
    }

    fn window(&self) -> Window {
        let snapshot = |snapshot: &Snapshot| model::Snapshot {
            id: Some(snapshot.id),
            time: Some(snapshot.header.time.to_second()),
            time_s: Some(snapshot.header.time.0),
            sessions: Some(snapshot.header.sessions as f64),
            cursors_per_session: over(snapshot.header.cursors as f64, snapshot.header.sessions as f64),
            comment: Some(snapshot.header.comment.clone()).filter(|comment| !comment.is_empty()),
        };
        Window {
            begin: snapshot(self.begin),
            end: snapshot(self.end),
            elapsed_s: Some(self.elapsed_s),
            db_time_s: self.time_model_us("DB time").map(|micros| micros / 1e6),
            db_cpu_s: self.time_model_us("DB CPU").map(|micros| micros / 1e6),
        }
    }

    fn host(&self) -> Host {
        let end = self.end;
        let share = |name: &str| percent(self.os_difference(name)?, self.cpu_centiseconds()?);
        let named = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Host {
            name: named(&end.instance.host),
            platform: named(&end.instance.platform),
            cpus: os(end, "NUM_CPUS"),
            cores: os(end, "NUM_CPU_CORES"),
            sockets: os(end, "NUM_CPU_SOCKETS"),
            memory_bytes: os(end, "PHYSICAL_MEMORY_BYTES"),
            load_begin: os(self.begin, "LOAD"),
            load_end: os(end, "LOAD"),
            user_percent: share("USER_TIME"),
            system_percent: share("SYS_TIME"),
            idle_percent: share("IDLE_TIME"),
            io_wait_percent: share("IOWAIT_TIME"),
            ..Host::default()
        }
    }

    /// The difference of a statistic of V$OSSTAT.
    pub(super) fn os_difference(&self, name: &str) -> Option<f64> {
        Some(os(self.end, name)? - os(self.begin, name)?)
    }

    /// All time of all processors, busy and idle.
    pub(super) fn cpu_centiseconds(&self) -> Option<f64> {
        Some(self.os_difference("BUSY_TIME")? + self.os_difference("IDLE_TIME")?)
    }

    fn caches(&self) -> CacheSizes {
        let part = |snapshot: &Snapshot, name: &str| {
            let mut parts = snapshot.sga.iter();
            parts.find(|part| part.name == name).map(|part| part.bytes as f64)
        };
        let changed = |name: &str| part(self.end, name).filter(|end| part(self.begin, name) != Some(*end));
        CacheSizes {
            buffer_cache_bytes: part(self.begin, "Database Buffers"),
            buffer_cache_end_bytes: changed("Database Buffers"),
            shared_pool_bytes: part(self.begin, "Shared Pool"),
            shared_pool_end_bytes: changed("Shared Pool"),
            block_bytes: block_bytes(self.begin),
            log_buffer_bytes: part(self.begin, "Redo Buffers"),
        }
    }

    fn load_profile(&self) -> Vec<LoadLine> {
        let mut lines = Vec::new();
        let executions = self.statistic("execute count");
        let calls = self.statistic("user calls");
        for (name, line) in [("DB time", "DB time"), ("DB CPU", "DB CPU")] {
            let Some(seconds) = self.time_model_us(line).map(|micros| micros / 1e6) else { continue };
            lines.push(LoadLine {
                per_execution: executions.and_then(|count| over(seconds, count)),
                per_call: calls.and_then(|count| over(seconds, count)),
                ..self.load_line(name, seconds)
            });
        }
        for (name, statistic) in [
            ("Redo size", "redo size"),
            ("Logical reads", "session logical reads"),
            ("Block changes", "db block changes"),
            ("Physical reads", "physical reads"),
            ("Physical writes", "physical writes"),
            ("User calls", "user calls"),
            ("Parses", "parse count (total)"),
            ("Hard parses", "parse count (hard)"),
        ] {
            lines.extend(self.statistic(statistic).map(|value| self.load_line(name, value)));
        }
        let worked = self.pga_difference("bytes processed").map(|bytes| bytes / MEGABYTE);
        lines.extend(worked.map(|value| self.load_line("W/A MB processed", value)));
        for (name, statistic) in
            [("Logons", "logons cumulative"), ("Executes", "execute count"), ("Rollbacks", "user rollbacks")]
        {
            lines.extend(self.statistic(statistic).map(|value| self.load_line(name, value)));
        }
        lines.extend(
            self.transactions.map(|count| LoadLine { per_transaction: None, ..self.load_line("Transactions", count) }),
        );
        lines
    }

    fn load_line(&self, name: &str, value: f64) -> LoadLine {
        LoadLine {
            name: name.to_owned(),
            per_second: self.per_second(value),
            per_transaction: self.per_transaction(value),
            per_execution: None,
            per_call: None,
        }
    }

    fn efficiencies(&self) -> Vec<(String, f64)> {
        let statistic = |name: &str| self.statistic(name);
        let gets = ["consistent gets from cache", "db block gets from cache", "recovery block gets from cache"]
            .into_iter()
            .filter_map(statistic)
            .reduce(|sum, gets| sum + gets);
        let remaining = |part: Option<f64>, whole: Option<f64>| percent(whole? - part?, whole?);
        let optimal = statistic("workarea executions - optimal");
        let other =
            ["workarea executions - onepass", "workarea executions - multipass"].into_iter().filter_map(statistic);
        let work_areas = optimal.map(|optimal| optimal + other.sum::<f64>());
        let (parse_cpu, cpu) = (statistic("parse time cpu"), statistic("CPU used by this session"));
        let share = |part: Option<f64>, whole: Option<f64>| percent(part?, whole?);
        let lines = [
            ("Buffer Nowait %", remaining(Some(self.buffer_waits_count()), gets)),
            ("Redo NoWait %", remaining(statistic("redo log space requests"), statistic("redo entries"))),
            ("Buffer Hit %", remaining(statistic("physical reads cache"), gets)),
            ("Optimal W/A Exec %", share(optimal, work_areas)),
            ("Library Hit %", self.library_hit_percent()),
            ("Soft Parse %", remaining(statistic("parse count (hard)"), statistic("parse count (total)"))),
            ("Execute to Parse %", remaining(statistic("parse count (total)"), statistic("execute count"))),
            ("Latch Hit %", self.latch_hit_percent()),
            ("Parse CPU to Parse Elapsd %", share(parse_cpu, statistic("parse time elapsed"))),
            ("% Non-Parse CPU", remaining(parse_cpu, cpu)),
        ];
        lines.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }

    fn library_hit_percent(&self) -> Option<f64> {
        let sum = |of: fn(&super::super::records::LibraryCache) -> u64| {
            let total = |snapshot: &Snapshot| snapshot.library_cache.iter().map(of).sum::<u64>();
            since(total(self.end), total(self.begin))
        };
        percent(sum(|line| line.pin_hits), sum(|line| line.pins))
    }

    fn latch_hit_percent(&self) -> Option<f64> {
        let sum = |of: fn(&super::super::records::Latch) -> u64| {
            let total = |snapshot: &Snapshot| snapshot.latches.iter().map(of).sum::<u64>();
            since(total(self.end), total(self.begin))
        };
        let gets = sum(|latch| latch.gets);
        percent(gets - sum(|latch| latch.misses), gets)
    }

    /// The difference of a statistic of V$PGASTAT.
    pub(super) fn pga_difference(&self, name: &str) -> Option<f64> {
        Some(since(pga(self.end, name)?, pga(self.begin, name).unwrap_or(0)))
    }

    fn memory(&self) -> Vec<MemoryStatistic> {
        let host = |snapshot: &Snapshot| os(snapshot, "PHYSICAL_MEMORY_BYTES");
        let sga = |snapshot: &Snapshot| {
            let bytes: u64 = snapshot.sga.iter().map(|part| part.bytes).sum();
            (!snapshot.sga.is_empty()).then_some(bytes as f64)
        };
        let allocated = |snapshot: &Snapshot| pga(snapshot, "total PGA allocated").map(|bytes| bytes as f64);
        let used = |snapshot: &Snapshot| percent(sga(snapshot)? + allocated(snapshot)?, host(snapshot)?);
        let megabytes = |bytes: Option<f64>| bytes.map(|bytes| bytes / MEGABYTE);
        let line = |name: &str, begin: Option<f64>, end: Option<f64>| {
            (begin.is_some() || end.is_some()).then(|| MemoryStatistic { name: name.to_owned(), begin, end })
        };
        let (begin, end) = (self.begin, self.end);
        [
            line("Host Mem (MB)", megabytes(host(begin)), megabytes(host(end))),
            line("SGA use (MB)", megabytes(sga(begin)), megabytes(sga(end))),
            line("PGA use (MB)", megabytes(allocated(begin)), megabytes(allocated(end))),
            line("% Host Mem used for SGA+PGA", used(begin), used(end)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A statistic of V$OSSTAT.
pub(super) fn os(snapshot: &Snapshot, name: &str) -> Option<f64> {
    snapshot.os_statistics.iter().find(|line| line.name == name).map(|line| line.value)
}

/// A statistic of V$PGASTAT.
pub(super) fn pga(snapshot: &Snapshot, name: &str) -> Option<u64> {
    snapshot.pga.iter().find(|line| line.name == name).map(|line| line.value)
}

/// The standard block size.
pub(super) fn block_bytes(snapshot: &Snapshot) -> Option<f64> {
    let parameter = snapshot.parameters.iter().find(|parameter| parameter.name == "db_block_size")?;
    parameter.value.parse::<u32>().ok().map(f64::from)
}
