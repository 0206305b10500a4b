//! A trace, or TKPROF's report of one, as the findings need it: seconds.

use std::collections::BTreeMap;

use report::profile::{self, Phase, Profile, Waits};
use report::tkprof;

use crate::analysis::{Confidence, DbTime, Finding, Input, Sum};
use crate::judge::{About, Build, NOTABLE, NotFound, UNACCOUNTED, finding};
use crate::screen::number::{number, percent, seconds};

/// Seconds that are worth a finding, however long the session was idle besides.
pub(crate) const ENOUGH_S: f64 = 10.0;

/// Averages that stand in `figures`, by event.
const AVERAGES: [(&str, &str); 10] = [
    ("log file sync", "log_file_sync_ms"),
    ("log file parallel write", "log_file_parallel_write_ms"),
    ("db file sequential read", "db_file_sequential_read_ms"),
    ("db file scattered read", "db_file_scattered_read_ms"),
    ("db file parallel read", "db_file_parallel_read_ms"),
    ("direct path read", "direct_path_read_ms"),
    ("direct path read temp", "direct_path_read_temp_ms"),
    ("direct path write temp", "direct_path_write_temp_ms"),
    ("cell single block physical read", "cell_single_block_physical_read_ms"),
    ("buffer busy waits", "buffer_busy_waits_ms"),
];

#[derive(Debug)]
pub(crate) struct View<'a> {
    /// `None`: TKPROF's report, which has no places.
    pub(crate) profile: Option<&'a Profile>,
    pub(crate) summary: &'a tkprof::Report,
    pub(crate) elapsed_s: f64,
    pub(crate) idle_s: f64,
    pub(crate) cpu_s: f64,
    /// Within calls, neither CPU nor a wait; without the time before the first line.
    pub(crate) unaccounted_s: f64,
    /// The trace shows neither call nor wait. `None`: the wall clock is not known.
    pub(crate) between_s: Option<f64>,
    pub(crate) events: Vec<EventView>,
    /// Beside those of `summary`.
    pub(crate) statements: Vec<StatementView>,
    /// The section of the figures.
    pub(crate) section: &'static str,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct EventView {
    pub(crate) name: String,
    pub(crate) class: &'static str,
    pub(crate) idle: bool,
    pub(crate) count: f64,
    pub(crate) total_s: f64,
    pub(crate) max_s: f64,
    /// Blocks that the waits were for, and the most of one wait.
    pub(crate) blocks: Option<(f64, f64)>,
}

impl EventView {
    pub(crate) fn average_ms(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.total_s / self.count * 1e3)
    }
}

/// The time of one statement, recursive calls not contained.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct StatementView {
    pub(crate) elapsed_s: f64,
    pub(crate) cpu_s: f64,
    /// By the event's name.
    pub(crate) waits: Vec<(String, f64, f64)>,
}

impl StatementView {
    /// Seconds waited for the events that `wanted` lets through.
    pub(crate) fn waited_s(&self, wanted: &dyn Fn(&str) -> bool) -> f64 {
        self.waits.iter().filter(|(event, _, _)| wanted(event)).map(|(_, _, total)| total).sum()
    }
}

fn ns(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e9
}

fn us(microseconds: i64) -> f64 {
    microseconds as f64 / 1e6
}

impl<'a> View<'a> {
    pub(crate) fn of_profile(profile: &'a Profile) -> Self {
        let events: Vec<_> = profile
            .events
            .iter()
            .map(|event| EventView {
                name: event.name.clone(),
                class: event.class,
                idle: event.idle,
                count: event.waits.count as f64,
                total_s: ns(event.waits.total_ns),
                max_s: ns(event.waits.max_ns),
                blocks: event.blocks.map(|blocks| (blocks as f64, event.blocks_max as f64)),
            })
            .collect();
        let statement = |sums: &profile::StatementProfile| StatementView {
            elapsed_s: ns(sums.elapsed_ns),
            cpu_s: ns(sums.cpu_ns),
            waits: named(&sums.waits, profile),
        };
        Self {
            profile: Some(profile),
            summary: &profile.summary,
            elapsed_s: ns(profile.elapsed_ns),
            idle_s: ns(profile.idle_ns()),
            cpu_s: ns(profile.cpu_ns()),
            unaccounted_s: ns(profile.unaccounted_in_calls_ns() - profile.before_first_line_ns),
            between_s: Some(ns(profile.unaccounted_between_calls_ns())),
            events,
            statements: profile.statements.iter().map(statement).collect(),
            section: "Where the time went",
        }
    }

