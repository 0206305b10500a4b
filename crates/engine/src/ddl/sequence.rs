//! CREATE, ALTER and DROP SEQUENCE.

use std::sync::Arc;

use common::{Error, ObjectNumber, Result};

use super::check::check_name;
use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::own::is_dictionary;
use crate::dictionary::privilege::{insufficient, no_sequence};
use crate::dictionary::rows::{KIND_SEQUENCE, SequenceRow};
use crate::dictionary::sequence::SequenceState;
use crate::dictionary::table_rows::object_row;
use crate::dictionary::{ObjectPrivilege, SchemaObject, SequenceDef, SequenceSettings, SystemPrivilege};
use crate::instance::Session;

/// The largest value of all: 28 nines.
const HIGHEST: i128 = 9_999_999_999_999_999_999_999_999_999;
/// The least value of a descending sequence without MINVALUE: 27 nines.
const LOWEST: i128 = -999_999_999_999_999_999_999_999_999;
const CACHE_DEFAULT: u64 = 20;

/// Options of CREATE or ALTER SEQUENCE; None: not given, `Some(None)`: NO… .
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SequenceSpec {
    pub start: Option<i128>,
    pub increment: Option<i128>,
    pub minimum: Option<Option<i128>>,
    pub maximum: Option<Option<i128>>,
    pub cycle: Option<bool>,
    pub order: Option<bool>,
    pub cache: Option<Option<u64>>,
}

impl SequenceSpec {
    /// The complete settings, on top of `old` when the sequence exists already.
    pub(crate) fn settings(&self, old: Option<&SequenceSettings>) -> Result<SequenceSettings> {
        let increment = self.increment.or(old.map(|old| old.increment)).unwrap_or(1);
        if increment == 0 {
            return Err(Error::user(4002, "INCREMENT must be a nonzero integer"));
        }
        let ascending = increment > 0;
        let (least, most) = if ascending { (1, HIGHEST) } else { (LOWEST, -1) };
        let cycle = self.cycle.or(old.map(|old| old.cycle)).unwrap_or(false);
        let settings = SequenceSettings {
            increment,
            minimum: self.minimum.map_or_else(|| old.map_or(least, |old| old.minimum), |given| given.unwrap_or(least)),
            maximum: self.maximum.map_or_else(|| old.map_or(most, |old| old.maximum), |given| given.unwrap_or(most)),
            cycle,
            order: self.order.or(old.map(|old| old.order)).unwrap_or(false),
            cache: self.cache.map_or_else(|| old.map_or(CACHE_DEFAULT, |old| old.cache), |given| given.unwrap_or(0)),
        };
        let SequenceSettings { minimum, maximum, cache, .. } = settings;
        if minimum >= maximum {
            return Err(Error::user(4004, "MINVALUE must be less than MAXVALUE"));
        }
        if increment.unsigned_abs() > maximum.abs_diff(minimum) {
            return Err(Error::user(4005, "INCREMENT must be less than MAXVALUE minus MINVALUE"));
        }
        if cycle && ascending && maximum == HIGHEST {
            return Err(Error::user(4015, "ascending sequences that CYCLE must specify MAXVALUE"));
        }
        if cycle && !ascending && minimum == LOWEST {
            return Err(Error::user(4014, "descending sequences that CYCLE must specify MINVALUE"));
        }
        if let Some(Some(0 | 1)) = self.cache {
            return Err(Error::user(4010, "the number of values to CACHE must be greater than 1"));
        }
        if cycle && u128::from(cache) > settings.values_from(settings.first()) {
            return Err(Error::user(4013, "number to CACHE must be less than one cycle"));
        }
        Ok(settings)
    }
}

impl Session {
    /// CREATE SEQUENCE.
    ///
    /// # Errors
    /// ORA-00955 name in use, ORA-04002, 04004, 04005, 04006, 04008, 04010, 04013, 04014, 04015 settings that do not
    /// fit together, ORA-01031, ORA-00972, ORA-01918.
    pub fn create_sequence(self: &Arc<Self>, owner: &str, name: &str, spec: &SequenceSpec) -> Result<Arc<SequenceDef>> {
        self.ddl(|ddl| ddl.create_sequence(owner, name, spec))
    }

    /// ALTER SEQUENCE. Cached values are given up, but none is skipped: they come again under the new settings.
    ///
    /// # Errors
    /// ORA-02289, ORA-02283 START WITH, ORA-04007 and ORA-04009 bounds that leave out the current value, and as
    /// [`Session::create_sequence`].
    pub fn alter_sequence(self: &Arc<Self>, owner: &str, name: &str, spec: &SequenceSpec) -> Result<()> {
        self.ddl(|ddl| ddl.alter_sequence(owner, name, spec))
    }

