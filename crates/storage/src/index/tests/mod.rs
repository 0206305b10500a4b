//! Tests of the tree over plain memory.

mod tree;
