//! Templates: how the files of a kind, or those made by a template's name, are striped and mirrored.
//!
//! Each group has the system templates, one for each kind of file, as releases from 11.2 on have them: extents grow as
//! in those, too. Earlier releases striped ONLINELOG and FLASHBACK finely. Only templates that differ from that, and
//! those of users, are in the metadata.

use std::collections::BTreeMap;

use common::{Error, Result};

use crate::error::corrupt;
use crate::name::{FileKind, disk_name};
use crate::redundancy::Redundancy;
use crate::shape::Striping;

/// The system templates, in the order of ENTRY_NUMBER.
const SYSTEM: [&str; 13] = [
    "PARAMETERFILE",
    "DUMPSET",
    "CONTROLFILE",
    "ARCHIVELOG",
    "ONLINELOG",
    "DATAFILE",
    "TEMPFILE",
    "BACKUPSET",
    "AUTOBACKUP",
    "XTRANSPORT",
    "CHANGETRACKING",
    "FLASHBACK",
    "DATAGUARDCONFIG",
];

/// The redundancy that a template gives to files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Protection {
    /// One copy.
    Unprotected = 1,
    /// As many copies as the group's redundancy says.
    Mirror = 2,
    /// Three copies.
    High = 3,
}

impl Protection {
    /// As REDUNDANCY of V$ASM_TEMPLATE.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unprotected => "UNPROT",
            Self::Mirror => "MIRROR",
            Self::High => "HIGH",
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        [Self::Unprotected, Self::Mirror, Self::High].into_iter().find(|one| *one as u8 == code)
    }

    /// What files of a group have that are told nothing else.
    fn of_group(redundancy: Redundancy) -> Self {
        if redundancy == Redundancy::External { Self::Unprotected } else { Self::Mirror }
    }

    /// Copies of an extent.
    pub(crate) fn copies(self, redundancy: Redundancy) -> u8 {
        match self {
            Self::Unprotected => 1,
            Self::Mirror => redundancy.copies(),
            Self::High => Redundancy::High.copies(),
        }
    }

    /// Checks that files of such a group can have it.
    ///
    /// # Errors
    /// ORA-15067.
    fn check(self, template: &str, redundancy: Redundancy) -> Result<()> {
        let fits = match redundancy {
            Redundancy::External => self == Self::Unprotected,
            Redundancy::Normal => true,
            Redundancy::High => self != Self::Unprotected,
        };
        if fits {
            return Ok(());
        }
        let text = format!(
            "{} of template \"{template}\" is incompatible with a diskgroup of {} redundancy",
            self.name(),
            redundancy.name()
        );
        Err(Error::user(15067, text))
    }
}

/// A template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// In capitals.
    pub name: String,
    pub protection: Protection,
    pub striping: Striping,
    /// It came with the group.
    pub system: bool,
}

/// What a statement says of a template; None: nothing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TemplateAttributes {
    pub protection: Option<Protection>,
    pub striping: Option<Striping>,
}

/// A change of a group's templates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TemplateRequest {
    Add(String, TemplateAttributes),
    Alter(String, TemplateAttributes),
    Drop(String),
}

/// A system template as it comes with a group.
fn system(name: &str, redundancy: Redundancy) -> Option<Template> {
    let name = SYSTEM.into_iter().find(|system| *system == name)?;
    let (mut protection, mut striping) = (Protection::of_group(redundancy), Striping::Coarse);
    if name == "CONTROLFILE" {
        striping = Striping::Fine;
        if redundancy == Redundancy::Normal {
            protection = Protection::High;
        }
    }
    Some(Template { name: name.to_owned(), protection, striping, system: true })
}

/// The templates of a group that are not as they come with it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Templates(BTreeMap<String, Template>);

impl Templates {
    /// Those that are in the metadata, by name.
    pub(crate) fn stored(&self) -> impl Iterator<Item = &Template> {
        self.0.values()
    }

