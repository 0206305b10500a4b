//! Stored programs: made, replaced, dropped, invalidated by their dependencies, compiled again.

use std::sync::Arc;

use common::sync::spawn;

use super::{Database, number_column, rows, table_spec};
use crate::ddl::{
    ColumnChange, Compilation, NewColumn, ProgramSpec, SequenceSpec, TableChange, TableSpec, TriggerSpec, UserSpec,
    ViewSpec,
};
use crate::dictionary::{
    CompileError, Dependency, ObjectKind, ObjectPrivilege, ProgramDef, ProgramKind, ProgramStatus, SchemaObject,
    SystemPrivilege, TriggerRule, TriggerTiming,
};
use crate::instance::Session;

const SOURCE: &str = "procedure p is\nbegin\n\n  null; -- é\nend;";

fn spec(name: &str, kind: ProgramKind) -> ProgramSpec {
    ProgramSpec {
        owner: "SYSTEM".to_owned(),
        name: name.to_owned(),
        kind,
        replace: true,
        source: SOURCE.to_owned(),
        trigger: None,
        compilation: None,
    }
}

fn trigger(name: &str, table: &str) -> ProgramSpec {
    let rule = TriggerRule {
        timing: TriggerTiming::BeforeRow,
        on_insert: true,
        on_update: true,
        on_delete: false,
        columns: vec!["NAME".to_owned(), "ID".to_owned()],
        old: "OLD".to_owned(),
        new: "N".to_owned(),
        when: Some("n.id > 0".to_owned()),
    };
    let (base_owner, base_name) = ("SYSTEM".to_owned(), table.to_owned());
    let trigger = Some(TriggerSpec { base_owner, base_name, rule, enabled: true });
    ProgramSpec { trigger, ..spec(name, ProgramKind::Trigger) }
}

/// The outcome of a compiler that has looked up these names, found or not.
fn on(session: &Session, names: &[&str]) -> Compilation {
    let catalog = session.catalog();
    let dependency = |name: &&str| Dependency {
        object: catalog.object("SYSTEM", name).map(|object| object.number()),
        owner: "SYSTEM".to_owned(),
        name: (*name).to_owned(),
    };
    Compilation { version: catalog.version(), errors: Vec::new(), depends_on: names.iter().map(dependency).collect() }
}

fn failed(compilation: Compilation) -> Compilation {
    let error = CompileError { line: 2, position: 3, text: "PLS-00201: identifier 'X' must be declared".to_owned() };
    Compilation { errors: vec![error], ..compilation }
}

fn create(session: &Arc<Session>, name: &str, kind: ProgramKind, names: &[&str]) -> Arc<ProgramDef> {
    let compilation = Some(on(session, names));
    session.create_program(&ProgramSpec { compilation, ..spec(name, kind) }).unwrap()
}

fn program(session: &Session, name: &str, kind: ProgramKind) -> Arc<ProgramDef> {
    session.catalog().program("SYSTEM", name, kind).cloned().unwrap_or_else(|| panic!("no {kind} {name}"))
}

/// The programs that are valid, by name; bodies as `NAME body`.
fn valid(session: &Session) -> Vec<String> {
    let name = |program: &Arc<ProgramDef>| match program.kind {
        ProgramKind::PackageBody => format!("{} body", program.name),
        _ => program.name.clone(),
    };
    let catalog = session.catalog();
    let mut names: Vec<_> =
        catalog.programs().filter(|program| program.status == ProgramStatus::Valid).map(name).collect();
    names.sort();
    names
}

/// Compiles all invalid programs, without errors and with their earlier dependencies.
fn compile_all(session: &Arc<Session>) {
    let all: Vec<_> = session.catalog().programs().cloned().collect();
    for program in all.iter().filter(|program| program.status != ProgramStatus::Valid) {
        let names: Vec<&str> = program.depends_on.iter().map(|parent| parent.name.as_str()).collect();
        let now = session.set_program_state(program, &on(session, &names)).unwrap().unwrap();
        assert_eq!(now.status, ProgramStatus::Valid, "{now:?}");
    }
}

