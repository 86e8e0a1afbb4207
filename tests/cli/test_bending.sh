#!/usr/bin/env bash
# Bodies that bend: a run that is continued, frames with shapes, and what is refused.
set -euo pipefail
source "$SPATE_SOURCE/tests/cli/expect.sh"

python3 - <<'PYTHON'
import math
rings, around, radius = 4, 12, 0.08
with open("bag.obj", "w") as out:
    print("v 0", -radius, 0, file=out)
    for j in range(1, rings + 1):
        for i in range(around):
            a, b = 0.5 * math.pi * j / rings, 2 * math.pi * i / around
            print("v", radius * math.sin(a) * math.cos(b), -radius * math.cos(a), radius * math.sin(a) * math.sin(b), file=out)
    for i in range(around):
        n = (i + 1) % around
        print("f 1", 2 + i, 2 + n, file=out)
        for j in range(rings - 1):
            a, b = 2 + j * around + i, 2 + j * around + n
            print("f", a, a + around, b, file=out)
            print("f", b, a + around, b + around, file=out)
PYTHON
cat >bag.yaml <<'SCENE'
spate: 2
frames: 4
fps: 24
fluids: { water: { spacing: 0.014 } }
sources:
  - { type: fill, fluid: water, shape: { sphere: { center: [0, 0.46, 0], radius: 0.04 } } }
bodies:
  - { name: bag, type: cloth, mesh: bag.obj, position: [0, 0.5, 0], area_density: 0.2, pins: [{ top: 0.001 }] }
output: { checkpoint_every: 1 }
SCENE
expect 0 "collider   bag: mesh bag.obj, shell" check bag.yaml
expect 0 "" run bag.yaml -o whole
expect 0 "" run bag.yaml -o parts --frames 2
expect 0 "" run bag.yaml -o parts
cmp whole/bodies.csv parts/bodies.csv
cmp whole/frames/frame_000004.spate parts/frames/frame_000004.spate
grep -aq shapes whole/frames/frame_000004.spate
expect 0 "" preview whole --frames 4 --size 160x90 --no-movie

change() { sed "$1" bag.yaml >changed.yaml; }
change 's/area_density: 0.2/area_density: 0/'
expect 2 "8:83: error: bodies.0: area_density must be greater than 0" check changed.yaml
change 's/{ top: 0.001 }/{ vertex: 49 }/'
expect 2 "bodies.0: the mesh has no vertex 49; its last one is 48" check changed.yaml
change 's/{ top: 0.001 }/{ vertex: 4, top: 1 }/'
expect 2 "bodies.0.pins.0: a pin has one of vertex, top and shape, like { top: 0.01 }" check changed.yaml
change 's/type: cloth/type: soft/; s/area_density: 0.2, //'
expect 2 "bodies.0: a soft body needs a closed mesh; this one has 12 open and 0 crowded edges" check changed.yaml
change 's/, mesh: bag.obj//'
expect 2 "bodies.0: a body that bends needs a mesh, like mesh: bag.obj" check changed.yaml
change 's/^frames/solver: { type: pbf }\nframes/'
expect 2 "bodies.0: bodies that bend need the solver projection; the scene asks for pbf" check changed.yaml
