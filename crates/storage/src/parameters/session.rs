//! A session's view of the parameters: its own settings over the instance's.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::sync::RwLock;
use common::{Error, Result};
use waits::Meter;

use super::{Parameter, Parameters, Value};

/// The parameters as one session sees them.
#[derive(Debug)]
pub struct SessionParameters {
    system: Arc<Parameters>,
    own: RwLock<BTreeMap<Parameter, Value>>,
    /// The session's counters, which some parameters control; None without a session.
    meter: Option<Arc<Meter>>,
}

impl SessionParameters {
    #[must_use]
    pub fn new(system: Arc<Parameters>) -> Self {
        Self { system, own: RwLock::default(), meter: None }
    }

    /// The parameters of the session that counts with `meter`.
    #[must_use]
    pub fn of_session(system: Arc<Parameters>, meter: Arc<Meter>) -> Self {
        Self { meter: Some(meter), ..Self::new(system) }
    }

    /// The instance's parameters.
    #[must_use]
    pub fn system(&self) -> &Arc<Parameters> {
        &self.system
    }

    /// ALTER SESSION SET `name` = `text`.
    ///
    /// # Errors
    /// ORA-02248 for an unknown name, ORA-02096 for a parameter that a session cannot change, and errors of
    /// [`Parameter::parse`].
    pub fn set(&self, name: &str, text: &str) -> Result<Parameter> {
        let parameter = Parameter::named(name)?;
        if !parameter.definition().session {
            return Err(Error::user(2096, format!("{parameter} cannot be changed for one session")));
        }
        let value = parameter.parse(text)?;
        self.own.write().insert(parameter, value);
        self.tell_meter();
        Ok(parameter)
    }

    /// Replaces the session's own setting; None takes it away. Returns the old setting, so that the caller can restore
    /// it.
    pub fn replace(&self, parameter: Parameter, value: Option<Value>) -> Option<Value> {
        let before = {
            let mut own = self.own.write();
            match value {
                Some(value) => own.insert(parameter, value),
                None => own.remove(&parameter),
            }
        };
        self.tell_meter();
        before
    }

    /// Hands the session's own settings of counting and tracing to its meter.
    fn tell_meter(&self) {
        let Some(meter) = &self.meter else { return };
        meter.set_timed(self.own_value(Parameter::TimedStatistics).and_then(|value| value.number()).map(|on| on != 0));
        let limit = self.own_value(Parameter::MaxDumpFileSize);
        meter.limit_trace(limit.map(|text| Parameters::dump_file_bytes(&text.to_string())));
    }

    /// Replaces the session's own settings by those of another session.
    pub fn take_over(&self, other: &Self) {
        let settings = other.own.read().clone();
        *self.own.write() = settings;
        self.tell_meter();
    }

    /// True: ALTER SESSION has set it.
    #[must_use]
    pub fn is_own(&self, parameter: Parameter) -> bool {
        self.own.read().contains_key(&parameter)
    }

    /// True: ALTER SESSION, ALTER SYSTEM or the parameter file has set it.
    #[must_use]
    pub fn is_set(&self, parameter: Parameter) -> bool {
        self.is_own(parameter) || !self.system.is_default(parameter)
    }

    #[must_use]
    pub fn value(&self, parameter: Parameter) -> Value {
        self.own_value(parameter).unwrap_or_else(|| self.system.value(parameter))
    }

    /// The value of a number; a boolean as 1 or 0.
    #[must_use]
    pub fn integer(&self, parameter: Parameter) -> i64 {
        self.own_value(parameter).and_then(|value| value.number()).unwrap_or_else(|| self.system.integer(parameter))
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
        match self.own_value(parameter) {
            Some(Value::Text(text)) => text,
            _ => self.system.text(parameter),
        }
    }

    /// As [`Parameters::multiblock_read_count`], by this session's setting.
    #[must_use]
    pub fn multiblock_read_count(&self, block_bytes: usize, buffers: u64) -> u32 {
        self.system.multiblock_read_count(self.integer(Parameter::DbFileMultiblockReadCount), block_bytes, buffers)
    }

    fn own_value(&self, parameter: Parameter) -> Option<Value> {
        if parameter.definition().session { self.own.read().get(&parameter).cloned() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use device::OsFileSystem;

    use super::super::Scope;
    use super::*;

    #[test]
    fn a_session_sees_its_own_settings_and_the_instances_behind_them() {
        let system = Arc::new(Parameters::default());
        let (one, other) = (SessionParameters::new(system.clone()), SessionParameters::new(system.clone()));
        one.set("NLS_DATE_FORMAT", "'yyyy-mm-dd'").unwrap();
        one.set("db_file_multiblock_read_count", "8").unwrap();
        assert_eq!(&*one.text(Parameter::NlsDateFormat), "yyyy-mm-dd");
        assert_eq!(&*other.text(Parameter::NlsDateFormat), "DD-MON-RR");
        assert_eq!((one.multiblock_read_count(8192, 1 << 20), other.multiblock_read_count(8192, 1 << 20)), (8, 128));
        system
            .alter_system(&OsFileSystem::default(), Path::new("."), "timed_statistics", "false", Scope::Memory)
            .unwrap();
        assert!(!one.boolean(Parameter::TimedStatistics));
        one.set("timed_statistics", "true").unwrap();
        assert!(one.boolean(Parameter::TimedStatistics) && !other.boolean(Parameter::TimedStatistics));
        assert!(one.set("processes", "5").unwrap_err().is_ora(2096));
        assert!(one.set("processed", "5").unwrap_err().is_ora(2248));
        assert!(one.is_own(Parameter::NlsDateFormat) && !other.is_own(Parameter::NlsDateFormat));
    }
}
