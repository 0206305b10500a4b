//! Load profile, efficiencies, cache sizes, memory, the host's processors: the first screen.

use super::Reading;
use super::identity::fill;
use crate::grid::pairs::{Pair, label, table_pairs};
use crate::grid::view::{View, plain};
use crate::model::{LoadLine, MemoryStatistic};

/// The model's names, and those printed by releases (without case, spaces and punctuation).
const LOAD_NAMES: [(&str, &[&str]); 22] = [
    ("DB time", &["dbtimes"]),
    ("DB CPU", &["dbcpus"]),
    ("Background CPU", &["backgroundcpus"]),
    ("Redo size", &["redosize", "redosizebytes"]),
    ("Logical reads", &["logicalreads", "logicalread", "logicalreadblocks"]),
    ("Block changes", &["blockchanges"]),
    ("Physical reads", &["physicalreads", "physicalread", "physicalreadblocks"]),
    ("Physical writes", &["physicalwrites", "physicalwrite", "physicalwriteblocks"]),
    ("Read IO requests", &["readiorequests"]),
    ("Write IO requests", &["writeiorequests"]),
    ("Read IO (MB)", &["readiomb"]),
    ("Write IO (MB)", &["writeiomb"]),
    ("IM scan rows", &["imscanrows"]),
    ("Session Logical Read IM", &["sessionlogicalreadim"]),
    ("User calls", &["usercalls"]),
    ("Parses", &["parses", "parsessql"]),
    ("Hard parses", &["hardparses", "hardparsessql"]),
    ("W/A MB processed", &["wambprocessed", "sqlworkareamb"]),
    ("Logons", &["logons", "userlogons"]),
    ("Executes", &["executes", "executessql"]),
    ("Rollbacks", &["rollbacks"]),
    ("Transactions", &["transactions"]),
];

fn load_name(printed: &str) -> String {
    let name = plain(printed);
    let known = LOAD_NAMES.iter().find(|(_, names)| names.contains(&name.as_str()));
    known.map_or_else(|| label(printed), |(name, _)| (*name).to_owned())
}

impl Reading {
    pub(super) fn load_profile(&mut self, view: &View<'_>) -> bool {
        let per_second = view.find(&["persecond", "persec"]);
        let per_transaction = view.find(&["pertransaction", "pertrans", "pertxn"]);
        if per_second.is_none() {
            return self.by_labels(view);
        }
        let lines: Vec<LoadLine> = view
            .lines()
            .filter(|line| line.row.cells.first().is_some_and(|cell| !cell.trim().is_empty()))
            .map(|line| LoadLine {
                name: load_name(&line.row.cells[0]),
                per_second: line.number(per_second),
                per_transaction: line.number(per_transaction),
                per_execution: line.number(view.find(&["perexec"])),
                per_call: line.number(view.find(&["percall"])),
            })
            .collect();
        if lines.is_empty() {
            return false;
        }
        if lines.iter().all(|line| {
            line.name.starts_with("Global Cache")
                || line.name.starts_with("GCS")
                || line.name.starts_with("DBWR")
                || line.name.starts_with("Estd")
        }) {
            return self.cluster("Global Cache Load Profile", view);
        }
        self.report.load_profile.get_or_insert_default().extend(lines);
        true
    }

    /// Tables of "name: value" pairs; each pair goes where its name belongs.
    pub(super) fn by_labels(&mut self, view: &View<'_>) -> bool {
        let mut found = Vec::new();
        table_pairs(view.table, &mut found);
        let mut read = false;
        for pair in &found {
            read |= self.pair(pair, view);
        }
        read
    }

