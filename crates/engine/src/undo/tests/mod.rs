#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod fixture;
mod life;
mod model;
mod retention;
mod rollback;
mod space;
mod threads;
