//! The instance's parameter values.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use common::sync::atomic::{AtomicI64, AtomicU8, Ordering};
use common::sync::{Mutex, RwLock};
use common::{Error, Result};
use device::FileSystem;
use waits::SystemMeter;

use super::value::dump_file_bytes;
use super::{Parameter, ParameterFile, SystemChange, Value, memory};

/// SCOPE of an ALTER SYSTEM SET: memory, parameter file or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    Memory,
    Spfile,
    Both,
}

/// Origin of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Origin {
    Default = 0,
    File = 1,
    Modified = 2,
}

/// The values of all parameters in one instance. All sessions share them; each value changes on its own.
pub struct Parameters {
    /// Integers, and booleans as 0 and 1; unused for text.
    numbers: [AtomicI64; Parameter::ALL.len()],
    /// Text values; empty for numbers and booleans.
    texts: RwLock<Vec<Arc<str>>>,
    origins: [AtomicU8; Parameter::ALL.len()],
    /// Held while the parameter file is read, changed and written.
    file: Mutex<()>,
    /// The instance's counters, which some parameters control.
    meters: OnceLock<Arc<SystemMeter>>,
}

impl Default for Parameters {
    /// Every parameter at its default. Derived values are included where they depend on other parameters alone.
    fn default() -> Self {
        let parameters = Self {
            numbers: std::array::from_fn(|_| AtomicI64::new(0)),
            texts: RwLock::new(vec![Arc::from(""); Parameter::ALL.len()]),
            origins: std::array::from_fn(|_| AtomicU8::new(Origin::Default as u8)),
            file: Mutex::new(()),
            meters: OnceLock::new(),
        };
        for parameter in Parameter::ALL {
            match parameter.parse(parameter.definition().default) {
                Ok(value) => parameters.store(parameter, &value, Origin::Default),
                Err(error) => unreachable!("the default of {parameter}: {error}"),
            }
        }
        parameters.derive_counts();
        parameters
    }
}

impl Parameters {
    /// The values that `file` gives, and defaults for the rest.
    ///
    /// # Errors
    /// ORA-01078 with the line whose name is unknown or whose value is not allowed.
    pub fn from_file(file: &ParameterFile) -> Result<Self> {
        let parameters = Self::default();
        for setting in file.settings() {
            let wrong =
                |why: &dyn fmt::Display| Error::user(1078, format!("parameter file, line {}: {why}", setting.line));
            let parameter = Parameter::find(setting.name)
                .ok_or_else(|| wrong(&format_args!("there is no parameter {}", setting.name)))?;
            let value = parameter.parse(setting.value).map_err(|error| wrong(&error))?;
            parameters.store(parameter, &value, Origin::File);
        }
        parameters.derive_counts();
        Ok(parameters)
    }

    fn derive_counts(&self) {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.derive(Parameter::CpuCount, i64::try_from(processors).unwrap_or(1));
        self.derive(Parameter::PgaAggregateLimit, i64::try_from(memory::available() / 2).unwrap_or(i64::MAX));
        self.derive(Parameter::Sessions, self.integer(Parameter::Processes) * 3 / 2 + 22);
    }

    /// Sets a parameter to the value that the instance has worked out, unless a value was set. A set value of 0 asks
    /// for the derived one too.
    pub fn derive(&self, parameter: Parameter, value: i64) {
        debug_assert!(parameter.definition().derived.is_some(), "{parameter} is not a derived parameter");
        if self.is_default(parameter) || self.integer(parameter) == 0 {
            self.numbers[parameter as usize].store(value, Ordering::Relaxed);
        }
    }

