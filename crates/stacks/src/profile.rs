//! Stacks added up.

use std::collections::{BTreeMap, BTreeSet};

use common::sync::Arc;

use crate::stack::Stack;
use crate::svg;

/// The stacks of a thread over some time. A tick is the time between two of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Ticks a second.
    pub frequency: u32,
    /// Functions, the outermost first, and the ticks in which they were the whole stack.
    stacks: BTreeMap<Vec<Arc<str>>, u64>,
}

/// A function's ticks in a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionShare {
    pub name: Arc<str>,
    /// Ticks in which no other function that counts was called from it.
    pub own: u64,
    /// Ticks in which it was anywhere in the stack.
    pub total: u64,
}

impl Profile {
    pub(crate) fn new(frequency: u32) -> Self {
        Self { frequency, stacks: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, stack: &Stack, ticks: u64) {
        let outermost_first = stack.functions.iter().rev().cloned().collect();
        *self.stacks.entry(outermost_first).or_default() += ticks;
    }

    /// Ticks of all stacks.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        self.stacks.values().sum()
    }

    /// A number of ticks in seconds.
    #[must_use]
    pub fn seconds(&self, ticks: u64) -> f64 {
        ticks as f64 / f64::from(self.frequency)
    }

    /// The stacks in the collapsed format that other tools read: functions with `;` between them, the outermost first,
    /// a blank, and the ticks.
    #[must_use]
    pub fn collapsed(&self) -> String {
        let line = |(stack, ticks): (&Vec<Arc<str>>, &u64)| {
            // The separator must not stand in a name: `[u8; 4]`.
            let names: Vec<_> = stack.iter().map(|name| name.replace(';', ":")).collect();
            format!("{} {ticks}\n", names.join(";"))
        };
        self.stacks.iter().map(line).collect()
    }

    /// The stacks with the most ticks: one line each, the innermost function first, and their ticks.
    #[must_use]
    pub fn hottest_stacks(&self, most: usize) -> Vec<(String, u64)> {
        let mut all: Vec<_> = self.stacks.iter().collect();
        all.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
        let line = |stack: &[Arc<str>]| Stack { functions: stack.iter().rev().cloned().collect() }.line();
        all.into_iter().take(most).map(|(stack, ticks)| (line(stack), *ticks)).collect()
    }

    /// The ticks of the functions of some crates, by own ticks and then by all. What they call of other
    /// crates, the standard library's too, is their own work.
    #[must_use]
    pub fn functions(&self, crates: &[&str]) -> Vec<FunctionShare> {
        let mut shares: BTreeMap<&Arc<str>, (u64, u64)> = BTreeMap::new();
        for (stack, ticks) in &self.stacks {
            let counts = || stack.iter().filter(|name| crates.contains(&crate_of(name)));
            for name in counts().collect::<BTreeSet<_>>() {
                shares.entry(name).or_default().1 += ticks;
            }
            if let Some(innermost) = counts().next_back() {
                shares.entry(innermost).or_default().0 += ticks;
            }
        }
        let share = |(name, (own, total)): (&Arc<str>, _)| FunctionShare { name: Arc::clone(name), own, total };
        let mut shares: Vec<_> = shares.into_iter().map(share).collect();
        // Names were in order, and stay so where figures are alike.
        shares.sort_by_key(|share| std::cmp::Reverse((share.own, share.total)));
        shares
    }

    /// From the outermost function on, always to the callee with the most ticks, as long as that has a tenth of all:
    /// the functions of some crates on this path, with their ticks on it. A function's `own` ticks are those of the
    /// stacks that end in it, or in functions that do not count.
    #[must_use]
    pub fn heaviest_path(&self, crates: &[&str]) -> Vec<FunctionShare> {
        let all = self.ticks();
        let mut path: Vec<FunctionShare> = Vec::new();
        let mut way: Vec<Arc<str>> = Vec::new();
        loop {
            let mut next: BTreeMap<&Arc<str>, u64> = BTreeMap::new();
            for (stack, ticks) in self.stacks.iter().filter(|(stack, _)| stack.starts_with(&way)) {
                if let Some(name) = stack.get(way.len()) {
                    *next.entry(name).or_default() += ticks;
                }
            }
            let heaviest = next.into_iter().max_by_key(|(_, ticks)| *ticks);
            let Some((name, total)) = heaviest.filter(|(_, ticks)| ticks * 10 >= all) else { return path };
            way.push(Arc::clone(name));
            if crates.contains(&crate_of(name)) {
                let own_stacks = self.stacks.iter().filter(|(stack, _)| {
                    stack.starts_with(&way) && !stack[way.len()..].iter().any(|name| crates.contains(&crate_of(name)))
                });
                let own = own_stacks.map(|(_, ticks)| ticks).sum();
                path.push(FunctionShare { name: Arc::clone(name), own, total });
            }
        }
    }

