//! Cursors: parse, describe, bind, execute, fetch, close; connections and the database.

mod address_space;
pub(crate) mod arrays;
pub(crate) mod cancel;
pub(crate) mod chain;
mod checked_rules;
pub(crate) mod child;
mod client;
pub(crate) mod connection;
pub(crate) mod context;
pub(crate) mod database;
mod execute;
mod extremes;
mod join_filters;
mod keep_order;
pub(crate) mod kept_plan;
mod keys;
pub(crate) mod library;
pub(crate) mod load;
mod merge_joins;
pub(crate) mod nested;
mod nullable;
pub(crate) mod open;
mod push_down;
pub(crate) mod run;
pub(crate) mod shared;
pub(crate) mod tables;
pub(crate) mod trace;
pub(crate) mod work_areas;

pub use arrays::FetchedArrays;
pub use connection::{Connection, Executed, Fetched};
pub use database::Database;
pub use load::{FileLoad, Loaded};
pub use open::{ColumnDescription, CursorNumber};
