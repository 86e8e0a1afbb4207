#!/usr/bin/env bash
# tools/check_layers.py: this tree is clean, and each kind of violation in a made-up tree is caught.
set -euo pipefail
check=("python3" "$SPATE_SOURCE/tools/check_layers.py")
"${check[@]}" "$SPATE_SOURCE"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# tree FILE LINE: a tree with one file whose second line is LINE
tree()
{
	rm -rf "$work/tree"
	mkdir -p "$work/tree/$(dirname "$1")"
	printf '// a file\n%s\n' "$2" >"$work/tree/$1"
}
catches()
{
	tree "$1" "$2"
	local output
	if output=$("${check[@]}" "$work/tree"); then
		printf 'FAILED: %s with %s was let through\n' "$1" "$2"
		exit 1
	fi
	if [[ $output != *$1:$3:* ]]; then
		printf 'FAILED: %s with %s\n  says:     %s\n  expected: %s:%s: ...\n' "$1" "$2" "$output" "$1" "$3"
		exit 1
	fi
}
allows()
{
	tree "$1" "$2"
	"${check[@]}" "$work/tree"
}

catches src/base/memory.c '#include "particles/store.h"' 2
catches src/space/cell_map.c '  #  include "world/world.h"' 2
catches src/material/viscosity.c '#include "solver/pbf.h"' 2
catches src/world/step.c '#include "cli/command.h"' 2
catches src/base/memory.c '#include "memory.h"' 2
catches src/base/memory.c '#include "elsewhere/memory.h"' 2
catches src/elsewhere/memory.c '#include "base/memory.h"' 1
catches src/space/list.c '#include <pthread.h>' 2
catches src/render/image.c '#include <png.h>' 2
catches src/world/world.cpp '#include "base/memory.h"' 1
catches include/spate/world.h '#include "base/memory.h"' 2
catches bench/neighbours.c '#include "cli/command.h"' 2
catches cli/run.c '#include "base/file.h"' 2
catches src/mesh/read.c '#include "tools/meshes/make.h"' 2

allows src/space/cell_map.c '#include "base/memory.h"'
allows src/base/pool.c '#include <pthread.h>'
allows src/base/png_file.c '#include <png.h>'
allows src/solver/pbf.c '#include "material/viscosity.h"'
allows src/render/splat.c '#include "cache/frame.h"'
allows src/base/error.c '#include "spate/result.h"'
allows src/bridge/vdb.cpp '#include "base/memory.h"'
allows include/spate/world.h '#include "spate/result.h"'
allows cli/bench.c '#include "bench/bench.h"'
