//! Each `programs/*.sql` holds programs, a line `/` behind each; `programs/*.out` their output: created or not, lines
//! of DBMS_OUTPUT, errors.
//!
//! `UPDATE_GOLDEN=1` writes the second.

#![expect(clippy::unwrap_used, reason = "a test")]

mod host;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use host::{Mock, OWNER};
use plsql::ast::UnitKind;
use plsql::compile::entry::{Stored, compile_stored, compile_trigger};
use plsql::error::CompileError;
use plsql::library::Library;
use plsql::parser::parse_unit;
use plsql::run::Session;

fn errors(out: &mut String, what: &str, errors: &[CompileError]) {
    writeln!(out, "{what} created with compilation errors.").unwrap();
    for error in errors {
        writeln!(out, "{}/{}\t{error}", error.line, error.column).unwrap();
    }
}

/// CREATE: stores it in the dictionary, also when it does not compile.
fn create(mock: &mut Mock, library: &Library, text: &str, out: &mut String) {
    let unit = match parse_unit(text) {
        Ok(unit) => unit,
        Err(found) => return errors(out, "Program", &found),
    };
    let source: Arc<str> = text[unit.at as usize..].into();
    let path = match &unit.kind {
        UnitKind::Subprogram(subprogram) => &subprogram.name,
        UnitKind::PackageSpecification { name, .. } | UnitKind::PackageBody { name, .. } => name,
        UnitKind::Trigger(trigger) => &trigger.name,
        UnitKind::Block(_) => unreachable!("a block is run"),
    };
    let name = path.parts.last().unwrap().name.to_string();
    let (what, found) = match &unit.kind {
        UnitKind::Trigger(trigger) => {
            let table = trigger.table.parts.last().unwrap().name.to_string();
            let stored = Stored { owner: OWNER, name: &name, source: &source, stamp: 1, body: None };
            let compiled = compile_trigger(mock, library, &stored);
            mock.triggers.push((name, source, table));
            ("Trigger", compiled)
        }
        UnitKind::PackageBody { .. } => {
            mock.store(&name, &source, true);
            let specification = Arc::clone(&mock.programs[&name].source);
            let stamp = mock.stamp();
            let body = Some((source, stamp));
            let stored = Stored { owner: OWNER, name: &name, source: &specification, stamp, body };
            ("Package body", compile_stored(mock, library, &stored))
        }
        _ => {
            mock.store(&name, &source, false);
            let stamp = mock.stamp();
            let stored = Stored { owner: OWNER, name: &name, source: &source, stamp, body: None };
            ("Program", compile_stored(mock, library, &stored))
        }
    };
    match found {
        Ok(_) => writeln!(out, "{what} created.").unwrap(),
        Err(found) => errors(out, what, &found),
    }
}

fn run(script: &str) -> String {
    let mut mock = Mock::new();
    let library = Arc::new(Library::new());
    let mut session = Session::new(Arc::clone(&library), OWNER);
    session.output.enable(None);
    let mut out = String::new();
    for text in script.split("\n/\n") {
        let text = text.trim_matches('\n');
        // The program's description stands in front of it.
        let text = text.trim_start_matches('\n');
        if text.trim().is_empty() {
            continue;
        }
        let first = text.lines().find(|line| !line.starts_with("--")).unwrap_or("");
        for line in text.lines().take_while(|line| line.starts_with("--")) {
            writeln!(out, "{line}").unwrap();
        }
        if first.to_lowercase().starts_with("create") {
            create(&mut mock, &library, text, &mut out);
            continue;
        }
        let body: Vec<&str> = text.lines().skip_while(|line| line.starts_with("--")).collect();
        let result = session.run_block(&mut mock, &body.join("\n"), &mut []);
        for line in session.output.drain() {
            writeln!(out, "{line}").unwrap();
        }
        if let Err(error) = result {
            writeln!(out, "{error}").unwrap();
        }
        for native in mock.natives.drain(..) {
            writeln!(out, "host: {native}").unwrap();
        }
        assert_eq!(mock.open_queries(), 0, "cursors are left open by\n{text}");
    }
    out
}

#[test]
fn programs_print_what_they_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut scripts: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    scripts.sort();
    assert!(!scripts.is_empty());
    let mut wrong = Vec::new();
    for script in scripts {
        let printed = run(&fs::read_to_string(&script).unwrap());
        let golden = script.with_extension("out");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &printed).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        if printed != expected {
            wrong.push(format!("{}\n--- expected\n{expected}\n--- printed\n{printed}", script.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
