//! Oracle's spellings that the parser does not know, as edits of tokens.

use std::collections::HashSet;

use sqlparser::ast;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::tokens::Tokens;

/// Words that end the list of tables behind FROM.
const AFTER_TABLES: &[&str] =
    &["WHERE", "GROUP", "ORDER", "HAVING", "UNION", "MINUS", "INTERSECT", "CONNECT", "START", "SELECT", "SET"];

/// Edits of tokens, by their indexes among all of the statement's.
#[derive(Default)]
pub(super) struct Edits {
    replaced: Vec<(usize, Token)>,
    /// Tokens inserted before an index; they get the position there.
    inserted: Vec<(usize, Token)>,
    dropped: Vec<usize>,
}

impl Edits {
    pub(super) fn carried_out(self, tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
        let Self { mut replaced, mut inserted, dropped } = self;
        let dropped: HashSet<usize> = dropped.into_iter().collect();
        // Insertions at one index keep their order.
        inserted.sort_by_key(|(at, _)| *at);
        replaced.sort_by_key(|(at, _)| *at);
        let (mut inserted, mut replaced) = (inserted.into_iter().peekable(), replaced.into_iter().peekable());
        let mut result = Vec::with_capacity(tokens.len() + inserted.len());
        for (place, mut token) in tokens.into_iter().enumerate() {
            while let Some((_, new)) = inserted.next_if(|(at, _)| *at == place) {
                result.push(TokenWithSpan { token: new, span: token.span });
            }
            let mut other = None;
            while let Some((_, new)) = replaced.next_if(|(at, _)| *at == place) {
                other.get_or_insert(new);
            }
            if dropped.contains(&place) {
                continue;
            }
            if let Some(other) = other {
                token.token = other;
            }
            result.push(token);
        }
        result
    }
}

/// The edits after which the parser understands the statement as Oracle does.
pub(super) fn edits(tokens: &Tokens<'_>) -> Edits {
    let mut edits = Edits::default();
    for at in 0..tokens.len() {
        operators(tokens, at, &mut edits);
        in_one_value(tokens, at, &mut edits);
        subquery_first(tokens, at, &mut edits);
        trim_blanks(tokens, at, &mut edits);
    }
    tables_in_parentheses(tokens, &mut edits);
    query_in_parentheses(tokens, &mut edits);
    edits
}

/// UNIQUE for DISTINCT, `^=`, and lists behind ANY and ALL.
fn operators(tokens: &Tokens<'_>, at: usize, edits: &mut Edits) {
    let place = tokens.places[at];
    let distinct = at > 0
        && (tokens.is_word(at - 1, &["SELECT"])
            || (at > 1
                && tokens.is(at - 1, &Token::LParen)
                && tokens.is_name(at - 2)
                && !tokens.is(at + 1, &Token::RParen)));
    if tokens.is_word(at, &["UNIQUE"]) && distinct {
        edits.replaced.push((place, Token::make_keyword("DISTINCT")));
    }
    if tokens.is(at, &Token::Caret) && tokens.is(at + 1, &Token::Eq) {
        edits.replaced.push((place, Token::Neq));
        edits.dropped.push(tokens.places[at + 1]);
    }
    // `= any (1, 2)`: the parser expects one expression there, and a list in parentheses of its own is one.
    let compares = at > 0
        && tokens.get(at - 1).is_some_and(|token| {
            matches!(token.token, Token::Eq | Token::Neq | Token::Lt | Token::LtEq | Token::Gt | Token::GtEq)
        });
    if compares
        && tokens.is_word(at, &["ANY", "SOME", "ALL"])
        && tokens.is(at + 1, &Token::LParen)
        && !tokens.is_word(at + 2, &["SELECT", "WITH"])
        && let Some((behind, true)) = tokens.parentheses(at + 1)
    {
        edits.inserted.push((tokens.places[at + 1], Token::LParen));
        edits.inserted.push((tokens.places[behind - 1], Token::RParen));
    }
}

/// `a in 1` is `a = 1`, `a not in 1` is `a <> 1`.
fn in_one_value(tokens: &Tokens<'_>, at: usize, edits: &mut Edits) {
    if !tokens.is_word(at, &["IN"]) || tokens.is(at + 1, &Token::LParen) || !tokens.begins_operand(at + 1) {
        return;
    }
    if at > 0 && tokens.ends_operand(at - 1) {
        edits.replaced.push((tokens.places[at], Token::Eq));
    } else if at > 1 && tokens.is_word(at - 1, &["NOT"]) && tokens.ends_operand(at - 2) {
        edits.replaced.push((tokens.places[at - 1], Token::Neq));
        edits.dropped.push(tokens.places[at]);
    }
}

/// A function of one argument that returns it: no user's function can have this name.
const VALUE: &str = "HW$VALUE";

