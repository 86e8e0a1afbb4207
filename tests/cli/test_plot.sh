#!/usr/bin/env bash
# spate plot: one picture per quantity, columns by name, damaged files told with line and column.
source "$SPATE_SOURCE/tests/cli/expect.sh"

mkdir run
python3 - <<'PY'
with open("run/probes.csv", "w") as f:
    f.write("frame,time,front.front,left.height,right.height,wall.velocity_x,wall.velocity_y\n")
    for k in range(1, 31):
        f.write(f"{k},{k / 24},{k / 30},{0.1 * k % 1},nan,{k},{-k}\n")
    f.write("31,1.29")  # a run is writing this line
with open("run/stats.jsonl", "w") as f:
    for k in range(1, 31):
        f.write(f'{{"frame":{k},"step":{k},"time":{k / 24},"kinetic_energy":{k * k},"potential_energy":{9 - k},'
                f'"momentum":[1,2,{k}],"ok":true,"hash":"a\\"b","ms":{{"sort":0.5,"solve":{k}}}}}\n')
PY

expect 0 "wrote run/plot_height.png" plot run
same "the pictures" "$(cd run && ls ./*.png)" "./plot_front.png
./plot_height.png
./plot_velocity.png"
same "the size" "$(png_size run/plot_front.png)" 960x600
expect 0 "wrote out.png" plot run --columns left.height,right.height -o out.png --size 400x300 --x frame
same "the size" "$(png_size out.png)" 400x300
expect 0 "wrote run/plot_energy.png" plot run --stats kinetic_energy,potential_energy
expect 0 "wrote run/plot_time_per_step.png" plot run --stats ms.sort,ms.solve
expect 0 "wrote run/plot_momentum.png" plot run --stats momentum.z
same "what a quiet run prints" "$("$SPATE_BINARY" plot run --quiet 2>&1)" ""
"$SPATE_BINARY" plot run --list --json | python3 -c '
import json, sys
columns = {c["name"]: (c["unit"], c["file"], c["rows"]) for c in json.load(sys.stdin)["columns"]}
assert columns["left.height"] == ("m", "probes.csv", 30), columns
assert columns["wall.velocity_x"] == ("m/s", "probes.csv", 30), columns
assert columns["momentum.y"] == ("kg m/s", "stats.jsonl", 30), columns
assert columns["ms.solve"] == ("ms", "stats.jsonl", 30), columns
assert not {"frame", "time", "hash", "ok"} & set(columns), columns'
expect 0 "front.front" plot run --list

# a plot of some frames is that of a run which has no others, of the statistics of each of their substeps as well
mkdir -p part/run
sed -n '1p;4,7p' run/probes.csv >part/run/probes.csv
(cd part && expect 0 "wrote part.png" plot run --columns left.height -o part.png)
expect 0 "wrote some.png" plot run --columns left.height --frames 3-6 -o some.png
cmp part/part.png some.png
expect 0 "" plot run -q --columns left.height --frames 3,4-6 -o same.png
cmp some.png same.png
expect 0 "the last frame is 30" plot run --columns left.height --frames 20-40x2 -o late.png
expect 0 "wrote energy.png" plot run --stats kinetic_energy --frames 2-4 -o energy.png
expect 1 "probes.csv has frames 1-30, but none of 40-50" plot run --frames 40-50
expect 2 "--frames: '7-3' ends before it begins" plot run --frames 7-3
expect 2 "--frames and --list cannot be combined" plot run --list --frames 3

# the same values give the same picture, other values another one
expect 0 "wrote a.png" plot run --columns front.front -o a.png
cmp a.png run/plot_front.png
expect 0 "wrote b.png" plot run --columns wall.velocity_x -o b.png
if cmp -s a.png b.png; then
	echo "FAILED: two columns give one picture"
	exit 1
fi

expect 2 "front.front and left.height are different quantities" plot run -o all.png
expect 2 "probes.csv has no column 'nothing'" plot run --columns nothing
expect 2 "stats.jsonl has no column 'heat'" plot run --stats heat
expect 2 "--x takes time or frame" plot run --x step
expect 2 "--size takes" plot run --size 12
expect 2 "DIR is missing" plot
expect 2 "--columns and --stats cannot be combined" plot run --columns a --stats b
expect 1 "nowhere does not exist" plot nowhere
mkdir empty
expect 1 "empty has no probes.csv" plot empty
expect 1 "neither probes.csv nor stats.jsonl" plot empty --list

printf 'frame,time,a.height\n1,0.1,0.5\n2,x,0.5\n' >run/probes.csv
expect 1 "run/probes.csv:3:3: 'x' is not a number" plot run
printf 'frame,time,a.height\n1,0.1\n' >run/probes.csv
expect 1 "run/probes.csv:2: the line has 2 values, but there are 3 columns" plot run
printf 'frame,time,a.height\n' >run/probes.csv
expect 1 "no rows yet" plot run
printf '{"frame":1,"time":0.1,"a":1}\n{"frame":2,"time":}\n' >run/stats.jsonl
expect 1 "run/stats.jsonl:2:19: the line is not a JSON object" plot run --stats a
