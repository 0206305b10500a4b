//! An index as the dictionary describes it.

use common::{Error, Result};
use serde::Serialize;
use sql::Connection;

use crate::laboratory::numbers;

/// The index as `user_indexes` has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct IndexFigures {
    pub blevel: u64,
    pub leaf_blocks: u64,
    pub distinct_keys: u64,
    pub clustering_factor: u64,
    pub num_rows: u64,
}

impl IndexFigures {
    /// The figures of `user_indexes`, as the session sees them.
    pub(crate) fn of(connection: &mut Connection, index: &str) -> Result<Self> {
        let name = index.to_uppercase();
        let row = numbers(
            connection,
            &format!(
                "select blevel, leaf_blocks, distinct_keys, clustering_factor, num_rows from user_indexes where index_name = '{name}'"
            ),
        )?;
        match row[..] {
            [blevel, leaf_blocks, distinct_keys, clustering_factor, num_rows] => {
                Ok(Self { blevel, leaf_blocks, distinct_keys, clustering_factor, num_rows })
            }
            _ => Err(Error::bug("user_indexes gave other columns than were asked for")),
        }
    }
}
