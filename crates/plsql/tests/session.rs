//! Calls by the session's owner.

mod host;

use std::sync::Arc;

use common::DataType;
use host::{Mock, OWNER};
use plsql::library::Library;
use plsql::run::{HostType, HostVariable, Session};
use plsql::value::Value;
use scalar::Datum;

fn session() -> (Mock, Session) {
    let mut session = Session::new(Arc::new(Library::new()), OWNER);
    session.output.enable(None);
    (Mock::new(), session)
}

fn variable(name: &str, data_type: HostType, value: Value) -> HostVariable {
    HostVariable { name: name.into(), data_type, value }
}

#[test]
fn host_variables_go_in_and_come_out() {
    let (mut mock, mut session) = session();
    let number = HostType::Scalar(DataType::Number { precision: None, scale: 0 });
    let text = HostType::Scalar(DataType::Varchar2 { bytes: 5 });
    let mut variables = [variable("N", number, Value::Int(20)), variable("T", text, Value::Null)];
    let block = "declare procedure p is begin :n := :n + 1; end; begin p; select ename into :t from emp where deptno = :n + 9 and ename = 'WARD'; end;";
    session.run_block(&mut mock, block, &mut variables).unwrap();
    assert_eq!(variables[0].value.to_string(), "21");
    assert_eq!(variables[1].value.to_string(), "WARD");
    let error = session.run_block(&mut mock, "begin :n := 7; :t := 'too long'; end;", &mut variables).unwrap_err();
    assert!(error.is_ora(6502), "{error}");
    assert_eq!(variables[0].value.to_string(), "7", "what was assigned before the failure is there");
    let error = session.run_block(&mut mock, "begin :nosuch := 7; end;", &mut variables).unwrap_err();
    assert!(error.text.contains("PLS-00049"), "{error}");
}

#[test]
fn a_ref_cursor_comes_out_open() {
    let (mut mock, mut session) = session();
    let mut variables = [variable("RC", HostType::RefCursor, Value::Null)];
    session.run_block(&mut mock, "begin open :rc for select ename from emp; end;", &mut variables).unwrap();
    let Value::Cursor(cursor) = &variables[0].value else { panic!("{:?}", variables[0]) };
    assert_eq!(mock.open_queries(), 1);
    let query = cursor.take().unwrap();
    drop(variables);
    session.run_block(&mut mock, "begin null; end;", &mut []).unwrap();
    assert_eq!(mock.open_queries(), 1, "whoever took the query closes it");
    plsql::host::Host::close(&mut mock, query);
}

#[test]
fn stored_programs_are_called_by_name() {
    let (mut mock, mut session) = session();
    mock.store(
        "F",
        "function f(a number, b out varchar2) return varchar2 is begin b := 'out'; return a || '!'; end;",
        false,
    );
    let mut arguments = [Datum::integer(5), Datum::Null];
    let result = session.call(&mut mock, &["F"], &mut arguments).unwrap();
    assert_eq!((result, arguments[1].clone()), (Datum::varchar2("5!"), Datum::varchar2("out")));
    let error = session.call(&mut mock, &["F"], &mut []).unwrap_err();
    assert!(error.text.contains("PLS-00306"), "{error}");
    let error = session.call(&mut mock, &["NOSUCH"], &mut []).unwrap_err();
    assert!(error.text.contains("PLS-00201"), "{error}");
}

#[test]
fn cancelling_passes_every_handler() {
    let (mut mock, mut session) = session();
    mock.cancel_after = Some(3);
    let block = "begin loop begin loop null; end loop; exception when others then null; end; end loop; end;";
    let error = session.run_block(&mut mock, block, &mut []).unwrap_err();
    assert!(error.is_ora(1013), "{error}");
}

#[test]
fn sessions_share_units_and_keep_their_own_state() {
    let library = Arc::new(Library::new());
    let mut mock = Mock::new();
    mock.store("P", "package p as n number := 0; procedure up; end;", false);
    mock.store("P", "package body p as procedure up is begin n := n + 1; dbms_output.put_line(n); end; end;", true);
    let mut first = Session::new(Arc::clone(&library), OWNER);
    let mut second = Session::new(library, OWNER);
    for session in [&mut first, &mut second] {
        session.output.enable(None);
        session.run_block(&mut mock, "begin p.up; p.up; end;", &mut []).unwrap();
        assert_eq!(session.output.drain(), ["1", "2"]);
    }
    first.reset_packages();
    first.run_block(&mut mock, "begin p.up; end;", &mut []).unwrap();
    assert_eq!(first.output.drain(), ["1"]);
}

