//! Assignment of calls and waits to statements, in the less plain cases.

#![expect(clippy::unwrap_used, reason = "a test")]

use report::tkprof::{self, Options, Report};

fn summary(text: &str, words: &[&str]) -> Report {
    let mut options = Options::default();
    words.iter().for_each(|word| options.apply(word).unwrap());
    tkprof::summarise(text.as_bytes(), &options).unwrap()
}

fn parsing(cursor: u32, user: u32, sql: &str) -> String {
    let length = sql.len();
    format!(
        "PARSING IN CURSOR #{cursor} len={length} dep=0 uid={user} oct=3 lid={user} tim=1 hv=0 ad='0'\n{sql}\nEND OF STMT\n"
    )
}

fn execute(cursor: u32, elapsed: u32) -> String {
    format!("EXEC #{cursor}:c=0,e={elapsed},p=0,cr=0,cu=0,mis=0,r=1,dep=0,og=1,tim=2\n")
}

fn wait(cursor: u32, event: &str) -> String {
    format!("WAIT #{cursor}: nam='{event}' ela= 5 p1=1 p2=2 p3=3 obj#=-1 tim=2\n")
}

fn close(cursor: u32) -> String {
    format!("CLOSE #{cursor}:c=0,e=1,dep=0,type=0,tim=3\n")
}

/// Each statement as `text user executions event×count …`.
fn words(report: &Report) -> Vec<String> {
    let waits = |waits: &[tkprof::WaitTotals]| -> String {
        waits.iter().map(|wait| format!(" {}×{}", wait.event, wait.count)).collect()
    };
    let one = |s: &tkprof::Statement| {
        let user = s.user.map_or("-".to_owned(), |user| user.to_string());
        format!("{} {user} {}{}", s.sql.as_deref().unwrap_or("-"), s.execute.count, waits(&s.waits))
    };
    report.statements.iter().map(one).collect()
}

#[test]
fn the_same_text_of_two_users_is_two_statements() {
    let text =
        [parsing(1, 5, "a"), execute(1, 9), parsing(2, 6, "a"), execute(2, 9), parsing(3, 5, "a"), execute(3, 9)];
    let report = summary(&text.concat(), &[]);
    assert_eq!(words(&report), ["a 5 2", "a 6 1"]);
    assert_eq!(report.statements[0].cursors, 2);
    assert_eq!(words(&summary(&text.concat(), &["aggregate=no"])), ["a 5 1", "a 6 1", "a 5 1"]);
}

#[test]
fn a_cursor_number_changes_hands() {
    let text = [parsing(1, 5, "a"), execute(1, 9), parsing(1, 5, "b"), execute(1, 9), execute(1, 9)];
    assert_eq!(words(&summary(&text.concat(), &[])), ["a 5 1", "b 5 2"]);
}

#[test]
fn waits_of_a_parse_belong_to_the_statement_that_follows() {
    let text = [
        wait(1, "read"),
        parsing(1, 5, "a"),
        wait(1, "read"),
        execute(1, 9),
        close(1),
        wait(1, "SQL*Net message from client"),
        wait(1, "read"),
        wait(1, "read"),
        parsing(1, 5, "b"),
        execute(1, 9),
    ];
    assert_eq!(words(&summary(&text.concat(), &[])), ["a 5 1 read×2 SQL*Net message from client×1", "b 5 1 read×2"]);
}

#[test]
fn a_cached_cursor_goes_on_with_its_statement() {
    let text = [parsing(1, 5, "a"), execute(1, 9), close(1), wait(1, "read"), execute(1, 9)];
    assert_eq!(words(&summary(&text.concat(), &[])), ["a 5 2 read×1"]);
}

#[test]
fn calls_without_a_statement_and_waits_without_a_cursor() {
    let text =
        [execute(4, 9), wait(4, "read"), execute(4, 9), execute(5, 9), wait(0, "log file sync"), wait(9, "lost")];
    let report = summary(&text.concat(), &[]);
    assert_eq!(words(&report), ["- - 2 read×1", "- - 1"]);
    let events: Vec<_> = report.waits_without_cursor.iter().map(|wait| wait.event.as_str()).collect();
    assert_eq!(events, ["log file sync", "lost"]);
    assert_eq!(report.non_recursive.waits.len(), 3);
    assert_eq!(report.non_recursive.execute.elapsed, 27);
}

#[test]
fn sessions_have_their_own_cursors_and_recursion() {
    let session = |sid: u32| format!("*** SESSION ID:({sid}.1) 2024-01-01 00:00:00.000\n");
    let recursive = "EXEC #1:c=0,e=4,p=0,cr=0,cu=0,mis=0,r=1,dep=1,og=1,tim=2\n".to_owned();
    let text = [
        parsing(1, 5, "a"),
        session(1),
        recursive,
        session(2),
        parsing(1, 5, "b"),
        execute(1, 9),
        session(1),
        execute(1, 9),
    ];
    let report = summary(&text.concat(), &[]);
    assert_eq!(words(&report), ["a 5 2", "b 5 1"]);
    assert_eq!((report.statements[0].execute.elapsed, report.statements[1].execute.elapsed), (9, 9));
    assert_eq!(report.sessions, 2);
}
