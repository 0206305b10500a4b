//! SHOW: settings, the user, parameters, compilation errors.

use common::{DataType, Result};

use crate::command::{Line, sp2, title};
use crate::layout::Layout;
use crate::server::{Cell, ColumnInfo};
use crate::set;
use crate::settings::Settings;
use crate::shell::{Flow, Shell};
use crate::words::Word;

pub(crate) fn show(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let Some(first) = line.words.first() else {
        return Err(sp2(158, "SHOW what? A setting, ALL, ERRORS, PARAMETER, RELEASE, SPOOL, SQLCODE or USER"));
    };
    if first.is("all") {
        for text in set::show_all(&shell.settings) {
            shell.out.line(&text);
        }
        return Ok(Flow::Next);
    }
    if first.is("parameter[s]") {
        return parameters(shell, line.words.get(1).map_or("", |word| word.text.as_str()));
    }
    if first.is("err[ors]") {
        return errors(shell, &line.words[1..]);
    }
    for word in &line.words {
        let text = one(shell, word)?;
        shell.out.line(&text);
    }
    Ok(Flow::Next)
}

fn one(shell: &mut Shell, word: &Word) -> Result<String> {
    if word.is("user") {
        let user = if shell.connected { shell.server.user() } else { String::new() };
        return Ok(format!("USER is \"{user}\""));
    }
    if word.is("rel[ease]") {
        let release = shell.defines.get("_O_RELEASE").map_or("", |define| define.value.as_str());
        return Ok(format!("release {release}"));
    }
    if word.is("sqlcode") {
        return Ok(format!("sqlcode {}", shell.sqlcode));
    }
    if word.is("spoo[l]") {
        return Ok(format!("spool {}", if shell.out.spool_path().is_some() { "ON" } else { "OFF" }));
    }
    if let Some(title) = ["tti[tle]", "bti[tle]", "repf[ooter]", "reph[eader]"].iter().find(|title| word.is(title)) {
        return Ok(title::shown(shell, title));
    }
    set::show(&shell.settings, word).ok_or_else(|| sp2(158, format!("SHOW does not know \"{}\"", word.text)))
}

/// A small report of the shell's own, with the settings of the session for lines but not for columns and pages.
fn report(shell: &mut Shell, columns: &[(&str, usize)], rows: &[Vec<String>]) -> Result<()> {
    let infos: Vec<ColumnInfo> = columns
        .iter()
        .map(|(name, width)| ColumnInfo::new(*name, DataType::Varchar2 { bytes: 1 }).width(*width))
        .collect();
    let layout = Layout::new(
        &infos,
        &Settings { linesize: shell.settings.linesize, ..Settings::default() },
        &Default::default(),
        &Default::default(),
    )?;
    let mut lines = layout.headings();
    for row in rows {
        let cells: Vec<Cell> = row.iter().map(|text| Cell::Text(text.clone())).collect();
        lines.extend(layout.row(&cells, &[]).lines);
    }
    for line in lines {
        shell.out.report(&line, &shell.settings);
    }
    Ok(())
}

fn parameters(shell: &mut Shell, like: &str) -> Result<Flow> {
    if !shell.connected {
        return Err(sp2(640, "not connected"));
    }
    let rows: Vec<Vec<String>> =
        shell.server.parameters(like)?.into_iter().map(|(name, kind, value)| vec![name, kind, value]).collect();
    shell.out.line("");
    if !rows.is_empty() {
        report(shell, &[("NAME", 36), ("TYPE", 11), ("VALUE", 30)], &rows)?;
    }
    Ok(Flow::Next)
}

fn errors(shell: &mut Shell, words: &[Word]) -> Result<Flow> {
    if !shell.connected {
        return Err(sp2(640, "not connected"));
    }
    let object = match words {
        [] => None,
        [kind, name] => Some((kind.text.to_ascii_uppercase(), name.text.clone())),
        [kind, body, name] if body.is("body") => {
            Some((format!("{} BODY", kind.text.to_ascii_uppercase()), name.text.clone()))
        }
        _ => return Err(sp2(158, "SHOW ERRORS takes nothing, or the kind and the name of a stored program")),
    };
    let found = shell.server.errors(object.as_ref().map(|(kind, name)| (kind.as_str(), name.as_str())))?;
    if found.errors.is_empty() {
        shell.out.line("No errors.");
        return Ok(Flow::Next);
    }
    shell.out.line(&format!("Errors for {}:\n", found.program));
    let rows: Vec<Vec<String>> =
        found.errors.into_iter().map(|error| vec![format!("{}/{}", error.line, error.column), error.text]).collect();
    report(shell, &[("LINE/COL", 8), ("ERROR", 65)], &rows)?;
    Ok(Flow::Next)
}
