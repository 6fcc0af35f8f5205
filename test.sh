#!/usr/bin/env bash
# Every check of the project: format, lints, tests (those in the documentation too), documentation, the pages in a browser,
# the same of the Python and the R package, and the site.
# Needs Rust with cargo; fetches what else it needs. Runs all steps and fails at the end if one of them failed.
#
#     ./test.sh         everything
#     ./test.sh quick   format, lints and the Rust tests but for the slow ones
set -uo pipefail
if [ $# -gt 1 ] || { [ $# -eq 1 ] && [ "$1" != quick ]; }; then
    echo "test.sh: takes nothing or the word quick, not: $*" >&2
    exit 2
fi
quick=${1:-}
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

if ! command -v cargo > /dev/null; then
    echo "test.sh: cargo was not found; install Rust 1.88 or newer first" >&2
    exit 1
fi
for part in fmt clippy; do
    if ! cargo "$part" --version > /dev/null 2>&1; then
        component=${part/fmt/rustfmt}
        echo "test.sh: adding the component $component"
        rustup component add "$component" || exit 1
    fi
done

# One Python environment serves both halves: its packages write the files that the readers are compared on, and the
# Python package is installed into it later. Without them these tests skip and say so.
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
environment=$(cd "$target" && pwd)/python
python=$environment/bin/python
pip() { "$python" -m pip --disable-pip-version-check "$1" --quiet --no-cache-dir "${@:2}"; }
[ -x "$python" ] || python3 -m venv "$environment"
packages=(anndata h5py numpy openpyxl pandas pyarrow scipy)
ready() { "$python" -c "import anndata, h5py, numpy, openpyxl, pandas, pyarrow, scipy" > /dev/null 2>&1; }
# Beside the lints, which do without.
[ -n "${RFVM_PYTHON:-}" ] || ready || pip install "${packages[@]}" &
packages_coming=$!
# Nothing is built twice here, so what incremental builds keep would only fill the disk.
export CARGO_INCREMENTAL=0

# Every test that lacks something to run adds a line to this file: its name, a tab, what is missing.
RFVM_SKIPPED=$(mktemp)
export RFVM_SKIPPED
# What the step at hand prints, and the end of what failed steps printed, which is shown again below everything.
log=$(mktemp)
failures=$(mktemp)
trap 'rm -f "$RFVM_SKIPPED" "$log" "$failures"' EXIT

failed=()
took=()
step() {
    local name=$1
    shift
    printf '\n== %s: %s\n' "$name" "$*"
    local start=$SECONDS
    if ! "$@" 2>&1 | tee "$log"; then
        failed+=("$name")
        { printf '\n== %s failed; the end of what it printed:\n' "$name" && tail -n 40 "$log"; } >> "$failures"
    fi
    took+=("$((SECONDS - start)) s  $name")
}

# What was skipped. In continuous integration (CI is set) only what .ci/may-skip names may be.
skipped() {
    [ -s "$RFVM_SKIPPED" ] || return 0
    printf '\n%s skipped:\n' "$(sort -u "$RFVM_SKIPPED" | wc -l)"
    sort -u "$RFVM_SKIPPED" | sed 's/^/  /; s/\t/: /'
    [ -n "${CI:-}" ] || return 0
    local unnamed
    unnamed=$(cut -f1 "$RFVM_SKIPPED" | sort -u | grep -vxF -f <(grep -v '^#' .ci/may-skip))
    [ -z "$unnamed" ] && return
    printf 'Not named in .ci/may-skip:\n%s\n' "$unnamed"
    failed+=("skipped tests")
}

finish() {
    printf '\nWhere the time went:\n'
    printf '%s\n' "${took[@]}" | sort -rn | head -12
    skipped
    if [ ${#failed[@]} -gt 0 ]; then
        cat "$failures"
        printf '\nFailed: %s\n' "${failed[*]}"
        exit 1
    fi
    printf '\nAll passed%s.\n' "$1"
    exit 0
}

step format cargo fmt --all --check
step workflows scripts/lint_workflows.sh
step lints cargo clippy --workspace --all-targets -- -D warnings
# Without the formats and the command that can be left out of a build.
step "lints without features" cargo clippy -p rfvm-io -p rfvm-cli --no-default-features -- -D warnings
wait "$packages_coming" || echo "test.sh: ${packages[*]} could not all be installed" >&2
if [ -z "${RFVM_PYTHON:-}" ] && ready; then
    export RFVM_PYTHON=$python
fi
step tests cargo test --workspace --no-fail-fast
[ "$quick" = quick ] && finish " (format, lints and Rust tests but for the slow ones)"
# Marked #[ignore = "slow: ..."].
step "slow tests" cargo test --workspace --tests --no-fail-fast -- --ignored
RUSTDOCFLAGS="-D warnings" step documentation cargo doc --workspace --no-deps
# The fuzz targets are a workspace of their own, whose lock a new dependency of the readers leaves behind.
step "fuzz targets' lock" cargo fetch --quiet --locked --manifest-path fuzz/Cargo.toml
# Advisories are left out, as they come from elsewhere (SECURITY.md).
if cargo deny --version > /dev/null 2>&1; then
    step "dependencies fetched" cargo fetch --quiet --locked
    step dependencies cargo deny --offline check licenses bans sources
else
    printf 'dependencies\tcargo-deny is not installed (cargo install cargo-deny --locked)\n' >> "$RFVM_SKIPPED"
fi

# Together, as two builds would differ in the features of shared packages and compile these twice.
step program cargo build --release -p rfvm-cli -p rfvm-studies
export RFVM_PROGRAM=$target/release/rfvm
# Twenty simulated studies: how often a retirement was right, what the retained tests cost, what the model lost.
step "simulated studies" "$target/release/acceptance"
# The pages in a real browser.
step browser crates/rfvm-report/browser/run.sh

# The Python package, installed as a user would.
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    printf 'Python package\tPython 3.11 or newer with venv was not found\n' >> "$RFVM_SKIPPED"
elif ! pip download --no-deps --dest "$environment/reachable" ruff > /dev/null 2>&1 &&
    ! "$python" -c 'import rfvm, pytest' > /dev/null 2>&1; then
    printf 'Python package\tno packages can be installed here\n' >> "$RFVM_SKIPPED"
else
    step package pip install '.[test]'
    step "Python format" "$environment/bin/ruff" format --check
    step "Python lints" "$environment/bin/ruff" check
    step "Python types" "$environment/bin/mypy"
    # From elsewhere, so that the installed package is meant and not the sources.
    step "Python stubs" sh -c "cd '$environment' && bin/stubtest rfvm._core"
    tested() { PYTHONPATH=scripts "$python" -m pytest -p python_skips "$@"; }
    step "Python tests" tested python/tests --pyargs rfvm
    # Hostile files: no abort, no panic, no hang, little memory, no broken checksum taken for sound.
    step attack "$python" fuzz/attack/run.py --quick --program "$RFVM_PROGRAM"
    # The paper's study in small, and whether its page is what its result files give.
    step "study's packages" pip install -r studies/paper/requirements.txt
    step study tested studies/paper studies/path/test_elastic.py studies/honesty
fi

# The R package, checked as R does. Its registry of packages is not needed: Debian has what it asks for.
r_packages=(jsonlite knitr rmarkdown testthat)
r_ready() {
    command -v pandoc > /dev/null &&
        Rscript -e 'stopifnot(sapply(commandArgs(TRUE), requireNamespace, quietly = TRUE))' "${r_packages[@]}" > /dev/null 2>&1
}
if ! r_ready && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y \
        gcc make pandoc r-base-core "${r_packages[@]/#/r-cran-}"; } > /dev/null 2>&1
fi
if r_ready; then
    step "R format" cargo fmt --manifest-path r/src/rust/Cargo.toml --check
    step "R lints" cargo clippy --locked --target-dir "$target" --manifest-path r/src/rust/Cargo.toml -- -D warnings
    CARGO_TARGET_DIR=$target step "R package" r/check.sh "$target/r"
else
    printf 'R package\tR with %s and pandoc was not found\n' "${r_packages[*]}" >> "$RFVM_SKIPPED"
fi

# The pages that programs write, and the site. Both need no build of their own.
step reference "$python" scripts/reference.py --check
step site scripts/site.sh

finish ""
