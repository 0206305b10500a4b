//! ORADEBUG: the chosen session, and its call stack.

use common::{Error, Result};

use crate::command::instance::said;
use crate::command::{Line, sp2};
use crate::server::DebugTarget;
use crate::shell::{Flow, Shell};
use crate::words::Word;

/// `ORADEBUG SETMYPID | SETORAPID n | SETOSPID n | SHORT_STACK`
pub(crate) fn oradebug(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    if !shell.connected {
        return Err(sp2(640, "not connected"));
    }
    match asked(shell, &line.words) {
        Ok(text) => {
            shell.out.line(&text);
            Ok(Flow::Next)
        }
        Err(error) => Ok(said(shell, &error)),
    }
}

fn asked(shell: &mut Shell, words: &[Word]) -> Result<String> {
    let Some((command, arguments)) = words.split_first() else {
        return Err(Error::user(70, "ORADEBUG what? SETMYPID, SETORAPID, SETOSPID or SHORT_STACK"));
    };
    let name = command.text.to_uppercase();
    let target = match name.as_str() {
        "SETMYPID" => none(&name, arguments).map(|()| DebugTarget::Own)?,
        "SETORAPID" => DebugTarget::Process(number(&name, arguments)?),
        "SETOSPID" => DebugTarget::Thread(number(&name, arguments)?),
        "SHORT_STACK" => {
            none(&name, arguments)?;
            return shell.server.short_stack();
        }
        _ => return Err(Error::unsupported(format!("ORADEBUG {name}"))),
    };
    shell.server.debug(target)
}

fn none(name: &str, arguments: &[Word]) -> Result<()> {
    if arguments.is_empty() { Ok(()) } else { Err(Error::user(73, format!("ORADEBUG {name} takes no arguments"))) }
}

fn number(name: &str, arguments: &[Word]) -> Result<u32> {
    let [argument] = arguments else { return Err(Error::user(73, format!("ORADEBUG {name} takes 1 argument"))) };
    let parsed = argument.text.parse();
    parsed.map_err(|_| Error::user(71, format!("ORADEBUG {name}: \"{}\" is no number of a process", argument.text)))
}
