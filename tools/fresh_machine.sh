#!/usr/bin/env bash
# Runs a command as a new user would: in a clean clone of HEAD, on a Debian 12 with only the base system, make and git,
# in a folder with a space in its name, without a terminal.
#   tools/fresh_machine.sh [COMMAND...]          default: make test
# Exit code: that of the command; 3 if such a machine cannot be set up here (needs root, debootstrap and the right to mount).
# FRESH_BASE    folder that keeps the base system between calls (made once, about two minutes)
# FRESH_MIRROR  mirror for its packages (default: that of this machine)
# FRESH_KEEP    if set, the machine is kept for inspection, and its folder is printed
set -euo pipefail

cannot()
{
	echo "fresh_machine.sh: $1" >&2
	exit 3
}

# ------------------------------------------------------------------------------------------ inside, in a namespace of its own
# Mounts made here disappear with the last process of the namespace, even if it is killed.
if [[ ${1:-} == --inside ]]; then
	room=$2
	shift 2
	mount -t proc proc "$room/proc"
	mount --rbind /dev "$room/dev"
	mount -t tmpfs tmpfs "$room/tmp"
	settings=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb)
	for name in http_proxy https_proxy ftp_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE; do
		[[ -z ${!name:-} ]] || settings+=("$name=${!name}")
	done
	exec chroot "$room" /usr/bin/env -i "${settings[@]}" bash -c 'cd "/root/my project" && exec "$@"' fresh "$@" </dev/null
fi

# ------------------------------------------------------------------------------------------------------------ the base system
[[ $(id -u) == 0 ]] || cannot "needs root"
command -v debootstrap >/dev/null || cannot "needs debootstrap; tools/install.sh fresh installs it"
unshare --mount --pid --fork true 2>/dev/null || cannot "may not mount anything here"

# First Debian source of this machine, in either of apt's two formats.
mirror()
{
	local found
	found=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
	[[ -n $found ]] || found=$(awk '$1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) { print $i; exit } }' /etc/apt/sources.list)
	echo "$found"
}

# The new machine gets packages in the same way as this one: same sources, proxy settings, keys and certificates.
copy_apt_settings()
{
	local to=$1/etc
	rm -f "$to/apt/sources.list"
	cp -a /etc/apt/sources.list.d/debian.sources "$to/apt/sources.list.d/" 2>/dev/null || cp -a /etc/apt/sources.list "$to/apt/"
	cp -a /etc/apt/apt.conf.d/. "$to/apt/apt.conf.d/"
	cp -a /etc/ssl/certs/. "$to/ssl/certs/"
	cp -an /usr/share/keyrings/. "$1/usr/share/keyrings/"
	[[ ! -d /etc/apt/keyrings ]] || cp -a /etc/apt/keyrings/. "$to/apt/keyrings/"
}

base=${FRESH_BASE:-${TMPDIR:-/var/tmp}/spate-fresh-base}
if [[ ! -e $base/.complete ]]; then
	from=${FRESH_MIRROR:-$(mirror)}
	[[ -n $from ]] || cannot "found no Debian mirror in apt's sources; name one in FRESH_MIRROR"
	echo "fresh_machine.sh: making a base system in $base"
	rm -rf --one-file-system "$base"
	debootstrap --variant=minbase --include=ca-certificates,make,git bookworm "$base" "$from" >"$base.log" ||
		{ tail -n 20 "$base.log" >&2; cannot "debootstrap failed; see $base.log"; }
	copy_apt_settings "$base"
	touch "$base/.complete"
fi

# ------------------------------------------------------------------------------------------------------------- one new machine
room=$(mktemp -d "${base%/*}/spate-fresh-XXXXXX")
leave()
{
	if [[ -n ${FRESH_KEEP:-} ]]; then
		echo "fresh_machine.sh: kept $room"
	else
		rm -rf --one-file-system "$room"
	fi
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cp -a --reflink=auto "$base/." "$room/"
cp -L /etc/resolv.conf /etc/hosts "$room/etc/"
git clone -q --no-hardlinks "$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)" "$room/root/my project"

[[ $# -gt 0 ]] || set -- make test
unshare --mount --pid --fork --kill-child "$(readlink -f "${BASH_SOURCE[0]}")" --inside "$room" "$@"
