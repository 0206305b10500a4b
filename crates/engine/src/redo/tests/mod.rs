//! Tests of the redo log.

mod basic;
mod stage;
