//! docs/code/a-row.md: its script leaves the redo and the block that the page shows. `book.rs` checks the links.

use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/code")
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

/// The output has lines that begin like those of the page, in the order of the page. The rest of a line (versions,
/// lengths) may differ. The redo of the page is the end of the log, so the lines are searched from the end.
fn in_order(output: &str, shown: &[&str], least: usize) {
    assert!(shown.len() >= least, "{shown:?}");
    let mut lines = output.lines().rev();
    for line in shown.iter().rev() {
        assert!(lines.any(|found| found.starts_with(line)), "{line} is missing, or is not where it was, in\n{output}");
    }
}
