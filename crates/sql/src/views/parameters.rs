//! Parameters.

use common::Result;
use storage::parameters::{Parameter, SystemChange, Value};

use super::view::{Rows, View, ViewColumn, ViewContext, n, number, s, text};

const COLUMNS: &[ViewColumn] = &[
    number("NUM"),
    text("NAME", 80),
    number("TYPE"),
    text("VALUE", 4000),
    text("DISPLAY_VALUE", 4000),
    text("ISDEFAULT", 9),
    text("ISSES_MODIFIABLE", 5),
    text("ISSYS_MODIFIABLE", 9),
    text("ISMODIFIED", 10),
    text("DESCRIPTION", 255),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "V$PARAMETER", columns: COLUMNS, rows: |cx, rows| parameters(cx, rows, true) },
    View { name: "V$SYSTEM_PARAMETER", columns: COLUMNS, rows: |cx, rows| parameters(cx, rows, false) },
];

fn parameters(cx: &ViewContext, rows: &mut Rows, session: bool) -> Result<()> {
    let own = cx.session.parameters();
    let system = own.system();
    for (number, parameter) in Parameter::ALL.iter().enumerate() {
        let definition = parameter.definition();
        let value: Value = if session { own.value(*parameter) } else { system.value(*parameter) };
        let modified = if session && own.is_own(*parameter) {
            "MODIFIED"
        } else if system.is_modified(*parameter) {
            "SYSTEM_MOD"
        } else {
            "FALSE"
        };
        rows.add(&[
            n(number + 1),
            s(definition.name),
            n(definition.parameter_type.number()),
            s(value.to_string()),
            s(value.to_string()),
            s(if system.is_default(*parameter) { "TRUE" } else { "FALSE" }),
            s(if definition.session { "TRUE" } else { "FALSE" }),
            s(if definition.system == SystemChange::Immediate { "IMMEDIATE" } else { "FALSE" }),
            s(modified),
            s(definition.description),
        ])?;
    }
    Ok(())
}
