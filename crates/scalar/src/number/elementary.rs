//! POWER, SQRT, EXP, LN, LOG and the trigonometric functions, to the last of a NUMBER's digits.
//!
//! Computed on integers in units of 10^-90, of which at most 126 digits stand before the point; series and Newton's
//! method, no floats but for first guesses.

use common::{Error, Result};
use format::number::{self, NumberBytes, overflow};
use num_bigint::{BigInt, Sign};

use super::{arithmetic, big};

/// Decimal places of the computation.
const PLACES: i64 = 90;
/// Below this a function equals the first term of its series, to all digits of a NUMBER.
const TINY: &str = "1e-22";

type Fixed = BigInt;

fn one() -> Fixed {
    big::power_of_ten(PLACES as u32)
}

fn fixed(value: &NumberBytes) -> Fixed {
    big::scaled(value, PLACES)
}

fn number(value: &Fixed) -> Result<NumberBytes> {
    big::number(value, PLACES)
}

fn times(a: &Fixed, b: &Fixed) -> Fixed {
    a * b / one()
}

fn over(a: &Fixed, b: &Fixed) -> Fixed {
    a * one() / b
}

fn is_zero(value: &Fixed) -> bool {
    value.sign() == Sign::NoSign
}

fn out_of_range(value: &NumberBytes) -> Error {
    Error::user(1428, format!("argument '{value}' is out of range"))
}

fn is_tiny(value: &NumberBytes) -> bool {
    number::parse(TINY).is_ok_and(|tiny| value.absolute() < tiny)
}

/// # Errors
/// ORA-01428 for a negative argument.
pub fn square_root(value: &NumberBytes) -> Result<NumberBytes> {
    if value.is_negative() {
        return Err(out_of_range(value));
    }
    // An even scale, so that the root has half of it; enough digits even for the smallest numbers.
    const SCALE: i64 = 240;
    big::number(&big::scaled(value, SCALE).sqrt(), SCALE / 2)
}

/// # Errors
/// ORA-01426.
pub fn exponential(value: &NumberBytes) -> Result<NumberBytes> {
    let limit = number::encode_i64(300);
    if *value > limit {
        return Err(overflow());
    }
    if *value < limit.negate() {
        return Ok(NumberBytes::ZERO);
    }
    let (mantissa, exponent) = exp(&fixed(value));
    big::number(&mantissa, PLACES - exponent)
}

/// e^x as a mantissa and a power of ten.
fn exp(x: &Fixed) -> (Fixed, i64) {
    let ln10 = ln_10();
    let mut exponent = x / &ln10;
    if x.sign() == Sign::Minus {
        exponent -= 1;
    }
    let rest = x - &exponent * &ln10;
    (exp_small(&rest), i64::try_from(exponent).unwrap_or(0))
}

/// e^x for a small x: the series at x / 2^10, squared ten times.
fn exp_small(x: &Fixed) -> Fixed {
    const HALVINGS: u32 = 10;
    let x: Fixed = x >> HALVINGS;
    let mut term = one();
    let mut sum = one();
    let mut n = 1u32;
    while !is_zero(&term) {
        term = times(&term, &x) / n;
        sum += &term;
        n += 1;
    }
    for _ in 0..HALVINGS {
        sum = times(&sum, &sum);
    }
    sum
}

/// ln 10 by Newton's method from a float: each step triples the digits.
fn ln_10() -> Fixed {
    refine_ln(&(one() * 10), std::f64::consts::LN_10)
}

fn refine_ln(m: &Fixed, guess: f64) -> Fixed {
    let mut y = BigInt::from((guess * 1e15) as i64) * big::power_of_ten(PLACES as u32 - 15);
    for _ in 0..3 {
        let e = exp_small(&y);
        y += over(&((m - &e) * 2), &(m + &e));
    }
    y
}

/// # Errors
/// ORA-01428 for 0 and less.
pub fn natural_logarithm(value: &NumberBytes) -> Result<NumberBytes> {
    number(&ln(value)?)
}

fn ln(value: &NumberBytes) -> Result<Fixed> {
    if value.is_negative() || value.is_zero() {
        return Err(out_of_range(value));
    }
    let decimal = number::unpack(value);
    let exponent = i64::from(decimal.exponent) * 2;
    // Between 1 and 100.
    let mantissa = big::scaled(value, PLACES - exponent);
    let guess = number::decode_f64(&big::number(&mantissa, PLACES)?).ln();
    let small = refine_ln(&mantissa, guess);
    Ok(if exponent == 0 { small } else { small + ln_10() * exponent })
}

/// LOG: of `value` to `base`.
///
/// # Errors
/// ORA-01428 for a base or value outside of the function.
pub fn logarithm(base: &NumberBytes, value: &NumberBytes) -> Result<NumberBytes> {
    let base_ln = ln(base)?;
    if is_zero(&base_ln) {
        return Err(out_of_range(base));
    }
    number(&over(&ln(value)?, &base_ln))
}

