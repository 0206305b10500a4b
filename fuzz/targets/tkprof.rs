//! Output of TKPROF, Oracle's or our own: read, printed, read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use report::tkprof::{self, Options};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let Ok(printed) = tkprof::read(&text) else { return };
    assert!(printed.misread.len() as u64 <= printed.not_understood);
    let options = Options::default();
    let mut again = Vec::new();
    tkprof::print(&printed.report, &options, &mut again).expect("memory takes what is written");
    let json = serde_json::to_string(&tkprof::json(&printed.report, &options)).expect("a report is JSON");
    assert!(json.starts_with('{'));
    let again = String::from_utf8(again).expect("what is printed is text");
    let _ = tkprof::read(&again);
});
