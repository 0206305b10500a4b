//! Drives as DiskSim describes them, turned into model files: layout, seeks and overheads of a drive that DIXtrac has
//! measured.

use std::fmt::Write as _;

use common::Result;

use crate::error::invalid;

/// A number behind a name and `=`, wherever it stands first.
fn number(text: &str, name: &str) -> Result<f64> {
    let missing = || invalid(format!("no \"{name} = number\" in it"));
    let line = text.lines().map(str::trim).find(|line| {
        !line.starts_with('#') && line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
    });
    let value = line.and_then(|line| line.split_once('=')).ok_or_else(missing)?.1;
    value.trim().trim_end_matches(',').trim().parse().map_err(|_| missing())
}

/// Cylinders and sectors a track of each zone. Cylinders between two zones belong to the first one.
fn zones(model: &str) -> Result<Vec<(u32, u32)>> {
    let cylinders = number(model, "Number of cylinders")? as u32;
    let mut firsts = Vec::new();
    for zone in model.split("dm_layout_g1_zone").skip(1) {
        firsts.push((number(zone, "First cylinder number")? as u32, number(zone, "Blocks per track")? as u32));
    }
    let ends = firsts.iter().skip(1).map(|(first, _)| *first).chain([cylinders]).collect::<Vec<_>>();
    Ok(firsts.iter().zip(ends).map(|((first, sectors), end)| (end.saturating_sub(*first), *sectors)).collect())
}

/// Distances and milliseconds of a file of seeks.
fn seeks(text: &str) -> Vec<(u32, f64)> {
    let point = |line: &str| {
        let (distance, ms) = line.split_once(',')?;
        Some((distance.trim().parse().ok()?, ms.trim().parse().ok()?))
    };
    text.lines().filter_map(point).collect()
}

/// The average of seeks between two places that are chosen at random.
fn average(points: &[(u32, f64)], cylinders: u32) -> f64 {
    let at = |distance: u32| {
        let next = points.partition_point(|(d, _)| *d < distance).clamp(1, points.len() - 1);
        let ((d0, t0), (d1, t1)) = (points[next - 1], points[next]);
        t0 + (t1 - t0) * (f64::from(distance) - f64::from(d0)) / (f64::from(d1) - f64::from(d0))
    };
    let pairs = (1..cylinders).map(|distance| (f64::from(cylinders - distance), at(distance)));
    let (sum, weight) = pairs.fold((0.0, 0.0), |(sum, weight), (w, ms)| (sum + w * ms, weight + w));
    sum / weight
}

/// The text of a model file.
///
/// `measured`: all measured seeks; else only the three figures that a data sheet has.
///
/// # Errors
/// HW-0080 when a number is missing.
pub fn model_file(device: &str, model: &str, specs: &str, seek: &str, measured: bool) -> Result<String> {
    let cylinders = number(model, "Number of cylinders")? as u32;
    let points = seeks(seek);
    if points.len() < 2 {
        return Err(invalid("the file of seeks has fewer than two distances"));
    }
    let segment_kb = number(specs, "Segment size (in blks)")? / 2.0;
    let overhead = |kind: &str| -> Result<String> {
        let after = |what: &str| number(specs, &format!("{kind} over. after {what}"));
        Ok(format!("{{ after_read = {}, after_write = {} }}", after("read")?, after("write")?))
    };
    let mut text = String::new();
    let mut put = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    put(format!("device = {device:?}"));
    put("sources = { all = \"DiskSim's description of the drive, extracted by DIXtrac\" }".into());
    put("\n[disk]".into());
    put(format!("rpm = {}", number(model, "Rotation speed (in rpms)")?));
    put(format!("surfaces = {}", number(model, "Number of data surfaces")?));
    put("zones = [".into());
    for (cylinders, sectors) in zones(model)? {
        put(format!("    {{ cylinders = {cylinders}, sectors = {sectors} }},"));
    }
    put("]".into());
    if measured {
        let points = points.iter().map(|(distance, ms)| format!("[{distance}, {ms:?}]")).collect::<Vec<_>>();
        put(format!("seek = {{ measured_ms = [{}] }}", points.join(", ")));
    } else {
        let single = number(model, "Single cylinder seek time")?;
        let full = number(model, "Full strobe seek time")?;
        put(format!(
            "seek = {{ single_ms = {single}, average_ms = {:.2}, full_ms = {full} }}",
            average(&points, cylinders)
        ));
    }
    put(format!("write_settle_ms = {}", number(model, "Add. write settling delay")?));
    put(format!("head_switch_ms = {}", number(model, "Head switch time")?));
    put(format!("bus_mb_per_s = {:.3}", 0.512 / number(specs, "Bulk sector transfer time")?));
    put("\n[disk.overhead_ms]".into());
    for (name, kind) in
        [("read_hit", "Read hit"), ("read_miss", "Read miss"), ("write_hit", "Write hit"), ("write_miss", "Write miss")]
    {
        put(format!("{name} = {}", overhead(kind)?));
    }
    put("\n[disk.cache]".into());
    put(format!("segments = {}", number(specs, "Number of buffer segments")?));
    put(format!("segment_kb = {segment_kb}"));
    put(format!("read_ahead_kb = {}", (number(specs, "Maximum read-ahead (blks)")? / 2.0).min(segment_kb)));
    put(format!("write_back = {}", number(specs, "Fast write level")? > 0.0));
    Ok(text)
}
