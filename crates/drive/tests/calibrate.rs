//! A device whose model is known is calibrated: the fit finds a model that behaves as it does.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, in its helpers too")]

use drive::calibrate::{Effort, calibrate};
use drive::load::run;
use drive::{ModelFile, find};

#[test]
fn a_calibrated_model_behaves_as_the_device_does() {
    for name in ["nvme-p3700", "optane-p4800x", "ramsan-500"] {
        let device = find(name).unwrap().unwrap();
        let effort = Effort { requests: 4000, file_bytes: 1 << 30 };
        let found = calibrate(name, effort, &mut |load| Ok(run(&mut *device.start(), load))).unwrap();
        for one in &found.depths {
            println!("{name} {}: mean {:+.3}, p99 {:+.3}", one.depth, one.mean_error(), one.p99_error());
            assert!(one.mean_error().abs() < 0.18, "{name} at depth {}", one.depth);
            assert!(one.p99_error().abs() < 0.25, "{name} at depth {}", one.depth);
        }
        assert!(found.text.contains("[flash]"), "{}", found.text);
    }
}

#[test]
fn a_device_that_stands_still_at_times_is_found_out() {
    let text = "device = \"f\"\n[sources]\n[flash]\ncapacity_gb = 1\nunits = 3\npage_kb = 8\nlink_mb_per_s = 2000\n\
                write_buffer_kb = 64\ndrain_mb_per_s = 300\nflush_us = 50\nprotected = false\n\
                command = { mean_us = 12 }\nread = { mean_us = 35, spread = 0.2 }\nwrite = { mean_us = 20 }\n\
                pause = { every_ms = 90, for_ms = 25, spread = 0.5 }\n";
    let device = ModelFile::parse("f", text).unwrap();
    let effort = Effort { requests: 4000, file_bytes: 1 << 30 };
    let found = calibrate("f", effort, &mut |load| Ok(run(&mut *device.start(), load))).unwrap();
    for one in &found.depths {
        println!("{}: mean {:+.3}, p99 {:+.3}", one.depth, one.mean_error(), one.p99_error());
        assert!(one.mean_error().abs() < 0.18, "at depth {}: {}", one.depth, one.mean_error());
        assert!(one.p99_error().abs() < 0.25, "at depth {}: {}", one.depth, one.p99_error());
    }
    assert!(found.text.contains("[flash.pause]"), "{}", found.text);
}
