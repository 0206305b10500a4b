//! Finds every number that production code raises.
//!
//! It begins at `Number::Ora(…)`, `Hw`, `Sp2` and `Pls`. Where the number is a parameter of the enclosing function, or
//! of a closure with a name, that function raises its argument, and its calls are looked at in turn, until nothing new
//! is found: so `Error::user`, `sp2` and `fault` are found without being named. Numbers in messages that are written
//! out (`"SP2-0640: …"`) count as well. An argument that is not understood is reported, never passed over.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use errors::{Code, Family};

use crate::code::{self, Call, Function, Reach};
use crate::numbers::{self, Resolver, Value};
use crate::tree::{self, Node, Token};

/// The result of a scan of sources.
#[derive(Default, Debug)]
pub(crate) struct Found {
    /// Each number, and where it is raised: `crates/sql/src/x.rs:12`.
    pub(crate) raised: BTreeMap<Code, BTreeSet<String>>,
    /// Arguments whose values are not known: file, and the argument's text.
    pub(crate) unknown: BTreeSet<(String, String)>,
}

pub(crate) struct Source {
    /// `crates/sql/src/x.rs`.
    pub(crate) file: String,
    pub(crate) code: code::Code,
}

impl Source {
    fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.file)
    }

    fn package(&self) -> &str {
        self.file.split('/').nth(1).unwrap_or_default()
    }

    /// The folder of the modules below this one.
    fn folder(&self) -> String {
        let (folder, name) = self.file.rsplit_once('/').unwrap_or(("", &self.file));
        match name {
            "mod.rs" | "lib.rs" | "main.rs" => format!("{folder}/"),
            _ => format!("{}/", self.file.trim_end_matches(".rs")),
        }
    }
}

/// The meaning of an argument that the scanner does not understand.
#[derive(Debug)]
pub(crate) struct Explanation {
    pub(crate) file: &'static str,
    pub(crate) argument: &'static str,
    pub(crate) numbers: Numbers,
}

#[derive(Debug)]
pub(crate) enum Numbers {
    /// The number of an error made elsewhere or found in a text; or no error number at all.
    Elsewhere,
    /// The numbers in a constant list of tuples of the same source: its name, and the place in the tuples.
    Listed(&'static str, usize),
}

/// A function that raises the number it is called with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Raiser {
    family: Family,
    source: usize,
    function: usize,
    closure: Option<usize>,
    argument: usize,
}

pub(crate) fn scan(sources: &[Source]) -> Found {
    let constants = constants(sources);
    let mut raisers: BTreeSet<Raiser> = BTreeSet::new();
    loop {
        let mut found = Found::default();
        let before = raisers.len();
        for (source_at, source) in sources.iter().enumerate() {
            for (function_at, function) in source.code.functions.iter().enumerate() {
                texts(source, function, &mut found);
                for call in function.calls.iter().filter(|call| !call.is_looked_for) {
                    for (family, argument) in raised_by(sources, &raisers, (source_at, function_at), call) {
                        let constant = |name: &str| constants(source_at, name);
                        let resolver = Resolver { function, closure: call.closure, constant: &constant };
                        let tokens = call.arguments.get(argument).map_or(&[][..], Vec::as_slice);
                        let Some(values) = resolver.values(tokens, &[], 0) else {
                            found.unknown.insert((source.file.clone(), text(tokens)));
                            continue;
                        };
                        let raiser =
                            Raiser { family, source: source_at, function: function_at, closure: None, argument: 0 };
                        for value in values {
                            match value {
                                Value::Number(number) => found.add(family, number, source.place(call.line)),
                                Value::Parameter(argument) => {
                                    raisers.insert(Raiser { argument, ..raiser.clone() });
                                }
                                Value::ClosureParameter(closure, argument) => {
                                    raisers.insert(Raiser { closure: Some(closure), argument, ..raiser.clone() });
                                }
                            }
                        }
                    }
                }
            }
        }
        if raisers.len() == before {
            return found;
        }
    }
}

impl Found {
    fn add(&mut self, family: Family, number: u64, place: String) {
        let number = u32::try_from(number).unwrap();
        self.raised.entry(Code { family, number }).or_default().insert(place);
    }

    /// Removes the arguments that are not understood where their numbers are known.
    pub(crate) fn explain(&mut self, sources: &[Source], explanations: &[Explanation]) {
        for Explanation { file, argument, numbers } in explanations {
            let was_unknown = self.unknown.remove(&((*file).to_owned(), (*argument).to_owned()));
            assert!(was_unknown, "{file}: nothing is raised with the argument `{argument}` any more");
            let Numbers::Listed(constant, at) = numbers else { continue };
            let source = sources.iter().find(|source| source.file == *file).unwrap();
            let list = source.code.constants.iter().find(|known| known.name == *constant).unwrap();
            for number in numbers::column(&list.value, *at).unwrap() {
                // SQLCODE of NO_DATA_FOUND.
                let number = if number == 100 { 1403 } else { number };
                self.add(Family::Ora, number, format!("{file}: {constant}"));
            }
        }
    }
}

