//! Opening a database, after a clean close or a crash.

use std::path::Path;

use common::sync::{self, Arc};
use common::{Clock, Error, ErrorKind, Number, Result};
use device::{DirectoryLock, FileSystem};

use super::bootstrap;
use super::create::name_copies;
use crate::ddl::finish_drops;
use crate::dictionary::own::is_dictionary;
use crate::instance::start::io;
use crate::instance::{Background, Boot, Instance, Session};
use crate::jobs::clear_runs;
use storage::cache::DoubleWrite;
use storage::control::{ControlFile, Shutdown, is_group_alone};
use storage::disk_group::GroupFiles;
use storage::parameters::{Parameter, ParameterFile, Parameters, Value};
use storage::txn::Dead;

/// The error of an open that a damaged block has ended, when the double-write area is missing, which would have the
/// block whole.
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
    /// Opens the database in `directory`.
    ///
    /// # Errors
    /// ORA-00205 no control file; ORA-00201 a control file of another version; HW-0012 the creation of the database was
    /// cut short; ORA-15042 and its kin, a disk of a group with datafiles is missing or another; ORA-01113 a datafile
    /// is of another time than the control file; ORA-01157, ORA-01122 a datafile is missing or another; ORA-00313,
    /// ORA-00353 redo that recovery needs is missing or damaged.
    pub fn open(
        files: Arc<dyn FileSystem>,
        directory: &Path,
        clock: Arc<dyn Clock>,
        lock: Option<DirectoryLock>,
    ) -> Result<Arc<Self>> {
        Self::open_with(files, directory, clock, lock, Background::Threads)
    }

    /// As [`Instance::open`]; `background` chooses the threads of the background work.
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
        // A killed process may have renamed a control file whose name is not durable yet. All further steps rely on its
        // content.
        files.sync_directory(directory).map_err(|e| io(27072, "cannot sync the data directory", &e))?;
        let file = ParameterFile::load(&*files, directory)?;
        let parameters = Parameters::from_file(&file)?;
        let boot = Boot::open(&files, directory, &clock, &parameters, Some(background))?;
        let with_groups = Arc::<GroupFiles>::clone(&boot.groups) as Arc<dyn FileSystem>;
        let mut control = ControlFile::open(with_groups, directory, &boot.places)?;
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
        if boot.places.iter().any(|name| is_group_alone(name)) {
            let (names, made) = boot.make_copies()?;
            made.iter().try_for_each(|name| control.add_copy(directory, name))?;
            name_copies(file, &*files, directory, &names)?;
        }
        let data = control.data().clone();
        boot.groups.set_database(&data.database_name);
        parameters.fix(Parameter::DbName, &Value::Text(data.database_name.as_str().into()))?;
        parameters.fix(Parameter::DbBlockSize, &Value::Integer(data.block_bytes as i64))?;
        let instance = Self::start(files, &boot, directory, clock, lock, parameters, control, background)?;
        let opened = instance.mount_disk_groups(&data).and_then(|()| {
            let data = instance.forget_unfinished_tablespaces()?;
            instance.open_datafiles(&data)?;
            let recovered = instance.recover(&data)?;
            instance.open_log(recovered)?;
            let session = instance.connect("SYS")?;
            instance.undo().load(&session)?;
            instance.roll_back_dead(&session)?;
            bootstrap::load(&session)?;
            finish_drops(&session)?;
            if instance.rolled_forward().is_some() {
                bootstrap::free_unowned(&session)?;
            }
            clear_runs(&session)
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
                if clean && instance.cache().checkpoint(instance.background_meter()).is_ok() && redo.shutdown().is_ok()
                {
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

    /// Rolls back the dead transactions that have changed the dictionary, and notes the others, for
    /// [`Instance::start_rollback`].
    fn roll_back_dead(&self, session: &Session) -> Result<()> {
        if storage::undo::keeps_dead() {
            return Ok(());
        }
        let active = self.undo().active();
        self.note_dead(active.len());
        for (xid, last) in active {
            let dead = Dead { xid, last };
            self.locks().began(session.meter(), xid, 0);
            if session.touches(dead, is_dictionary)? {
                session.rollback_dead(dead)?;
            }
        }
        Ok(())
    }

    /// Starts the background rollback of the other transactions that a crash has left.
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
}
