# One command a habit. `just` lists them.

_default:
    @just --list

# What CI runs: format, lint, licences, tests
ci:
    bash .ci/run

# All tests
test:
    cargo test --workspace

# The parts that build in seconds, without DataFusion
test-engine:
    cargo test -p common -p errors -p waits -p format -p scan -p device -p storage -p engine -p sim -p scalar -p report -p shell -p stacks

# Interleavings of the storage's threads, under a scheduler
interleavings:
    cargo test -p storage --features shuttle --test interleavings

# Formatting and lints
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# The book of docs/ in book/, by mdBook, which is built when it is not there
book:
    scripts/book.sh

# Licences and sources of dependencies
deny:
    cargo deny --all-features check licenses bans sources

# The release binary after a change, again and again: the first time builds our crates whole, then only what has changed (CONTRIBUTING.md)
rebuild:
    CARGO_INCREMENTAL=1 cargo build --release

# The first experiment, as a release build
reproduce name="insert-gets":
    cargo run --release -- reproduce {{name}}

# Highwater beside PostgreSQL 18 (fetched once by the script)
bench-peers:
    bash scripts/fetch-postgres.sh
    cargo run --release -- bench insert

# The packages in dist/: tarball and symbols, Debian package, wheel
package *arguments:
    scripts/package.sh {{arguments}}

# Each of them installed and run in a clean Debian (root, debootstrap)
try-packages:
    scripts/try-packages.sh

# Rewrites the generated reference pages
reference:
    HIGHWATER_WRITE_REFERENCE=1 UPDATE_REFERENCE=1 cargo test -p waits -p storage -p report reference
    UPDATE_GOLDEN=1 cargo test -p errors --test reference
    UPDATE_REFERENCE=1 cargo test --workspace --lib reference

# Crashes and faults by seed (crates/sim/README.md)
sim seeds="100" lives="1000":
    cargo run --release -p sim -- --seeds {{seeds}} --steps 100 --places 60
    cargo run --release -p sim -- --seeds 5 --steps 12 --exhaustive 1
    cargo run --release -p sim -- --lives 3 --seeds {{lives}} --steps 20 --places 12 --jobs 2 --quiet 1
    cargo run --release -p sim -- --lives 3 --threads 3 --seeds {{seeds}} --steps 20 --places 12 --quiet 1

# Kills the binary at random moments while sessions write, and checks what it leaves (crates/lab/README.md)
kill loops="200":
    cargo run --release -- bench durability --loops {{loops}}

# Images of the real binary at any moment of three lives in a row (crates/recorder/README.md)
images count="10000":
    cargo build --release
    cargo run --release -p recorder -- images --program "${CARGO_TARGET_DIR:-target}/release/highwater" --images {{count}}

# Every write, sync, rename and truncate of the real binary fails once (crates/recorder/README.md)
faults most="100000":
    cargo build --release
    cargo run --release -p recorder -- faults --program "${CARGO_TARGET_DIR:-target}/release/highwater" --most {{most}}

# Each fuzz target for that many seconds (fuzz/README.md)
fuzz seconds="60" targets="":
    bash fuzz/run {{seconds}} {{targets}}
