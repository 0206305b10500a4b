//! Statements as text, for either side.

use std::fmt::Write as _;

use crate::tree::{
    Aggregate, Body, Change, Column, Condition, Direction, Expression, ExpressionType, From, Group, GroupForm, Items,
    JoinKind, On, Query, Select, SetOperator, Window, WindowFunction, alias_of_item,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    Ours,
    Theirs,
}

pub(crate) fn query(dialect: Dialect, query: &Query) -> String {
    let mut text = Text { dialect, out: String::new() };
    text.query(query);
    text.out
}

pub(crate) fn change(dialect: Dialect, change: &Change) -> String {
    let mut text = Text { dialect, out: String::new() };
    text.change(change);
    text.out
}

/// A type, for casts of NULL.
fn own_type(kind: ExpressionType) -> &'static str {
    match kind {
        ExpressionType::Number => "number",
        ExpressionType::Text => "varchar2(20)",
        ExpressionType::Date => "date",
    }
}

/// The same of the peer.
fn peer_type(kind: ExpressionType) -> &'static str {
    match kind {
        ExpressionType::Number => "numeric",
        ExpressionType::Text => "text",
        ExpressionType::Date => "timestamp",
    }
}

struct Text {
    dialect: Dialect,
    out: String,
}

impl Text {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn list<T>(&mut self, of: &[T], separator: &str, mut each: impl FnMut(&mut Self, &T)) {
        for (number, one) in of.iter().enumerate() {
            if number > 0 {
                self.put(separator);
            }
            each(self, one);
        }
    }

    fn ours(&self) -> bool {
        self.dialect == Dialect::Ours
    }

    fn column(&mut self, column: &Column) {
        if let Some(of) = &column.of {
            self.put(of);
            self.put(".");
        }
        self.put(&column.name);
    }

    fn literal(&mut self, kind: ExpressionType, literal: &str) {
        match (kind, self.dialect) {
            (ExpressionType::Number, Dialect::Ours) => self.put(literal),
            // An integer would divide as one.
            (ExpressionType::Number, Dialect::Theirs) => {
                let _ = write!(self.out, "({literal}::numeric)");
            }
            (ExpressionType::Text, Dialect::Ours) => {
                let _ = write!(self.out, "'{literal}'");
            }
            (ExpressionType::Text, Dialect::Theirs) => {
                let _ = write!(self.out, "'{literal}'::text");
            }
            (ExpressionType::Date, Dialect::Ours) => {
                let _ = write!(self.out, "to_date('{literal}', 'YYYY-MM-DD HH24:MI:SS')");
            }
            (ExpressionType::Date, Dialect::Theirs) => {
                let _ = write!(self.out, "timestamp '{literal}'");
            }
        }
    }

    fn call(&mut self, template: &str, arguments: &[Expression]) {
        let mut rest = template.chars().peekable();
        while let Some(next) = rest.next() {
            let number = if next == '$' { rest.peek().and_then(|digit| digit.to_digit(10)) } else { None };
            match number.and_then(|number| arguments.get(number as usize - 1)) {
                Some(argument) => {
                    rest.next();
                    self.expression(argument);
                }
                None => self.out.push(next),
            }
        }
    }

