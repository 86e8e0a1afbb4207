#!/usr/bin/env python3
"""Counts the instructions of the solver's passes per particle, under callgrind.

    tools/count_instructions.py build/spate >instructions.json

Callgrind has no AVX-512, so the kernels for AVX2 are counted: tests and packing of candidates take fewer instructions with
AVX-512, the passes as many. The output is a section for tools/results.py.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ITERATIONS = 4

# By function: column of the page, and how often it runs in a step. Calls made by a function are included in its count.
PASSES = {
    "sort": ("space_index_sort", 1),
    "permute": ("store_permute", 1),
    "list": ("neighbour_list_build", 1),
    "approach": ("contacts_find", 1),
    "mirror": ("pbf_work_mirror", 1),
    "multipliers": ("multipliers", 1),
    "densities": ("densities", ITERATIONS - 1),
    "corrections": ("corrections", ITERATIONS),
    "contacts": ("contacts_touch", ITERATIONS + 1),
    "xsph": ("smooth_velocity", 1),
    "measure": ("world_measure", 1),
}


def main():
    program = sys.argv[1]
    scene = pathlib.Path(__file__).resolve().parent.parent / "scenes" / "dam_break.yaml"
    with tempfile.TemporaryDirectory() as folder:
        profile = f"{folder}/profile"
        settings = {"solver.iterations": ITERATIONS, "solver.min_iterations": ITERATIONS, "solver.list_margin": 0,
                    "fluids.water.spacing": 0.025, "fluids.water.surface_tension": 0}
        command = ["valgrind", "--tool=callgrind", "--toggle-collect=spate_world_step",
                   f"--callgrind-out-file={profile}", program, "run", str(scene), "-q", "-t", "1",
                   "-o", f"{folder}/run", "--frames", "2"] + [f"--set={key}={value}" for key, value in settings.items()]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "SPATE_SIMD": "avx2"})
        steps = [json.loads(line) for line in open(f"{folder}/run/stats.jsonl", encoding="utf-8")]
        text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", profile], check=True,
                              capture_output=True, text=True).stdout
    moved = sum(step["particles"] for step in steps)
    rows = []
    for name, (function, times) in PASSES.items():
        counts = [int(count.replace(",", "")) for count in re.findall(rf"^\s*([\d,]+) .*:{function}(?: \[|'|$| )", text, re.M)]
        if counts:
            rows.append({"pass": name, "instructions_per_particle": round(max(counts) / moved / times, 1)})
    neighbours = sum(step["neighbours_avg"] for step in steps) / len(steps)
    print(json.dumps({"bench": "instructions", "particles": steps[-1]["particles"], "steps": len(steps),
                      "neighbours_avg": round(neighbours, 2), "rows": rows}))


if __name__ == "__main__":
    main()
