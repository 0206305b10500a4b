//! NUMBER arithmetic against exact decimals.

#![expect(clippy::unwrap_used, reason = "a test")]

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, Zero};
use format::number::{NumberBytes, encode_i128, parse};
use proptest::prelude::*;
use scalar::number::arithmetic::{add, divide, multiply, subtract};
use scalar::number::remainder::{ceiling, floor, modulo, remainder};
use scalar::number::sum::Sum;

/// A number of up to 40 digits somewhere in the range, and the same as an exact decimal.
fn any_number() -> impl Strategy<Value = (NumberBytes, BigDecimal)> {
    let coefficient = prop_oneof![
        4 => -1_000_000i128..1_000_000,
        2 => any::<i64>().prop_map(i128::from),
        1 => -10i128.pow(37)..10i128.pow(37),
        1 => prop::sample::select(vec![1i128, -1, 5, 99, 100, 101, 999_999_999_999_999_999, 10i128.pow(18)]),
    ];
    let scale = prop_oneof![4 => 0..3i32, 3 => -6..12i32, 1 => -40..60i32];
    (coefficient, scale).prop_map(|(coefficient, scale)| {
        let number = encode_i128(coefficient, scale).unwrap();
        (number, BigDecimal::new(BigInt::from(coefficient), i64::from(scale)))
    })
}

/// The NUMBER nearest to an exact decimal, by way of its text; None past the largest.
fn nearest(exact: &BigDecimal) -> Option<NumberBytes> {
    let (coefficient, scale) = exact.as_bigint_and_exponent();
    parse(&format!("{coefficient}e{}", -scale)).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn sums_differences_products((a, x) in any_number(), (b, y) in any_number()) {
        prop_assert_eq!(add(&a, &b).ok(), nearest(&(&x + &y)), "{} + {}", a, b);
        prop_assert_eq!(subtract(&a, &b).ok(), nearest(&(&x - &y)), "{} - {}", a, b);
        prop_assert_eq!(multiply(&a, &b).ok(), nearest(&(&x * &y)), "{} * {}", a, b);
    }

    #[test]
    fn quotients((a, x) in any_number(), (b, y) in any_number()) {
        prop_assume!(!y.is_zero());
        // Cut, not rounded, far behind the last digit that counts; a sticky digit keeps what was cut from looking
        // exact.
        let (n, n_scale) = x.as_bigint_and_exponent();
        let (d, d_scale) = y.as_bigint_and_exponent();
        let shift = 90;
        let quotient = n * BigInt::from(10).pow(shift) / d;
        let exact = BigDecimal::new(quotient, n_scale - d_scale + i64::from(shift));
        prop_assert_eq!(divide(&a, &b).ok(), nearest(&exact), "{} / {}", a, b);
    }

    #[test]
    fn remainders((a, x) in any_number(), (b, y) in any_number()) {
        prop_assume!(!y.is_zero());
        prop_assert_eq!(modulo(&a, &b).ok(), nearest(&(&x % &y)), "mod({}, {})", a, b);
        let rest = remainder(&a, &b).unwrap();
        prop_assert!(add(&rest.absolute(), &rest.absolute()).unwrap() <= b.absolute(), "remainder({a}, {b}) = {rest}");
    }

    #[test]
    fn floor_and_ceiling((a, x) in any_number()) {
        let down = x.with_scale_round(0, bigdecimal::RoundingMode::Floor);
        let up = x.with_scale_round(0, bigdecimal::RoundingMode::Ceiling);
        prop_assert_eq!(floor(&a).ok(), nearest(&down), "floor({})", a);
        prop_assert_eq!(ceiling(&a).ok(), nearest(&up), "ceil({})", a);
    }

    #[test]
    fn totals_are_exact(numbers in prop::collection::vec(any_number(), 1..30)) {
        let mut sum = Sum::default();
        let (mut left, mut right) = (Sum::default(), Sum::default());
        let mut exact = BigDecimal::zero();
        for (place, (number, decimal)) in numbers.iter().enumerate() {
            sum.add(number);
            if place % 2 == 0 { left.add(number) } else { right.add(number) }
            exact += decimal;
        }
        left.merge(&right);
        prop_assert_eq!(sum.sum().unwrap(), nearest(&exact));
        prop_assert_eq!(left.sum().unwrap(), nearest(&exact));
        prop_assert_eq!(left.count(), numbers.len() as u64);
        let average = divide(&nearest(&exact).unwrap(), &encode_i128(numbers.len() as i128, 0).unwrap()).unwrap();
        prop_assert_eq!(sum.average().unwrap(), Some(average));
    }
}

#[test]
fn no_number_has_no_sum() {
    assert_eq!(Sum::default().sum().unwrap(), None);
    assert_eq!(Sum::default().average().unwrap(), None);
}

#[test]
fn a_window_takes_numbers_out_again() {
    let mut sum = Sum::default();
    for value in [1i64, 2, 3] {
        sum.add(&value.into());
    }
    sum.subtract(&1i64.into());
    assert_eq!((sum.count(), sum.sum().unwrap()), (2, Some(5i64.into())));
}
