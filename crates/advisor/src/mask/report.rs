//! Every name of a report.

use report::model::{FileIo, Parameter, Report, Segment, SqlLine};

use super::Names;
use super::names::NameKind;

impl Names {
    /// Masks the model. Sections, events, statistics and figures stay as they are.
    pub(crate) fn report(&mut self, report: &mut Report) {
        let identity = &mut report.identity;
        identity.database_id = identity.database_id.map(|id| self.database_id(id));
        for name in [&mut identity.database, &mut identity.unique_name, &mut identity.instance].into_iter().flatten() {
            *name = self.database(name);
        }
        for name in &mut identity.instances {
            *name = self.database(name);
        }
        optional(&mut identity.container, |name| self.container(name));
        optional(&mut report.host.name, |name| self.replace(NameKind::Host, name));
        (report.window.begin.comment, report.window.end.comment) = (None, None);
        // Segments first: statements without a schema then find the names of their tables.
        for segment in report.segments.iter_mut().flatten().flat_map(|section| &mut section.segments) {
            self.segment(segment);
        }
        for line in report.sql.iter_mut().flatten().flat_map(|section| &mut section.statements) {
            self.sql_line(line);
        }
        for file in report.tablespaces.iter_mut().flatten().chain(report.files.iter_mut().flatten()) {
            self.file(file);
        }
        for file in report.file_histograms.iter_mut().flatten() {
            file.tablespace = self.tablespace(&file.tablespace);
            file.file = self.path(&file.file);
        }
        for cell in report.cells.iter_mut().flatten() {
            optional(&mut cell.cell, |name| self.replace(NameKind::Cell, name));
        }
        for parameter in report.parameters.iter_mut().flatten() {
            self.parameter(parameter);
        }
        for warning in &mut report.warnings {
            *warning = without_quotes(warning);
            self.sweep(warning);
        }
        // Names of cells, instances and containers may stand in the names of figures.
        for figure in report.cells.iter_mut().flatten() {
            self.sweep(&mut figure.group);
            self.sweep(&mut figure.name);
        }
        for figure in report.rac.iter_mut().flatten() {
            self.sweep(&mut figure.group);
            self.sweep(&mut figure.name);
        }
        for section in &mut report.sections {
            self.sweep(&mut section.title);
        }
    }

    fn segment(&mut self, segment: &mut Segment) {
        segment.object = self.object(Some(&segment.owner), &segment.object);
        segment.owner = self.schema(&segment.owner);
        segment.tablespace = self.tablespace(&segment.tablespace);
        optional(&mut segment.subobject, |name| self.replace(NameKind::Part, name));
        optional(&mut segment.container, |name| self.container(name));
    }

    fn sql_line(&mut self, line: &mut SqlLine) {
        line.text = self.statement(&line.text);
        optional(&mut line.module, |name| self.replace(NameKind::Module, name));
        optional(&mut line.container, |name| self.container(name));
    }

    fn file(&mut self, file: &mut FileIo) {
        file.tablespace = self.tablespace(&file.tablespace);
        optional(&mut file.file, |name| self.path(name));
    }

    fn parameter(&mut self, parameter: &mut Parameter) {
        let release = matches!(parameter.name.as_str(), "compatible" | "optimizer_features_enable");
        if !release {
            parameter.value = self.value(&parameter.value);
            optional(&mut parameter.end, |value| self.value(value));
        }
        optional(&mut parameter.container, |name| self.container(name));
    }

    /// A parameter's value: numbers, sizes and the words that parameters have for their settings stay.
    fn value(&mut self, value: &str) -> String {
        let plain = value.trim();
        let digits = plain.strip_suffix(['K', 'M', 'G', 'T', 'k', 'm', 'g', 't']).unwrap_or(plain);
        let number = digits.parse::<f64>().is_ok_and(f64::is_finite);
        if number || SETTINGS.iter().any(|word| plain.eq_ignore_ascii_case(word)) {
            return value.to_owned();
        }
        self.replace(NameKind::Value, value)
    }
}

/// Words that parameters are set to.
const SETTINGS: [&str; 39] = [
    "TRUE",
    "FALSE",
    "AUTO",
    "MANUAL",
    "NONE",
    "TYPICAL",
    "ALL",
    "BASIC",
    "EXACT",
    "FORCE",
    "SIMILAR",
    "ALL_ROWS",
    "FIRST_ROWS",
    "CHOOSE",
    "SETALL",
    "ASYNCH",
    "DIRECTIO",
    "FULL",
    "PARTIAL",
    "OFF",
    "ON",
    "LOW",
    "HIGH",
    "DEFAULT",
    "ENABLED",
    "DISABLED",
    "DB",
    "OS",
    "EXTENDED",
    "EXCLUSIVE",
    "SHARED",
    "BINARY",
    "BYTE",
    "CHAR",
    "ENABLE",
    "DISABLE",
    "IMMEDIATE",
    "WAIT",
    "NOWAIT",
];

fn optional(name: &mut Option<String>, mut mask: impl FnMut(&str) -> String) {
    if let Some(name) = name {
        *name = mask(name);
    }
}

/// Leaves out the reader's quotations from the file.
pub(super) fn without_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, part) in text.split(['"', '`']).enumerate() {
        out.push_str(if at % 2 == 0 { part } else { "\"...\"" });
    }
    out
}
