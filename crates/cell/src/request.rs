//! The request of a scan: plain data about a run of neighbouring blocks on one disk.

use common::sync::Arc;
use common::{BlockAddress, BlockSize, ObjectNumber, Scn};
use scan::{BloomFilter, Comparison, Predicate, ScanSpec, Truth};

use crate::extremes::Extreme;
use crate::flash_use::FlashUse;
use crate::message::{Malformed, Reader, Result, VERSION, put_bytes, put_number};

/// A request is for so many bytes at most: the largest allocation unit.
pub const REQUEST_BYTES: usize = 64 << 20;
/// A cell works on pieces of at most so many bytes, and answers each of them.
pub const PIECE_BYTES: usize = 1 << 20;
/// Conditions within conditions.
const DEPTH_MAX: u32 = 100;

/// The request for the rows of a run of neighbouring blocks on one disk of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanRequest {
    /// Name of the disk in the cell.
    pub disk: String,
    /// Offset of the first block on the disk, in bytes.
    pub offset: u64,
    pub block_size: BlockSize,
    /// Address of the first block.
    pub first: BlockAddress,
    /// Blocks, of [`REQUEST_BYTES`] at most.
    pub blocks: u32,
    /// Blocks among them that are left out, by their places among them: the first one and how many, rising.
    pub gaps: Vec<(u32, u32)>,
    /// The data object whose rows are wanted.
    pub object: ObjectNumber,
    /// The rows are wanted as of this SCN.
    pub snapshot: Scn,
    /// Transactions that have changed a block before this SCN had ended at the snapshot. 0: nothing is known.
    pub ended_before: Scn,
    /// The storage index may be used, and learn.
    pub storage_index: bool,
    /// The object is an index of these columns, as positions in the table: its entries are wanted, as
    /// [`format::index::Leaf::stored`] has them, in the parts of their leaves. Then there is no projection.
    pub index: Option<Vec<u16>>,
    /// What the segment wants of the flash cache.
    pub flash: FlashUse,
    /// Rows that have none of these may be left out. Empty: all rows are wanted.
    pub extremes: Vec<Extreme>,
    /// Percent of the time of the processors of the instance's machine that was used of late, if it is known: a cell
    /// that is busier leaves the work to the instance.
    pub busy_percent: Option<u8>,
    pub spec: ScanSpec,
}

/// A piece of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Address of the first block.
    pub first: BlockAddress,
    pub blocks: u32,
    /// Offset of the first block on the disk, in bytes.
    pub offset: u64,
    pub bytes: usize,
    /// The request ends with it.
    pub is_last: bool,
}

impl ScanRequest {
    /// True: the block, by its place among all, is left out.
    #[must_use]
    pub fn is_gap(&self, block: u32) -> bool {
        let before = self.gaps.partition_point(|(first, _)| *first <= block);
        before.checked_sub(1).is_some_and(|at| block - self.gaps[at].0 < self.gaps[at].1)
    }

    /// The gaps within a piece, by their places in it.
    #[must_use]
    pub fn gaps_in(&self, piece: &Piece) -> Vec<(u32, u32)> {
        let from = piece.first.block - self.first.block;
        let end = from + piece.blocks;
        let within = self.gaps.iter().map(|(first, blocks)| (from.max(*first), end.min(first + blocks)));
        within.filter(|(first, last)| first < last).map(|(first, last)| (first - from, last - first)).collect()
    }

