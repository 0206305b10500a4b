//! Creating, opening and closing a database.

use std::path::Path;

use std::sync::OnceLock;

use common::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use common::sync::{self, Arc, Mutex, RwLock};
use common::{BlockSize, Clock, Error, ErrorKind, Number, Result, Seeded};
use device::{DirectoryLock, FileAccess, FileSystem};
use waits::{Meter, SqlArea, SystemMeter};

use super::jobs::Jobs;
use super::long_operations::LongOperations;
use super::monitor::Monitor;
use super::sessions::Sessions;
use super::tablespace_files::{DatafileSpec, TablespaceSpec};
use super::{Instance, Session, sessions, tablespace_files};
use crate::catalog::{self, Catalog};
use storage::cache::{Cache, DoubleWrite};
use storage::checkpoint::{Checkpoints, Host};
use storage::control::{ControlData, ControlFile, Existing, Shutdown, SpaceManagement};
use storage::disk_group::GroupFiles;
use storage::health::Health;
use storage::parameters::{Parameter, ParameterFile, Parameters, Value};
use storage::process::Store;
use storage::recovery;
use storage::redo::{FIRST_BLOCK, LogGroupSpec, LogOptions, Lsn, Rba, ReadEnd, RedoLog, RedoReader};
use storage::tablespace::{Tablespace, Tablespaces};
use storage::txn::{Dead, Transactions};
use storage::undo::UndoSegments;

const MB: u64 = 1 << 20;
/// Redo log files of a database, and bytes of each.
const LOG_GROUPS: u32 = 3;
const LOG_BYTES: u64 = 32 * MB;
/// Bytes of the log buffer.
const LOG_BUFFER: usize = 16 << 20;
/// The first file of every database.
const SYSTEM_FILE: &str = "system01.dbf";
const USERS_FILE: &str = "users01.dbf";
const UNDO_FILE: &str = "undotbs01.dbf";

/// The undo tablespace of a new database; the default of the parameter undo_tablespace.
const UNDO_TABLESPACE: &str = "UNDOTBS1";

/// Statements whose figures are kept for V$SQL.
const STATEMENTS_KEPT: usize = 5_000;

/// How to make a database.
#[derive(Clone, Debug)]
pub struct CreateOptions {
    pub name: String,
    pub block_size: BlockSize,
    /// Lines of the parameter file, `name = value`.
    pub parameters: Vec<(String, String)>,
    /// Bytes of each redo log file.
    pub log_bytes: u64,
}

impl Default for CreateOptions {
    fn default() -> Self {
        Self { name: "HIGHWATE".to_owned(), block_size: BlockSize::K8, parameters: Vec::new(), log_bytes: LOG_BYTES }
    }
}

/// Files that are made with a database, beside its control files and its parameter file.
fn first_files() -> impl Iterator<Item = String> {
    let logs = (1..=LOG_GROUPS).flat_map(|number| LogGroupSpec::usual(number, 1, LOG_BYTES).members);
    let others = [DoubleWrite::NAME, SYSTEM_FILE, USERS_FILE, UNDO_FILE];
    logs.chain(others.map(str::to_owned))
}

/// Who does the work of the log writer and the database writer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Background {
    /// Threads of their own.
    #[default]
    Threads,
    /// Whoever waits for it, on his own thread: nothing happens that the callers did not do, so a run can be repeated byte for byte. For one thread
    /// that works for all sessions, as the simulator's; [`Instance::writer_round`] takes the place of the database writer.
    Inline,
}

/// What a roll forward leaves to the log.
#[derive(Clone, Copy, Debug)]
struct Recovered {
    /// Where the redo ended.
    end: ReadEnd,
    needed: Needed,
}

/// From where on redo is needed.
#[derive(Clone, Copy, Debug)]
struct Needed {
    rba: Rba,
    lsn: Lsn,
}

fn io(number: u32, what: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, Number::Ora(number), format!("{what}: {error}"))
}

