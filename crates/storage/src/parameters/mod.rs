//! Initialization parameters: declared in `parameters.toml`, read from the parameter file at start, changed by ALTER
//! SYSTEM and ALTER SESSION.
//!
//! ```text
//! parameters.toml --build.rs--> enum Parameter + Definition    (definition.rs)
//! highwater.ora   --file.rs---> Parameters                     (system.rs: one an instance)
//! ALTER SESSION   ------------> SessionParameters              (session.rs: one a session, over Parameters)
//! ```
//!
//! A value is looked up in the session's own settings, then in the instance's. Numbers and booleans are single atomic
//! loads, because the search for space reads them at every step.

mod definition;
#[cfg(test)]
mod effect_tests;
mod file;
mod memory;
mod reference;
mod session;
mod system;
mod value;

pub use definition::{Definition, Effect, Parameter, ParameterType, SystemChange};
pub use file::{PARAMETER_FILE, ParameterFile};
pub use reference::reference_page;
pub use session::SessionParameters;
pub use system::{Parameters, Scope};
pub use value::Value;
