//! The scanner's view of a source: constants, functions, and in their bodies calls, bindings and closures with names.

use crate::tree::{Node, Token, elements};

/// Who may call a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// The module and those below it.
    Module,
    /// The crate.
    Crate,
    All,
}

#[derive(Debug)]
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) value: Vec<Token>,
}

/// A function, or the code outside of functions (with no name).
#[derive(Default, Debug)]
pub(crate) struct Function {
    /// The type of its `impl`.
    pub(crate) owner: Option<String>,
    pub(crate) name: String,
    pub(crate) reach: Option<Reach>,
    pub(crate) is_method: bool,
    /// Without `self`.
    pub(crate) parameters: Vec<String>,
    pub(crate) calls: Vec<Call>,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) closures: Vec<Closure>,
    /// Strings, and their lines.
    pub(crate) texts: Vec<(usize, String)>,
}

#[derive(Debug)]
pub(crate) struct Closure {
    pub(crate) name: String,
    pub(crate) parameters: Vec<String>,
}

/// `path::name(arguments)` or `receiver.name(arguments)`.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) line: usize,
    /// The path before the name.
    pub(crate) path: Vec<String>,
    pub(crate) is_method: bool,
    /// The receiver is `self`.
    pub(crate) is_on_self: bool,
    pub(crate) name: String,
    pub(crate) arguments: Vec<Vec<Token>>,
    /// The innermost closure with a name around it.
    pub(crate) closure: Option<usize>,
    /// The value is compared or matched: no error is made.
    pub(crate) is_looked_for: bool,
}

/// `let pattern = value`, or `for pattern in value`.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) pattern: Vec<Token>,
    pub(crate) value: Vec<Token>,
}

#[derive(Default, Debug)]
pub(crate) struct Code {
    pub(crate) constants: Vec<Constant>,
    pub(crate) functions: Vec<Function>,
}

pub(crate) fn of(tokens: &[Token]) -> Code {
    let mut code = Code::default();
    let mut outside = Function::default();
    Walk { code: &mut code, owner: None }.body(tokens, &mut outside, None);
    code.functions.push(outside);
    code
}

struct Walk<'a> {
    code: &'a mut Code,
    owner: Option<String>,
}

