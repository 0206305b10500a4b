//! Golden scripts: each `tests/scripts/NAME.sql` is run as a script, each `NAME.in` is typed at the prompt (or answers
//! the questions of `NAME.sql`), and everything on the screen, the spool files and the exit code must be `NAME.out`.
//! `UPDATE_GOLDEN=1 cargo test -p shell` rewrites those files; read the difference before committing it.

#![expect(clippy::unwrap_used, reason = "tests may")]

mod mock;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mock::{Mock, Scripted, StepClock};

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sql" || extension == "in"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Runs one golden script in `work`, an empty directory that is the working directory.
fn run(scripts: &Path, name: &str, work: &Path) -> String {
    let typed = fs::read_to_string(scripts.join(format!("{name}.in"))).unwrap_or_default();
    let (console, written) = Scripted::new(&typed.lines().collect::<Vec<_>>());
    let script = scripts.join(format!("{name}.sql"));
    let script =
        script.is_file().then(|| (script.display().to_string(), vec!["first".to_owned(), "second word".to_owned()]));
    let options = shell::Options { silent: script.is_some(), logon: shell::Logon::Machine, script };
    let code = shell::run(Box::new(Mock::default()), Box::new(console), Arc::new(StepClock::default()), options);
    let mut out = written.take();
    let mut files: Vec<PathBuf> = fs::read_dir(work).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        // Blanks at the ends of lines would be lost in an editor.
        let text = fs::read_to_string(&file).unwrap().replace(" \n", "$\n");
        out.push_str(&format!("== file {}\n{text}", file.file_name().unwrap().to_string_lossy()));
        fs::remove_file(&file).unwrap();
    }
    out.push_str(&format!("== exit code {code}\n"));
    out.replace(&scripts.display().to_string(), "SCRIPTS").replace('\u{c}', "<form feed>")
}

#[test]
fn golden_scripts() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let work = tempfile::tempdir().unwrap();
    std::env::set_current_dir(work.path()).unwrap();
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    let names = names(&scripts);
    assert!(!names.is_empty(), "the golden scripts are missing");
    for name in names {
        let got = run(&scripts, &name, work.path());
        let expected_path = scripts.join(format!("{name}.out"));
        if update {
            fs::write(&expected_path, &got).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if expected != got {
            wrong.push(format!("--- {name}: expected\n{expected}\n--- {name}: got\n{got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
