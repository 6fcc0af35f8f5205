#!/usr/bin/env bash
# Builds the package for others: the engine's sources are put beside the package's own, and R CMD build packs both.
#
#     r/build.sh [FOLDER]     writes FOLDER/rfvm_VERSION.tar.gz [default: target/r]
#
# With CARGO_TARGET_DIR set, what is compiled for the vignettes is there for R CMD check and R CMD INSTALL too.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:-$repository/target/r}
mkdir -p "$out"
out=$(cd "$out" && pwd)
package=$out/rfvm
engine=$package/src/rust/engine

rm -rf "$package" "$out"/rfvm_*.tar.gz
mkdir -p "$package"
tar -C "$repository/r" --exclude=./src/Makevars --exclude='./src/*.o' --exclude='./src/*.so' --exclude=./src/rust/target \
    --exclude=./src/rust/engine --exclude=./build.sh --exclude=./check.sh --exclude=./.gitignore -cf - . | tar -C "$package" -xf -

# Sources without tests and benchmarks, which nobody runs there and which a manifest must then not name.
for crate in rfvm rfvm-io rfvm-report; do
    mkdir -p "$engine/crates/$crate"
    cp -rp "$repository/crates/$crate/src" "$engine/crates/$crate/src"
    awk '/^\[\[/ { skip = 1 } /^\[[^[]/ { skip = 0 } !skip' "$repository/crates/$crate/Cargo.toml" \
        > "$engine/crates/$crate/Cargo.toml"
done
# The workspace that their manifests refer to; profiles are for the package's own to say.
awk '/^\[/ { skip = /^\[profile/ } !skip && !/^(members|exclude|default-members) / { print } /^\[workspace\]/ { print "members = [\"crates/*\"]" }' \
    "$repository/Cargo.toml" > "$engine/Cargo.toml"
cp -p "$repository/LICENSE-MIT" "$repository/LICENSE-APACHE" "$engine/"
sed 's|"\.\./\.\./\.\./crates/|"engine/crates/|' "$repository/r/src/rust/Cargo.toml" > "$package/src/rust/Cargo.toml"
# What has not changed since the last time keeps its date, so that cargo does not compile it again.
find "$engine" -name Cargo.toml -exec touch -r "$repository/Cargo.toml" {} +
touch -r "$repository/r/src/rust/Cargo.toml" "$package/src/rust/Cargo.toml"

cd "$out"
R CMD build rfvm
