//! Access parameters as words, numbers, texts and signs.

use common::{Error, Result};

use crate::error;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// In upper case, unless quoted.
    Word(String),
    /// In quotation marks of either kind.
    Text(String),
    /// Between double quotation marks: a text or a name.
    Quoted(String),
    /// Bytes as hexadecimal digits.
    Bytes(Vec<u8>),
    Number(u64),
    Sign(char),
}

/// The tokens, and the current position.
#[derive(Clone, Debug)]
pub(super) struct Words {
    tokens: Vec<Token>,
    at: usize,
}

/// KUP-01005.
fn syntax(text: impl std::fmt::Display) -> Error {
    error::open(&format!("KUP-01005: syntax error in access parameters: {text}"))
}

impl Words {
    pub(super) fn new(text: &str) -> Result<Self> {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let (token, length) = token(rest, first)?;
            tokens.extend(token);
            rest = rest[length..].trim_start();
        }
        Ok(Self { tokens, at: 0 })
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn is(&self, ahead: usize, wanted: &str) -> bool {
        matches!(self.tokens.get(self.at + ahead), Some(Token::Word(word)) if word == wanted)
    }

    /// True: the next words are these.
    pub(super) fn next_is(&self, wanted: &str) -> bool {
        wanted.split(' ').enumerate().all(|(ahead, word)| self.is(ahead, word))
    }

    /// Goes past these words if they are next.
    pub(super) fn take(&mut self, wanted: &str) -> bool {
        let found = self.next_is(wanted);
        if found {
            self.at += wanted.split(' ').count();
        }
        found
    }

    pub(super) fn expect(&mut self, wanted: &str) -> Result<()> {
        if self.take(wanted) { Ok(()) } else { Err(self.wrong(&format!("{wanted} expected"))) }
    }

    pub(super) fn take_sign(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn expect_sign(&mut self, sign: char) -> Result<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.wrong(&format!("'{sign}' expected"))) }
    }

    /// The next token as it is shown.
    fn shown(&self) -> String {
        match self.peek() {
            None => "the end".to_owned(),
            Some(Token::Word(word)) => word.clone(),
            Some(Token::Text(text)) => format!("'{text}'"),
            Some(Token::Quoted(text)) => format!("\"{text}\""),
            Some(Token::Bytes(bytes)) => format!("0x{bytes:02x?}"),
            Some(Token::Number(number)) => number.to_string(),
            Some(Token::Sign(sign)) => sign.to_string(),
        }
    }

    /// KUP-01005 at the next token.
    pub(super) fn wrong(&self, expected: &str) -> Error {
        syntax(format_args!("found {}; {expected}", self.shown()))
    }

    /// HW-0001.
    pub(super) fn unsupported(&self, what: &str) -> Error {
        Error::unsupported(format!("access parameter {what}"))
    }

    pub(super) fn end(&self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(Token::Word(word)) => Err(self.unsupported(word)),
            Some(_) => Err(self.wrong("nothing expected")),
        }
    }

    pub(super) fn number(&mut self) -> Result<u64> {
        match self.peek() {
            Some(Token::Number(number)) => {
                let number = *number;
                self.at += 1;
                Ok(number)
            }
            _ => Err(self.wrong("a whole number expected")),
        }
    }

    /// A number of bytes: at least 1, and no more than fit in 32 bits.
    pub(super) fn bytes(&mut self) -> Result<usize> {
        let start = self.clone();
        let number = self.number()?;
        match u32::try_from(number) {
            Ok(bytes) if bytes > 0 => Ok(bytes as usize),
            _ => Err(start.wrong("a number of bytes expected")),
        }
    }

    /// A text or bytes; never empty.
    pub(super) fn text(&mut self) -> Result<Vec<u8>> {
        let bytes = match self.peek() {
            Some(Token::Text(text) | Token::Quoted(text)) => text.clone().into_bytes(),
            Some(Token::Bytes(bytes)) => bytes.clone(),
            _ => return Err(self.wrong("a text in quotation marks expected")),
        };
        if bytes.is_empty() {
            return Err(self.wrong("a text that is not empty expected"));
        }
        self.at += 1;
        Ok(bytes)
    }

    /// A text of characters.
    pub(super) fn string(&mut self) -> Result<String> {
        let start = self.clone();
        String::from_utf8(self.text()?).map_err(|_| start.wrong("a text expected"))
    }

    /// A name in the dictionary's case.
    pub(super) fn name(&mut self) -> Result<String> {
        match self.peek() {
            Some(Token::Word(name) | Token::Quoted(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.wrong("a name expected")),
        }
    }
}

/// The token at the beginning of `rest`, and its bytes; none for a comment.
fn token(rest: &str, first: char) -> Result<(Option<Token>, usize)> {
    if rest.starts_with("--") {
        return Ok((None, rest.find('\n').unwrap_or(rest.len())));
    }
    if let Some(digits) = ["X'", "x'"].iter().find_map(|start| rest.strip_prefix(start)) {
        let length = digits.find('\'').ok_or_else(|| syntax("a text does not end"))?;
        return Ok((Some(Token::Bytes(hexadecimal(&digits[..length])?)), length + 3));
    }
    if let Some(digits) = ["0x'", "0X'"].iter().find_map(|start| rest.strip_prefix(start)) {
        let length = digits.find('\'').ok_or_else(|| syntax("a text does not end"))?;
        return Ok((Some(Token::Bytes(hexadecimal(&digits[..length])?)), length + 4));
    }
    if let Some(digits) = ["0x", "0X"].iter().find_map(|start| rest.strip_prefix(start)) {
        let length = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        return Ok((Some(Token::Bytes(hexadecimal(&digits[..length])?)), length + 2));
    }
    if matches!(first, '\'' | '"') {
        let mut text = String::new();
        let mut from = 1;
        loop {
            let length = rest[from..].find(first).ok_or_else(|| syntax("a text does not end"))?;
            text.push_str(&rest[from..from + length]);
            from += length + 1;
            // Doubled, the mark stands for itself.
            if !rest[from..].starts_with(first) {
                break;
            }
            text.push(first);
            from += 1;
        }
        let token = if first == '"' { Token::Quoted(text) } else { Token::Text(text) };
        return Ok((Some(token), from));
    }
    if first.is_ascii_digit() {
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..length].parse().map_err(|_| syntax(format_args!("{} is too large", &rest[..length])))?;
        return Ok((Some(Token::Number(number)), length));
    }
    if first.is_alphabetic() || first == '_' {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
        let length = rest.find(|c: char| !part(c)).unwrap_or(rest.len());
        return Ok((Some(Token::Word(rest[..length].to_uppercase())), length));
    }
    Ok((Some(Token::Sign(first)), first.len_utf8()))
}

fn hexadecimal(digits: &str) -> Result<Vec<u8>> {
    let wrong = || syntax(format_args!("{digits} are no bytes in hexadecimal digits"));
    if !digits.is_ascii() || digits.is_empty() || digits.len() % 2 == 1 {
        return Err(wrong());
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).map_err(|_| wrong())).collect()
}
