//! Latches: their gets and misses, and the sleeps of those that slept.

use super::Reading;
use super::view::View;
use crate::model::{Latch, LatchMiss};
use crate::names::{Names, whole};
use crate::value::TimeUnit;

impl Reading {
    pub(super) fn latches(&mut self, view: &View<'_>) -> bool {
        let name = view.find(&["latchname", "latch", "name"]);
        let gets = view.find(&["getrequests", "gets"]);
        if name.is_none() || gets.is_none() {
            return false;
        }
        let miss_percent = view.find(&["pctgetmiss", "pctmiss"]);
        let wait = view.find(&["waittimes"]);
        let width = self.width(view.lines().map(|line| line.text(name)));
        let lines: Vec<Latch> = view
            .lines()
            .filter(|line| !line.text(name).is_empty())
            .map(|line| Latch {
                name: whole(Names::Latches, line.text(name), width).0,
                gets: line.number(gets),
                miss_percent: line.number(miss_percent),
                misses: None,
                sleeps: None,
                spin_gets: None,
                wait_s: line.seconds(wait, TimeUnit::Seconds).map(|figure| figure.value),
                nowait_gets: line.number(view.find(&["nowaitrequests"])),
                nowait_miss_percent: line.number(view.find(&["pctnowaitmiss"])),
            })
            .collect();
        if lines.is_empty() {
            return false;
        }
        self.report.latches.get_or_insert_default().extend(lines);
        true
    }

    /// Adds to the latches' lines; containers have a line each, and are summed.
    pub(super) fn latch_sleeps(&mut self, view: &View<'_>) -> bool {
        let name = view.find(&["latchname", "latch", "name"]);
        let misses = view.find(&["misses"]);
        let sleeps = view.find(&["sleeps"]);
        if name.is_none() || sleeps.is_none() {
            return false;
        }
        let width = self.width(view.lines().map(|line| line.text(name)));
        let latches = self.report.latches.get_or_insert_default();
        let mut read = false;
        for line in view.lines().filter(|line| !line.text(name).is_empty()) {
            let (full, _) = whole(Names::Latches, line.text(name), width);
            let place = latches
                .iter()
                .position(|latch| latch.name == full || (latch.name.len() >= 20 && full.starts_with(&latch.name)));
            let at = place.unwrap_or_else(|| {
                latches.push(Latch {
                    name: full,
                    gets: line.number(view.find(&["getrequests", "gets"])),
                    ..Latch::default()
                });
                latches.len() - 1
            });
            let latch = &mut latches[at];
            let add = |field: &mut Option<f64>, value: Option<f64>| {
                if let Some(value) = value {
                    *field = Some(field.unwrap_or(0.0) + value);
                }
            };
            add(&mut latch.misses, line.number(misses));
            add(&mut latch.sleeps, line.number(sleeps));
            add(&mut latch.spin_gets, line.number(view.find(&["spingets"])));
            read = true;
        }
        read
    }

    /// Where in the code latches were missed.
    pub(super) fn latch_misses(&mut self, view: &View<'_>) -> bool {
        let name = view.find(&["latchname", "latch"]);
        let place = view.find(&["where"]);
        if name.is_none() || place.is_none() {
            return false;
        }
        let width = self.width(view.lines().map(|line| line.text(name)));
        let lines: Vec<LatchMiss> = view
            .lines()
            .filter(|line| !line.text(name).is_empty())
            .map(|line| LatchMiss {
                latch: whole(Names::Latches, line.text(name), width).0,
                place: line.text(place).to_owned(),
                nowait_misses: line.number(view.find(&["nowaitmisses"])),
                sleeps: line.number(view.find(&["sleeps"])),
                waiter_sleeps: line.number(view.find(&["waitersleeps"])),
            })
            .collect();
        if lines.is_empty() {
            return false;
        }
        self.report.latch_misses.get_or_insert_default().extend(lines);
        true
    }
}
