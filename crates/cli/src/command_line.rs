//! The command line as clap reads it.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand};

use crate::numbers::{Numbers, Percentages};
use crate::size::Size;

/// A database engine with Oracle's physical storage architecture, and the laboratory around it.
#[derive(Parser, Debug)]
#[command(name = "highwater", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Reproduce(Reproduce),
    Sql(Sql),
    Tkprof(Tkprof),
    Analyze(Analyze),
    Verify(Verify),
    Dump(Dump),
    Map(Map),
    Disks(Disks),
    Device(Device),
    Cells(Cells),
    Cell(Cell),
    Generate(Generate),
    Load(Load),
    Bench(Bench),
    Completions(Completions),
    Help(Help),
    #[command(hide = true)]
    DurabilityProcess(DurabilityProcess),
}

/// Run a paper's experiment, and print what was published beside what is measured
#[derive(Args, Debug)]
pub(crate) struct Reproduce {
    /// The experiment
    pub(crate) name: Option<String>,
    /// List the experiments
    #[arg(long)]
    pub(crate) list: bool,
    /// Multiply the work: the number of rows, or the length of a repetition
    /// [default: 1; block-size --part multiblock, au-size: 0.1]
    #[arg(long, value_name = "S")]
    pub(crate) scale: Option<f64>,
    /// insert-gets: where the rows are from: objects, tpch:lineitem, or a CSV file [default: objects]
    #[arg(long, value_name = "SOURCE")]
    pub(crate) source: Option<String>,
    /// freelists: length of a repetition [default: 10 seconds]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) minutes: Option<f64>,
    /// freelists: sessions at once; several numbers (1,2,4 or 1..32) make a sweep [default: 5]
    #[arg(long, value_name = "N|LIST", allow_negative_numbers = true)]
    pub(crate) sessions: Option<Numbers>,
    /// freelists: a sweep over these values of FREELISTS, beside bitmaps; one value is that of the other sweeps
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    pub(crate) freelists: Option<Numbers>,
    /// freelists: a sweep over these values of FREELIST GROUPS
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    pub(crate) freelist_groups: Option<Numbers>,
    /// freelists: a sweep over these values of INITRANS
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    pub(crate) initrans: Option<Numbers>,
    /// freelists: a sweep over these values of PCTUSED
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    pub(crate) pctused: Option<Percentages>,
    /// freelists: a sweep over these values of FREELISTS of an index on the inserted column
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    pub(crate) index_freelists: Option<Numbers>,
    /// block-size: a sweep over these values of PCTFREE at three block sizes (0,10,20 or 0..50)
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    pub(crate) pctfree: Option<Percentages>,
    /// block-size: a sweep over these values of DB_FILE_MULTIBLOCK_READ_COUNT at four block sizes; au-size: reads of
    /// the session instead of scans by the cell, 0 being the latter
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    pub(crate) multiblock_read_count: Option<Numbers>,
    /// au-size: a sweep over these allocation units, in MB [default: 1,2,4,8,16 with --out]
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    pub(crate) au_mb: Option<Numbers>,
    /// au-size: extents of the tablespace in MB, 0 for those that grow; several values multiply the sweep
    #[arg(long, value_name = "N|LIST", allow_negative_numbers = true)]
    pub(crate) extent_mb: Option<Numbers>,
    /// block-size: one part of it, pctfree or multiblock [default: both]
    #[arg(long, value_name = "PART")]
    pub(crate) part: Option<String>,
    /// freelists, block-size, au-size: how often each arm is run [default: 5, 3, 5]
    #[arg(long, value_name = "N")]
    pub(crate) repetitions: Option<u32>,
    /// freelists: the order of the arms follows from it [default: 1]
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
    /// freelists, block-size, au-size: where a sweep's CSV and page go [default: NAME-sweep]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write the figures as JSON, too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// block-size: one more run, of 16 KB with the legacy search, and a flame graph of its update as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) flamegraph: Option<PathBuf>,
    /// Make the database here and leave it, instead of in a temporary directory
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) modelled: Modelled,
}

/// Modelled devices under the databases of a run.
#[derive(Args, Debug)]
pub(crate) struct Modelled {
    /// Lay each database of the run on a modelled device: a name of `device list`, or a model file. reproduce au-size:
    /// the disks of its cell [default there: disk-15k-600gb]
    #[arg(long, value_name = "MODEL", visible_alias = "model")]
    pub(crate) device: Option<PathBuf>,
    /// Make the device so many times slower than its model; times of the run are the slower device's, but for au-size,
    /// which has the model's [default: 1; reproduce au-size: 4]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) dilate: Option<f64>,
    /// Keep the device's bytes in memory: nothing of the run is durable
    #[arg(long, requires = "device", conflicts_with = "data")]
    pub(crate) in_memory: bool,
}