/// Removes what a creation that was cut short has left. The control file goes last: as long as it is there, the other files are the creation's.
fn remove_unfinished(files: &dyn FileSystem, directory: &Path) -> Result<()> {
    let failed = |e: std::io::Error| io(1501, "cannot remove what an unfinished creation has left", &e);
    for names in [first_files().collect(), ControlFile::COPIES.map(str::to_owned).to_vec()] {
        for name in names {
            let path = directory.join(name);
            if files.exists(&path).map_err(failed)? {
                files.remove(&path).map_err(failed)?;
            }
        }
        files.sync_directory(directory).map_err(failed)?;
    }
    Ok(())
}

/// An open that a damaged block has ended, when the area is gone that holds torn blocks whole.
fn with_lost_area(error: Error) -> Error {
    if error.kind != ErrorKind::Corrupt {
        return error;
    }
    let area = DoubleWrite::NAME;
    let text = format!(
        "{}; the double-write area {area}, which may have held it whole, was missing: put {area} of this database back and open it again",
        error.text
    );
    Error { text, ..error }
}

impl Instance {
    /// Makes a database in `directory` and opens it. `lock` keeps other processes out; in-memory file systems need none. One whose creation was cut
    /// short is made anew.
    ///
    /// # Errors
    /// ORA-01501 when the directory holds a database, or a file that is to be one of the database's, or when something cannot be written.
    pub fn create(
        files: Arc<dyn FileSystem>,
        directory: &Path,
        clock: Arc<dyn Clock>,
        lock: Option<DirectoryLock>,
        options: &CreateOptions,
    ) -> Result<Arc<Self>> {
        Self::create_with(files, directory, clock, lock, options, Background::Threads)
    }

    /// As [`Instance::create`], with a say in who does the background's work.
    ///
    /// # Errors
    /// As [`Instance::create`].
    pub fn create_with(
        files: Arc<dyn FileSystem>,
        directory: &Path,
        clock: Arc<dyn Clock>,
        lock: Option<DirectoryLock>,
        options: &CreateOptions,
        background: Background,
    ) -> Result<Arc<Self>> {
        match ControlFile::find(&files, directory) {
            Existing::Database => {
                return Err(Error::user(1501, format!("there is a database in {} already", directory.display())));
            }
            Existing::Unfinished => remove_unfinished(&*files, directory)?,
            Existing::Nothing => {
                // Had they come of a creation that was cut short, a control file would say so.
                for name in first_files() {
                    let there = files.exists(&directory.join(&name));
                    if there.map_err(|e| io(1501, "cannot look into the data directory", &e))? {
                        let text = format!("{} holds a file {name} but no control file", directory.display());
                        return Err(Error::new(ErrorKind::Corrupt, Number::Ora(205), text));
                    }
                }
            }
        }
        files.create_directory(directory).map_err(|e| io(1501, "cannot make the data directory", &e))?;
        let mut file = ParameterFile::default();
        file.set("db_name", &Parameter::DbName.parse(&options.name)?);
        file.set("db_block_size", &Parameter::DbBlockSize.parse(&options.block_size.to_string())?);
        for (name, value) in &options.parameters {
            let parameter = Parameter::named(name)?;
            file.set(name, &parameter.parse(value)?);
        }
        file.save(&*files, directory)?;
        let parameters = Parameters::from_file(&file)?;
        let created_us = clock.wall_us();
        let data = ControlData {
            sequence: 0,
            database_id: new_database_id(created_us, background),
            database_name: options.name.clone(),
            created_us,
            block_bytes: options.block_size.bytes() as u64,
            complete: false,
            shutdown: Shutdown::Open,
            scn: 1,
            closed_scn: None,
            tablespaces: Vec::new(),
            datafiles: Vec::new(),
            disk_groups: Vec::new(),
            log_groups: Vec::new(),
            checkpoint: None,
            bootstrap: std::collections::BTreeMap::new(),
        };
        let control = ControlFile::create(files.clone(), directory, data)?;
        let instance = Self::start(files.clone(), directory, clock, lock, parameters, control, background)?;
        let made = instance.make_log(options.log_bytes).and_then(|()| instance.make_database());
        if let Err(error) = made {
            // What was made so far is no database: without control files it can be made again.
            instance.stop_writer();
            if let Ok(redo) = instance.cache().redo() {
                redo.abandon();
            }
            // The error that led here is the one to report. What cannot be removed now is removed by the next creation.
            let _ = remove_unfinished(&*files, directory);
            return Err(error);
        }
        Ok(instance)
    }

