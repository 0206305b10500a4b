//! The reference page docs/reference/parameters.md, printed from the definitions.

use std::fmt::Write as _;

use common::text::wrapped;

use super::{Effect, Parameter, SystemChange};

/// Columns of a line of text.
const LINE: usize = 120;

/// The page as text. A test compares it with the file; `UPDATE_REFERENCE=1` in the environment of that test rewrites
/// the file.
#[must_use]
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Initialization parameters\n\n\
         Printed from crates/storage/src/parameters/parameters.toml; do not edit.\n\n\
         A parameter has its value from the parameter file `highwater.ora` in the data directory (lines of\n\
         `name = value`, `#` begins a comment), else its default. `ALTER SYSTEM SET name = value SCOPE = MEMORY |\n\
         SPFILE | BOTH` and `ALTER SESSION SET name = value` change it where the table below the name says so.\n",
    );
    for parameter in Parameter::ALL {
        // Writing to a String cannot fail.
        let _ = write_entry(&mut page, parameter);
    }
    page
}

fn write_entry(page: &mut String, parameter: Parameter) -> std::fmt::Result {
    let definition = parameter.definition();
    let description = wrapped(definition.description, LINE, "", "").join("\n");
    write!(page, "\n## {}\n\n{description}\n\n| | |\n| --- | --- |\n", definition.name)?;
    writeln!(page, "| type | {} |", definition.parameter_type)?;
    match (definition.derived, definition.default) {
        (Some(derived), default) => writeln!(page, "| default | {default}: {derived} |")?,
        (None, "") => writeln!(page, "| default | empty |")?,
        (None, default) => writeln!(page, "| default | {default} |")?,
    }
    if !definition.values.is_empty() {
        writeln!(page, "| values | {} |", definition.values.join(", "))?;
    } else if let Some((min, max)) = definition.range {
        writeln!(page, "| range | {min} to {max} |")?;
    }
    writeln!(page, "| ALTER SESSION | {} |", if definition.session { "yes" } else { "no" })?;
    let system = match definition.system {
        SystemChange::Immediate => "yes, at once",
        SystemChange::Restart => "SCOPE = SPFILE, from the next start",
        SystemChange::Fixed => "no: settled when the database is created",
    };
    writeln!(page, "| ALTER SYSTEM | {system} |")?;
    match definition.effect {
        Effect::Read => Ok(()),
        Effect::None { values: [], why } => writeln!(page, "| without effect | {why} |"),
        Effect::None { values, why } => writeln!(page, "| without effect | {}: {why} |", values.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_page_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/parameters.md");
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference")).unwrap();
            std::fs::write(path, reference_page()).unwrap();
        }
        let page = std::fs::read_to_string(path).unwrap_or_default();
        assert!(page == reference_page(), "docs/reference/parameters.md is old: run this test with UPDATE_REFERENCE=1");
    }
}
