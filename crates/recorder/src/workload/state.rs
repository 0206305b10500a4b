//! The committed state, as the workload knows it.

use std::collections::{BTreeMap, BTreeSet};

use common::sync::Arc;

/// Rows of a table: `n` by `id`. The filler of a row begins with both.
pub(super) type Rows = BTreeMap<i64, i64>;

/// A table of the workload.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Table {
    pub rows: Arc<BTreeMap<i64, i64>>,
    pub indexes: BTreeSet<String>,
    pub tablespace: String,
}

/// Jobs: their sessions commit beside the script's, so any prefix of a running job's rows is there.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Jobs {
    /// Rounds by base. A round commits one row in each of two tables, with the id `base * ROUNDS_MAX + round`.
    pub submitted: BTreeMap<i64, i64>,
    /// The script has seen all rounds, and has committed after that.
    pub done: BTreeSet<i64>,
}

impl Jobs {
    pub const ROUNDS_MAX: i64 = 1000;
    pub const TABLES: [&str; 2] = ["JOB_A", "JOB_B"];
}

/// Tables, tablespaces and jobs. A copy costs little.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct WorkloadState {
    pub tables: BTreeMap<String, Table>,
    /// Bytes of the datafiles of each tablespace of the workload; those of an autoextending one are left out.
    pub tablespaces: BTreeMap<String, Vec<u64>>,
    pub groups: BTreeSet<String>,
    pub jobs: Jobs,
}

/// Differences of a database from its expected state.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Acknowledged entries that are missing.
    pub lost: Vec<String>,
    /// Entries of no allowed state: a part of something, or unrequested.
    pub half: Vec<String>,
}

impl Difference {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.half.is_empty()
    }

    fn len(&self) -> usize {
        self.lost.len() + self.half.len()
    }

    fn add(&mut self, here: bool, text: String) {
        if here { self.half.push(text) } else { self.lost.push(text) }
    }
}

impl WorkloadState {
    /// The index of the matching state, the last one that fits; else the difference to the nearest.
    ///
    /// # Errors
    /// The difference.
    pub fn place(&self, allowed: &[Self]) -> Result<usize, Difference> {
        let mut nearest: Option<Difference> = None;
        for (index, state) in allowed.iter().enumerate().rev() {
            let mut difference = self.difference(state);
            self.compare_jobs(&mut difference, allowed);
            if difference.is_empty() {
                return Ok(index);
            }
            if nearest.as_ref().is_none_or(|least| difference.len() < least.len()) {
                nearest = Some(difference);
            }
        }
        Err(nearest.unwrap_or_default())
    }

    fn difference(&self, expected: &Self) -> Difference {
        let mut difference = Difference::default();
        for name in self.tables.keys().chain(expected.tables.keys()).collect::<BTreeSet<_>>() {
            match (self.tables.get(name), expected.tables.get(name)) {
                (Some(_), Some(_)) if Jobs::TABLES.contains(&name.as_str()) => {}
                (Some(found), Some(wanted)) => compare(&mut difference, name, found, wanted),
                (found, _) => difference.add(found.is_some(), format!("table {name}")),
            }
        }
        for name in self.tablespaces.keys().chain(expected.tablespaces.keys()).collect::<BTreeSet<_>>() {
            match (self.tablespaces.get(name), expected.tablespaces.get(name)) {
                (Some(found), Some(wanted)) if found == wanted => {}
                (Some(found), Some(wanted)) => {
                    difference.lost.push(format!("tablespace {name} has files of {found:?} bytes, not {wanted:?}"));
                }
                (found, _) => difference.add(found.is_some(), format!("tablespace {name}")),
            }
        }
        for name in self.groups.symmetric_difference(&expected.groups) {
            difference.add(self.groups.contains(name), format!("disk group {name}"));
        }
        difference
    }

    fn compare_jobs(&self, difference: &mut Difference, allowed: &[Self]) {
        let (Some(first), Some(last)) = (allowed.first(), allowed.last()) else { return };
        let rows = |name: &str| self.tables.get(name).map(|table| table.rows.clone()).unwrap_or_default();
        let [a, b] = Jobs::TABLES.map(rows);
        for id in a.keys().collect::<BTreeSet<_>>().symmetric_difference(&b.keys().collect()) {
            difference.half.push(format!("the transaction of job row {id}"));
        }
        let mut rounds: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        for id in a.keys() {
            rounds.entry(id / Jobs::ROUNDS_MAX).or_default().insert(id % Jobs::ROUNDS_MAX);
        }
        for (base, rounds) in &rounds {
            let whole = rounds.iter().copied().eq(1..=rounds.len() as i64);
            let asked = last.jobs.submitted.get(base).is_some_and(|most| rounds.len() as i64 <= *most);
            if !whole || !asked {
                difference.half.push(format!("job {base} has the rounds {rounds:?}"));
            }
        }
        for base in &first.jobs.done {
            let wanted = first.jobs.submitted.get(base).copied().unwrap_or_default();
            let found = rounds.get(base).map_or(0, |rounds| rounds.len() as i64);
            if found < wanted {
                difference.lost.push(format!("job {base} has {found} of {wanted} rounds"));
            }
        }
    }
}

fn compare(difference: &mut Difference, name: &str, found: &Table, wanted: &Table) {
    for index in found.indexes.symmetric_difference(&wanted.indexes) {
        difference.add(found.indexes.contains(index), format!("index {index}"));
    }
    if found.tablespace != wanted.tablespace {
        difference.lost.push(format!("table {name} is in {}, not in {}", found.tablespace, wanted.tablespace));
    }
    if Arc::ptr_eq(&found.rows, &wanted.rows) || found.rows == wanted.rows {
        return;
    }
    for id in found.rows.keys().chain(wanted.rows.keys()).collect::<BTreeSet<_>>() {
        match (found.rows.get(id), wanted.rows.get(id)) {
            (Some(n), Some(other)) if n == other => {}
            (Some(n), Some(other)) => {
                difference.half.push(format!("row {id} of {name} has n = {n}, not {other}"));
            }
            (here, _) => difference.add(here.is_some(), format!("row {id} of {name}")),
        }
    }
}
