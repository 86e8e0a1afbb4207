#!/usr/bin/env python3
"""Plants faults in a copy of the sources, one after the other, and reports those that no quick test notices.

    tools/mutants.py [--only NAME]... [--jobs N]
    tools/mutants.py --list
    tools/mutants.py --check

The faults are in tests/mutants/faults.txt, one block of `key: value` lines each, blocks apart by an empty line:

    name: adhesion_off
    file: src/solver/contacts.c
    find: any |= w->step->fluids[f].adhesion > 0.0;
    replace: any = 0;
    tests: solver/
    breaks: Walls attract nothing.

`find` is a whole line without its indentation, which the file has exactly once. `replace` stands in its place and may be empty. `tests`
is a regular expression of the tests that should notice, matched from the start of their names; without it they are those of the file's
module. Tests named _long do not take part.

The copy and its build are kept in build-mutants, so that only what a fault changes is built. --check looks whether the list fits
the sources, and builds nothing. Exit code 1 when more than 5 % of the faults survive or the list is wrong, 2 for misuse.
"""
import argparse
import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

KEYS = {"name": True, "file": True, "find": True, "replace": True, "tests": False, "breaks": True}  # and whether they must be there
MOST_SURVIVORS = 0.05
SKIPPED = 77
PATIENCE = 10.0, 30.0  # a test may take so many times as long as without a fault, and so many seconds more


class Mistake(Exception):
    """Something is wrong with the list, or with the sources before any fault."""


# ------------------------------------------------------------------------------------------------------------- the list


class Fault:
    def __init__(self, place, values):
        self.place = place  # file:line of its block
        self.name, self.file, self.find, self.replace, self.breaks = (
            values[key] for key in ("name", "file", "find", "replace", "breaks"))
        parts = pathlib.PurePosixPath(self.file).parts
        self.module = parts[1] if parts[0] == "src" and len(parts) > 2 else parts[0]
        self.tests = values.get("tests") or f"{self.module}/"

    def plant(self, text):
        """The text with the fault in it; what is wrong is a Mistake."""
        lines = text.split("\n")
        found = [number for number, line in enumerate(lines) if line.strip() == self.find]
        if len(found) != 1:
            times = "is gone from" if not found else f"is there {len(found)} times in"
            raise Mistake(f"{self.place}: {self.name}: the line \"{self.find}\" {times} {self.file}; find another for this fault")
        line = lines[found[0]]
        lines[found[0]] = line[:len(line) - len(line.lstrip())] + self.replace
        return "\n".join(lines)


def read_faults(path, shown):
    faults, values, first = [], {}, 0
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines + [""], 1):
        if line.startswith("#"):
            continue
        if line.strip():
            key, colon, value = line.partition(":")
            if not colon or key not in KEYS:
                raise Mistake(f"{shown}:{number}: expected one of {', '.join(KEYS)} and a colon, not \"{line}\"")
            if key in values:
                raise Mistake(f"{shown}:{number}: this fault has {key} twice; an empty line goes between faults")
            first = first or number
            values[key] = value.strip()
        elif values:
            missing = [key for key, needed in KEYS.items() if needed and key not in values]
            if missing:
                raise Mistake(f"{shown}:{first}: this fault has no {missing[0]}")
            faults.append(Fault(f"{shown}:{first}", values))
            values, first = {}, 0
    return faults


def quick_tests(root):
    """Names of all tests that are not long, as CTest knows them: module/test_subject."""
    files = [path for kind in ("c", "sh") for path in (root / "tests").glob(f"*/test_*.{kind}")]
    return sorted(f"{path.parent.name}/{path.stem}" for path in files if not path.stem.endswith("_long"))


def tests_of(fault, names):
    try:
        chosen = [name for name in names if re.match(fault.tests, name)]
    except re.error as error:
        raise Mistake(f"{fault.place}: {fault.name}: tests is no regular expression: {error}") from error
    if not chosen:
        raise Mistake(f"{fault.place}: {fault.name}: no quick test is called {fault.tests}")
    return chosen


def check(root, faults):
    """The mistakes in the list, as sentences."""
    mistakes, names = [], quick_tests(root)
    for number, fault in enumerate(faults):
        try:
            if any(fault.name == other.name for other in faults[:number]):
                raise Mistake(f"{fault.place}: there is another fault called {fault.name}")
            if not (root / fault.file).is_file():
                raise Mistake(f"{fault.place}: {fault.name}: there is no {fault.file}")
            text = (root / fault.file).read_text(encoding="utf-8")
            if fault.plant(text) == text:
                raise Mistake(f"{fault.place}: {fault.name} replaces the line by itself")
            tests_of(fault, names)
        except Mistake as mistake:
            mistakes.append(str(mistake))
    return mistakes


def uncovered(root, faults):
    """Modules without a fault, as sentences."""
    modules = {path.parent.name for path in (root / "src").glob("*/*.c")} | ({"cli"} if (root / "cli").is_dir() else set())
    return [f"{module} has no fault in the list" for module in sorted(modules - {fault.module for fault in faults})]


# ------------------------------------------------------------------------------------------------------------- the copy


