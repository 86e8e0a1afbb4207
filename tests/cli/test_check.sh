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
expect 0 "collider   tank: box that holds the liquid inside" check good.yaml
expect 0 "honey: spacing 0.1 m, density 1400 kg/m^3, viscosity 0.1 m^2/s, about 2,000 particles" check good.yaml
# c = 22 nu dt / h^2 = 22 * 0.1 / 48 / 0.04 = 1.1458, in rounds of at most 0.5: three
expect 0 "XSPH coefficient of 1.15 per substep: 3 rounds of smoothing per substep" check good.yaml
expect 0 "XSPH coefficient of 57.3 per substep: solved implicitly instead of 115 rounds" check good.yaml --set fluids.honey.viscosity=5
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

expect 2 "did you mean 'spacing'" check good.yaml --set fluids.honey.spacin=0.2
expect 2 "--set takes KEY=VALUE" check good.yaml --set nonsense
expect 2 "which SCENE?" check
expect 2 "not also 'b.yaml'" check good.yaml b.yaml
expect 1 "spate check: cannot open nowhere.yaml: No such file" check nowhere.yaml
expect 0 "spate check scenes/dam_break.yaml" check --help
for scene in "$SPATE_SOURCE"/scenes/*.yaml; do
	expect 0 "particles" check "$scene"
done
