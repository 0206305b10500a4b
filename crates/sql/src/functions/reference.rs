//! The reference page docs/reference/functions.md, printed from the declarations of functions.

use std::fmt::Write as _;

use scalar::functions::{ANY, all, unsupported};
use scalar::{DatumType, Function};

use crate::plan::{function, window};

/// The page as text. `UPDATE_REFERENCE=1` in the environment of its test rewrites the file.
fn page() -> String {
    let mut page = String::from(
        "# Functions\n\n\
         Printed from the declarations; do not edit. The functions and operators of values are those of\n\
         `crates/scalar/src/functions`. \"Values change\" marks a function that may give another value for the same\n\
         arguments, in the next row or in the next statement. Where a result has several types, the types of the\n\
         arguments decide.\n\n\
         | function | arguments | result | in PL/SQL | values change |\n\
         | --- | --- | --- | --- | --- |\n",
    );
    let mut functions: Vec<&Function> = all().collect();
    functions.sort_by_key(|function| function.name);
    for function in functions {
        let name = match function.name {
            "NEGATE" => "`-` with one operand".to_owned(),
            name => format!("`{}`", name.replace('|', "\\|")),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            page,
            "| {name} | {} | {} | {} | {} |",
            arguments(function),
            results(function),
            if function.sql_only { "no" } else { "yes" },
            if function.deterministic { "" } else { "yes" },
        );
    }
    let _ = write!(
        page,
        "\n## Aggregates\n\nEach of them but GROUPING and GROUPING_ID takes `OVER (…)` too.\n\n{}\
         \n## Window functions\n\nThey need `OVER (…)`; without it they give ORA-30484.\n\n{}\
         \n## Not there\n\nOracle has these, and Highwater refuses them by name (HW-0001). Any other name that no \
         program has is\nORA-00904.\n\n{}",
        list(function::aggregates()),
        list(window::FUNCTIONS.iter().copied()),
        list(unsupported::functions()),
    );
    page
}

fn arguments(function: &Function) -> String {
    match (function.minimum_arguments, function.maximum_arguments) {
        (least, ANY) => format!("{least} and more"),
        (least, most) if least == most => most.to_string(),
        (least, most) => format!("{least} to {most}"),
    }
}

/// The types of results over each type of the first argument beside each of the others, as far as the function takes
/// them: a number beside a date makes a date.
fn results(function: &Function) -> String {
    let types = [
        DatumType::Number,
        DatumType::Varchar2,
        DatumType::Char,
        DatumType::Date,
        DatumType::Timestamp,
        DatumType::Raw,
    ];
    let mut found = Vec::new();
    for (first, others) in types.iter().flat_map(|first| types.iter().map(move |others| (*first, *others))) {
        let mut arguments = vec![others; function.minimum_arguments];
        if let Some(argument) = arguments.first_mut() {
            *argument = first;
        }
        let name = match function.result_type(&arguments) {
            Ok(DatumType::Null) | Err(_) => continue,
            Ok(DatumType::Varchar2) => "VARCHAR2",
            Ok(DatumType::Raw) => "RAW",
            Ok(other) => other.name(),
        };
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found.join(", ")
}

/// The names in lines of at most 120 columns.
fn list(names: impl Iterator<Item = &'static str>) -> String {
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    textwrap::fill(&names.join(", "), 118) + "\n"
}

#[test]
fn the_reference_page_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/functions.md");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(path, page()).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == page(), "docs/reference/functions.md is old: run this test with UPDATE_REFERENCE=1");
}
