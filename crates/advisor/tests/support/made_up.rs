//! AWR reports of a database that never was, in the layout of release 19c's HTML. Every figure follows from the few of
//! [`MadeUp`].

use std::fmt::Write as _;

const ELAPSED_S: f64 = 3600.0;

/// An hour of a database named TILL, owned by CASHIER.
#[derive(Clone, Debug)]
pub(crate) struct MadeUp {
    /// Hour of the day in which the window begins.
    pub(crate) hour: u32,
    /// Transactions a second.
    pub(crate) transactions: f64,
    pub(crate) sync_ms: f64,
    pub(crate) redo_write_ms: f64,
    pub(crate) read_ms: f64,
    /// CPU a transaction, in milliseconds.
    pub(crate) cpu_ms: f64,
    pub(crate) cache_mb: u32,
    pub(crate) startup: &'static str,
    pub(crate) release: &'static str,
    pub(crate) database: &'static str,
    pub(crate) host: &'static str,
}

impl Default for MadeUp {
    fn default() -> Self {
        Self {
            hour: 9,
            transactions: 60.0,
            sync_ms: 14.0,
            redo_write_ms: 9.2,
            read_ms: 8.4,
            cpu_ms: 28.0,
            cache_mb: 2048,
            startup: "02-Feb-26 05:12",
            release: "19.0.0.0.0",
            database: "TILL",
            host: "tillhost",
        }
    }
}

impl MadeUp {
    fn commits(&self) -> f64 {
        (self.transactions * ELAPSED_S).round()
    }

    fn reads(&self) -> f64 {
        self.commits() * 11.0
    }

    /// Blocks written to temp, and read again.
    fn temp_blocks(&self) -> f64 {
        self.commits() * 0.4 * 31.0
    }

    fn cpu_s(&self) -> f64 {
        self.commits() * self.cpu_ms / 1e3
    }

    /// Name, class, waits, milliseconds each.
    fn foreground(&self) -> Vec<(&'static str, &'static str, f64, f64)> {
        let commits = self.commits();
        vec![
            ("db file sequential read", "User I/O", self.reads(), self.read_ms),
            ("log file sync", "Commit", commits, self.sync_ms),
            ("direct path read temp", "User I/O", commits * 0.4, 6.1),
            ("direct path write temp", "User I/O", commits * 0.4, 5.2),
            ("buffer busy waits", "Concurrency", commits * 0.6, 2.9),
            ("enq: TX - row lock contention", "Application", commits * 0.004, 410.0),
            ("db file scattered read", "User I/O", commits * 0.3, 4.4),
            ("library cache: mutex X", "Concurrency", commits * 0.02, 1.2),
            ("SQL*Net message to client", "Network", commits * 12.0, 0.002),
            ("SQL*Net message from client", "Idle", commits * 12.0, 31.0),
        ]
    }

    fn waited_s(&self) -> f64 {
        self.foreground().iter().filter(|line| line.1 != "Idle").map(|line| line.2 * line.3 / 1e3).sum()
    }

    fn db_time_s(&self) -> f64 {
        // Four in a hundred are in neither CPU nor a wait.
        (self.cpu_s() + self.waited_s()) / 0.96
    }

    /// The report.
    pub(crate) fn html(&self) -> String {
        let mut out = Page(String::from(
            "<html lang=\"en\"><head><title>AWR Report</title></head><body class=\"awr\">\n<h1 class=\"awr\">\nWORKLOAD REPOSITORY report for\n</h1>\n",
        ));
        self.head(&mut out);
        self.load(&mut out);
        self.waits(&mut out);
        self.statements(&mut out);
        self.activity(&mut out);
        self.files(&mut out);
        self.segments(&mut out);
        self.parameters(&mut out);
        out.0.push_str("<p />\nEnd of Report\n</body></html>\n");
        out.0
    }