class Copy:
    """The sources as they are in the work tree, and a build of them."""

    def __init__(self, root, folder, jobs):
        self.root, self.source, self.build, self.jobs = root, folder / "source", folder / "build", jobs

    def refresh(self):
        """Brings the copy up to date and returns a digest of it; files that are the same keep their age."""
        wanted = set()
        for folder, folders, names in os.walk(self.root):
            top = pathlib.Path(folder) == self.root
            # skip builds, results and git's own files
            folders[:] = [name for name in folders if name != "__pycache__" and not (top and re.match(r"build|out$|\.", name))]
            paths = [pathlib.Path(folder) / name for name in names]
            wanted |= {path.relative_to(self.root).as_posix() for path in paths if path.is_file()}
        digest = hashlib.sha256()
        for name in sorted(wanted):
            data, to = (self.root / name).read_bytes(), self.source / name
            digest.update(name.encode() + b"\0" + data)
            if not to.is_file() or to.read_bytes() != data:
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(data)
                shutil.copymode(self.root / name, to)
        for path in self.source.rglob("*"):
            if path.is_file() and path.relative_to(self.source).as_posix() not in wanted:
                path.unlink()
        return digest.hexdigest()

    def configure(self):
        # without -Werror, because a fault may leave something unused
        run_or_fail(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DSPATE_TESTS=ON", "-DSPATE_WERROR=OFF"],
                    "the copy could not be configured")
        made = subprocess.run(["ninja", "-C", self.build, "-t", "targets", "all"], check=True, capture_output=True, text=True).stdout
        self.targets = set(re.findall(r"^([\w.+-]+): ", made, re.M))

    def make(self, tests):
        """Builds what some tests need; what the compiler said, or None."""
        programs = {name.replace("/", "_") for name in tests} & self.targets
        scripts = any(name.replace("/", "_") not in self.targets for name in tests)
        # test scripts may need any target that is not a test
        programs |= self.targets & ({"spate", "spate_shared", "make_meshes"} if scripts else {"spate"})
        ninja = subprocess.Popen(["ninja", "-C", self.build, f"-j{self.jobs}", *sorted(programs)], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, env=dict(os.environ) | {"NINJA_STATUS": "[%f/%t] "})
        said, begin = [], time.monotonic()
        for line in ninja.stdout:
            said.append(line)
            step = re.match(r"\[(\d+)/(\d+)\]", line)
            if step and int(step[1]) > 0:
                done, total = int(step[1]), int(step[2])
                left = (time.monotonic() - begin) / done * (total - done)
                status(f"{done} of {total} files built, {duration(left)} left")
        return None if ninja.wait() == 0 else "".join(said)

    def find_tests(self):
        """How CTest runs every test, by name."""
        shown = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], check=True, capture_output=True, text=True)
        return {test["name"]: test for test in json.loads(shown.stdout[shown.stdout.index("{"):])["tests"]}


def run_or_fail(command, what):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Mistake(f"{what}:\n{done.stdout}{done.stderr}")


# ------------------------------------------------------------------------------------------------------------- running