/// Run SQL*Plus-style scripts, or type statements, on a database in a directory of this machine
#[derive(Args, Debug)]
pub(crate) struct Sql {
    /// The database; it is created when there is none [default: highwater-data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Neither banner nor prompts
    #[arg(short = 'S')]
    pub(crate) silent: bool,
    /// Write the messages to and from storage cells, as pcap; scripts/sum-capture.py sums them up
    #[arg(long, value_name = "FILE")]
    pub(crate) capture: Option<PathBuf>,
    /// User and password (without them, or with /, SYSTEM), then a script with its arguments
    #[arg(value_name = "USER[/PASSWORD]] [@SCRIPT [ARGS]", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<String>,
}

/// Sum up a 10046 trace by statement, as TKPROF does: Highwater's own traces or Oracle's
#[derive(Args, Debug)]
pub(crate) struct Tkprof {
    /// The trace file
    pub(crate) trace: PathBuf,
    /// The file for the report (standard output without one), and options: sort=(exeela,fchela) print=10 sys=no
    /// aggregate=no waits=no inclusive=yes
    #[arg(value_name = "OUT|NAME=VALUE")]
    pub(crate) words: Vec<String>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Add where the time went: by call and event, object, file, block and class, and a histogram of each event
    #[arg(long)]
    pub(crate) profile: bool,
    /// Order of the profile's statements: elapsed, cpu, waits, unaccounted, between, longest, calls, wait:EVENT, or a
    /// sort key of TKPROF
    #[arg(long, value_name = "KEY", requires = "profile")]
    pub(crate) profile_sort: Option<String>,
}

/// Say what Statspack and AWR reports, 10046 traces and TKPROF output show: what is wrong, why, and what it is worth
///
/// One file: its findings. Two: they are compared. A folder, or several files: a time line, and which intervals stand
/// out.
#[derive(Args, Debug)]
pub(crate) struct Analyze {
    /// Reports, traces and folders of them; gzip, zip and xz are read through
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON instead of the screen
    #[arg(long)]
    pub(crate) json: bool,
    /// Print one line a report as CSV instead of the screen
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Write one self-contained page, too
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
    /// Replace SQL text and the names of hosts, databases, schemas, objects and modules, the same name always by the
    /// same
    #[arg(long)]
    pub(crate) mask: bool,
    /// Latency, in milliseconds, of the storage that savings are reckoned for
    #[arg(long, value_name = "MS", default_value_t = advisor::Options::default().storage_ms)]
    pub(crate) storage_ms: f64,
}

/// Print a script that completes highwater's commands and options in a shell
#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Print the help of a command; or of the number of an error what it stands for, its cause, and what to do
#[derive(Args, Debug)]
pub(crate) struct Help {
    /// A command, or a number: ORA-00942, HW-0001, SP2-0310; without a family, ORA's number first [default: all
    /// commands]
    #[arg(value_name = "COMMAND|NUMBER")]
    pub(crate) subject: Vec<String>,
}

/// Check every block of a closed database, and name those that are wrong
#[derive(Args, Debug)]
pub(crate) struct Verify {
    /// The database
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
}

/// Show what each block of a table or an index is used for; the database is closed, and stays as it is
#[derive(Args, Debug)]
pub(crate) struct Map {
    /// The database
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Tables and indexes; without an owner SYSTEM's
    #[arg(value_name = "OWNER.TABLE", required = true)]
    pub(crate) segments: Vec<String>,
    /// Show where each extent is on the disks of its group: by track on modelled disks, by offset on others
    #[arg(long)]
    pub(crate) disks: bool,
    /// Write one HTML page, instead of the map in the terminal
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
}

/// Make files of zeros to be the disks of a disk group: all of them or none, and no file is overwritten
#[derive(Args, Debug)]
pub(crate) struct Disks {
    /// How many
    #[arg(long, value_name = "N")]
    pub(crate) make: u16,
    /// Size of each, with K, M, G or T
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Size,
    /// Their paths, with one * in the last part: a number from 1 on takes its place
    #[arg(long, value_name = "PATTERN")]
    pub(crate) pattern: String,
    /// Make a disk group of them, for a database to be: its parameter file names the group
    #[arg(long, value_name = "NAME")]
    pub(crate) group: Option<String>,
    /// Copies that the group keeps: external (one), normal (two) or high (three)
    #[arg(long, value_name = "KIND", requires = "group", default_value = "normal")]
    pub(crate) redundancy: String,
}