impl Walk<'_> {
    fn body(&mut self, tokens: &[Token], function: &mut Function, closure: Option<usize>) {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at].node {
                Node::Word(word) => match word.as_str() {
                    "fn" if tokens.get(at + 1).is_some_and(|token| token.word().is_some()) => {
                        at = self.function(tokens, at);
                        continue;
                    }
                    "impl" | "trait" => {
                        if let Some(block) = (at..tokens.len()).find(|at| tokens[*at].curly().is_some()) {
                            let outer = self.owner.replace(owner(&tokens[at + 1..block]));
                            self.body(tokens[block].curly().unwrap_or_default(), function, closure);
                            self.owner = outer;
                            at = block + 1;
                            continue;
                        }
                    }
                    "const" | "static" => self.constant(tokens, at),
                    "use" => {
                        while at < tokens.len() && !tokens[at].is(';') {
                            at += 1;
                        }
                        continue;
                    }
                    "let" | "for" => {
                        if let Some(behind) = self.binding(tokens, at, function, closure) {
                            at = behind;
                            continue;
                        }
                    }
                    "matches" if tokens.get(at + 1).is_some_and(|token| token.is('!')) => {
                        // Behind the value there is a pattern.
                        let arguments = tokens.get(at + 2).and_then(Token::round).unwrap_or_default();
                        if let Some(value) = elements(arguments).first() {
                            self.body(value, function, closure);
                        }
                        at += 3;
                        continue;
                    }
                    _ => {
                        if let Some(call) = call(tokens, at, closure) {
                            function.calls.push(call);
                        }
                    }
                },
                Node::Text(text) => function.texts.push((tokens[at].line, text.clone())),
                Node::Round(inner) | Node::Square(inner) | Node::Curly(inner) => self.body(inner, function, closure),
                _ => {}
            }
            at += 1;
        }
    }

    /// The place behind the function whose `fn` stands at `at`.
    fn function(&mut self, tokens: &[Token], at: usize) -> usize {
        let Some(parameters) = (at..tokens.len()).find(|at| tokens[*at].round().is_some()) else { return tokens.len() };
        let end = (parameters..tokens.len()).find(|at| tokens[*at].curly().is_some() || tokens[*at].is(';'));
        let Some(end) = end else { return tokens.len() };
        let names = elements(tokens[parameters].round().unwrap_or_default());
        let is_method = names
            .first()
            .is_some_and(|first| first.iter().take_while(|token| !token.is(':')).any(|token| token.is_word("self")));
        let mut function = Function {
            is_method,
            owner: self.owner.clone(),
            name: tokens[at + 1].word().unwrap_or_default().to_owned(),
            reach: Some(reach(&tokens[..at])),
            parameters: names.iter().filter_map(|tokens| parameter(tokens)).collect(),
            ..Function::default()
        };
        self.body(tokens[end].curly().unwrap_or_default(), &mut function, None);
        self.code.functions.push(function);
        end + 1
    }

    fn constant(&mut self, tokens: &[Token], at: usize) {
        let name = tokens.get(at + 1).and_then(Token::word);
        let rest = &tokens[at..];
        let equals = rest.iter().position(|token| token.is('='));
        let end = rest.iter().position(|token| token.is(';'));
        if let (Some(name), Some(equals), Some(end)) = (name, equals, end)
            && equals < end
        {
            let value = rest[equals + 1..end].to_vec();
            self.code.constants.push(Constant { name: name.to_owned(), value });
        }
    }

    /// Keeps a binding. Walks its value when that is a closure with a name; then gives the place behind it.
    fn binding(
        &mut self,
        tokens: &[Token],
        at: usize,
        function: &mut Function,
        closure: Option<usize>,
    ) -> Option<usize> {
        let rest = &tokens[at + 1..];
        let is_let = tokens[at].is_word("let");
        let divider = if is_let { equals(rest) } else { rest.iter().position(|token| token.is_word("in")) }?;
        let (pattern, value) = (&rest[..divider], &rest[divider + 1..]);
        // The condition of an `if let` ends at its block; a `let` at its semicolon.
        let is_condition = at > 0 && ["if", "while"].iter().any(|word| tokens[at - 1].is_word(word))
            || at > 1 && tokens[at - 1].is('&') && tokens[at - 2].is('&');
        let end = if is_let && !is_condition {
            value.iter().position(|token| token.is(';'))
        } else {
            value.iter().position(|token| token.curly().is_some())
        };
        let value = &value[..end.unwrap_or(value.len())];
        // The block behind `else` of a `let … else` leaves.
        let otherwise = value
            .iter()
            .position(|token| token.is_word("else"))
            .filter(|at| is_let && !is_condition && !value[..*at].iter().any(|token| token.is_word("if")));
        let pattern_end = pattern
            .iter()
            .position(|token| token.is(':'))
            .filter(|at| !pattern.get(at + 1).is_some_and(|token| token.is(':')));
        let pattern = &pattern[..pattern_end.unwrap_or(pattern.len())];
        let own = &value[..otherwise.unwrap_or(value.len())];
        function.bindings.push(Binding { pattern: pattern.to_vec(), value: own.to_vec() });
        let begin = usize::from(own.first().is_some_and(|token| token.is_word("move")));
        let name = pattern.iter().filter_map(Token::word).next_back()?;
        if own.get(begin).is_some_and(|token| token.is('|')) {
            let close = (begin + 1..own.len()).find(|at| own[*at].is('|'))?;
            let parameters = elements(&own[begin + 1..close]).iter().filter_map(|tokens| parameter(tokens)).collect();
            function.closures.push(Closure { name: name.to_owned(), parameters });
            let inner = Some(function.closures.len() - 1);
            self.body(&own[close + 1..], function, inner);
            return Some(at + 1 + divider + 1 + value.len());
        }
        if is_let && !is_condition {
            self.body(value, function, closure);
            return Some(at + 1 + divider + 1 + value.len());
        }
        // Patterns are no calls; the caller walks the value.
        Some(at + 1 + divider + 1)
    }
}