    pub(crate) fn stored_count(&self) -> usize {
        self.0.len()
    }

    /// All templates, those of the system first.
    pub(crate) fn all(&self, redundancy: Redundancy) -> Vec<Template> {
        let system = SYSTEM.into_iter().filter_map(|name| self.find(name, redundancy));
        let users = self.0.values().filter(|template| !template.system).cloned();
        system.chain(users).collect()
    }

    /// The template with this name, in capitals.
    pub(crate) fn find(&self, name: &str, redundancy: Redundancy) -> Option<Template> {
        self.0.get(name).cloned().or_else(|| system(name, redundancy))
    }

    /// The template of a new file: the one that is named, or that of the file's kind.
    ///
    /// # Errors
    /// ORA-15060 when there is none of the name.
    pub(crate) fn for_file(&self, name: Option<&str>, kind: FileKind, redundancy: Redundancy) -> Result<Template> {
        let of_kind = if kind == FileKind::Other { FileKind::DataFile } else { kind };
        let name = name.map_or_else(|| of_kind.name().to_owned(), str::to_ascii_uppercase);
        self.find(&name, redundancy).ok_or_else(|| missing(&name))
    }

    /// Puts a template in the place of the one with its name.
    pub(crate) fn set(&mut self, template: Template, redundancy: Redundancy) {
        if system(&template.name, redundancy).as_ref() == Some(&template) {
            self.0.remove(&template.name);
        } else {
            self.0.insert(template.name.clone(), template);
        }
    }

    /// Removes a user's template.
    ///
    /// # Errors
    /// ORA-15196 when there is none.
    pub(crate) fn remove(&mut self, name: &str) -> Result<()> {
        if self.0.get(name).is_none_or(|template| template.system) {
            return Err(corrupt(format!("a change of template {name}, which is not there")));
        }
        self.0.remove(name);
        Ok(())
    }

    /// Checks a request, and finds the template that follows; None: it is gone.
    ///
    /// # Errors
    /// ORA-15108 for an invalid name; ORA-15007 for the name of another one; ORA-15060 without such a template;
    /// ORA-15008 for the drop of a system template; ORA-15067 for a redundancy that files of the group cannot have.
    pub(crate) fn outcome(
        &self,
        request: &TemplateRequest,
        redundancy: Redundancy,
    ) -> Result<(String, Option<Template>)> {
        let (TemplateRequest::Add(name, _) | TemplateRequest::Alter(name, _) | TemplateRequest::Drop(name)) = request;
        let name =
            disk_name(name).map_err(|_| Error::user(15108, format!("missing or invalid template name: \"{name}\"")))?;
        let there = self.find(&name, redundancy);
        let template = match (request, there) {
            (TemplateRequest::Add(..), Some(_)) => {
                let text = format!("name \"{name}\" is already used by an existing template");
                return Err(Error::user(15007, text));
            }
            (TemplateRequest::Add(_, attributes), None) => Some(Template {
                name: name.clone(),
                protection: attributes.protection.unwrap_or_else(|| Protection::of_group(redundancy)),
                striping: attributes.striping.unwrap_or_default(),
                system: false,
            }),
            (TemplateRequest::Alter(..) | TemplateRequest::Drop(_), None) => return Err(missing(&name)),
            (TemplateRequest::Alter(_, attributes), Some(there)) => Some(Template {
                protection: attributes.protection.unwrap_or(there.protection),
                striping: attributes.striping.unwrap_or(there.striping),
                ..there
            }),
            (TemplateRequest::Drop(_), Some(Template { system: true, .. })) => {
                return Err(Error::user(15008, format!("system template \"{name}\" cannot be dropped")));
            }
            (TemplateRequest::Drop(_), Some(_)) => None,
        };
        if let Some(template) = &template {
            template.protection.check(&name, redundancy)?;
        }
        Ok((name, template))
    }
}