#[test]
fn programs_and_sql_do_not_call_each_other_for_ever() {
    let (mut mock, mut session) = session();
    let text = "function f(n number) return number is m number; begin select f(n) into m from dual; return m; end;";
    mock.store("F", text, false);
    let deep = move || {
        let error = session.run_block(&mut mock, "declare n number; begin n := f(1); end;", &mut []).unwrap_err();
        assert!(error.is_ora(36), "{error}");
    };
    // As small as a session's thread may be.
    common::sync::spawn_with_stack("deep", 2 << 20, deep).unwrap().join().unwrap();
}

#[test]
fn recursion_takes_no_native_stack() {
    let (mut mock, mut session) = session();
    let text = "declare function d(n number) return number is begin if n = 0 then return 0; end if; return 1 + d(n - 1); end; begin dbms_output.put_line(d(40000)); end;";
    let deep = move || {
        session.run_block(&mut mock, text, &mut []).unwrap();
        assert_eq!(session.output.drain(), ["40000"]);
    };
    common::sync::spawn_with_stack("deep", 256 << 10, deep).unwrap().join().unwrap();
}

#[test]
fn a_changed_table_is_noticed() {
    let (mut mock, mut session) = session();
    let block = "declare r log%rowtype; begin r.text := '12345'; dbms_output.put_line(r.text); end;";
    session.run_block(&mut mock, block, &mut []).unwrap();
    mock.tables.get_mut("LOG").unwrap().columns[1].data_type = DataType::Varchar2 { bytes: 3 };
    let error = session.run_block(&mut mock, block, &mut []).unwrap_err();
    assert!(error.is_ora(6502), "{error}");
}

#[test]
fn loops_over_cursors_fetch_a_hundred_rows_at_once() {
    let (mut mock, mut session) = session();
    session.run_block(&mut mock, "begin for r in (select n from many) loop null; end loop; end;", &mut []).unwrap();
    assert_eq!(mock.fetches, [100, 100, 100]);
    mock.fetches.clear();
    let block = "declare n number; begin select n into n from many where n = 1; end;";
    session.run_block(&mut mock, block, &mut []).unwrap();
    assert_eq!(mock.fetches, [2]);
}

#[test]
fn parsed_programs_compile_on_a_small_stack() {
    let (mut mock, mut session) = session();
    let sum = vec!["x"; 400].join(" + ");
    let deep =
        format!("{}begin null; end;{}", "begin if x is null then null; else ".repeat(80), " end if; end;".repeat(80));
    let text = format!("declare x number := 1; begin dbms_output.put_line({sum}); {deep} end;");
    let run = move || {
        session.run_block(&mut mock, &text, &mut []).unwrap();
        assert_eq!(session.output.drain(), ["400"]);
    };
    common::sync::spawn_with_stack("deep", 2 << 20, run).unwrap().join().unwrap();
}

#[test]
fn a_session_may_change_its_thread() {
    fn is_send<T: Send>() {}
    fn is_shared<T: Send + Sync>() {}
    is_send::<Session>();
    is_shared::<Library>();
}

#[test]
fn names_are_looked_up_again_when_the_dictionary_has_changed() {
    let (mut mock, mut session) = session();
    mock.version = Some(1);
    mock.store("ONE", "function one return number is begin return 1; end;", false);
    mock.store("P", "procedure p is begin dbms_output.put_line(one); end;", false);
    session.run_block(&mut mock, "begin p; end;", &mut []).unwrap();
    let known = mock.resolved;
    assert!(known > 0);
    for _ in 0..3 {
        session.run_block(&mut mock, "begin p; end;", &mut []).unwrap();
    }
    assert_eq!(mock.resolved, known, "nothing has changed");
    // Another session finds the compiled units unchanged: it resolves only those that it loads.
    mock.store("ONE", "function one return number is begin return 2; end;", false);
    session.run_block(&mut mock, "begin p; end;", &mut []).unwrap();
    assert_eq!(mock.resolved, known, "the version says that nothing has changed");
    mock.version = Some(2);
    session.run_block(&mut mock, "begin p; end;", &mut []).unwrap();
    assert!(mock.resolved > known);
    let lines: Vec<String> = std::iter::from_fn(|| session.output.take_line()).collect();
    assert_eq!(lines, ["1", "1", "1", "1", "1", "2"]);
    // A host without a version is asked each time.
    mock.version = None;
    let known = mock.resolved;
    session.run_block(&mut mock, "begin p; end;", &mut []).unwrap();
    assert!(mock.resolved > known);
}

