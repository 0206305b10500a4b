//! The names in a statement of a program, by the blocks that they stand in: a name is a column where a table of its own
//! block, or of one around it, has a column of the name.
//!
//! ```text
//! statement (the table that it changes)      a scope without one around it
//!   query (ORDER BY)                         its outputs, and the columns of its blocks
//!     block (select list, WHERE …)           its FROM clause
//!       query in an expression               within the block
//!       inline view, query of WITH           beside the block: the scope around them is the one around the block
//! ```

use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};

use sqlparser::ast::{
    self, AccessExpr, Expr, Ident, ObjectName, SelectItem, SetExpr, TableFactor, Value, Visit, Visitor,
};
use sqlparser::tokenizer::Span;

use crate::explain::function::OUTPUT;
use crate::plan::binder::{fold, fold_name};
use crate::statement::merge::{Merge, MultiInsert};
use crate::statement::parse::Statement;
use crate::statement::position;

/// The number of a scope.
pub(super) type ScopeNumber = usize;

/// What an output of a query is called.
#[derive(Debug)]
enum Output {
    Name(String),
    /// `*`, `t.*`: all columns of its block.
    All,
}

/// A statement, a query or a block of one.
#[derive(Default, Debug)]
struct Scope {
    around: Option<ScopeNumber>,
    /// Columns of its tables, and of those that it names itself.
    columns: HashSet<String>,
    /// Queries whose outputs are its columns.
    views: Vec<ScopeNumber>,
    /// Of a query: its blocks, and the queries that are operands of its set operators.
    blocks: Vec<ScopeNumber>,
    /// Of a block.
    outputs: Vec<Output>,
    /// Names for the outputs of a query of WITH.
    renamed: Vec<String>,
}

/// A table or view in a statement.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) name: ObjectName,
    scope: ScopeNumber,
}

/// The names of a statement.
#[derive(Default, Debug)]
pub(super) struct Names {
    /// Tables and views, in order.
    pub(super) relations: Vec<Relation>,
    /// The queries of WITH, where they have been read.
    queries: HashMap<String, Option<ScopeNumber>>,
    /// Names of tables, views and queries in the statement.
    pub(super) aliases: HashSet<String>,
    /// Called functions, with all parts of their names.
    pub(super) calls: Vec<Vec<String>>,
    /// Expressions that may be variables: the parts of their name, and their positions.
    pub(super) candidates: Vec<Candidate>,
    scopes: Vec<Scope>,
}

#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) parts: Vec<String>,
    pub(super) place: Range<usize>,
    scope: ScopeNumber,
}

impl Names {
    /// True: the name is that of a query of WITH, whose outputs become columns of the block.
    pub(super) fn is_query(&mut self, relation: usize, name: &str) -> bool {
        let scope = self.relations[relation].scope;
        match self.queries.get(name) {
            Some(query) => {
                self.scopes[scope].views.extend(*query);
                true
            }
            None => false,
        }
    }

    /// The columns of a table or view.
    pub(super) fn add_columns(&mut self, relation: usize, columns: impl Iterator<Item = String>) {
        let scope = self.relations[relation].scope;
        self.scopes[scope].columns.extend(columns);
    }

    /// True: where the candidate stands, its name is a column.
    pub(super) fn is_column(&self, candidate: &Candidate, name: &str) -> bool {
        let mut next = Some(candidate.scope);
        while let Some(scope) = next {
            if self.has(scope, name, 0) {
                return true;
            }
            next = self.scopes[scope].around;
        }
        false
    }

    fn has(&self, scope: ScopeNumber, name: &str, depth: usize) -> bool {
        let Scope { columns, views, blocks, .. } = &self.scopes[scope];
        // A recursive query of WITH names itself.
        depth < DEPTH_MAX
            && (columns.contains(name)
                || views.iter().any(|view| self.gives(*view, name, depth + 1))
                // ORDER BY names what the blocks have, and what they give.
                || blocks.iter().any(|block| self.has(*block, name, depth + 1) || self.gives(*block, name, depth + 1)))
    }

    /// True: the query or block has an output of this name.
    fn gives(&self, scope: ScopeNumber, name: &str, depth: usize) -> bool {
        let Scope { blocks, outputs, renamed, .. } = &self.scopes[scope];
        if depth >= DEPTH_MAX {
            return false;
        }
        if !renamed.is_empty() {
            return renamed.iter().any(|renamed| renamed == name);
        }
        let is = |output: &Output| match output {
            Output::Name(own) => own == name,
            Output::All => self.has(scope, name, depth + 1),
        };
        outputs.iter().any(is) || blocks.iter().any(|block| self.gives(*block, name, depth + 1))
    }
}

