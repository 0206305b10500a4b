//! The promises of the database, compared with its contents after a crash.
//!
//! 1. A transaction whose COMMIT has returned is there; with NOWAIT it may be absent.
//! 2. A transaction whose COMMIT was called and has not returned is there or absent.
//! 3. Nothing else is there.
//! 4. Each transaction is there as a whole, or not at all: all tables are the result of the transactions that are
//!    there.
//! 5. Redo is one sequence: when a transaction is there, so is each whose COMMIT had returned before this one's was
//!    called, NOWAIT or not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::change::{Id, Work};
use super::line::Line;
use super::state::{DatabaseState, Own};

/// The promise that was broken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// 1: acknowledged, and not there.
    Lost,
    /// 4: a part of it is there.
    Half,
    /// 3: there, and no session has asked for it.
    Unasked,
    /// 5: absent, and a later one is there.
    Hole,
    /// The database does not open, does not close, or a statement fails that must not.
    Broken,
    /// The offline check has found a problem.
    Damaged,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lost => "lost",
            Self::Half => "half",
            Self::Unasked => "unasked",
            Self::Hole => "hole",
            Self::Broken => "broken",
            Self::Damaged => "damaged",
        })
    }
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub fault: Fault,
    pub text: String,
}

impl Finding {
    pub(super) fn new(fault: Fault, text: impl Into<String>) -> Self {
        Self { fault, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.fault, self.text)
    }
}

/// The outcomes of one process's transactions.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Settled {
    /// COMMIT had returned when the process was killed.
    pub acknowledged: u64,
    /// Of these, with NOWAIT; and absent, as they may be.
    pub nowait: u64,
    pub nowait_absent: u64,
    /// Of the acknowledged ones, statements that commit by themselves.
    pub definitions: u64,
    /// COMMIT had been called when the process was killed, and had not returned: found whole, or absent.
    pub in_flight_whole: u64,
    pub in_flight_absent: u64,
    pub rolled_back: u64,
    pub deadlocks: u64,
    pub findings: Vec<Finding>,
}

/// All that has been promised in one database.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    state: DatabaseState,
}

/// A transaction that a process has tried to commit.
struct Tried<'l> {
    id: Id,
    wait: bool,
    work: &'l Work,
    /// The index of its line, and of the line that acknowledged it.
    at: usize,
    acknowledged: Option<usize>,
}

impl Ledger {
    #[must_use]
    pub(super) fn new(sessions: u32) -> Self {
        Self { state: DatabaseState::new(sessions) }
    }

    /// Takes in the lines that one process wrote until it was killed, and compares them with the present contents. As
    /// far as they are allowed, these contents are expected from here on.
    #[must_use]
    pub(super) fn settle(&mut self, lines: &[Line], found: &DatabaseState) -> Settled {
        let mut settled = Settled::default();
        let mut findings = Vec::new();
        let mut last_definition: BTreeMap<u32, (Id, Own)> = BTreeMap::new();
        // Of those that are absent, the one that was acknowledged first, and the line that did it.
        let mut absent: Option<(usize, Id)> = None;
        let earlier =
            |absent: Option<(usize, Id)>, line, id| absent.filter(|(before, _)| *before < line).or(Some((line, id)));
        for Tried { id, wait, work, at, acknowledged } in read(lines, &mut settled, &mut findings) {
            let there = match work {
                Work::Changes(_) => found.journal.contains_key(&id),
                Work::Definition(_) => self.defined(id, work, acknowledged.is_some(), found),
            };
            if let Work::Definition(_) = work {
                settled.definitions += u64::from(acknowledged.is_some());
                last_definition.insert(id.session, (id, self.own(id.session)));
            }
            match (acknowledged, there) {
                (Some(line), false) if wait => {
                    findings.push(Finding::new(Fault::Lost, format!("transaction {id} was acknowledged: {work}")));
                    absent = earlier(absent, line, id);
                }
                (Some(line), false) => {
                    settled.nowait_absent += 1;
                    absent = earlier(absent, line, id);
                }
                (None, true) => settled.in_flight_whole += 1,
                (None, false) => settled.in_flight_absent += 1,
                (Some(_), true) => {}
            }
            settled.acknowledged += u64::from(acknowledged.is_some());
            settled.nowait += u64::from(acknowledged.is_some() && !wait);
            if there {
                if let Some((line, before)) = absent
                    && line < at
                {
                    let text = format!("transaction {before} is absent, and {id}, which came after its end, is there");
                    findings.push(Finding::new(Fault::Hole, text));
                }
                self.state.apply(id, work);
            }
        }
        self.compare_journals(found, &mut findings);
        // A definition that was acknowledged and has left no trace.
        for (session, (id, before)) in last_definition {
            let own = self.own(session);
            let there = found.sessions.get(session as usize).and_then(|own| own.side.clone());
            if own.side != there && before.side == there {
                findings.push(Finding::new(Fault::Lost, format!("definition {id} was acknowledged")));
            }
        }
        findings.extend(self.state.differences(found).into_iter().map(|text| Finding::new(Fault::Half, text)));
        self.state = found.clone();
        settled.findings = findings;
        settled
    }

