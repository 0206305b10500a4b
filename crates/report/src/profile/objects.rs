//! Objects by their numbers, as far as plans of the trace name them; and waits summed up over the sites.

use std::collections::BTreeMap;

use super::model::{EventIndex, Profile, Site, Waits};

/// An object's name in a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectName {
    pub name: String,
    /// It was accessed as an index; otherwise as a table or cluster.
    pub index: bool,
}

impl Profile {
    /// The objects that row sources of the trace's plans name, by number.
    #[must_use]
    pub fn object_names(&self) -> BTreeMap<i64, ObjectName> {
        let plans = self.summary.statements.iter().flat_map(|statement| &statement.plans);
        plans
            .flat_map(|plan| &plan.row_sources)
            .filter_map(|line| Some((line.object.filter(|object| *object > 0)?, name(&line.operation)?)))
            .collect()
    }

    /// Waits at the sites that `wanted` lets through, by `key`, most time first.
    #[must_use]
    pub fn by<K: Ord + Copy>(&self, wanted: impl Fn(&Site) -> bool, key: impl Fn(&Site) -> K) -> Vec<(K, Waits, u64)> {
        let mut sums: BTreeMap<K, (Waits, u64)> = BTreeMap::new();
        for site in self.sites.iter().filter(|site| wanted(site)) {
            let (waits, blocks) = sums.entry(key(site)).or_default();
            waits.add(site.waits);
            *blocks = blocks.saturating_add(site.blocks);
        }
        let mut sorted: Vec<_> = sums.into_iter().map(|(key, (waits, blocks))| (key, waits, blocks)).collect();
        sorted.sort_by_key(|(_, waits, _)| std::cmp::Reverse(waits.total_ns));
        sorted
    }

    /// Waits by event and object; `None`: of no object.
    #[must_use]
    pub fn by_object(&self) -> Vec<((EventIndex, Option<i64>), Waits, u64)> {
        self.by(|site| site.object.is_some(), |site| (site.event, site.object))
    }

    /// Waits by event and file.
    #[must_use]
    pub fn by_file(&self) -> Vec<((EventIndex, Option<u32>), Waits, u64)> {
        self.by(|site| site.file.is_some(), |site| (site.event, site.file))
    }

    /// Waits by event and block class, where the event's parameters tell it.
    #[must_use]
    pub fn by_class(&self) -> Vec<((EventIndex, Option<u32>), Waits, u64)> {
        self.by(|site| site.class.is_some(), |site| (site.event, site.class))
    }
}

/// The object's name in `INDEX RANGE SCAN I_T`, `TABLE ACCESS FULL T PARTITION: 1 4`.
fn name(operation: &str) -> Option<ObjectName> {
    let index = operation.starts_with("INDEX ") || operation.starts_with("BITMAP INDEX ");
    if !index && !["TABLE ACCESS ", "MAT_VIEW ", "LOAD "].iter().any(|start| operation.starts_with(start)) {
        return None;
    }
    let words = operation.split(" PARTITION:").next().unwrap_or(operation);
    let name = words.split_ascii_whitespace().next_back()?;
    Some(ObjectName { name: name.to_owned(), index })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_row_sources() {
        let found = |operation| name(operation).map(|found| (found.name, found.index));
        assert_eq!(found("TABLE ACCESS BY INDEX ROWID T"), Some(("T".into(), false)));
        assert_eq!(found("INDEX RANGE SCAN DESCENDING I_T"), Some(("I_T".into(), true)));
        assert_eq!(found("TABLE ACCESS FULL SALES PARTITION: 1 4"), Some(("SALES".into(), false)));
        assert_eq!(found("NESTED LOOPS"), None);
    }
}
