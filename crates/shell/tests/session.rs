//! Cases that golden scripts cannot show: the calls made to the server, files and screens that fail, the acceptance
//! scripts.

#![expect(clippy::unwrap_used, reason = "tests may")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod mock;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use mock::{Mock, Scripted, StepClock};

struct Session {
    code: u8,
    written: String,
    calls: Vec<String>,
}

/// Types the lines at the prompt, or runs the script.
fn session(lines: &[&str], script: Option<&Path>) -> Session {
    let (console, written) = Scripted::new(lines);
    run(console, &written, script)
}

fn run(console: Scripted, written: &Rc<RefCell<String>>, script: Option<&Path>) -> Session {
    let server = Mock::default();
    let calls = Rc::clone(&server.calls);
    let script = script.map(|path| (path.display().to_string(), Vec::new()));
    let options = shell::Options { silent: true, logon: shell::Logon::Machine, script };
    let code = shell::run(Box::new(server), Box::new(console), Arc::new(StepClock::default()), options);
    let mut calls = calls.take();
    assert_eq!(calls.remove(0), "connect system");
    Session { code, written: written.take(), calls }
}

#[test]
fn one_row_is_fetched_first_and_arrays_follow() {
    let session = session(&["set arraysize 25", "select * from many;", "select * from dual;"], None);
    assert_eq!(
        session.calls,
        [
            "execute select * from many",
            "fetch 1",
            "fetch 25",
            "fetch 25",
            "close",
            "execute select * from dual",
            "fetch 1",
            "fetch 25",
            "close",
            "execute commit",
            "disconnect",
        ]
    );
}

#[test]
fn sqlcase_changes_what_is_sent() {
    let session = session(&["set sqlcase upper", "select 'a' from dual;"], None);
    assert_eq!(session.calls[0], "execute SELECT 'A' FROM DUAL");
}

#[test]
fn a_statement_is_sent_as_it_stands_without_its_terminator() {
    let session = session(
        &[
            "/* kept */ insert into one",
            "  values ('a; b",
            "c') ; -- not kept",
            "begin",
            "  null;",
            "end;",
            "/",
            "exec p(1);",
        ],
        None,
    );
    assert_eq!(
        session.calls[..3],
        [
            "execute /* kept */ insert into one\n  values ('a; b\nc')",
            "execute begin\n  null;\nend;",
            "execute BEGIN p(1); END;"
        ]
    );
}

#[test]
fn a_full_disk_under_the_spool_file_is_said_once() {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full here");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("full.lst");
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    let spool = format!("spool {}", path.display());
    let session = session(&[&spool, "select * from dual;", "select * from dual;", "spool off"], None);
    assert_eq!(session.written.matches("SP2-0606").count(), 1, "{}", session.written);
    assert!(session.written.contains("not spooling currently"), "{}", session.written);
    assert_eq!(session.calls.iter().filter(|call| call.starts_with("execute select")).count(), 2);
}

#[test]
fn without_a_screen_the_session_ends() {
    let (console, written) = Scripted::new(&["select * from dual;", "select * from emp;"]);
    console.fails.set(true);
    let session = run(console, &written, None);
    assert_eq!(session.code, shell::FAILED);
    assert!(!session.calls.iter().any(|call| call.contains("emp")));
    assert_eq!(session.calls.last().unwrap(), "disconnect");
}

#[test]
fn a_command_line_script_that_is_missing_fails_the_session() {
    let session = session(&[], Some(Path::new("nosuch_script.sql")));
    assert_eq!(session.code, shell::FAILED);
    assert!(session.written.contains("SP2-0310"));
}

/// The acceptance scripts of the papers, which do not belong to the project.
fn paper_script(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/papers/scripts").join(name);
    if !path.is_file() {
        eprintln!("skipped: {} is not here", path.display());
        return None;
    }
    Some(path.canonicalize().unwrap())
}

