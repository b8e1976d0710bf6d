#!/bin/sh
# Format, lints and documentation, with warnings as errors; the rules between crates and modules; what the documents name; and the rules for
# dependencies.
set -eu
cd "$(dirname "$0")/.."
step() { echo "== $*"; }

step "set-up"
scripts/setup.sh check

step "format"
cargo fmt --all -- --check

step "lints"
cargo clippy --quiet --all-targets -- -D warnings
# clippy needs the target's standard library from the same toolchain.
if rustup target list --installed 2>/dev/null | grep -qx wasm32-unknown-unknown; then
    cargo clippy --quiet --package frontend --package app --package lens --package domain --features app/hydrate \
        --target wasm32-unknown-unknown --target-dir "${CARGO_TARGET_DIR:-target}/front" -- -D warnings
else
    echo "the browser's half was not linted: this toolchain has no wasm32-unknown-unknown"
fi

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps

step "rules between crates and modules, and what the documents name"
cargo test --quiet --test architecture --test circles --test documents

step "dependencies, licences and sources"
scripts/check-dependencies
