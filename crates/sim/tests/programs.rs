//! Programs and jobs, crashed at every operation: a statement is complete or has not happened, with the programs that
//! it invalidates; a job exists when its transaction has committed, and none runs after the open.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use common::sync::Arc;
use common::{DataType, Error, Seeded};
use engine::ddl::{Compilation, ProgramSpec, TableSpec, TriggerSpec};
use engine::dictionary::{
    ColumnDef, CompileError, Dependency, Job, JobKey, JobState, ProgramKind, SchedulerJob, TriggerRule, TriggerTiming,
};
use engine::instance::{Background, Instance, JobOutcome, RunWhen, Session};
use engine::startup::CreateOptions;
use sim::DIRECTORY;
use sim::clock::SimulatedClock;
use sim::disk::{Image, Keep, Note, Operation, SimulatedFileSystem, Walk};
use storage::txn::CommitWrite;

const OWNER: &str = "SYSTEM";

fn open(files: &SimulatedFileSystem) -> common::Result<Arc<Instance>> {
    let clock = Arc::new(SimulatedClock::default());
    Instance::open_with(Arc::new(files.clone()), Path::new(DIRECTORY), clock, None, Background::Inline)
}

fn base() -> SimulatedFileSystem {
    let files = SimulatedFileSystem::new();
    let parameters =
        ["db_cache_size", "db_2k_cache_size", "db_4k_cache_size", "db_16k_cache_size", "db_32k_cache_size"];
    let options = CreateOptions {
        parameters: parameters.map(|name| (name.to_owned(), "4M".to_owned())).to_vec(),
        log_bytes: 4 << 20,
        ..CreateOptions::default()
    };
    let clock = Arc::new(SimulatedClock::default());
    let created =
        Instance::create_with(Arc::new(files.clone()), Path::new(DIRECTORY), clock, None, &options, Background::Inline);
    created.unwrap().shutdown().unwrap();
    let _ = files.take_operations();
    files
}

/// Programs, triggers and jobs as text, ignoring runs in progress.
fn read(session: &Arc<Session>) -> Vec<String> {
    let catalog = session.catalog();
    let mut lines: Vec<String> = catalog
        .programs()
        .map(|p| {
            let trigger =
                p.trigger.as_ref().map(|t| (t.enabled, t.rule.clone(), catalog.table_by_number(t.base).is_some()));
            format!("{:?} {} {:?} {} {:?} {:?} {trigger:?}", p.kind, p.name, p.status, p.source, p.errors, p.depends_on)
        })
        .collect();
    lines.extend(
        session.jobs().unwrap().into_iter().map(|job| format!("{:?}", Job { this_us: None, total_us: 0, ..job })),
    );
    lines.extend(session.scheduler_jobs().unwrap().into_iter().map(|job| {
        let state = if job.state == JobState::Running { JobState::Scheduled } else { job.state };
        let last_start_us = job.last_start_us.filter(|_| job.runs > 0);
        format!("{:?}", SchedulerJob { state, last_start_us, last_run_us: None, ..job })
    }));
    lines.extend(catalog.tables_of(OWNER).map(|table| format!("table {}", table.name)));
    lines
}

fn program(name: &str, kind: ProgramKind, source: &str) -> ProgramSpec {
    ProgramSpec {
        owner: OWNER.to_owned(),
        name: name.to_owned(),
        kind,
        replace: true,
        source: source.to_owned(),
        trigger: None,
        compilation: None,
    }
}

fn on(s: &Session, names: &[&str], errors: usize) -> Compilation {
    let catalog = s.catalog();
    let dependency = |name: &&str| Dependency {
        object: catalog.object(OWNER, name).map(|object| object.number()),
        owner: OWNER.to_owned(),
        name: (*name).to_owned(),
    };
    let error = CompileError { line: 1, position: 1, text: "PLS-00103: encountered the symbol".to_owned() };
    Compilation {
        version: catalog.version(),
        errors: vec![error; errors],
        depends_on: names.iter().map(dependency).collect(),
    }
}

