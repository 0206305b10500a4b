//! One of the copies that a mirrored device has of its bytes, to read: a copy that is damaged must not hide the others.

use std::io;

use common::sync::Arc;
use device::{AlignedBuffer, Device, PendingRead};

#[derive(Debug)]
pub(super) struct OneCopy {
    device: Arc<dyn Device>,
    copy: usize,
}

impl OneCopy {
    pub(super) fn new(device: Arc<dyn Device>, copy: usize) -> Self {
        debug_assert!(copy < device.copies(), "copy {copy} of {}", device.copies());
        Self { device, copy }
    }
}

fn only_read() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "one copy of a mirrored file is only read")
}

impl Device for OneCopy {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.device.read_copy(self.copy, offset, buffers)
    }

    fn write_at(&self, _: u64, _: &[&[u8]]) -> io::Result<()> {
        Err(only_read())
    }

    fn submit_read(&self, offset: u64, mut buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let mut parts: Vec<&mut [u8]> = buffers.iter_mut().map(|buffer| &mut **buffer).collect();
        let read = self.read_at(offset, &mut parts);
        Ok(PendingRead::ready(read.map(|()| buffers)))
    }

    fn sync(&self) -> io::Result<()> {
        self.device.sync()
    }

    fn size(&self) -> io::Result<u64> {
        self.device.size()
    }

    fn set_size(&self, _: u64) -> io::Result<()> {
        Err(only_read())
    }

    fn direct(&self) -> bool {
        self.device.direct()
    }
}
