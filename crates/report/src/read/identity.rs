//! Database, instance, host and snapshots: the tables at the top of a report.

use super::{Reading, date};
use crate::grid::Section;
use crate::grid::pairs::label;
use crate::grid::view::{Column, Line, View, plain};
use crate::model::{Scope, Snapshot};

impl Reading {
    /// Facts in a title alone: the scope of the report, processors.
    pub(super) fn title(&mut self, section: &Section) {
        let name = plain(&section.title);
        if name.contains("workloadrepository") {
            if name.contains("pdbreport") || name.contains("pdbsnapshots") {
                self.report.scope = Scope::Container;
            } else if name.contains("rac") {
                self.report.scope = Scope::Cluster;
            }
        }
        if name.starts_with("hostcpu") {
            let host = &mut self.report.host;
            for (field, text) in
                [(&mut host.cpus, "CPUs:"), (&mut host.cores, "Cores:"), (&mut host.sockets, "Sockets:")]
            {
                let value = section.title.split_once(text).and_then(|(_, rest)| rest.split_whitespace().next());
                *field = field.or_else(|| self.numbers.number(value?.trim_end_matches(')')));
            }
        }
    }

    /// Takes a table of the database, the instance, the host or the snapshots.
    pub(super) fn identity(&mut self, view: &View<'_>) -> bool {
        let snapshots = view.has("snapid") && view.has("snaptime") && !view.has("load");
        if snapshots || is_snapshot_pairs(view) {
            return self.snapshots(view);
        }
        if view.has("i#") && view.has("instance") && view.has("host") {
            return self.cluster_instances(view);
        }
        let database = view.has("dbid")
            && view.find(&["dbname", "database", "release", "instance", "uniquename"]).is_some()
            && !view.has("containername");
        let cluster_database = view.has("databaseid") || (view.has("containerdbid") && view.has("containername"));
        let instance = view.has("instnum") && view.has("instance");
        let host = view.has("platform") || (view.has("hostname") && view.has("cpus"));
        if !(database || cluster_database || instance || host) {
            return false;
        }
        let mut lines = view.lines();
        let Some(line) = lines.next() else { return false };
        if view.has("containerdbid") && !view.has("dbname") {
            // The root lists all its containers; a report of one container has one line.
            if self.report.scope == Scope::Container && lines.next().is_none() {
                self.report.identity.container = line.owned(view.find(&["containername"]));
            }
            return true;
        }
        self.identity_line(view, line);
        true
    }

    fn identity_line(&mut self, view: &View<'_>, line: Line<'_>) {
        let text = |names: &[&str]| line.owned(view.find(names));
        let number = |names: &[&str]| line.number(view.find(names));
        let identity = &mut self.report.identity;
        fill(&mut identity.database, text(&["dbname", "database", "databasename", "name"]));
        fill(
            &mut identity.database_id,
            text(&["dbid", "databaseid"]).and_then(|id| id.replace([',', '.'], "").parse().ok()),
        );
        fill(&mut identity.unique_name, text(&["uniquename", "databaseuniquename"]));
        fill(&mut identity.role, text(&["role", "dbrole", "databaserole"]));
        fill(&mut identity.edition, text(&["edition", "databaseedition"]));
        fill(&mut identity.instance, text(&["instance"]));
        fill(&mut identity.instance_number, text(&["instnum"]).and_then(|number| number.parse().ok()));
        fill(&mut identity.container, text(&["containername", "pdbname"]));
        fill(&mut identity.release, text(&["release"]).filter(|release| release.contains('.')));
        fill(&mut identity.rac, text(&["rac", "cluster", "ops", "databaserac"]).and_then(|answer| yes(&answer)));
        fill(&mut identity.cdb, text(&["cdb", "databasecdb"]).and_then(|answer| yes(&answer)));
        fill(&mut identity.startup, text(&["startuptime"]));
        fill(&mut self.report.caches.block_bytes, number(&["databaseblocksize", "blocksize"]));
        let snapshot = |names: &[&str]| number(names).filter(|id| *id >= 0.0).map(|id| id as u64);
        fill(&mut self.report.window.begin.id, snapshot(&["snapshotidsbegin"]));
        fill(&mut self.report.window.end.id, snapshot(&["snapshotidsend"]));
        let host = &mut self.report.host;
        fill(&mut host.name, text(&["hostname", "host"]));
        fill(&mut host.platform, text(&["platform"]));
        fill(&mut host.cpus, number(&["cpus"]));
        fill(&mut host.cores, number(&["cores"]));
        fill(&mut host.sockets, number(&["sockets"]));
        fill(
            &mut host.memory_bytes,
            number(&["memorygb", "memoryg"]).map(|gigabytes| gigabytes * 1024.0 * 1024.0 * 1024.0),
        );
    }

