#!/usr/bin/env python3
"""Keeps measured numbers and writes the page that shows them.

    tools/results.py [--store docs/results.json] [--page docs/results.md] [--physics ROWS.jsonl [--partial]]
                     [--known-misses tests/physics/known_misses.tsv] [--solvers docs/solvers.md] [BENCH.json...]

The store holds the raw numbers, the page is made from nothing else. --physics replaces all rows of the physics cases (lines that
the tests append to $SPATE_RESULTS), with --partial those of the tests that have rows in the file; every BENCH.json, the output of
`spate bench NAME --json`, replaces that benchmark's section. What is not given stays as it was. The table of the page that compares the
solvers, by default solvers.md beside the page if it is there, is written between two markers. With --physics it exits 1, after
writing, when a row has failed or when a known miss is the row of no test.
"""
import argparse
import json
import pathlib
import sys

# Benchmarks in the order of the page: title, and what to compare their numbers with.
BENCHES = {
    "neighbours": ("Neighbour search", "Ratios above 1 favour the newer method. Published: cell sorting is 2.2 to 3.2 times as fast as spatial "
                   "hashing for up to 30 neighbours, the coherent sort 1.3 to 1.5 times as fast as a full radix sort."),
    "pbf": ("Solver", "One thread against several, SIMD kernels against scalar ones."),
    "instructions": ("Instructions", "Instructions per pass of the solver, counted by callgrind with the AVX2 kernels."),
    "collide": ("Mesh colliders", "Targets for two threads: 25 ns for a distance and its gradient at coherent points, 0.6 s for a frame "
                "of a deforming mesh of 50,000 triangles, 0.2 s to start from a cached field, and contact with meshes below 15 % "
                "of a step."),
    "solvers": ("Solvers", "Every solver on the same scenes. `density_error_common` is measured for all alike, see "
                "[solvers.md](solvers.md), which shows the same numbers as a table."),
    "quality": ("Qualities", "Cost and remaining density error of each `quality`."),
    "sph": ("SPH", "Steps of `wcsph` and frames of `pcisph` at 30 frames per second. Published for PCISPH: 0.007 to 1.978 s a frame for 4,000 to "
            "512,000 particles."),
    "table1": ("A published table", "Time for 16 ms of two liquids and of a dam break, and memory, per particle."),
    "frame": ("Frames", "Writing and reading the cache."),
    "export": ("Export", "Writing 1 million particles in other formats. Targets: 150 ms for `.bgeo`, 500 ms for points in `.vdb`."),
    "preview": ("Preview", "Drawing a frame."),
    "surface": ("Surfaces", "Meshing a developed dam break with the method density; cells are in spacings. OpenVDB's path, from spheres of one spacing's radius to a "
                "level set to a mesh, is timed on the same particles with the same cells. Its ratio compares like with like, without our "
                "smoothing, normals and channels."),
    "fountain": ("A long run", "A fountain whose particles are born and die for 1000 frames: processor time per particle and step, memory "
                 "and calls to the heap, after the first 100 frames and at the end. Target: at the end at most 1.05 times as long."),
    "threads": ("Threads", "Steps on one thread and on several, on the machine as it is and next to one busy process per core. "
                "There, several threads must not take longer than 1.3 times one thread."),
}

# Published ranges by table and column, shown as separate rows.
CLAIMS = {
    ("neighbours", "cell_sort_vs_hash"): ("ratio", 2.2, 3.2, lambda row: row["neighbours"] <= 31,
                                          "cell sorting over spatial hashing, up to 30 neighbours"),
    ("neighbours", "coherent_vs_full"): ("ratio_radix", 1.3, 1.5, lambda row: True, "coherent sort over full radix sort"),
}


