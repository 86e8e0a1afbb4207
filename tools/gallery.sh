#!/usr/bin/env bash
# Makes the pictures of docs/gallery.md anew: runs each scene named, draws the frames listed here, and joins them to one picture.
#
#     tools/gallery.sh [NAME...]      all of them when none is named
#
# Runs lie in out/gallery, each made anew. Needs build/spate and ImageMagick (montage).
set -euo pipefail
cd "$(dirname "$0")/.."
spate=${SPATE_BINARY:-build/spate}

# name, frames from left to right, columns, pixels of one frame
pictures="
dam_break               18          1 1280x720
dam_break_obstacles     22          1 1280x720
double_dam_break        14          1 1280x720
density_matrix          1,8,16,26   2 960x540
rayleigh_taylor         12,24,36,72 4 480x640
rayleigh_taylor_large   4,8,12,16   4 480x640
layers                  1,24,72,240 4 480x540
seven_liquids           1,8,16,72   2 960x540
viscosity_row           24          1 1280x720
tension_rows            1,3,6,48    2 960x540
drops                   36          1 1280x720
gradient                1,6,12,24   2 960x540
stirred                 1,24,48,96  2 960x540
spinning_blob           1,6,12,48   4 480x480
faucet                  80          1 1280x720
sphere_drop             24          1 1280x720
wave_tank               160         1 1280x720
bunny_dam_break         8,12,16,24  2 960x540
dragon_pool             13,16,26,58 2 960x540
waterfall               90          1 1280x720
sewer_grid              30          1 1280x720
paddle_wheel            60          1 1280x720
tumbling_cup            22,30,38,60 2 960x540
swimming_fish           16,40,64,88 2 960x540
friction_ramp           8,18        2 960x540
wet_map                 30,60,100,118 4 480x480
"

picture() {
	local name=$1 frames=$2 columns=$3 size=$4 run=out/gallery/$1 drawn=() frame
	local last=${frames##*,}
	"$spate" run "scenes/$name.yaml" -o "$run" --frames "$last" --overwrite
	for frame in ${frames//,/ }; do
		drawn+=("$run/picture_$frame.png")
		"$spate" preview --quiet "$run" --frames "$frame" --no-movie --size "$size" -o "${drawn[-1]}"
	done
	mkdir -p docs/images
	montage "${drawn[@]}" -tile "${columns}x" -geometry +2+2 -background '#30343c' "$run/picture.png"
	# small enough to look at a page of them
	montage "$run/picture.png" -geometry '1280x>' -quality 82 -strip "docs/images/$name.jpg"
	printf 'wrote docs/images/%s.jpg, %s bytes\n' "$name" "$(stat -c %s "docs/images/$name.jpg")"
}

command -v montage >/dev/null || { echo "montage was not found; on Debian: apt-get install imagemagick" >&2; exit 1; }
for name in "$@"; do
	grep -q "^$name " <<<"$pictures" || { echo "no picture of '$name' is listed in tools/gallery.sh" >&2; exit 2; }
done
while read -r name frames columns size; do
	[ -n "$name" ] || continue
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	picture "$name" "$frames" "$columns" "$size" </dev/null
done <<<"$pictures"
