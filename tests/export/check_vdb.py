#!/usr/bin/python3
"""check_vdb.py FRAME FOLDER up READER: .vdb files of a frame as OpenVDB reads them: READER prints points, its Python module fields.

FOLDER has particles_, fog_ and levelset_ files. Points agree in number, place and every channel. Fog has the volume, the centre and the
momentum of the particles. The level set is negative at particles that are inside, and the velocity is known wherever it is."""
import os, subprocess, sys

import numpy as np
import pyopenvdb as vdb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_export as common

SPACING = 0.05
HOUDINI = {"velocity": "v", "radius": "pscale"}


def close(what, found, expected, tolerance):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    if found.shape != expected.shape or not np.all(np.abs(found - expected) <= tolerance):
        worst = np.abs(found - expected).max() if found.shape == expected.shape else "%s and %s" % (found.shape, expected.shape)
        common.failures += 1
        print("FAILED: %s\n  is:       %s\n  expected: %s within %g, is off by %s" % (what, found.ravel()[:6], expected.ravel()[:6],
                                                                                    tolerance, worst))


def check_points(path, reader, place, expected, frame):
    lines = subprocess.run([reader, path], check=True, capture_output=True, text=True).stdout.split("\n")
    about = dict(word.split("=") for word in lines[0].split() if "=" in word)
    common.same("points: frame", about["frame"], str(frame["frame"]))
    common.same("points: fps", float(about["fps"]), 24.0)
    close("points: time", float(about["time"]), frame["time"], 1e-5)
    rows = np.array([line.split() for line in lines[2:] if line])
    common.same("points: count", len(rows), len(place))
    if len(place) == 0:
        return
    names = [word.split(":") for word in lines[1].split()]
    kinds = {"<f4": "float", "<i4": "int32", "<i8": "int64"}
    wanted = {HOUDINI.get(name, name): values for name, values in expected.items() if name != "position"}
    common.same("points: attributes", sorted(name for name, kind in names), sorted(list(wanted) + ["P"]))
    columns, at = {}, 3
    for name, kind in names:
        if name == "P":
            continue
        common.same("points: type of " + name, kind, "vec3s" if wanted[name].ndim == 2 else kinds[wanted[name].dtype.str])
        width = 3 if wanted[name].ndim == 2 else 1
        columns[name] = rows[:, at : at + width]
        at += width
    # points are in the order of voxels
    order = np.argsort(columns["id"][:, 0].astype(np.int64))
    mine = np.argsort(expected["id"])
    close("points: position", rows[order, :3].astype(float), place[mine], 1e-8)
    for name, values in wanted.items():
        found = columns[name][order].astype(values.dtype).reshape(values.shape)
        common.same("points: " + name, found, values[mine])


def active(grid):
    """Places of the centres of active voxels, and their values."""
    at, values = [], []
    for item in grid.citerOnValues():
        assert item.count == 1, "tiles are not expected"
        at.append(grid.transform.indexToWorld(item.min))
        values.append(item.value)
    return np.array(at).reshape(-1, 3), np.array(values)


def grid_of(path, name):
    """Positions of Spate are in double precision, so the grid says where it is."""
    grid = vdb.read(path, name)
    common.same(name + ": voxels are cubes", np.allclose(grid.transform.voxelSize(), 0.75 * SPACING), True)
    return grid


def check_fog(path, place, velocity):
    density, moving = grid_of(path, "density"), grid_of(path, "velocity")
    common.same("fog: class", density.gridClass, "fog volume")
    common.same("fog: vectors", moving.vectorType, "contravariant relative")
    at, share = active(density)
    cell = density.transform.voxelSize()[0] ** 3
    count = len(place)
    close("fog: volume", share.sum() * cell, count * SPACING**3, 1e-6 * count * SPACING**3)
    if count == 0:
        return common.same("fog: voxels", len(at), 0)
    close("fog: centre", (at * share[:, None]).sum(0) / share.sum(), place.mean(0), 0.02 * SPACING)
    close("fog: lower corner", at.min(0), place.min(0) - 1.5 * SPACING, 0.75 * SPACING)
    close("fog: upper corner", at.max(0), place.max(0) + 1.5 * SPACING, 0.75 * SPACING)
    if count > 1:
        # three spacings from the surface and more, a voxel is full of liquid
        inside = np.all((at > place.min(0) + SPACING) & (at < place.max(0) - SPACING), axis=1)
        close("fog: full voxels", share[inside].mean(), 1.0, 0.05)
    there, flow = active(moving)
    common.same("fog: velocity is known where liquid is", np.array_equal(there, at), True)
    momentum = (flow * share[:, None]).sum(0) * cell
    close("fog: momentum", momentum, velocity.astype(float).sum(0) * SPACING**3, 1e-5 * np.abs(velocity).sum() * SPACING**3)


def check_level_set(path, place, velocity):
    surface, moving = grid_of(path, "surface"), grid_of(path, "velocity")
    common.same("level set: class", surface.gridClass, "level set")
    at, distance = active(surface)
    if len(place) == 0:
        return common.same("level set: voxels", len(at), 0)
    reader = surface.getConstAccessor()
    near = [reader.getValue(tuple(int(round(k)) for k in surface.transform.worldToIndex(tuple(p)))) for p in place.astype(float)]
    if len(place) > 1:
        # a voxel's centre may be almost a voxel from the particle
        common.same("level set: particles are inside", np.all(np.array(near) < 0.75 * SPACING), True)
        close("level set: lower corner", at[distance < 0].min(0), place.min(0) - 0.5 * SPACING, SPACING)
        close("level set: upper corner", at[distance < 0].max(0), place.max(0) + 0.5 * SPACING, SPACING)
    flow = moving.getConstAccessor()
    known = [flow.isValueOn(tuple(int(round(k)) for k in moving.transform.worldToIndex(tuple(p)))) for p in at]
    common.same("level set: voxels with velocity", sum(known), len(at))
    values = active(moving)[1]
    low, high = velocity.min(0).astype(float), velocity.max(0).astype(float)
    common.same("level set: velocities are those of particles", np.all((values >= low - 1e-4) & (values <= high + 1e-4)), True)


def main():
    frame_path, folder, up, reader = sys.argv[1:]
    frame = common.read_frame(frame_path)
    expected = common.expected_of(frame, up)
    expected["radius"] = np.full(len(expected["position"]), 0.5 * SPACING, np.float32)
    name = "%06d.vdb" % frame["frame"]
    # in double precision
    own, origin = frame["channels"]["position"].reshape(-1, 3).astype(float), np.array(frame["origin"])
    place = own + origin
    if up == "z":
        place = np.stack([place[:, 0], -place[:, 2], place[:, 1]], axis=1)
    check_points(os.path.join(folder, "particles_" + name), reader, place, expected, frame)
    check_fog(os.path.join(folder, "fog_" + name), place, expected["velocity"])
    check_level_set(os.path.join(folder, "levelset_" + name), place, expected["velocity"])
    print("%d particles, %s up: %d failures" % (len(place), up, common.failures))
    return common.failures > 0


sys.exit(main())
