//! TTITLE, BTITLE, REPHEADER and REPFOOTER.

use common::Result;

use crate::command::Line;
use crate::shell::{Flow, Shell};
use crate::title::{Title, Titles};

type Slot = fn(&mut Titles) -> &mut Option<Title>;

/// The commands, with the title that each sets.
const TITLES: [(&str, Slot); 4] = [
    ("tti[tle]", |titles| &mut titles.top),
    ("bti[tle]", |titles| &mut titles.bottom),
    ("reph[eader]", |titles| &mut titles.header),
    ("repf[ooter]", |titles| &mut titles.footer),
];

/// Sets the title that `pattern` names, turns it on or off, or shows it.
pub(crate) fn title(shell: &mut Shell, pattern: &str, line: &Line<'_>) -> Result<Flow> {
    let Some((_, slot)) = TITLES.iter().find(|(name, _)| *name == pattern) else { return Ok(Flow::Next) };
    if line.words.is_empty() {
        let text = shown(shell, pattern);
        shell.out.line(&text);
        return Ok(Flow::Next);
    }
    let new = Title::parse(line.rest, &line.words)?;
    let slot = slot(&mut shell.titles);
    if !new.is_empty() {
        *slot = Some(new);
    } else if let Some(old) = slot {
        old.on = new.on;
    }
    Ok(Flow::Next)
}

/// The output of SHOW for a title.
pub(crate) fn shown(shell: &mut Shell, pattern: &str) -> String {
    let name = crate::words::whole(pattern);
    let slot = TITLES.iter().find(|(name, _)| *name == pattern);
    match slot.and_then(|(_, slot)| slot(&mut shell.titles).as_ref()) {
        None => format!("{name} OFF"),
        Some(title) => {
            let (state, length) = (if title.on { "ON" } else { "OFF" }, title.typed.chars().count());
            format!("{name} {state} and is the following {length} characters:\n{}", title.typed)
        }
    }
}
