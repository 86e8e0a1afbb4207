#!/usr/bin/env python3
"""Reads a .spate frame: `frame = read_frame(path)`, then frame["channels"]["position"] is a numpy array."""
import ctypes, ctypes.util, struct, sys
import numpy as np

blosc = ctypes.CDLL(ctypes.util.find_library("blosc") or "libblosc.so.1")
TYPES = [("<f4", 1), ("<i4", 1), ("<i8", 1), ("<f4", 2), ("<f4", 3), ("<f4", 4)]  # float int32 int64 vec2 vec3 vec4
CHUNK_ROWS = 16384


def unpack_channel(block, type, rows):
    dtype, components = np.dtype(TYPES[type][0]), TYPES[type][1]
    word = np.dtype("<u%d" % dtype.itemsize)
    values, at = np.empty((rows, components), word), 0
    for first in range(0, rows, CHUNK_ROWS):
        n = min(CHUNK_ROWS, rows - first)
        planes = np.empty((components, n), word)
        length = struct.unpack_from("<I", block, at + 12)[0]
        to = planes.ctypes.data_as(ctypes.c_void_p)
        done = blosc.blosc_decompress_ctx(block[at : at + length], to, ctypes.c_size_t(planes.nbytes), 1)
        if done != planes.nbytes:
            raise ValueError("a chunk cannot be unpacked")
        sign = word.type(0) - (planes & word.type(1))
        values[first : first + n] = np.cumsum((planes >> word.type(1)) ^ sign, axis=1, dtype=word).T
        at += length
    values = values.view(dtype)
    return values[:, 0] if components == 1 else values


def read_frame(path):
    data = open(path, "rb").read()
    header = struct.unpack_from("<8sIIQqd3dQII", data)
    magic, version, kind, size, number, time, x, y, z, count, channels, blobs = header
    if magic != b"\x89SPATE\r\n" or version != 1 or size != len(data):
        raise ValueError(path + " is not a whole frame file")
    frame = dict(kind=kind, frame=number, time=time, origin=(x, y, z), count=count, channels={}, blobs={})
    for i in range(channels + blobs):
        name, type, _, rows, offset, stored, _, _ = struct.unpack_from("<64sIIQQQQQ", data, 96 + 112 * i)
        name, block = name.rstrip(b"\0").decode(), data[offset : offset + stored]
        if i < channels:
            frame["channels"][name] = unpack_channel(block, type, rows)
        else:
            frame["blobs"][name] = block
    return frame


if __name__ == "__main__":
    frame = read_frame(sys.argv[1])
    print("frame", frame["frame"], "time", frame["time"], "particles", frame["count"])
    for name, values in frame["channels"].items():
        print(name, values.dtype, values.shape, "first", values[0] if len(values) else "none")
    for name, block in frame["blobs"].items():
        print(name, len(block), "bytes")
