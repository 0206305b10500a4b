//! engine

pub mod parameters;
