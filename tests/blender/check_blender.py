"""Run by Blender: imports what blender.sh has exported, and compares it with the frame."""
import os, sys

import bpy
import numpy as np
from mathutils import Vector

sys.path.insert(0, os.path.join(os.environ["SPATE_SOURCE"], "tools"))
from read_frame import read_frame

SPACING = 0.05
failures = 0


def close(what, found, expected, tolerance):
    global failures
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    good = found.shape == expected.shape and np.all(np.abs(found - expected) <= tolerance)
    failures += not good
    print("%s %s" % ("ok    " if good else "FAILED", what))
    if not good:
        print("  is:       %s %s\n  expected: %s %s within %g" % (found.shape, found.ravel()[:6], expected.shape, expected.ravel()[:6], tolerance))


def turned(vectors):
    return np.stack([vectors[:, 0], -vectors[:, 2], vectors[:, 1]], axis=1)


def places_of(thing):
    """In the world of Blender."""
    bpy.context.view_layer.update()
    at = np.empty(3 * len(thing.data.vertices))
    thing.data.vertices.foreach_get("co", at)
    world = np.array(thing.matrix_world)
    return at.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def vectors_of(thing, name):
    values = np.empty(3 * len(thing.data.attributes[name].data))
    thing.data.attributes[name].data.foreach_get("vector", values)
    return values.reshape(-1, 3)


def box_of(places):
    return np.stack([places.min(0), places.max(0)])


def newest(before):
    return next(thing for thing in bpy.data.objects if thing not in before)


frame = read_frame("out/dam/frames/frame_000012.spate")
place = turned(frame["channels"]["position"].astype(float) + np.array(frame["origin"]))
velocity = turned(frame["channels"]["velocity"].astype(float))
count = len(place)
print("%d particles" % count)

# particles as .ply
before = set(bpy.data.objects)
bpy.ops.import_mesh.ply(filepath="out/dam/export/particles_000012.ply")
points = newest(before)
close("ply: count", len(points.data.vertices), count, 0)
close("ply: box", box_of(places_of(points)), box_of(place), 2e-6)
close("ply: places", places_of(points), place, 2e-6)

# the first script of the documentation
before = set(bpy.data.objects)
exec(open("recipe1.py").read(), {})
liquid = newest(before)
close("script 1: places", places_of(liquid), place, 2e-6)
close("script 1: velocities", vectors_of(liquid, "velocity"), velocity, 1e-6)
sizes = np.empty(count)
liquid.data.attributes["radius"].data.foreach_get("value", sizes)
close("script 1: radius", sizes, np.full(count, 0.5 * SPACING), 1e-8)

# a volume
before = set(bpy.data.objects)
bpy.ops.object.volume_import(filepath=os.path.abspath("out/dam/export/fog_000012.vdb"))
fog = newest(before)
fog.data.grids.load()
grids = {grid.name: grid for grid in fog.data.grids}
close("vdb: grids", sorted(grids) == ["density", "velocity"], True, 0)
close("vdb: kinds", (grids["density"].data_type, grids["velocity"].data_type) == ("FLOAT", "VECTOR_FLOAT"), True, 0)
close("vdb: velocity for motion blur", fog.data.velocity_grid == "velocity", True, 0)
bpy.context.view_layer.update()
corners = np.array([fog.matrix_world @ Vector(corner) for corner in fog.bound_box])
# Blender's box is that of nodes of 8 voxels
reach = box_of(place) + np.array([[-1.5], [1.5]]) * SPACING
close("vdb: box holds the liquid", np.minimum([[-1], [1]] * (box_of(corners) - reach), 0), np.zeros((2, 3)), 0.75 * SPACING)
close("vdb: box", box_of(corners), reach, 8 * 0.75 * SPACING)
# a fifth of the voxel around a single particle and more is liquid; the kernel reaches a spacing further than the particle
surface = bpy.data.objects.new("fog surface", bpy.data.meshes.new("fog surface"))
bpy.context.collection.objects.link(surface)
modifier = surface.modifiers.new("to mesh", "VOLUME_TO_MESH")
modifier.object, modifier.grid_name, modifier.threshold = fog, "density", 0.2
bpy.context.view_layer.update()
shape = surface.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
at = np.array([vertex.co for vertex in shape.vertices])
close("vdb: surface of the density", box_of(at), box_of(place) + np.array([[-0.5], [0.5]]) * SPACING, SPACING)

# meshes
head, body = open("out/dam/mesh/mesh_000012.ply", "rb").read().split(b"end_header\n", 1)
names = [line.split()[2] for line in head.decode().split("\n") if line.startswith("property float")]
vertices = int(head.decode().split("element vertex ")[1].split()[0])
triangles = int(head.decode().split("element face ")[1].split()[0])
table = np.frombuffer(body, "<f4", vertices * len(names)).reshape(vertices, len(names)).astype(float)
corners_of_mesh = turned(table[:, :3])

before = set(bpy.data.objects)
exec(open("recipe2.py").read(), {})
skin = newest(before)
close("script 2: vertices", len(skin.data.vertices), vertices, 0)
close("script 2: triangles", len(skin.data.polygons), triangles, 0)
close("script 2: places", places_of(skin), corners_of_mesh, 5e-6)
rotation = np.array(skin.matrix_world)[:3, :3]
flow = vectors_of(skin, "velocity") @ rotation.T
close("script 2: velocities", flow, turned(table[:, [names.index("velocity_" + axis) for axis in "xyz"]]), 5e-6)
close("script 2: velocities are those of particles", box_of(flow), box_of(velocity), 0.5)

before = set(bpy.data.objects)
bpy.ops.wm.obj_import(filepath="obj/mesh_000012.obj")
skin = newest(before)
close("obj: vertices", len(skin.data.vertices), vertices, 0)
close("obj: triangles", len(skin.data.polygons), triangles, 0)
close("obj: box", box_of(places_of(skin)), box_of(corners_of_mesh), 5e-6)
close("obj: box of the liquid", box_of(places_of(skin)), box_of(place) + np.array([[-0.5], [0.5]]) * SPACING, SPACING)

print("Blender: %d failures" % failures)
sys.exit(failures > 0)
