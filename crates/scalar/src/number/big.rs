//! NUMBER as a big integer over a power of ten, for values beyond 128 bits.

use common::Result;
use format::number::{NumberBytes, pack, unpack};
use num_bigint::{BigInt, Sign};

/// `number × 10^scale`, cut to an integer; exact when `scale` is 168 or more.
pub(super) fn scaled(number: &NumberBytes, scale: i64) -> BigInt {
    let decimal = unpack(number);
    let sign = if decimal.negative { Sign::Minus } else { Sign::Plus };
    let coefficient = BigInt::from_radix_be(sign, decimal.digits(), 100).unwrap_or_default();
    let power = scale + 2 * (i64::from(decimal.exponent) + 1 - decimal.length as i64);
    if power >= 0 {
        coefficient * power_of_ten(power as u32)
    } else {
        coefficient / power_of_ten(power.unsigned_abs() as u32)
    }
}

/// The NUMBER `value / 10^scale`.
pub(super) fn number(value: &BigInt, scale: i64) -> Result<NumberBytes> {
    let odd = scale.rem_euclid(2) == 1;
    let (sign, digits) = if odd { (value * 10u32).to_radix_be(100) } else { value.to_radix_be(100) };
    let pairs = (scale + i64::from(odd)) / 2;
    pack(sign == Sign::Minus, &digits, (digits.len() as i64 - 1 - pairs) as i32)
}

pub(super) fn power_of_ten(exponent: u32) -> BigInt {
    BigInt::from(10u32).pow(exponent)
}
