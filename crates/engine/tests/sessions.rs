//! Figures of sessions, and killing them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;
use std::time::Duration;

use common::sync::{Arc, JoinHandle, ThreadId, spawn};
use common::{DataType, Result, SystemClock};
use device::MemoryFileSystem;
use engine::ddl::TableSpec;
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{Background, Instance, Killed, Session, SessionFigures, SessionKind, SessionStatus};
use engine::startup::CreateOptions;
use format::number;
use storage::table::Inserter;
use storage::txn::{CommitWrite, LockWait, TableLock};
use waits::Event;

fn instance(background: Background) -> Arc<Instance> {
    let files = Arc::new(MemoryFileSystem::new());
    let clock = Arc::new(SystemClock::default());
    let options = CreateOptions::default();
    Instance::create_with(files, Path::new("/database"), clock, None, &options, background).unwrap()
}

fn table(session: &Arc<Session>) -> Arc<TableDef> {
    let data_type = DataType::Number { precision: None, scale: 0 };
    let column = ColumnDef { name: "N".to_owned(), data_type, nullable: true, default: None };
    session.create_table(&TableSpec::new("SYSTEM", "T", vec![column])).unwrap()
}

fn insert(session: &Arc<Session>, table: &Arc<TableDef>, n: i64) -> Result<()> {
    let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone())?;
    inserter.push(&[Some(&number::encode_i64(n))])?;
    inserter.finish().map(drop)
}

fn of(instance: &Instance, session: &Session) -> SessionFigures {
    instance.sessions().into_iter().find(|figures| figures.sid == session.sid()).unwrap()
}

/// Waits for a table that another session has locked, until it gets an error.
fn waiter(session: &Arc<Session>, table: &Arc<TableDef>) -> JoinHandle<Result<()>> {
    let (waiting, table) = (session.clone(), table.clone());
    let work = move || {
        let _call = waiting.call()?;
        insert(&waiting, &table, 2)?;
        waiting.lock_table(table.object, TableLock::Exclusive, LockWait::Forever)
    };
    let thread = spawn("waiter", work).unwrap();
    while session.meter().current_wait().is_none_or(|wait| wait.event != Event::EnqTmContention) {
        std::thread::yield_now();
    }
    thread
}

#[test]
fn a_session_is_on_the_thread_of_its_call() {
    let instance = instance(Background::Inline);
    let session = instance.connect("SYSTEM").unwrap();
    assert_eq!(of(&instance, &session).thread, None);
    let call = session.call().unwrap();
    let here = Some(ThreadId::current());
    assert_eq!((of(&instance, &session).thread, session.thread()), (here, here));
    let inner = session.call().unwrap();
    let theirs = session.clone();
    let elsewhere = spawn("aside", move || {
        let _moved = theirs.moved();
        (theirs.thread(), ThreadId::current())
    });
    let (found, id) = elsewhere.unwrap().join().unwrap();
    assert_eq!(found, Some(id));
    drop(inner);
    assert_eq!(session.thread(), here);
    drop(call);
    assert_eq!(of(&instance, &session).thread, None);
}

#[test]
fn sessions_are_listed_with_what_they_do_and_background_processes_beside_them() {
    let instance = instance(Background::Threads);
    let session = instance.connect("SYSTEM").unwrap();
    let first = of(&instance, &session);
    assert_eq!((first.status, first.kind, &*first.user), (SessionStatus::Inactive, SessionKind::User, "SYSTEM"));
    assert_eq!((first.serial, first.process), (session.meter().serial(), session.process()));
    session.set_program("sqlplus");
    session.change_work(|work| work.module = Some("loader".into()));
    let call = session.call().unwrap();
    session.set_statement(Some("select 1 from dual".into()));
    let busy = of(&instance, &session);
    assert_eq!(
        (busy.status, &*busy.program, busy.work.module.as_deref()),
        (SessionStatus::Active, "sqlplus", Some("loader"))
    );
    assert_eq!(busy.statement.as_deref(), Some("select 1 from dual"));
    session.set_statement(None);
    drop(call);
    let after = of(&instance, &session);
    assert_eq!((after.statement, after.previous_statement.as_deref()), (None, Some("select 1 from dual")));
    let background: Vec<_> = instance
        .sessions()
        .into_iter()
        .filter(|figures| figures.kind == SessionKind::Background)
        .map(|figures| (figures.sid, figures.program.to_string(), figures.status))
        .collect();
    let expected = [(2, "dbw0"), (3, "smon"), (4, "lgwr"), (5, "mmnl"), (6, "cjq0")];
    assert_eq!(background, expected.map(|(sid, name)| (sid, name.to_owned(), SessionStatus::Active)));
    drop(session);
    assert_eq!(instance.sessions().len(), expected.len());
    instance.shutdown().unwrap();
}

#[test]
fn sessions_that_begin_together_get_numbers_in_a_row_and_a_number_that_is_free_again_is_given_again() {
    let instance = instance(Background::Inline);
    let mut sessions: Vec<_> = (0..5).map(|_| instance.connect("SYSTEM").unwrap()).collect();
    let numbers: Vec<u32> = sessions.iter().map(|session| session.process().0).collect();
    assert_eq!(numbers, [10, 11, 12, 13, 14]);
    let serial = sessions[2].meter().serial();
    drop(sessions.remove(2));
    let next = instance.connect("SYSTEM").unwrap();
    assert_eq!((next.process().0, next.sid()), (12, 12));
    assert_ne!(next.meter().serial(), serial);
    instance.shutdown().unwrap();
}

