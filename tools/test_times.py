#!/usr/bin/env python3
"""Prints what every quick test of a build costs in CPU seconds (user and system, all threads and children), dearest first.
  tools/test_times.py BUILD [REGEX]
The time on the wall says little on a machine that does other things too; CPU time stays what it is."""
import argparse
import json
import os
import re
import resource
import subprocess
import sys

SKIPPED = 77


def quick_tests(build):
    """The tests that do not carry the label `long`, as CTest lists them: name, command, environment, folder."""
    listing = json.loads(subprocess.check_output(["ctest", "--show-only=json-v1"], cwd=build))
    for test in listing["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if "command" in test and "long" not in properties.get("LABELS", []):
            environment = dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", []))
            yield test["name"], test["command"], environment, properties.get("WORKING_DIRECTORY", build)


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build directory with compiled tests")
    parser.add_argument("pattern", nargs="?", default="", help="only tests whose name matches this expression")
    arguments = parser.parse_args()

    rows, failed = [], []
    tests = [test for test in quick_tests(arguments.build) if re.search(arguments.pattern, test[0])]
    for number, (name, command, environment, folder) in enumerate(tests, 1):
        before = children_seconds()
        done = subprocess.run(command, cwd=folder, env=os.environ | environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows.append((children_seconds() - before, name))
        print(f"{number}/{len(tests)} {name}: {rows[-1][0]:.2f} s", file=sys.stderr)
        if done.returncode not in (0, SKIPPED):
            failed.append(name)

    for seconds, name in sorted(rows, reverse=True):
        print(f"{seconds:8.2f}  {name}{'  FAILED' if name in failed else ''}")
    print(f"{sum(seconds for seconds, _ in rows):8.2f}  all {len(rows)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
