//! DBMS_STATS: always of all rows, whatever share is asked for.

use std::sync::Arc;

use common::{Error, Result};
use engine::catalog::Gathering;
use scalar::Datum;

use super::name;
use crate::cursor::connection::Connection;

/// The owner that an argument names; the current user where it is NULL.
fn owner(connection: &Connection, arguments: &[Datum]) -> Result<String> {
    if arguments.first().is_none_or(Datum::is_null) {
        Ok(connection.schema.clone())
    } else {
        name(arguments, 0, "OWNNAME")
    }
}

pub(super) fn gather_table(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    let (owner, table) = (owner(connection, arguments)?, name(arguments, 1, "TABNAME")?);
    connection.commit_implicitly()?;
    connection
        .session
        .gather_statistics(&owner, &table, Gathering::Optimizer)
        .map_err(|error| missing(error, &owner, &table))?;
    Ok(Datum::Null)
}

pub(super) fn gather_index(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    let (owner, index) = (owner(connection, arguments)?, name(arguments, 1, "INDNAME")?);
    let catalog = connection.session.catalog();
    let found = catalog.index(&owner, &index);
    let found = found.ok_or_else(|| {
        Error::user(20000, format!("INDEX \"{owner}\".\"{index}\" does not exist or insufficient privileges"))
    })?;
    connection.commit_implicitly()?;
    connection.session.gather_statistics(&found.table_owner, &found.table_name, Gathering::Optimizer)?;
    Ok(Datum::Null)
}

pub(super) fn gather_schema(connection: &mut Connection, arguments: &[Datum]) -> Result<Datum> {
    let owner = owner(connection, arguments)?;
    connection.commit_implicitly()?;
    let tables: Vec<String> = connection
        .session
        .catalog()
        .tables_of(&owner)
        .filter(|table| !table.is_dictionary())
        .map(|table| table.name.clone())
        .collect();
    for table in tables {
        match connection.session.gather_statistics(&owner, &table, Gathering::Optimizer) {
            // Somebody has dropped it meanwhile.
            Err(error) if error.is_ora(942) => {}
            result => drop::<Arc<_>>(result?),
        }
    }
    Ok(Datum::Null)
}

fn missing(error: Error, owner: &str, table: &str) -> Error {
    if error.is_ora(942) {
        Error::user(20000, format!("TABLE \"{owner}\".\"{table}\" does not exist or insufficient privileges"))
    } else {
        error
    }
}