    fn make_database(self: &Arc<Self>) -> Result<()> {
        let session = self.connect("SYS")?;
        let spec = |name: &str, file: &str, bytes, next, space_management| TablespaceSpec {
            logging: true,
            name: name.to_owned(),
            files: vec![DatafileSpec { name: file.to_owned(), bytes, reuse: false, autoextend: Some((next, None)) }],
            block_size: None,
            uniform_bytes: None,
            space_management,
        };
        self.create_tablespace(&session, &spec("SYSTEM", SYSTEM_FILE, 16 * MB, 16 * MB, SpaceManagement::Manual))?;
        self.create_tablespace(&session, &spec("USERS", USERS_FILE, 32 * MB, 32 * MB, SpaceManagement::Auto))?;
        let undo = spec(UNDO_TABLESPACE, UNDO_FILE, 32 * MB, 32 * MB, SpaceManagement::Manual);
        self.create_undo_tablespace(&session, &undo, false)?;
        catalog::create(&session)?;
        self.checkpoint(session.meter())?;
        self.control().update(|data| data.complete = true)
    }

    /// Opens the database in `directory`.
    ///
    /// # Errors
    /// ORA-00205 no control file; ORA-00201 a control file of another version; HW-0012 the creation of the database was cut short; ORA-15042 and its kin, a disk of a group with datafiles is missing or another; ORA-01113 a datafile is of another time than the control file; ORA-01157, ORA-01122 a
    /// datafile is missing or not the right one; ORA-00313, ORA-00353 redo that is needed is missing or damaged.
    pub fn open(
        files: Arc<dyn FileSystem>,
        directory: &Path,
        clock: Arc<dyn Clock>,
        lock: Option<DirectoryLock>,
    ) -> Result<Arc<Self>> {
        Self::open_with(files, directory, clock, lock, Background::Threads)
    }

    /// As [`Instance::open`], with a say in who does the background's work.
    ///
    /// # Errors
    /// As [`Instance::open`].
    pub fn open_with(
        files: Arc<dyn FileSystem>,
        directory: &Path,
        clock: Arc<dyn Clock>,
        lock: Option<DirectoryLock>,
        background: Background,
    ) -> Result<Arc<Self>> {
        // A process that was killed may have renamed a control file whose name is not durable yet. What follows relies on what it says.
        files.sync_directory(directory).map_err(|e| io(27072, "cannot sync the data directory", &e))?;
        let control = ControlFile::open(files.clone(), directory)?;
        if control.data().is_unfinished() {
            let text = format!(
                "the creation of the database in {} did not finish, so there is nothing in it; creating it again makes it anew",
                directory.display()
            );
            return Err(Error::own(ErrorKind::Corrupt, 12, text));
        }
        if control.data().log_groups.is_empty() {
            return Err(Error::new(
                ErrorKind::Corrupt,
                Number::Ora(1113),
                "the database was made before there was redo: this release cannot open it",
            ));
        }
        let file = ParameterFile::load(&*files, directory)?;
        let parameters = Parameters::from_file(&file)?;
        let data = control.data().clone();
        parameters.fix(Parameter::DbName, &Value::Text(data.database_name.as_str().into()))?;
        parameters.fix(Parameter::DbBlockSize, &Value::Integer(data.block_bytes as i64))?;
        let instance = Self::start(files, directory, clock, lock, parameters, control, background)?;
        let opened = instance.mount_disk_groups(&data).and_then(|()| {
            let data = instance.forget_unfinished_tablespaces()?;
            instance.open_files(&data)?;
            let recovered = instance.recover(&data)?;
            instance.open_log(recovered)?;
            let session = instance.connect("SYS")?;
            instance.undo().load(&session)?;
            instance.roll_back_dead(&session)?;
            catalog::load(&session)?;
            catalog::finish_drops(&session)?;
            if instance.rolled_forward.get().is_some() {
                catalog::free_unowned(&session)?;
            }
            catalog::clear_runs(&session)
        });
        let area_lost = instance.cache().double_write().is_some_and(DoubleWrite::was_made);
        let opened = opened.map_err(|error| if area_lost { with_lost_area(error) } else { error });
        if area_lost && opened.is_ok() {
            let after = match data.shutdown {
                Shutdown::Clean => "the database had been closed cleanly, so nothing was lost with it",
                Shutdown::Open => "no block that it might have held was found torn",
            };
            let text =
                format!("The double-write area {} was missing and has been made anew: {after}.", DoubleWrite::NAME);
            instance.note(text);
        }
        if let Err(error) = opened {
            // A database that was closed cleanly stays so.
            instance.stop_writer();
            let clean = data.shutdown == Shutdown::Clean && instance.health().check().is_ok();
            if let Ok(redo) = instance.cache().redo() {
                if clean && instance.cache().checkpoint(&instance.background).is_ok() && redo.shutdown().is_ok() {
                    let _ = instance.control().update(|data| data.shutdown = Shutdown::Clean);
                } else {
                    redo.abandon();
                }
            }
            return Err(error);
        }
        instance.start_rollback()?;
        Ok(instance)
    }

