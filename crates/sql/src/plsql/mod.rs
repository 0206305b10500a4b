//! PL/SQL in the database: programs are kept in the dictionary, run in sessions, and started as jobs. Parser, compiler
//! and interpreter are the crate `plsql`.
//!
//! ```text
//! statement -> block.rs     anonymous blocks and CALL        host.rs     the session as programs see it
//!           -> program.rs   CREATE, ALTER … COMPILE, DROP    prepare.rs  names in a program's SQL: columns or
//!                                                                        variables
//!           -> dictionary.rs  the dictionary as their compiler sees it
//! expression -> function.rs  functions of PL/SQL in SQL
//! jobs.rs                   the coordinator, and job runs    dynamic.rs  EXECUTE IMMEDIATE
//! schedule.rs               when jobs of DBMS_SCHEDULER run  native/     the supplied packages
//! ```

mod block;
mod dictionary;
mod dynamic;
mod function;
mod host;
mod job_settings;
pub(crate) mod jobs;
mod names;
mod native;
mod prepare;
mod program;
mod schedule;

pub(crate) use function::function;
pub(crate) use host::{Programs, SessionHost};
