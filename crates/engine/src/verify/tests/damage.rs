//! Damage of bytes, which checksums reveal, and of content, which only other structures reveal.

use common::{FileNumber, Xid};
use format::bitmap::{self, BlockState};
use format::freelist::FreeList;
use format::{extent_bitmap, file, freelist, heap, segment, transaction};

use super::*;

/// A table with freelists and one with bitmaps, and their addresses.
struct Fixture {
    database: Database,
    manual: BlockAddress,
    manual_data: BlockAddress,
    automatic: BlockAddress,
    automatic_data: BlockAddress,
}

const BYTES: usize = 8192;

impl Fixture {
    fn new() -> Self {
        let database = Database::new(|session| {
            tablespace(session, "MANUAL", BlockSize::K8, None, SpaceManagement::Manual);
            tablespace(session, "AUTO", BlockSize::K8, None, SpaceManagement::Auto);
            for (name, tablespace) in [("M", "MANUAL"), ("A", "AUTO")] {
                table(session, name, tablespace, |_| {});
                insert(session, name, 0..2000, 50);
                index(session, &format!("{name}_I"), name, &["ID"], tablespace);
            }
        });
        let (manual, manual_data, automatic, automatic_data) = database.look(|session| {
            let catalog = session.catalog();
            let at = |name: &str| {
                let segment = &catalog.table("SYSTEM", name).unwrap().segment;
                (segment.header(), segment.scan_ranges(session).unwrap()[0].start)
            };
            let ((manual, manual_data), (automatic, automatic_data)) = (at("M"), at("A"));
            (manual, manual_data, automatic, automatic_data)
        });
        Self { database, manual, manual_data, automatic, automatic_data }
    }

    fn manual(&self, address: BlockAddress, change: impl FnOnce(&mut [u8])) -> Report {
        self.database.forge("MANUAL.dbf", BYTES, address, change);
        self.database.verify()
    }

    fn automatic(&self, address: BlockAddress, change: impl FnOnce(&mut [u8])) -> Report {
        self.database.forge("AUTO.dbf", BYTES, address, change);
        self.database.verify()
    }

    /// The head of the manual table's freelist.
    fn head(&self) -> BlockAddress {
        let mut head = BlockAddress::NONE;
        self.database.scratch("MANUAL.dbf", BYTES, self.manual.block, |bytes| head = freelist::list(bytes, 0).first());
        assert!(!head.is_none(), "the table has blocks on its freelist");
        head
    }

    /// A first-level bitmap block and the index in it of the automatic table's first data block.
    fn first_level(&self) -> (BlockAddress, usize) {
        let mut found = BlockAddress::NONE;
        let data = self.automatic_data;
        self.database.scratch("AUTO.dbf", BYTES, data.block, |bytes| found = transaction::header(bytes).bitmap_block());
        let mut index = None;
        self.database.scratch("AUTO.dbf", BYTES, found.block, |bytes| index = bitmap::index_of(bytes, data));
        (found, index.unwrap())
    }
}

/// Some problem names this block and has this text.
fn assert_found(report: &Report, address: BlockAddress, text: &str) {
    let found = report.problems.iter().any(|problem| {
        problem.file == Some(address.file) && problem.block == Some(address.block) && problem.text.contains(text)
    });
    assert!(found, "no problem at {address} says '{text}': {:#?}", texts(report));
}

#[test]
fn the_fixture_is_sound() {
    let report = Fixture::new().database.verify();
    assert!(report.is_clean(), "{:#?}", texts(&report));
}

