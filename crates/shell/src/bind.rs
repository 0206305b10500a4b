//! Bind variables of the session: VARIABLE declares them, `:name` in a statement uses them, PRINT shows them.

use common::DataType;

use crate::server::Cell;

/// A bind variable and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bind {
    /// As declared.
    pub name: String,
    /// NUMBER, CHAR or VARCHAR2.
    pub data_type: DataType,
    pub value: Cell,
}

/// All bind variables of the session, in the order of their declaration. Names are the same in either case.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Binds(Vec<Bind>);

impl Binds {
    /// Declares `name`, or gives it another type; the value is NULL.
    pub fn declare(&mut self, name: &str, data_type: DataType) {
        let bind = Bind { name: name.to_owned(), data_type, value: Cell::Null };
        match self.0.iter_mut().find(|b| b.name.eq_ignore_ascii_case(name)) {
            Some(old) => *old = bind,
            None => self.0.push(bind),
        }
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Bind> {
        self.0.iter().find(|b| b.name.eq_ignore_ascii_case(name))
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut Bind> {
        self.0.iter_mut().find(|b| b.name.eq_ignore_ascii_case(name))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Bind> {
        self.0.iter()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
