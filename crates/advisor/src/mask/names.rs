//! A name and its replacement.

use std::collections::BTreeMap;

/// The kind of object that a name denotes: the first part of its replacement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum NameKind {
    Database,
    Host,
    Schema,
    Object,
    Part,
    Module,
    Tablespace,
    Undo,
    Temporary,
    Container,
    Cell,
    Folder,
    File,
    Input,
    Value,
}

impl NameKind {
    fn word(self) -> &'static str {
        match self {
            Self::Database => "DATABASE",
            Self::Host => "HOST",
            Self::Schema => "SCHEMA",
            Self::Object => "OBJECT",
            Self::Part => "PARTITION",
            Self::Module => "MODULE",
            Self::Tablespace => "TABLESPACE",
            Self::Undo => "UNDO_TABLESPACE",
            Self::Temporary => "TEMP_TABLESPACE",
            Self::Container => "CONTAINER",
            Self::Cell => "CELL",
            Self::Folder => "FOLDER",
            Self::File => "FILE",
            Self::Input => "input",
            Self::Value => "value",
        }
    }
}

/// Schemas that every database has.
const SCHEMAS: [&str; 24] = [
    "SYS",
    "SYSTEM",
    "PUBLIC",
    "SYSMAN",
    "DBSNMP",
    "XDB",
    "MDSYS",
    "CTXSYS",
    "WMSYS",
    "OUTLN",
    "AUDSYS",
    "PERFSTAT",
    "LBACSYS",
    "OJVMSYS",
    "ORDSYS",
    "ORDDATA",
    "EXFSYS",
    "OLAPSYS",
    "DVSYS",
    "APPQOSSYS",
    "GSMADMIN_INTERNAL",
    "UNKNOWN",
    "UNAVAILABLE",
    "** UNAVAILABLE **",
];

/// The replacements made so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Names {
    /// By the name in capitals.
    known: BTreeMap<String, String>,
    statements: BTreeMap<String, usize>,
    databases: BTreeMap<u64, u64>,
    last: BTreeMap<NameKind, usize>,
    /// The names of the current file as they are spelled, and their replacements.
    spelled: BTreeMap<String, String>,
}

impl Names {
    /// Another file: the second look is for its names only.
    pub(crate) fn next_file(&mut self) {
        self.spelled.clear();
    }

