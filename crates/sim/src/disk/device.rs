//! One simulated file, open.

use std::io;

use common::sync::{Arc, Mutex};
use device::{AlignedBuffer, Device, PendingRead};

use super::files::State;
use super::flight::end;
use super::operation::FileId;

#[derive(Debug)]
pub(super) struct SimulatedDevice {
    state: Arc<Mutex<State>>,
    file: FileId,
}

impl SimulatedDevice {
    pub(super) fn new(state: Arc<Mutex<State>>, file: FileId) -> Self {
        Self { state, file }
    }
}

impl Device for SimulatedDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.state.lock().read(self.file, offset, buffers)
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        let call = self.state.lock().try_write(self.file, offset, &buffers.concat(), false)?;
        end(&self.state, call);
        Ok(())
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        let call = self.state.lock().try_write(self.file, offset, &buffers.concat(), true)?;
        end(&self.state, call);
        Ok(())
    }

    fn submit_read(&self, offset: u64, mut buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let mut slices: Vec<&mut [u8]> = buffers.iter_mut().map(|buffer| &mut buffer[..]).collect();
        let result = self.read_at(offset, &mut slices);
        Ok(PendingRead::ready(result.map(|()| buffers)))
    }

    fn sync(&self) -> io::Result<()> {
        let call = self.state.lock().sync(self.file)?;
        end(&self.state, call);
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.state.lock().size(self.file))
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.state.lock().resize(self.file, bytes)
    }

    fn direct(&self) -> bool {
        false
    }
}