    fn head(&self, out: &mut Page) {
        let instance = "This table displays database instance information";
        out.table(
            instance,
            &["DB Name", "DB Id", "Unique Name", "Role", "Edition", "Release", "RAC", "CDB"],
            &[words(&[self.database, "4012345678", self.database, "PRIMARY", "EE", self.release, "NO", "NO"])],
        );
        let name = format!("{}1", self.database.to_lowercase());
        out.table(instance, &["Instance", "Inst Num", "Startup Time"], &[words(&[&name, "1", self.startup])]);
        out.table(
            "This table displays host information",
            &["Host Name", "Platform", "CPUs", "Cores", "Sockets", "Memory (GB)"],
            &[words(&[self.host, "Linux x86 64-bit", "16", "8", "1", "62.50"])],
        );
        let snapshot = |what: &str, id: u32, hour: u32, sessions: u32| {
            words(&[what, &id.to_string(), &format!("10-Feb-26 {hour:02}:00:00"), &sessions.to_string(), "2.4"])
        };
        out.table(
            "This table displays snapshot information",
            &["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"],
            &[
                snapshot("Begin Snap:", 700 + self.hour, self.hour, 212),
                snapshot("End Snap:", 701 + self.hour, self.hour + 1, 230),
                words(&["Elapsed:", "", "60.00 (mins)", "", ""]),
                words(&["DB Time:", "", &format!("{:.2} (mins)", self.db_time_s() / 60.0), "", ""]),
            ],
        );
    }

    fn load(&self, out: &mut Page) {
        out.title("Report Summary");
        let transactions = self.commits() / ELAPSED_S;
        let line = |name: &str, second: f64| words(&[name, &two(second), &two(second / transactions)]);
        out.table(
            "This table displays load profile",
            &["", "Per Second", "Per Transaction"],
            &[
                line("DB Time(s):", self.db_time_s() / ELAPSED_S),
                line("DB CPU(s):", self.cpu_s() / ELAPSED_S),
                line("Redo size (bytes):", transactions * 5_400.0),
                line("Logical read (blocks):", transactions * 900.0),
                line("Physical read (blocks):", (self.reads() * 1.1 + self.temp_blocks()) / ELAPSED_S),
                line("Physical write (blocks):", transactions * 6.0 + self.temp_blocks() / ELAPSED_S),
                line("User calls:", transactions * 12.0),
                line("Executes (SQL):", transactions * 14.0),
                words(&["Transactions:", &two(transactions), ""]),
            ],
        );
        out.table(
            "This table displays cache sizes and other statistics for different types of cache",
            &["", "Begin", "End", "", ""],
            &[
                words(&[
                    "Buffer Cache:",
                    &format!("{}M", self.cache_mb),
                    &format!("{}M", self.cache_mb),
                    "Std Block Size:",
                    "8K",
                ]),
                words(&["Shared Pool Size:", "1,024M", "1,024M", "Log Buffer:", "14,336K"]),
            ],
        );
        out.table(
            "This table displays system load statistics",
            &[
                "CPUs",
                "Cores",
                "Sockets",
                "Load Average Begin",
                "Load Average End",
                "%User",
                "%System",
                "%WIO",
                "%Idle",
            ],
            &[words(&["16", "8", "1", "3.10", "4.25", "20.4", "6.1", "9.8", "73.5"])],
        );
    }