/// The place of a `=` that is none of `==`, `=>`, `<=`; that of `Vec<u8> =` has a `>` before it, and no pattern
/// compares.
fn equals(tokens: &[Token]) -> Option<usize> {
    (0..tokens.len()).find(|at| {
        tokens[*at].is('=')
            && !tokens.get(at + 1).is_some_and(|token| token.is('=') || token.is('>'))
            && !at.checked_sub(1).is_some_and(|at| ['=', '<', '!', '.'].iter().any(|sign| tokens[at].is(*sign)))
    })
}

/// `impl<T> Trait for Type<T>`, `impl Type`.
fn owner(header: &[Token]) -> String {
    let header = match header.iter().position(|token| token.is_word("for")) {
        Some(at) => &header[at + 1..],
        None => header,
    };
    let mut depth = 0_i32;
    let mut name = String::new();
    for token in header {
        match &token.node {
            Node::Sign('<') => depth += 1,
            Node::Sign('>') => depth -= 1,
            Node::Word(word) if word == "where" => break,
            Node::Word(word) if depth == 0 => name.clone_from(word),
            _ => {}
        }
    }
    name
}

fn reach(before: &[Token]) -> Reach {
    for (at, token) in before.iter().enumerate().rev() {
        match &token.node {
            Node::Word(word) if word == "pub" => {
                return if before.get(at + 1).is_some_and(|token| token.round().is_some()) {
                    Reach::Crate
                } else {
                    Reach::All
                };
            }
            Node::Word(word) if ["const", "async", "unsafe", "extern"].contains(&word.as_str()) => {}
            Node::Round(_) => {}
            _ => break,
        }
    }
    Reach::Module
}

fn parameter(tokens: &[Token]) -> Option<String> {
    let name = tokens.iter().take_while(|token| !token.is(':')).filter_map(Token::word).last()?;
    (name != "self").then(|| name.to_owned())
}

/// The call whose name stands at `at`.
fn call(tokens: &[Token], at: usize, closure: Option<usize>) -> Option<Call> {
    let name = tokens[at].word()?;
    let mut behind = at + 1;
    let sign = |at: usize, sign: char| tokens.get(at).is_some_and(|token| token.is(sign));
    // `name::<T>(…)`
    if sign(behind, ':') && sign(behind + 1, ':') && sign(behind + 2, '<') {
        let mut depth = 0_i32;
        behind += 2;
        while let Some(token) = tokens.get(behind) {
            depth += i32::from(token.is('<')) - i32::from(token.is('>'));
            behind += 1;
            if depth == 0 {
                break;
            }
        }
    }
    let mut path = Vec::new();
    let mut begin = at;
    while begin >= 3 && sign(begin - 1, ':') && sign(begin - 2, ':') {
        let Some(word) = tokens[begin - 3].word() else { break };
        path.insert(0, word.to_owned());
        begin -= 3;
    }
    let is_of = |wanted: &str| path.last().is_some_and(|owner| owner == wanted);
    let is_number = is_of("Number") && name.starts_with(|c: char| c.is_uppercase());
    let is_raiser = is_number || (is_of("Error") && ["user", "own"].contains(&name));
    let arguments = match tokens.get(behind).and_then(Token::round) {
        Some(arguments) => elements(arguments).into_iter().map(<[Token]>::to_vec).collect(),
        // A function that is handed on: its arguments are unknown.
        None if is_raiser && !sign(at + 1, ':') => Vec::new(),
        None => return None,
    };
    let before = |back: usize, sign: char| begin.checked_sub(back).is_some_and(|at| tokens[at].is(sign));
    let is_compared = before(1, '=') && (before(2, '=') || before(2, '!'));
    let is_pattern = before(1, '|')
        || sign(behind + 1, '|')
        || sign(behind + 1, '=') && !sign(behind + 2, '=')
        || tokens.get(behind + 1).is_some_and(|token| token.is_word("if"));
    Some(Call {
        line: tokens[at].line,
        path,
        is_method: before(1, '.'),
        is_on_self: before(1, '.') && begin >= 2 && tokens[begin - 2].is_word("self") && !before(3, '.'),
        name: name.to_owned(),
        arguments,
        closure,
        is_looked_for: is_compared || (is_number && is_pattern),
    })
}
