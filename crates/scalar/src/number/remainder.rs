//! MOD and REMAINDER, CEIL and FLOOR.

use common::{Error, Result};
use format::number::{self, NumberBytes};
use num_bigint::BigInt;

use super::{arithmetic, big};

/// A scale at which every NUMBER is an integer.
const EXACT: i64 = 168;

/// MOD: what is left of `a` after taking away `b` a whole number of times; it has the sign of `a`. By 0 it is `a`.
///
/// # Errors
/// None in practice.
pub fn modulo(a: &NumberBytes, b: &NumberBytes) -> Result<NumberBytes> {
    if b.is_zero() {
        return Ok(*a);
    }
    if let (Some(x), Some(y)) = (number::decode_i64(a), number::decode_i64(b)) {
        return Ok(number::encode_i64(x.wrapping_rem(y)));
    }
    if let (Some((mut x, scale_x)), Some((mut y, scale_y))) = (number::decode_scaled(a), number::decode_scaled(b)) {
        let scale = scale_x.max(scale_y);
        let raise = |value: i128, own: i32| 10i128.checked_pow((scale - own) as u32)?.checked_mul(value);
        if let (Some(raised_x), Some(raised_y)) = (raise(x, scale_x), raise(y, scale_y)) {
            (x, y) = (raised_x, raised_y);
            return number::encode_i128(x % y, scale);
        }
    }
    big::number(&(big::scaled(a, EXACT) % big::scaled(b, EXACT)), EXACT)
}

/// REMAINDER: the same with the nearest whole number of times, the even one at a half.
///
/// # Errors
/// ORA-01476 by zero.
pub fn remainder(a: &NumberBytes, b: &NumberBytes) -> Result<NumberBytes> {
    if b.is_zero() {
        return Err(Error::user(1476, "divisor is equal to zero"));
    }
    let (x, y) = (big::scaled(a, EXACT), big::scaled(b, EXACT));
    let times = &x / &y;
    let rest = &x - &times * &y;
    let one = BigInt::from(1);
    let twice: BigInt = &rest * 2;
    let away = if (rest.sign() == num_bigint::Sign::Minus) == (y.sign() == num_bigint::Sign::Minus) { 1 } else { -1 };
    let over = twice.magnitude().cmp(y.magnitude());
    let odd = &times & &one == one;
    let rest = if over.is_gt() || (over.is_eq() && odd) { rest - y * away } else { rest };
    big::number(&rest, EXACT)
}

/// FLOOR: the largest integer that is not larger.
///
/// # Errors
/// ORA-01426.
pub fn floor(value: &NumberBytes) -> Result<NumberBytes> {
    let whole = number::truncate(value, 0);
    if value.is_negative() && whole != *value { arithmetic::subtract(&whole, &NumberBytes::ONE) } else { Ok(whole) }
}

/// CEIL: the smallest integer that is not smaller.
///
/// # Errors
/// ORA-01426.
pub fn ceiling(value: &NumberBytes) -> Result<NumberBytes> {
    let whole = number::truncate(value, 0);
    if !value.is_negative() && whole != *value { arithmetic::add(&whole, &NumberBytes::ONE) } else { Ok(whole) }
}
