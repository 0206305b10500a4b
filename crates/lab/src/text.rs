//! Figures as people read them.

use common::text::thousands;

/// A whole number with its thousands apart: `13,312`.
#[must_use]
pub(crate) fn grouped(value: u64) -> String {
    thousands(&value.to_string())
}

/// A figure with so many digits behind the point; a whole one has its thousands apart.
#[must_use]
pub(crate) fn number(value: f64, digits: usize) -> String {
    if digits == 0 && value.is_finite() { grouped(value.round().max(0.0) as u64) } else { format!("{value:.digits$}") }
}

/// A difference, with its sign: `+14,844`.
#[must_use]
pub(crate) fn signed(value: i64) -> String {
    let sign = match value {
        0 => "",
        1.. => "+",
        _ => "-",
    };
    format!("{sign}{}", grouped(value.unsigned_abs()))
}

/// A share as a percentage with its sign: `+4.8 %`.
#[must_use]
pub(crate) fn percent(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

/// A ratio of two figures, or a dash unless the divisor is above 0.
#[must_use]
pub(crate) fn ratio(numerator: f64, denominator: f64) -> String {
    if denominator > 0.0 { format!("{:.2}", numerator / denominator) } else { "-".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_thousands_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(13_312), "13,312");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(signed(0), "0");
        assert_eq!(signed(-1_000), "-1,000");
        assert_eq!(signed(14_844), "+14,844");
    }
}
