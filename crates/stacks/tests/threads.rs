//! Stacks of real threads: at work, waiting, and the asker's own.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::hint::black_box;
use std::io::{Read, Write};
use std::time::Duration;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, Condvar, JoinHandle, Mutex, ThreadId, spawn};
use stacks::{Sampler, take};

const MOST: Duration = Duration::from_secs(20);

/// A thread that does something until it is told to end.
struct Busy {
    end: Arc<AtomicBool>,
    id: ThreadId,
    thread: JoinHandle<u64>,
}

impl Busy {
    fn start(work: fn(&AtomicBool) -> u64) -> Self {
        let (end, (tell, told)) = (Arc::new(AtomicBool::new(false)), std::sync::mpsc::channel());
        let theirs = Arc::clone(&end);
        let thread = spawn("busy", move || {
            tell.send(ThreadId::current()).unwrap();
            work(&theirs)
        });
        Self { end, id: told.recv().unwrap(), thread: thread.unwrap() }
    }

    fn end(self) -> u64 {
        self.end.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

fn always(thread: ThreadId) -> impl Fn() -> Option<ThreadId> + Send + 'static {
    move || Some(thread)
}

#[inline(never)]
fn the_busy_one(end: &AtomicBool) -> u64 {
    let mut sum = 1_u64;
    while !end.load(Ordering::Relaxed) {
        sum = black_box(the_inner_one(sum));
    }
    sum
}

#[inline(never)]
fn the_inner_one(sum: u64) -> u64 {
    (0..100_u64).fold(sum, |sum, n| black_box(sum.wrapping_mul(31).wrapping_add(n)))
}

#[inline(never)]
fn the_other_one(end: &AtomicBool) -> u64 {
    let mut sum = 1_u64;
    while !end.load(Ordering::Relaxed) {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(7));
    }
    sum
}

#[test]
fn a_profile_names_the_busy_function_and_no_other() {
    let (busy, other) = (Busy::start(the_busy_one), Busy::start(the_other_one));
    let sampler = Sampler::start(always(busy.id), 500).unwrap();
    std::thread::sleep(Duration::from_millis(600));
    let profile = sampler.stop().unwrap();
    busy.end();
    other.end();
    assert!(profile.ticks() > 50, "{}", profile.collapsed());
    let shares = profile.functions(&["threads"]);
    let hottest = shares.iter().max_by_key(|share| share.total).unwrap();
    assert!(hottest.total * 10 > profile.ticks() * 9, "{}", profile.collapsed());
    let total = |name: &str| shares.iter().filter(|share| share.name.contains(name)).map(|share| share.total).max();
    assert!(total("the_busy_one").unwrap() * 10 > profile.ticks() * 9, "{}", profile.collapsed());
    assert!(total("the_inner_one").unwrap() * 2 > profile.ticks(), "{}", profile.collapsed());
    assert_eq!(total("the_other_one"), None);
    assert!(profile.hottest_stacks(1)[0].0.contains("the_busy_one()"));
    assert!(!profile.collapsed().contains("__rust_begin_short_backtrace"));
    assert!(profile.svg("busy", &["threads"]).contains("the_busy_one"));
}

#[test]
fn a_thread_takes_its_own_stack() {
    #[inline(never)]
    fn the_asking_one() -> stacks::Stack {
        black_box(take(ThreadId::current(), MOST).unwrap())
    }
    let stack = the_asking_one();
    assert!(stack.functions[0].contains("the_asking_one"), "{}", stack.line());
}

#[test]
fn a_waiting_thread_shows_where_it_waits_and_goes_on_waiting() {
    #[inline(never)]
    fn the_waiting_one(pair: &(Mutex<bool>, Condvar)) {
        let mut done = pair.0.lock();
        while !*done {
            pair.1.wait(&mut done);
        }
    }
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let (theirs, (tell, told)) = (Arc::clone(&pair), std::sync::mpsc::channel());
    let thread = spawn("waiting", move || {
        tell.send(ThreadId::current()).unwrap();
        the_waiting_one(&theirs);
    });
    let id = told.recv().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    for _ in 0..200 {
        let stack = take(id, MOST).unwrap();
        assert!(stack.functions.iter().any(|name| name.contains("the_waiting_one")), "{}", stack.line());
    }
    *pair.0.lock() = true;
    pair.1.notify_all();
    thread.unwrap().join().unwrap();
}

#[test]
fn reads_writes_and_sleeps_are_not_cut_short() {
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let thread = spawn("reading", move || {
        tell.send(ThreadId::current()).unwrap();
        let mut bytes = [0; 4];
        // One call of the operating system: `read_exact` would try again by itself.
        let first = reader.read(&mut bytes).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        (first, bytes)
    });
    let id = told.recv().unwrap();
    for _ in 0..100 {
        take(id, MOST).unwrap();
    }
    writer.write_all(b"abcd").unwrap();
    for _ in 0..20 {
        // It may have ended.
        let _ = take(id, MOST);
    }
    assert_eq!(thread.unwrap().join().unwrap(), (4, *b"abcd"));
}

#[test]
fn ended_threads_and_faulty_frequencies_are_refused() {
    let thread = spawn("short", ThreadId::current).unwrap();
    let id = thread.join().unwrap();
    assert!(take(id, MOST).unwrap_err().is_ora(72));
    assert!(take(ThreadId(1), MOST).unwrap_err().is_ora(72));
    assert!(Sampler::start(|| None, 0).unwrap_err().is_own(3));
}

#[test]
fn threads_on_their_way_out_are_answered_for_or_refused_at_once() {
    for _ in 0..2_000 {
        let (tell, told) = std::sync::mpsc::channel();
        let thread = spawn("short", move || tell.send(ThreadId::current()).unwrap()).unwrap();
        if let Err(error) = take(told.recv().unwrap(), MOST) {
            assert!(error.is_ora(72), "{error}");
        }
        thread.join().unwrap();
    }
}

#[test]
fn a_profile_outlives_its_thread_and_counts_what_there_was() {
    let busy = Busy::start(the_busy_one);
    let sampler = Sampler::start(always(busy.id), 1_000).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    busy.end();
    std::thread::sleep(Duration::from_millis(20));
    assert!(sampler.stop().unwrap().ticks() > 0);
}

#[test]
fn a_profile_follows_what_moves_to_another_thread() {
    let (first, second) = (Busy::start(the_busy_one), Busy::start(the_other_one));
    let at_work = Arc::new(Mutex::new(Some(first.id)));
    let theirs = Arc::clone(&at_work);
    let sampler = Sampler::start(move || *theirs.lock(), 500).unwrap();
    std::thread::sleep(Duration::from_millis(150));
    *at_work.lock() = Some(second.id);
    std::thread::sleep(Duration::from_millis(150));
    *at_work.lock() = None;
    std::thread::sleep(Duration::from_millis(1_000));
    let profile = sampler.stop().unwrap();
    first.end();
    second.end();
    let collapsed = profile.collapsed();
    assert!(collapsed.contains("the_busy_one") && collapsed.contains("the_other_one"), "{collapsed}");
    assert!(profile.seconds(profile.ticks()) < 1.0, "{collapsed}");
}

#[test]
fn several_ask_at_once() {
    let busy = Busy::start(the_busy_one);
    let id = busy.id;
    let askers: Vec<_> = (0..4)
        .map(|_| {
            spawn("asking", move || {
                (0..200).filter(|_| take(id, MOST).unwrap().line().contains("the_busy_one")).count()
            })
            .unwrap()
        })
        .collect();
    for asker in askers {
        assert!(asker.join().unwrap() > 190);
    }
    busy.end();
}
