#!/usr/bin/env bash
# spate bench: the quick run reports every number, misuse is told apart and lists what there is, nothing keeps running.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$SPATE_BINARY" bench neighbours --quick --json --quiet >"$work/json" 2>"$work/progress"
if [ -s "$work/progress" ]; then
	printf 'FAILED: --quiet printed:\n%s\n' "$(cat "$work/progress")"
	exit 1
fi
python3 - "$work/json" <<'EOF'
import json
import sys

lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
assert len(lines) == 1, f"{len(lines)} lines instead of 1"
report = json.loads(lines[0])
assert report["bench"] == "neighbours", report["bench"]
assert report["threads"] == 2, report["threads"]
assert report["simd"] in ("portable", "avx2", "avx512"), report["simd"]


def check(table, rows, keys):
    assert len(report[table]) == rows, f"{table} has {len(report[table])} rows instead of {rows}"
    for row in report[table]:
        missing = set(keys.split()) - set(row)
        assert not missing, f"{table} lacks {missing}"
        bad = {key: value for key, value in row.items() if not value > 0}
        assert not bad, f"{table} has {bad}"


check("sizes", 3, "particles ns_key ns_sort ns_sort_index ns_reorder ns_map ns_list bytes_per_particle neighbours_avg")
check("cell_sort_vs_hash", 7, "neighbours ratio ns_hash ns_cell_sort ns_list")
check("coherent_vs_full", 3, "movers_percent ratio ratio_radix ratio_counting")
for row in report["sizes"]:
    # 33 in the bulk, fewer at the surface
    assert 20 < row["neighbours_avg"] < 34, row["neighbours_avg"]
    parts = row["ns_sort_index"] + row["ns_reorder"]
    assert abs(row["ns_sort"] - parts) < 0.01 * parts, (row["ns_sort"], parts)
for row, wanted in zip(report["cell_sort_vs_hash"], (2, 5, 10, 30, 60, 100, 300)):
    assert abs(row["neighbours"] - wanted) < 0.02 * wanted, (row["neighbours"], wanted)
for row, wanted in zip(report["coherent_vs_full"], (0.5, 3, 10)):
    assert abs(row["movers_percent"] - wanted) < 0.1 * wanted, (row["movers_percent"], wanted)
EOF

# report NAME: the quick report of a benchmark, on one thread and on two
report()
{
	"$SPATE_BINARY" bench "$1" --quick --json --quiet --runs 1 >"$work/$1" 2>"$work/progress"
	if [ -s "$work/progress" ]; then
		printf 'FAILED: bench %s --quiet printed:\n%s\n' "$1" "$(cat "$work/progress")"
		exit 1
	fi
}
for name in pbf adaptive sph collide solvers quality table1 frame export preview surface forces fountain coupling threads; do
	report "$name"
done

# the solver can be named; another one compresses the liquid by another amount
"$SPATE_BINARY" bench quality --quick --json --quiet --runs 1 --solver pbf >"$work/pbf_quality"
"$SPATE_BINARY" bench quality --quick --json --quiet --runs 1 --solver projection >"$work/projection_quality"
python3 - "$work/pbf_quality" "$work/projection_quality" <<'EOF'
import json
import sys

pbf, projection = ([row["density_error_mean"] for row in json.load(open(name))["rows"]] for name in sys.argv[1:])
assert all(a != b for a, b in zip(pbf, projection)), (pbf, projection)
EOF
if "$SPATE_BINARY" bench quality --quick --solver nonsense >"$work/nonsense" 2>&1; then
	echo "FAILED: bench --solver nonsense was accepted"
	exit 1
fi

# one solver alone
"$SPATE_BINARY" bench solvers --quick --json --quiet --solver pbf >"$work/alone"
python3 -c 'import json, sys; names = [row["solver"] for row in json.load(open(sys.argv[1]))["rows"]]; assert names == ["pbf"] * 3, names' \
	"$work/alone"

# one thread is measured once
"$SPATE_BINARY" bench frame --quick --json --quiet --runs 1 --threads 1 >"$work/one"
python3 -c 'import json, sys; rows = json.load(open(sys.argv[1]))["rows"]; assert len(rows) == 1, rows' "$work/one"