#[test]
fn a_flipped_byte_is_named_wherever_it_is() {
    let fixture = Fixture::new();
    let (first_level, _) = fixture.first_level();
    let automatic = [fixture.automatic, fixture.automatic_data, first_level];
    let cases = [("MANUAL.dbf", fixture.manual), ("MANUAL.dbf", fixture.manual_data)]
        .into_iter()
        .chain(automatic.map(|address| ("AUTO.dbf", address)));
    for (name, address) in cases {
        for header_block in [address.block, file::FILE_HEADER_BLOCK, file::SPACE_HEADER_BLOCK, file::FIRST_BITMAP_BLOCK]
        {
            let flip = |bytes: &mut [u8]| bytes[300] ^= 0x40;
            fixture.database.scratch(name, BYTES, header_block, flip);
            let report = fixture.database.verify();
            assert_found(&report, BlockAddress::new(address.file, header_block), "checksum");
            let place = format!("file {} block {header_block} (", address.file.0);
            let named = |line: &&String| line.contains(&place) && line.contains(&format!("{name}): "));
            assert!(texts(&report).iter().any(|line| named(&line)), "{:#?}", texts(&report));
            fixture.database.scratch(name, BYTES, header_block, flip);
        }
    }
    assert!(fixture.database.verify().is_clean());
}

#[test]
fn one_damaged_segment_header_keeps_only_its_own_table_out_of_use() {
    let fixture = Fixture::new();
    fixture.database.scratch("MANUAL.dbf", BYTES, fixture.manual.block, |bytes| bytes[100] ^= 1);
    fixture.database.look(|session| {
        let catalog = session.catalog();
        assert!(catalog.require_table("SYSTEM", "M").unwrap_err().is_ora(1578));
        assert!(catalog.table("SYSTEM", "A").is_some());
        let error = session.drop_table("SYSTEM", "M").unwrap_err();
        assert!(error.is_ora(1578), "{error}");
    });
    let report = fixture.database.verify();
    assert_found(&report, fixture.manual, "checksum");
    assert!(texts(&report).iter().any(|text| text.starts_with("SYSTEM.M: cannot be used")), "{:#?}", texts(&report));
    // Structures that depend on the damaged block are not reported.
    assert_eq!(report.problems.len(), 3, "{:#?}", texts(&report));
    // The remedy is to drop the tablespace with its contents.
    fixture.database.look(|session| {
        assert!(session.drop_tablespace("MANUAL", false, true).unwrap_err().is_ora(1549));
        session.drop_tablespace("MANUAL", true, true).unwrap();
        assert_eq!(session.catalog().unusable().count(), 0);
        table(session, "M", "AUTO", |_| {});
    });
    let report = fixture.database.verify();
    assert!(report.is_clean(), "{:#?}", texts(&report));
}

#[test]
fn files_that_are_short_or_of_another_database_are_named() {
    let fixture = Fixture::new();
    let device = fixture.database.files.open(&Path::new(DIRECTORY).join("AUTO.dbf")).unwrap();
    let bytes = device.size().unwrap();
    device.set_size(bytes - (1 << 20)).unwrap();
    let report = fixture.database.verify();
    assert!(texts(&report).iter().any(|text| text.contains("truncated")), "{:#?}", texts(&report));
    device.set_size(bytes).unwrap();
    assert!(fixture.database.verify().is_clean());
    fixture.database.scratch("AUTO.dbf", BYTES, file::OS_BLOCK, |bytes| file::write_os_block(bytes, 99));
    let report = fixture.database.verify();
    assert!(texts(&report).iter().any(|text| text.contains("another database")), "{:#?}", texts(&report));
    fixture.database.files.remove(&Path::new(DIRECTORY).join("AUTO.dbf")).unwrap();
    let report = fixture.database.verify();
    assert!(texts(&report).iter().any(|text| text.contains("cannot be opened")), "{:#?}", texts(&report));
}

#[test]
fn extents_must_agree_with_the_files_bitmap() {
    let fixture = Fixture::new();
    let bitmap = BlockAddress::new(fixture.manual.file, file::FIRST_BITMAP_BLOCK);
    let first = BlockAddress::new(fixture.manual.file, file::header_area_blocks(BlockSize::K8));
    let free = |bytes: &mut [u8]| extent_bitmap::set(bytes, 0, 1, false);
    assert_found(&fixture.manual(bitmap, free), first, "are free in the file's bitmap");
    let used = |bytes: &mut [u8]| {
        extent_bitmap::set(bytes, 0, 1, true);
        extent_bitmap::set(bytes, 200, 1, true);
    };
    let report = fixture.manual(bitmap, used);
    assert_found(&report, first.plus(200 * 8), "no segment has them");
    let header = BlockAddress::new(fixture.manual.file, file::SPACE_HEADER_BLOCK);
    assert_found(&report, header, "units are free");
}

