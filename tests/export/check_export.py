#!/usr/bin/python3
"""check_export.py FRAME FOLDER up: files of a frame, read by NumPy, VTK and the csv module, hold what the frame holds.

FOLDER has one file of each format. The frame itself is read by tools/read_frame.py."""
import csv, os, struct, sys

import numpy as np

sys.path.insert(0, os.path.join(os.environ["SPATE_SOURCE"], "tools"))
from read_frame import read_frame

failures = 0


def same(what, found, expected):
    global failures
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape or not np.array_equal(found, expected):
        failures += 1
        print("FAILED: %s\n  is:       %s %s\n  expected: %s %s" % (what, found.shape, found.ravel()[:6], expected.shape,
                                                                   expected.ravel()[:6]))


def expected_of(frame, up):
    """Positions in the world and channels, turned."""
    channels = dict(frame["channels"])
    place = channels.pop("position").reshape(-1, 3)
    channels["position"] = (place.astype(np.float64) + np.array(frame["origin"])).astype(np.float32)
    if up == "z":
        # places are turned before they are added to the origin, which is turned as well
        x, y, z = frame["origin"]
        turned = np.stack([place[:, 0], -place[:, 2], place[:, 1]], axis=1)
        channels["position"] = (turned.astype(np.float64) + np.array((x, -z, y))).astype(np.float32)
        for name, values in channels.items():
            if name not in ("position", "color") and values.ndim == 2 and values.shape[1] == 3:
                channels[name] = np.stack([values[:, 0], -values[:, 2], values[:, 1]], axis=1)
    return channels


def check_all(what, found, expected, exact=True):
    same(what + ": channels", sorted(found), sorted(expected))
    for name in expected:
        if name in found:
            same("%s: %s" % (what, name), found[name], expected[name])
            if exact:
                same("%s: type of %s" % (what, name), found[name].dtype.str, expected[name].dtype.str)


def check_npz(path, expected, frame, up):
    with np.load(path) as file:
        found = {name: file[name] for name in file.files}
    same("npz: frame", found.pop("frame"), frame["frame"])
    same("npz: time", found.pop("time"), frame["time"])
    same("npz: fps", found.pop("fps"), 24.0)
    same("npz: up", found.pop("up"), up)
    check_all("npz", found, expected)


def component_names(name, values):
    if name == "position":
        return ["x", "y", "z"]
    return [name] if values.ndim == 1 else [name + "_" + "xyzw"[k] for k in range(values.shape[1])]


def check_csv(path, expected):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    names = [part for name, values in expected.items() for part in component_names(name, values)]
    same("csv: names", sorted(rows[0]), sorted(names))
    for name, values in expected.items():
        columns = [[row[rows[0].index(part)] for row in rows[1:]] for part in component_names(name, values)]
        found = np.array(columns, dtype=values.dtype).T.reshape(values.shape)
        same("csv: " + name, found, values)


def vtk_arrays(reader):
    from vtkmodules.util.numpy_support import vtk_to_numpy

    reader.Update()
    data = reader.GetOutput()
    count = data.GetNumberOfPoints()
    found = {"position": vtk_to_numpy(data.GetPoints().GetData()) if count else np.zeros((0, 3), np.float32)}
    for k in range(data.GetPointData().GetNumberOfArrays()):
        array = data.GetPointData().GetArray(k)
        found[array.GetName()] = vtk_to_numpy(array)
    return data, found


def check_vtk(folder, name, expected, frame):
    from vtkmodules.vtkIOLegacy import vtkPolyDataReader
    from vtkmodules.vtkIOPLY import vtkPLYReader
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

    count = len(expected["position"])
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(os.path.join(folder, name + ".vtp"))
    data, found = vtk_arrays(reader)
    # VTK has a 64-bit type of its own name on some systems, so only its size is compared
    check_all("vtp", found, expected, exact=count > 0)
    same("vtp: points that are drawn", data.GetVerts().GetNumberOfConnectivityIds(), count)
    facts = data.GetFieldData()
    same("vtp: time", facts.GetArray("TimeValue").GetValue(0), float("%.15g" % frame["time"]))
    same("vtp: frame", facts.GetArray("frame").GetValue(0), frame["frame"])
    same("vtp: fps", facts.GetArray("fps").GetValue(0), 24.0)
    if count > 0:
        same("vtp: bounds", data.GetBounds(), np.stack([expected["position"].min(0), expected["position"].max(0)], 1).ravel())

    reader = vtkPolyDataReader()
    reader.SetFileName(os.path.join(folder, name + ".vtk"))
    reader.ReadAllFieldsOn()
    check_all("vtk", vtk_arrays(reader)[1], expected, exact=count > 0)

    if count > 0:
        reader = vtkPLYReader()
        reader.SetFileName(os.path.join(folder, name + ".ply"))
        same("ply: position", vtk_arrays(reader)[1]["position"], expected["position"])


def check_ply(path, expected):
    """Its channels, by the header: VTK reads none but colours and normals."""
    data = open(path, "rb").read()
    head, body = data.split(b"end_header\n", 1)
    types = {"float": "<f4", "int": "<i4"}
    lines = [line.split() for line in head.decode().split("\n")]
    count = int(next(words[2] for words in lines if words[:2] == ["element", "vertex"]))
    fields = [(words[2], types[words[1]]) for words in lines if words[:1] == ["property"] and words[1] != "list"]
    table = np.frombuffer(body, np.dtype(fields), count)
    same("ply: length", len(body), table.nbytes)
    for name, values in expected.items():
        found = np.stack([table[part] for part in component_names(name, values)], axis=1).reshape(values.shape)
        same("ply: " + name, found, values)


def main():
    frame_path, folder, up = sys.argv[1:]
    frame = read_frame(frame_path)
    expected = expected_of(frame, up)
    expected["radius"] = np.full(len(expected["position"]), 0.025, np.float32)
    name = "particles_%06d" % frame["frame"]
    check_npz(os.path.join(folder, name + ".npz"), expected, frame, up)
    check_csv(os.path.join(folder, name + ".csv"), expected)
    check_vtk(folder, name, expected, frame)
    check_ply(os.path.join(folder, name + ".ply"), expected)
    print("%d particles, %d channels, %s up: %d failures" % (len(expected["position"]), len(expected), up, failures))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
