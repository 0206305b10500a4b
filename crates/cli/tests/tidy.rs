//! The house rules that a program can check, over every file of the project: CONTRIBUTING.md has them in words.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines that a Rust file may have. Over this, two nouns live in it.
const LINES_MAX: usize = 1000;
/// Columns of a line of comments and of pages, as rustfmt.toml has them for code.
const COLUMNS_MAX: usize = 120;
/// Rust files that may be longer, with the reason.
const MAY_BE_LONGER: &[(&str, &str)] = &[];
/// Places of one machine.
const MACHINE_PATHS: &[&str] =
    &[concat!("/", "work", "/"), concat!("/", "root", "/"), concat!("/", "tmp", "/"), concat!("/", "home", "/")];
/// Marks of unfinished code.
const UNFINISHED: &[&str] = &[concat!("todo", "!("), concat!("unimplemented", "!("), concat!("FIX", "ME")];
/// Folders of built, executed or measured files: skipped where git does not list the project's files.
const NOT_OURS: &[&str] =
    &[".git", ".peers", ".suites", "artifacts", "bench-data", "corpus", "highwater-data", "target"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file of the project, relative to its root, with `/` between folders.
fn files() -> BTreeSet<String> {
    let root = root();
    let listed = Command::new("git").arg("-C").arg(&root).args(["ls-files", "-z"]).output();
    let mut files: BTreeSet<String> = match listed {
        Ok(listed) if listed.status.success() && !listed.stdout.is_empty() => {
            String::from_utf8(listed.stdout).unwrap().split_terminator('\0').map(str::to_owned).collect()
        }
        _ => {
            let mut found = BTreeSet::new();
            walk(&root, "", &mut found);
            found
        }
    };
    // A file that was removed stays listed until that is committed.
    files.retain(|file| root.join(file).is_file());
    assert!(files.contains("crates/cli/tests/tidy.rs") || files.contains("crates/cli/src/main.rs"), "{files:?}");
    files
}

fn walk(root: &Path, folder: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if !entry.file_type().unwrap().is_dir() {
            found.insert(path);
        } else if !NOT_OURS.contains(&name.as_str()) {
            walk(root, &path, found);
        }
    }
}

fn text(file: &str) -> String {
    String::from_utf8_lossy(&fs::read(root().join(file)).unwrap()).into_owned()
}

fn none_wrong(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// The folders straight below `folder`.
fn folders<'a>(files: &'a BTreeSet<String>, folder: &str) -> BTreeSet<&'a str> {
    let below = files.iter().filter_map(|file| file.strip_prefix(folder)?.strip_prefix('/'));
    below.filter_map(|rest| Some(rest.split_once('/')?.0)).collect()
}

#[test]
fn no_rust_file_is_too_long() {
    let files = files();
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| file.ends_with(".rs")) {
        let lines = text(file).lines().count();
        let allowed = MAY_BE_LONGER.iter().any(|(name, _)| name == file);
        if lines > LINES_MAX && !allowed {
            wrong.push(format!("{file} has {lines} lines, more than {LINES_MAX}"));
        } else if lines <= LINES_MAX && allowed {
            wrong.push(format!("{file} is short enough and needs no exception"));
        }
    }
    let gone = MAY_BE_LONGER.iter().filter(|(name, _)| !files.contains(*name));
    wrong.extend(gone.map(|(name, _)| format!("{name} has an exception and does not exist")));
    none_wrong(&wrong);
}

#[test]
fn nothing_names_a_place_of_one_machine_or_is_left_unfinished() {
    let mut wrong = Vec::new();
    for file in files().iter().filter(|file| !file.ends_with("Cargo.lock")) {
        for (number, line) in text(file).lines().enumerate() {
            for word in MACHINE_PATHS.iter().chain(UNFINISHED).filter(|word| line.contains(**word)) {
                wrong.push(format!("{file}, line {}: {word}", number + 1));
            }
        }
    }
    none_wrong(&wrong);
}

#[test]
fn each_folder_of_the_engine_and_of_storage_has_a_readme() {
    let files = files();
    for (source, some) in
        [("crates/engine/src", ["dictionary", "instance"]), ("crates/storage/src", ["cache", "segment"])]
    {
        let folders = folders(&files, source);
        assert!(some.iter().all(|folder| folders.contains(folder)), "{folders:?}");
        let readme = |folder: &&&str| !files.contains(&format!("{source}/{folder}/README.md"));
        none_wrong(&folders.iter().filter(readme).map(|folder| format!("{folder} has none")).collect::<Vec<_>>());
    }
}

