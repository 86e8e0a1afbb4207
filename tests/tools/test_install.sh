#!/usr/bin/env bash
# tools/install.sh in a world made up of fake tools: which packages are there, who is asking, and whether sudo works.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for tool in bash env cat dirname; do
	ln -s "$(command -v $tool)" "$work/bin/$tool"
done

fake()
{
	printf '#!/usr/bin/env bash\n%s\n' "$2" >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}
# everything is installed except what the file `absent` names
fake dpkg-query 'shift 3; absent=" $(cat "$WORK/absent") "
for p; do if [[ $absent == *" $p "* ]]; then echo "no packages found matching $p" >&2; else printf "%s=installed " "$p"; fi; done'
fake apt-get 'echo "apt-get $*" >>"$WORK/calls"'
fake id 'cat "$WORK/uid"'
mkdir "$work/tools"
cp "$SPATE_SOURCE/tools/install.sh" "$SPATE_SOURCE/tools/packages" "$work/tools"

# what install.sh finds in its environment
variables=()
# install.sh ARGS... with its exit code, output and the calls of apt-get left in code, output, calls
try()
{
	: >"$work/calls"
	code=0
	output=$(env -i WORK="$work" PATH="$work/bin" "${variables[@]}" "$work/bin/bash" "$work/tools/install.sh" "$@" 2>&1 </dev/null) || code=$?
	calls=$(cat "$work/calls")
}
expect()
{
	if [[ $2 != $3 ]]; then
		printf 'FAILED: %s\n  is:       %s\n  expected: %s\n' "$1" "$2" "$3"
		exit 1
	fi
}

# all there: exit 0, nothing said, nothing called
echo 1000 >"$work/uid"
echo "" >"$work/absent"
try run test extras
expect "all installed: exit code" "$code" 0
expect "all installed: output" "$output" ""
expect "all installed: calls" "$calls" ""

# one missing, no root, no sudo: the one command, exit 1
echo "libblosc-dev" >"$work/absent"
try run
expect "no root: exit code" "$code" 1
expect "no root: output" "$output" "*apt-get update && apt-get install --no-install-recommends libblosc-dev"
expect "no root: calls" "$calls" ""

# a missing package of another tier is nobody's business
try test
expect "other tier: exit code" "$code" 0
expect "other tier: output" "$output" ""

# a sudo that wants a password that nobody can type is no sudo
fake sudo '[[ $1 == -n ]] && exit 1; echo "sudo $*" >>"$WORK/calls"'
try run
expect "sudo with password: exit code" "$code" 1
expect "sudo with password: calls" "$calls" ""

# a free sudo is used, for update first
fake sudo '[[ $1 == -n ]] && exit 0; echo -n "sudo " >>"$WORK/calls"; exec "$@"'
try run
expect "sudo: exit code" "$code" 0
expect "sudo: output" "$output" "*installing libblosc-dev"
expect "sudo: calls" "$calls" "sudo apt-get *update"$'\n'"sudo apt-get *install libblosc-dev"

# sudo empties the environment, yet the way through a proxy is kept
fake sudo '[[ $1 == -n ]] && exit 0; exec env -i PATH="$PATH" WORK="$WORK" "$@"'
fake apt-get 'echo "apt-get proxy=${http_proxy:-none} frontend=${DEBIAN_FRONTEND:-none} ${*: -1}" >>"$WORK/calls"'
variables=(http_proxy=http://127.0.0.1:3128)
try run
proxied="apt-get proxy=http://127.0.0.1:3128 frontend=noninteractive"
expect "proxy: calls" "$calls" "$proxied update"$'\n'"$proxied libblosc-dev"
variables=()
fake apt-get 'echo "apt-get $*" >>"$WORK/calls"'

# root needs no sudo; only the missing ones are asked for
echo 0 >"$work/uid"
echo "cmake libcmocka-dev" >"$work/absent"
try run test
expect "root: exit code" "$code" 0
expect "root: calls" "$calls" "apt-get *update"$'\n'"apt-get *install cmake libcmocka-dev"

# --dry-run tells and does nothing
try --dry-run run
expect "dry run: exit code" "$code" 0
expect "dry run: output" "$output" "*apt-get *update && *apt-get *install cmake"
expect "dry run: calls" "$calls" ""

# a failing apt-get fails the script
fake apt-get 'exit 100'
try run
expect "apt fails: exit code" "$code" 100

# A dpkg that knows nothing: the whole tier is asked for, in order, however many lines its list has.
fake apt-get 'echo "apt-get $*" >>"$WORK/calls"'
fake dpkg-query 'exit 1'
printf '%s\n' '# a comment' 'run    one two' 'test   other' '' 'run    three four  five' '  # another' 'run six' >"$work/tools/packages"
try run
expect "three lines: calls" "$calls" "apt-get *update"$'\n'"apt-get *install one two three four five six"
try test run
expect "two tiers: calls" "$calls" "apt-get *update"$'\n'"apt-get *install other one two three four five six"
# and so with the real list: no package of the tier is lost on the way
cp "$SPATE_SOURCE/tools/packages" "$work/tools"
for tier in run test extras fresh; do
	try "$tier"
	whole=$(awk -v tier="$tier" '$1 == tier { $1 = ""; printf "%s", $0 }' "$work/tools/packages")
	expect "$tier, whole: calls" "$calls" "apt-get *update"$'\n'"apt-get *install$whole"
done
[[ $whole == " debootstrap" ]] || { echo "FAILED: tools/packages was read as '$whole'"; exit 1; }

# misuse
try
expect "no tier: exit code" "$code" 2
try everything
expect "unknown tier: exit code" "$code" 2
