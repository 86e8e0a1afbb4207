#!/usr/bin/env bash
# spate check: the report and its JSON agree with the scene, every mistake has its place, exit codes tell them apart.
source "$SPATE_SOURCE/tests/cli/expect.sh"

cat >good.yaml <<'YAML'
spate: 1
frames: 48
fps: 24
solver: { substeps: 2 }
fluids:
  honey: { spacing: 0.1, density: 1400, viscosity: 0.1 }
sources:
  - { type: fill, name: block, fluid: honey, shape: { box: { min: [0, 0, 0], max: [1, 1, 2] } } }
colliders:
  - { name: tank, shape: { box: { min: [0, 0, 0], max: [2, 2, 2] } }, mode: inside }
YAML
expect 0 "good: 48 frames at 24 fps, 2 s" check good.yaml
expect 0 "collider   tank: box, container" check good.yaml
expect 0 "honey: spacing 0.1 m, density 1400 kg/m^3, viscosity 0.1 m^2/s, about 2,000 particles" check good.yaml
# c = 22 nu dt / h^2 = 22 * 0.1 / 48 / 0.04 = 1.1458, in rounds of at most 0.5: three
expect 0 "XSPH coefficient of 1.15 per substep: 3 smoothing passes per substep" check good.yaml
expect 0 "XSPH coefficient of 57.3 per substep: solved implicitly instead of in 115 smoothing passes" check good.yaml --set fluids.honey.viscosity=5
# pbf calms by 0.02 h^2 / (22 dt) at least, and by 1.5 h^2 sqrt(g / d) / 22 under gravity
expect 0 "numerical viscosity about 0.027 m^2/s" check good.yaml
expect 0 "numerical viscosity about 0.027 m^2/s, more than the fluid's own" check good.yaml --set fluids.honey.viscosity=0.001
same "the report of a quiet check" "$("$SPATE_BINARY" check --quiet good.yaml 2>&1)" ""

"$SPATE_BINARY" check good.yaml --json --set fluids.honey.spacing=0.2 >report.json
python3 - <<'PY'
import json
report = json.load(open("report.json", encoding="utf-8"))
assert report["valid"] is True and report["problems"] == [], report
assert report["particles"] == 250, report["particles"]
assert report["fluids"][0]["xsph_rounds"] == 1, report["fluids"]
assert abs(report["fluids"][0]["xsph"] - 22 * 0.1 / 48 / 0.16) < 1e-9, report["fluids"]
assert report["colliders"] == [{"name": "tank", "shape": "box", "mode": "inside"}], report["colliders"]
PY

# how many particles there are over time, where that changes
same "the particles of a fill" "$("$SPATE_BINARY" check good.yaml | grep -A 1 "  particles ")" "  particles  about 2,000 at the end
  memory     about 800 kB"
same "the particles of a fill that comes later" "$("$SPATE_BINARY" check good.yaml --set sources.block.start=1 | grep -A 2 "  particles ")" \
"  particles  about 2,000 at the end
             time               0 s        0.5 s          1 s        1.5 s          2 s
             about                0            0        2,000        2,000        2,000"
expect 0 "about 0 at the end" check good.yaml --set "sinks=[{ remove: everywhere, age: 0.7 }]"
expect 0 "at most 2,000 at any time" check good.yaml --set "sinks=[{ remove: everywhere, age: 0.7 }]"
expect 0 "about 2,000 at the end, before sinks remove some" check good.yaml --set "sinks=[{ shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }]"
"$SPATE_BINARY" check good.yaml --json --set sources.block.start=1 >report.json
python3 - <<'PY'
import json
report = json.load(open("report.json", encoding="utf-8"))
assert [(t["time"], t["particles"]) for t in report["particles_over_time"]] == [
    (0, 0), (0.5, 0), (1, 2000), (1.5, 2000), (2, 2000)], report
assert report["particles_most"] == 2000, report
PY

# two mistakes, both told at their place
sed -e 's/spacing: 0.1/spacing: -1/' -e 's/^frames/framez/' good.yaml >bad.yaml
expect 2 "bad.yaml:2:1: error: " check bad.yaml
expect 2 "bad.yaml:6:21: error: fluids.honey" check bad.yaml
expect 2 "spate check: bad.yaml has 2 mistakes" check bad.yaml
code=0
"$SPATE_BINARY" check bad.yaml --json >report.json || code=$?
same "the exit code for a bad scene" "$code" 2
python3 - <<'PY'
import json
report = json.load(open("report.json", encoding="utf-8"))
assert report["valid"] is False, report
assert [(p["line"], p["level"]) for p in report["problems"]] == [(2, "error"), (6, "error")], report
PY