/// POWER.
///
/// # Errors
/// ORA-01428 for a negative base with a fraction for an exponent, or 0 with a negative one; ORA-01426.
pub fn power(base: &NumberBytes, exponent: &NumberBytes) -> Result<NumberBytes> {
    if exponent.is_zero() {
        return Ok(NumberBytes::ONE);
    }
    if base.is_zero() {
        return if exponent.is_negative() { Err(out_of_range(exponent)) } else { Ok(NumberBytes::ZERO) };
    }
    if let Some(whole) = number::decode_i64(exponent) {
        return power_whole(base, whole);
    }
    if base.is_negative() {
        return Err(out_of_range(base));
    }
    let product = times(&ln(base)?, &fixed(exponent));
    if number(&product)? > number::encode_i64(300) {
        return Err(overflow());
    }
    let (mantissa, shift) = exp(&product);
    big::number(&mantissa, PLACES - shift)
}

/// Squaring, with a mantissa that is cut to 100 digits whenever it grows: exact as long as the result is short.
fn power_whole(base: &NumberBytes, exponent: i64) -> Result<NumberBytes> {
    let decimal = number::unpack(base);
    let start = BigInt::from_radix_be(Sign::Plus, decimal.digits(), 100).unwrap_or_default();
    let shift = (i64::from(decimal.exponent) + 1 - decimal.length as i64) * 2;
    let mut square = (start, shift);
    let mut result = (BigInt::from(1), 0i64);
    let mut left = exponent.unsigned_abs();
    let one = BigInt::from(1);
    if square.0 == one && square.1 == 0 {
        left &= 1;
    }
    while left > 0 {
        if left & 1 == 1 {
            result = shorten(&result.0 * &square.0, result.1 + square.1);
        }
        left >>= 1;
        if left > 0 {
            square = shorten(&square.0 * &square.0, square.1 * 2);
            // Far outside already: the rest only goes further.
            if square.1.abs() > 1_000_000 {
                let shrinks = (square.1 < 0) != (exponent < 0);
                return if shrinks { Ok(NumberBytes::ZERO) } else { Err(overflow()) };
            }
        }
    }
    let (mut mantissa, mut shift) = result;
    if exponent < 0 {
        const DIGITS: u32 = 220;
        mantissa = big::power_of_ten(DIGITS) / mantissa;
        shift = -shift - i64::from(DIGITS);
    }
    if base.is_negative() && exponent & 1 == 1 {
        mantissa = -mantissa;
    }
    big::number(&mantissa, -shift)
}

fn shorten(mantissa: BigInt, shift: i64) -> (BigInt, i64) {
    const BITS: u64 = 340;
    if mantissa.bits() <= BITS {
        return (mantissa, shift);
    }
    let drop = ((mantissa.bits() - BITS) * 30 / 100) as u32 + 1;
    (mantissa / big::power_of_ten(drop), shift + i64::from(drop))
}

/// pi / 4 = 4 atan(1/5) - atan(1/239), to so many places.
fn pi(places: i64) -> BigInt {
    let unit = big::power_of_ten(places as u32 + 5);
    let inverse = |n: u32| {
        let mut power = &unit / n;
        let mut sum = power.clone();
        let mut k = 1u32;
        while !is_zero(&power) {
            power /= -i64::from(n * n);
            sum += &power / (2 * k + 1);
            k += 1;
        }
        sum
    };
    (inverse(5) * 16 - inverse(239) * 4) / 100_000
}

/// Sine and cosine.
fn sine_cosine(value: &NumberBytes) -> (Fixed, Fixed) {
    // As many digits of pi as the argument has before its point, and those of the computation.
    let whole = i64::from(number::unpack(value).exponent.max(0)) * 2 + 2;
    let places = PLACES + whole;
    let turn = pi(places) * 2;
    let rest = big::scaled(value, places) % turn;
    let x: Fixed = rest / big::power_of_ten(whole as u32);
    // The series at x / 2^6, then the angle doubled six times.
    const HALVINGS: u32 = 6;
    let small: Fixed = x >> HALVINGS;
    let square = times(&small, &small);
    let mut sine = small.clone();
    let mut cosine = one();
    let (mut term, mut n) = (small, 2u32);
    let mut term_cosine = one();
    while !is_zero(&term) || !is_zero(&term_cosine) {
        term_cosine = -times(&term_cosine, &square) / (n * (n - 1));
        term = -times(&term, &square) / (n * (n + 1));
        cosine += &term_cosine;
        sine += &term;
        n += 2;
        if n > 400 {
            break;
        }
    }
    for _ in 0..HALVINGS {
        let doubled: Fixed = times(&sine, &cosine) * 2;
        cosine = times(&cosine, &cosine) * 2 - one();
        sine = doubled;
    }
    (sine, cosine)
}

/// # Errors
/// None in practice.
pub fn sine(value: &NumberBytes) -> Result<NumberBytes> {
    if is_tiny(value) { Ok(*value) } else { number(&sine_cosine(value).0) }
}

/// # Errors
/// None in practice.
pub fn cosine(value: &NumberBytes) -> Result<NumberBytes> {
    number(&sine_cosine(value).1)
}

