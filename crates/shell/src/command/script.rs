//! `@`, `@@` and START: scripts, inside each other, with arguments.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use common::{Error, ErrorKind, Number, Result};

use crate::command::{Line, sp2};
use crate::interrupt;
use crate::shell::{Flow, SCRIPTS_MAX, Script, Shell};

/// `@name args…` and START: relative to the working directory, then to the directories of SQLPATH.
pub(crate) fn start(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    run(shell, line, None)
}

/// `@@name args…`: relative to the script that says so.
pub(crate) fn nested(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let beside = shell.scripts.last().and_then(|script| script.path.parent().map(Path::to_owned));
    run(shell, line, beside)
}

fn run(shell: &mut Shell, line: &Line<'_>, beside: Option<PathBuf>) -> Result<Flow> {
    let Some((name, arguments)) = line.words.split_first() else {
        return Err(sp2(1506, "START, @ and @@ take the name of a script"));
    };
    let arguments = arguments.iter().map(|word| word.text.clone()).collect();
    shell.run_script(&name.text, beside.as_deref(), arguments)
}

impl Shell {
    /// Runs a script to its end; its lines see `arguments` as `&1`, `&2` ….
    pub(crate) fn run_script(&mut self, name: &str, beside: Option<&Path>, arguments: Vec<String>) -> Result<Flow> {
        if self.scripts.len() >= SCRIPTS_MAX {
            return Err(sp2(309, format!("{name}: scripts call each other more than {SCRIPTS_MAX} deep")));
        }
        let script = self.open_script(name, beside)?;
        for (at, argument) in arguments.into_iter().enumerate() {
            self.defines.set(&(at + 1).to_string(), argument);
        }
        self.scripts.push(script);
        self.mute_scripts();
        let flow = self.lines();
        self.scripts.pop();
        self.mute_scripts();
        if flow == Flow::Stop && self.scripts.is_empty() && self.out.interactive() {
            interrupt::forget();
        }
        Ok(flow)
    }

    /// SET TERMOUT OFF suppresses the output of scripts, not of typed lines.
    pub(crate) fn mute_scripts(&mut self) {
        let muted = !self.settings.termout && !self.scripts.is_empty();
        self.out.mute(muted);
    }

    fn open_script(&self, name: &str, beside: Option<&Path>) -> Result<Script> {
        let suffixed = self.suffixed(name);
        if let Some(path) = suffixed.strip_prefix("?/") {
            let text = self.server.home_script(path, self.out.interactive() && self.scripts.is_empty());
            let text = text.ok_or_else(|| {
                missing(&format!(
                    "{suffixed}: Highwater brings no script {path} along; ?/ is not a directory of this machine"
                ))
            })?;
            return Ok(Script { path: PathBuf::from(&suffixed), lines: lines(&text) });
        }
        if suffixed.contains("://") {
            return Err(Error::unsupported(format!("scripts from the network: {suffixed}")));
        }
        let mut places = vec![beside.map_or_else(|| PathBuf::from(&suffixed), |directory| directory.join(&suffixed))];
        if Path::new(&suffixed).is_relative()
            && let Some(path) = std::env::var_os("SQLPATH")
        {
            places.extend(std::env::split_paths(&path).map(|directory| directory.join(&suffixed)));
        }
        let path = places.iter().find(|place| place.is_file()).unwrap_or(&places[0]);
        let bytes = std::fs::read(path).map_err(|error| missing(&format!("{}: {error}", path.display())))?;
        Ok(Script { path: path.clone(), lines: lines(&String::from_utf8_lossy(&bytes)) })
    }

    /// The name with SUFFIX, unless its last part has one.
    pub(crate) fn suffixed(&self, name: &str) -> String {
        if Path::new(name).extension().is_some() { name.to_owned() } else { format!("{name}.{}", self.settings.suffix) }
    }
}

fn lines(text: &str) -> VecDeque<String> {
    text.strip_prefix('\u{feff}').unwrap_or(text).lines().map(str::to_owned).collect()
}

fn missing(what: &str) -> Error {
    Error::new(ErrorKind::Io, Number::Sp2(310), format!("cannot open script {what}"))
}
