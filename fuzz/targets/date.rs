//! DATE and TIMESTAMP: any bytes are judged, those that are one come back from their parts, and days from their
//! numbers.

#![no_main]

use format::date::{self, DateTime};
use highwater_fuzz::Input;
use libfuzzer_sys::fuzz_target;
use scalar::date::arithmetic::add_months;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let length = usize::from(input.byte() % 14);
    let bytes = input.take(length);
    let decoded = date::decode(bytes);
    let _ = date::widen(bytes);
    if date::is_valid(bytes) {
        decoded.check().expect("valid bytes are a date");
        assert_eq!(date::stored(&decoded.timestamp()), bytes);
        let day = decoded.julian_day();
        // The ten days that October 1582 does not have count on from the 4th.
        let gap = decoded.year == 1582 && decoded.month == 10 && (5..15).contains(&decoded.day);
        if !gap {
            assert_eq!(date::from_julian_day(day).ok(), Some((decoded.year, decoded.month, decoded.day)));
            let second = DateTime { nanosecond: 0, ..decoded };
            assert_eq!(DateTime::from_unix_seconds(decoded.unix_seconds()).ok(), Some(second));
        }
        assert!(date::weekday(day) < 7);
        if let Ok(later) = add_months(&decoded, i64::from(input.word() as i16) * i64::from(input.byte())) {
            assert!(date::is_valid(&later.date()));
        }
    }
    let number = input.long() as i64;
    for date in
        [DateTime::from_seconds(number), DateTime::from_unix_seconds(number), DateTime::from_unix_micros(number)]
    {
        if let Ok(date) = date {
            assert!(date::is_valid(date::stored(&date.timestamp())), "{date:?}");
        }
    }
});
