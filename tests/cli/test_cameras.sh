#!/usr/bin/env bash
# Cameras are no part of the simulation: a run goes on when they change, and pictures take them from any file.
source "$SPATE_SOURCE/tests/cli/expect.sh"

# scene FRAMES SOLVER CAMERAS
scene()
{
	cat <<END
spate: 1
name: drop
frames: $1
fluids: { water: { spacing: 0.05 } }
solver: { $2 }
sources: [ { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.2, 0.2, 0.2] } } } ]
colliders: [ { shape: { box: { min: [0, 0, 0], max: [0.4, 0.4, 0.2] } }, mode: inside } ]
output: { checkpoint_every: 2 }
$3
END
}
near='cameras: { near: { position: [0.2, 0.2, 1], target: [0.2, 0.1, 0.1] } }'
far='cameras: { far: { position: [0.2, 0.2, 4], target: [0.2, 0.1, 0.1] } }'
small=(--size 96x54 --supersample 1 --threads 1)

# --- the run
scene 2 "type: pbf" "$near" >drop.yaml
expect 0 "" run drop.yaml -o run
scene 4 "type: pbf" "$far" >drop.yaml
expect 0 "continuing from frame 2" run drop.yaml -o run
same "cameras of the directory" "$(grep -c 'far:' run/scene.yaml) $(grep -c 'near:' run/scene.yaml)" "1 0"
scene 4 "type: pbf" "$near" >drop.yaml
expect 0 "nothing to do" run drop.yaml -o run
same "cameras of a finished run" "$(grep -c 'far:' run/scene.yaml) $(grep -c 'near:' run/scene.yaml)" "0 1"
scene 4 "type: pbf" "$far" >drop.yaml
expect 0 "nothing to do" run drop.yaml -o run
scene 2 "type: pbf" "" >drop.yaml
expect 0 "nothing to do" run drop.yaml -o run
same "cameras of a run that is further" "$(grep -c 'far:' run/scene.yaml)" 1
scene 4 "type: pbf, cfl: 0.3" "$far" >drop.yaml
expect 2 "contains results of another scene, or of this one before it was changed" run drop.yaml -o run

# a solver that looks through the cameras is another matter
scene 2 "type: adaptive, level: camera" "$near" >adaptive.yaml
expect 0 "" run adaptive.yaml -o adaptive
scene 2 "type: adaptive, level: camera" "$far" >adaptive.yaml
expect 2 "contains results of another scene" run adaptive.yaml -o adaptive
scene 2 "type: adaptive, level: residual" "$near" >residual.yaml
expect 0 "" run residual.yaml -o residual
scene 2 "type: adaptive, level: residual" "$far" >residual.yaml
expect 0 "nothing to do" run residual.yaml -o residual

# one that moves is no part of the simulation either
moving='cameras: { fly: { position: [[0, [0.2, 0.2, 1]], [1, [0.2, 0.2, 4]]], target: [0.2, 0.1, 0.1], fov: { expression: 30 + t } } }'
sed -i 's/^spate: 1/spate: 2/' drop.yaml
scene 2 "type: pbf" "$near" | sed 's/^spate: 1/spate: 2/' >moving.yaml
expect 0 "" run moving.yaml -o moving
scene 4 "type: pbf" "$moving" | sed 's/^spate: 1/spate: 2/' >moving.yaml
expect 0 "continuing from frame 2" run moving.yaml -o moving
same "the camera of the directory" "$(grep -c 'position: { keys: \[\[0, \[0.2, 0.2, 1\]\], \[1, \[0.2, 0.2, 4\]\]\], between: linear }' moving/scene.yaml)" 1
scene 2 "type: adaptive, level: camera" "$moving" | sed 's/^spate: 1/spate: 2/' >adaptive.yaml
expect 0 "" run adaptive.yaml -o followed
scene 2 "type: adaptive, level: camera" "${moving/4]/5]}" | sed 's/^spate: 1/spate: 2/' >adaptive.yaml
expect 2 "contains results of another scene" run adaptive.yaml -o followed
expect 0 "" preview moving "${small[@]}" --frames 1,4 --no-movie -o flown
if cmp -s flown/frame_000001.png flown/frame_000004.png; then
	echo "FAILED: the camera does not move"
	exit 1
fi

# --- the pictures
picture()
{
	local name=$1
	shift
	expect 0 "wrote $name.png" preview run "${small[@]}" --frames 3 -o "$name.png" "$@"
}
scene 4 "type: pbf" "$near" >edited.yaml
printf '# two views\n%s\n' "cameras:
  close: { position: [0.2, 0.2, 1], target: [0.2, 0.1, 0.1] }
  far: { position: [0.2, 0.2, 4], target: [0.2, 0.1, 0.1] }" >views.yaml
picture own
picture edited --camera-file edited.yaml
picture first --camera-file views.yaml
picture second --camera-file views.yaml --camera far
picture automatic --camera-file views.yaml --camera auto
picture auto --camera auto
cmp edited.png first.png
cmp own.png second.png
cmp automatic.png auto.png
for other in first auto; do
	if cmp -s own.png $other.png; then
		echo "FAILED: own.png and $other.png are the same"
		exit 1
	fi
done

# a scene elsewhere that includes others
mkdir elsewhere
cp edited.yaml elsewhere/edited.yaml
sed -i 's/^spate: 1/spate: 2/' elsewhere/edited.yaml
printf 'spate: 2\ninclude: [edited.yaml]\n' >elsewhere/chained.yaml
picture chained --camera-file elsewhere/chained.yaml
cmp chained.png edited.png

# --- mistakes
expect 2 "unknown camera 'side'; choose one of: auto, close, far" preview run --camera-file views.yaml --camera side -o x.png
printf 'cameras:\n  a: { position: [0, 0, 1], zoom: 2 }\n' >wrong.yaml
expect 2 "spate preview: wrong.yaml:2:29: cameras.a: unknown key 'zoom'" preview run --camera-file wrong.yaml -o x.png
printf 'frames: 3\n' >none.yaml
expect 1 "none.yaml has no cameras; describe them under 'cameras'" preview run --camera-file none.yaml -o x.png
expect 1 "nowhere.yaml" preview run --camera-file nowhere.yaml -o x.png
[ ! -e x.png ]
