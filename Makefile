# The few commands that a user needs; CMake does the work.
#   make         build build/weir
#   make demo    install what is missing, build, run a dam break and make a picture and a film
#   make gallery draw every scene after a short run, and all of them on one sheet
#   make test    install what is missing, build, run all tests
#   make asan    the tests under the address and undefined-behaviour sanitizers
#   make format, make check-format
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SOURCES = $(shell find include src apps tests -name '*.[ch]')

.PHONY: all setup demo gallery test asan docs format check-format clean

all: build/build.ninja
	@cmake --build build -j $(JOBS)

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

test: setup
	@$(MAKE) --no-print-directory all
	@OMP_WAIT_POLICY=passive ctest --test-dir build --output-on-failure -j $(JOBS)

asan: setup
	@cmake --preset asan
	@cmake --build build-asan -j $(JOBS)
	@OMP_WAIT_POLICY=passive ctest --test-dir build-asan --output-on-failure -j $(JOBS)

# Files that the program prints; a test compares them to what it prints now.
docs: all
	@build/weir info --schema >schema/scene.schema.json
	@build/weir info --scene-reference >docs/scenes.md

format:
	@clang-format -i $(SOURCES)

check-format:
	@clang-format --dry-run -Werror $(SOURCES)

clean:
	@rm -rf build build-*
