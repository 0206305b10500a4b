//! STATSPACK: snapshots of the instance's counters in tables, and the report of two of them.
//!
//! ```text
//! STATSPACK.SNAP ── collect/ ──> report::statspack::Snapshot ── store.rs ──> tables of PERFSTAT
//! STATSPACK.REPORT ── store.rs ──> two Snapshots ── report::statspack::difference, report::write ──> lines
//! ```
//!
//! 1. The crate `report` defines snapshots, their tables and the computation of reports; this folder fills, stores and
//!    reads them.
//! 2. A session of PERFSTAT's own does the work: the caller's transaction stays open. The first snapshot makes the user
//!    and the tables.
//! 3. A snapshot is one transaction. Its own cost appears in the next one, as in Oracle.

mod collect;
mod store;

use common::{Error, ErrorKind, Result};
use engine::dictionary::SystemPrivilege;
use report::statspack::{choose, difference};

use crate::cursor::connection::Connection;

/// The owner of the tables.
const OWNER: &str = "PERFSTAT";

impl Connection {
    /// Takes a snapshot; returns its number.
    ///
    /// # Errors
    /// ORA-01031 for a user without the privilege; those of the tables.
    pub(crate) fn statspack_snap(&mut self, level: u64, comment: &str) -> Result<u64> {
        self.check_statspack()?;
        let mut keeper = store::open(self)?;
        let id = store::next_id(&mut keeper)?;
        let snapshot = collect::snapshot(self, id, level, comment)?;
        store::keep(&mut keeper, &snapshot)?;
        Ok(id)
    }

    /// The numbers of the snapshots of a report. None: the last one, and the one before it.
    ///
    /// # Errors
    /// ORA-20200 when there are fewer than two; ORA-01031 for a user without the privilege.
    pub(crate) fn statspack_choose(&mut self, begin: Option<u64>, end: Option<u64>) -> Result<[u64; 2]> {
        self.check_statspack()?;
        let taken = store::taken(&mut store::open(self)?, self.session.instance().dbid().into())?;
        choose(&taken, begin, end).map(<[u64; 2]>::from)
    }

    /// The report between two snapshots, line by line; None as in [`Connection::statspack_choose`].
    ///
    /// # Errors
    /// ORA-20200 when there is no such snapshot or the two make no report; ORA-01031 for a user without the privilege.
    pub(crate) fn statspack_report(&mut self, begin: Option<u64>, end: Option<u64>) -> Result<Vec<String>> {
        let [begin, end] = self.statspack_choose(begin, end)?;
        let mut keeper = store::open(self)?;
        let database = self.session.instance().dbid().into();
        let begin = store::read(&mut keeper, database, begin)?;
        let end = store::read(&mut keeper, database, end)?;
        let report = difference(&begin, &end)?;
        let mut text = Vec::new();
        report::write::statspack(&report, &mut text)
            .map_err(|error| Error::own(ErrorKind::Io, 832, format!("cannot write the report: {error}")))?;
        Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
    }

    /// Allows Statspack's own user, and users that administer the database.
    fn check_statspack(&self) -> Result<()> {
        let user = self.session.user();
        if user == OWNER {
            return Ok(());
        }
        self.session.catalog().check_system_privilege(&user, SystemPrivilege::AlterSystem)
    }
}
