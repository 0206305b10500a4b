//! The experiments named by findings exist in the laboratory, and one that cannot be run yet is called planned: in the
//! code that names it, in the pages of docs/findings, and wherever else a page gives the command.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::{Path, PathBuf};

use advisor::experiment::{self, Experiment};

fn exists(name: &str) -> bool {
    lab::experiments().iter().any(|experiment| experiment.name == name)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Markdown below a folder.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            pages(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "md") {
            found.push(entry);
        }
    }
}

/// The names behind `highwater reproduce` in a text, each with the rest of its line.
fn commands(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().flat_map(|line| line.split("highwater reproduce ").skip(1)).filter_map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(rest.len());
        let name = &rest[..end];
        (!name.is_empty() && !name.starts_with('-')).then_some((name, &rest[end..]))
    })
}

fn wrong(name: &str, planned: bool) -> Option<String> {
    match (exists(name), planned) {
        (true, true) => Some(format!("{name} can be run and is called planned")),
        (false, false) => Some(format!("{name} cannot be run and is not called planned")),
        _ => None,
    }
}

#[test]
fn what_findings_name_can_be_run_or_is_planned() {
    let wrong: Vec<String> = experiment::ALL.iter().filter_map(|of| wrong(of.name, of.planned)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn pages_give_commands_that_can_be_run_or_are_planned() {
    let mut files = vec![root().join("README.md")];
    pages(&root().join("docs"), &mut files);
    let (mut wrong_ones, mut seen) = (Vec::new(), 0);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for (name, behind) in commands(&text) {
            seen += 1;
            let planned = behind.trim_start_matches('`').trim_start().starts_with("(planned)");
            wrong_ones.extend(wrong(name, planned).map(|what| format!("{}: {what}", file.display())));
        }
    }
    assert!(wrong_ones.is_empty(), "{wrong_ones:#?}");
    assert!(seen > 30, "{seen} commands were found");
}

/// The last column of the table in docs/findings/README.md, and the page of each finding.
#[test]
fn the_list_of_findings_and_their_pages_agree() {
    let folder = root().join("docs/findings");
    let list = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let mut seen = 0;
    for line in list.lines().filter(|line| line.starts_with("| [")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let (id, listed) = (cells[0].trim_start_matches('[').split(']').next().unwrap(), cells[2]);
        let (name, planned) = match listed.strip_suffix(" (planned)") {
            Some(name) => (name, true),
            None => (listed, false),
        };
        assert_eq!(wrong(name, planned), None, "{id}");
        assert!(experiment::ALL.contains(&Experiment { name: known(name), planned }), "{id}: {listed}");
        let page = std::fs::read_to_string(folder.join(format!("{id}.md"))).unwrap();
        assert_eq!(commands(&page).map(|(name, _)| name).collect::<Vec<_>>(), [name], "{id}");
        seen += 1;
    }
    assert_eq!(seen, advisor::findings::ids().count());
}

/// The name as the code has it.
fn known(name: &str) -> &'static str {
    experiment::ALL.iter().find(|experiment| experiment.name == name).map_or("", |experiment| experiment.name)
}

#[test]
fn commands_are_found_with_what_stands_behind_them() {
    let found: Vec<_> =
        commands("`highwater reproduce au-size` (planned)\nhighwater reproduce --list; highwater reproduce NAME")
            .collect();
    assert_eq!(found, [("au-size", "` (planned)")]);
    assert!(wrong("au-size", true).is_none() || exists("au-size"));
    assert_eq!(wrong("no-such", false).as_deref(), Some("no-such cannot be run and is not called planned"));
    assert_eq!(wrong("freelists", true).as_deref(), Some("freelists can be run and is called planned"));
}
