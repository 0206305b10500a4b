//! Statements by seed.
//!
//! A definition commits the open transaction, so a COMMIT always precedes one: each statement leads from one committed
//! state to the next, or to the same.

use common::Seeded;
use common::sync::Arc;

use super::mirrors::Mirrors;
use super::state::{Jobs, Rows, Table, WorkloadState};
use super::told::Answer;

/// The main subject of a workload.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WorkloadKind {
    /// Rows, one transaction after the other.
    Rows,
    /// Tables, indexes, tablespaces, datafiles, undo tablespaces.
    Definitions,
    /// Tablespaces in disk groups, and the groups.
    Groups,
    /// Rows that go past the cache.
    Loads,
    /// Jobs, which commit beside the script.
    Jobs,
    /// Tablespaces in a mirrored group, whose disks leave and come back.
    Mirrors,
    /// As Mirrors; each failure group is a cell in a process of its own, and is recorded, too.
    Cells,
}

impl WorkloadKind {
    pub const ALL: [Self; 7] =
        [Self::Rows, Self::Definitions, Self::Groups, Self::Loads, Self::Jobs, Self::Mirrors, Self::Cells];

    /// True: there is a mirrored group.
    pub(super) fn has_mirrors(self) -> bool {
        matches!(self, Self::Mirrors | Self::Cells)
    }

    /// Name on the command line and in the summary.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Definitions => "definitions",
            Self::Groups => "groups",
            Self::Loads => "loads",
            Self::Jobs => "jobs",
            Self::Mirrors => "mirrors",
            Self::Cells => "cells",
        }
    }

    /// Percent of the units of a script that are transactions of rows, definitions, statements about groups, loads and
    /// jobs.
    fn weights(self) -> [u64; 5] {
        match self {
            Self::Rows => [90, 8, 0, 0, 2],
            Self::Definitions => [40, 55, 0, 3, 2],
            Self::Groups => [35, 25, 35, 5, 0],
            Self::Loads => [35, 15, 0, 48, 2],
            Self::Jobs => [40, 15, 0, 5, 40],
            Self::Mirrors | Self::Cells => [45, 8, 42, 5, 0],
        }
    }
}

/// A statement, and the committed state after its success.
#[derive(Clone, Debug)]
pub struct Statement {
    pub text: String,
    pub state: WorkloadState,
    /// Its return promises that everything committed so far is durable.
    pub commits: bool,
    /// It is about disks of the mirrored group.
    pub about_disks: bool,
    /// Some extents of the mirrored group may lack a copy when it runs, by an earlier statement.
    pub degraded: bool,
}

impl Statement {
    /// True: its answer has an error. That a disk is not as a statement about disks expects it is none: which disks
    /// are there after a crash is not known.
    #[must_use]
    pub fn failed(&self, answer: &Answer) -> bool {
        let refused =
            |error: &&str| self.about_disks && Mirrors::REFUSALS.iter().any(|number| error.starts_with(number));
        answer.errors().iter().any(|error| !refused(error))
    }
}

/// Chooses statements.
#[derive(Debug)]
pub struct Plan {
    pub(super) random: Seeded,
    pub(super) kind: WorkloadKind,
    pub(super) committed: WorkloadState,
    /// With the open transaction's changes.
    pub(super) current: WorkloadState,
    /// The next name, id or value; none is given twice.
    pub(super) next: i64,
    statements: Vec<Statement>,
    /// As [`Statement::degraded`].
    pub(super) degraded: bool,
}

impl Plan {
    /// Goes on from a state. `life` counts the lives before.
    #[must_use]
    pub fn new(kind: WorkloadKind, seed: u64, life: u64, state: WorkloadState) -> Self {
        let random = Seeded::at(seed, (life << 8) + kind as u64 + 1);
        // Names of a life are not those of another.
        let next = (life as i64 + 1) * 100_000;
        Self { random, kind, committed: state.clone(), current: state, next, statements: Vec::new(), degraded: true }
    }

    /// Statements of one life.
    #[must_use]
    pub fn statements(mut self, units: usize) -> Vec<Statement> {
        for _ in 0..units {
            let mut draw = self.random.below(100);
            let mut chosen = 0;
            for (unit, weight) in self.kind.weights().into_iter().enumerate() {
                if draw < weight {
                    chosen = unit;
                    break;
                }
                draw -= weight;
            }
            match chosen {
                0 => self.transaction(),
                1 => self.define(),
                2 if self.kind.has_mirrors() => self.define_mirrored(),
                2 => self.define_group(),
                3 => self.load(),
                _ => self.job(),
            }
        }
        self.statements
    }

    /// A number that was not given before.
    pub(super) fn fresh(&mut self) -> i64 {
        self.next += 1;
        self.next
    }

    /// A statement within a transaction.
    pub(super) fn say(&mut self, text: String) {
        self.push(text, false);
    }

    /// A statement that commits the state `current`.
    pub(super) fn commit_by(&mut self, text: String) {
        self.committed = self.current.clone();
        self.push(text, true);
    }

