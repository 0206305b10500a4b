#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod dropped;
mod fixture;
mod latches;
mod life;
mod model;
mod retention;
mod rollback;
mod space;
mod threads;
