#!/usr/bin/env bash
# --frames, --shard and --progress of the commands that work on the frames of a run.
source "$SPATE_SOURCE/tests/cli/expect.sh"

# nothing contains the liquid, so the automatic camera has to follow it
cat >drop.yaml <<'END'
spate: 1
frames: 9
fluids: { water: { spacing: 0.05 } }
sources:
  - { type: fill, fluid: water, shape: { box: { min: [0, 0.3, 0], max: [0.2, 0.5, 0.2] } }, velocity: [2, 0, 0] }
colliders: [ { shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } } } ]
output: { channels: [velocity] }
END
expect 0 "" run drop.yaml -o run --quiet
small=(--size 96x54 --supersample 1 --threads 1)

# the numbers of the files in a folder
names()
{
	(cd "$1" && find . -name "$2" | sort | sed 's/.*_0*\([1-9]\)\..*/\1/' | tr '\n' ' ')
}

# --- lists
expect 0 '"written":5' export run --frames 1-3,5,7-8:2 --json
same "exported" "$(names run/export '*.ply')" "1 2 3 5 7 "
expect 0 "spate export: --frames goes up to 12, but the last frame is 9" export run --frames 6-12x3 -o late
same "clamped" "$(names late '*.ply')" "6 9 "
expect 1 "run has frames 1-9, but none of 10-12" export run --frames 10-12
expect 1 "run has frames 1-9, but none of 10-12" mesh run --frames 10-12
expect 1 "run has frames 1-9, but none of 10-12" preview run --frames 10-12
for command in export mesh preview; do
	expect 2 "spate $command: --frames: '7-20:0' has a step of 0" "$command" run --frames 1,7-20:0
	expect 2 "spate $command: --shard takes I/N with whole numbers up to 100000, such as 1/4, not '2'" "$command" run --shard 2
	expect 2 "spate $command: --shard: 3 of 2 does not exist; shards count from 1 to 2" "$command" run --shard 3/2
	expect 2 "spate $command: --shard: 0 of 2 does not exist; shards count from 1 to 2" "$command" run --shard 0/2
	expect 2 "spate $command: --frames needs the frames of a run, but run/frames/frame_000001.spate is a single file" \
		"$command" run/frames/frame_000001.spate --frames 1
done

# --- the automatic camera is that of the scene: of a run in progress, of a single file, and of a run that is done
cp -r run begun
rm begun/frames/frame_00000[4-9].spate
expect 0 "" preview run "${small[@]}" --frames 3 -o done.png
expect 0 "" preview begun "${small[@]}" --frames 3 -o begun.png
expect 0 "" preview run/frames/frame_000003.spate "${small[@]}" -o single.png
cmp done.png begun.png
cmp done.png single.png
# the range of colours is that of all frames
expect 0 "" preview run "${small[@]}" --color-by speed --frames 1 -o done_speed.png
expect 0 "" preview begun "${small[@]}" --color-by speed --frames 1 -o begun_speed.png
if cmp -s done_speed.png begun_speed.png; then
	echo "FAILED: the range of colours is that of the first frames"
	exit 1
fi
rm begun/frames/frame_000001.spate
expect 0 "" preview begun "${small[@]}" --frames 3 -o later.png
cmp done.png later.png
expect 0 "" mesh run --frames 3 -o one
expect 0 "" mesh run --frames 1-9 -o many
expect 0 "" preview run "${small[@]}" --mesh=one --frames 3 -o one.png
expect 0 "" preview run "${small[@]}" --mesh=many --frames 3 -o many.png
cmp one.png many.png

# --- shards together are the whole, byte by byte
expect 0 "" preview run "${small[@]}" --color-by speed --label --no-movie -o whole
for shard in 1 2 3 4; do
	expect 0 "" preview run "${small[@]}" --color-by speed --label --shard $shard/4 -o parts
	expect 0 "" mesh run --shard $shard/4 -o shards
	expect 0 "" mesh run --shard $shard/4 --marks iterated -o marks
