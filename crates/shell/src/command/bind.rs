//! VARIABLE and PRINT.

use common::{DataType, Error, Result};

use crate::command::{Line, sp2};
use crate::layout::Layout;
use crate::server::{Cell, ColumnInfo};
use crate::shell::{Flow, Shell};

/// `VARIABLE [name [type]]`
pub(crate) fn variable(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let (name, rest) = line.rest.split_once(char::is_whitespace).unwrap_or((line.rest, ""));
    if rest.trim().is_empty() {
        let shown: Vec<String> = shell
            .binds
            .iter()
            .filter(|bind| name.is_empty() || bind.name.eq_ignore_ascii_case(name))
            .map(|bind| format!("variable   {}\ndatatype   {}\n", bind.name.to_lowercase(), bind.data_type))
            .collect();
        if shown.is_empty() {
            return Err(undeclared(name));
        }
        for text in shown {
            shell.out.line(&text);
        }
        return Ok(Flow::Next);
    }
    shell.binds.declare(name, data_type(rest)?);
    Ok(Flow::Next)
}

/// `NUMBER`, `CHAR`, `CHAR(10)`, `VARCHAR2(30 CHAR)` …
fn data_type(text: &str) -> Result<DataType> {
    let text = text.trim();
    let (name, length) = match text.split_once('(') {
        Some((name, rest)) => {
            let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
            let length = digits.parse().ok().filter(|n| (1..=32_767).contains(n) && rest.trim_end().ends_with(')'));
            (name.trim(), Some(length.ok_or_else(|| sp2(553, format!("VARIABLE: \"{text}\" has no valid length")))?))
        }
        None => (text, None),
    };
    match (name.to_ascii_uppercase().as_str(), length) {
        ("NUMBER", None) => Ok(DataType::Number { precision: None, scale: 0 }),
        ("CHAR" | "NCHAR", length) => Ok(DataType::Char { bytes: length.unwrap_or(1) }),
        ("VARCHAR2" | "NVARCHAR2", length) => Ok(DataType::Varchar2 { bytes: length.unwrap_or(1) }),
        ("REFCURSOR" | "CLOB" | "NCLOB" | "BLOB" | "BFILE" | "BINARY_FLOAT" | "BINARY_DOUBLE", _) => {
            Err(Error::unsupported(format!("VARIABLE of type {}", name.to_uppercase())))
        }
        _ => Err(sp2(552, format!("VARIABLE: \"{text}\" is no type of a bind variable"))),
    }
}

/// `PRINT [name…]`, with or without a colon before the names.
pub(crate) fn print(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let names: Vec<String> = if line.words.is_empty() {
        shell.binds.iter().map(|bind| bind.name.clone()).collect()
    } else {
        line.words.iter().map(|word| word.text.trim_start_matches(':').to_owned()).collect()
    };
    if names.is_empty() {
        return Err(undeclared(""));
    }
    for name in names {
        if !shell.print_bind(&name) {
            return Err(undeclared(&name));
        }
    }
    Ok(Flow::Next)
}

fn undeclared(name: &str) -> Error {
    if name.is_empty() {
        sp2(568, "no bind variable is declared")
    } else {
        sp2(552, format!("bind variable \"{name}\" is not declared"))
    }
}

impl Shell {
    /// Shows a bind variable as a query of one row would; false when there is none of that name.
    pub(crate) fn print_bind(&mut self, name: &str) -> bool {
        let Some(bind) = self.binds.get(name) else { return false };
        let heading = bind.name.to_ascii_uppercase();
        let info = match bind.data_type {
            DataType::Char { bytes } | DataType::Varchar2 { bytes } => {
                // A heading is not cut to a narrow variable.
                let width = usize::from(bytes).max(heading.len());
                ColumnInfo::new(heading, DataType::Varchar2 { bytes: 1 }).width(width)
            }
            other => ColumnInfo::new(heading, other),
        };
        let value = bind.value.clone();
        let nls = self.nls();
        let lines = Layout::new(&[info], &self.settings, &self.columns, &nls).map(|layout| {
            if self.settings.pagesize > 0 && self.settings.heading {
                [vec![String::new()], layout.headings(), layout.row(&[value], &[]).lines].concat()
            } else {
                layout.row(&[value], &[]).lines
            }
        });
        match lines {
            Ok(lines) => {
                for line in lines {
                    self.out.report(&line, &self.settings);
                }
                self.out.line("");
            }
            Err(error) => self.say_error(&error),
        }
        true
    }

    /// Sets a bind variable's value where the caller knows it.
    pub(crate) fn bind_number(&self, name: &str) -> Option<i64> {
        match &self.binds.get(name)?.value {
            Cell::Number(text) => text.parse().ok(),
            Cell::Null | Cell::Text(_) => None,
        }
    }
}
