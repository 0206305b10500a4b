//! Compiled units that sessions share. A unit is used while its text and its dependencies are unchanged.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use common::sync::Mutex;
use common::sync::atomic::{AtomicU64, Ordering};
use common::{Error, Result};

use crate::compile::entry::{self, Stored};
use crate::compile::sql_call::{CallArgument, SqlCall, compile_sql_call};
use crate::compile::types::Type;
use crate::compile::unit::{Dependency, Link, Unit, UnitType};
use crate::error::CompileError;
use crate::host::{Host, Object, Viewer};
use crate::packages::{self, Supplied};
use crate::value::ScalarType;

/// Owner, name, and true for the interface alone.
type Name = (Box<str>, Box<str>, bool);

/// Viewer, schema, text, names and types of host variables.
type BlockName = (Box<str>, Box<str>, Box<str>, Vec<(Box<str>, VariableType)>);

/// A host variable's type in a name: types that are not scalar by all that there is of them.
#[derive(PartialEq, Eq, Hash, Debug)]
enum VariableType {
    Scalar(ScalarType),
    Other(String),
}

impl From<&Type> for VariableType {
    fn from(data_type: &Type) -> Self {
        match data_type {
            Type::Scalar(scalar) => Self::Scalar(*scalar),
            other => Self::Other(format!("{other:?}")),
        }
    }
}

/// Viewer, schema, callee, names and types of the arguments.
type CallName = (Box<str>, Box<str>, String, Vec<CallArgument>);

/// Blocks, and calls by SQL statements, kept compiled.
const BLOCKS_MAX: usize = 500;

/// Lookups in one namespace of a library cache: a line of V$LIBRARYCACHE, counted since the instance was opened.
#[derive(Debug, Default)]
pub struct Uses {
    gets: AtomicU64,
    hits: AtomicU64,
    pins: AtomicU64,
    pin_hits: AtomicU64,
    reloads: AtomicU64,
    invalidations: AtomicU64,
}

/// Values of [`Uses`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UsesValue {
    /// Asked for.
    pub gets: u64,
    /// Gets that found the object in the needed form.
    pub hits: u64,
    /// Used by an execution.
    pub pins: u64,
    /// Pins that found the object ready: nothing had to be made for that execution.
    pub pin_hits: u64,
    /// Objects made again.
    pub reloads: u64,
    /// Objects found stale, because a dependency has changed.
    pub invalidations: u64,
}

