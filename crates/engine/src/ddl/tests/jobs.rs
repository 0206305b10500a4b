//! Jobs: their transactions, the sessions that run them, their ends.

use std::path::Path;
use std::sync::Arc;

use common::sync::spawn;
use common::{Error, SystemClock};

use super::{DIRECTORY, Database};
use crate::ddl::UserSpec;
use crate::dictionary::rows::SchedulerJobRow;
use crate::dictionary::{Job, JobKey, JobState, RunStatus, SchedulerJob};
use crate::instance::{Due, DueJob, Instance, JobOutcome, JobRun, RunWhen, Session};
use storage::parameters::Scope;
use storage::txn::CommitWrite;

const SECOND: u64 = 1_000_000;
const MINUTE: u64 = 60 * SECOND;

fn job(number: u64, user: &str, next_us: u64) -> Job {
    Job {
        number,
        log_user: user.to_owned(),
        priv_user: user.to_owned(),
        schema_user: user.to_owned(),
        last_us: None,
        this_us: None,
        next_us,
        total_us: 0,
        interval: Some("sysdate + 1".to_owned()),
        failures: 0,
        broken: false,
        what: "null;".to_owned(),
        nls: Some("NLS_LANGUAGE='AMERICAN'".to_owned()),
        instance: 0,
    }
}

fn now(session: &Session) -> u64 {
    session.meter().clock().wall_us()
}

fn commit(session: &Session) {
    session.commit(CommitWrite::default()).unwrap();
}

fn submitted(session: &Arc<Session>, number: u64, next_us: u64) {
    session.submit_job(&job(number, "SYSTEM", next_us)).unwrap();
    commit(session);
}

fn numbers(session: &Arc<Session>) -> Vec<u64> {
    session.jobs().unwrap().iter().map(|job| job.number).collect()
}

fn due(session: &Arc<Session>, at: u64) -> Vec<JobKey> {
    session.instance().jobs().due(session, at).unwrap().jobs.iter().map(DueJob::key).collect()
}

fn begin(session: &Arc<Session>, key: &JobKey, when: RunWhen) -> Option<JobRun> {
    session.instance().jobs().begin_run(session, key, when).unwrap()
}

fn end(session: &Arc<Session>, mut run: JobRun, outcome: &JobOutcome) {
    session.instance().jobs().end_run(session, &mut run, outcome).unwrap();
}

fn one(session: &Arc<Session>, number: u64) -> Job {
    session.jobs().unwrap().into_iter().find(|job| job.number == number).unwrap()
}

fn failure() -> Error {
    Error::user(6502, "PL/SQL: numeric or value error")
}

/// The database reopened after a crash.
fn crash(database: Database) -> Database {
    database.instance.health().stop(&Error::bug("a crash"));
    let Database { files, instance } = database;
    drop(instance);
    let instance = Instance::open(files.clone(), Path::new(DIRECTORY), Arc::new(SystemClock::default()), None).unwrap();
    Database { files, instance }
}

#[test]
fn a_job_is_there_for_others_when_its_transaction_commits() {
    let database = Database::new();
    let (session, other) = (database.session(), database.session());
    let first = session.next_job_number().unwrap();
    let whole = Job { last_us: Some(5 * SECOND), ..job(first, "SYSTEM", 7 * SECOND) };
    session.submit_job(&whole).unwrap();
    assert_eq!((session.jobs().unwrap(), other.jobs().unwrap()), (vec![whole.clone()], vec![]));
    assert!(due(&other, now(&other)).is_empty());
    session.rollback().unwrap();
    assert!(session.jobs().unwrap().is_empty());
    let second = session.next_job_number().unwrap();
    assert!(second > first, "a number is not given again");
    session.submit_job(&Job { number: second, ..whole.clone() }).unwrap();
    session.savepoint("S").unwrap();
    session.submit_job(&Job { number: 77, ..whole.clone() }).unwrap();
    session.rollback_to("S").unwrap();
    commit(&session);
    assert_eq!(numbers(&other), [second]);
    assert_eq!(due(&other, now(&other)), [JobKey::Job(second)]);
    assert!(other.submit_job(&Job { number: second, ..whole.clone() }).unwrap_err().is_ora(1));
    let long = Job { what: "x".repeat(4001), number: 78, ..whole };
    assert!(other.submit_job(&long).unwrap_err().is_ora(12899));
    drop((session, other));
    let database = database.reopen();
    let session = database.session();
    assert_eq!(numbers(&session), [second]);
    assert!(session.next_job_number().unwrap() > second);
}

