//! Other changes between two windows: restart, release, machine, memory, parameters, plans.

use std::collections::BTreeMap;

use report::model::{Kind as Form, Parameter, Report, SqlLine};
use serde::Serialize;

use crate::files::Subject;
use crate::screen::number::{bytes, number};

/// Characters from which on a value may have been cut.
const CUT: usize = 20;

/// Something that was so before and is otherwise after. None: it was not there (a parameter that is printed only where
/// it is set).
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Change {
    pub(crate) kind: ChangeKind,
    pub(crate) what: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ChangeKind {
    Restart,
    Release,
    Machine,
    Memory,
    Parameter,
    Plan,
}

/// All that differs, by kind.
pub(crate) fn changes(before: &Subject, after: &Subject) -> Vec<Change> {
    let mut changes = Changes(Vec::new());
    let (one, other) = (&before.facts, &after.facts);
    let both = |text: &Option<String>| text.clone();
    changes.known(ChangeKind::Restart, "instance started", both(&one.identity.startup), both(&other.identity.startup));
    changes.known(ChangeKind::Release, "release", both(&one.identity.release), both(&other.identity.release));
    changes.known(ChangeKind::Machine, "host", both(&one.host.name), both(&other.host.name));
    changes.known(ChangeKind::Machine, "platform", both(&one.host.platform), both(&other.host.platform));
    let count = |value: Option<f64>| value.map(number);
    changes.known(ChangeKind::Machine, "CPUs", count(one.host.cpus), count(other.host.cpus));
    changes.known(ChangeKind::Machine, "memory", one.host.memory_bytes.map(bytes), other.host.memory_bytes.map(bytes));
    if let (Some(one), Some(other)) = (&before.report, &after.report) {
        let (a, b) = (&one.caches, &other.caches);
        let sizes = [
            ("buffer cache", a.buffer_cache_bytes, b.buffer_cache_bytes),
            ("shared pool", a.shared_pool_bytes, b.shared_pool_bytes),
            ("log buffer", a.log_buffer_bytes, b.log_buffer_bytes),
            ("block size", a.block_bytes, b.block_bytes),
        ];
        for (what, before, after) in sizes {
            changes.known(ChangeKind::Memory, what, before.map(bytes), after.map(bytes));
        }
        changes.parameters(one, other);
        changes.plans(one, other);
    }
    changes.0
}

struct Changes(Vec<Change>);

impl Changes {
    fn add(&mut self, kind: ChangeKind, what: &str, before: Option<String>, after: Option<String>) {
        if before != after {
            self.0.push(Change { kind, what: what.to_owned(), before, after });
        }
    }

    /// Adds a change if both values are known: a value that one report does not print has not changed for that reason.
    fn known(&mut self, kind: ChangeKind, what: &str, before: Option<String>, after: Option<String>) {
        if before.is_some() && after.is_some() {
            self.add(kind, what, before, after);
        }
    }

    fn parameters(&mut self, one: &Report, other: &Report) {
        let (Some(before), Some(after)) = (&one.parameters, &other.parameters) else { return };
        // If only one of the reports tells containers apart, both have only names in common.
        let containers = [before, after].iter().all(|list| list.iter().any(|line| line.container.is_some()));
        let (mut before, after) = (values(before, containers), values(after, containers));
        let cut = may_be_cut(one.kind) || may_be_cut(other.kind);
        for (name, value) in &after {
            let earlier = before.remove(name);
            // A parameter that is printed without a value is not set either.
            let same = match &earlier {
                Some(earlier) => alike(&earlier.value, &value.value, cut),
                None => value.value.is_empty(),
            };
            if !same {
                self.add(ChangeKind::Parameter, name, earlier.map(|earlier| earlier.value), Some(value.value.clone()));
            }
            if let Some(begin) = &value.begin
                && !alike(begin, &value.value, may_be_cut(other.kind))
            {
                let what = format!("{name} (within the later window)");
                self.add(ChangeKind::Parameter, &what, Some(begin.clone()), Some(value.value.clone()));
            }
        }
        for (name, value) in before {
            if !value.value.is_empty() {
                self.add(ChangeKind::Parameter, &name, Some(value.value), None);
            }
        }
        // Hidden ones last.
        self.0.sort_by_key(|change| (change.kind, change.what.starts_with('_')));
    }

    /// Statements at the top of both that have another plan.
    fn plans(&mut self, one: &Report, other: &Report) {
        let (before, after) = (plans(one), plans(other));
        for (sql_id, hash) in &before {
            if let Some((_, later)) = after.iter().find(|(id, _)| id == sql_id) {
                self.add(
                    ChangeKind::Plan,
                    &format!("plan of {sql_id}"),
                    Some(hash.to_string()),
                    Some(later.to_string()),
                );
            }
        }
    }
}

/// A parameter at the window's end, and at its begin where that was another.
struct ParameterValue {
    begin: Option<String>,
    value: String,
}

/// The root; its parameters are those of the instance.
const ROOT: &str = "CDB$ROOT";

/// Parameters by name, and by container if both reports have containers; otherwise the root's value stands for the
/// name.
fn values(parameters: &[Parameter], containers: bool) -> BTreeMap<String, ParameterValue> {
    // The lines of each, in their order.
    let mut lines: BTreeMap<(&str, Option<&str>), Vec<&Parameter>> = BTreeMap::new();
    for parameter in parameters {
        lines.entry((&parameter.name, parameter.container.as_deref())).or_default().push(parameter);
    }
    let mut values = BTreeMap::new();
    for (&(name, container), list) in &lines {
        let of = |container| lines.contains_key(&(name, container));
        let name = match container {
            Some(container) if containers => format!("{name} of {container}"),
            None => name.to_owned(),
            Some(ROOT) if !of(None) => name.to_owned(),
            // Not the root's: the first pluggable database that has it.
            Some(_) if !of(None) && !of(Some(ROOT)) && !values.contains_key(name) => name.to_owned(),
            Some(_) => continue,
        };
        let end = |parameter: &Parameter| parameter.end.clone().filter(|end| *end != parameter.value);
        let changed = list.iter().any(|parameter| end(parameter).is_some());
        let begin = changed.then(|| whole(list.iter().map(|parameter| parameter.value.clone()).collect()));
        let value =
            whole(list.iter().map(|parameter| end(parameter).unwrap_or_else(|| parameter.value.clone())).collect());
        values.insert(name, ParameterValue { begin, value });
    }
    values
}

/// The value of a parameter from its lines. One that has several values has them all together in its first line (cut at
/// the column), then each by itself.
fn whole(mut lines: Vec<String>) -> String {
    if let [first, rest @ ..] = lines.as_slice()
        && !rest.is_empty()
    {
        let rest = rest.join(", ");
        if rest == *first || (first.len() >= CUT && rest.starts_with(first.as_str())) {
            lines.remove(0);
        }
    }
    lines.join(", ")
}

/// A report in text cuts a value that does not fit its column; the rest cannot be told from a whole value.
fn may_be_cut(form: Form) -> bool {
    form != Form::AwrHtml
}

/// True: the two values, or lists of values, are equal as far as they are printed.
fn alike(one: &str, other: &str, cut: bool) -> bool {
    let same = |one: &str, other: &str| {
        one == other || (cut && one.len().min(other.len()) >= CUT && (one.starts_with(other) || other.starts_with(one)))
    };
    let (ones, others): (Vec<&str>, Vec<&str>) = (one.split(", ").collect(), other.split(", ").collect());
    same(one, other)
        || (ones.len() == others.len() && ones.iter().zip(&others).all(|(one, other)| same(one.trim(), other.trim())))
}

/// Each statement's plan, where it has one only.
fn plans(report: &Report) -> Vec<(String, u64)> {
    let lines = report.sql.iter().flatten().flat_map(|section| &section.statements);
    let mut plans: Vec<(String, u64, bool)> = Vec::new();
    for SqlLine { sql_id, plan_hash, .. } in lines {
        let (Some(sql_id), Some(hash)) = (sql_id, plan_hash) else { continue };
        match plans.iter_mut().find(|(id, _, _)| id == sql_id) {
            Some((_, known, several)) => *several |= known != hash,
            None => plans.push((sql_id.clone(), *hash, false)),
        }
    }
    plans.into_iter().filter(|(_, _, several)| !several).map(|(id, hash, _)| (id, hash)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Changes, Form, Parameter, Report};

    fn report(form: Form, lines: &[(&str, &str, Option<&str>)]) -> Report {
        let parameter = |(name, value, container): &(&str, &str, Option<&str>)| Parameter {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
            end: None,
            container: container.map(str::to_owned),
        };
        Report { parameters: Some(lines.iter().map(parameter).collect()), ..Report::new(form) }
    }

    fn changed(one: &Report, other: &Report) -> Vec<String> {
        let mut changes = Changes(Vec::new());
        changes.parameters(one, other);
        changes.0.into_iter().map(|change| change.what).collect()
    }

    #[test]
    fn a_container_database_has_the_names_of_any_other() {
        let plain = report(Form::AwrHtml, &[("processes", "300", None), ("open_cursors", "300", None)]);
        let root = Some("CDB$ROOT");
        let container = report(
            Form::AwrHtml,
            &[("open_cursors", "50", Some("A")), ("open_cursors", "300", root), ("processes", "500", root)],
        );
        assert_eq!(changed(&plain, &container), ["processes"]);
        assert_eq!(changed(&container, &plain), ["processes"]);
        // A parameter that only a pluggable database sets is kept.
        let pluggable = report(
            Form::AwrHtml,
            &[("open_cursors", "50", Some("A")), ("open_cursors", "60", Some("B")), ("processes", "300", root)],
        );
        assert_eq!(changed(&plain, &pluggable), ["open_cursors"]);
        // Two of them are held against each other container by container.
        assert_eq!(changed(&container, &pluggable).len(), 3);
    }

    #[test]
    fn a_value_cut_at_its_column_is_no_change() {
        let (first, second) = ("+DATA/shop/controlfile/current.455.1", "+RECO/shop/controlfile/current.332.1");
        let both = format!("{first}, {second}");
        let file = "control_files";
        let page = report(Form::AwrHtml, &[(file, &both, None), (file, first, None), (file, second, None)]);
        let statspack = report(Form::Statspack, &[(file, &both, None)]);
        let text = report(
            Form::AwrText,
            &[(file, &both[..30], None), (file, &first[..30], None), (file, &second[..30], None)],
        );
        for (one, other) in [(&page, &text), (&statspack, &text), (&page, &statspack), (&text, &text)] {
            assert!(changed(one, other).is_empty() && changed(other, one).is_empty(), "{one:?} {other:?}");
        }
        // A value that is printed whole, or that differs before the cut, has changed.
        let moved = report(Form::AwrText, &[(file, "+DATA/bank/controlfile/current", None)]);
        assert_eq!(changed(&text, &moved), [file]);
        let (short, shorter) =
            (report(Form::AwrText, &[("a", "16384", None)]), report(Form::AwrText, &[("a", "163", None)]));
        assert_eq!(changed(&short, &shorter), ["a"]);
        let cut_page = report(Form::AwrHtml, &[(file, &both[..30], None)]);
        assert_eq!(changed(&page, &cut_page), [file]);
        // Printed without a value, and not printed: neither is set.
        assert!(
            changed(
                &report(Form::AwrText, &[("b", "", None), ("a", "1", None)]),
                &report(Form::AwrText, &[("a", "1", None)])
            )
            .is_empty()
        );
    }
}
