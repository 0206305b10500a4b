#!/usr/bin/env bash
# Makes the packages in dist/: a tarball with its symbols beside it, a Debian package, a Python wheel.
#
#   scripts/package.sh [VERSION] [--binary PATH]
#
# VERSION is that of Cargo.toml, or that with a suffix (0.1.0+trial). Without --binary the release build is made first.
# All three packages carry the same program, byte for byte: without debug information, but with its table of symbols
# (15 MB), because ORADEBUG SHORT_STACK and flame graphs name functions by it. The .debug file has the rest. A debugger
# and a backtrace find it beside the program.
#
# cargo-deb (MIT), maturin (MIT or Apache-2.0) and wheel (MIT) are installed into the folder TARGET-tools, TARGET being
# the target directory, when they are not there. Needs binutils, Python 3 with venv, and x86-64 Linux.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo_deb_version=3.8.0
maturin_version=1.16.0
wheel_version=0.48.0
tarball_bytes_max=60000000

fail() {
    echo "package: $*" >&2
    exit 1
}

version="" binary=""
while [ $# -gt 0 ]; do
    case "$1" in
        --binary) [ $# -ge 2 ] || fail "--binary needs a path"; binary="$(realpath "$2")"; shift 2 ;;
        -*) fail "usage: scripts/package.sh [VERSION] [--binary PATH]" ;;
        *) [ -z "$version" ] || fail "one version, not two"; version="$1"; shift ;;
    esac
done
[ "$(uname -sm)" = "Linux x86_64" ] || fail "packages are made on Linux on x86-64"
for program in cargo objcopy objdump strip python3 tar gzip; do
    command -v "$program" >/dev/null || fail "$program is needed"
done

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
tools="$target-tools"
source_version="$(sed -n '/^\[workspace\.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)"
version="${version:-$source_version}"
[[ "$version" =~ ^"$source_version"(\+[a-z0-9]+(\.[a-z0-9]+)*)?$ ]] ||
    fail "version $version: expected $source_version, or $source_version+SUFFIX of small letters and digits"

if [ -z "$binary" ]; then
    cargo build --release --locked
    binary="$target/release/highwater"
fi
[ -x "$binary" ] || fail "$binary is no program"
[ "$("$binary" --version)" = "highwater $source_version" ] || fail "$binary is not of version $source_version"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
stage="$work/target/release"
mkdir -p "$stage" dist
name="highwater-$version-linux-x86_64"
# Files get the time of the commit, so that the same commit gives the same packages.
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH

# The program and its symbols.
objcopy --only-keep-debug --compress-debug-sections=zlib "$binary" "dist/$name.debug"
chmod 644 "dist/$name.debug"
strip --strip-debug -o "$stage/highwater" "$binary"
objcopy --add-gnu-debuglink="dist/$name.debug" "$stage/highwater"
chmod 755 "$stage/highwater"
mkdir "$stage/completions"
for shell in bash fish zsh; do
    "$stage/highwater" completions "$shell" >"$stage/completions/highwater.$shell"
done

# What the program needs of the C library: the Debian package and the wheel must not promise less.
glibc="$(objdump -T "$stage/highwater" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -1)"
promised="$(sed -n 's/^depends = "libc6 (>= \(.*\))"$/\1/p' crates/cli/Cargo.toml)"
[ "$(printf '%s\n' "$glibc" "$promised" | sort -V | tail -1)" = "$promised" ] ||
    fail "the program needs glibc $glibc, crates/cli/Cargo.toml promises $promised: build on an older system"
others="$(objdump -p "$stage/highwater" | awk '$1 == "NEEDED" && $2 !~ /^(lib(c|m|gcc_s)|ld-linux-x86-64)\.so\./ { print $2 }')"
[ -z "$others" ] || fail "the program needs libraries that libc6 does not bring: $others"

# The tarball.
folder="$work/$name"
mkdir -p "$folder/docs"
cp "$stage/highwater" LICENSE README.md "$folder/"
cp -r "$stage/completions" "$folder/"
cp -r docs/guide docs/examples docs/findings "$folder/docs/"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$work" -c "$name" |
    gzip -n >"dist/$name.tar.gz"
bytes="$(stat -c %s "dist/$name.tar.gz")"
[ "$bytes" -lt "$tarball_bytes_max" ] || fail "the tarball has $bytes bytes, more than $tarball_bytes_max"

# The Debian package: cargo-deb takes target/release/… of crates/cli/Cargo.toml from the target directory that it is given.
# --fast: 22 MB in seconds, where the default makes 19 MB in a minute.
if ! "$tools/bin/cargo-deb" --version 2>/dev/null | grep -qFx "cargo-deb $cargo_deb_version"; then
    cargo install --quiet --locked --force cargo-deb --version "$cargo_deb_version" --root "$tools" \
        --target-dir "$tools/build"
    rm -rf "$tools/build"
fi
CARGO_TARGET_DIR="$work/target" PATH="$tools/bin:$PATH" cargo deb --quiet --locked --no-build --no-strip --fast \
    --manifest-path crates/cli/Cargo.toml --deb-version "$version-1" --output "dist/highwater_$version-1_amd64.deb" >/dev/null

# The wheel: maturin writes the metadata from pyproject.toml. A build by maturin would compile and link once more, and
# give another program than the other packages have, so the program is laid into the wheel's folder as it is.
python="$tools/python/bin"
if ! "$python/maturin" --version 2>/dev/null | grep -qFx "maturin $maturin_version" ||
    ! "$python/wheel" version 2>/dev/null | grep -qFx "wheel $wheel_version"; then
    python3 -m venv "$tools/python"
    "$python/pip" install --quiet "maturin==$maturin_version" "wheel==$wheel_version"
fi
wheel="$work/wheel"
mkdir "$wheel"
"$python/maturin" pep517 write-dist-info --quiet --metadata-directory "$wheel" >"$work/maturin.out" 2>&1 ||
    { cat "$work/maturin.out" >&2; fail "maturin wrote no metadata"; }
[ -d "$wheel/highwater-$version.dist-info" ] ||
    mv "$wheel/highwater-$source_version.dist-info" "$wheel/highwater-$version.dist-info"
sed -i "s/^Version: .*/Version: $version/" "$wheel/highwater-$version.dist-info/METADATA"
sed -i "s/^Tag: .*/Tag: py3-none-manylinux_${promised/./_}_x86_64/" "$wheel/highwater-$version.dist-info/WHEEL"
share="$wheel/highwater-$version.data/data/share"
mkdir -p "$wheel/highwater-$version.data/scripts" "$share/highwater" "$share/bash-completion/completions" \
    "$share/fish/vendor_completions.d" "$share/zsh/site-functions"
cp "$stage/highwater" "$wheel/highwater-$version.data/scripts/"
cp -r docs/guide docs/examples docs/findings "$share/highwater/"
cp "$stage/completions/highwater.bash" "$share/bash-completion/completions/highwater"
cp "$stage/completions/highwater.fish" "$share/fish/vendor_completions.d/"
cp "$stage/completions/highwater.zsh" "$share/zsh/site-functions/_highwater"
"$python/wheel" pack --dest-dir dist "$wheel" >/dev/null

ls -l "dist/$name.tar.gz" "dist/$name.debug" "dist/highwater_$version-1_amd64.deb" dist/highwater-"$version"-py3-*.whl |
    awk '{ printf "%12d  %s\n", $5, $NF }'
