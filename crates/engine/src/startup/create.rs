//! Creating a database.

use std::path::Path;

use common::sync::Arc;
use common::{BlockSize, Clock, Error, ErrorKind, Number, Result};
use device::{DirectoryLock, FileSystem};

use super::{bootstrap, find};
use crate::instance::start::io;
use crate::instance::{Background, Boot, DatafileSpec, Instance, TablespaceSpec};
use storage::cache::DoubleWrite;
use storage::control::{ControlData, ControlFile, Existing, Shutdown, SpaceManagement};
use storage::disk_group::{GroupFiles, resolve};
use storage::parameters::{Parameter, ParameterFile, Parameters, SessionParameters, Value};
use storage::redo::{LogGroupSpec, RedoLog};

const MB: u64 = 1 << 20;

/// Redo log files of a database, and bytes of each.
const LOG_GROUPS: u32 = 3;

const LOG_BYTES: u64 = 32 * MB;

/// The first file of every database.
const SYSTEM_FILE: &str = "system01.dbf";

const USERS_FILE: &str = "users01.dbf";

const UNDO_FILE: &str = "undotbs01.dbf";

/// The undo tablespace of a new database; the default of the parameter undo_tablespace.
const UNDO_TABLESPACE: &str = "UNDOTBS1";

/// The options of a new database.
#[derive(Clone, Debug)]
pub struct CreateOptions {
    pub name: String,
    pub block_size: BlockSize,
    /// Lines of the parameter file, `name = value`.
    pub parameters: Vec<(String, String)>,
    /// Bytes of each redo log file.
    pub log_bytes: u64,
}

impl CreateOptions {
    /// The options that a parameter file gives which somebody has put into the directory of the database to be.
    ///
    /// # Errors
    /// ORA-01078 when it cannot be read, or has a parameter or a value that there is not.
    pub fn of_directory(files: &dyn FileSystem, directory: &Path) -> Result<Self> {
        let file = ParameterFile::load(files, directory)?;
        let parameters = Parameters::from_file(&file)?;
        let mut options = Self { parameters: file.pairs(), ..Self::default() };
        if !parameters.is_default(Parameter::DbName) {
            options.name = parameters.text(Parameter::DbName).to_string();
        }
        if !parameters.is_default(Parameter::DbBlockSize) {
            options.block_size = BlockSize::from_bytes(parameters.unsigned(Parameter::DbBlockSize))?;
        }
        Ok(options)
    }
}

impl Default for CreateOptions {
    fn default() -> Self {
        Self { name: "HIGHWATE".to_owned(), block_size: BlockSize::K8, parameters: Vec::new(), log_bytes: LOG_BYTES }
    }
}

/// Files made with a database, beside its control files and its parameter file.
fn first_files() -> impl Iterator<Item = String> {
    let logs = (1..=LOG_GROUPS).flat_map(|number| LogGroupSpec::usual(number, 1, LOG_BYTES).members);
    let others = [DoubleWrite::NAME, SYSTEM_FILE, USERS_FILE, UNDO_FILE];
    logs.chain(others.map(str::to_owned))
}

/// Removes the files of a creation that was cut short: those that every new database has, those in its control file,
/// and the copies of that. They go last: as long as there is one, the other files belong to the creation.
fn remove_unfinished(files: &dyn FileSystem, directory: &Path, data: &ControlData, copies: &[String]) -> Result<()> {
    let failed = |e: std::io::Error| io(1501, "cannot remove what an unfinished creation has left", &e);
    let datafiles = data.datafiles.iter().map(|file| file.name.clone());
    let logs = data.log_groups.iter().flat_map(|group| group.members.iter().cloned());
    for names in [first_files().chain(datafiles).chain(logs).collect(), copies.to_vec()] {
        for name in names {
            let path = resolve(directory, &name);
            if files.exists(&path).map_err(failed)? {
                files.remove(&path).map_err(failed)?;
            }
        }
        files.sync_directory(directory).map_err(failed)?;
    }
    Ok(())
}

/// As [`remove_unfinished`], before there is an instance.
fn clear(files: &Arc<dyn FileSystem>, directory: &Path, clock: &Arc<dyn Clock>) -> Result<()> {
    let parameters = Parameters::from_file(&ParameterFile::load(&**files, directory)?)?;
    let boot = Boot::open(files, directory, clock, &parameters, None)?;
    let control = ControlFile::open(Arc::<GroupFiles>::clone(&boot.groups), directory, &boot.places)?;
    let (data, copies) = (control.data().clone(), control.names().map(str::to_owned).collect::<Vec<_>>());
    drop(control);
    boot.groups.set_database(&data.database_name);
    for record in data.disk_groups.iter().filter(|group| boot.groups.group(&group.name).is_err()) {
        boot.groups.mount(record, record.epoch.is_some())?;
    }
    remove_unfinished(&*boot.groups, directory, &data, &copies)
}

/// Puts the names of the copies of the control file into the parameter file.
///
/// # Errors
/// ORA-27072.
pub(super) fn name_copies(
    mut file: ParameterFile,
    files: &dyn FileSystem,
    directory: &Path,
    names: &[String],
) -> Result<()> {
    file.set(Parameter::ControlFiles.name(), &Value::Text(names.join(", ").into()));
    file.save(files, directory)
}

