#!/bin/sh
# The benchmarks: each beside its baseline in the same run, with results as JSON under target/bench/. They need an idle machine
# with at least two cores, because the clients run beside the server. docs/TESTING.md describes what is measured.
set -eu
cd "$(dirname "$0")/.."
began=$(date +%s)
step() { echo "== $* ($(($(date +%s) - began)) s)"; }
# A target that is missed does not hide the measurements after it.
result=0

scripts/setup.sh compile

step "group commit"
cargo bench --quiet --bench group_commit || result=1

step "the API over HTTP"
# shellcheck disable=SC2016
DURABLE=1 scripts/with-postgres sh -c \
    'HONNIN_BENCH_POSTGRES=$HONNIN_TEST_POSTGRES cargo bench --quiet --bench api' || result=1

step "the API over HTTP on a disk that commits in 2 ms"
slow_disk=${CARGO_TARGET_DIR:-target}/bench/slow_disk.so
cc -shared -fPIC -O2 -o "$slow_disk" server/benches/api/slow_disk.c -ldl
HONNIN_DISK=slow LD_PRELOAD=$(realpath "$slow_disk") cargo bench --quiet --bench api || result=1

step "many phones, and one hostile network"
cargo bench --quiet --features server/jemalloc --bench capture || result=1

step "webhook deliveries"
cargo bench --quiet --bench deliveries || result=1

step "face search"
cargo bench --quiet --bench face_search || result=1

step "done: target/bench/"
exit "$result"
