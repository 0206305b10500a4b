//! One session's wall clock: the span of its lines, calls whose caller has not ended, and waits that no call has taken
//! yet.
//!
//! A line is written when its call or wait has ended, so `tim` rises through the file but for a few microseconds. Where
//! it falls back by more than [`FALLBACK_NS`], the file goes on with another clock (the process was restarted, or the
//! file holds two traces): a new stretch begins, and stretches add up.

use crate::tkprof::Recursion;

use super::EventIndex;
use super::model::StatementIndex;

/// A fall of the clock that is no inexactness of measuring.
const FALLBACK_NS: i64 = 1_000_000_000;

/// Waits kept one by one until their call's line comes.
const PENDING: usize = 1024;

/// Waits beyond these are summed up by cursor and event; of so many of those at most.
const FOLDED: usize = 1024;

/// A wait that no call has taken yet, or several of one cursor and event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) cursor: u64,
    pub(super) event: EventIndex,
    pub(super) statement: Option<StatementIndex>,
    /// Its middle, on the session's clock; `None`: within its call whatever the call's span.
    pub(super) middle_ns: Option<i64>,
    pub(super) count: u64,
    pub(super) total_ns: i64,
    pub(super) max_ns: i64,
}

#[derive(Debug, Default)]
pub(super) struct Timeline {
    start_ns: Option<i64>,
    last_ns: i64,
    /// `last_ns` before it was last moved.
    before_last_ns: i64,
    /// Stretches that are over.
    finished_ns: i64,
    /// Beginning of the stretch by its first line.
    first_line_ns: i64,
    /// Of all stretches that are over.
    before_first_line_ns: i64,
    pub(super) recursion: Recursion,
    pending: Vec<Pending>,
    folded: Vec<Pending>,
}

impl Timeline {
    /// Takes the time of a line and the duration of its call or wait.
    pub(super) fn time(&mut self, end_ns: i64, lasted_ns: i64) {
        let start = end_ns.saturating_sub(lasted_ns.max(0));
        let Some(known) = self.start_ns else {
            self.start_ns = Some(start);
            (self.last_ns, self.before_last_ns) = (end_ns, end_ns);
            self.first_line_ns = start;
            return;
        };
        if end_ns < self.last_ns.saturating_sub(FALLBACK_NS) {
            if end_ns >= self.before_last_ns.saturating_sub(FALLBACK_NS) && self.before_last_ns < self.last_ns {
                // One line had leapt ahead: a damaged number, not a new clock.
                self.last_ns = self.before_last_ns.max(end_ns);
                return;
            }
            self.finish_stretch();
            self.start_ns = Some(start);
            (self.last_ns, self.before_last_ns) = (end_ns, end_ns);
            self.first_line_ns = start;
            return;
        }
        self.start_ns = Some(known.min(start));
        if end_ns > self.last_ns {
            self.before_last_ns = self.last_ns;
            self.last_ns = end_ns;
        }
    }

    fn finish_stretch(&mut self) {
        let Some(start) = self.start_ns.take() else { return };
        self.finished_ns = self.finished_ns.saturating_add(self.last_ns.saturating_sub(start));
        self.before_first_line_ns = self.before_first_line_ns.saturating_add(self.first_line_ns.saturating_sub(start));
    }

    /// The session's wall clock, and how much of it was before the first line. No time is taken after this.
    pub(super) fn finish(&mut self) -> (i64, i64) {
        self.finish_stretch();
        (self.finished_ns, self.before_first_line_ns)
    }

    pub(super) fn wait(&mut self, wait: Pending) {
        if self.pending.len() == PENDING {
            self.fold();
        }
        self.pending.push(wait);
    }

    /// Sums the older half of the waits up: a call that has as many lasts long, so that they all but certainly lie
    /// within it.
    fn fold(&mut self) {
        for wait in self.pending.drain(..PENDING / 2) {
            let same = |f: &&mut Pending| (f.cursor, f.event) == (wait.cursor, wait.event);
            if let Some(folded) = self.folded.iter_mut().find(same) {
                folded.count += wait.count;
                folded.total_ns = folded.total_ns.saturating_add(wait.total_ns);
                folded.max_ns = folded.max_ns.max(wait.max_ns);
            } else if self.folded.len() < FOLDED {
                self.folded.push(Pending { middle_ns: None, ..wait });
            } else if let Some(last) = self.folded.last_mut() {
                // Thousands of cursors without a call: no trace that is whole. The time is kept, under a wrong event.
                last.count += wait.count;
                last.total_ns = last.total_ns.saturating_add(wait.total_ns);
            }
        }
    }

