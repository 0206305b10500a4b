//! The work: the statements of the published test, on a database of the experiment's own.
//!
//! Each job inserts a row of a table, has the inserted value returned, commits, and does so again until the value says that the time is over.

use std::path::Path;
use std::sync::Arc;

use common::{Error, Result};
use sql::Connection;

use super::measured::{Counted, Run};
use super::setting::Setting;
use super::watch::Watch;
use crate::laboratory::{Laboratory, numbers};

const TABLE: &str = "test";
/// Buffer cache, megabytes: what a repetition of some seconds makes stays in it.
pub(crate) const CACHE_MB: u32 = 256;
/// Sessions beside those of the jobs.
const OTHER_SESSIONS: u32 = 50;
/// First size of the datafiles, in megabytes: so much a second of work, within these bounds. They grow by themselves.
const FILE_MB_PER_SECOND: u32 = 16;
const FILE_MB_LEAST: u32 = 64;
const FILE_MB_MOST: u32 = 500;
const US: u64 = 1_000_000;

/// A database in which the jobs can be run, and the session that submits them.
#[derive(Debug)]
pub(crate) struct Work {
    laboratory: Laboratory,
    connection: Connection,
    seconds: u32,
}

impl Work {
    /// Makes the database and its two tablespaces. `sessions_max` is the most that will work at once.
    pub(crate) fn new(data: Option<&Path>, seconds: u32, sessions_max: u32, cache_mb: u32) -> Result<Self> {
        let parameters = [
            ("db_cache_size", format!("{cache_mb}M")),
            ("job_queue_processes", sessions_max.to_string()),
            ("processes", (sessions_max + OTHER_SESSIONS).to_string()),
        ];
        let laboratory = Laboratory::create(data, &parameters)?;
        let mut connection = laboratory.connect()?;
        let megabytes = seconds.saturating_mul(FILE_MB_PER_SECOND).clamp(FILE_MB_LEAST, FILE_MB_MOST);
        for setting in [Setting::manual(1), Setting::auto(1)] {
            let (tablespace, how) = (setting.tablespace(), setting.management.as_str());
            connection.run(&format!(
                "create tablespace {tablespace} datafile '{tablespace}.dbf' size {megabytes}M autoextend on next 100M \
                 segment space management {how}"
            ))?;
        }
        Ok(Self { laboratory, connection, seconds })
    }

    pub(crate) fn laboratory(&self) -> &Laboratory {
        &self.laboratory
    }

    pub(crate) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Runs the jobs once, on a new table.
    ///
    /// # Errors
    /// Those of the statements; HW-0011 when a job fails or does not end.
    pub(crate) fn run(&mut self, setting: Setting, sessions: u32) -> Result<Run> {
        self.make_table(setting)?;
        let meter = Arc::clone(self.connection.session().meter());
        let instance = Arc::clone(self.laboratory.database().instance());
        // Each repetition begins with nothing to be written but its own.
        instance.checkpoint(&meter)?;
        self.wait_for_a_second();
        let before = instance.system_meter().snapshot();
        self.connection.run(&submit(sessions))?;
        let ended =
            Watch::new(&self.laboratory, self.connection.session(), sessions, self.seconds).until_all_ended()?;
        let system = instance.system_meter().snapshot().minus(&before);
        let counted = Counted { jobs: ended.counted, system };
        let rows = numbers(&mut self.connection, &format!("select count(*) from {TABLE}"))?;
        let run = Run::new(&counted, ended.elapsed_us, self.blocks()?, ended.processes);
        if rows != [run.transactions] {
            return Err(Error::bug(format!(
                "{} transactions were counted and {rows:?} rows are there",
                run.transactions
            )));
        }
        Ok(run)
    }

    /// FREELISTS of the table as the dictionary has it; None where it is empty.
    pub(crate) fn freelists(&mut self) -> Result<Option<u64>> {
        let text = format!("select freelists from user_tables where table_name = '{}'", TABLE.to_uppercase());
        Ok(numbers(&mut self.connection, &text)?.first().copied().filter(|freelists| *freelists > 0))
    }

    /// The table anew, and the procedure that the jobs run.
    fn make_table(&mut self, setting: Setting) -> Result<()> {
        let session = self.connection.session();
        let is_first = session.catalog().table(&session.user(), &TABLE.to_uppercase()).is_none();
        if !is_first {
            self.connection.run(&format!("drop table {TABLE}"))?;
        }
        self.connection.run(&setting.create_table(TABLE, "x date, y char(255) default 'x'"))?;
        if let Some(index) = setting.create_index(TABLE, "x") {
            self.connection.run(&index)?;
        }
        // Else the first job would compile it anew, with a session of its own for what it finds, whose process number another job might have got.
        if is_first {
            self.connection.run(&procedure(self.seconds))?;
        } else {
            self.connection.run("alter procedure do_insert compile")?;
        }
        Ok(())
    }

    /// SYSDATE counts whole seconds: begun elsewhere in one, the jobs would work for up to a second less than they should.
    fn wait_for_a_second(&self) {
        let into_second_us = self.laboratory.database().instance().clock().wall_us() % US;
        std::thread::sleep(std::time::Duration::from_micros(US - into_second_us));
    }

    fn blocks(&self) -> Result<u64> {
        let session = self.connection.session();
        let catalog = session.catalog();
        let definition = catalog.require_table(&session.user(), &TABLE.to_uppercase())?;
        let usage = definition.segment.space_usage(session)?;
        Ok(u64::from(usage.below_high_water.saturating_sub(usage.metadata + usage.unformatted)))
    }

    /// Shuts the database down.
    pub(crate) fn close(self) -> Result<()> {
        drop(self.connection);
        self.laboratory.close()
    }
}

/// The procedure, for so many seconds.
fn procedure(seconds: u32) -> String {
    format!(
        "create or replace procedure do_insert
as
    l_stop  date default sysdate+{seconds}/60/24/60;
    l_date  date default sysdate;
begin
    while (l_date < l_stop)
    loop
        insert into {TABLE} (x)
        values (sysdate)
        returning x into l_date;
        commit;
    end loop;
end;"
    )
}

/// The block that submits the jobs.
fn submit(sessions: u32) -> String {
    format!(
        "declare
    l_job number;
begin
    for i in 1 .. {sessions}
    loop
        dbms_job.submit( l_job, 'do_insert;' );
    end loop;
    commit;
end;"
    )
}
