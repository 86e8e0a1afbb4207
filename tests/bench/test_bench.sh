#!/usr/bin/env bash
# spate bench: the quick run reports every number, misuse is told apart and lists what there is.
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
