//! Tests that a parameter which is accepted has its effect, or is declared `without_effect`.
//!
//! The tests look for readers of a parameter in the sources of all crates: `Parameter::Name` outside of this folder and
//! of tests. Parameters that this folder reads are listed here with the function through which other code asks for
//! them.

use std::path::{Path, PathBuf};

use super::{Effect, Parameter};

/// Parameters that other code reads through a function of this folder, with that function.
const THROUGH: [(Parameter, &str); 3] = [
    (Parameter::DbFileMultiblockReadCount, ".multiblock_read_count("),
    (Parameter::MaxDumpFileSize, ".govern(&system_meter)"),
    (Parameter::TimedStatistics, ".govern(&system_meter)"),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The source files of all crates but tests and this folder.
fn sources() -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(crates()).unwrap() {
        collect(&entry.unwrap().path().join("src"), &mut found);
    }
    found
}

fn collect(directory: &Path, found: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" && !path.ends_with("storage/src/parameters") {
            collect(&path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push(text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned());
        }
    }
}

/// True: the parameter takes one value alone, so it needs no reader.
fn has_one_value(parameter: Parameter) -> bool {
    let definition = parameter.definition();
    definition.values.len() == 1 || definition.range.is_some_and(|(least, most)| least == most)
}

fn names(source: &str, word: &str) -> bool {
    source.match_indices(word).any(|(at, _)| !source[at + word.len()..].starts_with(|c: char| c.is_alphanumeric()))
}

fn is_read(parameter: Parameter, sources: &[String]) -> bool {
    let word = format!("Parameter::{parameter:?}");
    let through = THROUGH.iter().find(|(listed, _)| *listed == parameter).map(|(_, function)| *function);
    sources.iter().any(|source| names(source, &word) || through.is_some_and(|function| source.contains(function)))
}

/// The parameters whose declared effect differs from their readers in `sources`, a line each.
fn wrong(sources: &[String], declared: impl Fn(Parameter) -> Effect) -> Vec<String> {
    let judge = |parameter: Parameter| match declared(parameter) {
        Effect::Read if has_one_value(parameter) || is_read(parameter, sources) => None,
        Effect::Read => Some(format!("{parameter}: nothing reads it, and nobody is told so")),
        Effect::None { values: [], .. } if is_read(parameter, sources) => {
            Some(format!("{parameter}: something reads it, and it is said to be without effect"))
        }
        Effect::None { .. } => None,
    };
    Parameter::ALL.into_iter().filter_map(judge).collect()
}

#[test]
fn every_parameter_has_a_reader_or_says_that_it_has_no_effect() {
    let wrong = wrong(&sources(), |parameter| parameter.definition().effect);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The check reports a parameter that loses its reader, and one without effect that gets a reader.
#[test]
fn a_parameter_without_its_reader_is_found() {
    let without = |source: String| source.replace("Parameter::StatisticsLevel", "parameter");
    let mut sources: Vec<String> = sources().into_iter().map(without).collect();
    let as_declared = |parameter: Parameter| parameter.definition().effect;
    assert_eq!(wrong(&sources, as_declared), ["statistics_level: nothing reads it, and nobody is told so"]);
    let idle = |parameter| match parameter {
        Parameter::StatisticsLevel => Effect::None { values: &[], why: "" },
        parameter => as_declared(parameter),
    };
    assert!(wrong(&sources, idle).is_empty());
    sources.push("read(Parameter::StatisticsLevel);".to_owned());
    let expected = "statistics_level: something reads it, and it is said to be without effect";
    assert_eq!(wrong(&sources, idle), [expected]);
}