/// Looks a constant up in its source, then in the crate, then anywhere.
fn constants<'a>(sources: &'a [Source]) -> impl Fn(usize, &str) -> Option<&'a [Token]> {
    let mut by_name: BTreeMap<&str, Vec<(usize, &[Token])>> = BTreeMap::new();
    for (at, source) in sources.iter().enumerate() {
        for constant in &source.code.constants {
            by_name.entry(&constant.name).or_default().push((at, &constant.value));
        }
    }
    move |from, name| {
        let all = by_name.get(name)?;
        let package = |at: usize| sources[at].package();
        let here = all.iter().find(|(at, _)| *at == from);
        let near = all.iter().find(|(at, _)| package(*at) == package(from));
        here.or(near).or(all.first()).map(|(_, value)| *value)
    }
}

/// Families and arguments of the numbers that a call raises.
fn raised_by(
    sources: &[Source],
    raisers: &BTreeSet<Raiser>,
    from: (usize, usize),
    call: &Call,
) -> Vec<(Family, usize)> {
    if call.path.last().is_some_and(|owner| owner == "Number") {
        let family = match call.name.as_str() {
            "Ora" => Family::Ora,
            "Hw" => Family::Hw,
            "Sp2" => Family::Sp2,
            "Pls" => Family::Pls,
            _ => return Vec::new(),
        };
        return vec![(family, 0)];
    }
    let (caller_source, caller) = (&sources[from.0], &sources[from.0].code.functions[from.1]);
    let is_bare = call.path.is_empty() && !call.is_method;
    let has_own = is_bare
        && caller_source.code.functions.iter().any(|function| function.owner.is_none() && function.name == call.name);
    let own_method = call.is_on_self
        && sources.iter().filter(|source| source.package() == caller_source.package()).any(|source| {
            source.code.functions.iter().any(|own| own.is_method && own.owner == caller.owner && own.name == call.name)
        });
    let mut found: Vec<(Family, usize)> = Vec::new();
    for raiser in raisers {
        let source = &sources[raiser.source];
        let function = &source.code.functions[raiser.function];
        let is_it = match raiser.closure {
            Some(closure) => {
                is_bare && (raiser.source, raiser.function) == from && function.closures[closure].name == call.name
            }
            None => {
                function.name == call.name
                    && function.parameters.len() == call.arguments.len()
                    && is_within_reach(source, function, caller_source)
                    && (!has_own || raiser.source == from.0)
                    && owners_agree(function, caller, call, own_method)
            }
        };
        if is_it && !found.contains(&(raiser.family, raiser.argument)) {
            found.push((raiser.family, raiser.argument));
        }
    }
    found
}

fn is_within_reach(source: &Source, function: &Function, caller: &Source) -> bool {
    match function.reach {
        Some(Reach::All) => true,
        Some(Reach::Crate) => source.package() == caller.package(),
        Some(Reach::Module) | None => source.file == caller.file || caller.file.starts_with(&source.folder()),
    }
}

fn owners_agree(function: &Function, caller: &Function, call: &Call, own_method: bool) -> bool {
    let last = call.path.last().map(String::as_str);
    match &function.owner {
        None => !call.is_method && last.is_none_or(|module| module.starts_with(|c: char| c.is_ascii_lowercase())),
        Some(owner) => {
            let is_own = caller.owner.as_ref() == Some(owner);
            if call.is_method {
                // `self.error(…)` is the type's own where it has one.
                return function.is_method && (!call.is_on_self || is_own || !own_method);
            }
            last == Some(owner) || (last == Some("Self") && is_own)
        }
    }
}

/// Numbers of messages that are written out: `"SP2-0640: not connected"`.
fn texts(source: &Source, function: &Function, found: &mut Found) {
    for (line, text) in &function.texts {
        for family in Family::ALL {
            for (at, prefix) in text.match_indices(family.prefix()) {
                let digits = text[at + prefix.len()..].strip_prefix('-').unwrap_or_default();
                let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
                let (digits, rest) = digits.split_at(end);
                if rest.starts_with(':')
                    && let Ok(number) = digits.parse()
                {
                    found.add(family, number, source.place(*line));
                }
            }
        }
    }
}

fn text(tokens: &[Token]) -> String {
    let mut out = String::new();
    for token in tokens {
        let part = match &token.node {
            Node::Word(word) => word.clone(),
            Node::Integer(number) => number.to_string(),
            Node::Text(text) => format!("\"{text}\""),
            Node::Sign(sign) => sign.to_string(),
            Node::Other => "…".to_owned(),
            Node::Round(inner) => format!("({})", text(inner)),
            Node::Square(inner) => format!("[{}]", text(inner)),
            Node::Curly(inner) => format!("{{{}}}", text(inner)),
        };
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if out.ends_with(is_name) && part.starts_with(is_name) {
            out.push(' ');
        }
        out.push_str(&part);
    }
    out
}

/// Production sources of all crates below a folder.
pub(crate) fn sources(root: &Path) -> Vec<Source> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        add_files(&entry.unwrap().path().join("src"), &mut files);
    }
    files.sort();
    let mut sources = Vec::new();
    let mut for_tests = Vec::new();
    for path in files {
        let file = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let tree = tree::parse(&fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{file}: {error}"));
        let source = Source { file, code: code::of(&tree.tokens) };
        for module in tree.test_modules {
            let module = format!("{}{module}", source.folder());
            for_tests.extend([format!("{module}.rs"), format!("{module}/")]);
        }
        sources.push(source);
    }
    sources.retain(|source| {
        !for_tests
            .iter()
            .any(|module| source.file == *module || (module.ends_with('/') && source.file.starts_with(module)))
    });
    sources
}

fn add_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
