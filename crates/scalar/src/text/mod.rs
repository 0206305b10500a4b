//! Character values.

pub mod hexadecimal;