/// The numbers of dictionary rows about programs: text, errors, dependencies, triggers and their columns.
fn counts(session: &Arc<Session>) -> [usize; 5] {
    let catalog = session.catalog();
    ["SOURCE$", "ERROR$", "DEPENDENCY$", "TRIGGER$", "TRIGGERCOL$"]
        .map(|name| rows(session, catalog.table("SYS", name).unwrap()).len())
}

#[test]
fn programs_come_back_as_they_were() {
    let database = Database::new();
    let session = database.session();
    session.create_table(&table_spec("T")).unwrap();
    create(&session, "P", ProgramKind::Procedure, &["T", "NOTHING"]);
    let compilation = Some(failed(on(&session, &["T"])));
    session.create_program(&ProgramSpec { compilation, ..spec("F", ProgramKind::Function) }).unwrap();
    create(&session, "K", ProgramKind::Package, &[]);
    create(&session, "K", ProgramKind::PackageBody, &["P"]);
    session.create_program(&ProgramSpec { source: String::new(), ..spec("E", ProgramKind::Procedure) }).unwrap();
    // A trigger may have a table's name, and the other way round.
    session.create_program(&ProgramSpec { compilation: Some(on(&session, &[])), ..trigger("T", "T") }).unwrap();
    let before: Vec<ProgramDef> = session.catalog().programs().map(|program| ProgramDef::clone(program)).collect();
    assert_eq!(before.len(), 6);
    assert_eq!(program(&session, "P", ProgramKind::Procedure).source.as_ref(), SOURCE);
    assert_eq!(program(&session, "P", ProgramKind::Procedure).lines().count(), 5);
    drop(session);
    let database = database.reopen();
    let session = database.session();
    let catalog = session.catalog();
    for old in &before {
        let new = catalog.program(&old.owner, &old.name, old.kind).unwrap();
        assert_eq!(ProgramDef { stamp: old.stamp, ..ProgramDef::clone(new) }, *old);
    }
    assert_eq!(catalog.programs().count(), 6);
    let on_table = catalog.table("SYSTEM", "T").unwrap().object;
    assert_eq!(catalog.triggers_of(on_table).map(|trigger| trigger.name.as_str()).collect::<Vec<_>>(), ["T"]);
    assert_eq!(catalog.object("SYSTEM", "F").unwrap().kind(), ObjectKind::Function);
    let kinds: Vec<_> = catalog.others_of("SYSTEM").map(|object| object.kind().to_string()).collect();
    assert_eq!(kinds, ["PROCEDURE", "FUNCTION", "PACKAGE", "PROCEDURE"]);
}

#[test]
fn names_are_shared_with_tables_but_for_bodies_and_triggers() {
    let database = Database::new();
    let session = database.session();
    session.create_table(&table_spec("T")).unwrap();
    for kind in [ProgramKind::Procedure, ProgramKind::Function, ProgramKind::Package] {
        assert!(session.create_program(&spec("T", kind)).unwrap_err().is_ora(955));
    }
    session.create_program(&spec("P", ProgramKind::Procedure)).unwrap();
    assert!(session.create_program(&spec("P", ProgramKind::Function)).unwrap_err().is_ora(955));
    assert!(session.create_table(&table_spec("P")).unwrap_err().is_ora(955));
    assert!(session.rename("SYSTEM", "P", "Q").unwrap_err().is_ora(4044));
    let again = |spec: ProgramSpec| session.create_program(&ProgramSpec { replace: false, ..spec });
    assert!(again(spec("P", ProgramKind::Procedure)).unwrap_err().is_ora(955));
    again(spec("T", ProgramKind::PackageBody)).unwrap();
    assert!(again(spec("T", ProgramKind::PackageBody)).unwrap_err().is_ora(955));
    again(trigger("T", "T")).unwrap();
    assert!(again(trigger("T", "T")).unwrap_err().is_ora(4081));
    let long = ProgramSpec { source: "x".repeat(4001), ..spec("L", ProgramKind::Procedure) };
    assert!(session.create_program(&long).unwrap_err().is_own(1));
    for (name, kind, number) in
        [("T", ProgramKind::Procedure, 4043), ("P", ProgramKind::PackageBody, 4043), ("P", ProgramKind::Trigger, 4080)]
    {
        assert!(session.drop_program("SYSTEM", name, kind).unwrap_err().is_ora(number));
    }
}

