//! Trees and errors as short texts that tests compare.

use plsql::ast::{
    Binary, CursorAttribute, Expr, ExprKind, Into, Path, Statement, StatementKind, SubscriptedAttribute, TypeName,
    Unary,
};
use plsql::error::CompileError;

pub(crate) fn errors(errors: &[CompileError]) -> String {
    let lines: Vec<String> = errors.iter().map(|error| format!("{}/{} {error}", error.line, error.column)).collect();
    lines.join("\n")
}

/// `(+ a (* b c))`
pub(crate) fn expr(expr: &Expr) -> String {
    let all = |list: &[Expr]| list.iter().map(self::expr).collect::<Vec<_>>().join(" ");
    let not = |not: bool| if not { "not " } else { "" };
    match &expr.kind {
        ExprKind::Null => "null".to_owned(),
        ExprKind::Boolean(value) => value.to_string(),
        ExprKind::Number(text) => text.to_string(),
        ExprKind::Text(text) => format!("'{text}'"),
        ExprKind::Inquiry(name) => format!("$${name}"),
        ExprKind::Date(text) => format!("date'{text}'"),
        ExprKind::Timestamp(text) => format!("timestamp'{text}'"),
        ExprKind::Bind(name) => format!(":{name}"),
        ExprKind::Path(path) => self::path(path),
        ExprKind::Call { callee, arguments } => {
            let arguments: Vec<String> = arguments
                .iter()
                .map(|argument| match &argument.name {
                    Some(name) => format!("{}=>{}", name.name, self::expr(&argument.value)),
                    None => self::expr(&argument.value),
                })
                .collect();
            format!("{}({})", self::expr(callee), arguments.join(", "))
        }
        ExprKind::Field(value, name) => format!("{}.{}", self::expr(value), name.name),
        ExprKind::CursorAttribute(cursor, attribute) => {
            let attribute = match attribute {
                CursorAttribute::Found => "found",
                CursorAttribute::NotFound => "notfound",
                CursorAttribute::IsOpen => "isopen",
                CursorAttribute::RowCount => "rowcount",
            };
            format!("{}%{attribute}", self::expr(cursor))
        }
        ExprKind::Subscripted(attribute, index) => {
            let attribute = match attribute {
                SubscriptedAttribute::BulkRowCount => "rowcount",
                SubscriptedAttribute::BulkErrorIndex => "error_index",
                SubscriptedAttribute::BulkErrorCode => "error_code",
                SubscriptedAttribute::BulkErrorCount => "error_count",
            };
            format!("bulk {attribute}[{}]", index.as_deref().map(self::expr).unwrap_or_default())
        }
        ExprKind::Unary(operator, value) => {
            let operator = match operator {
                Unary::Minus => "-",
                Unary::Plus => "+",
                Unary::Not => "not",
            };
            format!("({operator} {})", self::expr(value))
        }
        ExprKind::Binary(operator, left, right) => {
            let operator = match operator {
                Binary::Add => "+",
                Binary::Subtract => "-",
                Binary::Multiply => "*",
                Binary::Divide => "/",
                Binary::Power => "**",
                Binary::Concatenate => "||",
                Binary::Equal => "=",
                Binary::NotEqual => "<>",
                Binary::Less => "<",
                Binary::LessOrEqual => "<=",
                Binary::Greater => ">",
                Binary::GreaterOrEqual => ">=",
                Binary::And => "and",
                Binary::Or => "or",
            };
            format!("({operator} {} {})", self::expr(left), self::expr(right))
        }
        ExprKind::Like { not: negated, value, pattern, escape } => {
            let escape = escape.as_deref().map(|escape| format!(" escape {}", self::expr(escape))).unwrap_or_default();
            format!("({}like {} {}{escape})", not(*negated), self::expr(value), self::expr(pattern))
        }
        ExprKind::Between { not: negated, value, low, high } => {
            format!("({}between {} {} {})", not(*negated), self::expr(value), self::expr(low), self::expr(high))
        }
        ExprKind::In { not: negated, value, list } => {
            format!("({}in {} [{}])", not(*negated), self::expr(value), all(list))
        }
        ExprKind::IsNull { not: negated, value } => format!("({}null {})", not(*negated), self::expr(value)),
        ExprKind::Cast { value, data_type } => format!("cast({} as {})", self::expr(value), type_name(data_type)),
        ExprKind::Case { value, branches, otherwise } => {
            let mut text = "(case".to_owned();
            if let Some(value) = value {
                text += &format!(" {}", self::expr(value));
            }
            for (when, then) in branches {
                text += &format!(" {}: {}", self::expr(when), self::expr(then));
            }
            if let Some(otherwise) = otherwise {
                text += &format!(" else {}", self::expr(otherwise));
            }
            text + ")"
        }
    }
}

