//! Computing with NUMBER.

pub mod arithmetic;
