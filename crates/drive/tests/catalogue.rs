//! The models of the catalogue under load.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use drive::load::{Load, LoadResult, Places, run};
use drive::{Kind, ModelFile, find, names};

fn load(model: &str, bytes: u64, places: Places, depth: u32, kind: Kind) -> LoadResult {
    let mut model = find(model).unwrap().unwrap().start();
    let to = model.bytes();
    run(&mut *model, &Load { kind, bytes, places, depth, requests: 4000, from: 0, to, seed: 7 })
}

fn within(value: f64, published: f64, share: f64) -> bool {
    (value / published - 1.0).abs() <= share
}

#[test]
fn flash_is_within_18_percent_of_its_published_figures() {
    // Reads of 4 KB: model, depth, mean and 99th percentile in microseconds, thousands of reads a second.
    for (model, depth, mean, p99, thousands) in [
        ("nvme-p3700", 1, 77.9, Some(96.0), None),
        ("nvme-p3700", 16, 93.9, Some(163.0), Some(167.2)),
        ("optane-p4800x", 1, 8.9, Some(10.0), None),
        ("optane-p4800x", 16, 25.5, Some(41.0), Some(584.8)),
    ] {
        let result = load(model, 4096, Places::Random, depth, Kind::Read);
        let (found, at_99, rate) = (result.mean_us(), result.at_us(0.99), result.per_second() / 1e3);
        println!("{model} at depth {depth}: mean {found:.1}, p99 {at_99:.1} us, {rate:.1} thousand/s");
        assert!(within(found, mean, 0.18), "{model} {depth}: {found}");
        assert!(p99.is_none_or(|p99| within(at_99, p99, 0.18)), "{model} {depth}: {at_99}");
        assert!(thousands.is_none_or(|thousands| within(rate, thousands, 0.18)), "{model} {depth}: {rate}");
    }
}

#[test]
fn a_disk_reads_on_at_the_rate_of_its_zone_and_seeks_for_the_rest() {
    let outer = load("disk-10k-73gb", 1 << 20, Places::Sequential, 1, Kind::Read);
    assert!(within(outer.mb_per_s(), 68.5, 0.12), "{}", outer.mb_per_s());
    let random = load("disk-10k-73gb", 8192, Places::Random, 1, Kind::Read);
    // The average seek, half a turn, the overhead and the transfer.
    assert!(within(random.mean_us(), 4700.0 + 3000.0 + 150.0 + 140.0, 0.05), "{}", random.mean_us());
    let queued = load("disk-10k-73gb", 8192, Places::Random, 16, Kind::Read);
    assert!(queued.per_second() > 1.8 * random.per_second(), "{} {}", queued.per_second(), random.per_second());
}

#[test]
fn a_log_on_a_disk_without_write_cache_waits_a_turn_for_each_write() {
    let writes = load("disk-10k-73gb", 4096, Places::Sequential, 1, Kind::WriteThrough);
    assert!(within(writes.mean_us(), 6000.0, 0.05), "{}", writes.mean_us());
}

#[test]
fn a_volume_has_its_requests_a_second_when_its_credits_are_spent() {
    let text = "device = \"v\"\n[sources]\n[volume]\ncapacity_gb = 40\nread = { mean_us = 1000 }\n\
                write = { mean_us = 1000 }\nmb_per_s = 128\niops = 120\n\
                burst = { iops = 3000, credits = 54000 }\n";
    let mut model = ModelFile::parse("v", text).unwrap().start();
    let (kind, places) = (Kind::Read, Places::Random);
    let all = Load { kind, bytes: 8192, places, depth: 64, requests: 57_000, from: 0, to: 1 << 35, seed: 1 };
    let result = run(&mut *model, &all);
    // The credits pass at 3,000 a second, while 120 a second are earned; then 120 a second pass.
    let burst = 54_000.0 / (3000.0 - 120.0);
    let expected = burst + (57_000.0 - burst * 3000.0) / 120.0;
    assert!(within(result.elapsed_us / 1e6, expected, 0.02), "{} {expected}", result.elapsed_us / 1e6);
}

#[test]
fn every_number_of_the_catalogue_has_a_source() {
    for name in names() {
        let text = std::fs::read_to_string(format!("catalogue/{name}.toml")).unwrap();
        let model = find(name).unwrap().unwrap();
        // The section of the device: behind that of the sources, before those within it.
        let section = text.split("\n\n[").nth(2).unwrap();
        for line in section.lines().filter(|line| line.contains(" = ") && !line.starts_with(' ')) {
            let key = line.split(" = ").next().unwrap();
            let chosen = ["page_kb", "io_kb", "protected", "scheduling"].contains(&key);
            assert!(chosen || model.sources.contains_key(key), "{name}: {key}");
        }
    }
}