#[test]
fn replacing_keeps_number_and_privileges_and_dropping_leaves_nothing() {
    let database = Database::new();
    let session = database.session();
    session.create_user("SCOTT", &UserSpec::default()).unwrap();
    let none = counts(&session);
    let compilation = Some(failed(on(&session, &["A", "B"])));
    let first = session.create_program(&ProgramSpec { compilation, ..spec("P", ProgramKind::Package) }).unwrap();
    assert_eq!(first.status, ProgramStatus::Errors);
    assert_eq!(counts(&session), [5, 1, 2, 0, 0]);
    let to = ["SCOTT".to_owned()];
    session.grant_on(&[ObjectPrivilege::Execute], "SYSTEM", "P", &to, false).unwrap();
    let version = session.catalog().version();
    let second = create(&session, "P", ProgramKind::Package, &["A"]);
    create(&session, "P", ProgramKind::PackageBody, &[]);
    assert_eq!((first.object, first.created_us), (second.object, second.created_us));
    assert!(second.stamp != first.stamp && second.errors.is_empty() && session.catalog().version() > version);
    // A body depends on its specification.
    assert_eq!(counts(&session), [10, 0, 2, 0, 0]);
    let object = SchemaObject::Program(second);
    session.catalog().check_object("SCOTT", &object, ObjectPrivilege::Execute).unwrap();
    session.drop_program("SYSTEM", "P", ProgramKind::Package).unwrap();
    assert_eq!(counts(&session), none);
    assert!(session.catalog().programs().next().is_none() && session.catalog().object("SYSTEM", "P").is_none());
    assert!(session.catalog().user("SCOTT").unwrap().objects.is_empty());
    assert!(session.drop_program("SYSTEM", "P", ProgramKind::PackageBody).unwrap_err().is_ora(4043));
}

#[test]
fn a_change_invalidates_indirect_dependents() {
    let database = Database::new();
    let session = database.session();
    session.create_table(&table_spec("T")).unwrap();
    session.create_sequence("SYSTEM", "S", &SequenceSpec::default()).unwrap();
    session.create_synonym("SYSTEM", "Y", ("SYSTEM", "T"), false).unwrap();
    let view = ViewSpec {
        owner: "SYSTEM".to_owned(),
        name: "V".to_owned(),
        text: "select 1 from dual".to_owned(),
        columns: Vec::new(),
        read_only: false,
        replace: true,
    };
    session.create_view(&view).unwrap();
    create(&session, "K", ProgramKind::Package, &["T"]);
    create(&session, "K", ProgramKind::PackageBody, &["S"]);
    create(&session, "CALLS_K", ProgramKind::Procedure, &["K"]);
    create(&session, "CALLS_CALLS", ProgramKind::Function, &["CALLS_K", "Y"]);
    create(&session, "USES_V", ProgramKind::Procedure, &["V"]);
    create(&session, "ALONE", ProgramKind::Procedure, &["LATER"]);
    let all = ["ALONE", "CALLS_CALLS", "CALLS_K", "K", "K body", "USES_V"];
    assert_eq!(valid(&session), all);
    let left = |gone: &[&str]| {
        let left: Vec<&str> = all.into_iter().filter(|name| !gone.contains(name)).collect();
        assert_eq!(valid(&session), left);
        compile_all(&session);
        assert_eq!(valid(&session), all);
    };
    let alter = |change: TableChange| session.alter_table("SYSTEM", "T", &change).map(drop);
    let through_k = ["K", "K body", "CALLS_K", "CALLS_CALLS"];
    alter(TableChange::AddColumns(vec![NewColumn { column: number_column("N"), fill: None }])).unwrap();
    left(&through_k);
    alter(TableChange::ModifyColumns(vec![ColumnChange { name: "N".to_owned(), ..Default::default() }])).unwrap();
    left(&through_k);
    alter(TableChange::Cache(true)).unwrap();
    session.truncate_table("SYSTEM", "T").unwrap();
    session.gather_statistics("SYSTEM", "T", crate::ddl::Gathering::Optimizer).unwrap();
    left(&[]);
    alter(TableChange::RenameTable("T2".to_owned())).unwrap();
    left(&through_k);
    session.rename("SYSTEM", "T2", "T").unwrap();
    left(&through_k);
    session.drop_table("SYSTEM", "T").unwrap();
    left(&through_k);
    // It depends on the name now, without an object.
    session.create_table(&table_spec("T")).unwrap();
    left(&through_k);
    session.alter_sequence("SYSTEM", "S", &SequenceSpec { increment: Some(2), ..Default::default() }).unwrap();
    left(&["K body"]);
    session.create_synonym("SYSTEM", "Y", ("SYSTEM", "T2"), true).unwrap();
    left(&["CALLS_CALLS"]);
    session.drop_synonym("SYSTEM", "Y").unwrap();
    left(&["CALLS_CALLS"]);
    session.create_view(&view).unwrap();
    left(&["USES_V"]);
    session.drop_view("SYSTEM", "V").unwrap();
    left(&["USES_V"]);
    session.create_sequence("SYSTEM", "LATER", &SequenceSpec::default()).unwrap();
    left(&["ALONE"]);
    session.rename("SYSTEM", "LATER", "LATEST").unwrap();
    left(&["ALONE"]);
    // Nothing depends on a body; all callers and the body depend on a specification.
    create(&session, "K", ProgramKind::PackageBody, &["S"]);
    left(&[]);
    create(&session, "K", ProgramKind::Package, &["T"]);
    left(&["K body", "CALLS_K", "CALLS_CALLS"]);
    session.drop_program("SYSTEM", "CALLS_K", ProgramKind::Procedure).unwrap();
    assert_eq!(valid(&session), ["ALONE", "K", "K body", "USES_V"]);
    // Rows and memory agree.
    let before: Vec<_> = session.catalog().programs().map(|program| (program.object, program.status)).collect();
    drop(session);
    let database = database.reopen();
    let session = database.session();
    let after: Vec<_> = session.catalog().programs().map(|program| (program.object, program.status)).collect();
    assert_eq!(before, after);
}

