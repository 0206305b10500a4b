//! docs/reference/statspack.md lists the tables.
//!
//! `HIGHWATER_WRITE_REFERENCE=1 cargo test -p report --test statspack reference` writes the page anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use common::text::wrapped;
use report::statspack::{KEY_COLUMNS, TABLES};

/// Columns of a line of text.
const LINE: usize = 120;

fn page() -> Result<String, std::fmt::Error> {
    let mut page = String::new();
    writeln!(page, "# Tables of Statspack\n")?;
    writeln!(
        page,
        "<!-- Made from crates/report/src/statspack by `cargo test -p report --test statspack reference`. -->\n"
    )?;
    writeln!(
        page,
        "What a snapshot holds, a table a part. Each begins with these columns, which with the columns in bold are its primary\nkey:\n"
    )?;
    writeln!(page, "| column | type | |\n| --- | --- | --- |")?;
    for (column, about) in KEY_COLUMNS.iter().zip(["The snapshot.", "The database.", "The instance."]) {
        writeln!(page, "| **{}** | {} | {about} |", column.name, column.kind)?;
    }
    for table in TABLES {
        let about = wrapped(table.about, LINE, "", "").join("\n");
        writeln!(page, "\n## {}\n\n{about}\n\n| column | type | |\n| --- | --- | --- |", table.name)?;
        for column in table.own {
            let mark = if column.key { "**" } else { "" };
            writeln!(page, "| {mark}{}{mark} | {} | {} |", column.name, column.kind, column.about)?;
        }
    }
    Ok(page)
}

#[test]
fn the_page_says_what_the_tables_are() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/statspack.md");
    let page = page().unwrap();
    if std::env::var_os("HIGHWATER_WRITE_REFERENCE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), page, "HIGHWATER_WRITE_REFERENCE=1 writes it anew");
}