class Runner:
    """Runs tests side by side in their order; the first that fails ends the others, unless all are wanted."""

    def __init__(self, tests, jobs, all_wanted=False):
        self.tests, self.jobs, self.all_wanted = tests, jobs, all_wanted
        self.lock, self.running, self.stopped = threading.Lock(), set(), False

    def start(self, name):
        test = self.tests[name]
        properties = {item["name"]: item["value"] for item in test.get("properties", [])}
        environment = dict(os.environ) | dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        with self.lock:
            if self.stopped:
                return None
            process = subprocess.Popen(test["command"], cwd=properties.get("WORKING_DIRECTORY"), env=environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            self.running.add(process)
            return process

    def run(self, name, seconds):
        """"passed", "failed", "hung", "skipped" or "ended", and the seconds that it took."""
        begin, process = time.monotonic(), self.start(name)
        if not process:
            return "ended", 0.0
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        with self.lock:
            self.running.discard(process)
            ended = self.stopped
        end_group(process)  # what a test may have left behind
        outcome = ("ended" if ended else "hung" if code is None else
                   {0: "passed", SKIPPED: "skipped"}.get(code, "failed"))
        return outcome, time.monotonic() - begin

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                end_group(process)

    def run_all(self, names, allowed, told=lambda done: None):
        """Outcome and seconds of each test; `allowed` is how long a test may take."""
        outcomes = {}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            waiting = {pool.submit(self.run, name, allowed(name)): name for name in names}
            try:
                for future in concurrent.futures.as_completed(waiting):
                    outcomes[waiting[future]] = future.result()
                    told(len(outcomes))
                    if not self.all_wanted and future.result()[0] in ("failed", "hung"):
                        self.stop()
            finally:
                self.stop()
        return outcomes


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def status(text):
    """A line that the next one overwrites; only for people."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def measure_baseline(copy, digest, tests, needed):
    """Seconds that each test takes without a fault, and the tests that fail. Kept while the sources stay the same."""
    path = copy.build / "baseline.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    seconds = kept.get("seconds", {}) if kept.get("digest") == digest else {}
    missing = sorted(set(needed) - set(seconds))
    bad = []
    if missing:
        print(f"running {len(missing)} tests without a fault", flush=True)
        begin = time.monotonic()

        def told(done):
            left = (time.monotonic() - begin) / done * (len(missing) - done)
            status(f"{done} of {len(missing)} tests, {duration(left)} left")

        outcomes = Runner(tests, copy.jobs, all_wanted=True).run_all(missing, lambda name: 600.0, told)
        status("")
        bad = [name for name, (outcome, _) in outcomes.items() if outcome in ("failed", "hung")]
        # None if this machine skips the test
        seconds |= {name: None if outcome == "skipped" else round(took, 2)
                    for name, (outcome, took) in outcomes.items() if name not in bad}
        path.write_text(json.dumps({"digest": digest, "seconds": seconds}))
    return {name: took for name, took in seconds.items() if took is not None}, bad


def try_fault(copy, fault, tests, chosen, baseline):
    """Plants one fault and returns the test that noticed with what it did, or (None, "survived")."""
    path = copy.source / fault.file
    text = path.read_text(encoding="utf-8")
    path.write_text(fault.plant(text), encoding="utf-8")
    try:
        said = copy.make(chosen)
        if said:
            raise Mistake(f"{fault.place}: {fault.name} does not compile:\n{said}")
        order = sorted((name for name in chosen if name in baseline), key=baseline.get)
        outcomes = Runner(tests, copy.jobs).run_all(order, lambda name: PATIENCE[0] * baseline[name] + PATIENCE[1])
        for name in order:
            if outcomes[name][0] in ("failed", "hung"):
                return name, outcomes[name][0]
        return None, "survived"
    finally:
        path.write_text(text, encoding="utf-8")


def plant_all(root, faults, folder, jobs):
    folder.mkdir(exist_ok=True)
    lock = open(folder / ".lock", "w", encoding="utf-8")  # held until the program ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise Mistake(f"another run is using {folder}; wait for it to end") from error
    copy = Copy(root, folder, jobs)
    digest = copy.refresh()
    names = quick_tests(root)
    chosen = {fault.name: tests_of(fault, names) for fault in faults}
    needed = sorted(set().union(*chosen.values()))
    print(f"building {folder.name}", flush=True)
    copy.configure()
    said = copy.make(needed)
    if said:
        raise Mistake(f"the copy does not build without any fault:\n{said}")
    tests = copy.find_tests()
    baseline, bad = measure_baseline(copy, digest, tests, needed)
    mistakes = [f"{name} fails without any fault and was left out; ctest -R {name} tells why" for name in bad]
    for mistake in mistakes:
        print(mistake, flush=True)

    survivors, begin = [], time.monotonic()
    wide = max(len(fault.name) for fault in faults)
    for number, fault in enumerate(faults, 1):
        status(f"[{number}/{len(faults)}] {fault.name}")
        start = time.monotonic()
        try:
            test, how = try_fault(copy, fault, tests, chosen[fault.name], baseline)
        except Mistake as mistake:
            mistakes.append(str(mistake))
            test, how = None, "is wrong"
        if how == "survived":
            survivors.append(fault)
        left = (time.monotonic() - begin) / number * (len(faults) - number)
        result = how.upper() if not test else "caught" if how == "failed" else how
        status("")
        print(f"[{number:{len(str(len(faults)))}}/{len(faults)}] {fault.name:{wide}}  {result:8}  {test or '':28}"
              f"{duration(time.monotonic() - start):>6}" + (f", {duration(left)} left" if left else ""), flush=True)
    # the last fault is removed from the sources but still in the build, which the next run updates
    return survivors, mistakes


# ---------------------------------------------------------------------------------------------------------- command line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", action="append", help="plant this fault; may be given several times")
    parser.add_argument("--list", action="store_true", help="print the faults and end")
    parser.add_argument("--check", action="store_true", help="check the list against the sources and end")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="compilers and tests at a time")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent, help="the source tree")
    options = parser.parse_args()
    root = options.root.resolve()
    faults = read_faults(root / "tests" / "mutants" / "faults.txt", "tests/mutants/faults.txt")
    mistakes = check(root, faults) + (uncovered(root, faults) if options.check else [])
    if mistakes:
        raise Mistake("\n".join(mistakes))
    for name in options.only or []:
        if name not in {fault.name for fault in faults}:
            parser.error(f"no fault is called {name}; --list shows them")
    if options.only:
        faults = [fault for fault in faults if fault.name in options.only]
    if options.check:
        print(f"{len(faults)} faults fit the sources")
        return 0
    if options.list:
        for fault in faults:
            print(f"{fault.name}\t{fault.file}\t{fault.breaks}")
        return 0
    survivors, mistakes = plant_all(root, faults, root / "build-mutants", max(options.jobs, 1))
    for fault in survivors:
        print(f"survived: {fault.name} ({fault.file}): {fault.breaks}")
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    allowed = int(MOST_SURVIVORS * len(faults))
    print(f"{len(faults)} faults, {len(survivors)} survived, at most {allowed} may")
    return 1 if mistakes or len(survivors) > allowed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Mistake as mistake_:
        print(mistake_, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