#[test]
fn programs_that_call_each_other_come_to_rest() {
    let database = Database::new();
    let session = database.session();
    create(&session, "A", ProgramKind::Procedure, &["B"]);
    create(&session, "B", ProgramKind::Procedure, &["A"]);
    for _ in 0..2 {
        compile_all(&session);
    }
    assert_eq!(valid(&session), ["A", "B"]);
    session.drop_program("SYSTEM", "A", ProgramKind::Procedure).unwrap();
    assert!(valid(&session).is_empty());
}

#[test]
fn an_outdated_result_is_not_believed() {
    let database = Database::new();
    let session = database.session();
    session.create_table(&table_spec("T")).unwrap();
    let made = session.create_program(&spec("P", ProgramKind::Procedure)).unwrap();
    assert_eq!(made.status, ProgramStatus::Invalid);
    let outdated = on(&session, &["T"]);
    let add = |name: &str| {
        let change = TableChange::AddColumns(vec![NewColumn { column: number_column(name), fill: None }]);
        session.alter_table("SYSTEM", "T", &change).unwrap();
    };
    add("A");
    let still = session.set_program_state(&made, &outdated).unwrap().unwrap();
    assert_eq!(still.status, ProgramStatus::Invalid);
    let now = session.set_program_state(&still, &on(&session, &["T"])).unwrap().unwrap();
    assert_eq!(now.status, ProgramStatus::Valid);
    // The same with CREATE OR REPLACE, with a table that is gone and with one that is there now.
    let outdated = on(&session, &["T"]);
    add("B");
    let replace = |compilation: &Compilation| {
        let compilation = Some(compilation.clone());
        session.create_program(&ProgramSpec { compilation, ..spec("P", ProgramKind::Procedure) }).unwrap().status
    };
    assert_eq!(replace(&outdated), ProgramStatus::Invalid);
    let outdated = on(&session, &["T"]);
    session.drop_table("SYSTEM", "T").unwrap();
    assert_eq!(replace(&outdated), ProgramStatus::Invalid);
    let outdated = on(&session, &["T"]);
    assert_eq!(replace(&outdated), ProgramStatus::Valid);
    session.create_table(&table_spec("T")).unwrap();
    assert_eq!(replace(&outdated), ProgramStatus::Invalid);
    // A dependency that the compiler could not see for want of privileges, and that has not changed, must not cause
    // endless compilation.
    let unseen = Compilation {
        depends_on: vec![Dependency { object: None, owner: "SYSTEM".to_owned(), name: "T".to_owned() }],
        ..failed(on(&session, &[]))
    };
    assert_eq!(replace(&unseen), ProgramStatus::Errors);
    // A program that has been dropped is no error.
    let gone = program(&session, "P", ProgramKind::Procedure);
    session.drop_program("SYSTEM", "P", ProgramKind::Procedure).unwrap();
    assert!(session.set_program_state(&gone, &on(&session, &[])).unwrap().is_none());
}

