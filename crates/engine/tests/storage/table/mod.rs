//! Tables on a real instance over files in memory.

mod append;
mod clones;
mod costs;
mod deadlocks;
mod direct;
mod ends;
mod fixture;
mod keys;
mod loads;
mod locks;
mod model;
mod placing;
mod reuse;
mod reuse_model;
mod serializable;
mod sessions;
mod shrinking;
mod spread;
