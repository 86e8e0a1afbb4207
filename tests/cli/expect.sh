# shellcheck shell=bash
# For the tests of commands: source it. $work is a fresh folder and the current one.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# expect CODE TEXT ARGUMENTS...: `spate ARGUMENTS` exits with CODE, and what it prints, left in $output, has TEXT in it
expect()
{
	local code=$1 text=$2 got=0
	shift 2
	output=$("$SPATE_BINARY" "$@" 2>&1) || got=$?
	if [ "$got" != "$code" ] || [[ $output != *"$text"* ]]; then
		printf 'FAILED: spate %s\n  exits with %s and says: %s\n  expected %s and: %s\n' "$*" "$got" "$output" "$code" "$text"
		exit 1
	fi
}

# same WHAT ACTUAL EXPECTED
same()
{
	if [ "$2" != "$3" ]; then
		printf 'FAILED: %s is\n%s\nexpected\n%s\n' "$1" "$2" "$3"
		exit 1
	fi
}

# width and height of a PNG
png_size()
{
	python3 -c 'import struct, sys
head = open(sys.argv[1], "rb").read(24)
assert head[:8] == b"\x89PNG\r\n\x1a\n", head[:8]
print(*struct.unpack(">II", head[16:24]), sep="x")' "$1"
}