#[test]
fn compiling_leaves_version_and_transaction_alone() {
    let database = Database::new();
    let session = database.session();
    let table = session.create_table(&table_spec("T")).unwrap();
    create(&session, "P", ProgramKind::Procedure, &["T"]);
    create(&session, "Q", ProgramKind::Procedure, &["P"]);
    session.create_program(&trigger("G", "T")).unwrap();
    session.alter_table("SYSTEM", "T", &TableChange::RenameTable("T2".to_owned())).unwrap();
    session.rename("SYSTEM", "T2", "T").unwrap();
    super::insert(&session, &table, 1..3);
    let (xid, version) = (session.xid(), session.catalog().version());
    assert!(xid.is_some());
    compile_all(&session);
    assert_eq!(valid(&session), ["G", "P", "Q"]);
    assert_eq!((session.xid(), session.catalog().version()), (xid, version));
    session.rollback().unwrap();
    assert_eq!(valid(&session), ["G", "P", "Q"]);
    // A program that loses its errors invalidates others: to a compiler that is another dictionary.
    let p =
        session.alter_program_compile("SYSTEM", "P", ProgramKind::Procedure, &failed(on(&session, &["T"]))).unwrap();
    assert_eq!(valid(&session), ["G"]);
    let q = program(&session, "Q", ProgramKind::Procedure);
    session.set_program_state(&q, &failed(on(&session, &["P"]))).unwrap();
    let version = session.catalog().version();
    session.set_program_state(&p, &on(&session, &["T"])).unwrap();
    assert_eq!(program(&session, "Q", ProgramKind::Procedure).status, ProgramStatus::Invalid);
    assert!(session.catalog().version() > version);
    compile_all(&session);
    // ALTER … COMPILE counts as a compilation, of a valid program too.
    let p = program(&session, "P", ProgramKind::Procedure);
    let again = session.alter_program_compile("SYSTEM", "P", ProgramKind::Procedure, &on(&session, &["T"])).unwrap();
    assert!(again.stamp != p.stamp && again.status == ProgramStatus::Valid);
    assert_eq!(valid(&session), ["G", "P", "Q"]);
}

#[test]
fn a_session_that_makes_a_table_may_meet_an_invalid_program() {
    let database = Database::new();
    let session = database.session();
    let made = session.create_program(&spec("F", ProgramKind::Function)).unwrap();
    let compilation = on(&session, &[]);
    let filled = session.create_table_filled(&table_spec("T"), |_| session.set_program_state(&made, &compilation));
    assert_eq!(filled.unwrap().unwrap().status, ProgramStatus::Valid);
    assert!(valid(&session).is_empty());
}

