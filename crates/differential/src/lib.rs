//! Random queries and changes run on Highwater and on PostgreSQL; each answer is compared.
//!
//! See the README for the statements generated, and for the differences in meaning.

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
pub use side::Way;
pub use tally::Tally;
