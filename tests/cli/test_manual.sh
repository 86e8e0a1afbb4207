#!/usr/bin/env bash
# Help, manual pages and completion scripts are made of the same tables: what one knows the others know.
source "$SPATE_SOURCE/tests/cli/expect.sh"

# lines of the help as long as they are in the tables
export ARGP_HELP_FMT=rmargin=250

mapfile -t commands < <("$SPATE_BINARY" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ "${#commands[@]}" -ge 10 ]

# groff -ww says everything that it does not like
lint()
{
	if command -v groff >/dev/null; then
		same "what groff says about $1" "$(groff -man -Tutf8 -ww "$1" 2>&1 >/dev/null)" ""
	fi
}

# plain FILE: without what groff needs
plain()
{
	sed 's/\\f[BIR]//g; s/\\-/-/g; s/\\e/\\/g; s/\\&//g' "$1"
}

"$SPATE_BINARY" man -o pages
same "the pages" "$(cd pages && echo *)" "$(printf 'spate-%s.1\n' "${commands[@]}" | sort | tr '\n' ' ')spate.1"
lint pages/spate.1
"$SPATE_BINARY" completion bash >spate.bash
"$SPATE_BINARY" completion zsh >_spate
for command in "${commands[@]}"; do
	page=pages/spate-$command.1
	"$SPATE_BINARY" "$command" --help >help
	same "spate help $command" "$("$SPATE_BINARY" help "$command")" "$(cat help)"
	# also where it is asked for among other arguments, but not as the value of an option
	same "spate $command x --help" "$("$SPATE_BINARY" "$command" x --help 2>&1)" "$(cat help)"
	# in narrow lines: examples stay whole, lists stay aligned, no line is of blanks only
	env -u ARGP_HELP_FMT "$SPATE_BINARY" "$command" --help >narrow
	same "the examples of spate $command" "$(sed -n '/^Examples:$/,/^$/p' narrow)" "$(sed -n '/^Examples:$/,/^$/p' help)"
	same "lines of blanks in the help of spate $command" "$(grep -n '^ \+$' narrow)" ""
	same "long lines of prose in the help of spate $command" "$(grep -v '^  ' narrow | grep -E '.{80}')" ""
	cmp <("$SPATE_BINARY" man "$command") "$page"
	lint "$page"
	plain "$page" >plain
	grep -qF "spate-$command(1)" <(plain pages/spate.1)
	# sections that a page has, examples among them
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES 'EXIT STATUS' 'SEE ALSO'; do
		grep -qx ".SH $section" "$page" || { echo "FAILED: $page has no section $section"; exit 1; }
	done
	grep -q '^Examples:$' help
	[ "$(sed -n '/^Examples:$/,$p' help | grep -c "^  spate\|^  source")" -ge 2 ]
	sed -n '/^Examples:$/,/^$/{s/^  //p}' help | while read -r line; do
		grep -qxF "$line" plain || { echo "FAILED: $page has no example: $line"; exit 1; }
	done
	# every option of the help, with its argument, is in the page and in both scripts
	options=$(grep -oE '^  (-.,|   ) --[a-z-]+' help | grep -oE -- '--[a-z-]+' | sort -u)
	[ "$(wc -l <<<"$options")" -ge 3 ]
	for option in $options; do
		[ "$option" = --usage ] && continue
		grep -qE -- "^(-., )?$option(\\[|=|\$)" plain || { echo "FAILED: $page has no $option"; exit 1; }
		grep -qE "^	$command\\) echo '.*$option[ ']" spate.bash || { echo "FAILED: bash knows no $command $option"; exit 1; }
		sed -n "/^		$command) _arguments/,/;;\$/p" _spate | grep -qF -- "$option" ||
			{ echo "FAILED: zsh knows no $command $option"; exit 1; }
	done
done
same "the column where benchmarks are explained" "$(env -u ARGP_HELP_FMT "$SPATE_BINARY" bench --help |
	awk '/^Benchmarks:$/ { inside = 1; next } /^$/ { inside = 0 } inside { match($0, /^  [a-z0-9]+  +|^ +/); print RLENGTH }' | sort -u)" 14
grep -qx 'pbf         stages .*' <(plain pages/spate-bench.1)
expect 1 "cannot open nothing" mesh nothing -o --help
expect 2 "unknown command 'nothing'" man nothing
expect 2 "-o writes the pages of all commands" man run -o pages
expect 2 "which shell" completion
expect 2 "takes either bash or zsh, not 'fish'" completion fish
expect 1 "no_such_folder" completion bash -o no_such_folder/spate

# bash: words as they stand on the line, bash's own way of parting them at '=' included
mkdir -p scenes/deep
touch scenes/a.yaml scenes/b.yml scenes/c.obj 'scenes/with blank.yaml'
source spate.bash
# works only while bash completes a line
compopt()
{
	filenames=$2
}
complete -p spate | grep -qF -- '-F _spate'
# complete_words EXPECTED WORDS...: what is offered for the last word
complete_words()
{
	local expected=$1
	shift
	filenames=
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_spate
	same "what completes '$*'" "$(printf '%s\n' "${COMPREPLY[@]}" | tr ' ' '\n' | sort)" "$(printf '%s\n' "$expected" | tr ' ' '\n' | sort)"
}
complete_words 'preview' spate pr
complete_words "help --help --version ${commands[*]}" spate ''
complete_words "${commands[*]}" spate help ''
complete_words '--format --frames --fluid' spate mesh out --f
complete_words 'ply obj stl vtk vtp spate' spate mesh out --format ''
complete_words 'ply' spate mesh out --format = p
complete_words 'ply obj stl vtk vtp spate' spate mesh out --format =
complete_words 'water matt' spate preview out --look ''
complete_words "$("$SPATE_BINARY" example | cut -d ' ' -f 1 | tr '\n' ' ' | sed 's/ $//')" spate example ''
complete_words 'dam_door' spate example dam_d
complete_words 'neighbours' spate bench ne
complete_words 'bash zsh' spate completion ''
complete_words 'run' spate man ru
complete_words '' spate run --threads ''
complete_words 'scenes/a.yaml scenes/b.yml scenes/deep scenes/with blank.yaml' spate run scenes/
[ "${#COMPREPLY[@]}" = 4 ]
[ "$filenames" = filenames ]
complete_words 'scenes/c.obj' spate info scenes/c
# an argument that is optional needs its '='
complete_words 'scenes' spate preview out --mesh = sc
complete_words 'scenes' spate preview --mesh sc

# zsh
if command -v zsh >/dev/null; then
	zsh -n _spate
fi
same "the first line for zsh" "$(head -n 1 _spate)" '#compdef spate'
grep -qF "'--format=[File format (default ply)]:ply|obj|stl|vtk|vtp|spate:( ply obj stl vtk vtp spate )'" _spate
grep -qF "'(-o --output)-o+[" _spate
grep -qF "_files -g \"*.(yaml|yml|json)\"" _spate
# quotes come in pairs, or the rest of the script would be one word
bash -n <(sed 's/^#compdef.*//' _spate)

# what the build installs is what the program prints
if [ -e "$SPATE_BUILD/manual/spate.1" ]; then
	cmp "$SPATE_BUILD/manual/spate-run.1" pages/spate-run.1
	cmp "$SPATE_BUILD/manual/spate.bash" spate.bash
	cmp "$SPATE_BUILD/manual/_spate" _spate
fi
