//! The functions of DBMS_RANDOM. The context supplies the numbers and applies a seed.

use common::Result;
use format::number::{self, NumberBytes};

use super::arguments::{given, integer, number as argument, text};
use super::types::{fixed_number, fixed_text};
use super::{Function, function};
use crate::context::Context;
use crate::datum::Datum;
use crate::number::arithmetic::{add, multiply, subtract};

pub(super) const FUNCTIONS: &[Function] = &[
    function("DBMS_RANDOM.RANDOM", 0, 0, fixed_number, |context, _| {
        Ok(Datum::integer(i64::from(context.random() as u32 as i32)))
    })
    .volatile(),
    function("DBMS_RANDOM.STRING", 2, 2, fixed_text, string).volatile(),
    function("DBMS_RANDOM.VALUE", 0, 2, fixed_number, value).volatile(),
];

/// At least 0 and below 1, with 38 decimal places.
fn unit(context: &dyn Context) -> Result<NumberBytes> {
    const HALF: u64 = 10_000_000_000_000_000_000;
    let high = below(context.random(), HALF);
    let low = below(context.random(), HALF);
    number::encode_i128(high * i128::from(HALF) + low, 38)
}

/// A uniform number from 0 up to `end`, without `end`: `random` scaled from all 64-bit numbers. A remainder would
/// favour small numbers where 2^64 is no multiple of `end`.
fn below(random: u64, end: u64) -> i128 {
    // Both factors have 64 bits, so the product fits.
    i128::from(((u128::from(random) * u128::from(end)) >> 64) as u64)
}

/// `VALUE` or `VALUE(low, high)`.
fn value(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let unit = unit(context)?;
    if arguments.is_empty() {
        return Ok(Datum::Number(unit));
    }
    let low = given!(argument(context, arguments, 0));
    let high = given!(argument(context, arguments, 1));
    Ok(Datum::Number(add(&low, &multiply(&unit, &subtract(&high, &low)?)?)?))
}

/// `STRING(kind, length)`: `u` capitals, `l` small letters, `a` both, `x` capitals and digits, `p` anything printable.
fn string(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    const PRINTABLE: std::ops::RangeInclusive<char> = ' '..='~';
    let kind = given!(text(context, arguments, 0));
    let length = given!(integer(context, arguments, 1)).clamp(0, common::limits::VARCHAR2_BYTES_MAX as i64);
    let characters: Vec<char> = match kind.chars().next().map(|kind| kind.to_ascii_lowercase()) {
        Some('l') => ('a'..='z').collect(),
        Some('a') => ('A'..='Z').chain('a'..='z').collect(),
        Some('x') => ('A'..='Z').chain('0'..='9').collect(),
        Some('p') => PRINTABLE.collect(),
        _ => ('A'..='Z').collect(),
    };
    let text: String = (0..length).map(|_| characters[(context.random() % characters.len() as u64) as usize]).collect();
    Ok(Datum::varchar2(text))
}

#[cfg(test)]
mod tests {
    use super::below;

    #[test]
    fn shares_of_all_numbers_are_shares_of_the_range() {
        const END: u64 = 10_000_000_000_000_000_000;
        assert_eq!((below(0, END), below(u64::MAX, END)), (0, i128::from(END) - 1));
        // A number at a tenth of its range gives one at a tenth of the range.
        for tenth in 1..10_u64 {
            let at = below(u64::MAX / 10 * tenth, END);
            let due = i128::from(END / 10 * tenth);
            assert!((at - due).abs() < 20, "{at} {due}");
        }
    }
}
