//! Flat files of the tables of TPC-DS and TPC-H, as dsdgen and dbgen write them: fields end with `|`, rows with a line
//! feed.
//!
//! Every table can be made alone. (dsdgen makes returns together with the sales they are of; here the sales are gone
//! through again without being written.)

mod file;
mod tpcds;
mod tpch;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use common::{Error, Result};

use crate::Progress;
use crate::experiment::options::wrong_use;

/// Least and greatest scale factor. Below, tables have no rows; above, keys no longer fit their columns.
const SCALES: std::ops::RangeInclusive<f64> = 0.001..=100_000.0;

/// The benchmark whose tables are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suite {
    TpcDs,
    TpcH,
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TpcDs => "tpcds",
            Self::TpcH => "tpch",
        })
    }
}

impl FromStr for Suite {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.to_ascii_lowercase().as_str() {
            "tpcds" => Ok(Self::TpcDs),
            "tpch" => Ok(Self::TpcH),
            _ => Err(wrong_use(format!("there is no suite '{text}'; there is: tpcds, tpch"))),
        }
    }
}

impl Suite {
    /// The tables, in the order in which they are made.
    #[must_use]
    pub fn tables(self) -> Vec<&'static str> {
        match self {
            Self::TpcDs => tpcds::tables().collect(),
            Self::TpcH => tpch::TABLES.to_vec(),
        }
    }

    /// Extension of the files' names.
    fn ending(self) -> &'static str {
        match self {
            Self::TpcDs => "dat",
            Self::TpcH => "tbl",
        }
    }
}

/// The tables to make.
#[derive(Clone, Debug)]
pub struct Options {
    pub suite: Suite,
    pub scale: f64,
    /// One table; None for all.
    pub table: Option<String>,
    /// The folder, which is made if it is absent.
    pub out: PathBuf,
}

/// A file that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    pub table: &'static str,
    pub rows: u64,
    pub bytes: u64,
    pub path: PathBuf,
}

/// Makes the files. A file that is being written ends in `.part`; one that has its name is whole.
///
/// # Errors
/// HW-0003 for an unknown table or a scale out of range; HW-0002 for a file that is there already, or cannot be
/// written: the unfinished file is removed, files finished before it stay.
pub fn generate(options: &Options, progress: &mut dyn Progress) -> Result<Vec<Generated>> {
    let tables = chosen(options)?;
    if !SCALES.contains(&options.scale) {
        let (least, most) = (SCALES.start(), SCALES.end());
        return Err(wrong_use(format!("a scale factor is from {least} to {most}, not {}", options.scale)));
    }
    // Before hours of work, not after.
    for table in &tables {
        file::check_absent(&path_of(options, table))?;
    }
    std::fs::create_dir_all(&options.out).map_err(|error| file::failed(&options.out, &error))?;
    let mut made = Vec::with_capacity(tables.len());
    for table in tables {
        let path = path_of(options, table);
        progress.step(&format!("{} at scale factor {}: {table}", options.suite, options.scale));
        let written = file::write(&path, |out| match options.suite {
            Suite::TpcDs => tpcds::write(table, options.scale, out, progress),
            Suite::TpcH => tpch::write(table, options.scale, out, progress),
        });
        match written {
            Ok((rows, bytes)) => made.push(Generated { table, rows, bytes, path }),
            Err(error) => {
                progress.end();
                return Err(error);
            }
        }
    }
    progress.end();
    Ok(made)
}

fn chosen(options: &Options) -> Result<Vec<&'static str>> {
    let tables = options.suite.tables();
    let Some(wanted) = &options.table else { return Ok(tables) };
    match tables.iter().find(|table| table.eq_ignore_ascii_case(wanted)) {
        Some(table) => Ok(vec![table]),
        None => {
            let known = tables.join(", ");
            Err(wrong_use(format!("there is no table '{wanted}' in {}; there is: {known}", options.suite)))
        }
    }
}

fn path_of(options: &Options, table: &str) -> PathBuf {
    Path::new(&options.out).join(format!("{table}.{}", options.suite.ending()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    fn options(suite: Suite, table: &str, out: &Path) -> Options {
        Options { suite, scale: 0.01, table: Some(table.to_owned()), out: out.to_owned() }
    }

    #[test]
    fn a_table_is_a_file_of_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        for (suite, table, rows, fields) in
            [(Suite::TpcDs, "reason", 75, 3), (Suite::TpcH, "Nation", 25, 4), (Suite::TpcH, "supplier", 100, 7)]
        {
            let made = generate(&options(suite, table, folder.path()), &mut Silent).unwrap();
            assert_eq!(made.len(), 1);
            let text = std::fs::read_to_string(&made[0].path).unwrap();
            assert_eq!((made[0].rows, text.lines().count()), (rows, rows as usize), "{table}");
            assert_eq!(made[0].bytes, text.len() as u64);
            assert!(text.ends_with("|\n"));
            assert!(text.lines().all(|line| line.matches('|').count() == fields), "{table}");
        }
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(left.iter().all(|path| path.extension().is_none_or(|ending| ending != "part")), "{left:?}");
    }

    #[test]
    fn what_is_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reason.dat");
        std::fs::write(&path, "mine").unwrap();
        let error = generate(&options(Suite::TpcDs, "reason", folder.path()), &mut Silent).unwrap_err();
        assert!(error.is_own(2) && error.to_string().contains("reason.dat"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn unknown_tables_and_scales_are_wrong_use() {
        let folder = tempfile::tempdir().unwrap();
        let error = generate(&options(Suite::TpcDs, "lineitem", folder.path()), &mut Silent).unwrap_err();
        assert!(error.is_own(3) && error.to_string().contains("web_returns"), "{error}");
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            let options = Options { scale, ..options(Suite::TpcH, "nation", folder.path()) };
            assert!(generate(&options, &mut Silent).unwrap_err().is_own(3), "{scale}");
        }
        assert!("tpcc".parse::<Suite>().is_err());
    }
}