/// `a in ((select …), 7)`: the parser takes a subquery at the beginning of a list for the whole list, so this one
/// becomes an argument.
fn subquery_first(tokens: &Tokens<'_>, at: usize, edits: &mut Edits) {
    let mut inner = at + 2;
    while tokens.is(inner, &Token::LParen) {
        inner += 1;
    }
    if !tokens.is_word(at, &["IN"])
        || !tokens.is(at + 1, &Token::LParen)
        || inner == at + 2
        || !tokens.is_word(inner, &["SELECT", "WITH"])
    {
        return;
    }
    let Some((behind, comma)) = tokens.parentheses(at + 2) else { return };
    if comma && inner > at + 3 {
        // A list of values that begins with a subquery.
        return;
    }
    let goes_on = ["UNION", "MINUS", "INTERSECT", "EXCEPT", "ORDER", "OFFSET", "FETCH"];
    if behind >= tokens.len() || tokens.is(behind, &Token::RParen) || tokens.is_word(behind, &goes_on) {
        return;
    }
    edits.inserted.push((tokens.places[at + 2], Token::make_word(VALUE, Some('"'))));
    edits.inserted.push((tokens.places[at + 2], Token::LParen));
    edits.inserted.push((tokens.places[behind], Token::RParen));
}

/// The subquery of [`subquery_first`], if the function is that of an adapted statement.
pub(crate) fn first_of_list(function: &ast::Function) -> Option<&ast::Expr> {
    let [ast::ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return None };
    let ast::FunctionArguments::List(list) = &function.args else { return None };
    match list.args.as_slice() {
        [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(value))] if name.value == VALUE => Some(value),
        _ => None,
    }
}

/// `trim(leading from a)` trims blanks.
fn trim_blanks(tokens: &Tokens<'_>, at: usize, edits: &mut Edits) {
    if tokens.is_word(at, &["TRIM"])
        && tokens.is(at + 1, &Token::LParen)
        && tokens.is_word(at + 2, &["LEADING", "TRAILING", "BOTH"])
        && tokens.is_word(at + 3, &["FROM"])
    {
        edits.inserted.push((tokens.places[at + 3], Token::SingleQuotedString(" ".to_owned())));
    }
}

/// `from (t)` and `from (t a)`: the parser knows parentheses around joins only.
fn tables_in_parentheses(tokens: &Tokens<'_>, edits: &mut Edits) {
    // For each open parenthesis, true if it holds a list of tables.
    let mut tables = vec![false];
    for at in 0..tokens.len() {
        let listed = tables.last().copied().unwrap_or(false);
        if tokens.is(at, &Token::LParen) {
            let begins =
                at > 0 && (tokens.is_word(at - 1, &["FROM", "JOIN"]) || (listed && tokens.is(at - 1, &Token::Comma)));
            if begins && let Some((opening, closing)) = table_alone(tokens, at) {
                edits.dropped.extend(opening.chain(closing).map(|at| tokens.places[at]));
            }
            tables.push(false);
        } else if tokens.is(at, &Token::RParen) {
            tables.pop();
        } else if tokens.is_word(at, &["FROM"]) {
            tables.pop();
            tables.push(true);
        } else if tokens.is_word(at, AFTER_TABLES) {
            tables.pop();
            tables.push(false);
        }
    }
}

/// The parentheses, opening and closing, around a single table with or without an alias.
fn table_alone(tokens: &Tokens<'_>, open: usize) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let mut at = open;
    while tokens.is(at, &Token::LParen) {
        at += 1;
    }
    let count = at - open;
    if !tokens.is_free_name(at) {
        return None;
    }
    at += 1;
    while tokens.is(at, &Token::Period) && tokens.is_name(at + 1) {
        at += 2;
    }
    if tokens.is_free_name(at) {
        at += 1;
    }
    (at..at + count).all(|at| tokens.is(at, &Token::RParen)).then_some((open..open + count, at..at + count))
}

/// `insert into t ((select …))`: the parser takes the query in one pair of parentheses at most.
fn query_in_parentheses(tokens: &Tokens<'_>, edits: &mut Edits) {
    if !tokens.is_word(0, &["INSERT"]) {
        return;
    }
    let mut depth = 0usize;
    let mut at = 0;
    while at < tokens.len() {
        let doubled = tokens.is(at, &Token::LParen) && tokens.is(at + 1, &Token::LParen);
        if depth == 0 && doubled && at > 0 && tokens.ends_operand(at - 1) {
            break;
        }
        match tokens.get(at).map(|token| &token.token) {
            Some(Token::LParen) => depth += 1,
            Some(Token::RParen) => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    let mut end = tokens.len();
    while tokens.is(at, &Token::LParen)
        && tokens.is(at + 1, &Token::LParen)
        && tokens.parentheses(at).is_some_and(|(behind, _)| behind == end)
    {
        end -= 1;
        edits.dropped.extend([tokens.places[at], tokens.places[end]]);
        at += 1;
    }
}