    /// DROP SEQUENCE.
    ///
    /// # Errors
    /// ORA-02289, ORA-01031.
    pub fn drop_sequence(self: &Arc<Self>, owner: &str, name: &str) -> Result<()> {
        self.ddl(|ddl| {
            let Some(object) = ddl.catalog.object(owner, name) else { return Err(no_sequence(owner, name)) };
            let SchemaObject::Sequence(sequence) = &object else { return Err(no_sequence(owner, name)) };
            check_is_no_dictionary(sequence)?;
            let user = ddl.session.rights();
            if user != owner && !ddl.catalog.has_system_privilege(&user, SystemPrivilege::DropAnySequence) {
                ddl.catalog.check_object(&user, &object, ObjectPrivilege::Select)?;
                return Err(insufficient(format_args!("{user} lacks {}", SystemPrivilege::DropAnySequence)));
            }
            ddl.drop_other(&object)
        })
    }
}

fn check_is_no_dictionary(sequence: &SequenceDef) -> Result<()> {
    if is_dictionary(sequence.object) {
        return Err(insufficient(format_args!("{} is part of the dictionary", sequence.qualified_name())));
    }
    Ok(())
}

pub(crate) fn row(object: ObjectNumber, settings: &SequenceSettings, highwater: i128) -> SequenceRow {
    let SequenceSettings { increment, minimum, maximum, cycle, order, cache } = *settings;
    SequenceRow { object: object.0, increment, minimum, maximum, cycle, order, cache, highwater }
}

impl Ddl<'_> {
    fn create_sequence(&mut self, owner: &str, name: &str, spec: &SequenceSpec) -> Result<Arc<SequenceDef>> {
        let any = SystemPrivilege::CreateAnySequence;
        self.check_schema_privilege(owner, SystemPrivilege::CreateSequence, any)?;
        let number = self.catalog.require_user(owner)?.number;
        check_name(name)?;
        self.check_name_free(owner, name)?;
        let settings = spec.settings(None)?;
        let start = spec.start.unwrap_or_else(|| settings.first());
        if start < settings.minimum {
            return Err(Error::user(4006, "START WITH cannot be less than MINVALUE"));
        }
        if start > settings.maximum {
            return Err(Error::user(4008, "START WITH cannot be more than MAXVALUE"));
        }
        let now = self.now_us();
        let object = self.new_object();
        self.insert(&[object_row(object, ObjectNumber(0), number, name, KIND_SEQUENCE, now)])?;
        self.insert(&[row(object, &settings, start)])?;
        let sequence = Arc::new(SequenceDef {
            object,
            owner: owner.to_owned(),
            name: name.to_owned(),
            settings,
            created_us: now,
            changed_us: now,
            state: SequenceState::new(settings, start),
        });
        self.catalog.put_other(SchemaObject::Sequence(sequence.clone()));
        self.object_changed(object, owner, name)?;
        Ok(sequence)
    }

    fn alter_sequence(&mut self, owner: &str, name: &str, spec: &SequenceSpec) -> Result<()> {
        let Some(object @ SchemaObject::Sequence(_)) = self.catalog.object(owner, name) else {
            return Err(no_sequence(owner, name));
        };
        self.catalog.check_object(&self.session.rights(), &object, ObjectPrivilege::Alter)?;
        let SchemaObject::Sequence(old) = object else { return Err(no_sequence(owner, name)) };
        check_is_no_dictionary(&old)?;
        if spec.start.is_some() {
            return Err(Error::user(2283, "cannot alter starting sequence number"));
        }
        let settings = spec.settings(Some(&old.settings))?;
        let now = self.now_us();
        self.touch(old.object, now)?;
        self.object_changed(old.object, owner, name)?;
        let mut live = old.state.hold();
        let upcoming = live.upcoming();
        let current = (upcoming - old.settings.increment).clamp(old.settings.minimum, old.settings.maximum);
        if settings.minimum > current {
            return Err(Error::user(4007, "MINVALUE cannot be made to exceed the current value"));
        }
        if settings.maximum < current {
            return Err(Error::user(4009, "MAXVALUE cannot be made to be less than the current value"));
        }
        // The next value is the last one and the new increment; before the first value this skips some, as it does in
        // Oracle.
        let highwater = upcoming - old.settings.increment + settings.increment;
        let row = row(old.object, &settings, highwater);
        // The last step that can fail: the cache must not go back to the old settings.
        self.update::<SequenceRow>(&equal("OBJ#", old.object.0)?, |stored| *stored = row.clone())?;
        live.reset(settings, highwater);
        drop(live);
        let sequence = SequenceDef { settings, changed_us: now, ..SequenceDef::clone(&old) };
        self.catalog.put_other(SchemaObject::Sequence(Arc::new(sequence)));
        Ok(())
    }
}
