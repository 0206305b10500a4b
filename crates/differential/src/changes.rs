//! Random INSERT, UPDATE, DELETE and MERGE, and the ends of transactions between them.

use common::Seeded;

use crate::generate::Generator;
use crate::schema::{Constraint, DATES, NUMBERS, TEXTS, Table};
use crate::tree::{
    Aggregate, Body, Change, Column, Condition, Expression, ExpressionType, Group, GroupForm, Items, Query, Select,
};

/// A random change of one table, a savepoint, or the end of the transaction.
pub(crate) fn change(random: &mut Seeded, tables: &[Table], savepoint: &mut bool) -> Change {
    let table = &tables[random.index(tables.len())];
    match random.below(100) {
        0..=21 => insert_values(random, tables, table),
        22..=33 => insert_query(random, tables, table),
        34..=57 => update(random, tables, table),
        58..=77 => delete(random, tables, table),
        78..=87 => merge(random, tables, table).unwrap_or_else(|| delete(random, tables, table)),
        88..=91 => {
            *savepoint = true;
            Change::Savepoint
        }
        92..=94 if *savepoint => Change::RollbackToSavepoint,
        92..=95 => {
            *savepoint = false;
            Change::Rollback
        }
        _ => {
            *savepoint = false;
            Change::Commit
        }
    }
}

/// A row of literals: the first rows of a table.
pub(crate) fn first_row(random: &mut Seeded, table: &Table) -> Change {
    let columns: Vec<String> = table.kinds().map(|column| column.name.clone()).collect();
    let values = table.kinds().map(|column| literal(random, column.kind)).collect();
    Change::InsertValues { table: table.name.clone(), columns, values }
}

fn literal(random: &mut Seeded, kind: ExpressionType) -> Expression {
    let values = match kind {
        ExpressionType::Number => NUMBERS,
        ExpressionType::Text => TEXTS,
        ExpressionType::Date => DATES,
    };
    if random.percent(15) {
        return Expression::Null(kind);
    }
    random.pick(values).map_or(Expression::Null(kind), |value| Expression::Literal(kind, value))
}

/// Some columns of a table; at least one.
fn some_columns(random: &mut Seeded, table: &Table) -> Vec<Column> {
    let mut columns: Vec<Column> = table.kinds().filter(|_| random.percent(75)).cloned().collect();
    if columns.is_empty() {
        columns.extend(table.kinds().next().cloned());
    }
    columns
}

fn names(columns: &[Column]) -> Vec<String> {
    columns.iter().map(|column| column.name.clone()).collect()
}

fn insert_values(random: &mut Seeded, tables: &[Table], table: &Table) -> Change {
    let columns = some_columns(random, table);
    let values = columns.iter().map(|column| {
        if random.percent(85) {
            return literal(random, column.kind);
        }
        Generator::new(random, tables).value_over(column.kind, None)
    });
    let values = values.collect();
    Change::InsertValues { table: table.name.clone(), columns: names(&columns), values }
}

fn insert_query(random: &mut Seeded, tables: &[Table], table: &Table) -> Change {
    let columns = some_columns(random, table);
    let kinds: Vec<ExpressionType> = columns.iter().map(|column| column.kind).collect();
    let mut query = Generator::new(random, tables).of_kinds(&kinds, None);
    if query.order.is_empty() {
        query.order = (0..kinds.len()).map(|number| (number, crate::tree::Direction::default())).collect();
        query.fetch = Some((0, 5));
    }
    Change::InsertQuery { table: table.name.clone(), columns: names(&columns), query }
}

fn is_key(table: &Table, name: &str) -> bool {
    table.columns.iter().any(|column| column.column.name == name && column.constraint == Constraint::PrimaryKey)
}

/// Random assignments. A key is set to one value only: the peer checks a referenced key at each row, not after the
/// statement.
fn assignments(random: &mut Seeded, tables: &[Table], table: &Table, alias: &str) -> Vec<(String, Expression)> {
    let mut set = Vec::new();
    for column in table.kinds() {
        if !random.percent(35) {
            continue;
        }
        let value = if is_key(table, &column.name) || random.percent(40) {
            literal(random, column.kind)
        } else {
            Generator::new(random, tables).value_over(column.kind, Some((alias, table)))
        };
        set.push((column.name.clone(), value));
    }
    if set.is_empty()
        && let Some(column) = table.kinds().next()
    {
        set.push((column.name.clone(), literal(random, column.kind)));
    }
    set
}

const ALIAS: &str = "r";

