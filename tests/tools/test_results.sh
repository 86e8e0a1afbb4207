#!/usr/bin/env bash
# tools/results.py: rows and benchmarks become a page, what is not given anew stays, a failed row is told by the exit code.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
results() { python3 "$SPATE_SOURCE/tools/results.py" --store "$work/store.json" --page "$work/page.md" "$@"; }
expect() { grep -qF -- "$1" "$work/page.md" || { printf 'FAILED: the page lacks %s:\n%s\n' "$1" "$(cat "$work/page.md")"; exit 1; }; }

cat >"$work/rows" <<'ROWS'
{"test":"physics/test_b","case":"fall","measured":4.9,"expected":4.905,"low":4.855,"high":4.955,"unit":"m","note":"","pass":true}
{"test":"physics/test_a","case":"speed","measured":3,"expected":5,"low":null,"high":5,"unit":"mm/s","note":"rms","pass":true}
{"test":"physics/test_a","case":"shape","measured":0.5,"expected":null,"low":null,"high":null,"unit":"","note":"","pass":true}
{"test":"physics/test_a","case":"front","measured":0.75,"expected":0.5,"low":null,"high":null,"unit":"m","note":"","pass":true}
ROWS
cat >"$work/bench" <<'ROWS'
{"bench":"neighbours","threads":2,"cell_sort_vs_hash":[{"neighbours":2,"ratio":2.5},{"neighbours":30,"ratio":3},{"neighbours":300,"ratio":9}]}
ROWS
: >"$work/empty"
results --physics "$work/rows" "$work/bench" "$work/empty"
expect '2 of 2 checks pass; 2 more numbers'
expect '| fall | 4.9 m | 4.905 | -0.005 | ± 0.05 | pass |  |'
expect '| speed | 3 mm/s | ≤ 5 |  | bound | pass | rms |'
expect '| shape | 0.5 |  |  |  | reported |  |'
expect '| front | 0.75 m | 0.5 | +0.25 |  | reported |  |'
expect 'published 2.2 to 3.2, measured 2.5 to 3'

# where the time goes: shares of the step, and distance to what the machine allows (58 + 4 * 30 bytes at 10 GB/s are 17.8 ns)
cat >"$work/pbf" <<'ROWS'
{"bench":"pbf","machine":[{"threads":2,"copy_gb_per_s":10,"gflop_per_s":100}],"rows":[{"particles":1000,"threads":2,"ns_step":400,"list_entries":30,"neighbours_avg":28,"ns_sort":10,"ns_permute":4,"ns_list":40,"ns_approach":10,"ns_multipliers":20,"ns_densities":20,"ns_corrections":35.6,"ns_contacts":2,"ns_xsph":20}]}
{"bench":"instructions","rows":[{"pass":"densities","instructions_per_particle":250}]}
ROWS
results "$work/pbf"
expect '| densities | 3 | 20 | 15 % | 250 | 178 | 17.8 | 4.2 | 1.1 |'
expect '| list | 1 | 40 | 10 % |'

# the same page again, also from the rows in another order of tests
cp "$work/page.md" "$work/first.md"
results
cmp "$work/first.md" "$work/page.md"
{ tail -n 3 "$work/rows" && head -n 1 "$work/rows"; } >"$work/turned"
results --physics "$work/turned"
cmp "$work/first.md" "$work/page.md"

# a failure: told, and shown
sed 's/"measured":3,/"measured":8,/; s/"rms","pass":true/"rms","pass":false/' "$work/rows" >"$work/failed"
if results --physics "$work/failed" >"$work/said"; then
	printf 'FAILED: a failed row went unnoticed\n'
	exit 1
fi
grep -q '^failed: speed$' "$work/said"
expect '| speed | 8 mm/s | ≤ 5 |  | bound | **FAIL** | rms |'
expect 'published 2.2 to 3.2'