    /// The name that stands for a file on the command line; its last extension stays.
    pub(crate) fn input(&mut self, path: &str) -> String {
        let extension = path.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end);
        let known = ["txt", "lst", "html", "htm", "trc", "gz", "xz", "zip", "prf", "tkp", "out", "log"];
        let extension = extension.filter(|end| known.contains(&end.to_ascii_lowercase().as_str()));
        let name = self.replace(NameKind::Input, path);
        extension.map_or_else(|| name.clone(), |extension| format!("{name}.{extension}"))
    }

    pub(super) fn database(&mut self, text: &str) -> String {
        self.replace(NameKind::Database, text)
    }

    pub(super) fn database_id(&mut self, id: u64) -> u64 {
        let next = self.databases.len() as u64 + 1;
        *self.databases.entry(id).or_insert(next)
    }

    pub(super) fn schema(&mut self, text: &str) -> String {
        if own_schema(text) { text.to_owned() } else { self.replace(NameKind::Schema, text) }
    }

    /// An object of that schema; dictionary objects keep their names.
    pub(super) fn object(&mut self, schema: Option<&str>, text: &str) -> String {
        let dictionary = text.contains('$') && schema.is_none_or(own_schema);
        let none = text.trim().is_empty() || text.starts_with("**");
        if dictionary || none || own_schema(text) { text.to_owned() } else { self.replace(NameKind::Object, text) }
    }

    /// Undo and temporary tablespaces can still be told from others.
    pub(super) fn tablespace(&mut self, text: &str) -> String {
        let name = text.trim().to_ascii_uppercase();
        let numbered =
            |start: &str| name.strip_prefix(start).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
        if ["SYSTEM", "SYSAUX", "USERS", "UNKNOWN"].contains(&name.as_str()) || numbered("UNDOTBS") || numbered("TEMP")
        {
            return text.to_owned();
        }
        let kind = match () {
            () if name.contains("UNDO") => NameKind::Undo,
            () if name.contains("TEMP") => NameKind::Temporary,
            () => NameKind::Tablespace,
        };
        self.replace(kind, text)
    }

    pub(super) fn container(&mut self, text: &str) -> String {
        if text.contains('$') { text.to_owned() } else { self.replace(NameKind::Container, text) }
    }

    /// A path, part by part, so that files of one folder can still be seen to lie together.
    pub(super) fn path(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['/', '\\']) {
            let folder = &rest[..at];
            out.push_str(&self.replace(NameKind::Folder, folder));
            out.push_str(&rest[at..=at]);
            rest = &rest[at + 1..];
        }
        out.push_str(&self.replace(NameKind::File, rest));
        // The whole is a name as well: the second look finds it where it is printed whole.
        self.spelled.insert(text.to_owned(), out.clone());
        out
    }

    /// The number of a statement's text.
    pub(super) fn statement_number(&mut self, text: &str) -> usize {
        let next = self.statements.len() + 1;
        *self.statements.entry(text.to_owned()).or_insert(next)
    }

    pub(super) fn replace(&mut self, kind: NameKind, text: &str) -> String {
        let name = text.trim();
        if name.is_empty() || name == "." || name == ".." {
            return text.to_owned();
        }
        let key = name.to_uppercase();
        let replacement = match self.known.get(&key) {
            Some(replacement) => replacement.clone(),
            None => {
                let number = self.last.entry(kind).or_insert(0);
                *number += 1;
                let separator = if kind == NameKind::Input { '-' } else { '_' };
                let replacement = format!("{}{separator}{number}", kind.word());
                self.known.insert(key, replacement.clone());
                replacement
            }
        };
        self.spelled.insert(name.to_owned(), replacement.clone());
        replacement
    }

    /// Replaces names of this file that stand in a text as whole words.
    pub(super) fn sweep(&self, text: &mut String) {
        // Longer names first: one may be part of another.
        let mut found: Vec<(&String, &String)> =
            self.spelled.iter().filter(|(name, _)| name.len() > 2 && text.contains(name.as_str())).collect();
        found.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        for (name, replacement) in found {
            *text = replaced(text, name, replacement);
        }
    }
}

fn own_schema(text: &str) -> bool {
    let name = text.trim().to_ascii_uppercase();
    SCHEMAS.contains(&name.as_str())
}

/// `text` with each `name` replaced that is not part of a longer word.
fn replaced(text: &str, name: &str, replacement: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let end = at + name.len();
        let before = rest[..at].chars().next_back().or_else(|| out.chars().next_back());
        let inside = |outer: Option<char>, edge: Option<char>| outer.is_some_and(word) && edge.is_some_and(word);
        out.push_str(&rest[..at]);
        let part = inside(before, name.chars().next()) || inside(rest[end..].chars().next(), name.chars().next_back());
        out.push_str(if part { name } else { replacement });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn a_name_is_the_same_in_every_spelling_and_place() {
        let mut names = Names::default();
        assert_eq!(names.database("Bank"), "DATABASE_1");
        assert_eq!(names.schema("BANK"), "DATABASE_1");
        assert_eq!(names.schema("TILL"), "SCHEMA_1");
        assert_eq!(names.schema("SYS"), "SYS");
        assert_eq!(names.object(Some("SYS"), "OBJ$"), "OBJ$");
        assert_eq!(names.object(Some("TILL"), "OBJ$"), "OBJECT_1");
        assert_eq!(names.tablespace("UNDOTBS2"), "UNDOTBS2");
        assert_eq!(names.tablespace("BANK_UNDO"), "UNDO_TABLESPACE_1");
        assert_eq!(names.path("/u01/bank/till.dbf"), "/FOLDER_1/DATABASE_1/FILE_1");
        assert_eq!(names.input("/depot/x/bank.html"), "input-1.html");
    }

    #[test]
    fn the_second_look_replaces_whole_words_only() {
        let mut names = Names::default();
        let _ = names.schema("TILL");
        let mut text = "TILL.T of UNTILL and (TILL)".to_owned();
        names.sweep(&mut text);
        assert_eq!(text, "SCHEMA_1.T of UNTILL and (SCHEMA_1)");
    }
}
