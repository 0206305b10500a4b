//! Flash that stands still at times.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use drive::load::{Load, Places, run};
use drive::{Kind, Model, ModelFile, Request, end_of};

fn text(pause: &str) -> String {
    format!(
        "device = \"f\"\n[sources]\n[flash]\ncapacity_gb = 1\nunits = 1\npage_kb = 8\nlink_mb_per_s = 8192\n\
         write_buffer_kb = 64\ndrain_mb_per_s = 100\nflush_us = 5\nprotected = false\n\
         command = {{ mean_us = 10 }}\nread = {{ mean_us = 39 }}\nwrite = {{ mean_us = 10 }}\n{pause}"
    )
}

fn flash(pause: &str) -> Box<dyn Model> {
    ModelFile::parse("f", &text(pause)).unwrap().start()
}

#[test]
fn nothing_ends_in_a_pause_and_what_is_under_way_ends_after_it() {
    // The device works for 75 ms, then stands still for 25.
    let mut flash = flash("pause = { every_ms = 100, for_ms = 25 }\n");
    let mut end = |at: f64| {
        let ticket = flash.submit(at, Request { kind: Kind::Read, block: 0, blocks: 16 });
        end_of(&mut *flash, ticket)
    };
    let near = |end: f64, expected: f64| assert!((end - expected).abs() < 0.01, "{end} {expected}");
    near(end(1_000.0), 1_050.0);
    near(end(74_980.0), 100_030.0);
    near(end(101_000.0), 101_050.0);
    // It arrives in the pause.
    near(end(180_000.0), 200_050.0);
    near(end(574_900.0), 574_950.0);
    let flush = flash.flush(680_000.0);
    near(end_of(&mut *flash, flush), 700_005.0);
}

#[test]
fn pauses_take_their_share_of_the_requests() {
    let per_second = |pause: &str| {
        let (kind, places) = (Kind::Read, Places::Random);
        let load = Load { kind, bytes: 8192, places, depth: 4, requests: 40_000, from: 0, to: 1 << 29, seed: 1 };
        run(&mut *flash(pause), &load).per_second()
    };
    let share = per_second("pause = { every_ms = 100, for_ms = 25 }\n") / per_second("");
    assert!((0.74..0.76).contains(&share), "{share}");
}

#[test]
fn a_pause_without_an_end_is_refused_with_its_line() {
    let error = ModelFile::parse("f", &text("pause = { every_ms = 10, for_ms = 10 }\n")).unwrap_err().text;
    assert_eq!(error, "f, line 15: a pause of 10 ms every 10 ms: at most 9 tenths");
}