#[test]
fn two_segments_cannot_have_one_extent() {
    let fixture = Fixture::new();
    let other = fixture
        .database
        .look(|session| session.catalog().index("SYSTEM", "M_I").unwrap().segment.extents(session).unwrap()[0].start);
    let report = fixture.manual(fixture.manual, |bytes| segment::extent_mut(bytes, 1).start = other.pack().into());
    assert_found(&report, other, "has an extent that");
}

#[test]
fn the_high_water_mark_must_fit_the_extents() {
    let fixture = Fixture::new();
    let report = fixture.manual(fixture.manual, |bytes| {
        let high = &mut segment::header_mut(bytes).high;
        high.blocks = (high.blocks.get() + 1).into();
    });
    assert_found(&report, fixture.manual, "high-water mark");
}

#[test]
fn freelists_are_chains_of_flagged_blocks() {
    let fixture = Fixture::new();
    let head = fixture.head();
    let report = fixture.manual(head, |bytes| transaction::header_mut(bytes).set_freelist(true, head));
    assert_found(&report, head, "circle");

    let fixture = Fixture::new();
    let report = fixture.manual(head, |bytes| transaction::header_mut(bytes).set_freelist(false, BlockAddress::NONE));
    assert_found(&report, head, "not flagged");

    let fixture = Fixture::new();
    let report = fixture.manual(fixture.manual, |bytes| {
        let list = freelist::list_mut(bytes, 0);
        list.blocks = (list.blocks.get() + 1).into();
    });
    assert_found(&report, fixture.manual, "the header says");

    let fixture = Fixture::new();
    let report = fixture.manual(fixture.manual, |bytes| {
        let list = freelist::list_mut(bytes, 0);
        (list.head, list.tail, list.blocks) = (0.into(), 0.into(), 0.into());
    });
    assert_found(&report, head, "is on none");

    let fixture = Fixture::new();
    let stranger = BlockAddress::new(FileNumber(head.file.0), 2);
    let report = fixture.manual(head, |bytes| transaction::header_mut(bytes).set_freelist(true, stranger));
    assert_found(&report, stranger, "no data block of the segment");
}

#[test]
fn a_transaction_has_one_freelist_at_most_and_where_it_must_be() {
    let of = FreeList::of(Xid { segment: 3, slot: 7, sequence: 11 });
    let fixture = Fixture::new();
    let report = fixture.manual(fixture.manual, |bytes| *freelist::list_mut(bytes, 5) = of);
    assert!(report.problems.is_empty(), "an empty one is what an ended transaction leaves: {:?}", report.problems);

    let fixture = Fixture::new();
    let report = fixture.manual(fixture.manual, |bytes| {
        (*freelist::list_mut(bytes, 5), *freelist::list_mut(bytes, 6)) = (of, of);
    });
    assert_found(&report, fixture.manual, "another one of transaction");

    let fixture = Fixture::new();
    let report = fixture.manual(fixture.manual, |bytes| freelist::list_mut(bytes, 5).used = 1.into());
    assert_found(&report, fixture.manual, "of no transaction");

    let fixture = Fixture::new();
    let report = fixture.manual(fixture.manual, |bytes| {
        let list = *freelist::list(bytes, 0);
        *freelist::list_mut(bytes, 0) =
            FreeList { used: 1.into(), head: list.head, tail: list.tail, blocks: list.blocks, ..of };
    });
    assert_found(&report, fixture.manual, "cannot be");
}

