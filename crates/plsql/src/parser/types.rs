//! Types where they are used, and TYPE definitions.

use super::{Parsed, Parser};
use crate::ast::{At, Expr, ExprKind, Field, Ident, Path, TypeDefinition, TypeName};
use crate::error::Fault;

/// Types of more than one word, longer ones first.
const LONG_NAMES: &[&[&str]] = &[
    &["DOUBLE", "PRECISION"],
    &["LONG", "RAW"],
    &["NATIONAL", "CHARACTER", "VARYING"],
    &["NATIONAL", "CHAR", "VARYING"],
    &["NATIONAL", "CHARACTER"],
    &["NATIONAL", "CHAR"],
    &["CHARACTER", "VARYING"],
    &["CHAR", "VARYING"],
    &["NCHAR", "VARYING"],
];

impl Parser<'_> {
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let at = self.at();
        if self.is_word("REF") && self.is_name_at(1) {
            return Err(Fault::unsupported(at, "REF to object types"));
        }
        if self.is_word("INTERVAL") && (self.is_word_at(1, "DAY") || self.is_word_at(1, "YEAR")) {
            return self.interval();
        }
        if let Some(words) = LONG_NAMES.iter().find(|words| self.are_words(words)) {
            self.take_words(words);
            let (arguments, char_semantics) = self.type_arguments()?;
            return Ok(TypeName::Named { name: named(&words.join(" "), at), arguments, char_semantics });
        }
        let mut name = self.path()?;
        if self.take_sign("%") {
            return if self.take_word("TYPE") {
                Ok(TypeName::TypeOf(name))
            } else if self.take_word("ROWTYPE") {
                Ok(TypeName::RowTypeOf(name))
            } else {
                Err(self.unexpected(&["type", "rowtype"]))
            };
        }
        let (arguments, char_semantics) = self.type_arguments()?;
        if name.parts.len() == 1 && *name.parts[0].name == *"TIMESTAMP" && self.is_word("WITH") {
            let local = self.are_words(&["WITH", "LOCAL", "TIME", "ZONE"]);
            let words: &[&str] = if local { &["WITH", "LOCAL", "TIME", "ZONE"] } else { &["WITH", "TIME", "ZONE"] };
            if !self.take_words(words) {
                self.advance();
                return Err(self.unexpected(&["time zone", "local time zone"]));
            }
            name = named(&format!("TIMESTAMP {}", words.join(" ")), at);
        }
        if self.are_words(&["CHARACTER", "SET"]) {
            return Err(Fault::unsupported(self.at(), "CHARACTER SET in a type"));
        }
        Ok(TypeName::Named { name, arguments, char_semantics })
    }

    /// `INTERVAL DAY [(p)] TO SECOND [(p)]`, `INTERVAL YEAR [(p)] TO MONTH`
    fn interval(&mut self) -> Parsed<TypeName> {
        let at = self.at();
        self.advance();
        let (from, to) = if self.is_word("DAY") { ("DAY", "SECOND") } else { ("YEAR", "MONTH") };
        self.advance();
        let (mut arguments, _) = self.type_arguments()?;
        self.expect_word("TO")?;
        self.expect_word(to)?;
        arguments.extend(self.type_arguments()?.0);
        Ok(TypeName::Named { name: named(&format!("INTERVAL {from} TO {to}"), at), arguments, char_semantics: false })
    }

    /// `(10, 2)`, `(30 CHAR)`, `(*, 2)`, or nothing.
    fn type_arguments(&mut self) -> Parsed<(Vec<Expr>, bool)> {
        if !self.take_sign("(") {
            return Ok((Vec::new(), false));
        }
        let arguments = self.list(|parser| {
            let at = parser.at();
            if parser.take_sign("*") {
                return Ok(Expr { kind: ExprKind::Number("38".into()), at });
            }
            parser.expression()
        })?;
        let char_semantics = self.take_word("CHAR");
        if !char_semantics {
            self.take_word("BYTE");
        }
        self.expect_sign(")")?;
        Ok((arguments, char_semantics))
    }

    /// `[NOT NULL]`
    pub(super) fn not_null(&mut self) -> Parsed<bool> {
        if !self.take_word("NOT") {
            return Ok(false);
        }
        self.expect_word("NULL")?;
        Ok(true)
    }

    /// The definition behind `TYPE name IS`.
    pub(super) fn type_definition(&mut self) -> Parsed<TypeDefinition> {
        let at = self.at();
        if self.take_word("RECORD") {
            self.expect_sign("(")?;
            let fields = self.list(Self::field)?;
            self.expect_sign(")")?;
            return Ok(TypeDefinition::Record(fields));
        }
        if self.take_word("TABLE") {
            self.expect_word("OF")?;
            let element = self.type_name()?;
            let not_null = self.not_null()?;
            if !self.take_word("INDEX") {
                return Ok(TypeDefinition::NestedTable { element, not_null });
            }
            self.expect_word("BY")?;
            let key = self.type_name()?;
            return Ok(TypeDefinition::AssociativeArray { element, not_null, key });
        }
        if self.take_word("VARRAY") || self.take_words(&["VARYING", "ARRAY"]) || self.take_word("ARRAY") {
            self.expect_sign("(")?;
            let limit = self.expression()?;
            self.expect_sign(")")?;
            self.expect_word("OF")?;
            let element = self.type_name()?;
            let not_null = self.not_null()?;
            return Ok(TypeDefinition::VarArray { limit, element, not_null });
        }
        if self.take_words(&["REF", "CURSOR"]) {
            let result = if self.take_word("RETURN") { Some(self.type_name()?) } else { None };
            return Ok(TypeDefinition::RefCursor { result });
        }
        if self.is_word("OBJECT") || self.is_word("OPAQUE") || self.is_word("UNDER") {
            return Err(Fault::unsupported(at, "object types"));
        }
        if self.is_sign("(") {
            return Err(Fault::unsupported(at, "enumerations"));
        }
        Err(self.unexpected(&["record", "table", "varray", "ref cursor"]))
    }

    fn field(&mut self) -> Parsed<Field> {
        let name = self.name()?;
        let data_type = self.type_name()?;
        let not_null = self.not_null()?;
        let default = self.default()?;
        if not_null && default.is_none() {
            return Err(not_initialized(name.at));
        }
        Ok(Field { name, data_type, not_null, default })
    }

    /// `:= e`, `DEFAULT e`, or nothing.
    pub(super) fn default(&mut self) -> Parsed<Option<Expr>> {
        if self.take_sign(":=") || self.take_word("DEFAULT") { self.expression().map(Some) } else { Ok(None) }
    }
}

/// PLS-00218.
pub(super) fn not_initialized(at: At) -> Fault {
    Fault::pls(at, 218, "a variable declared NOT NULL must have an initialization assignment")
}

fn named(name: &str, at: At) -> Path {
    Path { parts: vec![Ident { name: name.into(), at }] }
}
