//! Production code of a crate, folder by folder, read from its sources.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(dead_code, reason = "each test uses a part")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A file of production code.
pub(crate) struct File {
    /// Its folder in `src`, or its own name where it is in none.
    pub(crate) folder: String,
    /// Its path below `src`.
    pub(crate) path: String,
    /// Its lines without comments, and without code that is compiled for tests alone.
    pub(crate) lines: Vec<String>,
}

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

/// Production code below a crate's `src`.
pub(crate) fn code(root: &Path) -> Vec<File> {
    let mut files = Vec::new();
    sources(root, &mut files);
    files.sort();
    let mut code = Vec::new();
    for file in files {
        let path = file.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let folder = path.split('/').next().unwrap().trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&file).unwrap();
        let production = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let mut lines = Vec::new();
        let mut for_tests = false;
        for line in production.lines() {
            // An item for tests alone ends where its indentation does; here it is enough to leave out its first line.
            let kept = if for_tests { "" } else { line.split("//").next().unwrap_or_default() };
            lines.push(kept.to_owned());
            for_tests = line.trim() == "#[cfg(test)]";
        }
        code.push(File { folder, path, lines });
    }
    code
}

/// The folders that a line names behind `root`, a path to the root of the crate.
pub(crate) fn named<'l>(line: &'l str, root: &'l str) -> impl Iterator<Item = &'l str> {
    line.match_indices(root).map(|(at, path)| {
        let rest = &line[at + path.len()..];
        rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
    })
}

/// Uses of folders behind the own one in `order`, and the number of uses of folders before it.
pub(crate) fn upward(code: &[File], order: &[&str]) -> (Vec<String>, usize) {
    let place = |folder: &str| order.iter().position(|other| *other == folder);
    let (mut upward, mut downward) = (Vec::new(), 0);
    for file in code {
        let Some(own) = place(&file.folder) else { continue };
        let above = "super::".repeat(file.path.trim_end_matches("/mod.rs").split('/').count());
        for (number, line) in file.lines.iter().enumerate() {
            for used in named(line, "crate::").chain(named(line, &above)) {
                match place(used) {
                    Some(other) if other <= own => downward += usize::from(other < own),
                    _ => upward.push(format!("{}:{}: {}", file.path, number + 1, line.trim())),
                }
            }
        }
    }
    (upward, downward)
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The declaration behind `pub`, `pub(crate)` and the like.
fn declared(line: &str) -> &str {
    let line = line.trim_start();
    match line.strip_prefix("pub") {
        // `pub(super)`, `pub(in …)`
        Some(rest) if rest.starts_with('(') => rest.split_once(") ").map_or("", |(_, rest)| rest),
        Some(rest) => rest.trim_start(),
        None => line,
    }
}

/// The folders in which types of each name are declared.
pub(crate) fn homes(code: &[File]) -> BTreeMap<String, BTreeSet<String>> {
    let mut homes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in code {
        for line in &file.lines {
            let rest = ["struct ", "enum ", "union "].iter().find_map(|start| declared(line).strip_prefix(start));
            if let Some(rest) = rest {
                homes.entry(word(rest)).or_default().insert(file.folder.clone());
            }
        }
    }
    homes
}

/// An inherent `impl`.
pub(crate) struct Methods<'c> {
    pub(crate) file: &'c File,
    /// Its first line, from 1.
    pub(crate) line: usize,
    /// True: the folder declares its type. None for a type that no source declares.
    pub(crate) at_home: Option<bool>,
    /// The type.
    pub(crate) of: String,
    /// The functions that other files may call; true for a function with a receiver.
    pub(crate) names: Vec<(String, bool)>,
}

pub(crate) fn methods(code: &[File]) -> Vec<Methods<'_>> {
    let homes = homes(code);
    let mut found = Vec::new();
    for file in code {
        for (number, line) in file.lines.iter().enumerate() {
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
            let name = path.rsplit("::").next().unwrap_or_default();
            let body: Vec<&String> =
                file.lines[number + 1..].iter().take_while(|line| !line.starts_with('}')).collect();
            let public = |line: &str| line.starts_with("    ") && line.trim_start().starts_with("pub");
            let names = body.iter().enumerate().filter(|(_, line)| public(line)).filter_map(|(at, line)| {
                let (_, rest) = declared(line).split_once("fn ")?;
                // The receiver is the first parameter, on the line of the name or on the next.
                let parameters = rest.split_once('(')?.1;
                let first =
                    if parameters.is_empty() { body.get(at + 1).map_or("", |line| line.trim()) } else { parameters };
                let first = first.split([',', ')', ':']).next().unwrap_or_default();
                Some((word(rest), first.split(|c: char| !c.is_alphanumeric()).any(|part| part == "self")))
            });
            found.push(Methods {
                file,
                line: number + 1,
                at_home: homes.get(name).map(|homes| homes.contains(&file.folder)),
                of: name.to_owned(),
                names: names.collect(),
            });
        }
    }
    found
}

/// Calls, from folders before it in `order`, of functions that a folder adds to a type of another folder; and the
/// number of such functions. A method's name that an earlier folder has too may mean that one's method, and is not
/// looked for.
pub(crate) fn upward_calls(code: &[File], order: &[&str]) -> (Vec<String>, usize) {
    let place = |folder: &str| order.iter().position(|other| *other == folder);
    let mut added: BTreeMap<(String, String, bool), usize> = BTreeMap::new();
    for block in methods(code).iter().filter(|block| block.at_home == Some(false)) {
        let Some(own) = place(&block.file.folder) else { continue };
        for (name, receiver) in &block.names {
            let lowest = added.entry((block.of.clone(), name.clone(), *receiver)).or_insert(own);
            *lowest = own.min(*lowest);
        }
    }
    let mut calls = Vec::new();
    for file in code {
        let Some(own) = place(&file.folder) else { continue };
        for (number, line) in file.lines.iter().enumerate() {
            for ((of, name, receiver), home) in added.iter().filter(|(_, home)| **home > own) {
                let by_path = named(line, &format!("{of}::")).any(|called| called == name);
                let by_receiver = *receiver && line.contains(&format!(".{name}(")) && !declares(code, order, own, name);
                if by_path || by_receiver {
                    calls.push(format!("{}:{}: {} of {}", file.path, number + 1, line.trim(), order[*home]));
                }
            }
        }
    }
    (calls, added.len())
}

/// True: a folder up to place `last` declares a function of the name.
fn declares(code: &[File], order: &[&str], last: usize, name: &str) -> bool {
    let start = format!("fn {name}");
    code.iter().filter(|file| order[..=last].contains(&file.folder.as_str())).any(|file| {
        file.lines.iter().any(|line| {
            line.find(&start)
                .is_some_and(|at| !line[at + start.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    })
}
