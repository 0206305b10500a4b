//! Figures from several sections: the window's length, DB time, names and counts that one section cuts and another has
//! whole.

use std::collections::HashMap;

use super::Reading;
use super::identity::fill;
use crate::figure::Figure;
use crate::model::{Event, Report};

/// A name cut below this length may belong to too many events.
const SHORTEST_CUT: usize = 20;

impl Reading {
    pub(super) fn finish(&mut self) {
        self.window();
        let cut = |title: &String, page: &String| title.len() > page.len() && title.starts_with(page.as_str());
        if let (Some(title), Some(page)) = (self.printed.instance.take(), &mut self.report.identity.instance)
            && cut(&title, page)
        {
            *page = title;
        }
        self.report.histograms = self.histograms.take();
        let caches = &mut self.report.caches;
        fill(
            &mut caches.buffer_cache_bytes,
            self.printed.buffers.zip(caches.block_bytes).map(|(buffers, bytes)| buffers * bytes),
        );
        self.complete_sql();
        if self.report.statistics.is_none() && !self.printed.key_statistics.is_empty() {
            self.report.statistics = Some(std::mem::take(&mut self.printed.key_statistics));
        }
        if let Some(elapsed_s) = self.report.window.elapsed_s {
            totals_from_rates(&mut self.report, elapsed_s);
        }
        complete_event_names(&mut self.report);
        cut_counts(&mut self.report);
        if self.report.cut {
            let within = self.report.sections.last().map_or(String::new(), |section| format!(", in {}", section.title));
            self.report.warnings.push(format!(
                "line {}: the report is cut here{within}: what stood behind that is not judged",
                self.last_line
            ));
        }
    }

    /// Elapsed time to the second from the snapshots; DB time from the time model.
    fn window(&mut self) {
        let window = &self.report.window;
        let between = match (window.begin.time_s, window.end.time_s) {
            (Some(begin), Some(end)) if end > begin => Some((end - begin) as f64),
            _ => None,
        };
        let printed = self.printed.elapsed_s;
        let elapsed_s = match (between, printed) {
            // A clock that was moved, or a date that was misread: the report knew better.
            (Some(between), Some(printed)) if (between - printed).abs() > (printed * 0.02).max(90.0) => {
                self.report.warnings.push(format!("the snapshots are {between} s apart, and the printed elapsed time is {printed} s: the latter is taken"));
                Some(printed)
            }
            (Some(between), _) => Some(between),
            (None, printed) => printed,
        };
        let db_time_s = self.report.time_model_s("DB time").or(self.printed.db_time_s);
        let db_cpu_s = self.report.time_model_s("DB CPU").or(self.printed.db_cpu_s);
        let window = &mut self.report.window;
        fill(&mut window.elapsed_s, elapsed_s);
        fill(&mut window.db_time_s, db_time_s);
        fill(&mut window.db_cpu_s, db_cpu_s);
    }
}

/// A total that did not fit its column is the rate times the seconds.
fn totals_from_rates(report: &mut Report, elapsed_s: f64) {
    for statistic in report.statistics.iter_mut().flatten() {
        if statistic.total.is_none() {
            statistic.total = statistic.per_second.map(|rate| rate * elapsed_s);
        }
    }
}

/// A name that stays cut in one list may be whole in another, whose column is wider.
fn complete_event_names(report: &mut Report) {
    let mut whole: Vec<String> = Vec::new();
    for event in event_lists(report).flat_map(|list| list.iter()) {
        if !event.cut {
            whole.push(event.name.clone());
        }
    }
    whole.sort_unstable();
    whole.dedup();
    let complete = |name: &str| {
        if name.len() < SHORTEST_CUT {
            return None;
        }
        let first = whole.partition_point(|other| other.as_str() < name);
        let found = whole.get(first).filter(|other| other.starts_with(name))?;
        (!whole.get(first + 1).is_some_and(|other| other.starts_with(name))).then(|| found.clone())
    };
    let lists =
        [&mut report.foreground_events, &mut report.background_events, &mut report.all_events, &mut report.top_events];
    for event in lists.into_iter().flatten().flatten().filter(|event| event.cut) {
        if let Some(name) = complete(&event.name) {
            event.name = name;
            event.cut = false;
        }
    }
    for histogram in report.histograms.iter_mut().flatten().filter(|histogram| histogram.cut) {
        if let Some(name) = complete(&histogram.name) {
            histogram.name = name;
            histogram.cut = false;
        }
    }
}

fn event_lists(report: &Report) -> impl Iterator<Item = &Vec<Event>> {
    [&report.foreground_events, &report.background_events, &report.all_events, &report.top_events].into_iter().flatten()
}

/// AWR text prints an event's waits in five places: `521.6K` loses its K. The event's own line has the full count.
fn cut_counts(report: &mut Report) {
    let Some(mut histograms) = report.histograms.take() else { return };
    let mut counts: HashMap<&str, f64> = HashMap::new();
    let lists: Vec<&Vec<Event>> = match &report.all_events {
        Some(all) => vec![all],
        None => [&report.foreground_events, &report.background_events].into_iter().flatten().collect(),
    };
    for event in lists.into_iter().flatten() {
        if let Some(waits) = event.waits {
            *counts.entry(event.name.as_str()).or_default() += waits.value;
        }
    }
    for histogram in &mut histograms {
        let Some(waits) = histogram.waits else { continue };
        // Counts are whole; with a fraction and no suffix, the suffix is what was cut.
        let is_cut = waits.step > 0.0 && waits.step < 1.0;
        if is_cut {
            let known = counts.get(histogram.name.as_str()).copied();
            histogram.waits = known.and_then(|known| with_suffix(waits, known));
        }
    }
    report.histograms = Some(histograms);
}

fn with_suffix(waits: Figure, known: f64) -> Option<Figure> {
    [1e3, 1e6, 1e9, 1e12]
        .into_iter()
        .map(|factor| waits.scaled(factor))
        .find(|waits| (waits.value - known).abs() <= known * 0.05)
}