fn missing(name: &str) -> Error {
    Error::user(15060, format!("template \"{name}\" does not exist"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(templates: &mut Templates, request: &TemplateRequest, redundancy: Redundancy) -> Result<()> {
        match templates.outcome(request, redundancy)? {
            (_, Some(template)) => templates.set(template, redundancy),
            (name, None) => templates.remove(&name)?,
        }
        Ok(())
    }

    #[test]
    fn each_kind_has_a_template() {
        let templates = Templates::default();
        for redundancy in Redundancy::ALL {
            for kind in FileKind::ALL {
                let template = templates.for_file(None, kind, redundancy).unwrap();
                assert_eq!(template.striping == Striping::Fine, kind == FileKind::ControlFile, "{kind:?}");
                template.protection.check("T", redundancy).unwrap();
                let three = redundancy == Redundancy::Normal && kind == FileKind::ControlFile;
                let copies = if three { 3 } else { redundancy.copies() };
                assert_eq!(template.protection.copies(redundancy), copies);
            }
        }
    }

    #[test]
    fn templates_are_added_changed_and_dropped() {
        let normal = Redundancy::Normal;
        let mut templates = Templates::default();
        let none = TemplateAttributes::default();
        let fine = TemplateAttributes { striping: Some(Striping::Fine), protection: Some(Protection::High) };
        request(&mut templates, &TemplateRequest::Add("mine".into(), fine), normal).unwrap();
        let mine = templates.for_file(Some("Mine"), FileKind::DataFile, normal).unwrap();
        assert_eq!((mine.striping, mine.protection, mine.system), (Striping::Fine, Protection::High, false));
        let error = |templates: &mut Templates, wrong| request(templates, &wrong, normal).unwrap_err();
        assert!(error(&mut templates, TemplateRequest::Add("MINE".into(), none)).is_ora(15007));
        assert!(error(&mut templates, TemplateRequest::Add("datafile".into(), none)).is_ora(15007));
        assert!(error(&mut templates, TemplateRequest::Add("1".into(), none)).is_ora(15108));
        assert!(error(&mut templates, TemplateRequest::Alter("other".into(), none)).is_ora(15060));
        assert!(error(&mut templates, TemplateRequest::Drop("other".into())).is_ora(15060));
        assert!(error(&mut templates, TemplateRequest::Drop("datafile".into())).is_ora(15008));
        request(&mut templates, &TemplateRequest::Drop("mine".into()), normal).unwrap();
        assert_eq!(templates, Templates::default());
        // A system template that is as it was is not stored.
        request(&mut templates, &TemplateRequest::Alter("datafile".into(), fine), normal).unwrap();
        assert_eq!((templates.stored_count(), templates.all(normal).len()), (1, SYSTEM.len()));
        let back = TemplateAttributes { striping: Some(Striping::Coarse), protection: Some(Protection::Mirror) };
        request(&mut templates, &TemplateRequest::Alter("datafile".into(), back), normal).unwrap();
        assert_eq!(templates, Templates::default());
    }

    #[test]
    fn a_redundancy_that_files_of_the_group_cannot_have_is_refused() {
        for (redundancy, protection, good) in [
            (Redundancy::External, Protection::Mirror, false),
            (Redundancy::External, Protection::High, false),
            (Redundancy::External, Protection::Unprotected, true),
            (Redundancy::Normal, Protection::Unprotected, true),
            (Redundancy::Normal, Protection::High, true),
            (Redundancy::High, Protection::Unprotected, false),
            (Redundancy::High, Protection::Mirror, true),
        ] {
            let attributes = TemplateAttributes { protection: Some(protection), striping: None };
            let outcome = Templates::default().outcome(&TemplateRequest::Add("t".into(), attributes), redundancy);
            match outcome {
                Ok(_) => assert!(good, "{redundancy:?} {protection:?}"),
                Err(error) => assert!(!good && error.is_ora(15067), "{redundancy:?} {protection:?}: {error}"),
            }
        }
    }
}
