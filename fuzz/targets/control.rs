//! The control file, with and without the right checksum, and the parameter file.

#![no_main]

use std::path::Path;
use std::sync::Arc;

use device::{FileSystem, MemoryFileSystem};
use storage::control::ControlFile;
use storage::parameters::{ParameterFile, Parameters};
use highwater_fuzz::Input;
use libfuzzer_sys::fuzz_target;

const DOCUMENT: &str = r#"{"sequence":1,"database_id":7,"database_name":"TOY","created_us":0,"block_bytes":8192,"shutdown":"clean","scn":9,
"tablespaces":[{"number":0,"name":"SYSTEM","block_bytes":8192,"extent_management":"autoallocate","space_management":"manual"},
{"number":1,"name":"USERS","block_bytes":8192,"extent_management":{"uniform":{"blocks":8}},"space_management":"auto"}],
"datafiles":[{"number":1,"tablespace":0,"name":"system01.dbf","blocks":1280,"autoextend":{"next":128,"max":4194303},"created_us":0}],"bootstrap":{}}"#;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    match input.byte() % 4 {
        0 => control(input.rest()),
        1 => control(&sealed(input.rest())),
        2 => {
            let mut document = DOCUMENT.as_bytes().to_vec();
            for _ in 0..input.byte() % 4 + 1 {
                let (at, gone) = (input.below(document.len()), usize::from(input.byte() % 16));
                let length = usize::from(input.byte() % 16);
                let end = (at + gone).min(document.len());
                document.splice(at..end, input.take(length).iter().copied());
            }
            control(&sealed(&document));
        }
        _ => {
            if let Ok(text) = std::str::from_utf8(input.rest())
                && let Ok(file) = ParameterFile::parse(text)
            {
                assert_eq!(ParameterFile::parse(&file.text()).ok().as_ref(), Some(&file));
                let _ = Parameters::from_file(&file);
            }
        }
    }
});

fn sealed(body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("HIGHWATER CONTROL 1 {:08x} 1\n", crc32c::crc32c(body)).into_bytes();
    bytes.extend_from_slice(body);
    bytes.push(b'\n');
    bytes
}

fn control(bytes: &[u8]) {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let directory = Path::new("data");
    files.create_directory(directory).expect("memory has room");
    files.write_whole(&directory.join("control01.ctl"), bytes).expect("memory has room");
    if let Ok(mut control) = ControlFile::open(files.clone(), directory) {
        for tablespace in &control.data().tablespaces {
            let _ = tablespace.block_size();
        }
        control.update(|_| ()).expect("memory has room");
        let again = ControlFile::open(files, directory).expect("what was written is read");
        assert_eq!(again.data(), control.data());
    }
}