python3 - "$work" <<'EOF'
import json
import os
import re
import sys


def rows_of(name, count, keys):
    lines = open(f"{sys.argv[1]}/{name}", encoding="utf-8").read().splitlines()
    assert len(lines) == 1, f"{name}: {len(lines)} lines instead of 1"
    report = json.loads(lines[0])
    head = (report["bench"], report["threads"], report["runs"], report["quick"])
    assert head == (name, 2, 1, True), head
    rows = report["rows"]
    assert count is None or len(rows) == count, f"{name} has {len(rows)} rows instead of {count}"
    for row in rows:
        missing = set(keys.split()) - set(row)
        assert not missing, f"{name} lacks {missing}"
        bad = {key: row[key] for key in keys.split() if not isinstance(row[key], str) and not row[key] > 0}
        assert not bad, f"{name} has {bad}"
    return rows


rows = rows_of("adaptive", 15, "scene mode iterations ms_step ms_solve iterations_mean density_error particles frames")
assert [row["mode"] for row in rows] == 3 * ["pbf_min", "pbf_max", "dtc", "dtvs", "residual"], rows
for row in rows:
    for key in "improvement_solve improvement_step density_deviation image_difference".split():
        assert key in row, (key, row)
    least, most = [int(n) for n in (row["iterations"].split("..") * 2)[:2]]
    assert least <= row["iterations_mean"] <= most, row

rows = rows_of("pbf", 6, "particles threads ns_iteration ns_step bytes_per_particle speedup_vs_scalar ns_substep ns_16ms "
               "substeps_16ms ns_scalar_step ns_sort ns_map ns_permute ns_list ns_approach ns_mirror ns_multipliers ns_densities "
               "ns_corrections ns_contacts ns_xsph ns_measure neighbours_avg list_entries density_error density_error_scalar")
sizes = [(row["particles"], row["threads"]) for row in rows]
assert sizes == [(800, 1), (800, 2), (4096, 1), (4096, 2), (11520, 1), (11520, 2)], sizes
for row in rows:
    assert "ns_iteration_in_step" in row, row
    assert 15 < row["neighbours_avg"] < 34, row["neighbours_avg"]
    parts = row["ns_densities"] + row["ns_corrections"] + row["ns_contacts"]
    assert abs(row["ns_iteration"] - parts) < 0.01 * parts, (row["ns_iteration"], parts)
    # the same step, added up in another order
    error, scalar = row["density_error"], row["density_error_scalar"]
    assert abs(error - scalar) < 0.02 * error, (error, scalar)

# a row for every solver and scene, with what the scene is for
solvers = re.findall(r"^SOLVER\((\w+),", open(os.environ["SPATE_SOURCE"] + "/src/solver/solvers.def", encoding="utf-8").read(), re.M)
rows = rows_of("solvers", 3 * len(solvers), "scene solver particles simulated_seconds steps wall_seconds cpu_seconds "
               "cpu_seconds_per_simulated_second density_error_common density_error_common_max density_error_reported")
cases = [(row["scene"], row["solver"]) for row in rows]
assert cases == [(scene, name) for scene in ("dam_break", "still_tank", "standing_wave") for name in solvers], cases
for row in rows:
    assert row["density_error_common"] <= row["density_error_common_max"] < 0.1, row
    if row["scene"] == "dam_break":
        assert 0.8 < row["energy_kept"] < 1.05 and row["energy_rise"] >= 0, row
    elif row["scene"] == "still_tank":
        assert abs(row["volume_drift"]) < 0.05 and row["rms_speed"] < 0.5, row
    else:
        assert 0.2 < row["amplitude_per_period"] <= 1.2 and 0.8 < row["period"] / row["period_theory"] < 1.2, row

rows = rows_of("quality", 3, "quality particles cpu_seconds wall_seconds steps density_error_mean density_error_max "
               "density_error_particle")
assert [row["quality"] for row in rows] == ["draft", "normal", "high"], rows
for row in rows:
    assert row["particles"] == 512, row["particles"]
    assert row["density_error_mean"] <= row["density_error_max"] <= row["density_error_particle"], row
