//! The folders of storage use each other in one direction.
//!
//! The test reads from the sources of production code the paths from the crate's root (`crate::folder`, or as many
//! `super::` as lead there), and the receivers of methods. A method is a dependency without an import, so an inherent
//! `impl` stands in the folder of its type.

#[path = "layers/sources.rs"]
mod sources;

use std::collections::BTreeSet;
use std::path::Path;

use sources::{File, code, methods, named, upward};

/// The folders in order. Each folder uses only folders before it.
const FOLDERS: [&str; 19] = [
    "invariants",
    "health",
    "parameters",
    "disk_group",
    "redo",
    "control",
    "datafile",
    "cache",
    "checkpoint",
    "snapshot",
    "process",
    "tablespace",
    "undo",
    "txn",
    "segment",
    "index",
    "rollback",
    "table",
    "recovery",
];

fn storage() -> Vec<File> {
    let code = code(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(code.len() > 100, "{} files were found", code.len());
    code
}

#[test]
fn every_folder_has_its_place() {
    let folders: BTreeSet<String> = storage().into_iter().map(|file| file.folder).filter(|f| f != "lib").collect();
    let placed: BTreeSet<String> = FOLDERS.iter().map(|folder| (*folder).to_owned()).collect();
    assert_eq!(folders, placed);
}

#[test]
fn no_folder_uses_one_above_it() {
    let (upward, downward) = upward(&storage(), &FOLDERS);
    assert!(downward > 100, "only {downward} uses were found");
    assert!(upward.is_empty(), "{} upward edges:\n{}", upward.len(), upward.join("\n"));
}

#[test]
fn methods_stand_in_the_folder_of_their_type() {
    let code = storage();
    let methods = methods(&code);
    let own = methods.iter().filter(|block| block.at_home == Some(true)).count();
    assert!(own > 100, "only {own} were found");
    // A type that no source declares is generated code of its folder.
    let foreign = methods.iter().filter(|block| block.at_home == Some(false));
    let foreign: Vec<_> = foreign.map(|block| format!("{}:{}", block.file.path, block.line)).collect();
    assert!(foreign.is_empty(), "{} methods of other folders' types:\n{}", foreign.len(), foreign.join("\n"));
}

#[test]
fn an_upward_use_and_a_foreign_method_would_be_seen() {
    assert_eq!(named("use crate::segment::Segment;", "crate::").collect::<Vec<_>>(), ["segment"]);
    assert_eq!(named("let x = crate::txn::f(crate::index::g());", "crate::").collect::<Vec<_>>(), ["txn", "index"]);
    assert_eq!(named("use super::super::segment::Segment;", "super::super::").collect::<Vec<_>>(), ["segment"]);
}
