# Thin front for CMake and Ninja. `make help` lists the targets.
BUILD ?= build
CMAKE_FLAGS ?=
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
ARGS ?=
SECONDS ?= 60

# `sudo make run` installs packages as root; files that it builds and writes belong to the user who called sudo
ifeq ($(shell id -u),0)
ifdef SUDO_USER
as_user = runuser -u $(SUDO_USER) -- env HOME="$$(getent passwd $(SUDO_USER) | cut -d: -f6)"
endif
endif

configure = cmake -S . -B $(1) -G Ninja $(2) $(CMAKE_FLAGS) >/dev/null
compile = ninja -C $(1) -j $(JOBS)
check = tools/run_tests.py $(1) --
c_files = git ls-files '*.c' '*.h'

.DEFAULT_GOAL := build
.PHONY: build run demo test tests test-long test-blender test-times fuzz mutants bench results reference hashes meshes format lint tsan install clean help

build: ## build the libraries, build/spate and the tests
	@command -v cmake >/dev/null && command -v ninja >/dev/null || tools/install.sh run test
	@$(call configure,$(BUILD),-DSPATE_TESTS=ON)
	@$(call compile,$(BUILD))

run: ## install what running needs, build, simulate a dam break, render a movie
	@tools/install.sh run
	@$(as_user) $(MAKE) --no-print-directory demo
demo:
	@$(call configure,$(BUILD),-DSPATE_TESTS=OFF)
	@$(call compile,$(BUILD)) spate
	@$(BUILD)/spate run scenes/dam_break.yaml -o out/dam_break $(ARGS)
	@$(BUILD)/spate preview out/dam_break --supersample 1 --size 1280x720

test: ## install what testing needs, build with and without sanitizers, run the tests in both
	@tools/install.sh run test
	@$(as_user) $(MAKE) --no-print-directory tests
tests:
	@$(call configure,$(BUILD)-asan,-DSPATE_SANITIZE=address)
	@$(call compile,$(BUILD)-asan)
	@$(MAKE) --no-print-directory build
	@$(call check,$(BUILD)-asan $(BUILD)) -LE long

# quick and long physics tests both write rows; the page is written even if one has failed
test-long: ## run the tests that take minutes, fuzz, write the physics part of docs/results.md
	@tools/install.sh run test
	@$(MAKE) --no-print-directory build
	@mkdir -p $(BUILD)/results && rm -f $(BUILD)/results/physics.jsonl
	@export SPATE_RESULTS="$$PWD/$(BUILD)/results/physics.jsonl"; failed=0; \
	($(call check,$(BUILD)) -R '^physics/' -LE long) || failed=1; \
	($(call check,$(BUILD)) -L long) || failed=1; \
	$(MAKE) --no-print-directory fuzz || failed=1; \
	tools/results.py --physics $(BUILD)/results/physics.jsonl || failed=1; exit $$failed

test-times: build ## print the CPU seconds of every quick test (TEST_BUILD=build-asan: with sanitizers)
	@tools/test_times.py $(or $(TEST_BUILD),$(BUILD)) $(ARGS)

fuzz: ## fuzz every reader for SECONDS each (ARGS="scene mesh": only these)
	@tools/install.sh run test extras
	@$(call configure,$(BUILD)-fuzz,-DCMAKE_C_COMPILER=clang -DSPATE_SANITIZE=fuzzer -DSPATE_TESTS=OFF)
	@$(call compile,$(BUILD)-fuzz) fuzz_all
	@tools/fuzz.py $(BUILD)-fuzz $(SECONDS) $(ARGS)

test-blender: build ## install Blender, import what is exported there, compare with the frame
	@tools/install.sh run test blender
	@SPATE_SOURCE="$$PWD" SPATE_BUILD="$$PWD/$(BUILD)" SPATE_BINARY="$$PWD/$(BUILD)/spate" bash tests/blender/blender.sh

mutants: ## plant faults in a copy of the sources, fail if the tests miss more than 5 % (ARGS="--only NAME")
	@tools/install.sh run test
	@$(as_user) tools/mutants.py --jobs $(JOBS) $(ARGS)

bench: build ## run all benchmarks (ARGS="--json" and the like are passed on)
	@$(BUILD)/spate bench all $(ARGS)

meshes: build ## regenerate the meshes of the example scenes
	@$(call compile,$(BUILD)) make_meshes
	@$(BUILD)/make_meshes scenes/meshes
reference: build ## regenerate docs/scene.md and docs/scene.schema.json
	@python3 tools/write_reference.py $(BUILD)/libspate.so docs
hashes: build ## regenerate the state hashes that tests/run/test_state_hashes compares with
	@SPATE_SOURCE="$$PWD" $(BUILD)/tests/run_test_state_hashes --write
results: build ## run the benchmarks, write their part of docs/results.md
	@mkdir -p $(BUILD)/results && rm -f $(BUILD)/results/bench_*.json
	@for name in neighbours pbf adaptive sph collide solvers quality frame export preview surface fountain coupling threads; do \
	if $(BUILD)/spate bench --help | grep -q "^  $$name "; then \
	$(BUILD)/spate bench $$name --json $(ARGS) >$(BUILD)/results/bench_$$name.json || exit 1; fi; done
	@if command -v callgrind_annotate >/dev/null; then \
	tools/count_instructions.py $(BUILD)/spate >$(BUILD)/results/bench_instructions.json || exit 1; fi
	@tools/results.py $(BUILD)/results/bench_*.json

format: ## format all C files with clang-format
	@tools/install.sh extras
	@$(c_files) | xargs clang-format -i

lint: ## check formatting and layers, build with clang, run clang-tidy
	@tools/install.sh run test extras
	@$(c_files) | xargs clang-format --dry-run --Werror
	@python3 tools/check_layers.py
	@$(call configure,$(BUILD)-clang,-DCMAKE_C_COMPILER=clang)
	@$(call compile,$(BUILD)-clang)
	@# with assertions, which tell it what callers promise
	@git ls-files 'src/*.c' 'cli/*.c' 'bench/*.c' | xargs -P $(JOBS) -n 4 clang-tidy --quiet -p $(BUILD)-clang --extra-arg=-UNDEBUG 2>/dev/null

tsan: ## run the tests under the thread sanitizer
	@tools/install.sh run test extras
	@$(call configure,$(BUILD)-tsan,-DCMAKE_C_COMPILER=clang -DSPATE_SANITIZE=thread)
	@$(call compile,$(BUILD)-tsan)
	@# with files limited to a few bytes the sanitizer itself cannot start
	@$(call check,$(BUILD)-tsan) -LE long -E run/test_full_disk

install: ## install below PREFIX (default /usr/local; DESTDIR is honoured)
	@$(call configure,$(BUILD),-DSPATE_TESTS=OFF)
	@$(call compile,$(BUILD))
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean: ## remove all build directories
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-clang $(BUILD)-tsan $(BUILD)-fuzz build-mutants

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16
