//! NUMBER: any bytes are judged, bytes that are a NUMBER come back from text and from integers, and sort as their
//! values do.

#![no_main]

use format::number::{self, NumberBytes};
use highwater_fuzz::Input;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let length = usize::from(input.byte() % 24);
    let first = input.take(length);
    any_bytes(first);
    // From one end of the range to the other, and close to zero.
    let places = i32::from(input.byte() as i8) << if input.byte() & 1 == 0 { 0 } else { 24 };
    let length = usize::from(input.byte() % 24);
    let second = input.take(length);
    if let (Some(a), Some(b)) = (NumberBytes::from_bytes(first), NumberBytes::from_bytes(second)) {
        assert_eq!(a.cmp(&b), a.as_bytes().cmp(b.as_bytes()));
        assert_eq!(a.negate().cmp(&b.negate()), b.cmp(&a));
    }
    if let Some(value) = NumberBytes::from_bytes(first) {
        valid(&value, places);
    }
    let scaled = i128::from(input.long() as i64) * i128::from(input.long() as i64);
    if let Ok(value) = number::encode_i128(scaled, places) {
        assert!(number::is_valid(&value));
    }
    assert_eq!(number::decode_i64(&number::encode_i64(scaled as i64)), Some(scaled as i64));
    if let Some(value) = number::encode_f64(f64::from_bits(input.long())) {
        assert!(number::is_valid(&value));
    }
    if let Ok(text) = std::str::from_utf8(input.rest())
        && let Ok(value) = number::parse(text)
    {
        assert!(number::is_valid(&value), "{text} became {value:?}");
    }
});

fn any_bytes(bytes: &[u8]) {
    let _ = number::unpack(bytes);
    let _ = number::decode_i64(bytes);
    let _ = number::decode_scaled(bytes);
    let _ = number::decode_f64(bytes);
    let _ = number::decode_i128(bytes, 2);
}

fn valid(value: &NumberBytes, places: i32) {
    assert_eq!(number::unpack(value).pack(), *value);
    assert_eq!(value.negate().negate(), *value);
    assert!(number::is_valid(&value.negate()) && number::is_valid(&value.absolute()));
    assert_eq!(value.negate().signum(), -value.signum());
    // The default text has 40 characters at most, some of them for sign, point and exponent: it says all digits of most
    // numbers only.
    let text = value.to_string();
    let back = number::parse(&text).expect("a number's text is a number");
    if number::unpack(value).length <= 15 {
        assert_eq!(back, *value, "{text}");
    }
    if let Some(whole) = number::decode_i64(value) {
        assert_eq!(number::encode_i64(whole), *value);
    }
    if let Some((coefficient, scale)) = number::decode_scaled(value) {
        assert_eq!(number::encode_i128(coefficient, scale).expect("it was a number"), *value);
        assert_eq!(number::decode_i128(value, scale), Some(coefficient));
    }
    let _ = number::decode_i128(value, places);
    assert_eq!(number::decode_f64(value) < 0.0, value.is_negative());
    let truncated = number::truncate(value, places);
    assert!(number::is_valid(&truncated));
    assert!(truncated.absolute() <= value.absolute());
    assert_eq!(number::truncate(&truncated, places), truncated);
    if let Ok(rounded) = number::round(value, places) {
        assert!(number::is_valid(&rounded));
        assert!(rounded.absolute() >= truncated.absolute());
        assert_eq!(number::round(&rounded, places).ok(), Some(rounded));
    }
    if let Ok(fitted) = number::fit(value, Some(places.unsigned_abs() as u8 % 38 + 1), places as i8) {
        assert!(number::is_valid(&fitted));
    }
}
