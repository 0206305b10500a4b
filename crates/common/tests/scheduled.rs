//! The contract of the locks and threads under the scheduler, and that a test under it can fail.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::cell::Cell;
use std::time::Duration;

use common::sync::atomic::{AtomicU32, Ordering};
use common::sync::{Arc, Condvar, Exploration, Mutex, MutexGuard, RwLock, TimeOuts, explore, spawn, unscheduled};

fn exploration(time_outs: TimeOuts) -> Exploration {
    Exploration { schedules: 300, seed: 1, time_outs }
}

/// Runs `work` in two threads, to their ends.
fn twice(work: impl Fn() + Send + Sync + 'static) {
    let work = Arc::new(work);
    let threads = [0, 1].map(|_| {
        let work = work.clone();
        spawn("worker", move || work()).unwrap()
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn locks_keep_others_out() {
    explore(exploration(TimeOuts::Never), || {
        let (mutex, lock) = (Arc::new(Mutex::new(0)), Arc::new(RwLock::new(0)));
        let (of_mutex, of_lock) = (mutex.clone(), lock.clone());
        twice(move || {
            *of_mutex.lock() += 1;
            if let Some(mut count) = of_lock.try_write() {
                *count += 1;
            } else {
                *of_lock.write_arc() += 1;
            }
            let reading = of_lock.read();
            assert!(of_lock.try_write().is_none() && of_lock.try_write_arc().is_none());
            assert!(of_lock.try_write_for(Duration::from_secs(1)).is_none());
            assert_eq!(*reading, *of_lock.read_recursive());
            MutexGuard::unlocked(&mut of_mutex.lock(), || *of_mutex.lock() += 1);
        });
        assert_eq!((*mutex.lock(), *lock.read_arc()), (4, 2));
    });
}

#[test]
#[should_panic(expected = "an addition is lost")]
fn a_lost_addition_is_found() {
    explore(exploration(TimeOuts::Never), || {
        let count = Arc::new(AtomicU32::new(0));
        let of_threads = count.clone();
        twice(move || of_threads.store(of_threads.load(Ordering::SeqCst) + 1, Ordering::SeqCst));
        assert_eq!(count.load(Ordering::SeqCst), 2, "an addition is lost");
    });
}

/// One thread waits for another, which signals too early.
fn told_too_soon() {
    let (there, told) = (Arc::new(Mutex::new(false)), Arc::new(Condvar::new()));
    let (of_other, tells) = (there.clone(), told.clone());
    let other = spawn("other", move || {
        tells.notify_one();
        *of_other.lock() = true;
    });
    let mut waiting = there.lock();
    while !*waiting {
        told.wait_for(&mut waiting, Duration::from_secs(1));
    }
    drop(waiting);
    other.unwrap().join().unwrap();
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_lost_wakeup_is_found() {
    explore(exploration(TimeOuts::Never), told_too_soon);
}

#[test]
fn waits_with_a_limit_end_both_ways() {
    let ends = Arc::new([unscheduled::atomic::AtomicU32::new(0), unscheduled::atomic::AtomicU32::new(0)]);
    let of_schedules = ends.clone();
    explore(exploration(TimeOuts::Sometimes), move || {
        let (there, told) = (Arc::new(Mutex::new(false)), Arc::new(Condvar::new()));
        let (of_other, tells) = (there.clone(), told.clone());
        let other = spawn("other", move || {
            *of_other.lock() = true;
            tells.notify_all();
        });
        let mut waiting = there.lock();
        while !*waiting {
            let timed_out = told.wait_for(&mut waiting, Duration::from_secs(1)).timed_out();
            assert!(timed_out || *waiting, "nobody is woken who was not told to");
            of_schedules[usize::from(timed_out)].fetch_add(1, Ordering::Relaxed);
        }
        drop(waiting);
        other.unwrap().join().unwrap();
        assert!(!told.notify_one() && told.notify_all() == 0, "nobody waits");
    });
    assert!(ends.iter().all(|end| end.load(Ordering::Relaxed) > 0), "{ends:?}");
}

common::sync::thread_local! {
    static OWN: Cell<u32> = const { Cell::new(7) };
}

#[test]
fn each_thread_has_variables_of_its_own() {
    explore(exploration(TimeOuts::Never), || {
        twice(|| {
            assert_eq!(OWN.get(), 7);
            OWN.set(8);
            common::sync::yield_now();
            assert_eq!((OWN.replace(9), OWN.get()), (8, 9));
        });
        assert_eq!(OWN.get(), 7);
    });
}
