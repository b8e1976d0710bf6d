#!/bin/sh
# Everything that can be tested: the format, the rules for dependencies, units and contracts on SQLite, on a temporary PostgreSQL and on a temporary S3
# server, the examples in the documentation, and end-to-end tests of the real binary in Chromium.
set -eu
cd "$(dirname "$0")/.."
began=$(date +%s)
step() { echo "== $* ($(($(date +%s) - began)) s)"; }

# What runs beside the rest prints at its end. It has a session of its own, so that what it has started ends with it.
beside() {
    printed=$(mktemp)
    setsid "$@" >"$printed" 2>&1 &
    second=$!
    trap 'kill -- "-$second" 2>/dev/null || true; cat "$printed"; rm -f "$printed"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}
joined() {
    wait "$second"
    trap - EXIT
    cat "$printed"
    rm -f "$printed"
}

step "set-up"
scripts/setup.sh compile
WASM_RUSTC=$(scripts/wasm-rustc)
export WASM_RUSTC

step "format"
cargo fmt --all -- --check

step "site, server and tests"
# The browser's half has a folder of its own: where one cargo waits for its last crate, the other has work. The tools wait for the network. One cargo
# builds the server and, beside it, the tests of the crates that it uses.
beside sh -c '"${CARGO_TARGET_DIR:-target}/debug/xtask" build --site-only && exec scripts/setup.sh tools'
cargo test --no-run --lib --bins --tests --bench capture
cargo build --quiet --bin honnin --bin customer
joined

step "dependencies, licences and sources"
scripts/check-dependencies

permits() { unshare "$@" true 2>/dev/null || unshare --map-root-user "$@" true 2>/dev/null; }
if [ ! -e /proc/net/if_inet6 ] || ! permits --net --mount; then
    echo "NOTE: this machine permits no network namespaces, or has no IPv6; the webhook sender is not tested in one" >&2
fi
permits --mount || echo "NOTE: this machine permits no mount namespaces; full disks are not tested" >&2
permits --pid --fork || echo "NOTE: this machine permits no process namespaces; a first process of a container is not tested" >&2

in_memory() { TMPDIR=$(scripts/temporary-folder) "$@"; }

step "tests"
if cargo nextest --version >/dev/null 2>&1; then
    # Those that judge seconds run by themselves afterwards, as .config/nextest.toml says. What the first run fails, the second does not hide.
    # More of them than cores, since many wait for a disk or for PostgreSQL. Without the process that nextest starts before each test, for the moment in
    # which somebody stops it with Ctrl+Z.
    in_memory env NEXTEST_DOUBLE_SPAWN=0 THREADS=$(($(nproc) * 3 / 2)) scripts/with-postgres scripts/with-s3 sh -c '
        result=0
        cargo nextest run --profile seconds --test-threads "$THREADS" --lib --bins --tests --no-fail-fast \
            --ignore-default-filter -E "not default()" || result=1
        cargo nextest run --profile seconds --lib --bins --tests --no-fail-fast || result=1
        exit $result'
else
    # The same.
    alone="taken_over_by_the_others_within_20_seconds edge::connections:: edge::early_responses:: edge::fair_shares:: edge::idle_connections::
        edge::slow_uploads:: edge::tls:: waiting:: db::tests::silence:: capture::bucket::tests::"
    result=0
    # shellcheck disable=SC2046,SC2086 # Words are meant.
    in_memory scripts/with-postgres scripts/with-s3 cargo test --bins --lib --tests --no-fail-fast -- $(printf -- '--skip %s ' $alone) || result=1
    # shellcheck disable=SC2086
    in_memory scripts/with-postgres scripts/with-s3 cargo test --bins --lib --tests --no-fail-fast -- --test-threads=1 $alone || result=1
    [ "$result" = 0 ]
fi

step "examples in the documentation"
cargo test --quiet --doc

# Half of these wait for their own servers or compute on one core, so two run at a time.
signatures_and_api() {
    step "webhook signatures with the official libraries"
    scripts/judge-webhooks 2000

    step "the API with schemathesis"
    # Always the same cases, so that a change is judged and not the day; `make soak` tries others.
    scripts/judge-api 2000 20261123

    step "the API with linters, generated clients, our clients and the examples"
    scripts/judge-integration
}
# The phones wait for slow networks nearly all the time, and no response time is judged in so small a run: they share the time of the others.
# What the cameras of the end-to-end tests film is painted meanwhile.
# shellcheck disable=SC2016 # for the inner shell
beside sh -c '
    phones=$(mktemp)
    HONNIN_PHONES=24 HONNIN_HOSTILE=600 cargo test --quiet --bench capture >"$phones" 2>&1 &
    waiting=$!
    result=0
    npm run --silent --prefix end2end pretest || result=1
    scripts/judge-operations "$1" || result=1
    wait "$waiting" || result=1
    echo "== many phones, and one hostile network"
    cat "$phones"
    rm -f "$phones"
    exit "$result"' sh "$began"
signatures_and_api
joined

step "end-to-end tests"
in_memory scripts/with-postgres npm test --silent --prefix end2end
step "done"
