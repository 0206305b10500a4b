//! Tables on a real instance over files in memory.

mod clones;
mod costs;
mod fixture;
mod keys;
mod model;
mod placing;
mod sessions;
