# What can be done here; `just` alone lists it.
default:
    @just --list

# Build everything, optimised
build:
    cargo build --release --workspace

# Run every check: format, lints, tests, documentation
test:
    ./test.sh

# Build the site from docs/ into target/site
site:
    scripts/site.sh

# Format the code and check it with clippy
lint:
    cargo fmt --all
    cargo clippy --workspace --all-targets -- -D warnings

# Simulate a study with known truth and fit it; options pass through: just demo --seed 7
demo *options:
    cargo run --release -- demo {{options}}

# Measure speed
bench *options:
    cargo bench --workspace {{options}}

# Check licences, advisories and sources of all dependencies (needs cargo-deny)
deny:
    cargo deny check

# Build the Python package into the active environment (needs maturin)
python:
    maturin develop --release

# What the Python package adds to the engine: time, memory, leaks
python-cost:
    python scripts/python_cost.py
