#!/bin/sh
# The long-running tests: what `make test` tries a few thousand times is repeated until the result is statistically meaningful.
# Takes about two hours on two cores. Each variable can be set from outside; docs/TESTING.md describes them. Every test runs to
# its end; the failures are listed last.
set -eu
cd "$(dirname "$0")/.."
began=$(date +%s)
faults=

export HONNIN_CASES="${HONNIN_CASES:-50000}"
export HONNIN_RACES="${HONNIN_RACES:-20000}"
export HONNIN_TIMING_SAMPLES="${HONNIN_TIMING_SAMPLES:-200000}"
export HONNIN_OUTAGE_SEEDS="${HONNIN_OUTAGE_SEEDS:-10000}"
export HONNIN_OUTAGE_DAYS="${HONNIN_OUTAGE_DAYS:-30}"
export HONNIN_KILLS="${HONNIN_KILLS:-1000}"
export HONNIN_PEOPLE_KILLS="${HONNIN_PEOPLE_KILLS:-1000}"
export HONNIN_CUTS="${HONNIN_CUTS:-200}"
export HONNIN_NODE_KILLS="${HONNIN_NODE_KILLS:-200}"
export HONNIN_BUCKET_OUTAGES="${HONNIN_BUCKET_OUTAGES:-20}"
export HONNIN_ROTATION_KILLS="${HONNIN_ROTATION_KILLS:-100}"
export HONNIN_SWEEP_ROWS="${HONNIN_SWEEP_ROWS:-150000}"
export HONNIN_AUDIT_ROWS="${HONNIN_AUDIT_ROWS:-1000000}"

# A name, then the command.
long() {
    name=$1
    shift
    echo "== $name ($(($(date +%s) - began)) s)"
    "$@" || faults="$faults
   $name"
}
# Tests by file name, on both databases, and with pictures in a bucket; optimised, with debug assertions.
tests() {
    scripts/with-postgres scripts/with-s3 cargo test --quiet --profile soak "$@" -- --nocapture
}
# The same without writing to a disk: these test the order of operations, not power cuts.
tests_in_memory() {
    TMPDIR=$(scripts/temporary-folder) tests "$@"
}

scripts/setup.sh test

long "nothing doubtful is approved" env PROPTEST_CASES="${PROPTEST_CASES:-1000000}" \
    cargo test --quiet --profile soak --lib approved_implies
long "sessions against the reference model" tests_in_memory --test operations model::
long "races for one session" tests_in_memory --test operations races::
long "missing and foreign ids take the same time" tests --test api timing
long "webhooks through outages" tests --test operations webhook_outages::
long "processes killed and restarted, power cuts" tests --test nodes
long "a sweep of a million rows" tests --test operations every_table
long "an audit log of a million entries, checked within 10 s" tests --test contract a_long_log
long "half-open connections" env HONNIN_HALF_OPEN=2000 cargo test --quiet --profile soak --test api idle_connections -- --nocapture
long "signatures with the official libraries" scripts/judge-webhooks 10000
long "the API with schemathesis" scripts/judge-api 100000
long "the clients, that for Rust too" env HONNIN_RUST_CLIENT=1 scripts/judge-integration

echo "== done ($(($(date +%s) - began)) s)"
[ -z "$faults" ] || { echo "failed:$faults" >&2; exit 1; }
