use proptest::prelude::*;

use super::*;

fn number(text: &str) -> NumberBytes {
    parse(text).unwrap()
}

#[test]
fn known_bytes() {
    let table: &[(&str, &[u8])] = &[
        ("0", &[0x80]),
        ("1", &[0xC1, 0x02]),
        ("10", &[0xC1, 0x0B]),
        ("101", &[0xC2, 0x02, 0x02]),
        ("200", &[0xC2, 0x03]),
        ("4400", &[0xC2, 0x2D]),
        ("123.45", &[0xC2, 0x02, 0x18, 0x2E]),
        ("0.1", &[0xC0, 0x0B]),
        ("-1", &[0x3E, 0x64, 0x66]),
        ("-123", &[0x3D, 0x64, 0x4E, 0x66]),
        ("1000000", &[0xC4, 0x02]),
        ("1e-130", &[0x80, 0x02]),
    ];
    for (text, bytes) in table {
        assert_eq!(number(text).as_bytes(), *bytes, "{text}");
        assert!(is_valid(bytes), "{text}");
    }
    assert_eq!(number("9.99e125").as_bytes()[0], 0xFF);
    assert_eq!(number("-9.99e125").as_bytes()[0], 0x00);
}

#[test]
fn text_forms() {
    let table = [
        ("0", "0"),
        ("-0.0", "0"),
        ("0.5", ".5"),
        ("-.50", "-.5"),
        ("1e3", "1000"),
        ("+1.5E-3", ".0015"),
        ("00012.3400", "12.34"),
        ("1e39", "1000000000000000000000000000000000000000"),
        ("1e40", "1.0000000000000000000000000000000000E+40"),
        ("1.5e125", "1.500000000000000000000000000000000E+125"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("1e-10", ".0000000001"),
        ("-9999999999999999999", "-9999999999999999999"),
        ("9223372036854775807", "9223372036854775807"),
    ];
    for (text, shown) in table {
        assert_eq!(number(text).to_string(), shown, "{text}");
    }
}

#[test]
fn twenty_digit_pairs_are_kept() {
    let third = format!(".{}", "3".repeat(60));
    assert_eq!(number(&third).len(), 21);
    assert_eq!(number(&third), number(&format!(".{}", "3".repeat(40))));
    let two_thirds = number(&format!(".{}", "6".repeat(60)));
    assert_eq!(two_thirds, number(&format!(".{}7", "6".repeat(39))));
    assert_eq!(number(&format!("-{}", "9".repeat(41))), number("-1e41"));
    assert!(parse(&"9".repeat(126)).unwrap_err().is_ora(1426));
    assert!(parse("1e126").unwrap_err().is_ora(1426));
    assert!(number("1e-131").is_zero());
}

#[test]
fn wrong_text_is_refused() {
    for text in ["", "-", ".", "1 2", "abc", "1e", "1e+", "--1", "1.2.3", "e5", "0x10", "1,5"] {
        assert!(parse(text).unwrap_err().is_ora(1722), "{text:?}");
    }
}

#[test]
fn rounding() {
    let table = [
        ("15.193", 1, "15.2", "15.1"),
        ("15.193", -1, "20", "10"),
        ("-15.5", 0, "-16", "-15"),
        ("99.5", 0, "100", "99"),
        ("99.95", 1, "100", "99.9"),
        ("999999.995", 2, "1000000", "999999.99"),
        ("0.05", 1, ".1", "0"),
        ("0.04", 1, "0", "0"),
        ("0.5", 0, "1", "0"),
        ("5", -1, "10", "0"),
        ("4.9", -1, "0", "0"),
        ("50", -2, "100", "0"),
        ("49", -2, "0", "0"),
        ("500", -3, "1000", "0"),
        ("123", -4, "0", "0"),
        ("0.0005", 3, ".001", "0"),
        ("0.00051", 3, ".001", "0"),
        ("0.00949", 3, ".009", ".009"),
        ("0.0095", 3, ".01", ".009"),
        ("123.456", 10, "123.456", "123.456"),
    ];
    for (text, places, rounded, cut) in table {
        assert_eq!(round(&number(text), places).unwrap().to_string(), rounded, "round({text}, {places})");
        assert_eq!(truncate(&number(text), places).to_string(), cut, "trunc({text}, {places})");
    }
}

#[test]
fn fitting_a_column() {
    let fits = |text: &str, p, s| fit(&number(text), p, s).map(|n| n.to_string());
    assert_eq!(fits("123.456", Some(5), 2).unwrap(), "123.46");
    assert_eq!(fits("999.994", Some(5), 2).unwrap(), "999.99");
    assert!(fits("999.995", Some(5), 2).unwrap_err().is_ora(1438));
    assert!(fits("1000", Some(5), 2).unwrap_err().is_ora(1438));
    assert_eq!(fits("12345", Some(3), -2).unwrap(), "12300");
    assert!(fits("123456", Some(3), -2).unwrap_err().is_ora(1438));
    assert_eq!(fits(".00123", Some(3), 5).unwrap(), ".00123");
    assert!(fits(".0123", Some(3), 5).unwrap_err().is_ora(1438));
    assert_eq!(fits("1.5", None, 0).unwrap(), "1.5");
    assert_eq!(fits("0", Some(1), 0).unwrap(), "0");
    assert_eq!(fits("-9.5", Some(2), 0).unwrap(), "-10");
}

#[test]
fn integers_and_floats() {
    for value in [0, 1, -1, 99, 100, 101, i64::MAX, i64::MIN, 1_000_000, -1_234_567] {
        assert_eq!(decode_i64(&encode_i64(value)), Some(value));
        assert_eq!(decode_f64(&encode_i64(value)), value as f64);
        assert_eq!(encode_i64(value).to_string(), value.to_string());
    }
    assert_eq!(decode_i64(&number("1.5")), None);
    assert_eq!(decode_i64(&number("9223372036854775808")), None);
    assert_eq!(decode_i128(&number("1.5"), 1), Some(15));
    assert_eq!(decode_i128(&number("1.5"), 0), None);
    assert_eq!(encode_f64(0.1), Some(number(".1")));
    assert_eq!(encode_f64(f64::NAN), None);
    assert_eq!(decode_f64(&number("1e125")), 1e125);
}

fn any_number() -> impl Strategy<Value = (i128, i32)> {
    prop_oneof![
        (any::<i64>().prop_map(i128::from), 0..1i32),
        (-100_000i64..100_000).prop_map(i128::from).prop_flat_map(|c| (Just(c), -4..8i32)),
        (-10i128.pow(37)..10i128.pow(37), -60..90i32),
    ]
}

/// `a / 10^sa` against `b / 10^sb` by text, padded to the same shape: a model without the code under test.
fn compare(a: (i128, i32), b: (i128, i32)) -> Ordering {
    let least = -100;
    let shape = |(c, s): (i128, i32)| format!("{}{}", c.unsigned_abs(), "0".repeat((100 - s - least) as usize));
    let sign = |c: i128| c.signum();
    sign(a.0).cmp(&sign(b.0)).then_with(|| {
        let (x, y) = (shape(a), shape(b));
        let order = x.len().cmp(&y.len()).then(x.cmp(&y));
        if a.0 < 0 { order.reverse() } else { order }
    })
}

proptest! {
    #[test]
    fn coefficients_round_trip((coefficient, scale) in any_number()) {
        let number = encode_i128(coefficient, scale).unwrap();
        prop_assert!(is_valid(&number), "{:?}", number);
        prop_assert_eq!(decode_i128(&number, scale), Some(coefficient));
        prop_assert_eq!(parse(&format!("{coefficient}e{}", -scale)).unwrap(), number);
        prop_assert_eq!(NumberBytes::from_bytes(&number), Some(number));
        prop_assert_eq!(unpack(&number).pack(), number);
        prop_assert_eq!(number.negate().negate(), number);
    }

    #[test]
    fn bytes_sort_as_numbers(a in any_number(), b in any_number()) {
        prop_assume!(a.0 != 0 && b.0 != 0);
        let (x, y) = (encode_i128(a.0, a.1).unwrap(), encode_i128(b.0, b.1).unwrap());
        prop_assert_eq!(x.cmp(&y), compare(a, b), "{:?} {:?}", x, y);
        prop_assert_eq!(x.as_bytes().cmp(y.as_bytes()), x.cmp(&y));
    }

    #[test]
    fn zero_sorts_between_the_signs((coefficient, scale) in any_number()) {
        let number = encode_i128(coefficient, scale).unwrap();
        prop_assert_eq!(number.cmp(&NumberBytes::ZERO), coefficient.cmp(&0));
        prop_assert_eq!(number.signum(), coefficient.signum() as i32);
    }

    #[test]
    fn short_text_round_trips((coefficient, scale) in (any::<i64>(), 0..20i32)) {
        let number = encode_i128(i128::from(coefficient), scale).unwrap();
        prop_assert_eq!(parse(&number.to_string()).unwrap(), number);
    }

    #[test]
    fn rounding_is_half_away_from_zero((coefficient, scale) in (any::<i64>(), 0..12i32), places in -10..14i32) {
        let number = encode_i128(i128::from(coefficient), scale).unwrap();
        let drop = (scale - places).max(0) as u32;
        let unit = 10i128.pow(drop);
        let (whole, rest) = (i128::from(coefficient) / unit, i128::from(coefficient) % unit);
        let up = if rest.abs() * 2 >= unit { i128::from(coefficient.signum()) } else { 0 };
        prop_assert_eq!(round(&number, places).unwrap(), encode_i128((whole + up) * unit, scale).unwrap());
        prop_assert_eq!(truncate(&number, places), encode_i128(whole * unit, scale).unwrap());
    }

    #[test]
    fn floats_round_trip(value in any::<f64>()) {
        prop_assume!(value.is_finite() && value.abs() < 1e125 && value.abs() > 1e-110);
        prop_assert_eq!(decode_f64(&encode_f64(value).unwrap()), value);
    }

    #[test]
    fn any_bytes_are_judged_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
        let decimal = unpack(&bytes);
        let _ = (decode_i64(&bytes), decode_scaled(&bytes), decode_f64(&bytes));
        if is_valid(&bytes) {
            let packed = decimal.pack();
            prop_assert_eq!(packed.as_bytes(), &bytes[..]);
        }
    }

    #[test]
    fn any_text_is_judged_without_panic(text in "[-+0-9.eE ]{0,50}") {
        if let Ok(number) = parse(&text) {
            prop_assert!(is_valid(&number));
        }
    }
}

#[test]
fn a_scale_beyond_reason_has_no_integer() {
    for scale in [i32::MIN, i32::MAX] {
        assert_eq!(decode_i128(&[0xC1, 2], scale), None);
        assert_eq!(decode_i128(&[0x80], scale), Some(0));
    }
}
