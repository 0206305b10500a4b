#!/usr/bin/env bash
# Puts the scripts of sqllogictest into .suites/sqllogictest, for `differential --suite`. They are other people's: nothing of them is committed.
#
# With an argument they come from that git repository instead.
set -euo pipefail
cd "$(dirname "$0")/.."

source="${1:-https://github.com/dolthub/sqllogictest}"
target=.suites/sqllogictest

if [ -d "$target/test" ]; then
    echo "sqllogictest is in $target"
    exit 0
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
git clone --quiet --depth 1 "$source" "$work/repository"
rm -rf "$target"
mkdir -p "$target"
cp -a "$work/repository/test" "$target/"
find "$target" -name '*.test' | wc -l | sed 's/$/ scripts/'
