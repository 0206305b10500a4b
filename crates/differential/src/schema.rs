//! The tables of a round: their columns and constraints, and their DDL for either side.

use common::Seeded;

use crate::text::Dialect;
use crate::tree::{Column, ExpressionType};

/// Names of columns, with the type of each in every table that has it: so tables have columns in common for USING and
/// NATURAL, and subqueries share names with the blocks around them.
const COLUMNS: &[(&str, ExpressionType)] = &[
    ("a", ExpressionType::Number),
    ("b", ExpressionType::Number),
    ("c", ExpressionType::Number),
    ("k", ExpressionType::Number),
    ("s", ExpressionType::Text),
    ("u", ExpressionType::Text),
    ("d", ExpressionType::Date),
    ("e", ExpressionType::Date),
];

/// The values that rows draw from: few, so that they match.
pub(crate) const NUMBERS: &[&str] = &["0", "1", "2", "3", "4", "1.5", "10", "-1"];
pub(crate) const TEXTS: &[&str] = &["a", "b", "ab", "B", "abc", "x y"];
pub(crate) const DATES: &[&str] =
    &["2024-02-29 00:00:00", "2024-02-29 12:30:00", "2023-12-31 23:59:59", "2024-01-31 00:00:00"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Constraint {
    None,
    NotNull,
    PrimaryKey,
    Unique,
    /// An index that is not unique.
    Index,
    /// The number is at least this.
    AtLeast(i32),
}

#[derive(Clone, Debug)]
pub(crate) struct TableColumn {
    pub(crate) column: Column,
    pub(crate) constraint: Constraint,
    /// A default, as a literal.
    pub(crate) default: Option<&'static str>,
    /// Digits of a number or bytes of a text, where that is limited.
    limit: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<TableColumn>,
    /// Columns of an index on several.
    together: Vec<String>,
    /// A column that refers to the key of an earlier table.
    reference: Option<(String, String, String, bool)>,
}

impl Table {
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().map(|column| &column.column)
    }

    /// The statements that make it.
    pub(crate) fn definition(&self, dialect: Dialect) -> Vec<String> {
        let ours = dialect == Dialect::Ours;
        let mut parts = Vec::new();
        let mut after = Vec::new();
        for column in &self.columns {
            let name = &column.column.name;
            let mut part = match (column.column.kind, column.limit) {
                (ExpressionType::Number, None) => format!("{name} {}", if ours { "number" } else { "numeric" }),
                (ExpressionType::Number, Some(digits)) => {
                    format!("{name} {}({digits})", if ours { "number" } else { "numeric" })
                }
                (ExpressionType::Text, bytes) => {
                    format!("{name} {}({})", if ours { "varchar2" } else { "varchar" }, bytes.unwrap_or(20))
                }
                (ExpressionType::Date, _) => format!("{name} {}", if ours { "date" } else { "timestamp(0)" }),
            };
            if let Some(default) = column.default {
                part.push_str(&match column.column.kind {
                    ExpressionType::Number => format!(" default {default}"),
                    ExpressionType::Text => format!(" default '{default}'"),
                    ExpressionType::Date if ours => format!(" default to_date('{default}', 'YYYY-MM-DD HH24:MI:SS')"),
                    ExpressionType::Date => format!(" default timestamp '{default}'"),
                });
            }
            // The peer checks only a deferrable one after the statement, others at each row.
            let at_the_end = if ours { "" } else { " deferrable initially immediate" };
            match column.constraint {
                Constraint::None => {}
                Constraint::NotNull => part.push_str(" not null"),
                // Foreign keys of the peer do not refer to deferrable constraints.
                Constraint::PrimaryKey => part.push_str(" primary key"),
                Constraint::Unique => part.push_str(&format!(" unique{at_the_end}")),
                Constraint::Index => after.push(format!("create index {0}_{name} on {0}({name})", self.name)),
                Constraint::AtLeast(least) => part.push_str(&format!(" check ({name} >= {least})")),
            }
            parts.push(part);
        }
        if let Some((column, table, key, cascade)) = &self.reference {
            let cascade = if *cascade { " on delete cascade" } else { "" };
            parts.push(format!("foreign key ({column}) references {table}({key}){cascade}"));
        }
        let mut statements = vec![format!("create table {} ({})", self.name, parts.join(", "))];
        if !self.together.is_empty() {
            after.push(format!("create index {0}_together on {0}({1})", self.name, self.together.join(", ")));
        }
        statements.append(&mut after);
        statements
    }
}

fn constraint(random: &mut Seeded, kind: ExpressionType) -> Constraint {
    match random.below(20) {
        0..=2 => Constraint::Index,
        3 => Constraint::NotNull,
        4 => Constraint::Unique,
        5 if kind == ExpressionType::Number => Constraint::AtLeast(0),
        _ => Constraint::None,
    }
}

/// Tables for one round.
pub(crate) fn tables(random: &mut Seeded, round: u64) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for number in 0..4 + random.below(2) {
        let mut columns = Vec::new();
        for (name, kind) in COLUMNS {
            if !random.percent(45) {
                continue;
            }
            let values = match kind {
                ExpressionType::Number => NUMBERS,
                ExpressionType::Text => TEXTS,
                ExpressionType::Date => DATES,
            };
            columns.push(TableColumn {
                column: Column { of: None, name: (*name).to_owned(), kind: *kind },
                constraint: constraint(random, *kind),
                default: if random.percent(15) { random.pick(values).copied() } else { None },
                limit: match kind {
                    ExpressionType::Number if random.percent(20) => Some(2),
                    ExpressionType::Text if random.percent(20) => Some(3),
                    _ => None,
                },
            });
        }
        let name = format!("t{round}_{number}");
        if !columns.iter().any(|column| column.column.kind == ExpressionType::Number) {
            let column = Column { of: None, name: "k".to_owned(), kind: ExpressionType::Number };
            columns.push(TableColumn { column, constraint: Constraint::None, default: None, limit: None });
        }
        let first = columns.iter().position(|column| column.column.kind == ExpressionType::Number);
        let reference = if let Some(at) = first.filter(|_| random.percent(30)) {
            columns[at].constraint = Constraint::PrimaryKey;
            None
        } else {
            let keys = tables.iter().filter_map(|table| {
                let key = table.columns.iter().find(|column| column.constraint == Constraint::PrimaryKey)?;
                Some((table.name.clone(), key.column.name.clone()))
            });
            let keys: Vec<_> = keys.collect();
            let own = first.map(|at| columns[at].column.name.clone()).filter(|_| random.percent(40));
            own.zip(random.pick(&keys).cloned()).map(|(column, (table, key))| (column, table, key, random.percent(50)))
        };
        let mut together: Vec<String> = Vec::new();
        if random.percent(60) {
            for _ in 0..2 + random.below(2) {
                let column = &columns[random.index(columns.len())].column.name;
                if !together.contains(column) {
                    together.push(column.clone());
                }
            }
        }
        if together.len() < 2 {
            together.clear();
        }
        tables.push(Table { name, columns, together, reference });
    }
    tables
}
