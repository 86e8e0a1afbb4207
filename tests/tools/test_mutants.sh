#!/usr/bin/env bash
# tools/mutants.py: its list fits this tree, mistakes in a list are told, and in a made-up project it tells caught faults from survivors.
set -euo pipefail
mutants=("python3" "$SPATE_SOURCE/tools/mutants.py")
"${mutants[@]}" --root "$SPATE_SOURCE" --check
faults=$("${mutants[@]}" --root "$SPATE_SOURCE" --list | wc -l)
if ((faults < 40)); then
	printf 'FAILED: there are only %d faults\n' "$faults"
	exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir -p "$tree/src/base" "$tree/tests/base" "$tree/tests/mutants"
list=$tree/tests/mutants/faults.txt
printf 'int twice(int x)\n{\n\tif (x < 0)\n\t\treturn 0;\n\treturn 2 * x;\n}\n' >"$tree/src/base/twice.c"
printf 'int twice(int x);\nint main(void)\n{\n\treturn twice(3) == 6 ? 0 : 1;\n}\n' >"$tree/tests/base/test_twice.c"

# fault NAME FIND REPLACE [TESTS]: one more in the list
fault()
{
	printf 'name: %s\nfile: src/base/twice.c\nfind: %s\nreplace: %s\n%sbreaks: Something.\n\n' "$1" "$2" "$3" "${4:+tests: $4
}" >>"$list"
}

# fails CODE TEXT ARGUMENT...: the exit code, and what is said
fails()
{
	local output code=0
	output=$("${mutants[@]}" --root "$tree" "${@:3}" 2>&1) || code=$?
	if [[ $code != "$1" || $output != *$2* ]]; then
		printf 'FAILED: %s exits with %s and says:\n%s\n  expected: exit code %s and ...%s...\n' "${*:3}" "$code" "$output" "$1" "$2"
		exit 1
	fi
}

: >"$list"
fails 1 'base has no fault' --check
fault sum 'return 2 * x;' 'return 3 * x;'
fails 0 '1 faults fit' --check
fails 2 'no fault is called other' --only other
fails 0 $'sum\tsrc/base/twice.c\tSomething.' --list
fault sum 'if (x < 0)' 'if (x > 0)'
fails 1 'another fault called sum' --check

: >"$list"
fault gone 'return 5 * x;' 'return 3 * x;'
fails 1 'faults.txt:1: gone: the line "return 5 * x;" is gone from src/base/twice.c' --check
: >"$list"
fault part '2 * x' '3 * x'
fails 1 'is gone' --check
: >"$list"
fault same 'return 2 * x;' 'return 2 * x;'
fails 1 'by itself' --check
: >"$list"
fault lost 'return 2 * x;' '' 'elsewhere/'
fails 1 'no quick test is called elsewhere/' --check
printf 'name: half\nfile: src/base/twice.c\n' >"$list"
fails 1 'faults.txt:1: this fault has no find' --check
printf 'nonsense\n' >"$list"
fails 1 'faults.txt:1: expected one of name, file' --check
printf '\treturn 2 * x;\n' >>"$tree/src/base/twice.c"
: >"$list"
fault doubled 'return 2 * x;' ''
fails 1 'is there 2 times' --check
sed -i '$d' "$tree/src/base/twice.c"

# a project of one test, which knows nothing about negative numbers
for tool in cmake ninja; do
	command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
cat >"$tree/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(twice C)
enable_testing()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
add_executable(base_test_twice tests/base/test_twice.c src/base/twice.c)
add_test(NAME base/test_twice COMMAND base_test_twice)
END
before=$(sha256sum "$tree/src/base/twice.c")
: >"$list"
fault caught 'return 2 * x;' 'return 3 * x;'
fault negative 'return 0;' 'return 1;'
fault broken 'return 2 * x;' 'return 2 * ;'
fails 0 'caught    base/test_twice' --only caught
fails 1 'survived: negative (src/base/twice.c): Something.' --only caught --only negative
fails 1 'broken does not compile' --only broken
# what was built with the last fault does not stay
fails 0 '1 faults, 0 survived' --only caught
if [[ $before != "$(sha256sum "$tree/src/base/twice.c")" || $before != *$(sha256sum <"$tree/build-mutants/source/src/base/twice.c" | cut -d' ' -f1)* ]]; then
	echo 'FAILED: a fault stayed in the sources'
	exit 1
fi
# without a fault the test must pass
printf 'int twice(int x);\nint main(void)\n{\n\treturn twice(3);\n}\n' >"$tree/tests/base/test_twice.c"
fails 1 'base/test_twice fails without any fault' --only caught
