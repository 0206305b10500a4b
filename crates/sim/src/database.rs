//! Opens the database after a kill or a crash, also one whose creation was cut short.

use std::path::Path;

use common::sync::Arc;
use common::{Error, Result};
use device::FileSystem;
use engine::instance::{Background, Instance};
use engine::startup::CreateOptions;

use crate::DIRECTORY;
use crate::clock::SimulatedClock;
use crate::disk::SimulatedFileSystem;

/// A database that may not exist yet.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    pub(crate) options: CreateOptions,
    /// Its creation has been acknowledged.
    pub(crate) created: bool,
    pub(crate) background: Background,
}

impl Database {
    pub(crate) fn create(&self, files: &SimulatedFileSystem, clock: &Arc<SimulatedClock>) -> Result<Arc<Instance>> {
        let (files, directory) = (Arc::new(files.clone()), Path::new(DIRECTORY));
        Instance::create_with(files, directory, clock.clone(), None, &self.options, self.background)
    }

    /// Opens it. A creation that was cut short must be reported, and can be repeated in the same place.
    pub(crate) fn open(&self, files: &SimulatedFileSystem, clock: &Arc<SimulatedClock>) -> Result<Arc<Instance>> {
        let there: Arc<dyn FileSystem> = Arc::new(files.clone());
        match Instance::open_with(there, Path::new(DIRECTORY), clock.clone(), None, self.background) {
            Err(error) if !self.created => {
                if files.image().names().any(|(path, _)| path.extension().is_some_and(|e| e == "ctl"))
                    && !error.is_own(12)
                {
                    return Err(Error::bug(format!("a creation that was cut short is told as: {error}")));
                }
                self.create(files, clock).map_err(|error| {
                    Error::bug(format!("a creation that was cut short cannot be made again in its place: {error}"))
                })
            }
            result => result,
        }
    }
}
