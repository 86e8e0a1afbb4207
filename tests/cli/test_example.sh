#!/usr/bin/env bash
# spate example: every file of scenes/ is built in byte for byte, and nothing is overwritten unasked.
source "$SPATE_SOURCE/tests/cli/expect.sh"

"$SPATE_BINARY" example >list
same "the list of names" "$(cut -d ' ' -f 1 list)" "$(cd "$SPATE_SOURCE/scenes" && printf '%s\n' *.yaml | sed 's/\.yaml$//')"
for scene in "$SPATE_SOURCE"/scenes/*.yaml; do
	name=$(basename "$scene" .yaml)
	expect 0 "wrote $name.yaml" example "$name"
	cmp "$scene" "$name.yaml"
	summary=$(head -n 1 "$scene")
	grep -qF "${summary#\# }" list
done
"$SPATE_BINARY" example --json | python3 -c '
import json, sys
scenes = json.load(sys.stdin)["scenes"]
assert "dam_break" in [s["name"] for s in scenes], scenes
assert all(len(s["summary"]) > 20 and "\n" not in s["summary"] for s in scenes), scenes'

# what a scene refers to comes along, into the folder beside it
expect 0 "wrote there/meshes/ramp.obj" example wet_ramp -o there/wet_ramp.yaml
same "the files of a scene with a mesh" "$(cd there && find . -type f | sort)" "./meshes/band.png
./meshes/ramp.obj
./wet_ramp.yaml"
for file in there/meshes/*; do
	cmp "$file" "$SPATE_SOURCE/scenes/meshes/$(basename "$file")"
done
expect 0 "mesh ramp.obj" info there/wet_ramp.yaml
rm there/wet_ramp.yaml
expect 0 "wrote there/wet_ramp.yaml" example wet_ramp -o there/wet_ramp.yaml
rm there/wet_ramp.yaml
echo precious >there/meshes/ramp.obj
expect 1 "there/meshes/ramp.obj already exists and differs; --force overwrites it" example wet_ramp -o there/wet_ramp.yaml
same "the file" "$(cat there/meshes/ramp.obj)" precious
[ ! -e there/wet_ramp.yaml ]
expect 0 "wrote there/meshes/ramp.obj" example wet_ramp -o there/wet_ramp.yaml --force
cmp there/meshes/ramp.obj "$SPATE_SOURCE/scenes/meshes/ramp.obj"
expect 0 "wrote sea/meshes/fish_0025.ply" example swimming_fish -o sea/swimming_fish.yaml
same "the files of a scene with a sequence" "$(ls sea/meshes | sed -n '1p;$p;$=')" "fish_0001.ply
fish_0025.ply
25"
expect 0 "in the first of 25 files" check sea/swimming_fish.yaml
for file in "$SPATE_SOURCE"/scenes/meshes/*; do
	[ "$(stat -c %s "$file")" -lt 300000 ]
done
# so do the scenes that it includes
mkdir jets
expect 0 "wrote jets/crossing_jets.yaml" example crossing_jets -o jets/crossing_jets.yaml
same "the files of a scene with others" "$(ls jets)" "basin.yaml
crossing_jets.yaml
jet.yaml"
expect 0 "source     right_nozzle: emits basin_water" check jets/crossing_jets.yaml
echo precious >jets/jet.yaml
expect 1 "jets/jet.yaml already exists and differs; --force overwrites it" example crossing_jets -o jets/crossing_jets.yaml
same "the file" "$(cat jets/jet.yaml)" precious

echo precious >dam_break.yaml
expect 1 "dam_break.yaml already exists; --force overwrites it" example dam_break
same "the file" "$(cat dam_break.yaml)" precious
same "what a quiet run prints" "$("$SPATE_BINARY" example dam_break --force --quiet 2>&1)" ""
cmp "$SPATE_SOURCE/scenes/dam_break.yaml" dam_break.yaml
"$SPATE_BINARY" example faucet -o - | cmp - "$SPATE_SOURCE/scenes/faucet.yaml"
expect 0 "wrote mine.yaml" example faucet -o mine.yaml
expect 1 "spate example: " example faucet -o no/such/folder/mine.yaml
expect 2 "unknown scene 'nothing'" example nothing
expect 2 "-o needs the NAME" example -o x.yaml
expect 2 "'faucet' is extra" example dam_break faucet