    /// Takes the value that the control file holds for a parameter settled at creation.
    ///
    /// # Errors
    /// When the parameter file gives another value: ORA-00209 for the block size, ORA-01103 for the name.
    pub fn fix(&self, parameter: Parameter, value: &Value) -> Result<()> {
        debug_assert_eq!(parameter.definition().system, SystemChange::Fixed);
        let given = self.value(parameter);
        if !self.is_default(parameter) && !given.to_string().eq_ignore_ascii_case(&value.to_string()) {
            let number = if parameter == Parameter::DbBlockSize { 209 } else { 1103 };
            return Err(Error::user(
                number,
                format!("the parameter file says {parameter} = {given}, the database was created with {value}"),
            ));
        }
        self.store(parameter, value, Origin::File);
        Ok(())
    }

    /// Applies the settings of counting and tracing, from now on, to the sessions whose counters `meters` adds up.
    pub fn govern(&self, meters: &Arc<SystemMeter>) {
        let _ = self.meters.set(meters.clone());
        self.tell_meters(Parameter::TimedStatistics);
        self.tell_meters(Parameter::MaxDumpFileSize);
    }

    fn tell_meters(&self, parameter: Parameter) {
        let Some(meters) = self.meters.get() else { return };
        match parameter {
            Parameter::TimedStatistics => meters.set_timed(self.boolean(parameter)),
            Parameter::MaxDumpFileSize => meters.limit_traces(Self::dump_file_bytes(&self.text(parameter))),
            _ => {}
        }
    }

    fn store(&self, parameter: Parameter, value: &Value, origin: Origin) {
        match value {
            Value::Text(text) => self.texts.write()[parameter as usize] = text.clone(),
            Value::Integer(number) => self.numbers[parameter as usize].store(*number, Ordering::Relaxed),
            Value::Boolean(boolean) => self.numbers[parameter as usize].store(i64::from(*boolean), Ordering::Relaxed),
        }
        self.origins[parameter as usize].store(origin as u8, Ordering::Relaxed);
    }

    /// ALTER SYSTEM SET `name` = `text` SCOPE = `scope`; `directory` holds the parameter file. The file is written
    /// first: when that fails, nothing has changed.
    ///
    /// # Errors
    /// ORA-02065 for an unknown name, ORA-02095 for a parameter that cannot change in this scope, errors of
    /// [`Parameter::parse`] and of the file.
    pub fn alter_system(
        &self,
        files: &dyn FileSystem,
        directory: &Path,
        name: &str,
        text: &str,
        scope: Scope,
    ) -> Result<Parameter> {
        let (parameter, value) = Self::parse_change(name, text, scope)?;
        let _one_writer = self.file.lock();
        if scope != Scope::Memory {
            let mut file = ParameterFile::load(files, directory)?;
            file.set(name, &value);
            file.save(files, directory)?;
        }
        if scope != Scope::Spfile {
            self.store(parameter, &value, Origin::Modified);
            self.tell_meters(parameter);
        }
        Ok(parameter)
    }

    /// ALTER SYSTEM RESET `name`: takes the parameter out of the parameter file. The next start takes the default.
    ///
    /// # Errors
    /// ORA-02065 for an unknown name, ORA-32010 for a name that is not in the file, and errors of the file.
    pub fn reset_system(&self, files: &dyn FileSystem, directory: &Path, name: &str) -> Result<Parameter> {
        let parameter = alterable(name)?;
        let _one_writer = self.file.lock();
        let mut file = ParameterFile::load(files, directory)?;
        if !file.reset(name) {
            return Err(Error::user(32010, format!("the parameter file does not set {parameter}")));
        }
        file.save(files, directory)?;
        Ok(parameter)
    }

    fn parse_change(name: &str, text: &str, scope: Scope) -> Result<(Parameter, Value)> {
        let parameter = Parameter::find(name)
            .ok_or_else(|| Error::user(2065, format!("ALTER SYSTEM knows no parameter {name}")))?;
        let refused = |why: &str| Err(Error::user(2095, format!("{parameter} cannot be changed so: {why}")));
        match parameter.definition().system {
            SystemChange::Fixed => return refused("it was settled when the database was created"),
            SystemChange::Restart if scope != Scope::Spfile => {
                return refused("it is read at start only; SCOPE=SPFILE changes it for the next start");
            }
            SystemChange::Restart | SystemChange::Immediate => {}
        }
        Ok((parameter, parameter.parse(text)?))
    }

