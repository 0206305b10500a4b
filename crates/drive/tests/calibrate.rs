//! A device whose model is known is calibrated: the fit finds a model that behaves as it does.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, in its helpers too")]

use drive::calibrate::{Effort, calibrate};
use drive::find;
use drive::load::run;

#[test]
fn a_calibrated_model_behaves_as_the_device_does() {
    for name in ["nvme-p3700", "optane-p4800x", "ramsan-500"] {
        let device = find(name).unwrap().unwrap();
        let effort = Effort { requests: 4000, file_bytes: 1 << 30 };
        let found = calibrate(name, effort, &mut |load| Ok(run(&mut *device.start(), load))).unwrap();
        for one in &found.depths {
            println!("{name} {}: mean {:+.3}, p99 {:+.3}", one.depth, one.mean_error(), one.p99_error());
            assert!(one.mean_error().abs() < 0.18, "{name} at depth {}", one.depth);
            assert!(one.p99_error().abs() < 0.4, "{name} at depth {}", one.depth);
        }
        assert!(found.text.contains("[flash]"), "{}", found.text);
    }
}
