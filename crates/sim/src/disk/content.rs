//! The bytes of one file. Copies share unchanged pages.

use std::io;

use common::sync::Arc;

/// Bytes copied when one of them changes.
const PAGE: usize = 4096;
/// Pages whose table is copied with it.
const PAGES: usize = 64;
const CHUNK: u64 = (PAGE * PAGES) as u64;

type Page = Arc<[u8; PAGE]>;
type Chunk = [Option<Page>; PAGES];

/// A file's bytes; unwritten ones are zero and take no memory.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Content {
    size: u64,
    chunks: Vec<Option<Arc<Chunk>>>,
}

impl Content {
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn resize(&mut self, bytes: u64) {
        if bytes < self.size {
            let end = bytes.next_multiple_of(PAGE as u64).min(self.size);
            if end > bytes {
                self.write(bytes, &vec![0; (end - bytes) as usize]);
            }
            let pages = bytes.div_ceil(PAGE as u64) as usize;
            self.chunks.truncate(pages.div_ceil(PAGES));
            if !pages.is_multiple_of(PAGES)
                && let Some(Some(last)) = self.chunks.last_mut()
            {
                Arc::make_mut(last)[pages % PAGES..].fill(None);
            }
        }
        self.chunks.resize(bytes.div_ceil(CHUNK) as usize, None);
        self.size = bytes;
    }

    pub(super) fn read(&self, offset: u64, mut bytes: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(bytes.len() as u64).ok_or(io::ErrorKind::InvalidInput)?;
        if end > self.size && !bytes.is_empty() {
            let text = format!("read of {} bytes at offset {offset} of {}", bytes.len(), self.size);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
        }
        let mut at = offset;
        while !bytes.is_empty() {
            let (page, from) = ((at / PAGE as u64) as usize, (at % PAGE as u64) as usize);
            let (now, later) = bytes.split_at_mut((PAGE - from).min(bytes.len()));
            let found = self.chunks[page / PAGES].as_ref().and_then(|chunk| chunk[page % PAGES].as_ref());
            match found {
                Some(page) => now.copy_from_slice(&page[from..from + now.len()]),
                None => now.fill(0),
            }
            at += now.len() as u64;
            bytes = later;
        }
        Ok(())
    }

    /// Writes; a write behind the end extends the file.
    pub(super) fn write(&mut self, offset: u64, mut bytes: &[u8]) {
        let end = offset + bytes.len() as u64;
        if end > self.size && !bytes.is_empty() {
            self.resize(end);
        }
        let mut at = offset;
        while !bytes.is_empty() {
            let (page, from) = ((at / PAGE as u64) as usize, (at % PAGE as u64) as usize);
            let (now, later) = bytes.split_at((PAGE - from).min(bytes.len()));
            let chunk = &mut self.chunks[page / PAGES];
            let known = chunk.as_ref().is_some_and(|chunk| chunk[page % PAGES].is_some());
            // Zeros over unwritten bytes change nothing.
            if known || now.iter().any(|byte| *byte != 0) {
                let chunk = Arc::make_mut(chunk.get_or_insert_with(|| Arc::new([const { None }; PAGES])));
                let page = Arc::make_mut(chunk[page % PAGES].get_or_insert_with(|| Arc::new([0; PAGE])));
                page[from..from + now.len()].copy_from_slice(now);
            }
            at += now.len() as u64;
            bytes = later;
        }
    }
}

#[cfg(test)]
mod tests {
    use common::Seeded;

    use super::*;

    #[test]
    fn is_what_a_vector_of_bytes_is_and_copies_stay_as_they_were() {
        let mut random = Seeded::new(11);
        let (mut content, mut plain) = (Content::default(), Vec::new());
        let mut copies: Vec<(Content, Vec<u8>)> = Vec::new();
        for _ in 0..600 {
            match random.below(4) {
                0 => {
                    let bytes = random.below(3 * CHUNK);
                    content.resize(bytes);
                    plain.resize(bytes as usize, 0);
                }
                1 if copies.len() < 20 => copies.push((content.clone(), plain.clone())),
                _ => {
                    let (at, length) = (random.index(plain.len() + 1), 1 + random.index(9000));
                    let bytes = vec![random.below(3) as u8; length];
                    content.write(at as u64, &bytes);
                    plain.resize(plain.len().max(at + length), 0);
                    plain[at..at + length].copy_from_slice(&bytes);
                }
            }
        }
        copies.push((content, plain));
        for (content, plain) in copies {
            let mut all = vec![1; plain.len()];
            content.read(0, &mut all).unwrap();
            assert_eq!((content.size(), all), (plain.len() as u64, plain));
            assert!(content.read(content.size(), &mut [0]).is_err());
        }
    }
}
