//! Statspack and AWR text, as it is and out of a report's own pieces: sections, tables, the model.

#![no_main]

use highwater_fuzz::{Input, reports};
use libfuzzer_sys::fuzz_target;
use report::grid::text;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let own = data.first().is_some_and(|first| first % 2 == 1);
    let page = if own {
        input.byte();
        reports::text(&mut input)
    } else {
        String::from_utf8_lossy(data).into_owned()
    };
    reports::check(&text::documents(&page), page.len());
});
