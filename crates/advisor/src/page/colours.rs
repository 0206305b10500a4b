//! Colours by name. A chart is drawn with stand-ins; the page's style sheet gives each its light and its dark value.

use plotters::style::RGBColor;

/// A named colour: its value on a light page and on a dark one.
struct Named {
    name: &'static str,
    light: &'static str,
    dark: &'static str,
}

const fn named(name: &'static str, light: &'static str, dark: &'static str) -> Named {
    Named { name, light, dark }
}

/// CPU green, user I/O blue, commit orange and so on, as the tools that database people know have them.
const COLOURS: [Named; 20] = [
    named("ink", "#1c2430", "#e6e9ef"),
    named("faint", "#5d6878", "#9aa5b4"),
    named("track", "#e4e8ee", "#2a3240"),
    named("cpu", "#2e9e4f", "#3fbf66"),
    named("user-io", "#1f5fc4", "#5b93f0"),
    named("system-io", "#2aa3c7", "#4cc3e6"),
    named("commit", "#d97a00", "#f0a03c"),
    named("concurrency", "#9c1c2e", "#e0566a"),
    named("application", "#d64040", "#ff7d7d"),
    named("configuration", "#6e4a2a", "#b98d66"),
    named("administrative", "#7c7a3a", "#b5b266"),
    named("network", "#8c7f73", "#b3a698"),
    named("cluster", "#b8a000", "#e0cc40"),
    named("scheduler", "#7aa65a", "#a6d086"),
    named("queueing", "#8a6fb0", "#b79be0"),
    named("other", "#c14f9c", "#ea86c8"),
    named("idle", "#dfe3e8", "#323b48"),
    named("unaccounted", "#9aa3af", "#6f7a8a"),
    named("bar", "#3a6ea5", "#74a9e0"),
    named("mark", "#c2371f", "#ff8a6b"),
];

/// The stand-in with which a chart draws the colour of that name.
pub(super) fn stand_in(name: &str) -> RGBColor {
    let at = COLOURS.iter().position(|colour| colour.name == name).unwrap_or(0);
    RGBColor(1, 2, u8::try_from(at).unwrap_or_default())
}

/// The style sheet's part that gives the stand-ins their colours.
pub(super) fn style() -> String {
    let variables = |dark: bool| {
        let line = |colour: &Named| format!("--{}:{};", colour.name, if dark { colour.dark } else { colour.light });
        COLOURS.iter().map(line).collect::<String>()
    };
    let mut out = format!(":root{{{}}}\n", variables(false));
    out.push_str(&format!("@media (prefers-color-scheme:dark){{:root{{{}}}}}\n", variables(true)));
    for colour in &COLOURS {
        let RGBColor(red, green, blue) = stand_in(colour.name);
        let (name, code) = (colour.name, format!("#{red:02X}{green:02X}{blue:02X}"));
        out.push_str(&format!(
            "svg [fill=\"{code}\"]{{fill:var(--{name})}}svg [stroke=\"{code}\"]{{stroke:var(--{name})}}.c-{name}{{background:var(--{name})}}\n"
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{COLOURS, stand_in};
    use crate::screen::bar::look_of;

    #[test]
    fn every_class_has_a_colour_of_its_own_on_the_page() {
        let classes = [
            "User I/O",
            "System I/O",
            "Commit",
            "Concurrency",
            "Application",
            "Configuration",
            "Administrative",
            "Network",
            "Cluster",
            "Scheduler",
            "Queueing",
            "Idle",
            "Other",
        ];
        let tokens: std::collections::BTreeSet<&str> = classes.iter().map(|class| look_of(Some(class)).token).collect();
        assert_eq!(tokens.len(), classes.len());
        assert!(tokens.iter().all(|token| COLOURS.iter().any(|colour| colour.name == *token)), "{tokens:?}");
        let codes: std::collections::BTreeSet<u8> = COLOURS.iter().map(|colour| stand_in(colour.name).2).collect();
        assert_eq!(codes.len(), COLOURS.len());
    }
}
