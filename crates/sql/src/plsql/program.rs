//! CREATE, ALTER … COMPILE and DROP of stored programs, and programs for the compiler.

use std::sync::Arc;

use common::{Error, Number, Result};
use engine::ddl::{Compilation, ProgramSpec, TriggerSpec};
use engine::dictionary::{
    Catalog, CompileError, Dependency, ProgramDef, ProgramKind, ProgramStatus, TriggerRule, TriggerTiming,
};
use plsql::ast::{self, Path, Trigger, UnitKind};
use plsql::compile::entry::Stored;
use plsql::host::Object;

use crate::cursor::connection::Connection;
use crate::ddl::command::{Name, ProgramCommand};

/// A stored program for the compiler.
pub(super) fn object_of(program: &ProgramDef) -> Object {
    Object::Program {
        owner: program.owner.as_str().into(),
        name: program.name.as_str().into(),
        source: Arc::clone(&program.source),
        stamp: program.stamp,
    }
}

/// The text of a package's body, and its stamp.
pub(super) fn package_body(catalog: &Catalog, owner: &str, name: &str) -> Option<(Arc<str>, u64)> {
    let body = catalog.program(owner, name, ProgramKind::PackageBody)?;
    Some((Arc::clone(&body.source), body.stamp))
}

/// Owner and name of a path.
fn owner_and_name(path: &Path, schema: &str) -> Result<(String, String)> {
    match path.parts.as_slice() {
        [name] => Ok((schema.to_owned(), name.name.to_string())),
        [owner, name] => Ok((owner.name.to_string(), name.name.to_string())),
        _ => Err(Error::user(922, "missing or invalid option: a program's name has two parts at most")
            .at(path.at() as usize)),
    }
}

fn kept(errors: &[plsql::error::CompileError]) -> Vec<CompileError> {
    let kept = |error: &plsql::error::CompileError| CompileError {
        line: error.line,
        position: error.column,
        text: error.to_string(),
    };
    errors.iter().map(kept).collect()
}

impl Connection {
    /// CREATE of a stored program; returns true when it compiles. One that does not is kept with its errors.
    pub(crate) fn create_program(&mut self, text: &str) -> Result<bool> {
        let unit = match plsql::parser::parse_unit(text) {
            Ok(unit) => unit,
            Err(errors) => return self.create_unparsed(text, &errors),
        };
        let source = text[unit.at as usize..].trim_end().to_owned();
        let schema = self.schema.clone();
        let (kind, path) = match &unit.kind {
            UnitKind::Subprogram(subprogram) => {
                let kind = if subprogram.result.is_some() { ProgramKind::Function } else { ProgramKind::Procedure };
                (kind, &subprogram.name)
            }
            UnitKind::PackageSpecification { name, .. } => (ProgramKind::Package, name),
            UnitKind::PackageBody { name, .. } => (ProgramKind::PackageBody, name),
            UnitKind::Trigger(trigger) => return self.create_trigger(trigger, unit.or_replace, source, text, None),
            UnitKind::Block(_) => return Err(Error::bug("a block is not created")),
        };
        let (owner, name) = owner_and_name(path, &schema)?;
        let spec =
            ProgramSpec { owner, name, kind, replace: unit.or_replace, source, trigger: None, compilation: None };
        let program = self.session.create_program(&spec)?;
        self.compile(&program, false)
    }