#[test]
fn sessions_that_change_one_job_wait_for_each_other() {
    let database = Database::new();
    let session = database.session();
    submitted(&session, 1, 0);
    let add = |session: &Arc<Session>| {
        session.change_job(1, "SYSTEM", |job| {
            job.failures += 1;
            Ok(())
        })
    };
    add(&session).unwrap();
    let other = database.session();
    let thread = {
        let other = other.clone();
        spawn("other", move || {
            add(&other).unwrap();
            commit(&other);
        })
        .unwrap()
    };
    // The other session waits for the row, or will; either way both changes count.
    commit(&session);
    thread.join().unwrap();
    assert_eq!(one(&session, 1).failures, 2);
    // Of two sessions that submit the same number the second waits for the first.
    session.submit_job(&job(2, "SYSTEM", 0)).unwrap();
    let thread = {
        let other = other.clone();
        spawn("other", move || other.submit_job(&job(2, "SYSTEM", 0))).unwrap()
    };
    commit(&session);
    assert!(thread.join().unwrap().unwrap_err().is_ora(1));
    other.rollback().unwrap();
    assert!(session.change_job(1, "SCOTT", |_| Ok(())).unwrap_err().is_ora(23421));
    assert!(session.remove_job(3, "SYSTEM").unwrap_err().is_ora(23421));
    let refused = session.change_job(1, "SYSTEM", |_| Err(Error::user(23420, "in the past")));
    assert!(refused.unwrap_err().is_ora(23420));
    session.remove_job(1, "SYSTEM").unwrap();
    assert_eq!((numbers(&session), numbers(&other)), (vec![2], vec![1, 2]));
    commit(&session);
    assert_eq!(numbers(&other), [2]);
}

#[test]
fn a_run_moves_the_job_on_or_removes_it() {
    let database = Database::new();
    let session = database.session();
    let start = now(&session);
    submitted(&session, 1, start);
    submitted(&session, 2, start - MINUTE);
    submitted(&session, 3, start + 60 * MINUTE);
    session.submit_job(&Job { interval: None, ..job(4, "SYSTEM", start - SECOND) }).unwrap();
    session.submit_job(&Job { broken: true, ..job(5, "SYSTEM", start - SECOND) }).unwrap();
    commit(&session);
    let found = session.instance().jobs().due(&session, start).unwrap();
    let keys: Vec<_> = found.jobs.iter().map(DueJob::key).collect();
    assert_eq!(keys, [JobKey::Job(2), JobKey::Job(4), JobKey::Job(1)]);
    assert_eq!(found.next_us, Some((start + 60 * MINUTE) / SECOND * SECOND));
    let runner = database.session();
    let run = begin(&runner, &JobKey::Job(1), RunWhen::Due(start)).unwrap();
    assert!(matches!(run.job(), Some(DueJob::Job(job)) if job.number == 1));
    assert!(one(&session, 1).this_us.is_some());
    let running = session.instance().jobs().running();
    assert_eq!((running.len(), &running[0].key, running[0].sid), (1, &JobKey::Job(1), runner.sid()));
    assert_eq!(running[0].serial, runner.meter().serial());
    // No other session runs it.
    assert_eq!(due(&session, start), [JobKey::Job(2), JobKey::Job(4)]);
    assert!(begin(&session, &JobKey::Job(1), RunWhen::Due(start)).is_none());
    assert!(begin(&session, &JobKey::Job(1), RunWhen::Requested).is_none());
    // Uncommitted changes of the job commit with its end.
    runner.submit_job(&job(6, "SYSTEM", start + MINUTE)).unwrap();
    end(&runner, run, &JobOutcome::Succeeded { next_us: Some(start + 10 * MINUTE) });
    let after = one(&session, 1);
    assert_eq!((after.next_us, after.this_us), ((start + 10 * MINUTE) / SECOND * SECOND, None));
    assert!(after.last_us.is_some() && numbers(&session).contains(&6));
    assert!(session.instance().jobs().running().is_empty());
    assert!(begin(&runner, &JobKey::Job(1), RunWhen::Due(start)).is_none(), "it is not due any more");
    let run = begin(&runner, &JobKey::Job(4), RunWhen::Due(start)).unwrap();
    end(&runner, run, &JobOutcome::Succeeded { next_us: None });
    assert_eq!(numbers(&session), [1, 2, 3, 5, 6]);
    // A job that removes itself.
    let run = begin(&runner, &JobKey::Job(2), RunWhen::Due(start)).unwrap();
    runner.remove_job(2, "SYSTEM").unwrap();
    end(&runner, run, &JobOutcome::Succeeded { next_us: Some(start + MINUTE) });
    assert_eq!(numbers(&session), [1, 3, 5, 6]);
    // A run dropped without an end makes its job due again.
    drop(begin(&runner, &JobKey::Job(3), RunWhen::Requested).unwrap());
    assert!(due(&session, start + 61 * MINUTE).contains(&JobKey::Job(3)));
}

