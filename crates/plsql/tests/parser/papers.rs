//! The blocks and programs of the papers' scripts, where they are at hand (`../shared/papers` beside the project).

use std::path::{Path, PathBuf};

use plsql::kind::program_kind;
use plsql::parser::parse_unit;

use crate::show;

/// The PL/SQL of a SQL*Plus script: each program begins a line and ends with `/` alone on one. EXEC is a block of one
/// call.
fn programs(script: &str) -> Vec<String> {
    let mut programs = Vec::new();
    let mut lines = script.lines();
    while let Some(line) = lines.next() {
        if let Some(call) = line.strip_prefix("exec ") {
            programs.push(format!("BEGIN {}; END;", call.trim_end_matches(';')));
        } else if program_kind(line).is_some() {
            let rest = lines.by_ref().take_while(|line| line.trim() != "/");
            programs.push(std::iter::once(line).chain(rest).collect::<Vec<_>>().join("\n"));
        }
    }
    programs
}

#[test]
fn the_papers_programs_parse() {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/papers/scripts");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("skipped: the papers' scripts are not at hand");
        return;
    };
    let mut count = 0;
    for file in files {
        let file = file.expect("a file").path();
        if file.extension().is_none_or(|extension| extension != "sql") {
            continue;
        }
        // Substitution variables are the shell's.
        let script = std::fs::read_to_string(&file).expect("a script").replace('&', "1+");
        for program in programs(&script) {
            if let Err(errors) = parse_unit(&program) {
                panic!("{}\n{program}\n{}", file.display(), show::errors(&errors));
            }
            count += 1;
        }
    }
    assert!(count >= 20, "{count} programs");
}
