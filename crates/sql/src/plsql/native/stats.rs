//! DBMS_STATS: gathering. Indexes always have statistics of all entries, whatever share is asked for. An argument
//! without effect gives a notice.

use common::{Error, Result};
use engine::ddl::{Gathering, Sampling};
use engine::dictionary::TableDef;
use scalar::Datum;

use super::method_opt::MethodOpt;
use super::{flag, name, number, text};
use crate::cursor::connection::Connection;

// The constants of the package.
const AUTO_SAMPLE_SIZE: f64 = 0.0;
const DEFAULT_DEGREE: f64 = 32767.0;

/// The owner in an argument; the current user for NULL.
pub(super) fn owner(connection: &Connection, arguments: &[Datum]) -> Result<String> {
    if arguments.first().is_none_or(Datum::is_null) {
        Ok(connection.schema.clone())
    } else {
        name(arguments, 0, "OWNNAME")
    }
}

pub(super) fn gather_table(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    let (owner, table) = (owner(connection, arguments)?, name(arguments, 1, "TABNAME")?);
    let mut asked = Asked::default();
    refused(arguments, &[(2, "PARTNAME"), (9, "STATTAB")])?;
    let how = asked.of_tables(arguments, 3)?;
    asked.no_invalidate(arguments, 12);
    connection.commit_implicitly()?;
    asked.gather(connection, &owner, &table, how).map_err(|error| missing(error, "TABLE", &owner, &table))?;
    connection.shared.notices(&asked.without_effect);
    Ok(Datum::Null)
}

pub(super) fn gather_index(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    let (owner, index) = (owner(connection, arguments)?, name(arguments, 1, "INDNAME")?);
    let mut asked = Asked::default();
    refused(arguments, &[(2, "PARTNAME"), (4, "STATTAB")])?;
    if let Some(percent) = estimate_percent(arguments, 3)? {
        asked.notice(format!("ESTIMATE_PERCENT {percent} has no effect: statistics of indexes are of all entries"));
    }
    asked.degree(arguments, 7);
    asked.granularity(arguments, 8)?;
    asked.no_invalidate(arguments, 9);
    connection.commit_implicitly()?;
    connection
        .session
        .gather_index_statistics(&owner, &index)
        .map_err(|error| missing(error, "INDEX", &owner, &index))?;
    connection.shared.notices(&asked.without_effect);
    Ok(Datum::Null)
}

pub(super) fn gather_schema(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    let owner = owner(connection, arguments)?;
    let mut asked = Asked::default();
    refused(arguments, &[(7, "STATTAB")])?;
    let how = asked.of_tables(arguments, 1)?;
    let which = asked.options(arguments, 9)?;
    asked.no_invalidate(arguments, 11);
    connection.commit_implicitly()?;
    let tables: Vec<String> = connection
        .session
        .catalog()
        .tables_of(&owner)
        .filter(|table| !table.is_dictionary() && (which == Which::All || table.statistics.is_none()))
        .map(|table| table.name.clone())
        .collect();
    for table in tables {
        match asked.gather(connection, &owner, &table, how) {
            // Another session has dropped it meanwhile.
            Err(error) if error.is_ora(942) => {}
            result => result?,
        }
    }
    connection.shared.notices(&asked.without_effect);
    Ok(Datum::Null)
}

pub(super) fn delete_table(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    let (owner, table) = (owner(connection, arguments)?, name(arguments, 1, "TABNAME")?);
    refused(arguments, &[(2, "PARTNAME"), (3, "STATTAB")])?;
    let kept = [(6, "CASCADE_COLUMNS"), (7, "CASCADE_INDEXES")].into_iter().find(|(at, _)| !flag(arguments, *at, true));
    if let Some((_, name)) = kept {
        return Err(Error::unsupported(format!("{name} => FALSE of DBMS_STATS")));
    }
    connection.commit_implicitly()?;
    connection.session.delete_statistics(&owner, &table).map_err(|error| missing(error, "TABLE", &owner, &table))?;
    Ok(Datum::Null)
}

/// A choice of a schema's tables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    WithoutStatistics,
}

/// Arguments without effect.
///
/// FORCE is not read: statistics cannot be locked.
#[derive(Default)]
struct Asked {
    without_effect: Vec<String>,
    method: MethodOpt,
}

impl Asked {
    /// ESTIMATE_PERCENT, BLOCK_SAMPLE, METHOD_OPT, DEGREE, GRANULARITY, CASCADE, in this order from `first` on.
    fn of_tables(&mut self, arguments: &[Datum], first: usize) -> Result<(Gathering, Sampling)> {
        let percent = estimate_percent(arguments, first)?;
        let sampling = Sampling { percent: percent.unwrap_or(100.0), blocks: flag(arguments, first + 1, false) };
        self.method_opt(arguments, first + 2)?;
        self.degree(arguments, first + 3);
        self.granularity(arguments, first + 4)?;
        // NULL is AUTO_CASCADE.
        let cascade = flag(arguments, first + 5, true);
        Ok((if cascade { Gathering::Optimizer } else { Gathering::OptimizerOfTable }, sampling))
    }