    /// The pieces that a cell works on, one after another. They end at the megabytes of the disk.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> + Send + use<> {
        let (first, blocks, offset, block_bytes) = (self.first, self.blocks, self.offset, self.block_size.bytes());
        let mut done = 0;
        std::iter::from_fn(move || {
            let left = blocks - done;
            if left == 0 {
                return None;
            }
            let at = offset + u64::from(done) * block_bytes as u64;
            // Blocks lie across the megabytes of a disk where its units do not begin at one.
            let here = (PIECE_BYTES - (at % PIECE_BYTES as u64) as usize) / block_bytes;
            let here = (here.max(1) as u32).min(left);
            let bytes = here as usize * block_bytes;
            let piece = Piece { first: first.plus(done), blocks: here, offset: at, bytes, is_last: here == left };
            done += here;
            Some(piece)
        })
    }

    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut to = vec![VERSION];
        put_bytes(&mut to, self.disk.as_bytes());
        put_number(&mut to, self.offset);
        put_number(&mut to, self.block_size.bytes() as u64);
        to.extend(self.first.pack().to_le_bytes());
        put_number(&mut to, u64::from(self.blocks));
        put_number(&mut to, self.gaps.len() as u64);
        for (first, blocks) in &self.gaps {
            put_number(&mut to, u64::from(*first));
            put_number(&mut to, u64::from(*blocks));
        }
        to.extend(self.object.0.to_le_bytes());
        to.extend(self.snapshot.0.to_le_bytes());
        to.extend(self.ended_before.0.to_le_bytes());
        to.push(u8::from(self.storage_index));
        to.push(u8::from(self.index.is_some()));
        if let Some(columns) = &self.index {
            put_number(&mut to, columns.len() as u64);
            columns.iter().for_each(|column| to.extend(column.to_le_bytes()));
        }
        to.push(self.flash as u8);
        put_number(&mut to, self.extremes.len() as u64);
        for Extreme { place, greatest } in &self.extremes {
            to.extend(place.to_le_bytes());
            to.push(u8::from(*greatest));
        }
        to.push(self.busy_percent.unwrap_or(u8::MAX));
        to.push(u8::from(self.spec.rowids));
        put_number(&mut to, self.spec.projection.len() as u64);
        self.spec.projection.iter().for_each(|column| to.extend(column.to_le_bytes()));
        to.push(u8::from(self.spec.predicate.is_some()));
        if let Some(predicate) = &self.spec.predicate {
            put_predicate(&mut to, predicate);
        }
        to
    }

    /// # Errors
    /// What is wrong with the message.
    pub fn decode(message: &[u8]) -> Result<Self> {
        let mut from = Reader::new(message, 0);
        from.version()?;
        let disk = std::str::from_utf8(from.bytes()?).map_err(|_| Malformed("a name that is no text"))?.to_owned();
        let offset = from.number()?;
        let block_size =
            BlockSize::from_bytes(from.number()?).map_err(|_| Malformed("a block size that there is not"))?;
        let first = BlockAddress::unpack(from.u32()?);
        let blocks = u32::try_from(from.number()?).map_err(|_| Malformed("too many blocks"))?;
        if blocks == 0 || blocks as usize > REQUEST_BYTES / block_size.bytes() {
            return Err(Malformed("a request is for 64 MB at most, and a block at least"));
        }
        if first.file.0 > common::limits::FILES_MAX {
            return Err(Malformed("a file that no database has"));
        }
        if first.block.checked_add(blocks).is_none_or(|end| end > common::limits::BLOCKS_PER_FILE_MAX) {
            return Err(Malformed("blocks behind the end of every file"));
        }
        let gaps = gaps(&mut from, blocks)?;
        let object = ObjectNumber(from.u32()?);
        let (snapshot, ended_before) = (Scn(from.u64()?), Scn(from.u64()?));
        let storage_index = from.flag()?;
        let index = if from.flag()? {
            let columns = from.count(2)?;
            Some((0..columns).map(|_| from.u16()).collect::<Result<_>>()?)
        } else {
            None
        };
        let flash = FlashUse::from_code(from.u8()?)?;
        let count = from.count(3)?;
        let extremes: Vec<Extreme> =
            (0..count).map(|_| Ok(Extreme { place: from.u16()?, greatest: from.flag()? })).collect::<Result<_>>()?;
        let busy_percent = Some(from.u8()?).filter(|percent| *percent != u8::MAX);
        let rowids = from.flag()?;
        let columns = from.count(2)?;
        let projection: Vec<u16> = (0..columns).map(|_| from.u16()).collect::<Result<_>>()?;
        let predicate = if from.flag()? { Some(predicate(&mut from, 0)?) } else { None };
        from.end()?;
        if extremes.iter().any(|extreme| usize::from(extreme.place) >= projection.len()) || (rowids && count > 0) {
            return Err(Malformed("an extreme of a column that is not asked for"));
        }
        if index.is_some() && (storage_index || rowids || !projection.is_empty()) {
            return Err(Malformed("rows of an index"));
        }
        let spec = ScanSpec { projection, predicate, rowids };
        Ok(Self {
            disk,
            offset,
            block_size,
            first,
            blocks,
            gaps,
            object,
            snapshot,
            ended_before,
            storage_index,
            index,
            flash,
            extremes,
            busy_percent,
            spec,
        })
    }
}

