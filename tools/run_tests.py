#!/usr/bin/env python3
"""Runs the tests of one or more build folders, and closes with what was skipped and why.

  tools/run_tests.py BUILD... [-- CTEST OPTIONS...]

Skipping is for what a machine cannot have: an instruction set, data beside the repository. A test that skips for a library counts as
failed, unless the build was configured without that library (SPATE_<LIBRARY>=OFF)."""
import os
import re
import subprocess
import sys


def left_out(build):
    """Names of the libraries that the user chose to build without."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        return set(re.findall(r"^SPATE_(\w+):BOOL=(?:OFF|0|NO|FALSE|N)$", cache.read(), re.MULTILINE | re.IGNORECASE))


def skips(build):
    """(test, reason, library or None) of every skip in CTest's log of its last run."""
    found = []
    test = None
    path = os.path.join(build, "Testing", "Temporary", "LastTest.log")
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log:
            if match := re.match(r"\d+/\d+ Testing: (\S+)", line):
                test = match[1]
            elif match := re.match(r"skipped: (.*)", line):
                found.append((test, match[1], None))
            elif match := re.match(r"skipped without (\w+)", line):
                found.append((test, f"built without {match[1]}", match[1]))
    return found


def run(build, options):
    """Runs one folder; returns whether it failed, and its skips as (build, test, reason, forbidden)."""
    command = ["ctest", "--output-on-failure", "-j", str(len(os.sched_getaffinity(0))), *options]
    failed = subprocess.run(command, cwd=build, check=False).returncode != 0
    chosen = left_out(build)
    return failed, [(build, test, reason, library is not None and library not in chosen)
                    for test, reason, library in skips(build)]


def main(arguments):
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    builds, options = arguments[:cut], arguments[cut + 1:]
    if not builds:
        sys.exit(__doc__)
    failed, skipped = False, []
    for build in builds:
        bad, found = run(build, options)
        failed |= bad
        skipped += found
    if skipped:
        print("\nSkipped:")
        for build, test, reason, forbidden in skipped:
            print(f"  {build}: {test}: {reason}{'  <-- an error: tools/install.sh run test installs it' * forbidden}")
    else:
        print("\nNothing was skipped.")
    sys.exit(failed or any(forbidden for *_, forbidden in skipped))


main(sys.argv[1:])
