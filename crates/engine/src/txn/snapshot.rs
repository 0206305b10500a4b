//! Snapshots: what a statement or a transaction sees.

use std::collections::BTreeMap;
use std::fmt;

use common::sync::{Arc, Mutex};
use common::{BlockAddress, Scn, Uba, Xid};

/// A place among a transaction's undo records, in the order in which they were written; (0, 0) is before the first.
pub(crate) type Place = (u32, u8);

/// A transaction, and the order of its undo blocks: which of two of its records is the older is seen from this.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) xid: Xid,
    blocks: Mutex<Vec<BlockAddress>>,
}

impl Identity {
    pub(crate) fn new(xid: Xid) -> Arc<Self> {
        Arc::new(Self { xid, blocks: Mutex::default() })
    }

    /// Notes a record that was just written.
    pub(crate) fn note(&self, uba: Uba) -> Place {
        let mut blocks = self.blocks.lock();
        if blocks.last() != Some(&uba.block) {
            blocks.push(uba.block);
        }
        (blocks.len() as u32, uba.record + 1)
    }

    /// Where a record stands; (0, 0) for none.
    pub(crate) fn place(&self, uba: Uba) -> Place {
        if uba.is_none() {
            return (0, 0);
        }
        let blocks = self.blocks.lock();
        let at = blocks.iter().rposition(|block| *block == uba.block).map_or(0, |at| at + 1);
        (at as u32, uba.record + 1)
    }
}

/// The snapshots in use, by SCN: what is older than all of them nobody needs.
#[derive(Default, Debug)]
pub(crate) struct Snapshots(Mutex<BTreeMap<u64, usize>>);

impl Snapshots {
    /// The SCN of the oldest snapshot in use.
    pub(crate) fn oldest(&self) -> Option<Scn> {
        self.0.lock().keys().next().copied().map(Scn)
    }
}

/// What is seen: what was committed at an SCN, and what the own transaction had done by then.
pub struct Snapshot {
    scn: Scn,
    own: Option<(Arc<Identity>, Place)>,
    all: Arc<Snapshots>,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot({})", self.scn.0)
    }
}

impl Snapshot {
    /// `scn` is asked for while the registry is locked, so that nobody takes it for unneeded meanwhile.
    pub(crate) fn new(
        all: &Arc<Snapshots>,
        scn: impl FnOnce() -> Scn,
        own: Option<(Arc<Identity>, Place)>,
    ) -> Arc<Self> {
        let mut map = all.0.lock();
        let scn = scn();
        *map.entry(scn.0).or_default() += 1;
        Arc::new(Self { scn, own, all: all.clone() })
    }

    /// As another, with what the own transaction has done by now.
    pub(crate) fn with_own(&self, own: Option<(Arc<Identity>, Place)>) -> Arc<Self> {
        Self::new(&self.all, || self.scn, own)
    }

    #[must_use]
    pub fn scn(&self) -> Scn {
        self.scn
    }

    /// Whether a record of this transaction is part of what is seen; None for another transaction's.
    pub(crate) fn sees_own(&self, xid: Xid, uba: Uba) -> Option<bool> {
        let (identity, limit) = self.own.as_ref()?;
        (identity.xid == xid).then(|| identity.place(uba) <= *limit)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        let mut map = self.all.0.lock();
        if let Some(count) = map.get_mut(&self.scn.0) {
            *count -= 1;
            if *count == 0 {
                map.remove(&self.scn.0);
            }
        }
    }
}
