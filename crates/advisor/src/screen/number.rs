//! Numbers for people: three digits that matter, thousands separated, the unit beside them.

use common::text::thousands;

/// A number with about three digits: `1,234`, `12.3`, `0.218`; a zero is `0`.
#[must_use]
pub fn number(value: f64) -> String {
    // No sign before a zero.
    let value = value + 0.0;
    let size = value.abs();
    let decimals = match size {
        _ if size == 0.0 || !size.is_finite() => 0,
        _ if size >= 99.95 => 0,
        _ if size >= 9.995 => 1,
        _ if size >= 0.9995 => 2,
        _ if size >= 0.0995 => 3,
        _ if size >= 0.000_1 => 4,
        _ => return format!("{value:.1e}"),
    };
    let text = thousands(&format!("{value:.decimals$}"));
    // Zeros after the point, left by rounding, say nothing.
    match text.split_once('.') {
        Some((whole, part)) => {
            let part = part.trim_end_matches('0');
            if part.is_empty() { whole.to_owned() } else { format!("{whole}.{part}") }
        }
        None => text,
    }
}

/// Seconds; below a tenth of one, milliseconds or microseconds.
#[must_use]
pub fn seconds(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || size >= 0.0995 {
        format!("{} s", number(value))
    } else if size >= 0.000_995 {
        format!("{} ms", number(value * 1e3))
    } else {
        format!("{} us", number(value * 1e6))
    }
}

/// Milliseconds; above ten thousand of them, seconds.
#[must_use]
pub fn milliseconds(value: f64) -> String {
    if value.abs() >= 10_000.0 { seconds(value / 1e3) } else { format!("{} ms", number(value)) }
}

/// A share of one as per cent.
#[must_use]
pub fn percent(share: f64) -> String {
    let value = share * 100.0 + 0.0;
    if value != 0.0 && value.abs() < 0.05 {
        return if value > 0.0 { "<0.1 %".to_owned() } else { ">-0.1 %".to_owned() };
    }
    if value.abs() < 9.95 {
        let text = format!("{value:.1}");
        return format!("{} %", text.strip_suffix(".0").unwrap_or(&text));
    }
    format!("{} %", thousands(&format!("{value:.0}")))
}

/// Bytes in the largest unit of 1,024 that leaves at least one of them.
#[must_use]
pub fn bytes(value: f64) -> String {
    let mut value = value;
    for unit in ["bytes", "KB", "MB", "GB", "TB"] {
        if value.abs() < 1024.0 {
            return format!("{} {unit}", number(value));
        }
        value /= 1024.0;
    }
    format!("{} PB", number(value))
}

/// A length of time as people say it: `15 min`, `1 h 2 min`, `22.8 s`.
#[must_use]
pub fn duration(value: f64) -> String {
    if value < 120.0 {
        return seconds(value);
    }
    let minutes = (value / 60.0).round();
    if minutes < 60.0 {
        // With few minutes, seconds count.
        let rest = value.round() % 60.0;
        let whole = (value.round() / 60.0).floor();
        return if rest == 0.0 { format!("{whole} min") } else { format!("{whole} min {rest} s") };
    }
    if minutes < 48.0 * 60.0 {
        let (hours, rest) = ((minutes / 60.0).floor(), minutes % 60.0);
        return if rest == 0.0 { format!("{hours} h") } else { format!("{hours} h {rest} min") };
    }
    format!("{} days", number(value / 86_400.0))
}

/// A saving between two bounds of seconds; `None` above is unknown.
#[must_use]
pub fn range(low_s: f64, high_s: Option<f64>) -> String {
    match high_s {
        Some(high) if seconds(high) == seconds(low_s) => seconds(high),
        Some(high) => format!("{} to {}", seconds(low_s), seconds(high)),
        None if low_s == 0.0 => "an unknown time".to_owned(),
        None => format!("{} to an unknown time", seconds(low_s)),
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, duration, milliseconds, number, percent, range, seconds};

    #[test]
    fn about_three_digits_and_no_more() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (1_234_567.8, "1,234,568"),
            (999.6, "1,000"),
            (99.96, "100"),
            (12.34, "12.3"),
            (9.996, "10"),
            (1.5, "1.5"),
            (0.218_6, "0.219"),
            (0.012_34, "0.0123"),
            (-1234.0, "-1,234"),
            (0.000_012, "1.2e-5"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text, "{value}");
        }
    }

    #[test]
    fn units_fit_the_size() {
        assert_eq!(seconds(0.4), "0.4 s");
        assert_eq!(seconds(0.012), "12 ms");
        assert_eq!(seconds(0.000_218), "218 us");
        assert_eq!(milliseconds(12_345.0), "12.3 s");
        assert_eq!(percent(0.324), "32 %");
        assert_eq!(percent(0.000_1), "<0.1 %");
        assert_eq!(percent(0.02), "2 %");
        assert_eq!(percent(-0.0), "0 %");
        assert_eq!(bytes(17_179_869_184.0), "16 GB");
        assert_eq!(duration(901.0), "15 min 1 s");
        assert_eq!(duration(3_720.0), "1 h 2 min");
        assert_eq!(duration(3_600.0), "1 h");
    }

    #[test]
    fn an_unknown_bound_is_said() {
        assert_eq!(range(4.0, Some(12.0)), "4 s to 12 s");
        assert_eq!(range(4.0, None), "4 s to an unknown time");
        assert_eq!(range(0.0, None), "an unknown time");
    }
}
