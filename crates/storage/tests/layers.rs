//! The folders of storage use each other in one direction.
//!
//! Read from the sources: the paths from the crate's root (`crate::folder`, or as many `super::` as lead there) of production code, and the receivers of methods. A method is a dependency without an import, so an
//! inherent `impl` stands in the folder of its type.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each folder uses those before it, and no other.
const FOLDERS: [&str; 18] = [
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

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            if name != "tests" {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// Production code of storage: the folder, the file, its lines without comments and without what is compiled for tests alone.
fn code() -> Vec<(String, String, Vec<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut code = Vec::new();
    for file in files {
        let relative = file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        let folder = relative.split('/').next().unwrap().trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&file).unwrap();
        let production = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let mut lines = Vec::new();
        let mut for_tests = false;
        for line in production.lines() {
            // An item that is compiled for tests alone ends where its indentation does; here it is enough to leave out its first line.
            if !for_tests {
                lines.push(line.split("//").next().unwrap_or_default().to_owned());
            }
            for_tests = line.trim() == "#[cfg(test)]";
        }
        code.push((folder, relative, lines));
    }
    assert!(code.len() > 100, "{} files were found", code.len());
    code
}

/// The folders that a line names behind `root`, a path to the root of the crate.
fn named<'l>(line: &'l str, root: &'l str) -> impl Iterator<Item = &'l str> {
    line.match_indices(root).map(|(at, path)| {
        let rest = &line[at + path.len()..];
        rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
    })
}

#[test]
fn every_folder_has_its_place() {
    let folders: BTreeSet<String> = code().into_iter().map(|(folder, ..)| folder).filter(|f| f != "lib").collect();
    let placed: BTreeSet<String> = FOLDERS.iter().map(|folder| (*folder).to_owned()).collect();
    assert_eq!(folders, placed);
}

#[test]
fn no_folder_uses_one_above_it() {
    let place = |folder: &str| FOLDERS.iter().position(|other| *other == folder);
    let (mut upward, mut downward) = (Vec::new(), 0);
    for (folder, file, lines) in code() {
        let Some(own) = place(&folder) else { continue };
        let above = "super::".repeat(file.trim_end_matches("/mod.rs").split('/').count());
        for (number, line) in lines.iter().enumerate() {
            for used in named(line, "crate::").chain(named(line, &above)) {
                match place(used) {
                    Some(other) if other <= own => downward += usize::from(other < own),
                    _ => upward.push(format!("{file}:{}: {}", number + 1, line.trim())),
                }
            }
        }
    }
    assert!(downward > 100, "only {downward} uses were found");
    assert!(upward.is_empty(), "{} upward edges:\n{}", upward.len(), upward.join("\n"));
}

#[test]
fn methods_stand_in_the_folder_of_their_type() {
    let code = code();
    let mut homes: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (folder, _, lines) in &code {
        for line in lines {
            let line = line.trim_start();
            let declared = match line.strip_prefix("pub") {
                // `pub(super)`, `pub(in …)`
                Some(rest) if rest.starts_with('(') => rest.split_once(") ").map_or("", |(_, rest)| rest),
                Some(rest) => rest.trim_start(),
                None => line,
            };
            let rest = ["struct ", "enum ", "union "].iter().find_map(|start| declared.strip_prefix(start));
            if let Some(rest) = rest {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                homes.entry(name).or_default().insert(folder);
            }
        }
    }
    let (mut foreign, mut own) = (Vec::new(), 0);
    for (folder, file, lines) in &code {
        for (number, line) in lines.iter().enumerate() {
            let Some(rest) = line.strip_prefix("impl") else { continue };
            if rest.contains(" for ") {
                continue;
            }
            let rest = if rest.starts_with('<') {
                rest.split_once("> ").map_or("", |(_, rest)| rest)
            } else {
                rest.trim_start()
            };
            let path: String = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
            let name = path.rsplit("::").next().unwrap_or_default().to_owned();
            match homes.get(&name) {
                Some(homes) if homes.contains(folder.as_str()) => own += 1,
                // What no source declares is generated for its folder.
                None => {}
                Some(_) => foreign.push(format!("{file}:{}: {}", number + 1, line.trim())),
            }
        }
    }
    assert!(own > 100, "only {own} were found");
    assert!(foreign.is_empty(), "{} methods of other folders' types:\n{}", foreign.len(), foreign.join("\n"));
}

#[test]
fn an_upward_use_and_a_foreign_method_would_be_seen() {
    assert_eq!(named("use crate::segment::Segment;", "crate::").collect::<Vec<_>>(), ["segment"]);
    assert_eq!(named("let x = crate::txn::f(crate::index::g());", "crate::").collect::<Vec<_>>(), ["txn", "index"]);
    assert_eq!(named("use super::super::segment::Segment;", "super::super::").collect::<Vec<_>>(), ["segment"]);
}
