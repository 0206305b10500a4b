//! A lock that one thread has.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::gate::{Entry, Gate, let_in};

/// As `parking_lot`'s.
pub struct Mutex<T: ?Sized> {
    gate: Gate,
    data: parking_lot::Mutex<T>,
}

impl<T> Mutex<T> {
    pub const fn new(data: T) -> Self {
        Self { gate: Gate::new(), data: parking_lot::const_mutex(data) }
    }

    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.gate.enter(Entry::Write);
        self.entered()
    }

    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        self.gate.try_enter(Entry::Write).then(|| self.entered())
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
    }

    fn entered(&self) -> MutexGuard<'_, T> {
        MutexGuard { mutex: self, data: Some(let_in(self.data.try_lock())) }
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.data.fmt(f)
    }
}

/// As `parking_lot`'s.
#[must_use]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    /// None while the guard's thread has released the lock.
    data: Option<parking_lot::MutexGuard<'a, T>>,
}

impl<T: ?Sized> MutexGuard<'_, T> {
    /// Runs `work` without the lock, which is taken again afterwards.
    pub fn unlocked<R>(guard: &mut Self, work: impl FnOnce() -> R) -> R {
        guard.let_go();
        let result = work();
        guard.take_again();
        result
    }

    pub(super) fn let_go(&mut self) {
        self.data = None;
        self.mutex.gate.leave(Entry::Write);
    }

    pub(super) fn take_again(&mut self) {
        self.mutex.gate.enter(Entry::Write);
        self.data = Some(let_in(self.mutex.data.try_lock()));
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if self.data.is_some() {
            self.let_go();
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.data {
            Some(data) => data,
            None => unreachable!("a guard is not used while its lock is let go of"),
        }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.data {
            Some(data) => data,
            None => unreachable!("a guard is not used while its lock is let go of"),
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