    /// Settles waits at the end of a call, each as within it or between calls. `span_start_ns` is when the call began;
    /// a call at depth 0 settles all waits, any other takes those of its cursor that lie within it.
    pub(super) fn settle(
        &mut self,
        cursor: u64,
        depth: u32,
        span_start_ns: Option<i64>,
        mut give: impl FnMut(&Pending, bool),
    ) {
        let inside = |wait: &Pending| match (wait.middle_ns, span_start_ns) {
            (Some(middle), Some(start)) => middle > start,
            _ => true,
        };
        if depth == 0 {
            self.pending.drain(..).for_each(|wait| give(&wait, inside(&wait)));
            self.folded.drain(..).for_each(|wait| give(&wait, true));
            return;
        }
        // Waits stand in the order of their ends: the first from behind that lies before the call ends the search.
        let mut from = self.pending.len();
        let mut any = false;
        while from > 0 && inside(&self.pending[from - 1]) {
            from -= 1;
            any |= self.pending[from].cursor == cursor;
        }
        if any {
            let mut kept = from;
            for at in from..self.pending.len() {
                let wait = self.pending[at];
                if wait.cursor == cursor {
                    give(&wait, true);
                } else {
                    self.pending[kept] = wait;
                    kept += 1;
                }
            }
            self.pending.truncate(kept);
        }
        if !self.folded.is_empty() {
            self.folded.retain(|wait| {
                if wait.cursor == cursor {
                    give(wait, true);
                }
                wait.cursor != cursor
            });
        }
    }

    /// The waits that no call took.
    pub(super) fn rest(&mut self) -> impl Iterator<Item = Pending> + '_ {
        self.pending.drain(..).chain(self.folded.drain(..))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(cursor: u64, middle_ns: i64) -> Pending {
        Pending { cursor, event: 0, statement: None, middle_ns: Some(middle_ns), count: 1, total_ns: 2, max_ns: 2 }
    }

    fn settled(timeline: &mut Timeline, cursor: u64, depth: u32, start: i64) -> (u64, u64) {
        let (mut within, mut between) = (0, 0);
        timeline.settle(cursor, depth, Some(start), |w, inside| {
            *if inside { &mut within } else { &mut between } += w.count
        });
        (within, between)
    }

    #[test]
    fn a_clock_that_falls_back_begins_a_stretch_and_one_line_that_leaps_does_not() {
        let mut timeline = Timeline::default();
        let second = 1_000_000_000;
        timeline.time(100 * second, second);
        timeline.time(110 * second, 0);
        timeline.time(9_000_000 * second, 0);
        timeline.time(111 * second, 0);
        timeline.time(5 * second, 0);
        timeline.time(7 * second, 4 * second);
        assert_eq!(timeline.finish(), (12 * second + 4 * second, 2 * second));
    }

    #[test]
    fn a_recursive_call_takes_its_own_and_the_users_call_the_rest() {
        let mut timeline = Timeline::default();
        for (cursor, at) in [(2, 5), (1, 10), (2, 11), (3, 12), (2, 13)] {
            timeline.wait(pending(cursor, at));
        }
        assert_eq!(settled(&mut timeline, 2, 1, 7), (2, 0));
        assert_eq!(settled(&mut timeline, 1, 0, 7), (2, 1));
        assert_eq!(timeline.rest().count(), 0);
    }

    #[test]
    fn no_wait_is_lost_where_no_call_ends() {
        let mut timeline = Timeline::default();
        for at in 0..100_000 {
            timeline.wait(pending(at % 7, at as i64));
        }
        assert!(timeline.pending.len() <= PENDING && timeline.folded.len() == 7);
        assert_eq!(timeline.rest().map(|w| w.count).sum::<u64>(), 100_000);
    }
}
