# Thin front for CMake and Ninja. `make help` lists the targets.
BUILD ?= build
CMAKE_FLAGS ?=
.DEFAULT_GOAL := build
.PHONY: build
build: ## build the library and build/spate
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS) >/dev/null && ninja -C $(BUILD)
