#!/usr/bin/env bash
# Regenerates the pictures of docs/gallery.md, docs/surfaces.md, docs/solvers.md and docs/theory/projection.md: runs each named scene, draws
# the frames listed here, and joins them into one picture.
#
#     tools/gallery.sh [NAME...]      default: all
#     tools/gallery.sh solvers        only the picture with one scene by every solver
#
# Runs are written to out/gallery, always from the start. Needs build/spate and ImageMagick (montage, mogrify, convert).
set -euo pipefail
cd "$(dirname "$0")/.."
spate=${SPATE_BINARY:-build/spate}

# name, frames from left to right, columns, pixels of one frame
pictures="
dam_break               34          1 1280x720
dam_break_obstacles     16          1 1280x720
dam_door                24,44,54,66 2 960x540
double_dam_break        8           1 1280x720
density_matrix          1,8,16,26   2 960x540
rayleigh_taylor         12,24,36,72 4 480x640
layers                  1,24,72,240 4 480x540
seven_liquids           1,8,16,72   2 960x540
viscosity_row           20          1 1280x720
tension_rows            1,3,6,48    2 960x540
drops                   16          1 1280x720
contact_angles          24          1 1280x560
oil_lens                1,6,12,60   2 960x540
gradient                1,6,12,24   2 960x540
stirred                 1,24,48,96  2 960x540
spinning_blob           1,6,12,48   4 480x480
faucet                  80          1 1280x720
sphere_drop             8,12,16,24  2 960x540
flood_crates            8,14,20,44  2 960x540
dominoes                6,10,14,24  2 960x540
bath_ducks              8,16,32,60  2 960x540
ship_in_waves           60,84,100,120 2 960x540
water_wheel             40          1 1280x720
wave_tank               160         1 1280x720
wind_waves              12,24,48,96 2 960x540
whirlpool               1,24,36,60  2 960x540
standing_wave           17,34,135,151 2 960x540
sloshing                10,34,70,94 2 960x540
rocking_tank            10,20,36,50 2 960x540
bunny_dam_break         8,10,12,16  2 960x540
dragon_pool             13,16,26,58 2 960x540
waterfall               60          1 1280x720
cascade                 16,44,76,108 2 960x540
sewer_grid              30          1 1280x720
clogged_drain           12,60,108,156 2 960x540
paddle_wheel            30          1 1280x720
tumbling_cup            22,30,38,60 2 960x540
swimming_fish           16,40,64,88 2 960x540
friction_ramp           8,18        2 960x540
slip                    4,8,12,16   2 960x540
wet_ramp                12,44       2 960x540
wet_map                 30,60,100,118 4 480x480
fountain                48          1 1280x720
crossing_jets           12,24,36,48 2 960x540
fountain_of_idols       12,36,60,96 2 960x540
viscous_jets            12,30,54,84 2 960x540
sprinkler               14,20,26,32 2 960x540
vortex                  1,16,32,64  2 960x540
glass                   18,44,70,96 4 480x640
filled_glasses          1,6,12,18   2 960x540
wine_glasses            18,58,110,136 2 960x540
liquid_critter          1,5,9,16    2 960x540
water_bag               12,36,60,96 2 960x540
soft_ball               8,12,16,48  2 960x540
flag                    12,24,36,44 2 960x540
weeping_critter         6,16,28,46  2 960x540
wcsph_columns           1,5,9,14    2 960x540
pcisph_wave             18          1 1280x720
pcisph_fountain         40          1 1280x720
"

# the surfaces of a frame by the four methods, and with small kernels without and with refinement: name, frame, part of 1280x720 pixels
surfaces="
dam_break               26          560x560+640+110
fountain                48          560x560+360+110
sphere_drop             12          560x420+360+230
"

# the interfaces between several fluids: name, frames from left to right, pixels of one frame, box that the last frame is cut by too
interfaces="
vortex                  16,32,64    640x480 -1,-1,-1,1,0.06,1
glass                   44,70,96    480x640 -1,-1,-1,1,1,0
"

