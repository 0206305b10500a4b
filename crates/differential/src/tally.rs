//! The figures of a campaign.

use std::collections::BTreeMap;
use std::fmt;

use crate::compare::{Verdict, head};

/// Statements, by verdict.
#[derive(Default, Debug)]
pub struct Tally {
    pub queries: u64,
    pub changes: u64,
    /// Of them with the same rows, and at least one.
    pub same: u64,
    /// The same, and no row.
    pub none: u64,
    pub both_refuse: u64,
    /// One side met a condition that depends on the order of evaluation.
    pub order: u64,
    /// Highwater refused a text that is longer than Oracle's may be.
    pub text_limit: u64,
    /// By the words of the error.
    pub peer_refuses: BTreeMap<String, u64>,
    /// By the words of the error, with one of the statements.
    pub unsupported: BTreeMap<String, (u64, String)>,
    /// Full scans of Highwater's that cells have carried out.
    pub scans_by_cells: u64,
    /// Each difference: how to repeat it.
    pub differences: Vec<String>,
}

impl Tally {
    /// Counts a statement by its verdict, in Highwater's words.
    pub(crate) fn add(&mut self, verdict: &Verdict, statement: &str) {
        match verdict {
            Verdict::Same { rows: 0 } => self.none += 1,
            Verdict::Same { .. } => self.same += 1,
            Verdict::BothRefuse => self.both_refuse += 1,
            Verdict::Order => self.order += 1,
            Verdict::TextLimit => self.text_limit += 1,
            Verdict::PeerRefuses(why) => *self.peer_refuses.entry(head(why).to_owned()).or_default() += 1,
            Verdict::Unsupported(why) => {
                let (count, example) = self.unsupported.entry(head(why).to_owned()).or_default();
                *count += 1;
                if example.is_empty() || statement.len() < example.len() {
                    statement.clone_into(example);
                }
            }
            Verdict::Different | Verdict::Refused(_) => {}
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} queries, {} changes", self.queries, self.changes)?;
        writeln!(f, "  {:>8}  the same, with rows", self.same)?;
        writeln!(f, "  {:>8}  the same, without rows", self.none)?;
        writeln!(f, "  {:>8}  refused by both for the same reason", self.both_refuse)?;
        writeln!(f, "  {:>8}  refused by one: several rows or a division by zero", self.order)?;
        writeln!(
            f,
            "  {:>8}  refused by Highwater: a text beyond 4,000 bytes, for which the peer has room",
            self.text_limit
        )?;
        if self.scans_by_cells > 0 {
            writeln!(f, "  {:>8}  scans by cells", self.scans_by_cells)?;
        }
        for (why, count) in &self.peer_refuses {
            writeln!(f, "  {count:>8}  not carried out by the peer: {why}")?;
        }
        for (why, (count, example)) in &self.unsupported {
            writeln!(f, "  {count:>8}  not supported: {why}")?;
            writeln!(f, "            as in {example}")?;
        }
        write!(f, "  {:>8}  different", self.differences.len())
    }
}
