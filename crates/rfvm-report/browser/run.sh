#!/usr/bin/env bash
# Makes reports of models and of a study with the program and checks them in Chromium: run.sh [PAGE...] checks these pages too.
# Skips, and says so, where there is no browser and none can be installed. Screenshots stay under the target folder.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../../.."
mkdir -p "${CARGO_TARGET_DIR:-target}/browser"
work=$(cd "${CARGO_TARGET_DIR:-target}/browser" && pwd)
skip() {
    echo "browser: $1; the pages are not tested in a browser" >&2
    printf 'browser\t%s\n' "$1" >> "${RFVM_SKIPPED:-/dev/null}"
    exit 0
}

command -v npm > /dev/null || skip "Node with npm was not found"
if ! command -v chromium > /dev/null; then
    [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null || skip "Chromium was not found and cannot be installed without root"
    echo "browser: installing Chromium"
    { apt-get update && apt-get install -y --no-install-recommends chromium; } > "$work/chromium.log" 2>&1 ||
        skip "Chromium could not be installed (see $work/chromium.log)"
fi
cp "$here/package.json" "$here/check.mjs" "$work"
(cd "$work" && npm install --no-package-lock --no-audit --no-fund --silent) || skip "the packages could not be installed"

rfvm=${RFVM_PROGRAM:-}
if [ -z "$rfvm" ]; then
    cargo build --release -p rfvm-cli
    rfvm=${CARGO_TARGET_DIR:-target}/release/rfvm
fi
"$rfvm" demo --out "$work/study" > /dev/null
study=("$work/study/train.csv" --target class --max-features 1500)
"$rfvm" evaluate "${study[@]}" --cv 3 --repeats 2 --permuted 3 --json > "$work/evaluation.json"
"$rfvm" fit "${study[@]}" -o "$work/model.json" > /dev/null
"$rfvm" report "$work/model.json" "${study[@]}" --evaluation "$work/evaluation.json" -o "$work/report.html"
# Without an evaluation, and with several signatures, other sections are filled.
"$rfvm" fit "${study[@]}" --method signatures --signatures 3 -o "$work/signatures.json" > /dev/null
"$rfvm" report "$work/signatures.json" "${study[@]}" -o "$work/signatures.html"
# The model on the subjects that were kept from it.
"$rfvm" validate "$work/model.json" "$work/study/test.csv" --target class --recalibrate slope --html "$work/validation.html" > /dev/null
# The page that computes, and what the engine says of some rows.
head -31 "$work/study/test.csv" > "$work/calculator.csv"
"$rfvm" export "$work/model.json" --format html -o "$work/calculator.html" > /dev/null
"$rfvm" predict "$work/model.json" "$work/calculator.csv" --explain --reject --json > "$work/calculator.json"
# A study of several waves; a study is never overwritten, so an old one goes first.
rm -rf "$work/prospective"
"$rfvm" study demo --out "$work/prospective" > /dev/null
cp "$work/prospective/report.html" "$work/study.html"
node "$work/check.mjs" "$(command -v chromium)" "$work/pictures" "$work/report.html" "$work/signatures.html" \
    "$work/validation.html" "$work/study.html" "$work/calculator.html" "$@"