    fn waits(&self, out: &mut Page) {
        out.title("Time Model Statistics");
        let db_time = self.db_time_s();
        let line = |name: &str, seconds: f64| words(&[name, &two(seconds), &two(100.0 * seconds / db_time)]);
        out.table(
            "This table displays different time model statistics. For each statistic, time and % of DB time are displayed",
            &["Statistic Name", "Time (s)", "% of DB Time"],
            &[
                line("sql execute elapsed time", db_time * 0.84),
                line("DB CPU", self.cpu_s()),
                line("parse time elapsed", db_time * 0.011),
                line("hard parse elapsed time", db_time * 0.004),
                words(&["DB time", &two(db_time), ""]),
                words(&["background elapsed time", &two(self.commits() * self.redo_write_ms / 1e3 * 1.3), ""]),
                words(&["background cpu time", "310.22", ""]),
            ],
        );
        out.title("Operating System Statistics");
        let swap = (2_u64 << 30).to_string();
        out.table(
            "This table displays operating systems statistics. For each statistic, actual value is displayed",
            &["Statistic", "Value", "End Value"],
            &[
                words(&["BUSY_TIME", "1,526,400", ""]),
                words(&["IDLE_TIME", "4,233,600", ""]),
                words(&["LOAD", "3", "4"]),
                words(&["NUM_CPUS", "16", ""]),
                words(&["PHYSICAL_MEMORY_BYTES", "67,108,864,000", ""]),
                words(&["SWAP_FREE_BYTES", &swap, &swap]),
                words(&["VM_IN_BYTES", "0", ""]),
                words(&["VM_OUT_BYTES", "0", ""]),
            ],
        );
        let event = |(name, _, waits, each): &(&str, &str, f64, f64), whole: f64| {
            let total = waits * each / 1e3;
            words(&[
                name,
                &count(*waits),
                "0",
                &count(total.round()),
                &format!("{each:.2}ms"),
                &two(waits / self.commits()),
                &two(100.0 * total / whole),
            ])
        };
        let mut lines = self.foreground();
        lines.sort_by(|a, b| (a.1 == "Idle").cmp(&(b.1 == "Idle")).then((b.2 * b.3).total_cmp(&(a.2 * a.3))));
        out.title("Foreground Wait Events");
        out.table(
            "This table displays Foreground Wait Events and their wait statistics",
            &["Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait", "Waits /txn", "% DB time"],
            &lines.iter().map(|line| event(line, db_time)).collect::<Vec<_>>(),
        );
        let background = [
            ("log file parallel write", "", self.commits() * 0.8, self.redo_write_ms),
            ("db file parallel write", "", self.commits() * 0.5, 5.1),
            ("control file parallel write", "", 1_400.0, 4.0),
        ];
        out.title("Background Wait Events");
        out.table(
            "This table displays background wait events statistics",
            &["Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait", "Waits /txn", "% bg time"],
            &background.iter().map(|line| event(line, db_time)).collect::<Vec<_>>(),
        );
        self.histograms(out);
    }