fn job(number: u64) -> Job {
    Job {
        number,
        log_user: OWNER.to_owned(),
        priv_user: OWNER.to_owned(),
        schema_user: OWNER.to_owned(),
        last_us: None,
        this_us: None,
        next_us: 1_000_000,
        total_us: 0,
        interval: Some("sysdate + 1".to_owned()),
        failures: 0,
        broken: false,
        what: "null;".to_owned(),
        nls: None,
        instance: 0,
    }
}

fn table(s: &Arc<Session>, name: &str) {
    let data_type = DataType::Number { precision: None, scale: 0 };
    let column = ColumnDef { name: "ID".to_owned(), data_type, nullable: true, default: None };
    s.create_table(&TableSpec::new(OWNER, name, vec![column])).unwrap();
}

fn trigger() -> ProgramSpec {
    let rule = TriggerRule {
        timing: TriggerTiming::AfterRow,
        on_insert: true,
        on_update: true,
        on_delete: false,
        columns: vec!["ID".to_owned()],
        old: "OLD".to_owned(),
        new: "NEW".to_owned(),
        when: None,
    };
    let spec = TriggerSpec { base_owner: OWNER.to_owned(), base_name: "T".to_owned(), rule, enabled: true };
    ProgramSpec { trigger: Some(spec), ..program("G", ProgramKind::Trigger, "trigger g") }
}

fn run(s: &Arc<Session>, key: &JobKey, outcome: &JobOutcome) {
    let jobs = s.instance().jobs();
    let mut run = jobs.begin_run(s, key, RunWhen::Due(2_000_000_000_000_000)).unwrap().unwrap();
    jobs.end_run(s, &mut run, outcome).unwrap();
}

type Step = fn(&Arc<Session>);

/// Each changes the database in one visible transaction, or not at all.
const STEPS: &[Step] = &[
    |s| table(s, "T"),
    |s| {
        let source = "procedure p is\nbegin\n  null;\nend;\n".repeat(40);
        let spec = program("P", ProgramKind::Procedure, &source);
        s.create_program(&ProgramSpec { compilation: Some(on(s, &["T"], 0)), ..spec }).unwrap();
    },
    |s| {
        let spec = program("K", ProgramKind::Package, "package k");
        s.create_program(&ProgramSpec { compilation: Some(on(s, &["P"], 0)), ..spec }).unwrap();
    },
    |s| drop(s.create_program(&program("K", ProgramKind::PackageBody, "package body k")).unwrap()),
    |s| drop(s.create_program(&trigger()).unwrap()),
    |s| s.alter_trigger(OWNER, "G", false).unwrap(),
    |s| {
        // Compiled at its first use.
        let body = s.catalog().program(OWNER, "K", ProgramKind::PackageBody).unwrap().clone();
        s.set_program_state(&body, &on(s, &["P"], 2)).unwrap();
    },
    |s| {
        let source = "procedure p is begin other; end;";
        let spec = program("P", ProgramKind::Procedure, source);
        s.create_program(&ProgramSpec { compilation: Some(on(s, &["T", "U"], 1)), ..spec }).unwrap();
    },
    |s| table(s, "U"),
    |s| s.drop_table(OWNER, "T").unwrap(),
    |s| s.drop_program(OWNER, "K", ProgramKind::Package).unwrap(),
    |s| {
        s.submit_job(&job(s.next_job_number().unwrap())).unwrap();
        s.submit_job(&job(100)).unwrap();
        s.commit(CommitWrite::default()).unwrap();
    },
    |s| {
        s.submit_job(&job(200)).unwrap();
        s.rollback().unwrap();
    },
    |s| run(s, &JobKey::Job(100), &JobOutcome::Succeeded { next_us: Some(9_000_000) }),
    |s| run(s, &JobKey::Job(1), &JobOutcome::Failed { error: Error::user(1403, "no data found"), next_us: None }),
    |s| run(s, &JobKey::Job(100), &JobOutcome::Succeeded { next_us: None }),
    |s| {
        let mut job = SchedulerJob { auto_drop: false, ..SchedulerJob::new(OWNER, "S", "PLSQL_BLOCK", "null;") };
        job.enable(Some(1_000_000));
        s.create_scheduler_job(&job).unwrap();
    },
    |s| {
        let key = s.scheduler_jobs().unwrap()[0].key();
        run(s, &key, &JobOutcome::Succeeded { next_us: Some(5_000_000) });
    },
    |s| {
        // Begun and left: it was running when the crash came.
        let key = s.scheduler_jobs().unwrap()[0].key();
        let begun = s.instance().jobs().begin_run(s, &key, RunWhen::Due(2_000_000_000_000_000)).unwrap();
        assert!(begun.is_some());
    },
];