    /// Rolls back the dead transactions that have changed the dictionary, and notes the others, for [`Instance::start_rollback`].
    fn roll_back_dead(&self, session: &Session) -> Result<()> {
        if storage::undo::keeps_dead() {
            return Ok(());
        }
        let active = self.undo().active();
        self.dead.store(u32::try_from(active.len()).unwrap_or(u32::MAX), Ordering::Relaxed);
        for (xid, last) in active {
            let dead = Dead { xid, last };
            self.transactions.locks.began(session.meter(), xid, 0);
            if session.touches(dead, catalog::is_dictionary)? {
                session.rollback_dead(dead)?;
            }
        }
        Ok(())
    }

    /// Rolls back, in the background, what a crash has left of other transactions; new work goes on meanwhile.
    fn start_rollback(self: &Arc<Self>) -> Result<()> {
        if storage::undo::keeps_dead() {
            return Ok(());
        }
        let dead = self.undo().active();
        if dead.is_empty() {
            return Ok(());
        }
        let session = self.connect("SYS")?;
        let run = move || {
            let all = dead.into_iter().map(|(xid, last)| Dead { xid, last });
            all.for_each(|dead| session.roll_back_or_note(dead));
        };
        if self.cache().wakes().is_inline() {
            run();
            return Ok(());
        }
        sync::spawn("smon", run).map(drop).map_err(|e| io(443, "cannot start the rollback", &e))
    }

    /// Tries again to roll back what a crash has left and what could not be rolled back before; the system monitor does so in each of its rounds.
    ///
    /// # Errors
    /// ORA-01089 when the instance is being closed.
    pub fn retry_rollbacks(&self, session: &Arc<Session>) -> Result<()> {
        let failed = self.undo().take_failed();
        if failed.is_empty() {
            return Ok(());
        }
        let _call = session.call()?;
        let active = self.undo().active().into_iter().filter(|(xid, _)| failed.contains(xid));
        active.for_each(|(xid, last)| session.roll_back_or_note(Dead { xid, last }));
        Ok(())
    }

    /// Makes the redo log of a new database and opens it.
    fn make_log(&self, bytes: u64) -> Result<()> {
        let specs: Vec<_> = (1..=LOG_GROUPS).map(|number| LogGroupSpec::usual(number, 1, bytes)).collect();
        let groups = RedoLog::create(self.files(), self.directory(), &specs)?;
        self.control().update(|data| data.log_groups = groups)?;
        self.open_log(None)
    }

