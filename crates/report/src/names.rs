//! Names that a text report cut at the width of its column, made whole.
//!
//! The lists hold names that Oracle databases of many releases use for wait events, statistics, latches and lines of
//! the time model. A printed name is completed when exactly one of them begins with it; where two do ("latch: object
//! queue header"), it stays cut and is marked so.

use std::borrow::Cow;
use std::sync::LazyLock;

/// Kinds of names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    Events,
    Statistics,
    Latches,
    TimeModel,
}

static EVENTS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    sorted(include_str!("names/events.txt").lines().chain(waits::Event::ALL.iter().map(|event| event.name())))
});
static STATISTICS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    sorted(
        include_str!("names/statistics.txt")
            .lines()
            .chain(waits::Statistic::ALL.iter().map(|statistic| statistic.name())),
    )
});
static LATCHES: LazyLock<Vec<&'static str>> = LazyLock::new(|| sorted(include_str!("names/latches.txt").lines()));
static TIME_MODEL: LazyLock<Vec<&'static str>> = LazyLock::new(|| sorted(include_str!("names/time_model.txt").lines()));

fn sorted(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut list: Vec<&'static str> = names.filter(|name| !name.is_empty()).collect();
    list.sort_unstable();
    list.dedup();
    list
}

impl Names {
    fn list(self) -> &'static [&'static str] {
        match self {
            Names::Events => &EVENTS,
            Names::Statistics => &STATISTICS,
            Names::Latches => &LATCHES,
            Names::TimeModel => &TIME_MODEL,
        }
    }

    #[must_use]
    pub fn knows(self, name: &str) -> bool {
        self.list().binary_search(&name).is_ok()
    }

    /// The one known name that is this, or begins with it. None when no known name does, or several do.
    #[must_use]
    pub fn complete(self, printed: &str) -> Option<&'static str> {
        match self.completions(printed) {
            [found, ..] if *found == printed => Some(found),
            [alone] => Some(alone),
            _ => None,
        }
    }

    /// All known names that begin so, in the order of their bytes.
    #[must_use]
    pub fn completions(self, printed: &str) -> &'static [&'static str] {
        if printed.is_empty() {
            return &[];
        }
        let list = self.list();
        let first = list.partition_point(|name| *name < printed);
        let count = list[first..].partition_point(|name| name.starts_with(printed));
        &list[first..first + count]
    }

    /// Names below this length are never cut: no release has a narrower column for them.
    fn shortest_cut(self) -> usize {
        match self {
            Names::Events => 20,
            Names::Latches => 22,
            Names::Statistics => 30,
            Names::TimeModel => 33,
        }
    }
}

/// Names of one column that may be cut: those that fill its width. A cut at a space leaves a name one shorter, rarely
/// two.
#[derive(Clone, Copy, Debug)]
pub struct Width(Option<usize>);

impl Width {
    /// Width of a report that never cuts.
    pub const UNLIMITED: Self = Self(None);

    /// Width of the column that holds these names.
    #[must_use]
    pub fn of<'a>(column: impl Iterator<Item = &'a str>) -> Self {
        let longest = column.map(|name| name.chars().count()).max().unwrap_or(0);
        Self(Some(longest))
    }

    #[must_use]
    pub fn may_cut(self, name: &str) -> bool {
        self.0.is_some_and(|width| name.chars().count() + 2 >= width)
    }
}

/// The whole name, and false; or the name as printed (white space folded), and whether it may be cut.
#[must_use]
pub fn whole(kind: Names, printed: &str, width: Width) -> (String, bool) {
    let length = printed.chars().count() + 2;
    let may_cut = width.may_cut(printed) && length >= kind.shortest_cut();
    // A damaged row may make its column look wider than it is.
    let is_long = width.0.is_some() && length >= kind.shortest_cut().max(26);
    let printed = folded(printed);
    if !(may_cut || is_long) || kind.knows(&printed) {
        return (printed.into_owned(), false);
    }
    match kind.complete(&printed) {
        Some(name) => (name.to_owned(), false),
        None => (printed.into_owned(), may_cut),
    }
}

