"""Reads a frame with tools/read_frame.py and prints every value as test_python_reader.c does."""
import os, sys

sys.path.insert(0, os.path.join(os.environ["SPATE_SOURCE"], "tools"))
from read_frame import read_frame

frame = read_frame(sys.argv[1])
print(frame["kind"], frame["frame"], "%.17g" % frame["time"], *["%.17g" % x for x in frame["origin"]], frame["count"])
for name, values in frame["channels"].items():
    print(name, len(values))
    for row in values if values.ndim == 2 else values[:, None]:
        print(*["%.9g" % x if values.dtype.kind == "f" else str(x) for x in row])
for name, block in frame["blobs"].items():
    print(name, block.hex())
