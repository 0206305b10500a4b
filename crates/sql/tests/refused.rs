//! What a planner could drop in silence is carried out or refused: every construct here must be an error with a number.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

/// Statements that must fail, and the beginning of how.
const REFUSED: &[(&str, &str)] = &[
    ("select 1 from dual for update", "HW-0001"),
    ("select 1 from dual for update nowait", "HW-0001"),
    ("select level from t connect by prior a = b", "HW-0001"),
    ("select a from t start with a = 1 connect by prior a = b", "HW-0001"),
    ("select 1 from dual connect by 1 = 1", "HW-0001"),
    ("select prior a from t", "ORA-00904"),
    ("select a from t fetch first 10 percent rows only", "HW-0001"),
    ("select a from t order by a fetch first 1 rows with ties", "HW-0001"),
    ("select a from t limit 1", "ORA-00933"),
    ("select top 1 a from t", "HW-0001"),
    ("select a from t as x", "ORA-00933"),
    ("select a from t sample (10)", ""),
    ("select a from t as of scn 5", ""),
    ("select a from t partition (p1)", ""),
    ("select a from t qualify row_number() over (order by a) = 1", ""),
    ("select distinct on (a) a from t", ""),
    ("select * except (a) from t", ""),
    ("select a from t where rownum > 1 or a = 2", "HW-0001"),
    ("select a from t, t2 where t.a = t2.a(+) or t2.a(+) = 1", "ORA-01719"),
    ("select a from t where a(+) = 1 and b in (select 1 from dual where a(+) = 2)", ""),
    ("select interval '1' day from dual", "HW-0001"),
    ("select timestamp '2024-01-01 00:00:00' - timestamp '2024-01-01 00:00:00' from dual", ""),
    ("select s.nextval from dual", "HW-0001"),
    ("select 1.5d from dual", "HW-0001"),
    ("select a from t group by all", ""),
    ("select a from lateral (select 1 a from dual)", ""),
    ("select a from t pivot (count(*) for a in (1, 2))", ""),
    ("select a from t match_recognize (pattern (x) define x as a > 1)", ""),
    ("select a || 1 = 2 from t", "ORA-00936"),
    ("select true from dual", "ORA-00904"),
    ("insert all into t values (1, 2)", "ORA-00928"),
    ("insert first into t values (1, 2) select 1 from dual", "ORA-00905"),
    ("insert into t values (1, 2) returning a", "HW-0001"),
    ("insert into t values (1, 2) returning rowid into :x", "HW-0001"),
    ("insert into t select 1, 2 from dual returning a into :x", "ORA-00933"),
    ("insert into t values (1, 2) returning a, b into :x", "ORA-00947"),
    ("delete from t returning a bulk collect into :x", "HW-0001"),
    ("insert into (select * from t) values (1, 2)", ""),
    ("insert into t set a = 1", ""),
    ("update t set (a, b) = (select 1, 2 from dual)", "HW-0001"),
    ("delete from t order by a", ""),
    ("delete from t limit 1", ""),
    ("merge into t using t2 on (t.a = t2.a)", "ORA-00905"),
    ("merge into t using t2 on t.a = t2.a when matched then update set t.b = 1", "ORA-00906"),
    ("merge into t using t2 on (t.a = t2.a) when matched then update set t.a = 1", "ORA-38104"),
    ("merge into t using t2 on (t.a = t2.a) when matched then delete", "ORA-00905"),
    ("update (select t.a, t.b from t, t2 where t.a = t2.a) set b = 1", "HW-0001"),
    ("rollback", "HW-0060"),
    ("rollback to savepoint x", "HW-0060"),
    ("lock table t in exclusive mode", "HW-0001"),
    ("set transaction read only", "HW-0001"),
    ("explain plan for select 1 from dual", "HW-0001"),
    ("analyze table t compute statistics", "HW-0001"),
    ("begin null; end;", "HW-0001"),
    ("declare x number; begin null; end;", "HW-0001"),
    ("create table u (a number) compress", "HW-0001"),
    ("create table u (a number) partition by range (a) (partition p1 values less than (1))", "HW-0001"),
    ("create table u (a number) organization index", "HW-0001"),
    ("create table u (a clob)", "HW-0001"),
    ("create table u (a timestamp(9))", "HW-0001"),
    ("create table u (a timestamp with time zone)", "HW-0001"),
    ("create table u (a number check (a > 1), b number check (a > b))", "ORA-02438"),
    ("create table u (a number check (a > (select 1 from dual)))", "ORA-02251"),
    ("create table u (a date check (a > sysdate))", "ORA-02436"),
    ("create table u (a number references t)", "ORA-02268"),
    ("create table u (a number not null deferrable)", "HW-0001"),
    ("create table u (a number primary key using index (create index i on u (a)))", "HW-0001"),
    ("create table u (a number) storage (buffer_pool keep)", "HW-0001"),
    ("create global temporary table u (a number)", "HW-0001"),
    ("create index i on t (upper(a))", "HW-0001"),
    ("create index i on t (a desc)", "HW-0001"),
    ("create index i on t (a) reverse", "HW-0001"),
    ("create bitmap index i on t (a)", "HW-0001"),
    ("create view v as select 1 x from dual", "HW-0001"),
    ("create or replace procedure p as begin null; end;", "HW-0001"),
    ("create sequence s", "HW-0001"),
    ("create temporary tablespace x tempfile 'x' size 1m", "HW-0001"),
    ("create bigfile tablespace x datafile 'x' size 1m", "HW-0001"),
    ("alter table t move", "HW-0001"),
    ("alter table t drop column a", "HW-0001"),
    ("alter table t add constraint c check (a > 1)", "ORA-02293"),
    ("alter table t enable row movement", "HW-0001"),
    ("alter session set events '10053 trace name context forever'", "HW-0001"),
    ("alter system switch logfile", "HW-0001"),
    ("truncate table t reuse storage", "HW-0001"),
    ("comment on table t is 'x'", "HW-0001"),
    ("frobnicate", "ORA-00900"),
    ("", "ORA-00900"),
    ("select", "ORA-"),
    ("select 'a from dual", "ORA-01756"),
];

#[test]
fn nothing_is_dropped_in_silence() {
    let mut connection = support::connect();
    for setup in ["create table t (a number, b number)", "create table t2 (a number)", "insert into t values (1, 2)"] {
        let done = support::run(&mut connection, setup);
        assert!(!done.contains("ORA-") && !done.contains("HW-"), "{setup}: {done}");
    }
    let mut wrong = Vec::new();
    for (statement, expected) in REFUSED {
        let result = support::run(&mut connection, statement);
        let refused = result.starts_with("ORA-") || result.starts_with("HW-");
        if !refused || !result.starts_with(expected) || result.starts_with("HW-0061") || result.contains("ORA-00600") {
            wrong.push(format!("{statement}\n  expected {expected}\n  got      {result}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
