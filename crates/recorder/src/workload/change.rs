//! Transactions of rows, direct loads and jobs.

use common::sync::Arc;

use super::plan::{ACCOUNTS, ACCOUNTS_COUNT, COLUMNS, Plan};
use super::state::{Rows, Table};

/// Rows of a table beyond which rows are deleted.
const ROWS_MAX: usize = 400;

/// The filler of a row with these texts of id and `n`.
fn filler(id: &str, n: i64, length: u64) -> String {
    format!("rpad({id} || '.{n}.', {length}, 'x')")
}

impl Plan {
    fn rows_mut(&mut self, table: &str) -> &mut Rows {
        Arc::make_mut(&mut self.current.tables.entry(table.to_owned()).or_default().rows)
    }

    fn length(&mut self) -> u64 {
        let longest = if self.random.percent(70) { 80 } else { 1000 };
        30 + self.random.below(longest - 30)
    }

    pub(super) fn transaction(&mut self) {
        for _ in 0..=self.random.below(3) {
            self.change();
        }
        match self.random.below(10) {
            0 => {
                self.current = self.committed.clone();
                self.say("rollback".to_owned());
            }
            1 => {
                self.say("savepoint here".to_owned());
                let kept = self.current.clone();
                self.change();
                self.current = kept;
                self.say("rollback to here".to_owned());
                self.commit();
            }
            _ => self.commit(),
        }
        if self.random.percent(5) {
            let text = ["alter system checkpoint", "alter system switch logfile"][self.random.index(2)];
            self.say(text.to_owned());
        }
    }

    fn change(&mut self) {
        if self.random.percent(35) {
            return self.transfer();
        }
        let Some(table) = self.a_table() else { return self.transfer() };
        let rows = self.rows_mut(&table).clone();
        let keys: Vec<i64> = rows.keys().copied().collect();
        let (n, length) = (self.fresh(), self.length());
        let some = self.random.pick(&keys).copied();
        let draw = self.random.below(100);
        match some {
            Some(from) if draw >= 65 || keys.len() > ROWS_MAX => {
                let to = from + self.random.below(40) as i64;
                let hit: Vec<i64> = rows.range(from..=to).map(|(id, _)| *id).collect();
                if draw >= 85 || keys.len() > ROWS_MAX {
                    self.rows_mut(&table).retain(|id, _| !hit.contains(id));
                    self.say(format!("delete from {table} where id between {from} and {to}"));
                } else {
                    self.rows_mut(&table).extend(hit.into_iter().map(|id| (id, n)));
                    let filler = filler("id", n, length);
                    self.say(format!("update {table} set n = {n}, filler = {filler} where id between {from} and {to}"));
                }
            }
            _ if draw < 35 => {
                let id = self.fresh();
                self.rows_mut(&table).insert(id, n);
                let filler = filler(&id.to_string(), n, length);
                self.say(format!("insert into {table} values ({id}, {n}, {filler})"));
            }
            _ => self.insert_many(&table, n, length, ""),
        }
    }

    fn insert_many(&mut self, table: &str, n: i64, length: u64, hint: &str) {
        let (first, count) = (self.next, 1 + self.random.below(120) as i64);
        self.next += count;
        self.rows_mut(table).extend((first + 1..=first + count).map(|id| (id, n)));
        let filler = filler(&format!("({first} + level)"), n, length);
        self.say(format!(
            "insert {hint}into {table} select {first} + level, {n}, {filler} from dual connect by level <= {count}"
        ));
    }

    fn transfer(&mut self) {
        let from = 1 + self.random.below(ACCOUNTS_COUNT as u64) as i64;
        let to = from % ACCOUNTS_COUNT + 1;
        let amount = 1 + self.random.below(90) as i64;
        for (account, amount) in [(from, -amount), (to, amount)] {
            *self.rows_mut(ACCOUNTS).entry(account).or_default() += amount;
            self.say(format!("update accounts set n = n + {amount} where id = {account}"));
        }
    }

    /// A direct load: INSERT with APPEND, CREATE TABLE AS SELECT or ALTER TABLE MOVE.
    pub(super) fn load(&mut self) {
        let logging = ["", " nologging"][self.random.index(2)];
        let from = self.a_table();
        match (self.random.below(10), from) {
            (0..4, Some(table)) => {
                let (n, length) = (self.fresh(), self.length());
                self.insert_many(&table, n, length, "/*+ append */ ");
                if self.random.percent(15) {
                    self.current = self.committed.clone();
                    self.say("rollback".to_owned());
                } else {
                    self.commit();
                }
            }
            (4..7, Some(from)) => {
                let (name, tablespace) = (format!("T{}", self.fresh()), self.a_place());
                let rows = self.current.tables.get(&from).map(|table| table.rows.clone()).unwrap_or_default();
                let table = Table { rows, tablespace: tablespace.clone(), ..Table::default() };
                self.current.tables.insert(name.clone(), table);
                self.commit_by(format!(
                    "create table {name} tablespace {tablespace}{logging} as select id, n, filler from {from}"
                ));
            }
            (7.., Some(name)) => {
                let tablespace = self.a_place();
                if let Some(table) = self.current.tables.get_mut(&name) {
                    table.tablespace.clone_from(&tablespace);
                }
                self.commit_by(format!("alter table {name} move tablespace {tablespace}{logging}"));
            }
            (_, None) => {
                let (name, tablespace) = (format!("T{}", self.fresh()), self.a_place());
                let table = Table { tablespace: tablespace.clone(), ..Table::default() };
                self.current.tables.insert(name.clone(), table);
                self.commit_by(format!("create table {name} {COLUMNS} tablespace {tablespace}"));
            }
        }
    }

    /// Jobs beside the script; the script goes on, and waits for some of them.
    pub(super) fn job(&mut self) {
        let mut bases = Vec::new();
        for _ in 0..=self.random.below(3) {
            let (base, rounds) = (self.fresh(), 3 + self.random.below(25) as i64);
            let submit = if self.random.percent(70) {
                format!("declare\n  l number;\nbegin\n  dbms_job.submit(l, 'fill({base}, {rounds});');\nend;\n/")
            } else {
                format!(
                    "begin\n  dbms_scheduler.create_job(job_name => 'J{base}', job_type => 'PLSQL_BLOCK', \
                     job_action => 'begin fill({base}, {rounds}); end;', enabled => true);\nend;\n/"
                )
            };
            self.current.jobs.submitted.insert(base, rounds);
            // CREATE_JOB commits.
            self.commit_by(submit);
            bases.push((base, rounds));
        }
        self.commit();
        for _ in 0..self.random.below(3) {
            self.transaction();
        }
        for (base, rounds) in bases {
            if self.random.percent(60) {
                self.say(format!("exec wait_for({base}, {rounds})"));
                self.current.jobs.done.insert(base);
                self.transfer();
                self.commit();
            }
        }
    }
}