#[test]
fn a_job_that_fails_too_often_is_broken_until_it_is_run_well() {
    let database = Database::new();
    let session = database.session();
    submitted(&session, 1, now(&session));
    for failures in 1..=Job::FAILURES_MAX {
        let when = one(&session, 1).next_us;
        let before = now(&session);
        let run = begin(&session, &JobKey::Job(1), RunWhen::Due(when)).unwrap();
        session.submit_job(&job(100, "SYSTEM", 0)).unwrap();
        end(&session, run, &JobOutcome::Failed { error: failure(), next_us: None });
        let after = one(&session, 1);
        assert_eq!((after.failures, after.this_us, after.last_us), (failures, None, None));
        assert_eq!(after.broken, failures == 16);
        if !after.broken {
            let wait = MINUTE << (failures - 1);
            assert!(after.next_us + SECOND > before + wait && after.next_us <= now(&session) + wait, "{after:?}");
        }
    }
    // The run's changes were rolled back each time.
    assert_eq!(numbers(&session), [1]);
    assert_eq!(one(&session, 1).next_us, Job::NEVER_US);
    assert!(due(&session, now(&session) + 1_000_000 * MINUTE).is_empty());
    let next = now(&session) + MINUTE;
    let run = begin(&session, &JobKey::Job(1), RunWhen::Requested).unwrap();
    end(&session, run, &JobOutcome::Succeeded { next_us: Some(next) });
    let after = one(&session, 1);
    assert_eq!((after.failures, after.broken, after.next_us), (0, false, next / SECOND * SECOND));
    // A job that breaks itself stays broken.
    let run = begin(&session, &JobKey::Job(1), RunWhen::Requested).unwrap();
    let break_it = |job: &mut Job| {
        job.broken = true;
        Ok(())
    };
    session.change_job(1, "SYSTEM", break_it).unwrap();
    end(&session, run, &JobOutcome::Succeeded { next_us: Some(next) });
    assert!(one(&session, 1).broken);
}

#[test]
fn no_more_jobs_run_than_may() {
    let database = Database::new();
    let session = database.session();
    for number in 1..=4 {
        submitted(&session, number, 0);
    }
    let at = now(&session);
    session.alter_system("job_queue_processes", "2", Scope::Memory).unwrap();
    assert_eq!(due(&session, at).len(), 2);
    let first = begin(&database.session(), &JobKey::Job(1), RunWhen::Due(at)).unwrap();
    assert_eq!(due(&session, at), [JobKey::Job(2)]);
    let second = begin(&database.session(), &JobKey::Job(2), RunWhen::Due(at)).unwrap();
    assert!(due(&session, at).is_empty());
    assert!(begin(&session, &JobKey::Job(3), RunWhen::Due(at)).is_none());
    drop(begin(&session, &JobKey::Job(3), RunWhen::Requested).unwrap());
    drop(first);
    assert_eq!(due(&session, at).len(), 1);
    drop(second);
    session.alter_system("job_queue_processes", "0", Scope::Memory).unwrap();
    assert!(due(&session, at).is_empty());
    // A job that another transaction is changing is passed over.
    session.alter_system("job_queue_processes", "10", Scope::Memory).unwrap();
    let other = database.session();
    other
        .change_job(1, "SYSTEM", |job| {
            job.broken = true;
            Ok(())
        })
        .unwrap();
    assert!(due(&session, at).contains(&JobKey::Job(1)));
    let changes = session.instance().jobs().changes();
    assert!(begin(&session, &JobKey::Job(1), RunWhen::Due(at)).is_none());
    assert_eq!(session.instance().jobs().changes(), changes, "nobody is woken for nothing");
    other.rollback().unwrap();
    assert!(begin(&session, &JobKey::Job(1), RunWhen::Due(at)).is_some());
}

