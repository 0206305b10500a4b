//! The folders of the engine use each other in one direction.
//!
//! The test reads the sources, as that of storage does. A statement is a method of `Session` in the folder of its
//! subject, above the folder of `Session`; such methods are not called from below.

#[path = "../../storage/tests/layers/sources.rs"]
mod sources;

use std::collections::BTreeSet;
use std::path::Path;

use sources::{File, code, upward, upward_calls};

/// Each folder uses those before it alone.
const FOLDERS: [&str; 7] = ["dictionary", "instance", "constraint", "ddl", "jobs", "startup", "verify"];

fn engine() -> Vec<File> {
    let code = code(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(code.len() > 80, "{} files were found", code.len());
    code
}

#[test]
fn every_folder_has_its_place() {
    let folders: BTreeSet<String> = engine().into_iter().map(|file| file.folder).filter(|f| f != "lib").collect();
    let placed: BTreeSet<String> = FOLDERS.iter().map(|folder| (*folder).to_owned()).collect();
    assert_eq!(folders, placed);
}

#[test]
fn no_folder_uses_one_above_it() {
    let (upward, downward) = upward(&engine(), &FOLDERS);
    assert!(downward > 100, "only {downward} uses were found");
    assert!(upward.is_empty(), "{} upward edges:\n{}", upward.len(), upward.join("\n"));
}

#[test]
fn no_method_of_a_folder_above_is_called() {
    let (calls, methods) = upward_calls(&engine(), &FOLDERS);
    assert!(methods > 50, "only {methods} methods were found");
    assert!(calls.is_empty(), "{} upward calls:\n{}", calls.len(), calls.join("\n"));
}

#[test]
fn an_upward_call_would_be_seen() {
    let file = |folder: &str, lines: &[&str]| File {
        folder: folder.to_owned(),
        path: format!("{folder}/a.rs"),
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
    };
    let below = [
        "pub struct Session;",
        "fn f(s: &Session) {",
        "    s.create_view();",
        "    let t = Session::make(1);",
        "    Table::make(1); s.make(1);",
        "}",
    ];
    let above = [
        "impl Session {",
        "    pub fn create_view(",
        "        self: &Arc<Self>,",
        "    ) {}",
        "    pub fn make(number: u32) -> Self {}",
        "}",
    ];
    let (calls, functions) = upward_calls(&[file("instance", &below), file("ddl", &above)], &["instance", "ddl"]);
    assert_eq!((calls.len(), functions), (2, 2), "{calls:?}");
}