done
[ ! -e parts/drop.mp4 ]
same "pictures" "$(names parts '*.png')" "1 2 3 4 5 6 7 8 9 "
expect 0 "" mesh run -o meshes
expect 0 "" mesh run --marks iterated -o all_marks
diff -r whole parts
diff -r meshes shards
diff -r all_marks marks
same "second of four" "$("$SPATE_BINARY" export run --frames 2-9 --shard 2/4 -o second; names second '*.ply')" \
	$'wrote 2 files, 128 particles\n3 7 '
expect 0 "spate preview: nothing to do: shard 4/4 has no frames" preview run --frames 1-3 --shard 4/4 -o nothing
expect 0 "spate mesh: nothing to do: shard 4/4 has no frames" mesh run --frames 1-3 --shard 4/4 -o nothing
expect 0 "spate export: nothing to do: shard 4/4 has no frames" export run --frames 1-3 --shard 4/4 -o nothing
expect 2 "-o x.mp4 is a movie, but --shard draws only some of its frames; give a folder, and make the movie with --keep-pictures" \
	preview run --shard 1/2 -o x.mp4
expect 2 "--no-png and --shard together leave nothing to write" preview run --shard 1/2 --no-png

# --- a frame looks the same whichever others are drawn with it
expect 0 "" preview run "${small[@]}" --color-by speed --label --frames 4 -o alone.png
cmp alone.png whole/frame_000004.png
expect 0 "" preview run "${small[@]}" --mesh=meshes --no-movie -o surfaces
expect 0 "" preview run "${small[@]}" --mesh=meshes --frames 8 -o surface.png
cmp surface.png surfaces/frame_000008.png

# --- pictures that are there are kept, and joined to a movie
if command -v ffmpeg >/dev/null; then
	before=$(stat -c %y parts/frame_000002.png)
	rm parts/frame_000005.png
	expect 0 "wrote parts/drop.mp4 (9 frames)" preview run "${small[@]}" --color-by speed --label --keep-pictures -o parts
	same "a kept picture" "$(stat -c %y parts/frame_000002.png)" "$before"
	cmp parts/frame_000005.png whole/frame_000005.png
fi

# --- progress that a program can read
# lines FILE [REST]: every line has the promised form, and the percentages rise to 100
lines()
{
	local form='^PROGRESS: [0-9]+% frame [0-9]+/9 eta ([0-9]{2,}:[0-9]{2}:[0-9]{2}|--:--:--)(  .*)?$'
	if grep -Ev "$form" "$1"; then
		echo "FAILED: unexpected lines in $1"
		exit 1
	fi
	same "order of percentages" "$(sed 's/^PROGRESS: \([0-9]*\)%.*/\1/' "$1")" \
		"$(sed 's/^PROGRESS: \([0-9]*\)%.*/\1/' "$1" | sort -n)"
	same "first line" "$(head -n 1 "$1")" "PROGRESS: 0% frame 0/9 eta --:--:--${2:-}"
	same "last line" "$(tail -n 1 "$1" | cut -c 1-39)" "PROGRESS: 100% frame 9/9 eta 00:00:00${2:+  }"
}
"$SPATE_BINARY" run drop.yaml -o again --progress plain >/dev/null 2>run.txt
lines run.txt "  64 particles  0.0 steps/s  density error 0.00 %  0:00 elapsed"
"$SPATE_BINARY" mesh run -o progress --progress plain >/dev/null 2>mesh.txt
lines mesh.txt
"$SPATE_BINARY" export run -o progress --progress plain >/dev/null 2>export.txt
lines export.txt
"$SPATE_BINARY" preview run "${small[@]}" --no-movie -o progress --progress plain >/dev/null 2>preview.txt
lines preview.txt
# the pass before the pictures does not count
"$SPATE_BINARY" preview run "${small[@]}" --no-movie -o progress --color-by speed --progress plain >/dev/null 2>preview.txt
same "first line" "$(head -n 1 preview.txt)" "PROGRESS: 0% frames read to find the colour range 0/9 eta --:--:--"
same "last line" "$(tail -n 1 preview.txt)" "PROGRESS: 100% frame 9/9 eta 00:00:00"
same "lines without progress" "$(grep -c ' 0%' preview.txt)" 1
# a quiet command has none
same "quiet" "$("$SPATE_BINARY" run drop.yaml -o again --overwrite --progress plain --quiet 2>&1)" ""
expect 2 "--progress takes auto or plain, not 'often'" run drop.yaml --progress often