/// Models of storage devices: list, show and score them
#[derive(Args, Debug)]
pub(crate) struct Device {
    #[command(subcommand)]
    pub(crate) command: DeviceCommand,
}

/// What is done with a model.
#[derive(Subcommand, Debug)]
pub(crate) enum DeviceCommand {
    List,
    Show(DeviceShow),
    Check(DeviceCheck),
    Import(DeviceImport),
    Calibrate(DeviceCalibrate),
}

/// Print what a model does: random and sequential requests at several queue depths, in the model's own time
#[derive(Args, Debug)]
pub(crate) struct DeviceShow {
    /// A name of the catalogue, or a file
    pub(crate) model: PathBuf,
}

/// Score a model of a disk against a trace of a real drive
#[derive(Args, Debug)]
pub(crate) struct DeviceCheck {
    /// A name of the catalogue, or a file
    pub(crate) model: PathBuf,
    /// The trace: a request a line
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: PathBuf,
    /// Write the figures to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// Print a model file made of DiskSim's description of a drive
#[derive(Args, Debug)]
pub(crate) struct DeviceImport {
    /// NAME.diskspecs; NAME.model and NAME.seek lie beside it
    pub(crate) specs: PathBuf,
    /// With all measured seeks, and not only the three figures that a data sheet has
    #[arg(long)]
    pub(crate) measured_seeks: bool,
}

/// Measure the machine's own device at several queue depths, and print a model of it; its error against fresh runs goes
/// to stderr
#[derive(Args, Debug)]
pub(crate) struct DeviceCalibrate {
    /// A directory on the device: a file is made in it, and removed afterwards
    pub(crate) path: PathBuf,
    /// The file's size, with K, M, G or T
    #[arg(long, value_name = "SIZE", default_value = "1G")]
    pub(crate) size: Size,
    /// Requests at each queue depth; up to eight times as many at the greater ones
    #[arg(long, value_name = "N", default_value_t = 5000)]
    pub(crate) requests: u32,
}

/// Make folders of grid disks that are cut out of modelled devices: all of them or none
#[derive(Args, Debug)]
pub(crate) struct Cells {
    /// How many cells
    #[arg(long, value_name = "N")]
    pub(crate) make: u16,
    /// Devices of each
    #[arg(long, value_name = "M", default_value_t = 12)]
    pub(crate) disks: u16,
    /// The devices' model: a name of the catalogue, or a file
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) model: PathBuf,
    /// A grid disk of each device, from the outermost free track on: its name and its size, with K, M, G or T
    #[arg(long, value_name = "NAME:SIZE", required = true)]
    pub(crate) grid: Vec<Grid>,
    /// A flash cache of this size in each cell
    #[arg(long, value_name = "SIZE")]
    pub(crate) flash_cache: Option<Size>,
    /// A flash log of this size in each cell
    #[arg(long, value_name = "SIZE")]
    pub(crate) flash_log: Option<Size>,
    /// The model of the flash device: a name of the catalogue, or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "nvme-p3700")]
    pub(crate) flash_model: PathBuf,
    /// Devices are so many times slower than the model
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    pub(crate) dilate: f64,
    /// Where the folders cell01, cell02 and so on go [default: the working directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Serve the disks of a cell to databases elsewhere, or make a cell elsewhere known to a database
#[derive(Args, Debug)]
pub(crate) struct Cell {
    /// The cell: a folder that the command cells has made
    #[arg(long, value_name = "DIR", requires = "listen", conflicts_with_all = ["connect", "make_keys"])]
    pub(crate) disks: Option<PathBuf>,
    /// Host and port at which the cell listens
    #[arg(long, value_name = "ADDRESS", requires = "disks")]
    pub(crate) listen: Option<String>,
    /// The keys of cells and databases, made by --make-keys
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: Option<PathBuf>,
    /// Make the folder that stands for the cell at this address
    #[arg(long, value_name = "ADDRESS", conflicts_with = "make_keys")]
    pub(crate) connect: Option<String>,
    /// Where that folder goes: the data directory [default: the working directory]
    #[arg(long, value_name = "DIR", requires = "connect")]
    pub(crate) out: Option<PathBuf>,
    /// Make keys in this folder; cells and databases with keys of one making know each other
    #[arg(long, value_name = "DIR")]
    pub(crate) make_keys: Option<PathBuf>,
}

/// A grid: a name and a size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Grid {
    pub(crate) name: String,
    pub(crate) size: Size,
}

