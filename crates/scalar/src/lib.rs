//! Oracle's scalar values and operations on them: arithmetic, functions, comparison, conversion, and their form in a
//! column.
//!
//! One library for all evaluation of SQL, by row or by column: the same text, the same rounding, the same error numbers
//! everywhere. It knows no tables, plans or arrays.
//!
//! * [`Datum`] is a value with its type at run time, [`DatumType`] that type alone.
//! * [`functions::lookup`] finds a function or an operator by name, [`conditions::lookup`] a condition.
//! * [`compare`](compare::compare), [`coerce`](coerce::coerce), [`store`](column::store) and [`load`](column::load)
//!   follow Oracle's rules for mixed types.
//! * [`calendar`] parses the calendar strings of jobs and finds their dates.
//! * [`Context`] supplies the clock, the user and the NLS settings.

pub mod calendar;
pub mod cast;
pub mod coerce;
pub mod column;
pub mod compare;
pub mod conditions;
pub mod context;
pub mod date;
pub mod datum;
pub mod functions;
pub mod nls;
pub mod number;
pub mod text;

pub use cast::cast;
pub use column::{load, store};
pub use compare::compare;
pub use context::Context;
pub use datum::{Datum, DatumType, inconsistent};
pub use format::date::DateTime;
pub use format::number::NumberBytes;
pub use functions::Function;
pub use nls::Nls;
