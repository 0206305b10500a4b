//! Statements at the top of something, with their texts.

use std::collections::HashMap;

use super::Reading;
use crate::grid::Section;
use crate::grid::view::View;
use crate::model::{Kind, SqlLine, SqlOrder, SqlSection};
use crate::section;

/// Whole texts by statement: "Complete List of SQL Text".
#[derive(Default)]
pub(super) struct Texts(HashMap<String, String>);

/// Width at which statements are folded: a line that fills it continues in the next without a space.
fn fold_width(kind: Kind) -> usize {
    if kind == Kind::Statspack { section::FOLD } else { 80 }
}

impl Reading {
    pub(super) fn sql(&mut self, order: SqlOrder, of: &Section, view: &View<'_>) -> bool {
        let Some(mut statements) = section::read_statements(order, view) else { return false };
        debug_assert_eq!(statements.len(), view.table.rows.len(), "the texts below are those of the same rows");
        for (statement, line) in statements.iter_mut().zip(view.lines()) {
            self.text_below(statement, &line.row.text);
            statement.cut |= statement.text.ends_with("...");
        }
        if statements.is_empty() {
            return false;
        }
        let captured_percent = captured(of).and_then(|text| self.numbers.number(&text));
        let sections = self.report.sql.get_or_insert_default();
        match sections.iter_mut().find(|section| section.order == order) {
            Some(section) => section.statements.extend(statements),
            None => sections.push(SqlSection { order, captured_percent, statements }),
        }
        true
    }

    /// Module, container and the folded text under the figures.
    fn text_below(&self, statement: &mut SqlLine, lines: &[String]) {
        let width = fold_width(self.kind);
        let mut last = 0;
        for line in lines {
            if let Some(module) = line.strip_prefix("Module:") {
                statement.module = Some(module.trim().to_owned()).filter(|module| !module.is_empty());
            } else if let Some(container) = line.strip_prefix("PDB:").or_else(|| line.strip_prefix("Container:")) {
                statement.container = Some(container.trim().to_owned());
            } else {
                if last > 0 && last < width && !line.starts_with(' ') {
                    statement.text.push(' ');
                }
                statement.text.push_str(line);
                last = line.chars().count();
            }
        }
        statement.text.truncate(statement.text.trim_end().len());
        // Four or five lines are printed; where the last of them is full, the text goes on beyond.
        statement.cut = last + 1 >= width && lines.len() >= 4;
    }

    pub(super) fn sql_text(&mut self, view: &View<'_>) -> bool {
        let id = view.find(&["sqlid"]);
        let text = view.find(&["sqltext"]);
        if id.is_none() || text.is_none() {
            return false;
        }
        for line in view.lines() {
            let mut whole = line.text(text).to_owned();
            for more in &line.row.text {
                whole.push_str(more);
            }
            self.sql_texts.0.insert(line.text(id).to_owned(), whole);
        }
        true
    }

    /// Replaces truncated texts of statements by whole ones.
    pub(super) fn complete_sql(&mut self) {
        let texts = std::mem::take(&mut self.sql_texts.0);
        for statement in self.report.sql.iter_mut().flatten().flat_map(|section| &mut section.statements) {
            let Some(text) = statement.sql_id.as_ref().and_then(|id| texts.get(id)) else { continue };
            if !text.is_empty() {
                statement.text.clone_from(text);
                statement.cut = text.ends_with("...");
            }
        }
    }
}

/// "-> Captured SQL accounts for   95.4% of Total DB Time": the number before the %.
fn captured(section: &Section) -> Option<String> {
    let rest = section.notes.iter().find_map(|note| note.split_once("aptured SQL account"))?.1;
    rest.split('%').next()?.split_whitespace().next_back().map(str::to_owned)
}