    fn histograms(&self, out: &mut Page) {
        out.title("Wait Event Histogram");
        let bounds = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 1024.0];
        let mut rows = Vec::new();
        let of = |name: &str| self.foreground().into_iter().find(|line| line.0 == name).map_or(0.0, |line| line.2);
        let events = [
            ("db file sequential read", of("db file sequential read"), self.read_ms),
            ("log file parallel write", self.commits() * 0.8, self.redo_write_ms),
            ("log file sync", of("log file sync"), self.sync_ms),
            ("direct path write temp", of("direct path write temp"), 5.2),
        ];
        for (name, waits, average) in events {
            // Spread as an exponential distribution of that mean would be.
            let below = |bound: f64| 1.0 - (-bound / average).exp();
            let mut cells = vec![name.to_owned(), count(waits)];
            let mut passed = 0.0;
            for bound in bounds {
                cells.push(format!("{:.1}", 100.0 * (below(bound) - passed)));
                passed = below(bound);
            }
            cells.push(format!("{:.1}", 100.0 * (1.0 - passed)));
            rows.push(cells);
        }
        out.table(
            "This table displays total number of waits, and information about total wait time, for each wait event",
            &["Event", "Total Waits", "<1ms", "<2ms", "<4ms", "<8ms", "<16ms", "<32ms", "<=1s", ">1s"],
            &rows,
        );
    }

    fn statements(&self, out: &mut Page) {
        out.title("SQL ordered by Elapsed Time");
        let db_time = self.db_time_s();
        let row = |share: f64, executions: f64, id: &str, text: &str| {
            let elapsed = db_time * share;
            words(&[
                &two(elapsed),
                &count(executions),
                &two(elapsed / executions),
                &two(100.0 * share),
                "24.00",
                "51.00",
                id,
                "till-server",
                text,
            ])
        };
        out.table(
            "This table displays top SQL by elapsed time",
            &[
                "Elapsed Time (s)",
                "Executions",
                "Elapsed Time per Exec (s)",
                "%Total",
                "%CPU",
                "%IO",
                "SQL Id",
                "SQL Module",
                "SQL Text",
            ],
            &[
                row(
                    0.31,
                    self.commits(),
                    "7t1ll0aaaa111",
                    "SELECT netprice, vatcode FROM cashier.articles WHERE eancode = :1",
                ),
                row(0.17, self.commits(), "8t1ll0bbbb222", "INSERT INTO cashier.receipts VALUES (:1, :2, :3, :4)"),
                row(
                    0.06,
                    240.0,
                    "9t1ll0cccc333",
                    "SELECT shopname, SUM(total) FROM cashier.receipts GROUP BY shopname ORDER BY 2",
                ),
            ],
        );
    }

    fn activity(&self, out: &mut Page) {
        out.title("Instance Activity Stats");
        let commits = self.commits();
        let writes = commits * 0.8;
        let statistics = [
            ("CPU used by this session", self.cpu_s() * 100.0),
            ("db block changes", commits * 40.0),
            ("execute count", commits * 14.0),
            ("parse count (hard)", commits * 0.01),
            ("parse count (total)", commits * 5.0),
            ("physical reads", self.reads() * 1.1 + self.temp_blocks()),
            ("physical reads direct temporary tablespace", self.temp_blocks()),
            ("physical write total IO requests", commits * 2.0),
            ("physical writes", commits * 6.0 + self.temp_blocks()),
            ("physical writes direct temporary tablespace", self.temp_blocks()),
            ("redo entries", commits * 18.0),
            ("redo log space requests", 12.0),
            ("redo size", commits * 5_400.0),
            ("redo synch time", commits * self.sync_ms / 10.0),
            ("redo synch writes", commits),
            ("redo wastage", writes * 260.0),
            ("redo write time", writes * self.redo_write_ms / 10.0),
            ("redo writes", writes),
            ("session logical reads", commits * 900.0),
            ("sorts (disk)", 240.0),
            ("sorts (memory)", commits * 0.7),
            ("table fetch by rowid", commits * 310.0),
            ("table fetch continued row", commits * 0.4),
            ("transaction rollbacks", 40.0),
            ("user calls", commits * 12.0),
            ("user commits", commits),
            ("user rollbacks", 40.0),
            ("workarea executions - multipass", 0.0),
            ("workarea executions - onepass", 240.0),
            ("workarea executions - optimal", commits * 0.7),
        ];
        let rows: Vec<Vec<String>> = statistics
            .iter()
            .map(|(name, total)| words(&[name, &count(total.round()), &two(total / ELAPSED_S), &two(total / commits)]))
            .collect();
        out.table(
            "This table displays Instance activity statistics. For each instance, activity total, activity per second",
            &["Statistic", "Total", "per Second", "per Trans"],
            &rows,
        );
        out.title("Instance Activity Stats - Thread Activity");
        out.table(
            "This table displays thread activity stats in the instance. For each activity , total number of activity",
            &["Statistic", "Total", "per Hour"],
            &[words(&["log switches (derived)", "7", "7.00"])],
        );
    }

    fn files(&self, out: &mut Page) {
        out.title("File IO Stats");
        let folder = format!("/u02/oradata/{}", self.database);
        let file = |tablespace: &str, name: &str, share: f64, slower: f64, writes: f64| {
            let reads = self.reads() * share;
            words(&[
                tablespace,
                &format!("{folder}/{name}"),
                &count(reads.round()),
                &count((reads / ELAPSED_S).round()),
                &two(self.read_ms * slower),
                "1.10",
                &count((self.commits() * writes).round()),
                &count((self.commits() * writes / ELAPSED_S).round()),
                &count((self.commits() * 0.1 * share).round()),
                "2.90",
            ])
        };
        out.table(
            "This table displays file I/O statistics",
            &[
                "Tablespace",
                "Filename",
                "Reads",
                "Av Rds/s",
                "Av Rd(ms)",
                "Av Blks/Rd",
                "Writes",
                "Av Writes/s",
                "Buffer Waits",
                "Av Buf Wt(ms)",
            ],
            &[
                file("TILLDATA", "tilldata01.dbf", 0.52, 1.1, 0.9),
                file("TILLDATA", "tilldata02.dbf", 0.31, 0.7, 0.6),
                file("TILLINDEX", "tillindex01.dbf", 0.14, 1.0, 0.4),
                file("UNDOTBS1", "undotbs01.dbf", 0.01, 0.5, 0.5),
                file("SYSAUX", "sysaux01.dbf", 0.02, 0.9, 0.02),
            ],
        );
        out.title("Buffer Wait Statistics");
        let class = |name: &str, share: f64| {
            let waits = (self.commits() * 0.6 * share).round();
            words(&[name, &count(waits), &count((waits * 0.002_9).round()), "3"])
        };
        out.table(
            "This table displays buffer wait statistics. Statistics include waits, total wait time and average wait time",
            &["Class", "Waits", "Total Wait Time (s)", "Avg Time (ms)"],
            &[class("data block", 0.71), class("segment header", 0.22), class("undo header", 0.04)],
        );
    }

    fn segments(&self, out: &mut Page) {
        out.title("Segments by Buffer Busy Waits");
        let busy = self.commits() * 0.6;
        let row = |object: &str, kind: &str, share: f64| {
            words(&["CASHIER", "TILLDATA", object, "", kind, &count((busy * share).round()), &two(100.0 * share)])
        };
        out.table(
            "This table displays top segments by buffer busy waits. Owner, tablespace name, object type, buffer busy waits",
            &["Owner", "Tablespace Name", "Object Name", "Subobject Name", "Obj. Type", "Buffer Busy Waits", "% of Capture"],
            &[row("RECEIPTS", "TABLE", 0.83), row("ARTICLES", "TABLE", 0.06)],
        );
    }

    fn parameters(&self, out: &mut Page) {
        out.title("init.ora Parameters");
        let cache = u64::from(self.cache_mb) << 20;
        out.table(
            "This table displays name and value of the initialization parameters",
            &["Parameter Name", "Begin value", "End value (if different)"],
            &[
                words(&["compatible", self.release, ""]),
                words(&["control_files", "/u02/oradata/TILL/control01.ctl", ""]),
                words(&["db_block_size", "8192", ""]),
                words(&["db_cache_size", &cache.to_string(), ""]),
                words(&["db_file_multiblock_read_count", "128", ""]),
                words(&["db_name", self.database, ""]),
                words(&["undo_management", "AUTO", ""]),
            ],
        );
    }
}

