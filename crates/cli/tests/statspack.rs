//! A report over a real workload, through `highwater sql`: the file exists, and its figures agree with the tables of
//! the two snapshots.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use report::model::Report;

fn sql(home: &Path, text: &str) -> String {
    std::fs::write(home.join("script.sql"), text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(["sql", "-S", "--data", "db", "@script.sql"])
        .current_dir(home)
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

const WORK: &str = "
create table t (n number, y char(255) default 'x');
create index t_n on t (n);
exec perfstat.statspack.snap
begin
  for i in 1 .. 300 loop
    insert into t (n) values (i);
    commit;
  end loop;
end;
/
select count(*) from t;
exec dbms_lock.sleep(1.1)
exec perfstat.statspack.snap(i_ucomment => 'afterwards')
@?/rdbms/admin/spreport.sql
exit
";

fn read(home: &Path, name: &str) -> (String, Report) {
    let text = std::fs::read_to_string(home.join(name)).unwrap();
    let documents = report::grid::text::documents(&text);
    assert_eq!(documents.len(), 1);
    (text.clone(), report::read::report(&documents[0]))
}

/// End less begin by key, from the tables: lines `key;begin;end`.
fn differences(home: &Path, query: &str) -> BTreeMap<String, f64> {
    let printed =
        sql(home, &format!("set feedback off heading off pagesize 0 linesize 300 trimspool on\n{query}\nexit\n"));
    let lines = printed.lines().filter(|line| line.contains(';'));
    let line = |line: &str| {
        let fields: Vec<&str> = line.trim().split(';').collect();
        let number = |at: usize| fields[at].parse::<f64>().unwrap_or(0.0);
        (fields[0].to_owned(), number(2) - number(1))
    };
    lines.map(line).collect()
}

fn pair(table: &str, key: &str, value: &str) -> String {
    format!(
        "select e.{key} || ';' || b.{value} || ';' || e.{value} from perfstat.{table} e left join perfstat.{table} b \
         on b.snap_id = 1 and b.{key} = e.{key} where e.snap_id = 2;"
    )
}

#[test]
fn a_report_says_what_its_snapshots_say() {
    let home = tempfile::tempdir().unwrap();
    let printed = sql(home.path(), WORK);
    let (text, report) = read(home.path(), "sp_1_2.lst");
    assert!(printed.contains("End of Report") && text.contains("End of Report"), "{printed}");
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);

    let statistics = differences(home.path(), &pair("stats$sysstat", "name", "value"));
    assert!(statistics["user commits"] >= 300.0 && statistics["redo size"] > 100_000.0, "{statistics:?}");
    let listed = report.statistics.unwrap();
    assert!(listed.len() > 30, "{}", listed.len());
    for line in listed {
        assert_eq!(line.total, Some(statistics[&line.name]), "{}", line.name);
    }
    let waits = differences(home.path(), &pair("stats$waitstat", "class", "wait_count"));
    for line in report.buffer_waits.unwrap_or_default() {
        assert_eq!(line.waits, Some(waits[&line.class]), "{}", line.class);
    }
    let gets = differences(home.path(), &pair("stats$latch", "name", "gets"));
    let latches = report.latches.unwrap();
    assert!(latches.iter().any(|latch| latch.gets.is_some_and(|gets| gets > 0.0)), "no latch was got");
    for latch in latches {
        assert_eq!(latch.gets, Some(gets[&latch.name]), "{}", latch.name);
    }
    let executions = differences(home.path(), &pair("stats$sql_summary", "sql_id", "executions"));
    assert!(executions.values().any(|executions| *executions == 300.0), "the insert's executions: {executions:?}");
    assert!(text.contains("INSERT INTO T") || text.contains("insert into t"), "the insert's text is not there");
}

#[test]
fn a_report_that_cannot_be_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let printed = sql(
        home.path(),
        "@?/rdbms/admin/spreport.sql
exec perfstat.statspack.snap
@?/rdbms/admin/spreport.sql
define begin_snap = 1
define end_snap = 7
@?/rdbms/admin/spreport.sql
exec perfstat.statspack.report(1, 1)
create user scott identified by tiger;
grant create session to scott;
connect scott/tiger
exec perfstat.statspack.snap
exit
",
    );
    for said in [
        "ORA-20200: a report needs two snapshots: there is none",
        "ORA-20200: a report needs two snapshots: 1 is the only one",
        "ORA-20200: the end snapshot 7 does not exist for this database and instance",
        "ORA-01031",
    ] {
        assert!(printed.contains(said), "{said}: {printed}");
    }
    assert!(!home.path().join("sp_1_1.lst").exists());
}
