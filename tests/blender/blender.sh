#!/usr/bin/env bash
# Particles, fields and meshes as Blender imports them, with the scripts of docs/pipeline.md. `make test-blender` runs it.
source "$SPATE_SOURCE/tests/cli/expect.sh"

cat >dam.yaml <<'END'
spate: 2
frames: 12
fluids: { water: { spacing: 0.05 } }
sources: [ { type: fill, fluid: water, shape: { box: { min: [10, 1, 3], max: [10.5, 1.6, 3.3] } } } ]
colliders: [ { shape: { box: { min: [10, 1, 3], max: [11.2, 3, 3.3] } }, mode: inside } ]
output: { channels: [velocity, density] }
END
expect 0 "" run dam.yaml -o out/dam --quiet
for format in npz ply; do
	expect 0 "wrote 1 file" export out/dam --frames 12 --up z --format $format
done
expect 0 "wrote 1 file" export out/dam --frames 12 --up z --as fog
expect 0 "" mesh out/dam --frames 12
expect 0 "" mesh out/dam --frames 12 --format obj -o obj

# the blocks of code below the heading Blender, one after the other
awk '/^## /{ in_part = /^## Blender/ } in_part && /^```python/ { n++; writing = 1; next } /^```/ { writing = 0 }
	in_part && writing { print >("recipe" n ".py") }' "$SPATE_SOURCE/docs/pipeline.md"
same "recipes" "$(ls recipe*)" $'recipe1.py\nrecipe2.py'
blender -b --factory-startup --python-exit-code 1 --python "$SPATE_SOURCE/tests/blender/check_blender.py" 2>&1 | tee log
grep -q "^Blender: 0 failures" log
