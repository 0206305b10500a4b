//! CAST.

use common::DataType;
use scalar::context::FixedContext;
use scalar::{DateTime, Datum, cast};

fn cast_of(value: Datum, to: DataType) -> Result<Datum, String> {
    cast(&FixedContext::default(), &value, to).map_err(|error| error.number.to_string())
}

#[test]
fn texts_are_cut_and_padded() {
    assert_eq!(cast_of(Datum::varchar2("abc"), DataType::Varchar2 { bytes: 2 }), Ok(Datum::varchar2("ab")));
    assert_eq!(cast_of(Datum::varchar2("äöü"), DataType::Varchar2 { bytes: 3 }), Ok(Datum::varchar2("ä")));
    assert_eq!(cast_of(Datum::varchar2("ab"), DataType::Char { bytes: 4 }), Ok(Datum::character("ab  ")));
    assert_eq!(cast_of(Datum::integer(12345), DataType::Varchar2 { bytes: 5 }), Ok(Datum::varchar2("12345")));
    assert_eq!(cast_of(Datum::integer(12345), DataType::Varchar2 { bytes: 3 }), Err("ORA-25137".to_owned()));
}

#[test]
fn numbers_are_rounded() {
    let money = DataType::Number { precision: Some(4), scale: 1 };
    let tenths = |units: i64| Datum::Number(format::number::encode_i128(i128::from(units), 1).unwrap());
    assert_eq!(cast_of(Datum::varchar2("12.35"), money), Ok(tenths(124)));
    assert_eq!(cast_of(Datum::integer(1000), money), Err("ORA-01438".to_owned()));
    assert_eq!(cast_of(Datum::varchar2("x"), money), Err("ORA-01722".to_owned()));
    assert_eq!(cast_of(Datum::Null, money), Ok(Datum::Null));
}

#[test]
fn fractions_of_a_second_are_rounded() {
    let at = DateTime { second: 1, nanosecond: 123_456_789, ..DateTime::midnight(2024, 1, 1) };
    let rounded = DateTime { nanosecond: 120_000_000, ..at };
    let precise = DataType::Timestamp { precision: 2 };
    assert_eq!(cast_of(Datum::timestamp(&at), precise), Ok(Datum::timestamp(&rounded)));
    let half = DateTime { nanosecond: 500_000_000, ..at };
    assert_eq!(cast_of(Datum::timestamp(&half), DataType::Date), Ok(Datum::date(&DateTime { second: 2, ..half })));
}
