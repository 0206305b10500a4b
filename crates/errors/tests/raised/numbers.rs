//! Which numbers a call can be made with.

use crate::code::{Binding, Function};
use crate::tree::{Node, Token, elements};

/// The value of an argument.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Value {
    Number(u64),
    /// The enclosing function's parameter: its callers give the value.
    Parameter(usize),
    /// Closure and parameter.
    ClosureParameter(usize, usize),
}

/// Depth limit of bindings and branches.
const DEPTH_MAX: usize = 12;

pub(crate) struct Resolver<'a> {
    pub(crate) function: &'a Function,
    pub(crate) closure: Option<usize>,
    /// The value of a constant.
    pub(crate) constant: &'a dyn Fn(&str) -> Option<&'a [Token]>,
}

impl Resolver<'_> {
    /// The values of an expression; of the element of a tuple at `path` in it. None when the scanner does not
    /// understand it.
    pub(crate) fn values(&self, tokens: &[Token], path: &[usize], depth: usize) -> Option<Vec<Value>> {
        if depth > DEPTH_MAX {
            return None;
        }
        let tokens = match tokens {
            [first, rest @ ..] if first.is('*') || first.is('&') => rest,
            _ => tokens,
        };
        match tokens {
            [Token { node: Node::Integer(number), .. }] if path.is_empty() => Some(vec![Value::Number(*number)]),
            [Token { node: Node::Word(word), .. }] => self.word(word, path, depth),
            [Token { node: Node::Round(inner), .. }] => match (elements(inner).as_slice(), path) {
                ([one], _) if !inner.last().is_some_and(|token| token.is(',')) => self.values(one, path, depth + 1),
                (all, [at, path @ ..]) => self.values(all.get(*at)?, path, depth + 1),
                _ => None,
            },
            [Token { node: Node::Curly(inner), .. }] => self.block(inner, path, depth),
            [Token { node: Node::Square(inner), .. }] => {
                let elements = elements(inner);
                self.all(elements.iter().copied(), path, depth)
            }
            // Something behind the last block would be another expression.
            [first, .., last] if first.is_word("if") && last.curly().is_some() => {
                let branches = tokens.iter().filter_map(Token::curly);
                let mut found = Vec::new();
                for branch in branches {
                    found.extend(self.block(branch, path, depth + 1)?);
                }
                Some(found)
            }
            [first, rest @ .., last] if first.is_word("match") && !rest.iter().any(|token| token.curly().is_some()) => {
                let arms = last.curly()?;
                self.all(arms_of(arms).into_iter(), path, depth)
            }
            [first, ..] if ["return", "continue", "break", "unreachable"].iter().any(|word| first.is_word(word)) => {
                Some(Vec::new())
            }
            [some, Token { node: Node::Round(inner), .. }] if some.is_word("Some") || some.is_word("Ok") => {
                self.values(inner, path, depth + 1)
            }
            [.., colon, Token { node: Node::Word(name), .. }] if colon.is(':') && is_constant(name) => {
                self.word(name, path, depth)
            }
            _ => None,
        }
    }

    fn all<'t>(&self, all: impl Iterator<Item = &'t [Token]>, path: &[usize], depth: usize) -> Option<Vec<Value>> {
        let mut found = Vec::new();
        for tokens in all {
            found.extend(self.values(tokens, path, depth + 1)?);
        }
        Some(found)
    }

    fn block(&self, tokens: &[Token], path: &[usize], depth: usize) -> Option<Vec<Value>> {
        let end = tokens.iter().rposition(|token| token.is(';')).map_or(0, |at| at + 1);
        // A block whose last statement has a semicolon leaves, so its value is never needed.
        if end == tokens.len() {
            return Some(Vec::new());
        }
        self.values(&tokens[end..], path, depth + 1)
    }

    fn word(&self, word: &str, path: &[usize], depth: usize) -> Option<Vec<Value>> {
        if ["None", "return", "continue", "break"].contains(&word) {
            return Some(Vec::new());
        }
        if is_constant(word) {
            return self.values((self.constant)(word)?, path, depth + 1);
        }
        if let Some(closure) = self.closure
            && let Some(at) = self.function.closures[closure].parameters.iter().position(|name| name == word)
        {
            return path.is_empty().then(|| vec![Value::ClosureParameter(closure, at)]);
        }
        let bound: Vec<(&Binding, Vec<usize>)> = self
            .function
            .bindings
            .iter()
            .filter_map(|binding| Some((binding, place(&binding.pattern, word)?)))
            .collect();
        if bound.is_empty() {
            let at = self.function.parameters.iter().position(|name| name == word)?;
            return path.is_empty().then(|| vec![Value::Parameter(at)]);
        }
        let mut found = Vec::new();
        for (binding, mut to) in bound {
            to.extend(path);
            found.extend(self.values(&binding.value, &to, depth + 1)?);
        }
        Some(found)
    }
}

fn is_constant(name: &str) -> bool {
    name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// The expressions behind the `=>` of a match.
fn arms_of(tokens: &[Token]) -> Vec<&[Token]> {
    let mut arms = Vec::new();
    let mut at = 0;
    while at + 1 < tokens.len() {
        if !(tokens[at].is('=') && tokens[at + 1].is('>')) {
            at += 1;
            continue;
        }
        let begin = at + 2;
        let end = match tokens.get(begin) {
            Some(token) if token.curly().is_some() => begin + 1,
            _ => (begin..tokens.len()).find(|at| tokens[*at].is(',')).unwrap_or(tokens.len()),
        };
        arms.push(&tokens[begin..end]);
        at = end;
    }
    arms
}

/// Where a pattern binds a name: the places in its tuples, from outside in.
fn place(pattern: &[Token], name: &str) -> Option<Vec<usize>> {
    match pattern {
        [Token { node: Node::Word(word), .. }] => (word == name).then(Vec::new),
        [first, rest @ ..] if first.is_word("mut") || first.is_word("ref") || first.is('&') => place(rest, name),
        [some, Token { node: Node::Round(inner), .. }] if some.word().is_some() => place(inner, name),
        [Token { node: Node::Round(inner), .. }] => elements(inner).iter().enumerate().find_map(|(at, element)| {
            let mut rest = place(element, name)?;
            rest.insert(0, at);
            Some(rest)
        }),
        _ => None,
    }
}

/// Integers at a place of the tuples in a constant list: `&[("FROM", 923), …]`. Signs are not looked at.
pub(crate) fn column(value: &[Token], at: usize) -> Option<Vec<u64>> {
    let list = value.iter().find_map(|token| if let Node::Square(list) = &token.node { Some(list) } else { None })?;
    let number = |element: &[Token]| {
        let [Token { node: Node::Round(fields), .. }] = element else { return None };
        match elements(fields).get(at)?.last()?.node {
            Node::Integer(number) => Some(number),
            _ => None,
        }
    };
    elements(list).into_iter().map(number).collect()
}
