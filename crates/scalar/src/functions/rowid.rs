//! The functions of DBMS_ROWID that return parts of a rowid.

use common::{Result, Rowid};

use super::Function;
use super::arguments::{given, text};
use super::types::fixed_number;
use crate::context::Context;
use crate::datum::Datum;

/// Some take the tablespace's file type (SMALLFILE) as a second argument, which has no effect.
const fn function(name: &'static str, most: usize, body: fn(&dyn Context, &[Datum]) -> Result<Datum>) -> Function {
    Function { name, minimum_arguments: 1, maximum_arguments: most, deterministic: true, result: fixed_number, body }
}

pub(super) const FUNCTIONS: &[Function] = &[
    function("DBMS_ROWID.ROWID_BLOCK_NUMBER", 2, |context, arguments| {
        part(context, arguments, |rowid| i64::from(rowid.block.block))
    }),
    function("DBMS_ROWID.ROWID_OBJECT", 1, |context, arguments| {
        part(context, arguments, |rowid| i64::from(rowid.data_object.0))
    }),
    function("DBMS_ROWID.ROWID_RELATIVE_FNO", 2, |context, arguments| {
        part(context, arguments, |rowid| i64::from(rowid.block.file.0))
    }),
    function("DBMS_ROWID.ROWID_ROW_NUMBER", 1, |context, arguments| {
        part(context, arguments, |rowid| i64::from(rowid.slot))
    }),
];

fn part(context: &dyn Context, arguments: &[Datum], take: fn(&Rowid) -> i64) -> Result<Datum> {
    let rowid: Rowid = given!(text(context, arguments, 0)).parse()?;
    Ok(Datum::integer(take(&rowid)))
}