#[test]
fn sessions_that_compile_at_once_agree() {
    const SESSIONS: usize = 6;
    const ROUNDS: usize = 15;
    let database = Database::new();
    let session = database.session();
    session.create_table(&table_spec("T")).unwrap();
    create(&session, "P", ProgramKind::Procedure, &["T"]);
    create(&session, "Q", ProgramKind::Procedure, &["P"]);
    for round in 0..ROUNDS {
        let change =
            TableChange::AddColumns(vec![NewColumn { column: number_column(&format!("C{round}")), fill: None }]);
        session.alter_table("SYSTEM", "T", &change).unwrap();
        let threads: Vec<_> = (0..SESSIONS)
            .map(|n| {
                let session = database.session();
                spawn(&format!("session {n}"), move || {
                    let mut stamps = Vec::new();
                    for name in ["P", "Q"] {
                        loop {
                            let now = program(&session, name, ProgramKind::Procedure);
                            if now.status == ProgramStatus::Valid {
                                stamps.push(now.stamp);
                                break;
                            }
                            let parent = if name == "P" { "T" } else { "P" };
                            let set = session.set_program_state(&now, &on(&session, &[parent])).unwrap().unwrap();
                            assert_ne!(set.status, ProgramStatus::Errors);
                        }
                    }
                    stamps
                })
                .unwrap()
            })
            .collect();
        let stamps: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(stamps.iter().all(|one| *one == stamps[0]), "one result counts: {stamps:?}");
    }
    assert_eq!(valid(&session), ["P", "Q"]);
    assert_eq!(counts(&session)[2], 2);
}

