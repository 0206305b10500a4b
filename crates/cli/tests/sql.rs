//! `highwater sql` from outside: statements on a database on disk, exit codes, two processes, signals.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn start(directory: &Path, arguments: &[&str]) -> Child {
    // Tests under nohup ignore signals, and would pass that on.
    Command::new("env")
        .args(["--default-signal=INT,HUP,TERM", env!("CARGO_BIN_EXE_highwater"), "sql"])
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Types lines to `highwater sql -S` and waits for its end.
fn typed(directory: &Path, lines: &str) -> Output {
    let mut child = start(directory, &["-S"]);
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn run(directory: &Path, arguments: &[&str]) -> Output {
    let mut child = start(directory, arguments);
    drop(child.stdin.take());
    child.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn rows_are_there_in_the_next_session() {
    let directory = tempfile::tempdir().unwrap();
    let made = typed(
        directory.path(),
        "create table t (id number not null, name varchar2(20), made date);\n\
         insert into t values (1, 'one', to_date('2026-01-02', 'YYYY-MM-DD'));\n\
         insert into t select 2, null, null from dual;\n\
         commit;\n\
         create unique index t_id on t(id);\n\
         insert into t values (1, 'again', null);\n\
         desc t\n",
    );
    let said = stdout(&made);
    assert_eq!(made.status.code(), Some(0), "{said}{}", stderr(&made));
    for expected in [
        "Table created.",
        "1 row created.",
        "Commit complete.",
        "Index created.",
        "ORA-00001",
        " ID ",
        "NOT NULL NUMBER",
    ] {
        assert!(said.contains(expected), "{expected} is missing in\n{said}");
    }
    let read = typed(directory.path(), "set null (none)\nselect * from t order by id;\nselect count(*) from nosuch;\n");
    let said = stdout(&read);
    assert!(said.contains("        ID NAME                 MADE\n---------- -------------------- ---------"), "{said}");
    assert!(said.contains("         1 one                  02-JAN-26\n"), "{said}");
    assert!(said.contains("ORA-00942") && said.contains("                     *\n"), "{said}");
    let checked = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(["verify", "--data", "highwater-data"])
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert_eq!(checked.status.code(), Some(0), "{}", stdout(&checked));
}

/// On a new database the machine's user logs on by the right to open the files; a user without a password cannot log on
/// by name.
#[test]
fn a_user_without_a_password_lets_nobody_in_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let made = run(directory.path(), &[]);
    assert!(stdout(&made).contains("SYSTEM and SYS have no password"), "{}", stdout(&made));
    assert!(!stdout(&run(directory.path(), &[])).contains("have no password"));
    for name in ["system/manager", "system/", "sys/x", "system"] {
        let refused = run(directory.path(), &["-S", name]);
        assert_eq!(refused.status.code(), Some(1), "{name}");
        assert!(stdout(&refused).contains("ORA-01017") || stdout(&refused).contains("SP2-0546"), "{name}");
    }
    let said = stdout(&typed(
        directory.path(),
        "connect system/manager\n\
         show user\n\
         connect /\n\
         show user\n\
         connect system/manager as sysdba\n\
         show user\n\
         alter user system identified by manager;\n\
         connect system/manager\n\
         show user\n\
         connect system/other\n\
         connect system\n\
         manager\n\
         show user\n",
    ));
    let said: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(
        said,
        [
            "ERROR:",
            "ORA-01017: SYSTEM has no password yet, so nobody logs on by that name; ALTER USER sets one",
            "Warning: you are no longer connected.",
            "USER is \"\"",
            "Connected.",
            "USER is \"SYSTEM\"",
            "Connected.",
            "USER is \"SYS\"",
            "User altered.",
            "Connected.",
            "USER is \"SYSTEM\"",
            "ERROR:",
            "ORA-01017: user name or password is wrong",
            "Warning: you are no longer connected.",
            "Enter password: Connected.",
            "USER is \"SYSTEM\"",
        ]
    );
    assert!(stdout(&run(directory.path(), &["-S", "system/other"])).contains("ORA-01017"));
    assert_eq!(run(directory.path(), &["-S", "system/manager"]).status.code(), Some(0));
}

/// SYSTEM is the machine's user and no more: others log on without it, and SYS AS SYSDBA unlocks it.
#[test]
fn a_locked_system_keeps_nobody_else_out() {
    let directory = tempfile::tempdir().unwrap();
    let made = typed(
        directory.path(),
        "create user scott identified by tiger;\n\
         grant create session to scott;\n\
         alter user sys account lock;\n\
         alter user system account lock;\n",
    );
    assert!(!stdout(&made).contains("ORA-"), "{}", stdout(&made));
    let in_as = |logon: &[&str], lines: &str| {
        let mut child = start(directory.path(), &[&["-S"], logon].concat());
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    for system in [[].as_slice(), &["/"]] {
        let (code, said) = in_as(system, "show user\n");
        assert!(code == Some(1) && said == "ORA-28000: the account SYSTEM is locked\n", "{said}");
    }
    assert_eq!(in_as(&["scott/tiger"], "show user\n"), (Some(0), "USER is \"SCOTT\"\n".to_owned()));
    assert_eq!(in_as(&["scott"], "tiger\nshow user\n").1, "Enter password: USER is \"SCOTT\"\n");
    let unlock = "show user\nalter user system account unlock;\nconnect /\nshow user\n";
    let (code, said) = in_as(&["/", "as", "sysdba"], unlock);
    let said: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(said, ["USER is \"SYS\"", "User altered.", "Connected.", "USER is \"SYSTEM\""]);
    assert_eq!(code, Some(0));
    assert_eq!(in_as(&[], "show user\n"), (Some(0), "USER is \"SYSTEM\"\n".to_owned()));
}

/// AUTOCOMMIT, DISCONNECT and the end of the shell commit, which the session's trace shows.
#[test]
fn the_shell_commits_where_it_should() {
    let directory = tempfile::tempdir().unwrap();
    let ends = |name: &str, statements: &str| {
        let traced = format!(
            "create table {name} (id number);\n\
             alter session set tracefile_identifier = '{name}';\n\
             alter session set sql_trace = true;\n{statements}"
        );
        let said = stdout(&typed(directory.path(), &traced));
        assert!(!said.contains("ORA-") && !said.contains("HW-"), "{said}");
        let trace = find(directory.path(), &format!("_{name}.trc")).unwrap();
        (said, std::fs::read_to_string(trace).unwrap().matches("XCTEND rlbk=0").count())
    };
    assert_eq!(ends("left", "insert into left values (1);\n").1, 1);
    assert_eq!(ends("gone", "insert into gone values (1);\ndisconnect\n").1, 1);
    let (said, commits) = ends("each", "set autocommit on\ninsert into each values (1);\ndelete from each;\n");
    assert_eq!((said.matches("Commit complete.").count(), commits), (2, 3));
}

fn find(directory: &Path, end: &str) -> Option<std::path::PathBuf> {
    std::fs::read_dir(directory).ok()?.filter_map(Result::ok).find_map(|entry| {
        let path = entry.path();
        if path.is_dir() { find(&path, end) } else { path.to_string_lossy().ends_with(end).then_some(path) }
    })
}

#[test]
fn returning_sets_bind_variables() {
    let directory = tempfile::tempdir().unwrap();
    let output = typed(
        directory.path(),
        "create table t (id number primary key, name varchar2(10));\n\
         variable i number\n\
         variable n varchar2(10)\n\
         insert into t values (7, 'seven') returning id * 2, upper(name) into :i, :n;\n\
         print i\n\
         print n\n\
         update t set id = 8 where id = 9 returning id into :i;\n\
         print i\n\
         delete from t where id = :i / 2 returning name into :n;\n\
         print n\n",
    );
    let said = stdout(&output);
    let printed: Vec<&str> =
        said.lines().map(str::trim).filter(|line| ["14", "SEVEN", "seven"].contains(line)).collect();
    assert_eq!(printed, ["14", "SEVEN", "14", "seven"], "{said}");
    assert!(
        said.contains("1 row created.") && said.contains("0 rows updated.") && said.contains("1 row deleted."),
        "{said}"
    );
}

#[test]
fn exit_codes() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    std::fs::write(directory.join("bad.sql"), "whenever sqlerror exit\nselect * from nosuch;\n").unwrap();
    std::fs::write(directory.join("args.sql"), "set verify off\nprompt &1 &2\nexit &1\n").unwrap();
    assert_eq!(run(directory, &["-S", "@bad"]).status.code(), Some(1));
    let arguments = run(directory, &["-S", "--data", "elsewhere", "@args", "7", "two words"]);
    assert_eq!((arguments.status.code(), stdout(&arguments).as_str()), (Some(7), "7 two words\n"));
    assert!(directory.join("elsewhere").is_dir());
    assert_eq!(run(directory, &["-S", "@nosuch"]).status.code(), Some(1));
    assert_eq!(run(directory, &["-S", "system", "nosuch"]).status.code(), Some(2));
    let nobody = run(directory, &["-S", "nobody/x"]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(stdout(&nobody).contains("ORA-01017"), "{}", stdout(&nobody));
}

#[test]
fn a_second_process_is_refused_and_a_signal_leaves_the_database_closed() {
    let directory = tempfile::tempdir().unwrap();
    let mut first = start(directory.path(), &["-S"]);
    let mut input = first.stdin.take().unwrap();
    input.write_all(b"spool opened\n").unwrap();
    for _ in 0..600 {
        if directory.path().join("opened.lst").exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let second = run(directory.path(), &["-S"]);
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).starts_with("ORA-01102"), "{}", stderr(&second));
    assert_eq!(stderr(&second).lines().count(), 1);
    let killed = Command::new("kill").args(["-INT", &first.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(first.wait().unwrap().code(), Some(1));
    drop(input);
    let again = typed(directory.path(), "show user\n");
    assert_eq!((again.status.code(), stdout(&again).as_str()), (Some(0), "USER is \"SYSTEM\"\n"));
}

/// A statement that would run for hours, a signal that ends the process: the database was closed and earlier changes
/// are there.
#[test]
fn termination_in_a_statement_closes_the_database() {
    for signal in ["-TERM", "-HUP", "-INT"] {
        let directory = tempfile::tempdir().unwrap();
        let mut child = start(directory.path(), &["-S"]);
        let mut input = child.stdin.take().unwrap();
        input
            .write_all(
                b"create table t as select level x from dual connect by level <= 100000;\n\
                  spool made\n\
                  select max(a.x) from t a, t b where a.x > b.x + 1000000;\n",
            )
            .unwrap();
        while !directory.path().join("made.lst").exists() {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(500));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        if signal == "-INT" {
            input.write_all(b"select 'still' || ' here' from dual;\n").unwrap();
            drop(input);
            let output = child.wait_with_output().unwrap();
            let said = stdout(&output);
            assert!(said.contains("ORA-01013") && said.contains("still here"), "{said}");
        } else {
            let code = child.wait().unwrap().code();
            assert_eq!(code, Some(if signal == "-TERM" { 143 } else { 129 }));
            drop(input);
        }
        let again = typed(directory.path(), "select count(*) from t;\n");
        assert!(stdout(&again).contains("100000"), "{}{}", stdout(&again), stderr(&again));
    }
}

/// SHUTDOWN and STARTUP inside the shell, lines about recovery on standard error, and the check of a database that was
/// not closed.
#[test]
fn the_database_is_closed_and_opened_again_from_the_shell() {
    let directory = tempfile::tempdir().unwrap();
    let verify = || {
        Command::new(env!("CARGO_BIN_EXE_highwater"))
            .args(["verify", "--data", "highwater-data"])
            .current_dir(directory.path())
            .output()
            .unwrap()
    };
    let first = typed(
        directory.path(),
        "create table t (id number);\n\
         insert into t values (1);\n\
         shutdown\n\
         startup\n\
         commit;\n\
         shutdown sometimes\n\
         shutdown\n\
         select * from t;\n\
         shutdown immediate\n\
         startup mount\n\
         startup\n\
         insert into t values (2);\n\
         shutdown immediate\n\
         startup open\n\
         select count(*) || ' row' from t;\n\
         insert into t values (3);\n\
         commit;\n\
         insert into t values (4);\n\
         startup force\n\
         select sum(id) || ' in all' from t;\n\
         insert into t values (5);\n\
         shutdown abort\n",
    );
    let said = stdout(&first);
    assert_eq!((first.status.code(), stderr(&first).as_str()), (Some(0), ""), "{said}");
    let heading = "Highwater instance started.\nDatabase mounted.\n";
    let recovered = "The database was not closed cleanly. It was recovered from ";
    let mut rest = said.as_str();
    for expected in [
        "ORA-01097",
        "ORA-01081",
        "Commit complete.",
        "SP2-0717",
        "Database closed.\nDatabase dismounted.\nHighwater instance shut down.\n",
        "SP2-0640",
        "SP2-0640",
        "HW-0001: not supported: STARTUP MOUNT",
        &format!("{heading}Database opened.\n"),
        "1 row created.",
        "Database closed.",
        &format!("{heading}Database opened.\n"),
        "1 row",
        &format!("{heading}{recovered}"),
        "Database opened.\n",
        "4 in all",
        "1 row created.",
        "Highwater instance shut down.\n",
    ] {
        let at = rest.find(expected).unwrap_or_else(|| panic!("{expected:?} is missing in\n{rest}\nof\n{said}"));
        rest = &rest[at + expected.len()..];
    }
    assert!(!rest.contains("Database closed."), "{rest}");

    // The check recovers it in memory and leaves it unchanged.
    for _ in 0..2 {
        let checked = verify();
        let said = stdout(&checked);
        assert_eq!(checked.status.code(), Some(0), "{said}{}", stderr(&checked));
        assert!(
            said.contains("not closed cleanly; recovered in memory: ") && said.ends_with("no problems\n"),
            "{said}"
        );
    }
    let next = typed(directory.path(), "select sum(id) || ' in all' from t;\n");
    assert!(stdout(&next).contains("4 in all"), "{}", stdout(&next));
    assert!(stderr(&next).starts_with(recovered) && stderr(&next).lines().count() <= 2, "{}", stderr(&next));
    let last = typed(directory.path(), "show user\n");
    assert_eq!(stderr(&last), "");
    assert!(!stdout(&verify()).contains("recovered"));
}

/// The paper's script, which does not belong to the project, on a small table.
#[test]
fn the_insert_gets_script_runs_unedited() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/papers/scripts/insert-gets.sql");
    let Ok(script) = script.canonicalize() else {
        eprintln!("skipped: {} is not here", script.display());
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let made = typed(
        directory.path(),
        "create table source_table as select level object_id, 'OBJECT_' || level object_name from dual connect by level <= 500;\n",
    );
    assert!(stdout(&made).contains("Table created."), "{}", stdout(&made));
    let ran = run(directory.path(), &["-S", &format!("@{}", script.display())]);
    let said = stdout(&ran);
    assert_eq!(ran.status.code(), Some(0), "{said}{}", stderr(&ran));
    assert!(!said.contains("ORA-") && !said.contains("HW-"), "{said}");
    assert_eq!(said.matches("500 rows created.").count(), 6, "{said}");
    let spooled = std::fs::read_to_string(directory.path().join("run_insert_tests_assm.lst")).unwrap();
    assert!(spooled.contains("TARGET_TABLE_ASSM_NDX") && spooled.contains("Elapsed: "), "{spooled}");
}

#[test]
fn oradebug_shows_the_stack_of_a_session() {
    let directory = tempfile::tempdir().unwrap();
    let output = typed(
        directory.path(),
        "oradebug short_stack\noradebug setmypid\noradebug short_stack\noradebug setorapid 9999\n\
         column pid new_value mine\n\
         select pid from v$process where stid is not null;\noradebug setorapid &mine\noradebug short_stack\n\
         oradebug setorapid 2\noradebug short_stack\noradebug setospid 1\noradebug tracefile_name\n\
         create user u1 identified by u1;\ngrant create session to u1;\nconnect u1/u1\noradebug short_stack\noradebug setmypid\n",
    );
    let said = stdout(&output);
    let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("{text} is missing in\n{said}"));
    assert!(at("ORA-00074") < at("Statement processed."), "{said}");
    assert!(at("Statement processed.") < at("ORA-00072: process \"9999\" is not active"), "{said}");
    assert!(said.contains("image: highwater"), "{said}");
    let stacks: Vec<_> = said.lines().filter(|line| line.contains("()<-")).collect();
    assert_eq!(stacks.len(), 2, "{said}");
    assert!(stacks.iter().all(|stack| stack.contains("cli::sql::debug::short_stack()<-")), "{said}");
    assert!(said.contains("HW-0001: not supported: ORADEBUG SHORT_STACK of a background process"), "{said}");
    assert!(said.contains("HW-0001: not supported: ORADEBUG TRACEFILE_NAME"), "{said}");
    assert!(said.contains("ORA-01031"), "{said}");
}