fn filter(random: &mut Seeded, tables: &[Table], table: &Table) -> Option<Condition> {
    random.percent(92).then(|| Generator::new(random, tables).condition_over(ALIAS, table))
}

fn update(random: &mut Seeded, tables: &[Table], table: &Table) -> Change {
    let mut set = assignments(random, tables, table, ALIAS);
    let mut set_query = None;
    if random.percent(20) {
        let taken: Vec<String> = set.iter().map(|(name, _)| name.clone()).collect();
        let free: Vec<Column> = table
            .kinds()
            .filter(|column| !taken.contains(&column.name) && !is_key(table, &column.name))
            .take(2)
            .cloned()
            .collect();
        if !free.is_empty() {
            let kinds: Vec<ExpressionType> = free.iter().map(|column| column.kind).collect();
            let mut query = Generator::new(random, tables).of_kinds(&kinds, Some((ALIAS, table)));
            query.order = (0..kinds.len()).map(|number| (number, crate::tree::Direction::default())).collect();
            query.fetch = Some((0, 1));
            set_query = Some((names(&free), query));
            if random.percent(30) {
                set.clear();
            }
        }
    }
    let filter = filter(random, tables, table);
    Change::Update { table: table.name.clone(), alias: ALIAS.to_owned(), set, set_query, filter }
}

fn delete(random: &mut Seeded, tables: &[Table], table: &Table) -> Change {
    let filter = filter(random, tables, table);
    Change::Delete { table: table.name.clone(), alias: ALIAS.to_owned(), filter }
}

/// A merge whose source has each value of the join's column once, so that no row is met twice.
fn merge(random: &mut Seeded, tables: &[Table], table: &Table) -> Option<Change> {
    let other = &tables[random.index(tables.len())];
    let pairs: Vec<(Column, Column)> = table
        .kinds()
        .flat_map(|own| {
            other.kinds().filter(|column| column.kind == own.kind).map(|column| (own.clone(), column.clone()))
        })
        .collect();
    let (own, theirs) = random.pick(&pairs)?.clone();
    let from = crate::tree::From::Table { name: other.name.clone(), alias: "i".to_owned() };
    let of = |column: &Column| Column { of: Some("i".to_owned()), ..column.clone() };
    let mut items = vec![Expression::Column(of(&theirs))];
    for column in other.kinds().filter(|column| column.name != theirs.name).take(2) {
        items.push(Expression::Aggregate {
            aggregate: if random.percent(50) { Aggregate::Max } else { Aggregate::Min },
            distinct: false,
            argument: Box::new(Expression::Column(of(column))),
        });
    }
    let group = Group { form: GroupForm::Plain, keys: vec![Expression::Column(of(&theirs))] };
    let source = Query::of(Select {
        distinct: false,
        items: Items::List(items),
        from: vec![from],
        filter: random.percent(50).then(|| {
            let mut generator = Generator::new(random, tables);
            generator.condition_over("i", other)
        }),
        group: Some(group),
        having: None,
    });
    let Body::Select(_) = source.body else { return None };
    let source_columns: Vec<Column> = source
        .names()
        .into_iter()
        .zip(source.kinds())
        .map(|(name, kind)| Column { of: Some("n".to_owned()), name, kind })
        .collect();
    let on_left = Column { of: Some(ALIAS.to_owned()), ..own.clone() };
    let on = Condition::Compare(
        Expression::Column(on_left),
        "=",
        Expression::Column(Column { of: Some("n".to_owned()), name: "c0".to_owned(), kind: theirs.kind }),
    );
    let mut both = source_columns.clone();
    both.extend(table.kinds().map(|column| Column { of: Some(ALIAS.to_owned()), ..column.clone() }));
    let update = random.percent(75).then(|| {
        let mut set = Vec::new();
        for column in table.kinds() {
            // A column of the ON clause cannot be set.
            if column.name != own.name && !is_key(table, &column.name) && random.percent(40) {
                let value = Generator::new(random, tables).value_of(column.kind, &both);
                set.push((column.name.clone(), value));
            }
        }
        set
    });
    let update = update.filter(|set| !set.is_empty());
    let insert = (update.is_none() || random.percent(60)).then(|| {
        let columns = some_columns(random, table);
        let values = columns.iter().map(|column| Generator::new(random, tables).value_of(column.kind, &source_columns));
        let values = values.collect();
        (names(&columns), values)
    });
    Some(Change::Merge {
        table: table.name.clone(),
        alias: ALIAS.to_owned(),
        source,
        source_alias: "n".to_owned(),
        on,
        update,
        insert,
    })
}
