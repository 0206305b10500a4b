//! Charts as SVG. They are drawn narrow, so that they fill a phone's width and stand side by side on a wider page.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, IntoDrawingArea, Rectangle, SVGBackend, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, IntoFont, TextStyle};

use super::colours::stand_in;

/// Width of a chart in its own units; a phone shows it one to one.
const WIDTH: u32 = 360;
/// Size of letters in the same units, by the height that the library uses, which is 1.24 times that of SVG.
const LETTERS: f64 = 15.5;
/// Units that a letter is wide, about.
const LETTER_WIDTH: f64 = 6.4;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

/// One bar of a bar chart.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) value: f64,
    /// The value in words, at the right.
    pub(super) words: String,
    pub(super) colour: &'static str,
}

/// A part of a whole.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Part {
    pub(super) value: f64,
    pub(super) colour: &'static str,
}

/// A column of a column chart.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Column {
    pub(super) label: String,
    pub(super) value: f64,
    /// Stands on top of the column; empty for nothing.
    pub(super) words: String,
    pub(super) colour: &'static str,
}

/// One bar made of parts; the rest up to `whole` stays empty.
pub(super) fn stacked(about: &str, parts: &[Part], whole: f64) -> String {
    const LONG: u32 = 720;
    const HIGH: u32 = 40;
    svg(about, (LONG, HIGH), |area| {
        area.draw(&Rectangle::new([(0, 0), (LONG as i32, HIGH as i32)], stand_in("track").filled()))?;
        let mut passed = 0.0;
        for part in parts {
            let at = |value: f64| (value / whole.max(f64::MIN_POSITIVE) * f64::from(LONG)).round() as i32;
            let (left, right) = (at(passed), at(passed + part.value));
            passed += part.value;
            if right > left {
                area.draw(&Rectangle::new([(left, 0), (right, HIGH as i32)], stand_in(part.colour).filled()))?;
            }
        }
        Ok(())
    })
}

/// Bars one under the other, each with its label above it.
pub(super) fn bars(about: &str, bars: &[Bar]) -> String {
    const ROW: i32 = 36;
    let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let height = u32::try_from(bars.len()).unwrap_or_default() * ROW as u32 + 2;
    svg(about, (WIDTH, height), |area| {
        for (row, bar) in bars.iter().enumerate() {
            let top = row as i32 * ROW;
            let room = (f64::from(WIDTH) / LETTER_WIDTH) as usize;
            let label = cut(&bar.label, room.saturating_sub(bar.words.chars().count() + 1));
            area.draw(&Text::new(label, (0, top + 2), letters("ink", HPos::Left)))?;
            area.draw(&Text::new(bar.words.clone(), (WIDTH as i32, top + 2), letters("faint", HPos::Right)))?;
            let full = [(0, top + 19), (WIDTH as i32, top + 29)];
            area.draw(&Rectangle::new(full, stand_in("track").filled()))?;
            let length = if most > 0.0 { (bar.value / most * f64::from(WIDTH)).round() as i32 } else { 0 };
            if length > 0 {
                area.draw(&Rectangle::new([(0, top + 19), (length, top + 29)], stand_in(bar.colour).filled()))?;
            }
        }
        Ok(())
    })
}

/// Columns of a narrow chart; with more, it is drawn twice as wide.
pub(super) const NARROW: usize = 14;

/// Columns side by side; as many labels below as fit.
pub(super) fn columns(about: &str, columns: &[Column]) -> String {
    const HIGH: i32 = 170;
    const TOP: i32 = 18;
    const BOTTOM: i32 = 20;
    let most = columns.iter().map(|column| column.value).fold(0.0, f64::max);
    let width = if columns.len() > NARROW { WIDTH * 2 } else { WIDTH };
    let step = f64::from(width) / columns.len().max(1) as f64;
    svg(about, (width, HIGH as u32), |area| {
        let base = HIGH - BOTTOM;
        let line = [(0, base), (width as i32, base + 1)];
        area.draw(&Rectangle::new(line, stand_in("faint").filled()))?;
        let gap = (step * 0.12).clamp(0.0, 4.0);
        let (mut label_free, mut words_free) = (0.0, 0.0);
        for (at, column) in columns.iter().enumerate() {
            let (left, right) = (at as f64 * step + gap, (at + 1) as f64 * step - gap);
            let middle = f64::midpoint(left, right);
            let share = if most > 0.0 { column.value / most } else { 0.0 };
            let top = base - (share * f64::from(base - TOP)).round() as i32;
            if top < base {
                let corners = [(left.round() as i32, top), (right.round().max(left.round() + 1.0) as i32, base)];
                area.draw(&Rectangle::new(corners, stand_in(column.colour).filled()))?;
            }
            // A text that would stand in the one before it is left out.
            let place = |text: &str, free: &mut f64| {
                let half = text.chars().count() as f64 * LETTER_WIDTH / 2.0;
                let middle = middle.clamp(half, (f64::from(width) - half).max(half));
                let fits = !text.is_empty() && middle - half >= *free;
                if fits {
                    *free = middle + half + LETTER_WIDTH;
                }
                fits.then_some(middle.round() as i32)
            };
            if let Some(x) = place(&column.label, &mut label_free) {
                area.draw(&Text::new(column.label.clone(), (x, base + 5), letters("faint", HPos::Center)))?;
            }
            if let Some(x) = place(&column.words, &mut words_free) {
                area.draw(&Text::new(column.words.clone(), (x, top - 15), letters("ink", HPos::Center)))?;
            }
        }
        Ok(())
    })
}

fn letters(colour: &str, at: HPos) -> TextStyle<'static> {
    let mut style = TextStyle::from((FontFamily::SansSerif, LETTERS).into_font());
    style.color = stand_in(colour).to_backend_color();
    style.pos = Pos::new(at, VPos::Top);
    style
}

/// At most `room` letters, with dots where it was cut.
fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    // The end of a file's path says more than its beginning.
    if text.contains(['/', '\\']) {
        let end: String = text.chars().rev().take(room.saturating_sub(1)).collect();
        return format!("\u{2026}{}", end.chars().rev().collect::<String>());
    }
    let start: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{start}\u{2026}")
}

/// Draws into text. A screen reader reads `about` out instead of the picture.
fn svg(about: &str, size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut text = String::new();
    let drawn = {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(&area).and_then(|()| Ok(area.present()?))
    };
    // Text has no way to fail; should it ever, no picture is better than half of one.
    if drawn.is_err() {
        return String::new();
    }
    let label = maud::html! { (about) }.into_string();
    text.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{}\" ", label.replace('"', "&quot;")), 1)
}

#[cfg(test)]
mod tests {
    use super::{Bar, bars};

    #[test]
    fn names_cannot_leave_their_text() {
        let bar = Bar { label: "<script>\"&".into(), value: 1.0, words: "1".into(), colour: "cpu" };
        let svg = bars("a \"<b>\"", &[bar]);
        assert!(!svg.contains("<script>") && !svg.contains("<b>"), "{svg}");
        assert!(svg.contains("&lt;script&gt;"), "{svg}");
    }
}