    fn push(&mut self, text: String, commits: bool) {
        let about_disks = text.contains(" diskgroup ");
        let (state, degraded) = (self.committed.clone(), self.degraded);
        self.statements.push(Statement { text, state, commits, about_disks, degraded });
    }

    pub(super) fn commit(&mut self) {
        let text = match self.random.below(6) {
            0 => "commit write batch wait",
            _ => "commit",
        };
        self.commit_by(text.to_owned());
    }

    /// Names of tables whose rows are inserted and deleted.
    pub(super) fn row_tables(&self) -> Vec<String> {
        let fixed = |name: &str| name == ACCOUNTS || Jobs::TABLES.contains(&name);
        self.current.tables.keys().filter(|name| !fixed(name)).cloned().collect()
    }

    /// Tablespaces that tables can be made in.
    pub(super) fn places(&self) -> Vec<String> {
        let mut places = vec!["FREELISTS".to_owned(), "BITMAPS".to_owned()];
        places.extend(self.current.tablespaces.keys().filter(|name| name.starts_with("TS")).cloned());
        places
    }

    pub(super) fn a_place(&mut self) -> String {
        let places = self.places();
        places[self.random.index(places.len())].clone()
    }

    pub(super) fn a_table(&mut self) -> Option<String> {
        let tables = self.row_tables();
        self.random.pick(&tables).cloned()
    }
}

/// Accounts, between which money moves.
pub(super) const ACCOUNTS: &str = "ACCOUNTS";
pub(super) const ACCOUNTS_COUNT: i64 = 8;
const OPENING_BALANCE: i64 = 1000;

/// Columns of every table.
pub(super) const COLUMNS: &str = "(id number, n number, filler varchar2(1000))";

/// Statements that make the tables of every workload, and the state after them.
#[must_use]
pub fn setup() -> (Vec<String>, WorkloadState) {
    let mut state = WorkloadState::default();
    let mut statements: Vec<String> = Vec::new();
    for (name, management) in [("FREELISTS", "manual"), ("BITMAPS", "auto")] {
        statements.push(format!(
            "create tablespace {name} datafile '{name}.dbf' size 2M autoextend on next 1M \
             extent management local uniform size 64K segment space management {management}"
        ));
    }
    let mut table = |name: &str, tablespace: &str, indexes: &[&str], rows: Rows| {
        statements.push(format!("create table {name} {COLUMNS} tablespace {tablespace}"));
        for index in indexes {
            let unique = if index.ends_with("_U") { "unique " } else { "" };
            statements.push(format!("create {unique}index {index} on {name} (id) tablespace FREELISTS"));
        }
        for (id, n) in &rows {
            statements.push(format!("insert into {name} values ({id}, {n}, null)"));
        }
        let indexes = indexes.iter().map(|index| (*index).to_owned()).collect();
        let table = Table { rows: Arc::new(rows), indexes, tablespace: tablespace.to_owned() };
        state.tables.insert(name.to_owned(), table);
    };
    let accounts = (1..=ACCOUNTS_COUNT).map(|id| (id, OPENING_BALANCE)).collect();
    table(ACCOUNTS, "FREELISTS", &["ACCOUNTS_U"], accounts);
    table("ROWS_MANUAL", "FREELISTS", &["ROWS_MANUAL_U"], Rows::new());
    table("ROWS_AUTO", "BITMAPS", &["ROWS_AUTO_U"], Rows::new());
    table("JOB_A", "FREELISTS", &["JOB_A_U"], Rows::new());
    table("JOB_B", "BITMAPS", &[], Rows::new());
    statements.push("commit".to_owned());
    let rounds = Jobs::ROUNDS_MAX;
    // A job that a crash has cut short runs again: it continues behind its existing rows.
    statements.push(format!(
        "create or replace procedure fill(base in number, rounds in number) as\n  l_id number; l_there number;\nbegin\n  \
         for i in 1 .. rounds loop\n    l_id := base * {rounds} + i;\n    select count(*) into l_there from job_b where id = l_id;\n    \
         if l_there = 0 then\n      insert into job_a values (l_id, base, rpad(l_id || '.' || base || '.', 60, 'x'));\n      \
         insert into job_b values (l_id, base, rpad(l_id || '.' || base || '.', 200, 'x'));\n      commit write immediate wait;\n    \
         end if;\n  end loop;\nend;\n/"
    ));
    statements.push(format!(
        "create or replace procedure wait_for(base in number, rounds in number) as\n  l_there number;\nbegin\n  \
         for look in 1 .. 2000 loop\n    select count(*) into l_there from job_b where id between base * {rounds} + 1 and base * {rounds} + rounds;\n    \
         exit when l_there = rounds;\n    dbms_lock.sleep(0.01);\n  end loop;\n  \
         if l_there < rounds then raise_application_error(-20002, 'the job did not end'); end if;\nend;\n/"
    ));
    (statements, state)
}
