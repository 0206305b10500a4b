//! The functions of DBMS_ROWID that return parts of a rowid.

use common::{Result, Rowid};

use super::arguments::{given, text};
use super::types::fixed_number;
use super::{Function, function};
use crate::context::Context;
use crate::datum::Datum;

/// Some take the tablespace's file type (SMALLFILE) as a second argument, which has no effect. PL/SQL has no package
/// DBMS_ROWID.
pub(super) const FUNCTIONS: &[Function] = &[
    function("DBMS_ROWID.ROWID_BLOCK_NUMBER", 1, 2, fixed_number, |context, arguments| {
        part(context, arguments, |rowid| i64::from(rowid.block.block))
    })
    .sql_only(),
    function("DBMS_ROWID.ROWID_OBJECT", 1, 1, fixed_number, |context, arguments| {
        part(context, arguments, |rowid| i64::from(rowid.data_object.0))
    })
    .sql_only(),
    function("DBMS_ROWID.ROWID_RELATIVE_FNO", 1, 2, fixed_number, |context, arguments| {
        part(context, arguments, |rowid| i64::from(rowid.block.file.0))
    })
    .sql_only(),
    function("DBMS_ROWID.ROWID_ROW_NUMBER", 1, 1, fixed_number, |context, arguments| {
        part(context, arguments, |rowid| i64::from(rowid.slot))
    })
    .sql_only(),
];

fn part(context: &dyn Context, arguments: &[Datum], take: fn(&Rowid) -> i64) -> Result<Datum> {
    let rowid: Rowid = given!(text(context, arguments, 0)).parse()?;
    Ok(Datum::integer(take(&rowid)))
}
