//! Experiments and benchmarks whose databases lie on modelled devices.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Exit code, standard output, standard error.
fn highwater(home: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).current_dir(home).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A device without queues; times in microseconds.
fn model(home: &Path, name: &str, gigabytes: f64, us: f64) {
    let text = format!(
        "device = \"a made-up volume\"\n[sources]\nall = \"made up\"\n[volume]\ncapacity_gb = {gigabytes}\n\
         mb_per_s = 1e6\nread = {{ mean_us = {us} }}\nwrite = {{ mean_us = {us} }}\n"
    );
    std::fs::write(home.join(name), text).unwrap();
}

fn json(home: &Path, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(home.join(name)).unwrap()).unwrap()
}

const SMALL: [&str; 6] = ["reproduce", "insert-gets", "--scale", "0.003", "--json", "out.json"];

#[test]
fn an_experiment_on_a_device_says_how_late_it_was() {
    let home = tempfile::tempdir().unwrap();
    model(home.path(), "slow.toml", 20.0, 100.0);
    let (code, text, error) =
        highwater(home.path(), &[&SMALL[..], &["--device", "slow.toml", "--dilate", "30", "--in-memory"]].concat());
    assert_eq!(code, Some(0), "{text}{error}");
    for line in [
        "device: slow.toml, a made-up volume, 30 times slower than the model; one for each database",
        "lateness: ",
        " microseconds of the model in the median, ",
        "processor: ",
        "durable: nothing, because the device's bytes are kept in memory",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let document = json(home.path(), "out.json");
    let device = &document["device"];
    assert!(device["requests"].as_u64().unwrap() > 100, "{device}");
    assert!(device["cpu_share"].as_f64().unwrap() > 0.0 && device["dilate"] == 30.0, "{device}");
    assert_eq!(device["in_memory"], Value::Bool(true), "{device}");
    // On a machine that is busy with other things a run may be late: it judges when it was not.
    let judges = device["late_share"].as_f64().unwrap() <= 0.05;
    assert_eq!(device["judges"], Value::Bool(judges), "{device}");
    assert_eq!(text.contains("No exact expectation is false."), judges, "{text}");
    assert_eq!(text.contains("cannot judge: "), !judges, "{text}");
}

#[test]
fn an_experiment_whose_requests_are_late_judges_nothing() {
    let home = tempfile::tempdir().unwrap();
    model(home.path(), "fast.toml", 20.0, 0.001);
    let (code, text, error) = highwater(home.path(), &[&SMALL[..], &["--device", "fast.toml"]].concat());
    assert_eq!(code, Some(0), "{text}{error}");
    assert!(text.contains("cannot judge: requests ended late by ") && text.contains("5 % are the most"), "{text}");
    assert!(!text.contains("\nyes ") && !text.contains("\nNO ") && !text.contains("expectation is false"), "{text}");
    let document = json(home.path(), "out.json");
    assert_eq!(document["device"]["judges"], Value::Bool(false));
    let expectations = document["expectations"].as_array().unwrap();
    assert!(!expectations.is_empty() && expectations.iter().all(|one| one["holds"].is_null()), "{expectations:?}");
}

#[test]
fn a_sweep_and_a_benchmark_on_devices_say_the_same() {
    let home = tempfile::tempdir().unwrap();
    model(home.path(), "fast.toml", 20.0, 0.001);
    let sweep = [
        "reproduce",
        "block-size",
        "--scale",
        "0.002",
        "--repetitions",
        "1",
        "--pctfree",
        "0,40",
        "--out",
        "sweep",
        "--device",
        "fast.toml",
    ];
    let (code, text, error) = highwater(home.path(), &sweep);
    assert_eq!(code, Some(0), "{text}{error}");
    assert!(text.contains("lateness: ") && text.contains("cannot judge: "), "{text}");
    let page = std::fs::read_to_string(home.path().join("sweep/sweep.html")).unwrap();
    assert!(page.contains("device: fast.toml, a made-up volume"), "{page}");

    let bench = ["bench", "readers", "--scale", "0.002", "--runs", "1", "--cache-mb", "32", "--device", "fast.toml"];
    let (code, text, error) = highwater(home.path(), &[&bench[..], &["--in-memory", "--json", "out.json"]].concat());
    assert_eq!(code, Some(0), "{text}{error}");
    assert!(text.contains("lateness: ") && text.contains("cannot judge: "), "{text}");
    assert!(!text.contains("reached") && !text.contains("MISSED"), "{text}");
    let document = json(home.path(), "out.json");
    assert!(document["rows"].as_array().unwrap().iter().all(|row| row["ratio"].is_null()), "{document}");
    assert_eq!(document["device"]["judges"], Value::Bool(false));

    // A crash and the open after it are on one device.
    let bench = ["bench", "recovery", "--scale", "0.001", "--runs", "1", "--cache-mb", "32", "--device", "fast.toml"];
    let (code, text, error) = highwater(home.path(), &[&bench[..], &["--in-memory"]].concat());
    assert!(code == Some(0) && text.contains("lateness: "), "{text}{error}");
}

#[test]
fn peers_are_left_out_beside_a_model() {
    let home = tempfile::tempdir().unwrap();
    model(home.path(), "fast.toml", 20.0, 0.001);
    let bench = ["bench", "insert", "--scale", "0.002", "--runs", "1", "--cache-mb", "32", "--device", "fast.toml"];
    let (code, text, error) = highwater(home.path(), &bench);
    assert_eq!(code, Some(0), "{text}{error}");
    let text = text.replace("\n  ", " ");
    for what in ["beside PostgreSQL", "beside the disk"] {
        let line = format!("skipped: {what}: it runs on the machine's own device, and this run on a model");
        assert!(text.contains(&line), "{text}");
    }
}

#[test]
fn what_cannot_be_together_is_refused() {
    let home = tempfile::tempdir().unwrap();
    model(home.path(), "small.toml", 0.05, 1.0);
    std::fs::write(home.path().join("wrong.toml"), "device = 7\n").unwrap();
    for (arguments, code, what) in [
        (&["reproduce", "insert-gets", "--dilate", "3"][..], 2, "--device"),
        (&["reproduce", "insert-gets", "--in-memory"], 2, "--device"),
        (&["reproduce", "insert-gets", "--device", "small.toml", "--dilate", "0"], 2, "--dilate: 0 is not within"),
        (&["reproduce", "insert-gets", "--device", "small.toml", "--dilate", "x"], 2, "--dilate"),
        (&["reproduce", "insert-gets", "--device", "small.toml", "--in-memory", "--data", "d"], 2, "--data"),
        (&["reproduce", "insert-gets", "--device", "none.toml"], 1, "HW-0002: none.toml"),
        (&["reproduce", "insert-gets", "--device", "wrong.toml"], 1, "HW-0080: wrong.toml, line 1"),
        (&["bench", "disks", "--device", "small.toml"], 2, "makes devices of its own"),
        (&["bench", "durability", "--device", "small.toml"], 2, "kills processes"),
        (&["bench", "insert", "--device", "small.toml", "--postgres", "."], 2, "--postgres and --device exclude"),
        // The database does not fit the device.
        (&["reproduce", "insert-gets", "--scale", "0.003", "--device", "small.toml"], 1, "the modelled device is full"),
    ] {
        let (got, out, error) = highwater(home.path(), arguments);
        assert_eq!((got, out.as_str()), (Some(code), ""), "{arguments:?}: {error}");
        let error = error.lines().last().unwrap();
        assert!(error.contains(what), "{arguments:?}: {error}");
    }
    assert!(!home.path().join("d").exists());
}
