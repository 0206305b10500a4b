//! Meaning of names: the program's own from the inside out, then STANDARD's, then the dictionary's, then the supplied
//! packages.

use std::sync::Arc;

use super::error::{Compiled, fault, of_sql, undeclared};
use super::symbol::Symbol;
use super::unit::{Dependency, Link, Unit};
use super::{Compiler, Import};
use crate::ast::{At, Ident, Path};
use crate::host::Object;
use crate::library::fingerprint;
use crate::packages;

/// The resolution of a name, or of its first parts.
#[derive(Clone, Debug)]
pub(crate) enum ResolvedName {
    /// Declared: several when overloaded. Of another unit when there is an import.
    Symbols {
        symbols: Vec<Symbol>,
        import: Option<Import>,
        used: usize,
    },
    /// A function or exception of STANDARD.
    Standard {
        name: Box<str>,
        used: usize,
    },
    Relation {
        columns: Vec<crate::host::Column>,
        name: Box<str>,
        used: usize,
    },
    Sequence {
        owner: Box<str>,
        name: Box<str>,
        used: usize,
    },
}

/// The limit of packages that need each other's specifications.
const IMPORT_DEPTH_MAX: usize = 40;

impl Compiler<'_> {
    pub(crate) fn declare(&mut self, name: &Ident, symbol: Symbol) -> Compiled<()> {
        let scope = self.scopes.last_mut().expect("a scope is open");
        let known = scope.names.entry(name.name.clone()).or_default();
        let overloads =
            matches!(symbol, Symbol::Subprogram(_)) && known.iter().all(|other| matches!(other, Symbol::Subprogram(_)));
        let clash = !known.is_empty() && !overloads;
        known.push(symbol);
        if clash {
            known.swap_remove(0);
            return fault(name.at, 371, format_args!("at most one declaration for '{}' is permitted", name.name));
        }
        Ok(())
    }

    /// A name declared in the program.
    pub(crate) fn declared(&self, parts: &[&str]) -> Option<(Vec<Symbol>, usize)> {
        let first = parts.first()?;
        for scope in self.scopes.iter().rev() {
            if let Some(symbols) = scope.names.get(*first) {
                return Some((symbols.clone(), 1));
            }
            if let Some(second) = parts.get(1)
                && scope.labels.iter().any(|label| **label == **first)
                && let Some(symbols) = scope.names.get(*second)
            {
                return Some((symbols.clone(), 2));
            }
        }
        if let [owner, package, name, ..] = parts
            && **owner == *self.unit.owner
            && let Some(scope) = self.scopes.first()
            && scope.labels.iter().any(|label| **label == **package)
            && let Some(symbols) = scope.names.get(*name)
        {
            return Some((symbols.clone(), 3));
        }
        None
    }

    /// # Errors
    /// PLS-00201 when there is no such thing.
    pub(crate) fn find(&mut self, path: &Path) -> Compiled<ResolvedName> {
        match self.find_any(path)? {
            Some(found) => Ok(found),
            None => undeclared(path.at(), &full_name(path)),
        }
    }

    /// As [`Self::find`], without functions of STANDARD: a table LOG has columns, the function LOG has none.
    pub(crate) fn find_thing(&mut self, path: &Path) -> Compiled<ResolvedName> {
        let parts: Vec<&str> = path.parts.iter().map(|part| &*part.name).collect();
        if self.declared(&parts).is_none()
            && let Some(found) = self.find_in_dictionary(path.at(), &parts, path)?
        {
            return Ok(found);
        }
        self.find(path)
    }

    fn find_any(&mut self, path: &Path) -> Compiled<Option<ResolvedName>> {
        let parts: Vec<&str> = path.parts.iter().map(|part| &*part.name).collect();
        if let Some((symbols, used)) = self.declared(&parts) {
            if symbols.iter().any(|symbol| matches!(symbol, Symbol::Broken)) {
                return fault(
                    path.at(),
                    320,
                    "the declaration of the type of this expression is incomplete or malformed",
                );
            }
            return Ok(Some(ResolvedName::Symbols { symbols, import: None, used }));
        }
        let skip = usize::from(parts.len() > 1 && parts[0] == "STANDARD");
        if super::function::is_standard(parts[skip]) {
            return Ok(Some(ResolvedName::Standard { name: parts[skip].into(), used: skip + 1 }));
        }
        self.find_in_dictionary(path.at(), &parts, path)
    }

    fn find_in_dictionary(&mut self, at: At, parts: &[&str], path: &Path) -> Compiled<Option<ResolvedName>> {
        if let Some((object, used)) = self.resolve(at, parts)? {
            return Ok(Some(match object {
                Object::Relation { name, columns, .. } => ResolvedName::Relation { columns, name, used },
                Object::Sequence { owner, name } => ResolvedName::Sequence { owner, name, used },
                Object::Program { owner, name, source, stamp } => {
                    let import = self.import(at, &owner, &name, &source, stamp)?;
                    return self.exported(path, import, used).map(Some);
                }
            }));
        }
        if let Some((supplied, used)) = packages::find(parts) {
            let unit = self.library.supplied(supplied);
            return self.exported(path, Import { unit, link: None }, used).map(Some);
        }
        Ok(None)
    }

    /// The dictionary's answer, cached per unit.
    pub(crate) fn resolve(&mut self, at: At, parts: &[&str]) -> Compiled<Option<(Object, usize)>> {
        let key: Vec<Box<str>> = parts.iter().take(3).map(|part| (*part).into()).collect();
        if let Some(known) = self.resolved.get(&key) {
            return Ok(known.clone());
        }
        let answer =
            self.host.resolve(self.unit.viewer(), &parts[..parts.len().min(3)]).map_err(|error| of_sql(at, &error))?;
        if let Some((object, used)) = &answer {
            self.depend(object, &parts[..*used]);
        }
        self.resolved.insert(key, answer.clone());
        Ok(answer)
    }

    /// Records a dependency of the unit, and the name it is written by.
    pub(crate) fn depend(&mut self, object: &Object, written: &[&str]) {
        let written: Vec<Box<str>> = written.iter().map(|part| (*part).into()).collect();
        let (owner, name) = object.owner_and_name();
        let fingerprint = fingerprint(object);
        let found = Dependency { owner: owner.into(), name: name.into(), written, fingerprint };
        if !self.unit.dependencies.contains(&found) {
            self.unit.dependencies.push(found);
        }
    }

    fn import(&mut self, at: At, owner: &str, name: &str, source: &Arc<str>, stamp: u64) -> Compiled<Import> {
        let key = (owner.into(), name.into());
        if let Some(import) = self.imports.get(&key) {
            return Ok(import.clone());
        }
        if self.depth > IMPORT_DEPTH_MAX {
            return fault(at, 907, format_args!("cannot load library unit {owner}.{name}: it needs itself"));
        }
        let unit = match self.library.interface(self.host, owner, name, source, stamp, self.depth + 1) {
            Ok(unit) => unit,
            Err(_) => {
                return fault(at, 905, format_args!("object {owner}.{name} is invalid"));
            }
        };
        let link = Link { owner: owner.into(), name: name.into() };
        self.unit.links.push(link);
        let import = Import { unit, link: Some(self.unit.links.len() as u16 - 1) };
        self.imports.insert(key, import.clone());
        Ok(import)
    }

    /// An exported name of another unit: the procedure or function itself, or a member of a package.
    fn exported(&mut self, path: &Path, import: Import, used: usize) -> Compiled<ResolvedName> {
        let unit: &Unit = &import.unit;
        if unit.unit_type != super::unit::UnitType::Package {
            let symbols = unit.exports.get(&unit.name).cloned().unwrap_or_default();
            return Ok(ResolvedName::Symbols { symbols, import: Some(import), used });
        }
        let Some(part) = path.parts.get(used) else {
            return fault(path.at(), 221, format_args!("'{}' is not a procedure or is undefined", unit.name));
        };
        match unit.exports.get(&part.name) {
            Some(symbols) => {
                let symbols = symbols.clone();
                Ok(ResolvedName::Symbols { symbols, import: Some(import), used: used + 1 })
            }
            None => fault(part.at, 302, format_args!("component '{}' must be declared", part.name)),
        }
    }

    /// The instruction that brings the state of another unit to life.
    pub(crate) fn need(&mut self, import: Option<&Import>) {
        if let Some(Import { link: Some(link), .. }) = import {
            self.emit(super::op::Op::Need { link: *link });
        }
    }
}

#[must_use]
pub(crate) fn full_name(path: &Path) -> String {
    let parts: Vec<&str> = path.parts.iter().map(|part| &*part.name).collect();
    parts.join(".")
}
