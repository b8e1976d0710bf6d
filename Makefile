# `make run` starts Honnin, `make test` tests it, `make check` checks the code. Each installs what it needs.
.PHONY: help run dev test check visual-diff soak fuzz bench release deb setup specimens eval attacks

target = $${CARGO_TARGET_DIR:-target}
# TLS=self-signed serves the local network over HTTPS, so that a real phone can open the link.
TLS ?=

help:
	@echo 'make run                    build and start a demonstration on http://localhost:3000'
	@echo 'make run TLS=self-signed    the same over HTTPS for the local network, to use a real phone'
	@echo 'make dev                    like make run, built and started again whenever a source file is saved'
	@echo 'make test                   run every test, on SQLite, PostgreSQL and in Chromium'
	@echo 'make check                  check format, lints, documentation and dependencies; warnings are errors'
	@echo 'make setup                  install what all of these need'
	@echo 'make visual-diff BASE=HEAD  show the pages that look different from that commit, before and after'
	@echo 'make soak                   run the long tests (random sequences, races, outages) for about two hours'
	@echo 'make fuzz TIME=60           fuzz every parser, for so many seconds each'
	@echo 'make bench                  run the benchmarks, each beside its baseline'
	@echo 'make release                build the optimised binary and its site'
	@echo 'make deb                    the same, packed: a Debian package, an archive, a bill of materials, checksums'
	@echo 'make specimens OUT=folder   render documents of people who do not exist, with labels'
	@echo 'make eval                   how well it sees, on specimens; DATA=folder adds public pictures'
	@echo 'make attacks                render attacks on selfies, judge them, and write target/attack-report'

run:
	@scripts/setup.sh run
	@WASM_RUSTC="$$(scripts/wasm-rustc)" cargo xtask build
	@exec $(target)/debug/honnin demo $(if $(TLS),--tls $(TLS))

dev:
	@scripts/setup.sh run
	@WASM_RUSTC="$$(scripts/wasm-rustc)" cargo xtask dev

test:
	@scripts/test.sh

check:
	@scripts/check.sh

# BASE is a commit.
visual-diff:
	@scripts/setup.sh test
	@WASM_RUSTC="$$(scripts/wasm-rustc)" cargo xtask build
	@node end2end/visual-diff.mjs $(or $(BASE),HEAD)

soak:
	@scripts/soak.sh

fuzz:
	@TIME=$(TIME) ONLY=$(ONLY) scripts/fuzz

bench:
	@scripts/bench.sh

release:
	@scripts/setup.sh run
	@WASM_RUSTC="$$(scripts/wasm-rustc)" cargo xtask build --release
	@ls -l $(target)/release/honnin

deb: release
	@scripts/package

setup:
	@scripts/setup.sh test
	@scripts/setup.sh check

# COUNT documents photographed without defects, DEFECTS with an intentional defect, DECEIT with altered pictures and copies.
specimens:
	@cargo run --quiet --bin specimen -- documents --out $(or $(OUT),target/specimens) --count $(or $(COUNT),396) --defects $(or $(DEFECTS),176) \
		--deceit $(or $(DECEIT),22) --seed $(or $(SEED),7) --jobs $(or $(JOBS),2)

# ONLY=v0,v7 measures a part. For times of one core: taskset -c 0 make eval ONLY=p6 JOBS=1.
eval: specimens
	@cargo run --release --example eval -- --rendered $(or $(OUT),target/specimens) --jobs $(or $(JOBS),2) \
		$(if $(ONLY),--only $(ONLY)) $(if $(DATA),--data $(DATA))
	@test -z "$(DATA)" || cargo run --release --example selfie_signs -- --data "$(DATA)"
	@test -n "$(ONLY)" || $(MAKE) --no-print-directory attacks

# Attacks of which none was approved when they were measured: docs/decisions/0030-the-server-watches.md. The others are reported only.
FORBIDDEN = flat-print,bent-print,print-with-eye-holes,screen,tablet,film-on-screen,still-injected,still-shifted,still-morphed,cut-face,$\
	wrong-side,no-movement,another-person-mid-burst

# ATTACKS recordings of each kind; FACES=folder takes photographs aligned as Labeled Faces in the Wild instead of the sample faces.
attacks:
	@cargo run --quiet --bin specimen -- attacks --out target/attacks --count $(or $(ATTACKS),8) --jobs $(or $(JOBS),2) \
		$(if $(FACES),--faces "$(FACES)")
	@cargo run --quiet --bin honnin -- eval attacks target/attacks --out target/attack-report --forbid $(FORBIDDEN)
