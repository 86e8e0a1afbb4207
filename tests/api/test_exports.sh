#!/usr/bin/env bash
# The shared library exports the public API and nothing else.
set -euo pipefail
library=$SPATE_BUILD/libspate.so
names=$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep -v '^__odr_asan')
if ! grep -qx spate_result_name <<<"$names"; then
	echo "FAILED: $library does not export spate_result_name"
	exit 1
fi
if strays=$(grep -v '^spate_' <<<"$names"); then
	printf 'FAILED: exported without the public prefix:\n%s\n' "$strays"
	exit 1
fi