impl FromStr for Grid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, size) = text.split_once(':').ok_or("NAME:SIZE is expected")?;
        let good = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(good) {
            return Err("a name has letters, digits and _".to_owned());
        }
        Ok(Self { name: name.to_owned(), size: size.parse()? })
    }
}

/// Print one block, or the records of the redo log, in readable form
#[derive(Args, Debug)]
pub(crate) struct Dump {
    /// The database
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Absolute file number, or the word redo
    #[arg(value_name = "FILE|redo")]
    pub(crate) what: Dumped,
    /// Block number in the file; with redo, the log sequence to begin with [default: the last]
    #[arg(value_name = "BLOCK|SEQUENCE")]
    pub(crate) number: Option<u32>,
}

/// What is dumped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dumped {
    /// A block of the file with this absolute number.
    File(u16),
    Redo,
}

impl FromStr for Dumped {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("redo") {
            return Ok(Self::Redo);
        }
        text.parse().map(Self::File).map_err(|_| "neither a file number nor the word redo".to_owned())
    }
}

/// Load a file of comma-separated values into a table, in one transaction: all its rows, or none
#[derive(Args, Debug)]
pub(crate) struct Load {
    /// The database
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// The table; without an owner SYSTEM's
    #[arg(long, value_name = "OWNER.TABLE")]
    pub(crate) table: String,
    /// The file
    pub(crate) file: PathBuf,
    /// What stands between two values: one character, or the word tab
    #[arg(long, value_name = "C", default_value = ",")]
    pub(crate) delimiter: Delimiter,
    /// The first row names the columns; those that it does not name get their DEFAULT
    #[arg(long)]
    pub(crate) header: bool,
    /// Rows that may be rejected; with more, nothing is loaded
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) errors: u64,
    /// Where rejected rows go, each below a line that says why [default: the file's name and .bad]
    #[arg(long, value_name = "BAD")]
    pub(crate) bad: Option<PathBuf>,
    /// How dates are written, as TO_DATE takes it [default: DD-MON-RR]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) date_format: Option<String>,
    /// How times are written, as TO_TIMESTAMP takes it [default: DD-MON-RR HH.MI.SSXFF AM]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) timestamp_format: Option<String>,
}

/// A byte between two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Delimiter(pub(crate) u8);

impl FromStr for Delimiter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.as_bytes() {
            _ if text.eq_ignore_ascii_case("tab") || text == "\\t" => Ok(Self(b'\t')),
            [byte] if !matches!(byte, b'"' | b'\n' | b'\r') => Ok(Self(*byte)),
            _ => Err("neither one character of one byte nor the word tab".to_owned()),
        }
    }
}

/// Write flat files of the tables of TPC-DS or TPC-H, fields ended by |, as dsdgen and dbgen do
#[derive(Args, Debug)]
pub(crate) struct Generate {
    /// tpcds or tpch
    pub(crate) suite: String,
    /// The scale factor: about so many gigabytes for all tables
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) scale: f64,
    /// One table; any can be made alone [default: all]
    #[arg(long, value_name = "T")]
    pub(crate) table: Option<String>,
    /// Where the files go; none is written over [default: the working directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Run a benchmark beside its peers where they are installed, or kill processes that write and check what they leave
#[derive(Args, Debug)]
pub(crate) struct Bench {
    /// The benchmark
    pub(crate) name: Option<String>,
    /// List the benchmarks
    #[arg(long)]
    pub(crate) list: bool,
    /// Multiply the number of rows
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    pub(crate) scale: f64,
    /// Runs of each side
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) runs: u32,
    /// Buffer cache of each side, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 512)]
    pub(crate) cache_mb: u64,
    /// durability: processes to kill
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) loops: u64,
    /// durability: sessions that write in each process
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) sessions: u32,
    /// durability: what is done, and when processes are killed, follows from it as far as a running machine can repeat
    /// it
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Keep both sides' files here, instead of in a temporary directory
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) modelled: Modelled,
    /// Where PostgreSQL's bin and lib are [default: .peers/postgres]
    #[arg(long, value_name = "DIR")]
    pub(crate) postgres: Option<PathBuf>,
    /// Write the figures as JSON, too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// What `bench durability` starts and kills.
#[derive(Args, Debug)]
pub(crate) struct DurabilityProcess {
    #[arg(long)]
    pub(crate) data: PathBuf,
    #[arg(long)]
    pub(crate) seed: u64,
    #[arg(long)]
    pub(crate) life: u64,
    #[arg(long)]
    pub(crate) sessions: u32,
    #[arg(long)]
    pub(crate) idle: bool,
}
