#!/usr/bin/env bash
# Installs missing Debian packages of the named tiers; silent if none is missing. tools/packages lists the tiers.
#   tools/install.sh [--dry-run] TIER...
# --dry-run prints the command without running it.
set -euo pipefail
list=$(dirname "${BASH_SOURCE[0]}")/packages

declare -A tiers=()
while read -r tier names; do
	[[ -z $tier || $tier == "#"* ]] || tiers[$tier]+="$names "
done <"$list"

usage()
{
	echo "usage: tools/install.sh [--dry-run] TIER...   (tiers: ${!tiers[*]}; see tools/packages)" >&2
	exit 2
}

dry_run=0
packages=()
for argument in "$@"; do
	if [[ $argument == --dry-run ]]; then
		dry_run=1
	elif [[ -n ${tiers[$argument]:-} ]]; then
		read -ra names <<<"${tiers[$argument]}"
		packages+=("${names[@]}")
	else
		usage
	fi
done
((${#packages[@]} > 0)) || usage

if ! command -v dpkg-query >/dev/null; then
	echo "install.sh: this is not a Debian system; taking these packages as installed: ${packages[*]}" >&2
	exit 0
fi

# dpkg-query fails for unknown names; they count as missing
installed=" $(dpkg-query -W -f '${Package}=${db:Status-Status} ' "${packages[@]}" 2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
	[[ $installed == *" $package=installed "* ]] || missing+=("$package")
done
((${#missing[@]} > 0)) || exit 0

# sudo is usable if it needs no password or if there is a terminal to type one.
prefix=()
allowed=1
if [[ $(id -u) != 0 ]]; then
	prefix=(sudo)
	if ! command -v sudo >/dev/null; then
		allowed=0
	elif ! sudo -n true 2>/dev/null && ! [[ -t 0 ]]; then
		allowed=0
	fi
fi
# sudo drops the environment, including proxy settings
settings=(DEBIAN_FRONTEND=noninteractive)
for name in http_proxy https_proxy ftp_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
	[[ -z ${!name:-} ]] || settings+=("$name=${!name}")
done
update=("${prefix[@]}" env "${settings[@]}" apt-get -qq update)
install=("${prefix[@]}" env "${settings[@]}" apt-get -qq -y
	-o DPkg::Lock::Timeout=300 --no-install-recommends install "${missing[@]}")

if ((dry_run)); then
	echo "${update[*]} && ${install[*]}"
elif ((allowed)); then
	echo "install.sh: installing ${missing[*]}"
	"${update[@]}"
	"${install[@]}"
else
	{
		echo "install.sh: missing ${missing[*]}, and neither root nor sudo to install them. Ask an administrator to run:"
		echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
	} >&2
	exit 1
fi
