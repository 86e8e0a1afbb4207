#!/usr/bin/env bash
# The meshes of the example scenes are what tools/make_meshes.c makes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$SPATE_BUILD/make_meshes" "$work"
diff -rq "$SPATE_SOURCE/scenes/meshes" "$work" || { echo "FAILED: run 'make meshes'"; exit 1; }
if "$SPATE_BUILD/make_meshes" "$work/nowhere" 2>"$work/said"; then
	echo "FAILED: a folder that does not exist is taken"
	exit 1
fi
grep -q "make_meshes: " "$work/said"
