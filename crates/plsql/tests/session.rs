//! What the session's owner calls.

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
fn what_the_parser_takes_compiles_on_a_small_stack() {
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
