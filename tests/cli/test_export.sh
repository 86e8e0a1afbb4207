#!/usr/bin/env bash
# spate export: files, summary, exit codes and messages of the command; tests/job/test_export.c looks into the files.
source "$SPATE_SOURCE/tests/cli/expect.sh"

cat >drop.yaml <<'END'
spate: 1
frames: 3
fluids: { water: { spacing: 0.05 } }
sources: [ { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.2, 0.2, 0.2] } } } ]
colliders: [ { shape: { box: { min: [0, 0, 0], max: [0.4, 0.4, 0.2] } }, mode: inside } ]
END
expect 0 "" run drop.yaml -o run --quiet

expect 0 "wrote 3 files, 192 particles" export run
same "files" "$(ls run/export)" $'particles_000001.ply\nparticles_000002.ply\nparticles_000003.ply'
expect 0 '"written":2,"failed":0,"missing":0,"particles":128' export run --frames 2-3 --format vtp -o vtp --json
same "files" "$(ls vtp)" $'particles_000002.vtp\nparticles_000003.vtp'
expect 0 "wrote 1 file, 64 particles" export run/frames/frame_000001.spate -o one.vtk
expect 0 "64 particles" info one.vtk

expect 2 "particles can be written as ply, vtk, vtp, spate, bgeo, vdb, npz or csv, not as 'stl'" export run --format stl
expect 2 "-o one.vtk does not end in .ply" export run/frames/frame_000001.spate --format ply -o one.vtk
expect 1 "has no channel 'heat'" export run --channels heat
expect 1 "cannot open nowhere" export nowhere
expect 1 "none of 7-9" export run --frames 7-9
# fields
expect 2 "--as takes points, fog or levelset, not 'smoke'" export run --as smoke
expect 2 "fog volumes can be written as vdb, not as 'ply'" export run --as fog --format ply
expect 2 "vdb files cannot carry the channel 'density': fields have velocity only" export run --as levelset --channels density
expect 2 "--cell is 3, but it must be between 0.1 and 2" export run --as fog --cell 3
expect 2 "--cell takes a number of spacings, not 'small'" export run --as fog --cell small
same "files" "$(ls run/export)" $'particles_000001.ply\nparticles_000002.ply\nparticles_000003.ply'
got=0
"$SPATE_BINARY" export run --as fog --cell 1 --frames 2 >/dev/null 2>why || got=$?
if ((got == 0)); then
	same "files" "$(ls run/export)" $'fog_000002.vdb\nparticles_000001.ply\nparticles_000002.ply\nparticles_000003.ply'
else
	same "code" "$got, $(grep -c 'this build has no OpenVDB' why)" "1, 1"
fi

# names that an option does not know, and what another axis changes
expect 2 "--up takes y or z, not 'x'" export run --up x
expect 0 "" export run --frames 1 --format csv --channels id -o y
expect 0 "" export run --frames 1 --format csv --channels id --up z -o z
same "z up" "$(awk -F, 'NR > 1 { printf "%g,%g,%g,%d\n", $1, -$3, $2, $4 }' y/particles_000001.csv)" \
	"$(awk -F, 'NR > 1 { printf "%g,%g,%g,%d\n", $1, $2, $3, $4 }' z/particles_000001.csv)"

# a channel that a format cannot carry: refused, and no file is left
python3 - <<'PY'
rows = "".join("%d 0 0 %d\n" % (i, i) for i in range(3))
open("own.ply", "w").write("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                           "property float z\nproperty float time\nend_header\n" + rows)
PY
expect 2 "npz files cannot carry the channel 'time': there is another 'time' in the file; leave it out with --channels" \
	export own.ply -o own.npz
same "files" "$(ls own*)" own.ply
expect 0 "wrote 1 file, 3 particles" export own.ply --channels none -o own.npz

rm run/frames/frame_000002.spate
expect 1 "a frame is missing and skipped: 2" export run
