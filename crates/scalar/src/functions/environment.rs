//! Functions about the session.

use common::{Error, Result};

use super::Function;
use super::arguments::{given, text};
use super::types::{fixed_number, fixed_raw, fixed_text};
use crate::context::Context;
use crate::datum::{Datum, DatumType};

const fn function(
    name: &'static str,
    least: usize,
    most: usize,
    result: fn(&[DatumType]) -> Result<DatumType>,
    body: fn(&dyn Context, &[Datum]) -> Result<Datum>,
) -> Function {
    Function { name, minimum_arguments: least, maximum_arguments: most, deterministic: false, result, body }
}

pub(super) const FUNCTIONS: &[Function] = &[
    function("SYS_CONTEXT", 2, 3, fixed_text, sys_context),
    function("SYS_GUID", 0, 0, fixed_raw, |context, _| {
        let mut bytes = context.random().to_be_bytes().to_vec();
        bytes.extend_from_slice(&context.random().to_be_bytes());
        Ok(Datum::raw(bytes))
    }),
    function("UID", 0, 0, fixed_number, |context, _| Ok(Datum::integer(i64::from(context.user_id())))),
    function("USER", 0, 0, fixed_text, |context, _| Ok(Datum::varchar2(context.user()))),
    function("USERENV", 1, 1, fixed_text, |context, arguments| {
        let parameter = given!(text(context, arguments, 0)).to_ascii_uppercase();
        let value = context
            .environment("USERENV", &parameter)
            .ok_or_else(|| Error::user(2003, format!("invalid USERENV parameter {parameter}")))?;
        Ok(Datum::varchar2(value))
    }),
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
