//! Drives as DiskSim describes them, turned into model files: layout, seeks and overheads of a drive that DIXtrac has
//! measured.

use std::fmt::Write as _;

use common::Result;

use crate::disk::average_seek_ms;
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
            average_seek_ms(&points, cylinders)
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
