//! Production code as a tree of tokens: without comments, attributes and test-only code.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    Word(String),
    /// An integer.
    Integer(u64),
    /// The text between the quotes of a string.
    Text(String),
    Sign(char),
    /// Literals of other kinds.
    Other,
    /// Parentheses, brackets, braces; macros' invisible groups do not come out of a source.
    Round(Vec<Token>),
    Square(Vec<Token>),
    Curly(Vec<Token>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) line: usize,
    pub(crate) node: Node,
}

impl Token {
    pub(crate) fn word(&self) -> Option<&str> {
        if let Node::Word(word) = &self.node { Some(word) } else { None }
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    pub(crate) fn is(&self, sign: char) -> bool {
        self.node == Node::Sign(sign)
    }

    pub(crate) fn inner(&self) -> Option<&[Token]> {
        match &self.node {
            Node::Round(inner) | Node::Square(inner) | Node::Curly(inner) => Some(inner),
            _ => None,
        }
    }

    pub(crate) fn round(&self) -> Option<&[Token]> {
        if let Node::Round(inner) = &self.node { Some(inner) } else { None }
    }

    pub(crate) fn curly(&self) -> Option<&[Token]> {
        if let Node::Curly(inner) = &self.node { Some(inner) } else { None }
    }
}

/// The tokens of a source.
#[derive(Default, Debug)]
pub(crate) struct Tree {
    pub(crate) tokens: Vec<Token>,
    /// Modules in files of their own that are compiled for tests alone, by name.
    pub(crate) test_modules: BTreeSet<String>,
}

pub(crate) fn parse(source: &str) -> Result<Tree, String> {
    let stream: TokenStream = source.parse().map_err(|error| format!("{error}"))?;
    let mut tree = Tree::default();
    let tokens = level(stream, &mut tree.test_modules);
    tree.tokens = tokens;
    Ok(tree)
}

fn level(stream: TokenStream, test_modules: &mut BTreeSet<String>) -> Vec<Token> {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < trees.len() {
        if let Some((attribute, behind)) = attribute(&trees, at) {
            at = if is_for_tests(attribute) { behind_item(&trees, behind, test_modules) } else { behind };
            continue;
        }
        let tree = &trees[at];
        let line = tree.span().start().line;
        let node = match tree {
            TokenTree::Ident(word) => Node::Word(word.to_string()),
            TokenTree::Punct(sign) => Node::Sign(sign.as_char()),
            TokenTree::Literal(literal) => of_literal(&literal.to_string()),
            TokenTree::Group(group) => {
                let inner = level(group.stream(), test_modules);
                match group.delimiter() {
                    Delimiter::Parenthesis => Node::Round(inner),
                    Delimiter::Bracket => Node::Square(inner),
                    Delimiter::Brace | Delimiter::None => Node::Curly(inner),
                }
            }
        };
        tokens.push(Token { line, node });
        at += 1;
    }
    tokens
}

fn of_literal(literal: &str) -> Node {
    if literal.starts_with(|c: char| c.is_ascii_digit()) {
        let digits: String = literal.chars().filter(|c| *c != '_').collect();
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (digits, kind) = digits.split_at(end);
        let is_integer = kind.is_empty() || kind.starts_with(['u', 'i']);
        return digits.parse().ok().filter(|_| is_integer).map_or(Node::Other, Node::Integer);
    }
    match (literal.find('"'), literal.rfind('"')) {
        (Some(begin), Some(end)) if begin < end => Node::Text(literal[begin + 1..end].to_owned()),
        _ => Node::Other,
    }
}

/// The attribute that begins at a token, and the place behind it.
fn attribute(trees: &[TokenTree], at: usize) -> Option<(&Group, usize)> {
    let TokenTree::Punct(sign) = &trees[at] else { return None };
    if sign.as_char() != '#' {
        return None;
    }
    let at = match trees.get(at + 1) {
        Some(TokenTree::Punct(sign)) if sign.as_char() == '!' => at + 2,
        _ => at + 1,
    };
    match trees.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => Some((group, at + 1)),
        _ => None,
    }
}

/// `cfg(test)`, also among others in `any` and `all`; not `cfg(not(test))`.
fn is_for_tests(attribute: &Group) -> bool {
    let inner: Vec<TokenTree> = attribute.stream().into_iter().collect();
    match inner.as_slice() {
        [TokenTree::Ident(name), TokenTree::Group(condition)] if name == "cfg" => asks_for_test(condition.stream()),
        [TokenTree::Ident(name)] => name == "test",
        _ => false,
    }
}

