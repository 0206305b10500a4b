//! Tokens.

use std::fmt;

use crate::ast::At;

/// A token and the bytes of the source it stands in.
#[derive(Clone, PartialEq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub start: At,
    /// Behind its last byte.
    pub end: At,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A word without quotes, in upper case.
    Word(Box<str>),
    /// A name in double quotes, without them.
    Quoted(Box<str>),
    /// As written, without a sign.
    Number(Box<str>),
    /// Of `'…'`, `q'[…]'`, `n'…'`: what stands between the quotes, doubled ones once.
    Text(Box<str>),
    /// `:NAME`, `:1`, without the colon; the name in upper case unless it is quoted.
    Bind(Box<str>),
    Sign(&'static str),
    /// A character that PL/SQL has no use for.
    Other(char),
    /// Behind the last token of the text.
    End,
}

/// As messages show it: words in upper case, everything else as it is.
impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(text) | Self::Quoted(text) | Self::Number(text) => f.write_str(text),
            Self::Text(text) => f.write_str(text),
            Self::Bind(name) => write!(f, ":{name}"),
            Self::Sign(sign) => f.write_str(sign),
            Self::Other(c) => write!(f, "{c}"),
            Self::End => f.write_str("end-of-file"),
        }
    }
}
