#!/usr/bin/env bash
# Builds the site from docs/ into target/site, with a gallery of pages that the program makes of simulated studies, and checks
# every link. The result opens from its folder: target/site/index.html. Needs the program (RFVM_PROGRAM, else it is built).
#
#     scripts/site.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
skip() {
    echo "site: $1; the site is not built" >&2
    printf 'site\t%s\n' "$1" >> "${RFVM_SKIPPED:-/dev/null}"
    exit 0
}

mdbook=$target/site-tools/bin/mdbook
if [ ! -x "$mdbook" ]; then
    echo "site: installing mdbook"
    # Out of the way of the builds of the project itself, whose settings are not meant for it.
    CARGO_TARGET_DIR=$target/site-tools/build cargo install mdbook --version '^0.5' --locked --no-default-features \
        --features search --root "$target/site-tools" > "$target/site-tools.log" 2>&1 ||
        skip "mdbook could not be installed (see $target/site-tools.log)"
    rm -rf "$target/site-tools/build"
fi
rfvm=${RFVM_PROGRAM:-}
if [ -z "$rfvm" ]; then
    cargo build --release -p rfvm-cli
    rfvm=$target/release/rfvm
fi
rfvm=$(realpath "$rfvm")

# The pages of the gallery, from nothing: study, fit, evaluation, validation, and a prospective study of six waves.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(
    cd "$work"
    "$rfvm" demo --out study
    "$rfvm" fit study/train.csv --target class -o model.json
    "$rfvm" evaluate study/train.csv --target class --repeats 2 --permuted 10 -o evaluation.json
    "$rfvm" report model.json study/train.csv --target class --evaluation evaluation.json -o report.html
    "$rfvm" validate model.json study/test.csv --target class --recalibrate slope --html validation.html
    "$rfvm" study demo --out waves
) > "$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    exit 1
}

"$mdbook" build --dest-dir "$target/site"
mkdir -p "$target/site/gallery"
cp "$work/report.html" "$work/validation.html" "$target/site/gallery/"
cp "$work/waves/report.html" "$target/site/gallery/study.html"
python3 scripts/check_links.py "$target/site"
echo "Written: $target/site/index.html"