/// Gaps lie one behind another, within the request.
fn gaps(from: &mut Reader<'_>, blocks: u32) -> Result<Vec<(u32, u32)>> {
    let count = from.count(2)?;
    let mut gaps = Vec::with_capacity(count);
    let mut behind = 0;
    for _ in 0..count {
        let (first, length) = (from.number()?, from.number()?);
        if first < behind || length == 0 || first.saturating_add(length) > u64::from(blocks) {
            return Err(Malformed("gaps that are not within the blocks, one behind another"));
        }
        behind = first + length;
        gaps.push((first as u32, length as u32));
    }
    Ok(gaps)
}

fn comparison_code(comparison: Comparison) -> u8 {
    match comparison {
        Comparison::Equal => 0,
        Comparison::NotEqual => 1,
        Comparison::Less => 2,
        Comparison::LessOrEqual => 3,
        Comparison::Greater => 4,
        Comparison::GreaterOrEqual => 5,
    }
}

fn comparison(code: u8) -> Result<Comparison> {
    Ok(match code {
        0 => Comparison::Equal,
        1 => Comparison::NotEqual,
        2 => Comparison::Less,
        3 => Comparison::LessOrEqual,
        4 => Comparison::Greater,
        5 => Comparison::GreaterOrEqual,
        _ => return Err(Malformed("an unknown comparison")),
    })
}

fn put_predicate(to: &mut Vec<u8>, condition: &Predicate) {
    match condition {
        Predicate::Compare { column, comparison, value } => {
            to.push(0);
            to.extend(column.to_le_bytes());
            to.push(comparison_code(*comparison));
            put_bytes(to, value);
        }
        Predicate::CompareColumns { left, comparison, right } => {
            to.push(1);
            to.extend(left.to_le_bytes());
            to.push(comparison_code(*comparison));
            to.extend(right.to_le_bytes());
        }
        Predicate::IsNull(column) => {
            to.push(2);
            to.extend(column.to_le_bytes());
        }
        Predicate::IsNotNull(column) => {
            to.push(3);
            to.extend(column.to_le_bytes());
        }
        Predicate::In { column, values, null } => {
            to.push(4);
            to.extend(column.to_le_bytes());
            to.push(u8::from(*null));
            put_number(to, values.len() as u64);
            values.iter().for_each(|value| put_bytes(to, value));
        }
        Predicate::InFilter { column, filter } => {
            to.push(11);
            to.extend(column.to_le_bytes());
            put_bytes(to, &filter.bytes());
        }
        Predicate::And(parts) | Predicate::Or(parts) => {
            to.push(if matches!(condition, Predicate::And(_)) { 5 } else { 6 });
            put_number(to, parts.len() as u64);
            parts.iter().for_each(|part| put_predicate(to, part));
        }
        Predicate::Not(part) => {
            to.push(7);
            put_predicate(to, part);
        }
        Predicate::Constant(truth) => to.push(match truth {
            Truth::False => 8,
            Truth::Unknown => 9,
            Truth::True => 10,
        }),
    }
}