    fn own(&self, session: u32) -> Own {
        self.state.sessions.get(session as usize).cloned().unwrap_or_default()
    }

    /// True: a definition is there. An acknowledged one must be: the later transactions use the table that it made.
    fn defined(&self, id: Id, work: &Work, acknowledged: bool, found: &DatabaseState) -> bool {
        let mut own = self.own(id.session);
        own.work(id.number, work);
        let there = found.sessions.get(id.session as usize).and_then(|own| own.side.as_ref());
        acknowledged || own.side.as_ref() == there
    }

    fn compare_journals(&self, found: &DatabaseState, findings: &mut Vec<Finding>) {
        let ids: BTreeSet<&Id> = self.state.journal.keys().chain(found.journal.keys()).collect();
        for id in ids {
            let (fault, text) = match (self.state.journal.get(id), found.journal.get(id)) {
                (Some(expected), Some(found)) if expected == found => continue,
                (Some(expected), Some(found)) => (
                    Fault::Half,
                    format!("transaction {id}: its row in the journal says '{found}', it did '{expected}'"),
                ),
                (Some(expected), None) => {
                    (Fault::Lost, format!("transaction {id} was there after an earlier crash: {expected}"))
                }
                (None, found) => (Fault::Unasked, format!("transaction {id}: {}", found.map_or("", String::as_str))),
            };
            findings.push(Finding::new(fault, text));
        }
    }
}