struct Recorded {
    base: Image,
    operations: Vec<Operation>,
    states: Vec<Vec<String>>,
}

fn record() -> Recorded {
    let files = base();
    let instance = open(&files).unwrap();
    let session = instance.connect(OWNER).unwrap();
    instance.checkpoint(session.meter()).unwrap();
    let base = files.image();
    let _ = files.take_operations();
    let mut states = vec![read(&session)];
    for (number, step) in (1..).zip(STEPS) {
        files.note(Note::Begun(number));
        step(&session);
        // Changes without a wait may be durable or not.
        instance.redo().flush(instance.redo().end()).unwrap();
        files.note(Note::Acknowledged(number));
        states.push(read(&session));
        if number % 4 == 0 {
            instance.writer_round().unwrap();
        }
    }
    drop(session);
    drop(instance);
    Recorded { base, operations: files.take_operations(), states }
}

/// Opens the database after a crash: it is in the acknowledged state or in the one begun. Returns which one.
fn check(recorded: &Recorded, image: Image, (acknowledged, begun): (usize, usize), blocks: bool) -> usize {
    let files = SimulatedFileSystem::on(image);
    let instance = open(&files).unwrap();
    let session = instance.connect(OWNER).unwrap();
    let found = read(&session);
    let state = (acknowledged..=begun.max(acknowledged)).find(|state| recorded.states[*state] == found);
    let state = state.unwrap_or_else(|| panic!("step {begun}: {found:#?}"));
    assert!(session.jobs().unwrap().iter().all(|job| job.this_us.is_none()));
    assert!(session.scheduler_jobs().unwrap().iter().all(|job| job.state != JobState::Running));
    if blocks {
        // The database is usable, and the blocks are sound.
        session.create_program(&program("NEW", ProgramKind::Function, "function new")).unwrap();
        assert!(session.next_job_number().unwrap() > 0);
        drop(session);
        instance.shutdown().unwrap();
        drop(instance);
        let clock = Arc::new(SimulatedClock::default());
        let report = engine::verify::verify(Arc::new(files), Path::new(DIRECTORY), clock, None).unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
    }
    state
}

#[test]
fn a_crash_leaves_programs_and_jobs_whole() {
    let recorded = record();
    let (mut acknowledged, mut begun, mut crashes) = (0, 0, 0);
    let mut met = vec![false; recorded.states.len()];
    let mut walk = Walk::new(recorded.base.clone());
    let mut random = Seeded::at(7, 1);
    for (place, operation) in recorded.operations.iter().enumerate() {
        match operation {
            Operation::Note(Note::Begun(number)) => begun = *number,
            Operation::Note(Note::Acknowledged(number)) => acknowledged = *number,
            _ => {
                for keep in Keep::ALL {
                    let image = walk.crash(Some(operation), keep, &mut random);
                    let blocks = place % (2 * Keep::ALL.len()) == keep as usize;
                    met[check(&recorded, image, (acknowledged, begun), blocks)] = true;
                    crashes += 1;
                }
            }
        }
        walk.pass(operation);
    }
    assert!(crashes > 150, "{crashes} crashes");
    // Without the commit only the earlier state is left.
    assert!(met.iter().filter(|met| **met).count() >= recorded.states.len() - 2, "{met:?}");
}