fn predicate(from: &mut Reader<'_>, depth: u32) -> Result<Predicate> {
    if depth > DEPTH_MAX {
        return Err(Malformed("conditions within too many conditions"));
    }
    Ok(match from.u8()? {
        0 => {
            let (column, comparison) = (from.u16()?, comparison(from.u8()?)?);
            Predicate::Compare { column, comparison, value: from.bytes()?.into() }
        }
        1 => {
            let (left, comparison) = (from.u16()?, comparison(from.u8()?)?);
            Predicate::CompareColumns { left, comparison, right: from.u16()? }
        }
        2 => Predicate::IsNull(from.u16()?),
        3 => Predicate::IsNotNull(from.u16()?),
        4 => {
            let (column, null) = (from.u16()?, from.flag()?);
            let count = from.count(1)?;
            let values: Box<[Box<[u8]>]> = (0..count).map(|_| from.bytes().map(Into::into)).collect::<Result<_>>()?;
            if !values.is_sorted_by(|a, b| a < b) {
                return Err(Malformed("the values of a list are not in order"));
            }
            Predicate::In { column, values, null }
        }
        kind @ (5 | 6) => {
            let count = from.count(1)?;
            let parts = (0..count).map(|_| predicate(from, depth + 1)).collect::<Result<Vec<_>>>()?;
            if kind == 5 { Predicate::And(parts) } else { Predicate::Or(parts) }
        }
        7 => Predicate::Not(Box::new(predicate(from, depth + 1)?)),
        8 => Predicate::Constant(Truth::False),
        9 => Predicate::Constant(Truth::Unknown),
        10 => Predicate::Constant(Truth::True),
        11 => {
            let (column, filter) = (from.u16()?, BloomFilter::from_bytes(from.bytes()?));
            let filter = filter.ok_or(Malformed("a filter of a size that there is not"))?;
            Predicate::InFilter { column, filter: Arc::new(filter) }
        }
        _ => return Err(Malformed("an unknown condition")),
    })
}

