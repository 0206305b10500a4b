//! Tables as DataFusion reads them.

pub(crate) mod generator;
pub(crate) mod rows;