#[test]
fn a_commit_that_changes_jobs_wakes_the_waiters() {
    let database = Database::new();
    let session = database.session();
    let jobs = session.instance().jobs().clone();
    assert!(jobs.wait(&Due::default()), "the first look is at once");
    let seen = jobs.changes();
    session.submit_job(&job(1, "SYSTEM", 0)).unwrap();
    session.rollback().unwrap();
    session.create_user("SCOTT", &UserSpec::default()).unwrap();
    assert_eq!(jobs.changes(), seen);
    let found = jobs.due(&session, now(&session)).unwrap();
    let waiter = {
        let jobs = jobs.clone();
        spawn("coordinator", move || jobs.wait(&found)).unwrap()
    };
    submitted(&session, 1, 0);
    assert!(waiter.join().unwrap());
    assert!(jobs.changes() > seen);
    session.change_job(1, "SYSTEM", |_| Ok(())).unwrap();
    let seen = jobs.changes();
    // DDL commits the open transaction.
    session.drop_user("SCOTT", true).unwrap();
    assert!(jobs.changes() > seen);
    drop(session);
    let found = Due { seen: jobs.changes(), ..Due::default() };
    database.instance.shutdown().unwrap();
    assert!(!jobs.wait(&found));
}

#[test]
fn one_session_alone_runs_a_job() {
    let database = Database::new();
    let session = database.session();
    let at = now(&session);
    for number in 1..=5 {
        submitted(&session, number, 0);
    }
    let threads: Vec<_> = (0..4)
        .map(|n| {
            let session = database.session();
            spawn(&format!("session {n}"), move || {
                let mut ran = Vec::new();
                for number in (1..=5).chain(1..=5) {
                    if let Some(run) = begin(&session, &JobKey::Job(number), RunWhen::Due(at)) {
                        end(&session, run, &JobOutcome::Succeeded { next_us: Some(at + 60 * MINUTE) });
                        ran.push(number);
                    }
                }
                ran
            })
            .unwrap()
        })
        .collect();
    let mut ran: Vec<u64> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    ran.sort_unstable();
    assert_eq!(ran, [1, 2, 3, 4, 5]);
}

#[test]
fn a_job_that_ran_in_a_crash_runs_again() {
    let database = Database::new();
    let session = database.session();
    let at = now(&session);
    submitted(&session, 1, at);
    let mut scheduled = SchedulerJob { auto_drop: false, ..SchedulerJob::new("SYSTEM", "S", "PLSQL_BLOCK", "null;") };
    scheduled.enable(Some(at));
    session.create_scheduler_job(&scheduled).unwrap();
    let (one_runs, other_runs) = (database.session(), database.session());
    let first = begin(&one_runs, &JobKey::Job(1), RunWhen::Due(at)).unwrap();
    let second = begin(&other_runs, &scheduled.key(), RunWhen::Due(at)).unwrap();
    one_runs.submit_job(&job(2, "SYSTEM", 0)).unwrap();
    assert_eq!(session.scheduler_jobs().unwrap()[0].state, JobState::Running);
    session.instance().redo().flush(session.instance().redo().end()).unwrap();
    let database_after = {
        drop((first, second));
        drop((session, one_runs, other_runs));
        crash(database)
    };
    let session = database_after.session();
    assert_eq!(numbers(&session), [1]);
    assert_eq!((one(&session, 1).this_us, one(&session, 1).failures), (None, 0));
    assert_eq!(due(&session, at), [JobKey::Job(1), scheduled.key()]);
    let now = session.scheduler_jobs().unwrap().remove(0);
    assert_eq!((now.state, now.runs, now.next_us), (JobState::Scheduled, 0, Some(at)));
    let runs = session.scheduler_runs().unwrap();
    assert_eq!((runs.len(), runs[0].status, runs[0].job.as_str()), (1, RunStatus::Stopped, "S"));
    let run = begin(&session, &JobKey::Job(1), RunWhen::Due(at)).unwrap();
    end(&session, run, &JobOutcome::Succeeded { next_us: None });
    assert!(numbers(&session).is_empty());
}

