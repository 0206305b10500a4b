//! Tests of the redo log.

mod admin;
mod basic;
mod concurrent;
mod crash;
mod damage;
mod invariants;
mod stage;
mod switch;