#[test]
fn a_sample_has_the_active_sessions_what_they_wait_for_and_for_whom() {
    let instance = instance(Background::Threads);
    let (owner, idle, other) =
        (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
    let table = table(&owner);
    insert(&owner, &table, 1).unwrap();
    owner.lock_table(table.object, TableLock::Exclusive, LockWait::Forever).unwrap();
    other.set_statement(Some("lock table t in exclusive mode".into()));
    let thread = waiter(&other, &table);
    let call = owner.call().unwrap();
    instance.sample_sessions();
    let samples = instance.active_sessions().since(0);
    let waiting = samples.iter().rfind(|sample| sample.sid == other.sid()).unwrap();
    assert_eq!(waiting.wait.map(|(event, _)| event), Some(Event::EnqTmContention));
    assert_eq!(waiting.blocking_session, Some(owner.sid()));
    assert_eq!(waiting.sql_id.as_deref(), Some(&*waits::sql_id("lock table t in exclusive mode")));
    assert_eq!((waiting.xid, &*waiting.user, waiting.background), (other.xid(), "SYSTEM", false));
    let working = samples.iter().rfind(|sample| sample.sid == owner.sid()).unwrap();
    assert_eq!((working.wait, working.xid), (None, owner.xid()));
    assert_eq!(working.sample, waiting.sample);
    assert!(samples.iter().all(|sample| sample.sid != idle.sid()));
    owner.rollback().unwrap();
    drop(call);
    thread.join().unwrap().unwrap();
    other.rollback().unwrap();
    instance.shutdown().unwrap();
}

#[test]
fn without_threads_sessions_are_sampled_on_request_only() {
    let instance = instance(Background::Inline);
    let session = instance.connect("SYSTEM").unwrap();
    assert_eq!(instance.active_sessions().taken(), 0);
    let _call = session.call().unwrap();
    instance.sample_sessions();
    assert_eq!((instance.active_sessions().taken(), instance.active_sessions().since(0).len()), (1, 1));
}

#[test]
fn a_session_that_is_killed_while_it_waits_ends_its_call_and_gives_up_what_it_held() {
    let instance = instance(Background::Threads);
    let (owner, victim) = (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
    let table = table(&owner);
    insert(&owner, &table, 1).unwrap();
    owner.lock_table(table.object, TableLock::Exclusive, LockWait::Forever).unwrap();
    let thread = waiter(&victim, &table);
    assert!(victim.in_transaction());
    // Marked, or gone already: the victim is woken at once.
    owner.kill(victim.sid(), victim.meter().serial()).unwrap();
    let (sid, serial) = (victim.sid(), victim.meter().serial());
    assert!(owner.wait_for_killed(sid, serial, Duration::from_secs(600)).unwrap());
    let told = thread.join().unwrap().unwrap_err();
    assert!(told.is_ora(28), "{told}");
    assert!(!victim.in_transaction());
    assert_eq!(of(&instance, &victim).status, SessionStatus::Killed);
    let ours = instance.locks().transactions();
    assert_eq!(ours.iter().map(|(_, sid)| *sid).collect::<Vec<_>>(), [owner.sid()]);
    // It has got its error: from now on it is not logged on.
    assert!(victim.call().unwrap_err().is_ora(1012));
    assert_eq!(owner.kill(victim.sid(), victim.meter().serial()).unwrap(), Killed::Now);
    owner.commit(CommitWrite::default()).unwrap();
    instance.shutdown().unwrap();
}

#[test]
fn the_killer_rolls_back_an_idle_session() {
    let instance = instance(Background::Inline);
    let (owner, victim) = (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
    let table = table(&owner);
    {
        let _call = victim.call().unwrap();
        insert(&victim, &table, 1).unwrap();
        victim.lock_table(table.object, TableLock::Exclusive, LockWait::Forever).unwrap();
    }
    let busy = owner.lock_table(table.object, TableLock::RowExclusive, LockWait::NoWait).unwrap_err();
    assert!(busy.is_ora(54));
    assert_eq!(owner.kill(victim.sid(), victim.meter().serial()).unwrap(), Killed::Now);
    assert!(!victim.in_transaction() && victim.is_killed());
    owner.lock_table(table.object, TableLock::RowExclusive, LockWait::NoWait).unwrap();
    assert!(victim.call().unwrap_err().is_ora(28));
    assert!(victim.call().unwrap_err().is_ora(1012));
    assert!(victim.check_cancelled().unwrap_err().is_ora(28));
    owner.commit(CommitWrite::default()).unwrap();
    instance.shutdown().unwrap();
}

#[test]
fn refused_kills() {
    let instance = instance(Background::Inline);
    let (one, two) = (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
    let serial = one.meter().serial();
    assert!(one.kill(one.sid(), serial).unwrap_err().is_ora(27));
    assert!(one.kill(two.sid(), two.meter().serial() + 100).unwrap_err().is_ora(30));
    assert!(one.kill(777, 1).unwrap_err().is_ora(30));
    assert!(one.kill(2, 1).unwrap_err().is_ora(29));
    assert!(two.call().is_ok());
}
