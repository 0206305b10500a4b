//! From Oracle's syntax to a logical plan.

pub(crate) mod binder;
pub(crate) mod block;
pub(crate) mod bound;
pub(crate) mod condition;
pub(crate) mod convert;
pub(crate) mod expression;
pub(crate) mod from;
pub(crate) mod function;
pub(crate) mod grouping;
mod guard;
pub(crate) mod hints;
pub(crate) mod locking;
pub(crate) mod one_row;
pub(crate) mod parameter;
pub(crate) mod query;
pub(crate) mod scope;
pub(crate) mod sequence;
mod table_function;
pub(crate) mod window;
