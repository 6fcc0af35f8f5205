#!/usr/bin/env bash
# Runs the fuzz targets, each from seeds made by the formats' own tools: fuzz/run.sh [seconds] [targets...]
#
# Needs a nightly compiler, cargo-fuzz, and a Python (PYTHON) with the packages make_seeds.py imports. JOBS targets run
# at a time (2). A line for each: target, seconds, executions, result; what libFuzzer said is in fuzz/logs.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-300}
shift || true
triple=$(rustc +nightly -vV | sed -n 's/^host: //p')
binaries=${CARGO_TARGET_DIR:-target}/$triple/release
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(cargo +nightly fuzz list)
fi

mkdir -p corpus logs artifacts
# Memory is limited by the allocator of the targets, so that no sanitizer is needed: without one they run far faster.
cargo +nightly fuzz build --sanitizer none >logs/build 2>&1 || { cat logs/build; exit 1; }
MODEL_SEED=corpus/model.json "$binaries/model" 2>logs/model
"${PYTHON:-python3}" make_seeds.py corpus

# The files the readers read lie in memory, where the system has such a folder.
TMPDIR=$(mktemp -d -p "$([ -d /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
export TMPDIR OMP_NUM_THREADS=2
trap 'rm -rf "$TMPDIR"' EXIT

one() {
    local target=$1 length=8192 result=clean
    case $target in
        h5ad | mat73 | xlsx) length=32768 ;;
    esac
    mkdir -p "corpus/$target" "artifacts/$target"
    nice -n 19 "$binaries/$target" "corpus/$target" -artifact_prefix="artifacts/$target/" \
        -max_total_time="$seconds" -max_len=$length -timeout=20 -rss_limit_mb=1024 -print_final_stats=1 \
        >"logs/$target" 2>&1 || result="FAILED: $(sed -n 's/.*Test unit written to //p' "logs/$target" | tail -1)"
    local took runs
    took=$(sed -n 's/^Done .* runs in \([0-9]*\) second.*/\1/p' "logs/$target")
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "logs/$target")
    printf '%-10s %5s s %10s executions  %s\n' "$target" "${took:--}" "${runs:--}" "$result"
    [ "$result" = clean ]
}
export -f one
export seconds binaries

printf '%s\n' "${targets[@]}" | xargs -P "${JOBS:-2}" -I{} bash -c 'one {}'
