//! AWR HTML, as it is and out of a report's own pieces: sections, tables, the model.

#![no_main]

use highwater_fuzz::{Input, reports};
use libfuzzer_sys::fuzz_target;
use report::grid::html;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let own = data.first().is_some_and(|first| first % 2 == 1);
    let page = if own {
        input.byte();
        reports::html(&mut input)
    } else {
        String::from_utf8_lossy(data).into_owned()
    };
    let documents = html::documents(&page);
    reports::check(&documents, page.len());
    // Windows line ends are no other report. (A carriage return of its own is a line end to HTML and none to the count
    // of lines.)
    if !page.contains('\r') && page.len() < 8192 {
        assert_eq!(html::documents(&page.replace('\n', "\r\n")), documents);
    }
});
