//! DDL, session and system commands: a parser by hand, and their execution by the engine's methods.

pub(crate) mod alter;
mod analyze;
pub(crate) mod attributes;
pub(crate) mod columns;
pub(crate) mod command;
mod comment;
pub(crate) mod constraint;
pub(crate) mod constraint_execute;
mod directory;
mod disk_group;
pub(crate) mod execute;
mod external;
mod foreign;
pub(crate) mod grant;
pub(crate) mod logfile;
mod logfile_change;
mod objects;
pub(crate) mod parse;
mod program;
pub(crate) mod sequence;
pub(crate) mod synonym;
pub(crate) mod system;
mod system_command;
pub(crate) mod table;
pub(crate) mod tablespace;
pub(crate) mod user;
mod view;
