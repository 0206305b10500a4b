//! Lengths that functions declare for their results.

#![expect(clippy::unwrap_used, reason = "a test")]

use scalar::context::FixedContext;
use scalar::functions::{Argument, lookup};
use scalar::{Datum, DatumType};

/// What a caller knows of a literal before the call.
fn literal(value: &Datum) -> Argument {
    Argument {
        datum_type: value.datum_type(),
        bytes: value.as_stored().map_or(0, |bytes| bytes.len() as u32),
        integer: value.as_number().and_then(|number| format::number::decode_i64(number)),
    }
}

fn declared(name: &str, arguments: &[Datum]) -> u32 {
    let known: Vec<Argument> = arguments.iter().map(literal).collect();
    lookup(name).unwrap().result_bytes(&known)
}

/// The bytes of the value of a call.
fn length(name: &str, arguments: &[Datum]) -> u32 {
    let value = lookup(name).unwrap().call(&FixedContext::default(), arguments).unwrap();
    value.as_stored().unwrap().len() as u32
}

#[test]
fn a_text_in_a_number_format_is_as_long_as_a_number_in_it() {
    let format = Datum::varchar2("999,999.99");
    let (text, number) = ([Datum::varchar2("12345"), format.clone()], [Datum::integer(12_345), format]);
    assert_eq!(length("TO_CHAR", &text), 11);
    assert_eq!(declared("TO_CHAR", &text), declared("TO_CHAR", &number));
}

#[test]
fn what_has_one_length_is_declared_with_it() {
    for (name, arguments) in [
        ("REVERSE", vec![Datum::character("abc")]),
        ("HEXTORAW", vec![Datum::varchar2("abc")]),
        ("HEXTORAW", vec![Datum::raw(vec![1, 2, 3])]),
        ("SYS_GUID", vec![]),
    ] {
        assert_eq!(declared(name, &arguments), length(name, &arguments), "{name}{arguments:?}");
    }
}

#[test]
fn nothing_is_declared_longer_than_a_text_can_be() {
    let padded = declared("LPAD", &[Datum::varchar2("a"), Datum::integer(i64::from(u32::MAX))]);
    assert_eq!(padded, 4000);
    let known = |datum_type, bytes| Argument { datum_type, bytes, integer: None };
    let join = lookup("||").unwrap();
    assert_eq!(join.result_bytes(&[known(DatumType::Varchar2, u32::MAX), known(DatumType::Varchar2, 1)]), 4000);
    assert_eq!(join.result_bytes(&[known(DatumType::Raw, u32::MAX), known(DatumType::Varchar2, 1)]), 4000);
}