/// The transactions whose COMMIT was called, in the order of these calls.
fn read<'l>(lines: &'l [Line], settled: &mut Settled, findings: &mut Vec<Finding>) -> Vec<Tried<'l>> {
    let mut tried: Vec<Tried<'l>> = Vec::new();
    let mut places: BTreeMap<Id, usize> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        match line {
            Line::Opening | Line::Opened { .. } | Line::Ready => {}
            Line::Commit { id, wait, work } => {
                places.insert(*id, tried.len());
                tried.push(Tried { id: *id, wait: *wait, work, at, acknowledged: None });
            }
            Line::Acknowledged(id) => match places.get(id) {
                Some(place) => tried[*place].acknowledged = Some(at),
                None => findings.push(Finding::new(Fault::Broken, format!("{id} was acknowledged and not asked for"))),
            },
            Line::RolledBack { deadlock, .. } => {
                settled.rolled_back += 1;
                settled.deadlocks += u64::from(*deadlock);
            }
            Line::Failed { session, text } => {
                findings.push(Finding::new(Fault::Broken, format!("session {session}: {text}")));
            }
        }
    }
    tried
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durability::state::Row;

    /// A first process of two sessions: its lines, and its work.
    const SAID: &[&str] = &[
        "COMMIT 0 1 wait T1:2:30 IM10:5",
        "ACK 0 1",
        "COMMIT 1 1 wait IA11:7 BM20:3:9",
        "ACK 1 1",
        "ROLLBACK 1 2 deadlock",
        "COMMIT 0 2 wait create:MA",
        "ACK 0 2",
        "COMMIT 1 3 nowait UM21:40",
        "ACK 1 3",
        "COMMIT 0 3 wait DM10 IS5:5",
        "COMMIT 1 4 nowait T2:1:5",
        "ACK 1 4",
    ];
    const ALL: [(u32, u64); 6] = [(0, 1), (1, 1), (0, 2), (1, 3), (0, 3), (1, 4)];

    fn said() -> Vec<Line> {
        SAID.iter().map(|line| line.parse().unwrap()).collect()
    }

    /// The tables after those of the transactions that are listed.
    fn after(ids: &[(u32, u64)]) -> DatabaseState {
        let mut state = DatabaseState::new(2);
        for line in said() {
            if let Line::Commit { id, work, .. } = line
                && ids.contains(&(id.session, id.number))
            {
                state.apply(id, &work);
            }
        }
        state
    }

    fn settle(found: &DatabaseState) -> (Settled, Vec<Fault>) {
        let settled = Ledger::new(2).settle(&said(), found);
        let mut faults: Vec<Fault> = settled.findings.iter().map(|finding| finding.fault).collect();
        faults.sort_unstable();
        faults.dedup();
        (settled, faults)
    }

    #[test]
    fn what_may_be_is_no_fault() {
        for (kept, in_flight, nowait_absent) in [(6, 1, 0), (5, 1, 1), (4, 0, 1)] {
            let (settled, faults) = settle(&after(&ALL[..kept]));
            assert_eq!(faults, [], "{:?}", settled.findings);
            assert_eq!((settled.acknowledged, settled.nowait, settled.definitions), (5, 2, 1));
            assert_eq!((settled.rolled_back, settled.deadlocks), (1, 1));
            assert_eq!((settled.in_flight_whole, settled.in_flight_absent), (in_flight, 1 - in_flight));
            assert_eq!(settled.nowait_absent, nowait_absent);
        }
        // Both with NOWAIT and the one in flight.
        assert_eq!(settle(&after(&ALL[..3])).1, []);
    }

    #[test]
    fn a_transaction_that_was_acknowledged_and_is_gone_is_lost() {
        assert!(settle(&after(&[(0, 1), (0, 2), (1, 3), (0, 3), (1, 4)])).1.contains(&Fault::Lost));
        assert!(settle(&after(&[])).1.contains(&Fault::Lost));
    }

    #[test]
    fn a_definition_that_was_acknowledged_and_is_gone_is_lost() {
        assert!(settle(&after(&[(0, 1), (1, 1), (1, 3)])).1.contains(&Fault::Lost));
    }

    #[test]
    fn an_absent_one_below_one_that_is_there_is_a_hole() {
        // The one in flight began after 1 3 had returned, NOWAIT or not.
        let (settled, faults) = settle(&after(&[(0, 1), (1, 1), (0, 2), (0, 3)]));
        assert_eq!(faults, [Fault::Hole], "{:?}", settled.findings);
    }

    #[test]
    fn each_part_that_is_missing_or_too_much_is_seen() {
        let whole = after(&ALL);
        let damages: [fn(&mut DatabaseState); 10] = [
            |state| *state.accounts.get_mut(&1).unwrap() -= 1,
            |state| {
                state.accounts.remove(&5);
            },
            |state| {
                state.sessions[1].manual.remove(&22);
            },
            |state| state.sessions[1].manual.get_mut(&21).unwrap().length = 9,
            |state| state.sessions[1].auto.get_mut(&11).unwrap().number = 3,
            |state| {
                state.sessions[0].auto.insert(77, Row { number: 1, length: 1 });
            },
            |state| {
                state.sessions[0].side.as_mut().unwrap().rows.remove(&5);
            },
            |state| state.sessions[0].side.as_mut().unwrap().indexed = true,
            |state| {
                state.sessions[0].manual.insert(10, Row { number: 1, length: 5 });
            },
            |state| {
                state.journal.insert(Id { session: 1, number: 1 }, "IA11:7".to_owned());
            },
        ];
        for (number, damage) in damages.iter().enumerate() {
            let mut found = whole.clone();
            damage(&mut found);
            let (settled, faults) = settle(&found);
            assert_eq!(faults, [Fault::Half], "{number}: {:?}", settled.findings);
        }
    }

    #[test]
    fn what_nobody_asked_for_is_said() {
        let mut found = after(&ALL);
        found.journal.insert(Id { session: 1, number: 2 }, String::new());
        assert_eq!(settle(&found).1, [Fault::Unasked]);
        let lines = ["ACK 0 9".parse().unwrap(), "FAILED 0 ORA-00600".parse().unwrap()];
        let settled = Ledger::new(2).settle(&lines, &DatabaseState::new(2));
        assert_eq!(settled.findings.iter().filter(|finding| finding.fault == Fault::Broken).count(), 2);
    }

    #[test]
    fn what_was_there_after_one_crash_is_there_after_the_next() {
        let mut ledger = Ledger::new(2);
        assert_eq!(ledger.settle(&said(), &after(&ALL)).findings, []);
        assert_eq!(ledger.clone().settle(&[], &after(&ALL)).findings, []);
        let settled = ledger.settle(&[], &after(&ALL[..5]));
        assert!(settled.findings.iter().any(|finding| finding.fault == Fault::Lost), "{:?}", settled.findings);
    }
}
