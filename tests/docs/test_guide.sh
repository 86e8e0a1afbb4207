#!/usr/bin/env bash
# Runs every ```sh block of docs/guide.md, in order, in one shell, in a folder laid out like the repository.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$SPATE_BUILD" "$work/build"
ln -s "$SPATE_SOURCE/tools" "$SPATE_SOURCE/scenes" "$work"
cd "$work"

awk '/^```sh$/ { inside = 1; blocks++; next } /^```$/ { inside = 0 } inside; END { exit blocks < 10 }' \
	"$SPATE_SOURCE/docs/guide.md" >commands.sh || { echo "FAILED: docs/guide.md has fewer than 10 blocks of commands"; exit 1; }
# numpy is the system's
PATH=/usr/bin:$PATH bash -euxo pipefail commands.sh >output 2>&1 ||
	{ echo "FAILED: a command of docs/guide.md; the end of its output:"; tail -n 20 output; exit 1; }

# what the guide promises is there
cd out/guide
for file in out/shot/preview/frame_000120.png out/shot/preview/shot.mp4 speed.png rock.png height.png energy.png \
	out/honey/frames/frame_000120.spate out/deep/frames/frame_000060.spate out/moon/frames/frame_000060.spate \
	out/shot/scene.yaml out/shot/probes.csv out/shot/stats.jsonl out/shot/log.txt; do
	[ -s "$file" ] || { echo "FAILED: docs/guide.md speaks of $file, which is not there"; exit 1; }
done
grep -q '^time 1.0 s, 3125 particles$' "$work/output" || { echo "FAILED: the frame read in Python:"; tail -n 2 "$work/output"; exit 1; }