impl Uses {
    /// Counts a get that found the object.
    pub fn found(&self) {
        self.gets.fetch_add(1, Ordering::Relaxed);
        self.hits.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a get that had to make the object. `stale`: an unusable one was there.
    pub fn made(&self, stale: bool) {
        self.gets.fetch_add(1, Ordering::Relaxed);
        if stale {
            self.invalidations.fetch_add(1, Ordering::Relaxed);
            self.reloads.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts an execution; `ready`: nothing had to be made for it.
    pub fn pinned(&self, ready: bool) {
        self.pins.fetch_add(1, Ordering::Relaxed);
        self.pin_hits.fetch_add(u64::from(ready), Ordering::Relaxed);
    }

    #[must_use]
    pub fn value(&self) -> UsesValue {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        UsesValue {
            gets: of(&self.gets),
            hits: of(&self.hits),
            pins: of(&self.pins),
            pin_hits: of(&self.pin_hits),
            reloads: of(&self.reloads),
            invalidations: of(&self.invalidations),
        }
    }
}

/// The units compiled so far, of all sessions of an instance.
#[derive(Debug, Default)]
pub struct Library {
    units: Mutex<HashMap<Name, Arc<Unit>>>,
    blocks: Mutex<HashMap<BlockName, Arc<Unit>>>,
    supplied: Mutex<HashMap<&'static str, Arc<Unit>>>,
    /// Lookups of stored programs other than triggers; those of triggers are in `triggers_used`.
    pub programs_used: Uses,
    pub triggers_used: Uses,
    calls: Mutex<HashMap<CallName, Arc<SqlCall>>>,
}

/// Fingerprint by which a change of a dictionary object is detected.
#[must_use]
pub fn fingerprint(object: &Object) -> u64 {
    let mut hasher = DefaultHasher::new();
    match object {
        Object::Relation { columns, .. } => {
            for column in columns {
                column.name.hash(&mut hasher);
                column.data_type.hash(&mut hasher);
            }
        }
        Object::Program { stamp, .. } => stamp.hash(&mut hasher),
        Object::Sequence { .. } => {}
    }
    hasher.finish()
}

/// The host does not know the version of its dictionary.
const UNKNOWN: u64 = 0;

/// The version of the dictionary, plus one. Read before names are resolved: a change that comes between is seen at the
/// next call.
fn version_of(host: &mut dyn Host) -> u64 {
    host.dictionary_version().map_or(UNKNOWN, |version| version + 1)
}

impl Library {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// True: everything the unit was compiled with is unchanged.
    fn is_current(host: &mut dyn Host, unit: &Unit) -> Result<bool> {
        let version = version_of(host);
        if version != UNKNOWN && unit.current_in.load(Ordering::Relaxed) == version {
            return Ok(true);
        }
        for Dependency { owner, name, written, fingerprint: known } in &unit.dependencies {
            let written: Vec<&str> = written.iter().map(|part| &**part).collect();
            match host.resolve(unit.viewer(), &written)? {
                Some((object, _))
                    if object.owner_and_name() == (&**owner, &**name) && fingerprint(&object) == *known => {}
                _ => return Ok(false),
            }
        }
        unit.current_in.store(version, Ordering::Relaxed);
        Ok(true)
    }

    /// The interface of a stored program.
    pub(crate) fn interface(
        &self,
        host: &mut dyn Host,
        owner: &str,
        name: &str,
        source: &Arc<str>,
        stamp: u64,
        depth: usize,
    ) -> Result<Arc<Unit>, Vec<CompileError>> {
        let key = (owner.into(), name.into(), true);
        let known = self.units.lock().get(&key).cloned();
        if let Some(unit) = known
            && unit.stamp == stamp
            && Self::is_current(host, &unit).unwrap_or(false)
        {
            return Ok(unit);
        }
        let stored = Stored { owner, name, source, stamp, body: None };
        let version = version_of(host);
        let unit = Arc::new(entry::compile_interface(host, self, &stored, depth)?);
        unit.current_in.store(version, Ordering::Relaxed);
        self.units.lock().insert(key, Arc::clone(&unit));
        Ok(unit)
    }

    /// A stored program, ready to run.
    ///
    /// # Errors
    /// ORA-04063 and the like for its compilation errors; errors of the dictionary.
    pub fn stored(&self, host: &mut dyn Host, stored: &Stored<'_>) -> Result<Arc<Unit>> {
        let key = (stored.owner.into(), stored.name.into(), false);
        let known = self.units.lock().get(&key).cloned();
        let was_there = known.is_some();
        if let Some(unit) = known
            && unit.stamp == stored.stamp
            && unit.body_stamp == stored.body.as_ref().map(|(_, stamp)| *stamp)
            && Self::is_current(host, &unit)?
        {
            self.programs_used.found();
            self.programs_used.pinned(true);
            return Ok(unit);
        }
        self.programs_used.made(was_there);
        self.programs_used.pinned(false);
        let version = version_of(host);
        let unit = entry::compile_stored(host, self, stored).map_err(|_| invalid(stored))?;
        unit.current_in.store(version, Ordering::Relaxed);
        if unit.unit_type == UnitType::Package
            && stored.body.is_none()
            && unit.functions.iter().any(|each| each.is_declared_only)
        {
            return Err(Error::user(
                4067,
                format!("not executed, package body \"{}.{}\" does not exist", stored.owner, stored.name),
            ));
        }
        let unit = Arc::new(unit);
        self.units.lock().insert(key, Arc::clone(&unit));
        Ok(unit)
    }

    /// A trigger, ready to fire.
    ///
    /// # Errors
    /// ORA-04098 when it does not compile; errors of the dictionary.
    pub fn trigger(&self, host: &mut dyn Host, stored: &Stored<'_>) -> Result<Arc<Unit>> {
        let key = (stored.owner.into(), format!("{}/trigger", stored.name).into(), false);
        let known = self.units.lock().get(&key).cloned();
        let was_there = known.is_some();
        if let Some(unit) = known
            && unit.stamp == stored.stamp
            && Self::is_current(host, &unit)?
        {
            self.triggers_used.found();
            self.triggers_used.pinned(true);
            return Ok(unit);
        }
        self.triggers_used.made(was_there);
        self.triggers_used.pinned(false);
        let unit = entry::compile_trigger(host, self, stored).map_err(|_| {
            Error::user(4098, format!("trigger '{}.{}' is invalid and failed re-validation", stored.owner, stored.name))
        })?;
        let unit = Arc::new(unit);
        self.units.lock().insert(key, Arc::clone(&unit));
        Ok(unit)
    }

    /// An anonymous block, ready to run.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn block(
        &self,
        host: &mut dyn Host,
        schema: &str,
        text: &str,
        variables: &[(Box<str>, Type)],
    ) -> Result<Arc<Unit>, Vec<CompileError>> {
        let types = variables.iter().map(|(name, data_type)| (name.clone(), data_type.into())).collect();
        let key = (host.viewer_name(), schema.into(), text.into(), types);
        let known = self.blocks.lock().get(&key).cloned();
        if let Some(unit) = known
            && Self::is_current(host, &unit).unwrap_or(false)
        {
            return Ok(unit);
        }
        let version = version_of(host);
        let unit = Arc::new(entry::compile_block(host, self, schema, text, variables)?);
        unit.current_in.store(version, Ordering::Relaxed);
        let mut blocks = self.blocks.lock();
        if blocks.len() >= BLOCKS_MAX {
            blocks.clear();
        }
        blocks.insert(key, Arc::clone(&unit));
        Ok(unit)
    }

    /// A function as a SQL statement calls it: `path` in upper case, looked up in a schema for the session's user.
    ///
    /// # Errors
    /// All that is wrong with the call.
    pub fn sql_call(
        &self,
        host: &mut dyn Host,
        schema: &str,
        path: &[&str],
        arguments: Vec<CallArgument>,
    ) -> Result<Arc<SqlCall>, Vec<CompileError>> {
        let key = (host.viewer_name(), schema.into(), path.join("."), arguments);
        let known = self.calls.lock().get(&key).cloned();
        if let Some(call) = known
            && Self::is_current(host, &call.unit).unwrap_or(false)
        {
            return Ok(call);
        }
        let version = version_of(host);
        let call = Arc::new(compile_sql_call(host, self, schema, path, &key.3)?);
        call.unit.current_in.store(version, Ordering::Relaxed);
        let mut calls = self.calls.lock();
        if calls.len() >= BLOCKS_MAX {
            calls.clear();
        }
        calls.insert(key, Arc::clone(&call));
        Ok(call)
    }

    /// Checks that the callee compiles; for a package the call itself finds out.
    ///
    /// # Errors
    /// ORA-04063; errors of the dictionary.
    pub fn check_call(&self, host: &mut dyn Host, call: &SqlCall) -> Result<()> {
        for Link { owner, name } in &call.unit.links {
            let found = host.resolve(Viewer::Owner(owner), &[owner, name])?;
            let Some((Object::Program { source, stamp, .. }, _)) = found else { continue };
            if source.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("PACKAGE")) {
                continue;
            }
            self.stored(host, &Stored { owner, name, source: &source, stamp, body: None })?;
        }
        Ok(())
    }

    /// A package that comes with the database.
    ///
    /// # Panics
    /// When its specification does not compile, which a test rules out.
    pub(crate) fn supplied(&self, supplied: &'static Supplied) -> Arc<Unit> {
        if let Some(unit) = self.supplied.lock().get(supplied.name) {
            return Arc::clone(unit);
        }
        let unit = Arc::new(packages::compile(self, supplied));
        self.supplied.lock().insert(supplied.name, Arc::clone(&unit));
        unit
    }
}

fn invalid(stored: &Stored<'_>) -> Error {
    let what = if stored.body.is_some() { "package body" } else { "program" };
    Error::user(4063, format!("{what} \"{}.{}\" has errors", stored.owner, stored.name))
}
