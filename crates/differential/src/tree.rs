//! Statements as trees, so that they can be written in two dialects and shrunk.

use crate::function::Function;

/// The type of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExpressionType {
    Number,
    Text,
    Date,
}

/// A column of a table or of another item of a FROM clause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Column {
    /// The alias before the name; None for a common column of USING and NATURAL, which has none.
    pub(crate) of: Option<String>,
    pub(crate) name: String,
    pub(crate) kind: ExpressionType,
}

#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Column(Column),
    /// A literal, as text of its kind: `1.5`, `ab`, `2024-02-29 12:30:00`.
    Literal(ExpressionType, &'static str),
    Null(ExpressionType),
    Call(&'static Function, Vec<Expression>),
    Case {
        kind: ExpressionType,
        when: Vec<(Condition, Expression)>,
        otherwise: Option<Box<Expression>>,
    },
    /// CASE with an operand.
    Choice {
        kind: ExpressionType,
        operand: Box<Expression>,
        when: Vec<(Expression, Expression)>,
        otherwise: Option<Box<Expression>>,
    },
    Query(Box<Query>),
    Aggregate {
        aggregate: Aggregate,
        distinct: bool,
        argument: Box<Expression>,
    },
    CountAll,
    Grouping(Column),
    Window(Box<Window>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Aggregate {
    Count,
    Sum,
    Min,
    Max,
    Average,
    VariancePopulation,
    List,
}

#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) function: WindowFunction,
    pub(crate) partition: Vec<Expression>,
    pub(crate) order: Vec<(Expression, Direction)>,
    pub(crate) frame: &'static str,
}

impl Window {
    /// True: it looks at single rows, so that rows tied in its order may each have another value.
    pub(crate) fn is_by_row(&self) -> bool {
        match self.function {
            WindowFunction::Rank(_) => false,
            WindowFunction::Aggregate(..) => self.frame.trim_start().starts_with("rows"),
            WindowFunction::RowNumber
            | WindowFunction::Neighbour(..)
            | WindowFunction::Edge(..)
            | WindowFunction::Tile(_) => true,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum WindowFunction {
    Aggregate(Aggregate, Expression),
    /// The same value for rows tied in the order.
    Rank(&'static str),
    RowNumber,
    /// LAG or LEAD: the offset.
    Neighbour(&'static str, Expression, u32),
    Edge(&'static str, Expression),
    Tile(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Direction {
    pub(crate) descending: bool,
    pub(crate) nulls_first: Option<bool>,
}

#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Compare(Expression, &'static str, Expression),
    /// Of lists of expressions: `(a, b) = (select …)`.
    CompareRow(Vec<Expression>, bool, Box<Query>),
    IsNull(Expression, bool),
    Not(Box<Condition>),
    /// LNNVL: the condition is false or unknown.
    NotTrue(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    InList {
        left: Vec<Expression>,
        not: bool,
        list: Vec<Vec<Expression>>,
    },
    InQuery {
        left: Vec<Expression>,
        not: bool,
        query: Box<Query>,
    },
    Exists(bool, Box<Query>),
    Quantified {
        left: Expression,
        operator: &'static str,
        quantifier: &'static str,
        query: Box<Query>,
    },
    Between {
        value: Expression,
        not: bool,
        low: Expression,
        high: Expression,
    },
    Like {
        value: Expression,
        not: bool,
        pattern: &'static str,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) with: Vec<(String, Query)>,
    pub(crate) body: Body,
    /// Order by all columns, so that the answer is one sequence; empty for none.
    pub(crate) order: Vec<(usize, Direction)>,
    /// Rows to pass by, and rows to fetch; only with an order.
    pub(crate) fetch: Option<(u32, u32)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    Select(Box<Select>),
    Set(Box<Body>, SetOperator, Box<Body>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SetOperator {
    UnionAll,
    Union,
    Intersect,
    Minus,
}

#[derive(Clone, Debug)]
pub(crate) struct Select {
    pub(crate) distinct: bool,
    pub(crate) items: Items,
    pub(crate) from: Vec<From>,
    pub(crate) filter: Option<Condition>,
    pub(crate) group: Option<Group>,
    pub(crate) having: Option<Condition>,
}

#[derive(Clone, Debug)]
pub(crate) enum Items {
    /// `*`, and the columns that it stands for.
    Star(Vec<Column>),
    List(Vec<Expression>),
}

#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) form: GroupForm,
    pub(crate) keys: Vec<Expression>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GroupForm {
    Plain,
    Rollup,
    Cube,
    /// Each key alone, and all rows.
    Sets,
}

#[derive(Clone, Debug)]
pub(crate) enum From {
    Table {
        name: String,
        alias: String,
    },
    View {
        query: Box<Query>,
        alias: String,
        lateral: bool,
    },
    Join {
        left: Box<From>,
        kind: JoinKind,
        right: Box<From>,
        on: On,
    },
    /// Two tables with the outer join's mark of Oracle, `(+)`, at columns of the right one.
    Marked {
        left: Box<From>,
        right: Box<From>,
        conditions: Vec<(Expression, &'static str, Column)>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
}

#[derive(Clone, Debug)]
pub(crate) enum On {
    Nothing,
    Condition(Condition),
    Using(Vec<String>),
    Natural,
}

/// A change of rows, or a step of the transaction.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    InsertValues {
        table: String,
        columns: Vec<String>,
        values: Vec<Expression>,
    },
    InsertQuery {
        table: String,
        columns: Vec<String>,
        query: Query,
    },
    Update {
        table: String,
        alias: String,
        set: Vec<(String, Expression)>,
        /// Columns of the table that one subquery gives.
        set_query: Option<(Vec<String>, Query)>,
        filter: Option<Condition>,
    },
    Delete {
        table: String,
        alias: String,
        filter: Option<Condition>,
    },
    Merge {
        table: String,
        alias: String,
        source: Query,
        source_alias: String,
        on: Condition,
        update: Option<Vec<(String, Expression)>>,
        insert: Option<(Vec<String>, Vec<Expression>)>,
    },
    Savepoint,
    RollbackToSavepoint,
    Rollback,
    Commit,
}

impl Expression {
    pub(crate) fn kind(&self) -> ExpressionType {
        match self {
            Self::Column(column) => column.kind,
            Self::Literal(kind, _) | Self::Null(kind) | Self::Case { kind, .. } | Self::Choice { kind, .. } => *kind,
            Self::Call(function, _) => function.kind,
            Self::Query(query) => query.kinds().first().copied().unwrap_or(ExpressionType::Number),
            Self::Aggregate { aggregate, argument, .. } => aggregate.kind(argument),
            Self::CountAll | Self::Grouping(_) => ExpressionType::Number,
            Self::Window(window) => match &window.function {
                WindowFunction::Aggregate(aggregate, argument) => aggregate.kind(argument),
                WindowFunction::Neighbour(_, argument, _) | WindowFunction::Edge(_, argument) => argument.kind(),
                WindowFunction::Rank(_) | WindowFunction::RowNumber | WindowFunction::Tile(_) => ExpressionType::Number,
            },
        }
    }
}

impl Aggregate {
    fn kind(self, argument: &Expression) -> ExpressionType {
        match self {
            Self::Min | Self::Max => argument.kind(),
            Self::List => ExpressionType::Text,
            Self::Count | Self::Sum | Self::Average | Self::VariancePopulation => ExpressionType::Number,
        }
    }
}

impl Body {
    pub(crate) fn first(&self) -> &Select {
        match self {
            Self::Select(select) => select,
            Self::Set(left, ..) => left.first(),
        }
    }
}

impl Query {
    pub(crate) fn of(select: Select) -> Self {
        Self { with: Vec::new(), body: Body::Select(Box::new(select)), order: Vec::new(), fetch: None }
    }

    /// The types of its columns.
    pub(crate) fn kinds(&self) -> Vec<ExpressionType> {
        match &self.body.first().items {
            Items::Star(columns) => columns.iter().map(|column| column.kind).collect(),
            Items::List(items) => items.iter().map(Expression::kind).collect(),
        }
    }

    /// The names of its columns.
    pub(crate) fn names(&self) -> Vec<String> {
        match &self.body.first().items {
            Items::Star(columns) => columns.iter().map(|column| column.name.clone()).collect(),
            Items::List(items) => (0..items.len()).map(alias_of_item).collect(),
        }
    }
}

/// The alias of a select list's item.
pub(crate) fn alias_of_item(number: usize) -> String {
    format!("c{number}")
}
