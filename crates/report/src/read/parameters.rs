//! Initialisation parameters.

use super::Reading;
use super::view::View;
use crate::model::Parameter;

impl Reading {
    /// A parameter of several values has a line each; the name may stand in the first only.
    pub(super) fn parameters(&mut self, view: &View<'_>) -> bool {
        let name = view.find(&["parametername", "parameter", "name"]);
        let value = view.find(&["beginvalue", "value"]);
        if name.is_none() || value.is_none() {
            return false;
        }
        let end = view.find(&["endvalueifdifferent", "endvalue"]);
        let container = view.find(&["pdbname", "containername"]);
        let mut last = String::new();
        let mut parameters = Vec::new();
        for line in view.lines() {
            if !line.text(name).is_empty() {
                line.text(name).clone_into(&mut last);
            } else if line.text(value).is_empty() {
                continue;
            }
            parameters.push(Parameter {
                name: last.clone(),
                value: line.text(value).to_owned(),
                end: line.owned(end),
                container: line.owned(container),
            });
        }
        if parameters.is_empty() {
            return false;
        }
        self.report.parameters.get_or_insert_default().extend(parameters);
        true
    }
}
