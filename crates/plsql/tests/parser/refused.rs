//! Valid PL/SQL that is not supported is refused by name.

use crate::faults;

#[test]
fn each_by_name() {
    for (text, what) in [
        ("create type t as object (a number)", "CREATE TYPE"),
        ("create or replace type body t as end;", "CREATE TYPE"),
        ("create and compile java source named x as y", "Java"),
        ("create java class x", "Java"),
        ("create library l as 'x'", "CREATE LIBRARY"),
        ("create function f return number is language c name \"x\" library l;", "LANGUAGE, EXTERNAL"),
        ("create procedure p is external name \"x\" library l;", "LANGUAGE, EXTERNAL"),
        ("function f return t pipelined is begin null; end;", "PIPELINED"),
        ("function f (a number) return number aggregate using t;", "AGGREGATE"),
        ("procedure p accessible by (q) is begin null; end;", "ACCESSIBLE"),
        ("begin pipe row (1); end;", "PIPE ROW"),
        ("create trigger t instead of insert on v begin null; end;", "INSTEAD OF"),
        (
            "create trigger t for insert on e compound trigger before statement is begin null; end before statement; end;",
            "compound",
        ),
        ("create trigger t after logon on database begin null; end;", "events of a schema or the database"),
        ("create trigger t after create or drop on schema begin null; end;", "events of a schema or the database"),
        ("create trigger t before insert on e follows u begin null; end;", "FOLLOWS"),
        ("begin x := a member of b; end;", "MEMBER"),
        ("begin if a is empty then null; end if; end;", "IS EMPTY"),
        ("begin if a is not a set then null; end if; end;", "IS A"),
        ("begin x := interval '1' day; end;", "INTERVAL literals"),
        ("begin x := 1.5d; end;", "BINARY_DOUBLE"),
        ("begin x := new t(1); end;", "object types"),
        ("begin x := treat(a as t).b; end;", "object types (TREAT)"),
        ("begin x := systimestamp at time zone 'UTC'; end;", "AT TIME ZONE"),
        ("begin x := cursor(select 1 from dual); end;", "CURSOR expressions"),
        ("begin p@remote(1); end;", "database links"),
        ("begin x := p.f@remote; end;", "database links"),
        ("declare x t@remote%rowtype; begin null; end;", "database links"),
        ("begin for i in 1 .. 10 by 2 loop null; end loop; end;", "iteration controls"),
        ("begin for i in 1 .. 2, 5 .. 6 loop null; end loop; end;", "iteration controls"),
        ("begin $if $$debug $then x; $end end;", "conditional compilation"),
        ("begin x := $ $plsql_line; end;", "inquiry directives"),
        ("declare type t is object (a number); begin null; end;", "object types"),
        ("declare type t is (a, b); begin null; end;", "enumerations"),
        ("declare x ref t; begin null; end;", "REF"),
        (
            "begin with function f return number is begin return 1; end; select f into x from dual; end;",
            "PL/SQL in WITH",
        ),
        ("package p accessible by (q) is end;", "ACCESSIBLE"),
    ] {
        let said = faults(text);
        let first = said.lines().next().unwrap_or_default();
        assert!(first.contains("HW-0001: not supported: ") && first.contains(what), "{text}\n{said}");
    }
}
