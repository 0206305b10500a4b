//! Statistics of the instance, time model, statistics of the operating system.

use super::Reading;
use super::identity::fill;
use super::view::View;
use crate::model::{OsDetail, OsStatistic, Statistic, TimeModelLine};
use crate::names::{Names, run, whole};
use crate::value::TimeUnit;

impl Reading {
    pub(super) fn time_model(&mut self, view: &View<'_>) -> bool {
        let name = view.find(&["statisticname", "statistic"]);
        let seconds = view.find(&["times", "timesec", "totals"]);
        if name.is_none() || seconds.is_none() {
            return false;
        }
        let percent = view.find(&["%ofdbtime", "%dbtime", "%totaldbtime"]);
        let width = self.width(view.lines().map(|line| line.text(name)));
        let lines = view
            .lines()
            .filter(|line| !line.text(name).is_empty() && self.of_all_instances(view, *line))
            .map(|line| TimeModelLine {
                name: whole(Names::TimeModel, line.text(name), width).0,
                seconds: line.seconds(seconds, TimeUnit::Seconds),
                percent: line.number(percent),
            })
            .collect::<Vec<_>>();
        if lines.is_empty() {
            return false;
        }
        self.report.time_model.get_or_insert_default().extend(lines);
        true
    }

    /// Statspack prints differences, absolute values and rates an hour under one title; their columns tell them apart.
    pub(super) fn activity(&mut self, view: &View<'_>) -> bool {
        let lines = self.statistics(view);
        if lines.is_empty() {
            return false;
        }
        let list = if view.has("beginvalue") {
            &mut self.report.absolute_statistics
        } else if view.has("perhour") {
            &mut self.report.thread_activity
        } else {
            &mut self.report.statistics
        };
        list.get_or_insert_default().extend(lines);
        true
    }

    pub(super) fn key_activity(&mut self, view: &View<'_>) -> bool {
        let lines = self.statistics(view);
        let read = !lines.is_empty();
        self.printed.key_statistics.extend(lines);
        read
    }

    fn statistics(&self, view: &View<'_>) -> Vec<Statistic> {
        let name = view.find(&["statistic", "statisticname", "name"]);
        let total = view.find(&["total", "totalvalue", "endvalue", "value"]);
        if name.is_none() || total.is_none() {
            return Vec::new();
        }
        let begin = view.find(&["beginvalue"]);
        let per_second = view.find(&["persecond", "persec"]);
        let per_transaction = view.find(&["pertrans", "pertransaction", "pertxn"]);
        let width = self.width(view.lines().map(|line| line.text(name)));
        let lines = view.lines().filter(|line| !line.text(name).is_empty() && self.of_all_instances(view, *line));
        let mut statistics: Vec<Statistic> = lines
            .map(|line| {
                let (full, cut) = whole(Names::Statistics, line.text(name), width);
                Statistic {
                    name: full,
                    cut,
                    total: line.number(total),
                    begin: line.number(begin),
                    per_second: line.number(per_second),
                    per_transaction: line.number(per_transaction),
                }
            })
            .collect();
        complete_runs(&mut statistics);
        statistics
    }

    pub(super) fn os_statistics(&mut self, view: &View<'_>) -> bool {
        let name = view.find(&["statistic", "statisticname"]);
        let value = view.find(&["value", "total", "beginvalue"]);
        if name.is_none() || value.is_none() {
            return false;
        }
        let lines: Vec<OsStatistic> = view
            .lines()
            .filter(|line| !line.text(name).is_empty())
            .map(|line| OsStatistic {
                name: line.text(name).to_owned(),
                value: line.number(value),
                end: line.number(view.find(&["endvalue"])),
            })
            .collect();
        if lines.is_empty() {
            return false;
        }
        let number = |wanted: &str| lines.iter().find(|line| line.name == wanted).and_then(|line| line.value);
        let host = &mut self.report.host;
        fill(&mut host.cpus, number("NUM_CPUS"));
        fill(&mut host.cores, number("NUM_CPU_CORES"));
        fill(&mut host.sockets, number("NUM_CPU_SOCKETS"));
        // To the byte, where the header has tenths of gigabytes.
        host.memory_bytes = number("PHYSICAL_MEMORY_BYTES").or(host.memory_bytes);
        host.statistics.get_or_insert_default().extend(lines);
        true
    }

    pub(super) fn os_details(&mut self, view: &View<'_>) -> bool {
        let time = view.find(&["snaptime"]).or_else(|| view.find_ending(0, &["daytime"]));
        let load = view.find(&["load"]);
        if time.is_none() || load.is_none() {
            return false;
        }
        let lines: Vec<OsDetail> = view
            .lines()
            .filter(|line| !line.text(time).is_empty())
            .map(|line| OsDetail {
                time: line.text(time).to_owned(),
                load: line.number(load),
                busy_percent: line.number(view.find(&["%busy"])),
                user_percent: line.number(view.find(&["%user"])),
                system_percent: line.number(view.find(&["%sys", "%system"])),
                idle_percent: line.number(view.find(&["%idle"])),
                io_wait_percent: line.number(view.find(&["%iowait", "%wio"])),
            })
            .collect();
        if lines.is_empty() {
            return false;
        }
        self.report.host.details.get_or_insert_default().extend(lines);
        true
    }
}

/// Names that are cut to the same letters stand next to each other, because the list is in the order of names.
fn complete_runs(statistics: &mut [Statistic]) {
    for group in statistics.chunk_by_mut(|one, other| one.cut && other.cut && one.name == other.name) {
        let Some(names) =
            group.first().filter(|first| first.cut).and_then(|first| run(Names::Statistics, &first.name, group.len()))
        else {
            continue;
        };
        for (statistic, name) in group.iter_mut().zip(names) {
            (*name).clone_into(&mut statistic.name);
            statistic.cut = false;
        }
    }
}