#[test]
fn the_scheduler_keeps_count_and_log() {
    let database = Database::new();
    let session = database.session();
    let at = now(&session);
    let new = |name: &str| SchedulerJob {
        interval: Some("freq=minutely".to_owned()),
        auto_drop: false,
        ..SchedulerJob::new("SYSTEM", name, "STORED_PROCEDURE", "P")
    };
    let create = |job: SchedulerJob| session.create_scheduler_job(&job);
    let get = |name: &str| session.scheduler_jobs().unwrap().into_iter().find(|job| job.name == name);
    let key = |name: &str| new(name).key();
    create(SchedulerJob { arguments: 2, max_failures: Some(2), ..new("A") }).unwrap();
    assert!(create(new("A")).unwrap_err().is_ora(27477));
    assert!(due(&session, at).is_empty(), "it is not enabled");
    session.set_scheduler_argument("SYSTEM", "A", 2, Some("x")).unwrap();
    session.set_scheduler_argument("SYSTEM", "A", 2, Some("two")).unwrap();
    assert!(session.set_scheduler_argument("SYSTEM", "A", 3, None).unwrap_err().is_ora(27465));
    assert_eq!(session.scheduler_arguments(&get("A").unwrap()).unwrap(), [None, Some("two".to_owned())]);
    let enable = |job: &mut SchedulerJob| {
        job.enable(Some(at));
        Ok(())
    };
    session.change_scheduler_job("SYSTEM", "A", enable).unwrap();
    assert!(session.change_scheduler_job("SYSTEM", "B", enable).unwrap_err().is_ora(27475));
    let run = begin(&session, &key("A"), RunWhen::Due(at)).unwrap();
    assert!(session.drop_scheduler_job("SYSTEM", "A").unwrap_err().is_ora(27478));
    end(&session, run, &JobOutcome::Succeeded { next_us: Some(at) });
    let after = get("A").unwrap();
    assert_eq!((after.state, after.runs, after.failures, after.next_us), (JobState::Scheduled, 1, 0, Some(at)));
    assert!(after.last_run_us.is_some() && after.last_start_us.is_some());
    // A run on request leaves the schedule alone.
    let run = begin(&session, &key("A"), RunWhen::Requested).unwrap();
    end(&session, run, &JobOutcome::Failed { error: failure(), next_us: None });
    assert_eq!(get("A").unwrap(), after);
    for _ in 0..2 {
        let run = begin(&session, &key("A"), RunWhen::Due(at)).unwrap();
        end(&session, run, &JobOutcome::Failed { error: failure(), next_us: Some(at) });
    }
    let broken = get("A").unwrap();
    assert_eq!((broken.state, broken.enabled, broken.failures), (JobState::Broken, false, 2));
    assert_eq!(broken.last_error.as_deref(), Some("ORA-06502: PL/SQL: numeric or value error"));
    assert!(begin(&session, &key("A"), RunWhen::Due(at)).is_none());
    let log: Vec<_> = session.scheduler_runs().unwrap().iter().map(|run| (run.status, run.error)).collect();
    let failed = (RunStatus::Failed, 6502);
    assert_eq!(log, [(RunStatus::Succeeded, 0), failed, failed, failed]);
    session.drop_scheduler_job("SYSTEM", "A").unwrap();
    assert!(session.scheduler_arguments(&broken).unwrap().iter().all(Option::is_none));
    // Three limits: a number of runs; one run, with and without dropping; an end date.
    let mut job = SchedulerJob { max_runs: Some(1), ..new("RUNS") };
    job.enable(Some(at));
    create(job).unwrap();
    let mut job = SchedulerJob { interval: None, ..new("ONCE") };
    job.enable(Some(at));
    create(job.clone()).unwrap();
    create(SchedulerJob { name: "GONE".to_owned(), auto_drop: true, ..job }).unwrap();
    let mut job = SchedulerJob { end_us: Some(at + MINUTE), ..new("ENDS") };
    job.enable(Some(at));
    create(job.clone()).unwrap();
    create(SchedulerJob { name: "ENDED".to_owned(), end_us: Some(at - MINUTE), ..job }).unwrap();
    for (name, next_us) in [("RUNS", Some(at)), ("ONCE", None), ("GONE", None), ("ENDS", Some(at + 2 * MINUTE))] {
        let run = begin(&session, &key(name), RunWhen::Due(at)).unwrap();
        end(&session, run, &JobOutcome::Succeeded { next_us });
    }
    assert!(begin(&session, &key("ENDED"), RunWhen::Due(at)).is_none());
    let state = |name: &str| get(name).map(|job| (job.state, job.enabled));
    for name in ["RUNS", "ENDS", "ENDED"] {
        assert_eq!(state(name), Some((JobState::Completed, false)), "{name}");
    }
    assert_eq!((state("ONCE"), state("GONE")), (Some((JobState::Succeeded, false)), None));
    assert!(due(&session, at + 60 * MINUTE).is_empty());
    // Jobs are there again after a restart.
    let (jobs, runs) = (session.scheduler_jobs().unwrap(), session.scheduler_runs().unwrap());
    drop(session);
    let database = database.reopen();
    let session = database.session();
    assert_eq!((session.scheduler_jobs().unwrap(), session.scheduler_runs().unwrap()), (jobs, runs));
}

