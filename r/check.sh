#!/usr/bin/env bash
# Builds the package and checks it as R does, with its tests, examples and vignette; then runs what docs/r.md and docs/start.md
# show. A warning is a failure. The tests compare it with the program where RFVM_PROGRAM says where that is.
#
#     r/check.sh [FOLDER]     works in FOLDER [default: target/r]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$here/../target/r}
mkdir -p "$out"
out=$(cd "$out" && pwd)
# R changes folders.
for name in CARGO_TARGET_DIR RFVM_PROGRAM; do
    if [ -n "${!name:-}" ]; then
        export "$name=$(realpath "${!name}")"
    fi
done
# Other versions of what the engine is built on could give other numbers.
versions() { awk '/^name = / { name = $3 } /^version = / { print name, $3 }' "$1" | tr -d '"' | sort; }
own='^(extendr-(api|ffi|macros)|lazy_static|readonly|rfvm-r) '
if comm -13 <(versions "$here/../Cargo.lock") <(versions "$here/src/rust/Cargo.lock") | grep -vE "$own"; then
    echo "check.sh: these versions in r/src/rust/Cargo.lock are not those of the program; cargo update them to those of Cargo.lock" >&2
    exit 1
fi

"$here/build.sh" "$out"
cd "$out"
rm -rf rfvm.Rcheck
status=0
_R_CHECK_TESTS_NLINES_=0 R CMD check --no-manual rfvm_*.tar.gz || status=$?
if grep -E '^Status:.*(ERROR|WARNING)' rfvm.Rcheck/00check.log; then
    exit 1
fi
[ "$status" = 0 ] || exit "$status"
for page in docs/r.md docs/start.md README.md; do
    {
        # The read-me takes a table of the reader's own.
        [ "$page" != README.md ] || echo 'study <- rfvm::simulate_study(); x <- study$x; y <- study$y; x_new <- x[1:3, ]'
        awk '/^```/ { shown = /^```r$/; next } shown' "$here/../$page"
    } > docs.R
    folder=$(mktemp -d)
    (cd "$folder" && R_LIBS=$out/rfvm.Rcheck Rscript -e 'options(warn = 2)' -e "source('$out/docs.R')")
    rm -r "$folder"
    echo "$page runs"
done
