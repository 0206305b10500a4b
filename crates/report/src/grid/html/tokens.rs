//! The tokenizer's output for the builder: the tags and attributes that matter in a report, and text.

use std::cell::Cell;
use std::convert::Infallible;

use html5gum::{Emitter, Error, State, Tokenizer, naive_next_state};

use super::build::Builder;
use super::source::Source;

/// The tags that shape a report; all others are `Other`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Tag {
    #[default]
    Other,
    Document,
    Title,
    Style,
    Script,
    Heading,
    Table,
    Row,
    Cell,
    HeadCell,
    List,
    Item,
    Anchor,
    Preformatted,
    /// Ends a paragraph, and no more.
    Block,
}

impl Tag {
    fn of(name: &[u8]) -> Self {
        match name {
            b"td" => Self::Cell,
            b"th" => Self::HeadCell,
            b"tr" => Self::Row,
            b"a" => Self::Anchor,
            b"li" => Self::Item,
            b"table" => Self::Table,
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => Self::Heading,
            b"p" | b"br" | b"hr" | b"div" | b"center" => Self::Block,
            b"ul" | b"ol" | b"dl" => Self::List,
            // 19c wraps statements in a tag of its own.
            b"pre" | b"pre_sqltext" => Self::Preformatted,
            b"html" | b"body" => Self::Document,
            b"title" => Self::Title,
            b"style" => Self::Style,
            b"script" => Self::Script,
            _ => Self::Other,
        }
    }
}

/// Attributes of a tag that are looked at.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    pub(super) summary: String,
    pub(super) colspan: usize,
    pub(super) rowspan: usize,
    /// The tag leads somewhere: `<a href>`.
    pub(super) link: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Attribute {
    Unused,
    Summary,
    Colspan,
    Rowspan,
    Href,
}

/// Longest name of a tag or an attribute that is looked at.
const NAME_BYTES: usize = 16;

/// A short name; longer ones are none of ours.
#[derive(Clone, Copy, Default)]
struct Name {
    bytes: [u8; NAME_BYTES],
    length: usize,
}

impl Name {
    fn clear(&mut self) {
        self.length = 0;
    }

    fn push(&mut self, more: &[u8]) {
        for &byte in more {
            if let Some(place) = self.bytes.get_mut(self.length) {
                *place = byte;
            }
            self.length = self.length.saturating_add(1);
        }
    }