    /// The value of a number; a boolean as 1 or 0.
    #[must_use]
    pub fn integer(&self, parameter: Parameter) -> i64 {
        debug_assert!(self.value(parameter).number().is_some(), "{parameter} is text");
        self.numbers[parameter as usize].load(Ordering::Relaxed)
    }

    /// The value of a number that is never negative.
    #[must_use]
    pub fn unsigned(&self, parameter: Parameter) -> u64 {
        u64::try_from(self.integer(parameter)).unwrap_or(0)
    }

    #[must_use]
    pub fn boolean(&self, parameter: Parameter) -> bool {
        self.integer(parameter) != 0
    }

    #[must_use]
    pub fn text(&self, parameter: Parameter) -> Arc<str> {
        self.texts.read()[parameter as usize].clone()
    }

    #[must_use]
    pub fn value(&self, parameter: Parameter) -> Value {
        let number = self.numbers[parameter as usize].load(Ordering::Relaxed);
        match parameter.definition().parameter_type {
            super::ParameterType::Integer | super::ParameterType::BigInteger => Value::Integer(number),
            super::ParameterType::Boolean => Value::Boolean(number != 0),
            super::ParameterType::String => Value::Text(self.text(parameter)),
        }
    }

    /// True: the parameter file did not set it and no statement has changed it since.
    #[must_use]
    pub fn is_default(&self, parameter: Parameter) -> bool {
        self.origins[parameter as usize].load(Ordering::Relaxed) == Origin::Default as u8
    }

    /// True: ALTER SYSTEM has changed it since the instance started.
    #[must_use]
    pub fn is_modified(&self, parameter: Parameter) -> bool {
        self.origins[parameter as usize].load(Ordering::Relaxed) == Origin::Modified as u8
    }

    /// Blocks of `block_bytes` that a full scan reads at once. With the parameter unset: 1 MB of blocks, or fewer where
    /// the pool has fewer buffers a session.
    #[must_use]
    pub fn multiblock_read_count(&self, set: i64, block_bytes: usize, buffers: u64) -> u32 {
        let most = (common::limits::IO_BYTES_MAX / block_bytes) as u64;
        let count = match u64::try_from(set) {
            Ok(set) if set > 0 => set.min(most),
            _ => most.min(buffers / self.unsigned(Parameter::Sessions).max(1)),
        };
        count.clamp(1, most) as u32
    }

    /// Most bytes of a trace file, from the text of MAX_DUMP_FILE_SIZE.
    #[must_use]
    pub fn dump_file_bytes(text: &str) -> u64 {
        dump_file_bytes(text).unwrap_or(u64::MAX)
    }
}

