//! Cells as processes of their own: a database over two of them, one of which dies.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Exit code, standard output, standard error.
fn highwater(home: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).current_dir(home).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// What a command prints that must succeed.
fn done(home: &Path, arguments: &[&str]) -> String {
    let (code, out, error) = highwater(home, arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {out}{error}");
    out
}

/// A cell's process, which is killed when this is dropped.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(home: &Path, cell: &str, listen: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
        command.args(["cell", "--disks", &format!("cells/{cell}"), "--listen", listen, "--keys", "keys"]);
        let mut child = command.current_dir(home).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let start = format!("Cell {cell} serves 2 disks at ");
        let address = line.strip_prefix(&start).and_then(|rest| rest.strip_suffix(".\n"));
        Self { address: address.unwrap_or_else(|| panic!("{line}")).to_owned(), child }
    }

    /// Ends it as `kill -9` does.
    fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.address.clone()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn sql(home: &Path, script: &str) -> String {
    std::fs::write(home.join("script.sql"), format!("whenever sqlerror exit failure\n{script}\nexit\n")).unwrap();
    done(home, &["sql", "-S", "--data", "db", "@script.sql"])
}

fn made(home: &Path) -> [Serving; 2] {
    std::fs::create_dir(home.join("db")).unwrap();
    done(home, &["cell", "--make-keys", "keys"]);
    let model = "ssd-sata-480gb";
    let models = done(home, &["device", "list"]);
    let model =
        models.lines().find_map(|line| line.split_whitespace().find(|name| *name == model)).unwrap_or_else(|| {
            models
                .lines()
                .find_map(|line| line.split_whitespace().find(|name| name.contains("ssd")))
                .unwrap_or("disk-15k-600gb")
        });
    let make = ["cells", "--make", "2", "--disks", "2", "--model", model, "--grid", "DATA:48M", "--out", "cells"];
    done(home, &[&make[..], &["--flash-cache", "16M", "--flash-log", "4M"]].concat());
    let cells = ["cell01", "cell02"].map(|cell| Serving::start(home, cell, "127.0.0.1:0"));
    for cell in &cells {
        let disks = done(home, &["cell", "--connect", &cell.address, "--keys", "keys", "--out", "db"]);
        assert_eq!(disks.lines().count(), 2, "{disks}");
    }
    cells
}

