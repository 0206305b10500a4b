//! Declarations and types.

use plsql::ast::{Declaration, DeclarationKind, Mode, Pragma, TypeDefinition};

use crate::{block, faults, show};

fn declarations(text: &str) -> Vec<Declaration> {
    block(&format!("declare {text} begin null; end;")).declarations
}

fn declaration(text: &str) -> DeclarationKind {
    let mut all = declarations(text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0).kind
}

/// `name [constant] type [not null] [:= default]`
fn variable(text: &str) -> String {
    let DeclarationKind::Variable { name, constant, not_null, data_type, default } = declaration(text) else {
        panic!("{text}")
    };
    let default = default.as_ref().map(|default| format!(" := {}", show::expr(default))).unwrap_or_default();
    let constant = if constant { " constant" } else { "" };
    let not_null = if not_null { " not null" } else { "" };
    format!("{}{constant} {}{not_null}{default}", name.name, show::type_name(&data_type))
}

#[test]
fn variables_and_constants() {
    for (text, shown) in [
        ("x number;", "X NUMBER"),
        ("x number(5, -2) := 1;", "X NUMBER(5,(- 2)) := 1"),
        ("l_stop date default sysdate + 5/24/60;", "L_STOP DATE := (+ SYSDATE (/ (/ 5 24) 60))"),
        ("c constant pls_integer := 10;", "C constant PLS_INTEGER := 10"),
        ("n varchar2(30 char) not null := 'x';", "N VARCHAR2(30) char not null := 'x'"),
        ("n varchar2(30 byte);", "N VARCHAR2(30)"),
        ("n number(*, 2);", "N NUMBER(38,2)"),
        ("v t.c%type := null;", "V T.C%type := null"),
        ("r o.t%rowtype;", "R O.T%rowtype"),
        ("t pkg.tab := pkg.tab(1, 2);", "T PKG.TAB := PKG.TAB(1, 2)"),
        ("t timestamp(3);", "T TIMESTAMP(3)"),
        ("t timestamp(3) with time zone;", "T TIMESTAMP WITH TIME ZONE(3)"),
        ("t timestamp with local time zone;", "T TIMESTAMP WITH LOCAL TIME ZONE"),
        ("d double precision;", "D DOUBLE PRECISION"),
        ("r long raw;", "R LONG RAW"),
        ("r long;", "R LONG"),
        ("c character varying(10);", "C CHARACTER VARYING(10)"),
        ("i interval day(2) to second(6);", "I INTERVAL DAY TO SECOND(2,6)"),
        ("i interval year to month;", "I INTERVAL YEAR TO MONTH"),
        ("\"q x\" number;", "q x NUMBER"),
    ] {
        assert_eq!(variable(text), shown, "{text}");
    }
}

#[test]
fn initial_values_of_variables() {
    for (text, fault) in [
        (
            "x constant number;",
            "1/9 PLS-00322: declaration of a constant 'X' must contain an initialization assignment",
        ),
        ("x number not null;", "1/9 PLS-00218: a variable declared NOT NULL must have an initialization assignment"),
        (
            "x;",
            "1/10 PLS-00103: Encountered the symbol \";\" when expecting one of the following: constant exception <a type>",
        ),
        (
            "x, y number;",
            "1/10 PLS-00103: Encountered the symbol \",\" when expecting one of the following: constant exception <a type>",
        ),
        (
            "x number = 1;",
            "1/18 PLS-00103: Encountered the symbol \"=\" when expecting one of the following: := default not null ( % ;",
        ),
    ] {
        assert_eq!(faults(&format!("declare {text} begin null; end;")), fault, "{text}");
    }
}

#[test]
fn exceptions_and_pragmas() {
    assert!(matches!(declaration("e exception;"), DeclarationKind::Exception(name) if &*name.name == "E"));
    let DeclarationKind::Pragma(Pragma::ExceptionInit { exception, number }) =
        declaration("pragma exception_init(e, -20001);")
    else {
        panic!()
    };
    assert_eq!((&*exception.name, show::expr(&number).as_str()), ("E", "(- 20001)"));
    assert!(matches!(
        declaration("pragma autonomous_transaction;"),
        DeclarationKind::Pragma(Pragma::AutonomousTransaction)
    ));
    for text in
        ["pragma serially_reusable;", "pragma udf;", "pragma inline(f, 'YES');", "pragma restrict_references(f, wnds);"]
    {
        assert!(matches!(declaration(text), DeclarationKind::Pragma(Pragma::Other(_))), "{text}");
    }
    assert_eq!(faults("declare pragma foo; begin null; end;"), "1/16 PLS-00127: pragma FOO is not a supported pragma");
}