    /// "Database Instances Included In Report" of a cluster's report.
    fn cluster_instances(&mut self, view: &View<'_>) -> bool {
        self.report.scope = Scope::Cluster;
        self.report.identity.rac = Some(true);
        let mut elapsed: Option<f64> = None;
        let mut db_time: Option<f64> = None;
        for line in view.lines() {
            let identity = &mut self.report.identity;
            identity.instances.extend(line.owned(view.find(&["instance"])));
            fill(&mut identity.release, line.owned(view.find(&["release"])));
            fill(&mut self.report.host.platform, line.owned(view.find(&["platform"])));
            fill(&mut self.report.host.name, line.owned(view.find(&["host"])));
            let window = &mut self.report.window;
            let begin = line.owned(view.find(&["beginsnaptime"]));
            let end = line.owned(view.find(&["endsnaptime"]));
            fill(&mut window.begin.time_s, begin.as_deref().and_then(date::seconds));
            fill(&mut window.end.time_s, end.as_deref().and_then(date::seconds));
            fill(&mut window.begin.time, begin);
            fill(&mut window.end.time, end);
            let minutes = line.number(view.find(&["elapsedtimemin", "elapsedmin"]));
            elapsed = match (elapsed, minutes) {
                (Some(one), Some(other)) => Some(one.max(other)),
                (one, other) => one.or(other),
            };
            let minutes = line.number(view.find(&["dbtimemin"]));
            db_time = match (db_time, minutes) {
                (Some(one), Some(other)) => Some(one + other),
                (one, other) => one.or(other),
            };
        }
        fill(&mut self.printed.elapsed_s, elapsed.map(|minutes| minutes * 60.0));
        fill(&mut self.printed.db_time_s, db_time.map(|minutes| minutes * 60.0));
        true
    }

    /// Lines "Begin Snap:", "End Snap:", "Elapsed:", "DB Time:".
    fn snapshots(&mut self, view: &View<'_>) -> bool {
        let mut read = false;
        for line in view.lines() {
            let Some(first) = line.row.cells.first() else { continue };
            let minutes = || {
                let cells = line.row.cells.iter().skip(1);
                cells
                    .filter_map(|cell| self.numbers.number(cell.split('(').next()?))
                    .next()
                    .map(|minutes| minutes * 60.0)
            };
            match plain(first).as_str() {
                "beginsnap" => {
                    self.report.window.begin = snapshot(view, line);
                }
                "endsnap" => {
                    self.report.window.end = snapshot(view, line);
                }
                "elapsed" => self.printed.elapsed_s = minutes(),
                "dbtime" => self.printed.db_time_s = minutes(),
                "dbcpu" => self.printed.db_cpu_s = minutes(),
                "avactsess" => {}
                _ => continue,
            }
            read = true;
        }
        read
    }
}

/// A table without column names that holds "Elapsed:" and its like.
fn is_snapshot_pairs(view: &View<'_>) -> bool {
    view.names.iter().all(String::is_empty)
        && view
            .table
            .rows
            .iter()
            .any(|row| row.cells.first().is_some_and(|cell| label(cell).eq_ignore_ascii_case("elapsed")))
}

fn snapshot(view: &View<'_>, line: Line<'_>) -> Snapshot {
    let time = line.owned(view.find(&["snaptime"]));
    let id: Option<Column> = view.find(&["snapid"]);
    Snapshot {
        id: line.number(id).filter(|id| *id >= 0.0).map(|id| id as u64),
        time_s: time.as_deref().and_then(date::seconds),
        time,
        sessions: line.number(view.find(&["sessions"])),
        cursors_per_session: line.number(view.find(&["curssess", "cursorssession"])),
        comment: line.owned(view.find(&["comment"])),
    }
}

fn yes(text: &str) -> Option<bool> {
    match text.to_ascii_uppercase().as_str() {
        "YES" | "Y" => Some(true),
        "NO" | "N" => Some(false),
        _ => None,
    }
}

/// The first non-empty text stays.
pub(super) fn fill<T>(field: &mut Option<T>, value: Option<T>) {
    if field.is_none() {
        *field = value;
    }
}