    pub(crate) fn of_tkprof(report: &'a tkprof::Report) -> Self {
        let mut events: Vec<EventView> = Vec::new();
        for wait in report.non_recursive.waits.iter().chain(&report.recursive.waits) {
            let at = events.iter().position(|event| event.name == wait.event).unwrap_or_else(|| {
                events.push(EventView {
                    name: wait.event.clone(),
                    class: profile::event_class(&wait.event),
                    idle: profile::is_idle(&wait.event),
                    ..EventView::default()
                });
                events.len() - 1
            });
            let event = &mut events[at];
            event.count += wait.count as f64;
            event.total_s += us(wait.total);
            event.max_s = event.max_s.max(us(wait.max));
        }
        let total = report.non_recursive.total().plus(&report.recursive.total());
        // The totals of the tables if they include recursive calls.
        let (calls_s, cpu_s) = if report.inclusive {
            (us(report.non_recursive.total().elapsed), us(report.non_recursive.total().cpu))
        } else {
            (us(total.elapsed), us(total.cpu))
        };
        // Waits for the client lie between calls; all others are taken to lie within.
        let sum = |wanted: &dyn Fn(&EventView) -> bool| -> f64 {
            events.iter().filter(|event| wanted(event)).map(|event| event.total_s).sum()
        };
        let client_s = sum(&|event| event.name == "SQL*Net message from client");
        let within_s = sum(&|event| event.name != "SQL*Net message from client");
        let idle_s = sum(&|event| event.idle);
        let shown_s = calls_s + client_s;
        // Printed in whole seconds, and cut to them: it may be less than the calls took, and is no wall clock then.
        let clock_s = report.elapsed.map(us).filter(|elapsed| *elapsed >= shown_s);
        let elapsed_s = clock_s.unwrap_or(shown_s);
        let statement = |statement: &tkprof::Statement| {
            let total = statement.total();
            StatementView {
                elapsed_s: us(total.elapsed),
                cpu_s: us(total.cpu),
                waits: statement
                    .waits
                    .iter()
                    .filter(|wait| wait.event != "SQL*Net message from client")
                    .map(|wait| (wait.event.clone(), wait.count as f64, us(wait.total)))
                    .collect(),
            }
        };
        Self {
            profile: None,
            summary: report,
            elapsed_s,
            idle_s,
            cpu_s,
            unaccounted_s: calls_s - cpu_s - within_s,
            between_s: clock_s.map(|clock| clock - shown_s),
            events,
            statements: report.statements.iter().map(statement).collect(),
            section: "Overall totals",
        }
    }

    /// The time in which the database worked.
    pub(crate) fn busy_s(&self) -> f64 {
        (self.elapsed_s - self.idle_s).max(0.0)
    }

