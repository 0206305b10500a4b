#!/usr/bin/env bash
# Builds the book of docs/ into book/ with mdBook (MPL-2.0), which is a tool and no dependency of the project.
#
#   scripts/book.sh [--installed]
#
# Without an mdbook on the PATH it is built once, in some three minutes of a processor, and kept in the folder
# TARGET-tools, TARGET being the target directory. With --installed nothing is built: without mdbook there is no book.
set -euo pipefail
cd "$(dirname "$0")/.."

mdbook_version=0.5.4

tools="$(realpath -m "${CARGO_TARGET_DIR:-target}")-tools"
PATH="$PATH:$tools/bin"
if ! command -v mdbook >/dev/null; then
    if [ "${1:-}" = --installed ]; then
        echo "book: no mdbook here; the tests look at links and table of contents"
        exit 0
    fi
    cargo install --quiet --locked --no-default-features --features search --root "$tools" \
        --target-dir "$tools/build" "mdbook@$mdbook_version"
    rm -rf "$tools/build"
fi
mdbook build docs
