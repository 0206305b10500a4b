//! docs/code: the items that its pages name exist, and the script of a-row.md leaves the redo and the block that the page shows.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Words in front of the name of an item where it is declared.
const DECLARED_BY: [&str; 6] = ["fn", "struct", "enum", "trait", "type", "const"];
/// Links that the pages are known to have at least: fewer means that they were not found.
const LINKS_MIN: usize = 50;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/code")
}

/// The links to source files: name of an item, path.
fn links(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for part in text.split("[`").skip(1) {
        let Some((name, rest)) = part.split_once("`](") else { continue };
        let Some((path, _)) = rest.split_once(')') else { continue };
        found.push((name.to_owned(), path.to_owned()));
    }
    found
}

/// Whether a file declares an item of that name.
fn declares(source: &str, name: &str) -> bool {
    let words: Vec<&str> = source.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    words.windows(2).any(|pair| DECLARED_BY.contains(&pair[0]) && pair[1] == name)
}

/// The lines within the fences of a language.
fn fenced<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let (mut found, mut inside) = (Vec::new(), false);
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(opened) => inside = !inside && opened == language,
            None if inside => found.push(line),
            None => {}
        }
    }
    found
}

#[test]
fn the_items_that_the_pages_name_exist() {
    let (mut count, mut wrong) = (0, Vec::new());
    for page in std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()) {
        let text = std::fs::read_to_string(&page).unwrap();
        for (name, path) in links(&text) {
            count += 1;
            let item = name.rsplit("::").next().unwrap();
            match std::fs::read_to_string(folder().join(&path)) {
                Err(_) => wrong.push(format!("{}: {path} is no file", page.display())),
                Ok(source) if !declares(&source, item) => {
                    wrong.push(format!("{}: {path} declares no {item}", page.display()));
                }
                Ok(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= LINKS_MIN, "{count} links");
    assert!(!declares("fn others() { call() }", "call"));
}

#[test]
fn the_script_of_the_page_leaves_what_the_page_shows() {
    let text = std::fs::read_to_string(folder().join("a-row.md")).unwrap();
    let home = tempfile::tempdir().unwrap();
    let highwater = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).current_dir(home.path()).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{printed}{}", String::from_utf8(output.stderr).unwrap());
        printed
    };
    std::fs::write(home.path().join("tour.sql"), fenced(&text, "sql").join("\n") + "\n").unwrap();
    highwater(&["sql", "-S", "--data", "tour", "@tour.sql"]);
    // SHUTDOWN ABORT has written no block.
    assert!(highwater(&["dump", "--data", "tour", "2", "131"]).contains("(unformatted)"));
    let redo = highwater(&["dump", "--data", "tour", "redo"]);
    in_order(&redo, &fenced(&text, "redo"), 20);

    std::fs::write(home.path().join("read.sql"), "select id, name from t;\nexit\n").unwrap();
    let read = highwater(&["sql", "-S", "--data", "tour", "@read.sql"]);
    assert!(read.contains("42 Highwater"), "{read}");
    in_order(&highwater(&["dump", "--data", "tour", "2", "131"]), &fenced(&text, "block"), 6);
}

/// The output has lines that begin with those of the page, in the order of the page. What follows in a line (versions, lengths) may differ. The redo of the
/// page is the end of the log, so the lines are looked for from the end.
fn in_order(output: &str, shown: &[&str], least: usize) {
    assert!(shown.len() >= least, "{shown:?}");
    let mut lines = output.lines().rev();
    for line in shown.iter().rev() {
        assert!(lines.any(|found| found.starts_with(line)), "{line} is missing, or is not where it was, in\n{output}");
    }
}
