# The few commands that a user needs; CMake does the work.
#   make         build build/weir
#   make demo    install what is missing, build, run a dam break and make a picture and a film
#   make gallery draw every scene after a short run, and all of them on one sheet
#   make test    install what is missing, build, run all tests
#   make studies run every study, quick, and write docs/validation.md; make studies QUICK= for all cases
#   make install PREFIX=DIR  libraries, headers, program, manual pages (docs/manual/install.md)
#   make fuzz SECONDS=60   every fuzz target (docs/manual/faults.md); make soak: a million steps
#   make coverage  lines of the core that tests reach; make api-docs: the API as HTML in out/api
#   make check-full  all tiers: sanitizers, compilers, static analysis, docs (scripts/check-full)
#   make asan    the tests under the address and undefined-behaviour sanitizers
#   make format, make check-format
PREFIX ?= /usr/local
QUICK ?= --quick
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SOURCES = $(shell find include src apps tests -name '*.[ch]')

.PHONY: all setup demo gallery install test studies fuzz soak coverage api-docs check-full asan docs format check-format clean

all: build/build.ninja
	@cmake --build build -j $(JOBS) --target weir_app

build/build.ninja:
	@cmake --preset release

setup:
	@scripts/setup

demo: setup
	@$(MAKE) --no-print-directory all
	@build/weir run scenes/examples/dam-break.yaml
	@build/weir render out/dam-break --time 0.6 --out out/dam-break/dam-break.png
	@build/weir render out/dam-break --size 640x360 --caption --out out/dam-break/dam-break.mp4

gallery: setup
	@$(MAKE) --no-print-directory all
	@scripts/gallery build/weir

install: setup
	@$(MAKE) --no-print-directory build/build.ninja
	@cmake --build build -j $(JOBS) --target weir_app weir_shared weirkit_shared weir_archive \
	    weirkit_archive weir_manual
	@cmake --install build --prefix $(PREFIX)

test: setup
	@$(MAKE) --no-print-directory build/build.ninja
	@cmake --build build -j $(JOBS)
	@OMP_WAIT_POLICY=passive ctest --test-dir build --output-on-failure -j $(JOBS)

# What falls short of an expectation (code 5) is on the page; it is no reason to stop.
studies: setup
	@$(MAKE) --no-print-directory all
	@build/weir study all $(QUICK) --summary docs/validation.md || [ $$? -eq 5 ]

SECONDS ?= 60
fuzz: setup
	@cmake --preset fuzz
	@cmake --build build-fuzz -j $(JOBS) --target weir_fuzz
	@scripts/fuzz build-fuzz/weir_fuzz tests/fuzz/corpus $(SECONDS) $(JOBS) out/fuzz

STEPS ?= 1000000
soak: setup
	@$(MAKE) --no-print-directory build/build.ninja
	@cmake --build build -j $(JOBS) --target soak
	@for m in pbf sph constraint viscoelastic; do build/tests/soak $(STEPS) $$m || exit 1; done

coverage:
	@scripts/setup --full
	@scripts/coverage

api-docs:
	@scripts/setup --full
	@scripts/api-docs

check-full:
	@scripts/setup --full
	@scripts/check-full

asan: setup
	@cmake --preset asan
	@cmake --build build-asan -j $(JOBS)
	@OMP_WAIT_POLICY=passive ctest --test-dir build-asan --output-on-failure -j $(JOBS)

# Files that the program prints; a test compares them to what it prints now.
docs: all
	@build/weir info --schema >schema/scene.schema.json
	@build/weir info --scene-reference >docs/scenes.md
	@build/weir study --schema >schema/study.schema.json
	@build/weir study --reference >docs/studies.md

format:
	@clang-format -i $(SOURCES)

check-format:
	@clang-format --dry-run -Werror $(SOURCES)

clean:
	@rm -rf build build-*
