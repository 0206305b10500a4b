//! DUAL.

use super::view::{View, s, text};

pub(crate) const VIEWS: &[View] =
    &[View { name: "DUAL", columns: &[text("DUMMY", 1)], rows: |_, rows| rows.add(&[s("X")]) }];
