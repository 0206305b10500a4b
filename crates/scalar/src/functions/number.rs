//! Numeric functions. ROUND and TRUNC take dates too.

use common::{Error, Result};
use format::number::{self, NumberBytes};

use super::arguments::{datetime, given, integer, number as argument, text};
use super::types::fixed_number;
use super::{Function, function};
use crate::context::Context;
use crate::date::unit;
use crate::datum::{Datum, DatumType};
use crate::number::{elementary, remainder};

/// A function of one number.
macro_rules! of_one {
    ($name:literal, $compute:expr) => {
        function($name, 1, 1, fixed_number, |context, arguments| {
            Ok(Datum::Number($compute(&given!(argument(context, arguments, 0)))?))
        })
    };
}

/// A function of two numbers.
macro_rules! of_two {
    ($name:literal, $compute:expr) => {
        function($name, 2, 2, fixed_number, |context, arguments| {
            let a = given!(argument(context, arguments, 0));
            let b = given!(argument(context, arguments, 1));
            Ok(Datum::Number($compute(&a, &b)?))
        })
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    of_one!("ABS", |a: &NumberBytes| Ok::<_, Error>(a.absolute())),
    of_one!("ACOS", elementary::arc_cosine),
    of_one!("ASIN", elementary::arc_sine),
    of_one!("ATAN", elementary::arc_tangent),
    of_two!("ATAN2", elementary::arc_tangent_2),
    function("BITAND", 2, 2, fixed_number, bitand),
    of_one!("CEIL", remainder::ceiling),
    of_one!("COS", elementary::cosine),
    of_one!("COSH", elementary::hyperbolic_cosine),
    of_one!("EXP", elementary::exponential),
    of_one!("FLOOR", remainder::floor),
    of_one!("LN", elementary::natural_logarithm),
    of_two!("LOG", elementary::logarithm),
    of_two!("MOD", remainder::modulo),
    of_two!("POWER", elementary::power),
    of_two!("REMAINDER", remainder::remainder),
    function("ROUND", 1, 2, rounding_type, |context, arguments| cut(context, arguments, true)),
    of_one!("SIGN", |a: &NumberBytes| Ok::<_, Error>(number::encode_i64(i64::from(a.signum())))),
    of_one!("SIN", elementary::sine),
    of_one!("SINH", elementary::hyperbolic_sine),
    of_one!("SQRT", elementary::square_root),
    of_one!("TAN", elementary::tangent),
    of_one!("TANH", elementary::hyperbolic_tangent),
    function("TRUNC", 1, 2, rounding_type, |context, arguments| cut(context, arguments, false)),
    function("WIDTH_BUCKET", 4, 4, fixed_number, width_bucket).sql_only(),
];

fn rounding_type(types: &[DatumType]) -> Result<DatumType> {
    Ok(if types[0].is_datetime() { DatumType::Date } else { DatumType::Number })
}

/// ROUND and TRUNC: of a number to decimal places, of a date to a unit.
fn cut(context: &dyn Context, arguments: &[Datum], round: bool) -> Result<Datum> {
    if arguments[0].datum_type().is_datetime() {
        let at = given!(datetime(context, arguments, 0));
        let unit = if arguments.len() > 1 {
            unit::Unit::parse(&given!(text(context, arguments, 1)))?
        } else {
            unit::Unit::Day
        };
        return Ok(Datum::date(&if round { unit.round(&at)? } else { unit.truncate(&at)? }));
    }
    let value = given!(argument(context, arguments, 0));
    let places = if arguments.len() > 1 { given!(integer(context, arguments, 1)) } else { 0 };
    let places = places.clamp(-1000, 1000) as i32;
    Ok(Datum::Number(if round { number::round(&value, places)? } else { number::truncate(&value, places) }))
}

fn bitand(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    let a = given!(argument(context, arguments, 0));
    let b = given!(argument(context, arguments, 1));
    let whole = |value: &NumberBytes| {
        number::decode_i128(&number::truncate(value, 0), 0)
            .ok_or_else(|| Error::user(1428, format!("argument '{value}' is out of range")))
    };
    Ok(Datum::Number(number::encode_i128(whole(&a)? & whole(&b)?, 0)?))
}

fn width_bucket(context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
    use crate::number::arithmetic::{add, divide, multiply, subtract};
    let value = given!(argument(context, arguments, 0));
    let low = given!(argument(context, arguments, 1));
    let high = given!(argument(context, arguments, 2));
    let count = given!(integer(context, arguments, 3));
    if count < 1 {
        return Err(Error::user(30494, "the count of buckets must be positive"));
    }
    if low == high {
        return Err(Error::user(30493, "the limits of the buckets must differ"));
    }
    let rising = low < high;
    if (rising && value < low) || (!rising && value > low) {
        return Ok(Datum::integer(0));
    }
    if (rising && value >= high) || (!rising && value <= high) {
        return Ok(Datum::Number(add(&number::encode_i64(count), &NumberBytes::ONE)?));
    }
    let share = divide(&multiply(&subtract(&value, &low)?, &number::encode_i64(count))?, &subtract(&high, &low)?)?;
    Ok(Datum::Number(add(&remainder::floor(&share)?, &NumberBytes::ONE)?))
}
