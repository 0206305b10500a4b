//! SPOOL: a copy of the output in a file.

use std::path::{Path, PathBuf};

use common::{Error, Result};

use crate::command::{Line, sp2};
use crate::output::SpoolMode;
use crate::shell::{Flow, Shell};

/// `SPOOL name [CREATE|REPLACE|APPEND]`, `SPOOL OFF`, `SPOOL`
pub(crate) fn spool(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    match line.words.as_slice() {
        [] => {
            let said = match shell.out.spool_path() {
                Some(path) => format!("currently spooling to {}", path.display()),
                None => "not spooling currently".to_owned(),
            };
            shell.out.line(&said);
        }
        [word] if word.is("off") => {
            if !shell.out.spool_off()? {
                shell.out.line("not spooling currently");
            }
        }
        [word] if word.is("out") => return Err(Error::unsupported("SPOOL OUT: there is no printer")),
        [name, mode @ ..] => {
            let mode = match mode {
                [] => SpoolMode::Replace,
                [word] if word.is("rep[lace]") => SpoolMode::Replace,
                [word] if word.is("cre[ate]") => SpoolMode::Create,
                [word] if word.is("app[end]") => SpoolMode::Append,
                _ => return Err(sp2(768, "SPOOL takes a file name, then CREATE, REPLACE or APPEND")),
            };
            let mut path = PathBuf::from(&name.text);
            if Path::new(&name.text).extension().is_none() {
                path.set_extension("lst");
            }
            shell.out.spool_to(&path, mode)?;
        }
    }
    Ok(Flow::Next)
}
