#!/usr/bin/env bash
# Every public header stands alone, as strict C17 and as C++.
set -euo pipefail
cd "$SPATE_SOURCE/include"
for header in spate/*.h; do
	for language in "c -std=c17 -Wstrict-prototypes" "c++ -std=c++11"; do
		read -ra flags <<<"-x $language"
		echo "#include \"$header\"" | gcc "${flags[@]}" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I . -
	done
done
