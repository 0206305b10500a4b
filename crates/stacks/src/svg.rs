//! A flame graph: functions as bars, as wide as their ticks, each above its caller. From left to right they stand in
//! order of name, which is no order of time. A bar's name and figures are shown where the pointer rests on it; the
//! picture has no script.

use std::collections::BTreeMap;
use std::fmt::Write;

use common::sync::Arc;

use crate::profile::{Profile, crate_of};

const WIDTH: f64 = 1_200.0;
const MARGIN: f64 = 10.0;
const ROW: usize = 17;
const HEAD: usize = 62;
/// Narrower bars are left out: they would not be visible.
const BAR_LEAST: f64 = 0.3;
const LETTER: f64 = 6.6;

/// A function under its caller.
#[derive(Default)]
struct Node<'p> {
    ticks: u64,
    calls: BTreeMap<&'p str, Node<'p>>,
}

struct Picture<'p> {
    out: String,
    profile: &'p Profile,
    crates: &'p [&'p str],
    /// Width of a tick.
    unit: f64,
    /// Depth of the bars, without those that are left out.
    depth: usize,
    height: usize,
}

pub(crate) fn draw(profile: &Profile, stacks: &BTreeMap<Vec<Arc<str>>, u64>, title: &str, crates: &[&str]) -> String {
    let mut root = Node::default();
    for (stack, ticks) in stacks {
        let mut node = &mut root;
        node.ticks += ticks;
        for name in stack {
            node = node.calls.entry(name).or_default();
            node.ticks += ticks;
        }
    }
    let unit = (WIDTH - 2.0 * MARGIN) / root.ticks.max(1) as f64;
    let depth = depth(&root, unit);
    let height = HEAD + (depth + 1) * ROW + MARGIN as usize;
    let mut picture = Picture { out: String::new(), profile, crates, unit, depth, height };
    picture.head(title, root.ticks);
    picture.bars(&root, "all", 0, MARGIN);
    picture.out.push_str("</svg>\n");
    picture.out
}

fn depth(node: &Node<'_>, unit: f64) -> usize {
    let shown = node.calls.values().filter(|call| call.ticks as f64 * unit >= BAR_LEAST);
    shown.map(|call| depth(call, unit) + 1).max().unwrap_or(0)
}

