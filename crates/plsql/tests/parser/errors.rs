//! Errors of programs that do not parse, with positions; and recovery behind them.

use plsql::error::Number;
use plsql::parser::parse_unit;

use crate::faults;

/// `line/column symbol` of each PLS-00103, `line/column number` of others.
fn symbols(text: &str) -> String {
    let lines: Vec<String> = faults(text)
        .lines()
        .map(|line| {
            let place = line.split(' ').next().unwrap_or_default();
            let symbol = line.split('"').nth(1).filter(|_| line.contains("PLS-00103"));
            format!("{place} {}", symbol.or_else(|| line.split([' ', ':']).nth(1)).unwrap_or_default())
        })
        .collect();
    lines.join(", ")
}

#[test]
fn a_symbol_out_of_place() {
    assert_eq!(
        faults("begin\n  x = 1;\nend;"),
        "2/5 PLS-00103: Encountered the symbol \"=\" when expecting one of the following: := . ( % ;"
    );
    assert_eq!(
        faults("begin\n  x := 'a' 'b';\nend;"),
        "2/12 PLS-00103: Encountered the symbol \"b\" when expecting one of the following: <an operator> ;"
    );
    assert_eq!(
        faults("begin\nend;"),
        "2/1 PLS-00103: Encountered the symbol \"END\" when expecting one of the following: \
         begin case declare exit for goto if loop null raise return while <an identifier> <a sql statement>"
    );
    assert_eq!(
        faults("begin if a then b; end if"),
        "1/26 PLS-00103: Encountered the symbol \"end-of-file\" when expecting one of the following: ;"
    );
}

#[test]
fn a_long_text_is_cut_in_messages() {
    let said = faults(&format!("begin x '{}'; end;", "y".repeat(1000)));
    assert!(said.len() < 250, "{said}");
    assert!(!faults("begin x 'a\nb'; end;").contains('\n'));
}

#[test]
fn errors_know_their_byte_and_their_number() {
    let text = "create procedure p is\nbegin\n  é := ;\nend;";
    let errors = parse_unit(text).expect_err("an error");
    assert_eq!(errors.len(), 1);
    assert_eq!(&text[errors[0].at as usize..][..1], ";");
    assert_eq!((errors[0].line, errors[0].column, errors[0].number), (3, 8, Number::Pls(103)));
}

#[test]
fn lines_count_from_the_programs_first_word() {
    assert_eq!(symbols("create or replace\n\n  procedure p is begin\n x = 1; end;"), "2/4 =");
    assert_eq!(symbols("-- a\ncreate procedure p is begin x = 1; end;"), "1/24 =");
    assert_eq!(symbols("-- a\nbegin x = 1; end;"), "2/9 =");
}

#[test]
fn every_faulty_statement_is_said() {
    assert_eq!(symbols("begin\n x = 1;\n y := 2;\n z := ;\n p(1 2);\nend;"), "2/4 =, 4/7 ;, 5/6 2");
    assert_eq!(symbols("declare\n a number := ;\n b 5;\n c date;\nbegin\n x = 1;\nend;"), "2/14 ;, 3/4 5, 6/4 =");
    assert_eq!(symbols("begin\n if a b; end if;\n loop x = 1; end loop;\n y := ;\nend;"), "2/7 B, 3/9 =, 4/7 ;");
}

#[test]
fn at_most_twenty_are_said() {
    assert_eq!(faults(&format!("begin {} end;", "x = 1;\n".repeat(100))).lines().count(), 20);
}

