#!/bin/sh
# Installs what a machine with only Rust, Node, Python and apt lacks. Takes seconds if everything is there.
#   scripts/setup.sh run     what serving needs: a compiler for the browser's half, the models
#   scripts/setup.sh test    the same, and Chromium, PostgreSQL, fonts and the packages of end2end/
# `make test` does the last in two parts: the second mostly waits for the network, so it runs beside the compiler.
#   scripts/setup.sh compile what compiling the tests and serving need
#   scripts/setup.sh tools   the packages of end2end/ and of the judges
#   scripts/setup.sh check   what `make check` needs: a C compiler, venv, rustfmt and clippy
set -eu
cd "$(dirname "$0")/.."
purpose=${1:-run}

say() { echo "setup: $*" >&2; }
fail() { say "$*"; exit 1; }
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        command -v sudo >/dev/null || fail "neither root nor sudo: run this as root: $*"
        sudo "$@"
    fi
}
# A minimal installation of Rust has neither rustfmt nor clippy.
component() {
    cargo "$1" --version >/dev/null 2>&1 && return
    command -v rustup >/dev/null || fail "cargo $1 is missing: install $2"
    say "installing $2"
    rustup component add "$2" >&2 || fail "$2 cannot be installed"
}
# Runs a command beside this script, in a session of its own, so that all of it ends with this script.
beside() {
    setsid "$@" >&2 &
    second=$!
    trap 'kill -- "-$second" 2>/dev/null || true' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

install_test_tools() {
    # npm writes this file last: when it is as new as the lock file, the packages are in place.
    if [ end2end/node_modules/.package-lock.json -ot end2end/package-lock.json ] ||
        [ ! -e end2end/node_modules/.package-lock.json ]; then
        npm ci --prefix end2end --no-audit --no-fund
        touch end2end/node_modules/.package-lock.json
    fi
    scripts/check-dependencies install
    scripts/judge-webhooks 0
    scripts/judge-api 0
    scripts/judge-clients 0
    scripts/judge-integration install
    scripts/judge-deployment install
    scripts/judge-monitoring install
    scripts/with-s3 true
}

if [ "$purpose" = tools ]; then
    install_test_tools
    exit
fi

missing=
want() { missing="$missing $1"; }

command -v cargo >/dev/null || fail "cargo is missing: install Rust (https://rustup.rs)"
command -v cc >/dev/null || want gcc
command -v python3 >/dev/null || want python3
python3 -m pip --version >/dev/null 2>&1 || want python3-pip
command -v npm >/dev/null || want npm
if [ "$purpose" != run ]; then
    python3 -c 'import ensurepip' 2>/dev/null || want python3-venv
    component fmt rustfmt
fi
if [ "$purpose" = check ]; then
    component clippy clippy
elif [ "$purpose" != run ]; then
    command -v ip >/dev/null || want iproute2
    command -v curl >/dev/null || want curl
    command -v openssl >/dev/null || want openssl
    command -v sqlite3 >/dev/null || want sqlite3
    # The Debian package and its test.
    command -v dpkg-shlibdeps >/dev/null || want dpkg-dev
    command -v lintian >/dev/null || want lintian
    [ -e /lib/systemd/systemd ] || want systemd
    command -v pgrep >/dev/null || want procps
    [ -n "${CHROMIUM:-}" ] || command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || want chromium-headless-shell
    command -v postgres >/dev/null || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || want postgresql
    [ -e /usr/share/fonts/opentype/ocr-b/OCRB.otf ] || want fonts-ocr-b
    [ -e /usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc ] || want fonts-noto-cjk
    # Fonts of the specimens.
    [ -e /usr/share/fonts/opentype/ipaexfont-gothic/ipaexg.ttf ] || want fonts-ipaexfont-gothic
    [ -e /usr/share/fonts/opentype/ipaexfont-mincho/ipaexm.ttf ] || want fonts-ipaexfont-mincho
    [ -e /usr/share/fonts/truetype/vlgothic/VL-Gothic-Regular.ttf ] || want fonts-vlgothic
    [ -e /usr/share/fonts/truetype/motoya-l-cedar/MTLc3m.ttf ] || want fonts-motoya-l-cedar
    [ -e /usr/share/fonts/truetype/liberation/LiberationSansNarrow-Bold.ttf ] || want fonts-liberation
    [ -e /usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf ] || want fonts-dejavu-core
    [ -e /usr/share/fonts/truetype/freefont/FreeSans.ttf ] || want fonts-freefont-ttf
fi
second=
if [ -n "$missing" ]; then
    command -v apt-get >/dev/null || fail "apt is missing: install these yourself:$missing"
    say "installing$missing"
    # Most packages wait for the network, and the compiler needs none of them but a C compiler.
    if command -v cc >/dev/null; then beside cargo build --quiet --bin xtask; fi
    as_root apt-get update -qq >&2
    # Older releases have only the whole browser.
    apt-cache show chromium-headless-shell >/dev/null 2>&1 || missing=$(echo "$missing" | sed 's/chromium-headless-shell/chromium/')
    # shellcheck disable=SC2086 # a list of names
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
fi

if [ "$purpose" = check ]; then
    [ -z "$second" ] || wait "$second"
    exit 0
fi

[ -n "$second" ] || beside cargo build --quiet --bin xtask
# Before the tools: both may need apt, which serves one at a time.
scripts/wasm-rustc >/dev/null
wait "$second"
# The tools wait for the network, the models for the compiler.
if [ "$purpose" = test ]; then beside scripts/setup.sh tools; fi
cargo xtask models >&2
if [ "$purpose" = test ]; then wait "$second"; fi
