//! `block-size` from end to end on a twentieth of the rows: counts follow their arithmetic at any number of them.

use lab::block_size::multiblock::measured::whole_read;
use lab::block_size::pctfree::setting::{legacy, plain};
use lab::block_size::{multiblock, pctfree};
use lab::{Options, Silent, experiment, reproduce};

#[test]
fn a_twentieth_of_the_rows() {
    let options =
        Options { scale: Some(0.05), repetitions: Some(1), part: Some("pctfree".to_owned()), ..Options::default() };
    let report = reproduce("block-size", &options, &mut Silent).unwrap();
    let holds = |id: &str| report.expectations.iter().find(|e| e.id == id).unwrap().holds;
    for id in ["rows_a_block", "blocks_before", "grows_in_place", "migrates"] {
        assert_eq!(holds(id), Some(true), "{id}: {:?}", report.expectations);
    }
    // A time of fewer rows says nothing where it is too short, and counts are decided with any number.
    assert_ne!(holds("legacy_search"), Some(false));
    assert!(report.passed());
    let measured = &report.of::<pctfree::Work>().unwrap().measured;
    assert_eq!(measured.rest.rows, 10_000);
    // The legacy search finds the same blocks, and asks for more.
    let run = |setting| measured.arm(setting).unwrap().last().unwrap().clone();
    let (usual, legacy) = (run(plain(16384, 10)), run(legacy(16384)));
    assert_eq!(usual.blocks, legacy.blocks);
    assert!(legacy.current_gets > usual.current_gets + 10_000, "{legacy:?} {usual:?}");
    assert_eq!(usual.average_row_bytes, [5, 11]);
    let mut printed = Vec::new();
    lab::print::print(&report, &mut printed).unwrap();
    assert!(String::from_utf8(printed).unwrap().contains("16 KB, PCTFREE 10, legacy search"));
}

#[test]
fn what_is_not_there_is_refused() {
    let part = |part: &str| Options { part: Some(part.to_owned()), ..Options::default() };
    assert!(reproduce("block-size", &part("both"), &mut Silent).unwrap_err().text.contains("pctfree"));
    assert!(reproduce("insert-gets", &part("pctfree"), &mut Silent).is_err());
    let none = Options { repetitions: Some(0), ..Options::default() };
    assert!(reproduce("block-size", &none, &mut Silent).is_err());
}

#[test]
fn a_thousandth_of_the_scans() {
    let options =
        Options { scale: Some(0.002), repetitions: Some(1), part: Some("multiblock".to_owned()), ..Options::default() };
    let report = reproduce("block-size", &options, &mut Silent).unwrap();
    let of = |id: &str| report.expectations.iter().find(|e| e.id == id).unwrap();
    for id in ["read_size", "gets", "count_zero"] {
        assert_eq!(of(id).holds, Some(true), "{id}: {}", of(id).figures);
    }
    for id in ["segment_size", "whole_reads"] {
        assert_eq!(of(id).holds, None, "{id}");
    }
    let measured = &report.of::<multiblock::Work>().unwrap().measured;
    for arm in &measured.arms {
        let scan = arm.last().unwrap();
        assert_eq!(scan.rows, measured.rest.flat.rows);
        assert_eq!((scan.tkprof.query, scan.tkprof.disk), (scan.consistent_gets, scan.physical_reads));
        assert_eq!(scan.tkprof.fetches, scan.fetches);
        assert!(
            scan.largest_read() > 1 && scan.largest_read() <= whole_read(arm.setting.number(&multiblock::BLOCK_BYTES)),
            "{:?}",
            scan.direct_reads
        );
        let read: u64 = scan.direct_reads.iter().chain(&scan.cached_reads).map(|(blocks, count)| blocks * count).sum();
        assert_eq!(read, scan.physical_reads);
    }
    // Half of the reads of a count of 16 cannot be larger than that.
    let (count, scan) = measured.rest.counts.last().unwrap();
    assert_eq!((*count, scan.largest_read()), (16, 16));
    let mut printed = Vec::new();
    lab::print::print(&report, &mut printed).unwrap();
    assert!(String::from_utf8(printed).unwrap().contains("direct path read"));
}

#[test]
fn a_sweep_is_a_page_and_lines() {
    let options =
        Options { scale: Some(0.02), repetitions: Some(1), ..Options::default() }.with("pctfree", &[40, 0, 20]);
    let swept = pctfree::DECLARATION.run_sweep(&options, &mut Silent).unwrap();
    assert_eq!(swept.points.len(), 9);
    for points in swept.points.chunks(3) {
        // With more room fewer rows migrate; with none almost all do, and with 40 % none.
        let migrated: Vec<_> = points.iter().map(|point| point.last().unwrap().migrated).collect();
        assert!(migrated[0] > migrated[1] && migrated[2] == 0, "{migrated:?}");
        let before: Vec<_> = points.iter().map(|point| point.last().unwrap().blocks[0]).collect();
        assert!(before[0] <= before[1] && before[1] <= before[2], "{before:?}");
    }
    let report = swept.report().unwrap();
    let csv = String::from_utf8(report.csv).unwrap();
    assert_eq!(csv.lines().count(), 10);
    assert!(csv.lines().nth(1).unwrap().starts_with("1,4096,0,"), "{csv}");
    let page = report.page;
    assert_eq!(page.matches("<svg ").count(), 6);
    assert!(page.contains("Rows that migrated") && !page.contains("src=") && !page.contains("href="), "{page}");
    assert!(String::from_utf8(report.printed).unwrap().contains("16 KB, PCTFREE 40"));
    assert_eq!(report.json["sweep"].as_array().unwrap().len(), 9);
    let part = Options { part: Some("pctfree".to_owned()), ..Options::default() };
    let block_size = experiment("block-size").unwrap();
    assert!(block_size.check_sweep(&Options::default().with("pctfree", &[10])).is_ok());
    assert!(block_size.check_sweep(&part.with("pctfree", &[10])).is_ok());
    let other = Options { part: Some("multiblock".to_owned()), ..Options::default() };
    assert!(block_size.check_sweep(&other.with("pctfree", &[10])).is_err());
    let both = Options::default().with("pctfree", &[10]).with("multiblock-read-count", &[1]);
    assert!(block_size.check_sweep(&both).is_err());
    for values in [&[91][..], &[300], &[]] {
        assert!(block_size.check_sweep(&Options::default().with("pctfree", values)).is_err(), "{values:?}");
    }
}

#[test]
fn each_part_can_be_swept() {
    let options = Options { scale: Some(0.002), repetitions: Some(1), ..Options::default() }
        .with("multiblock-read-count", &[1, 4]);
    let swept = experiment("block-size").unwrap().sweep(&options, &mut Silent).unwrap();
    let points = swept.json["sweep"].as_array().unwrap();
    assert_eq!(points.len(), 8);
    for point in points {
        let measured = &point["measured"];
        let (count, largest) = (&measured["multiblock_read_count"], &measured["largest_read_blocks"]["median"]);
        assert_eq!(largest.as_f64(), count.as_f64(), "{point}");
    }
    // Reads of four blocks are a quarter as many.
    let requests = |at: usize| points[at]["measured"]["requests"]["median"].as_f64().unwrap();
    assert!(requests(1) < requests(0) / 3.0, "{} {}", requests(0), requests(1));
    assert!(swept.page.contains("Reads that the scan waited for"));
    assert_eq!(String::from_utf8(swept.csv).unwrap().lines().count(), 9);
}