    fn method_opt(&mut self, arguments: &[Datum], at: usize) -> Result<()> {
        if let Some(given) = text(arguments, at) {
            self.method = MethodOpt::read(given)?;
        }
        Ok(())
    }

    /// Gathers the statistics of a table.
    fn gather(&self, connection: &Connection, owner: &str, name: &str, how: (Gathering, Sampling)) -> Result<()> {
        let sizes = |table: &TableDef, column: usize| {
            // Once for a table: a column that it does not have.
            let unknown = self.method.names().find(|name| column == 0 && table.column(name).is_none());
            match unknown {
                Some(name) => Err(Error::user(904, format!("{name}: invalid identifier"))),
                None => Ok(self.method.size(table, column)),
            }
        };
        connection.session.gather_statistics_with(owner, name, how, &sizes).map(drop)
    }

    fn degree(&mut self, arguments: &[Datum], at: usize) {
        // DEFAULT_DEGREE and AUTO_DEGREE leave the degree to the database.
        if let Some(degree) = number(arguments, at).filter(|degree| *degree > 1.0 && *degree < DEFAULT_DEGREE) {
            self.notice(format!("DEGREE {degree} has no effect: statistics are gathered serially"));
        }
    }

    fn granularity(&mut self, arguments: &[Datum], at: usize) -> Result<()> {
        let Some(given) = text(arguments, at) else { return Ok(()) };
        match words(given).as_str() {
            "AUTO" | "DEFAULT" | "GLOBAL" | "ALL" | "GLOBAL AND PARTITION" | "APPROX_GLOBAL AND PARTITION" => {}
            words @ ("PARTITION" | "SUBPARTITION") => {
                self.notice(format!("GRANULARITY {words} has no effect: there are no partitions"));
            }
            _ => return Err(Error::user(20001, format!("there is no GRANULARITY {given}"))),
        }
        Ok(())
    }

    fn no_invalidate(&mut self, arguments: &[Datum], at: usize) {
        if flag(arguments, at, false) {
            self.notice("NO_INVALIDATE has no effect: statements are parsed anew after any change of the dictionary");
        }
    }

    fn options(&mut self, arguments: &[Datum], at: usize) -> Result<Which> {
        let Some(given) = text(arguments, at) else { return Ok(Which::All) };
        match words(given).as_str() {
            "GATHER" => Ok(Which::All),
            "GATHER EMPTY" => Ok(Which::WithoutStatistics),
            words @ ("GATHER AUTO" | "GATHER STALE") => {
                self.notice(format!("OPTIONS {words} is GATHER: how many rows of a table change is not counted"));
                Ok(Which::All)
            }
            words if words.starts_with("LIST ") => Err(Error::unsupported(format!("OPTIONS {words} of DBMS_STATS"))),
            _ => Err(Error::user(20001, format!("there are no OPTIONS {given}"))),
        }
    }

    fn notice(&mut self, text: impl Into<String>) {
        self.without_effect.push(text.into());
    }
}

/// The share of the rows that is asked for; None for all of them. AUTO_SAMPLE_SIZE is all rows.
fn estimate_percent(arguments: &[Datum], at: usize) -> Result<Option<f64>> {
    match number(arguments, at) {
        None => Ok(None),
        Some(percent) if percent == AUTO_SAMPLE_SIZE || percent == 100.0 => Ok(None),
        Some(percent) if (0.000_001..100.0).contains(&percent) => Ok(Some(percent)),
        Some(percent) => Err(Error::user(20001, format!("ESTIMATE_PERCENT {percent} is not between 0.000001 and 100"))),
    }
}

/// Refuses arguments about unsupported objects: a partition, a table that keeps statistics in place of the dictionary.
pub(super) fn refused(arguments: &[Datum], places: &[(usize, &str)]) -> Result<()> {
    match places.iter().find(|(at, _)| text(arguments, *at).is_some()) {
        Some((_, name)) => Err(Error::unsupported(format!("{name} of DBMS_STATS"))),
        None => Ok(()),
    }
}

/// In upper case, with one blank between words.
fn words(given: &str) -> String {
    given.to_uppercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn missing(error: Error, what: &str, owner: &str, name: &str) -> Error {
    if error.is_ora(942) || error.is_ora(1418) {
        Error::user(20000, format!("{what} \"{owner}\".\"{name}\" does not exist or insufficient privileges"))
    } else {
        error
    }
}
