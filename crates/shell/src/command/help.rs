//! HELP.

use common::Result;

use crate::command::Line;
use crate::shell::{Flow, Shell};

const TEXT: &str = "\
SQL statements end with ; or with / on a line of its own, PL/SQL blocks with / only.

 @ @@ START        run a script              ACCEPT PAUSE      ask the user
 / RUN LIST        the statement again       DEFINE UNDEFINE   &variables
 SET SHOW          settings                  VARIABLE PRINT    :binds
 COLUMN            looks of a column         SPOOL             output to a file
 DESCRIBE          columns of a table        EXECUTE           one PL/SQL statement
 CONNECT EXIT      begin and end             WHENEVER          what an error does
 PROMPT REMARK     text                      TIMING CLEAR      timers, resets
 APPEND CHANGE DEL INPUT GET SAVE            the statement in the buffer
 STARTUP SHUTDOWN                            open and close the database
 ORADEBUG          the stack of a session
";

pub(crate) fn help(shell: &mut Shell, _line: &Line<'_>) -> Result<Flow> {
    shell.out.line(TEXT);
    Ok(Flow::Next)
}