fn alterable(name: &str) -> Result<Parameter> {
    Parameter::find(name).ok_or_else(|| Error::user(2065, format!("ALTER SYSTEM knows no parameter {name}")))
}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(Parameter::ALL.iter().map(|p| (p.name(), self.value(*p).to_string()))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_overrides_defaults_and_dependent_values_follow() {
        let file = ParameterFile::parse("# ours\nprocesses = 300\n*.db_cache_size='32M'\n").unwrap();
        let parameters = Parameters::from_file(&file).unwrap();
        assert_eq!(parameters.integer(Parameter::Sessions), 472);
        assert!(parameters.is_default(Parameter::Sessions));
        assert_eq!(parameters.unsigned(Parameter::DbCacheSize), 32 << 20);
        assert!(!parameters.is_default(Parameter::DbCacheSize));
        parameters.derive(Parameter::DbCacheSize, 1);
        assert_eq!(parameters.unsigned(Parameter::DbCacheSize), 32 << 20);
        assert!(parameters.integer(Parameter::CpuCount) >= 1);
    }

    #[test]
    fn a_wrong_line_is_named() {
        for text in ["\nprocesses = many", "\nprocces = 5"] {
            let error = Parameters::from_file(&ParameterFile::parse(text).unwrap()).unwrap_err();
            assert!(error.is_ora(1078) && error.text.contains("line 2"), "{error}");
        }
    }

    #[test]
    fn the_scope_limits_alter_system() {
        assert!(Parameters::parse_change("processes", "10", Scope::Both).unwrap_err().is_ora(2095));
        assert!(Parameters::parse_change("processes", "10", Scope::Spfile).is_ok());
        assert!(Parameters::parse_change("timed_statistics", "false", Scope::Memory).is_ok());
        assert!(Parameters::parse_change("db_block_size", "4096", Scope::Spfile).unwrap_err().is_ora(2095));
        assert!(Parameters::parse_change("nonsense", "1", Scope::Both).unwrap_err().is_ora(2065));
    }

    #[test]
    fn alter_system_writes_the_file_and_the_next_start_reads_it() {
        let directory = tempfile::tempdir().unwrap();
        let (files, directory) = (device::OsFileSystem::new(), directory.path());
        let parameters = Parameters::from_file(&ParameterFile::load(&files, directory).unwrap()).unwrap();
        parameters.alter_system(&files, directory, "timed_statistics", "false", Scope::Both).unwrap();
        parameters.alter_system(&files, directory, "processes", "400", Scope::Spfile).unwrap();
        parameters.alter_system(&files, directory, "sql_trace", "true", Scope::Memory).unwrap();
        assert!(parameters.is_modified(Parameter::TimedStatistics) && !parameters.boolean(Parameter::TimedStatistics));
        assert_eq!(parameters.integer(Parameter::Processes), 150);
        let next = Parameters::from_file(&ParameterFile::load(&files, directory).unwrap()).unwrap();
        assert!(!next.boolean(Parameter::TimedStatistics) && !next.boolean(Parameter::SqlTrace));
        assert_eq!(next.integer(Parameter::Processes), 400);
        parameters.reset_system(&files, directory, "processes").unwrap();
        assert!(parameters.reset_system(&files, directory, "processes").unwrap_err().is_ora(32010));
        let text = ParameterFile::load(&files, directory).unwrap().text();
        assert_eq!(text, "timed_statistics = FALSE\n");
    }

    #[test]
    fn a_file_that_contradicts_a_value_settled_at_creation_is_refused() {
        let given =
            Parameters::from_file(&ParameterFile::parse("db_block_size = 4096\ndb_name = one").unwrap()).unwrap();
        assert!(given.fix(Parameter::DbBlockSize, &Value::Integer(8192)).unwrap_err().is_ora(209));
        assert!(given.fix(Parameter::DbName, &Value::Text("TWO".into())).unwrap_err().is_ora(1103));
        given.fix(Parameter::DbName, &Value::Text("ONE".into())).unwrap();
        let unset = Parameters::default();
        unset.fix(Parameter::DbBlockSize, &Value::Integer(16384)).unwrap();
        assert_eq!(unset.integer(Parameter::DbBlockSize), 16384);
    }

    #[test]
    fn multiblock_reads_stop_at_a_megabyte_and_at_the_cache() {
        let parameters = Parameters::default();
        assert_eq!(parameters.integer(Parameter::Sessions), 247);
        assert_eq!(parameters.multiblock_read_count(0, 8192, 1_000_000), 128);
        assert_eq!(parameters.multiblock_read_count(0, 8192, 26_023), 105);
        assert_eq!(parameters.multiblock_read_count(0, 8192, 100), 1);
        assert_eq!(parameters.multiblock_read_count(16, 8192, 100), 16);
        assert_eq!(parameters.multiblock_read_count(512, 32768, 100), 32);
    }
}