impl Picture<'_> {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a String does not fail.
        let _ = writeln!(self.out, "{text}");
    }

    fn head(&mut self, title: &str, ticks: u64) {
        let (height, title) = (self.height, escaped(title));
        self.line(format_args!(r#"<?xml version="1.0" encoding="UTF-8"?>"#));
        self.line(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="11">"#
        ));
        self.line(format_args!("<title>{title}</title>"));
        self.line(format_args!(r##"<rect width="100%" height="100%" fill="#ffffff"/>"##));
        self.line(format_args!(r#"<text x="{MARGIN}" y="24" font-size="16">{title}</text>"#));
        let (seconds, frequency, depth) = (self.profile.seconds(ticks), self.profile.frequency, self.depth);
        self.line(format_args!(
            r##"<text x="{MARGIN}" y="44" fill="#555555">{ticks} stacks, {frequency} a second: {seconds:.2} s, waits included; up to {depth} functions deep; wider is longer, left to right is by name</text>"##
        ));
    }

    fn bars(&mut self, node: &Node<'_>, name: &str, level: usize, left: f64) {
        let width = node.ticks as f64 * self.unit;
        if width < BAR_LEAST {
            return;
        }
        self.bar(node.ticks, name, level, left, width);
        let mut left = left;
        for (name, call) in &node.calls {
            self.bars(call, name, level + 1, left);
            left += call.ticks as f64 * self.unit;
        }
    }

    fn bar(&mut self, ticks: u64, name: &str, level: usize, left: f64, width: f64) {
        let top = self.height - MARGIN as usize - (level + 1) * ROW;
        let share = width / (WIDTH - 2.0 * MARGIN) * 100.0;
        let color = if self.crates.contains(&crate_of(name)) { own_color(name) } else { "#d8dde3".to_owned() };
        let (height, seconds) = (ROW - 1, self.profile.seconds(ticks));
        let whole = escaped(name);
        self.line(format_args!("<g><title>{whole}: {ticks} stacks, {seconds:.3} s, {share:.2} %</title>"));
        self.line(format_args!(
            r#"<rect x="{left:.2}" y="{top}" width="{width:.2}" height="{height}" rx="1" fill="{color}"/>"#
        ));
        let letters = ((width - 4.0) / LETTER).max(0.0) as usize;
        let shown = cut(name, letters);
        if !shown.is_empty() {
            let (x, y) = (left + 2.0, top + 12);
            self.line(format_args!(r#"<text x="{x:.2}" y="{y}">{}</text>"#, escaped(&shown)));
        }
        self.line(format_args!("</g>"));
    }
}

/// Oranges that tell neighbours apart; the same for the same function.
fn own_color(name: &str) -> String {
    let sum = name.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    format!("#{:02x}{:02x}{:02x}", 228 + sum % 28, 120 + sum / 28 % 80, 50 + sum / 2_240 % 30)
}

/// The end of a name says most: a long name is cut in front.
fn cut(name: &str, letters: usize) -> String {
    let length = name.chars().count();
    match letters {
        _ if length <= letters => name.to_owned(),
        0..=3 => String::new(),
        _ => format!("..{}", name.chars().skip(length + 2 - letters).collect::<String>()),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // No XML document may hold these.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::tests::profile;

    /// Every tag is closed by its like, in order; attributes have quotes; nothing that has to be escaped stands bare.
    fn check_well_formed(text: &str) {
        let body = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").unwrap();
        let mut open: Vec<&str> = Vec::new();
        for piece in body.split('<').skip(1) {
            let (tag, content) = piece.split_once('>').unwrap();
            assert!(!content.contains('>'), "{content}");
            for entity in content.split('&').skip(1) {
                assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|known| entity.starts_with(known)), "{entity}");
            }
            let name = tag.split(' ').next().unwrap().trim_end_matches('/');
            if let Some(closed) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(closed));
            } else if !tag.ends_with('/') {
                open.push(name);
            }
            assert_eq!(tag.matches('"').count(), 2 * tag.matches('=').count(), "{tag}");
        }
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn bars_stand_above_their_callers_and_are_as_wide_as_their_ticks() {
        let svg = profile(&[(&["sql::run", "<engine::A as core::B<&C>>::search"], 3), (&["sql::run", "memcpy"], 1)])
            .svg("a \"title\" & more", &["sql", "engine"]);
        check_well_formed(&svg);
        assert!(
            svg.contains("&lt;engine::A as core::B&lt;&amp;C&gt;&gt;::search: 3 stacks, 0.030 s, 75.00 %"),
            "{svg}"
        );
        let bar = |title: &str| {
            let lines: Vec<_> = svg.lines().collect();
            let at = lines.iter().position(|line| line.contains(title)).unwrap();
            let value = |name: &str| {
                let rest = lines[at + 1].split_once(&format!(" {name}=\"")).unwrap().1;
                rest.split('"').next().unwrap().parse::<f64>().unwrap()
            };
            (value("x"), value("y"), value("width"))
        };
        let (all, run, search, copy) = (bar(">all:"), bar(">sql::run:"), bar("::search:"), bar(">memcpy:"));
        assert_eq!((all.2, run.2, search.2, copy.2), (1180.0, 1180.0, 885.0, 295.0));
        assert_eq!((all.1 - run.1, run.1 - search.1, search.1), (17.0, 17.0, copy.1));
        assert_eq!((search.0, copy.0), (10.0, 895.0));
    }

    #[test]
    fn nothing_is_a_picture_too() {
        check_well_formed(&profile(&[]).svg("none", &[]));
    }

    #[test]
    fn long_names_are_cut_in_front() {
        assert_eq!(cut("engine::search", 14), "engine::search");
        assert_eq!(cut("engine::search", 10), "..::search");
        assert_eq!(cut("engine::search", 3), "");
    }
}
