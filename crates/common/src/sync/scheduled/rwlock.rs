//! A lock that many threads have to read, or one to write.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::lock_api;

use super::gate::{Entry, Gate, let_in};
use super::yield_now;

/// Looks of a thread at a lock that it waits for only for a limited time.
const LOOKS: usize = 4;

/// As `parking_lot`'s. Only a name in types of guards here.
#[derive(Debug)]
pub struct RawRwLock;

/// As `parking_lot`'s.
pub struct RwLock<T: ?Sized> {
    gate: Gate,
    /// Shared with guards that own their data.
    data: Arc<parking_lot::RwLock<T>>,
}

impl<T> RwLock<T> {
    pub fn new(data: T) -> Self {
        Self { gate: Gate::new(), data: Arc::new(parking_lot::RwLock::new(data)) }
    }
}

impl<T: ?Sized> RwLock<T> {
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.gate.enter(Entry::Read);
        self.entered_to_read()
    }

    pub fn read_recursive(&self) -> RwLockReadGuard<'_, T> {
        self.gate.enter(Entry::ReadAgain);
        self.entered_to_read()
    }

    pub fn try_read(&self) -> Option<RwLockReadGuard<'_, T>> {
        self.gate.try_enter(Entry::Read).then(|| self.entered_to_read())
    }

    pub fn try_read_recursive(&self) -> Option<RwLockReadGuard<'_, T>> {
        self.gate.try_enter(Entry::ReadAgain).then(|| self.entered_to_read())
    }

    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.gate.enter(Entry::Write);
        self.entered_to_write()
    }

    pub fn try_write(&self) -> Option<RwLockWriteGuard<'_, T>> {
        self.gate.try_enter(Entry::Write).then(|| self.entered_to_write())
    }

    /// There is no time: it gives up after some attempts, between which others run.
    pub fn try_write_for(&self, _most: Duration) -> Option<RwLockWriteGuard<'_, T>> {
        (0..LOOKS).find_map(|look| {
            if look > 0 {
                yield_now();
            }
            self.try_write()
        })
    }

    fn entered_to_read(&self) -> RwLockReadGuard<'_, T> {
        RwLockReadGuard { gate: &self.gate, data: Some(let_in(self.data.try_read())) }
    }

    fn entered_to_write(&self) -> RwLockWriteGuard<'_, T> {
        RwLockWriteGuard { gate: &self.gate, data: Some(let_in(self.data.try_write())) }
    }
}

impl<T> RwLock<T> {
    pub fn read_arc(self: &Arc<Self>) -> ArcRwLockReadGuard<RawRwLock, T> {
        self.gate.enter(Entry::Read);
        self.entered_to_read_arc()
    }

    pub fn try_read_arc(self: &Arc<Self>) -> Option<ArcRwLockReadGuard<RawRwLock, T>> {
        self.gate.try_enter(Entry::Read).then(|| self.entered_to_read_arc())
    }

    pub fn write_arc(self: &Arc<Self>) -> ArcRwLockWriteGuard<RawRwLock, T> {
        self.gate.enter(Entry::Write);
        self.entered_to_write_arc()
    }

    pub fn try_write_arc(self: &Arc<Self>) -> Option<ArcRwLockWriteGuard<RawRwLock, T>> {
        self.gate.try_enter(Entry::Write).then(|| self.entered_to_write_arc())
    }

    fn entered_to_read_arc(self: &Arc<Self>) -> ArcRwLockReadGuard<RawRwLock, T> {
        let data = Some(let_in(self.data.try_read_arc()));
        ArcRwLockReadGuard { lock: self.clone(), data, raw: PhantomData }
    }

    fn entered_to_write_arc(self: &Arc<Self>) -> ArcRwLockWriteGuard<RawRwLock, T> {
        let data = Some(let_in(self.data.try_write_arc()));
        ArcRwLockWriteGuard { lock: self.clone(), data, raw: PhantomData }
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.data.fmt(f)
    }
}

fn held<T: ?Sized>(data: Option<&T>) -> &T {
    match data {
        Some(data) => data,
        None => unreachable!("a guard has its lock until it is dropped"),
    }
}

fn held_mut<T: ?Sized>(data: Option<&mut T>) -> &mut T {
    match data {
        Some(data) => data,
        None => unreachable!("a guard has its lock until it is dropped"),
    }
}

/// As `parking_lot`'s.
#[must_use]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    gate: &'a Gate,
    /// None only while it is being dropped.
    data: Option<parking_lot::RwLockReadGuard<'a, T>>,
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        self.data = None;
        self.gate.leave(Entry::Read);
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        held(self.data.as_deref())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// As `parking_lot`'s.
#[must_use]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    gate: &'a Gate,
    /// None only while it is being dropped.
    data: Option<parking_lot::RwLockWriteGuard<'a, T>>,
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        self.data = None;
        self.gate.leave(Entry::Write);
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        held(self.data.as_deref())
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        held_mut(self.data.as_deref_mut())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// As `parking_lot`'s: it owns its data.
#[must_use]
pub struct ArcRwLockReadGuard<R, T> {
    lock: Arc<RwLock<T>>,
    /// None only while it is being dropped.
    data: Option<lock_api::ArcRwLockReadGuard<parking_lot::RawRwLock, T>>,
    raw: PhantomData<R>,
}

impl<R, T> Drop for ArcRwLockReadGuard<R, T> {
    fn drop(&mut self) {
        self.data = None;
        self.lock.gate.leave(Entry::Read);
    }
}

impl<R, T> Deref for ArcRwLockReadGuard<R, T> {
    type Target = T;

    fn deref(&self) -> &T {
        held(self.data.as_deref())
    }
}

impl<R, T: fmt::Debug> fmt::Debug for ArcRwLockReadGuard<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// As `parking_lot`'s: it owns its data.
#[must_use]
pub struct ArcRwLockWriteGuard<R, T> {
    lock: Arc<RwLock<T>>,
    /// None only while it is being dropped.
    data: Option<lock_api::ArcRwLockWriteGuard<parking_lot::RawRwLock, T>>,
    raw: PhantomData<R>,
}

impl<R, T> Drop for ArcRwLockWriteGuard<R, T> {
    fn drop(&mut self) {
        self.data = None;
        self.lock.gate.leave(Entry::Write);
    }
}

impl<R, T> Deref for ArcRwLockWriteGuard<R, T> {
    type Target = T;

    fn deref(&self) -> &T {
        held(self.data.as_deref())
    }
}

impl<R, T> DerefMut for ArcRwLockWriteGuard<R, T> {
    fn deref_mut(&mut self) -> &mut T {
        held_mut(self.data.as_deref_mut())
    }
}

impl<R, T: fmt::Debug> fmt::Debug for ArcRwLockWriteGuard<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
