#!/usr/bin/env bash
# Tries one wheel with every Python and scikit-learn that are promised: scripts/python_matrix.sh WHEEL [TEST...]
#
# Of the Pythons 3.10 to 3.14 that are on this machine (on PATH, or of pyenv) each gets its oldest and its newest
# scikit-learn from 1.6 on, in an environment of its own, and runs the tests (those of estimators, inputs and parity unless
# others are named). A line for each: what was tried, and how many tests passed. RFVM_PROGRAM names the program for parity, by default
# the one that scripts/release.sh puts beside the wheel.
set -euo pipefail
wheel=$(realpath "$1")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repository=$PWD
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(python/tests/test_{estimator_checks,classifier,inputs,parity,honest}.py)
beside=("$(dirname "$wheel")"/rfvm-*/rfvm)
RFVM_PROGRAM=$(realpath "${RFVM_PROGRAM:-${beside[0]}}")
export RFVM_PROGRAM
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failed=0
for version in 3.10 3.11 3.12 3.13 3.14; do
    python=$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python 2> /dev/null | tail -1 || true)
    [ -n "$python" ] || python=$(command -v "python$version" || true)
    if [ -z "$python" ]; then
        echo "Python $version: not on this machine"
        continue
    fi
    before=
    for learn in "scikit-learn==1.6.*" "scikit-learn"; do
        environment=$work/environment
        rm -rf "$environment"
        "$python" -m venv "$environment"
        if ! "$environment/bin/pip" --disable-pip-version-check install --quiet --only-binary :all: \
            "$wheel" "$learn" pandas pytest > "$work/log" 2>&1; then
            echo "Python $version, $learn: cannot be installed: $(grep -m 1 ERROR "$work/log")"
            continue
        fi
        got=$("$environment/bin/python" -c 'import numpy, sklearn; print(f"scikit-learn {sklearn.__version__}, NumPy {numpy.__version__}")')
        [ "$got" != "$before" ] || continue
        before=$got
        if (cd "$work" && "$environment/bin/python" -m pytest -q --no-header -c "$repository/pyproject.toml" \
            --rootdir "$repository" -p no:cacheprovider "${tests[@]/#/$repository/}") > "$work/log" 2>&1; then
            echo "Python $version, $got: $(tail -1 "$work/log")"
        else
            failed=1
            grep -E "^(FAILED|ERROR)" "$work/log" | head -20
            echo "Python $version, $got: FAILED: $(tail -1 "$work/log")"
        fi
    done
done
exit $failed