    /// Puts what a crash has kept from the blocks into them; none after a clean close. The blocks are written in the background afterwards, and a crash until
    /// then begins from the same place again: for that a log group must be there whose redo nobody needs, to go on in.
    fn recover(&self, data: &ControlData) -> Result<Option<Recovered>> {
        if data.shutdown == Shutdown::Clean {
            return Ok(None);
        }
        let start = self.clock().monotonic_us();
        let meter = &self.background;
        let from = data.checkpoint.ok_or_else(|| Error::bug("a database that is complete without a checkpoint"))?;
        let torn = recovery::repair_torn(self.cache(), meter)?;
        // What a process that was killed has written can be read and may not be durable. The double-write area is the only other place of the last
        // batch: it must not be written before the batch is in its own.
        for file in self.cache().open_files() {
            file.sync_if_written(meter)?;
        }
        let reader = RedoReader::open(
            self.files().clone(),
            self.directory(),
            self.database_id,
            &data.log_groups,
            from,
            Some(meter.clone()),
        );
        let mut reader = reader?;
        let threads = if self.cache().wakes().is_inline() {
            0
        } else {
            recovery::threads(self.parameters().unsigned(Parameter::CpuCount))
        };
        let begin = reader.lsn();
        let mut done = recovery::roll_forward(self.cache(), meter, data, &mut reader, threads)?;
        let end = reader.end().ok_or_else(|| Error::bug("the log was not read to its end"))?;
        self.start_at(done.next_scn());
        done.deferred = data.log_groups.iter().any(|group| group.sequence < from.sequence);
        let mut needed = Needed { rba: from, lsn: begin };
        if !done.deferred {
            let written = self.clock().monotonic_us();
            self.cache().checkpoint(meter)?;
            // From here on the log that was read is not needed any more.
            needed = Needed { rba: end.rba(), lsn: end.lsn };
            self.control().update(|data| {
                data.checkpoint = Some(needed.rba);
                data.scn = done.next_scn().0;
            })?;
            done.writing_us = self.clock().monotonic_us() - written;
        }
        done.torn = torn;
        done.elapsed_us = self.clock().monotonic_us() - start;
        let _ = self.rolled_forward.set(done);
        Ok(Some(Recovered { end, needed }))
    }

    /// Begins a new sequence of the log; from here on changes can be made, and a crash is seen.
    fn open_log(&self, recovered: Option<Recovered>) -> Result<()> {
        let mut groups = self.control().data().log_groups.clone();
        if recovered.is_none()
            && let Some(last) = groups.iter_mut().max_by_key(|group| group.sequence)
            && last.sequence > 0
            && last.end_block.is_none()
        {
            // An open after a clean close was cut short between the new sequence and the note that the database is open: nothing was changed.
            (last.end_block, last.end_lsn, last.next_scn) =
                (Some(FIRST_BLOCK), Some(last.first_lsn), Some(last.first_scn));
        }
        let options = LogOptions {
            database: self.database_id,
            buffer_bytes: LOG_BUFFER,
            checkpoint: recovered.map(|recovered| recovered.needed.rba),
            recovered: recovered.map(|recovered| recovered.end),
        };
        let redo = RedoLog::open(
            self.files().clone(),
            self.directory(),
            groups,
            Arc::new(Host::new(self.checkpoints())),
            self.health().clone(),
            self.sessions.background(sessions::Background::LOG_WRITER).meter.clone(),
            &options,
        )?;
        let end = redo.end();
        let needed = recovered.map_or(end, |recovered| recovered.needed.lsn);
        let (place, scn) = (redo.position(needed), self.scn().0);
        self.control().update(|data| {
            data.shutdown = Shutdown::Open;
            data.checkpoint = Some(place);
            data.scn = scn;
        })?;
        self.cache().set_redo(redo.clone());
        redo.checkpointed(needed)?;
        if needed < end {
            self.checkpoints().want(end);
        }
        Ok(())
    }

    fn open_files(&self, data: &ControlData) -> Result<()> {
        for tablespace in &data.tablespaces {
            let mut numbers = Vec::new();
            for record in data.datafiles.iter().filter(|file| file.tablespace == tablespace.number) {
                let file = tablespace_files::open_file(self, tablespace, record)?;
                // A process that was killed may have left blocks that are there to be read and not durable.
                if data.shutdown != Shutdown::Clean {
                    file.doubt();
                }
                self.cache().add_file(Arc::new(file))?;
                numbers.push(record.file());
            }
            self.tablespaces().add(Arc::new(Tablespace::new(tablespace, numbers)?));
        }
        Ok(())
    }

