//! DUAL.

use super::view::{DUAL, Table, View, s, text};

pub(crate) const VIEWS: &[&dyn View] =
    &[&Table::<()>::new(DUAL, &[&[text("DUMMY", 1, |()| s("X"))]], |_, each| each(()))];