    /// Creates a program whose text does not parse: it is kept if its kind and name can be read.
    fn create_unparsed(&mut self, text: &str, errors: &[plsql::error::CompileError]) -> Result<bool> {
        let refused = || {
            if let Some(error) = errors.first()
                && let plsql::error::Number::Hw(number) = error.number
            {
                return Error::own(common::ErrorKind::User, number, error.text.clone()).at(error.at as usize);
            }
            if let Some(error) = errors.first()
                && let plsql::error::Number::Ora(number) = error.number
            {
                return Error::user(number, error.text.clone()).at(error.at as usize);
            }
            let first = errors.first().map_or_else(String::new, ToString::to_string);
            Error::user(900, format!("invalid SQL statement: {first}"))
        };
        let mut words = crate::statement::words::Words::new(text)?;
        words.expect("CREATE")?;
        let replace = words.take("OR REPLACE");
        let _ = words.take("EDITIONABLE") || words.take("NONEDITIONABLE");
        let start = words.offset();
        let kind = match () {
            () if words.take("PROCEDURE") => ProgramKind::Procedure,
            () if words.take("FUNCTION") => ProgramKind::Function,
            () if words.take("PACKAGE BODY") => ProgramKind::PackageBody,
            () if words.take("PACKAGE") => ProgramKind::Package,
            // A trigger is not kept without its event and table, or with unsupported ones.
            () if words.take("TRIGGER")
                && errors.iter().all(|error| !matches!(error.number, plsql::error::Number::Hw(_))) =>
            {
                let (trigger, or_replace, at) = plsql::parser::parse_trigger_heading(text).map_err(|_| refused())?;
                let source = text[at as usize..].trim_end().to_owned();
                let version = self.session.catalog().version();
                let compilation = Compilation { version, errors: kept(errors), depends_on: Vec::new() };
                return self.create_trigger(&trigger, or_replace, source, text, Some(compilation));
            }
            () => return Err(refused()),
        };
        let (owner, name) = self.qualified(&words.name().map_err(|_| refused())?);
        let version = self.session.catalog().version();
        let spec = ProgramSpec {
            owner,
            name,
            kind,
            replace,
            source: text[start..].trim_end().to_owned(),
            trigger: None,
            compilation: Some(Compilation { version, errors: kept(errors), depends_on: Vec::new() }),
        };
        let made = self.session.create_program(&spec)?;
        self.shared.programs.lock().last_compiled = Some((made.owner.clone(), made.name.clone(), made.kind));
        Ok(false)
    }

    /// CREATE TRIGGER; `compilation` has the errors of a body that does not parse.
    fn create_trigger(
        &mut self,
        trigger: &Trigger,
        replace: bool,
        source: String,
        text: &str,
        compilation: Option<Compilation>,
    ) -> Result<bool> {
        let schema = self.schema.clone();
        let (owner, name) = owner_and_name(&trigger.name, &schema)?;
        let at = trigger.table.at() as usize;
        let (table_owner, table) = match trigger.table.parts.as_slice() {
            [table] => (None, table),
            [owner, table] => (Some(&*owner.name), table),
            _ => return Err(Error::user(903, "invalid table name").at(at)),
        };
        let base = self.session.catalog().resolve(&owner, table_owner, &table.name)?;
        let mut rule = TriggerRule {
            timing: match (trigger.timing, trigger.for_each_row) {
                (ast::TriggerTiming::Before, true) => TriggerTiming::BeforeRow,
                (ast::TriggerTiming::Before, false) => TriggerTiming::BeforeStatement,
                (ast::TriggerTiming::After, true) => TriggerTiming::AfterRow,
                (ast::TriggerTiming::After, false) => TriggerTiming::AfterStatement,
            },
            on_insert: false,
            on_update: false,
            on_delete: false,
            columns: Vec::new(),
            old: trigger.old.name.to_string(),
            new: trigger.new.name.to_string(),
            when: trigger.when_text.clone().map(|place| text[place.start as usize..place.end as usize].to_owned()),
        };
        for event in &trigger.events {
            let again = match event {
                ast::TriggerEvent::Insert => std::mem::replace(&mut rule.on_insert, true),
                ast::TriggerEvent::Delete => std::mem::replace(&mut rule.on_delete, true),
                ast::TriggerEvent::Update { columns } => {
                    for column in columns {
                        if rule.columns.iter().any(|known| **known == *column.name) {
                            let text = format!("duplicate column name: {}", column.name);
                            return Err(Error::user(957, text).at(column.at as usize));
                        }
                        rule.columns.push(column.name.to_string());
                    }
                    std::mem::replace(&mut rule.on_update, true)
                }
            };
            if again {
                return Err(Error::user(4073, "event specified more than once in CREATE TRIGGER").at(at));
            }
        }
        let spec = TriggerSpec { base_owner: base.owner, base_name: base.name, rule, enabled: !trigger.disabled };
        let failed = compilation.is_some();
        let kind = ProgramKind::Trigger;
        let spec = ProgramSpec { owner, name, kind, replace, source, trigger: Some(spec), compilation };
        let made = self.session.create_program(&spec).map_err(|error| match error.number {
            Number::Ora(942) => error.at(at),
            _ => error,
        })?;
        if failed {
            self.shared.programs.lock().last_compiled = Some((made.owner.clone(), made.name.clone(), made.kind));
            return Ok(false);
        }
        self.compile(&made, false)
    }

