#!/usr/bin/env bash
# Bodies of a scene: bodies.csv of a run, also of one that is continued, and what is refused.
set -euo pipefail
source "$SPATE_SOURCE/tests/cli/expect.sh"
if "$SPATE_BINARY" --version | grep -q "^without .*ODE"; then
	echo "skipped without ODE"
	exit 77
fi

cat >crate.yaml <<'SCENE'
spate: 2
frames: 4
fps: 24
fluids: { water: { spacing: 0.05 } }
sources:
  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.5, 0.2, 0.5] } } }
colliders:
  - { name: tank, shape: { box: { min: [0, 0, 0], max: [0.5, 1, 0.5] } }, mode: inside }
bodies:
  - { name: crate, shape: { box: { min: [0.1, 0.21, 0.1], max: [0.35, 0.35, 0.4] } }, density: 400, spin: [0, 1, 0] }
  - { name: "ball, red", shape: { sphere: { center: [0.42, 0.6, 0.42], radius: 0.06 } }, mass: 0.2 }
output: { checkpoint_every: 1 }
SCENE
expect 0 "collider   crate: box" check crate.yaml
expect 0 "" run crate.yaml -o whole
expect 0 "" run crate.yaml -o parts --frames 2
expect 0 "" run crate.yaml -o parts
cmp whole/bodies.csv parts/bodies.csv
[[ $(head -1 whole/bodies.csv) == frame,time,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,fx,fy,fz,tx,ty,tz ]]
[[ $(wc -l <whole/bodies.csv) == 9 ]] || { cat whole/bodies.csv; exit 1; }
python3 - <<'PYTHON'
import csv
rows = list(csv.DictReader(open("whole/bodies.csv")))
assert [row["name"] for row in rows] == ["crate", "ball, red"] * 4, rows
assert [int(row["frame"]) for row in rows[::2]] == [1, 2, 3, 4], rows
# the ball falls freely: by few substeps, each with the velocity at its end
last = rows[-1]
fall, time = 0.6 - float(last["y"]), float(last["time"])
assert abs(fall - 0.5 * 9.81 * time ** 2) < 0.02, (fall, time)
assert abs(float(last["vy"]) + 9.81 * time) < 1e-6, last
assert float(last["fy"]) == 0, last
# the crate is carried
assert float(rows[-2]["fy"]) > 0, rows[-2]
PYTHON
# a run that starts over does not append
expect 0 "" run crate.yaml -o parts --overwrite
cmp whole/bodies.csv parts/bodies.csv

sed 's/density: 400/density: 0/' crate.yaml >weightless.yaml
expect 2 "weightless.yaml:10:96: error: bodies.0: density must be greater than 0" check weightless.yaml
sed 's/center: \[0.42, 0.6, 0.42\]/center: [0.3, 0.3, 0.3]/' crate.yaml >inside.yaml
expect 2 "error: bodies.1: it overlaps bodies.0, crate at the start by" run inside.yaml
printf 'joints: [{ type: ball, bodies: [crate, bal], anchor: [0, 0, 0] }]\n' | cat crate.yaml - >joined.yaml
expect 2 "error: joints.0: there is no body 'bal'" run joined.yaml
# a mesh with no inside
printf 'v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nf 1 2 3\n' >leaf.obj
sed 's/shape: { sphere.*radius: 0.06 } }/mesh: leaf.obj, position: [0.4, 0.6, 0.4]/' crate.yaml >leaf.yaml
expect 2 "error: bodies.1: the mesh encloses no volume" check leaf.yaml
