//! Nanoseconds an iteration of a few loops takes: `cargo run --release -p plsql --example loop`.

#![expect(clippy::print_stdout, reason = "it is what the example is for")]

#[path = "../tests/host/mod.rs"]
mod host;

use std::sync::Arc;

use common::{Clock, SystemClock};
use plsql::library::Library;
use plsql::run::Session;

const LOOPS: &[(&str, &str, u64)] = &[
    ("empty loop", "begin for i in 1..10000000 loop null; end loop; end;", 10_000_000),
    (
        "x := x + i, NUMBER",
        "declare x number := 0; begin for i in 1..10000000 loop x := x + i; end loop; end;",
        10_000_000,
    ),
    (
        "x := i - x, PLS_INTEGER",
        "declare x pls_integer := 0; begin for i in 1..10000000 loop x := i - x; end loop; end;",
        10_000_000,
    ),
    (
        "x := x + 0.5, NUMBER",
        "declare x number := 1; begin for i in 1..1000000 loop x := x + 0.5; end loop; end;",
        1_000_000,
    ),
    (
        "while, if, two counters",
        "declare i pls_integer := 0; n number := 0; begin while i < 5000000 loop i := i + 1; if mod(i, 2) = 0 then n := n + 1; end if; end loop; end;",
        5_000_000,
    ),
    (
        "call of a local function",
        "declare n number := 0; function f(a number) return number is begin return a + 1; end; begin for i in 1..2000000 loop n := f(n); end loop; end;",
        2_000_000,
    ),
    (
        "element of an array",
        "declare type t is table of number index by pls_integer; a t; begin for i in 1..1000000 loop a(mod(i, 1000)) := i; end loop; end;",
        1_000_000,
    ),
    (
        "text of a number",
        "declare s varchar2(100); begin for i in 1..1000000 loop s := 'n ' || i; end loop; end;",
        1_000_000,
    ),
];

fn main() {
    let clock = SystemClock::default();
    let mut mock = host::Mock::new();
    let mut session = Session::new(Arc::new(Library::new()), host::OWNER);
    for (what, text, iterations) in LOOPS {
        let mut best = f64::MAX;
        for _ in 0..5 {
            let begin = clock.monotonic_us();
            if let Err(error) = session.run_block(&mut mock, text, &mut []) {
                println!("{what}: {error}");
            }
            best = best.min((clock.monotonic_us() - begin) as f64 * 1000.0 / *iterations as f64);
        }
        println!("{what:<28} {best:>8.1} ns");
    }
}