    /// Compiles a program of the dictionary, and stores the outcome there; returns true when it is valid. `altered`: by
    /// ALTER … COMPILE.
    fn compile(&mut self, program: &ProgramDef, altered: bool) -> Result<bool> {
        let catalog = self.session.catalog();
        let (owner, name, kind) = (program.owner.clone(), program.name.clone(), program.kind);
        self.shared.programs.lock().last_compiled = Some((owner.clone(), name.clone(), kind));
        // A body is compiled with its specification.
        let whole = match kind {
            ProgramKind::PackageBody => catalog.program(&owner, &name, ProgramKind::Package).cloned(),
            _ => None,
        };
        let subject = whole.as_deref().unwrap_or(program);
        let (source, stamp) = (Arc::clone(&subject.source), subject.stamp);
        let body = match kind {
            ProgramKind::PackageBody if whole.is_some() => Some((Arc::clone(&program.source), program.stamp)),
            _ => None,
        };
        let missing = kind == ProgramKind::PackageBody && whole.is_none();
        let library = Arc::clone(self.database.programs());
        let stored = Stored { owner: &owner, name: &name, source: &source, stamp, body };
        let result = match kind {
            // With the names and the rights under which it fires.
            ProgramKind::Trigger => self
                .nested
                .call(&owner, |host, _| Ok(plsql::compile::entry::compile_trigger(host, &library, &stored)))?,
            _ => self.with_programs(|host, _| Ok(plsql::compile::entry::compile_stored(host, &library, &stored)))?,
        };
        let (mut errors, dependencies) = match result {
            Ok(unit) => (Vec::new(), unit.dependencies),
            Err(errors) => (kept(&errors), Vec::new()),
        };
        if missing {
            let text = format!("PLS-00201: identifier '{name}' must be declared");
            errors = vec![CompileError { line: 0, position: 0, text }];
        }
        let mut depends_on: Vec<Dependency> = Vec::new();
        for found in &dependencies {
            // One object may be written in several ways.
            if !depends_on.iter().any(|known| *known.owner == *found.owner && *known.name == *found.name) {
                depends_on.push(Dependency {
                    object: catalog.object(&found.owner, &found.name).map(|object| object.number()),
                    owner: found.owner.to_string(),
                    name: found.name.to_string(),
                });
            }
        }
        let compilation = Compilation { version: catalog.version(), errors, depends_on };
        let now = if altered {
            Some(self.session.alter_program_compile(&owner, &program.name, kind, &compilation)?)
        } else {
            self.session.set_program_state(program, &compilation)?
        };
        Ok(now.is_some_and(|now| now.status == ProgramStatus::Valid))
    }

    /// True: the program compiles now. The outcome is not stored.
    fn compiles(&mut self, program: &ProgramDef) -> bool {
        let catalog = self.session.catalog();
        let library = Arc::clone(self.database.programs());
        let (owner, name) = (&program.owner, &program.name);
        let whole = match program.kind {
            ProgramKind::PackageBody => catalog.program(owner, name, ProgramKind::Package).cloned(),
            _ => None,
        };
        let body = whole.is_some().then(|| (Arc::clone(&program.source), program.stamp));
        let subject = whole.as_deref().unwrap_or(program);
        let stored = Stored { owner, name, source: &subject.source, stamp: subject.stamp, body };
        let result = self.with_programs(|host, _| {
            Ok(match program.kind {
                ProgramKind::Trigger => plsql::compile::entry::compile_trigger(host, &library, &stored).is_ok(),
                _ => plsql::compile::entry::compile_stored(host, &library, &stored).is_ok(),
            })
        });
        result.unwrap_or(false)
    }

