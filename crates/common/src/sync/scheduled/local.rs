//! Thread-local variables. Those of the standard library would be shared by all threads of a test, which are coroutines
//! of one.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;

use shuttle::thread::AccessError;

/// As `std::thread_local!`.
#[doc(hidden)]
#[macro_export]
macro_rules! scheduled_thread_local {
    ($($(#[$attribute:meta])* $vis:vis static $name:ident: $type:ty = const { $init:expr });+ $(;)?) => {
        $($(#[$attribute])* $vis static $name: $crate::sync::LocalKey<$type> = $crate::sync::LocalKey::new(|| $init);)+
    };
    ($($(#[$attribute:meta])* $vis:vis static $name:ident: $type:ty = $init:expr);+ $(;)?) => {
        $($(#[$attribute])* $vis static $name: $crate::sync::LocalKey<$type> = $crate::sync::LocalKey::new(|| $init);)+
    };
}

/// As `std::thread::LocalKey`.
pub struct LocalKey<T: 'static>(shuttle::thread::LocalKey<T>);

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalKey")
    }
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(init: fn() -> T) -> Self {
        Self(shuttle::thread::LocalKey { init, _p: PhantomData })
    }

    pub fn with<R>(&'static self, work: impl FnOnce(&T) -> R) -> R {
        self.0.with(work)
    }

    /// # Errors
    /// When the thread is ending, and the variable is dropped.
    pub fn try_with<R>(&'static self, work: impl FnOnce(&T) -> R) -> Result<R, AccessError> {
        self.0.try_with(work)
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }

    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    pub fn with_borrow<R>(&'static self, work: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| work(&cell.borrow()))
    }

    pub fn with_borrow_mut<R>(&'static self, work: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| work(&mut cell.borrow_mut()))
    }
}
