#!/usr/bin/env bash
# spate run: misuse is told in words with exit code 2, failures with exit code 1, help with examples.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
scene=$SPATE_SOURCE/tests/run/basin.yaml

# gives CODE TEXT ARGUMENTS...: exits with CODE, says TEXT on stderr and writes nothing
gives()
{
	local expected=$1 text=$2 code=0 output
	shift 2
	output=$("$SPATE_BINARY" run "$@" 2>&1 >/dev/null) || code=$?
	if [ "$code" != "$expected" ] || [[ $output != *"$text"* ]]; then
		printf 'FAILED: spate run %s\n  exits with %s and says: %s\n  expected %s and: %s\n' "$*" "$code" "$output" \
			"$expected" "$text"
		exit 1
	fi
	if [ -e out ]; then
		printf 'FAILED: spate run %s made a directory\n' "$*"
		exit 1
	fi
}

gives 2 "SCENE is missing"
gives 2 "only one SCENE is allowed" "$scene" "$scene"
gives 2 "--bogus" "$scene" --bogus
gives 2 "--frames takes" "$scene" --frames 0
gives 2 "--frames takes" "$scene" --frames ten
gives 2 "--frames takes" "$scene" --frames -4
gives 2 "--frames takes" "$scene" --frames 5-2
gives 2 "--frames takes" "$scene" --frames 2-
gives 2 "--frames takes" "$scene" --frames 3x
gives 2 "--frames takes" "$scene" --frames 99999999999999999999
gives 2 "--threads takes" "$scene" --threads 0
gives 2 "--threads takes" "$scene" -t 1.5
gives 2 "--checkpoint-every takes" "$scene" --checkpoint-every often
gives 2 "spacng" "$scene" --set fluids.water.spacng=0.1
gives 2 "no_equals_sign" "$scene" --set no_equals_sign
gives 2 "spacing" "$scene" --set fluids.water.spacing=wide
gives 2 "sources.9" "$scene" --set sources.9.speed=1
gives 1 "missing.yaml" missing.yaml
gives 1 "." .
gives 1 "has no run to resume" "$scene" -o nothing --resume
if [ -e nothing ]; then
	printf 'FAILED: --resume without a run made a directory\n'
	exit 1
fi

# every mistake of a scene at its place
cat >bad.yaml <<'END'
spate: 1
frames: many
fluids:
  water: { spacing: -1, densty: 3 }
sources:
  - { type: fill, fluid: wine, shape: { sphere: { center: [0, 0, 0], radius: 1 } } }
END
gives 2 "bad.yaml:2:9: error: " bad.yaml
gives 2 "bad.yaml:4:21: error: fluids.water: " bad.yaml
gives 2 "bad.yaml:4:25: error: fluids.water: " bad.yaml
gives 2 "bad.yaml:6:26: error: sources.0: " bad.yaml
printf 'spate: 1\nfluids: [\n' >broken.yaml
gives 2 "broken.yaml:3:1: error: " broken.yaml
: >empty.yaml
gives 2 "empty.yaml" empty.yaml

# help
for help in "run --help" "help run"; do
	# shellcheck disable=SC2086
	"$SPATE_BINARY" $help >help.txt
	if ! grep -q 'Examples:' help.txt || ! grep -q '  spate run scenes/dam_break.yaml --overwrite' help.txt; then
		printf 'FAILED: spate %s shows no examples:\n%s\n' "$help" "$(cat help.txt)"
		exit 1
	fi
done

# without -o the results go to out/NAME; the summary is JSON whatever the directory is called
"$SPATE_BINARY" run "$scene" --frames 1 --quiet
test -s out/basin/frames/frame_000001.spate
"$SPATE_BINARY" run "$scene" --frames 1 --quiet --json -o 'a "quoted" \ name' >summary.json
python3 - <<'END'
import json

summary = json.load(open("summary.json", encoding="utf-8"))
assert summary["directory"] == 'a "quoted" \\ name', summary
assert summary["frames"] == 1, summary
last = [json.loads(line) for line in open(summary["directory"] + "/stats.jsonl", encoding="utf-8")][-1]
assert last["hash"] == summary["hash"], (last["hash"], summary["hash"])
assert last["frame"] == 1, last
END

# what became of the particles, by reason: a drain that takes all of them, and a speed limit that takes many
"$SPATE_BINARY" run "$scene" --frames 1 --quiet --json -o drained --set 'sinks.0.shape.box.min=[-9, -9, -9]' \
	--set 'sinks.0.shape.box.max=[9, 9, 9]' \
	>drained.json 2>drained.txt
"$SPATE_BINARY" run "$scene" --frames 2 --quiet --json -o lost --set speed_limit=1.5 >lost.json 2>lost.txt
"$SPATE_BINARY" run "$scene" --frames 2 --quiet --json -o lost --set speed_limit=1.5 >again.json 2>again.txt
"$SPATE_BINARY" run "$scene" --frames 2 --set speed_limit=1.5 -o lost >text.txt 2>&1
python3 - <<'END'
import json


def read(name):
    return json.load(open(name, encoding="utf-8"))


drained, lost, again = read("drained.json"), read("lost.json"), read("again.json")
assert drained["particles"] == 0 and drained["empty"] is True, drained
assert drained["removed"] == drained["removed_by"]["sinks"] == drained["added"] > 0, drained
assert "none of the %d particles are left in frame 1" % drained["added"] in open("drained.txt").read()
fast = lost["removed_by"]["too_fast"]
assert fast > 0 and lost["lost_percent"] > 1 and lost["empty"] is False, lost
assert lost["particles"] + lost["removed"] == lost["added"], lost
assert sum(lost["removed_by"].values()) == lost["removed"], lost
last = [json.loads(line) for line in open("lost/stats.jsonl", encoding="utf-8")][-1]
assert last["removed_by"] == lost["removed_by"], last
# a run that was finished before knows as much, and says as much
assert again["nothing_to_do"] is True and lost["nothing_to_do"] is False
assert again["removed_by"] == lost["removed_by"] and again["hash"] == lost["hash"], again
assert " removed: %d by sinks, %d too fast, 0 not a number, 0 out of range; clamped: 0\n" % (
    lost["removed_by"]["sinks"],
    fast,
) in open("text.txt").read(), open("text.txt").read()
END
