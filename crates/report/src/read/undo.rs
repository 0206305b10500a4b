//! Undo: the window's summary and its intervals of ten minutes.

use super::Reading;
use super::view::{Line, View};
use crate::model::{UndoInterval, UndoSummary};

impl Reading {
    /// Several undo tablespaces are summed: counts add up, lengths are the longest.
    pub(super) fn undo_summary(&mut self, view: &View<'_>) -> bool {
        let mut read = false;
        for line in view.lines() {
            let Some(figures) = self.undo_figures(view, line) else { continue };
            let first = self.report.undo.is_none();
            let sum = self.report.undo.get_or_insert_default();
            if first || sum.tablespace_number != figures.tablespace_number {
                sum.tablespace_number = figures.tablespace_number.filter(|_| first);
            }
            let add = |field: &mut Option<f64>, value: Option<f64>| combine(field, value, |one, other| one + other);
            add(&mut sum.blocks, figures.blocks);
            add(&mut sum.transactions, figures.transactions);
            add(&mut sum.snapshot_too_old, figures.snapshot_too_old);
            add(&mut sum.out_of_space, figures.out_of_space);
            add(&mut sum.unexpired_stolen, figures.unexpired_stolen);
            add(&mut sum.unexpired_released, figures.unexpired_released);
            add(&mut sum.unexpired_reused, figures.unexpired_reused);
            add(&mut sum.expired_stolen, figures.expired_stolen);
            add(&mut sum.expired_released, figures.expired_released);
            add(&mut sum.expired_reused, figures.expired_reused);
            combine(&mut sum.longest_query_s, figures.longest_query_s, f64::max);
            combine(&mut sum.concurrent_transactions_max, figures.concurrent_transactions_max, f64::max);
            combine(&mut sum.retention_min_s, figures.retention_min_s, f64::min);
            combine(&mut sum.retention_max_s, figures.retention_max_s, f64::max);
            read = true;
        }
        read
    }

    pub(super) fn undo_intervals(&mut self, view: &View<'_>) -> bool {
        let end = view.find(&["endtime"]);
        if end.is_none() {
            return false;
        }
        let mut intervals = Vec::new();
        for line in view.lines().filter(|line| !line.text(end).is_empty()) {
            let Some(figures) = self.undo_figures(view, line) else { continue };
            intervals.push(UndoInterval { end: line.text(end).to_owned(), figures });
        }
        if intervals.is_empty() {
            return false;
        }
        self.report.undo_intervals.get_or_insert_default().extend(intervals);
        true
    }

    fn undo_figures(&self, view: &View<'_>, line: Line<'_>) -> Option<UndoSummary> {
        let thousands = line.number(view.find(&["numundoblocksk", "undoblocksk"])).map(|blocks| blocks * 1000.0);
        let blocks = thousands.or_else(|| line.number(view.find(&["numundoblocks", "undoblocks"])));
        let transactions = line.number(view.find(&["numberoftransactions", "numtrans", "numtransactions"]));
        if blocks.is_none() && transactions.is_none() {
            return None;
        }
        let too_old = self.pair_of(line.text(view.find(&["stooos"])));
        let steals = self.slashed(line.text(view.find(&["usuruuesereu", "usuruusereu"])));
        let steal = |at: usize| steals.get(at).copied().flatten();
        let retention = line.text(view.find(&["minmaxtrmins"]));
        let (least, most) = self.pair_of(retention);
        let tuned = line.number(view.find(&["tunretmins", "tunedretmins"]));
        Some(UndoSummary {
            tablespace_number: line.number(view.find(&["undots#"])),
            blocks,
            transactions,
            longest_query_s: line.number(view.find(&["maxqrylens", "maxquerylens"])),
            concurrent_transactions_max: line.number(view.find(&["maxtxconcurcy", "maxtxconcy", "maxtxconcurrency"])),
            retention_min_s: least.or(tuned).map(|minutes| minutes * 60.0),
            retention_max_s: most.or(tuned).map(|minutes| minutes * 60.0),
            snapshot_too_old: too_old.0.or_else(|| line.number(view.find(&["snapshottooold", "snaptooold"]))),
            out_of_space: too_old.1.or_else(|| line.number(view.find(&["outofspace"]))),
            unexpired_stolen: steal(0),
            unexpired_released: steal(1),
            unexpired_reused: steal(2),
            expired_stolen: steal(3),
            expired_released: steal(4),
            expired_reused: steal(5),
        })
    }

    fn slashed(&self, text: &str) -> Vec<Option<f64>> {
        text.split('/').map(|part| self.numbers.number(part)).collect()
    }

    /// "24.2/39.8", "0/0".
    fn pair_of(&self, text: &str) -> (Option<f64>, Option<f64>) {
        match self.slashed(text).as_slice() {
            [one, other] => (*one, *other),
            _ => (None, None),
        }
    }
}

fn combine(field: &mut Option<f64>, value: Option<f64>, with: impl Fn(f64, f64) -> f64) {
    *field = match (*field, value) {
        (Some(one), Some(other)) => Some(with(one, other)),
        (one, other) => one.or(other),
    };
}
