//! DEFINE and UNDEFINE.

use common::Result;

use crate::command::{Line, sp2};
use crate::define::Define;
use crate::shell::{Flow, Shell};
use crate::words;

/// `DEFINE`, `DEFINE name`, `DEFINE name = value`; the value runs to the end of the line unless it is quoted.
pub(crate) fn define(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    if let Some((name, value)) = line.rest.split_once('=') {
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(sp2(137, "DEFINE takes one name before the equals sign"));
        }
        let value = value.trim();
        let words = words::split(value);
        let value = match words.first() {
            Some(word) if word.quoted => word.text.clone(),
            _ => value.to_owned(),
        };
        shell.defines.set(name, value);
        return Ok(Flow::Next);
    }
    let shown: Vec<String> = match line.words.first() {
        None => shell.defines.iter().map(text).collect(),
        Some(name) => {
            let found = shell.defines.get(&name.text);
            vec![text(found.ok_or_else(|| undefined(&name.text))?)]
        }
    };
    for line in shown {
        shell.out.line(&line);
    }
    Ok(Flow::Next)
}

fn text(define: &Define) -> String {
    if define.number {
        format!("DEFINE {:<15} = {} (NUMBER)", define.name, define.value)
    } else {
        format!("DEFINE {:<15} = \"{}\" (CHAR)", define.name, define.value)
    }
}

pub(crate) fn undefine(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    if line.words.is_empty() {
        return Err(sp2(137, "UNDEFINE takes the name of a variable"));
    }
    // An undefined one is reported, and the others are removed all the same.
    for word in &line.words {
        if !shell.defines.remove(&word.text) {
            shell.out.line(&undefined(&word.text).to_string());
        }
    }
    Ok(Flow::Next)
}

fn undefined(name: &str) -> common::Error {
    sp2(135, format!("{name} is not defined"))
}