#[test]
fn jobs_are_their_users() {
    let database = Database::new();
    let system = database.session();
    system.create_user("SCOTT", &UserSpec::default()).unwrap();
    let scott = database.connect("SCOTT");
    let new = SchedulerJob::new("SCOTT", "S", "PLSQL_BLOCK", "null;");
    assert!(scott.create_scheduler_job(&new).unwrap_err().is_ora(27486));
    system.grant(&["CREATE JOB".to_owned()], &["SCOTT".to_owned()], false).unwrap();
    scott.create_scheduler_job(&new).unwrap();
    let other = SchedulerJob { owner: "SYSTEM".to_owned(), ..new };
    assert!(scott.create_scheduler_job(&other).unwrap_err().is_ora(27486));
    system.create_scheduler_job(&other).unwrap();
    assert!(scott.drop_scheduler_job("SYSTEM", "S").unwrap_err().is_ora(27486));
    scott.submit_job(&job(1, "SCOTT", 0)).unwrap();
    commit(&scott);
    system.submit_job(&job(2, "SYSTEM", 0)).unwrap();
    commit(&system);
    // A DDL statement does not wait for a row.
    scott
        .change_job(1, "SCOTT", |job| {
            job.failures = 1;
            Ok(())
        })
        .unwrap();
    assert!(system.drop_user("SCOTT", true).unwrap_err().is_ora(54));
    scott.rollback().unwrap();
    system.drop_user("SCOTT", true).unwrap();
    assert_eq!(numbers(&system), [2]);
    assert_eq!(system.scheduler_jobs().unwrap().len(), 1);
    // Users cannot change the dictionary's own sequences.
    assert!(system.drop_sequence("SYS", "JOBSEQ").unwrap_err().is_ora(1031));
    let sys = database.connect("SYS");
    assert!(sys.drop_sequence("SYS", "JOBSEQ").unwrap_err().is_ora(1031));
    assert!(sys.alter_sequence("SYS", "JOBSEQ", &Default::default()).unwrap_err().is_ora(1031));
}