def number(value):
    """Six digits at most; whole numbers as they are."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e9 else f"{value:.4g}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return lines + [""]


# ---------------------------------------------------------------------------------------------------------------- physics

def is_judged(row):
    return row["low"] is not None or row["high"] is not None


def failed(row):
    """A miss without a reason, or a pass in spite of one."""
    known = bool(row.get("reason"))
    return row["pass"] == known if is_judged(row) else known or not row["pass"]


def physics_row(row):
    low, high, unit = row["low"], row["high"], row["unit"]
    measured = number(row["measured"]) + (" " + unit if unit else "")
    expected = error = tolerance = ""
    if low is not None and high is not None:
        expected = number(row["expected"])
        tolerance = "± " + number(high - row["expected"])
        if row["measured"] is not None:
            error = f"{row['measured'] - row['expected']:+.3g}"
    elif high is not None:
        expected, tolerance = "≤ " + number(high), "bound"
    elif low is not None:
        expected, tolerance = "≥ " + number(low), "bound"
    elif row["expected"] is not None and row["measured"] is not None:
        expected, error = number(row["expected"]), f"{row['measured'] - row['expected']:+.3g}"
    verdict = ("**FAIL**" if failed(row) else "reported" if not is_judged(row) else "pass" if row["pass"]
               else "missed: " + row["reason"])
    return [row["case"], measured, expected, error, tolerance, verdict, row["note"]]


def physics_section(rows):
    judged = [row for row in rows if is_judged(row)]
    passed = sum(row["pass"] for row in judged)
    lines = ["## Physics", "",
             f"{passed} of {len(judged)} checks pass, {len(judged) - passed} miss their limits; {len(rows) - len(judged)} more numbers are "
             "reported without a limit. All use default water at quality `normal` unless a row says otherwise. Error and tolerance are in "
             "the unit of the measured value. Rows that miss give the reason from `tests/physics/known_misses.tsv`.", "",
             "Run all with `make test-long`; `make test` runs those whose names do not end in `_long`.", ""]
    for test in sorted({row["test"] for row in rows}):
        lines += [f"### {test}", "", f"`cd build && ctest -V -R {test}$`", ""]
        lines += table(["case", "measured", "expected", "error", "tolerance", "verdict", "note"],
                       [physics_row(row) for row in rows if row["test"] == test])
    return lines


# ------------------------------------------------------------------------------------------------------------- benchmarks

def claim_lines(name, report):
    lines = []
    for (bench, key), (column, low, high, applies, what) in CLAIMS.items():
        ratios = [row[column] for row in report.get(key, []) if applies(row)] if bench == name else []
        if ratios:
            lines.append(f"- {what}: published {low} to {high}, measured {number(min(ratios))} to {number(max(ratios))}")
    if lines and name == "neighbours":
        lines += ["", "Cell sorting falls short of its claim where there are many neighbours. Likely reasons, not measured "
                  "separately: with more neighbours both methods spend their time on the same distance tests and differ only in finding cells, and the "
                  "hash receives particles in lattice order, which keeps its buckets in cache. The coherent sort gains more than claimed, "
                  "probably because it sorts the few particles that moved by counting, not by radix."]
    return lines + [""] if lines else []


def bench_section(name, report):
    title, text = BENCHES.get(name, (name.capitalize(), ""))
    lines = [f"## {title}", "", f"`spate bench {name} --json`", ""] + ([text, ""] if text else [])
    plain = {key: value for key, value in report.items() if key != "bench" and not isinstance(value, (list, dict))}
    if plain.get("quick"):
        lines += ["A quick run, which only shows that the benchmark works; the numbers are not meaningful.", ""]
    if plain:
        lines += [", ".join(f"{key} {number(value)}" for key, value in plain.items()), ""]
    lines += claim_lines(name, report)
    for key, value in report.items():
        rows = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
        rows = [row for row in rows if isinstance(row, dict)]
        if not rows:
            continue
        head = list(dict.fromkeys(column for row in rows for column in row))
        lines += [f"### {key}", ""] + table(head, [[number(row.get(column)) for column in head] for row in rows])
    return lines


# Work of a pass for one fluid, counted in the source (solver/pbf_kernels.simd.c): bytes per particle besides the lists, if every array
# is read once and gathered rows are in cache; operations per list entry, a fused multiply-add counted as two.
PASSES = {"multipliers": (58, 32), "densities": (58, 14), "corrections": (114, 25), "xsph": (66, 24)}
LIST_ENTRY = 4  # bytes

# How often a stage runs in a step of four iterations.
STAGES = {"sort": 1, "permute": 1, "list": 1, "approach": 1, "mirror": 1, "multipliers": 1, "densities": 3, "corrections": 4, "contacts": 5, "xsph": 1}


def time_section(bench):
    """Where a step's time goes, and how far each pass is from what the machine allows."""
    report = bench.get("pbf", {})
    limits = {limit["threads"]: limit for limit in report.get("machine", [])}
    rows = [row for row in report.get("rows", []) if "list_entries" in row and row["threads"] in limits]
    if not rows:
        return []
    # the largest size that fits every machine, on all threads
    row = max(rows, key=lambda r: (r["particles"] <= 1000000, r["particles"], r["threads"]))
    limit, counted = limits[row["threads"]], {r["pass"]: r["instructions_per_particle"] for r in bench.get("instructions", {}).get("rows", [])}
    lines = ["### Where the time goes", "",
             f"A step of {row['particles']} particles on {row['threads']} threads, {number(row['list_entries'])} list entries each with "
             f"padding ({number(row['neighbours_avg'])} neighbours). At peak the machine copies {number(limit['copy_gb_per_s'])} GB/s "
             f"and computes {number(limit['gflop_per_s'])} Gflop/s of fused multiply-adds in eight lanes. The bounds are bytes divided by the former and "
             "operations divided by the latter; gathers, shuffles, square roots and divisions add to both. Instructions are counted by "
             "`tools/count_instructions.py` with AVX2 and few particles, more of which are near walls.", ""]
    total = row["ns_step"]
    cells, known = [], 0.0
    for name, times in STAGES.items():
        if "ns_" + name not in row:  # measured before there was such a stage
            continue
        ns = row["ns_" + name]
        known += times * ns
        cell = [name, number(times), number(ns), f"{100 * times * ns / total:.0f} %", number(counted.get(name))]
        if name in PASSES:
            flat, operations = PASSES[name]
            moved = flat + LIST_ENTRY * row["list_entries"]
            memory, arithmetic = moved / limit["copy_gb_per_s"], operations * row["list_entries"] / limit["gflop_per_s"]
            cell += [number(round(moved)), number(memory), number(arithmetic), f"{ns / max(memory, arithmetic):.1f}"]
        cells.append(cell + [""] * (9 - len(cell)))
    cells.append(["the rest", "1", number(max(total - known, 0.0)), f"{100 * max(total - known, 0.0) / total:.0f} %"] + [""] * 5)
    lines += table(["stage", "times", "ns per particle", "share of the step", "instructions", "bytes", "bound by memory, ns",
                    "bound by arithmetic, ns", "times its bound"], cells)
    return lines + ["The rest is prediction, row setup, velocities and pressure: plain loops over all rows. Every pass over the lists "
                    "is slower than either bound, probably (not measured separately) because gathering eight rows into eight lanes takes eight loads and eight "
                    "shuffles, whatever is computed with them.", ""]


