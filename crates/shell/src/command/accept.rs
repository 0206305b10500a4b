//! ACCEPT and PAUSE: input from the user in the middle of a script.

use common::Result;

use crate::command::{Line, sp2};
use crate::decimal::Decimal;
use crate::shell::{Flow, Shell};

/// `ACCEPT name [NUMBER|CHAR|DATE] [FORMAT f] [DEFAULT d] [PROMPT text|NOPROMPT] [HIDE]`
pub(crate) fn accept(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let mut words = line.words.iter();
    let name = words.next().ok_or_else(|| sp2(158, "ACCEPT: the name of a variable is missing"))?.text.clone();
    let (mut number, mut hidden, mut default, mut prompt) = (false, false, None, None);
    while let Some(word) = words.next() {
        let mut value = || {
            words
                .next()
                .map(|word| word.text.clone())
                .ok_or_else(|| sp2(266, format!("ACCEPT {}: the value is missing", word.text)))
        };
        if word.is("num[ber]") {
            number = true;
        } else if word.is("char") || word.is("nopr[ompt]") {
            // CHAR is the default type; without PROMPT nothing is shown.
        } else if word.is("hide") {
            hidden = true;
        } else if word.is("def[ault]") {
            default = Some(value()?);
        } else if word.is("prompt") {
            prompt = Some(value()?);
        } else if word.is("date") || word.is("for[mat]") {
            return Err(common::Error::unsupported(format!("ACCEPT … {}", word.text.to_uppercase())));
        } else {
            return Err(sp2(158, format!("ACCEPT has no option \"{}\"", word.text)));
        }
    }
    loop {
        let mut answer = Shell::ask(&mut shell.out, prompt.as_deref().unwrap_or(""), &name, hidden)?;
        if answer.is_empty() {
            answer.push_str(default.as_deref().unwrap_or(""));
        }
        if !number {
            shell.defines.set(&name, answer);
            return Ok(Flow::Next);
        }
        if let Some(value) = Decimal::parse(&answer) {
            shell.defines.set_number(&name, value.plain());
            return Ok(Flow::Next);
        }
        shell.out.line(&format!("SP2-0425: \"{answer}\" is not a number"));
    }
}

/// `PAUSE [text]`: waits for a line, on a terminal only.
pub(crate) fn pause(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    if !line.rest.is_empty() {
        shell.out.line(line.rest);
    }
    if shell.out.interactive() {
        Shell::ask(&mut shell.out, "", "PAUSE", false)?;
    }
    Ok(Flow::Next)
}
