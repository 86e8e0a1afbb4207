#!/usr/bin/env python3
"""Draws an interface mesh: an .obj whose groups `g A_B` name the fluids on both sides of their triangles.

    tools/draw_interfaces.py MESH.obj PICTURE.png [--explode F] [--size WxH] [--turn DEGREES] [--tilt DEGREES] [--hide FLUID,...]

--explode moves the closed surface of every fluid away from the middle by F of its distance from there.
"""
import argparse
import struct
import zlib

import numpy as np

COLOURS = ["ffffff", "4e79a7", "f28e2b", "59a14f", "e15759", "b07aa1", "76b7b2", "edc948",
           "9c755f", "ff9da7", "2f4b7c", "8cd17d", "a05195", "d4a6c8", "499894", "79706e"]
OVERSAMPLING = 2


def read_obj(path):
    vertices, triangles, sides, group = [], [], [], (0, 0)
    for line in open(path):
        word = line.split()
        if not word:
            continue
        if word[0] == "v":
            vertices.append([float(x) for x in word[1:4]])
        elif word[0] == "g":
            group = tuple(int(x) for x in word[1].split("_"))
        elif word[0] == "f":
            triangles.append([int(x) - 1 for x in word[1:4]])
            sides.append(group)
    return np.array(vertices), np.array(triangles), np.array(sides)


def fluid_pieces(vertices, triangles, sides, explode, hidden):
    """Corners (n, 3, 3) and colours (n, 3) of the closed surfaces of all fluids."""
    middle = (vertices.min(0) + vertices.max(0)) / 2
    corners, colours = [], []
    for fluid in range(1, 16):
        outward, inward = sides[:, 0] == fluid, sides[:, 1] == fluid
        if fluid in hidden or not (outward | inward).any():
            continue
        piece = vertices[np.concatenate([triangles[outward], triangles[inward][:, ::-1]])]
        piece = piece + explode * (piece.reshape(-1, 3).mean(0) - middle)
        colour = [int(COLOURS[fluid][k : k + 2], 16) / 255 for k in (0, 2, 4)]
        corners.append(piece)
        colours.append(np.tile(colour, (len(piece), 1)))
    return np.concatenate(corners), np.concatenate(colours)


def rotate(p, turn, tilt):
    a, b = np.radians(turn), np.radians(tilt)
    about_y = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    return p @ (about_x @ about_y).T


def draw(corners, colours, width, height):
    """Samples the triangles densely and keeps the nearest sample of each pixel."""
    flat = corners.reshape(-1, 3)
    low, high = flat.min(0), flat.max(0)
    scale = 0.94 * min(width / (high[0] - low[0]), height / (high[1] - low[1]))
    centre = (low + high) / 2
    pixels = (corners - centre) * [scale, -scale, scale] + [width / 2, height / 2, 0]

    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1)
    front = (normals[:, 2] > 0) & (length > 0)
    pixels, colours, normals = pixels[front], colours[front], normals[front] / length[front][:, None]
    light = np.array([0.35, 0.75, 0.56])
    shaded = colours * (0.45 + 0.55 * np.clip(normals @ light, 0, 1))[:, None]

    depth = np.full(width * height, -np.inf)
    image = np.ones((width * height, 3))
    extent = np.abs(pixels[:, [1, 2, 2], :2] - pixels[:, [0, 0, 1], :2]).max((1, 2))
    steps = np.maximum(1, np.ceil(extent * 1.6)).astype(int)
    for n in np.unique(steps):
        chosen = steps == n
        i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
        i, j = i[i + j <= n] / n, j[i + j <= n] / n
        weights = np.stack([1 - i - j, i, j], 1)
        places = np.einsum("sk,tkx->tsx", weights, pixels[chosen]).reshape(-1, 3)
        tints = np.repeat(shaded[chosen], len(weights), 0)
        x, y = places[:, 0].astype(int), places[:, 1].astype(int)
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        at, z, tints = (y * width + x)[inside], places[inside, 2], tints[inside]
        order = np.lexsort((z, at))
        at, z, tints = at[order], z[order], tints[order]
        last = np.append(at[1:] != at[:-1], True)
        at, z, tints = at[last], z[last], tints[last]
        nearer = z > depth[at]
        depth[at[nearer]], image[at[nearer]] = z[nearer], tints[nearer]
    return image.reshape(height, width, 3)


def write_png(path, image):
    rows = (np.clip(image, 0, 1) ** (1 / 1.1) * 255 + 0.5).astype(np.uint8)
    height, width = rows.shape[:2]
    raw = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
        out.write(chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mesh")
    parser.add_argument("picture")
    parser.add_argument("--explode", type=float, default=0.0)
    parser.add_argument("--size", default="900x700")
    parser.add_argument("--turn", type=float, default=30.0)
    parser.add_argument("--tilt", type=float, default=25.0)
    parser.add_argument("--hide", default="")
    arguments = parser.parse_args()
    width, height = (OVERSAMPLING * int(x) for x in arguments.size.split("x"))
    hidden = {int(x) for x in arguments.hide.split(",") if x}
    corners, colours = fluid_pieces(*read_obj(arguments.mesh), arguments.explode, hidden)
    image = draw(rotate(corners, arguments.turn, arguments.tilt), colours, width, height)
    n = OVERSAMPLING
    image = image.reshape(height // n, n, width // n, n, 3).mean((1, 3))
    write_png(arguments.picture, image)


if __name__ == "__main__":
    main()
