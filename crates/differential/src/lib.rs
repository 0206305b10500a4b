//! Random queries and changes beside another database: the same statements run on Highwater and on PostgreSQL, and each answer is compared.
//!
//! See the README for what is generated, and for what the two mean differently.

mod campaign;
mod changes;
mod compare;
mod function;
mod generate;
pub mod passes;
mod schema;
mod shrink;
mod side;
pub mod suite;
mod tally;
mod text;
mod tree;

pub use campaign::{Campaign, Plan};
pub use tally::Tally;
