//! The database that is killed: the choices that a seed makes for it, its tablespaces and tables.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use common::{Clock, Result, Seeded, SystemClock};
use device::{DirectoryLock, OsFileSystem};
use engine::instance::Instance;
use engine::startup::CreateOptions;
use scalar::Datum;
use sql::{Connection, Database};

use super::change::Table;
use super::state::{ACCOUNTS, OPENING_BALANCE};
use crate::laboratory::{self, io};

/// The longest filler; two rows of it go into the smallest block.
pub(super) const FILLER_MAX: u32 = 1_200;
/// Attempts to lock a directory, and the time between two.
const LOCK_ROUNDS: u32 = 6_000;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Name of the table that a session's side table is, by the transaction that made it.
pub(super) fn side_name(session: u32, number: u64) -> String {
    format!("SIDE_{session}_{number}")
}

/// Names of the tables that stay.
pub(super) fn name(table: Table) -> &'static str {
    if table == Table::Manual { "manual_rows" } else { "auto_rows" }
}

pub(super) fn tablespace(table: Table) -> &'static str {
    if table == Table::Manual { "freelists_tbs" } else { "bitmaps_tbs" }
}

/// The choices for a whole database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    /// Small, so that log switches, and checkpoints that must come before them, are often under way.
    log_bytes: u64,
    /// Of the cache, so small that changed blocks are written early.
    cache_bytes: u64,
    /// Of the tablespace under bitmaps.
    block_bytes: u32,
    freelists: u32,
}

impl Plan {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Seeded::at(seed, 0);
        Self {
            log_bytes: [512 << 10, 1 << 20, 4 << 20][random.index(3)],
            cache_bytes: [6 << 20, 12 << 20, 32 << 20][random.index(3)],
            block_bytes: [4 << 10, 8 << 10, 16 << 10][random.index(3)],
            freelists: [1, 4][random.index(2)],
        }
    }
}

/// Makes the database, with the bank's accounts in it, and closes it.
pub(super) fn create(directory: &Path, plan: &Plan) -> Result<()> {
    std::fs::create_dir_all(directory).map_err(|error| io(directory, &error))?;
    let cache = plan.cache_bytes.to_string();
    let parameters = [("db_cache_size", &cache), ("db_4k_cache_size", &cache), ("db_16k_cache_size", &cache)];
    let options = CreateOptions {
        name: "DURABLE".to_owned(),
        parameters: parameters.map(|(name, value)| (name.to_owned(), value.clone())).to_vec(),
        log_bytes: plan.log_bytes,
        ..CreateOptions::default()
    };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let instance = Instance::create(Arc::new(OsFileSystem::new()), directory, clock, Some(lock(directory)?), &options)?;
    let database = Database::new(instance);
    let mut connection = laboratory::connect(&database)?;
    for statement in statements(plan) {
        connection.run(&statement)?;
    }
    for account in 0..ACCOUNTS {
        let values = [("id", Datum::integer(i64::from(account))), ("balance", Datum::integer(OPENING_BALANCE))];
        run(&mut connection, "insert into accounts values (:id, :balance)", &values)?;
    }
    connection.run("commit")?;
    drop(connection);
    database.instance().shutdown()
}

fn statements(plan: &Plan) -> Vec<String> {
    let Plan { block_bytes, freelists, .. } = plan;
    let files = "size 2M autoextend on next 1M extent management local uniform size 64K";
    let rows = format!(
        "(id number, session_id number, txn number, filler varchar2({FILLER_MAX}), primary key (id) using index"
    );
    let freelists = format!("storage (freelists {freelists})");
    vec![
        format!("create tablespace freelists_tbs datafile 'freelists01.dbf' {files} segment space management manual"),
        format!(
            "create tablespace bitmaps_tbs datafile 'bitmaps01.dbf' {} blocksize {block_bytes} {} segment space management auto",
            "size 2M autoextend on next 1M", "extent management local uniform size 128K"
        ),
        format!(
            "create table accounts (id number primary key using index tablespace freelists_tbs, balance number) tablespace freelists_tbs {freelists}"
        ),
        "create table journal (session_id number, txn number, amount number, changes varchar2(2000), \
         primary key (session_id, txn) using index tablespace bitmaps_tbs) tablespace bitmaps_tbs"
            .to_owned(),
        "create index journal_amount on journal (amount, session_id) tablespace freelists_tbs".to_owned(),
        // Next to no room is kept for rows that grow, so that they move.
        format!(
            "create table manual_rows {rows} tablespace freelists_tbs) pctfree 2 pctused 60 tablespace freelists_tbs {freelists}"
        ),
        "create index manual_rows_txn on manual_rows (session_id, txn) tablespace freelists_tbs".to_owned(),
        format!("create table auto_rows {rows} tablespace bitmaps_tbs) pctfree 2 tablespace bitmaps_tbs"),
        "create index auto_rows_txn on auto_rows (session_id, txn) tablespace bitmaps_tbs".to_owned(),
    ]
}

/// Opens the database; a process or an instance that is about to end may still have the directory.
pub(super) fn open(directory: &Path) -> Result<Arc<Database>> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let instance = Instance::open(Arc::new(OsFileSystem::new()), directory, clock, Some(lock(directory)?))?;
    Ok(Database::new(instance))
}

/// Locks the directory as soon as its holder releases it.
pub(super) fn lock(directory: &Path) -> Result<DirectoryLock> {
    let mut rounds = 0;
    loop {
        match device::lock_directory(directory) {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock && rounds < LOCK_ROUNDS => rounds += 1,
            locked => return locked.map_err(|error| io(directory, &error)),
        }
        std::thread::sleep(LOCK_PAUSE);
    }
}

/// Runs a statement with bind variables; rows that it was about.
pub(super) fn run(connection: &mut Connection, text: &str, binds: &[(&str, Datum)]) -> Result<u64> {
    let cursor = connection.parse(text)?;
    let bound = binds.iter().try_for_each(|(name, value)| connection.bind(cursor, name, value.clone()));
    let executed = bound.and_then(|()| connection.execute(cursor));
    connection.close(cursor);
    Ok(executed?.rows.unwrap_or(0))
}
