#!/usr/bin/env bash
# Makes what a release has for this processor's Linux, puts it into empty places and tries it there: scripts/release.sh [DIST]
#
# The wheel (one for every Python from 3.10 on) and the program, linked against glibc 2.17 of 2012 by the linker of Zig, so
# that they run on every Linux since; the program's completions and manual page, beside it and as a Debian package installs
# them; the bill of materials. All of it in DIST (target/dist). Needs cargo and Python with venv; maturin, cargo-zigbuild and Zig come as Python packages. Where debootstrap
# and root are, the program also runs the demo in an old Debian (OLD_DEBIAN, bullseye).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
dist=${1:-$target/dist}
rm -rf "$dist"
mkdir -p "$dist"
dist=$(cd "$dist" && pwd)
triple="$(uname -m)-unknown-linux-gnu"
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
say() { printf '\n== %s\n' "$*"; }

say "tools"
tools=$target/release-tools
[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
"$tools/bin/pip" --disable-pip-version-check install --quiet maturin cargo-zigbuild ziglang
export PATH=$tools/bin:$PATH

say "wheel"
maturin build --release --locked --zig --target "$triple" --compatibility manylinux2014 --out "$dist"

say "program"
cargo-zigbuild build --release --locked -p rfvm-cli --target "$triple.2.17"
folder=rfvm-$version-$triple
mkdir -p "$dist/$folder/completions"
cp "$target/$triple/release/rfvm" LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md "$dist/$folder"
rfvm=$dist/$folder/rfvm
for shell in bash zsh fish elvish powershell; do
    "$rfvm" completions "$shell" > "$dist/$folder/completions/rfvm.$shell"
done
"$rfvm" man > "$dist/$folder/rfvm.1"
tar -C "$dist" -czf "$dist/$folder.tar.gz" "$folder"

# The same as a Debian package, which puts completions and manual page where shells and man look for them.
say "Debian package"
if command -v dpkg-deb > /dev/null; then
    tree=$(mktemp -d)
    install -Dm755 "$rfvm" "$tree/usr/bin/rfvm"
    install -Dm644 "$dist/$folder/completions/rfvm.bash" "$tree/usr/share/bash-completion/completions/rfvm"
    install -Dm644 "$dist/$folder/completions/rfvm.zsh" "$tree/usr/share/zsh/vendor-completions/_rfvm"
    install -Dm644 "$dist/$folder/completions/rfvm.fish" "$tree/usr/share/fish/vendor_completions.d/rfvm.fish"
    install -Dm644 "$dist/$folder/rfvm.1" "$tree/usr/share/man/man1/rfvm.1"
    gzip -9n "$tree/usr/share/man/man1/rfvm.1"
    install -Dm644 -t "$tree/usr/share/doc/rfvm" LICENSE-MIT LICENSE-APACHE
    mkdir "$tree/DEBIAN"
    cat > "$tree/DEBIAN/control" << CONTROL
Package: rfvm
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: the rfvm contributors <rfvm@example.org>
Depends: libc6 (>= 2.17)
Section: science
Priority: optional
Description: Relevance Feature and Vector Machine
 A Bayesian classifier for few samples of very many features, which learns which few
 features matter and which few samples define the model.
CONTROL
    dpkg-deb --root-owner-group --build "$tree" "$dist/rfvm_${version}_$(dpkg --print-architecture).deb"
    rm -r "$tree"
else
    echo "left out: needs dpkg-deb"
fi

say "bill of materials"
python3 scripts/bill_of_materials.py > "$dist/rfvm-$version.cdx.json"

say "an empty environment"
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
python3 -m venv "$empty/python"
begun=$SECONDS
# Without Rust: nothing but the environment's own programs is to be found.
env -i PATH="$empty/python/bin:/usr/bin:/bin" HOME="$empty" "$empty/python/bin/pip" --disable-pip-version-check \
    install --quiet "$dist"/*.whl
env -i PATH="$empty/python/bin" HOME="$empty" "$empty/python/bin/python" - << 'PYTHON'
from rfvm import RFVMClassifier, datasets

study = datasets.make_fat_classification(n_samples=60, n_features=300, effect=3.0, random_state=1)
model = RFVMClassifier(size="compact").fit(study.data, study.target)
assert set(model.get_support(indices=True)) <= set(study.truth)
print("first fit:", *model.get_feature_names_out())
PYTHON
echo "pip install and a first fit: $((SECONDS - begun)) s"
tar -C "$empty" -xzf "$dist/$folder.tar.gz"
(cd "$empty" && env -i ./"$folder"/rfvm demo > demo.txt && head -3 demo.txt)

say "an old Debian"
if [ "$(id -u)" = 0 ] && command -v debootstrap > /dev/null; then
    old=$empty/old
    debootstrap --variant=minbase "${OLD_DEBIAN:-bullseye}" "$old" > "$target/debootstrap.log" 2>&1
    cp "$dist"/*.deb "$old"
    chroot "$old" sh -c 'dpkg --install /*.deb'
    chroot "$old" rfvm demo | head -3
    chroot "$old" sh -c 'ls /usr/share/bash-completion/completions/rfvm /usr/share/zsh/vendor-completions/_rfvm \
        /usr/share/fish/vendor_completions.d/rfvm.fish /usr/share/doc/rfvm'
    chroot "$old" sh -c 'echo "runs on Debian $(cat /etc/debian_version)"'
else
    echo "left out: needs root and debootstrap"
fi

say "made"
(cd "$dist" && shopt -s nullglob && sha256sum ./*.whl ./*.tar.gz ./*.deb ./*.json | tee SHA256SUMS)