#[test]
fn each_crate_says_what_it_is_for() {
    let files = files();
    let crates = folders(&files, "crates");
    assert!(crates.contains("engine") && crates.contains("cli"), "{crates:?}");
    let documented = |name: &str| {
        let sources = ["lib.rs", "main.rs"].map(|source| format!("crates/{name}/src/{source}"));
        let top = sources.iter().filter(|source| files.contains(*source)).any(|source| text(source).starts_with("//!"));
        top || files.contains(&format!("crates/{name}/README.md"))
    };
    let silent = crates.iter().filter(|name| !documented(name));
    none_wrong(
        &silent.map(|name| format!("{name} has neither a README.md nor a first line of //!")).collect::<Vec<_>>(),
    );
}

#[test]
fn each_page_of_a_format_is_named_in_a_readme() {
    let files = files();
    let pages: Vec<&String> = files.iter().filter(|file| file.starts_with("docs/formats/")).collect();
    assert!(!pages.is_empty());
    let readmes: Vec<String> = files.iter().filter(|file| file.ends_with("README.md")).map(|file| text(file)).collect();
    let unnamed = pages.iter().filter(|page| !readmes.iter().any(|readme| readme.contains(page.as_str())));
    none_wrong(&unnamed.map(|page| format!("no README.md names {page}")).collect::<Vec<_>>());
}

/// The notice of a clause agrees with docs/reference/accepted.md. `{…}` of a text is `…` there.
#[test]
fn each_notice_of_a_clause_is_in_the_reference() {
    let page = text("docs/reference/accepted.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let sources: Vec<String> =
        files().into_iter().filter(|file| file.starts_with("crates/sql/src/ddl/") && file.ends_with(".rs")).collect();
    let (mut notices, mut wrong) = (0, Vec::new());
    for file in &sources {
        let source = text(file);
        for (at, _) in source.match_indices("words.notice(") {
            let said = source[at..].split('"').nth(1).unwrap_or_default();
            let mut shown = String::new();
            for (n, part) in said.split('{').enumerate() {
                shown.push_str(if n == 0 { part } else { part.split_once('}').map_or(part, |(_, rest)| rest) });
                shown.push('…');
            }
            notices += 1;
            let shown = shown.trim_end_matches('…').to_owned();
            if !page.contains(shown.as_str()) {
                wrong.push(format!("{file}: {shown}"));
            }
        }
    }
    assert!(notices >= 8, "{notices} notices found");
    none_wrong(&wrong);
}

/// True: a line of text that could be broken earlier. A table has one line a row; a word, such as a link, stays whole.
fn is_too_wide(line: &str) -> bool {
    let indent = line.len() - line.trim_start().len();
    let could_break = line.trim_start_matches(['/', '!', ' ', '-']).split_whitespace().count() > 1;
    line.chars().count() > COLUMNS_MAX && could_break && !line[indent..].starts_with('|')
}

#[test]
fn lines_of_comments_and_pages_end_at_120_columns() {
    let files = files();
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| file.ends_with(".rs")) {
        for (number, line) in text(file).lines().enumerate() {
            let comment = line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!', ' ']));
            if comment.is_some_and(|comment| !comment.starts_with('|')) && is_too_wide(line) {
                wrong.push(format!("{file}:{}: a comment of {} columns", number + 1, line.chars().count()));
            }
        }
    }
    for file in files.iter().filter(|file| file.ends_with(".md")) {
        let mut in_code = false;
        for (number, line) in text(file).lines().enumerate() {
            in_code ^= line.trim_start().starts_with("```");
            if !in_code && !line.starts_with("    ") && is_too_wide(line) {
                wrong.push(format!("{file}:{}: a line of {} columns", number + 1, line.chars().count()));
            }
        }
    }
    none_wrong(&wrong);
}

#[test]
fn a_line_is_too_wide_where_it_could_be_broken() {
    let wide = "word ".repeat(30);
    assert!(is_too_wide(&wide) && is_too_wide(&format!("    /// {wide}")));
    assert!(!is_too_wide(&format!("| {wide} |")) && !is_too_wide(&format!("- {}", "x".repeat(200))));
    assert!(!is_too_wide("word"));
}
