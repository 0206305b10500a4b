//! PostgreSQL's programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The user that runs the server when root runs the benchmark.
const UNPRIVILEGED: &str = "nobody";

/// The programs.
#[derive(Clone, Debug)]
pub struct Installation {
    directory: PathBuf,
    /// User and group as `id` gives them; None where the benchmark does not run as root.
    pub(crate) run_as: Option<(u32, u32)>,
    /// The version that the server's program reports.
    pub version: String,
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

impl Installation {
    /// Looks for PostgreSQL in `given`, else in `.peers/postgres`.
    ///
    /// # Errors
    /// A message with the reason why there is no installation to compare with.
    pub fn find(given: Option<&Path>) -> Result<Self, String> {
        let directory = match given {
            Some(path) => path.to_owned(),
            None => beside().ok_or("PostgreSQL is not in .peers/postgres; scripts/fetch-postgres.sh puts it there")?,
        };
        let directory = directory.canonicalize().map_err(|error| format!("{}: {error}", directory.display()))?;
        let run_as = if id(&["-u"]) == Some(0) {
            let ids = id(&["-u", UNPRIVILEGED]).zip(id(&["-g", UNPRIVILEGED]));
            Some(ids.ok_or("PostgreSQL does not run as root, and there is no user 'nobody'")?)
        } else {
            None
        };
        let mut found = Self { directory, run_as, version: String::new() };
        let output = found.command("postgres").arg("--version").output();
        match output {
            Ok(output) if output.status.success() => {
                found.version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
                Ok(found)
            }
            Ok(output) => Err(format!(
                "{} does not run: {}",
                found.directory.join("bin/postgres").display(),
                String::from_utf8_lossy(&output.stderr).trim()
            )),
            Err(error) => Err(format!("{} does not run: {error}", found.directory.join("bin/postgres").display())),
        }
    }

    /// One of the programs, as the user who may run it.
    pub(crate) fn command(&self, program: &str) -> Command {
        let path = self.directory.join("bin").join(program);
        let mut command = match self.run_as {
            Some((user, group)) => {
                let mut command = Command::new("setpriv");
                command
                    .arg(format!("--reuid={user}"))
                    .arg(format!("--regid={group}"))
                    .args(["--clear-groups", "--pdeathsig", "INT"])
                    .arg(path);
                command
            }
            None => Command::new(path),
        };
        command.env("LD_LIBRARY_PATH", self.directory.join("lib")).env("LC_ALL", "C").stdin(Stdio::null());
        command
    }
}

/// `.peers/postgres` in the working directory, or in a directory above the program.
fn beside() -> Option<PathBuf> {
    let mut places: Vec<PathBuf> = std::env::current_dir().into_iter().collect();
    if let Ok(program) = std::env::current_exe() {
        places.extend(program.ancestors().skip(1).map(Path::to_owned));
    }
    places.into_iter().map(|place| place.join(".peers/postgres")).find(|path| path.join("bin/postgres").exists())
}
