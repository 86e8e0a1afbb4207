#!/usr/bin/env bash
# tools/run_tests.py on a build folder with a CTest made up: what passes, fails and skips, and what it says of skips.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/my build/Testing/Temporary"
printf '#!/usr/bin/env bash\nexit "$(cat "%s/code")"\n' "$work" >"$work/bin/ctest"
chmod +x "$work/bin/ctest"

# the next run: exit code of CTest, CMake's cache, what one test printed
try()
{
	echo "$1" >"$work/code"
	echo "$2" >"$work/my build/CMakeCache.txt"
	printf '3/7 Testing: space/test_cells\n3/7 Test: space/test_cells\nOutput:\n-----\n%s\n<end of output>\n' "$3" \
		>"$work/my build/Testing/Temporary/LastTest.log"
	code=0
	output=$(cd "$work" && PATH=$work/bin:$PATH python3 "$SPATE_SOURCE/tools/run_tests.py" "my build" -- -LE long 2>&1) || code=$?
}
expect()
{
	if [[ $code != "$2" || $output != *"$3"* ]]; then
		printf 'FAILED: %s\n  exits with %s and says: %s\n  expected %s and: %s\n' "$1" "$code" "$output" "$2" "$3"
		exit 1
	fi
}

try 0 "SPATE_OPENVDB:BOOL=ON" "fine"
expect "all passed" 0 "Nothing was skipped."
try 8 "SPATE_OPENVDB:BOOL=ON" "fine"
expect "one failed" 1 "Nothing was skipped."
try 0 "SPATE_OPENVDB:BOOL=ON" "skipped: this processor has no AVX-512"
expect "the machine lacks it" 0 "my build: space/test_cells: this processor has no AVX-512"
try 0 "SPATE_OPENVDB:BOOL=ON" "skipped without OPENVDB"
expect "a package of the tier" 1 "space/test_cells: built without OPENVDB  <-- an error"
try 0 "SPATE_OPENVDB:BOOL=OFF" "skipped without OPENVDB"
expect "left out by choice" 0 "space/test_cells: built without OPENVDB"
try 0 "SPATE_QHULL:BOOL=OFF" "skipped without OPENVDB"
expect "another one left out" 1 "<-- an error"
