//! Options of the program, with a number each.

/// The options; see README.md.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) first: u64,
    pub(super) seeds: u64,
    pub(super) steps: usize,
    pub(super) places: usize,
    pub(super) indexes: bool,
    /// A crash at every operation, and after every tenth of these one at every operation of the recovery.
    pub(super) exhaustive: bool,
    /// Disks of the disk group that datafiles are in.
    pub(super) disks: u16,
    /// Tables are loaded past the cache too.
    pub(super) loads: bool,
    /// Lives of the database, one after another; the seed then chooses disks and loads. 0: one life on a disk on which
    /// everything was durable.
    pub(super) lives: usize,
    /// Lives of a mirrored disk group without a database, whose disks fail, leave and come back; 0: a database.
    pub(super) groups: u64,
    /// The datafiles are in a disk group, mirrored for most seeds, whose disks fail, leave and come back; with lives.
    pub(super) mirrors: bool,
    /// Threads of each run that work at once; 0: one, and a run can be repeated.
    pub(super) threads: usize,
    /// Threads that run seeds.
    pub(super) jobs: usize,
    /// Failures are dumped beside the program: the default of runs with threads, which cannot be repeated.
    pub(super) dump: bool,
    /// Only failures and the progress are shown.
    pub(super) quiet: bool,
}

impl Options {
    pub(super) fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            first: 1,
            seeds: 20,
            steps: 60,
            places: 60,
            indexes: true,
            exhaustive: false,
            disks: 0,
            loads: false,
            lives: 0,
            groups: 0,
            mirrors: false,
            threads: 0,
            jobs: 1,
            dump: false,
            quiet: false,
        };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a number"))?;
            let value: u64 = value.parse().map_err(|_| format!("{name} {value}: not a number"))?;
            match name.as_str() {
                "--first" | "--seed" => options.first = value,
                "--seeds" | "--runs" => options.seeds = value,
                "--steps" => options.steps = value as usize,
                "--places" => options.places = value as usize,
                "--indexes" => options.indexes = value != 0,
                "--disks" => options.disks = value.min(8) as u16,
                "--loads" => options.loads = value != 0,
                "--exhaustive" => options.exhaustive = value != 0,
                "--groups" => options.groups = value,
                "--mirrors" => options.mirrors = value != 0,
                "--lives" => options.lives = value as usize,
                "--threads" => {
                    options.threads = value as usize;
                    options.dump = value > 0;
                }
                "--dump" => options.dump = value != 0,
                "--jobs" => options.jobs = value as usize,
                "--quiet" => options.quiet = value != 0,
                _ => {
                    return Err(format!(
                        "{name} is no option: --seeds, --first, --steps, --places, --indexes, --exhaustive, --disks, --loads, --lives, --groups, --mirrors, --threads, --jobs, --dump, --quiet"
                    ));
                }
            }
        }
        if options.mirrors && options.lives == 0 {
            options.lives = 3;
        }
        Ok(options)
    }
}
