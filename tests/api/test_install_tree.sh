#!/usr/bin/env bash
# An installed tree serves a stranger: command, headers, both libraries, found through pkg-config.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$SPATE_BUILD" --prefix "$work/tree" >/dev/null

cat >"$work/stranger.c" <<'C'
#include <spate/spate.h>
#include <stdio.h>
int main(void)
{
	puts(spate_result_name(SPATE_MEMORY));
	return 0;
}
C
folder=$(dirname "$(find "$work/tree" -name spate.pc)")
export PKG_CONFIG_PATH=$folder
read -ra sanitize <<<"$SPATE_CFLAGS"

expect_memory()
{
	if [[ $2 != MEMORY ]]; then
		printf 'FAILED: %s printed "%s", expected "MEMORY"\n' "$1" "$2"
		exit 1
	fi
}

read -ra flags <<<"$(pkg-config --cflags --libs spate)"
"$SPATE_CC" "${sanitize[@]}" "$work/stranger.c" "${flags[@]}" -o "$work/shared"
expect_memory "the shared library" "$(LD_LIBRARY_PATH=$folder/.. "$work/shared")"

# with libspate.so away the linker takes libspate.a and what pkg-config says it needs
rm "$folder"/../libspate.so*
read -ra flags <<<"$(pkg-config --static --cflags --libs spate)"
"$SPATE_CC" "${sanitize[@]}" "$work/stranger.c" "${flags[@]}" -o "$work/static"
expect_memory "the static library" "$("$work/static")"

"$work/tree/bin/spate" --version | grep -q "^spate [0-9]"