    /// A flame graph as SVG: each function a bar as wide as its ticks, above the one that has called it. The functions
    /// of `crates` stand out.
    #[must_use]
    pub fn svg(&self, title: &str, crates: &[&str]) -> String {
        svg::draw(self, &self.stacks, title, crates)
    }
}

/// The crate that a function is in: `storage` of `storage::cache::get` and of `<storage::cache::Pool as
/// core::ops::Drop>::drop`.
pub(crate) fn crate_of(name: &str) -> &str {
    let name = name.trim_start_matches(['<', '&', '*', '(', '[']).trim_start_matches("mut ").trim_start_matches("dyn ");
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(name)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn profile(stacks: &[(&[&str], u64)]) -> Profile {
        let mut profile = Profile::new(100);
        for (outermost_first, ticks) in stacks {
            let functions = outermost_first.iter().rev().map(|name| Arc::from(*name)).collect();
            profile.add(&Stack { functions }, *ticks);
        }
        profile
    }

    fn example() -> Profile {
        profile(&[
            (&["sql::run", "engine::search"], 2),
            (&["sql::run", "engine::search", "core::slice::sort", "memcpy"], 5),
            (&["sql::run", "engine::search", "core::call", "engine::search", "engine::get"], 1),
            (&["sql::run", "alloc::free"], 3),
        ])
    }

    #[test]
    fn shares_count_a_function_once_a_stack() {
        let shares = example().functions(&["sql", "engine"]);
        let shares: Vec<_> = shares.iter().map(|share| (&*share.name, share.own, share.total)).collect();
        assert_eq!(shares, [("engine::search", 7, 8), ("sql::run", 3, 11), ("engine::get", 1, 1)]);
    }

    #[test]
    fn the_hottest_stack_comes_first() {
        let hottest = example().hottest_stacks(2);
        assert_eq!(hottest[0], ("memcpy()<-core::slice::sort()<-engine::search()<-sql::run()".to_owned(), 5));
        assert_eq!(hottest[1], ("alloc::free()<-sql::run()".to_owned(), 3));
        assert_eq!((example().ticks(), example().seconds(11)), (11, 0.11));
    }

    #[test]
    fn the_heaviest_path_goes_where_most_ticks_are() {
        let path = example().heaviest_path(&["sql", "engine"]);
        let path: Vec<_> = path.iter().map(|share| (&*share.name, share.own, share.total)).collect();
        assert_eq!(path, [("sql::run", 3, 11), ("engine::search", 7, 8)]);
        assert!(profile(&[]).heaviest_path(&["sql"]).is_empty());
    }

    #[test]
    fn collapsed_stacks_have_a_line_each() {
        let collapsed = profile(&[(&["a", "b"], 1), (&["a", "<[u8; 4] as t::T>::c"], 2)]).collapsed();
        assert_eq!(collapsed, "a;<[u8: 4] as t::T>::c 2\na;b 1\n");
    }

    #[test]
    fn the_crate_is_the_first_word() {
        for (name, expected) in [
            ("storage::cache::get", "storage"),
            ("<storage::cache::Pool as core::ops::Drop>::drop", "storage"),
            ("<&mut dyn sql::Scan as core::iter::Iterator>::next", "sql"),
            ("core::ptr::drop_in_place<storage::cache::Pool>", "core"),
            ("memcpy", "memcpy"),
        ] {
            assert_eq!(crate_of(name), expected);
        }
    }
}