struct Page(String);

impl Page {
    fn title(&mut self, title: &str) {
        let _ = writeln!(self.0, "<a class=\"awr\" name=\"x\"></a><h3 class=\"awr\">{title}</h3>");
    }

    fn table(&mut self, about: &str, columns: &[&str], rows: &[Vec<String>]) {
        let _ = writeln!(self.0, "<table border=\"0\" width=\"600\" class=\"tdiff\" summary=\"{about}\"><tr>");
        for column in columns {
            let column = column.replace('<', "&lt;").replace('>', "&gt;");
            let _ = write!(self.0, "<th class=\"awrbg\" scope=\"col\">{column}</th>");
        }
        self.0.push_str("</tr>\n");
        for row in rows {
            self.0.push_str("<tr>");
            for cell in row {
                let cell = if cell.is_empty() { "&#160;" } else { cell };
                let _ = write!(self.0, "<td class=\"awrc\">{cell}</td>");
            }
            self.0.push_str("</tr>\n");
        }
        self.0.push_str("</table><p />\n");
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// With two decimals and commas.
fn two(value: f64) -> String {
    let text = format!("{value:.2}");
    let (whole, part) = text.split_once('.').unwrap_or((&text, "00"));
    format!("{}.{part}", commas(whole))
}

fn count(value: f64) -> String {
    commas(&format!("{value:.0}"))
}

fn commas(digits: &str) -> String {
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
