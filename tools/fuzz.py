#!/usr/bin/env python3
"""Runs fuzz entries one after the other, each for some seconds, and tells what they found.
  tools/fuzz.py BUILD SECONDS [ENTRY...]
BUILD is a build with SPATE_SANITIZE=fuzzer. What libFuzzer finds new lies below BUILD/corpus, what breaks an entry below BUILD/crashes;
seeds come from tests/fuzz/corpus. The exit code is 1 when an entry broke."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SEEDS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fuzz" / "corpus"
LIMITS = ["-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-timeout=120", "-report_slow_units=120"]  # more breaks an entry
EVERY = 10  # seconds between lines of progress

# "#4096 pulse  cov: 812 ft: 2130 corp: 77/3021b exec/s: 1365 rss: 61Mb"
PROGRESS = re.compile(r"^#(\d+)\s.*cov: (\d+).*corp: (\d+)")
FOUND = re.compile(r"Test unit written to (\S+)")


def run(build, entry, seconds, left, scratch):
    """One entry: runs, coverage and the inputs that broke it."""
    corpus, crashes = build / "corpus" / entry, build / "crashes" / entry
    corpus.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(parents=True, exist_ok=True)
    log = crashes / "log.txt"
    command = [build / "tests" / f"fuzz_{entry}", f"-max_total_time={seconds}", f"-artifact_prefix={crashes}/", *LIMITS,
               corpus, SEEDS / entry]
    runs = coverage = inputs = 0
    found, told, begin = [], 0.0, time.monotonic()
    environment = os.environ | {"TMPDIR": scratch, "OMP_NUM_THREADS": "1",
                                "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=1:handle_abort=1"}
    with log.open("w", encoding="utf-8") as copy, subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as fuzzer:
        for line in fuzzer.stdout:
            copy.write(line)
            if match := PROGRESS.match(line):
                runs, coverage, inputs = (int(number) for number in match.groups())
            if match := FOUND.search(line):
                found.append(match.group(1))
            passed = time.monotonic() - begin
            if passed - told >= EVERY:
                told = passed
                print(f"{entry}: {runs} runs, coverage {coverage}, {inputs} inputs; "
                      f"{max(0, seconds - passed) + left:.0f} s left in all", flush=True)
    if fuzzer.returncode != 0 and not found:
        found.append(f"nothing that can be repeated; its output is in {log}")
    for path in found:
        print(f"{entry} broke: {path}\n  what happened: {log}\n  again: {command[0]} {path}", flush=True)
    return runs, coverage, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("seconds", type=int, help="for each entry")
    parser.add_argument("entries", nargs="*", help="all of them when none is named")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    known = sorted(path.name for path in SEEDS.iterdir())
    for entry in arguments.entries:
        if entry not in known:
            parser.error(f"there is no entry '{entry}'; there are {', '.join(known)}")
    entries = arguments.entries or known

    # in memory, because checkpoints are synced, which is slow on a disk
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    rows = []
    with tempfile.TemporaryDirectory(prefix="spate_fuzz_", dir=shared) as scratch:
        for number, entry in enumerate(entries, 1):
            left = (len(entries) - number) * arguments.seconds
            rows.append((entry, *run(build, entry, arguments.seconds, left, scratch)))

    print(f"{'entry':12}{'runs':>10}{'coverage':>10}{'crashes':>9}")
    for entry, runs, coverage, found in rows:
        print(f"{entry:12}{runs:10}{coverage:10}{len(found):9}")
    return 1 if any(found for *_, found in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
