//! Invariants of any value: formats read what they wrote, LIKE agrees with a regular expression, conversions come
//! back.

#![expect(clippy::unwrap_used, reason = "a test")]

use proptest::prelude::*;
use scalar::coerce::coerce;
use scalar::context::FixedContext;
use scalar::date::format::Format;
use scalar::date::{parse, write};
use scalar::number::elementary::{exponential, natural_logarithm, power, square_root};
use scalar::number::format::NumberFormat;
use scalar::text::like::Pattern;
use scalar::text::part::{find, substring};
use scalar::{Context, DateTime, Datum, DatumType, NumberBytes, number};

fn any_moment() -> impl Strategy<Value = DateTime> {
    (1_721_424i64..5_373_484, 0i64..86_400)
        .prop_map(|(day, second)| DateTime::from_seconds(day * 86_400 + second).unwrap())
}

proptest! {
    #[test]
    fn date_formats_read_what_they_wrote(at in any_moment(), format in prop::sample::select(vec![
        "YYYY-MM-DD HH24:MI:SS", "YYYYMMDDHH24MISS", "DD-MON-YYYY HH:MI:SS AM", "fmDay, DD Month YYYY HH24:MI:SS",
        "J SSSSS", "YYYY DDD HH24:MI:SS", "DD.RM.YYYY HH12.MI.SS P.M.", "SYYYY/MM/DD\"T\"HH24:MI:SS", "Y,YYY MM DD SSSSS",
    ])) {
        let context = FixedContext::default();
        let format = Format::parse(format).unwrap();
        let text = write::write(context.nls(), &at, &format).unwrap();
        prop_assert_eq!(parse::parse(&context, &text, &format).unwrap(), Some(at), "{} by {}", text, format.text());
    }

    #[test]
    fn any_format_and_text_end_in_a_word(format in "[A-Z0-9 ,.:/\"-]{0,20}", text in "[A-Za-z0-9 ,.:/-]{0,20}") {
        let context = FixedContext::default();
        if let Ok(format) = Format::parse(&format) {
            let _ = write::write(context.nls(), &context.now(), &format);
            let _ = parse::parse(&context, &text, &format);
        }
    }

    #[test]
    fn any_number_format_ends_in_a_word(format in "[FMSBLCGDVXEN90.,$PRIT]{0,12}", coefficient in any::<i64>(), scale in -5..30i32,
        text in "[-+0-9.,E$<>]{0,12}") {
        let context = FixedContext::default();
        if let Ok(format) = NumberFormat::parse(&format) {
            let value = format::number::encode_i128(i128::from(coefficient), scale).unwrap();
            let _ = number::write::write(context.nls(), &value, &format);
            let _ = number::parse::parse(context.nls(), &text, &format);
        }
    }

    #[test]
    fn number_formats_read_what_they_wrote(coefficient in -99_999_999i64..99_999_999, format in prop::sample::select(vec![
        "999,999,990.99", "S000000000.00", "FM999G999G999D99MI", "999999999.99PR", "$9,999,999.99", "9.999999999EEEE",
    ])) {
        let context = FixedContext::default();
        let value = format::number::encode_i128(i128::from(coefficient), 2).unwrap();
        let format = NumberFormat::parse(format).unwrap();
        let text = number::write::write(context.nls(), &value, &format).unwrap();
        prop_assert_eq!(number::parse::parse(context.nls(), &text, &format).unwrap(), value, "{}", text);
    }

    #[test]
    fn like_agrees_with_a_regular_expression(text in "[abä]{0,8}", pattern in "[abä%_]{0,6}") {
        let expression: String = pattern
            .chars()
            .map(|c| match c { '%' => ".*".to_owned(), '_' => ".".to_owned(), other => other.to_string() })
            .collect();
        let regex = regex::Regex::new(&format!("^{expression}$")).unwrap();
        prop_assert_eq!(Pattern::new(&pattern, None).unwrap().matches(&text), regex.is_match(&text));
    }

    #[test]
    fn parts_of_a_text(text in "[abcä€]{0,10}", start in -12i64..12, length in prop::option::of(-1i64..12)) {
        let characters: Vec<char> = text.chars().collect();
        let from = if start < 0 { characters.len() as i64 + start } else { (start - 1).max(0) };
        let expected: String = if from < 0 { String::new() } else {
            characters.iter().skip(from as usize).take(length.unwrap_or(99).max(0) as usize).collect()
        };
        prop_assert_eq!(substring(&text, start, length).unwrap_or(""), expected);
    }

    #[test]
    fn instr_finds_the_substring(text in "[abä]{1,10}", part in "[abä]{1,2}", start in -12i64..12, occurrence in 1i64..4) {
        let place = find(&text, &part, start, occurrence);
        if place > 0 {
            prop_assert!(substring(&text, place, None).unwrap().starts_with(&part));
        }
        let count = (0..text.len()).filter(|at| text.is_char_boundary(*at) && text[*at..].starts_with(&part)).count();
        prop_assert_eq!(find(&text, &part, 1, occurrence) > 0, count as i64 >= occurrence);
        prop_assert_eq!(find(&text, &part, -1, occurrence) > 0, count as i64 >= occurrence);
    }

    #[test]
    fn numbers_come_back_from_text(coefficient in any::<i64>(), scale in 0..19i32) {
        let context = FixedContext::default();
        let value = Datum::Number(format::number::encode_i128(i128::from(coefficient), scale).unwrap());
        let text = coerce(&context, &value, DatumType::Varchar2).unwrap();
        prop_assert_eq!(coerce(&context, &text, DatumType::Number).unwrap(), value);
    }
}

/// The distance of `a` from `b`, in parts of `b`.
fn is_close(a: &NumberBytes, b: &NumberBytes) -> bool {
    let difference = number::arithmetic::subtract(a, b).unwrap().absolute();
    let part = number::arithmetic::divide(&difference, &b.absolute()).unwrap();
    part < format::number::parse("1e-36").unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn elementary_functions_undo_each_other(coefficient in 1i64..10_000_000_000, scale in 0..9i32) {
        let value = format::number::encode_i128(i128::from(coefficient), scale).unwrap();
        let root = square_root(&value).unwrap();
        prop_assert!(is_close(&number::arithmetic::multiply(&root, &root).unwrap(), &value), "sqrt {value}");
        let logarithm = natural_logarithm(&value).unwrap();
        prop_assert!(is_close(&exponential(&logarithm).unwrap(), &value), "ln {value}");
        let half = format::number::parse(".5").unwrap();
        prop_assert!(is_close(&power(&value, &half).unwrap(), &root), "power {value}");
    }
}