def page(store):
    lines = ["# Measured results", "",
             "Written by `tools/results.py` from the numbers in [results.json](results.json); `make test-long` repeats the physics measurements,",
             "`make results` the benchmarks.", ""]
    if store["physics"]:
        lines += physics_section(store["physics"])
    known = [name for name in BENCHES if name in store["bench"]]
    for name in known + sorted(set(store["bench"]) - set(BENCHES)):
        lines += bench_section(name, store["bench"][name])
        if name == "pbf":
            lines += time_section(store["bench"])
    return "\n".join(lines).rstrip() + "\n"


# ---------------------------------------------------------------------------------------------------------------- solvers

MARKERS = ("<!-- table: written by tools/results.py -->", "<!-- end of the table -->")


def percent(value, digits=2):
    return f"{100 * value:.{digits}f} %"


def solver_cells(name, rows):
    """The row of a solver in the table of docs/solvers.md."""
    cells = [f"`{name}`"]
    dam, still, wave = (rows.get((scene, name), {}) for scene in ("dam_break", "still_tank", "standing_wave"))
    for row in dam, still:
        cells.append(number(row.get("cpu_seconds_per_simulated_second")) if "failed" not in row else "failed")
    for row in dam, still:
        cells.append(number(row["steps"] / row["simulated_seconds"]) if "steps" in row else "")
    for row in dam, still:
        cells.append(f"{percent(row['density_error_common'], 3)} ({percent(row['density_error_reported'], 3)})"
                     if "density_error_common" in row else "")
    cells.append(percent(dam["energy_kept"], 1) if dam.get("energy_kept") is not None else "")
    cells.append(percent(dam["energy_rise"]) if dam.get("energy_rise") is not None else "")
    cells.append(f"{100 * still['volume_drift']:+.3f} %" if "volume_drift" in still else "")
    cells.append(f"{1000 * still['rms_speed']:.3g} mm/s" if "rms_speed" in still else "")
    cells.append(f"{wave['amplitude_per_period']:.2f}" if "amplitude_per_period" in wave else "")
    cells.append(f"{100 * (wave['period'] / wave['period_theory'] - 1):+.1f} %" if "period" in wave else "")
    return cells