#[test]
fn rights_are_left_as_they_were_entered() {
    let (mut mock, mut session) = session();
    mock.store("INNER", "procedure inner is begin raise no_data_found; end;", false);
    mock.store("P", "procedure p is begin inner; exception when others then null; end;", false);
    mock.store("MINE", "procedure mine authid current_user is begin p; inner; end;", false);
    session.run_block(&mut mock, "begin p; end;", &mut []).unwrap();
    assert_eq!(mock.rights, ["+SCOTT", "-"], "the same owner is entered once");
    mock.rights.clear();
    session.run_block(&mut mock, "begin mine; end;", &mut []).unwrap_err();
    assert_eq!(mock.rights, ["+SCOTT", "-", "+SCOTT", "-"], "a program with its caller's rights enters nobody's");
}

#[test]
fn a_function_is_called_for_rows_of_a_statement() {
    let mut mock = Mock::new();
    let source = "package k as
        function f(a number, b varchar2 default 'd') return varchar2;
        function f(a date) return varchar2;
        function missing return number;
    end;";
    let body = "package body k as
        calls number := 0;
        function f(a number, b varchar2 default 'd') return varchar2 is begin calls := calls + 1; return a || b || calls; end;
        function f(a date) return varchar2 is begin return to_char(a, 'YYYY'); end;
        function missing return number is begin raise no_data_found; end;
    end;";
    mock.store("K", source, false);
    mock.store("K", body, true);
    let library = Arc::new(Library::new());
    let mut session = Session::new(Arc::clone(&library), OWNER);
    let number = Some(HostType::Any(scalar::DatumType::Number));
    let call = library.sql_call(&mut mock, OWNER, &["K", "F"], vec![(None, number)]).unwrap();
    let value = |session: &mut Session, mock: &mut Mock, n| session.call_from_sql(mock, &call, &[Datum::integer(n)]);
    assert_eq!(value(&mut session, &mut mock, 7).unwrap(), Datum::varchar2("7d1"));
    assert_eq!(value(&mut session, &mut mock, 8).unwrap(), Datum::varchar2("8d2"), "the package keeps its state");
    let named = vec![(Some("B".into()), None), (Some("A".into()), number)];
    let call = library.sql_call(&mut mock, OWNER, &["K", "F"], named).unwrap();
    let result = session.call_from_sql(&mut mock, &call, &[Datum::Null, Datum::integer(1)]).unwrap();
    assert_eq!(result, Datum::varchar2("13"));
    let date = Some(HostType::Any(scalar::DatumType::Date));
    let call = library.sql_call(&mut mock, OWNER, &["K", "F"], vec![(None, date)]).unwrap();
    let day = Datum::date(&scalar::DateTime::midnight(2026, 5, 1));
    assert_eq!(session.call_from_sql(&mut mock, &call, &[day]).unwrap(), Datum::varchar2("2026"));
    let call = library.sql_call(&mut mock, OWNER, &["K", "MISSING"], Vec::new()).unwrap();
    assert_eq!(session.call_from_sql(&mut mock, &call, &[]).unwrap(), Datum::Null, "NO_DATA_FOUND is NULL to SQL");
    let errors = library.sql_call(&mut mock, OWNER, &["K", "NOSUCH"], Vec::new()).unwrap_err();
    assert!(errors[0].to_string().contains("PLS-00302"), "{}", errors[0]);
}

/// The items 0, 1, … in one text.
fn repeated(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

#[test]
fn a_program_may_be_long() {
    let (mut mock, mut session) = session();
    let mut output = |block: &str| {
        session.run_block(&mut mock, block, &mut []).unwrap();
        session.output.drain()
    };
    // Quadratic work would not end.
    let statements = repeated(200_000, |at| format!("x := x + {};\n", at % 10));
    let printed = output(&format!("declare x number := 0; begin\n{statements}dbms_output.put_line(x); end;"));
    assert_eq!(printed, ["900000"]);
    let branches = repeated(50_000, |at| format!("if x = {at} then x := x + 1; end if;\n"));
    assert_eq!(output(&format!("declare x number := 0; begin\n{branches}dbms_output.put_line(x); end;")), ["50000"]);
    let variables = repeated(20_000, |at| format!("v{at} number := {at};\n"));
    let sums = repeated(20_000, |at| format!("v{at} := v{} + 1;\n", (at + 1) % 20_000));
    assert_eq!(output(&format!("declare\n{variables}begin\n{sums}dbms_output.put_line(v7); end;")), ["9"]);
    let functions = repeated(10_000, |at| {
        let called = if at == 0 { "p".to_owned() } else { format!("f{}(p)", at - 1) };
        format!("function f{at}(p number) return number is begin return {called} + 1; end;\n")
    });
    assert_eq!(output(&format!("declare\n{functions}begin dbms_output.put_line(f9999(0)); end;")), ["10000"]);
    assert_eq!(
        output(
            "declare x number := 0; begin for i in 1 .. 3000000 loop x := x + 1; end loop; dbms_output.put_line(x); end;"
        ),
        ["3000000"]
    );
}
