//! Formats of TO_CHAR, TO_DATE, TO_NUMBER and EXTRACT-like units: any format and any text; what a format writes it can
//! often read.

#![no_main]

use format::date::{self, DateTime};
use format::number::NumberBytes;
use highwater_fuzz::Input;
use libfuzzer_sys::fuzz_target;
use scalar::context::{Context, FixedContext};
use scalar::date::format::Format;
use scalar::date::unit::Unit;
use scalar::number::format::NumberFormat;
use scalar::{date as dates, number as numbers};

const DATE_ELEMENTS: &[&str] = &[
    "AD", "BC", "A.D.", "AM", "P.M.", "CC", "SCC", "D", "DAY", "Day", "DD", "DDD", "DY", "FF", "FF3", "FF9", "FM",
    "FX", "HH", "HH12", "HH24", "IW", "IYYY", "J", "MI", "MM", "MON", "Month", "Q", "RM", "RR", "RRRR", "SS", "SSSSS",
    "SYEAR", "SYYYY", "W", "WW", "X", "Y,YYY", "YEAR", "YYYY", "YYY", "YY", "Y", "TH", "SP", "SPTH", "\"text\"", "-",
    "/", " ", ":", ".", ",", ";", "TS", "DL", "DS", "é",
];
const NUMBER_ELEMENTS: &[&str] = &[
    "9", "99", "0", "$", ".", ",", "B", "C", "D", "EEEE", "G", "L", "MI", "PR", "RN", "rn", "S", "TM", "TM9", "TMe",
    "U", "V", "X", "xx", "FM", "é",
];

fn format_text(input: &mut Input<'_>, elements: &[&str]) -> String {
    let mut text = String::new();
    for _ in 0..input.byte() % 12 {
        text.push_str(elements[input.below(elements.len())]);
    }
    text
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let context = FixedContext::default();
    let choice = input.byte();
    let elements = if choice & 1 == 0 { DATE_ELEMENTS } else { NUMBER_ELEMENTS };
    let seconds = input.long() as i64;
    let number = input.take(usize::from(choice >> 3) % 23);
    let own = format_text(&mut input, elements);
    let text = String::from_utf8_lossy(input.rest()).into_owned();
    // The format from the elements and the text to read, or both from the text.
    let (pattern, text) = if choice & 2 == 0 { (own, text) } else { split(text) };
    if choice & 1 == 0 {
        let days = 5_373_484 * 86_400;
        let mut at = DateTime::from_seconds(seconds.rem_euclid(days)).unwrap_or(DateTime::midnight(1, 1, 1));
        at.nanosecond = (seconds as u32) % 1_000_000_000;
        dates_of(&context, &pattern, &text, at);
    } else {
        numbers_of(&context, &pattern, &text, NumberBytes::from_bytes(number).unwrap_or(NumberBytes::ONE));
    }
});

fn split(text: String) -> (String, String) {
    match text.split_once('|') {
        Some((pattern, text)) => (pattern.to_owned(), text.to_owned()),
        None => (text.clone(), text),
    }
}

fn dates_of(context: &FixedContext, pattern: &str, text: &str, at: DateTime) {
    if let Ok(unit) = Unit::parse(pattern) {
        for date in [unit.truncate(&at), unit.round(&at)].into_iter().flatten() {
            assert!(date::is_valid(&date.date()), "{date:?}");
        }
    }
    let Ok(format) = Format::parse(pattern) else { return };
    if let Ok(Some(date)) = dates::parse::parse(context, text, &format) {
        assert!(date::is_valid(date::stored(&date.timestamp())), "{pattern} of {text} is {date:?}");
    }
    if let Ok(written) = dates::write::write(context.nls(), &at, &format) {
        let _ = dates::parse::parse(context, &written, &format);
    }
}

fn numbers_of(context: &FixedContext, pattern: &str, text: &str, value: NumberBytes) {
    let Ok(format) = NumberFormat::parse(pattern) else { return };
    let nls = context.nls();
    if let Ok(number) = numbers::parse::parse(nls, text, &format) {
        assert!(format::number::is_valid(&number));
    }
    if let Ok(written) = numbers::write::write(nls, &value, &format) {
        let _ = numbers::parse::parse(nls, &written, &format);
    }
}
