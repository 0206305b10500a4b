//! docs/reference/errors.md agrees with errors.toml.
//!
//! `UPDATE_GOLDEN=1 cargo test -p errors --test reference` writes the page anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use common::text::wrapped;
use errors::Family;

const COLUMNS: usize = 120;
/// Characters that begin a list, a heading or a quotation at the start of a line.
const MARKS: [char; 5] = ['+', '-', '*', '#', '>'];

fn page() -> Result<String, std::fmt::Error> {
    let mut page = String::from("# Errors\n\n");
    writeln!(page, "<!-- Made from crates/errors/errors.toml by `cargo test -p errors --test reference`. -->\n")?;
    paragraph(
        &mut page,
        "Every number that Highwater raises: what the condition is, when it is raised, and what to do about it. \
         `highwater help ORA-00942` prints one of them. Where Oracle has a number for the same condition, Highwater \
         uses it; the words are Highwater's own.",
    )?;
    for family in Family::ALL {
        let (heading, about) = match family {
            Family::Ora => ("ORA: the database", "Numbers of Oracle's for conditions that both databases have."),
            Family::Hw => {
                ("HW: Highwater's own", "Conditions for which Oracle has no number, and what is not supported.")
            }
            Family::Pls => {
                ("PLS: the compiler of PL/SQL", "They stand behind ORA-06550, in SHOW ERRORS and in USER_ERRORS.")
            }
            Family::Sp2 => ("SP2: the shell", "Errors of the commands of `highwater sql`."),
            Family::Kup => ("KUP: external tables", "They stand inside ORA-29913, and in the log of a load."),
        };
        writeln!(page, "## {heading}\n")?;
        paragraph(&mut page, about)?;
        for entry in errors::all().filter(|entry| entry.code.family == family) {
            writeln!(page, "### {}: {}\n", entry.code, entry.name)?;
            paragraph(&mut page, entry.cause)?;
            paragraph(&mut page, &format!("**Action:** {}", entry.action))?;
        }
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    Ok(page)
}

fn paragraph(page: &mut String, text: &str) -> std::fmt::Result {
    for line in wrapped(text, COLUMNS - 1, "", "") {
        let is_marked = line.starts_with(MARKS) && !line.starts_with("**");
        writeln!(page, "{}{line}", if is_marked { "\\" } else { "" })?;
    }
    writeln!(page)
}

#[test]
fn the_reference_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/errors.md");
    let expected = page().unwrap();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap();
    assert!(found == expected, "docs/reference/errors.md is not current; UPDATE_GOLDEN=1 writes it anew");
    let long: Vec<&str> = expected.lines().filter(|line| line.chars().count() > COLUMNS).collect();
    assert!(long.is_empty(), "{long:?}");
}
