//! Tests of indexes: the tree over plain memory, and whole indexes in a database.

mod database;
mod transactions;
mod tree;
