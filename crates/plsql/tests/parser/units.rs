//! Stored programs, packages, anonymous blocks, CALL.

use plsql::ast::{DeclarationKind, StatementKind, UnitKind};

use crate::{faults, show, unit};

#[test]
fn procedures_and_functions() {
    let text = "create or replace procedure o.p (a number default 1) authid current_user\nas\n  x number;\nbegin\n  x := a;\nend p;";
    let unit = unit(text);
    assert!(unit.or_replace);
    assert_eq!(unit.at, 18);
    let UnitKind::Subprogram(program) = unit.kind else { panic!() };
    assert_eq!(show::path(&program.name), "O.P");
    assert!(program.invoker_rights && program.result.is_none());
    let body = program.body.expect("a body");
    assert_eq!((body.declarations.len(), body.statements.len()), (1, 1));
    assert_eq!(program.end as usize, text.len());

    let UnitKind::Subprogram(program) = crate::unit(
        "function f (a date) return o.t.c%type deterministic parallel_enable result_cache is begin return 1; end;",
    )
    .kind
    else {
        panic!()
    };
    assert!(program.deterministic && !program.invoker_rights);
    assert_eq!(show::type_name(program.result.as_ref().expect("a result")), "O.T.C%type");
}

#[test]
fn the_same_without_create() {
    let unit = unit("procedure p is begin null; end;");
    assert_eq!((unit.at, unit.or_replace), (0, false));
    for text in
        ["create editionable procedure p is begin null; end;", "create noneditionable procedure p is begin null; end;"]
    {
        assert!(matches!(crate::unit(text).kind, UnitKind::Subprogram(_)), "{text}");
    }
}

#[test]
fn package_specifications() {
    let UnitKind::PackageSpecification { name, invoker_rights, declarations } = unit(
        "create package o.p authid definer is
           g number := 1;
           type t is table of number;
           cursor c return emp%rowtype;
           e exception;
           procedure q (a number);
           function f return date;
           pragma restrict_references(f, wnds);
         end p;",
    )
    .kind
    else {
        panic!()
    };
    assert_eq!((show::path(&name).as_str(), invoker_rights, declarations.len()), ("O.P", false, 7));
    assert!(matches!(unit("package p as end;").kind, UnitKind::PackageSpecification { .. }));
    assert_eq!(
        faults("package p is procedure q is begin null; end; end;"),
        "1/26 PLS-00103: Encountered the symbol \"IS\" when expecting one of the following: ;"
    );
}

#[test]
fn package_bodies_with_and_without_initialization() {
    let UnitKind::PackageBody { declarations, initialization, .. } = unit(
        "create or replace package body p as
           g number;
           procedure q;
           procedure q is begin r; end;
           function f return number is begin return g; end f;
         begin
           g := 1;
         exception when others then null;
         end p;",
    )
    .kind
    else {
        panic!()
    };
    assert_eq!(declarations.len(), 4);
    assert!(matches!(&declarations[1].kind, DeclarationKind::Subprogram(program) if program.body.is_none()));
    let initialization = initialization.expect("an initialization");
    assert_eq!((initialization.statements.len(), initialization.handlers.len()), (1, 1));
    assert!(matches!(unit("package body p is end;").kind, UnitKind::PackageBody { initialization: None, .. }));
}

#[test]
fn anonymous_blocks_keep_their_labels() {
    let unit = unit(" /* x */ <<a>> declare x number; begin null; end a;");
    let UnitKind::Block(statement) = unit.kind else { panic!() };
    assert_eq!((unit.at, statement.labels.len()), (9, 1));
}

#[test]
fn call_is_a_block() {
    let body = |text: &str| {
        let UnitKind::Block(statement) = unit(text).kind else { panic!("{text}") };
        let StatementKind::Block(block) = statement.kind else { panic!("{text}") };
        show::outline(&block.statements)
    };
    assert_eq!(body("call p(1, a => 2)"), "P(1, A=>2)");
    assert_eq!(body("call o.p.q();"), "O.P.Q()");
    assert_eq!(body("call f(1) into :x"), ":X := F(1)");
    assert!(faults("call f(1) into x").contains("<a bind variable>"));
    assert!(faults("call 1").contains("<an identifier>"));
}

#[test]
fn the_name_behind_end_must_match() {
    assert_eq!(
        faults("create procedure p is begin null; end q;"),
        "1/32 PLS-00113: END identifier 'Q' must match 'P' at line 1, column 11"
    );
    assert_eq!(faults("package p is end q;"), "1/18 PLS-00113: END identifier 'Q' must match 'P' at line 1, column 9");
    assert_eq!(
        faults("begin <<a>> loop exit; end loop b; end;"),
        "1/33 PLS-00113: END identifier 'B' must match 'A' at line 1, column 9"
    );
    assert_eq!(faults("begin null; end x;"), "1/17 PLS-00113: END identifier 'X' matches no label");
}

#[test]
fn nothing_stands_behind_a_program() {
    assert_eq!(
        faults("begin null; end;\n/\n"),
        "2/1 PLS-00103: Encountered the symbol \"/\" when expecting one of the following: end-of-file"
    );
    assert_eq!(
        faults("begin null; end"),
        "1/16 PLS-00103: Encountered the symbol \"end-of-file\" when expecting one of the following: ;"
    );
}

#[test]
fn a_stored_program_has_a_body() {
    assert_eq!(
        faults("create procedure p (a number);"),
        "1/23 PLS-00103: Encountered the symbol \";\" when expecting one of the following: is as"
    );
}

#[test]
fn texts_that_are_no_program() {
    let expected = "begin declare call create function package procedure trigger";
    for text in ["", "select 1 from dual", "null;", "'x'"] {
        assert!(faults(text).contains(expected), "{text}");
    }
    assert!(
        faults("create table t (a number)").contains("\"TABLE\" when expecting one of the following: function package")
    );
}