#[test]
fn the_queue_runs_what_it_is_asked_for_and_a_run_is_stopped() {
    let database = Database::new();
    let session = database.session();
    let at = now(&session);
    let job = SchedulerJob::new("SYSTEM", "S", "PLSQL_BLOCK", "null;");
    session.create_scheduler_job(&job).unwrap();
    let state = || session.scheduler_jobs().unwrap().remove(0);
    let jobs = session.instance().jobs().clone();
    assert!(due(&session, at).is_empty(), "it is not enabled");
    jobs.ask(&job.key());
    jobs.ask(&JobKey::Scheduled { owner: "SYSTEM".to_owned(), name: "NONE".to_owned() });
    assert_eq!(due(&session, at), [job.key()]);
    assert!(session.stop_scheduler_job("SYSTEM", "S", false).unwrap_err().is_ora(27366));
    assert!(session.stop_scheduler_job("SYSTEM", "T", false).unwrap_err().is_ora(27475));
    let run = begin(&session, &job.key(), RunWhen::Due(at)).unwrap();
    assert!(due(&session, at).is_empty(), "asked for once");
    assert!(session.stop_scheduler_job("SYSTEM", "S", false).unwrap_err().is_ora(27));
    end(&session, run, &JobOutcome::Succeeded { next_us: None });
    // The job keeps its schedule, which is none.
    let after = state();
    assert_eq!((after.state, after.enabled, after.runs, after.failures), (JobState::Disabled, false, 1, 0));
    // An enabled job that is stopped has not failed, and stays.
    session
        .change_scheduler_job("SYSTEM", "S", |job| {
            job.enable(Some(at));
            Ok(())
        })
        .unwrap();
    let runner = database.session();
    let run = begin(&runner, &job.key(), RunWhen::Due(at)).unwrap();
    let cancelled = runner.cancel_handle();
    let stopper = session.clone();
    let thread = spawn("stopper", move || stopper.stop_scheduler_job("SYSTEM", "S", false)).unwrap();
    while !cancelled.load(std::sync::atomic::Ordering::Acquire) {
        std::thread::yield_now();
    }
    let error = runner.check_cancelled().unwrap_err();
    end(&runner, run, &JobOutcome::Failed { error, next_us: None });
    thread.join().unwrap().unwrap();
    let after = state();
    assert_eq!((after.state, after.enabled, after.runs, after.failures), (JobState::Stopped, false, 2, 0));
    let log = session.scheduler_runs().unwrap();
    assert_eq!(log.iter().map(|run| run.status).collect::<Vec<_>>(), [RunStatus::Succeeded, RunStatus::Stopped]);
    assert_eq!(log[1].information.as_deref(), Some("REASON=\"Stop job called by user: 'SYSTEM'\""));
}

#[test]
fn a_run_that_was_stopped_is_no_success() {
    let database = Database::new();
    let (session, runner) = (database.session(), database.session());
    let at = now(&session);
    let enabled = |job: &mut SchedulerJob| {
        job.enable(Some(at));
        Ok(())
    };
    let new = SchedulerJob { auto_drop: false, ..SchedulerJob::new("SYSTEM", "S", "PLSQL_BLOCK", "null;") };
    session.create_scheduler_job(&new).unwrap();
    session.change_scheduler_job("SYSTEM", "S", enabled).unwrap();
    let mut run = begin(&runner, &new.key(), RunWhen::Due(at)).unwrap();
    runner.submit_job(&job(1, "SYSTEM", 0)).unwrap();
    let cancelled = runner.cancel_handle();
    let stop = || {
        let stopper = database.session();
        spawn("stopper", move || stopper.stop_scheduler_job("SYSTEM", "S", false)).unwrap()
    };
    let stopper = stop();
    while !cancelled.load(std::sync::atomic::Ordering::Acquire) {
        std::thread::yield_now();
    }
    // The job has done its work without looking for a cancel. Its end is not cancelled.
    let jobs = session.instance().jobs();
    let ended = jobs.end_run(&runner, &mut run, &JobOutcome::Succeeded { next_us: None }).unwrap();
    assert!(matches!(&ended, JobOutcome::Failed { error, .. } if error.is_ora(1013)), "{ended:?}");
    drop(run);
    stopper.join().unwrap().unwrap();
    assert!(!cancelled.load(std::sync::atomic::Ordering::Acquire));
    assert!(numbers(&session).is_empty(), "what it had done is undone");
    let state = || {
        let job = session.scheduler_jobs().unwrap().remove(0);
        (job.state, job.runs)
    };
    assert_eq!(state(), (JobState::Stopped, 1));
    // A job whose end is being written, and waits for a lock, cannot be stopped any more.
    session.change_scheduler_job("SYSTEM", "S", enabled).unwrap();
    let mut run = begin(&runner, &new.key(), RunWhen::Due(at)).unwrap();
    assert_eq!(jobs.begin_end(&new.key()), None);
    let stopper = stop();
    jobs.end_run(&runner, &mut run, &JobOutcome::Succeeded { next_us: None }).unwrap();
    drop(run);
    let said = stopper.join().unwrap().unwrap_err();
    assert!(said.is_ora(27366), "{said}");
    assert_eq!(state(), (JobState::Succeeded, 2));
    // When a session is killed after its job's work, another session writes the end.
    session.change_scheduler_job("SYSTEM", "S", enabled).unwrap();
    let mut run = begin(&runner, &new.key(), RunWhen::Due(at)).unwrap();
    let (sid, serial) = runner.identity();
    session.kill(sid, serial).unwrap();
    let outcome = JobOutcome::Succeeded { next_us: None };
    let error = jobs.end_run(&runner, &mut run, &outcome).unwrap_err();
    assert!(error.is_ora(28), "{error}");
    jobs.end_run(&session, &mut run, &outcome.failed(error)).unwrap();
    drop(run);
    assert_eq!(state(), (JobState::Failed, 3));
    let log: Vec<_> = session.scheduler_runs().unwrap().iter().map(|run| (run.status, run.error)).collect();
    assert_eq!(log, [(RunStatus::Stopped, 1013), (RunStatus::Succeeded, 0), (RunStatus::Failed, 28)]);
}

