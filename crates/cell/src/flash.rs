//! The flash of a cell: two files in its folder, either of which there may be.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use common::sync::unscheduled::atomic::{AtomicU32, Ordering::Relaxed};
use common::sync::{Arc, Mutex};
use device::{Device, FileSystem};

use crate::flash_cache::{FlashCache, FlashFigures};
use crate::flash_log::{FlashLog, FlashLogFigures, LoggedDisk};
use crate::flash_use::FlashRules;
use crate::message::{Malformed, Reader};
use crate::stored_disk::{Cached, StoredDisk};

/// The file that makes a cell have a flash cache: its size is that of the cache.
pub const FLASH_CACHE_FILE: &str = "flash_cache";
/// The file that makes a cell have a flash log.
pub const FLASH_LOG_FILE: &str = "flash_log";

/// What the flash of a cell has done, and its sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FlashState {
    pub cache_bytes: u64,
    pub log_bytes: u64,
    pub cache: FlashFigures,
    pub log: FlashLogFigures,
}

impl FlashState {
    fn numbers(self) -> [u64; 8] {
        let FlashState { cache_bytes, log_bytes, cache, log } = self;
        let FlashFigures { hits, bytes_hit, bytes_filled } = cache;
        let FlashLogFigures { flash_first, disk_first, full } = log;
        [cache_bytes, log_bytes, hits, bytes_hit, bytes_filled, flash_first, disk_first, full]
    }

    pub(crate) fn encode(self) -> Vec<u8> {
        self.numbers().iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    pub(crate) fn decode(from: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(from, 0);
        let mut next = || from.u64();
        let state = Self {
            cache_bytes: next()?,
            log_bytes: next()?,
            cache: FlashFigures { hits: next()?, bytes_hit: next()?, bytes_filled: next()? },
            log: FlashLogFigures { flash_first: next()?, disk_first: next()?, full: next()? },
        };
        from.end()?;
        Ok(state)
    }
}

#[derive(Debug)]
pub(crate) struct Flash {
    cache: Option<Arc<FlashCache>>,
    log: Option<Arc<FlashLog>>,
    rules: Arc<FlashRules>,
    /// Numbers of the disks in the cache: another one each time that a disk is opened.
    numbers: Mutex<BTreeMap<String, u32>>,
    disks: AtomicU32,
}

fn said(name: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

impl Flash {
    /// Opens the flash of a folder, and writes to the disks what the log has for them.
    ///
    /// # Errors
    /// Those of the files.
    pub(crate) fn open(
        files: &Arc<dyn FileSystem>,
        directory: &Path,
        rules: Arc<FlashRules>,
        inline: bool,
    ) -> io::Result<Self> {
        let (cache, log) = (directory.join(FLASH_CACHE_FILE), directory.join(FLASH_LOG_FILE));
        let log = match files.exists(&log)? {
            true => Some(FlashLog::open(files, &log, inline).map_err(|error| said(FLASH_LOG_FILE, &error))?),
            false => None,
        };
        let cache = match files.exists(&cache)? {
            true => {
                let cache = files.open(&cache).and_then(|device| FlashCache::new(device, inline));
                Some(cache.map_err(|error| said(FLASH_CACHE_FILE, &error))?)
            }
            false => None,
        };
        Ok(Self {
            cache: cache.map(Arc::new),
            log: log.map(Arc::new),
            rules,
            numbers: Mutex::default(),
            disks: AtomicU32::new(0),
        })
    }

    /// The disk of a file that was just opened, behind the flash log and the flash cache.
    ///
    /// # Errors
    /// When its identity cannot be told.
    pub(crate) fn stored(&self, name: &str, file: Arc<dyn Device>) -> io::Result<StoredDisk> {
        let below: Arc<dyn Device> = match &self.log {
            Some(log) => {
                log.retry(name);
                Arc::new(LoggedDisk::new(file, name, log)?)
            }
            None => file,
        };
        let cached = self.cache.as_ref().map(|cache| {
            // The file may be another one than before, whose last requests are still under way.
            let disk = self.disks.fetch_add(1, Relaxed);
            if let Some(before) = self.numbers.lock().insert(name.to_owned(), disk) {
                cache.forget(before);
            }
            Cached { cache: Arc::clone(cache), disk, rules: Arc::clone(&self.rules) }
        });
        Ok(StoredDisk::new(below, cached))
    }

    pub(crate) fn state(&self) -> FlashState {
        let (cache, log) = (self.cache.as_ref(), self.log.as_ref());
        FlashState {
            cache_bytes: cache.map_or(0, |cache| cache.bytes()),
            log_bytes: log.map_or(0, |log| log.bytes()),
            cache: cache.map_or_else(FlashFigures::default, |cache| cache.figures()),
            log: log.map_or_else(FlashLogFigures::default, |log| log.figures()),
        }
    }
}