/// # Errors
/// ORA-01426 at a pole.
pub fn tangent(value: &NumberBytes) -> Result<NumberBytes> {
    if is_tiny(value) {
        return Ok(*value);
    }
    let (sine, cosine) = sine_cosine(value);
    if is_zero(&cosine) { Err(overflow()) } else { number(&over(&sine, &cosine)) }
}

fn root(value: &Fixed) -> Fixed {
    (value * one()).sqrt()
}

/// The series after halving the angle five times.
fn arc_tangent_fixed(x: &Fixed) -> Fixed {
    const HALVINGS: u32 = 5;
    let mut small = x.clone();
    for _ in 0..HALVINGS {
        small = over(&small, &(one() + root(&(one() + times(&small, &small)))));
    }
    let square = times(&small, &small);
    let mut power = small.clone();
    let mut sum = small;
    let mut n = 3u32;
    while !is_zero(&power) && n < 400 {
        power = -times(&power, &square);
        sum += &power / n;
        n += 2;
    }
    sum << HALVINGS
}

/// # Errors
/// None in practice.
pub fn arc_tangent(value: &NumberBytes) -> Result<NumberBytes> {
    if is_tiny(value) { Ok(*value) } else { number(&arc_tangent_fixed(&fixed(value))) }
}

/// ATAN2: the angle of the point (x, y).
///
/// # Errors
/// ORA-01428 when both are 0.
pub fn arc_tangent_2(y: &NumberBytes, x: &NumberBytes) -> Result<NumberBytes> {
    if x.is_zero() && y.is_zero() {
        return Err(out_of_range(x));
    }
    let half: Fixed = pi(PLACES) / 2;
    if x.is_zero() {
        return number(&if y.is_negative() { -half } else { half });
    }
    let angle = arc_tangent_fixed(&fixed(&arithmetic::divide(y, x)?));
    number(&match (x.is_negative(), y.is_negative()) {
        (false, _) => angle,
        (true, false) => angle + half * 2,
        (true, true) => angle - half * 2,
    })
}

/// # Errors
/// ORA-01428 outside of -1 to 1.
pub fn arc_sine(value: &NumberBytes) -> Result<NumberBytes> {
    if value.absolute() > NumberBytes::ONE {
        return Err(out_of_range(value));
    }
    if is_tiny(value) {
        return Ok(*value);
    }
    number(&arc_sine_fixed(&fixed(value)))
}

fn arc_sine_fixed(x: &Fixed) -> Fixed {
    let adjacent = root(&(one() - times(x, x)));
    if is_zero(&adjacent) {
        let half: Fixed = pi(PLACES) / 2;
        return if x.sign() == Sign::Minus { -half } else { half };
    }
    arc_tangent_fixed(&over(x, &adjacent))
}

/// # Errors
/// ORA-01428 outside of -1 to 1.
pub fn arc_cosine(value: &NumberBytes) -> Result<NumberBytes> {
    if value.absolute() > NumberBytes::ONE {
        return Err(out_of_range(value));
    }
    number(&(pi(PLACES) / 2 - arc_sine_fixed(&fixed(value))))
}

/// Half the sum (`plus`) or difference of e^x and e^-x.
fn hyperbolic(value: &NumberBytes, plus: bool) -> Result<NumberBytes> {
    let grown = exponential(value)?;
    let shrunk = exponential(&value.negate())?;
    let both = if plus { arithmetic::add(&grown, &shrunk)? } else { arithmetic::subtract(&grown, &shrunk)? };
    arithmetic::divide(&both, &number::encode_i64(2))
}

/// # Errors
/// ORA-01426.
pub fn hyperbolic_cosine(value: &NumberBytes) -> Result<NumberBytes> {
    if value.absolute() > number::encode_i64(50) {
        return hyperbolic(value, true);
    }
    let (grown, shrunk) = exponentials(value);
    number(&((grown + shrunk) / 2))
}

/// # Errors
/// ORA-01426.
pub fn hyperbolic_sine(value: &NumberBytes) -> Result<NumberBytes> {
    if is_tiny(value) {
        return Ok(*value);
    }
    if value.absolute() > number::encode_i64(50) {
        return hyperbolic(value, false);
    }
    let (grown, shrunk) = exponentials(value);
    number(&((grown - shrunk) / 2))
}

/// # Errors
/// None in practice.
pub fn hyperbolic_tangent(value: &NumberBytes) -> Result<NumberBytes> {
    if is_tiny(value) {
        return Ok(*value);
    }
    if value.absolute() > number::encode_i64(50) {
        return Ok(number::encode_i64(i64::from(value.signum())));
    }
    let (grown, shrunk) = exponentials(value);
    number(&over(&(&grown - &shrunk), &(&grown + &shrunk)))
}

/// e^x and e^-x with all places, for an x of at most 50.
fn exponentials(value: &NumberBytes) -> (Fixed, Fixed) {
    let x = fixed(value);
    let whole = |x: &Fixed| {
        let (mantissa, exponent) = exp(x);
        if exponent >= 0 {
            mantissa * big::power_of_ten(exponent as u32)
        } else {
            mantissa / big::power_of_ten(exponent.unsigned_abs() as u32)
        }
    };
    (whole(&x), whole(&-x.clone()))
}