    fn expressions(&mut self, expressions: &[Expression]) {
        self.list(expressions, ", ", Self::expression);
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Column(column) => self.column(column),
            Expression::Literal(kind, literal) => self.literal(*kind, literal),
            // The literal alone would be a text to Highwater in some places, and to the peer in others.
            Expression::Null(kind) => {
                let name = if self.ours() { own_type(*kind) } else { peer_type(*kind) };
                let _ = write!(self.out, "cast(null as {name})");
            }
            Expression::Call(function, arguments) => {
                let template = if self.ours() { function.ours } else { function.theirs };
                self.call(template, arguments);
            }
            Expression::Case { when, otherwise, .. } => {
                self.put("case");
                for (condition, value) in when {
                    self.put(" when ");
                    self.condition(condition);
                    self.put(" then ");
                    self.expression(value);
                }
                self.otherwise(otherwise.as_deref());
            }
            Expression::Choice { operand, when, otherwise, .. } => {
                self.put("case ");
                self.expression(operand);
                for (value, result) in when {
                    self.put(" when ");
                    self.expression(value);
                    self.put(" then ");
                    self.expression(result);
                }
                self.otherwise(otherwise.as_deref());
            }
            Expression::Query(query) => self.bracketed(query),
            Expression::Aggregate { aggregate, distinct, argument } => self.aggregate(*aggregate, *distinct, argument),
            Expression::CountAll => self.put(if self.ours() { "count(*)" } else { "count(*)::numeric" }),
            Expression::Grouping(column) => {
                self.put("grouping(");
                self.column(column);
                self.put(if self.ours() { ")" } else { ")::numeric" });
            }
            Expression::Window(window) => self.window(window),
        }
    }

    fn otherwise(&mut self, otherwise: Option<&Expression>) {
        if let Some(otherwise) = otherwise {
            self.put(" else ");
            self.expression(otherwise);
        }
        self.put(" end");
    }

    fn bracketed(&mut self, query: &Query) {
        self.put("(");
        self.query(query);
        self.put(")");
    }

    fn aggregate(&mut self, aggregate: Aggregate, distinct: bool, argument: &Expression) {
        let (ours, theirs) = match aggregate {
            Aggregate::Count => ("count($)", "count($)::numeric"),
            Aggregate::Sum => ("sum($)", "sum($)"),
            Aggregate::Min => ("min($)", "min($)"),
            Aggregate::Max => ("max($)", "max($)"),
            Aggregate::Average => ("round(avg($), 4)", "round(avg($), 4)"),
            Aggregate::VariancePopulation => ("round(var_pop($), 4)", "round(var_pop($), 4)"),
            Aggregate::List => ("listagg($, ',') within group (order by $)", "string_agg($, ',' order by $)"),
        };
        let template = if self.ours() { ours } else { theirs };
        for (number, part) in template.split('$').enumerate() {
            if number > 0 {
                if distinct && number == 1 {
                    self.put("distinct ");
                }
                self.expression(argument);
            }
            self.put(part);
        }
    }

    fn directed(&mut self, (expression, direction): &(Expression, Direction)) {
        self.expression(expression);
        self.direction(*direction);
    }

    fn direction(&mut self, direction: Direction) {
        if direction.descending {
            self.put(" desc");
        }
        match direction.nulls_first {
            Some(true) => self.put(" nulls first"),
            Some(false) => self.put(" nulls last"),
            None => {}
        }
    }

    fn window(&mut self, window: &Window) {
        let integer = if self.ours() { "" } else { "::numeric" };
        let mut rounded = false;
        let mut after = "";
        match &window.function {
            WindowFunction::Aggregate(aggregate, argument) => {
                rounded = *aggregate == Aggregate::Average;
                let name = match aggregate {
                    Aggregate::Count => {
                        after = integer;
                        "count("
                    }
                    Aggregate::Min => "min(",
                    Aggregate::Max => "max(",
                    Aggregate::Average => "round(avg(",
                    Aggregate::Sum | Aggregate::VariancePopulation | Aggregate::List => "sum(",
                };
                self.put(name);
                self.expression(argument);
                self.put(")");
            }
            WindowFunction::Rank(name) => {
                self.put(name);
                self.put("()");
                after = integer;
            }
            WindowFunction::RowNumber => {
                self.put("row_number()");
                after = integer;
            }
            WindowFunction::Neighbour(name, argument, offset) => {
                self.put(name);
                self.put("(");
                self.expression(argument);
                let _ = write!(self.out, ", {offset})");
            }
            WindowFunction::Edge(name, argument) => {
                self.put(name);
                self.put("(");
                self.expression(argument);
                self.put(")");
            }
            WindowFunction::Tile(buckets) => {
                let _ = write!(self.out, "ntile({buckets})");
                after = integer;
            }
        }
        self.put(" over (");
        if !window.partition.is_empty() {
            self.put("partition by ");
            self.expressions(&window.partition);
        }
        if !window.order.is_empty() {
            self.put(" order by ");
            self.list(&window.order, ", ", Self::directed);
            self.put(window.frame);
        }
        self.put(")");
        self.put(after);
        if rounded {
            self.put(", 4)");
        }
    }

    fn row(&mut self, row: &[Expression]) {
        match row {
            [one] => self.expression(one),
            several => {
                self.put("(");
                self.expressions(several);
                self.put(")");
            }
        }
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Compare(left, operator, right) => {
                self.expression(left);
                let _ = write!(self.out, " {operator} ");
                self.expression(right);
            }
            Condition::CompareRow(left, not, query) => {
                self.row(left);
                self.put(if *not { " <> " } else { " = " });
                self.bracketed(query);
            }
            Condition::IsNull(expression, not) => {
                self.expression(expression);
                self.put(if *not { " is not null" } else { " is null" });
            }
            Condition::Not(inner) => {
                self.put("not (");
                self.condition(inner);
                self.put(")");
            }
            Condition::NotTrue(inner) => {
                self.put(if self.ours() { "lnnvl(" } else { "((" });
                self.condition(inner);
                self.put(if self.ours() { ")" } else { ") is not true)" });
            }
            Condition::And(all) => self.joined(all, " and "),
            Condition::Or(any) => self.joined(any, " or "),
            Condition::InList { left, not, list } => {
                self.row(left);
                self.put(if *not { " not in (" } else { " in (" });
                self.list(list, ", ", |text, row| text.row(row));
                self.put(")");
            }
            Condition::InQuery { left, not, query } => {
                self.row(left);
                self.put(if *not { " not in " } else { " in " });
                self.bracketed(query);
            }
            Condition::Exists(not, query) => {
                self.put(if *not { "not exists " } else { "exists " });
                self.bracketed(query);
            }
            Condition::Quantified { left, operator, quantifier, query } => {
                self.expression(left);
                let _ = write!(self.out, " {operator} {quantifier} ");
                self.bracketed(query);
            }
            Condition::Between { value, not, low, high } => {
                self.expression(value);
                self.put(if *not { " not between " } else { " between " });
                self.expression(low);
                self.put(" and ");
                self.expression(high);
            }
            Condition::Like { value, not, pattern } => {
                self.expression(value);
                self.put(if *not { " not like " } else { " like " });
                let _ = write!(self.out, "'{pattern}'");
            }
        }
    }

    fn joined(&mut self, conditions: &[Condition], word: &str) {
        self.put("(");
        self.list(conditions, word, Self::condition);
        self.put(")");
    }

    fn query(&mut self, query: &Query) {
        if !query.with.is_empty() {
            self.put("with ");
            self.list(&query.with, ", ", |text, (name, query)| {
                let _ = write!(text.out, "{name} as ");
                text.bracketed(query);
            });
            self.put(" ");
        }
        self.body(&query.body);
        if !query.order.is_empty() {
            self.put(" order by ");
            self.list(&query.order, ", ", |text, (number, direction)| {
                let _ = write!(text.out, "{}", number + 1);
                text.direction(*direction);
            });
            if let Some((offset, rows)) = query.fetch {
                if offset > 0 {
                    let _ = write!(self.out, " offset {offset} rows");
                }
                let _ = write!(self.out, " fetch first {rows} rows only");
            }
        }
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Select(select) => self.select(select),
            Body::Set(left, operator, right) => {
                // Highwater's set operators have one precedence, left to right; the peer's INTERSECT binds closer.
                self.part(left, !self.ours());
                self.put(match (operator, self.dialect) {
                    (SetOperator::UnionAll, _) => " union all ",
                    (SetOperator::Union, _) => " union ",
                    (SetOperator::Intersect, _) => " intersect ",
                    (SetOperator::Minus, Dialect::Ours) => " minus ",
                    (SetOperator::Minus, Dialect::Theirs) => " except ",
                });
                self.part(right, true);
            }
        }
    }

    fn part(&mut self, body: &Body, brackets: bool) {
        if brackets && matches!(body, Body::Set(..)) {
            self.put("(");
            self.body(body);
            self.put(")");
        } else {
            self.body(body);
        }
    }

    fn select(&mut self, select: &Select) {
        self.put(if select.distinct { "select distinct " } else { "select " });
        match &select.items {
            Items::Star(_) => self.put("*"),
            Items::List(items) => {
                for (number, item) in items.iter().enumerate() {
                    if number > 0 {
                        self.put(", ");
                    }
                    self.expression(item);
                    let _ = write!(self.out, " {}", alias_of_item(number));
                }
            }
        }
        if !select.from.is_empty() {
            self.put(" from ");
            self.list(&select.from, ", ", Self::from);
        } else if self.ours() {
            self.put(" from dual");
        }
        let mut word = " where ";
        if self.ours() {
            for from in &select.from {
                if let From::Marked { conditions, .. } = from {
                    for (left, operator, column) in conditions {
                        self.put(word);
                        self.expression(left);
                        let _ = write!(self.out, " {operator} ");
                        self.column(column);
                        self.put("(+)");
                        word = " and ";
                    }
                }
            }
        }
        if let Some(filter) = &select.filter {
            self.put(word);
            self.condition(filter);
        }
        if let Some(group) = &select.group {
            self.group(group);
        }
        if let Some(having) = &select.having {
            self.put(" having ");
            self.condition(having);
        }
    }

    fn group(&mut self, group: &Group) {
        if group.keys.is_empty() {
            return;
        }
        self.put(match group.form {
            GroupForm::Plain => " group by ",
            GroupForm::Rollup => " group by rollup(",
            GroupForm::Cube => " group by cube(",
            GroupForm::Sets => " group by grouping sets(",
        });
        if group.form == GroupForm::Sets {
            self.list(&group.keys, ", ", |text, key| {
                text.put("(");
                text.expression(key);
                text.put(")");
            });
            self.put(", ()");
        } else {
            self.expressions(&group.keys);
        }
        if group.form != GroupForm::Plain {
            self.put(")");
        }
    }

    fn from(&mut self, from: &From) {
        match from {
            From::Table { name, alias } if name == alias => self.put(name),
            From::Table { name, alias } => {
                let _ = write!(self.out, "{name} {alias}");
            }
            From::View { query, alias, lateral } => {
                if *lateral {
                    self.put("lateral ");
                }
                self.bracketed(query);
                let _ = write!(self.out, " {alias}");
            }
            From::Join { left, kind, right, on } => {
                self.from(left);
                if matches!(on, On::Natural) {
                    self.put(" natural");
                }
                self.put(match kind {
                    JoinKind::Inner => " join ",
                    JoinKind::Left => " left join ",
                    JoinKind::Right => " right join ",
                    JoinKind::Full => " full join ",
                    JoinKind::Cross => " cross join ",
                });
                let nested = matches!(**right, From::Join { .. });
                if nested {
                    self.put("(");
                }
                self.from(right);
                if nested {
                    self.put(")");
                }
                match on {
                    On::Nothing | On::Natural => {}
                    On::Condition(condition) => {
                        self.put(" on ");
                        self.condition(condition);
                    }
                    On::Using(columns) => {
                        let _ = write!(self.out, " using ({})", columns.join(", "));
                    }
                }
            }
            From::Marked { left, right, conditions } => {
                self.from(left);
                if self.ours() {
                    self.put(", ");
                    self.from(right);
                    return;
                }
                self.put(" left join ");
                self.from(right);
                self.put(" on ");
                self.list(conditions, " and ", |text, (left, operator, column)| {
                    text.expression(left);
                    let _ = write!(text.out, " {operator} ");
                    text.column(column);
                });
            }
        }
    }

    fn set(&mut self, set: &[(String, Expression)]) {
        self.list(set, ", ", |text, (column, value)| {
            let _ = write!(text.out, "{column} = ");
            text.expression(value);
        });
    }

    fn filter(&mut self, filter: Option<&Condition>) {
        if let Some(filter) = filter {
            self.put(" where ");
            self.condition(filter);
        }
    }

    fn change(&mut self, change: &Change) {
        match change {
            Change::InsertValues { table, columns, values } => {
                let _ = write!(self.out, "insert into {table} ({}) values (", columns.join(", "));
                self.expressions(values);
                self.put(")");
            }
            Change::InsertQuery { table, columns, query } => {
                let _ = write!(self.out, "insert into {table} ({}) ", columns.join(", "));
                self.query(query);
            }
            Change::Update { table, alias, set, set_query, filter } => {
                let _ = write!(self.out, "update {table} {alias} set ");
                self.set(set);
                if let Some((columns, query)) = set_query {
                    if !set.is_empty() {
                        self.put(", ");
                    }
                    let _ = write!(self.out, "({}) = ", columns.join(", "));
                    self.bracketed(query);
                }
                self.filter(filter.as_ref());
            }
            Change::Delete { table, alias, filter } => {
                let _ = write!(self.out, "delete from {table} {alias}");
                self.filter(filter.as_ref());
            }
            Change::Merge { table, alias, source, source_alias, on, update, insert } => {
                let _ = write!(self.out, "merge into {table} {alias} using ");
                self.bracketed(source);
                let _ = write!(self.out, " {source_alias} on (");
                self.condition(on);
                self.put(")");
                if let Some(update) = update {
                    self.put(" when matched then update set ");
                    self.set(update);
                }
                if let Some((columns, values)) = insert {
                    let _ = write!(self.out, " when not matched then insert ({}) values (", columns.join(", "));
                    self.expressions(values);
                    self.put(")");
                }
            }
            Change::Savepoint => self.put("savepoint of_the_script"),
            Change::RollbackToSavepoint => self.put("rollback to savepoint of_the_script"),
            Change::Rollback => self.put("rollback"),
            Change::Commit => self.put("commit"),
        }
    }
}