/// White space folded: HTML prints "redo write size count ( 4KB)" with one space, text with three.
fn folded(name: &str) -> Cow<'_, str> {
    if name.contains("  ") {
        Cow::Owned(name.split_whitespace().collect::<Vec<_>>().join(" "))
    } else {
        Cow::Borrowed(name)
    }
}

/// A run of names of a sorted list that are cut to the same letters, as many as known names begin so, are those names
/// in order. Returns the names for a run of `count`; None when the numbers differ.
#[must_use]
pub fn run(kind: Names, printed: &str, count: usize) -> Option<&'static [&'static str]> {
    let found = kind.completions(printed);
    // Numbers within names are printed right-aligned, which is another order than that of the folded names.
    let numbered = found
        .iter()
        .any(|name| name.get(printed.len()..).is_some_and(|rest| rest.contains(|digit: char| digit.is_ascii_digit())));
    (count > 1 && found.len() == count && !numbered).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::{Names, Width, whole};

    #[test]
    fn a_cut_name_that_fits_one_known_name_is_made_whole() {
        let width = Width::of(["log file switch (private str", "log file sync"].into_iter());
        assert_eq!(
            whole(Names::Events, "log file switch (private str", width),
            ("log file switch (private strand flush incomplete)".to_owned(), false)
        );
        assert_eq!(
            whole(Names::Events, "enq: TX - row lock contentio", width),
            ("enq: TX - row lock contention".to_owned(), false)
        );
        // Cut at the space: one shorter than the column.
        assert_eq!(
            whole(
                Names::TimeModel,
                "hard parse (sharing criteria) elaps",
                Width::of(["hard parse (sharing criteria) elaps"].into_iter())
            )
            .0,
            "hard parse (sharing criteria) elapsed time"
        );
    }

    #[test]
    fn a_cut_name_that_fits_two_stays_cut_and_says_so() {
        let width = Width::of(["latch: object queue header"].into_iter());
        assert_eq!(
            whole(Names::Events, "latch: object queue header", width),
            ("latch: object queue header".to_owned(), true)
        );
    }

    #[test]
    fn one_overlong_name_does_not_keep_the_others_cut() {
        let width = Width::of(
            ["DBWR thread checkpoint buffers w", "DBWR tablespace checkpoint buffe          1,20"].into_iter(),
        );
        let whole = |name| whole(Names::Statistics, name, width);
        assert_eq!(
            whole("DBWR thread checkpoint buffers w"),
            ("DBWR thread checkpoint buffers written".to_owned(), false)
        );
    }

    #[test]
    fn a_run_of_names_cut_alike_is_all_that_begin_so() {
        assert_eq!(
            super::run(Names::Statistics, "bytes received via SQL*Net from", 2),
            Some(["bytes received via SQL*Net from client", "bytes received via SQL*Net from dblink"].as_slice())
        );
        assert_eq!(super::run(Names::Statistics, "bytes received via SQL*Net from", 3), None);
        assert_eq!(super::run(Names::Statistics, "redo synch time overhead count (", 5), None);
    }

    #[test]
    fn short_names_and_names_of_html_are_as_printed() {
        let width = Width::of(["log file switch (private str"].into_iter());
        assert_eq!(whole(Names::Events, "latch: messa", width), ("latch: messa".to_owned(), false));
        assert_eq!(
            whole(Names::Events, "log file switch (private str", Width::UNLIMITED).0,
            "log file switch (private str"
        );
        assert_eq!(Names::Events.complete(""), None);
    }

    #[test]
    fn the_lists_hold_what_the_sums_need() {
        for name in [
            "log file parallel write",
            "log file sync",
            "buffer busy waits",
            "read by other session",
            "gc buffer busy acquire",
            "cell smart table scan",
        ] {
            assert!(Names::Events.knows(name), "{name}");
        }
        for name in [
            "redo write time",
            "redo writes",
            "redo wastage",
            "redo synch time overhead (usec)",
            "table fetch continued row",
            "transaction rollbacks",
        ] {
            assert!(Names::Statistics.knows(name), "{name}");
        }
    }
}
