#!/bin/sh
# The long runs: what `make test` tries a few thousand times is tried until the figure means something. Takes about two hours on two cores.
# Each variable can be set from outside; docs/TESTING.md says what they do. Every run goes to its end, the faults are told last.
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

# A name, then the command.
long() {
    name=$1
    shift
    echo "== $name ($(($(date +%s) - began)) s)"
    "$@" || faults="$faults
   $name"
}
# Tests by the names of their files, on both databases; optimised, with their assertions.
tests() {
    scripts/with-postgres cargo test --quiet --profile soak "$@" -- --nocapture
}
# The same where nothing is written to a disk: it is the order of things that is tried there, not power cuts.
tests_in_memory() {
    memory=/dev/shm
    [ -w "$memory" ] || memory=${TMPDIR:-/tmp}
    TMPDIR=$memory tests "$@"
}

scripts/setup.sh test

long "nothing doubtful is approved" env PROPTEST_CASES="${PROPTEST_CASES:-1000000}" \
    cargo test --quiet --profile soak --lib approved_implies
long "sessions against the reference model" tests_in_memory --test model
long "races for one session" tests_in_memory --test races
long "missing and foreign ids take the same time" tests --test api timing
long "webhooks through outages" tests --test webhook_outages
long "processes killed and restarted" tests --test nodes
long "a crowd that wants nothing" env HONNIN_HALF_OPEN=2000 cargo test --quiet --profile soak --test api idle_connections -- --nocapture
long "signatures before the official libraries" scripts/judge-webhooks 10000
long "the API before schemathesis" scripts/judge-api 100000

echo "== done ($(($(date +%s) - began)) s)"
[ -z "$faults" ] || { echo "failed:$faults" >&2; exit 1; }
