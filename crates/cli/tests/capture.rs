//! `highwater sql --capture`: the messages of cells in a file, and the script that sums them up again.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::path::Path;
use std::process::Command;

fn run(home: &Path, command: &mut Command) -> (Option<i32>, String) {
    let output = command.current_dir(home).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (output.status.code(), text)
}

fn highwater(home: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    run(home, Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments))
}

const SCRIPT: &str = "whenever sqlerror exit failure
set pagesize 0 feedback off heading off
create diskgroup data external redundancy disk 'cell*/disk*' attribute 'cell.smart_scan_capable' = 'TRUE';
create tablespace inside datafile '+DATA' size 16m;
create table t (n number, c varchar2(100)) tablespace inside;
insert into t select level, rpad('x', 90, 'x') from dual connect by level <= 20000;
commit;
alter session set \"_serial_direct_read\" = always;
select count(*) from t where n between 500 and 700;
select name || '=' || value from v$mystat join v$statname using (statistic#) where name like 'cell physical IO%bytes%';
alter system flush buffer_cache;
select count(*) from t where n < 100;
select name || '=' || value from v$mystat join v$statname using (statistic#) where name like 'cell physical IO%bytes%';
exec perfstat.statspack.snap
select count(*) from t where n < 10;
exec perfstat.statspack.snap
select 'scans of ' || cell_name || '=' || (max(scan_requests) - min(scan_requests)) from perfstat.stats$cell_traffic
 group by cell_name order by 1;
exit
";

/// The values of a statistic, in the order in which they were printed.
fn values(printed: &str, name: &str) -> Vec<u64> {
    let prefix = format!("{name}=");
    printed.lines().filter_map(|line| line.trim().strip_prefix(&prefix)?.parse().ok()).collect()
}

/// The numbers of a line of the sums.
fn numbers(line: &str) -> Vec<u64> {
    line.split_whitespace().map_while(|word| word.replace(',', "").parse().ok()).collect()
}

#[test]
fn the_messages_of_a_capture_have_the_bytes_that_sessions_count() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    for cell in ["cell01", "cell02"] {
        std::fs::create_dir_all(home.join("db").join(cell)).unwrap();
        std::fs::write(home.join("db").join(cell).join("cell.toml"), "").unwrap();
        std::fs::File::create(home.join("db").join(cell).join("disk1")).unwrap().set_len(64 << 20).unwrap();
    }
    std::fs::write(home.join("script.sql"), SCRIPT).unwrap();
    let arguments = ["sql", "-S", "--data", "db", "--capture", "messages.pcap", "@script.sql"];
    let (code, printed) = highwater(home, &arguments);
    assert_eq!(code, Some(0), "{printed}");
    let totals = values(&printed, "cell physical IO interconnect bytes");
    let returned = values(&printed, "cell physical IO interconnect bytes returned by smart scan");
    assert!(totals.len() == 2 && returned.len() == 2 && returned[0] > 0 && returned[1] > returned[0], "{printed}");
    for cell in ["cell01", "cell02"] {
        let scans = values(&printed, &format!("scans of {cell}"));
        assert!(scans.len() == 1 && scans[0] > 0, "{printed}");
    }
    // A capture is not written over.
    let (code, said) = highwater(home, &arguments);
    assert!(code == Some(1) && said.contains("messages.pcap"), "{code:?} {said}");

    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/sum-capture.py");
    let mut python = Command::new("python3");
    if python.arg("--version").output().is_err() {
        println!("skipped: there is no python3 for scripts/sum-capture.py");
        return;
    }
    let (code, sums) = run(home, Command::new("python3").arg(&script).arg("messages.pcap"));
    assert_eq!(code, Some(0), "{sums}");
    let (by_statement, others) = sums.split_once("\n\n").unwrap();
    let mut returned_so_far = 0;
    for (at, end) in ["between 500 and 700", "where n < 100"].into_iter().enumerate() {
        let line = by_statement.lines().find(|line| line.ends_with(end)).unwrap_or_else(|| panic!("{sums}"));
        let [.., returned_by_scan, total_so_far] = numbers(line)[..] else { panic!("{line}") };
        returned_so_far += returned_by_scan;
        assert_eq!((total_so_far, returned_so_far), (totals[at], returned[at]), "{sums}\n{printed}");
    }
    assert!(others.contains("cell01") && others.contains("cell02"), "{sums}");

    // A capture that was cut is no sum.
    let bytes = std::fs::read(home.join("messages.pcap")).unwrap();
    std::fs::write(home.join("cut.pcap"), &bytes[..bytes.len() - 3]).unwrap();
    let (code, said) = run(home, Command::new("python3").arg(&script).arg("cut.pcap"));
    assert!(code == Some(1) && said.contains("cut short"), "{said}");
}
