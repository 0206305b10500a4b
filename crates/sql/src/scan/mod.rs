//! Tables as DataFusion reads them.

pub(crate) mod access;
pub(crate) mod exec;
pub(crate) mod external;
pub(crate) mod figures;
pub(crate) mod generator;
pub(crate) mod index_range;
pub(crate) mod index_way;
pub(crate) mod join_filter;
mod key_range;
pub(crate) mod predicate;
pub(crate) mod read_plan;
pub(crate) mod rows;
pub(crate) mod selectivity;
pub(crate) mod sink;
pub(crate) mod source;
mod steps;
pub(crate) mod table;
pub(crate) mod template;
