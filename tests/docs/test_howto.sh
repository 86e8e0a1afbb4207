#!/usr/bin/env bash
# Compiles and runs every program of docs/howto, and checks what the page says about its output.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra sanitize <<<"$SPATE_CFLAGS"

for page in "$SPATE_SOURCE"/docs/howto/*.md; do
	name=$(basename "$page" .md)
	awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$page" >"$work/$name.c"
	[ -s "$work/$name.c" ] || continue
	"$SPATE_CC" -std=c17 -Wall -Wextra -Werror "${sanitize[@]}" -I "$SPATE_SOURCE/include" "$work/$name.c" \
		-L "$SPATE_BUILD" -lspate -lm -Wl,-rpath,"$SPATE_BUILD" -o "$work/$name"
	"$work/$name" >"$work/$name.out" || { echo "FAILED: the program of $page:"; cat "$work/$name.out"; exit 1; }
done

page=interactive
expect()
{
	grep -qE "$1" "$work/$page.out" || { echo "FAILED: no line \"$1\" in:"; cat "$work/$page.out"; exit 1; }
}
[ "$(grep -c '^frame ' "$work/interactive.out")" = 12 ] || { echo "FAILED: not 12 frames:"; cat "$work/interactive.out"; exit 1; }
expect '^stopped at 0\.5 s'
expect '^[0-9]+ fluids\.water\.viscosity=0\.05$'
expect '^[0-9]+ gravity=\[3, -9, 0\]$'
expect '^repeated: the same bits$'

# within 1 %
page=constraints
expect '^the rope was never longer than (0\.99|1\.00)[0-9]{2} times its length$'
expect '^the balloon kept from (0\.99|1\.00)[0-9]{2} to 1\.00[0-9]{2} of its volume$'
