#!/usr/bin/env bash
# Exported particles as NumPy, VTK, OpenVDB and Python's csv read them: counts, places, every channel and its type; with either axis up, for many
# particles, one, and none.
source "$SPATE_SOURCE/tests/cli/expect.sh"
reader=$SPATE_BUILD/tests/read_points

# scene NAME FROM TO: a box of water far from the origin, with a spacing of 0.05
scene()
{
	cat >"$1.yaml" <<END
spate: 2
frames: 2
fps: 24
fluids: { water: { spacing: 0.05 } }
sources: [ { type: fill, fluid: water, velocity: [0.5, -1, 2], shape: { box: { min: [10, 20, 30], max: [$2] } } } ]
channels: { heat: { type: float, default: 20.5 }, batch: { type: int, default: -7 }, wind: { type: vector, default: [1, 2, 3] } }
output: { channels: [velocity, density, pressure, fluid, heat, batch, wind] }
END
}
scene many 10.4,20.3,30.2
scene one 10.05,20.05,30.05
cat >none.yaml <<'END'
spate: 2
frames: 2
fps: 24
fluids: { water: { spacing: 0.05 } }
sources: [ { type: emitter, fluid: water, radius: 0.1, position: [0, 1, 0], direction: [0, -1, 0], speed: 1, start: 9 } ]
output: { channels: [velocity, density, pressure, fluid] }
END
declare -A particles=([many]=192 [one]=1 [none]=0)
for name in many one none; do
	expect 0 "" run $name.yaml -o $name --quiet
	for up in y z; do
		for format in npz csv vtp vtk ply; do
			expect 0 "wrote 1 file, ${particles[$name]} particles" export $name --frames 2 --format $format --up $up -o $name.$up
		done
		/usr/bin/python3 -B "$SPATE_SOURCE/tests/export/check_export.py" $name/frames/frame_000002.spate $name.$up $up
		# a build without OpenVDB writes no such files
		[ -x "$reader" ] || continue
		for kind in points fog levelset; do
			expect 0 "wrote 1 file, ${particles[$name]} particles" export $name --frames 2 --format vdb --as $kind --up $up -o $name.$up
		done
		/usr/bin/python3 -B "$SPATE_SOURCE/tests/export/check_vdb.py" $name/frames/frame_000002.spate $name.$up $up "$reader"
	done
done

# a locale with a decimal comma changes nothing
expect 0 "" export many --frames 2 --format csv -o plain
if locale -a | grep -qi '^de_DE.utf'; then
	LC_ALL=de_DE.UTF-8 expect 0 "" export many --frames 2 --format csv -o german
	cmp plain/particles_000002.csv german/particles_000002.csv
fi
