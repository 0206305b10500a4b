//! Line charts as SVG, with the interval of each point.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::{ChartBuilder, Circle, DrawingArea, IntoDrawingArea, PathElement, SVGBackend};
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle};

use crate::interval::Estimate;

/// Width and height in the chart's own units.
const SIZE: (u32, u32) = (560, 340);
const INK: RGBColor = RGBColor(0x3c, 0x46, 0x54);
const GRID: RGBColor = RGBColor(0xe4, 0xe8, 0xee);

/// A line of a chart.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) colour: RGBColor,
    /// Thinner, and without marks: a figure to look up beside the others.
    pub(crate) beside: bool,
    pub(crate) points: Vec<(f64, Estimate)>,
}

/// The subject of a chart.
#[derive(Clone, Debug)]
pub(crate) struct Axes<'a> {
    /// Read out where the picture cannot be seen.
    pub(crate) about: &'a str,
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
}

type Drawn = Result<(), Box<dyn Error>>;

/// Colours that people with red-green blindness can tell apart (Okabe and Ito), then shades between them.
const COLOURS: [RGBColor; 11] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x7a, 0x5c, 0xa8),
    RGBColor(0x8c, 0x6d, 0x31),
    RGBColor(0x4d, 0x4d, 0x4d),
    RGBColor(0x9e, 0xb3, 0x1f),
    RGBColor(0x2f, 0x4b, 0x7c),
];

/// The colour of a line by its place.
pub(crate) fn colour(place: usize) -> RGBColor {
    COLOURS[place % COLOURS.len()]
}

/// The colour's code in a style sheet.
pub(crate) fn code(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Draws lines; empty without any point.
pub(crate) fn chart(axes: &Axes<'_>, lines: &[Line]) -> String {
    let mut text = String::new();
    let drawn = {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        draw(&area, axes, lines).and_then(|()| Ok(area.present()?))
    };
    // Text has no way to fail; should it ever, no picture is better than half of one.
    if drawn.is_err() {
        return String::new();
    }
    let label = maud::html! { (axes.about) }.into_string();
    text.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{}\" ", label.replace('"', "&quot;")), 1)
}

fn draw(area: &DrawingArea<SVGBackend<'_>, Shift>, axes: &Axes<'_>, lines: &[Line]) -> Drawn {
    let points = || lines.iter().flat_map(|line| &line.points);
    let most = points().map(|(_, estimate)| estimate.high).filter(|high| high.is_finite()).fold(0.0, f64::max);
    // Some room above; and an axis even where everything is zero.
    let top = if most > 0.0 { most * 1.06 } else { 1.0 };
    let (least_x, most_x) = points().fold((f64::MAX, 0.0_f64), |(least, most), (x, _)| (least.min(*x), most.max(*x)));
    let xs = distinct(points().map(|(x, _)| *x));
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .x_label_area_size(42)
        .y_label_area_size(68)
        .build_cartesian_2d(x_range(least_x, most_x), 0.0..top)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(GRID)
        .light_line_style(ShapeStyle { color: GRID.mix(0.0), filled: false, stroke_width: 0 })
        .axis_style(INK)
        .label_style(("sans-serif", 15).into_font().color(&INK))
        .axis_desc_style(("sans-serif", 16).into_font().color(&INK))
        .x_labels(xs.len().clamp(2, 12))
        .x_label_formatter(&|x| if x.fract().abs() < 1e-9 { format!("{x:.0}") } else { String::new() })
        .y_labels(6)
        .y_label_formatter(&|y| figure(*y, top))
        .x_desc(axes.x)
        .y_desc(axes.y)
        .draw()?;
    for line in lines {
        let width = if line.beside { 1 } else { 2 };
        let style = line.colour.stroke_width(width);
        let path: Vec<(f64, f64)> = line.points.iter().map(|(x, estimate)| (*x, estimate.median.min(top))).collect();
        chart.draw_series(std::iter::once(PathElement::new(path.clone(), style)))?;
        if line.beside {
            continue;
        }
        let interval = |(x, estimate): &(f64, Estimate)| {
            PathElement::new(
                vec![(*x, estimate.low), (*x, estimate.high.min(top))],
                line.colour.mix(0.5).stroke_width(1),
            )
        };
        chart.draw_series(line.points.iter().map(interval))?;
        chart.draw_series(path.into_iter().map(|at| Circle::new(at, 4, line.colour.filled())))?;
    }
    Ok(())
}

/// Half a step of room at either side, so that no mark stands on the axis.
fn x_range(least: f64, most: f64) -> Range<f64> {
    if least > most {
        return 0.0..1.0;
    }
    let room = ((most - least) * 0.04).max(0.5);
    (least - room)..(most + room)
}

fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// A figure at an axis that goes up to `top`.
fn figure(value: f64, top: f64) -> String {
    if top >= 20.0 {
        crate::text::grouped(value.round() as u64)
    } else if top >= 2.0 {
        format!("{value:.1}")
    } else if top >= 0.1 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}