/// Scopes that a name is looked for through.
const DEPTH_MAX: usize = 32;

/// What a query is within the scope that it stands in.
enum Place {
    /// Its outputs are columns there; nothing there is seen in it.
    View,
    /// The same, but what stands there is seen: LATERAL.
    Lateral,
    /// A query of WITH: its name, and those of its columns where they have new ones.
    With(String, Vec<String>),
    /// Operand of a set operator.
    Operand,
    /// The rows of an INSERT.
    Source,
}

struct Collector<'t> {
    text: &'t str,
    names: Names,
    /// The scopes around the present place, the innermost last.
    open: Vec<ScopeNumber>,
    /// The places of queries that are not in expressions, by address.
    places: HashMap<usize, Place>,
}

fn address(query: &ast::Query) -> usize {
    std::ptr::from_ref(query) as usize
}

impl<'t> Collector<'t> {
    fn new(text: &'t str) -> Self {
        let names = Names { scopes: vec![Scope::default()], ..Names::default() };
        Self { text, names, open: vec![0], places: HashMap::new() }
    }

    fn scope(&self) -> ScopeNumber {
        self.open.last().copied().unwrap_or(0)
    }

    fn begin(&mut self, around: Option<ScopeNumber>) -> ScopeNumber {
        self.names.scopes.push(Scope { around, ..Scope::default() });
        let scope = self.names.scopes.len() - 1;
        self.open.push(scope);
        scope
    }

    fn candidate(&mut self, parts: Vec<String>, from: Span, to: Span) {
        let (start, end) = (position::offset(self.text, from.start), position::offset(self.text, to.end));
        if let (Some(start), Some(end)) = (start, end) {
            let scope = self.scope();
            self.names.candidates.push(Candidate { parts, place: start..end, scope });
        }
    }

    fn name(&mut self, idents: &[Ident]) {
        if let (Some(first), Some(last)) = (idents.first(), idents.last()) {
            self.candidate(idents.iter().map(fold).collect(), first.span, last.span);
        }
    }

    fn alias(&mut self, alias: Option<&ast::TableAlias>) {
        if let Some(alias) = alias {
            self.names.aliases.insert(fold(&alias.name));
            let scope = self.scope();
            self.names.scopes[scope].columns.extend(alias.columns.iter().map(|column| fold(&column.name)));
        }
    }

    /// Notes the operands of set operators.
    fn operands(&mut self, body: &SetExpr) {
        match body {
            SetExpr::SetOperation { left, right, .. } => {
                self.operands(left);
                self.operands(right);
            }
            SetExpr::Query(query) => {
                self.places.insert(address(query), Place::Operand);
            }
            _ => {}
        }
    }

    /// The rows of an INSERT.
    fn source(&mut self, query: &ast::Query) {
        self.places.insert(address(query), Place::Source);
    }
}

