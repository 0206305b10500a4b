//! Several sessions' work from a common begin.

use std::sync::Barrier;

use common::{Clock, Error, Result};

/// Has every item worked on by a thread of its own; microseconds from the common begin to the end of the last.
pub(super) fn together<T: Send>(
    clock: &dyn Clock,
    items: Vec<T>,
    work: impl Fn(u32, T, &Barrier) -> Result<()> + Sync,
) -> Result<u64> {
    let begin = Barrier::new(items.len() + 1);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(items)
            .map(|(number, item)| {
                let (begin, work) = (&begin, &work);
                scope.spawn(move || work(number, item, begin))
            })
            .collect();
        begin.wait();
        let from_us = clock.monotonic_us();
        let ended: Vec<Result<()>> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(Error::bug("a session of the benchmark panicked"))))
            .collect();
        let time_us = clock.monotonic_us() - from_us;
        ended.into_iter().collect::<Result<()>>().map(|()| time_us)
    })
}
