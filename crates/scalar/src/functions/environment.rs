//! Functions about the session.

use common::{Error, Result};

use super::arguments::{given, text};
use super::types::{fixed_number, fixed_raw, fixed_text};
use super::{Function, function, width};
use crate::context::Context;
use crate::datum::Datum;

pub(super) const FUNCTIONS: &[Function] = &[
    function("SYS_CONTEXT", 2, 3, fixed_text, sys_context).volatile(),
    function("SYS_GUID", 0, 0, fixed_raw, |context, _| {
        let mut bytes = context.random().to_be_bytes().to_vec();
        bytes.extend_from_slice(&context.random().to_be_bytes());
        Ok(Datum::raw(bytes))
    })
    .volatile()
    .width(width::identifier),
    function("UID", 0, 0, fixed_number, |context, _| Ok(Datum::integer(i64::from(context.user_id())))).volatile(),
    function("USER", 0, 0, fixed_text, |context, _| Ok(Datum::varchar2(context.user()))).volatile().width(width::name),
    function("USERENV", 1, 1, fixed_text, |context, arguments| {
        let parameter = given!(text(context, arguments, 0)).to_ascii_uppercase();
        let value = context
            .environment("USERENV", &parameter)
            .ok_or_else(|| Error::user(2003, format!("invalid USERENV parameter {parameter}")))?;
        Ok(Datum::varchar2(value))
    })
    .volatile(),
];

fn sys_context(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let namespace = given!(text(context, arguments, 0)).to_ascii_uppercase();
    let parameter = given!(text(context, arguments, 1)).to_ascii_uppercase();
    match context.environment(&namespace, &parameter) {
        Some(value) => Ok(Datum::varchar2(value)),
        None if namespace == "USERENV" => Err(Error::user(2003, format!("invalid USERENV parameter {parameter}"))),
        None => Ok(Datum::Null),
    }
}
