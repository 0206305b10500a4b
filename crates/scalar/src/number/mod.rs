//! Computing with NUMBER.

pub mod arithmetic;
mod big;
pub mod elementary;
pub mod format;
pub mod parse;
pub mod remainder;
pub mod sum;
pub mod write;