#[test]
fn jobs_that_cannot_begin_do_not_keep_the_others_from_it() {
    let database = Database::new();
    let session = database.session();
    let at = now(&session);
    session.alter_system("job_queue_processes", "1", Scope::Memory).unwrap();
    for number in 1..=3 {
        submitted(&session, number, number * SECOND);
    }
    let other = database.session();
    for number in [1, 2] {
        other.change_job(number, "SYSTEM", |_| Ok(())).unwrap();
    }
    let mut tried = Vec::new();
    for _ in 0..4 {
        let key = due(&session, at).remove(0);
        let run = begin(&session, &key, RunWhen::Due(at));
        tried.push((key, run.is_some()));
        if let Some(run) = run {
            end(&session, run, &JobOutcome::Succeeded { next_us: None });
        }
    }
    let key = JobKey::Job;
    assert_eq!(tried, [(key(1), false), (key(2), false), (key(3), true), (key(1), false)]);
    other.rollback().unwrap();
    for number in [2, 1] {
        assert_eq!(due(&session, at), [key(number)]);
        let run = begin(&session, &key(number), RunWhen::Due(at)).unwrap();
        end(&session, run, &JobOutcome::Succeeded { next_us: None });
    }
    assert!(due(&session, at).is_empty());
}

#[test]
fn a_job_that_cannot_be_read_does_not_keep_the_others_from_running() {
    let database = Database::new();
    let session = database.session();
    let at = now(&session);
    submitted(&session, 1, at);
    let new = SchedulerJob::new("SYSTEM", "S", "PLSQL_BLOCK", "null;");
    let damaged = SchedulerJobRow { state: 99, ..new.to_row() };
    session.row_statement(|| session.insert_own(std::slice::from_ref(&damaged))).unwrap();
    commit(&session);
    assert!(session.scheduler_jobs().is_err());
    assert_eq!(due(&session, at), [JobKey::Job(1)]);
}

#[test]
fn a_user_runs_his_own_jobs() {
    let database = Database::new();
    let session = database.session();
    session.create_user("SCOTT", &UserSpec::default()).unwrap();
    submitted(&session, 1, 0);
    let (scott, sys) = (database.connect("SCOTT"), database.connect("SYS"));
    assert!(scott.own_job(1).unwrap_err().is_ora(23421));
    assert!(begin(&scott, &JobKey::Job(1), RunWhen::Requested).is_none());
    assert_eq!((session.own_job(1).unwrap().number, sys.own_job(1).unwrap().number), (1, 1));
    assert!(begin(&sys, &JobKey::Job(1), RunWhen::Requested).is_some());
}
