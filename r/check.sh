#!/usr/bin/env bash
# Builds the package and checks it as R does, with its tests, examples and vignette. A warning is a failure. The tests compare
# it with the program where RFVM_PROGRAM says where that is.
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
"$here/build.sh" "$out"
cd "$out"
rm -rf rfvm.Rcheck
status=0
_R_CHECK_TESTS_NLINES_=0 R CMD check --no-manual rfvm_*.tar.gz || status=$?
if grep -E '^Status:.*(ERROR|WARNING)' rfvm.Rcheck/00check.log; then
    exit 1
fi
exit "$status"
