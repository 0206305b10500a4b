//! Events that are the finding by themselves: their name gives the cause.

use crate::analysis::{Confidence, Evidence, Finding};
use crate::judge::{About, Build, Verdict, View, ruled_out};
use crate::screen::number::{milliseconds, number, percent, seconds};

/// The words of a finding over events of this kind.
#[derive(Debug)]
pub(crate) struct Waits {
    /// The cause of the wait, as a title gives it.
    pub(crate) what: &'static str,
    pub(crate) events: fn(&str) -> bool,
    /// Locks to 9i were one event, told apart by the first parameter: the lock, and its mode.
    pub(crate) old_lock: Option<(&'static str, u32)>,
    pub(crate) confidence: Confidence,
    pub(crate) doubts: &'static [&'static str],
    pub(crate) advice: &'static [&'static str],
}

impl Waits {
    pub(crate) fn judged(&self, about: &About, view: &View<'_>) -> Verdict {
        view.need_waits()?;
        let (old_count, old_s) = self.old_lock.map_or((0.0, 0.0), |(lock, mode)| old_lock(view, lock, mode));
        let (count, total) = view.waited(&self.events);
        let (count, total) = (count + old_count, total + old_s);
        if count == 0.0 {
            return ruled_out(format!("nothing waited {}", self.what));
        }
        if !view.matters(total) {
            return ruled_out(format!("{} waits {}: {}", number(count), self.what, view.of_elapsed(total)));
        }
        let title = format!(
            "Waited {} {}: {} waits of {}",
            view.of_elapsed(total),
            self.what,
            number(count),
            milliseconds(total / count * 1e3)
        );
        let mut found = view.finding(about, total, title, self.confidence);
        describe(view, &self.events, &mut found);
        if old_count > 0.0 {
            found = found
                .evidence(view.section, format!("enqueue: {} waits, {}", number(old_count), seconds(old_s)))
                .doubt("to 9i all locks are one event; the lock and its mode are read from its first parameter");
        }
        found = locks(view, &self.events, found);
        found = self.doubts.iter().fold(found, |found, doubt| found.doubt(*doubt));
        Ok(self.advice.iter().fold(found, |found, advice| found.advise(*advice)))
    }
}

/// Evidence of the events that `wanted` lets through: each by count and length, the statements that waited, the
/// objects.
pub(crate) fn describe(view: &View<'_>, wanted: &dyn Fn(&str) -> bool, found: &mut Finding) {
    let mut add = |section: &str, text| found.evidence.push(Evidence { section: section.to_owned(), text });
    for event in view.events.iter().filter(|event| wanted(&event.name)) {
        let average = event.average_ms().map_or_else(String::new, |average| format!(" of {}", milliseconds(average)));
        let text = format!(
            "{}: {} waits{average}, {} at most, {} together",
            event.name,
            number(event.count),
            milliseconds(event.max_s * 1e3),
            seconds(event.total_s)
        );
        add(view.section, text);
    }
    let whole: f64 = view.waited(wanted).1;
    for (index, waited) in view.waiting_statements(wanted).into_iter().take(3) {
        let share = if whole > 0.0 { waited / whole } else { 0.0 };
        let text = format!("{} waited {}, {} of it", view.statement(index), seconds(waited), percent(share));
        add("Statements", text);
    }
    let Some(profile) = view.profile else { return };
    let name = |event: usize| profile.events.get(event).map_or("", |event| &event.name);
    let objects =
        profile.by(|site| site.object.is_some_and(|object| object > 0) && wanted(name(site.event)), |site| site.object);
    for (object, waits, _) in objects.into_iter().take(2) {
        let total = waits.total_ns as f64 / 1e9;
        let share = if whole > 0.0 { total / whole } else { 0.0 };
        let text = format!(
            "{}: {} waits, {}, {} of it",
            view.object(object.unwrap_or_default()),
            number(waits.count as f64),
            seconds(total),
            percent(share)
        );
        add("Waits by object", text);
    }
}

/// Lock modes, which tell a row's lock from a unique key's.
fn locks(view: &View<'_>, wanted: &dyn Fn(&str) -> bool, mut found: Finding) -> Finding {
    let Some(profile) = view.profile else { return found };
    for event in profile.events.iter().filter(|event| wanted(&event.name)) {
        for lock in &event.enqueues {
            let text = format!(
                "{} in mode {}: {} waits, {}",
                lock.name,
                lock.mode,
                number(lock.waits.count as f64),
                seconds(lock.waits.total_ns as f64 / 1e9)
            );
            found = found.evidence("Waits by length", text);
        }
    }
    found
}

/// Count and seconds of the event `enqueue` with this lock and mode.
fn old_lock(view: &View<'_>, lock: &str, mode: u32) -> (f64, f64) {
    let Some(profile) = view.profile else { return (0.0, 0.0) };
    let Some(event) = profile.event("enqueue") else { return (0.0, 0.0) };
    let waits = event.enqueues.iter().filter(|found| found.name == lock && found.mode == mode).map(|found| found.waits);
    waits.fold((0.0, 0.0), |(count, total), waits| (count + waits.count as f64, total + waits.total_ns as f64 / 1e9))
}