    /// Share of the wall clock, 0 to 1.
    pub(crate) fn share(&self, seconds: f64) -> f64 {
        if self.elapsed_s > 0.0 { (seconds / self.elapsed_s).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Share of the time in which the database worked, 0 to 1.
    pub(crate) fn busy_share(&self, seconds: f64) -> f64 {
        if self.busy_s() > 0.0 { (seconds / self.busy_s()).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// True: these seconds are worth a finding. They have the share that reports require of the time in which the
    /// database worked, and of the wall clock too unless they are [`ENOUGH_S`].
    pub(crate) fn matters(&self, seconds: f64) -> bool {
        self.busy_share(seconds) >= NOTABLE && (self.share(seconds) >= NOTABLE || seconds >= ENOUGH_S)
    }

    /// A finding of so many seconds, to be filled in.
    pub(crate) fn finding(&self, about: &About, seconds: f64, title: String, confidence: Confidence) -> Finding {
        finding(about, title, confidence).weight(self.share(seconds), seconds)
    }

    /// The upper bound of a saving, or `None` where too much of the time is unaccounted for.
    pub(crate) fn bounded(&self, high_s: f64) -> Option<f64> {
        (self.busy_share(self.unaccounted_s.max(0.0)) <= UNACCOUNTED).then_some(high_s.max(0.0))
    }

    /// `4.76 s (70 % of elapsed time)`.
    pub(crate) fn of_elapsed(&self, value: f64) -> String {
        format!("{} ({} of elapsed time)", seconds(value), percent(self.share(value)))
    }

    /// True: the trace has waits.
    pub(crate) fn has_waits(&self) -> bool {
        !self.events.is_empty()
    }

    /// Without waits, the answer "cannot tell".
    pub(crate) fn need_waits(&self) -> Result<(), NotFound> {
        let missing = || NotFound::CannotTell("waits: the trace has none (level 8 writes them)".to_owned());
        self.has_waits().then_some(()).ok_or_else(missing)
    }

    pub(crate) fn event(&self, name: &str) -> Option<&EventView> {
        self.events.iter().find(|event| event.name == name)
    }

    /// Count and seconds of the events that `wanted` lets through.
    pub(crate) fn waited(&self, wanted: &dyn Fn(&str) -> bool) -> (f64, f64) {
        let events = self.events.iter().filter(|event| wanted(&event.name));
        events.fold((0.0, 0.0), |(count, total), event| (count + event.count, total + event.total_s))
    }

    /// The verb of a statement: `UPDATE`. `None` without a text.
    pub(crate) fn verb(&self, statement: usize) -> Option<String> {
        let known = self.summary.statements.get(statement)?;
        let by_command = match known.command {
            Some(2) => Some("INSERT"),
            Some(3) => Some("SELECT"),
            Some(6) => Some("UPDATE"),
            Some(7) => Some("DELETE"),
            Some(44) => Some("COMMIT"),
            Some(45) => Some("ROLLBACK"),
            Some(47) => Some("PL/SQL"),
            Some(189) => Some("MERGE"),
            _ => None,
        };
        by_command.map(str::to_owned).or_else(|| first_word(known.sql.as_deref()?))
    }

    /// The name of a statement: its verb, and its SQL id or its place in the trace. No part of its text, which may be
    /// secret.
    pub(crate) fn statement(&self, index: usize) -> String {
        let verb = self.verb(index).unwrap_or_else(|| "statement without text".into());
        match self.summary.statements.get(index).and_then(|known| known.sql_id.as_deref()) {
            Some(id) => format!("{verb} {id}"),
            None => format!("{verb}, statement {} of the trace", index + 1),
        }
    }

    /// The statements that waited longest for the events that `wanted` lets through: index and seconds.
    pub(crate) fn waiting_statements(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<(usize, f64)> {
        let mut all: Vec<_> = self
            .statements
            .iter()
            .enumerate()
            .map(|(index, statement)| (index, statement.waited_s(wanted)))
            .filter(|(_, waited)| *waited > 0.0)
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all
    }

    /// An object as evidence names it.
    pub(crate) fn object(&self, number: i64) -> String {
        let name = self.profile.and_then(|profile| profile.object_names().remove(&number));
        match name {
            Some(known) => format!("object {number} ({})", known.name),
            None => format!("object {number}"),
        }
    }

    pub(crate) fn figures(&self) -> BTreeMap<&'static str, f64> {
        let mut figures = BTreeMap::new();
        if self.profile.is_none() {
            // The printed figure; the tables add up to another one.
            figures.extend(self.summary.elapsed.map(|elapsed| ("elapsed_s", us(elapsed))));
            figures.insert("calls_and_client_s", self.elapsed_s - self.between_s.unwrap_or(0.0));
        } else {
            figures.insert("elapsed_s", self.elapsed_s);
        }
        figures.insert("cpu_s", self.cpu_s);
        // No sign before the sum of nothing.
        figures.insert("idle_s", self.idle_s + 0.0);
        figures.insert("unaccounted_in_calls_s", self.unaccounted_s);
        figures.extend(self.between_s.map(|between| ("unaccounted_between_calls_s", between)));
        for (event, figure) in AVERAGES {
            if let Some(average) = self.event(event).and_then(EventView::average_ms) {
                figures.insert(figure, average);
            }
        }
        let (reads, read_s) =
            self.waited(&|event| matches!(event, "db file sequential read" | "cell single block physical read"));
        if reads > 0.0 {
            figures.insert("single_block_read_ms", read_s / reads * 1e3);
        }
        if let Some((blocks, _)) = self.event("db file scattered read").and_then(|event| event.blocks) {
            let count = self.event("db file scattered read").map_or(0.0, |event| event.count);
            if count > 0.0 {
                figures.insert("blocks_per_multiblock_read", blocks / count);
            }
        }
        figures
    }

    pub(crate) fn sums(&self) -> Vec<Sum> {
        let input =
            |name: &str, value: f64| Input { name: name.into(), value, unit: "s", section: self.section.into() };
        let calls_s = self.profile.map(|profile| profile.total_ns(|line| line.phase != Phase::Between)).map_or_else(
            || {
                let client_s = self.event("SQL*Net message from client").map_or(0.0, |event| event.total_s);
                self.elapsed_s - self.between_s.unwrap_or(0.0) - client_s
            },
            ns,
        );
        let mut sums = vec![Sum {
            name: "unaccounted_in_calls_s",
            value: self.unaccounted_s,
            formula: "elapsed time of calls - CPU of calls - waits within calls - what passed before the trace began",
            inputs: vec![input("elapsed time of calls", calls_s), input("CPU of calls", self.cpu_s)],
        }];
        sums.extend(self.between_s.map(|between| Sum {
            name: "unaccounted_between_calls_s",
            value: between,
            formula: "wall clock - elapsed time of calls - waits between calls",
            inputs: vec![input("wall clock", self.elapsed_s), input("elapsed time of calls", calls_s)],
        }));
        sums
    }

    /// Limits of the trace that a reader of its figures must know.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let Some(profile) = self.profile else {
            notes.push("TKPROF cuts times to hundredths of a second: what is below them reads as 0".to_owned());
            if self.between_s.is_none() {
                let printed = match self.summary.elapsed {
                    Some(elapsed) => format!(
                        "the printed elapsed time, {}, is in whole seconds and less than that",
                        seconds(us(elapsed))
                    ),
                    None => "no elapsed time of the trace is printed".to_owned(),
                };
                notes.push(format!(
                    "elapsed time is that of the calls and of the waits for the client, {}: {printed}",
                    seconds(self.elapsed_s)
                ));
            }
            notes.extend(self.most_of_other());
            return notes;
        };
        if profile.summary.header.unit_assumed() {
            notes.push(
                "no header names the release: times are taken for microseconds, which is 2.4 % too little if the trace is of 9.2 or 10.2 on Linux or \
                 Solaris, and 10,000 times too little if it is of 8i"
                    .to_owned(),
            );
        }
        if profile.unit_ns == 1024 {
            notes.push(
                "this release counts times in units of 1,024 ns: figures are real times, 1.024 times those of TKPROF"
                    .to_owned(),
            );
        }
        if profile.before_first_line_ns > profile.elapsed_ns / 100 {
            let before = seconds(ns(profile.before_first_line_ns));
            notes.push(format!(
                "the trace began within a call that had lasted {before}: what it waited for until then is not known"
            ));
        }
        notes.extend(self.most_of_other());
        if profile.sessions.len() > 1 {
            notes.push(format!("{} sessions: elapsed time is theirs added up", profile.sessions.len()));
        }
        notes
    }

    /// The class Other says nothing by its name: its largest event does.
    fn most_of_other(&self) -> Option<String> {
        let other = || self.events.iter().filter(|event| event.class == "Other");
        let total: f64 = other().map(|event| event.total_s).sum();
        let most = other().max_by(|a, b| a.total_s.total_cmp(&b.total_s)).filter(|_| self.matters(total))?;
        Some(format!(
            "of Other, {}, most is {}: {} waits, {}",
            seconds(total),
            most.name,
            number(most.count),
            seconds(most.total_s)
        ))
    }

    /// The wall clock: CPU, waits by class, idle ones among them, and unaccounted time. `None` for a trace without
    /// times.
    pub(crate) fn time(&self) -> Option<DbTime> {
        if self.elapsed_s <= 0.0 {
            return None;
        }
        let mut classes: BTreeMap<&str, f64> = BTreeMap::new();
        for event in &self.events {
            *classes.entry(event.class).or_default() += event.total_s;
        }
        let mut classes: Vec<(String, f64)> =
            classes.into_iter().map(|(class, total)| (class.to_owned(), total)).collect();
        classes.sort_by(|a, b| b.1.total_cmp(&a.1));
        let explained: f64 = self.cpu_s + classes.iter().map(|(_, total)| total).sum::<f64>();
        Some(DbTime {
            total_s: self.elapsed_s,
            cpu_s: Some(self.cpu_s),
            classes,
            unaccounted_s: self.has_waits().then_some(self.elapsed_s - explained),
        })
    }
}

fn named(waits: &[(usize, Waits)], profile: &Profile) -> Vec<(String, f64, f64)> {
    waits
        .iter()
        .filter_map(|(event, waits)| {
            Some((profile.events.get(*event)?.name.clone(), waits.count as f64, ns(waits.total_ns)))
        })
        .collect()
}

/// The first word of a statement that is no comment, in capitals.
fn first_word(text: &str) -> Option<String> {
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    loop {
        let after = if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/")?.1
        } else if let Some(comment) = rest.strip_prefix("--") {
            comment.split_once('\n')?.1
        } else {
            break;
        };
        rest = after.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    }
    let word: String = rest.chars().take_while(|c| c.is_alphabetic()).take(20).collect();
    let word = word.to_ascii_uppercase();
    match word.as_str() {
        "" => None,
        "BEGIN" | "DECLARE" | "CALL" => Some("PL/SQL".into()),
        "WITH" => Some("SELECT".into()),
        _ => Some(word),
    }
}

#[cfg(test)]
mod tests {
    use super::first_word;

    #[test]
    fn the_verb_behind_comments() {
        let verb = |text| first_word(text);
        assert_eq!(verb(" /* a */ -- b\n ( select 1"), Some("SELECT".into()));
        assert_eq!(verb("begin null; end;"), Some("PL/SQL".into()));
        assert_eq!(verb("update/*+ x */ t set"), Some("UPDATE".into()));
        assert_eq!((verb("/* never closed"), verb("")), (None, None));
    }
}
