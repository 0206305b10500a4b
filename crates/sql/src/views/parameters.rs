//! Parameters.

use common::Result;
use storage::parameters::{Parameter, SystemChange, Value};

use super::view::{Column, Each, Table, View, ViewContext, n, number, s, text};

/// A parameter with its value in a session or in the instance.
struct ParameterRow {
    /// From 1.
    number: usize,
    parameter: Parameter,
    value: Value,
    default: bool,
    modified: &'static str,
}

fn truth(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

const PARAMETERS: &[Column<ParameterRow>] = &[
    number("NUM", |row| n(row.number)),
    text("NAME", 80, |row| s(row.parameter.definition().name)),
    number("TYPE", |row| n(row.parameter.definition().parameter_type.number())),
    text("VALUE", 4000, |row| s(row.value.to_string())),
    text("DISPLAY_VALUE", 4000, |row| s(row.value.to_string())),
    text("ISDEFAULT", 9, |row| s(truth(row.default))),
    text("ISSES_MODIFIABLE", 5, |row| s(truth(row.parameter.definition().session))),
    text("ISSYS_MODIFIABLE", 9, |row| {
        s(if row.parameter.definition().system == SystemChange::Immediate { "IMMEDIATE" } else { "FALSE" })
    }),
    text("ISMODIFIED", 10, |row| s(row.modified)),
    text("DESCRIPTION", 255, |row| s(row.parameter.definition().description)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$PARAMETER", &[PARAMETERS], |cx, each| parameters(cx, each, true)),
    &Table::new("V$SYSTEM_PARAMETER", &[PARAMETERS], |cx, each| parameters(cx, each, false)),
];

fn parameters(cx: &ViewContext, each: Each<'_, ParameterRow>, session: bool) -> Result<()> {
    let own = cx.session.parameters();
    let system = own.system();
    for (number, parameter) in (1..).zip(Parameter::ALL) {
        each(ParameterRow {
            number,
            parameter,
            value: if session { own.value(parameter) } else { system.value(parameter) },
            default: system.is_default(parameter),
            modified: if session && own.is_own(parameter) {
                "MODIFIED"
            } else if system.is_modified(parameter) {
                "SYSTEM_MOD"
            } else {
                "FALSE"
            },
        })?;
    }
    Ok(())
}