/// Runs an acceptance script and gives its statements; only the lines named may be refused, and only so often.
fn accepted(name: &str, refused: &[(&str, usize)]) -> Option<Vec<String>> {
    let path = paper_script(name)?;
    let directory = tempfile::tempdir().unwrap();
    // Spool files are written to the working directory.
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("\nspool run_", &format!("\nspool {}/run_", directory.path().display()));
    let text = text.replace("@@", &format!("@{}/", path.parent().unwrap().display()));
    let script = directory.path().join(name);
    std::fs::write(&script, text).unwrap();
    let session = session(&[], Some(&script));
    for line in session.written.lines().filter(|line| line.starts_with("SP2-") || line.starts_with("HW-")) {
        assert!(refused.iter().any(|(text, _)| line.contains(text)), "{name}: {line}");
    }
    for (text, times) in refused {
        assert_eq!(session.written.lines().filter(|line| line.contains(text)).count(), *times, "{name}: {text}");
    }
    assert_eq!(session.code, 0, "{name}: the script ends with exit");
    for file in std::fs::read_dir(directory.path()).unwrap() {
        assert!(file.unwrap().metadata().unwrap().len() > 0);
    }
    Some(session.calls.iter().filter_map(|call| call.strip_prefix("execute ").map(str::to_owned)).collect())
}

#[test]
fn insert_gets_runs_unedited() {
    let Some(statements) = accepted("insert-gets.sql", &[("SP2-0135", 2)]) else { return };
    // Two arms of seventeen statements, and the commit of leaving.
    assert_eq!(statements.len(), 35, "{statements:#?}");
    assert_eq!(
        statements[0],
        "create tablespace mssm_tbs\ndatafile 'mssm01.dbf' size 1000M\nextent management local autoallocate segment space management manual"
    );
    assert!(
        statements
            .contains(&"insert /* indexed_assm_insert */ into target_table_assm select * from source_table".to_owned())
    );
}

#[test]
fn the_other_papers_scripts_are_understood() {
    if let Some(statements) = accepted("freelists.sql", &[("spreport.sql", 4)]) {
        assert!(
            statements
                .iter()
                .any(|text| text.contains("l_stop  date default sysdate+5/24/60;") && text.ends_with("end;"))
        );
        assert_eq!(statements.iter().filter(|text| text.starts_with("declare")).count(), 4);
        assert_eq!(statements.iter().filter(|text| *text == "BEGIN perfstat.statspack.snap; END;").count(), 8);
    }
    if let Some(statements) = accepted("block-size.sql", &[]) {
        assert!(statements.iter().any(|text| text.starts_with("create table web_returns_et") && text.ends_with(')')));
    }
    if let Some(statements) = accepted("au-size.sql", &[]) {
        assert_eq!(statements.iter().filter(|text| text.starts_with("select n.name")).count(), 3);
        assert!(statements.iter().any(|text| text.ends_with("from dual connect by level <= 10000000")));
    }
    if let Some(statements) = accepted("write-accelerator.sql", &[("spreport.sql", 3)]) {
        assert!(statements.iter().any(|text| text == "BEGIN force_redo(1000000); END;"));
    }
}

#[test]
fn a_closed_instance_ends_the_session() {
    for statement in ["alter session closing", "alter session closed"] {
        let session = session(&[&format!("{statement};"), "select * from dual;"], None);
        assert_eq!(session.calls, [format!("execute {statement}")]);
        assert_eq!(session.code, 1);
        assert_eq!(session.written.matches("ORA-010").count(), 1, "{}", session.written);
    }
}

#[test]
fn a_closed_instance_ends_the_session_with_the_code_of_whenever() {
    let session = session(&["whenever sqlerror exit 5 commit", "alter session closing;", "select * from dual;"], None);
    assert_eq!(session.calls, ["execute alter session closing"]);
    assert_eq!(session.code, 5);
}

#[test]
fn a_hyphen_at_the_end_of_a_line_continues_a_statement() {
    let lines = ["select 1 -", "+ 2 --", "from 'a-", "b' -", "dual;", "begin", "a := 1 -", "2;", "end;", "/"];
    let session = session(&lines, None);
    let executed = session.calls.iter().filter(|call| call.starts_with("execute")).collect::<Vec<_>>();
    assert_eq!(executed[0], "execute select 1 \n+ 2 --\nfrom 'a-\nb' \ndual");
    assert_eq!(executed[1], "execute begin\na := 1 -\n2;\nend;");
}