    fn start(
        files: Arc<dyn FileSystem>,
        directory: &Path,
        clock: Arc<dyn Clock>,
        lock: Option<DirectoryLock>,
        parameters: Parameters,
        mut control: ControlFile,
        background: Background,
    ) -> Result<Arc<Self>> {
        let health = Arc::new(Health::default());
        let parameters = Arc::new(parameters);
        derive_cache_sizes(&parameters);
        files.access_by(file_access(&parameters));
        let cache = Arc::new(Cache::new(cache_bytes(&parameters), health.clone()));
        cache.set_double_write(DoubleWrite::open(&*files, directory)?);
        let system_meter = SystemMeter::new();
        parameters.govern(&system_meter);
        cache.govern(&parameters);
        let sessions = Sessions::new(&system_meter, &clock);
        let meter = sessions.background(sessions::Background::WRITER).meter.clone();
        let data = control.data();
        // Ids of groups are repeatable where everything is; but no two are alike, also after a crash, when the control file has gone on.
        let ids =
            (background == Background::Inline).then(|| Seeded::at(data.database_id ^ clock.wall_us(), data.sequence));
        let groups = Arc::new(GroupFiles::new(files, directory, &clock, &data.database_name, ids));
        let (database_id, scn) = (data.database_id, Arc::new(AtomicU64::new(data.scn)));
        control.set_health(health.clone());
        let control = Arc::new(Mutex::new(control));
        let checkpoints = Arc::new(Checkpoints::new(cache, control, scn, health, meter.clone()));
        let (started_us, now_us) = (clock.wall_us(), clock.monotonic_us());
        let jobs = Arc::new(Jobs::new(clock.clone()));
        let store = Store::new(groups.clone(), directory, clock, parameters, checkpoints, system_meter);
        let undo = UndoSegments::new(started_us, Arc::new(Tablespaces::default()));
        let instance = Arc::new(Self {
            store: Arc::new(store),
            groups,
            rolled_forward: OnceLock::new(),
            dead: AtomicU32::new(0),
            database_id,
            catalog: Arc::new(RwLock::new(Arc::new(Catalog::default()))),
            ddl: Mutex::new(()),
            structure: Mutex::new(()),
            background: meter,
            transactions: Arc::new(Transactions::new(Arc::new(undo))),
            sessions,
            calls: Arc::default(),
            sampler: Arc::default(),
            sql_area: SqlArea::new(STATEMENTS_KEPT),
            writer: Mutex::new(None),
            monitor: Arc::new(Monitor::new(now_us)),
            jobs,
            long_operations: LongOperations::default(),
            started_us,
            notes: Mutex::default(),
            _lock: lock,
        });
        match background {
            Background::Threads => instance.start_writer()?,
            Background::Inline => instance.cache().wakes().set_inline(),
        }
        Ok(instance)
    }

    /// Starts the background writer. It holds no reference to the instance, so that dropping the last session of an unclosed instance ends it.
    fn start_writer(self: &Arc<Self>) -> Result<()> {
        let checkpoints = self.checkpoints().clone();
        let handle = sync::spawn("dbw0", move || checkpoints.run())
            .map_err(|e| io(443, "cannot start the database writer", &e))?;
        *self.writer.lock() = Some(handle);
        self.start_monitor()?;
        self.start_sampler()
    }

    fn stop_writer(&self) {
        self.monitor.close();
        self.sampler.stop();
        self.checkpoints().close();
        if let Some(handle) = self.writer.lock().take() {
            let _ = handle.join();
        }
    }

    /// Closes the database cleanly, as SHUTDOWN IMMEDIATE does: no session is let in, calls that run are cancelled (ORA-01089) and waited for,
    /// every changed block is written and synced, then the control file says so. Not to be called from within a call, which it would wait for.
    /// A second close waits for the first.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped before: what is on disk is then not marked clean.
    pub fn shutdown(&self) -> Result<()> {
        self.jobs.close();
        if !self.calls.close() {
            return self.health().check_stopped();
        }
        // However it goes: another close waits for the end of this one.
        let _closed = self.calls.until_closed();
        self.write_all()
    }

