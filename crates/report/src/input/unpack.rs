//! The packing of a file, by its first bytes.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};

use common::{Error, ErrorKind, Result};

use super::{Visit, broken, refuse, split};

/// Archives within archives that are opened: a gzip in a zip, not a bomb.
const DEEPEST: usize = 3;
/// Members of a zip that are read.
const MOST_MEMBERS: usize = 100_000;

/// The first bytes of each packing.
const MAGIC: usize = 6;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Packing {
    Gzip,
    Xz,
    Zip,
    /// One that is told from text, but not read.
    Other(&'static str),
    None,
}

fn packing(start: &[u8]) -> Packing {
    match start {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Xz,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Packing::Zip,
        [b'B', b'Z', b'h', ..] => Packing::Other("bzip2"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Other("zstd"),
        [b'7', b'z', 0xbc, 0xaf, ..] => Packing::Other("7-Zip"),
        [0x1f, 0x9d, ..] => Packing::Other("compress"),
        [b'R', b'a', b'r', b'!', ..] => Packing::Other("RAR"),
        _ => Packing::None,
    }
}

/// Reads a file, which unlike a stream may be a zip.
pub(super) fn file(name: &str, mut file: File, visit: &mut Visit<'_>) -> Result<()> {
    let mut start = Vec::new();
    let begun = file.by_ref().take(MAGIC as u64).read_to_end(&mut start).and_then(|_| file.seek(SeekFrom::Start(0)));
    match begun {
        // A pipe cannot go back.
        Err(error) if start.is_empty() => refuse(name, 1, 1, broken(&error), visit),
        Err(_) => stream(name, &mut Cursor::new(start).chain(file), 0, visit),
        Ok(_) if packing(&start) == Packing::Zip => zip(name, file, visit),
        Ok(_) => stream(name, &mut BufReader::with_capacity(1 << 17, file), 0, visit),
    }
}

/// Reads a stream, unpacking it as often as it is packed.
pub(super) fn stream(name: &str, source: &mut dyn Read, depth: usize, visit: &mut Visit<'_>) -> Result<()> {
    let mut start = Vec::new();
    if let Err(error) = source.take(MAGIC as u64).read_to_end(&mut start) {
        return refuse(name, 1, 1, broken(&error), visit);
    }
    let packing = packing(&start);
    let mut whole = Cursor::new(start).chain(source);
    if packing != Packing::None && depth >= DEEPEST {
        return refuse(name, 1, 1, Error::own(ErrorKind::User, 813, "is packed too many times over"), visit);
    }
    match packing {
        Packing::None => split::text(name, &mut whole, visit),
        Packing::Gzip => stream(
            name,
            &mut flate2::read::MultiGzDecoder::new(BufReader::with_capacity(1 << 16, whole)),
            depth + 1,
            visit,
        ),
        Packing::Xz => stream(name, &mut lzma_rust2::XzReader::new(whole, true), depth + 1, visit),
        Packing::Zip => refuse(
            name,
            1,
            1,
            Error::own(ErrorKind::User, 813, "is a zip within an archive or a pipe: unpack it first"),
            visit,
        ),
        Packing::Other(what) => refuse(
            name,
            1,
            1,
            Error::own(ErrorKind::User, 813, format!("is packed with {what}, which is not read: unpack it first")),
            visit,
        ),
    }
}

/// A file's bytes, unpacked as far as it is packed in gzip or xz.
pub(super) fn reader(name: &str, file: File) -> Result<Box<dyn Read + Send>> {
    let refused = |text: String| Error::own(ErrorKind::User, 813, format!("{name} {text}"));
    let mut source: Box<dyn Read + Send> = Box::new(BufReader::with_capacity(1 << 17, file));
    for depth in 0.. {
        let mut start = Vec::new();
        source
            .by_ref()
            .take(MAGIC as u64)
            .read_to_end(&mut start)
            .map_err(|error| Error { text: format!("{name} {}", broken(&error).text), ..broken(&error) })?;
        let packing = packing(&start);
        let whole = Cursor::new(start).chain(source);
        if packing != Packing::None && depth >= DEEPEST {
            return Err(refused("is packed too many times over".into()));
        }
        source = match packing {
            Packing::None => return Ok(Box::new(whole)),
            Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(BufReader::with_capacity(1 << 16, whole))),
            Packing::Xz => Box::new(lzma_rust2::XzReader::new(whole, true)),
            Packing::Zip => return Err(refused("is a zip, which may hold several files: unpack it first".into())),
            Packing::Other(what) => {
                return Err(refused(format!("is packed with {what}, which is not read: unpack it first")));
            }
        };
    }
    Err(refused("is packed too many times over".into()))
}

/// Reads each member of a zip, in the order of its directory.
fn zip(name: &str, file: File, visit: &mut Visit<'_>) -> Result<()> {
    let damaged = |error: &dyn std::fmt::Display| {
        Error::own(ErrorKind::Corrupt, 814, format!("is a zip that cannot be read: {error}"))
    };
    let mut archive = match zip::ZipArchive::new(BufReader::with_capacity(1 << 16, file)) {
        Ok(archive) => archive,
        Err(error) => return refuse(name, 1, 1, damaged(&error), visit),
    };
    let mut empty = true;
    for index in 0..archive.len() {
        if index == MOST_MEMBERS {
            return refuse(
                name,
                1,
                1,
                Error::own(ErrorKind::User, 813, format!("holds more than {MOST_MEMBERS} files: the rest is left out")),
                visit,
            );
        }
        let member = archive.name_for_index(index).and_then(std::result::Result::ok).map(|name| name.into_owned());
        let inside = within(name, member.as_deref(), index);
        match archive.by_index(index) {
            Ok(member) if member.is_dir() => continue,
            Ok(mut member) => stream(&inside, &mut member, 1, visit)?,
            Err(error) => refuse(&inside, 1, 1, damaged(&error), visit)?,
        }
        empty = false;
    }
    if empty {
        return refuse(name, 1, 1, Error::own(ErrorKind::User, 812, "is a zip that holds no file"), visit);
    }
    Ok(())
}

/// The name of a zip's member; by its number where it has none that can be read.
fn within(name: &str, member: Option<&str>, index: usize) -> String {
    member.map_or_else(|| format!("{name}: member {}", index + 1), |member| format!("{name}: {member}"))
}