# a better quality takes no fewer steps, and they leave less error
for worse, better in zip(rows, rows[1:]):
    assert worse["steps"] <= better["steps"], (worse, better)
    assert worse["density_error_mean"] > better["density_error_mean"], (worse, better)

rows = rows_of("sph", 2, "solver particles ms_step steps iterations density_error")
assert [(row["solver"], row["particles"], row["frames"]) for row in rows] == [("wcsph", 512, 0), ("pcisph", 512, 1)], rows
assert rows[1]["seconds_frame"] > 0 and all(row["density_error"] < 0.01 for row in rows), rows

rows = rows_of("table1", 2, "scene particles ns_16ms cpu_ns_16ms substeps_16ms iterations bytes_per_particle density_error start_us")
assert [(row["scene"], row["particles"]) for row in rows] == [("rayleigh_taylor", 256), ("dam_break", 512)], rows
for row in rows:
    # a position, a velocity and a list of neighbours at the least
    assert row["bytes_per_particle"] > 100, row
    assert row["substeps_16ms"] >= 1 and row["density_error"] < 0.05, row

rows = rows_of("export", None, "particles format as threads ms_write bytes_per_particle")
assert {row["format"] for row in rows} >= {"bgeo", "ply", "vtp", "vtk", "npz", "csv", "spate"}, rows
assert all(row["bytes_per_particle"] > 36 for row in rows if row["format"] == "bgeo"), rows
rows = rows_of("frame", 2, "particles threads ms_write ms_read ms_write_synced bytes_per_particle")
for row in rows:
    # id, position, velocity and density are 36 bytes unpacked; the bytes do not depend on threads
    assert row["particles"] == 8000, row["particles"]
    assert 8 < row["bytes_per_particle"] < 36, row["bytes_per_particle"]
    assert row["bytes_per_particle"] == rows[0]["bytes_per_particle"], rows

rows = rows_of("preview", 4, "particles width height threads supersample ms_picture")
cases = [(row["threads"], row["supersample"]) for row in rows]
assert cases == [(1, 1), (1, 2), (2, 1), (2, 2)], cases

rows = rows_of("surface", 8, "particles cell threads ns_search ns_blocks ns_field ns_contour ns_smooth ns_rest ns_all seconds triangles "
               "bytes_per_particle")
cases = [(row["particles"], row["cell"], row["threads"]) for row in rows]
assert cases == [(n, cell, threads) for n in (800, 1440) for cell in (0.75, 0.5) for threads in (1, 2)], cases
for one, two in zip(rows[::2], rows[1::2]):
    assert one["triangles"] == two["triangles"], (one, two)
for row in rows:
    # OpenVDB is measured where the build has it; smaller cells make more triangles of both
    if "ratio_openvdb" in row:
        assert row["ratio_openvdb"] > 0 and row["openvdb_triangles"] > 100, row
for coarse, fine in ((0, 2), (4, 6)):
    assert rows[coarse]["triangles"] < rows[fine]["triangles"], rows

rows = rows_of("fountain", 2, "age first_frame last_frame particles steps ns bytes_before bytes")
assert [(row["age"], row["first_frame"], row["last_frame"]) for row in rows] == [("young", 21, 30), ("old", 41, 50)], rows
young, old = rows
# as many particles as ever, in the same memory, without a call to the heap
assert all(row["heap_calls"] == 0 for row in rows), rows
assert 200 < young["particles"] < 1000 and abs(old["particles"] - young["particles"]) < 0.1 * young["particles"], rows
assert abs(old["bytes"] - young["bytes"]) < 0.05 * young["bytes"], rows

rows = rows_of("coupling", 2, "particles steps iterations ns")
assert [(row["crates"], row["steps"]) for row in rows] == [("colliders", 3), ("bodies", 3)], rows
assert rows[0]["particles"] == rows[1]["particles"] > 5000, rows

rows = rows_of("threads", 3, "particles threads ns_one_thread ns_threads ratio ns_one_thread_busy ns_threads_busy ratio_busy "
               "target_ratio_busy")
