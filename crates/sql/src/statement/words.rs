//! A statement as words, for the grammars that are parsed by hand: DDL, session and system commands.

use common::{Error, Result};
use sqlparser::dialect::OracleDialect;
use sqlparser::tokenizer::{Location, Token, Tokenizer, Whitespace};

use super::position;
use super::reserved::is_reserved;

/// A word, number, string or sign, with its position.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) token: Token,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The line and column of its beginning.
    pub(crate) location: Location,
}

/// A statement's words and the current position.
#[derive(Clone, Debug)]
pub(crate) struct Words<'t> {
    pub(crate) text: &'t str,
    words: Vec<Word>,
    at: usize,
    /// Clauses without effect, for the session's notices.
    notices: Vec<String>,
}

impl<'t> Words<'t> {
    /// # Errors
    /// ORA-01756 and its like when the text has no words, as with an unterminated string.
    pub(crate) fn new(text: &'t str) -> Result<Self> {
        let tokens = Tokenizer::new(&OracleDialect {}, text).tokenize_with_location().map_err(|error| {
            let place = position::offset(text, error.location).unwrap_or(0);
            if error.message.contains("Unterminated") {
                Error::user(1756, "quoted string not properly terminated").at(place)
            } else {
                Error::user(911, format!("invalid character: {}", error.message)).at(place)
            }
        })?;
        let mut words = Vec::new();
        let mut places = position::Places::new(text);
        for token in tokens {
            let comment = matches!(
                &token.token,
                Token::Whitespace(
                    Whitespace::Space
                        | Whitespace::Newline
                        | Whitespace::Tab
                        | Whitespace::SingleLineComment { .. }
                        | Whitespace::MultiLineComment(_)
                )
            );
            if comment || token.token == Token::EOF {
                continue;
            }
            let start = places.offset(token.span.start).unwrap_or(0);
            let end = places.offset(token.span.end).unwrap_or(text.len());
            words.push(Word { token: token.token, start, end, location: token.span.start });
        }
        Ok(Self { text, words, at: 0, notices: Vec::new() })
    }

    /// Notes a clause without effect.
    pub(crate) fn notice(&mut self, text: impl Into<String>) {
        self.notices.push(text.into());
    }

    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    pub(crate) fn peek(&self) -> Option<&Word> {
        self.words.get(self.at)
    }

    pub(crate) fn peek_at(&self, ahead: usize) -> Option<&Word> {
        self.words.get(self.at + ahead)
    }

    pub(crate) fn advance(&mut self) -> Option<Word> {
        let word = self.words.get(self.at).cloned();
        self.at += 1;
        word
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at >= self.words.len()
    }

    /// The byte offset of the next word, or of the end.
    pub(crate) fn offset(&self) -> usize {
        self.peek().map_or(self.text.len(), |word| word.start)
    }

    /// An error about the next word.
    pub(crate) fn error(&self, ora: u32, text: impl Into<String>) -> Error {
        Error::user(ora, text).at(self.offset())
    }

    /// HW-0001 about the next word.
    pub(crate) fn unsupported(&self, what: &str) -> Error {
        let word = self.peek().map(|word| self.text[word.start..word.end].to_owned()).unwrap_or_default();
        Error::unsupported(format!("{what} {word}").trim_end().to_owned()).at(self.offset())
    }

    fn is_word(word: Option<&Word>, wanted: &str) -> bool {
        matches!(word, Some(Word { token: Token::Word(w), .. }) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case(wanted))
    }

    /// True: the next words are these.
    pub(crate) fn next_is(&self, wanted: &str) -> bool {
        wanted.split(' ').enumerate().all(|(i, one)| Self::is_word(self.peek_at(i), one))
    }

    /// Skips these words if they are next.
    pub(crate) fn take(&mut self, wanted: &str) -> bool {
        let found = self.next_is(wanted);
        if found {
            self.at += wanted.split(' ').count();
        }
        found
    }

    pub(crate) fn expect(&mut self, wanted: &str) -> Result<()> {
        if self.take(wanted) { Ok(()) } else { Err(self.error(905, format!("missing keyword: {wanted} expected"))) }
    }

    pub(crate) fn take_sign(&mut self, sign: &Token) -> bool {
        let found = self.peek().is_some_and(|word| word.token == *sign);
        if found {
            self.at += 1;
        }
        found
    }

    pub(crate) fn expect_sign(&mut self, sign: &Token) -> Result<()> {
        if self.take_sign(sign) {
            return Ok(());
        }
        let (ora, what) = match sign {
            Token::LParen => (906, "missing left parenthesis"),
            Token::RParen => (907, "missing right parenthesis"),
            Token::Eq => (927, "missing equal sign"),
            _ => (900, "invalid statement"),
        };
        Err(self.error(ora, what))
    }

    /// A name as the dictionary spells it.
    pub(crate) fn identifier(&mut self) -> Result<String> {
        match self.peek().map(|word| &word.token) {
            Some(Token::Word(word)) => {
                let name = if word.quote_style.is_some() { word.value.clone() } else { word.value.to_uppercase() };
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.error(903, "a name is expected")),
        }
    }

    /// A new name for a column.
    ///
    /// # Errors
    /// ORA-00904 for a reserved word without quotation marks, and for ROWID also with them: every table has a column of
    /// that name.
    pub(crate) fn new_column(&mut self) -> Result<String> {
        let rowid = matches!(self.peek().map(|word| &word.token), Some(Token::Word(word)) if word.value == "ROWID");
        if rowid {
            return Err(self.error(904, "\"ROWID\": invalid identifier"));
        }
        self.unreserved(904, "invalid identifier")
    }

