//! Blocks of every type but tables' and indexes'.

use common::ObjectNumber;
use format::bitmap::{self, BlockState};
use format::block::{self, BlockType};
use format::transaction::Owner;
use format::{extent_bitmap, file, freelist, segment};

use crate::{HERE, Input, patch, size};

/// A block of one of the types, with some bytes changed.
pub fn make(input: &mut Input<'_>) -> Vec<u8> {
    let size = size(input);
    let mut bytes = vec![0; size.bytes()];
    let object = ObjectNumber(77);
    match input.byte() % 11 {
        0 => segment::init(&mut bytes, true, HERE, object, Owner::Table),
        1 => segment::init(&mut bytes, false, HERE, object, Owner::Index),
        2 => segment::init_map(&mut bytes, HERE, object, u32::from(input.byte())),
        3 => freelist::init_group(&mut bytes, HERE, object, 1, u16::from(input.byte() % 25)),
        4 => {
            bitmap::init_first_level(&mut bytes, HERE, object, 1 << (input.byte() % 11));
            for n in 0..input.byte() % 6 {
                let state = BlockState::DATA[usize::from(input.byte()) % BlockState::DATA.len()];
                bitmap::add_range(&mut bytes, HERE.plus(u32::from(n) * 64), u32::from(input.byte() % 65), state);
            }
        }
        5 => {
            bitmap::init_upper(&mut bytes, BlockType::SecondLevelBitmap, HERE, object, HERE.plus(1));
            for _ in 0..input.byte() % 6 {
                bitmap::push_second_level(&mut bytes, HERE.plus(2), input.byte());
            }
        }
        6 => {
            bitmap::init_upper(&mut bytes, BlockType::ThirdLevelBitmap, HERE, object, HERE.plus(1));
            bitmap::push_third_level(&mut bytes, HERE.plus(2));
        }
        7 => {
            block::format(&mut bytes, BlockType::FileHeader, HERE);
            let header = file::file_header_mut(&mut bytes);
            file::put_name(&mut header.tablespace_name, "USERS");
        }
        8 => {
            file::init_space_header(&mut bytes, HERE.file, size, u32::from(input.byte()) + 1, 100_000);
            let header = block::header_mut(&mut bytes);
            header.rdba = HERE.pack().into();
        }
        9 => {
            extent_bitmap::init(&mut bytes, HERE, u32::from(input.word()));
            for _ in 0..input.byte() % 6 {
                extent_bitmap::set(&mut bytes, u32::from(input.byte()) * 8, u32::from(input.byte()), true);
            }
        }
        _ => block::format(&mut bytes, BlockType::from_byte(input.byte()).unwrap_or(BlockType::UndoBlock), HERE),
    }
    patch(&mut bytes, input);
    block::seal(&mut bytes);
    bytes
}