#[test]
fn a_missing_word_is_one_error() {
    for (text, said) in [
        // THEN, LOOP, IF, END IF, END LOOP, BEGIN, IS, END of a block.
        ("begin if a\n b; elsif c then d; else e; end if; f; end;", "2/2 B"),
        ("begin if a\n b := 1; c := 2; end if; f; end;", "2/2 B"),
        ("begin while a\n b; c; end loop; f; end;", "2/2 B"),
        ("begin for i in 1 .. 2\n b; c; end loop; f; end;", "2/2 B"),
        ("begin for i 1 .. 2\n loop b; c; end loop; f; end;", "1/13 1"),
        ("begin if a then b; end\n; f; g; end;", "2/1 ;"),
        ("begin if a then b; end\n loop; f; g; end;", "2/2 LOOP"),
        ("begin if a then b;\n f; g; end;", "2/11 ;"),
        ("begin loop a;\n f; g; end p;", "2/12 P"),
        ("begin loop if a then b; end loop; c; end;", "1/29 LOOP"),
        ("begin loop a;\n f; exception when others then null; end;", "2/5 EXCEPTION"),
        ("begin if a then b; \n if; f; end;", "2/2 IF"),
        ("declare a number;\n b := 1; if c then d; end if; e; end;", "2/4 :="),
        ("procedure p is\n b := 1; c; end p;", "2/4 :="),
        ("procedure p is\n end p;", "2/2 END"),
        ("procedure p begin a; end p;", "1/13 BEGIN"),
        ("procedure p is begin a; exception others then b; when c then d; end;", "1/35 OTHERS"),
        ("begin a; exception when others b; when c then d; end;", "1/32 B"),
        ("begin x := case a when 1 2 end; b; end;", "1/26 2"),
        ("begin x := a when 1 then 2 end; b; end;", "1/14 WHEN"),
        ("begin case when a then b; end; c; end;", "1/30 ;"),
        ("begin null; end if; a; end;", "1/17 IF"),
        ("begin null; end loop; a; end;", "1/17 LOOP"),
    ] {
        assert_eq!(symbols(text), said, "{text}\n{}", faults(text));
    }
}

#[test]
fn a_fault_in_one_subprogram_leaves_the_others_alone() {
    let package = |first: &str| format!("package body k is\n{first}\nprocedure q is begin x = 1; end q;\nend k;");
    for (first, said) in [
        ("procedure p (a number begin null; end p;", "2/23 BEGIN"),
        ("procedure p (a) is begin null; end p;", "2/15 )"),
        ("procedure p is begin a b; end p;", "2/24 B"),
        ("procedure p is begin begin null; end p;", "2/38 PLS-00113"),
        ("procedure p is begin if a then b; end p;", "2/39 P"),
        ("procedure p is begin a;", "3/1 PROCEDURE"),
        ("procedure p is begin loop a;", "3/1 PROCEDURE"),
        ("function f return is begin return 1; end f;", "2/19 IS"),
        ("function f (a number) is begin return 1; end f;", "2/23 IS"),
        ("procedure p is a numbr(; begin a; end p;", "2/24 ;"),
        ("function f return t pipelined is begin return; end f;", "2/21 HW-0001"),
        ("function f return t is language c name \"f\" library l;", "2/24 HW-0001"),
        ("x number", "3/1 PROCEDURE"),
    ] {
        assert_eq!(symbols(&package(first)), format!("{said}, 3/24 ="), "{first}\n{}", faults(&package(first)));
    }
}

#[test]
fn handlers_of_others_stand_last_and_alone() {
    assert_eq!(
        faults("begin a; exception when others then b; when c then d; end;"),
        "1/20 PLS-00370: OTHERS handler must be last among the exception handlers of a block"
    );
    assert_eq!(
        faults("begin a; exception when b or others then c; end;"),
        "1/30 PLS-00369: no choices may appear with choice OTHERS in an exception handler"
    );
}

#[test]
fn an_unclosed_construct_is_reported_where_it_begins() {
    assert_eq!(
        faults("begin\n x := 'abc;\nend;"),
        "2/7 PLS-00103: Encountered the symbol \"end-of-file\" in a quoted text that begins here"
    );
    assert!(faults("begin\n /* x := 1; end;").starts_with("2/2 PLS-00103"));
    assert!(faults("begin \"x := 1; end;").starts_with("1/7 PLS-00103"));
}

#[test]
fn statements_alone_are_no_expressions() {
    assert!(faults("begin sql%rowcount; end;").contains("PLS-00103"));
    assert!(faults("begin :x; end;").contains("\";\" when expecting one of the following: := ."));
    assert!(faults("begin 1; end;").starts_with("1/7 PLS-00103: Encountered the symbol \"1\""));
}
