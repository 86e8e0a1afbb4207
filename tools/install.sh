#!/usr/bin/env bash
# Installs the Debian packages of the tiers named, as far as they are missing. Silent when nothing is.
#   tools/install.sh [--dry-run] TIER...
#   run     what building and running need
#   test    what the tests need on top
#   extras  formatting, linting, clang, the thread sanitizer
# --dry-run prints the command and runs nothing.
set -euo pipefail

run="gcc g++ libc6-dev make cmake ninja-build libyaml-dev libblosc-dev libpng-dev zlib1g-dev libqhull-dev ffmpeg
	libopenvdb-dev libnanovdb-dev libboost-dev libboost-iostreams-dev libtbb-dev libopenexr-dev"
test="pkgconf libcmocka-dev libembree-dev python3 python3-numpy"
extras="clang clang-format clang-tidy libclang-rt-dev libomp-dev"

usage()
{
	echo "usage: tools/install.sh [--dry-run] TIER...   (tiers: run, test, extras)" >&2
	exit 2
}

dry_run=0
packages=()
for argument in "$@"; do
	case $argument in
	--dry-run) dry_run=1 ;;
	run | test | extras) read -ra tier -d "" <<<"${!argument}" || true; packages+=("${tier[@]}") ;;
	*) usage ;;
	esac
done
((${#packages[@]} > 0)) || usage

if ! command -v dpkg-query >/dev/null; then
	echo "install.sh: no Debian packages here; these are taken to be installed: ${packages[*]}" >&2
	exit 0
fi

# dpkg-query complains about names that it has never heard of, which is an answer too
installed=" $(dpkg-query -W -f '${Package}=${db:Status-Status} ' "${packages[@]}" 2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
	[[ $installed == *" $package=installed "* ]] || missing+=("$package")
done
((${#missing[@]} > 0)) || exit 0

# An existing sudo counts when it needs no password or somebody is there to type one.
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
update=("${prefix[@]}" apt-get -qq update)
install=("${prefix[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y
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