#[test]
fn bitmap_states_must_be_possible() {
    let fixture = Fixture::new();
    let (l1, index) = fixture.first_level();
    let set = |state| {
        move |bytes: &mut [u8]| {
            bitmap::set_state(bytes, index, state);
        }
    };
    let report = fixture.automatic(l1, set(BlockState::Metadata));
    assert_found(&report, fixture.automatic_data, "no metadata block");
    let report = fixture.automatic(l1, set(BlockState::Unformatted));
    assert_found(&report, fixture.automatic_data, "unformatted");
    // An outdated hint is not reported …
    let report = fixture.automatic(l1, set(BlockState::Free100));
    assert!(report.is_clean(), "{:#?}", texts(&report));
    // … but counts must be right.
    let report = fixture.automatic(l1, |bytes| {
        let count = &mut bitmap::first_level_mut(bytes).counts[1];
        *count = (count.get() + 1).into();
    });
    assert_found(&report, l1, "in state 1");
}

#[test]
fn a_full_state_that_hides_room_is_noted() {
    let database = Database::new(|session| {
        tablespace(session, "AUTO", BlockSize::K8, None, SpaceManagement::Auto);
        table(session, "T", "AUTO", |_| {});
        insert(session, "T", 0..1, 50);
    });
    let data = database.look(|session| {
        let table = session.catalog().table("SYSTEM", "T").unwrap().clone();
        sound::rowids(session, &table)[0].block
    });
    let mut l1 = BlockAddress::NONE;
    database.scratch("AUTO.dbf", BYTES, data.block, |bytes| l1 = transaction::header(bytes).bitmap_block());
    database.forge("AUTO.dbf", BYTES, l1, |bytes| {
        let index = bitmap::index_of(bytes, data).unwrap();
        bitmap::set_state(bytes, index, BlockState::Full);
    });
    let report = database.verify();
    assert!(report.is_clean(), "{:#?}", texts(&report));
    assert_eq!(report.notes.len(), 1);
    assert_eq!((report.notes[0].file, report.notes[0].block), (Some(data.file), Some(data.block)));
}

#[test]
fn a_block_must_name_the_bitmap_block_that_covers_it() {
    let fixture = Fixture::new();
    let (l1, _) = fixture.first_level();
    let report = fixture.automatic(fixture.automatic_data, |bytes| {
        transaction::header_mut(bytes).bitmap = l1.plus(1).pack().into();
    });
    assert_found(&report, fixture.automatic_data, "covers it");
}

#[test]
fn rows_and_index_entries_must_match() {
    for damage in ["delete", "replace"] {
        let fixture = Fixture::new();
        let report = fixture.manual(fixture.manual_data, |bytes| {
            if damage == "delete" {
                assert!(heap::delete(bytes, 3));
            } else {
                let row = heap::row(bytes, 4).unwrap().encoded().unwrap().to_vec();
                assert!(heap::replace(bytes, 3, &row));
            }
        });
        assert_found(&report, fixture.manual_data, "there is no row with its key");
        if damage == "replace" {
            assert_found(&report, fixture.manual_data, "has no entry");
        }
        assert!(report.problems.iter().all(|problem| problem.object.as_deref() == Some("SYSTEM.M_I")));
    }
}

#[test]
fn a_block_whose_rows_make_no_sense_is_named() {
    let fixture = Fixture::new();
    let report = fixture.manual(fixture.manual_data, |bytes| {
        let body = transaction::body_offset(bytes);
        bytes[body + 20..body + 40].fill(0xee);
    });
    assert!(
        report
            .problems
            .iter()
            .any(|problem| problem.object.as_deref() == Some("SYSTEM.M")
                && problem.block == Some(fixture.manual_data.block)),
        "{:#?}",
        texts(&report)
    );
}

#[test]
fn data_of_another_object_is_no_data_of_this_one() {
    let fixture = Fixture::new();
    let report = fixture.automatic(fixture.automatic_data, |bytes| transaction::header_mut(bytes).object = 7.into());
    assert_found(&report, fixture.automatic_data, "holds data of object 7");
}