    /// A new name for a table, without its owner.
    ///
    /// # Errors
    /// ORA-00903 for a reserved word.
    pub(crate) fn new_table(&mut self) -> Result<String> {
        self.unreserved(903, "invalid table name")
    }

    /// A new name for an index, without its owner.
    ///
    /// # Errors
    /// ORA-00953 for a reserved word.
    pub(crate) fn new_index(&mut self) -> Result<String> {
        self.unreserved(953, "invalid index name")
    }

    /// A new name for a view, without its owner.
    ///
    /// # Errors
    /// ORA-00999 for a reserved word.
    pub(crate) fn new_view(&mut self) -> Result<String> {
        self.unreserved(999, "invalid view name")
    }

    /// A new name for a sequence, without its owner.
    ///
    /// # Errors
    /// ORA-02277 for a reserved word.
    pub(crate) fn new_sequence(&mut self) -> Result<String> {
        self.unreserved(2277, "invalid sequence name")
    }

    /// A new name for a synonym, without its owner.
    ///
    /// # Errors
    /// ORA-00995 for a reserved word.
    pub(crate) fn new_synonym(&mut self) -> Result<String> {
        self.unreserved(995, "missing or invalid synonym identifier")
    }

    fn unreserved(&mut self, ora: u32, what: &str) -> Result<String> {
        if let Some(Token::Word(word)) = self.peek().map(|word| &word.token)
            && word.quote_style.is_none()
        {
            let name = word.value.to_uppercase();
            if is_reserved(&name) {
                return Err(self.error(ora, format!("\"{name}\": {what}: it is a reserved word")));
            }
        }
        self.identifier()
    }

    /// `new` or `owner.new`, where `new` parses a new name.
    pub(crate) fn new_name(&mut self, new: fn(&mut Self) -> Result<String>) -> Result<(Option<String>, String)> {
        let owned = matches!(self.peek_at(1).map(|word| &word.token), Some(Token::Period));
        let owner = if owned { Some(self.identifier()?) } else { None };
        if owned {
            self.expect_sign(&Token::Period)?;
        }
        Ok((owner, new(self)?))
    }

    /// `name` or `owner.name`.
    pub(crate) fn name(&mut self) -> Result<(Option<String>, String)> {
        let first = self.identifier()?;
        if self.take_sign(&Token::Period) { Ok((Some(first), self.identifier()?)) } else { Ok((None, first)) }
    }

    pub(crate) fn string(&mut self) -> Result<String> {
        match self.peek().map(|word| &word.token) {
            Some(Token::SingleQuotedString(text)) => {
                let text = text.clone();
                self.at += 1;
                Ok(text)
            }
            _ => Err(self.error(2236, "a string in quotation marks is expected")),
        }
    }

    /// A whole number.
    pub(crate) fn integer(&mut self) -> Result<u64> {
        match self.peek().map(|word| &word.token) {
            Some(Token::Number(digits, _)) => {
                let number = digits.parse().map_err(|_| self.error(2017, "a whole number is expected"))?;
                self.at += 1;
                Ok(number)
            }
            _ => Err(self.error(2017, "a whole number is expected")),
        }
    }

    /// A whole number with or without a sign.
    pub(crate) fn signed(&mut self) -> Result<i64> {
        let negative = self.take_sign(&Token::Minus);
        let value = i64::try_from(self.integer()?).map_err(|_| self.error(2017, "the number is too large"))?;
        Ok(if negative { -value } else { value })
    }

    /// A size: a number with K, M, G or T behind it, in bytes.
    pub(crate) fn size(&mut self) -> Result<u64> {
        let number = self.integer()?;
        let mut shift = 0;
        for (unit, bits) in [("K", 10), ("M", 20), ("G", 30), ("T", 40)] {
            if self.take(unit) {
                shift = bits;
                break;
            }
        }
        number
            .checked_shl(shift)
            .filter(|bytes| bytes >> shift == number)
            .ok_or_else(|| self.error(2017, "the size is too large"))
    }

    pub(crate) fn end(&self) -> Result<()> {
        if self.at_end() { Ok(()) } else { Err(self.error(933, "SQL command not properly ended")) }
    }

    /// Skips to a comma or closing parenthesis of this level, or one of `stops`; returns the text skipped.
    pub(crate) fn expression_text(&mut self, stops: &[&str]) -> Result<&'t str> {
        let start = self.offset();
        let mut end = start;
        let mut depth = 0usize;
        // WHEN and THEN inside a CASE are no stops.
        let mut cases = 0usize;
        while let Some(word) = self.peek() {
            if self.next_is("CASE") {
                cases += 1;
            } else if self.next_is("END") {
                cases = cases.saturating_sub(1);
            }
            match &word.token {
                Token::LParen => depth += 1,
                Token::RParen if depth == 0 => break,
                Token::RParen => depth -= 1,
                Token::Comma if depth == 0 => break,
                _ if depth == 0 && cases == 0 && end > start && stops.iter().any(|stop| self.next_is(stop)) => break,
                _ => {}
            }
            end = word.end;
            self.at += 1;
        }
        if end == start { Err(self.error(936, "missing expression")) } else { Ok(&self.text[start..end]) }
    }
}
