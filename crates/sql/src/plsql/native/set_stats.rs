//! DBMS_STATS: statistics set by hand, and those of indexes and columns deleted.

use common::{Error, Result};
use engine::ddl::{ColumnFigures, IndexFigures, TableFigures};
use scalar::Datum;

use super::stats::{missing, owner, refused};
use super::{name, number};
use crate::cursor::connection::Connection;

/// What figures are less than: the dictionary's numbers have 63 bits.
const FIGURE_END: f64 = (1u64 << 63) as f64;

/// A figure: a whole number that is not negative; NULL leaves what there is.
fn figure(arguments: &[Datum], at: usize, what: &str) -> Result<Option<u64>> {
    match number(arguments, at) {
        None => Ok(None),
        Some(value) if (0.0..FIGURE_END).contains(&value) => Ok(Some(value.round() as u64)),
        Some(value) => Err(Error::user(20001, format!("{what} {value} is no number of rows or blocks"))),
    }
}

/// Refuses figures that nothing here reads.
fn unread(arguments: &[Datum], places: &[(usize, &str)]) -> Result<()> {
    match places.iter().find(|(at, _)| number(arguments, *at).is_some()) {
        Some((_, name)) => Err(Error::unsupported(format!("{name} of DBMS_STATS"))),
        None => Ok(()),
    }
}

pub(super) fn table(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    let (owner, table) = (owner(connection, arguments)?, name(arguments, 1, "TABNAME")?);
    refused(arguments, &[(2, "PARTNAME"), (3, "STATTAB")])?;
    unread(arguments, &[(11, "CACHEDBLK"), (12, "CACHEHIT")])?;
    let figures = TableFigures {
        num_rows: figure(arguments, 5, "NUMROWS")?,
        blocks: figure(arguments, 6, "NUMBLKS")?,
        average_row_bytes: figure(arguments, 7, "AVGRLEN")?,
    };
    connection.commit_implicitly()?;
    let set = connection.session.set_table_statistics(&owner, &table, figures);
    set.map(|()| Datum::Null).map_err(|error| missing(error, "TABLE", &owner, &table))
}

pub(super) fn index(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    refused(arguments, &[(2, "PARTNAME"), (3, "STATTAB")])?;
    // The averages of leaf and data blocks a key follow from the other figures.
    let unread_here = [(8, "AVGLBLK"), (9, "AVGDBLK"), (15, "GUESSQ"), (16, "CACHEDBLK"), (17, "CACHEHIT")];
    unread(arguments, &unread_here)?;
    let figures = IndexFigures {
        num_rows: figure(arguments, 5, "NUMROWS")?,
        leaf_blocks: figure(arguments, 6, "NUMLBLKS")?,
        distinct_keys: figure(arguments, 7, "NUMDIST")?,
        clustering_factor: figure(arguments, 10, "CLSTFCT")?,
        blevel: figure(arguments, 11, "INDLEVEL")?.map(level).transpose()?,
    };
    set_index(connection, arguments, Some(figures))
}

fn level(figure: u64) -> Result<u32> {
    u32::try_from(figure).map_err(|_| Error::user(20001, format!("INDLEVEL {figure} is no level of an index")))
}

pub(super) fn delete_index(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    refused(arguments, &[(2, "PARTNAME"), (3, "STATTAB")])?;
    set_index(connection, arguments, None)
}

fn set_index(connection: &mut Connection, arguments: &[Datum], figures: Option<IndexFigures>) -> Result<Datum> {
    let (owner, index) = (owner(connection, arguments)?, name(arguments, 1, "INDNAME")?);
    connection.commit_implicitly()?;
    let set = connection.session.set_index_statistics(&owner, &index, figures);
    set.map(|()| Datum::Null).map_err(|error| missing(error, "INDEX", &owner, &index))
}

pub(super) fn column(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    refused(arguments, &[(3, "PARTNAME"), (4, "STATTAB"), (9, "SREC")])?;
    // Without a histogram the density is one by the distinct values.
    unread(arguments, &[(7, "DENSITY"), (10, "AVGCLEN")])?;
    let figures = ColumnFigures { distinct: figure(arguments, 6, "DISTCNT")?, nulls: figure(arguments, 8, "NULLCNT")? };
    set_column(connection, arguments, Some(figures))
}

pub(super) fn delete_column(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    refused(arguments, &[(3, "PARTNAME"), (4, "STATTAB")])?;
    set_column(connection, arguments, None)
}

fn set_column(connection: &mut Connection, arguments: &[Datum], figures: Option<ColumnFigures>) -> Result<Datum> {
    let (owner, table) = (owner(connection, arguments)?, name(arguments, 1, "TABNAME")?);
    let column = name(arguments, 2, "COLNAME")?;
    connection.commit_implicitly()?;
    let set = connection.session.set_column_statistics(&owner, &table, &column, figures);
    set.map(|()| Datum::Null).map_err(|error| {
        if error.is_ora(904) {
            return Error::user(20000, format!("column \"{column}\" does not exist in \"{owner}\".\"{table}\""));
        }
        missing(error, "TABLE", &owner, &table)
    })
}