#[test]
fn cursors() {
    let DeclarationKind::Cursor(cursor) =
        declaration("cursor c (a number, b in t.x%type default 1) return t%rowtype is select * from t;")
    else {
        panic!()
    };
    assert_eq!(cursor.parameters.len(), 2);
    assert!(cursor.parameters[1].default.is_some());
    assert!(cursor.result.is_some() && cursor.query.is_some());
    let DeclarationKind::Cursor(cursor) = declaration("cursor c return t%rowtype;") else { panic!() };
    assert!(cursor.query.is_none());
    let DeclarationKind::Cursor(cursor) = declaration("cursor c is with x as (select 1 a from dual) select a from x;")
    else {
        panic!()
    };
    assert!(cursor.query.is_some());
    assert!(faults("declare cursor c (a out number) is select 1 from dual; begin null; end;").contains("PLS-00230"));
    assert!(faults("declare cursor c; begin null; end;").contains("\";\" when expecting one of the following: is"));
    assert!(faults("declare cursor c is update t set a = 1; begin null; end;").contains("select with ("));
}

fn definition(text: &str) -> TypeDefinition {
    match declaration(&format!("type t is {text};")) {
        DeclarationKind::Type { definition, .. } => definition,
        other => panic!("{other:?}"),
    }
}

#[test]
fn type_definitions() {
    let TypeDefinition::Record(fields) =
        definition("record (a number, b varchar2(10) not null := 'x', c t%rowtype, type date)")
    else {
        panic!()
    };
    let names: Vec<&str> = fields.iter().map(|field| &*field.name.name).collect();
    assert_eq!(names, ["A", "B", "C", "TYPE"]);
    assert!(fields[1].not_null && fields[1].default.is_some());

    let TypeDefinition::AssociativeArray { element, key, not_null } =
        definition("table of emp.name%type not null index by varchar2(30)")
    else {
        panic!()
    };
    assert_eq!(
        (show::type_name(&element), show::type_name(&key)),
        ("EMP.NAME%type".to_owned(), "VARCHAR2(30)".to_owned())
    );
    assert!(not_null);
    assert!(matches!(definition("table of number"), TypeDefinition::NestedTable { not_null: false, .. }));
    for text in ["varray(10) of date", "varying array(10) of date"] {
        assert!(matches!(definition(text), TypeDefinition::VarArray { .. }), "{text}");
    }
    assert!(matches!(definition("ref cursor"), TypeDefinition::RefCursor { result: None }));
    assert!(matches!(definition("ref cursor return t%rowtype"), TypeDefinition::RefCursor { result: Some(_) }));
}

#[test]
fn subtypes() {
    let DeclarationKind::Subtype { base, range, not_null, .. } =
        declaration("subtype s is pls_integer range -5 .. 5 not null;")
    else {
        panic!()
    };
    assert_eq!(show::type_name(&base), "PLS_INTEGER");
    let (low, high) = range.expect("a range");
    assert_eq!((show::expr(&low), show::expr(&high)), ("(- 5)".to_owned(), "5".to_owned()));
    assert!(not_null);
    assert!(matches!(declaration("subtype s is varchar2(10);"), DeclarationKind::Subtype { range: None, .. }));
}

#[test]
fn nested_subprograms_ahead_and_whole() {
    let text = "declare
        procedure p (a in number, b in out nocopy varchar2, c out date, d boolean default true);
        function f return number is x number; begin return 1; end f;
        procedure p (a in number, b in out nocopy varchar2, c out date, d boolean default true) is begin null; end;
        begin p; end;";
    let block = block(text);
    let programs: Vec<_> = block
        .declarations
        .iter()
        .map(|declaration| match &declaration.kind {
            DeclarationKind::Subprogram(program) => (declaration.at as usize, program),
            other => panic!("{other:?}"),
        })
        .collect();
    let modes: Vec<Mode> = programs[0].1.parameters.iter().map(|parameter| parameter.mode).collect();
    assert_eq!(modes, [Mode::In, Mode::InOut, Mode::Out, Mode::In]);
    assert!(programs[0].1.parameters[1].no_copy);
    assert!(programs[0].1.parameters[3].default.is_some());
    assert!(programs[0].1.body.is_none());
    assert_eq!(show::type_name(programs[1].1.result.as_ref().expect("a result")), "NUMBER");
    assert_eq!(programs[1].1.body.as_ref().map(|body| body.declarations.len()), Some(1));
    let (at, function) = programs[1];
    assert_eq!(&text[at..function.end as usize], "function f return number is x number; begin return 1; end f;");
}

#[test]
fn parameters_have_no_lengths() {
    assert_eq!(
        faults("procedure p (a varchar2(10)) is begin null; end;"),
        "1/24 PLS-00103: Encountered the symbol \"(\" when expecting one of the following: := . ) , % default ;"
    );
    assert!(faults("function f return varchar2(10) is begin null; end;").starts_with("1/27 PLS-00103"));
    assert!(faults("procedure p (a out number := 1) is begin null; end;").contains("PLS-00230"));
}