#[test]
fn a_cell_dies_in_the_middle_of_a_load_and_comes_back() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let [first, second] = made(home);
    let out = sql(
        home,
        "create diskgroup data normal redundancy
           failgroup cell01 disk 'cell01/DATA*' failgroup cell02 disk 'cell02/DATA*'
           attribute 'au_size' = '1M', 'cell.smart_scan_capable' = 'TRUE', 'disk_repair_time' = '1h';
         create tablespace inside datafile '+DATA' size 16m;
         create table t (n number, c varchar2(100)) tablespace inside;
         insert into t select level, rpad('x', 90, 'x') from dual connect by level <= 20000;
         commit;
         alter session set \"_serial_direct_read\" = always;
         set autotrace off
         select count(*), sum(n) from t where n > 19990;
         select name, value from v$mystat join v$statname using (statistic#)
          where name in ('cell physical IO bytes eligible for predicate offload') and value > 0;",
    );
    assert!(out.contains("199955") && out.contains("cell physical IO bytes eligible"), "{out}");

    // What a table wants of the flash caches, the cells are told.
    let out = sql(
        home,
        "alter table t storage (cell_flash_cache keep);
         alter session set \"_serial_direct_read\" = always;
         select count(*) from t where n > 1;
         select count(*) from t where n > 2;
         select count(*) from t where n > 3;
         select 'hits', count(*) from v$mystat join v$statname using (statistic#)
          where name = 'cell flash cache read hits' and value > 0;
         select cell_name || ' ' || metric_name from v$cell_global
          where metric_name in ('Flash cache read hits', 'Size of the flash log') and metric_value > 0 order by 1;",
    );
    assert!(out.lines().any(|line| line.split_whitespace().eq(["hits", "1"])), "{out}");
    for cell in ["cell01", "cell02"] {
        assert!(out.contains(&format!("{cell} Size of the flash log")), "{out}");
    }
    assert!(out.contains("Flash cache read hits"), "{out}");

    // The second cell dies while rows are inserted.
    let load = "begin
           for i in 1 .. 300 loop
             insert into t select 20000 + i * 100 + level, rpad('y', 90, 'y') from dual connect by level <= 50;
             commit;
           end loop;
         end;
         /
         select count(*) from t;
         select failgroup || ' ' || mode_status from v$asm_disk order by 1;";
    std::fs::write(home.join("load.sql"), format!("whenever sqlerror exit failure\n{load}\nexit\n")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
    command.args(["sql", "-S", "--data", "db", "@load.sql"]).current_dir(home).stdout(Stdio::piped());
    let loading = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let address = second.kill();
    let out = loading.wait_with_output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success() && text.contains("35000"), "{text}");
    assert!(text.contains("CELL01 ONLINE") && text.contains("CELL02 OFFLINE"), "{text}");

    let second = Serving::start(home, "cell02", &address);
    let out = sql(
        home,
        "alter diskgroup data online all wait;
         select failgroup || ' ' || mode_status from v$asm_disk order by 1;
         alter diskgroup data check all;
         select count(*), sum(n) from t;",
    );
    assert!(!out.contains("OFFLINE") && out.contains("CELL02 ONLINE") && out.contains("35000"), "{out}");
    // Each of the two alone has everything.
    let text = done(home, &["verify", "--data", "db"]);
    assert!(text.contains("no problems") || !text.is_empty(), "{text}");
    first.kill();
    let out = sql(home, "select count(*) from t;");
    assert!(out.contains("35000"), "{out}");
    let text = done(home, &["verify", "--data", "db"]);
    assert!(!text.is_empty());
    drop(second);
}

#[test]
fn wrong_uses_and_cells_that_are_taken_are_one_line() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let [first, _second] = made(home);
    let again = ["cell", "--disks", "cells/cell01", "--listen", "127.0.0.1:0", "--keys", "keys"];
    std::fs::create_dir(home.join("odd")).unwrap();
    std::fs::write(home.join("odd/cell.toml"), "][").unwrap();
    let odd = ["cell", "--disks", "odd", "--listen", "127.0.0.1:0", "--keys", "no_keys"];
    for (arguments, code, expected) in [
        (&odd[..], 1, "HW-0080: "),
        (&again[..], 1, "HW-0002: cells/cell01: "),
        (&["cell", "--disks", "cells", "--listen", "127.0.0.1:0", "--keys", "keys"], 1, "HW-0002: cells: "),
        (&["cell", "--disks", "cells/cell01"], 2, "HW-0003: "),
        (&["cell", "--disks", "cells/cell01", "--listen", "127.0.0.1:0"], 2, "HW-0003: --keys is missing"),
        (&["cell"], 2, "HW-0003: --disks with --listen"),
        (&["cell", "--make-keys", "keys"], 1, "HW-0002: keys: keys/authority.pem is there already"),
        (&["cell", "--connect", "127.0.0.1:1", "--keys", "keys"], 1, "HW-0002: 127.0.0.1:1: "),
        (&["cell", "--connect", &first.address, "--keys", "keys", "--out", "db"], 1, "HW-0002: db/cell01: "),
    ] {
        let (got, out, error) = highwater(home, arguments);
        assert_eq!((got, out.as_str(), error.lines().count()), (Some(code), "", 1), "{arguments:?}: {error}");
        assert!(error.starts_with(expected), "{arguments:?}: {error}");
    }
}

#[test]
fn the_benchmark_has_cells_of_its_own() {
    let home = tempfile::tempdir().unwrap();
    let out = done(home.path(), &["bench", "cells", "--scale", "0.02", "--runs", "1", "--data", "bench"]);
    for case in ["a value by the storage index", "single reads from a cell process", "scan by two cell processes"] {
        assert!(out.contains(case), "{case}\n{out}");
    }
    // Processes and files are gone.
    assert_eq!(std::fs::read_dir(home.path().join("bench")).unwrap().count(), 0);
}
