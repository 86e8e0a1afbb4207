#!/usr/bin/env python3
"""Checks that layers only look down: reads the #include lines of src/, tools/, cli/, bench/, studio/ and include/.

    tools/check_layers.py [ROOT]

Prints file:line for every include that looks up or sideways, and exits 1 when there is one.
"""
import pathlib
import re
import sys

# From the bottom up. A module may include itself and modules of lower rows.
LAYERS = [
    ["base"],
    ["particles", "mesh", "bridge"],
    ["space"],
    ["solver", "force", "material", "collider", "body", "source", "spray"],
    ["cluster", "gpu"],
    ["world"],
    ["cache", "surface", "render", "scene", "export"],
    ["run", "job"],
    ["tools"],
    ["cli", "studio", "python", "bench"],
]

# Includes allowed between modules of the same row.
SIDEWAYS = {
    "solver": {"force", "material", "collider", "body"},
    "body": {"collider"},
    "force": {"collider"},  # forces act inside of shapes
    "source": {"collider"},  # fills keep clear of walls
    "body": {"collider"},  # bodies meet walls
    "surface": {"cache"},
    "render": {"cache"},
    "export": {"cache"},
    "cli": {"bench"},  # spate bench runs them
}

# Hosts of the library, which use it as anybody else would: through its public headers.
PUBLIC_ONLY = {"cli", "studio", "python"}

# System headers that only one file may include.
DOORS = {
    "pthread.h": "src/base/pool.c",
    "png.h": "src/base/png_file.c",
    "immintrin.h": "src/base/simd.h",
    "ode/ode.h": "src/body/body_ode.c",
}

LEVEL = {module: level for level, modules in enumerate(LAYERS) for module in modules}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
C_FILES = {".c", ".h", ".def"}
CPP_FILES = {".cpp", ".cc", ".cxx", ".hpp", ".hh"}


def module_of(path):
    """The module that a file (relative to the root) belongs to; "spate" for the public headers."""
    parts = path.parts
    if parts[0] == "include":
        return "spate"
    return parts[1] if parts[0] == "src" and len(parts) > 2 else parts[0]


def complaint(path, module, quote, target):
    """What is wrong with one include, or None."""
    if quote == "<":
        door = DOORS.get(target)
        return f"<{target}> belongs in {door} alone" if door and path.as_posix() != door else None
    if "/" not in target:
        return f'"{target}" does not name its module; write "{module}/{target}"'
    wanted = target.split("/")[0]
    if wanted in (module, "spate"):
        return None
    if module == "spate":
        return f'a public header includes "{target}"; only spate/ and system headers are public'
    if wanted not in LEVEL:
        return f'"{target}" is in no known module; add it to LAYERS in tools/check_layers.py'
    if module in PUBLIC_ONLY and wanted not in SIDEWAYS.get(module, ()):
        return f'{module} includes "{target}"; a host of the library uses its public headers alone'
    if LEVEL[wanted] > LEVEL[module]:
        return f'{module} looks up to {wanted}: "{target}"'
    if LEVEL[wanted] == LEVEL[module] and wanted not in SIDEWAYS.get(module, ()):
        return f'{module} looks sideways at {wanted}: "{target}"'
    return None


def check_file(root, path):
    module = module_of(path)
    if module != "spate" and module not in LEVEL:
        yield f"{path}:1: {module} is no known module; add it to LAYERS in tools/check_layers.py"
        return
    if path.suffix in CPP_FILES and module != "bridge":
        yield f"{path}:1: C++ lives in src/bridge alone"
    text = (root / path).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        problem = match and complaint(path, module, *match.groups())
        if problem:
            yield f"{path}:{number}: {problem}"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    files = [
        file.relative_to(root)
        for folder in ("include", "src", "tools", "cli", "bench", "studio")
        for file in sorted((root / folder).rglob("*"))
        if file.suffix in C_FILES | CPP_FILES
    ]
    if not files:
        sys.exit(f"check_layers: no source files below {root}")
    problems = [problem for file in files for problem in check_file(root, file)]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
