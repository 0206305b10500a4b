//! Numbers within the width of their column, as Statspack prints them.

use common::text::thousands;

use crate::figure::Figure;

/// Multiples of 1000.
const MAGNITUDES: [(&str, f64); 5] = [("K", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12), ("P", 1e15)];

/// A number in at most `width` characters: with so many decimals as fit, then without separators, then in thousands and
/// so on. `####` when nothing fits.
pub(crate) fn fit(value: f64, decimals: usize, width: usize) -> String {
    fit_from(value, decimals, width, 0.0)
}

/// A figure with its known digits, an exact one with `decimals`; as many of them as fit.
pub(crate) fn fit_figure(figure: Figure, decimals: usize, width: usize) -> String {
    fit_from(figure.value, decimals_of(figure.step).unwrap_or(decimals), width, figure.step)
}

fn fit_from(value: f64, decimals: usize, width: usize, step: f64) -> String {
    let fits = |text: &String| text.len() <= width;
    // A figure known to tens or thousands only is not printed to the unit.
    let coarse = step > 1.0;
    let plain = (0..=decimals).rev().map(|decimals| grouped(value, decimals)).chain([format!("{value:.0}")]);
    // 999.8M rounds to 1000M, which is longer than 1.0G.
    let large = MAGNITUDES.iter().filter(|(_, factor)| factor * 0.9995 <= value.abs());
    let known = large.filter(|(_, factor)| !coarse || *factor >= step * (1.0 - 1e-9));
    let magnitudes = known.flat_map(|(unit, factor)| {
        let scaled = value / factor;
        let most = if coarse { decimals_of(step / factor).unwrap_or(0) } else { 2 };
        let texts = (0..=most).rev().map(move |decimals| grouped(scaled, decimals)).chain([format!("{scaled:.0}")]);
        texts.map(move |text| format!("{text}{unit}"))
    });
    let found = if coarse { magnitudes.chain(plain).find(fits) } else { plain.chain(magnitudes).find(fits) };
    found.unwrap_or_else(|| "#".repeat(width))
}

fn decimals_of(step: f64) -> Option<usize> {
    if step <= 0.0 {
        return None;
    }
    let decimals = -step.log10();
    // Steps are powers of ten, but for what a change of unit leaves on them.
    Some((decimals - 1e-9).ceil().clamp(0.0, 9.0) as usize)
}

pub(crate) fn grouped(value: f64, decimals: usize) -> String {
    let digits = format!("{value:.decimals$}");
    // A figure that is rounded to nothing has no sign.
    let is_zero = !digits.bytes().any(|digit| matches!(digit, b'1'..=b'9'));
    thousands(if is_zero { digits.trim_start_matches('-') } else { &digits })
}

/// Bytes in the largest unit of 1024 that keeps them whole and fits; nothing for None.
pub(crate) fn bytes(value: Option<f64>, width: usize) -> String {
    let Some(value) = value else { return String::new() };
    let whole = [("M", 1_048_576.0), ("K", 1024.0), ("", 1.0)].into_iter().filter(|(_, factor)| value % factor == 0.0);
    let texts = whole.filter(|(unit, _)| value != 0.0 || unit.is_empty()).flat_map(|(unit, factor)| {
        [format!("{}{unit}", grouped(value / factor, 0)), format!("{:.0}{unit}", value / factor)]
    });
    let rounded = format!("{:.0}M", value / 1_048_576.0);
    texts.chain([rounded]).find(|text| text.len() <= width).unwrap_or_else(|| "#".repeat(width))
}

#[cfg(test)]
mod tests {
    use super::{bytes, decimals_of, fit, fit_figure, grouped};
    use crate::figure::Figure;

    #[test]
    fn numbers_as_printed() {
        assert_eq!(grouped(1_234_567.0, 0), "1,234,567");
        assert_eq!(grouped(-1234.5, 1), "-1,234.5");
        assert_eq!(grouped(-0.001, 1), "0.0");
        assert_eq!(fit(12.5, 2, 8), "12.50");
        assert_eq!(fit_figure(Figure::new(39.0, 1.0), 2, 10), "39");
        assert_eq!(fit_figure(Figure::new(0.218, 0.001), 2, 10), "0.218");
        assert_eq!(fit_figure(Figure::exact(39.0), 2, 10), "39.00");
        assert_eq!(decimals_of(0.01_f64 * 1e3 * 1e-3), Some(2));
        assert_eq!(bytes(Some(8192.0), 10), "8K");
        assert_eq!(bytes(Some(763_363_328.0), 10), "728M");
        assert_eq!(bytes(None, 10), "");
    }

    #[test]
    fn a_wide_number_loses_decimals_then_separators_then_thousands() {
        assert_eq!(fit(12.3456, 3, 6), "12.346");
        assert_eq!(fit(1234.56, 3, 6), "1,235");
        assert_eq!(fit(15_931.0, 3, 6), "15,931");
        assert_eq!(fit(159_310.0, 3, 6), "159310");
        assert_eq!(fit(1_593_100.0, 3, 6), "1,593K");
        assert_eq!(fit(1_415_620.0, 0, 5), "1416K");
        assert_eq!(fit(520_240.0, 0, 5), "520K");
        assert_eq!(fit(12_870_326_485.0, 0, 5), "12.9G");
        assert_eq!(fit(999_807_577.0, 0, 4), "1.0G");
        assert_eq!(fit(999_499_999.0, 0, 4), "999M");
        assert_eq!(fit(123_456_789.0, 0, 2), "##");
        assert_eq!(fit(118.0, 0, 2), "##");
        assert_eq!(fit(-4950.0, 2, 7), "-4,950");
        assert_eq!(fit_figure(Figure::new(520_000.0, 1000.0), 0, 12), "520K");
        assert_eq!(fit_figure(Figure::new(1_400_000.0, 100_000.0), 0, 12), "1.4M");
        assert_eq!(fit_figure(Figure::new(12_870.0, 10.0), 0, 12), "12.87K");
        assert_eq!(fit_figure(Figure::new(870.0, 10.0), 0, 12), "870");
    }
}