    fn write_all(&self) -> Result<()> {
        self.stop_writer();
        self.health().check()?;
        // Whoever works outside a call is kept from changing blocks that are written for the last time.
        self.health().close();
        self.cache().checkpoint(&self.background)?;
        // Each file is stamped with the SCN of this close, so that an older copy of one is known at the next open.
        let files = self.cache().open_files();
        let closed = self.control().data().closed_scn;
        let mut scn = closed.unwrap_or_default();
        if closed.is_none() || files.iter().any(|file| file.changed()) {
            scn = self.advance_scn().0;
            for file in files {
                let stamped = file
                    .stamped_header(common::Scn(scn))
                    .and_then(|(address, block)| self.cache().write_whole(&self.background, &file, address, &block));
                stamped.map_err(|error| self.health().stop(&error))?;
            }
        }
        // What is written of the log last is its end; nobody needs it after this.
        self.redo().shutdown()?;
        let now = self.scn().0;
        self.control().update(|data| {
            data.scn = now;
            data.closed_scn = Some(scn);
            data.shutdown = Shutdown::Clean;
        })
    }

    /// A session of the instance's own, for work that no user asked for.
    #[must_use]
    pub fn background_meter(&self) -> &Arc<Meter> {
        &self.background
    }
}

/// How files are opened, by FILESYSTEMIO_OPTIONS and DISK_ASYNCH_IO.
fn file_access(parameters: &Parameters) -> FileAccess {
    let options = parameters.text(Parameter::FilesystemioOptions);
    FileAccess {
        direct: matches!(&*options, "SETALL" | "DIRECTIO"),
        background: matches!(&*options, "SETALL" | "ASYNCH") && parameters.boolean(Parameter::DiskAsynchIo),
    }
}

/// Sizes of the pools: the standard one from the machine, the others a quarter of it, unless set.
fn derive_cache_sizes(parameters: &Parameters) {
    let memory = rustix::system::sysinfo();
    let total = memory.totalram.saturating_mul(u64::from(memory.mem_unit));
    let standard = (total / 8).clamp(64 * MB, 4096 * MB);
    parameters.derive(Parameter::DbCacheSize, standard as i64);
    let set = parameters.integer(Parameter::DbCacheSize);
    for (_, parameter) in SIZED {
        if parameters.is_default(parameter) {
            parameters.derive(parameter, set / 4);
        }
    }
}

const SIZED: [(BlockSize, Parameter); 5] = [
    (BlockSize::K2, Parameter::Db2kCacheSize),
    (BlockSize::K4, Parameter::Db4kCacheSize),
    (BlockSize::K8, Parameter::Db8kCacheSize),
    (BlockSize::K16, Parameter::Db16kCacheSize),
    (BlockSize::K32, Parameter::Db32kCacheSize),
];

fn cache_bytes(parameters: &Parameters) -> [u64; 5] {
    let standard = parameters.unsigned(Parameter::DbBlockSize);
    SIZED.map(|(size, parameter)| {
        let parameter = if size.bytes() as u64 == standard { Parameter::DbCacheSize } else { parameter };
        parameters.unsigned(parameter)
    })
}

/// Database ids need only differ between databases that meet: time and the process make them so.
fn new_database_id(now_us: u64, background: Background) -> u64 {
    let process = if background == Background::Inline { 0 } else { std::process::id() };
    now_us.rotate_left(20) ^ u64::from(process)
}

/// Used by sessions that end.
impl Drop for Instance {
    fn drop(&mut self) {
        self.jobs.close();
        self.monitor.close();
        self.sampler.close();
        self.checkpoints().close();
        if let Ok(redo) = self.cache().redo() {
            redo.abandon();
        }
        // The lock of the directory goes after this: the next instance must not find this one's writer at work.
        if let Some(writer) = self.writer.lock().take() {
            let _ = writer.join();
        }
    }
}

impl Session {
    /// Rolls back a transaction that a crash has left. One that fails, for a block that cannot be read, must not keep the others' rows locked: it is noted.
    fn roll_back_or_note(self: &Arc<Self>, dead: Dead) {
        let done = self.call().and_then(|_call| self.rollback_dead(dead));
        if let Err(error) = done {
            self.instance().undo().rollback_failed(dead.xid, &error);
        }
    }
}
