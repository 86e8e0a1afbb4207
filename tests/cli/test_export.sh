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

expect 2 "particles can be written as ply, vtk, vtp or spate, not as 'stl'" export run --format stl
expect 2 "-o one.vtk does not end in .ply" export run/frames/frame_000001.spate --format ply -o one.vtk
expect 1 "has no channel 'heat'" export run --channels heat
expect 1 "cannot open nowhere" export nowhere
expect 1 "none from 7 to 9" export run --frames 7-9
rm run/frames/frame_000002.spate
expect 1 "a frame is missing and skipped: 2" export run