    fn get(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// Receives the tokenizer's calls. A token is passed on when it is complete, so a tag cut by the file's end is not.
struct Listener<'a, 'text> {
    place: &'a Cell<usize>,
    builder: &'a mut Builder<'text>,
    /// Where the tag being read began.
    begin: usize,
    name: Name,
    end: bool,
    tag: Tag,
    last_start: Name,
    attribute_name: Name,
    attribute: Attribute,
    value: Vec<u8>,
    attributes: Attributes,
}

/// Longest attribute value kept; the longest `summary` of a report has some 300 bytes.
const VALUE_BYTES: usize = 4096;

impl Listener<'_, '_> {
    fn end_attribute(&mut self) {
        match self.attribute {
            Attribute::Unused => {}
            Attribute::Href => self.attributes.link = true,
            Attribute::Summary => self.attributes.summary = String::from_utf8_lossy(&self.value).into_owned(),
            Attribute::Colspan => self.attributes.colspan = number(&self.value),
            Attribute::Rowspan => self.attributes.rowspan = number(&self.value),
        }
        self.attribute = Attribute::Unused;
        self.attribute_name.clear();
        self.value.clear();
    }

    /// The attribute whose name has been read, if its tag has a use for it.
    fn name_attribute(&mut self) {
        self.attribute = match (self.tag, self.attribute_name.get()) {
            (Tag::Cell | Tag::HeadCell, b"colspan") => Attribute::Colspan,
            (Tag::Cell | Tag::HeadCell, b"rowspan") => Attribute::Rowspan,
            (Tag::Table, b"summary") => Attribute::Summary,
            (Tag::Anchor, b"href") => Attribute::Href,
            _ => Attribute::Unused,
        };
    }

    fn start(&mut self, end: bool) {
        self.end = end;
        self.name.clear();
        self.tag = Tag::Other;
        self.attribute = Attribute::Unused;
        self.attribute_name.clear();
        self.value.clear();
        if self.attributes.link
            || self.attributes.colspan > 0
            || self.attributes.rowspan > 0
            || !self.attributes.summary.is_empty()
        {
            self.attributes = Attributes::default();
        }
    }

    fn name_tag(&mut self) {
        if self.tag == Tag::Other {
            self.tag = Tag::of(self.name.get());
        }
    }
}

/// 0 when it is none.
fn number(value: &[u8]) -> usize {
    std::str::from_utf8(value).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

impl Emitter for Listener<'_, '_> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start.clear();
        self.last_start.push(name.unwrap_or_default());
    }

    fn emit_eof(&mut self) {}

    fn emit_error(&mut self, _: Error) {}

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    #[inline]
    fn emit_string(&mut self, text: &[u8]) {
        self.builder.text(text, self.place.get());
    }

    fn init_start_tag(&mut self) {
        self.start(false);
    }

    fn init_end_tag(&mut self) {
        self.start(true);
    }

    #[inline]
    fn start_open_tag(&mut self) {
        self.begin = self.place.get();
    }

    fn init_comment(&mut self) {}

    fn emit_current_tag(&mut self) -> Option<State> {
        self.name_tag();
        if self.end {
            self.last_start.clear();
            self.builder.close(self.tag);
            return None;
        }
        if self.attribute == Attribute::Unused && self.attribute_name.length > 0 {
            self.name_attribute();
        }
        self.end_attribute();
        self.last_start = self.name;
        let level = match self.name.get() {
            [b'h', digit @ b'1'..=b'6'] => digit - b'0',
            _ => 0,
        };
        self.builder.open(self.tag, level, &mut self.attributes, self.begin);
        match self.tag {
            // Their text has no markup, and where the end tag is damaged the report must not be taken for a title.
            Tag::Title | Tag::Style => None,
            _ => naive_next_state(self.name.get()),
        }
    }

    fn emit_current_comment(&mut self) {}

    fn emit_current_doctype(&mut self) {}

    fn set_self_closing(&mut self) {}

    fn set_force_quirks(&mut self) {}

    #[inline]
    fn push_tag_name(&mut self, name: &[u8]) {
        self.name.push(name);
    }

    fn push_comment(&mut self, _: &[u8]) {}

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn init_doctype(&mut self) {}

    fn init_attribute(&mut self) {
        self.name_tag();
        if self.attribute == Attribute::Unused && self.attribute_name.length > 0 {
            self.name_attribute();
        }
        self.end_attribute();
    }

    fn init_attribute_value(&mut self) {
        self.name_attribute();
    }

    #[inline]
    fn push_attribute_name(&mut self, name: &[u8]) {
        self.attribute_name.push(name);
    }

    #[inline]
    fn push_attribute_value(&mut self, value: &[u8]) {
        if self.attribute == Attribute::Unused {
            self.name_attribute();
        }
        if self.attribute != Attribute::Unused && self.value.len() < VALUE_BYTES {
            self.value.extend_from_slice(value);
        }
    }

    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.end && self.last_start.length > 0 && self.last_start.get() == self.name.get()
    }
}

/// Reads a text and returns the builder.
pub(super) fn read(text: &str) -> Builder<'_> {
    let place = Cell::new(0);
    let mut builder = Builder::new(text.as_bytes());
    let listener = Listener {
        place: &place,
        builder: &mut builder,
        begin: 0,
        name: Name::default(),
        end: false,
        tag: Tag::Other,
        last_start: Name::default(),
        attribute_name: Name::default(),
        attribute: Attribute::Unused,
        value: Vec::new(),
        attributes: Attributes::default(),
    };
    let Ok(()) = Tokenizer::new_with_emitter(Source::new(text.as_bytes(), &place), listener).finish();
    builder
}