fn asks_for_test(condition: TokenStream) -> bool {
    let mut is_negated = false;
    for tree in condition {
        match tree {
            TokenTree::Ident(word) if word == "test" => return true,
            TokenTree::Ident(word) => is_negated = word == "not",
            TokenTree::Group(group) if !is_negated && asks_for_test(group.stream()) => return true,
            _ => {}
        }
    }
    false
}

/// The place behind the item, the statement or the field that begins at a token.
fn behind_item(trees: &[TokenTree], mut at: usize, test_modules: &mut BTreeSet<String>) -> usize {
    while let Some((_, behind)) = trees.get(at).and_then(|_| attribute(trees, at)) {
        at = behind;
    }
    let mut is_item = false;
    while let Some(tree) = trees.get(at) {
        at += 1;
        match tree {
            TokenTree::Ident(word) if word == "mod" => {
                is_item = true;
                if let (Some(TokenTree::Ident(name)), Some(TokenTree::Punct(_))) = (trees.get(at), trees.get(at + 1)) {
                    test_modules.insert(name.to_string());
                }
            }
            TokenTree::Ident(word) => {
                is_item |= ["fn", "impl", "struct", "enum", "use", "const", "static", "trait", "let", "type"]
                    .iter()
                    .any(|item| word == item);
            }
            // `use a::{b, c};` and `let x = X { … };` go on.
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Brace
                    && !matches!(trees.get(at), Some(TokenTree::Punct(sign)) if sign.as_char() == ';') =>
            {
                return at;
            }
            TokenTree::Punct(sign) if sign.as_char() == ';' || (sign.as_char() == ',' && !is_item) => return at,
            _ => {}
        }
    }
    at
}

/// Elements of a list, without the commas. Those between angle brackets belong to generics.
pub(crate) fn elements(tokens: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    let mut begin = 0;
    let mut generics = 0_usize;
    let mut bars = false;
    for (at, token) in tokens.iter().enumerate() {
        let previous = at.checked_sub(1).map(|at| &tokens[at]);
        match token.node {
            // `Vec<`, `::<`: a comparison has a value on its left, whose name begins small.
            Node::Sign('<')
                if previous.is_some_and(|token| {
                    token.is(':') || token.word().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_uppercase()))
                }) =>
            {
                generics += 1;
            }
            Node::Sign('>') if generics > 0 && !previous.is_some_and(|token| token.is('-') || token.is('=')) => {
                generics -= 1;
            }
            // Parameters of a closure.
            Node::Sign('|') if bars || previous.is_none_or(|token| token.is(',') || token.is_word("move")) => {
                bars = !bars;
            }
            Node::Sign(',') if generics == 0 && !bars => {
                found.push(&tokens[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    if begin < tokens.len() {
        found.push(&tokens[begin..]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<String> {
        fn add(tokens: &[Token], words: &mut Vec<String>) {
            for token in tokens {
                words.extend(token.word().map(str::to_owned));
                add(token.inner().unwrap_or_default(), words);
            }
        }
        let mut found = Vec::new();
        add(&parse(source).unwrap().tokens, &mut found);
        found
    }

    #[test]
    fn test_code_is_left_out() {
        let source = "
            fn a() {} #[cfg(test)] mod tests { fn b() {} } #[cfg(any(test, feature = \"x\"))] pub(crate) fn c<T, U>() {}
            #[cfg(test)] use x::{d, e}; #[cfg(not(test))] fn f() {} struct S { #[cfg(test)] g: u8, h: u8 }
            #[test] fn i() {} // Error::user(1, j)
            /// k
            fn l() { #[cfg(test)] m(); n(\"o\") }";
        assert_eq!(words(source), ["fn", "a", "fn", "f", "struct", "S", "h", "u8", "fn", "l", "n"]);
    }

    #[test]
    fn test_modules_in_files_of_their_own_are_named() {
        let tree = parse("#[cfg(test)] mod some_tests; mod others; #[cfg(test)] mod here { mod x; }").unwrap();
        assert_eq!(tree.test_modules, BTreeSet::from(["some_tests".to_owned()]));
    }

    #[test]
    fn literals_are_read() {
        assert_eq!(of_literal("1_555"), Node::Integer(1555));
        assert_eq!(of_literal("54u32"), Node::Integer(54));
        assert_eq!(of_literal("5.4"), Node::Other);
        assert_eq!(of_literal("r#\"a\"#"), Node::Text("a".to_owned()));
        assert_eq!(of_literal("'a'"), Node::Other);
    }

    #[test]
    fn commas_of_generics_and_closures_divide_nothing() {
        let tree = parse("f::<A, B>(x), |a, b| a < b, Map<A, B>, 3").unwrap();
        assert_eq!(elements(&tree.tokens).len(), 4);
    }
}
