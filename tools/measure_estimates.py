#!/usr/bin/env python3
"""Compares what `spate check` expects of a run with what the run takes.

    tools/measure_estimates.py [--spate build/spate] [--solver NAME] [SCENE...]

Runs shortened scenes of scenes/ on one thread and prints a table: substeps per frame, iterations per substep and CPU seconds, expected and
measured, with the ratio of the CPU seconds. Only CPU time counts, so other programs may run; they slow it down a little all the same.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes"

# name, frames, and factor on the spacing of the scene file; the same factor applies to all fluids
CASES = {
    "dam_break": (48, 2.0),
    "dam_break_obstacles": (24, 2.0),
    "double_dam_break": (24, 2.0),
    "sphere_drop": (24, 1.5),
    "drops": (12, 1.0),
    "faucet": (24, 1.0),
    "layers": (24, 1.5),
    "rayleigh_taylor": (8, 1.5),
    "wave_tank": (48, 2.0),
    "tension_rows": (4, 1.0),
    "viscosity_row": (10, 1.0),
    "spinning_blob": (6, 1.0),
    # not used when the numbers of src/scene/estimate.c were set
    "gradient": (6, 1.5),
    "fountain": (12, 2.0),
    "dam_door": (24, 2.0),
    "stirred": (6, 2.0),
    "vortex": (6, 2.0),
}


def report(spate, arguments):
    """The JSON that a command prints."""
    return json.loads(subprocess.run([spate, *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def overrides(spate, scene, frames, coarser):
    """--set arguments for fewer frames and larger spacings."""
    fluids = report(spate, ["check", scene, "--json"])["fluids"]
    values = [f"frames={frames}"] + [f"fluids.{f['name']}.spacing={f['spacing'] * coarser:.9g}" for f in fluids]
    return [argument for value in values for argument in ("--set", value)]


def measure(spate, name, solver):
    """One row: expected and measured."""
    frames, coarser = CASES[name]
    scene = str(SCENES / f"{name}.yaml")
    sets = overrides(spate, scene, frames, coarser) + (["--set", f"solver.type={solver}"] if solver else [])
    expected = report(spate, ["check", scene, "--json", *sets])
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([spate, "run", scene, "-q", "-o", folder + "/run", "--threads", "1", *sets], check=True,
                       stderr=subprocess.DEVNULL, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
        cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        with open(folder + "/run/stats.jsonl", encoding="utf-8") as lines:
            steps = [json.loads(line) for line in lines]
    substeps = sum(step["particles"] for step in steps)
    iterations = sum(step["particles"] * step["iterations"] for step in steps)
    return {
        "scene": name, "frames": frames, "particles": steps[-1]["particles"], "particles_expected": expected["particles"],
        "substeps": len(steps) / frames, "substeps_expected": expected["substeps"],
        "iterations": iterations / max(substeps, 1), "iterations_expected": expected["iterations"],
        "cpu": cpu, "cpu_expected": expected["cpu_seconds"], "ratio": expected["cpu_seconds"] / cpu,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--spate", default="build/spate")
    parser.add_argument("--solver", help="instead of the scenes' own")
    parser.add_argument("scene", nargs="*", choices=[[], *CASES], default=[])
    options = parser.parse_args()
    print("| scene | frames | particles | substeps per frame | iterations | CPU s | expected / measured |")
    print("|---|---|---|---|---|---|---|")
    within = 0
    names = options.scene or list(CASES)
    for name in names:
        row = measure(os.path.abspath(options.spate), name, options.solver)
        within += 1 / 1.5 <= row["ratio"] <= 1.5
        print("| {scene} | {frames} | {particles_expected} / {particles} | {substeps_expected:.1f} / {substeps:.1f} | "
              "{iterations_expected:.1f} / {iterations:.1f} | {cpu_expected:.2f} / {cpu:.2f} | {ratio:.2f} |".format(**row), flush=True)
    print(f"\n{within} of {len(names)} within a factor of 1.5; pairs are expected / measured.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