assert [(row["particles"], row["threads"]) for row in rows] == [(384, 2), (2880, 2), (4096, 2)], rows
for row in rows:
    for state in ("", "_busy"):
        ratio = row["ns_threads" + state] / row["ns_one_thread" + state]
        assert abs(row["ratio" + state] - ratio) < 0.01 * ratio, row
EOF

# meshes as colliders; a build without OpenVDB has none
python3 - "$work/collide" <<'PYTHON'
import json
import sys

lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
assert len(lines) == 1, f"{len(lines)} lines instead of 1"
report = json.loads(lines[0])
assert (report["bench"], report["threads"], report["quick"]) == ("collide", 2, True), report


def check(table, rows, keys):
    assert len(report[table]) == rows, f"{table} has {len(report[table])} rows instead of {rows}"
    for row in report[table]:
        missing = set(keys.split()) - set(row)
        assert not missing, f"{table} lacks {missing}"
        bad = {key: value for key, value in row.items() if not isinstance(value, str) and not value > 0}
        assert not bad, f"{table} has {bad}"
    return report[table]


rows = check("samples", 8, "of threads points ns_sample target_ns")
assert [row["of"] for row in rows[::2]] == ["static", "field", "moving", "deforming"], rows
for row in check("fields", 8, "triangles threads voxels bytes_per_voxel s_build s_fetch target_s_fetch"):
    assert row["voxels"] > 30000, row
rows = check("frames", 2, "triangles threads voxels s_field s_frame target_s_frame")
for row in rows:
    assert row["voxels"] == rows[0]["voxels"], rows
for row in check("contact", 2, "particles threads ns_step ns_contact share target_share iterations ns_part ns_approach ns_contacts "
                 "ns_hold"):
    parts = row["ns_part"] + row["ns_approach"] + (row["iterations"] + 1) * row["ns_contacts"] + row["ns_hold"]
    assert row["particles"] == 8000, row
    assert abs(row["ns_contact"] - parts) < 0.01 * parts, (row, parts)
    assert abs(row["share"] - row["ns_contact"] / row["ns_step"]) < 0.01 * row["share"], row
PYTHON

# the processes that keep the cores busy end with the benchmark, even when it is killed
children_of()
{
	{ grep -l "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status 2>/dev/null || true; } | sed 's,/proc/,,; s,/status,,'
}
"$SPATE_BINARY" bench threads --quick --quiet --runs 1000 >"$work/killed" &
bench=$!
children=
while [ -z "$children" ]; do
	if [ ! -e "/proc/$bench" ]; then
		echo 'FAILED: bench threads ended without keeping a core busy'
		exit 1
	fi
	children=$(children_of "$bench")
done
kill -KILL "$bench"
wait "$bench" 2>/dev/null || true
for child in $children; do
	for _ in $(seq 12000); do
		[ -e "/proc/$child" ] || continue 2
		sleep 0.05
	done
	echo "FAILED: process $child of the benchmark is still there"
	# shellcheck disable=SC2086
	kill -KILL $children 2>/dev/null
	exit 1
done

# the tables name what does not depend on the machine
"$SPATE_BINARY" bench --quick --threads 1 --runs 1 >"$work/table"
if ! head -n 1 "$work/table" | grep -q '^neighbours: threads 1, simd [a-z0-9]*, best of 1 runs'; then
	printf 'FAILED: the first line is: %s\n' "$(head -n 1 "$work/table")"
	exit 1
fi

# misuse ARGUMENTS TEXT: exit code 2, and a message that has TEXT
misuse()
{
	local code=0 output
	# shellcheck disable=SC2086
	output=$("$SPATE_BINARY" bench $1 2>&1 >/dev/null) || code=$?
	if [ "$code" != 2 ] || [[ $output != *$2* ]]; then
		printf 'FAILED: spate bench %s\n  exits with %s and says: %s\n  expected 2 and: %s\n' "$1" "$code" "$output" "$2"
		exit 1
	fi
}
misuse nothing neighbours
misuse "--threads 0" "from 1 to"
misuse "--runs many" "from 1 to"
misuse "--bogus" "--bogus"
misuse "neighbours again" "again"
"$SPATE_BINARY" bench --help | grep -q 'spate bench neighbours --quick --json'
