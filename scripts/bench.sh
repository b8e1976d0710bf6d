#!/bin/sh
# The measurements: each next to its floor in the same run, results as JSON under target/bench/. They need a calm machine and,
# since the load is made beside the server, at least two cores. docs/TESTING.md says what is measured.
set -eu
cd "$(dirname "$0")/.."
began=$(date +%s)
step() { echo "== $* ($(($(date +%s) - began)) s)"; }

scripts/setup.sh run

step "units of work that share a commit"
cargo bench --quiet --bench group_commit

step "the API over HTTP"
# shellcheck disable=SC2016
DURABLE=1 scripts/with-postgres sh -c \
    'HONNIN_BENCH_POSTGRES=$HONNIN_TEST_POSTGRES cargo bench --quiet --bench api'

step "many phones, and one network that wants everything"
cargo bench --quiet --bench capture

step "deliveries of webhooks"
cargo bench --quiet --bench deliveries

step "the search for a face"
cargo bench --quiet --bench face_search

step "done: target/bench/"
