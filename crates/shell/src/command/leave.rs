//! EXIT, QUIT and WHENEVER.

use common::{Error, Number, Result};

use crate::command::{Line, sp2};
use crate::shell::{DONE, Ending, FAILED, Flow, Shell, Whenever};
use crate::words::Word;

/// The exit code of EXIT or WHENEVER … EXIT.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ExitCode {
    /// None is given: 0 after EXIT, 1 after an error.
    Unsaid,
    Number(u8),
    SqlCode,
    Variable(String),
    Bind(String),
}

impl ExitCode {
    /// The code of an EXIT.
    fn plain(&self, shell: &Shell) -> Result<u8> {
        match self {
            Self::Unsaid => Ok(DONE),
            Self::Number(code) => Ok(*code),
            Self::SqlCode => Ok(from_error(shell.sqlcode)),
            Self::Variable(name) => {
                let value = shell.defines.get(name).and_then(|define| define.value.trim().parse::<i64>().ok());
                value.map(low_byte).ok_or_else(|| sp2(584, format!("EXIT: {name} holds no number")))
            }
            Self::Bind(name) => {
                shell.bind_number(name).map(low_byte).ok_or_else(|| sp2(584, format!("EXIT: :{name} holds no number")))
            }
        }
    }

    /// The code after an error under WHENEVER.
    pub(crate) fn after(&self, shell: &Shell, error: &Error) -> u8 {
        match self {
            Self::Unsaid => FAILED,
            Self::SqlCode => from_error(match error.number {
                Number::Ora(number) | Number::Hw(number) | Number::Sp2(number) => number,
            }),
            other => other.plain(shell).unwrap_or(FAILED),
        }
    }
}

/// An operating system keeps eight bits; an error must not end as 0 for that.
fn from_error(number: u32) -> u8 {
    let code = low_byte(i64::from(number));
    if code == 0 && number != 0 { FAILED } else { code }
}

fn low_byte(value: i64) -> u8 {
    value.rem_euclid(256) as u8
}

/// `[SUCCESS|FAILURE|WARNING|n|variable|:bind|SQL.SQLCODE] [COMMIT|ROLLBACK]`
fn parse(words: &[Word]) -> Result<(ExitCode, Option<Ending>)> {
    let mut code = ExitCode::Unsaid;
    let mut ending = None;
    for (at, word) in words.iter().enumerate() {
        if word.is("commit") {
            ending = Some(Ending::Commit);
        } else if word.is("rollback") {
            ending = Some(Ending::Rollback);
        } else if at > 0 {
            return Err(sp2(158, format!("EXIT does not know \"{}\"", word.text)));
        } else if word.is("success") {
            code = ExitCode::Number(DONE);
        } else if word.is("failure") {
            code = ExitCode::Number(FAILED);
        } else if word.is("warning") {
            code = ExitCode::Number(2);
        } else if word.is("sql.sqlcode") {
            code = ExitCode::SqlCode;
        } else if let Ok(number) = word.text.parse::<i64>() {
            code = ExitCode::Number(low_byte(number));
        } else if let Some(name) = word.text.strip_prefix(':') {
            code = ExitCode::Bind(name.to_owned());
        } else {
            code = ExitCode::Variable(word.text.clone());
        }
    }
    Ok((code, ending))
}

pub(crate) fn exit(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    // An invalid EXIT leaves all the same: the lines behind it were not meant to run.
    let asked = parse(&line.words).and_then(|(code, ending)| Ok((code.plain(shell)?, ending)));
    match asked {
        Ok((code, ending)) => {
            shell.exit_ending = ending;
            Ok(Flow::Exit(code))
        }
        Err(error) => {
            shell.say_error(&error);
            Ok(Flow::Exit(FAILED))
        }
    }
}

/// `WHENEVER SQLERROR|OSERROR EXIT …|CONTINUE [COMMIT|ROLLBACK|NONE]`
pub(crate) fn whenever(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let wrong = || sp2(158, "WHENEVER takes SQLERROR or OSERROR, then EXIT or CONTINUE");
    let [event, action, rest @ ..] = line.words.as_slice() else { return Err(wrong()) };
    let whenever = if action.is("exit") {
        let (code, ending) = parse(rest)?;
        Whenever::Exit(code, ending.unwrap_or(Ending::None))
    } else if action.is("continue") {
        let ending = match rest {
            [] => Ending::None,
            [word] if word.is("none") => Ending::None,
            [word] if word.is("commit") => Ending::Commit,
            [word] if word.is("rollback") => Ending::Rollback,
            _ => return Err(wrong()),
        };
        Whenever::Continue(ending)
    } else {
        return Err(wrong());
    };
    if event.is("sqlerror") {
        shell.sql_error = whenever;
    } else if event.is("oserror") {
        shell.os_error = whenever;
    } else {
        return Err(wrong());
    }
    Ok(Flow::Next)
}
