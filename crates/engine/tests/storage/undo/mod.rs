//! Undo segments on a real instance over files in memory.

mod dropped;
mod fixture;
mod latches;
mod life;
mod model;
mod retention;
mod rollback;
mod space;
mod threads;
