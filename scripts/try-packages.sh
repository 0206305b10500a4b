#!/usr/bin/env bash
# Installs each package of dist/ in a clean Debian and runs it there: the version, the findings of the bundled report, a
# short experiment. Prints its size, what it takes when installed, and its start time.
#
#   scripts/try-packages.sh [DIST]
#
# Needs root, debootstrap and unshare. The clean Debian (minbase, Python with venv) is made once, in TARGET-tools; each
# package gets a copy of it without a network, so nothing can be fetched. HIGHWATER_DEBIAN_SUITE and
# HIGHWATER_DEBIAN_MIRROR choose another Debian. Two minutes, three the first time.
set -euo pipefail
cd "$(dirname "$0")/.."

suite="${HIGHWATER_DEBIAN_SUITE:-bookworm}"
mirror="${HIGHWATER_DEBIAN_MIRROR:-http://deb.debian.org/debian}"
dist="$(realpath "${1:-dist}")"
base="$(realpath -m "${CARGO_TARGET_DIR:-target}")-tools/debian-$suite"

fail() {
    echo "try-packages: $*" >&2
    exit 1
}

[ "$(id -u)" -eq 0 ] || fail "a root of its own takes root's rights"
for program in debootstrap unshare chroot; do
    command -v "$program" >/dev/null || fail "$program is needed (apt install debootstrap util-linux)"
done
if [ ! -d "$base" ]; then
    rm -rf "$base.part"
    mkdir -p "$(dirname "$base")"
    debootstrap --variant=minbase --include=python3-venv "$suite" "$base.part" "$mirror" >"$base.log" ||
        fail "no Debian: $(tail -n 1 "$base.log")"
    mv "$base.part" "$base"
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# What a person does in the first minute. $highwater is the program, $example the bundled report.
cat >"$work/run.sh" <<'SH'
set -euo pipefail
cd "$(mktemp -d)"
echo "version    $("$highwater" --version)"
times=()
for _ in 1 2 3 4 5 6 7 8 9 10 11; do
    begin="${EPOCHREALTIME/./}"
    "$highwater" --version >start.txt
    times+=($((${EPOCHREALTIME/./} - begin)))
done
median="$(printf '%s\n' "${times[@]}" | sort -n | sed -n 6p)"
echo "start      $((median / 1000)).$(printf '%03d' $((median % 1000))) ms, median of 11"
"$highwater" analyze "$example" >findings.txt
grep -q 'bitmap-block-contention: ' findings.txt || { cat findings.txt; exit 1; }
echo "analyze    $(sed -n 's/^\([1-9][0-9]*\. .*\)/\1/p' findings.txt | sed 's/:.*//' | tr '\n' ' ')"
begin="$SECONDS"
"$highwater" reproduce freelists --scale 0.05 --repetitions 1 >table.txt 2>progress.txt ||
    { cat progress.txt table.txt; exit 1; }
grep -qx 'No exact expectation is false.' table.txt || { cat table.txt; exit 1; }
echo "reproduce  freelists --scale 0.05 --repetitions 1: $((SECONDS - begin)) s; $(tail -n 1 table.txt)"
SH

# Installs one package in a fresh root by the commands given, and runs the above there.
try() {
    local title="$1" package="$2" commands="$3" before after
    local root="$work/root"
    [ -f "$package" ] || fail "there is no $package: run scripts/package.sh"
    cp -a "$base" "$root"
    mkdir "$root/packages"
    cp "$package" "$root/packages/"
    cp "$work/run.sh" "$root/run.sh"
    echo "== $title: $(basename "$package")"
    echo "size       $(stat -c %s "$package") bytes"
    before="$(du -sk --exclude=./packages "$root" | cut -f1)"
    # Processes and mounts of its own end with it; --net leaves it no network.
    unshare --mount --pid --net --fork --kill-child bash -c '
        mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" &&
            exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C bash -euo pipefail -c "$2"' \
        bash "$root" "$commands
export highwater example
du -sk / --one-file-system --exclude=./packages >/installed.txt
bash /run.sh"
    after="$(cut -f1 "$root/installed.txt")"
    echo "installed  $(((after - before + 512) / 1024)) MB"
    rm -rf "$root"
}

newest() {
    # shellcheck disable=SC2012  # names of our own making
    ls -t "$dist"/$1 2>/dev/null | head -n 1
}

try tarball "$(newest 'highwater-*-linux-x86_64.tar.gz')" '
mkdir /opt/highwater
tar -xzf /packages/*.tar.gz -C /opt/highwater --strip-components=1
highwater=/opt/highwater/highwater example=/opt/highwater/docs/examples/freelists-statspack.txt'

try "Debian package" "$(newest 'highwater_*_amd64.deb')" '
apt-get install -y -qq --no-install-recommends /packages/*.deb >/install.txt 2>&1 || { cat /install.txt; exit 1; }
rm -f /var/cache/apt/*.bin
highwater=highwater example=/usr/share/highwater/examples/freelists-statspack.txt'

try wheel "$(newest 'highwater-*.whl')" '
python3 -m venv /opt/highwater
/opt/highwater/bin/pip install --quiet --no-index /packages/*.whl
highwater=/opt/highwater/bin/highwater example=/opt/highwater/share/highwater/examples/freelists-statspack.txt'