/// Database ids need only differ between databases that meet: time and the process make them so.
fn new_database_id(now_us: u64, background: Background) -> u64 {
    let process = if background == Background::Inline { 0 } else { std::process::id() };
    now_us.rotate_left(20) ^ u64::from(process)
}

impl Instance {
    /// Makes a database in `directory` and opens it. `lock` keeps other processes out; in-memory file systems need
    /// none. A database whose creation was cut short is made anew.
    ///
    /// # Errors
    /// ORA-01501 when the directory holds a database, or a file with a name of one of the database's, or when a write
    /// fails.
    pub fn create(
        files: Arc<dyn FileSystem>,
        directory: &Path,
        clock: Arc<dyn Clock>,
        lock: Option<DirectoryLock>,
        options: &CreateOptions,
    ) -> Result<Arc<Self>> {
        Self::create_with(files, directory, clock, lock, options, Background::Threads)
    }

    /// As [`Instance::create`]; `background` chooses the threads of the background work.
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
        match find(&files, directory, &clock) {
            Existing::Database => {
                return Err(Error::user(1501, format!("there is a database in {} already", directory.display())));
            }
            Existing::Unfinished => clear(&files, directory, &clock)?,
            Existing::Nothing => {
                // Had a creation left them that was cut short, there would be a control file.
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
        let boot = Boot::create(&files, directory, &clock, &parameters, background)?;
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
            disk_groups: boot.records(&parameters)?,
            log_groups: Vec::new(),
            checkpoint: None,
            bootstrap: std::collections::BTreeMap::new(),
        };
        let with_groups = Arc::<GroupFiles>::clone(&boot.groups) as Arc<dyn FileSystem>;
        let (names, copies) = boot.make_copies()?;
        let written = ControlFile::create(Arc::clone(&with_groups), directory, &names, data);
        let control = match written {
            Ok(control) => control,
            Err(error) => {
                // The first error is the one to report.
                copies.iter().for_each(|name| drop(with_groups.remove(Path::new(name))));
                return Err(error);
            }
        };
        if !copies.is_empty() {
            name_copies(file, &*files, directory, &names)?;
        }
        let instance = Self::start(files, &boot, directory, clock, lock, parameters, control, background)?;
        let made = instance.make_log(options.log_bytes).and_then(|()| instance.make_database());
        if let Err(error) = made {
            // The files made so far are no database: without control files it can be made again.
            instance.stop_writer();
            if let Ok(redo) = instance.cache().redo() {
                redo.abandon();
            }
            // The first error is the one to report. The next creation removes files that remain.
            let data = instance.control().data().clone();
            let _ = remove_unfinished(&*with_groups, directory, &data, &names);
            return Err(error);
        }
        Ok(instance)
    }

    fn make_database(self: &Arc<Self>) -> Result<()> {
        let session = self.connect("SYS")?;
        let is_named = self.datafile_destination(session.parameters()).is_none();
        let spec = |name: &str, file: &str, bytes, next, space_management| TablespaceSpec {
            logging: true,
            name: name.to_owned(),
            files: vec![DatafileSpec {
                name: if is_named { file.to_owned() } else { String::new() },
                bytes,
                reuse: false,
                autoextend: Some((next, None)),
            }],
            block_size: None,
            uniform_bytes: None,
            space_management,
        };
        self.create_tablespace(&session, &spec("SYSTEM", SYSTEM_FILE, 16 * MB, 16 * MB, SpaceManagement::Manual))?;
        self.create_tablespace(&session, &spec("USERS", USERS_FILE, 32 * MB, 32 * MB, SpaceManagement::Auto))?;
        let undo = spec(UNDO_TABLESPACE, UNDO_FILE, 32 * MB, 32 * MB, SpaceManagement::Manual);
        self.create_undo_tablespace(&session, &undo, false)?;
        bootstrap::create(&session)?;
        self.checkpoint(session.meter())?;
        self.control().update(|data| data.complete = true)
    }

    /// Makes the redo log of a new database and opens it.
    fn make_log(&self, bytes: u64) -> Result<()> {
        let parameters = SessionParameters::new(Arc::clone(self.parameters()));
        let (mut specs, mut named) = (Vec::new(), Vec::new());
        let made = (1..=LOG_GROUPS).try_for_each(|number| {
            let names = self.unnamed_members(&parameters, number)?;
            if names.is_empty() {
                specs.push(LogGroupSpec::usual(number, 1, bytes));
                return Ok(());
            }
            let members = self.make_members(number, &names, bytes)?;
            named.extend(members.iter().cloned());
            specs.push(LogGroupSpec { number, members, bytes });
            Ok(())
        });
        let stored = made
            .and_then(|()| RedoLog::create(self.files(), self.directory(), &specs))
            .and_then(|groups| self.control().update(|data| data.log_groups = groups));
        if let Err(error) = stored {
            // The first error is the one to report. Before this call the files were not there.
            named.iter().for_each(|name| drop(self.files().remove(&self.resolve(name))));
            return Err(error);
        }
        self.open_log(None)
    }
}
