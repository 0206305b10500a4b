//! PL/SQL: lexer, parser, compiler and interpreter. It knows no tables, plans or sessions: it reaches them through a
//! [`host::Host`].
//!
//! See README.md for the way from text to a running program.

pub mod ast;
pub mod compile;
pub mod error;
pub mod exception;
pub mod host;
pub mod kind;
pub mod lexer;
pub mod library;
pub mod packages;
pub mod parser;
pub mod position;
pub mod run;
pub mod value;