# a mesh: what is in the file, and how large it is in the scene
mkdir parts
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 1 1 2\n' >parts/corner.obj
{
	cat good.yaml
	echo "  - { name: corner, mesh: parts/corner.obj, scale: 2, position: [0, 1, 0], field: { cell: 0.1, band: 0.2 } }"
} >meshed.yaml
# of a build with OpenVDB
tell_of_mesh()
{
	expect 0 "collider   corner: mesh corner.obj" check meshed.yaml
	expect 0 "4 triangles (1 degenerate, dropped), closed, 2 x 2 x 2 m" check meshed.yaml
	expect 0 "from [0, 1, 0] to [2, 3, 2]" check meshed.yaml
	expect 0 "collider   corner: mesh corner.obj, shell" check meshed.yaml --set colliders.1.mode=shell
	expect 0 "is the scale right? scale: 0.001 converts millimetres to metres" check meshed.yaml --set colliders.1.scale=1e4
	"$SPATE_BINARY" check meshed.yaml --json >report.json
	python3 - <<'PYTHON'
import json
mesh = json.load(open("report.json", encoding="utf-8"))["colliders"][1]
assert mesh["mesh"].endswith("/parts/corner.obj") and mesh["mesh"].startswith("/"), mesh
assert (mesh["triangles"], mesh["dropped"], mesh["closed"], mesh["files"]) == (4, 1, True, 1), mesh
assert mesh["low"] == [0, 1, 0] and mesh["high"] == [2, 3, 2], mesh
# three right triangles with legs of 2 m and one with sides of 2 sqrt 2
area = 3 * 2 + 2 * 3 ** 0.5
assert abs(mesh["area"] - area) < 1e-5, mesh
assert abs(mesh["field_voxels"] - area / 0.01 * 4) < 1, mesh
PYTHON
	# the scene in a pipe has no folder but the current one
	expect 0 "4 triangles" check /dev/stdin <meshed.yaml
	(cd parts && expect 0 "4 triangles" check ../meshed.yaml && expect 0 "4 triangles" check ../meshed.yaml --set colliders.1.mesh=corner.obj)
}
# which of the libraries that a build may be without it has: those that CMake was told to take
"$SPATE_BINARY" --version >version.txt
for name in OpenVDB Qhull OpenEXR ODE; do
	row=with
	grep -q "^SPATE_${name^^}:BOOL=ON" "$SPATE_BUILD/CMakeCache.txt" || row=without
	grep -q "^$row .*$name" version.txt || { echo "spate --version says: $(cat version.txt); $name is built $row"; exit 1; }
done
if grep -q "^without .*OpenVDB" version.txt; then
	fields=2
	expect 2 "meshed.yaml:11:27: error: colliders.1: the scene cannot run: this build has no OpenVDB" check meshed.yaml
	expect 2 "meshed.yaml:11:27: error: colliders.1: the scene cannot run: this build has no OpenVDB" run meshed.yaml
else
	fields=0
	tell_of_mesh
fi
rm parts/corner.obj
expect 2 "meshed.yaml:11:27: error: colliders.1: cannot read $PWD/parts/corner.obj: No such file or directory" check meshed.yaml
expect 2 "spate check: meshed.yaml has $((1 + fields / 2)) mistake" check meshed.yaml
expect 2 "meshed.yaml:11:27: error: colliders.1: cannot read" run meshed.yaml
expect 0 "collider   corner: mesh corner.obj" info meshed.yaml

expect 2 "did you mean 'spacing'" check good.yaml --set fluids.honey.spacin=0.2
expect 2 "--set takes KEY=VALUE" check good.yaml --set nonsense
expect 2 "SCENE is missing" check
expect 2 "'b.yaml' is extra" check good.yaml b.yaml
expect 1 "spate check: cannot open nowhere.yaml: No such file" check nowhere.yaml
expect 0 "spate check scenes/dam_break.yaml" check --help
for scene in "$SPATE_SOURCE"/scenes/*.yaml; do
	code=0
	grep -q "mesh:" "$scene" && code=$fields
	expect "$code" "" check "$scene"
	# a mesh obstacle that surrounds a fill, like a cup, cuts nothing away
	[[ $code != 0 || $output != *"about 0 particles"* ]] || { echo "FAILED: $scene is estimated to be empty"; exit 1; }
done