#[cfg(test)]
mod tests {
    use common::FileNumber;
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(any::<u8>(), 0..20)
    }

    fn a_comparison() -> impl Strategy<Value = Comparison> {
        (0..6_u8).prop_map(|code| comparison(code).unwrap_or(Comparison::Equal))
    }

    fn a_predicate() -> impl Strategy<Value = Predicate> {
        let leaf = prop_oneof![
            (any::<u16>(), a_comparison(), value())
                .prop_map(|(column, comparison, value)| Predicate::compare(column, comparison, &value)),
            (any::<u16>(), a_comparison(), any::<u16>())
                .prop_map(|(left, comparison, right)| Predicate::CompareColumns { left, comparison, right }),
            any::<u16>().prop_map(Predicate::IsNull),
            any::<u16>().prop_map(Predicate::IsNotNull),
            (any::<u16>(), proptest::collection::vec(any::<u64>(), 0..50)).prop_map(|(column, hashes)| {
                Predicate::InFilter { column, filter: Arc::new(BloomFilter::of(&hashes).unwrap()) }
            }),
            (any::<u16>(), proptest::collection::vec(proptest::option::of(value()), 0..5))
                .prop_map(|(column, values)| Predicate::in_list(column, values)),
            prop_oneof![Just(Truth::False), Just(Truth::Unknown), Just(Truth::True)].prop_map(Predicate::Constant),
        ];
        leaf.prop_recursive(4, 24, 4, |part| {
            prop_oneof![
                proptest::collection::vec(part.clone(), 0..4).prop_map(Predicate::And),
                proptest::collection::vec(part.clone(), 0..4).prop_map(Predicate::Or),
                part.prop_map(|part| Predicate::Not(Box::new(part))),
            ]
        })
    }

    fn a_request() -> impl Strategy<Value = ScanRequest> {
        let place = (0..1_u64 << 50, 1..32_u32, 0..1000_u16, 0..1_000_000_u32);
        let spec = (proptest::collection::vec(any::<u16>(), 0..10), proptest::option::of(a_predicate()), any::<bool>());
        (".{0,20}", place, any::<u32>(), any::<(u64, u64)>(), spec).prop_map(
            |(disk, (offset, blocks, file, block), object, (snapshot, ended), (projection, predicate, rowids))| {
                ScanRequest {
                    disk,
                    offset,
                    block_size: BlockSize::K32,
                    first: BlockAddress::new(FileNumber(file), block),
                    blocks,
                    gaps: if blocks > 9 { vec![(0, 1), (4, 2), (6, 3)] } else { Vec::new() },
                    object: ObjectNumber(object),
                    snapshot: Scn(snapshot),
                    ended_before: Scn(ended),
                    storage_index: ended % 2 == 0,
                    index: (ended % 2 > 0 && projection.is_empty() && !rowids)
                        .then(|| (0..object as u16 % 4).collect()),
                    flash: FlashUse::ALL[(ended % 3) as usize],
                    extremes: match projection.len() as u16 {
                        places if places > 0 && !rowids => (0..object as u16 % 4)
                            .map(|place| Extreme { place: place % places, greatest: ended % 2 == 0 })
                            .collect(),
                        _ => Vec::new(),
                    },
                    busy_percent: (object % 3 > 0).then_some((object % 101) as u8),
                    spec: ScanSpec { projection, predicate, rowids },
                }
            },
        )
    }

    proptest! {
        #[test]
        fn requests_come_back(request in a_request()) {
            let message = request.encode();
            prop_assert_eq!(ScanRequest::decode(&message), Ok(request));
            for end in 0..message.len() {
                prop_assert!(ScanRequest::decode(&message[..end]).is_err());
            }
        }

        /// A request that was changed is another one or refused.
        #[test]
        fn changed_requests_do_no_harm(request in a_request(), at in any::<usize>(), byte in any::<u8>()) {
            let mut message = request.encode();
            let at = at % message.len();
            message[at] = byte;
            if let Ok(other) = ScanRequest::decode(&message) {
                prop_assert!(other.blocks as usize * other.block_size.bytes() <= REQUEST_BYTES);
            }
        }
    }

    #[test]
    fn blocks_are_those_that_a_file_can_have() {
        let place = |file, block, blocks| {
            let first = BlockAddress { file: FileNumber(file), block };
            let spec = ScanSpec::default();
            let request = ScanRequest {
                disk: "d".into(),
                offset: 0,
                block_size: BlockSize::K8,
                first,
                blocks,
                gaps: Vec::new(),
                object: ObjectNumber(1),
                snapshot: Scn(1),
                ended_before: Scn(0),
                storage_index: false,
                index: None,
                flash: FlashUse::Default,
                extremes: Vec::new(),
                busy_percent: None,
                spec,
            };
            ScanRequest::decode(&request.encode()).map(|request| request.pieces().count())
        };
        let (files, end) = (common::limits::FILES_MAX, common::limits::BLOCKS_PER_FILE_MAX);
        assert_eq!(place(files, end - 2, 2), Ok(1));
        assert!(place(files, end - 1, 2).is_err());
        assert!(place(files + 1, 5, 1).is_err());
    }

    #[test]
    fn nested_conditions_end_somewhere() {
        let mut deep = Predicate::IsNull(1);
        for _ in 0..200 {
            deep = Predicate::Not(Box::new(deep));
        }
        let request = ScanRequest {
            disk: "d".into(),
            offset: 0,
            block_size: BlockSize::K8,
            first: BlockAddress::new(FileNumber(4), 128),
            blocks: 1,
            gaps: Vec::new(),
            object: ObjectNumber(1),
            snapshot: Scn(1),
            ended_before: Scn(0),
            storage_index: false,
            index: None,
            flash: FlashUse::Default,
            extremes: Vec::new(),
            busy_percent: None,
            spec: ScanSpec { predicate: Some(deep), ..ScanSpec::default() },
        };
        assert!(ScanRequest::decode(&request.encode()).is_err());
        let over = (REQUEST_BYTES / BlockSize::K8.bytes()) as u32 + 1;
        let many = ScanRequest { blocks: over, block_size: BlockSize::K8, spec: ScanSpec::default(), ..request };
        assert!(ScanRequest::decode(&many.encode()).is_err());
    }
}
