//! Character values. Lengths and positions count characters, unless a name says bytes.

pub mod hexadecimal;
pub mod like;
pub mod pad;
pub mod part;
pub mod regexp;
pub mod replace;
pub mod trim;