pub(crate) fn path(path: &Path) -> String {
    path.parts.iter().map(|part| &*part.name).collect::<Vec<_>>().join(".")
}

pub(crate) fn type_name(name: &TypeName) -> String {
    match name {
        TypeName::Named { name, arguments, char_semantics } => {
            let arguments: Vec<String> = arguments.iter().map(expr).collect();
            let arguments = if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(",")) };
            format!("{}{arguments}{}", path(name), if *char_semantics { " char" } else { "" })
        }
        TypeName::TypeOf(of) => format!("{}%type", path(of)),
        TypeName::RowTypeOf(of) => format!("{}%rowtype", path(of)),
    }
}

pub(crate) fn into(into: &Into) -> String {
    let targets: Vec<String> = into.targets.iter().map(expr).collect();
    format!("{}{}", if into.bulk { "bulk " } else { "" }, targets.join(", "))
}

/// The kinds of statements, those inside in brackets: `if[call; exit]`.
pub(crate) fn outline(statements: &[Statement]) -> String {
    statements.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn one(statement: &Statement) -> String {
    let branches = |branches: &[plsql::ast::Branch], otherwise: &Option<Vec<Statement>>| {
        let mut parts: Vec<String> = branches.iter().map(|branch| outline(&branch.statements)).collect();
        parts.extend(otherwise.as_ref().map(|statements| format!("else {}", outline(statements))));
        parts.join(" | ")
    };
    let labels: String = statement.labels.iter().map(|label| format!("<<{}>>", label.name)).collect();
    let kind = match &statement.kind {
        StatementKind::Null => "null".to_owned(),
        StatementKind::Assign { target, value } => format!("{} := {}", expr(target), expr(value)),
        StatementKind::Call(call) => expr(call),
        StatementKind::If { branches: list, otherwise } => format!("if[{}]", branches(list, otherwise)),
        StatementKind::Case { branches: list, otherwise, .. } => format!("case[{}]", branches(list, otherwise)),
        StatementKind::Loop(body) => format!("loop[{}]", outline(body)),
        StatementKind::While { body, .. } => format!("while[{}]", outline(body)),
        StatementKind::For { variable, body, .. } => format!("for {}[{}]", variable.name, outline(body)),
        StatementKind::Exit { .. } => "exit".to_owned(),
        StatementKind::Continue { .. } => "continue".to_owned(),
        StatementKind::Goto(label) => format!("goto {}", label.name),
        StatementKind::Return(value) => format!("return {}", value.as_ref().map(expr).unwrap_or_default()),
        StatementKind::Raise(name) => format!("raise {}", name.as_ref().map(path).unwrap_or_default()),
        StatementKind::Block(block) => {
            let mut text = outline(&block.statements);
            for handler in &block.handlers {
                let names: Vec<String> = handler.exceptions.iter().map(path).collect();
                text += &format!(" when {}: {}", names.join(" or "), outline(&handler.statements));
            }
            format!("block[{text}]")
        }
        StatementKind::Sql(sql) => sql.text.to_string(),
        StatementKind::ForAll { statement, .. } => format!("forall[{}]", one(statement)),
        StatementKind::ExecuteImmediate { text, .. } => format!("execute {}", expr(text)),
        StatementKind::Open { cursor, .. } => format!("open {}", expr(cursor)),
        StatementKind::Fetch { cursor, .. } => format!("fetch {}", expr(cursor)),
        StatementKind::Close(cursor) => format!("close {}", expr(cursor)),
    };
    labels + &kind
}