    fn pair(&mut self, pair: &Pair, view: &View<'_>) -> bool {
        let values: Vec<&str> = pair.values.iter().map(String::as_str).collect();
        let first = values.first().copied().unwrap_or_default();
        let second = values.get(1).copied().unwrap_or_default();
        let name = plain(&pair.label);
        let bytes = |text: &str| self.numbers.bytes(text).map(|figure| figure.value);
        let caches = &mut self.report.caches;
        match name.as_str() {
            "buffercache" => {
                fill(&mut caches.buffer_cache_bytes, bytes(first));
                fill(
                    &mut caches.buffer_cache_end_bytes,
                    bytes(second).filter(|end| Some(*end) != caches.buffer_cache_bytes),
                );
            }
            "sharedpool" | "sharedpoolsize" => {
                fill(&mut caches.shared_pool_bytes, bytes(first));
                fill(
                    &mut caches.shared_pool_end_bytes,
                    bytes(second).filter(|end| Some(*end) != caches.shared_pool_bytes),
                );
            }
            "dbblockbuffers" => fill(&mut self.printed.buffers, self.numbers.number(first)),
            "stdblocksize" | "dbblocksize" => fill(&mut caches.block_bytes, bytes(first)),
            "logbuffer" => fill(&mut caches.log_buffer_bytes, bytes(first)),
            "hostmemmb"
            | "sgausemb"
            | "pgausemb"
            | "%hostmemusedforsgapga"
            | "memoryusage%"
            | "%sqlwithexecutions>1"
            | "%memoryforsqlwexec>1" => {
                let line = MemoryStatistic {
                    name: pair.label.clone(),
                    begin: self.numbers.number(first),
                    end: self.numbers.number(second),
                };
                if line.begin.is_none() && line.end.is_none() {
                    return false;
                }
                self.report.memory.get_or_insert_default().push(line);
            }
            _ if is_efficiency(&name) => {
                let Some(value) = self.numbers.number(first) else { return false };
                self.report.efficiencies.get_or_insert_default().push((pair.label.clone(), value));
            }
            _ => return self.window_pair(&name, first, view),
        }
        true
    }

    fn window_pair(&mut self, name: &str, value: &str, view: &View<'_>) -> bool {
        if !view.names.iter().all(String::is_empty) {
            return false;
        }
        let minutes =
            value.split('(').next().and_then(|value| self.numbers.number(value)).map(|minutes| minutes * 60.0);
        match name {
            "elapsed" if value.contains("min") => fill(&mut self.printed.elapsed_s, minutes),
            "dbtime" if value.contains("min") => fill(&mut self.printed.db_time_s, minutes),
            "dbcpu" if value.contains("min") => fill(&mut self.printed.db_cpu_s, minutes),
            _ => return false,
        }
        true
    }

    pub(super) fn host_cpu(&mut self, view: &View<'_>) -> bool {
        let Some(line) = view.lines().next() else { return false };
        let number = |names: &[&str]| line.number(view.find(names));
        let host = &mut self.report.host;
        fill(&mut host.cpus, number(&["cpus"]));
        fill(&mut host.cores, number(&["cores"]));
        fill(&mut host.sockets, number(&["sockets"]));
        fill(&mut host.load_begin, number(&["loadaveragebegin", "begin"]));
        fill(&mut host.load_end, number(&["loadaverageend", "end"]));
        let user = number(&["%user", "user"]);
        fill(&mut host.user_percent, user);
        fill(&mut host.system_percent, number(&["%system", "system"]));
        fill(&mut host.idle_percent, number(&["%idle", "idle"]));
        fill(&mut host.io_wait_percent, number(&["%wio", "wio"]));
        user.is_some() || host.load_begin.is_some()
    }

    /// Lines of text of a section that has no table for them.
    pub(super) fn notes(&mut self, part: Option<super::part::ReportPart>, section: &crate::grid::Section) -> bool {
        use super::part::ReportPart;
        for names in section.notes.iter().filter_map(|note| note.strip_prefix("DB/Inst:")) {
            // Statspack names the database in its titles only.
            let (database, instance) = names.trim().split_once('/').unwrap_or_default();
            fill(&mut self.printed.instance, Some(instance.trim().to_owned()));
            fill(&mut self.report.identity.database, Some(database.trim().to_owned()).filter(|name| !name.is_empty()));
        }
        if !matches!(
            part,
            Some(
                ReportPart::Efficiencies
                    | ReportPart::CacheSizes
                    | ReportPart::Memory
                    | ReportPart::SharedPool
                    | ReportPart::LoadProfile
            )
        ) {
            return false;
        }
        let mut found = Vec::new();
        for note in section.notes.iter().filter(|note| !note.starts_with("->")) {
            crate::grid::pairs::note_pairs(note, section.line, &mut found);
        }
        let nothing = crate::grid::Table::default();
        let view = View::new(&nothing, self.numbers, self.form());
        let mut read = false;
        for pair in &found {
            read |= self.pair(pair, &view);
        }
        read
    }
}

fn is_efficiency(name: &str) -> bool {
    matches!(
        name,
        "buffernowait%"
            | "redonowait%"
            | "bufferhit%"
            | "inmemorysort%"
            | "optimalwaexec%"
            | "libraryhit%"
            | "softparse%"
            | "executetoparse%"
            | "latchhit%"
            | "parsecputoparseelapsd%"
            | "%nonparsecpu"
            | "flashcachehit%"
            | "%blockschangedperread"
            | "recursivecall%"
            | "rollbackpertransaction%"
    )
}
