//! Threads that sleep until their redo is durable, and how they are woken.
//!
//! Waking a thread costs a system call. The log writer wakes a few of those it has served, and each of them wakes some
//! of the others before it goes on, so that the next write is not held up by the number of sessions that the last one
//! has served.

use std::mem;

use common::sync::{Arc, Condvar, Mutex};

/// A place to sleep; a thread has one.
#[derive(Default, Debug)]
pub(super) struct Sleeper {
    state: Mutex<SleeperState>,
    woken: Condvar,
}

#[derive(Default, Debug)]
struct SleeperState {
    awake: bool,
    /// Whom the thread wakes when it is woken.
    others: Vec<Arc<Sleeper>>,
}

common::sync::thread_local! {
    static OWN: Arc<Sleeper> = Arc::default();
}

impl Sleeper {
    /// The calling thread's.
    pub(super) fn own() -> Arc<Self> {
        OWN.with(Arc::clone)
    }

    /// Sleeps until the thread is woken, or comes back at once when it has been already; then wakes others.
    pub(super) fn sleep(&self) {
        let others = {
            let mut state = self.state.lock();
            while !state.awake {
                self.woken.wait(&mut state);
            }
            debug_assert!(state.others.len() < 1 << 16, "a thread wakes some of those that slept");
            state.awake = false;
            mem::take(&mut state.others)
        };
        wake(others);
    }
}

/// Wakes them all, half of them through others.
pub(super) fn wake(mut sleepers: Vec<Arc<Sleeper>>) {
    while let Some(first) = sleepers.pop() {
        let others = sleepers.split_off(sleepers.len() / 2);
        let mut state = first.state.lock();
        debug_assert!(!state.awake && state.others.is_empty(), "a thread is woken once for each time it sleeps");
        state.awake = true;
        state.others = others;
        drop(state);
        first.woken.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use common::sync::atomic::{AtomicUsize, Ordering};
    use common::sync::spawn;

    use super::*;

    #[test]
    fn everybody_is_woken_whoever_sleeps_already() {
        for count in [1, 2, 3, 7, 20] {
            let (beds, up) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
            let threads: Vec<_> = (0..count)
                .map(|_| {
                    let (beds, up) = (beds.clone(), up.clone());
                    let run = move || {
                        let own = Sleeper::own();
                        beds.lock().push(own.clone());
                        own.sleep();
                        up.fetch_add(1, Ordering::SeqCst);
                    };
                    spawn("sleeper", run).unwrap()
                })
                .collect();
            while beds.lock().len() < count {
                std::thread::yield_now();
            }
            assert_eq!(up.load(Ordering::SeqCst), 0);
            wake(mem::take(&mut *beds.lock()));
            for thread in threads {
                thread.join().unwrap();
            }
            assert_eq!(up.load(Ordering::SeqCst), count);
        }
    }
}
