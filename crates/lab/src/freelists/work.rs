//! The work: the statements of the published test, on a database of the experiment's own.
//!
//! Each job inserts a row of a table, has the inserted value returned, commits, and does so again until the value says
//! that the time is over.

use std::path::Path;
use std::sync::Arc;

use common::{Error, Result};
use sql::Connection;

use super::measured::Run;
use super::setting::{self, SESSIONS};
use super::watch::Watch;
use super::{Known, Paper};
use crate::clustering::{self, Clustering};
use crate::experiment::plan::{Plan, Turn};
use crate::experiment::setting::Setting;
use crate::experiment::workload::Workload;
use crate::laboratory::{Laboratory, formatted_blocks, numbers};
use crate::management::{MANAGEMENT, is_auto};
use crate::modelled_run::ModelledRun;
use crate::progress::Progress;

const TABLE: &str = "test";
/// Buffer cache, megabytes: the blocks of a repetition of some seconds stay in it.
pub(crate) const CACHE_MB: u32 = 256;
/// Sessions beside those of the jobs.
const OTHER_SESSIONS: u32 = 50;
/// First size of the datafiles, in megabytes: so much a second of work, within these bounds. They grow by themselves.
const FILE_MB_PER_SECOND: u32 = 16;
const FILE_MB_LEAST: u32 = 64;
const FILE_MB_MOST: u32 = 500;
/// Seconds of a repetition for which the clustering factor is measured with all its rows; shorter ones have fewer.
const SECONDS_OF_ALL_ROWS: f64 = 10.0;
const US: u64 = 1_000_000;

/// A database in which the jobs can be run, and the session that submits them.
#[derive(Debug)]
pub struct Work {
    laboratory: Laboratory,
    connection: Connection,
    seconds: u32,
    /// Multiplies the rows whose clustering factor is measured.
    scale: f64,
    /// Some tables under bitmaps have FREELISTS.
    is_ignored: bool,
}

impl Workload for Work {
    type Run = Run;
    type Rest = Clustering;
    type Known = Known;
    type Paper = Paper;

    fn open(plan: &Plan, _: &mut dyn Progress) -> Result<Self> {
        let (data, device) = (plan.options.data.as_deref(), plan.options.device.as_ref());
        let work = Self::new(data, device, plan.seconds, plan.most(&SESSIONS), CACHE_MB)?;
        let is_ignored = |point: &Setting| is_auto(point) && point.number(&setting::FREELISTS) > 1;
        let scale = plan.scale.min(f64::from(plan.seconds) / SECONDS_OF_ALL_ROWS);
        Ok(Self { scale, is_ignored: plan.points.iter().any(is_ignored), ..work })
    }

    fn run(&mut self, setting: Setting, turn: Turn, _: &mut dyn Progress) -> Result<Run> {
        self.run_jobs(setting, turn)
    }

    fn rest(&mut self, progress: &mut dyn Progress) -> Result<Clustering> {
        let [manual, auto] = [setting::manual(1), setting::auto(1)].map(setting::tablespace);
        clustering::run(&self.laboratory, [&manual, &auto], self.scale, progress)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!(
            "buffer cache {CACHE_MB} MB; a commit inside PL/SQL is waited for at the end of the call, so log file sync \
             is no part of the loop"
        )];
        if self.is_ignored {
            let text =
                "FREELISTS of a table in a tablespace under bitmaps is accepted and ignored: USER_TABLES shows none";
            notes.push(text.to_owned());
        }
        notes
    }

    fn close(self) -> Result<()> {
        drop(self.connection);
        self.laboratory.close()
    }
}

impl Work {
    /// Makes the database and its two tablespaces. `sessions_max` is the most that will work at once.
    pub(crate) fn new(
        data: Option<&Path>,
        device: Option<&ModelledRun>,
        seconds: u32,
        sessions_max: u32,
        cache_mb: u32,
    ) -> Result<Self> {
        let parameters = [
            ("db_cache_size", format!("{cache_mb}M")),
            ("job_queue_processes", sessions_max.to_string()),
            ("processes", (sessions_max + OTHER_SESSIONS).to_string()),
        ];
        let laboratory = Laboratory::create(data, device, parameters)?;
        let mut connection = laboratory.connect()?;
        let megabytes = seconds.saturating_mul(FILE_MB_PER_SECOND).clamp(FILE_MB_LEAST, FILE_MB_MOST);
        for setting in [setting::manual(1), setting::auto(1)] {
            let (tablespace, how) = (setting::tablespace(setting), setting.word(&MANAGEMENT));
            connection.run(&format!(
                "create tablespace {tablespace} datafile '{tablespace}.dbf' size {megabytes}M autoextend on next 100M \
                 segment space management {how}"
            ))?;
        }
        Ok(Self { laboratory, connection, seconds, scale: 1.0, is_ignored: false })
    }

    pub(crate) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Runs the jobs once, on a new table.
    ///
    /// # Errors
    /// Those of the statements; HW-0011 when a job fails or does not end.
    pub(crate) fn run_jobs(&mut self, setting: Setting, turn: Turn) -> Result<Run> {
        self.make_table(setting)?;
        let sessions = setting.number(&SESSIONS);
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
        let rows = numbers(&mut self.connection, &format!("select count(*) from {TABLE}"))?;
        let text = format!("select freelists from user_tables where table_name = '{}'", TABLE.to_uppercase());
        let listed = numbers(&mut self.connection, &text)?.first().copied();
        let mut run = Run::new(turn, &ended, &system, formatted_blocks(&self.connection, TABLE)?);
        if rows != [run.transactions] {
            return Err(Error::bug(format!(
                "{} transactions were counted and {rows:?} rows are there",
                run.transactions
            )));
        }
        run.freelists_in_dictionary = listed.filter(|freelists| *freelists > 0);
        Ok(run)
    }

    /// The table anew, and the procedure that the jobs run.
    fn make_table(&mut self, setting: Setting) -> Result<()> {
        let session = self.connection.session();
        let is_first = session.catalog().table(&session.user(), &TABLE.to_uppercase()).is_none();
        if !is_first {
            self.connection.run(&format!("drop table {TABLE}"))?;
        }
        self.connection.run(&setting::create_table(setting, TABLE, "x date, y char(255) default 'x'"))?;
        if let Some(index) = setting::create_index(setting, TABLE, "x") {
            self.connection.run(&index)?;
        }
        // Otherwise the first job would compile it anew, with a session of its own that looks up its definitions. That
        // session's process number might have been another job's.
        if is_first {
            self.connection.run(&procedure(self.seconds))?;
        } else {
            self.connection.run("alter procedure do_insert compile")?;
        }
        Ok(())
    }

    /// SYSDATE counts whole seconds: begun elsewhere in one, the jobs would work for up to a second less than they
    /// should.
    fn wait_for_a_second(&self) {
        let into_second_us = self.laboratory.database().instance().clock().wall_us() % US;
        std::thread::sleep(std::time::Duration::from_micros(US - into_second_us));
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
