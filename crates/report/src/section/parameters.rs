//! Initialisation parameters.

use super::Section;
use super::column::Field::{Optional, Text};
use super::column::{column, of};
use crate::model::{Parameter, Report};

/// A parameter of several values has a line each; the name may stand in the first only.
pub(crate) static PARAMETERS: Section<Parameter> = Section::new(
    "init.ora Parameters",
    &[],
    &[
        column(&["parameter", "name"], Text(of!(Parameter.name)))
            .or_above(&["beginvalue", "value"])
            .left(&["Parameter Name"], 29),
        column(&["value"], Text(of!(Parameter.value))).needed().left(&["Begin value"], 33),
        column(&["endvalue"], Optional(of!(Parameter.end))).left(&["End value", "(if different)"], 14),
        column(&["pdbname", "containername"], Optional(of!(Parameter.container))),
    ],
    of!(Report.parameters),
);