#[test]
fn sessions_that_compile_while_others_change_things_come_to_an_end() {
    let database = Database::new();
    let session = database.session();
    session.create_table(&table_spec("T")).unwrap();
    create(&session, "P", ProgramKind::Procedure, &["T"]);
    let threads: Vec<_> = (0..3)
        .map(|n| {
            let session = database.session();
            spawn(&format!("session {n}"), move || {
                for _ in 0..40 {
                    let now = program(&session, "P", ProgramKind::Procedure);
                    if now.status != ProgramStatus::Valid {
                        session.set_program_state(&now, &on(&session, &["T"])).unwrap();
                    }
                }
            })
            .unwrap()
        })
        .collect();
    for round in 0..20 {
        let name = if round % 2 == 0 { ("T", "T2") } else { ("T2", "T") };
        session.rename("SYSTEM", name.0, name.1).unwrap();
        if round % 5 == 0 {
            create(&session, "P", ProgramKind::Procedure, &["T"]);
        }
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    compile_all(&session);
    assert_eq!(valid(&session), ["P"]);
}

#[test]
fn triggers_live_and_die_with_their_table() {
    let database = Database::new();
    let session = database.session();
    session.create_table(&table_spec("T")).unwrap();
    session.create_table(&table_spec("U")).unwrap();
    let (b, a) =
        (session.create_program(&trigger("B", "T")).unwrap(), session.create_program(&trigger("A", "T")).unwrap());
    let table = session.catalog().table("SYSTEM", "T").unwrap().object;
    let fire = |session: &Session| -> Vec<(String, bool)> {
        let enabled = |program: &Arc<ProgramDef>| program.trigger.as_ref().unwrap().enabled;
        session.catalog().triggers_of(table).map(|program| (program.name.clone(), enabled(program))).collect()
    };
    let pair = |first: bool, second: bool| vec![("B".to_owned(), first), ("A".to_owned(), second)];
    assert!(b.object < a.object);
    assert_eq!(fire(&session), pair(true, true));
    let version = session.catalog().version();
    session.alter_trigger("SYSTEM", "B", false).unwrap();
    assert!(session.catalog().version() > version);
    assert_eq!(fire(&session), pair(false, true));
    session.alter_triggers_of("SYSTEM", "T", false).unwrap();
    assert_eq!(fire(&session), pair(false, false));
    session.alter_triggers_of("SYSTEM", "T", true).unwrap();
    session.alter_trigger("SYSTEM", "A", false).unwrap();
    assert!(session.alter_trigger("SYSTEM", "C", true).unwrap_err().is_ora(4080));
    assert!(session.create_program(&trigger("B", "U")).unwrap_err().is_ora(4095));
    // The trigger refers to the table by number.
    session.rename("SYSTEM", "T", "T2").unwrap();
    drop(session);
    let database = database.reopen();
    let session = database.session();
    assert_eq!(fire(&session), pair(true, false));
    assert_eq!(counts(&session)[3..], [2, 4]);
    session.drop_table("SYSTEM", "T2").unwrap();
    assert!(fire(&session).is_empty());
    assert_eq!(counts(&session), [0; 5]);
    for (on, number) in [("NOTHING", 942), ("S", 942)] {
        assert!(session.create_program(&trigger("C", on)).unwrap_err().is_ora(number));
    }
    let wrong = |change: fn(&mut TriggerSpec)| {
        let mut spec = trigger("C", "U");
        spec.trigger.as_mut().map(change).unwrap();
        session.create_program(&spec).unwrap_err()
    };
    assert!(wrong(|spec| spec.rule.columns.push("X".to_owned())).is_ora(904));
    assert!(wrong(|spec| spec.rule.timing = TriggerTiming::InsteadOf).is_ora(25002));
    assert!(wrong(|spec| (spec.base_owner, spec.base_name) = ("SYS".to_owned(), "TAB$".to_owned())).is_ora(4089));
}

#[test]
fn programs_are_hidden_until_execute_is_granted() {
    let database = Database::new();
    let system = database.session();
    for user in ["SCOTT", "ADAM"] {
        system.create_user(user, &UserSpec::default()).unwrap();
    }
    let scott = database.connect("SCOTT");
    let own = |kind| ProgramSpec { owner: "SCOTT".to_owned(), ..spec("P", kind) };
    assert!(scott.create_program(&own(ProgramKind::Procedure)).unwrap_err().is_ora(1031));
    assert!(scott.check_may_create_program("SCOTT", ProgramKind::Procedure).unwrap_err().is_ora(1031));
    let to = |user: &str| vec![user.to_owned()];
    system.grant(&["RESOURCE".to_owned()], &to("SCOTT"), false).unwrap();
    let made = scott.create_program(&own(ProgramKind::Procedure)).unwrap();
    assert!(scott.create_program(&spec("P", ProgramKind::Procedure)).unwrap_err().is_ora(1031));
    let object = SchemaObject::Program(made);
    let may = |user: &str| system.catalog().check_object(user, &object, ObjectPrivilege::Execute);
    let adam = database.connect("ADAM");
    assert!(may("ADAM").unwrap_err().is_ora(4043) && !system.catalog().sees("ADAM", &object));
    assert!(adam.drop_program("SCOTT", "P", ProgramKind::Procedure).unwrap_err().is_ora(4043));
    let execute = [ObjectPrivilege::Execute];
    scott.grant_on(&execute, "SCOTT", "P", &to("ADAM"), false).unwrap();
    may("ADAM").unwrap();
    assert!(adam.drop_program("SCOTT", "P", ProgramKind::Procedure).unwrap_err().is_ora(1031));
    assert!(adam.grant_on(&execute, "SCOTT", "P", &to("SYSTEM"), false).unwrap_err().is_ora(1031));
    scott.revoke_on(&execute, "SCOTT", "P", &to("ADAM")).unwrap();
    assert!(may("ADAM").unwrap_err().is_ora(4043));
    let select = [ObjectPrivilege::Select];
    assert!(scott.grant_on(&select, "SCOTT", "P", &to("ADAM"), false).unwrap_err().is_ora(2225));
    system.create_table(&table_spec("T")).unwrap();
    assert!(system.grant_on(&execute, "SYSTEM", "T", &to("ADAM"), false).unwrap_err().is_ora(2224));
    // ALL grants the privileges that the kind of object has.
    system.grant_on(ObjectPrivilege::ALL, "SYSTEM", "T", &to("ADAM"), false).unwrap();
    assert!(!system.catalog().user("ADAM").unwrap().objects.keys().any(|(_, privilege)| *privilege == execute[0]));
    scott.grant_on(ObjectPrivilege::ALL, "SCOTT", "P", &to("ADAM"), false).unwrap();
    may("ADAM").unwrap();
    system.grant(&["EXECUTE ANY PROCEDURE".to_owned()], &to("ADAM"), false).unwrap();
    may("ADAM").unwrap();
    for privilege in
        ["CREATE ANY PROCEDURE", "ALTER ANY PROCEDURE", "DROP ANY PROCEDURE", "CREATE JOB", "MANAGE SCHEDULER"]
    {
        let privilege = SystemPrivilege::find(privilege).unwrap();
        assert!(system.catalog().has_system_privilege("SYSTEM", privilege));
    }
    // A trigger on another user's table takes more than CREATE TRIGGER.
    let foreign = ProgramSpec { owner: "SCOTT".to_owned(), ..trigger("G", "T") };
    assert!(scott.create_program(&foreign).unwrap_err().is_ora(1031));
    system.grant(&["CREATE ANY TRIGGER".to_owned()], &to("SCOTT"), false).unwrap();
    scott.create_program(&foreign).unwrap();
    assert!(adam.alter_trigger("SCOTT", "G", false).unwrap_err().is_ora(1031));
    scott.create_program(&own(ProgramKind::PackageBody)).unwrap();
    drop(scott);
    assert!(system.drop_user("SCOTT", false).unwrap_err().is_ora(1922));
    system.drop_user("SCOTT", true).unwrap();
    assert_eq!((system.catalog().programs().count(), counts(&system)), (0, [0; 5]));
}

#[test]
fn privileges_are_something_that_programs_depend_on() {
    let database = Database::new();
    let system = database.session();
    system.create_table(&table_spec("T")).unwrap();
    system.create_user("SCOTT", &UserSpec::default()).unwrap();
    let to = ["SCOTT".to_owned()];
    system.grant(&["RESOURCE".to_owned()], &to, false).unwrap();
    let scott = database.connect("SCOTT");
    let mut mine = spec("P", ProgramKind::Procedure);
    mine.owner = "SCOTT".to_owned();
    mine.compilation = Some(failed(on(&system, &["T"])));
    scott.create_program(&mine).unwrap();
    create(&system, "P", ProgramKind::Procedure, &["T"]);
    let status = || scott.catalog().program("SCOTT", "P", ProgramKind::Procedure).unwrap().status;
    let compile = || {
        let now = scott.catalog().program("SCOTT", "P", ProgramKind::Procedure).unwrap().clone();
        scott.set_program_state(&now, &on(&system, &["T"])).unwrap();
    };
    assert_eq!(status(), ProgramStatus::Errors);
    let select = [ObjectPrivilege::Select];
    system.grant_on(&select, "SYSTEM", "T", &to, false).unwrap();
    assert_eq!(status(), ProgramStatus::Invalid);
    compile();
    system.grant_on(&[ObjectPrivilege::Insert], "SYSTEM", "T", &to, false).unwrap();
    assert_eq!(status(), ProgramStatus::Valid);
    system.revoke_on(&select, "SYSTEM", "T", &to).unwrap();
    assert_eq!(status(), ProgramStatus::Invalid);
    compile();
    system.revoke(&["RESOURCE".to_owned()], &to).unwrap();
    assert_eq!(status(), ProgramStatus::Invalid);
    // Programs of other users stay valid.
    assert_eq!(valid(&system), ["P"]);
    // An outcome from before a privilege was revoked is discarded.
    let outdated = on(&system, &["T"]);
    system.grant(&["RESOURCE".to_owned()], &to, false).unwrap();
    let now = scott.catalog().program("SCOTT", "P", ProgramKind::Procedure).unwrap().clone();
    assert_eq!(scott.set_program_state(&now, &outdated).unwrap().unwrap().status, ProgramStatus::Invalid);
}

#[test]
fn a_statement_that_fails_leaves_programs_as_they_were() {
    let database = Database::new();
    let session = database.session();
    session.create_table(&table_spec("T")).unwrap();
    create(&session, "P", ProgramKind::Procedure, &["T", "N"]);
    session.create_program(&trigger("G", "T")).unwrap();
    let before: Vec<ProgramDef> = session.catalog().programs().map(|program| ProgramDef::clone(program)).collect();
    let count = counts(&session);
    // The table is there, its dependents are invalid, and then filling it fails.
    let failing = session.create_table_filled(&TableSpec::new("SYSTEM", "N", vec![number_column("ID")]), |_| {
        Err::<(), _>(common::Error::user(1, "as planned"))
    });
    assert!(failing.unwrap_err().is_ora(1));
    let long = ProgramSpec { source: "x".repeat(5000), ..spec("P", ProgramKind::Procedure) };
    assert!(session.create_program(&long).unwrap_err().is_own(1));
    let after: Vec<ProgramDef> = session.catalog().programs().map(|program| ProgramDef::clone(program)).collect();
    assert_eq!((before, count), (after, counts(&session)));
}
