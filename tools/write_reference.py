#!/usr/bin/env python3
"""Writes the pages that are made from the table of scene keys: tools/write_reference.py LIBSPATE.SO FOLDER"""
import ctypes
import pathlib
import sys

library, folder = ctypes.CDLL(str(pathlib.Path(sys.argv[1]).resolve())), pathlib.Path(sys.argv[2])
for function, name in ("spate_scene_reference", "scene.md"), ("spate_scene_schema", "scene.schema.json"):
    make = getattr(library, function)
    make.restype = ctypes.c_char_p
    (folder / name).write_bytes(make())
    print("wrote", folder / name)