def solver_table(report):
    rows = {(row["scene"], row["solver"]): row for row in report["rows"]}
    names = list(dict.fromkeys(row["solver"] for row in report["rows"]))
    head = ["solver", "CPU s/s, dam", "CPU s/s, tank", "substeps/s, dam", "substeps/s, tank", "density error, dam", "density error, tank",
            "energy kept", "energy rise", "level", "unrest", "wave", "period"]
    return table(head, [solver_cells(name, rows) for name in names])


def fill_table(path, report):
    """Replaces what is between the markers of a page."""
    text = path.read_text(encoding="utf-8")
    before, found, rest = text.partition(MARKERS[0])
    _, closed, after = rest.partition(MARKERS[1])
    if not found or not closed:
        raise SystemExit(f"{path} lacks the lines '{MARKERS[0]}' and '{MARKERS[1]}'")
    path.write_text("\n".join([before + MARKERS[0], ""] + solver_table(report)) + "\n" + MARKERS[1] + after, encoding="utf-8")


# --------------------------------------------------------------------------------------------------------------- the store

def read_rows(path):
    """Rows sorted by test; within one in the order they came. A case that was measured twice counts once, as it was last."""
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rows[row["test"], row["case"]] = row
    return sorted(rows.values(), key=lambda row: row["test"])


def read_known_misses(path):
    """Test and case of each line; the tests themselves check the format."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")[:2]) for line in lines if line and not line.startswith("#")]


def complaints(rows, known):
    """What is wrong with the rows of a run, a sentence each."""
    judged = {(row["test"], row["case"]) for row in rows if is_judged(row)}
    for row in rows:
        if failed(row):
            yield f"failed: {row['case']}" + (" passes, but is listed as a known miss" if row["pass"] else "")
    for test, *case in known:
        if (test, *case) not in judged:
            yield f"unknown: the known miss '{' '.join(case)}' is no row that {test} judges"


def read_benches(path):
    """One JSON object per line; files of benchmarks that do not exist are empty."""
    reports = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {report["bench"]: report for report in reports}


def main():
    parser = argparse.ArgumentParser(description="Keeps measured numbers and writes the page that shows them.")
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--store", type=pathlib.Path, default=root / "docs" / "results.json")
    parser.add_argument("--page", type=pathlib.Path, default=root / "docs" / "results.md")
    parser.add_argument("--physics", type=pathlib.Path)
    parser.add_argument("--partial", action="store_true")
    parser.add_argument("--known-misses", type=pathlib.Path, default=root / "tests" / "physics" / "known_misses.tsv")
    parser.add_argument("--solvers", type=pathlib.Path)
    parser.add_argument("bench", type=pathlib.Path, nargs="*")
    options = parser.parse_args()

    store = {"physics": [], "bench": {}}
    if options.store.exists():
        store = json.loads(options.store.read_text(encoding="utf-8"))
    if options.physics:
        rows = read_rows(options.physics) if options.physics.exists() else []
        fresh = {row["test"] for row in rows}
        kept = [row for row in store["physics"] if options.partial and row["test"] not in fresh]
        store["physics"] = sorted(kept + rows, key=lambda row: row["test"])
    for path in options.bench:
        store["bench"].update(read_benches(path))
    store["bench"] = dict(sorted(store["bench"].items()))
    options.store.write_text(json.dumps(store, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    options.page.write_text(page(store), encoding="utf-8")
    solvers = options.solvers or options.page.parent / "solvers.md"
    if "solvers" in store["bench"] and (options.solvers or solvers.exists()):
        fill_table(solvers, store["bench"]["solvers"])
    said = list(complaints(store["physics"], read_known_misses(options.known_misses))) if options.physics else []
    for sentence in said:
        print(sentence)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
