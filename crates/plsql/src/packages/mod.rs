//! The supplied packages: their specifications are PL/SQL text, their bodies are natives of this crate or of the host.

use std::sync::Arc;

use crate::compile::entry;
use crate::compile::unit::Unit;
use crate::library::Library;

mod no_dictionary;

/// A supplied package.
#[derive(Debug)]
pub struct Supplied {
    pub owner: &'static str,
    pub name: &'static str,
    /// Named without its owner, as if there were a public synonym.
    pub is_public: bool,
    pub source: &'static str,
}

macro_rules! sys {
    ($name:literal, $file:literal) => {
        Supplied { owner: "SYS", name: $name, is_public: true, source: include_str!($file) }
    };
}

/// Every supplied package.
pub static PACKAGES: &[Supplied] = &[
    sys!("DBMS_APPLICATION_INFO", "dbms_application_info.sql"),
    sys!("DBMS_JOB", "dbms_job.sql"),
    sys!("DBMS_LOCK", "dbms_lock.sql"),
    sys!("DBMS_METADATA", "dbms_metadata.sql"),
    sys!("DBMS_MONITOR", "dbms_monitor.sql"),
    sys!("DBMS_OUTPUT", "dbms_output.sql"),
    sys!("DBMS_RANDOM", "dbms_random.sql"),
    sys!("DBMS_SCHEDULER", "dbms_scheduler.sql"),
    sys!("DBMS_SESSION", "dbms_session.sql"),
    sys!("DBMS_SPACE", "dbms_space.sql"),
    sys!("DBMS_STATS", "dbms_stats.sql"),
    sys!("DBMS_UTILITY", "dbms_utility.sql"),
    Supplied { owner: "PERFSTAT", name: "STATSPACK", is_public: false, source: include_str!("statspack.sql") },
];

/// The package that a name begins with, and how many parts of the name that takes.
#[must_use]
pub fn find(parts: &[&str]) -> Option<(&'static Supplied, usize)> {
    let first = parts.first()?;
    let of_owner = || {
        let second = parts.get(1)?;
        PACKAGES.iter().find(|each| each.owner == *first && each.name == *second).map(|found| (found, 2))
    };
    PACKAGES.iter().find(|each| each.is_public && each.name == *first).map(|found| (found, 1)).or_else(of_owner)
}

/// The package's specification, compiled.
///
/// # Panics
/// When it does not compile, which a test rules out.
pub(crate) fn compile(library: &Library, supplied: &Supplied) -> Unit {
    let source: Arc<str> = supplied.source.into();
    match entry::compile_supplied(&mut no_dictionary::NoDictionary, library, supplied.owner, supplied.name, &source) {
        Ok(unit) => unit,
        Err(errors) => panic!("{}: {errors:?}", supplied.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_specification_compiles() {
        let library = Library::new();
        for supplied in PACKAGES {
            let unit = compile(&library, supplied);
            assert!(!unit.exports.is_empty(), "{} declares nothing", supplied.name);
            assert!(!unit.has_state, "{} has state, for which nothing would run", supplied.name);
        }
    }
}
