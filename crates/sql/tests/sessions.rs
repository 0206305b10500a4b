//! Scripts of several sessions: visibility of each other's changes, and waits. See `harness/mod.rs` for their language.
//!
//! `UPDATE_GOLDEN=1` rewrites those that are not in [`WAITING`]; results about isolation are written by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod harness;
#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;

use harness::{Player, difference, play, settle};
use waits::Event;

/// Scripts that fail for want of a feature, with the first line that differs until then. A script that passes must be
/// removed from this list.
const WAITING: &[(&str, &str)] = &[];

#[test]
fn scripts() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let mut paths: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let only = std::env::var("SESSIONS").unwrap_or_default();
    let mut failures = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if !name.contains(&only) {
            continue;
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        let got = play(&support::database(), &expected);
        let waiting = WAITING.iter().find(|(waiting, _)| *waiting == name).map(|(_, today)| *today);
        if waiting.is_none() && std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, got).unwrap();
            continue;
        }
        let planned = support::database();
        support::plan_all(&planned);
        if let (Some((number, expected, got)), None) = (difference(&expected, &play(&planned, &expected)), waiting) {
            let text = "each statement planned";
            failures.push(format!("{name}, line {number}, {text}\n  expected   {expected}\n  got        {got}"));
        }
        match (difference(&expected, &got), waiting) {
            (None, None) => {}
            (None, Some(_)) => failures.push(format!("{name} passes: take it off the list of those that wait")),
            (Some((_, _, line)), Some(today)) if line == today => {}
            (Some((number, expected, got)), waiting) => {
                let waiting = waiting.map(|today| format!("\n  until then {today}")).unwrap_or_default();
                failures.push(format!("{name}, line {number}\n  expected   {expected}\n  got        {got}{waiting}"));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// A session in a wait for a lock is detected as blocked, and a released one is waited for, however late it wakes.
#[test]
fn who_waits_for_a_lock_is_blocked_and_who_works_is_not() {
    let database = support::database();
    let mut looker = database.connect("system", None).unwrap();
    let mut players = vec![Player::new("a", &database), Player::new("b", &database)];
    for _ in 0..20 {
        let (open, gate) = channel();
        players[0].start(Box::new(move |seat| {
            let meter = Arc::clone(seat.connection.session().meter());
            meter.wait(Event::EnqTxRowLockContention, [0; 3], -1, || gate.recv().unwrap());
            // Work without a wait.
            std::thread::sleep(std::time::Duration::from_millis(30));
            vec!["went on".to_owned()]
        }));
        assert_eq!(settle(&mut players, |_| true), []);
        assert!(players[0].busy);
        let waiting = "select w.event, w.wait_class, w.state, s.status, w.p3text from v$session_wait w, v$session s \
                       where w.sid = s.sid and s.type = 'USER' and s.state = 'WAITING' and w.seconds_in_wait < 60 and s.\"ROW_WAIT_OBJ#\" is null";
        let seen = support::run(&mut looker, waiting);
        assert_eq!(
            seen.lines().nth(1),
            Some("enq: TX - row lock contention | Application | WAITING | INACTIVE | sequence"),
            "{seen}"
        );
        players[1].start(Box::new(move |_| {
            open.send(()).unwrap();
            vec!["let go".to_owned()]
        }));
        let said = |name: &str, line: &str| (name.to_owned(), vec![line.to_owned()]);
        assert_eq!(settle(&mut players, |_| true), [said("a", "went on"), said("b", "let go")]);
    }
    players.into_iter().for_each(Player::leave);
}