    /// ALTER and DROP of a stored program; returns true when it is valid afterwards.
    pub(crate) fn program_command(&mut self, kind: ProgramKind, name: &Name, command: ProgramCommand) -> Result<bool> {
        let (owner, name) = self.qualified(name);
        match command {
            ProgramCommand::Drop => self.session.drop_program(&owner, &name, kind).map(|()| true),
            ProgramCommand::Enable(enabled) => self.session.alter_trigger(&owner, &name, enabled).map(|()| true),
            ProgramCommand::Compile { body } => {
                let catalog = self.session.catalog();
                let missing = || match kind {
                    ProgramKind::Trigger => Error::user(4080, format!("trigger '{name}' does not exist")),
                    _ => Error::user(4043, format!("object {name} does not exist")),
                };
                let program = catalog.program(&owner, &name, kind).cloned().ok_or_else(missing)?;
                let mut valid = self.compile(&program, true)?;
                if let (ProgramKind::Package, true) = (kind, body)
                    && let Some(body) = catalog.program(&owner, &name, ProgramKind::PackageBody).cloned()
                {
                    valid &= self.compile(&body, true)?;
                }
                Ok(valid)
            }
        }
    }

    /// The errors of a program's last compilation; without an argument, of the program that this session created or
    /// altered last. `object` is its kind and its name, as `PACKAGE BODY` and `OWNER.NAME`.
    ///
    /// # Errors
    /// For an invalid name.
    pub fn program_errors(&self, object: Option<(&str, &str)>) -> Result<Vec<CompileError>> {
        let (owner, name, kind) = match object {
            Some((kind, name)) => {
                let mut words = crate::statement::words::Words::new(name)?;
                let (owner, name) = self.qualified(&words.name()?);
                let kind = ProgramKind::ALL.into_iter().find(|known| known.to_string() == kind.to_uppercase());
                let Some(kind) = kind else { return Ok(Vec::new()) };
                (owner, name, kind)
            }
            None => match &self.shared.programs.lock().last_compiled {
                Some(last) => last.clone(),
                None => return Ok(Vec::new()),
            },
        };
        let catalog = self.session.catalog();
        Ok(catalog.program(&owner, &name, kind).map(|program| program.errors.to_vec()).unwrap_or_default())
    }

    /// Stores the valid state of programs that the last call found invalid and has compiled since.
    pub(super) fn revalidate(&mut self) -> Result<()> {
        let last = self.shared.programs.lock().last_compiled.clone();
        // Further programs found while compiling are left to the next call.
        let mut result = Ok(());
        let invalid = self.shared.programs.lock().take_invalid();
        // Callees were found after their callers. They come first: when their errors have gone, their callers become
        // invalid once more.
        for (owner, name, kind) in invalid.into_iter().rev() {
            let program = self.session.catalog().program(&owner, &name, kind).cloned();
            let shared = Arc::clone(&self.shared);
            let program = program.filter(|program| match program.status {
                ProgramStatus::Valid => false,
                ProgramStatus::Invalid => true,
                // Its missing dependencies may exist now; if not, its errors stay as they are.
                ProgramStatus::Errors => shared.recursively(|| self.compiles(program)),
            });
            if let Some(program) = program {
                result = result.and(shared.recursively(|| self.compile(&program, false)).map(drop));
            }
        }
        let mut programs = self.shared.programs.lock();
        programs.take_invalid();
        programs.last_compiled = last;
        result
    }

    /// The feedback's verb of the last CREATE or ALTER: `CREATE PROCEDURE` and its like.
    pub(crate) fn created_verb(&self, text: &str) -> &'static str {
        let kinds = [
            ("PACKAGE BODY", "CREATE PACKAGE BODY"),
            ("PACKAGE", "CREATE PACKAGE"),
            ("PROCEDURE", "CREATE PROCEDURE"),
            ("FUNCTION", "CREATE FUNCTION"),
            ("TRIGGER", "CREATE TRIGGER"),
        ];
        let Ok(mut words) = crate::statement::words::Words::new(text) else { return "CREATE" };
        let _ = words.take("CREATE") && words.take("OR REPLACE");
        let _ = words.take("EDITIONABLE") || words.take("NONEDITIONABLE");
        kinds.into_iter().find(|(word, _)| words.next_is(word)).map_or("CREATE", |(_, verb)| verb)
    }
}
