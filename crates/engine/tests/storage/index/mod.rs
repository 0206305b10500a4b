//! Whole indexes in a database.

mod database;
mod transactions;