impl Visitor for Collector<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &ast::Query) -> ControlFlow<()> {
        let outer = self.scope();
        let beside = self.names.scopes[outer].around;
        let place = self.places.remove(&address(query));
        let around = match place {
            None | Some(Place::Lateral) => Some(outer),
            Some(Place::Source) => None,
            Some(_) => beside,
        };
        let scope = self.begin(around);
        match place {
            Some(Place::View | Place::Lateral) => self.names.scopes[outer].views.push(scope),
            Some(Place::Operand) => self.names.scopes[outer].blocks.push(scope),
            Some(Place::With(name, renamed)) => {
                self.names.scopes[scope].renamed = renamed;
                self.names.queries.insert(name, Some(scope));
            }
            _ => {}
        }
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            let name = fold(&cte.alias.name);
            self.names.queries.entry(name.clone()).or_insert(None);
            self.names.aliases.insert(name.clone());
            let renamed = cte.alias.columns.iter().map(|column| fold(&column.name)).collect();
            self.places.insert(address(&cte.query), Place::With(name, renamed));
        }
        self.operands(&query.body);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &ast::Query) -> ControlFlow<()> {
        self.open.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &ast::Select) -> ControlFlow<()> {
        let query = self.scope();
        let around = self.names.scopes[query].around;
        let scope = self.begin(around);
        self.names.scopes[query].blocks.push(scope);
        let output = |item: &SelectItem| match item {
            SelectItem::ExprWithAlias { alias, .. } => Some(Output::Name(fold(alias))),
            SelectItem::UnnamedExpr(Expr::Identifier(ident)) => Some(Output::Name(fold(ident))),
            SelectItem::UnnamedExpr(Expr::CompoundIdentifier(idents)) => idents.last().map(fold).map(Output::Name),
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => Some(Output::All),
            _ => None,
        };
        self.names.scopes[scope].outputs = select.projection.iter().filter_map(output).collect();
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _select: &ast::Select) -> ControlFlow<()> {
        self.open.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        let scope = self.scope();
        self.names.relations.push(Relation { name: relation.clone(), scope });
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Derived { alias, subquery, lateral, .. } => {
                self.alias(alias.as_ref());
                let place = if *lateral { Place::Lateral } else { Place::View };
                self.places.insert(address(subquery), place);
            }
            TableFactor::Table { alias, .. } | TableFactor::NestedJoin { alias, .. } => self.alias(alias.as_ref()),
            TableFactor::TableFunction { expr, alias } => {
                self.alias(alias.as_ref());
                // The function is not the program's, and its column is none.
                if let Expr::CompoundIdentifier(idents) = expr
                    && let Some(first) = idents.first()
                {
                    self.names.aliases.insert(fold(first));
                }
                let scope = self.scope();
                self.names.scopes[scope].columns.insert(OUTPUT.to_owned());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(ident) => self.name(std::slice::from_ref(ident)),
            Expr::CompoundIdentifier(idents) => self.name(idents),
            // `:NEW.X` of a trigger.
            Expr::CompoundFieldAccess { root, access_chain } => {
                if let (Expr::Value(value), [AccessExpr::Dot(Expr::Identifier(field))]) = (&**root, &access_chain[..])
                    && let Value::Placeholder(name) = &value.value
                {
                    self.candidate(vec![name.to_uppercase(), fold(field)], value.span, field.span);
                }
            }
            Expr::Function(function) => self.names.calls.extend(fold_name(&function.name)),
            // A placeholder for an expression of the program.
            Expr::Value(value) => {
                if let Value::Placeholder(name) = &value.value {
                    self.candidate(vec![name.to_uppercase()], value.span, value.span);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn visit_merge(merge: &Merge, visitor: &mut Collector<'_>) {
    let _ = merge.target.visit(visitor);
    let _ = merge.source.visit(visitor);
    let _ = merge.on.visit(visitor);
    if let Some(update) = &merge.update {
        let values = update.assignments.iter().filter_map(|(_, _, value)| value.as_ref());
        for e in values.chain(&update.condition).chain(&update.delete) {
            let _ = e.visit(visitor);
        }
    }
    if let Some(insert) = &merge.insert {
        for e in insert.values.iter().flatten().chain(&insert.condition) {
            let _ = e.visit(visitor);
        }
    }
}

fn visit_multi_insert(insert: &MultiInsert, visitor: &mut Collector<'_>) {
    visitor.places.insert(address(&insert.query), Place::View);
    let _ = insert.query.visit(visitor);
    for branch in &insert.branches {
        let _ = branch.condition.visit(visitor);
        for e in branch.into.iter().filter_map(|into| into.values.as_ref()).flatten().flatten() {
            let _ = e.visit(visitor);
        }
    }
}

/// Collects the names of a statement with this text.
pub(super) fn collect(text: &str, statement: &Statement) -> Names {
    let mut visitor = Collector::new(text);
    match statement {
        Statement::Query { query, .. } => drop(query.visit(&mut visitor)),
        Statement::Insert(insert, returning) => {
            if let Some(source) = &insert.source {
                visitor.source(source);
            }
            let _ = insert.visit(&mut visitor);
            let _ = returning.as_ref().map(|returning| returning.values.visit(&mut visitor));
        }
        Statement::Update(update, returning) => {
            let _ = update.visit(&mut visitor);
            let _ = returning.as_ref().map(|returning| returning.values.visit(&mut visitor));
        }
        Statement::Delete(delete, returning) => {
            let _ = delete.visit(&mut visitor);
            let _ = returning.as_ref().map(|returning| returning.values.visit(&mut visitor));
        }
        Statement::Merge(merge) => visit_merge(merge, &mut visitor),
        Statement::MultiInsert(insert) => visit_multi_insert(insert, &mut visitor),
        Statement::Command(..)
        | Statement::SetConstraints { .. }
        | Statement::Transaction(_)
        | Statement::Explain(_)
        | Statement::Block
        | Statement::Program => {}
    }
    visitor.names
}