# a frame by two solvers: name, frame, camera, pixels of one picture, solvers from left to right
solvers="
standing_wave           151         side 640x360 pbf projection
"

# a coarse scene by every solver: name, frame, pixels of one picture, columns, values to set
every_solver="
dam_break               30          640x360 2 fluids.water.spacing=0.03
"

# particles coloured by channels: name, frames, channels, pixels of one picture
channels="
hot_and_cold            40          heat,age 760x540
adaptive_dam            20          level 1280x720
whirls                  1,12,24,36  heat 600x440
"

# frames, and a plot of what probes measure over the whole shot: name, frames, pixels of one picture, columns
measured="
tower                   16,22,73    960x540 tower.force_x,tower.friction_force_x
"

background='#30343c'

run_until() {
	"$spate" run "scenes/$1.yaml" -o "out/gallery/$1" --frames "$2" --overwrite
}

# join NAME COLUMNS PICTURES...: joins pictures, each with a label below it if the variable `label` has words for them
join() {
	local name=$1 columns=$2 words=(${label:-}) arguments=() i=0 picture
	shift 2
	for picture in "$@"; do
		[ ${#words[@]} -eq 0 ] || arguments+=(-label "${words[i]//_/ }")
		arguments+=("$picture")
		i=$((i + 1))
	done
	mkdir -p docs/images
	montage -background "$background" -fill white -pointsize 24 "${arguments[@]}" -tile "${columns}x" -geometry +2+2 out/gallery/joined.png
	# small enough to look at a page of them
	convert out/gallery/joined.png -resize '1280x>' -quality 82 -strip "docs/images/$name.jpg"
	printf 'wrote docs/images/%s.jpg, %s bytes\n' "$name" "$(stat -c %s "docs/images/$name.jpg")"
}

picture() {
	local name=$1 frames=$2 columns=$3 size=$4 run=out/gallery/$1 drawn=() frame
	run_until "$name" "${frames##*,}"
	for frame in ${frames//,/ }; do
		drawn+=("$run/picture_$frame.png")
		"$spate" preview --quiet "$run" --frames "$frame" --no-movie --size "$size" -o "${drawn[-1]}"
	done
	join "$name" "$columns" "${drawn[@]}"
}

# mesh_picture RUN FRAME SIZE NAME OPTIONS...: meshes a frame with these options and draws it
mesh_picture() {
	local run=$1 frame=$2 size=$3 out=$1/$4
	shift 4
	"$spate" mesh --quiet "$run" --frames "$frame" --overwrite -o "$out" "$@"
	"$spate" preview --quiet "$run" --mesh="$out" --frames "$frame" --no-movie --size "$size" -o "$out.png"
}

surface() {
	local name=$1 frame=$2 part=$3 run=out/gallery/$1 method refine
	[ -e "$run/frames/frame_$(printf %06d "$frame").spate" ] || run_until "$name" "$frame"
	for method in density zhu-bridson color anisotropic; do
		mesh_picture "$run" "$frame" 1280x720 "$method" --method "$method" --cell 0.5 --clip-colliders
		mogrify -crop "$part" +repage "$run/$method.png"
	done
	label="density zhu-bridson color anisotropic" join "surface_$name" 2 "$run"/{density,zhu-bridson,color,anisotropic}.png
	for refine in 0 1; do
		mesh_picture "$run" "$frame" 1280x720 "refine_$refine" --kernel 1.8 --cell 0.4 --smoothing 2 --clip-colliders --refine "$refine"
		mogrify -crop "$part" +repage "$run/refine_$refine.png"
	done
	label="without with_--refine_1" join "surface_${name}_refined" 2 "$run"/refine_{0,1}.png
}

interface() {
	local name=$1 frames=$2 size=$3 box=$4 run=out/gallery/$1 drawn=() frame
	[ -e "$run/frames/frame_$(printf %06d "${frames##*,}").spate" ] || run_until "$name" "${frames##*,}"
	for frame in ${frames//,/ }; do
		mesh_picture "$run" "$frame" "$size" "interfaces_$frame" --interfaces grid
		drawn+=("$run/interfaces_$frame.png")
	done
	mesh_picture "$run" "$frame" "$size" interfaces_cut --interfaces grid --box "$box"
	join "interfaces_$name" "$([ "${size%x*}" -gt 500 ] && echo 2 || echo 4)" "${drawn[@]}" "$run/interfaces_cut.png"
}

channel() {
	local name=$1 frames=$2 channels=$3 size=$4 run=out/gallery/$1 drawn=() frame channel
	run_until "$name" "${frames##*,}"
	for frame in ${frames//,/ }; do
		for channel in ${channels//,/ }; do
			drawn+=("$run/picture_${channel}_$frame.png")
			"$spate" preview --quiet "$run" --frames "$frame" --color-by "$channel" --label --no-movie --size "$size" -o "${drawn[-1]}"
		done
	done
	join "$name" "$([ ${#drawn[@]} -gt 2 ] && echo 2 || echo ${#drawn[@]})" "${drawn[@]}"
}

solver() {
	local name=$1 frame=$2 camera=$3 size=$4 type run drawn=()
	shift 4
	for type in "$@"; do
		run=out/gallery/${name}_$type
		"$spate" run "scenes/$name.yaml" -o "$run" --frames "$frame" --overwrite --set "solver.type=$type"
		drawn+=("$run/picture.png")
		"$spate" preview --quiet "$run" --frames "$frame" --no-movie --camera "$camera" --size "$size" -o "${drawn[-1]}"
	done
	join "${name}_solvers" $# "${drawn[@]}"
}

# every_solver NAME FRAME SIZE COLUMNS SET...: the same instant by every row of the table of solvers
every_solver() {
	local name=$1 frame=$2 size=$3 columns=$4 types type run drawn=() sets=() set
	shift 4
	for set in "$@"; do
		sets+=(--set "$set")
	done
	types=$(sed -n 's/^SOLVER(\([a-z0-9_]*\),.*/\1/p' src/solver/solvers.def)
	for type in $types; do
		run=out/gallery/${name}_coarse_$type
		"$spate" run "scenes/$name.yaml" -o "$run" --frames "$frame" --overwrite --set "solver.type=$type" "${sets[@]}"
		drawn+=("$run/picture.png")
		"$spate" preview --quiet "$run" --frames "$frame" --no-movie --size "$size" -o "${drawn[-1]}"
	done
	label=$types join solvers "$columns" "${drawn[@]}"
}

measure() {
	local name=$1 frames=$2 size=$3 columns=$4 run=out/gallery/$1 drawn=() frame
	"$spate" run "scenes/$name.yaml" -o "$run" --overwrite
	for frame in ${frames//,/ }; do
		drawn+=("$run/picture_$frame.png")
		"$spate" preview --quiet "$run" --frames "$frame" --no-movie --size "$size" -o "${drawn[-1]}"
	done
	"$spate" plot "$run" --columns "$columns" -o "$run/plot.png"
	convert "$run/plot.png" -resize "$size" -background white -gravity center -extent "$size" "$run/plot_padded.png"
	join "$name" 2 "${drawn[@]}" "$run/plot_padded.png"
}

# each LIST FUNCTION NAMES...: calls the function with every line of a list, or with those of the names
each() {
	local list=$1 function=$2 name rest
	shift 2
	while read -r name rest; do
		[ -n "$name" ] || continue
		[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
		# shellcheck disable=SC2086
		"$function" "$name" $rest </dev/null
	done <<<"$list"
}

command -v montage >/dev/null || { echo "montage was not found; on Debian: apt-get install imagemagick" >&2; exit 1; }
if [ "$*" = solvers ]; then
	each "$every_solver" every_solver
	exit
fi
for name in "$@"; do
	grep -q "^$name " <<<"$pictures$channels$measured" || { echo "no picture of '$name' is listed in tools/gallery.sh" >&2; exit 2; }
done
each "$pictures" picture "$@"
each "$surfaces" surface "$@"
each "$interfaces" interface "$@"
each "$solvers" solver "$@"
each "$every_solver" every_solver "$@"
each "$channels" channel "$@"
each "$measured" measure "$@"
